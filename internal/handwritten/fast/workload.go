package fast

import (
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/hamc-dev/hamc/internal/fixtures"
	"github.com/hamc-dev/hamc/internal/handwritten"
	"github.com/hamc-dev/hamc/runtime"
)

// A Workload is what benchmarks of integrator steps run: a model's data and
// fixed phase-space points to start from, so that every implementation is
// timed on the same work. From each start TrajectorySteps steps of IM(b) and
// of GLF(b) succeed at ε = 0.1, δ = 10⁻⁶.
type Workload struct {
	Params map[string]float64 // constants of the model, as in package fixtures
	X, Y   []float64          // data; X row-major, nil for the banana
	Starts []Start
}

// Start is a phase-space point.
type Start struct {
	Q, P []float64
}

const (
	// NumStarts is the number of starts of a Workload.
	NumStarts = 64

	// TrajectorySteps is how many steps a benchmark makes from each start.
	TrajectorySteps = 5

	workloadEps, workloadTolerance = 0.1, 1e-6
)

// BananaWorkload returns the workload of the banana: θ₂ ~ N(0, 1), θ₁ so that
// μ is within the posterior's spread of the mean of the observations.
func BananaWorkload() (*Workload, error) {
	f, err := fixtures.Load("banana")
	if err != nil {
		return nil, err
	}
	sigmaY, sigmaT := f.Params["sigma_y"], f.Params["sigma_theta"]
	m, err := handwritten.NewBanana(f.Data.Y, sigmaY, sigmaT)
	if err != nil {
		return nil, err
	}
	mean := 0.0
	for _, y := range f.Data.Y {
		mean += y / float64(len(f.Data.Y))
	}
	own, err := NewBanana(f.Data.Y, sigmaY, sigmaT)
	if err != nil {
		return nil, err
	}
	w := &Workload{Params: f.Params, Y: f.Data.Y}
	return w, w.fill(m, func(rng *rand.Rand) []float64 {
		t2 := rng.NormFloat64()
		return []float64{mean - t2*t2 + 0.2*rng.NormFloat64(), t2}
	}, func(s Start) bool {
		return succeeds(s, own.StepIMb) && succeeds(s, own.StepGLFb)
	})
}

// LogisticWorkload returns the workload of the logistic regression: the mode
// plus noise of about the posterior's spread.
func LogisticWorkload() (*Workload, error) {
	f, err := fixtures.Load("logistic_569x10")
	if err != nil {
		return nil, err
	}
	w := &Workload{Params: f.Params, Y: f.Data.Y}
	for _, row := range f.Data.X {
		w.X = append(w.X, row...)
	}
	m, err := handwritten.NewLogistic(w.X, w.Y, LogisticN, LogisticK)
	if err != nil {
		return nil, err
	}
	own, err := NewLogistic(w.X, w.Y)
	if err != nil {
		return nil, err
	}
	return w, w.fill(m, func(rng *rand.Rand) []float64 {
		q := append([]float64{}, f.MAP...)
		for j := range q {
			q[j] += 0.15 * rng.NormFloat64()
		}
		return q
	}, func(s Start) bool {
		return succeeds(s, own.StepIMb) && succeeds(s, own.StepGLFb)
	})
}

// fill draws starts, q from position and p ~ N(0, G(q)), and keeps those from
// which every step succeeds.
func (w *Workload) fill(m runtime.Model, position func(*rand.Rand) []float64, succeeds func(Start) bool) error {
	const limit = 10 * NumStarts
	rng := rand.New(rand.NewPCG(2021, 11))
	for range limit {
		q := position(rng)
		n := len(q)
		g := make([]float64, n*n)
		m.Metric(g, q)
		var chol mat.Cholesky
		if !chol.Factorize(mat.NewSymDense(n, g)) {
			return fmt.Errorf("metric not positive definite at %v", q)
		}
		var l mat.TriDense
		chol.LTo(&l)
		z := make([]float64, n)
		for i := range z {
			z[i] = rng.NormFloat64()
		}
		p := mat.NewVecDense(n, nil)
		p.MulVec(&l, mat.NewVecDense(n, z))
		s := Start{Q: q, P: p.RawVector().Data}
		if succeeds(s) {
			w.Starts = append(w.Starts, s)
		}
		if len(w.Starts) == NumStarts {
			return nil
		}
	}
	return fmt.Errorf("%d of %d starts succeed", len(w.Starts), limit)
}

// succeeds reports whether TrajectorySteps steps succeed from s.
func succeeds[V [2]float64 | [LogisticK]float64](s Start, step func(q, p *V, eps, tol float64) (int, bool)) bool {
	q, p := V(s.Q), V(s.P)
	for range TrajectorySteps {
		if _, ok := step(&q, &p, workloadEps, workloadTolerance); !ok {
			return false
		}
	}
	return true
}
