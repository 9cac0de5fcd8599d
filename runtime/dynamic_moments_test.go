package runtime_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/hamc-dev/hamc/runtime"
)

// correlated is a Gaussian with a correlation of 0.9, on two scales, that leaves its
// metric to the warm-up.
func correlated() (m withoutMetric, mu []float64, sigma [][]float64) {
	mu, sigma = []float64{0.5, -1}, [][]float64{{4, 0.9}, {0.9, 0.25}}
	return newWithoutMetric(mu, sigma), mu, sigma
}

// Dynamic trajectories give the moments of a Gaussian with every Euclidean metric,
// and what they report is what they did.
func TestDynamicMomentsOfAGaussian(t *testing.T) {
	m, mu, sigma := correlated()
	for _, metric := range []runtime.EuclideanMetric{runtime.LowRank, runtime.DiagE, runtime.DenseE, runtime.UnitE} {
		opt := runtime.DefaultOptions()
		opt.Metric, opt.Draws, opt.MaxHalvings, opt.Trajectories = metric, 3000, 0, runtime.DynamicTrajectories
		r := sample(t, m, opt)
		x := func(c *runtime.Chain, k, i int) float64 { return c.Draws[k][i] - mu[k] }
		for name, z := range map[string]float64{
			"E x₁":   zScore(r, 0, func(c *runtime.Chain, i int) float64 { return x(c, 0, i) }),
			"E x₂":   zScore(r, 0, func(c *runtime.Chain, i int) float64 { return x(c, 1, i) }),
			"Var x₁": zScore(r, sigma[0][0], func(c *runtime.Chain, i int) float64 { return x(c, 0, i) * x(c, 0, i) }),
			"Var x₂": zScore(r, sigma[1][1], func(c *runtime.Chain, i int) float64 { return x(c, 1, i) * x(c, 1, i) }),
			"Cov":    zScore(r, sigma[0][1], func(c *runtime.Chain, i int) float64 { return x(c, 0, i) * x(c, 1, i) }),
			// χ² with two degrees of freedom, whose square is 8 on average.
			"E lp²": zScore(r, 8, func(c *runtime.Chain, i int) float64 { return 4 * c.Stats[0][i] * c.Stats[0][i] }),
		} {
			if !(math.Abs(z) < bound) {
				t.Errorf("%v: %s off by %.1f standard errors", metric, name, z)
			}
		}
		for c := range r.Chains {
			n := r.Chains[c].Sampling()
			if n.Transitions != 3000 || n.Divergent+n.Saturated+n.Irreversible+n.Failures()+n.Iterations != 0 {
				t.Errorf("%v, chain %d: %+v", metric, c, n)
			}
			steps := 0.0
			for i, depth := range r.Chains[c].Stats[3] {
				k := r.Chains[c].Stats[4][i]
				steps += k
				// A half that was dropped has been begun at least.
				if least := math.Ldexp(1, int(depth)) - 1; k < least || k > 2*least+1 {
					t.Fatalf("%v, chain %d, draw %d: %v steps at depth %v", metric, c, i, k, depth)
				}
			}
			if steps != float64(n.Steps) {
				t.Errorf("%v, chain %d: %d steps, %v by draw", metric, c, n.Steps, steps)
			}
		}
	}
}

// points is an observer that keeps the coordinates and the metric after each
// transition of the warm-up of chain 0.
type points struct {
	witness
	q, inverse [][]float64
}

func (p *points) Warmup(chain int, state func() *runtime.State) error {
	if chain == 0 {
		s := state()
		p.q = append(p.q, s.Q)
		p.inverse = append(p.inverse, s.Blocks[0].InverseMetric)
	}
	return nil
}

// The metric changes at the end of each window of the warm-up. The diagonal is then made of the points of the window and the
// gradients there, and where there are directions the metric is that of the posterior, which is normal: it has settled after the window that ends with the 80th
// transition, and the warm-up ends before its time.
func TestAdaptedMetric(t *testing.T) {
	m, _, sigma := correlated()
	for _, metric := range []runtime.EuclideanMetric{runtime.LowRank, runtime.DiagE, runtime.DenseE} {
		opt := runtime.DefaultOptions()
		opt.Metric, opt.Chains, opt.Warmup, opt.Draws = metric, 1, 1000, 10
		w := &points{}
		r, err := runtime.Sample(context.Background(), m, opt, w)
		if err != nil {
			t.Fatal(err)
		}
		if end := map[bool]int{true: 1000, false: 130}[metric == runtime.DiagE]; len(w.q) != end || r.Chains[0].Warmed() != end || r.Chains[0].Drawn() != 10 {
			t.Fatalf("%v: %d transitions", metric, len(w.q))
		}
		begin := 0
		for n := range w.q {
			switch n + 1 {
			default:
				if n > 0 && !slices.Equal(w.inverse[n], w.inverse[n-1]) {
					t.Fatalf("%v: the metric changes at transition %d", metric, n+1)
				}
				continue
			case 8: // the first that only the step size learns from
				begin = 8
				continue
			case 16, 24, 32, 48, 80, 144, 272, 724, 950:
			}
			if metric == runtime.DiagE {
				for i := range 2 {
					var x, g []float64
					for _, q := range w.q[begin : n+1] {
						grad := make([]float64, 2)
						m.Gradient(grad, q)
						x, g = append(x, q[i]), append(g, grad[i])
					}
					want := math.Sqrt(stat.Variance(x, nil) / stat.Variance(g, nil))
					if got := w.inverse[n][i]; len(w.inverse[n]) != 2 || !(math.Abs(got-want) <= 1e-12*want) {
						t.Errorf("after %d transitions C[%d] = %v, want %v", n+1, i, got, want)
					}
				}
			} else {
				got, tol := w.inverse[n], 4e-3
				if n+1 <= 32 {
					tol = 0.25 // of eight points, some of them equal
				}
				if metric == runtime.LowRank {
					got = fullInverse(m, got)
				}
				for i := range sigma {
					for j, want := range sigma[i] {
						if !(math.Abs(got[2*i+j]-want) <= tol*math.Sqrt(sigma[i][i]*sigma[j][j])) {
							t.Errorf("%v: after %d transitions C[%d][%d] = %v, want %v", metric, n+1, i, j, got[2*i+j], want)
						}
					}
				}
			}
			if n+1 != 724 { // the last window goes on
				begin = n + 1
			}
		}
		if got := r.Chains[0].Blocks[0].InverseMetric; !slices.Equal(got, w.inverse[len(w.inverse)-1]) {
			t.Errorf("%v: the metric is %v, and %v at the end of the warm-up", metric, got, w.inverse[len(w.inverse)-1])
		}
	}
}

// fullInverse is the inverse of the metric that a list describes, as a matrix.
func fullInverse(m runtime.Model, list []float64) []float64 {
	e := runtime.NewEuclidean(m, false)
	e.SetInverse(list)
	n := m.Info().Dim()
	g := make([]float64, n*n)
	e.Metric(g, nil)
	var inv mat.Dense
	if err := inv.Inverse(mat.NewDense(n, n, g)); err != nil {
		return nil
	}
	return inv.RawMatrix().Data
}

// unit_e adapts no metric.
func TestUnitMetric(t *testing.T) {
	m, _, _ := correlated()
	opt := runtime.DefaultOptions()
	opt.Metric, opt.Chains, opt.Draws = runtime.UnitE, 2, 1
	r := sample(t, m, opt)
	for c := range r.Chains {
		if x := r.Chains[c].Blocks[0].InverseMetric; x != nil {
			t.Errorf("chain %d: inverse metric %v", c, x)
		}
	}
}

// cancelling is a Gaussian that calls off the run while it is asked for a gradient.
type cancelling struct {
	withoutMetric
	left   *int // gradients until then
	cancel func()
}

func (m cancelling) Clone() runtime.Model {
	m.withoutMetric = m.withoutMetric.Clone().(withoutMetric)
	return m
}

func (m cancelling) Gradient(grad, q []float64) float64 {
	if *m.left--; *m.left == 0 {
		m.cancel()
		time.Sleep(10 * time.Millisecond) // until the run has heard of it
	}
	return m.withoutMetric.Gradient(grad, q)
}

// A run that is interrupted within a trajectory is the beginning of the run that is
// not, and stands where its last whole transition led.
func TestDynamicRunIsInterrupted(t *testing.T) {
	m, _, _ := correlated()
	opt := runtime.DefaultOptions()
	opt.Chains, opt.Warmup, opt.Draws, opt.StepSize = 1, 0, 60, 0.2
	opt.Init = []runtime.Point{{0.25, -0.75}}
	want := sample(t, m, opt).Chains[0]
	within := 0 // runs that ended within a trajectory
	for at := 3; at < want.Sampling().Steps; at += 29 {
		left := at
		ctx, cancel := context.WithCancel(context.Background())
		r, err := runtime.Sample(ctx, cancelling{m, &left, cancel}, opt, nil)
		cancel()
		if left > 0 {
			t.Fatalf("not called off: %d gradients left", left)
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("error %v", err)
		}
		got := &r.Chains[0]
		n := got.Drawn()
		stand := []float64{0.25, -0.75}
		for k := range stand {
			if !slices.Equal(got.Draws[k], want.Draws[k][:n]) {
				t.Fatalf("called off at gradient %d: draws %v of x[%d], want the beginning of %v", at, got.Draws[k], k, want.Draws[k])
			}
			if n > 0 {
				stand[k] = want.Draws[k][n-1]
			}
		}
		if !slices.Equal(got.State.Q, stand) {
			t.Errorf("called off at gradient %d: after %d draws the chain stands at %v, not at %v", at, n, got.State.Q, stand)
		}
		// One gradient a step, and some to start with.
		if at-left > got.Sampling().Steps+5 {
			within++
		}
		if n == opt.Draws {
			continue
		}
		opt := opt
		opt.From = []*runtime.State{got.State}
		rest := sample(t, m, opt).Chains[0]
		for k := range stand {
			if !slices.Equal(rest.Draws[k], want.Draws[k][n:]) {
				t.Fatalf("called off at gradient %d: the rest is %v of x[%d], want the end of %v", at, rest.Draws[k], k, want.Draws[k])
			}
		}
	}
	if within == 0 {
		t.Error("no run was interrupted within a trajectory")
	}
}
