package conformance

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hamc-dev/hamc/runtime"
)

// The generated models remember what they computed at the last position. These
// tests treat the memory as a thing that may lie: whatever a used model returns
// must be, bit for bit, what a model made anew returns. Under GOAMD64=v3, where the
// compiler fuses products into sums, they also find a quantity that is computed in
// two places and rounded in two ways.

// An operation calls one method at (q, p) and returns all that comes out.
type operation struct {
	name string
	call func(m runtime.System, z state, eps float64) []float64
}

// operations are the methods of a System, and steps that fail.
func (s *subject) operations() []operation {
	n := s.dim()
	step := func(name string, sol runtime.Solver, f func(m runtime.System, q, p []float64, eps float64, sol *runtime.Solver) runtime.StepResult) operation {
		return operation{name, func(m runtime.System, z state, eps float64) []float64 {
			q, p := clone(z.q), clone(z.p)
			r := f(m, q, p, eps, &sol)
			out := []float64{float64(r.Status), float64(r.Iterations)}
			if r.Status != runtime.OK {
				return out // q and p are unspecified
			}
			return append(out, join(q, p)...)
		}}
	}
	glfb := func(m runtime.System, q, p []float64, eps float64, sol *runtime.Solver) runtime.StepResult {
		return m.StepGLFb(q, p, eps, sol)
	}
	imb := func(m runtime.System, q, p []float64, eps float64, sol *runtime.Solver) runtime.StepResult {
		return m.StepIMb(q, p, eps, sol)
	}
	leapfrog := func(m runtime.System, q, p []float64, eps float64, _ *runtime.Solver) runtime.StepResult {
		return m.StepLeapfrog(q, p, eps)
	}
	good := runtime.Solver{Tolerance: 1e-9, MaxIterations: 200, StopStalled: true}
	short := runtime.Solver{Tolerance: 1e-9, MaxIterations: 2}
	mixed := good
	mixed.Method = runtime.Anderson
	return []operation{
		{"LogDensity", func(m runtime.System, z state, _ float64) []float64 {
			return []float64{m.LogDensity(z.q)}
		}},
		{"Gradient", func(m runtime.System, z state, _ float64) []float64 {
			out := make([]float64, n)
			l := m.Gradient(out, z.q)
			return append(out, l)
		}},
		{"Metric", func(m runtime.System, z state, _ float64) []float64 { return metric(m, z.q) }},
		{"Contract", func(m runtime.System, z state, _ float64) []float64 {
			w, out := make([]float64, n*n), make([]float64, n)
			for i := range n {
				for j := range n {
					w[i*n+j] = z.p[i] * z.p[j]
				}
			}
			m.Contract(out, z.q, w)
			return out
		}},
		{"MetricJacobian", func(m runtime.System, z state, _ float64) []float64 { return metricJacobian(m, z.q) }},
		{"Energy", func(m runtime.System, z state, _ float64) []float64 {
			h, l, st := m.Energy(z.q, z.p)
			return []float64{h, l, float64(st)}
		}},
		{"DrawMomentum", func(m runtime.System, z state, _ float64) []float64 {
			p := clone(z.p)
			if st := m.DrawMomentum(p, z.q); st != runtime.OK {
				return []float64{float64(st)}
			}
			return p
		}},
		step("StepGLFb", good, glfb),
		step("StepIMb", good, imb),
		step("StepIMb by Anderson", mixed, imb),
		step("StepLeapfrog", good, leapfrog),
		step("StepGLFb, too few iterations", short, glfb),
		step("StepIMb, too few iterations", short, imb),
	}
}

// same reports whether two arrays are equal bit for bit, all NaNs being one.
func same(a, b []float64) bool {
	if len(a) != len(b) {
		return false
	}
	for i, x := range a {
		if math.Float64bits(x) != math.Float64bits(b[i]) && !(math.IsNaN(x) && math.IsNaN(b[i])) {
			return false
		}
	}
	return true
}

// TestMemoryNeverShows calls the methods of one model in random order, at a few
// positions it returns to again and again, at positions where it fails, and at
// positions that steps led to, and compares each outcome with that of a model
// made anew.
func TestMemoryNeverShows(t *testing.T) {
	each(t, subjects(t), func(t *testing.T, s *subject) {
		calls, operations := 3000, s.operations()
		if s.costly {
			calls = s.some(t, 300)
		}
		rng := rand.New(rand.NewPCG(7, uint64(s.dim())))
		states := s.states(t, 4, 0.3, 8)
		// Positions that differ in one coordinate, or by the last bit of one, are
		// not the same position.
		beside := func(z state) [2]state {
			a, b := state{clone(z.q), z.p}, state{clone(z.q), z.p}
			a.q[rng.IntN(len(a.q))] += 0.25
			i := rng.IntN(len(b.q))
			b.q[i] = math.Nextafter(b.q[i], 9)
			return [2]state{a, b}
		}
		nan := state{clone(states[0].q), states[0].p}
		nan.q[len(nan.q)-1] = math.NaN()
		far := state{clone(states[0].q), states[0].p}
		for i := range far.q {
			far.q[i] = 1e200
		}
		neighbours := beside(states[0])
		states = append(states, neighbours[0], neighbours[1], nan, far)

		m := s.fresh()
		var log []string
		seen := make(map[string]bool)
		before := ""
		for range calls {
			i := rng.IntN(len(states))
			z := states[i]
			op := operations[rng.IntN(len(operations))]
			eps := s.eps * (1 + float64(rng.IntN(2)))
			got, want := op.call(m, z, eps), op.call(s.fresh(), z, eps)
			log = append(log, fmt.Sprintf("%s at state %d", op.name, i))
			seen[before+" → "+op.name] = true
			before = op.name
			if !same(got, want) {
				t.Fatalf("after\n\t%v\nthe model returned %v, a fresh one returns %v", log[max(0, len(log)-6):], got, want)
			}
			// Where a step led to, or next to that, the model may take the
			// next one: the cache that the generalized leapfrog carries along.
			if n := 2 * s.dim(); len(got) == n+2 && got[0] == 0 {
				z := state{clone(got[2 : 2+n/2]), clone(got[2+n/2:])}
				states[rng.IntN(4)] = z
				neighbours := beside(z)
				copy(states[4:], neighbours[:])
			}
			// Far out there is nothing to see; come back.
			if rng.IntN(50) == 0 {
				copy(states, s.states(t, 4, 0.3, rng.Uint64()))
			}
		}
		if pairs := len(operations) * len(operations); calls > 1000 && len(seen) < pairs {
			t.Errorf("%d of %d pairs of successive methods were tried", len(seen), pairs)
		}
	})
}

// TestMemoryInPlace passes the same slices again with new contents: what a model
// remembers must be the numbers, not the slice.
func TestMemoryInPlace(t *testing.T) {
	each(t, subjects(t), func(t *testing.T, s *subject) {
		m := s.fresh()
		q, p := make([]float64, s.dim()), make([]float64, s.dim())
		for _, z := range s.states(t, s.some(t, 12), 0.3, 9) {
			copy(q, z.q)
			copy(p, z.p)
			for _, op := range s.operations() {
				got := op.call(m, state{q, p}, s.eps)
				if want := op.call(s.fresh(), z, s.eps); !same(got, want) {
					t.Fatalf("%s: %v, a fresh model returns %v", op.name, got, want)
				}
			}
			// Steps move q and p in place, and Energy follows.
			for i := range 6 {
				k := s.own()[i%len(s.own())]
				want := state{clone(q), clone(p)}
				if r := stepper(t, m, k)(q, p, s.eps, plain(1e-9)); r.Status != runtime.OK {
					t.Fatalf("%v: %v", k, r.Status)
				}
				stepper(t, s.fresh(), k)(want.q, want.p, s.eps, plain(1e-9))
				h, l, _ := m.Energy(q, p)
				hf, lf, _ := s.fresh().Energy(want.q, want.p)
				if !same(join(q, p), join(want.q, want.p)) || h != hf || l != lf {
					t.Fatalf("%v in place and its energy: %v %v %v, a fresh model gives %v %v %v", k, q, p, h, want.q, want.p, hf)
				}
			}
		}
	})
}

// An amnesiac makes its model anew for every call.
type amnesiac struct {
	fresh func() runtime.System
	last  *runtime.System // whose status SolveStatus tells
}

func newAmnesiac(fresh func() runtime.System) amnesiac {
	return amnesiac{fresh, new(runtime.System)}
}

func (a amnesiac) anew() runtime.System {
	*a.last = a.fresh()
	return *a.last
}

func (a amnesiac) SolveStatus() runtime.Status {
	if m, ok := (*a.last).(runtime.Solves); ok {
		return m.SolveStatus()
	}
	return runtime.OK
}

func (a amnesiac) Info() *runtime.Info                        { return a.anew().Info() }
func (a amnesiac) LogDensity(q []float64) float64             { return a.anew().LogDensity(q) }
func (a amnesiac) Gradient(grad, q []float64) float64         { return a.anew().Gradient(grad, q) }
func (a amnesiac) Metric(g, q []float64)                      { a.anew().Metric(g, q) }
func (a amnesiac) Contract(out, q, w []float64)               { a.anew().Contract(out, q, w) }
func (a amnesiac) MetricJacobian(out, q []float64)            { a.anew().MetricJacobian(out, q) }
func (a amnesiac) Constrain(x, q []float64)                   { a.anew().Constrain(x, q) }
func (a amnesiac) Unconstrain(q, x []float64) error           { return a.anew().Unconstrain(q, x) }
func (a amnesiac) Clone() runtime.Model                       { return newAmnesiac(a.fresh) }
func (a amnesiac) DrawMomentum(p, q []float64) runtime.Status { return a.anew().DrawMomentum(p, q) }
func (a amnesiac) Energy(q, p []float64) (h, l float64, st runtime.Status) {
	return a.anew().Energy(q, p)
}
func (a amnesiac) Whiten(z, q, p []float64) runtime.Status { return a.anew().Whiten(z, q, p) }
func (a amnesiac) Length(q, dq, dp []float64) (float64, runtime.Status) {
	return a.anew().Length(q, dq, dp)
}
func (a amnesiac) StepGLFb(q, p []float64, eps float64, s *runtime.Solver) runtime.StepResult {
	return a.anew().StepGLFb(q, p, eps, s)
}
func (a amnesiac) StepIMb(q, p []float64, eps float64, s *runtime.Solver) runtime.StepResult {
	return a.anew().StepIMb(q, p, eps, s)
}
func (a amnesiac) StepGLFa(q, p []float64, eps float64, s *runtime.Solver) runtime.StepResult {
	return a.plain(runtime.GLFa)(q, p, eps, s)
}
func (a amnesiac) StepIMa(q, p []float64, eps float64, s *runtime.Solver) runtime.StepResult {
	return a.plain(runtime.IMa)(q, p, eps, s)
}

// plain is a step of a plain algorithm of a new model, which need not have one of its own.
func (a amnesiac) plain(k runtime.Integrator) runtime.StepFunc {
	step, err := runtime.Stepper(a.anew(), k, runtime.FixedPoint)
	if err != nil {
		panic(err)
	}
	return step
}
func (a amnesiac) StepLeapfrog(q, p []float64, eps float64) runtime.StepResult {
	return a.anew().StepLeapfrog(q, p, eps)
}

// TestMemoryInAChain runs the runtime's kernel, with moves refused, failed and
// integrated back, on a model and on one that cannot remember: the chains must
// be the same bit for bit.
func TestMemoryInAChain(t *testing.T) {
	each(t, subjects(t), func(t *testing.T, s *subject) {
		if s.block {
			return // TestMemoryInASweep
		}
		draws := 150
		switch {
		case s.ode:
			draws = 8
		case s.costly:
			draws = 20
		}
		for _, k := range s.own() {
			opt := runtime.DefaultOptions()
			opt.Integrator, opt.StepSize, opt.Steps = k, 2.5*s.eps, 6
			opt.Chains, opt.Warmup, opt.Draws = 1, 0, draws
			opt.ReverseCheck = runtime.ReverseAll
			start := make([]float64, s.dim())
			s.fresh().Constrain(start, s.points[0].Q)
			opt.Init = []runtime.Point{start}
			run := func(m runtime.Model) runtime.Chain {
				return must[*runtime.Result](t)(runtime.Sample(t.Context(), m, opt, nil)).Chains[0]
			}
			a, b := run(s.fresh()), run(newAmnesiac(s.fresh))
			for i := range a.Draws {
				if !same(a.Draws[i], b.Draws[i]) {
					t.Errorf("%v: the draws of coordinate %d depend on what the model remembers", k, i)
				}
			}
			if a.Sampling() != b.Sampling() {
				t.Errorf("%v: %+v, without memory %+v", k, a.Sampling(), b.Sampling())
			}
			if a.Sampling().Accepted == 0 {
				t.Errorf("%v: nothing accepted", k)
			}
		}
	})
}
