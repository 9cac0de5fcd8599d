package codegen

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/codegen/loop"
	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/runtime"
	la "github.com/hamc-dev/hamc/runtime/linalg"
	"github.com/hamc-dev/hamc/symbolic"
	"github.com/hamc-dev/hamc/symbolic/expr"
	"github.com/hamc-dev/hamc/symbolic/model"
)

// metricModels has a model of each storage with each of its dynamics, and the function of package runtime/system that makes the storage.
var metricModels = []struct{ storage, made, dynamics, text string }{
	{"dense", "NewDense", "constant", "model m\ndata n int\ndata x real[n]\ndata y real[n]\nparam a, b, c real\na, b, c ~ normal(0, 1)\ny ~ normal(a + b*x + c*x.^2, 1)\nmetric fisher\n"},
	{"dense", "NewDense", "flat", "model m\ndata y real\nparam a, b real\na, b ~ normal(0, 1)\ny ~ normal(a*sin(b), exp(a))\nmetric fisher\n"},
	{"dense", "NewDense", "variable", "model m\ndata y real\nparam a, b, c real\na, b, c ~ normal(0, 1)\ny ~ normal(a*sin(b) + c, exp(a))\nmetric fisher\n"},
	{"diagonal", "NewDiagonal", "constant", "model m\nparam x real[3]\nx ~ normal(0, 1)\nmetric identity\n"},
	{"diagonal", "NewDiagonal", "flat", "model m\ndata y real\nparam a, b real\na, b ~ normal(0, 1)\ny ~ normal(a, exp(b))\nmetric fisher\n"},
	{"diagonal", "NewDiagonal", "variable", "model m\ndata n int\ndata y int[n] >= 0\nparam x real[n]\nx ~ normal(0, 1)\ny ~ poisson_log(x)\nmetric fisher\n"},
	{"structured", "NewStructured", "constant", "model m\ndata n int\ndata y real[n]\nparam x real[n]\nparam c real\nx ~ normal(c, 1)\nc ~ normal(0, 1)\ny ~ normal(x, 1)\nmetric fisher\n"},
	{"structured", "NewStructured", "variable", borderedBand},
	{"SoftAbs", "NewSoftAbs", "variable", "model m\nparam a, b real\na ~ normal(0, 1)\nb ~ normal(sin(a), 1)\nmetric softabs(alpha = 10)\n"},
	{"SoftAbs in closed form", "NewSoftAbsArrow", "variable", "model m\nparam x real[10]\nparam v real\nv ~ normal(0, 3)\nx ~ normal(0, exp(-v/2))\nmetric softabs(alpha = 10)\n"},
	{"dense", "NewDense", "small constant", "model m\ndata n int\ndata x real[n]\ndata y real[n]\nparam a, b real\na, b ~ normal(0, 1)\ny ~ normal(a + b*x, 1)\nmetric fisher\n"},
	{"diagonal", "NewDiagonal", "small constant", "model m\nparam x real[2]\nx ~ normal(0, 1)\nmetric identity\n"},
}

// borderedBand has a walk with two scalars beside it, of a size that is known and too large to be stored whole.
const borderedBand = "model m\ndata y int[20] >= 0\nparam x real[20]\nparam c, e real\nx[1] ~ normal(c, 1)\nx[t] ~ normal(x[t-1], 1) for t in 2..20\nc, e ~ normal(0, 1)\ny ~ poisson_log(x + c*e)\nmetric fisher\n"

// testDerived derives a model.
func testDerived(t *testing.T, text string) *symbolic.Derived {
	t.Helper()
	m, ds := dsl.Load("m.ham", text, dsl.Options{})
	if m == nil {
		t.Fatal(ds)
	}
	d, list := symbolic.Derive(m)
	if d == nil {
		t.Fatal(list)
	}
	return d
}

// testUnits makes the generators of a model.
func testUnits(t *testing.T, text string) []*generator {
	t.Helper()
	units, err := newUnits(testDerived(t, text), Options{Package: "m"})
	if err != nil {
		t.Fatal(err)
	}
	return units
}

func (g *generator) storageName() string {
	if g.storage == nil {
		return "none"
	}
	return g.d.Metric.Storage.Name
}

func (g *generator) dynamicsName() string {
	for _, row := range allDynamics {
		if row.is == g.dynamics {
			return row.name
		}
	}
	return ""
}

// TestStorages: each row of storages, with each of its dynamics, takes the model that is made for it, and
// the code makes the system and the storage of these names.
func TestStorages(t *testing.T) {
	var seen []string
	for _, m := range metricModels {
		t.Run(m.storage+", "+m.dynamics, func(t *testing.T) {
			g := testUnits(t, m.text)[0]
			if got := g.storageName(); got != m.storage {
				t.Fatalf("storage %s", got)
			}
			if got := g.dynamicsName(); got != m.dynamics {
				t.Fatalf("dynamics %s", got)
			}
			code, err := Generate(testDerived(t, m.text), Options{Package: "m"})
			if err != nil {
				t.Fatal(err)
			}
			kind := map[string]string{"flat": "NewDerivatives", "small constant": "NewConstant", "constant": "NewConstant", "variable": "NewVarying"}[m.dynamics]
			want := []string{kind, m.made}
			if m.dynamics == "small constant" {
				slices.Reverse(want) // the type keeps the storage, and makes it first
			}
			if calls := systemCalls(t, code); len(calls) < 2 || !slices.Equal(calls[:2], want) {
				t.Errorf("the code makes its system by %v, not by %v", calls, want)
			}
		})
		seen = append(seen, m.storage, m.dynamics)
	}
	if len(storages) != len(model.Storages) {
		t.Errorf("%d storages here, %d rows of package model", len(storages), len(model.Storages))
	}
	for _, row := range model.Storages {
		if storages[row.Name] == nil {
			t.Errorf("the storage %s is not here", row.Name)
		}
		if !slices.Contains(seen, row.Name) {
			t.Errorf("no model of the storage %s", row.Name)
		}
	}
	for _, row := range allDynamics {
		if row.name != "none" && !slices.Contains(seen, row.name) { // TestJoint has that
			t.Errorf("no model of the dynamics %s", row.name)
		}
	}
}

// TestStructureNames: of the name of a structure comes the identifier of its constant.
func TestStructureNames(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), "../runtime/model.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	constants := map[string]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		if v, ok := n.(*ast.ValueSpec); ok {
			constants[v.Names[0].Name] = true
		}
		return true
	})
	for s := runtime.Dense; s <= runtime.BlockDiagonal; s++ {
		if name := exported(s.String()); !constants[name] {
			t.Errorf("%q is %s, which is not declared", s, name)
		}
	}
}

// systemCalls lists the functions of package runtime/system that emitted code calls to make something, in their order.
func systemCalls(t *testing.T, code []byte) []string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), "m.go", code, 0)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	ast.Inspect(f, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			if of, ok := call.Fun.(*ast.SelectorExpr); ok {
				if pkg, ok := of.X.(*ast.Ident); ok && pkg.Name == "system" && strings.HasPrefix(of.Sel.Name, "New") {
					out = append(out, of.Sel.Name)
				}
			}
		}
		return true
	})
	return out
}

// TestJoint: the type of a model of several blocks has neither storage nor steps, its blocks have their own.
func TestJoint(t *testing.T) {
	units := testUnits(t, "model m\ndata y real\nparam a, b real\na ~ normal(0, 1)\nb ~ normal(0, 1)\ny ~ normal(a, exp(b))\nblock one(a) metric fisher\nblock two(b) metric softabs(alpha = 10)\n")
	got := ""
	for _, g := range units {
		got += fmt.Sprintf("%T: %s, %s\n", g.role, g.dynamicsName(), g.storageName())
	}
	want := "codegen.jointRole: none, none\ncodegen.blockRole: small constant, diagonal\ncodegen.blockRole: variable, SoftAbs\n"
	if got != want {
		t.Errorf("%swant\n%s", got, want)
	}
}

// placed returns the matrix over all coordinates with distinct entries on its pattern, and what a storage makes of
// it: each entry at the place that the storage gives it.
func placed(t *testing.T, text string, length int, inPattern func(i, j int) bool) (dense, stored []float64) {
	t.Helper()
	g := testUnits(t, text)[0]
	var body []loop.Stmt
	l := g.lower(&body)
	type coordinate struct {
		param int
		subs  []expr.Sub
	}
	var all []coordinate
	for n, p := range g.d.Params {
		if p.Scalar() {
			all = append(all, coordinate{param: n})
			continue
		}
		for i := range p.Size().Offset {
			all = append(all, coordinate{n, []expr.Sub{{At: dsl.Fixed(i + 1)}}})
		}
	}
	m := len(all)
	dense, stored = make([]float64, m*m), make([]float64, length)
	for i, a := range all {
		for j, b := range all {
			if !inPattern(i, j) {
				continue
			}
			place := 0
			at := g.storage.at(l, a.param, b.param, a.subs, b.subs)
			for _, x := range at {
				if x.Op != loop.IntConst {
					t.Fatalf("the place of (%d, %d) is no number", i, j)
				}
				place = place*m + x.N
			}
			dense[i*m+j] = float64(1 + min(i, j)*m + max(i, j))
			stored[place] = dense[i*m+j]
		}
	}
	return dense, stored
}

// TestPlaces: entries lie where linalg looks for them.
func TestPlaces(t *testing.T) {
	t.Run("structured", func(t *testing.T) {
		factor := la.NewStructured(22, []la.Part{{N: 20, Width: 1, Border: []int{20, 21}}})
		want, b := placed(t, borderedBand, factor.Len(), func(i, j int) bool { return i >= 20 || j >= 20 || max(i-j, j-i) <= 1 })
		got := make([]float64, len(want))
		factor.Dense(got, b)
		if !slices.Equal(got, want) {
			t.Errorf("%v instead of %v", got, want)
		}
	})
	t.Run("dense", func(t *testing.T) {
		want, b := placed(t, metricModels[2].text, 9, func(i, j int) bool { return true })
		if !slices.Equal(b, want) {
			t.Errorf("%v instead of %v", b, want)
		}
	})
	t.Run("diagonal", func(t *testing.T) {
		want, b := placed(t, metricModels[3].text, 3, func(i, j int) bool { return i == j })
		if !slices.Equal(b, []float64{want[0], want[4], want[8]}) {
			t.Errorf("%v of %v", b, want)
		}
	})
}
