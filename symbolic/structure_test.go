package symbolic

import (
	"fmt"
	"math"
	"math/rand"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/symbolic/internal/naive"
)

// TestStructure: constant and diagonal metrics are told from near misses.
func TestStructure(t *testing.T) {
	const (
		vector = "model m\ndata n int\ndata d real[n] > 0\ndata y real[n]\nparam x real[n]\n"
		pair   = "model m\ndata n int\ndata y real[n]\nparam a, b real\n"
	)
	for _, row := range []struct {
		name, text         string
		constant, diagonal bool
	}{
		{"normal prior", vector + "x ~ normal(0, d)\nmetric fisher\n", true, true},
		{"normal prior and data", vector + "x ~ normal(0, 1)\ny ~ normal(x, d)\nmetric fisher\n", true, true},
		{"hessian of a linear model", vector + "x ~ normal(0, 1)\ny ~ normal(3*x, d)\nmetric hessian\n", true, true},
		{"cauchy prior", vector + "x ~ cauchy(0, d)\nmetric hessian\n", false, true},
		{"poisson", "model m\ndata n int\ndata y int[n] >= 0\nparam x real[n]\nx ~ normal(0, 1)\ny ~ poisson_log(x)\nmetric fisher\n", false, true},
		{"the mean couples", vector + "x ~ normal(0, 1)\ny ~ normal(mean(x), d)\nmetric fisher\n", true, false},
		{"a neighbour couples", vector + "x ~ normal(0, 1)\ny[t] ~ normal(x[t] + x[t-1], 1) for t in 2..n\nmetric fisher\n", true, false},
		{"two equal neighbours do not", vector + "x ~ normal(0, 1)\ny[t] ~ normal(x[t-1] + x[t-1], 1) for t in 2..n\nmetric fisher\n", true, true},
		{"one element apart", vector + "x ~ normal(0, 1)\ny ~ normal(x + x[1], 1)\nmetric fisher\n", true, false},
		{"quartic", vector + "density -sum(i in n) x[i]^4\nmetric hessian\n", false, true},
		{"a square cancels", vector + "x ~ normal(0, 1)\ndensity sum(i in n) ((x[i] + 1)^2 - x[i]^2)\nmetric hessian\n", true, true},
		{"separate scalars", pair + "a, b ~ normal(0, 1)\nmetric fisher\n", true, true},
		{"a product couples", pair + "a, b ~ normal(0, 1)\ny ~ normal(a*b, 1)\nmetric fisher\n", false, false},
		{"a sum couples", pair + "a, b ~ normal(0, 1)\ny ~ normal(a + b, 1)\nmetric fisher\n", true, false},
		{"location and scale", "model m\ndata n int\ndata y real[n]\nparam a real\nparam s real > 0\na ~ normal(0, 1)\ns ~ lognormal(0, 1)\ny ~ normal(a, s)\nmetric fisher\n", false, true},
		{"location and known scale", "model m\ndata n int\ndata y real[n]\nparam s real > 0\ns ~ lognormal(0, 1)\ny ~ normal(0, s)\nmetric fisher\n", true, true},
		{"prior on the parameter's own scale", "model m\nparam s real > 0\ns ~ exponential(1)\nmetric fisher\n", false, true},
		{"expected prior", "model m\nparam s real > 0\ns ~ exponential(1)\nmetric fisher(prior = expected)\n", true, true},
		{"identity", pair + "a, b ~ cauchy(0, 1)\nmetric identity\n", true, true},
		{"full constant matrix", pair + "a, b ~ cauchy(0, 1)\nmetric [2, 1 ; 1, 3]\n", true, false},
		{"diagonal matrix", pair + "a, b ~ cauchy(0, 1)\nmetric [2, 0 ; 0, 1 + a^2]\n", false, true},
		{"an entry that is zero only after simplification", pair + "a, b ~ cauchy(0, 1)\nmetric [2, a - a ; 0*b, 3]\n", true, true},
		{"indexed diagonal", vector + "x ~ normal(0, 1)\nmetric[i in n, j in n] = delta(i, j)*d[i]\n", true, true},
		{"indexed with rank one", vector + "x ~ normal(0, 1)\nmetric[i in n, j in n] = delta(i, j) + d[i]*d[j]\n", true, false},
		{"diag of scalars over a vector", "model m\nparam x real[2]\nx ~ normal(0, 1)\nmetric diag(1, 1 + x[1]^2)\n", false, true},
		{"softabs", vector + "x ~ normal(0, 1)\nmetric softabs(alpha = 1)\n", false, false},
	} {
		d, _ := load(t, row.text)
		if diagonal := d.Metric.Structure == "diagonal"; d.Metric.Constant != row.constant || diagonal != row.diagonal {
			t.Errorf("%s: constant %v, diagonal %v, want %v, %v", row.name, d.Metric.Constant, diagonal, row.constant, row.diagonal)
		}
	}
}

// The models of the positivity proofs: whether W501 must be given, and where
// it must not, data at which to try.
var proofs = []struct {
	name, text string
	warns      bool
	data       map[string][]float64
}{
	{"funnel", "model m\nconst k = 3\nparam x real[k]\nparam v real\nv ~ normal(0, 3)\nx ~ normal(0, exp(-v/2))\nmetric fisher\n", true, nil},
	{"funnel, expected", "model m\nconst k = 3\nparam x real[k]\nparam v real\nv ~ normal(0, 3)\nx ~ normal(0, exp(-v/2))\nmetric fisher(prior = expected)\n", false, nil},
	{"funnel, softabs", "model m\nconst k = 3\nparam x real[k]\nparam v real\nv ~ normal(0, 3)\nx ~ normal(0, exp(-v/2))\nmetric softabs(alpha = 1e6)\n", false, nil},
	{"logistic", "model m\ndata n, k int\ndata x real[n, k]\ndata y int[n] in {0, 1}\nparam b real[k]\ny ~ bernoulli_logit(x*b)\nb ~ normal(0, 1)\nmetric fisher\n", false,
		numbers{"n": {5}, "k": {3}, "x": x53, "y": bin5}},
	{"logistic, hessian", "model m\ndata n, k int\ndata x real[n, k]\ndata y int[n] in {0, 1}\nparam b real[k]\ny ~ bernoulli_logit(x*b)\nb ~ normal(0, 1)\nmetric hessian\n", false,
		numbers{"n": {5}, "k": {3}, "x": x53, "y": bin5}},
	{"logistic with a flat prior", "model m\ndata n, k int\ndata x real[n, k]\ndata y int[n] in {0, 1}\nparam b real[k]\ny ~ bernoulli_logit(x*b)\nmetric fisher\n", true, nil},
	{"logistic with a flat prior, ridge", "model m\ndata n, k int\ndata x real[n, k]\ndata y int[n] in {0, 1}\nparam b real[k]\ny ~ bernoulli_logit(x*b)\nmetric fisher + 1e-3*identity\n", false,
		numbers{"n": {5}, "k": {3}, "x": x53, "y": bin5}},
	{"logistic, quadratic predictor, hessian", "model m\ndata n int\ndata y int[n] in {0, 1}\nparam b real\ny ~ bernoulli_logit(b^2)\nb ~ normal(0, 1)\nmetric hessian\n", true, nil},
	{"poisson_log, hessian", "model m\ndata n, k int\ndata x real[n, k]\ndata y int[n] >= 0\nparam b real[k]\ny ~ poisson_log(x*b)\nb ~ normal(0, 1)\nmetric hessian\n", false,
		numbers{"n": {5}, "k": {3}, "x": x53, "y": count5}},
	{"banana", "model m\ndata n int\ndata y real[n]\nparam a, b real\ny ~ normal(a + b^2, 2)\na, b ~ normal(0, 1)\nmetric fisher\n", false, numbers{"n": {5}, "y": y5}},
	{"banana, hessian", "model m\ndata n int\ndata y real[n]\nparam a, b real\ny ~ normal(a + b^2, 2)\na, b ~ normal(0, 1)\nmetric hessian\n", true, nil},
	{"eight schools, centred", eightSchools + "metric fisher\n", true, nil},
	{"eight schools, centred, expected", eightSchools + "metric fisher(prior = expected)\n", false, numbers{"J": {5}, "y": y5, "se": pos5}},
	{"eight schools, not centred", "model m\ndata J int\ndata y real[J]\ndata se real[J] > 0\nparam mu real\nparam tau real > 0\nparam z real[J]\ny ~ normal(mu + tau*z, se)\nz ~ normal(0, 1)\nmu ~ normal(0, 5)\ntau ~ lognormal(0, 1)\nmetric fisher\n", false,
		numbers{"J": {5}, "y": y5, "se": pos5}},
	{"half cauchy", "model m\nparam tau real > 0\ntau ~ cauchy(0, 5)\nmetric fisher\n", true, nil},
	{"student_t prior", "model m\nparam x real\nx ~ student_t(4, 0, 1)\nmetric fisher\n", true, nil},
	{"cauchy, expected", "model m\nparam x real\nx ~ cauchy(0, 1)\nmetric fisher(prior = expected)\n", false, nil},
	{"half normal", "model m\nparam tau real > 0\ntau ~ normal(0, 1)\nmetric fisher\n", false, nil},
	{"gamma", "model m\nparam tau real > 0\ntau ~ gamma(2, 3)\nmetric fisher\n", false, nil},
	{"inv_gamma", "model m\nparam tau real > 0\ntau ~ inv_gamma(2, 3)\nmetric fisher\n", false, nil},
	{"exponential", "model m\ndata r real > 0\nparam tau real > 0\ntau ~ exponential(r)\nmetric fisher\n", false, numbers{"r": {0.3}}},
	{"lognormal", "model m\nparam tau real > 0\ntau ~ lognormal(1, 2)\nmetric fisher\n", false, nil},
	{"beta", "model m\nparam p real in (0, 1)\np ~ beta(0.5, 2)\nmetric fisher\n", false, nil},
	{"uniform", "model m\nparam p real in (-1, 3)\np ~ uniform(-1, 3)\nmetric fisher\n", false, nil},
	{"flat on the positive numbers", "model m\ndata n int\ndata y real[n]\nparam s real > 0\ny ~ normal(0, s)\nmetric fisher\n", false, numbers{"n": {2}, "y": {1, 2}}},
	{"flat slope", "model m\ndata n int\ndata x, y real[n]\nparam b real\ny ~ normal(b*x, 1)\nmetric fisher\n", true, nil},
	{"flat scale of a hierarchy", "model m\ndata n, k int\ndata g int[n] in 1..k\ndata y real[n]\nparam a real[k]\nparam mu real\nparam s, t real > 0\nmu ~ normal(0, 1)\na ~ normal(mu, t)\ny ~ normal(a[g], s)\nmetric fisher(prior = expected)\n", false,
		numbers{"n": {4}, "k": {3}, "g": {1, 2, 1, 1}, "y": {1, 2, 3, 4}}},
	{"normal with unknown scale, hessian", "model m\ndata n int\ndata y real[n]\nparam s real > 0\ny ~ normal(0, s)\ns ~ gamma(2, 1)\nmetric hessian\n", true, nil},
	{"multi_normal prior", "model m\ndata k int\ndata S cov[k]\nparam b real[k]\nb ~ multi_normal(0*b, S)\nmetric fisher\n", false, numbers{"k": {2}, "S": cov2}},
	{"factor of unknown sign", "model m\ndata c real\nparam x real\nx ~ normal(0, 1)\nmetric c*fisher\n", true, nil},
	{"factor of known sign", "model m\ndata c real > 0\nparam x real\nx ~ normal(0, 1)\nmetric c*fisher\n", false, numbers{"c": {2}}},
	{"explicit", "model m\nparam a, b real\na, b ~ normal(0, 1)\nmetric [2 + a^2, b ; b, 3 + b^2]\n", false, nil},
	{"convex density", "model m\nparam x real\ndensity -x^2\nmetric fisher\n", false, nil},
	{"quartic density", "model m\nparam x real\ndensity -x^4\nmetric fisher\n", true, nil},
	{"double well", "model m\nparam x real\ndensity x^2 - x^4\nmetric hessian\n", true, nil},
	{"random walk without a start", "model m\ndata T int\nparam x real[T]\nx[t] ~ normal(x[t-1], 1) for t in 2..T\nmetric fisher(prior = expected)\n", true, nil},
	{"a prior for a part", "model m\ndata T int\nparam x real[T]\nx[t] ~ normal(0, 1) for t in 2..T\nmetric fisher\n", true, nil},
	{"a prior for a part, expected", "model m\ndata T int\nparam x real[T]\nx[t] ~ normal(0, 1) for t in 2..T\nmetric fisher(prior = expected)\n", true, nil},
	{"double well beside an expected prior", "model m\nparam x real\nx ~ normal(0, 1)\ndensity 5*x^2 - x^4\nmetric fisher(prior = expected)\n", true, nil},
	{"a parameter as its own mean, expected", "model m\nparam x real\nx ~ normal(x, 1)\nmetric fisher(prior = expected)\n", true, nil},
	{"circular priors, expected", "model m\nparam a, b real\na ~ normal(b, 1)\nb ~ normal(a, 1)\nmetric fisher(prior = expected)\n", true, nil},
}

const eightSchools = "model m\ndata J int\ndata y real[J]\ndata se real[J] > 0\nparam mu real\nparam tau real > 0\nparam theta real[J]\ny ~ normal(theta, se)\ntheta ~ normal(mu, tau)\nmu ~ normal(0, 5)\ntau ~ gamma(2, 0.5)\n"

// TestPositivity: W501 is given where the metric can fail, is not given where
// it cannot, and where it is not given a Cholesky factorization of the metric
// succeeds over a wide range of points.
func TestPositivity(t *testing.T) {
	for _, row := range proofs {
		t.Run(row.name, func(t *testing.T) {
			d, list := load(t, row.text)
			warned := false
			for _, x := range list {
				if x.Code != dsl.MaybeIndefinite || x.Severity != dsl.Warning || x.Hint == "" || x.Span.Pos.Line == 0 {
					t.Errorf("unexpected: %+v", x)
				}
				warned = true
			}
			if warned != row.warns {
				t.Errorf("warned %v, want %v: %v", warned, row.warns, list)
			}
			if !warned && !row.warns {
				tryPositive(t, d, row.data)
			}
		})
	}
	for _, m := range testModels {
		t.Run(m.name, func(t *testing.T) {
			d, list := load(t, m.text)
			if len(list) == 0 {
				tryPositive(t, d, m.data)
			}
		})
	}
}

// TestPositivityAdvice: what the hint of a warning says to write gives no such warning, and of what it
// says to be positive definite everywhere a Cholesky factorization succeeds over a wide range of
// points.
func TestPositivityAdvice(t *testing.T) {
	const expected, none = "use `fisher(prior = expected)`", "leave `metric` out"
	seen := map[string]int{}
	for _, row := range proofs {
		if !row.warns {
			continue
		}
		_, list := load(t, row.text)
		for _, x := range list {
			lines := strings.Split(row.text, "\n")
			metric := len(lines) - 2
			switch {
			case !strings.HasPrefix(lines[metric], "metric "):
				t.Fatalf("%s: no metric in its last line", row.name)
			case strings.HasPrefix(x.Hint, expected):
				seen[expected]++
				lines[metric] = "metric fisher(prior = expected)"
			case strings.HasPrefix(x.Hint, none):
				seen[none]++
				lines[metric] = ""
			default:
				continue // about a factor, or what lacks a prior
			}
			text := strings.Join(lines, "\n")
			if d, more := load(t, text); len(more) > 0 {
				t.Errorf("%s: the advice %q leads to %+v", row.name, x.Hint, more)
			} else if lines[metric] != "" {
				tryPositive(t, d, someData(d.Model))
			}
		}
	}
	if seen[expected] < 3 || seen[none] < 3 {
		t.Errorf("the kinds of advice were given %v times", seen)
	}
}

// someData are data that fit the declarations of a model: sizes are 5.
func someData(m *dsl.Model) numbers {
	data := numbers{}
	for _, d := range m.Data {
		size := 1
		for range d.Type.Shape {
			size *= 5
		}
		x := make([]float64, size)
		for i := range x {
			switch {
			case d.Constraint == dsl.Cov && i%6 == 0, d.Type.Base == dsl.Int && size > 1:
				x[i] = 1
			case d.Constraint == dsl.Cov:
			case d.Type.Base == dsl.Int:
				x[i] = 5
			default:
				x[i] = 0.3 + math.Mod(0.77*float64(i), 2)
			}
		}
		data[d.ObjectName()] = x
	}
	return data
}

// TestPositivityReasons: the warning tells an indefinite contribution, with its
// formula, from a direction that nothing informs.
func TestPositivityReasons(t *testing.T) {
	for _, row := range []struct{ text, says, at string }{
		{"model m\nparam tau real > 0\ntau ~ cauchy(0, 5)\nmetric fisher\n", "the negative Hessian of the prior of `tau`, ", "2:7"},
		{"model m\nparam x real\nx ~ student_t(4, 0, 1)\nmetric hessian\n", "is negative somewhere", "2:7"},
		{"model m\nparam x, v real\nv ~ normal(0, 3)\nx ~ normal(0, exp(v))\nmetric fisher\n", "the Hessian of this term may have negative eigenvalues", "4:3"},
		{"model m\ndata y real\nparam a, b real\na ~ normal(0, 1)\ny ~ normal(a*b, 1)\nmetric fisher\n", "the metric may be singular in `b`", "3:10"},
		{"model m\ndata c real\nparam x real\nx ~ normal(0, 1)\nmetric c*fisher\n", "the factor of the metric is not known to be positive", "5:8"},
	} {
		_, list := load(t, row.text)
		found := false
		for _, x := range list {
			found = found || strings.Contains(x.Message, row.says) && fmt.Sprintf("%d:%d", x.Span.Pos.Line, x.Span.Pos.Col) == row.at
		}
		if len(list) != 1 || !found {
			t.Errorf("want one warning %q at %s: %+v", row.says, row.at, list)
		}
	}
}

func tryPositive(t *testing.T, d *Derived, data map[string][]float64) {
	t.Helper()
	for _, x := range d.Block.Metric {
		if x.Kind == dsl.MetricSoftAbs || x.Kind == dsl.MetricBlocks || x.Kind == dsl.MetricMatrix || x.Kind == dsl.MetricDiag {
			return // the user's word
		}
	}
	b := newBench(t, d, data)
	rng := rand.New(rand.NewSource(5))
	for range 100 {
		q := naive.RandomVector(rng, b.dim(), 2)
		g := b.matrix(q)
		var c mat.Cholesky
		if !c.Factorize(mat.NewSymDense(b.dim(), flatten(g))) {
			t.Fatalf("no warning, and not positive definite at %.3g: %.4g", q, g)
		}
	}
}

// TestErrors: what Derive refuses, with the code and a hint. Its lines are cases.
func TestErrors(t *testing.T) {
	const pair = "model m\nparam a, b real\na, b ~ normal(0, 1)\n"
	const vector = "model m\ndata n int\nparam x real[n]\nx ~ normal(0, 1)\n"
	const solution = "model m\ndata n int\ndata t, y real[n]\nparam a, b real\node f(v) { v' = -a*v }\nlet s = solve f(v = 1) from 0 at t\na, b ~ normal(0, 1)\n"
	for _, row := range []struct {
		name, text string
		code       dsl.Code
		line       int
	}{
		{"matrix", pair + "metric [2, a ; b, 3]\n", dsl.MetricAsymmetric, 4},
		{"matrix, almost", pair + "metric [2, a*b + a ; b*a - a, 3]\n", dsl.MetricAsymmetric, 4},
		{"indexed", vector + "metric[i in n, j in n] = delta(i, j) + x[i]\n", dsl.MetricAsymmetric, 5},
		{"indexed, a delta with half a coupling", vector + "metric[i in n, j in n] = 4*delta(i, j)*x[i] + x[j]\n", dsl.MetricAsymmetric, 5},
		{"blocks", vector + "metric[x[i], x[j]] = delta(i, j) + x[i]^2*x[j]\n", dsl.MetricAsymmetric, 5},
		{"half cauchy, expected", "model m\nparam a real > 0\na ~ cauchy(0, 1)\nmetric fisher(prior = expected)\n", dsl.NoFisher, 3},
		{"shifted gamma, expected", "model m\nparam a real > 1\na ~ gamma(2, 1)\nmetric fisher(prior = expected)\n", dsl.NoFisher, 3},
		{"beta on a part, expected", "model m\nparam a real in (0, 0.5)\na ~ beta(2, 1)\nmetric fisher(prior = expected)\n", dsl.NoFisher, 3},
		{"expression on the left, expected", pair + "a + b ~ normal(0, 1)\nmetric fisher(prior = expected)\n", dsl.NoFisher, 4},
		{"log_det of no symmetric matrix", "model m\ndata n int\ndata D real[n, n]\nparam a real > 0\ndensity -a - log_det(a*D)\nmetric identity\n", dsl.NotSymmetric, 5},
		{"log_det in a function, at its second call", "model m\ndata n int\ndata S cov[n]\ndata D real[n, n]\nparam a real > 0\nfunc f(A real[m, m], x real) = x*log_det(A)\ndensity -a - f(S, a) - f(D, a)\nmetric identity\n", dsl.NotSymmetric, 6},
		{"a precision of no symmetric form", "model m\ndata n int\ndata D real[n, n]\nparam b real[n]\n\nb ~ multi_normal_prec(0*b, D)\n", dsl.NotSymmetric, 6},
		{"a covariance of no symmetric data", "model m\ndata n int\ndata W real[n, n]\nparam x real[n]\nparam s real > 0\ns ~ lognormal(0, 1)\nlet Q[i in n, j in n] = s*delta(i, j)*sum(W[i, :]) - W[i, j]\nx ~ multi_normal_prec(0, Q)\n", dsl.NotSymmetric, 8},
		{"covariance of no symmetric form", vector + "param s real > 0\ns ~ lognormal(0, 1)\nlet K[i in 1..n, j in 1..n] = s + x[i] + 2*x[j]\nx ~ multi_normal(0*x, K)\nmetric identity\n", dsl.NotSymmetric, 8},
		{"a covariance of pairs of no symmetric form", "model m\ndata n int\ndata D, y real[n, n]\nparam s real > 0\ns ~ lognormal(0, 1)\n" +
			"let C[i in n, k in n, j in n, l in n] = s*D[i, j]*D[k, l] + delta(i, j)*delta(k, l)\ny ~ multi_normal(0, C)\n", dsl.NotSymmetric, 7},
		{"inverse as a metric", pair + "let M = [1, a ; 0, 1]\nmetric inverse(M)\n", dsl.NotSymmetric, 5},
		{"digamma", "model m\nparam s real > 0\ndensity -digamma(s)^2 - s\nmetric hessian\n", dsl.NotDifferentiable, 4},
		{"trigamma", "model m\nparam s real > 0\ndensity -trigamma(s) - s\nmetric softabs(alpha = 1)\n", dsl.NotDifferentiable, 4},
		{"a shape of a cumulative function", "model m\ndata y real > 0\nparam s real > 0\ns ~ gamma(2, 1)\ny ~ gamma(s, 1) > 0.1\nmetric hessian\n", dsl.NotDifferentiable, 6},
		{"a shape of an incomplete beta function", "model m\nparam s real > 0\ndensity log_inc_beta(2, s, 0.3) - s\nmetric softabs(alpha = 1)\n", dsl.NotDifferentiable, 4},
		{"a Kronecker structure", "model m\ndata n int\ndata K cov[n]\ndata y real[n, n]\nparam s, r real > 0\ns, r ~ lognormal(0, 1)\n" +
			"density -0.5*sum(y .* kronecker_solve(K, r*K, s, y)) - 0.5*kronecker_log_det(K, r*K, s)\nmetric softabs(alpha = 1)\n", dsl.NotDifferentiable, 8},
		{"a solution, hessian", solution + "y ~ normal(s.v, 1)\nmetric hessian\n", dsl.NotDifferentiable, 9},
		{"a solution, softabs", solution + "y ~ normal(s.v, 1)\nmetric softabs(alpha = 1)\n", dsl.NotDifferentiable, 9},
		{"a solution in a prior, fisher", solution + "b ~ normal(s.v[1], 1)\nmetric fisher\n", dsl.NotDifferentiable, 9},
		{"a solution in a block", solution + "y ~ normal(s.v, 1)\nblock one(a) metric softabs(alpha = 1)\nblock two(b) metric fisher\n", dsl.NotDifferentiable, 9},
		{"sizes at compile time", "model m\ndata n int\ndata S cov[n+1]\nparam x real[n]\nparam v real\nx ~ normal(0, 1)\nv ~ normal(0, 1)\nmetric inverse(S)\n", dsl.NeedsConstant, 8},
		{"softabs is not added", "model m\nparam x real\nx ~ normal(0, 1)\nmetric softabs(alpha = 1) + hessian\n", dsl.NotYet, 4},
	} {
		t.Run(row.name, func(t *testing.T) {
			m, ds := dsl.Load("model.ham", row.text, dsl.Options{})
			list := ds.List
			if m != nil {
				var d *Derived
				if d, list = Derive(m); d != nil {
					t.Fatal("derived")
				}
			}
			found := false
			for _, x := range list {
				if x.Severity == dsl.Error && x.Code == row.code && x.Span.Pos.Line == row.line && x.Hint != "" && !strings.Contains(x.Message, "%!") {
					found = true
				}
			}
			if !found {
				t.Errorf("no %s with a hint on line %d: %v", row.code, row.line, list)
			}
			if strings.HasPrefix(row.text, solution) {
				said := fmt.Sprint(list)
				if !strings.Contains(said, "third-order sensitivities of the solution `s`") || strings.Contains(said, "lgamma") {
					t.Errorf("the message does not tell what is missing: %v", list)
				}
			}
		})
	}
	// Symmetric in other words: accepted.
	for _, text := range []string{
		pair + "metric [9, (a + b)^2 ; a^2 + 2*a*b + b^2, 9]\n",
		pair + "metric [9, exp(a)*exp(b) ; exp(a + b), 9]\n",
		pair + "metric [9, 0.3*a ; 0.1*3*a, 9]\n",
		vector + "metric[i in n, j in n] = 9*delta(i, j) + x[i]*x[j] + (x[i] - x[j])^2\n",
		vector + "metric[i in n, j in n] = delta(i, j)*(2 + x[i]^2)\n",
		vector + "metric[x[i], x[j]] = delta(i, j)*exp(x[j])\n",
		vector + "metric[i in n, j in n] = delta(i, j) + sum(l in n) x[l]^2*x[i]*x[j]\n",
	} {
		if m, ds := dsl.Load("model.ham", text, dsl.Options{}); m == nil {
			t.Errorf("%v\n%s", ds.List, text)
		} else if d, list := Derive(m); d == nil {
			t.Errorf("%v\n%s", list, text)
		}
	}
}

// TestIterationWork: an iteration of an implicit step counts the factor as the storage has it, and nothing of pairs of coordinates
// where none are kept.
func TestIterationWork(t *testing.T) {
	const long = "model m\ndata n int\ndata y int[n] >= 0\nparam x real[n]\nx ~ normal(0, 1)\ny ~ poisson_log(x)\n"
	const nine = "model m\ndata y real\nparam x real[9]\nx ~ student_t(3, 0, 1)\ny ~ normal(x[1], 1)\n"
	for _, row := range []struct {
		text        string
		degree      int // in n
		least, most int // operations beside those
	}{
		{long + "metric fisher\n", 1, 0, 10},
		{long + "metric softabs(alpha = 1)\n", 2, 0, 10},
		{nine + "metric diag(1 + x.^2)\n", 0, 9, 9 * 20},
		{nine + "metric softabs(alpha = 1)\n", 0, 9 * 9 * 9, 9 * 9 * 20},
	} {
		d, _ := load(t, row.text)
		factors, sizes := d.IterationWork.Terms()
		degree, rest := 0, 0
		for i, names := range sizes {
			if degree = max(degree, len(names)); len(names) == 0 {
				rest = factors[i]
			}
		}
		if degree != row.degree || rest < row.least || rest > row.most {
			t.Errorf("%s%v operations; want degree %d and %d to %d beside", row.text, d.IterationWork, row.degree, row.least, row.most)
		}
	}
}

// TestSymmetricData: where a matrix is symmetric if the data in it are, the hint declares them so, and that is the remedy.
func TestSymmetricData(t *testing.T) {
	const text = "model m\ndata n, k int\ndata W, C real[n, n]\ndata V real[k, n, n]\nparam x real[n]\nparam s real > 0\ns ~ lognormal(0, 1)\n" +
		"let Q[i in n, j in n] = s*(delta(i, j)*(1 + sum(W[i, :])) - W[i, j]) + s*V[1, i, j] + C[i, 1]*C[j, 1]\nx ~ multi_normal_prec(0, Q)\n"
	m, ds := dsl.Load("m.ham", text, dsl.Options{})
	if m == nil {
		t.Fatal(ds.List)
	}
	_, list := Derive(m)
	if len(list) != 1 || list[0].Code != dsl.NotSymmetric || !strings.Contains(list[0].Hint, "declare `data W symmetric[n]` and `data V symmetric[k, n]`,") {
		t.Fatalf("%v", list)
	}
	mended := strings.Replace(strings.Replace(text, "data W, C real[n, n]", "data W symmetric[n]\ndata C real[n, n]", 1), "V real[k, n, n]", "V symmetric[k, n]", 1)
	if m, ds = dsl.Load("m.ham", mended, dsl.Options{}); m == nil {
		t.Fatal(ds.List)
	}
	if d, list := Derive(m); d == nil {
		t.Fatal(list)
	}
}
