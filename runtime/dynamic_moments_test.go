package runtime_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"
	"time"

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
	for _, metric := range []runtime.EuclideanMetric{runtime.DiagE, runtime.DenseE, runtime.UnitE} {
		opt := runtime.DefaultOptions()
		opt.Metric, opt.Draws = metric, 3000
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

// shrunk returns Stan's estimate of the covariance matrix S of n points, in units in which the
// coordinates have a sample variance of 1: n/(n + 5) S + 10⁻³ 5/(n + 5) diag S.
func shrunk(s [2][2]float64, n float64) (out [2][2]float64) {
	for i := range out {
		for j := range out[i] {
			out[i][j] = n / (n + 5) * s[i][j]
		}
		out[i][i] += 1e-3 * 5 / (n + 5) * s[i][i]
	}
	return out
}

// element returns an element of an inverse metric that is a diagonal or a matrix.
func element(c []float64, i, j int) float64 {
	if len(c) == 4 {
		return c[2*i+j]
	}
	if i == j {
		return c[i]
	}
	return 0
}

// The metric changes at the end of each window of the warm-up, and is Stan's estimate
// from the points of the window, but for the unit of the shrinkage.
func TestAdaptedMetricIsStans(t *testing.T) {
	m, _, _ := correlated()
	for _, metric := range []runtime.EuclideanMetric{runtime.DiagE, runtime.DenseE} {
		opt := runtime.DefaultOptions()
		opt.Metric, opt.Chains, opt.Draws = metric, 1, 10
		w := &points{}
		r, err := runtime.Sample(context.Background(), m, opt, w)
		if err != nil {
			t.Fatal(err)
		}
		if len(w.q) != 1000 {
			t.Fatalf("%d transitions", len(w.q))
		}
		begin := 0
		for n := range w.q {
			switch n + 1 {
			default:
				// Until the first window is over, it is the identity.
				if n > 0 && !slices.Equal(w.inverse[n], w.inverse[n-1]) || n == 0 && element(w.inverse[n], 1, 1) != 1 {
					t.Fatalf("%v: the metric changes at transition %d", metric, n+1)
				}
				continue
			case 75: // the first that only the step size learns from
				begin = 75
				continue
			case 100, 150, 250, 450, 950:
			}
			window := w.q[begin : n+1]
			k := float64(len(window))
			var mean [2]float64
			var s [2][2]float64
			for _, q := range window {
				mean[0] += q[0] / k
				mean[1] += q[1] / k
			}
			for _, q := range window {
				for i := range s {
					for j := range s[i] {
						s[i][j] += (q[i] - mean[i]) * (q[j] - mean[j]) / (k - 1)
					}
				}
			}
			want := shrunk(s, k)
			for i := range want {
				for j := range want[i] {
					if metric == runtime.DiagE && i != j {
						want[i][j] = 0
					}
					if got := element(w.inverse[n], i, j); !(math.Abs(got-want[i][j]) <= 1e-12*(1+s[i][i])) {
						t.Errorf("%v: after %d transitions C[%d][%d] = %v, want %v", metric, n+1, i, j, got, want[i][j])
					}
				}
			}
			begin = n + 1
		}
		if got := r.Chains[0].Blocks[0].InverseMetric; !slices.Equal(got, w.inverse[999]) {
			t.Errorf("%v: the metric is %v, and %v at the end of the warm-up", metric, got, w.inverse[999])
		}
	}
}

// The adapted inverse metric is the covariance matrix, within the error of its last
// window, and unit_e adapts none.
func TestAdaptedMetricIsTheCovariance(t *testing.T) {
	m, _, sigma := correlated()
	want := shrunk([2][2]float64{{sigma[0][0], sigma[0][1]}, {sigma[1][0], sigma[1][1]}}, 500)
	for _, metric := range []runtime.EuclideanMetric{runtime.DiagE, runtime.DenseE, runtime.UnitE} {
		opt := runtime.DefaultOptions()
		opt.Metric, opt.Chains, opt.Draws = metric, 24, 1
		r := sample(t, m, opt)
		if metric == runtime.UnitE {
			for c := range r.Chains {
				if x := r.Chains[c].Blocks[0].InverseMetric; x != nil {
					t.Errorf("unit_e, chain %d: inverse metric %v", c, x)
				}
			}
			continue
		}
		for i := range want {
			for j := range want[i] {
				if metric == runtime.DiagE && i != j {
					continue
				}
				n, mean, ss := float64(opt.Chains), 0.0, 0.0
				for c := range r.Chains {
					mean += element(r.Chains[c].Blocks[0].InverseMetric, i, j) / n
				}
				for c := range r.Chains {
					d := element(r.Chains[c].Blocks[0].InverseMetric, i, j) - mean
					ss += d * d
				}
				se := math.Sqrt(ss / (n - 1) / n)
				if !(math.Abs(mean-want[i][j]) < bound*se) || !(se < 0.05*math.Sqrt(want[i][i]*want[j][j])) {
					t.Errorf("%v: C[%d][%d] = %.4f ± %.4f on average, want %.4f", metric, i, j, mean, se, want[i][j])
				}
			}
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
