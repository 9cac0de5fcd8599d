package dsl_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/dsl"
)

// translations are statements of other languages, and the hints on them.
var translations = []struct{ line, want string }{
	// PyMC and NumPyro.
	{`tau = pm.HalfNormal("tau", 1)`, "a parameter and its prior are two lines: `param tau real > 0` and `tau ~ normal(0, 1)`"},
	{`tau = pm.HalfNormal("tau", sigma=2.5, shape=J)`, "a parameter and its prior are two lines: `param tau real[J] > 0` and `tau ~ normal(0, 2.5)`"},
	{`y_obs = pm.Normal("y_obs", mu, s, observed=y)`, "write `y ~ normal(mu, s)`"},
	{`y_obs = pm.Normal("y_obs", mu=a + b*df["x"], sigma=s, observed=df["y"])`, "write `y ~ normal(a + b*x, s)`"},
	{`pm.Poisson("c", pm.math.exp(a + b*x), observed=c)`, "write `c ~ poisson(exp(a + b*x))`"},
	{`m = pm.Deterministic("m", a + b*x)`, "write `let m = a + b*x`"},
	{`pm.Potential("p", -x**2)`, "write `density -x^2`"},
	{`p = pm.Beta("p", 2, 3, dims="group")`, "a parameter and its prior are two lines: `param p real[group] in (0, 1)` and `p ~ beta(2, 3)`"},
	{`r = pm.Uniform("r", -1, upper=1)`, "a parameter and its prior are two lines: `param r real in (-1, 1)` and `r ~ uniform(-1, 1)`"},
	{`a = pm.Exponential("a", scale=k + 1)`, "a parameter and its prior are two lines: `param a real > 0` and `a ~ exponential(1/(k + 1))`"},
	{`w = pm.Dirichlet("w", a=alpha, shape=3)`, "a parameter and its prior are two lines: `param w simplex[3]` and `w ~ dirichlet(alpha)`"},
	{`f = pm.Flat("f")`, "write `param f real`"},
	{`x = pm.TruncatedNormal("x", mu=0, sigma=1, lower=0)`, "a parameter and its prior are two lines: `param x real > 0` and `x ~ normal(0, 1)`"},
	{`z = pm.ZeroSumNormal("z", sigma=s, shape=J)`, "a parameter and its prior are two lines: `param z sum_to_zero[J]` and `z ~ normal(0, s)`"},
	{`chol = pm.LKJCholeskyCov("chol", n=3, eta=2, sd_dist=pm.Exponential.dist(1.5))`, "write `param chol_corr corr_cholesky[3]`, `param chol_sd real[3] > 0`, " +
		"`chol_corr ~ lkj_corr_cholesky(2)`, `chol_sd ~ exponential(1.5)` and `let chol = diag(chol_sd)*chol_corr`"},
	{`walk = pm.GaussianRandomWalk("walk", sigma=s, shape=T)`, "write `param walk real[T]`, `walk[1] ~ normal(0, 1)` and `walk[t] ~ normal(walk[t-1], s) for t in 2..T`"},
	{`mu = numpyro.sample("mu", dist.Normal(0., 5.))`, ""}, // 0. is no number
	{`mu = numpyro.sample("mu", dist.Normal(0, 5))`, "a parameter and its prior are two lines: `param mu real` and `mu ~ normal(0, 5)`"},
	{`numpyro.sample("obs", dist.Normal(mu, s), obs=y)`, "write `y ~ normal(mu, s)`"},
	{`trace = pm.sample(1000, tune=1000)`, "a model is sampled by the command `hamc run`: leave the line out"},
	{`y ~ pm.Normal(a, s)`, "write `y ~ normal(a, s)`"},
	{`y ~ dist.StudentT(4, a, scale=s)`, "write `y ~ student_t(4, a, s)`"},

	{`q = yield tfd.Normal(0, 1)`, "a parameter and its prior are two lines: `param q real` and `q ~ normal(0, 1)`"},
	{`q = tfd.Sample(tfd.Normal(0, 1), k)`, "a parameter and its prior are two lines: `param q real[k]` and `q ~ normal(0, 1)`"},
	{`q = numpyro.sample("q", dist.Normal(0, 1).expand([k]).to_event(1))`, "a parameter and its prior are two lines: `param q real[k]` and `q ~ normal(0, 1)`"},
	{`q = tfd.HalfCauchy(0, 2)`, "a parameter and its prior are two lines: `param q real > 0` and `q ~ cauchy(0, 2)`"},
	{`q = tfd.InverseGamma(3, scale=2)`, "a parameter and its prior are two lines: `param q real > 0` and `q ~ inv_gamma(3, 2)`"},
	{`q = tfd.Weibull(2, 3)`, "a parameter and its prior are two lines: `param q real > 0` and `q ~ weibull(2, 3)`"},
	{`y ~ stats.weibull_min(2, scale=3)`, "write `y ~ weibull(2, 3)`"},
	{`y ~ stats.weibull_min(2, 0, 3)`, "write `y ~ weibull(2, 3)`"},
	{`y ~ stats.lognorm(s, scale=exp(a))`, "write `y ~ lognormal(log(exp(a)), s)`"},
	{`y ~ stats.uniform(a, b - a)`, "write `y ~ uniform(a, a + (b - a))`"},
	{`let q = 1 - stats.norm.cdf(y, a, s)`, "write `let q = 1 - Phi((y - a)/s)`"},
	{`let q = 2*stats.norm(a, s).ppf(p)`, "write `let q = 2*(a + s*inv_Phi(p))`"},
	{`density tfd.Gamma(r, s).log_prob(y)`, "write `density gamma_lpdf(y | r, s)`"},
	{`q = pm.Truncated("q", pm.Gamma.dist(2, 1), upper=3)`, "a parameter and its prior are two lines: `param q real in (0, 3)` and `q ~ gamma(2, 1)`"},
	{`q = pm.Truncated("q", pm.Normal.dist(a, 1), lower=-np.inf, upper=3)`, "a parameter and its prior are two lines: `param q real < 3` and `q ~ normal(a, 1) < 3`"},
	{`q = pm.Truncated("q", pm.Normal.dist(0, 1), 0, np.inf, shape=3)`, "a parameter and its prior are two lines: `param q real[3] > 0` and `q ~ normal(0, 1)`"},
	{`pm.Truncated("q", pm.Poisson.dist(r), lower=1, observed=y)`, "write `y ~ poisson(r) >= 1`"},
	{`array[2] real<offset=m[1], multiplier=tau> q;`, "a statement ends with its line: write `param q real[2]`: hamc finds coordinates itself; `param q real[2] offset m[1] multiplier tau` keeps Stan's, of the same density"},
	{`int<lower=0, upper=positive_infinity()> q;`, "a statement ends with its line: write `data q int >= 0`"},
	// Behind a `~`, no declaration says that it is half of a distribution.
	{`y ~ dist.HalfNormal(2)`, "write `y ~ half_normal(2)`"},
	{`y ~ dist.HalfCauchy(s)`, "write `y ~ half_cauchy(s)`"},
	{`y ~ pm.HalfStudentT(3, sigma=s)`, "write `y ~ half_student_t(3, s)`"},
	{`density tfd.HalfNormal(2).log_prob(y)`, "write `density half_normal_lpdf(y | 2)`"},
	{`for (i in 1:n) y_rep[i] = normal_rng(a, s);`, "a statement ends with its line: write `generate { y_rep[i in n] = normal_rng(a, s) }`"},
	{`y[1:n] ~ dmulti(p[1:n], N)`, "write `y[1..n] ~ multinomial(p[1..n])`"},
	{`z = pm.Categorical("z", p=w)`, "HMC samples real parameters; sum a discrete one out of the density, as `y ~ mixture(p, normal(a, s), normal(b, s))` does"},
	{`th = pm.VonMises("th", mu=0, kappa=2)`, "a parameter and its prior are two lines: `param th real in (-pi(), pi())` and `th ~ von_mises(0, 2)`"},
	{`k = pm.SomethingNew("k", 2)`, "a parameter and its prior are two lines: `param k real` and `k ~ …`"},

	// Priors in other places.
	{`param tau ~ exponential(1)`, "a parameter and its prior are two lines: `param tau real > 0` and `tau ~ exponential(1)`"},
	{`param tau, b real[n] ~ normal(0, 2)`, "a parameter and its prior are two lines: `param tau, b real[n]` and `tau, b ~ normal(0, 2)`"},
	{`param r ~ uniform(a, b + 1)`, "a parameter and its prior are two lines: `param r real in (a, b + 1)` and `r ~ uniform(a, b + 1)`"},
	{`param p ~ Beta(2, 3)`, "a parameter and its prior are two lines: `param p real in (0, 1)` and `p ~ beta(2, 3)`"},
	{`L = lkj_corr_cholesky(2)`, "a distribution follows `~`: `L ~ lkj_corr_cholesky(2)`; a parameter is declared above, `param L corr_cholesky[K]`"},
	{`mu <- a + b*x`, "write `let mu = a + b*x`"},
	{`mu[i] <- a + b*x[i]`, "write `let mu[i in n] = a + b*x[i]`"},
	{`y[i] = normal(a, s)`, "a distribution follows `~`: write `y[i] ~ normal(a, s)`"},
	{`tau = gamma(2, 1)`, ""}, // or the function
	{`tau = HalfNormal(2)`, "a distribution follows `~`: `tau ~ half_normal(2)`; a parameter is declared above, `param tau real > 0`"},
	{`y ~ stats.norm(a, s)`, "write `y ~ normal(a, s)`"},
	{`y ~ dt(m, tau, 4);`, "a statement ends with its line: write `y ~ student_t(4, m, 1/sqrt(tau))`"},

	// Stan.
	{`corr_matrix[K] R;`, "a statement ends with its line: write `param R corr[K]`"},
	{`cov_matrix[K] S;`, "a statement ends with its line: write `data S cov[K]` or `param S cov[K]`"},
	{`target += normal_lpdf(y | a, s);`, "a statement ends with its line: write `y ~ normal(a, s)`"},
	{`target += normal_lpdf(, a)`, ""},
	{`target += normal_lpdf(y | a, s)`, "write `y ~ normal(a, s)`"},
	{`target += -0.5 * square(a);`, "a statement ends with its line: write `density -0.5 * square(a)`"},
	{`x = numpyro.sample("x", dist.Weibull(2.0, 3.0))`, "a parameter and its prior are two lines: `param x real > 0` and `x ~ weibull(3.0, 2.0)`"},
	{`x = pm.Weibull("x", 2.0, 3.0)`, "a parameter and its prior are two lines: `param x real > 0` and `x ~ weibull(2.0, 3.0)`"},
	{`x = pm.SkewNormal("x", 4, 0, 1)`, "a parameter and its prior are two lines: `param x real` and `x ~ skew_normal(0, 1, 4)`"},
	{`array[3] simplex[k] z;`, "a statement ends with its line: write `param z simplex[3, k]`"},
	{`simplex[k] z[3];`, "a statement ends with its line: write `param z simplex[3, k]`"},
	{`tau ~ cauchy(0,5) T[0,];`, "a statement ends with its line: write `tau ~ cauchy(0, 5) > 0`"},
	{`tau ~ cauchy(0,5);`, "a statement ends with its line: write `tau ~ cauchy(0, 5)`"},
	{`y ~ normal_id_glm(X, a, b, s);`, "a statement ends with its line: write `y ~ normal(a + X*b, s)`"},
	{`x[2:n] ~ normal(x[1:(n - 1)], 1);`, "a statement ends with its line: write `x[2..n] ~ normal(x[1..(n - 1)], 1)`"},
	{`for (i in 1:n) y[i] ~ normal(a * x[i], s);`, "a statement ends with its line: write `y[i] ~ normal(a * x[i], s) for i in n`"},
	{`for (t in 2:n) mu[t] = a*x[t];`, "a statement ends with its line: write `let mu[t in 2..n] = a*x[t]`"},
	{`real<lower=0> s;`, "a statement ends with its line: write `data s real > 0` or `param s real > 0`"},
	{`array[n] int<lower=0, upper=1> d;`, "a statement ends with its line: write `data d int[n] in {0, 1}`"},
	{`int<lower=1> n;`, "a statement ends with its line: write `data n int`"},
	{`array[J] vector<lower=0, upper=1>[K] b;`, "a statement ends with its line: write `data b real[J, K] in (0, 1)` or `param b real[J, K] in (0, 1)`"},
	{`simplex[K] w;`, "a statement ends with its line: write `param w simplex[K]`"},
	{`vector[n] mu = a + X * b;`, "a statement ends with its line: write `let mu = a + X * b`"},

	// Words and operators of others in lines that are else right, conditions, bounds.
	{`let p = np.exp(a)`, "write `let p = exp(a)`"},
	{`p = pm.math.sigmoid(a + u)`, "write `let p = inv_logit(a + u)`"},
	{`y ~ normal(pm.math.exp(a), s)`, "write `y ~ normal(exp(a), s)`"},
	{`let b = 2*np.log10(s)`, "write `let b = 2*log10(s)`"},
	{`let b = np.log10(s)`, "write `let b = log10(s)`"},
	{`let q = a + tt.dot(X, v)`, "write `let q = a + X*v`"},
	{`let q = jnp.dot(u, v)`, "write `let q = dot(u, v)`"},
	{`let q = pm.math.switch(z > 1, a, u)`, "write `let q = if z > 1 then a else u`"},
	{`let w = n %/% 2 + 1`, "write `let w = floor(n/2) + 1`"},
	{`let w = (n + 1) % g[i]`, "write `let w = mod(n + 1, g[i])`"},
	// Loops, of which none is translated whose text is another model without it.
	{`for (i in 1:n) { total += x[i]; y[i] ~ normal(0, total); }`, "a name has one definition, which holds the whole sum, as in `let total = sum(i in n) x[i]`: it does not change its value"},
	{`for (i in 1:n) { y[i] ~ normal(total, 1); total += x[i]; }`, "a name has one definition, which holds the whole sum, as in `let total = sum(i in n) x[i]`: it does not change its value"},
	{`Q[g[t]] += a*(y[t] - Q[g[t]]);`, "a state that changes has a position for each time: `let Q[1, k in K] = 0`, and behind it `let Q[t+1, g[t]] = Q[t, g[t]] + a*(y[t] - Q[t, g[t]]) for t in 1..T-1`"},
	{`let Q[t+1, g[t]] += a*(y[t] - Q[t, g[t]]) for t in 1..n-1`, "a state that changes has a position for each time: `let Q[1, k in K] = 0`, and behind it `let Q[t+1, g[t]] = Q[t, g[t]] + a*(y[t] - Q[t, g[t]]) for t in 1..T-1`"},
	{`for (i in 1:n) { g[i] ~ categorical_logit(Q); Q[g[i]] = Q[g[i]] + a*(y[i] - Q[g[i]]); }`, "a state that changes has a position for each time: `let Q[1, k in K] = 0`, and behind it `let Q[i+1, g[i]] = Q[i, g[i]] + a*(y[i] - Q[i, g[i]]) for i in 1..n-1`"},
	{`for (i in 1:n) { m[i] = x[i]; m[i] = 2*m[i]; }`, loopHint},
	{`for (i in 1:n) { real e = x[i]; y[i] ~ normal(e, 1); }`, loopHint},
	{`for (i in 1:n) if (d[i] == 1) y[i] ~ normal(a, s);`, "a statement ends with its line: write `density sum(i in n) (if d[i] == 1 then normal_lpdf(y[i] | a, s) else 0)`"},
	{`for (i in 1:n) if (d[i] == 1) y[i] ~ normal(a, s) T[0, 1];`, loopHint},
	{`for (i in 1:n) if (d[i] == 1) y[i] ~ normal(a, s) T[exp(a),];`, loopHint},
	{`for (i in 1:n) if (d[i] == 1) m[i] = 2;`, loopHint},
	{`for (i in 1:n) if (d[i] == 1) { y[i] ~ normal(a, s); z[i] ~ normal(a, s); }`, loopHint},
	{`for (i in 1:n) m[k] = x[i];`, loopHint},
	{`for (i in 1:n) m = x[i];`, loopHint},
	{`for (i in 1:n) { for (i in 1:k) m[i] = x[i]; }`, loopHint},
	{`for (i in 1:n) mm[i] += x[i];`, "a name has one definition, which holds the whole sum, as in `let total = sum(i in n) x[i]`: it does not change its value"},
	{`for (i in 2:n-1) { m[i] = x[i] }`, "write `let m[i in 2..n-1] = x[i]`"},
	{`for (i in 1:n-1) m[i] = x[i];`, "a statement ends with its line: write `let m[i in 1..n-1] = x[i]`"},
	{`for (j in 1:k) { for (i in 1:n) { m[i,j] <- a[i]*b[j] } }`, "write `let m[i in n, j in k] = a[i]*b[j]`"},
	{`for (j in 1:k) { for (i in 1:n) { m[i] += a[i]*b[j] } }`, "write `let m[i in n] = sum(j in k) (a[i]*b[j])`; what it is before the loop, if that is not 0, is a term of the definition too"},
	{`for (i in 1:n) { m[i] = 0.0; for (j in 1:k) { m[i] += a[j]; } y[i] ~ normal(m[i], 1); }`, "write `let m[i in n] = sum(j in k) (a[j])` and `y[i] ~ normal(m[i], 1) for i in n`; what it is before the loop, if that is not 0, is a term of the definition too"},
	{`#include curves.stan`, "write `import curves`"},
	{`y[i] ~ normal(a, s) for i in n if z[i] == 1`, "write `density sum(i in n) (if z[i] == 1 then normal_lpdf(y[i] | a, s) else 0)`"},
	{`y[i] ~ dpois(r[i]) for i in 2..n where z[i] > 1`, "write `density sum(i in 2..n) (if z[i] > 1 then poisson_lpmf(y[i] | r[i]) else 0)`"},
	{`if d[i] == 1 then y[i] ~ normal(a, s)`, "write `density sum(i in n) (if d[i] == 1 then normal_lpdf(y[i] | a, s) else 0)`"},
	{`if (d[k] == 1) y[k] ~ normal(a, s) else y[k] ~ normal(b, s);`, "a statement ends with its line: write `density sum(k in n) (if d[k] == 1 then normal_lpdf(y[k] | a, s) else normal_lpdf(y[k] | b, s))`"},
	{`if k > 1 then a ~ normal(0, s) else if k > 2 then a ~ normal(0, 2*s) else a ~ cauchy(0, s)`, "write `density if k > 1 then normal_lpdf(a | 0, s) else if k > 2 then normal_lpdf(a | 0, 2*s) else cauchy_lpdf(a | 0, s)`"},
	{`y[i] ~ (if d[i] == 1 then normal(a, s) else student_t(4, b, s)) for i in 2..n`, "write `density sum(i in 2..n) (if d[i] == 1 then normal_lpdf(y[i] | a, s) else student_t_lpdf(y[i] | 4, b, s))`"},
	{`y[i] ~ if d[i] == 1 then normal(a, s) else normal(b, s) for i in n`, "write `density sum(i in n) (if d[i] == 1 then normal_lpdf(y[i] | a, s) else normal_lpdf(y[i] | b, s))`"},
	{`a[1] = 0`, "a value is named by `let NAME = …`; where a is a parameter, hold one element by `param free real[K-1]` and `let a = [0, free]`"},
	{`y ~ weibull(a, s) censored(d)`, "what is censored has a cumulative function in the place of its density, as in `density sum(i in n) (if c[i] == 1 then normal_lccdf(y[i] | mu, sigma) else normal_lpdf(y[i] | mu, sigma))`"},
	{`param q real > 0, < 1`, "write `param q real in (0, 1)`"},
	{`param q real[n] < b and > a`, "write `param q real[n] in (a, b)`"},

	// BUGS and JAGS.
	{`tau ~ dnorm(mu, k + 1) T(0, )`, "write `tau ~ normal(mu, 1/sqrt(k + 1)) > 0`"},
	{`y ~ dnorm(mu, tau)T(,3)`, "write `y ~ normal(mu, 1/sqrt(tau)) < 3`"},
	{`y ~ dexp(r) C(5, )`, "what is censored has a cumulative function in the place of its density: write `density exponential_lccdf(5 | r)`; " +
		"with some values that are seen `if c[i] == 1 then … else exponential_lpdf(y | r)` of each i"},
	{`y[i] ~ dnorm(mu, tau)I(a, b) for i in n`, "what is censored has a cumulative function in the place of its density: write " +
		"`density normal_lcdf(b | mu, 1/sqrt(tau)) + log1m_exp(normal_lcdf(a | mu, 1/sqrt(tau)) - normal_lcdf(b | mu, 1/sqrt(tau)))`; " +
		"of a parameter it truncates the prior: `y[i] ~ normal(mu, 1/sqrt(tau)) in (a, b)`"},
}

// loopHint is the hint on a loop that is not translated.
const loopHint = "`for` ends a `~` statement: `x[t] ~ normal(x[t-1], 1) for t in 2..T`"

// TestTranslations checks what the message on a statement of another language shows.
func TestTranslations(t *testing.T) {
	for _, x := range translations {
		_, ds := dsl.Parse("m.ham", "model m\n"+x.line+"\n")
		switch {
		case len(ds.List) == 0:
			t.Errorf("%s: no message", x.line)
		case x.want != "" && ds.List[0].Hint != x.want:
			t.Errorf("%s:\nhint %s\nwant %s", x.line, ds.List[0].Hint, x.want)
		}
	}
}

// TestBrokenTranslations checks that what is no whole statement of another language, as it is while it is typed, is read without a panic: each line up to a token, and each
// without one.
func TestBrokenTranslations(t *testing.T) {
	for _, x := range translations {
		toks := dsl.Tokens(x.line)
		for n := range toks {
			before, behind := "", ""
			for m, tok := range toks {
				if m < n {
					before += tok.Value
				} else if m > n {
					behind += tok.Value
				}
			}
			for _, text := range []string{before, before + behind} {
				if _, ds := dsl.Parse("m.ham", "model m\n"+text+"\n"); ds == nil {
					t.Errorf("%s: no diagnostics", text)
				}
			}
		}
	}
}

// pythonModel has the names that the arguments of the classes of PyMC and NumPyro are given.
const pythonModel = `model python
data k int >= 1
data c int[3] >= 0
data g int[4] in 1..3
data h real[4] >= 0
data V cov[3]
data up real[3] > 0
param a, b real
param s, r real > 0
param p real in (0, 1)
param v real[3]
param w simplex[3]
param cuts ordered[2]
a, b, v ~ normal(0, 1)
s, r ~ exponential(1)
cuts ~ normal(0, 1)
%s
metric identity
`

// pythonValues are values of arguments by their names, of which the first that makes a model counts.
var pythonValues = map[string][]string{
	"mu": {"a", "s", "v", "p"}, "loc": {"a", "v"}, "cov": {"V"}, "chol": {"cholesky(V)"}, "covariance_matrix": {"V"}, "precision_matrix": {"V"}, "scale_tril": {"cholesky(V)"},
	"p": {"p", "w"}, "psi": {"p"}, "gate": {"p"}, "probs": {"p", "w"}, "logits": {"a", "v"}, "logit_p": {"a"}, "n": {"k", "3"}, "total_count": {"k"}, "dimension": {"3"},
	"cutpoints": {"cuts"}, "eta": {"a", "s"}, "predictor": {"a"}, "mean": {"p", "s"}, "lower": {"-1"}, "upper": {"1"}, "low": {"-1"}, "high": {"1"}, "a": {"up", "s", "s*up"},
	"concentration": {"s", "up"}, "m": {"1"}, "scale": {"s", "1"}, "tau": {"s", "V"},
}

// TestPythonDistributions checks each row of the table: what it writes is a model.
func TestPythonDistributions(t *testing.T) {
	for _, row := range dsl.PythonRows() {
		name, args, whole := row[0], strings.Fields(row[1]), row[3] == ""
		var last *dsl.Diagnostics
		var line string
		found := false
		for n := range 48 {
			call := fmt.Sprintf("q = pm.%s(\"q\"", name)
			for k, a := range args {
				a, _, _ = strings.Cut(a, "=")
				a, only, fixed := strings.Cut(a, ":")
				values := pythonValues[a]
				if fixed {
					values = []string{only}
				}
				if values == nil {
					values = []string{"s"}
				}
				call += ", " + a + "=" + values[(n%16)>>(2*min(k, 1))%4%len(values)]
			}
			if whole {
				call += ", observed=" + []string{"c", "g", "h"}[n/16]
			} else if strings.HasSuffix(row[3], "[K]") {
				call += ", shape=3"
			}
			lines := dsl.Translated(call + ")")
			if line = strings.Join(lines, "\n"); lines == nil {
				t.Errorf("%s)\nis not read", call)
				break
			}
			var m *dsl.Model
			if m, last = dsl.Load("python.ham", fmt.Sprintf(pythonModel, line), dsl.Options{}); m != nil {
				found = true
				break
			}
		}
		if !found {
			t.Errorf("row %q makes no model of\n%s\n%s", row, line, last)
		}
	}
}
