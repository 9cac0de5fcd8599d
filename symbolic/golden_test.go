package symbolic

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/internal/campaign"
	"github.com/hamc-dev/hamc/symbolic/expr"
	"github.com/hamc-dev/hamc/symbolic/internal/naive"
)

// go test ./symbolic -run TestGolden -update rewrites testdata/*.golden. Read
// the difference before committing it: a definition that moved to a later stage
// or gained an index is a cost that every user pays.
var update = flag.Bool("update", false, "rewrite the golden files of TestGolden")

func example(t *testing.T, name string) *Derived {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "examples", name+".ham"))
	if err != nil {
		t.Fatal(err)
	}
	d, _ := load(t, string(text))
	return d
}

// listing prints a derived program: the definitions in order, with stage, and
// the outputs.
func listing(d *Derived) string {
	var b strings.Builder
	line := func(head string, indices []*expr.Index, e *expr.Expr) {
		b.WriteString(head)
		for n, i := range indices {
			fmt.Fprintf(&b, "%s%s in %s", map[bool]string{true: "[", false: ", "}[n == 0], i.Name, i.Range)
		}
		if len(indices) > 0 {
			b.WriteString("]")
		}
		fmt.Fprintf(&b, " := %s\n", expr.Format(e))
	}
	for _, def := range d.Prog.Defs {
		line(fmt.Sprintf("%-8s %s", def.Stage(), def.Tensor.Name), def.Indices, def.Body)
	}
	block := func(n int) string {
		if n < 0 {
			return ""
		}
		return " " + d.Params[n].Coord.Name
	}
	for _, g := range []struct {
		name string
		outs []Output
	}{
		{"log density", []Output{d.LogDensity}}, {"gradient", d.Gradient}, {"matrix", d.Matrix}, {"force", d.Force},
		{"contract", d.Contract}, {"rank1", d.Rank1}, {"jacobian", d.Jacobian}, {"value", d.Value},
	} {
		for _, o := range g.outs {
			line(g.name+block(o.Row)+block(o.Col)+block(o.Dir), o.Indices, o.E)
		}
	}
	return b.String()
}

func TestGolden(t *testing.T) {
	for _, name := range []string{"banana", "logistic", "funnel", "gaussian"} {
		t.Run(name, func(t *testing.T) {
			got := listing(example(t, name))
			file := filepath.Join("testdata", name+".golden")
			if *update {
				if err := os.MkdirAll("testdata", 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("the program of %s changed; see the comment on the flag -update\n%s", name, difference(string(want), got))
			}
		})
	}
}

// difference lists the lines that only one of two texts has.
func difference(want, got string) string {
	var b strings.Builder
	has := func(text string) map[string]bool {
		m := map[string]bool{}
		for _, l := range strings.Split(text, "\n") {
			m[l] = true
		}
		return m
	}
	w, g := has(want), has(got)
	for _, l := range strings.Split(want, "\n") {
		if !g[l] {
			fmt.Fprintf(&b, "- %s\n", l)
		}
	}
	for _, l := range strings.Split(got, "\n") {
		if !w[l] {
			fmt.Fprintf(&b, "+ %s\n", l)
		}
	}
	return b.String()
}

// reach returns the definitions that outputs use, in order.
func reach(d *Derived, outs []Output) []*expr.Def {
	used := map[*expr.Def]bool{}
	var walk func(e *expr.Expr)
	walk = func(e *expr.Expr) {
		expr.Refs(e, func(r *expr.Expr) {
			if def := r.Tensor.Def; def != nil && !used[def] {
				used[def] = true
				walk(def.Body)
			}
		})
	}
	for _, o := range outs {
		walk(o.E)
	}
	var list []*expr.Def
	for _, def := range d.Prog.Defs {
		if used[def] {
			list = append(list, def)
		}
	}
	return list
}

// each calls f for every node of e.
func each(e *expr.Expr, f func(*expr.Expr)) {
	f(e)
	for _, a := range e.Args {
		each(a, f)
	}
}

// TestOperationCounts states, for the paper's models, what the rules must have
// found. The golden files show the rest.
func TestOperationCounts(t *testing.T) {
	t.Run("banana", countsOfBanana)
	t.Run("logistic", countsOfLogistic)
	t.Run("funnel", countsOfFunnel)
	t.Run("gaussian", countsOfGaussian)
	t.Run("sums of data", countsOfSums)
}

// countsOfBanana: nothing later than data loops, and the contraction has one component.
func countsOfBanana(t *testing.T) {
	d := example(t, "banana")
	for _, def := range d.Prog.Defs {
		if def.Stage() < expr.StagePosition {
			continue
		}
		each(def.Body, func(e *expr.Expr) {
			if e.Op == expr.Sum {
				t.Errorf("%s, of %s stage, holds a sum: %s", def.Tensor.Name, def.Stage(), expr.Format(def.Body))
			}
		})
		if len(def.Indices) > 0 {
			t.Errorf("%s, of %s stage, has an index", def.Tensor.Name, def.Stage())
		}
	}
	for _, g := range [][]Output{{d.LogDensity}, d.Gradient, d.Matrix, d.Force, d.Contract, d.Rank1, d.Jacobian} {
		for _, o := range g {
			if naive.HasSum(o.E) {
				t.Errorf("an output holds a sum: %s", expr.Format(o.E))
			}
		}
	}
	// G depends on t2 only.
	for _, o := range d.Jacobian {
		if o.Dir != 1 {
			t.Errorf("∂G/∂%s is not structurally zero", d.Params[o.Dir].Coord.Name)
		}
	}
	if !d.Rank1[0].E.IsNum(0) || !d.Contract[0].E.IsNum(0) {
		t.Error("the contraction has a t1 component")
	}
}

// countsOfLogistic: the data are read once for a momentum, Xᵀy before sampling, and there is one logistic function.
func countsOfLogistic(t *testing.T) {
	d := example(t, "logistic")
	loops := 0
	for _, def := range reach(d, d.Rank1) {
		if def.Stage() != expr.StageMomentum {
			continue
		}
		if len(def.Indices) > 1 {
			t.Errorf("Rank1 needs %s with %d indices at the momentum stage", def.Tensor.Name, len(def.Indices))
		}
		each(def.Body, func(e *expr.Expr) {
			if e.Op == expr.Call {
				t.Errorf("Rank1 needs the call %s at the momentum stage, in %s", expr.Format(e), def.Tensor.Name)
			}
			if e.Op == expr.Sum {
				loops++
				if naive.HasSum(e.Args[0]) {
					t.Errorf("Rank1 needs nested sums at the momentum stage: %s", expr.Format(def.Body))
				}
			}
		})
	}
	if loops > 2 {
		t.Errorf("Rank1 makes %d passes over x, two suffice", loops)
	}
	// Xᵀy leaves the sampler.
	found := false
	for _, def := range d.Prog.Defs {
		y := false
		expr.Refs(def.Body, func(r *expr.Expr) { y = y || r.Tensor.Name == "y" })
		if y && def.Stage() != expr.StageData {
			t.Errorf("%s reads y at the %s stage", def.Tensor.Name, def.Stage())
		}
		found = found || y && def.Stage() == expr.StageData && naive.HasSum(def.Body) && len(def.Indices) == 1
	}
	if !found {
		t.Error("no definition Xᵀy of data stage")
	}
	for _, g := range [][]Output{{d.LogDensity}, d.Gradient, d.Force} {
		for _, o := range g {
			expr.Refs(o.E, func(r *expr.Expr) {
				if r.Tensor.Name == "y" {
					t.Errorf("an output reads y: %s", expr.Format(o.E))
				}
			})
		}
	}
	// One inv_logit per observation for everything.
	calls := map[string]int{}
	for _, def := range d.Prog.Defs {
		each(def.Body, func(e *expr.Expr) {
			if e.Op == expr.Call {
				calls[e.Func.Name]++
			}
		})
	}
	if len(calls) != 2 || calls["inv_logit"] != 1 || calls["log1p_exp"] != 1 {
		t.Errorf("calls %v", calls)
	}
}

// countsOfFunnel: one exponential, and an arrow.
func countsOfFunnel(t *testing.T) {
	d := example(t, "funnel")
	exps := 0
	for _, def := range d.Prog.Defs {
		if def.Stage() == expr.StageDraw {
			continue // the prior's, once per start
		}
		each(def.Body, func(e *expr.Expr) {
			if e.Op == expr.Call {
				exps++
			}
		})
		for _, i := range def.Indices {
			if len(def.Indices) > 1 {
				t.Errorf("%s has index %s beside another: the Hessian is an arrow", def.Tensor.Name, i.Name)
			}
		}
	}
	if exps != 1 {
		t.Errorf("%d transcendental calls, e^v suffices", exps)
	}
}

// countsOfGaussian: nothing of a constant metric.
func countsOfGaussian(t *testing.T) {
	d := example(t, "gaussian")
	if !d.Metric.Constant || len(d.Jacobian) > 0 {
		t.Error("the metric is constant")
	}
	for _, g := range [][]Output{d.Contract, d.Rank1} {
		for _, o := range g {
			if !o.E.IsNum(0) {
				t.Errorf("a constant metric has the contraction %s", expr.Format(o.E))
			}
		}
	}
}

// countsOfSums: in every model.
func countsOfSums(t *testing.T) {
	// A sum that reads nothing but data is of data stage, and is a
	// definition of its own, in every model.
	for _, m := range testModels {
		md, ds := dsl.Load("model.ham", m.text, dsl.Options{})
		if md == nil {
			t.Fatal(ds.List)
		}
		d, _ := Derive(md)
		if d == nil {
			continue // TestModels tells
		}
		visit := func(where string, stage expr.Stage, e *expr.Expr) {
			each(e, func(x *expr.Expr) {
				if x.Op == expr.Sum && len(x.Free()) == 0 && x.Stage() <= expr.StageData && stage > expr.StageData {
					t.Errorf("%s: %s sums data at the %s stage: %s", m.name, where, stage, expr.Format(x))
				}
			})
		}
		for _, def := range d.Prog.Defs {
			visit(def.Tensor.Name, def.Stage(), def.Body)
		}
		for _, g := range [][]Output{{d.LogDensity}, d.Gradient, d.Matrix, d.Force, d.Contract, d.Rank1} {
			for _, o := range g {
				visit("an output", expr.StageMomentum, o.E)
			}
		}
	}
}

// TestProgramOrder: a definition uses only earlier ones, at no later stage than
// its own, with as many subscripts as there are dimensions, and no two
// definitions have one name.
func TestProgramOrder(t *testing.T) {
	positions := testModel{name: "positions of positions", text: "model m\ndata n, k int\ndata y real[n]\ndata g int[n] in 1..k\nparam b real[k]\n" +
		"let h[i in n] = if y[i] > 0 then 1 else g[i]\nlet r[i in n] = h[n+1-i]\ny ~ normal(b[r], 1)\nb ~ normal(0, 1)\n"}
	for _, m := range append(testModels[:len(testModels):len(testModels)], positions) {
		md, ds := dsl.Load("model.ham", m.text, dsl.Options{})
		if md == nil {
			t.Fatal(ds.List)
		}
		d, _ := Derive(md)
		if d == nil {
			continue // TestModels tells
		}
		names, seen := map[string]bool{}, map[*expr.Tensor]bool{}
		for _, x := range d.Data {
			names[x.Name] = true
		}
		for _, def := range d.Prog.Defs {
			if names[def.Tensor.Name] {
				t.Errorf("%s: two tensors are called %s", m.name, def.Tensor.Name)
			}
			names[def.Tensor.Name] = true
			expr.Refs(def.Body, func(r *expr.Expr) {
				computed := r.Tensor.Kind == expr.PositionsOf && r.Tensor.Def != nil
				own := r.Tensor.Def != nil && r.Tensor.Def.Recursion != nil && r.Tensor.Def.Recursion == def.Recursion
				if (r.Tensor.Kind == expr.DefTensor || computed) && !seen[r.Tensor] && !own {
					t.Errorf("%s: %s uses %s before its definition", m.name, def.Tensor.Name, r.Tensor.Name)
				}
				if r.Tensor.Stage > def.Stage() {
					t.Errorf("%s: %s of %s stage uses %s of %s stage", m.name, def.Tensor.Name, def.Stage(), r.Tensor.Name, r.Tensor.Stage)
				}
				if len(r.Subs) != len(r.Tensor.Shape) {
					t.Errorf("%s: %s has %d dimensions", m.name, expr.Format(r), len(r.Tensor.Shape))
				}
			})
			seen[def.Tensor] = true
		}
	}
}

// TestDeterminism: deriving again, and after other models, gives the same text. A short campaign
// has one model in three; TestGolden compares others with what was derived once.
func TestDeterminism(t *testing.T) {
	derive := func(text string) string {
		m, ds := dsl.Load("model.ham", text, dsl.Options{})
		if m == nil {
			t.Fatal(ds.List)
		}
		d, list := Derive(m)
		if d == nil {
			return fmt.Sprint(list)
		}
		return listing(d) + fmt.Sprint(list)
	}
	models := campaign.Sample(t, testModels, 3)
	first := make([]string, len(models))
	for n, m := range models {
		first[n] = derive(m.text)
	}
	for range campaign.Cases(t, 1, 2) {
		for n := len(models) - 1; n >= 0; n-- {
			if again := derive(models[n].text); again != first[n] {
				t.Errorf("%s: two derivations differ\n%s", models[n].name, difference(first[n], again))
			}
		}
	}
}
