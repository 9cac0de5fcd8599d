package codegen_test

import (
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/codegen"
	"github.com/hamc-dev/hamc/codegen/loop"
)

// TestTriangularLoops: a comparison of the index of a sum bounds its loop, and is asked nowhere inside.
func TestTriangularLoops(t *testing.T) {
	const file = "../internal/differential/testdata/models/simplex_fisher.ham"
	d := derivedFrom(t, file)
	seen := false
	_, err := codegen.Generate(d, codegen.Options{Package: "m", AfterPass: func(pass string, p *loop.Program) {
		f := p.Func("Constrain")
		if pass != "lower" || f == nil {
			return
		}
		seen = true
		below, inside := 0, 0
		loop.Each(f.Body, func(st loop.Stmt) {
			outer, ok := st.(*loop.For)
			if !ok {
				return
			}
			loop.Each(outer.Body, func(st loop.Stmt) {
				switch st := st.(type) {
				case *loop.For: // up to the variable of the loop around it
					if st.From.IsConst(0) && st.To.Equal(loop.At(outer.V)) {
						below++
					}
				case *loop.If:
					for _, c := range st.Conds {
						if strings.Contains(c.String(), "kernel.Before") || c.Y.Equal(loop.At(outer.V)) {
							inside++
						}
					}
				}
			})
		})
		if below != 1 || inside != 0 {
			t.Errorf("%d triangular loops, %d questions inside, in\n%s", below, inside, p.Format())
		}
	}})
	if err != nil || !seen {
		t.Errorf("Constrain was not lowered: %v", err)
	}
}
