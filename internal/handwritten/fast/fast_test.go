package fast

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hamc-dev/hamc/internal/campaign"
	"github.com/hamc-dev/hamc/internal/fixtures"
	"github.com/hamc-dev/hamc/internal/handwritten"
	"github.com/hamc-dev/hamc/runtime"
)

func must[T any](tb testing.TB) func(T, error) T {
	return func(v T, err error) T {
		tb.Helper()
		if err != nil {
			tb.Fatal(err)
		}
		return v
	}
}

// A stepper makes steps on slices.
type stepper func(q, p []float64, eps, tol float64) (int, bool)

// A subject is a model in both forms.
type subject struct {
	name      string
	fixture   string
	workload  *Workload
	reference runtime.Model
	im, glf   stepper
}

func subjects(tb testing.TB) []subject {
	tb.Helper()
	w := must[*Workload](tb)(BananaWorkload())
	sy, st := w.Params["sigma_y"], w.Params["sigma_theta"]
	banana := must[*Banana](tb)(NewBanana(w.Y, sy, st))
	out := []subject{{
		name: "banana", fixture: "banana", workload: w,
		reference: must[*handwritten.Banana](tb)(handwritten.NewBanana(w.Y, sy, st)),
		im: func(q, p []float64, eps, tol float64) (int, bool) {
			return banana.StepIMb((*[2]float64)(q), (*[2]float64)(p), eps, tol)
		},
		glf: func(q, p []float64, eps, tol float64) (int, bool) {
			return banana.StepGLFb((*[2]float64)(q), (*[2]float64)(p), eps, tol)
		},
	}}
	w = must[*Workload](tb)(LogisticWorkload())
	logistic := must[*Logistic](tb)(NewLogistic(w.X, w.Y))
	return append(out, subject{
		name: "logistic", fixture: "logistic_569x10", workload: w,
		reference: must[*handwritten.Logistic](tb)(handwritten.NewLogistic(w.X, w.Y, LogisticN, LogisticK)),
		im: func(q, p []float64, eps, tol float64) (int, bool) {
			return logistic.StepIMb((*[LogisticK]float64)(q), (*[LogisticK]float64)(p), eps, tol)
		},
		glf: func(q, p []float64, eps, tol float64) (int, bool) {
			return logistic.StepGLFb((*[LogisticK]float64)(q), (*[LogisticK]float64)(p), eps, tol)
		},
	})
}

func clone(x []float64) []float64 { return append([]float64{}, x...) }

// distance returns |x − y|∞ / max(1, |y|∞).
func distance(x, y []float64) float64 {
	d, s := 0.0, 1.0
	for i := range y {
		d, s = max(d, math.Abs(x[i]-y[i])), max(s, math.Abs(y[i]))
	}
	return d / s
}

// TestReference compares trajectories from all starts with the plain steps of
// the parent package: end points and, step by step, iteration counts.
func TestReference(t *testing.T) {
	for _, s := range subjects(t) {
		if len(s.workload.Starts) != NumStarts {
			t.Fatalf("%s: %d starts", s.name, len(s.workload.Starts))
		}
		starts := s.workload.Starts
		if s.name == "logistic" {
			starts = starts[:6] // the plain steps are slow
		}
		for i, start := range campaign.Sample(t, starts, 2) {
			// With δ = 1000 one iteration is enough, and it is made.
			for _, tol := range []float64{1e3, 1e-6, 1e-9} {
				q, p := clone(start.Q), clone(start.P)
				wantQ, wantP := clone(q), clone(p)
				for step := range TrajectorySteps {
					it, ok := s.im(q, p, 0.1, tol)
					want, err := handwritten.StepIMb(s.reference, wantQ, wantP, 0.1, tol)
					if !ok || err != nil || it != want {
						t.Fatalf("%s, start %d, step %d: IM(b): %d iterations, %v; want %d, %v", s.name, i, step, it, ok, want, err)
					}
				}
				if d := max(distance(q, wantQ), distance(p, wantP)); !(d < 1e-11) {
					t.Errorf("%s, start %d, δ = %g: IM(b) is off by %.1e", s.name, i, tol, d)
				}

				q, p = clone(start.Q), clone(start.P)
				wantQ, wantP = clone(q), clone(p)
				for step := range TrajectorySteps {
					it, ok := s.glf(q, p, 0.1, tol)
					a, b, err := handwritten.StepGLFb(s.reference, wantQ, wantP, 0.1, tol)
					if !ok || err != nil || it != a+b {
						t.Fatalf("%s, start %d, step %d: GLF(b): %d iterations, %v; want %d + %d, %v", s.name, i, step, it, ok, a, b, err)
					}
				}
				if d := max(distance(q, wantQ), distance(p, wantP)); !(d < 1e-11) {
					t.Errorf("%s, start %d, δ = %g: GLF(b) is off by %.1e", s.name, i, tol, d)
				}
			}
		}
	}
}

// TestFixtures compares with the code of the paper's authors.
func TestFixtures(t *testing.T) {
	for _, s := range subjects(t) {
		f := must[*fixtures.Model](t)(fixtures.Load(s.fixture))
		compared := 0
		for i, pt := range f.Points {
			for _, r := range pt.Steps {
				step := map[string]stepper{"IMb": s.im, "GLFb": s.glf}[r.Method]
				if step == nil || !r.Clean {
					continue
				}
				compared++
				q, p := clone(pt.Q), clone(pt.P)
				iterations, want := 0, 0
				for range r.NumSteps {
					it, ok := step(q, p, r.Eps, r.Delta)
					if !ok {
						t.Fatalf("%s, point %d, %s: failed", s.name, i, r.Method)
					}
					iterations += it
				}
				solves := 0
				for _, n := range r.SolveIters {
					want += n
					solves++
				}
				tol := 1e-10
				// At δ = 1e-12 rounding may decide the last iteration.
				slack := solves
				if r.Delta == 1e-9 {
					tol, slack = 2e-8, 0
				}
				if d := max(distance(q, r.Q), distance(p, r.P)); !(d < tol) {
					t.Errorf("%s, point %d, %s, ε = %g, δ = %g: off by %.1e", s.name, i, r.Method, r.Eps, r.Delta, d)
				}
				if max(iterations-want, want-iterations) > slack {
					t.Errorf("%s, point %d, %s, ε = %g, δ = %g: %d iterations, want %d", s.name, i, r.Method, r.Eps, r.Delta, iterations, want)
				}
			}
		}
		if compared < 20 {
			t.Errorf("%s: %d records compared", s.name, compared)
		}
	}
}

// TestFailure: a step that fails says so and leaves the point alone.
func TestFailure(t *testing.T) {
	all := subjects(t)
	check := func(what string, step stepper, q, p []float64, eps, tol float64, limit int) {
		t.Helper()
		q0, p0 := clone(q), clone(p)
		it, ok := step(q, p, eps, tol)
		if ok {
			t.Errorf("%s: succeeded after %d iterations", what, it)
		}
		if it > limit {
			t.Errorf("%s: took %d iterations to fail, more than %d", what, it, limit)
		}
		for i := range q {
			if math.Float64bits(q[i]) != math.Float64bits(q0[i]) || math.Float64bits(p[i]) != math.Float64bits(p0[i]) {
				t.Errorf("%s: the point has changed", what)
			}
		}
	}
	// Points where GLF does not converge in the paper's code either.
	f := must[*fixtures.Model](t)(fixtures.Load("banana"))
	for i, c := range f.GLFFailures {
		check(fmt.Sprintf("banana, failure %d", i), all[0].glf, clone(c.Q), clone(c.P), c.Eps, c.Delta, 2*maxIterations)
	}
	// At θ₂ = 0 and p₁ = 0 the momentum solve converges however large p₂
	// is; then the position solve starts from an infinity, or ends so far
	// out that the force is infinite.
	mean := 0.0
	for _, y := range f.Data.Y {
		mean += y / float64(len(f.Data.Y))
	}
	check("banana, infinite base", all[0].glf, []float64{mean * 25 / 25.25, 0}, []float64{0, 1e308}, 10, 1e-6, 2*checkEvery)
	check("banana, far out", all[0].glf, []float64{mean * 25 / 25.25, 0}, []float64{0, 8.25e102}, 0.1, 1e-6, 2*checkEvery)
	for _, s := range all {
		start := s.workload.Starts[0]
		for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e200} {
			for j := range start.Q {
				for name, step := range map[string]stepper{"IM(b)": s.im, "GLF(b)": s.glf} {
					q, p := clone(start.Q), clone(start.P)
					q[j] = bad
					check(fmt.Sprintf("%s, %s, q[%d] = %g", s.name, name, j, bad), step, q, p, 0.1, 1e-6, 2*checkEvery)
					q, p = clone(start.Q), clone(start.P)
					p[j] = bad
					check(fmt.Sprintf("%s, %s, p[%d] = %g", s.name, name, j, bad), step, q, p, 0.1, 1e-6, 2*checkEvery)
				}
			}
		}
		// δ = −1 cannot be reached: the iteration limit ends the solve.
		for name, step := range map[string]stepper{"IM(b)": s.im, "GLF(b)": s.glf} {
			q, p := clone(start.Q), clone(start.P)
			if it, ok := step(q, p, 0.01, -1); ok || it != maxIterations {
				t.Errorf("%s, %s: %d iterations, %v; want the limit", s.name, name, it, ok)
			}
		}
	}
}

// TestCache: what GLF(b) kept of other positions, successful or not, does not
// change a bit of a step.
func TestCache(t *testing.T) {
	fresh, used := subjects(t), subjects(t)
	for i := range fresh {
		starts := used[i].workload.Starts
		far := make([]float64, len(starts[0].Q))
		for j := range far {
			far[j] = math.NaN()
		}
		disturb := []func(){
			func() { used[i].glf(clone(starts[1].Q), clone(starts[1].P), 0.1, 1e-6) },
			func() { used[i].im(clone(starts[2].Q), clone(starts[2].P), 0.1, 1e-6) },
			func() { used[i].glf(far, clone(starts[1].P), 0.1, 1e-6) },
			func() { used[i].glf(clone(starts[0].Q), far, 0.1, 1e-6) },
			func() { used[i].glf(clone(starts[0].Q), clone(starts[0].P), 0.1, -1) },
		}
		want := [2][]float64{clone(starts[0].Q), clone(starts[0].P)}
		fresh[i].glf(want[0], want[1], 0.1, 1e-6)
		for d, f := range disturb {
			f()
			got := [2][]float64{clone(starts[0].Q), clone(starts[0].P)}
			used[i].glf(got[0], got[1], 0.1, 1e-6)
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s: after disturbance %d the step gives %v, want %v", used[i].name, d, got, want)
			}
		}

		// Between two steps of a trajectory, when there is something to lose.
		fresh[i].glf(want[0], want[1], 0.1, 1e-6)
		got := [2][]float64{clone(starts[0].Q), clone(starts[0].P)}
		used[i].glf(got[0], got[1], 0.1, 1e-6)
		used[i].im(clone(starts[2].Q), clone(starts[2].P), 0.1, 1e-6)
		used[i].glf(got[0], got[1], 0.1, 1e-6)
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: with IM(b) between them two steps give %v, want %v", used[i].name, got, want)
		}
	}
}

// TestReversible: both methods are their own inverse once the momentum is
// turned round.
func TestReversible(t *testing.T) {
	for _, s := range subjects(t) {
		for name, step := range map[string]stepper{"IM(b)": s.im, "GLF(b)": s.glf} {
			for i, start := range s.workload.Starts[:8] {
				q, p := clone(start.Q), clone(start.P)
				for range 2 {
					if _, ok := step(q, p, 0.1, 1e-12); !ok {
						t.Fatalf("%s, %s, start %d: failed", s.name, name, i)
					}
					for j := range p {
						p[j] = -p[j]
					}
				}
				if d := max(distance(q, start.Q), distance(p, start.P)); !(d < 1e-10) {
					t.Errorf("%s, %s, start %d: returns %.1e away", s.name, name, i, d)
				}
			}
		}
	}
}

func TestAllocations(t *testing.T) {
	for _, s := range subjects(t) {
		start := s.workload.Starts[0]
		q, p := clone(start.Q), clone(start.P)
		for name, step := range map[string]stepper{"IM(b)": s.im, "GLF(b)": s.glf} {
			n := testing.AllocsPerRun(20, func() {
				copy(q, start.Q)
				copy(p, start.P)
				step(q, p, 0.1, 1e-6)
			})
			if n != 0 {
				t.Errorf("%s, %s: %v allocations", s.name, name, n)
			}
		}
	}
}

func TestExpNeg(t *testing.T) {
	var x [rows]float64
	for i := range x {
		u := float64(i)/(rows-1)*2 - 1
		x[i] = expLimit * u * u * u
	}
	got := x
	expNeg(&got)
	for i, v := range x {
		want := math.Exp(-v)
		ulp := math.Nextafter(want, math.Inf(1)) - want
		if !(math.Abs(got[i]-want) <= 3*ulp) { // two of ours, one of math.Exp
			t.Errorf("e^%g = %g, want %g", -v, got[i], want)
		}
	}
	x = [rows]float64{math.NaN(), math.Inf(1), math.Inf(-1), 800, 0, -800}
	expNeg(&x)
	if !math.IsNaN(x[0]) || math.Abs(x[1]/math.Exp(-expLimit)-1) > 1e-15 ||
		math.Abs(x[2]/math.Exp(expLimit)-1) > 1e-15 || x[3] != x[1] || x[4] != 1 || x[5] != x[2] {
		t.Errorf("at NaN, ∞, −∞, 800, 0, −800: %v", x[:6])
	}
}

// TestCholesky compares with gonum.
func TestCholesky(t *testing.T) {
	var a [pairs]float64
	full := mat.NewSymDense(LogisticK, nil)
	c := 0
	for i := range LogisticK {
		for j := range i + 1 {
			a[c] = math.Cos(float64(3*i + 7*j))
			if i == j {
				a[c] += 12
			}
			full.SetSym(i, j, a[c])
			c++
		}
		full.SetSym(i, i, full.At(i, i)+1)
	}
	var chol mat.Cholesky
	if !chol.Factorize(full) {
		t.Fatal("the test matrix is not positive definite")
	}
	var inv mat.SymDense
	if err := chol.InverseTo(&inv); err != nil {
		t.Fatal(err)
	}
	var l, w triangle
	var pivot, p, v, u [LogisticK]float64
	if !l.factor(&pivot, &a) {
		t.Fatal("no factor")
	}
	w.inverse(&l, &pivot)
	for i := range p {
		p[i] = float64(i*i) - 20
	}
	l.solve(&v, &pivot, &p)
	w.mulVec(&u, &p)
	for i := range LogisticK {
		s := 0.0
		for j := range LogisticK {
			s += inv.At(i, j) * p[j]
			if j <= i && math.Abs(w[i][j]-inv.At(i, j)) > 1e-15 {
				t.Errorf("inverse at (%d, %d): %g, want %g", i, j, w[i][j], inv.At(i, j))
			}
		}
		if math.Abs(v[i]-s) > 1e-14 || math.Abs(u[i]-s) > 1e-14 {
			t.Errorf("solution %d: %g and %g, want %g", i, v[i], u[i], s)
		}
	}
	for _, bad := range []float64{-14, math.NaN(), math.Inf(1)} {
		b := a
		b[pairs-1] = bad
		if l.factor(&pivot, &b) {
			t.Errorf("factor of a matrix with %v on its diagonal", bad)
		}
	}
}

func TestBadArguments(t *testing.T) {
	w := must[*Workload](t)(LogisticWorkload())
	x, y := clone(w.X), clone(w.Y)
	x[17] = math.Inf(1)
	y[3] = 0.5
	for name, f := range map[string]func() (any, error){
		"banana without data":    func() (any, error) { return NewBanana(nil, 1, 1) },
		"banana with NaN":        func() (any, error) { return NewBanana([]float64{math.NaN()}, 1, 1) },
		"banana with sigmaY 0":   func() (any, error) { return NewBanana([]float64{1}, 0, 1) },
		"banana with sigmaT NaN": func() (any, error) { return NewBanana([]float64{1}, 1, math.NaN()) },
		"logistic, other size":   func() (any, error) { return NewLogistic(w.X[:20], w.Y[:2]) },
		"logistic, x infinite":   func() (any, error) { return NewLogistic(x, w.Y) },
		"logistic, y = 1/2":      func() (any, error) { return NewLogistic(w.X, y) },
	} {
		if _, err := f(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
