package codegen

import (
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/codegen/loop"
)

// TestForm: the quadratic forms by which flat steps measure how far a solve has come, term by term. No result of a step shows a wrong one; it
// shows in when the solve ends.
func TestForm(t *testing.T) {
	x, y := &loop.Var{Name: "x"}, &loop.Var{Name: "y"}
	value := func(name string) *loop.Expr { return loop.Value(&loop.Var{Name: name}) }
	a, b, c := value("a"), value("b"), value("c")
	for _, test := range []struct {
		form *loop.Expr
		want string
	}{
		{form([]*loop.Var{x}, a), "a*x*x"},
		{form([]*loop.Var{x, y}, a, b, c), "a*x*x + (2*b*x*y) + c*y*y"},
		{form([]*loop.Var{x, y}, a, nil, c), "a*x*x + c*y*y"},
	} {
		f := &loop.Func{Name: "f", Body: []loop.Stmt{&loop.Return{Values: []*loop.Expr{test.form}}}}
		if got := f.Format(); !strings.Contains(got, "return ("+test.want+")\n") {
			t.Errorf("%s\nwant %s", got, test.want)
		}
	}
}
