package system_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/linalg"
	"github.com/hamc-dev/hamc/runtime/system"
)

// order is that of the test's models.
const order = 5

// posterior has L = −½·scale·Σ(1 + i)q_i² − ¼Σq_i⁴ and, in a pattern, the matrix
//
//	B_ii = 2 + i + q_i²,  B_ij = ½ sin(q_i + q_j),
//
// of which the metric is B itself, or SoftAbs(B − 3I). It is written from these formulas, with dense
// arrays and derivatives by differences where runtime.Generic asks for them.
type posterior struct {
	pattern  func(i, j int) bool
	constant bool
	softAbs  bool
	scale    float64
}

func (p *posterior) Clone() runtime.Model             { c := *p; return &c }
func (p *posterior) Constrain(x, q []float64)         { copy(x, q) }
func (p *posterior) Unconstrain(q, x []float64) error { copy(q, x); return nil }

func (p *posterior) Info() *runtime.Info {
	return &runtime.Info{Name: "p", Params: []runtime.Param{{Name: "x", Shape: []int{order}}}, Metric: runtime.MetricInfo{Constant: p.constant}}
}

func (p *posterior) LogDensity(q []float64) float64 {
	l := 0.0
	for i, x := range q {
		l -= 0.5*p.scale*float64(1+i)*x*x + 0.25*x*x*x*x
	}
	return l
}

func (p *posterior) slope(grad, q []float64) {
	for i, x := range q {
		grad[i] = -p.scale*float64(1+i)*x - x*x*x
	}
}

func (p *posterior) Gradient(grad, q []float64) float64 {
	p.slope(grad, q)
	return p.LogDensity(q)
}

// matrix writes B, row-major; a constant one is that of the origin.
func (p *posterior) matrix(b, q []float64) {
	if p.constant {
		q = make([]float64, order)
	}
	for i, x := range q {
		for j, y := range q {
			switch {
			case i == j:
				b[i*order+j] = 2 + float64(i) + x*x
				if p.softAbs {
					b[i*order+j] -= 3
				}
			case p.pattern(i, j):
				b[i*order+j] = 0.5 * math.Sin(x+y)
				if p.constant {
					b[i*order+j] = 0.5
				}
			default:
				b[i*order+j] = 0
			}
		}
	}
}

// pairing is ⟨W, ∂B/∂q⟩ from the formulas, for a W that is given row-major.
func (p *posterior) pairing(dst, q, w []float64) {
	clear(dst)
	for i, x := range q {
		for j, y := range q {
			switch {
			case i == j:
				dst[i] += w[i*order+i] * 2 * x
			case p.pattern(i, j):
				d := 0.5 * math.Cos(x+y) * w[i*order+j]
				dst[i] += d
				dst[j] += d
			}
		}
	}
}

func (p *posterior) Metric(g, q []float64) {
	p.matrix(g, q)
	if p.softAbs {
		s := linalg.NewSoftAbs(order, 2)
		s.Shift = 0.1
		s.Factor(slices.Clone(g))
		s.Metric(g)
	}
}

// MetricJacobian is by central differences of the fourth order.
func (p *posterior) MetricJacobian(out, q []float64) {
	const h = 1e-3
	at := func(k int, h float64) []float64 {
		x, g := slices.Clone(q), make([]float64, order*order)
		x[k] += h
		p.Metric(g, x)
		return g
	}
	for k := range q {
		a, b, c, d := at(k, -2*h), at(k, -h), at(k, h), at(k, 2*h)
		for i := range a {
			out[i*order+k] = (a[i] - 8*b[i] + 8*c[i] - d[i]) / (12 * h)
		}
	}
}

func (p *posterior) Contract(out, q, w []float64) {
	cube := make([]float64, order*order*order)
	p.MetricJacobian(cube, q)
	clear(out)
	for i, x := range cube {
		out[i%order] += w[i/order] * x
	}
}

// layout is a storage with the places that its entries have among its numbers.
type layout struct {
	name    string
	pattern func(i, j int) bool
	softAbs bool
	store   func() system.Storage
	pack    func(b, dense []float64)
	unpack  func(dense, b []float64)
}

var bordered = []linalg.Part{{Spine: 0, N: 4, Width: 1, Border: []int{4}}}

func whole(i, j int) bool { return true }

var layouts = []layout{
	{"dense", whole, false, func() system.Storage { return system.NewDense(order) },
		func(b, dense []float64) { copy(b, dense) }, func(dense, b []float64) { copy(dense, b) }},
	{"diagonal", func(i, j int) bool { return i == j }, false, func() system.Storage { return system.NewDiagonal(order) },
		func(b, dense []float64) {
			for i := range b {
				b[i] = dense[i*(order+1)]
			}
		},
		func(dense, b []float64) {
			clear(dense)
			for i, x := range b {
				dense[i*(order+1)] = x
			}
		}},
	{"structured", func(i, j int) bool { return i == 4 || j == 4 || max(i-j, j-i) <= 1 }, false,
		func() system.Storage { return system.NewStructured(order, bordered) },
		func(b, dense []float64) { linalg.NewStructured(order, bordered).Pack(b, dense) },
		func(dense, b []float64) { linalg.NewStructured(order, bordered).Dense(dense, b) }},
	{"SoftAbs", whole, true, func() system.Storage { return system.NewSoftAbs(order, 2, 0.1) },
		func(b, dense []float64) { copy(b, dense) }, func(dense, b []float64) { copy(dense, b) }},
}

// stages are those of a posterior in a layout; evaluations counts the calls of Matrix.
func (l *layout) stages(p *posterior, evaluations *int) system.Stages {
	dense := make([]float64, order*order)
	pairing := func(dst, q, w []float64) {
		l.unpack(dense, w)
		p.pairing(dst, q, dense)
	}
	s := system.Stages{
		LogDensity: p.LogDensity,
		Slope:      p.slope,
		Matrix: func(b, q []float64) {
			*evaluations++
			d := make([]float64, order*order)
			p.matrix(d, q)
			l.pack(b, d)
		},
		Pairing: pairing,
		Force: func(f, q, w []float64) {
			grad := make([]float64, order)
			p.slope(grad, q)
			pairing(f, q, w)
			for i := range f {
				f[i] = 0.5*f[i] - grad[i]
			}
		},
	}
	if !l.softAbs {
		s.Rank1 = func(f, q, v []float64) {
			d := make([]float64, order*order)
			for i, x := range v {
				for j, y := range v {
					d[i*order+j] = 0.5 * x * y
				}
			}
			p.pairing(f, q, d)
		}
	}
	return s
}

// near compares numbers, of which one has an error of a difference quotient.
func near(t *testing.T, what string, got, want []float64) {
	t.Helper()
	for i, x := range want {
		if !(math.Abs(got[i]-x) <= 1e-8*(1+math.Abs(x))) {
			t.Errorf("%s: %v, want %v", what, got, want)
			return
		}
	}
}

// steps compares a system with runtime.Generic over the same posterior: energies, momenta and steps.
func steps(t *testing.T, got, want runtime.System, constant bool) {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	draw := func() []float64 {
		x := make([]float64, order)
		for i := range x {
			x[i] = rng.NormFloat64()
		}
		return x
	}
	for range 5 {
		q, p, d, e := draw(), draw(), draw(), draw()
		g, w := make([]float64, order*order), make([]float64, order*order)
		got.Metric(g, q)
		want.Metric(w, q)
		near(t, "metric", g, w)
		weight := make([]float64, order*order)
		for i, x := range d {
			for j, y := range d {
				weight[i*order+j] = x*e[j] + y*e[i]
			}
		}
		a, b := make([]float64, order), make([]float64, order)
		got.Contract(a, q, slices.Clone(weight))
		want.Contract(b, q, weight)
		near(t, "contraction", a, b)
		g, w = make([]float64, order*order*order), make([]float64, order*order*order)
		got.MetricJacobian(g, q)
		want.MetricJacobian(w, q)
		near(t, "derivative of the metric", g, w)

		h1, l1, st1 := got.Energy(q, p)
		h2, l2, st2 := want.Energy(q, p)
		near(t, "energy", []float64{h1, l1, float64(st1)}, []float64{h2, l2, float64(st2)})
		n1, _ := got.Length(q, d, e)
		n2, _ := want.Length(q, d, e)
		near(t, "length", []float64{n1}, []float64{n2})
		z := make([]float64, order)
		got.Whiten(z, q, p)
		n1, _ = got.Length(q, nil, p)
		near(t, "whitened momentum", []float64{math.Sqrt(dot(z, z))}, []float64{n1})
		n1 = math.Sqrt(dot(d, d))
		copy(z, d)
		got.DrawMomentum(z, q)
		n2, _ = want.Length(q, nil, z)
		near(t, "length of a drawn momentum", []float64{n2}, []float64{n1})

		compareSteps(t, got, want, q, p, constant)
	}
}

// compareSteps compares steps of all integrators from a position.
func compareSteps(t *testing.T, got, want runtime.System, q, p []float64, constant bool) {
	t.Helper()
	solver := &runtime.Solver{Tolerance: 1e-12, MaxIterations: 200}
	for _, eps := range []float64{0.05, -0.05} {
		for name, step := range map[string]func(s runtime.System, q, p []float64) runtime.StepResult{
			"IM(b)":  func(s runtime.System, q, p []float64) runtime.StepResult { return s.StepIMb(q, p, eps, solver) },
			"GLF(b)": func(s runtime.System, q, p []float64) runtime.StepResult { return s.StepGLFb(q, p, eps, solver) },
			"IM(a)": func(s runtime.System, q, p []float64) runtime.StepResult {
				return s.(runtime.Plain).StepIMa(q, p, eps, solver)
			},
			"GLF(a)": func(s runtime.System, q, p []float64) runtime.StepResult {
				return s.(runtime.Plain).StepGLFa(q, p, eps, solver)
			},
			"leapfrog": func(s runtime.System, q, p []float64) runtime.StepResult {
				return s.StepLeapfrog(q, p, eps)
			},
		} {
			q1, p1, q2, p2 := slices.Clone(q), slices.Clone(p), slices.Clone(q), slices.Clone(p)
			for range 3 { // what the end of a step remembers serves the next
				r1, r2 := step(got, q1, p1), step(want, q2, p2)
				if name == "leapfrog" && !constant {
					if r1.Status != runtime.NotConstant {
						t.Errorf("leapfrog: %v", r1.Status)
					}
					continue
				}
				if r1.Status != r2.Status {
					t.Errorf("%s: %v, want %v", name, r1.Status, r2.Status)
				}
			}
			if name == "leapfrog" && !constant {
				continue
			}
			near(t, name, append(q1, p1...), append(q2, p2...))
		}
	}
}

func dot(x, y []float64) float64 {
	s := 0.0
	for i := range x {
		s += x[i] * y[i]
	}
	return s
}

// varyingModel is a runtime.System of a posterior and a Varying.
type varyingModel struct {
	*posterior
	*system.Varying
}

func (m varyingModel) Metric(g, q []float64)            { m.Varying.Metric(g, q) }
func (m varyingModel) Contract(out, q, w []float64)     { m.Varying.Contract(out, q, w) }
func (m varyingModel) MetricJacobian(out, q []float64)  { m.Varying.MetricJacobian(out, q) }
func (m varyingModel) Clone() runtime.Model             { panic("not cloned") }
func (m constantModel) Metric(g, q []float64)           { m.Constant.Metric(g, q) }
func (m constantModel) Contract(out, q, w []float64)    { m.Constant.Contract(out, q, w) }
func (m constantModel) MetricJacobian(out, q []float64) { m.Constant.MetricJacobian(out, q) }
func (m constantModel) Clone() runtime.Model            { panic("not cloned") }

type constantModel struct {
	*posterior
	*system.Constant
}

// TestVarying: over every storage, a Varying is runtime.Generic over the same posterior.
func TestVarying(t *testing.T) {
	for _, l := range layouts {
		t.Run(l.name, func(t *testing.T) {
			p := &posterior{pattern: l.pattern, softAbs: l.softAbs, scale: 1}
			var n int
			v := system.NewVarying(l.stages(p, &n), l.store())
			steps(t, varyingModel{p, v}, runtime.Generic(p), false)
		})
	}
}

// TestConstant: so is a Constant, where the metric is itself what is stored.
func TestConstant(t *testing.T) {
	for _, l := range layouts[:3] {
		t.Run(l.name, func(t *testing.T) {
			p := &posterior{pattern: l.pattern, constant: true, scale: 1}
			var n int
			c := system.NewConstant(l.stages(p, &n), l.store())
			if st := system.Factorise(c); st != runtime.OK {
				t.Fatal(st)
			}
			steps(t, constantModel{p, c}, runtime.Generic(p), true)
			if n != 1 {
				t.Errorf("the metric was evaluated %d times", n)
			}
		})
	}
}

// TestMemory: the factor of a position is computed once, unless the position's work space was overwritten, and
// again when the model is another.
func TestMemory(t *testing.T) {
	p := &posterior{pattern: whole, scale: 1}
	var n int
	v := system.NewVarying(layouts[0].stages(p, &n), layouts[0].store())
	q, mom := []float64{1, 2, 3, 4, 5}, make([]float64, order)
	expect := func(what string, want int) {
		t.Helper()
		v.Energy(q, mom)
		if n != want {
			t.Errorf("%s: %d evaluations, want %d", what, n, want)
		}
	}
	expect("the first", 1)
	expect("again", 1)
	system.Touch(v, q)
	expect("touched at the same position", 1)
	system.Touch(v, mom)
	expect("touched at another position", 2)
	system.Forget(v)
	expect("forgotten", 3)
}

// TestStepsRemember: a step of GLF(b) from where the last one ended evaluates nothing at its start, and one from
// elsewhere does not take what the last one left for its own. GLF(a) evaluates the metric in each iteration, of which
// those of the momentum and of the position ask for it where the step starts.
func TestStepsRemember(t *testing.T) {
	p := &posterior{pattern: whole, scale: 1}
	var n, atStart int
	start := []float64{0.1, 0.2, 0.3, -0.2, -0.1}
	stages := layouts[0].stages(p, &n)
	matrix := stages.Matrix
	stages.Matrix = func(b, q []float64) {
		if slices.Equal(q, start) {
			atStart++
		}
		matrix(b, q)
	}
	v := system.NewVarying(stages, layouts[0].store())
	solver := &runtime.Solver{Tolerance: 1e-10, MaxIterations: 100}
	from := func(q []float64, step func(q, p []float64, eps float64, s *runtime.Solver) runtime.StepResult) (end []float64, r runtime.StepResult) {
		x, mom := slices.Clone(q), []float64{1, -1, 0.5, 2, 1}
		if r = step(x, mom, 0.1, solver); r.Status != runtime.OK {
			t.Fatal(r.Status)
		}
		return x, r
	}
	end, _ := from(start, v.StepGLFb)
	atStart = 0
	again, _ := from(start, v.StepGLFb)
	if atStart == 0 || !slices.Equal(again, end) {
		t.Errorf("the step again ends at %v, not at %v, with %d evaluations at its start", again, end, atStart)
	}
	last := slices.Clone(start)
	copy(start, again) // which the last step ended at
	atStart = 0
	if from(start, v.StepGLFb); atStart != 0 {
		t.Errorf("the next step evaluates its start %d times", atStart)
	}
	copy(start, last)
	from(start, v.StepGLFb)
	atStart = 0
	// The first iteration of the position is at the start itself.
	if _, r := from(start, v.StepGLFa); atStart != r.Iterations+1 {
		t.Errorf("GLF(a) evaluates the metric %d times at its start in %d iterations", atStart, r.Iterations)
	}
}

// TestFactoriseForgets: the gradient at the end of a leapfrog step is that of the next, unless the model is another
// by then.
func TestFactoriseForgets(t *testing.T) {
	p := &posterior{pattern: whole, constant: true, scale: 1}
	var n int
	c := system.NewConstant(layouts[0].stages(p, &n), layouts[0].store())
	system.Factorise(c)
	q, mom := []float64{1, 0.5, 0.2, 0.3, 0.1}, []float64{1, 1, 1, 1, 1}
	c.StepLeapfrog(q, mom, 0.05)
	p.scale = 3
	system.Factorise(c)
	q2, mom2 := slices.Clone(q), slices.Clone(mom)
	c.StepLeapfrog(q, mom, 0.05)
	runtime.Generic(p).StepLeapfrog(q2, mom2, 0.05)
	near(t, "step", append(q, mom...), append(q2, mom2...))
}

// TestOrders: quantities come from solutions with sensitivities of their own order, and a factor of another order
// is not taken for theirs; a solution that fails ends the evaluation with its status.
func TestOrders(t *testing.T) {
	p := &posterior{pattern: whole, scale: 1}
	var n int
	var asked []int
	fails := false
	stages := layouts[0].stages(p, &n)
	stages.Solve = func(_ []float64, order int) runtime.Status {
		asked = append(asked, order)
		if fails {
			return runtime.ODEStepLimit
		}
		return runtime.OK
	}
	v := system.NewVarying(stages, layouts[0].store())
	q, mom := make([]float64, order), make([]float64, order)
	expect := func(what string, orders []int, evaluations int) {
		t.Helper()
		if !slices.Equal(asked, orders) || n != evaluations {
			t.Errorf("%s: orders %v and %d evaluations, want %v and %d", what, asked, n, orders, evaluations)
		}
		asked = nil
	}
	out := make([]float64, order*order)
	v.Energy(q, mom)
	expect("energy", []int{system.OrderDensity, system.OrderDensity}, 1)
	v.Metric(out, q)
	expect("metric", []int{system.OrderDensity}, 1)
	v.Contract(make([]float64, order), q, out)
	expect("contraction", []int{system.OrderForce}, 2)
	v.Contract(make([]float64, order), q, out)
	expect("contraction again", []int{system.OrderForce}, 2)
	v.DrawMomentum(mom, q)
	expect("momentum", []int{system.OrderDensity}, 3)
	fails = true
	if _, l, st := v.Energy(q, mom); st != runtime.ODEStepLimit || !math.IsNaN(l) {
		t.Errorf("energy of a solution that fails: %v, %v", l, st)
	}
	if st := v.Whiten(mom, q, mom); st != runtime.ODEStepLimit {
		t.Errorf("whitened without a solution: %v", st)
	}
	fails = false
	if st := v.Whiten(mom, q, mom); st != runtime.OK {
		t.Errorf("whitened: %v", st)
	}
}

// TestNoMetric: where SoftAbs has no matrix to map, the metric and its derivatives are NaN; a metric that is stored
// itself is what the model wrote, and its energy says what is wrong with it.
func TestNoMetric(t *testing.T) {
	for _, l := range layouts {
		p := &posterior{pattern: l.pattern, softAbs: l.softAbs, scale: 1}
		var n int
		stages := l.stages(p, &n)
		stages.Matrix = func(b, _ []float64) {
			clear(b)
			if l.softAbs {
				b[0] = math.Inf(1)
			}
		}
		v := system.NewVarying(stages, l.store())
		q, out := make([]float64, order), make([]float64, order*order)
		v.Metric(out, q)
		v.Contract(q, slices.Clone(q), slices.Clone(out))
		want, status := 0.0, runtime.NotPositiveDefinite
		if l.softAbs {
			want, status = math.NaN(), runtime.NonFinite
		}
		for _, x := range append(out, q...) {
			if fmt.Sprint(x) != fmt.Sprint(want) {
				t.Errorf("%s: %v, want %v", l.name, x, want)
				break
			}
		}
		if h, _, st := v.Energy(make([]float64, order), make([]float64, order)); st != status || !math.IsInf(h, 1) {
			t.Errorf("%s: energy %v, %v, want %v", l.name, h, st, status)
		}
	}
}

// counted counts the gradients of a posterior whose metric is the identity.
type counted struct {
	*posterior
	gradients *int
}

func (c counted) Gradient(grad, q []float64) float64 {
	*c.gradients++
	return c.posterior.Gradient(grad, q)
}

func (c counted) Metric(g, _ []float64) {
	clear(g)
	for i := range order {
		g[i*(order+1)] = 1
	}
}

// TestLeapfrogs: the leapfrogs of all systems are the same to the last bit, evaluate one gradient in each step from where the
// last one ended, and fail where a position is not finite.
func TestLeapfrogs(t *testing.T) {
	p := &posterior{pattern: whole, constant: true, scale: 1}
	var n, evaluations int
	model := counted{p, &n}
	stages := layouts[0].stages(p, &evaluations)
	stages.Slope = func(grad, q []float64) { model.Gradient(grad, q) }
	stages.Matrix = func(b, _ []float64) { model.Metric(b, nil) }
	constant := system.NewConstant(stages, system.NewDense(order))
	system.Factorise(constant)
	var want []float64
	for _, s := range []struct {
		name string
		step func(q, p []float64, eps float64) runtime.StepResult
	}{
		{"Generic", runtime.Generic(model).StepLeapfrog},
		{"Constant", constant.StepLeapfrog},
		{"diagonal Euclidean", runtime.NewEuclidean(model, false).StepLeapfrog},
		{"dense Euclidean", runtime.NewEuclidean(model, true).StepLeapfrog},
	} {
		q, mom := []float64{1, 0.5, 0.2, 0.3, 0.1}, []float64{1, -1, 1, 0.3, 0.7}
		n = 0
		for range 10 {
			if r := s.step(q, mom, 0.1); r != (runtime.StepResult{}) {
				t.Fatalf("%s: %v", s.name, r)
			}
		}
		if n != 11 {
			t.Errorf("%s: %d gradients in 10 steps", s.name, n)
		}
		if got := append(q, mom...); want == nil {
			want = got
		} else if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", s.name, got, want)
		}
		if r := s.step(make([]float64, order), []float64{1e308, 0, 0, 0, 0}, 10); r.Status != runtime.NonFinite {
			t.Errorf("%s: a step to infinity: %v", s.name, r)
		}
	}
}
