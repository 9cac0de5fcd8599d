package benchmarks

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/hamc-dev/hamc/generated/banana"
	"github.com/hamc-dev/hamc/generated/logistic"
	"github.com/hamc-dev/hamc/internal/benchmarks/logistic569x10"
	"github.com/hamc-dev/hamc/internal/handwritten/fast"
	"github.com/hamc-dev/hamc/runtime"
)

// A Runner integrates the trajectories of a fast.Workload by one implementation
// of one integrator.
type Runner struct {
	Model      string // banana or logistic
	Integrator string // IMb or GLFb
	By         string // generated or hand

	// Trajectory makes fast.TrajectorySteps steps at ε = 0.1, δ = 10⁻⁶ from
	// start i and returns the number of iterations. It reports false if a
	// step failed.
	Trajectory func(i int) (iterations int, ok bool)
}

// Runners returns what there is to compare, generated code and code written by
// hand next to each other: the banana, and the logistic regression with n = 569
// and k = 10, both bound at compile time. An error is about the workloads.
func Runners() ([]Runner, error) {
	w, err := fast.BananaWorkload()
	if err != nil {
		return nil, err
	}
	sy, st := w.Params["sigma_y"], w.Params["sigma_theta"]
	b, err := banana.New(banana.Data{N: len(w.Y), Y: w.Y, SigmaY: sy, SigmaT: st})
	if err != nil {
		return nil, err
	}
	hb, err := fast.NewBanana(w.Y, sy, st)
	if err != nil {
		return nil, err
	}
	out := []Runner{
		{"banana", "IMb", "generated", generated(w, b.StepIMb)},
		{"banana", "IMb", "hand", byHand(starts[[2]float64](w), hb.StepIMb)},
		{"banana", "GLFb", "generated", generated(w, b.StepGLFb)},
		{"banana", "GLFb", "hand", byHand(starts[[2]float64](w), hb.StepGLFb)},
	}

	if w, err = fast.LogisticWorkload(); err != nil {
		return nil, err
	}
	l, err := logistic569x10.New(logistic569x10.Data{X: w.X, Y: outcomes(w.Y)})
	if err != nil {
		return nil, err
	}
	hl, err := fast.NewLogistic(w.X, w.Y)
	if err != nil {
		return nil, err
	}
	return append(out,
		Runner{"logistic", "IMb", "generated", generated(w, l.StepIMb)},
		Runner{"logistic", "IMb", "hand", byHand(starts[[fast.LogisticK]float64](w), hl.StepIMb)},
		Runner{"logistic", "GLFb", "generated", generated(w, l.StepGLFb)},
		Runner{"logistic", "GLFb", "hand", byHand(starts[[fast.LogisticK]float64](w), hl.StepGLFb)},
	), nil
}

const tolerance = 1e-6

// generated returns a Runner's Trajectory for a generated step.
func generated(w *fast.Workload, step runtime.StepFunc) func(int) (int, bool) {
	solver := &runtime.Solver{Tolerance: tolerance, MaxIterations: 1000}
	n := len(w.Starts[0].Q)
	q, p := make([]float64, n), make([]float64, n)
	return func(i int) (int, bool) {
		copy(q, w.Starts[i].Q)
		copy(p, w.Starts[i].P)
		iterations := 0
		for range fast.TrajectorySteps {
			r := step(q, p, stepSize, solver)
			if r.Status != runtime.OK {
				return 0, false
			}
			iterations += r.Iterations
		}
		return iterations, true
	}
}

// A point is a phase-space point of fixed dimension.
type point[V any] struct{ q, p V }

func starts[V [2]float64 | [fast.LogisticK]float64](w *fast.Workload) []point[V] {
	var out []point[V]
	for _, s := range w.Starts {
		out = append(out, point[V]{V(s.Q), V(s.P)})
	}
	return out
}

// byHand is generated for a step of package fast.
func byHand[V any](starts []point[V], step func(q, p *V, eps, tol float64) (int, bool)) func(int) (int, bool) {
	var z point[V]
	return func(i int) (int, bool) {
		z = starts[i]
		iterations := 0
		for range fast.TrajectorySteps {
			it, ok := step(&z.q, &z.p, stepSize, tolerance)
			if !ok {
				return 0, false
			}
			iterations += it
		}
		return iterations, true
	}
}

// outcomes converts what fast holds as floats.
func outcomes(y []float64) []int {
	n := make([]int, len(y))
	for i, v := range y {
		n[i] = int(v)
	}
	return n
}

// ExpChain returns exp(−exp(−… x)), n deep: a chain of calls of math.Exp each of
// which waits for the one before. It is the unit in which the latency of an
// iteration is measured.
func ExpChain(x float64, n int) float64 {
	for range n {
		x = math.Exp(-x)
	}
	return x
}

// Iterations are solves of a given number of iterations, which no tolerance
// ends: a way to time the iteration and nothing else.
type Iterations struct {
	system runtime.System
	solver runtime.Solver
	q0, p0 []float64
	q, p   []float64
}

// IterationCount is how many iterations a solve of Iterations has. It is small,
// so that iterates still move: a model may reuse its factor where they do not.
const IterationCount = 5

// Logistic returns solves for the logistic regression, nothing bound at compile
// time, with k coefficients and 569 simulated observations: an intercept and
// standard normal covariates scaled to variance 1/k, coefficients drawn from
// the prior. They start at those coefficients.
func Logistic(k int) (*Iterations, error) {
	const n = 569
	rng := rand.New(rand.NewPCG(uint64(k), 569))
	beta := make([]float64, k)
	for j := range beta {
		beta[j] = rng.NormFloat64()
	}
	x, y := make([]float64, n*k), make([]int, n)
	for i := range y {
		row := x[i*k : (i+1)*k]
		row[0] = 1
		eta := beta[0]
		for j := 1; j < k; j++ {
			row[j] = rng.NormFloat64() / math.Sqrt(float64(k))
			eta += row[j] * beta[j]
		}
		if rng.Float64() < 1/(1+math.Exp(-eta)) {
			y[i] = 1
		}
	}
	m, err := logistic.New(logistic.Data{N: n, K: k, X: x, Y: y})
	if err != nil {
		return nil, err
	}
	it := &Iterations{
		system: m,
		solver: runtime.Solver{Tolerance: -1, MaxIterations: IterationCount},
		q0:     beta,
		p0:     make([]float64, k),
		q:      make([]float64, k),
		p:      make([]float64, k),
	}
	for j := range it.p0 {
		it.p0[j] = rng.NormFloat64()
	}
	if st := m.DrawMomentum(it.p0, it.q0); st != runtime.OK {
		return nil, fmt.Errorf("logistic regression with k = %d: %v", k, st)
	}
	return it, nil
}

// Midpoint evaluates the vector field 1 + IterationCount times in a step of
// IM(b), the first time for the predictor, and returns that number. It reports
// false if the step ended in any other way than at the limit.
func (it *Iterations) Midpoint() (evaluations int, ok bool) {
	copy(it.q, it.q0)
	copy(it.p, it.p0)
	r := it.system.StepIMb(it.q, it.p, stepSize, &it.solver)
	return 1 + IterationCount, r.Status == runtime.IterationLimit && r.Iterations == IterationCount
}

// Momentum makes the IterationCount iterations of the momentum solve of
// GLF(b), with the quantities at the position kept from the call before, and
// returns that number. It reports false if the step ended in any other way.
func (it *Iterations) Momentum() (iterations int, ok bool) {
	copy(it.q, it.q0)
	copy(it.p, it.p0)
	r := it.system.StepGLFb(it.q, it.p, stepSize, &it.solver)
	return IterationCount, r.Status == runtime.IterationLimit && r.Iterations == IterationCount
}
