package codegen

import (
	"strings"
	"testing"

	"github.com/dave/jennifer/jen"
)

// TestForm: the quadratic forms by which flat steps measure how far a solve has come, term by term. No result of a step shows a wrong one; it
// shows in when the solve ends.
func TestForm(t *testing.T) {
	text := func(x *jen.Statement) string {
		return strings.Join(strings.Fields(x.GoString()), "")
	}
	a, b, c := jen.Id("a"), jen.Id("b"), jen.Id("c")
	for _, x := range []struct {
		form *jen.Statement
		want string
	}{
		{form([]string{"x"}, a), "float64(a*x*x)"},
		{form([]string{"x", "y"}, a, b, c), "float64(a*x*x)+float64(2*b*x*y)+float64(c*y*y)"},
		{form([]string{"x", "y"}, a, nil, c), "float64(a*x*x)+float64(c*y*y)"},
	} {
		if got := text(x.form); got != x.want {
			t.Errorf("%s, want %s", got, x.want)
		}
	}
}
