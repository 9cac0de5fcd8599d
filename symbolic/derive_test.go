package symbolic_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/symbolic"
)

func TestPrintAll(t *testing.T) {
	files, _ := filepath.Glob("../examples/*.ham")
	for _, f := range files {
		text, _ := os.ReadFile(f)
		m, ds := dsl.Load(f, string(text), dsl.Options{})
		if m == nil {
			t.Fatal(ds)
		}
		d, list := symbolic.Derive(m)
		t.Log("=====", f, list)
		if d == nil {
			continue
		}
		t.Log("L =", symbolic.Format(d.L))
		t.Logf("const %v diag %v", d.Metric.Constant, d.Metric.Diagonal)
		for _, b := range d.Metric.Blocks {
			t.Log("B", b.Row, b.Col, symbolic.Format(b.E))
		}
		for _, def := range d.Prog.Defs {
			t.Log(def.Stage(), def.Tensor.Name, def.Tensor.Shape, ":=", symbolic.Format(def.Body))
		}
		for name, outs := range map[string][]symbolic.Output{"grad": d.Gradient, "matrix": d.Matrix, "force": d.Force, "rank1": d.Rank1, "contract": d.Contract, "jac": d.Jacobian} {
			for _, o := range outs {
				t.Log(name, o.Row, o.Col, o.Dir, symbolic.Format(o.E))
			}
		}
	}
}
