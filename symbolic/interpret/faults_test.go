package interpret

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/internal/campaign"
	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/symbolic"
)

// posterior loads a text on its data.
func posterior(t *testing.T, text, data string) Posterior {
	t.Helper()
	return on(t, derivation(t, text), data)
}

// derivation is the program of a model.
func derivation(t *testing.T, text string) *symbolic.Derived {
	t.Helper()
	m, ds := dsl.Load("m.ham", text, dsl.Options{})
	if m == nil {
		t.Fatalf("%v\n%s", ds, text)
	}
	d, list := symbolic.Derive(m)
	if d == nil {
		t.Fatalf("%v\n%s", list, text)
	}
	return d
}

// on is a program on data.
func on(t *testing.T, d *symbolic.Derived, data string) Posterior {
	t.Helper()
	p, err := New(d, strings.NewReader(data), "data")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// joint is the model of the whole density.
func joint(p Posterior) *Model {
	switch p := p.(type) {
	case *Gibbs:
		return p.Model
	case anchoredModel:
		return p.Model
	case transportedModel:
		return p.Model
	}
	return p.(*Model)
}

// addJacobians returns the log-Jacobian of the transforms at q, from differences of Constrain, and adds its
// derivatives to sum. Most transforms work on single coordinates. Of the others the first values, as many
// as there are coordinates, are free.
func addJacobians(m *Model, q, sum []float64) (total float64) {
	const h = 1e-4
	at := func(q []float64, i int, d float64) []float64 {
		z, x := slices.Clone(q), make([]float64, m.info.Size())
		z[i] += d
		m.Constrain(x, z)
		return x
	}
	for p := range m.info.Params {
		first, value, dim := m.offsets[p], m.values[p], m.info.Params[p].Dim()
		single := m.info.Params[p].Coordinates == nil
		// The determinant of the part that coordinate i belongs to.
		logJacobian := func(q []float64, i int) float64 {
			if single {
				return math.Log(math.Abs(at(q, first+i, h)[value+i]-at(q, first+i, -h)[value+i]) / (2 * h))
			}
			info := &m.info.Params[p]
			row := info.Coordinates[len(info.Coordinates)-1]
			rest := info.Shape[len(info.Shape)-1] - row // of each row
			jacobian := mat.NewDense(dim, dim, nil)
			for k := range dim {
				up, down := at(q, first+k, h), at(q, first+k, -h)
				for j := range dim {
					v := value + j + j/row*rest
					jacobian.Set(j, k, (up[v]-down[v])/(2*h))
				}
			}
			l, _ := mat.LogDet(jacobian)
			return l
		}
		for i := range dim {
			if single || i == 0 {
				total += logJacobian(q, i)
			}
			by := []int{first + i}
			if m.d.Params[p].Decl.BoundByParams() { // it depends on others too
				by = by[:0]
				for k := range q {
					by = append(by, k)
				}
			}
			for _, k := range by {
				z := slices.Clone(q)
				z[k] += h
				up := logJacobian(z, i)
				z[k] -= 2 * h
				sum[k] += (up - logJacobian(z, i)) / (2 * h)
			}
		}
	}
	return total
}

// The statements' log densities add up to the model's, the log-Jacobian of the transforms
// apart, and their gradients to its gradient. The elements of a statement add up to it.
func TestStatementsAddUp(t *testing.T) {
	examples, err := filepath.Glob("../../examples/*.ham")
	if err != nil || len(examples) < 10 {
		t.Fatalf("%d examples: %v", len(examples), err)
	}
	for _, path := range campaign.Sample(t, examples, 3) {
		rng := rand.New(rand.NewPCG(5, 6)) // of its own, so that one example more changes no other
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(strings.TrimSuffix(path, ".ham") + ".data.json")
		if err != nil {
			data = []byte("{}")
		}
		if !strings.Contains(string(text), "\nmetric") && !strings.Contains(string(text), " metric ") {
			text = append(text, "\nmetric identity\n"...) // statements know of no maps: faults are looked for at plain coordinates
		}
		whole := derivation(t, string(text))
		m := joint(on(t, whole, string(data)))
		d, statements := symbolic.DeriveStatements(m.d.Model)
		s, err := build(d, m.data)
		if err != nil {
			t.Fatal(err)
		}
		n := m.dim
		q, grad, sum := make([]float64, n), make([]float64, n), make([]float64, n)
		l := math.Inf(-1)
		for tries := 0; l-l != 0 && tries < 20; tries++ { // not where the density is 0
			for i := range q {
				q[i] = 0.3 * (2*rng.Float64() - 1)
			}
			l = m.Gradient(grad, q)
		}
		s.position(q)
		total := 0.0
		part := make([]float64, n)
		for i := range statements {
			x := &statements[i]
			one, elements := 0.0, 0.0
			s.m.Run([]symbolic.Output{x.LogDensity}, func(_ *symbolic.Output, _ []int, v float64) { one = v })
			s.m.Run([]symbolic.Output{x.Each}, func(_ *symbolic.Output, _ []int, v float64) { elements += v })
			if math.Abs(one-elements) > 1e-9*(1+math.Abs(one)) {
				t.Errorf("%s: statement %d is %v, its elements add up to %v", path, i+1, one, elements)
			}
			total += one
			s.vector(part, x.Gradient)
			for k, v := range part {
				sum[k] += v
			}
		}
		total += addJacobians(m, q, sum)
		if math.Abs(l-total) > 1e-6*(1+math.Abs(l)) {
			t.Errorf("%s: the log density is %v, the statements add up to %v", path, l, total)
		}
		for i, v := range grad {
			if math.Abs(v-sum[i]) > 1e-5*(1+math.Abs(v)) {
				t.Errorf("%s: coordinate %d of the gradient is %v, the statements add up to %v", path, i, v, sum[i])
			}
		}
		if f := joint(on(t, whole, string(data))).Faults(q); len(f) > 0 {
			t.Errorf("%s: a fault where there is none: %+v", path, f)
		}
	}
}

func TestFaults(t *testing.T) {
	blamed := func(f *Fault) (line int) {
		if f.Metric != nil {
			return f.Metric.Metric[0].At.Pos.Line
		}
		return f.Term.At.Pos.Line
	}
	for _, c := range []struct {
		text, data string
		q          []float64
		line       []int // those to blame
		check      func(f *Fault) bool
	}{
		// Data past the support that a parameter gives, in the last two of three elements.
		{"model m\ndata y real[3]\nparam a real\na ~ normal(0, 1)\ny ~ lognormal(a, y - a)\nmetric identity", `{"y": [5, 0.75, 0.5]}`, []float64{1}, []int{5}, func(f *Fault) bool {
			return slices.Equal(f.Element, []int{2}) && f.Left == 0.75 && f.Args[0] == 1 && f.Args[1] == -0.25
		}},
		{"model m\ndata n int\ndata y real[n, 2]\nparam a real\na ~ normal(0, 1)\ny[i,1] ~ normal(a, 1) for i in n\ny[i,2] ~ normal(a, log(y[i,1] - a)) for i in n\nmetric identity", `{"n": 2, "y": [[3, 1], [1, 7]]}`, []float64{0}, []int{7}, func(f *Fault) bool {
			return slices.Equal(f.Element, []int{2}) && f.Left == 7 && f.Args[1] == 0
		}},
		// Two statements, in their order; what has a density but no gradient is not the reason.
		{"model m\nparam a real\na ~ normal(0, 1)\ndensity log(a)\ndensity -sqrt(a^2)\ndensity -1/a^2\nmetric identity", `{}`, []float64{0}, []int{4, 6}, func(f *Fault) bool { return math.IsInf(f.LogDensity, -1) && f.Args == nil }},
		{"model m\nparam a real\na ~ normal(0, 1)\ndensity -sqrt(a)\nmetric identity", `{}`, []float64{0}, []int{4}, func(f *Fault) bool { return f.LogDensity == 0 }},
		// The metric: an entry, an eigenvalue; by hand, the
		// matrix [10, 4; 4, 1] has the eigenvalues (11 ± √145)/2.
		{"model m\nparam a, b real\na ~ normal(0, 1)\nb ~ normal(0, 1)\nmetric [1, 0; 0, exp(1000*a)]", `{}`, []float64{1, 0}, []int{5}, func(f *Fault) bool {
			return f.Row == 1 && f.Col == 1 && math.IsInf(f.Entry, 1) && f.Names[1] == "b"
		}},
		{"model m\nparam a, b real\na ~ normal(0, 1)\nb ~ normal(0, 1)\nmetric [10 + a, 4; 4, 1]", `{}`, []float64{0, 3}, []int{5}, func(f *Fault) bool {
			return f.Row < 0 && f.Names[f.Col] == "b" && math.Abs(f.Eigenvalue-(11-math.Sqrt(145))/2) < 1e-12
		}},
		// Of blocks: the metric of the one that depends on another's parameter.
		{"model m\nparam a, b, c real\na ~ normal(0, 1)\nb ~ normal(0, 1)\nc ~ normal(0, 1)\nblock p(a) metric fisher\nblock q(b, c) metric [1, a; a, 1]", `{}`, []float64{2, 0, 0}, []int{7}, func(f *Fault) bool {
			return f.Row < 0 && math.Abs(f.Eigenvalue+1) < 1e-12 && f.Names[0] == "b"
		}},
		{"model m\nparam a, b, c real\na ~ normal(0, 1)\nb ~ normal(0, 1)\nc ~ normal(0, 1)\nblock p(a) metric fisher\nblock q(b, c) metric [1, a; a, 1]", `{}`, []float64{0.5, 0, 0}, nil, nil},
	} {
		p := posterior(t, c.text, c.data)
		faults := p.Faults(c.q)
		var lines []int
		for i := range faults {
			lines = append(lines, blamed(&faults[i]))
			if !c.check(&faults[i]) {
				t.Errorf("%s\n%+v", c.text, faults[i])
			}
		}
		if !slices.Equal(lines, c.line) {
			t.Errorf("%s\nblames the lines %v, want %v", c.text, lines, c.line)
		}
	}
	// A differential equation without a solution.
	p := posterior(t, "model m\ndata t real[2]\nparam a real\na ~ normal(0, 1)\node f(u) {\n  u' = a*u^2\n}\nlet z = solve f(u = 1) from 0 at t\ndensity -z.u[2]^2\nmetric identity", `{"t": [1, 2]}`)
	if f := p.Faults([]float64{1}); len(f) != 1 || blamed(&f[0]) != 9 || f[0].Solved == runtime.OK {
		t.Errorf("a solution that explodes: %+v", f)
	}
}

// A constant metric is to blame where a factorisation may fail, and no other metric is.
func TestConstantMetricFaults(t *testing.T) {
	const head = "model m\ndata s real\nparam a, b real\na ~ normal(0, 1)\nb ~ normal(0, 1)\n"
	for _, c := range []struct {
		metric     string
		data       string
		eigenvalue float64 // NaN where there is no fault
	}{
		{"metric [1, s; s, 1]", `{"s": 2}`, -1},
		{"metric [1, s; s, 1]", `{"s": 1}`, 0},
		{"metric [1, s; s, 1]", `{"s": 0.999999999}`, math.NaN()},
		{"metric [1, 0; 0, s]", `{"s": 1e-15}`, 1e-15},
		{"metric [1, 0; 0, s]", `{"s": 1e-13}`, math.NaN()},
		{"metric [1, s + a; s + a, 1]", `{"s": 2}`, math.NaN()}, // there may be places where it is one
		{"block p(a) metric [s]\nblock q(b) metric fisher", `{"s": -1}`, math.NaN()},
	} {
		faults := posterior(t, head+c.metric, c.data).ConstantMetricFaults()
		if want := !math.IsNaN(c.eigenvalue); want != (len(faults) == 1) {
			t.Errorf("%s with %s: %+v", c.metric, c.data, faults)
		} else if want && (math.Abs(faults[0].Eigenvalue-c.eigenvalue) > 1e-15*0.5 || faults[0].Metric.Metric[0].At.Pos.Line != 6) {
			t.Errorf("%s with %s: %+v", c.metric, c.data, faults[0])
		}
	}
}
