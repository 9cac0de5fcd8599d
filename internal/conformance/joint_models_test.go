package conformance

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/hamc-dev/hamc/generated/banana"
	"github.com/hamc-dev/hamc/generated/blood_groups"
	"github.com/hamc-dev/hamc/generated/gaussian"
	"github.com/hamc-dev/hamc/generated/stochastic_volatility"
	"github.com/hamc-dev/hamc/internal/conformance/chain"
	"github.com/hamc-dev/hamc/internal/conformance/latent"
	"github.com/hamc-dev/hamc/internal/conformance/ridge"
	"github.com/hamc-dev/hamc/internal/conformance/schools"
	"github.com/hamc-dev/hamc/internal/conformance/spread"
	"github.com/hamc-dev/hamc/runtime"
)

// A joint is a distribution of parameters x and data y that both are drawn from in
// closed form: the models of the tests of kernels.
type joint struct {
	name string

	// prior draws x, on the parameters' own scale and in the order of their
	// declarations; observe draws y given x.
	prior   func(rng *rand.Rand) []float64
	observe func(rng *rand.Rand, x []float64) []float64

	// posterior returns the density of x given y, made anew.
	posterior func(y []float64) (runtime.Posterior, error)

	// uniforms writes functions of x and y to u. Under the joint distribution each
	// is uniform on (0, 1), and any two are independent. The last is the one that
	// looks at the data: the probability integral transform of the sum of squared
	// residuals, which is a monotone function of the log likelihood where the
	// observations have known variances.
	uniforms func(u, x, y []float64)

	quantities []string // what the uniforms are
}

// normalCDF is the distribution function of the standard normal.
func normalCDF(z float64) float64 { return 0.5 * math.Erfc(-z/math.Sqrt2) }

// residualsOf returns the uniform of a sum of n squared residuals of unit variance.
func residualsOf(sum float64, n int) float64 { return distuv.ChiSquared{K: float64(n)}.CDF(sum) }

// bananaJoint is examples/banana.ham with three observations.
func bananaJoint() *joint {
	const n, sigmaY, sigmaT = 3, 0.8, 1
	return &joint{
		name:       "banana",
		quantities: []string{"t1", "t2", "residuals"},
		prior: func(rng *rand.Rand) []float64 {
			return []float64{sigmaT * rng.NormFloat64(), sigmaT * rng.NormFloat64()}
		},
		observe: func(rng *rand.Rand, x []float64) []float64 {
			y := make([]float64, n)
			for i := range y {
				y[i] = x[0] + x[1]*x[1] + sigmaY*rng.NormFloat64()
			}
			return y
		},
		posterior: func(y []float64) (runtime.Posterior, error) {
			return banana.New(banana.Data{N: n, Y: y, SigmaY: sigmaY, SigmaT: sigmaT})
		},
		uniforms: func(u, x, y []float64) {
			sum := 0.0
			for _, v := range y {
				d := (v - x[0] - x[1]*x[1]) / sigmaY
				sum += d * d
			}
			u[0], u[1], u[2] = normalCDF(x[0]/sigmaT), normalCDF(x[1]/sigmaT), residualsOf(sum, n)
		},
	}
}

// schoolsJoint is schools/schools.ham with two schools: four coordinates, one
// of them the logarithm of a scale with a heavy tail.
func schoolsJoint() *joint {
	sigma := []float64{3, 8}
	effect := func(x []float64, j int) float64 { return x[2] + x[3]*x[j] }
	return &joint{
		name:       "schools",
		quantities: []string{"theta_trans[1]", "theta_trans[2]", "mu", "tau", "residuals"},
		prior: func(rng *rand.Rand) []float64 {
			return []float64{rng.NormFloat64(), rng.NormFloat64(), 5 * rng.NormFloat64(), 5 * math.Tan(0.5*math.Pi*(1-rng.Float64()))}
		},
		observe: func(rng *rand.Rand, x []float64) []float64 {
			return []float64{effect(x, 0) + sigma[0]*rng.NormFloat64(), effect(x, 1) + sigma[1]*rng.NormFloat64()}
		},
		posterior: func(y []float64) (runtime.Posterior, error) {
			return schools.New(schools.Data{J: 2, Y: y, Sigma: sigma})
		},
		uniforms: func(u, x, y []float64) {
			sum := 0.0
			for j, v := range y {
				d := (v - effect(x, j)) / sigma[j]
				sum += d * d
			}
			u[0], u[1], u[2] = normalCDF(x[0]), normalCDF(x[1]), normalCDF(x[2]/5)
			u[3], u[4] = math.Atan(x[3]/5)*2/math.Pi, residualsOf(sum, 2)
		},
	}
}

// latentJoint is latent/latent.ham: a latent vector, under a map whose reference is not where the posterior is.
func latentJoint() *joint {
	scale, tails := distuv.LogNormal{Mu: 0, Sigma: 0.5}, distuv.StudentsT{Sigma: 1, Nu: 4}
	return &joint{
		name:       "latent",
		quantities: []string{"mu", "tau", "a[1]", "a[2]", "residual 1", "residual 2"},
		prior: func(rng *rand.Rand) []float64 {
			mu, tau := rng.NormFloat64(), math.Exp(0.5*rng.NormFloat64())
			return []float64{mu, tau, mu + tau*rng.NormFloat64(), mu + tau*rng.NormFloat64()}
		},
		observe: func(rng *rand.Rand, x []float64) []float64 {
			return []float64{x[2] + tails.Quantile(rng.Float64()), x[3] + tails.Quantile(rng.Float64())}
		},
		posterior: func(y []float64) (runtime.Posterior, error) {
			m, err := latent.New(latent.Data{Y: y})
			if err == nil {
				m.SetReference([]float64{0.3, -0.2, 0.7 * y[0], 1})
			}
			return m, err
		},
		uniforms: func(u, x, y []float64) {
			u[0], u[1] = normalCDF(x[0]), scale.CDF(x[1])
			u[2], u[3] = normalCDF((x[2]-x[0])/x[1]), normalCDF((x[3]-x[0])/x[1])
			u[4], u[5] = tails.CDF(y[0]-x[2]), tails.CDF(y[1]-x[3])
		},
	}
}

// spreadJoint is spread/spread.ham: a spread whose logarithm is bent.
func spreadJoint() *joint {
	return &joint{
		name:       "spread",
		quantities: []string{"mu", "tau", "residual 1", "residual 2"},
		prior:      func(rng *rand.Rand) []float64 { return []float64{rng.NormFloat64(), math.Abs(rng.NormFloat64())} },
		observe: func(rng *rand.Rand, x []float64) []float64 {
			return []float64{x[0] + (1+x[1])*rng.NormFloat64(), x[0] + (1+x[1])*rng.NormFloat64()}
		},
		posterior: func(y []float64) (runtime.Posterior, error) { return spread.New(spread.Data{Y: y}) },
		uniforms: func(u, x, y []float64) {
			u[0], u[1] = normalCDF(x[0]), 2*normalCDF(x[1])-1
			u[2], u[3] = normalCDF((y[0]-x[0])/(1+x[1])), normalCDF((y[1]-x[0])/(1+x[1]))
		},
	}
}

// chainJoint is chain/chain.ham: a chain and its level, under a map whose reference is not where the posterior is.
func chainJoint() *joint {
	scale := distuv.LogNormal{Mu: 0, Sigma: 0.5}
	return &joint{
		name:       "chain",
		quantities: []string{"mu", "tau", "x[1]", "x[2]", "x[3]", "residuals"},
		prior: func(rng *rand.Rand) []float64 {
			mu, tau := rng.NormFloat64(), math.Exp(0.5*rng.NormFloat64())
			x := []float64{mu, tau, mu + tau*rng.NormFloat64(), 0, 0}
			for t := 3; t < 5; t++ {
				x[t] = mu + 0.6*(x[t-1]-mu) + tau*rng.NormFloat64()
			}
			return x
		},
		observe: func(rng *rand.Rand, x []float64) []float64 {
			var y []float64
			for _, v := range x[2:] {
				y = append(y, math.Exp(v/2)*rng.NormFloat64())
			}
			return y
		},
		posterior: func(y []float64) (runtime.Posterior, error) {
			m, err := chain.New(chain.Data{T: len(y), Y: y})
			if err == nil {
				m.SetReference([]float64{0.3, -0.2, 0.7, 1, -0.4})
			}
			return m, err
		},
		uniforms: func(u, x, y []float64) {
			mu, tau, sum := x[0], x[1], 0.0
			u[0], u[1], u[2] = normalCDF(mu), scale.CDF(tau), normalCDF((x[2]-mu)/tau)
			for t := 3; t < 5; t++ {
				u[t] = normalCDF((x[t] - mu - 0.6*(x[t-1]-mu)) / tau)
			}
			for t, v := range x[2:] {
				sum += y[t] * y[t] * math.Exp(-v)
			}
			u[5] = residualsOf(sum, 3)
		},
	}
}

// gaussianJoint has examples/gaussian.ham for its posterior: θ ~ N(0, S), S = [[1, ½],
// [½, 2]], y ~ N(θ, R), R = diag(1, ½), so that θ given y is N(Σ R⁻¹y, Σ) with
// Σ⁻¹ = S⁻¹ + R⁻¹.
func gaussianJoint() *joint {
	s, r := [3]float64{1, 0.5, 2}, [2]float64{1, 0.5}
	det := s[0]*s[2] - s[1]*s[1]
	a, b, d := s[2]/det+1/r[0], -s[1]/det, s[0]/det+1/r[1] // Σ⁻¹
	det = a*d - b*b
	sigma := []float64{d / det, -b / det, -b / det, a / det}
	root := math.Sqrt(s[2] - s[1]*s[1]/s[0])
	return &joint{
		name:       "gaussian",
		quantities: []string{"q[1]", "q[2] given q[1]", "residuals"},
		prior: func(rng *rand.Rand) []float64 {
			first := math.Sqrt(s[0]) * rng.NormFloat64()
			return []float64{first, s[1]/s[0]*first + root*rng.NormFloat64()}
		},
		observe: func(rng *rand.Rand, x []float64) []float64 {
			return []float64{x[0] + math.Sqrt(r[0])*rng.NormFloat64(), x[1] + math.Sqrt(r[1])*rng.NormFloat64()}
		},
		posterior: func(y []float64) (runtime.Posterior, error) {
			w0, w1 := y[0]/r[0], y[1]/r[1]
			mu := []float64{sigma[0]*w0 + sigma[1]*w1, sigma[2]*w0 + sigma[3]*w1}
			return gaussian.New(gaussian.Data{Mu: mu, Sigma: sigma})
		},
		uniforms: func(u, x, y []float64) {
			d0, d1 := y[0]-x[0], y[1]-x[1]
			u[0], u[1] = normalCDF(x[0]/math.Sqrt(s[0])), normalCDF((x[1]-s[1]/s[0]*x[0])/root)
			u[2] = residualsOf(d0*d0/r[0]+d1*d1/r[1], 2)
		},
	}
}

// volatilityJoint is examples/stochastic_volatility.ham with four observations and the
// prior of β of the file sbc_test.go.
func volatilityJoint() *joint {
	const n = 4
	names := []string{"beta", "sigma2", "phi", "x[1]"}
	for i := 2; i <= n; i++ {
		names = append(names, fmt.Sprintf("x[%d] given x[%d]", i, i-1))
	}
	return &joint{
		name:       "volatility",
		quantities: append(names, "residuals"),
		prior: func(rng *rand.Rand) []float64 {
			x, _ := svDraw(rng, n)
			return x
		},
		observe: svObserve,
		posterior: func(y []float64) (runtime.Posterior, error) {
			return stochastic_volatility.New(stochastic_volatility.Data{T: n, Y: y})
		},
		uniforms: func(u, x, y []float64) {
			beta, sigma2, phi := x[n], x[n+1], x[n+2]
			sigma, sum := math.Sqrt(sigma2), 0.0
			u[0] = normalCDF((math.Log(beta) - svBetaMean) / svBetaSD)
			u[1] = distuv.ChiSquared{K: 10}.CDF(10 * 0.05 / sigma2)
			u[2] = distuv.Beta{Alpha: 20, Beta: 1.5}.CDF((phi + 1) / 2)
			u[3] = normalCDF(x[0] * math.Sqrt(1-phi*phi) / sigma)
			for t, v := range y {
				if t > 0 {
					u[3+t] = normalCDF((x[t] - phi*x[t-1]) / sigma)
				}
				v /= beta * math.Exp(x[t]/2)
				sum += v * v
			}
			u[3+n] = residualsOf(sum, n)
		},
	}
}

// ridgeJoint is ridge/ridge.ham, a banana whose metric is chosen by a race.
func ridgeJoint() *joint {
	const n, sigma = 2, 0.3
	j := bananaJoint()
	return &joint{
		name:       "ridge",
		quantities: j.quantities,
		prior:      j.prior,
		observe: func(rng *rand.Rand, x []float64) []float64 {
			mean := x[0] + x[1]*x[1]
			return []float64{mean + sigma*rng.NormFloat64(), mean + sigma*rng.NormFloat64()}
		},
		posterior: func(y []float64) (runtime.Posterior, error) { return ridge.New(ridge.Data{Y: y}) },
		uniforms: func(u, x, y []float64) {
			sum := 0.0
			for _, v := range y {
				d := (v - x[0] - x[1]*x[1]) / sigma
				sum += d * d
			}
			u[0], u[1], u[2] = normalCDF(x[0]), normalCDF(x[1]), residualsOf(sum, n)
		},
	}
}

// groupsJoint is examples/blood_groups.ham with six persons: a simplex, whose coordinates are those of a stick that is broken
// twice. The counts given their total are multinomial, and the Poisson densities of the model are those of the multinomial up
// to a constant. Counts are made uniform by lots that are data too, which the posterior does not know of.
func groupsJoint() *joint {
	const persons = 6
	alpha := []float64{2, 1.5, 3}
	first, second := distuv.Beta{Alpha: alpha[0], Beta: alpha[1] + alpha[2]}, distuv.Beta{Alpha: alpha[1], Beta: alpha[2]}
	// shares are the probabilities of the groups A, B and AB, each given that it is none of those before.
	shares := func(f []float64) [3]float64 {
		a, b, ab := f[0]*f[0]+2*f[0]*f[2], f[1]*f[1]+2*f[1]*f[2], 2*f[0]*f[1]
		return [3]float64{a, b / (1 - a), ab / (1 - a - b)}
	}
	return &joint{
		name:       "groups",
		quantities: []string{"f[1]", "f[2] given f[1]", "persons of A", "of B given A", "of AB given A and B"},
		prior: func(rng *rand.Rand) []float64 {
			x := first.Quantile(rng.Float64())
			rest := (1 - x) * second.Quantile(rng.Float64())
			return []float64{x, rest, 1 - x - rest}
		},
		observe: func(rng *rand.Rand, x []float64) []float64 {
			y := make([]float64, 7)
			left := persons
			for i, p := range shares(x) {
				for range left {
					if rng.Float64() < p {
						y[i]++
					}
				}
				left -= int(y[i])
				y[4+i] = rng.Float64()
			}
			y[3] = float64(left)
			return y
		},
		posterior: func(y []float64) (runtime.Posterior, error) {
			return blood_groups.New(blood_groups.Data{N: ints(y[:4]), Alpha: alpha})
		},
		uniforms: func(u, x, y []float64) {
			u[0], u[1] = first.CDF(x[0]), second.CDF(x[1]/(1-x[0]))
			left := persons
			for i, p := range shares(x) {
				u[2+i] = byLot(left, int(y[i]), p, y[4+i])
				left -= int(y[i])
			}
		},
	}
}

// byLot returns a uniform between the probabilities that a binomial number of n trials is below k, and that it is not above.
func byLot(n, k int, p, lot float64) float64 {
	below, at := 0.0, math.Pow(1-p, float64(n))
	for i := range k {
		below += at
		at *= float64(n-i) / float64(i+1) * p / (1 - p)
	}
	return below + lot*at
}

// stated has the metric of a model that leaves it to hamc stated in the options.
func stated(metric runtime.EuclideanMetric) func(runtime.Posterior) runtime.Posterior {
	return func(p runtime.Posterior) runtime.Posterior {
		opt := runtime.DefaultOptions()
		opt.Metric = metric
		p, _, race, err := runtime.Choose(context.Background(), p, opt)
		if err != nil || race != nil {
			panic(fmt.Sprintf("a race %v, error %v", race, err))
		}
		return p
	}
}

// funnelJoint is a funnel with data: v ~ N(0, 1), x_i ~ N(0, e^v) and y_i ~ N(x_i, 1)
// for two i, written by hand for package runtime's plain algorithms. What stands
// for the metric is that of the coordinates x_i e^(−v/2), in which the prior is a
// standard normal, and the information of the data:
//
//	G = dv² + Σ_i e^(−v)(dx_i − ½x_i dv)² + dx_i²
func funnelJoint() *joint {
	return &joint{
		name:       "funnel",
		quantities: []string{"v", "x[1] given v", "x[2] given v", "residuals"},
		prior: func(rng *rand.Rand) []float64 {
			v := rng.NormFloat64()
			return []float64{v, math.Exp(v/2) * rng.NormFloat64(), math.Exp(v/2) * rng.NormFloat64()}
		},
		observe: func(rng *rand.Rand, x []float64) []float64 {
			return []float64{x[1] + rng.NormFloat64(), x[2] + rng.NormFloat64()}
		},
		posterior: func(y []float64) (runtime.Posterior, error) { return newDataFunnel(y), nil },
		uniforms: func(u, x, y []float64) {
			r := math.Exp(-x[0] / 2)
			d0, d1 := y[0]-x[1], y[1]-x[2]
			u[0], u[1], u[2], u[3] = normalCDF(x[0]), normalCDF(r*x[1]), normalCDF(r*x[2]), residualsOf(d0*d0+d1*d1, 2)
		},
	}
}

// dataFunnel is the posterior of funnelJoint, of coordinates v, x₁, x₂.
type dataFunnel struct {
	info runtime.Info
	y    []float64
}

func newDataFunnel(y []float64) *dataFunnel {
	return &dataFunnel{runtime.Info{Name: "funnel", Params: []runtime.Param{{Name: "v"}, {Name: "x", Shape: []int{2}}}}, y}
}

func (m *dataFunnel) Info() *runtime.Info              { return &m.info }
func (m *dataFunnel) Clone() runtime.Model             { return newDataFunnel(m.y) }
func (m *dataFunnel) Constrain(x, q []float64)         { copy(x, q) }
func (m *dataFunnel) Unconstrain(q, x []float64) error { copy(q, x); return nil }

func (m *dataFunnel) LogDensity(q []float64) float64 {
	v, r := q[0], math.Exp(-q[0])
	l := -0.5*v*v - v
	for i, x := range q[1:] {
		d := m.y[i] - x
		l -= 0.5 * (r*x*x + d*d)
	}
	return l
}

func (m *dataFunnel) Gradient(grad, q []float64) float64 {
	v, r := q[0], math.Exp(-q[0])
	grad[0] = -v - 1
	for i, x := range q[1:] {
		grad[0] += 0.5 * r * x * x
		grad[1+i] = m.y[i] - x - r*x
	}
	return m.LogDensity(q)
}

func (m *dataFunnel) Metric(g, q []float64) {
	r := math.Exp(-q[0])
	clear(g)
	g[0] = 1
	for i, x := range q[1:] {
		k := 1 + i
		g[0] += 0.25 * r * x * x
		g[k], g[3*k] = -0.5*r*x, -0.5*r*x
		g[4*k] = r + 1
	}
}

func (m *dataFunnel) Contract(out, q, w []float64) {
	r := math.Exp(-q[0])
	out[0] = 0
	for i, x := range q[1:] {
		k := 1 + i
		cross := w[k] + w[3*k]
		out[0] += r * (-0.25*x*x*w[0] + 0.5*x*cross - w[4*k])
		out[k] = r * (0.5*x*w[0] - 0.5*cross)
	}
}

func (m *dataFunnel) MetricJacobian(out, q []float64) {
	const n = 3
	for i := range n {
		for j := range n {
			var w [n * n]float64
			w[i*n+j] = 1
			m.Contract(out[(i*n+j)*n:][:n], q, w[:])
		}
	}
}

// withConstantMetric is a Model with a constant metric in place of its own.
type withConstantMetric struct {
	runtime.Model
	info runtime.Info
	g    []float64
}

func constantMetric(g ...float64) func(runtime.Posterior) runtime.Posterior {
	return func(p runtime.Posterior) runtime.Posterior {
		m := &withConstantMetric{Model: p.(runtime.Model), info: *p.Info(), g: g}
		m.info.Metric = runtime.MetricInfo{Constant: true}
		return m
	}
}

func (m *withConstantMetric) Info() *runtime.Info { return &m.info }
func (m *withConstantMetric) Clone() runtime.Model {
	return constantMetric(m.g...)(m.Model.Clone()).(runtime.Model)
}
func (m *withConstantMetric) Metric(g, _ []float64)           { copy(g, m.g) }
func (m *withConstantMetric) Contract(out, _, _ []float64)    { clear(out) }
func (m *withConstantMetric) MetricJacobian(out, _ []float64) { clear(out) }

// noMetric is a Model without a metric of its own: a Euclidean one takes its place.
func noMetric(p runtime.Posterior) runtime.Posterior {
	m := constantMetric(1, 0, 0, 1)(p).(*withConstantMetric)
	m.info.Metric = runtime.MetricInfo{Constant: true, Identity: true, Structure: runtime.Diagonal}
	return m
}

// differences is a Model whose second derivatives are differences of its first ones: what a kernel
// leaves invariant does not depend on how well Newton's method converges.
type differences struct{ runtime.Model }

func curvedByDifferences(p runtime.Posterior) runtime.Posterior {
	return differences{p.(runtime.Model)}
}

// Clone implements runtime.Model.
func (m differences) Clone() runtime.Model { return differences{m.Model.Clone()} }

// Curvature implements runtime.Curved.
func (m differences) Curvature(out, q, w []float64) {
	n := len(q)
	const h = 1e-5
	grad, pair, x := make([]float64, n), make([]float64, n), make([]float64, n)
	clear(out)
	for l := range n {
		for _, d := range []float64{h, -h} {
			copy(x, q)
			x[l] += d
			m.Gradient(grad, x)
			m.Contract(pair, x, w)
			for k := range n {
				out[k*n+l] += (0.5*pair[k] - grad[k]) / (2 * d)
			}
		}
	}
}
