package lagrangian

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/hamc-dev/hamc/generated/banana"
	"github.com/hamc-dev/hamc/generated/blood_groups"
	"github.com/hamc-dev/hamc/generated/funnel"
	"github.com/hamc-dev/hamc/generated/gaussian"
	"github.com/hamc-dev/hamc/generated/logistic"
	"github.com/hamc-dev/hamc/internal/campaign"
	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/grid"
)

// subject is a model with a step size at which an iteration at least halves the error of a solve.
type subject struct {
	name  string
	model runtime.Model
	eps   float64
}

// load makes a model of its example's data; read is nil where it has none.
func load[D any, M runtime.Model](t *testing.T, name string, eps float64, read func(io.Reader, string) (D, error), create func(D) (M, error)) subject {
	t.Helper()
	var d D
	if read != nil {
		path := "../" + name + ".data.json"
		in, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		if d, err = read(in, path); err != nil {
			t.Fatal(err)
		}
	}
	m, err := create(d)
	if err != nil {
		t.Fatal(err)
	}
	return subject{name, m, eps}
}

// subjects are models with metrics of all kinds: a matrix with a curved ridge, SoftAbs, a constant, an
// information matrix, and a simplex.
func subjects(t *testing.T) []subject {
	return []subject{
		load(t, "banana", 0.02, banana.ReadData, banana.New),
		load(t, "funnel", 0.05, nil, funnel.New),
		load(t, "gaussian", 0.3, gaussian.ReadData, gaussian.New),
		load(t, "logistic", 0.2, logistic.ReadData, logistic.New),
		load(t, "blood_groups", 0.02, blood_groups.ReadData, blood_groups.New),
	}
}

// each runs a test on every subject.
func each(t *testing.T, f func(*testing.T, subject)) {
	for _, s := range subjects(t) {
		t.Run(s.name, func(t *testing.T) { f(t, s) })
	}
}

// state is a point of phase space.
type state struct{ q, p []float64 }

// states returns points near the origin with momenta from N(0, G).
func (s *subject) states(t *testing.T, n int) []state {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	g, dim := runtime.Generic(s.model), s.model.Info().Dim()
	out := make([]state, n)
	for i := range out {
		q, p := make([]float64, dim), make([]float64, dim)
		for j := range q {
			q[j], p[j] = 0.3*rng.NormFloat64(), rng.NormFloat64()
		}
		if st := g.DrawMomentum(p, q); st != runtime.OK {
			t.Fatal(st)
		}
		out[i] = state{q, p}
	}
	return out
}

// of returns the step that this package adds.
func of(t *testing.T, m runtime.Model) runtime.StepFunc {
	t.Helper()
	step, err := New(runtime.Generic(m))
	if err != nil {
		t.Fatal(err)
	}
	return step
}

// solver is the paper's, with a tolerance.
func solver(delta float64) *runtime.Solver {
	return &runtime.Solver{Tolerance: delta, MaxIterations: 1000, Method: runtime.FixedPoint}
}

// after returns where a step leads.
func after(step runtime.StepFunc, z state, eps float64, sol *runtime.Solver) (state, runtime.StepResult) {
	z = state{append([]float64(nil), z.q...), append([]float64(nil), z.p...)}
	return z, step(z.q, z.p, eps, sol)
}

// apart is the largest difference of two points.
func apart(a, b state) float64 {
	d := 0.0
	for i := range a.q {
		d = max(d, math.Abs(a.q[i]-b.q[i]), math.Abs(a.p[i]-b.p[i])) // max keeps NaN
	}
	return d
}

// size is the largest coordinate of a point, at least 1.
func (z state) size() float64 {
	return max(1, apart(z, state{make([]float64, len(z.q)), make([]float64, len(z.p))}))
}

// The checks return what a step violates. They are functions so that TestMistakes can show that each
// of them is able to fail.

// sameMap: the step leads where both forms of the paper lead, to the tolerance. Where an iteration
// halves the error, a solve is off by δ at most, and twice that where it is doubled from the midpoint
// to the end: two of them by 4δ. Halving holds in a norm that the metric scales, and δ is on the
// largest coordinate: the largest distance measured is 6.9δ.
func sameMap(s *subject, step runtime.StepFunc, states []state) error {
	for _, delta := range []float64{1e-6, 1e-9, 1e-12} {
		for _, k := range []runtime.Integrator{runtime.IMa, runtime.IMb} {
			theirs, err := runtime.Stepper(runtime.Generic(s.model), k, runtime.FixedPoint)
			if err != nil {
				return err
			}
			for i, z := range states {
				for _, eps := range []float64{s.eps, -s.eps} {
					a, r := after(step, z, eps, solver(delta))
					b, x := after(theirs, z, eps, solver(delta))
					if r.Status != runtime.OK || x.Status != runtime.OK {
						return fmt.Errorf("state %d, δ = %g: %v, and %v of %v", i, delta, r.Status, x.Status, k)
					}
					if d := apart(a, b); !(d <= 10*delta+1e-13*z.size()) {
						return fmt.Errorf("state %d, δ = %g: %.1e away from %v", i, delta, d, k)
					}
				}
			}
		}
	}
	return nil
}

// reversible: with the momentum negated, a trajectory leads back. The limit is that of the integrators
// in the conformance tests.
func reversible(s *subject, step runtime.StepFunc, states []state) error {
	for i, z := range states {
		e, st := runtime.ReversibilityError(nil, runtime.MaxNorm, step, z.q, z.p, s.eps/3, 10, solver(1e-13))
		if st != runtime.OK || !(e <= 1e-11*z.size()) {
			return fmt.Errorf("state %d: reversibility is violated by %.1e, status %v", i, e, st)
		}
	}
	return nil
}

// preserves: a trajectory preserves volume; the limit is that of central differences.
func preserves(s *subject, step runtime.StepFunc, states []state) error {
	for i, z := range states {
		e, st := runtime.VolumeError(nil, runtime.MaxNorm, step, z.q, z.p, s.eps, 5, solver(1e-13), 1e-5)
		if st != runtime.OK || !(e <= 1e-7) {
			return fmt.Errorf("state %d: volume is violated by %.1e, status %v", i, e, st)
		}
	}
	return nil
}

// conserves: the implicit midpoint conserves a quadratic energy whatever the step size.
func conserves(s *subject, step runtime.StepFunc, states []state) error {
	g := runtime.Generic(s.model)
	for i, z := range states {
		before, _, _ := g.Energy(z.q, z.p)
		for range 100 {
			var r runtime.StepResult
			if z, r = after(step, z, 1, solver(1e-14)); r.Status != runtime.OK {
				return fmt.Errorf("state %d: %v", i, r.Status)
			}
		}
		if now, _, st := g.Energy(z.q, z.p); !(math.Abs(now-before) <= 1e-11) {
			return fmt.Errorf("state %d: the energy went from %v to %v, status %v", i, before, now, st)
		}
	}
	return nil
}

func TestSameMap(t *testing.T) {
	each(t, func(t *testing.T, s subject) {
		if err := sameMap(&s, of(t, s.model), s.states(t, 8)); err != nil {
			t.Error(err)
		}
	})
}

// TestIterates: the iterates are those of IM(b) with q' for q̄, so that steps with as many iterations
// end at the same point whatever the tolerance; there are never fewer, since q' moves farther than q̄.
func TestIterates(t *testing.T) {
	each(t, func(t *testing.T, s subject) {
		step, same := of(t, s.model), 0
		theirs, err := runtime.Stepper(runtime.Generic(s.model), runtime.IMb, runtime.FixedPoint)
		if err != nil {
			t.Fatal(err)
		}
		for i, z := range s.states(t, 20) {
			a, r := after(step, z, s.eps, solver(1e-3))
			b, x := after(theirs, z, s.eps, solver(1e-3))
			if r.Iterations < x.Iterations || r.Iterations > x.Iterations+1 {
				t.Errorf("state %d: %d iterations, %d of IM(b)", i, r.Iterations, x.Iterations)
			}
			if r.Iterations != x.Iterations {
				continue
			}
			same++
			if d := apart(a, b); !(d <= 1e-12*z.size()) {
				t.Errorf("state %d: after %d iterations each, %.1e away from IM(b)", i, r.Iterations, d)
			}
		}
		if same == 0 {
			t.Error("no step took as many iterations as IM(b)'s: nothing was compared")
		}
	})
}

func TestReversible(t *testing.T) {
	each(t, func(t *testing.T, s subject) {
		if err := reversible(&s, of(t, s.model), s.states(t, 8)); err != nil {
			t.Error(err)
		}
	})
}

func TestVolume(t *testing.T) {
	each(t, func(t *testing.T, s subject) {
		if err := preserves(&s, of(t, s.model), s.states(t, 4)); err != nil {
			t.Error(err)
		}
	})
}

func TestQuadratic(t *testing.T) {
	s := load(t, "gaussian", 1, gaussian.ReadData, gaussian.New)
	if err := conserves(&s, of(t, s.model), s.states(t, 8)); err != nil {
		t.Error(err)
	}
}

// mistake changes one thing of the equations.
type mistake int

const (
	none       mistake = iota
	sign               // p̄ = p − ½ε F
	atStart            // G and F at q
	wholeForce         // p̄ = p + ε F
	noSecond           // p' = p̄
	oldMomenta         // G⁻¹p for G⁻¹p̄
	numMistakes
)

// written is the step written once more from its equations, plainly, with a mistake: it iterates
// fifty times and evaluates the force at the end.
func written(m runtime.Model, wrong mistake) runtime.StepFunc {
	g, n := runtime.Generic(m), m.Info().Dim()
	return func(q, p []float64, eps float64, _ *runtime.Solver) (r runtime.StepResult) {
		end, middle := append([]float64(nil), q...), append([]float64(nil), p...)
		mid, v, slope := make([]float64, n), make([]float64, n), make([]float64, n)
		at := func() runtime.Status {
			for i := range mid {
				mid[i] = (q[i] + end[i]) / 2
			}
			if wrong == atStart {
				copy(mid, q)
			}
			momentum := middle
			if wrong == oldMomenta {
				momentum = p
			}
			return g.VectorField(slope, v, mid, momentum)
		}
		for range 50 {
			if r.Status = at(); r.Status != runtime.OK {
				return r
			}
			for i := range n {
				force := -slope[i]
				switch wrong {
				case sign:
					force = slope[i]
				case wholeForce:
					force *= 2
				}
				end[i], middle[i] = q[i]+eps*v[i], p[i]+eps/2*force
			}
		}
		if r.Status = at(); r.Status != runtime.OK {
			return r
		}
		for i := range n {
			if q[i], p[i] = end[i], middle[i]; wrong != noSecond {
				p[i] -= eps / 2 * slope[i]
			}
		}
		return r
	}
}

// TestMistakes: every check lets the equations pass where they are right, and some check fails where
// they are not, on every model; no mistake gets past the comparison with the paper's forms.
func TestMistakes(t *testing.T) {
	failed := map[string]bool{}
	for wrong := range numMistakes {
		each(t, func(t *testing.T, s subject) {
			step, states := written(s.model, wrong), s.states(t, campaign.Cases(t, 2, 4))
			checks := []struct {
				name string
				err  error
			}{
				{"sameMap", sameMap(&s, step, states)},
				{"reversible", reversible(&s, step, states)},
				{"preserves", preserves(&s, step, states)},
			}
			if s.name == "gaussian" {
				checks = append(checks, struct {
					name string
					err  error
				}{"conserves", conserves(&s, step, states)})
			}
			for _, c := range checks {
				if wrong == none && c.err != nil {
					t.Errorf("without a mistake, %s: %v", c.name, c.err)
				}
				failed[c.name] = failed[c.name] || c.err != nil
			}
			if wrong != none && checks[0].err == nil {
				t.Errorf("mistake %d leads where the implicit midpoint does", wrong)
			}
		})
	}
	for _, name := range []string{"sameMap", "reversible", "preserves", "conserves"} {
		if !failed[name] {
			t.Errorf("%s has found no mistake", name)
		}
	}
}

// TestAllocates: steps are what a grid spends its time in.
func TestAllocates(t *testing.T) {
	each(t, func(t *testing.T, s subject) {
		step, sol, z := of(t, s.model), solver(1e-6), s.states(t, 1)[0]
		q, p := append([]float64(nil), z.q...), append([]float64(nil), z.p...)
		if n := testing.AllocsPerRun(20, func() {
			copy(q, z.q)
			copy(p, z.p)
			step(q, p, s.eps, sol)
		}); n != 0 {
			t.Errorf("%v allocations in a step", n)
		}
	})
}

// TestFailure: a step that has no solution says so, with the iterations that it took.
func TestFailure(t *testing.T) {
	s := load(t, "banana", 0, banana.ReadData, banana.New)
	z, step := s.states(t, 1)[0], of(t, s.model)
	if _, r := after(step, z, 0.1, &runtime.Solver{Tolerance: 0, MaxIterations: 7}); r.Status != runtime.IterationLimit || r.Iterations != 7 {
		t.Errorf("with a limit of 7 iterations: %v after %d", r.Status, r.Iterations)
	}
	if _, r := after(step, z, 1e200, solver(1e-6)); r.Status == runtime.OK {
		t.Error("a step of 1e200 has a solution")
	}
	z.q[0] = math.NaN()
	if _, r := after(step, z, 0.1, solver(1e-6)); r.Status == runtime.OK {
		t.Error("a step from NaN has a solution")
	}
}

// TestExtension: a grid takes it.
func TestExtension(t *testing.T) {
	d, err := (&grid.Program{Extensions: []grid.Extension{Extension}}).Describe()
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Integrators) != 1 || d.Integrators[0].Name != "lagrangian" {
		t.Errorf("a grid finds %+v", d.Integrators)
	}
}
