package codegen_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/codegen"
	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/symbolic"
)

// TestEmissionIsLinear counts what emission allocates for models of growing length, which stands for
// its work: twice the length takes about twice as much. Names that many variables
// wish for, and values that many expressions share, are where it would not.
func TestEmissionIsLinear(t *testing.T) {
	for _, m := range []struct {
		name string
		text func(n int) string
	}{
		{"statements", func(n int) string {
			var b strings.Builder
			b.WriteString("model m\ndata y real\nparam a, b real\na, b ~ normal(0, 1)\n")
			for i := range n {
				fmt.Fprintf(&b, "y ~ cauchy(a*%d + b, 1)\n", i+2)
			}
			return b.String()
		}},
		{"shared values", func(n int) string {
			var b strings.Builder
			b.WriteString("model m\ndata y real[1]\nparam a, b real\na, b ~ normal(0, 1)\ndensity 0")
			for i := range n {
				fmt.Fprintf(&b, " + (a - %d*b)^2/(1 + (a - %d*b)^2)", i+2, i+2)
			}
			b.WriteString("\nmetric identity\n")
			return b.String()
		}},
	} {
		t.Run(m.name, func(t *testing.T) {
			allocations := func(n int) float64 {
				model, ds := dsl.Load("m.ham", m.text(n), dsl.Options{})
				if model == nil {
					t.Fatal(ds)
				}
				d, list := symbolic.Derive(model)
				if d == nil {
					t.Fatal(list)
				}
				return testing.AllocsPerRun(1, func() {
					if _, err := codegen.Generate(d, codegen.Options{Package: "m"}); err != nil {
						t.Fatal(err)
					}
				})
			}
			short, long := allocations(150), allocations(300)
			t.Logf("%v allocations at length 150, %v at 300", short, long)
			if long > 2.4*short {
				t.Errorf("%v allocations at length 150, %v at 300: more than in proportion", short, long)
			}
		})
	}
}

// TestEmissionIsRepeatable: the first emission adds to the context that the model was derived in, later ones to others,
// and all make the same code.
func TestEmissionIsRepeatable(t *testing.T) {
	model, _ := dsl.Load("m.ham", "model m\ndata y real\nparam a, b real\na, b ~ normal(0, 1)\ny ~ normal(a*sin(b), exp(a))\nmetric fisher\n", dsl.Options{})
	emit := func(d *symbolic.Derived) string {
		code, err := codegen.Generate(d, codegen.Options{Package: "m"})
		if err != nil {
			t.Fatal(err)
		}
		return string(code)
	}
	d, _ := symbolic.Derive(model)
	used, _ := symbolic.Derive(model)
	used.C.Diff(used.C.Mul(used.L, used.L), used.Params[0].Coord)
	first := emit(d)
	if emit(d) != first {
		t.Error("the second emission differs")
	}
	if emit(used) != first {
		t.Error("emission differs where something was added to the context")
	}
	if d.Rank1 == nil {
		t.Error("emission changed the results")
	}
}

// TestExplainRecovers: a bug of emission is an error, as it is of Generate.
func TestExplainRecovers(t *testing.T) {
	if _, err := codegen.Explain(&symbolic.Derived{}); err == nil {
		t.Error("no error")
	}
	if _, err := codegen.Generate(&symbolic.Derived{}, codegen.Options{Package: "m"}); err == nil {
		t.Error("no error of Generate")
	}
}
