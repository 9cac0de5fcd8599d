package symbolic

import (
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/hamc-dev/hamc/symbolic/internal/naive"
)

// A testModel is a model with an implementation that shares nothing with the
// calculus: its log density by hand and gonum, complete with constants and
// Jacobians, and where the metric is given explicitly, that too.
type testModel struct {
	name     string
	text     string
	data     map[string][]float64
	logp     func(q []float64) float64
	metric   func(q []float64) [][]float64
	hessian  float64 // ±1 where the matrix is ± the Hessian of the log density
	constant bool
	diagonal bool
}

type numbers = map[string][]float64

func normal(x, mu, sigma float64) float64 { return distuv.Normal{Mu: mu, Sigma: sigma}.LogProb(x) }
func gamma(x, a, b float64) float64       { return distuv.Gamma{Alpha: a, Beta: b}.LogProb(x) }
func student(x, nu, mu, sigma float64) float64 {
	return distuv.StudentsT{Nu: nu, Mu: mu, Sigma: sigma}.LogProb(x)
}
func expit(u float64) float64 { return 1 / (1 + math.Exp(-u)) }

// interval is lo + (hi−lo)·expit(u) with the log-Jacobian of the map.
func interval(lo, hi, u float64) (x, logJ float64) {
	s := expit(u)
	return lo + (hi-lo)*s, math.Log((hi - lo) * s * (1 - s))
}

func scaledIdentity(n int, v float64) [][]float64 {
	g := newMatrix(n)
	for i := range g {
		g[i][i] = v
	}
	return g
}

func symDense(v []float64) *mat.SymDense {
	n := int(math.Sqrt(float64(len(v))))
	return mat.NewSymDense(n, v)
}

func inverseOf(v []float64) [][]float64 {
	var c mat.Cholesky
	c.Factorize(symDense(v))
	n := symDense(v).SymmetricDim()
	var inv mat.SymDense
	if err := c.InverseTo(&inv); err != nil {
		panic(err)
	}
	g := newMatrix(n)
	for i := range g {
		for j := range g[i] {
			g[i][j] = inv.At(i, j)
		}
	}
	return g
}

// multiNormal is the log density of N(mu, Σ) by a Cholesky solve.
func multiNormal(x, mu, sigma []float64) float64 {
	n := len(x)
	var c mat.Cholesky
	c.Factorize(symDense(sigma))
	r := mat.NewVecDense(n, nil)
	for i := range x {
		r.SetVec(i, x[i]-mu[i])
	}
	var z mat.VecDense
	if err := c.SolveVecTo(&z, r); err != nil {
		panic(err)
	}
	return -0.5*mat.Dot(r, &z) - 0.5*c.LogDet() - 0.5*float64(n)*math.Log(2*math.Pi)
}

var (
	y5     = []float64{0.3, -1.2, 2.1, 0.7, 1.9}
	pos5   = []float64{0.3, 1.2, 2.1, 0.7, 1.9}
	unit5  = []float64{0.3, 0.62, 0.91, 0.07, 0.5}
	bin5   = []float64{0, 1, 1, 0, 1}
	count5 = []float64{0, 3, 1, 7, 2}
	x53    = []float64{0.5, -1, 0.2, 1.5, 0.3, -0.7, -0.4, 0.9, 1.1, 0.05, -0.6, 0.8, 1, 0.2, -1.3}
	cov2   = []float64{2, 0.6, 0.6, 1}
	cov3   = []float64{2, 0.6, 0.1, 0.6, 1, -0.2, 0.1, -0.2, 0.7}
)

// predictor is X q for the 5×3 design.
func predictor(i int, q []float64) (eta float64) {
	for j := range 3 {
		eta += x53[3*i+j] * q[j]
	}
	return eta
}

var testModels = []testModel{
	{
		name: "normal, fisher",
		text: "model m\ndata n int\ndata y real[n]\nparam mu real\nparam sigma real > 0\ny ~ normal(mu, sigma)\nmu ~ normal(0, 2)\nsigma ~ exponential(1)\nmetric fisher\n",
		data: numbers{"n": {5}, "y": y5},
		logp: func(q []float64) float64 {
			s := math.Exp(q[1])
			l := normal(q[0], 0, 2) + distuv.Exponential{Rate: 1}.LogProb(s) + q[1]
			for _, y := range y5 {
				l += normal(y, q[0], s)
			}
			return l
		},
		// n/σ² + 1/4 for mu; 2n + σ for log σ.
		metric: func(q []float64) [][]float64 {
			s := math.Exp(q[1])
			return [][]float64{{5/(s*s) + 0.25, 0}, {0, 10 + s}}
		},
		diagonal: true,
	},
	{
		name: "banana, fisher",
		text: "model m\ndata n int\ndata y real[n]\ndata sy, st real > 0\nparam t1, t2 real\ny ~ normal(t1 + t2^2, sy)\nt1, t2 ~ normal(0, st)\nmetric fisher\n",
		data: numbers{"n": {5}, "y": y5, "sy": {2}, "st": {1.5}},
		logp: func(q []float64) float64 {
			l := normal(q[0], 0, 1.5) + normal(q[1], 0, 1.5)
			for _, y := range y5 {
				l += normal(y, q[0]+q[1]*q[1], 2)
			}
			return l
		},
		metric: func(q []float64) [][]float64 {
			p := 1 / (1.5 * 1.5)
			return [][]float64{{5./4 + p, 2.5 * q[1]}, {2.5 * q[1], 5*q[1]*q[1] + p}}
		},
	},
	{
		name: "banana by density, explicit matrix",
		text: "model m\ndata n int\ndata y real[n]\ndata sy, st real > 0\nparam t1, t2 real\n" +
			"density -sum(i in n) (y[i] - t1 - t2^2)^2/(2*sy^2) - (t1^2 + t2^2)/(2*st^2)\n" +
			"metric [ n/sy^2 + 1/st^2, 2*n*t2/sy^2 ; 2*t2*n/sy^2, 4*n*t2^2/sy^2 + 1/st^2 ]\n",
		data: numbers{"n": {5}, "y": y5, "sy": {2}, "st": {1.5}},
		logp: func(q []float64) float64 {
			l := -(q[0]*q[0] + q[1]*q[1]) / 4.5
			for _, y := range y5 {
				l -= (y - q[0] - q[1]*q[1]) * (y - q[0] - q[1]*q[1]) / 8
			}
			return l
		},
		metric: func(q []float64) [][]float64 {
			p := 1 / (1.5 * 1.5)
			return [][]float64{{5./4 + p, 2.5 * q[1]}, {2.5 * q[1], 5*q[1]*q[1] + p}}
		},
	},
	{
		name: "funnel, softabs",
		text: "model m\nconst k = 4\nparam x real[k]\nparam v real\nv ~ normal(0, 3)\nx ~ normal(0, exp(-v/2))\nmetric softabs(alpha = 1e6)\n",
		logp: func(q []float64) float64 {
			l := normal(q[4], 0, 3)
			for _, x := range q[:4] {
				l += normal(x, 0, math.Exp(-q[4]/2))
			}
			return l
		},
		hessian: 1,
	},
	{
		name: "funnel of data size, hessian",
		text: "model m\ndata k int\nparam v real\nparam x real[k]\nv ~ normal(0, 3)\nx ~ normal(0, exp(v/2))\nmetric hessian\n",
		data: numbers{"k": {3}},
		logp: func(q []float64) float64 {
			l := normal(q[0], 0, 3)
			for _, x := range q[1:] {
				l += normal(x, 0, math.Exp(q[0]/2))
			}
			return l
		},
		hessian: -1,
	},
	{
		name: "logistic, fisher",
		text: "model m\ndata n, k int\ndata x real[n, k]\ndata y int[n] in {0, 1}\nparam beta real[k]\ny ~ bernoulli_logit(x*beta)\nbeta ~ normal(0, 1)\nmetric fisher\n",
		data: numbers{"n": {5}, "k": {3}, "x": x53, "y": bin5},
		logp: func(q []float64) float64 {
			l := 0.0
			for _, b := range q {
				l += normal(b, 0, 1)
			}
			for i, y := range bin5 {
				l += distuv.Bernoulli{P: expit(predictor(i, q))}.LogProb(y)
			}
			return l
		},
		metric: func(q []float64) [][]float64 {
			g := scaledIdentity(3, 1)
			for i := range 5 {
				s := expit(predictor(i, q))
				for a := range 3 {
					for b := range 3 {
						g[a][b] += s * (1 - s) * x53[3*i+a] * x53[3*i+b]
					}
				}
			}
			return g
		},
	},
	{
		name: "logistic, indexed metric and lets",
		text: "model m\ndata n, k int\ndata x real[n, k]\ndata y int[n] in {0, 1}\nparam beta real[k]\n" +
			"let eta[i in n] = sum(j in k) x[i,j]*beta[j]\nlet s[i in n] = exp(eta[i])/(1 + exp(eta[i]))\n" +
			"y ~ bernoulli(s)\nbeta ~ normal(0, 1)\n" +
			"metric[j in k, l in k] = sum(i in n) s[i]*(1 - s[i])*x[i,j]*x[i,l] + delta(j, l)\n",
		data: numbers{"n": {5}, "k": {3}, "x": x53, "y": bin5},
		logp: func(q []float64) float64 {
			l := 0.0
			for _, b := range q {
				l += normal(b, 0, 1)
			}
			for i, y := range bin5 {
				l += distuv.Bernoulli{P: expit(predictor(i, q))}.LogProb(y)
			}
			return l
		},
		metric: func(q []float64) [][]float64 {
			g := scaledIdentity(3, 1)
			for i := range 5 {
				s := expit(predictor(i, q))
				for a := range 3 {
					for b := range 3 {
						g[a][b] += s * (1 - s) * x53[3*i+a] * x53[3*i+b]
					}
				}
			}
			return g
		},
	},
	{
		name: "multi_normal, inverse",
		text: "model m\ndata mu real[2]\ndata Sigma cov[2]\nparam q real[2]\nq ~ multi_normal(mu, Sigma)\nmetric inverse(Sigma)\n",
		data: numbers{"mu": {0.5, -1}, "Sigma": cov2},
		logp: func(q []float64) float64 {
			return multiNormal(q, []float64{0.5, -1}, cov2)
		},
		metric:   func([]float64) [][]float64 { return inverseOf(cov2) },
		constant: true,
	},
	{
		name: "multi_normal of data with a predictor, fisher",
		text: "model m\ndata n, k int\ndata y real[n]\ndata x real[n, k]\ndata S cov[n]\ndata P cov[k]\nparam b real[k]\ny ~ multi_normal(exp(x*b), S)\nb ~ multi_normal(0*b, P)\nmetric fisher\n",
		data: numbers{"n": {3}, "k": {2}, "y": y5[:3], "x": x53[:6], "S": cov3, "P": cov2},
		logp: func(q []float64) float64 {
			mu := make([]float64, 3)
			for i := range mu {
				mu[i] = math.Exp(x53[2*i]*q[0] + x53[2*i+1]*q[1])
			}
			return multiNormal(y5[:3], mu, cov3) + multiNormal(q, []float64{0, 0}, cov2)
		},
		metric: func(q []float64) [][]float64 {
			g, s := inverseOf(cov2), inverseOf(cov3)
			d := newMatrix(3)
			for i := range 3 {
				for a := range 2 {
					d[i][a] = math.Exp(x53[2*i]*q[0]+x53[2*i+1]*q[1]) * x53[2*i+a]
				}
			}
			for a := range 2 {
				for b := range 2 {
					for i := range 3 {
						for j := range 3 {
							g[a][b] += d[i][a] * s[i][j] * d[j][b]
						}
					}
				}
			}
			return g
		},
	},
	{
		name: "student_t with everything unknown, hessian",
		text: "model m\ndata n int\ndata y real[n]\nparam mu real\nparam sigma, nu real > 0\ny ~ student_t(nu, mu, sigma)\nmu ~ student_t(4, 0, 1)\nsigma, nu ~ gamma(2, 0.5)\nmetric hessian\n",
		data: numbers{"n": {5}, "y": y5},
		logp: func(q []float64) float64 {
			s, nu := math.Exp(q[1]), math.Exp(q[2])
			l := student(q[0], 4, 0, 1) + gamma(s, 2, 0.5) + gamma(nu, 2, 0.5) + q[1] + q[2]
			for _, y := range y5 {
				l += student(y, nu, q[0], s)
			}
			return l
		},
		hessian: -1,
	},
	{
		name: "student_t with known degrees, fisher",
		text: "model m\ndata n int\ndata y real[n]\nparam mu real\nparam sigma real > 0\ny ~ student_t(4, mu, sigma)\nmu ~ normal(0, 1)\nsigma ~ lognormal(0, 1)\nmetric fisher\n",
		data: numbers{"n": {5}, "y": y5},
		logp: func(q []float64) float64 {
			s := math.Exp(q[1])
			l := normal(q[0], 0, 1) + distuv.LogNormal{Mu: 0, Sigma: 1}.LogProb(s) + q[1]
			for _, y := range y5 {
				l += student(y, 4, q[0], s)
			}
			return l
		},
		metric: func(q []float64) [][]float64 {
			s := math.Exp(q[1])
			return [][]float64{{5*5/(7*s*s) + 1, 0}, {0, 5*8./7 + 1}}
		},
		diagonal: true,
	},
	{
		name: "cauchy, softabs, half cauchy prior",
		text: "model m\ndata n int\ndata y real[n]\nparam mu real\nparam tau real > 0\ny ~ cauchy(mu, tau)\nmu ~ cauchy(1, 2)\ntau ~ cauchy(0, 5)\nmetric softabs(alpha = 10)\n",
		data: numbers{"n": {5}, "y": y5},
		logp: func(q []float64) float64 {
			s := math.Exp(q[1])
			l := student(q[0], 1, 1, 2) + student(s, 1, 0, 5) + q[1]
			for _, y := range y5 {
				l += student(y, 1, q[0], s)
			}
			return l
		},
		hessian: 1,
	},
	{
		name: "exponential with a log link, hessian",
		text: "model m\ndata n, k int\ndata x real[n, k]\ndata y real[n] > 0\nparam b real[k]\ny ~ exponential(exp(x*b))\nb ~ normal(0, 2)\nmetric hessian\n",
		data: numbers{"n": {5}, "k": {3}, "x": x53, "y": pos5},
		logp: func(q []float64) float64 {
			l := 0.0
			for _, b := range q {
				l += normal(b, 0, 2)
			}
			for i, y := range pos5 {
				l += distuv.Exponential{Rate: math.Exp(predictor(i, q))}.LogProb(y)
			}
			return l
		},
		hessian: -1,
	},
	{
		name: "gamma, fisher",
		text: "model m\ndata n int\ndata y real[n] > 0\nparam a, b real > 0\ny ~ gamma(a, b)\na, b ~ exponential(0.5)\nmetric fisher\n",
		data: numbers{"n": {5}, "y": pos5},
		logp: func(q []float64) float64 {
			a, b := math.Exp(q[0]), math.Exp(q[1])
			l := q[0] + q[1] + distuv.Exponential{Rate: 0.5}.LogProb(a) + distuv.Exponential{Rate: 0.5}.LogProb(b)
			for _, y := range pos5 {
				l += gamma(y, a, b)
			}
			return l
		},
		// n I(a, b) on the log scale, and u ↦ ½eᵘ of the priors.
		metric: func(q []float64) [][]float64 {
			a, b := math.Exp(q[0]), math.Exp(q[1])
			return [][]float64{{5*a*a*naive.TrigammaSeries(a) + 0.5*a, -5 * a}, {-5 * a, 5*a + 0.5*b}}
		},
	},
	{
		name: "intervals, fisher",
		text: "model m\ndata n int\ndata y int[n] in {0, 1}\nparam p, r real in (0, 1)\ny ~ bernoulli(p)\np ~ beta(2, 3)\nmetric fisher\n",
		data: numbers{"n": {5}, "y": bin5},
		logp: func(q []float64) float64 {
			p, j := interval(0, 1, q[0])
			_, k := interval(0, 1, q[1])
			l := j + k + distuv.Beta{Alpha: 2, Beta: 3}.LogProb(p)
			for _, y := range bin5 {
				l += distuv.Bernoulli{P: p}.LogProb(y)
			}
			return l
		},
		// n p(1−p) of the data, (α + β) p(1−p) of the prior with its
		// Jacobian, 2 r(1−r) of a Jacobian alone.
		metric: func(q []float64) [][]float64 {
			p, r := expit(q[0]), expit(q[1])
			return [][]float64{{10 * p * (1 - p), 0}, {0, 2 * r * (1 - r)}}
		},
		diagonal: true,
	},
	{
		name: "inv_gamma and beta priors, hessian",
		text: "model m\ndata n int\ndata y real[n] > 0\ndata z real[n] in (0, 1)\nparam a, b real > 0\nparam p real in (0, 1)\ny ~ inv_gamma(a, b)\nz ~ beta(a, b)\na ~ inv_gamma(2, 3)\nb ~ gamma(2, 1)\np ~ beta(2, 3)\nmetric hessian\n",
		data: numbers{"n": {5}, "y": pos5, "z": unit5},
		logp: func(q []float64) float64 {
			a, b := math.Exp(q[0]), math.Exp(q[1])
			p, j := interval(0, 1, q[2])
			l := j + q[0] + q[1] + distuv.InverseGamma{Alpha: 2, Beta: 3}.LogProb(a) + gamma(b, 2, 1) + distuv.Beta{Alpha: 2, Beta: 3}.LogProb(p)
			for i := range 5 {
				l += distuv.InverseGamma{Alpha: a, Beta: b}.LogProb(pos5[i]) + distuv.Beta{Alpha: a, Beta: b}.LogProb(unit5[i])
			}
			return l
		},
		hessian: -1,
	},
	{
		name: "lognormal and uniform on an interval, hessian",
		text: "model m\ndata n int\ndata y real[n] > 0\ndata lo, hi real\nparam mu real in (lo, hi)\nparam s real in (0.5, 3)\ny ~ lognormal(mu, s)\nmu ~ uniform(lo, hi)\nmetric hessian\n",
		data: numbers{"n": {5}, "y": pos5, "lo": {-1}, "hi": {2.5}},
		logp: func(q []float64) float64 {
			mu, j := interval(-1, 2.5, q[0])
			s, k := interval(0.5, 3, q[1])
			l := j + k + distuv.Uniform{Min: -1, Max: 2.5}.LogProb(mu)
			for _, y := range pos5 {
				l += distuv.LogNormal{Mu: mu, Sigma: s}.LogProb(y)
			}
			return l
		},
		hessian: -1,
	},
	{
		name: "upper and shifted lower bounds, hessian",
		text: "model m\ndata n int\ndata y real[n]\ndata top real\nparam u real[n] < top\nparam w real > 1.5\ny ~ normal(u, w)\nu ~ normal(0, 1)\nw ~ normal(2, 1)\nmetric hessian\n",
		data: numbers{"n": {3}, "y": y5[:3], "top": {2}},
		logp: func(q []float64) float64 {
			w := 1.5 + math.Exp(q[3])
			l := q[3] + normal(w, 2, 1)
			for i := range 3 {
				u := 2 - math.Exp(q[i])
				l += q[i] + normal(u, 0, 1) + normal(y5[i], u, w)
			}
			return l
		},
		hessian: -1,
	},
	{
		name: "poisson with a positive rate, fisher",
		text: "model m\ndata n int\ndata y int[n] >= 0\nparam a, b real > 0\ny ~ poisson(a*b + a)\na, b ~ gamma(3, 2)\nmetric fisher\n",
		data: numbers{"n": {5}, "y": count5},
		logp: func(q []float64) float64 {
			a, b := math.Exp(q[0]), math.Exp(q[1])
			l := q[0] + q[1] + gamma(a, 3, 2) + gamma(b, 3, 2)
			for _, y := range count5 {
				l += distuv.Poisson{Lambda: a*b + a}.LogProb(y)
			}
			return l
		},
		metric: func(q []float64) [][]float64 {
			a, b := math.Exp(q[0]), math.Exp(q[1])
			lam, da, db := a*b+a, a*b+a, a*b
			return [][]float64{{5*da*da/lam + 2*a, 5 * da * db / lam}, {5 * da * db / lam, 5*db*db/lam + 2*b}}
		},
	},
	{
		name: "poisson_log with an offset, hessian",
		text: "model m\ndata n, k int\ndata x real[n, k]\ndata off real[n]\ndata y int[n] >= 0\nparam b real[k]\nparam c real\ny ~ poisson_log(x*b + off + c)\nb ~ normal(c, 1)\nc ~ normal(0, 1)\nmetric hessian\n",
		data: numbers{"n": {5}, "k": {3}, "x": x53, "off": unit5, "y": count5},
		logp: func(q []float64) float64 {
			l := normal(q[3], 0, 1)
			for _, b := range q[:3] {
				l += normal(b, q[3], 1)
			}
			for i, y := range count5 {
				l += distuv.Poisson{Lambda: math.Exp(predictor(i, q) + unit5[i] + q[3])}.LogProb(y)
			}
			return l
		},
		hessian: -1,
	},
	{
		name: "binomial_logit, softabs",
		text: "model m\ndata n, k int\ndata x real[n, k]\ndata N int[n] >= 0\ndata y int[n] >= 0\nparam b real[k]\ny ~ binomial_logit(N, x*b)\nb ~ student_t(3, 0, 2)\nmetric softabs(alpha = 1e6)\n",
		data: numbers{"n": {5}, "k": {3}, "x": x53, "N": {4, 5, 3, 9, 6}, "y": count5},
		logp: func(q []float64) float64 {
			l := 0.0
			for _, b := range q {
				l += student(b, 3, 0, 2)
			}
			for i, n := range []float64{4, 5, 3, 9, 6} {
				l += distuv.Binomial{N: n, P: expit(predictor(i, q))}.LogProb(count5[i])
			}
			return l
		},
		hessian: 1,
	},
	{
		name: "autoregression of first order, hessian",
		text: "model m\ndata T int\ndata y real[T]\nparam x real[T]\nparam phi real in (-1, 1)\nparam sigma real > 0\n" +
			"x[1] ~ normal(0, sigma/sqrt(1 - phi^2))\nx[t] ~ normal(phi*x[t-1], sigma) for t in 2..T\ny ~ normal(0, exp(x/2))\nsigma ~ gamma(2, 2)\nmetric hessian\n",
		data:    numbers{"T": {5}, "y": y5},
		logp:    volatility,
		hessian: -1,
	},
	{
		name: "autoregression of first order, softabs",
		text: "model m\ndata T int\ndata y real[T]\nparam x real[T]\nparam phi real in (-1, 1)\nparam sigma real > 0\n" +
			"x[1] ~ normal(0, sigma/sqrt(1 - phi^2))\nx[t] ~ normal(phi*x[t-1], sigma) for t in 2..T\ny ~ normal(0, exp(x/2))\nsigma ~ gamma(2, 2)\nmetric softabs(alpha = 1e3)\n",
		data:    numbers{"T": {5}, "y": y5},
		logp:    volatility,
		hessian: 1,
	},
	{
		name: "autoregression of second order, hessian",
		text: "model m\ndata T int\ndata y real[T]\nparam x real[T]\nparam a, b real\nx[1] ~ normal(0, 1)\nx[2] ~ normal(0, 1)\nx[t] ~ normal(a*x[t-1] + b*x[t-2], 0.7) for t in 3..T\ny ~ normal(x, 1)\na, b ~ normal(0, 1)\nmetric hessian\n",
		data: numbers{"T": {5}, "y": y5},
		logp: func(q []float64) float64 {
			a, b := q[5], q[6]
			l := normal(q[0], 0, 1) + normal(q[1], 0, 1) + normal(a, 0, 1) + normal(b, 0, 1)
			for i := range 5 {
				l += normal(y5[i], q[i], 1)
				if i >= 2 {
					l += normal(q[i], a*q[i-1]+b*q[i-2], 0.7)
				}
			}
			return l
		},
		hessian: -1,
	},
	{
		name: "nonlinear transition, softabs",
		text: "model m\ndata T int\ndata y real[T]\nparam x real[T]\nparam r real\nx[1] ~ normal(0, 1)\nx[t] ~ normal(r*sin(x[t-1])*x[t-1], exp(0.3*x[t-1])) for t in 2..T\ny ~ normal(x, 1)\nr ~ normal(0, 1)\nmetric softabs(alpha = 100)\n",
		data: numbers{"T": {5}, "y": y5},
		logp: func(q []float64) float64 {
			r := q[5]
			l := normal(q[0], 0, 1) + normal(r, 0, 1)
			for i := range 5 {
				l += normal(y5[i], q[i], 1)
				if i >= 1 {
					l += normal(q[i], r*math.Sin(q[i-1])*q[i-1], math.Exp(0.3*q[i-1]))
				}
			}
			return l
		},
		hessian: 1,
	},
	{
		name: "second differences and lags of data, hessian",
		text: "model m\ndata T int\ndata y real[T]\nparam x real[T]\nparam s real > 0\ndensity -0.5*sum(t in 2..T-1) (x[t+1] - 2*x[t] + x[t-1])^2/s^2 - (T - 2)*log(s) - 0.1*sum(t in T) x[t]^4\ny[t] ~ normal(x[t]*y[t-1], 1) for t in 2..T\ns ~ gamma(2, 2)\nmetric hessian\n",
		data: numbers{"T": {5}, "y": y5},
		logp: func(q []float64) float64 {
			s := math.Exp(q[5])
			l := gamma(s, 2, 2) + q[5] - 3*q[5]
			for i := range 5 {
				l -= 0.1 * math.Pow(q[i], 4)
				if i >= 1 {
					l += normal(y5[i], q[i]*y5[i-1], 1)
				}
				if i >= 1 && i < 4 {
					d := q[i+1] - 2*q[i] + q[i-1]
					l -= 0.5 * d * d / (s * s)
				}
			}
			return l
		},
		hessian: -1,
	},
	{
		name: "identity",
		text: "model m\ndata n int\nparam x real[n]\nparam s real > 0\nx ~ normal(0, s)\ns ~ gamma(2, 1)\nmetric identity\n",
		data: numbers{"n": {3}},
		logp: func(q []float64) float64 {
			s := math.Exp(q[3])
			return normal(q[0], 0, s) + normal(q[1], 0, s) + normal(q[2], 0, s) + gamma(s, 2, 1) + q[3]
		},
		metric:   func([]float64) [][]float64 { return scaledIdentity(4, 1) },
		constant: true, diagonal: true,
	},
	{
		name: "digamma and trigamma under a given metric",
		text: "model m\nparam s real > 0\nparam a real\ndensity digamma(s)*a - trigamma(s)*a^2 - a^4 - s + sinh(a)/10 + tan(a/10)\nmetric diag(2, 1 + a^2)\n",
		logp: func(q []float64) float64 {
			s, a := math.Exp(q[0]), q[1]
			return q[0] + naive.DigammaSeries(s)*a - naive.TrigammaSeries(s)*a*a - a*a*a*a - s + math.Sinh(a)/10 + math.Tan(a/10)
		},
		metric:   func(q []float64) [][]float64 { return [][]float64{{2, 0}, {0, 1 + q[1]*q[1]}} },
		diagonal: true,
	},
	{
		name: "diag of a vector of data, scaled",
		text: "model m\ndata n int\ndata d real[n] > 0\ndata c real > 0\nparam x real[n]\nx ~ normal(0, 1)\nmetric 2*c*diag(d)\n",
		data: numbers{"n": {3}, "d": {1, 2, 3}, "c": {0.7}},
		logp: func(q []float64) float64 { return normal(q[0], 0, 1) + normal(q[1], 0, 1) + normal(q[2], 0, 1) },
		metric: func([]float64) [][]float64 {
			return [][]float64{{1.4, 0, 0}, {0, 2.8, 0}, {0, 0, 4.2}}
		},
		constant: true, diagonal: true,
	},
	{
		name: "diag of expressions over mixed blocks",
		text: "model m\nparam a real\nparam x real[2]\na ~ normal(0, 1)\nx ~ normal(a, 1)\nmetric diag(1 + a^2, exp(x[2]), 2 + sin(x[1])*a)\n",
		logp: func(q []float64) float64 { return normal(q[0], 0, 1) + normal(q[1], q[0], 1) + normal(q[2], q[0], 1) },
		metric: func(q []float64) [][]float64 {
			return [][]float64{{1 + q[0]*q[0], 0, 0}, {0, math.Exp(q[2]), 0}, {0, 0, 2 + math.Sin(q[1])*q[0]}}
		},
		diagonal: true,
	},
	{
		name: "matrix over a vector and a scalar",
		text: "model m\nparam x real[2]\nparam v real\nx ~ normal(0, exp(v))\nv ~ normal(0, 1)\n" +
			"metric [3 + x[1]^2, x[1]*v, 0 ; v*x[1], 2 + exp(v), x[2] ; 0, x[2], 4 + v^2]\n",
		logp: func(q []float64) float64 {
			return normal(q[0], 0, math.Exp(q[2])) + normal(q[1], 0, math.Exp(q[2])) + normal(q[2], 0, 1)
		},
		metric: func(q []float64) [][]float64 {
			return [][]float64{{3 + q[0]*q[0], q[0] * q[2], 0}, {q[0] * q[2], 2 + math.Exp(q[2]), q[1]}, {0, q[1], 4 + q[2]*q[2]}}
		},
	},
	{
		name: "blocks",
		text: "model m\ndata n int\nparam x real[n]\nparam v real\nx ~ normal(0, exp(v/2))\nv ~ normal(0, 3)\n" +
			"metric[x[i], x[j]] = exp(-v)*delta(i, j) + 0.1*x[i]*x[j]\nmetric[x[i], v] = 0.1*x[i]*v\nmetric[v, v] = n/2 + 1/9 + v^2\n",
		data: numbers{"n": {3}},
		logp: func(q []float64) float64 {
			l := normal(q[3], 0, 3)
			for _, x := range q[:3] {
				l += normal(x, 0, math.Exp(q[3]/2))
			}
			return l
		},
		metric: func(q []float64) [][]float64 {
			g := scaledIdentity(4, math.Exp(-q[3]))
			for i := range 3 {
				for j := range 3 {
					g[i][j] += 0.1 * q[i] * q[j]
				}
				g[i][3] = 0.1 * q[i] * q[3]
				g[3][i] = g[i][3]
			}
			g[3][3] = 1.5 + 1./9 + q[3]*q[3]
			return g
		},
	},
	{
		name: "blocks named upper triangle first, two vectors",
		text: "model m\ndata n, k int\ndata A real[n, k]\nparam x real[n]\nparam z real[k]\nx ~ normal(0, 1)\nz ~ normal(0, 1)\n" +
			"metric[x[i], x[j]] = 5*delta(i, j)\nmetric[x[i], z[j]] = A[i,j]*sin(z[j])*cos(x[i])\nmetric[z[i], z[j]] = delta(i, j)*(6 + z[i]^2)\n",
		data: numbers{"n": {3}, "k": {2}, "A": x53[:6]},
		logp: func(q []float64) float64 {
			l := 0.0
			for _, v := range q {
				l += normal(v, 0, 1)
			}
			return l
		},
		metric: func(q []float64) [][]float64 {
			g := scaledIdentity(5, 5)
			for j := range 2 {
				g[3+j][3+j] = 6 + q[3+j]*q[3+j]
				for i := range 3 {
					g[i][3+j] = x53[2*i+j] * math.Sin(q[3+j]) * math.Cos(q[i])
					g[3+j][i] = g[i][3+j]
				}
			}
			return g
		},
	},
	{
		name: "inverse over a scalar and a vector of data size",
		text: "model m\ndata n int\ndata S cov[n+1]\nparam v real\nparam x real[n]\nx ~ normal(v, 1)\nv ~ normal(0, 1)\nmetric inverse(S)\n",
		data: numbers{"n": {2}, "S": cov3},
		logp: func(q []float64) float64 {
			return normal(q[0], 0, 1) + normal(q[1], q[0], 1) + normal(q[2], q[0], 1)
		},
		metric:   func([]float64) [][]float64 { return inverseOf(cov3) },
		constant: true,
	},
	{
		name: "inverse over two vectors of known sizes",
		text: "model m\ndata S cov[3]\nparam x real[2]\nparam v real\nx ~ normal(v, 1)\nv ~ normal(0, 1)\nmetric inverse(S)\n",
		data: numbers{"S": cov3},
		logp: func(q []float64) float64 {
			return normal(q[2], 0, 1) + normal(q[0], q[2], 1) + normal(q[1], q[2], 1)
		},
		metric:   func([]float64) [][]float64 { return inverseOf(cov3) },
		constant: true,
	},
	{
		name: "fisher plus scaled identity plus diag",
		text: "model m\ndata n int\ndata y real[n]\nparam a, b real\ny ~ normal(a*b, 1)\na ~ normal(0, 1)\nb ~ cauchy(0, 1)\nmetric fisher + 1e-1*identity + 0.5*diag(1, 1 + a^2)\n",
		data: numbers{"n": {5}, "y": y5},
		logp: func(q []float64) float64 {
			l := normal(q[0], 0, 1) + student(q[1], 1, 0, 1)
			for _, y := range y5 {
				l += normal(y, q[0]*q[1], 1)
			}
			return l
		},
		metric: func(q []float64) [][]float64 {
			a, b := q[0], q[1]
			// −d² log Cauchy(b) = 2(1 − b²)/(1 + b²)²
			h := 2 * (1 - b*b) / ((1 + b*b) * (1 + b*b))
			return [][]float64{{5*b*b + 1 + 0.1 + 0.5, 5 * a * b}, {5 * a * b, 5*a*a + h + 0.1 + 0.5*(1+a*a)}}
		},
	},
	{
		name: "eight schools, fisher(prior = expected)",
		text: "model m\ndata J int\ndata y real[J]\ndata se real[J] > 0\nparam mu real\nparam tau real > 0\nparam theta real[J]\ny ~ normal(theta, se)\ntheta ~ normal(mu, tau)\nmu ~ normal(0, 5)\ntau ~ gamma(2, 0.5)\nmetric fisher(prior = expected)\n",
		data: numbers{"J": {5}, "y": y5, "se": pos5},
		logp: func(q []float64) float64 {
			tau := math.Exp(q[1])
			l := normal(q[0], 0, 5) + gamma(tau, 2, 0.5) + q[1]
			for i, y := range y5 {
				l += normal(q[2+i], q[0], tau) + normal(y, q[2+i], pos5[i])
			}
			return l
		},
		metric: func(q []float64) [][]float64 {
			p := math.Exp(-2 * q[1])
			g := newMatrix(7)
			g[0][0] = 5*p + 1./25
			g[1][1] = 2*5 + 2 // I_σσ (∂σ/∂u)² = 2 per school; joint gamma: α
			for i := range 5 {
				g[2+i][2+i] = p + 1/(pos5[i]*pos5[i])
				g[2+i][0], g[0][2+i] = -p, -p
			}
			return g
		},
	},
	{
		name: "matrix algebra, hessian",
		text: "model m\ndata n, k int\ndata x real[n, k]\ndata d real[k] > 0\ndata S cov[k]\nparam b real[k]\nparam c real\n" +
			"let m = transpose(x)*x\nlet z = x*b .* exp(0.1*x*b)\n" +
			"density -0.5*dot(b, (m + diag(d))*b) - 0.1*dot(z, z) - 0.2*dot(b, inverse(S)*b)*c^2 - mean(x*b)^2 - c^2*log_det(S)^2 - sum(b .* b ./ d) + c*size(b)\nmetric hessian\n",
		data: numbers{"n": {5}, "k": {3}, "x": x53, "d": {1, 2, 3}, "S": cov3},
		logp: func(q []float64) float64 {
			c, b, inv := q[3], q[:3], inverseOf(cov3)
			var ch mat.Cholesky
			ch.Factorize(symDense(cov3))
			l, mean := 3*c-c*c*ch.LogDet()*ch.LogDet(), 0.0
			for i := range 5 {
				e := predictor(i, b)
				z := e * math.Exp(0.1*e)
				l -= 0.5*e*e + 0.1*z*z
				mean += e / 5
			}
			l -= mean * mean
			for i := range 3 {
				d := float64(i + 1)
				l -= 0.5*d*b[i]*b[i] + b[i]*b[i]/d
				for j := range 3 {
					l -= 0.2 * c * c * b[i] * inv[i][j] * b[j]
				}
			}
			return l
		},
		hessian: -1,
	},
	{
		name: "functions, softabs",
		text: "model m\nparam a, b real\nparam p real in (0, 1)\nparam s real > 0\n" +
			"density -a^4 - b^4 + log_sum_exp(a, 2*b) + log(1 + exp(a*b)) - log(exp(a) + exp(-b)) + tanh(a)*atan(b) - log(cosh(a - b)) + log(Phi(a))\n" +
			"density logit(p)*log1m(p) + lgamma(s + 1) - s^1.5 + pow(s, p) - 2^a/10 + sqrt(s)*inv(1 + s) + square(sin(a))*cos(b) - expm1(p) - log1m_exp(-s) + log_inv_logit(a) + log1m_inv_logit(b) - lbeta(s, 2)\n" +
			"metric softabs(alpha = 1)\n",
		logp: func(q []float64) float64 {
			a, b := q[0], q[1]
			p, j := interval(0, 1, q[2])
			s := math.Exp(q[3])
			lg := func(x float64) float64 { v, _ := math.Lgamma(x); return v }
			l := j + q[3] - math.Pow(a, 4) - math.Pow(b, 4) + math.Log(math.Exp(a)+math.Exp(2*b)) + math.Log(1+math.Exp(a*b)) - math.Log(math.Exp(a)+math.Exp(-b))
			l += math.Tanh(a)*math.Atan(b) - math.Log(math.Cosh(a-b)) + math.Log(distuv.UnitNormal.CDF(a))
			l += math.Log(p/(1-p))*math.Log(1-p) + lg(s+1) - math.Pow(s, 1.5) + math.Pow(s, p) - math.Pow(2, a)/10 + math.Sqrt(s)/(1+s)
			l += math.Sin(a)*math.Sin(a)*math.Cos(b) - math.Exp(p) + 1 - math.Log(1-math.Exp(-s)) + math.Log(expit(a)) + math.Log(1-expit(b))
			return l - (lg(s) + lg(2) - lg(s+2))
		},
		hessian: 1,
	},
	{
		name: "weighted and interacting sums, softabs",
		text: "model m\ndata n, k int\ndata x real[n, k]\ndata w real[n] > 0\ndata y real[n]\nparam b real[k]\nparam s real > 0\nparam u real\n" +
			"density -sum(i in n) w[i]*(y[i] - u)^2/s - 0.5*sum(i in n) (sum(j in k) x[i,j]*b[j])^2*s - sum(i in n) (y[i] - sum(j in k) x[i,j]*b[j])^2 - sum(i in k, j in k) b[i]*b[j]*delta(i, j)*exp(u)\n" +
			"density -sum(i in k, j in k, l in n) x[l,i]*x[l,j]*b[i]*b[j]*u^2\ns ~ gamma(3, 1)\nu ~ normal(sum(b), 1)\nmetric softabs(alpha = 1e6)\n",
		data: numbers{"n": {5}, "k": {3}, "x": x53, "w": pos5, "y": y5},
		logp: func(q []float64) float64 {
			b, s, u := q[:3], math.Exp(q[3]), q[4]
			l := q[3] + gamma(s, 3, 1) + normal(u, b[0]+b[1]+b[2], 1)
			for i := range 5 {
				e := predictor(i, b)
				l -= pos5[i]*(y5[i]-u)*(y5[i]-u)/s + 0.5*e*e*s + (y5[i]-e)*(y5[i]-e) + e*e*u*u
			}
			for _, v := range b {
				l -= v * v * math.Exp(u)
			}
			return l
		},
		hessian: 1,
	},
	{
		name: "constant metric with the parameter cancelling, hessian",
		text: "model m\ndata n, k int\ndata x real[n, k]\ndata y real[n]\nparam b real[k]\nparam c real\ny ~ normal(x*b + c, 2)\nb ~ normal(c, 1)\nc ~ normal(0, 1)\nmetric hessian\n",
		data: numbers{"n": {5}, "k": {3}, "x": x53, "y": y5},
		logp: func(q []float64) float64 {
			l := normal(q[3], 0, 1)
			for _, b := range q[:3] {
				l += normal(b, q[3], 1)
			}
			for i, y := range y5 {
				l += normal(y, predictor(i, q)+q[3], 2)
			}
			return l
		},
		hessian: -1, constant: true,
	},
	{
		name: "fixed subscripts, hessian",
		text: "model m\ndata n int\ndata y real[n]\nparam x real[n]\nparam z real[3]\ny ~ normal(x*exp(z[2]), 1)\nx[1] ~ normal(z[1]*z[3], 1)\nx[t] ~ normal(x[1]*z[2], 2) for t in 2..n\nz ~ normal(x[1], 1)\nmetric hessian\n",
		data: numbers{"n": {4}, "y": y5[:4]},
		logp: func(q []float64) float64 {
			x, z := q[:4], q[4:]
			l := normal(x[0], z[0]*z[2], 1)
			for i := range 4 {
				l += normal(y5[i], x[i]*math.Exp(z[1]), 1)
				if i > 0 {
					l += normal(x[i], x[0]*z[1], 2)
				}
			}
			for _, v := range z {
				l += normal(v, x[0], 1)
			}
			return l
		},
		hessian: -1,
	},
}

// volatility is the log density of the first order autoregressions.
func volatility(q []float64) float64 {
	x := q[:5]
	phi, j := interval(-1, 1, q[5])
	sigma := math.Exp(q[6])
	l := j + q[6] + gamma(sigma, 2, 2) + normal(x[0], 0, sigma/math.Sqrt(1-phi*phi))
	for i := range 5 {
		l += normal(y5[i], 0, math.Exp(x[i]/2))
		if i > 0 {
			l += normal(x[i], phi*x[i-1], sigma)
		}
	}
	return l
}
