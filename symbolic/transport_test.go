package symbolic

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/internal/campaign"
	"github.com/hamc-dev/hamc/symbolic/expr"
	"github.com/hamc-dev/hamc/symbolic/model"
)

// latentsHead is what the models of latents begin with.
const latentsHead = `model latents
data n, J, K, T int
data g int[n] in 1..J
data h int[n] in 1..K
data of int[J] in 1..K
data y, x real[n]
data w real[T]
data k int[n] >= 0
data X real[n, J]
param tau, s real > 0
param mu real
tau ~ normal(0, 1)
s ~ normal(0, 1)
mu ~ normal(0, 1)
`

// latents are models behind latentsHead, and their transports.
var latents = []struct{ name, text, want string }{
	{"groups", "param a real[J]\na ~ normal(mu, tau)\ny ~ normal(a[g], s)", "a 1"},
	{"a recursion of quantities", "param a real[J]\na ~ normal(mu, tau)\ny ~ normal(a[g], s)\ngenerate { c = cumulative_sum(a) }", "a 1"},
	{"counts", "param a real[J]\na ~ normal(mu, tau)\nk ~ poisson_log(a[g] + mu*x)", "a 1*"},
	{"a log link", "param a real[J]\na ~ normal(mu, tau)\nk ~ poisson(exp(a[g])*tau)", "a 1*"},
	{"a scale", "param a real[n]\na ~ normal(mu, tau)\ny ~ normal(0, s*exp(a/2))", "a 1*"},
	{"a logit link", "data b int[n] in {0, 1}\nparam a real[J]\na ~ normal(mu, tau)\nb ~ bernoulli(inv_logit(a[g] + mu))", "a 1*"},
	{"a probit link", "data b int[n] in {0, 1}\nparam a real[J]\na ~ normal(mu, tau)\nb ~ bernoulli(Phi(a[g]))", "a 1*"},
	{"overdispersed counts", "param phi real > 0\nphi ~ exponential(0.1)\nparam a real[J]\na ~ normal(mu, tau)\nk ~ neg_binomial_2_log(a[g] + mu*x, phi)", "a 1*"},
	{"overdispersed counts by their mean", "param phi real > 0\nphi ~ exponential(0.1)\nparam a real[J]\na ~ normal(mu, tau)\nk ~ neg_binomial_2(exp(a[g]), phi)", "a 1*"},
	{"overdispersed counts of a rate", "param a real[J] > 0\na ~ gamma(tau, s)\nk ~ neg_binomial(2, a[g])", "a 1*"},
	{"trials", "data N int[n] >= 0\nparam a real[J]\na ~ normal(mu, tau)\nk ~ binomial(N, inv_logit(a[g]))", "a 1*"},
	{"trials of proportions", "data N int[n] >= 0\nparam a real[J] in (0, 1)\na ~ beta(tau, s)\nk ~ binomial(N, a[g])", "a 1*"},
	{"trials of a mixture, whose density is seen", "data N int[n] >= 0\nparam a real[J]\na ~ normal(mu, tau)\nk[i] ~ beta_binomial(N[i], exp(a[g[i]]), 2) for i in n", "a 1*"},
	{"waiting times", "data z real[n] > 0\nparam a real[J]\na ~ normal(mu, tau)\nz ~ weibull(s, exp(a[g] + mu*x))", "a 1*"},
	{"maxima", "param a real[J]\na ~ normal(mu, tau)\ny ~ gumbel(a[g], s)", "a 1*"},
	{"means of proportions", "data z real[n] in (0, 1)\nparam a real[J]\na ~ normal(mu, tau)\nz ~ beta_proportion(inv_logit(a[g]), s)", "a 1*"},
	{"a logistic prior", "param a real[J]\na ~ logistic(mu, tau)\ny ~ normal(a[g], s)", "a 1"},
	{"a skew prior", "param a real[J]\na ~ gumbel(mu, tau)\ny ~ logistic(a[g], s)", "a 1*"},
	{"halves of these", "param a, b real[J] > 0\na ~ logistic(0, tau)\nb ~ gumbel(0, s)\nk ~ poisson(a[g])\nk ~ poisson(b[g])", "b 1*, a 1*"},
	{"lives", "param a, b, c real[J] > 0\na ~ weibull(2, tau)\nb ~ frechet(2, s)\nc ~ rayleigh(s)\nk ~ poisson(a[g])\nk ~ poisson(b[g])\nk ~ poisson(c[g])", "c 1*, b 1*, a 1*"},
	{"a tangent", "param a real[J]\na ~ normal(mu, tau)\nk ~ poisson(1 + a[g].^2)", "a 1*"},
	{"curves", "param a, b real[J]\na ~ normal(mu, tau)\nb ~ normal(0, s)\ny ~ normal(a[g].*exp(-b[g].*x), 1)", "b 1*, a 1*"},
	{"a tangent that couples", "param a real[J]\na ~ normal(mu, tau)\ny ~ normal(tanh(X*a), s)", ""},
	{"a density", "param a real[J]\na ~ normal(mu, tau)\ndensity -sum(log1p_exp(a[g]).*x)", "a 1*"},
	{"standard variates that a density sees", "param a real[n]\na ~ normal(0, 1)\nlet p[i in n] = inv_logit(mu + tau*a[i])\ndensity sum(i in n) (if k[i] > 0 then binomial_lpmf(k[i] | 9, p[i]) else log_sum_exp(binomial_lpmf(0 | 9, p[i]), -s))", "a 1*"},
	{"the same, that all are seen alike", "param a real[n]\na ~ normal(0, 1)\ndensity sum(i in n) log_sum_exp(-1, binomial_lpmf(0 | 9, inv_logit(0.5 + a[i])))", ""},
	{"rows that a density sees, behind definitions", "param a real[n, 2]\nparam S cov[2]\na[i, :] ~ multi_normal([0, 0], S) for i in n\nlet p = a[:, 1] + mu\nlet q = a[:, 2] + s\nlet u[i in n] = log_sum_exp(log_inv_logit(p[i]) - 5*log1p_exp(q[i]), log1m_inv_logit(p[i]))\ndensity sum(i in n) (if k[i] > 0 then log_inv_logit(p[i]) + binomial_logit_lpmf(k[i] | 9, q[i]) else u[i])", "a 1*, a 1*"},
	{"rows and standard variates that a density sees, behind definitions", "param a real[n, 2]\nparam b real[n]\nparam S cov[2]\na[i, :] ~ multi_normal([0, 0], S) for i in n\nb ~ normal(0, 1)\nlet p = a[:, 1] + mu + tau*b\nlet q = a[:, 2] + s*b\nlet u[i in n] = log_sum_exp(log_inv_logit(p[i]) - 5*log1p_exp(q[i]), log1m_inv_logit(p[i]))\nlet seen[i in n] = log_inv_logit(p[i]) + binomial_logit_lpmf(k[i] | 9, q[i])\ndensity sum(i in n) (if k[i] > 0 then seen[i] else u[i])", "b 1*, a 1*, a 1*"},
	{"a density that couples", "param a real[J]\na ~ normal(mu, tau)\ndensity -sum(a)^4", "a 1*"},
	{"a density that couples, and sees what has the same prior everywhere", "param a, b real[J]\na ~ normal(mu, tau)\nb ~ normal(0, 1)\ndensity -sum(a + b)^4", "a 1*"},
	{"a density by a recursion", "param a real[J]\na ~ normal(mu, tau)\nlet f[1] = a[1]\nlet f[t] = sin(f[t-1] + a[t]) for t in 2..J\ndensity -sum(f)^4", "a 1*"},
	{"a chain that is written by its innovations", "param a real[T]\na ~ normal(0, 1)\nlet f[1] = tau*a[1]\nlet f[t] = 0.9*f[t-1] + tau*a[t] for t in 2..T\nw ~ normal(f, s)", "a 2"},
	{"the same, from a number on", "param a real[T]\na ~ normal(0, 1)\nlet f[1] = mu\nlet f[t] = f[t-1] + tau*a[t-1] for t in 2..T\nw ~ normal(f, s)", "mu 1, a 2"},
	{"a sum of increments with a scale", "param a real[T]\na ~ normal(0.1, tau)\nw ~ normal(mu + cumulative_sum(a), s)", "mu 1, a 2"},
	{"innovations of a scale that may be negative", "param a real[T]\na ~ normal(0, 1)\nlet f[1] = a[1]\nlet f[t] = f[t-1] + mu*a[t] for t in 2..T\nw ~ normal(f, s)", ""},
	{"innovations without a prior of a location and a scale", "param a real[T]\na ~ skew_normal(0, tau, 2)\nlet f[1] = a[1]\nlet f[t] = f[t-1] + a[t] for t in 2..T\nw ~ normal(f, s)", ""},
	{"innovations that stand where others do too", "param a real[T]\na ~ normal(0, tau)\nlet f[1] = a[1]\nlet f[2] = a[2]\nlet f[t] = f[t-1] + a[t] + a[t-1] for t in 3..T\nw ~ normal(f, s)", "a 1*"},
	{"standard variates that a recursion reads by a function", "param a real[J]\na ~ normal(0, 1)\nlet b = inv_logit(mu + tau*a)\nlet q[1, j in J] = 0\nlet q[t, j in J] = q[t-1, j] + b[j]*(w[t] - q[t-1, j]) for t in 2..T\ny[i] ~ normal(q[T, g[i]], s) for i in n", "a 1*"},
	{"the same, read in two ways", "param a real[J]\na ~ normal(0, 1)\nlet b = inv_logit(mu + tau*a) + tanh(2*a)\nlet q[1, j in J] = 0\nlet q[t, j in J] = q[t-1, j] + b[j]*(w[t] - q[t-1, j]) for t in 2..T\ny[i] ~ normal(q[T, g[i]], s) for i in n", ""},
	{"standard variates that no recursion hides", "param a real[J]\na ~ normal(0, 1)\nlet b = exp(mu + tau*a)\ny[i] ~ normal(b[g[i]], s) for i in n", "a 1*"},
	{"a chain that a recursion hides", "data u int[T] >= 0\nparam a real[T]\na ~ normal(0, 1)\nlet f[1] = tau*a[1]\nlet f[t] = f[t-1] + tau*a[t] for t in 2..T\nlet v[1] = 1\nlet v[t] = v[t-1]*(1.2 + tanh(f[t])) for t in 2..T\nu ~ poisson(v)", ""},
	{"a chain of a chain", "param a real[T]\na ~ normal(0, 1)\nlet f[1] = tau*a[1]\nlet f[t] = 0.9*f[t-1] + tau*a[t] for t in 2..T\nw ~ normal(cumulative_sum(f), s)", "a 3"},
	{"chains that are made of each other", "param a, b real[T]\na, b ~ normal(0, 1)\nlet f[1] = tau*a[1]\nlet v[1] = tau*b[1]\nlet f[t] = 0.9*v[t-1] + tau*a[t] for t in 2..T\nlet v[t] = 0.9*f[t-1] + tau*b[t] for t in 2..T\nw ~ normal(f, s)", "b 3, a 1"},
	{"a chain of numbers above 0", "data u int[T] >= 0\nparam a real[T]\na ~ normal(0, 1)\nlet f[1] = exp(mu)\nlet f[t] = f[t-1]*exp(tau*a[t]) for t in 2..T\nu ~ poisson(f)", "mu 1*, a 2*"},
	{"one of the second order", "param a real[T]\na[t] ~ normal(2*a[t-1] - a[t-2], tau) for t in 3..T\nw ~ student_t(5, a, s)", "a 3*"},
	{"one that no data see", "param a real[T]\na[t] ~ normal(a[t-1], tau) for t in 2..T\ns ~ normal(0, 1)", ""},
	{"numbers of which the first has no prior", "param a real[J]\na[2..J] ~ normal(mu, tau)\ny ~ normal(a[g], s)", ""},
	{"a prior that is near no normal one", "param r, a real[J]\na ~ normal(mu, tau)\nr ~ skew_normal(a, s, 2)\ny ~ normal(a[g] + r[g], s)", "a 1"},
	{"a prior of what has a bound", "param r real[J] > 10\nparam a real[J]\na ~ normal(mu, tau)\nr ~ lognormal(a, s)\ny ~ normal(a[g] + r[g], s)", "a 1*, r 1*"},
	{"a ranking", "data r int[n, J] in 1..J\nparam a real[J]\na ~ normal(mu, tau)\ndensity sum(i in n, q in J) (a[r[i, q]] - log(sum(l in q..J) exp(a[r[i, l]])))", "a 1*"},
	{"no data", "param a real[J]\na ~ normal(0, tau)", "a 1"},
	{"a location alone", "param a real[J]\na ~ normal(mu, 1)", "a 1"},
	{"the same everywhere", "param a real[J]\na ~ normal(0, 1)\ny ~ normal(a[g], 2)", ""},
	{"a metric", "param a real[J]\na ~ normal(mu, tau)\nmetric identity", ""},
	{"auto by name", "param a real[J]\na ~ normal(mu, tau)\nmetric auto", "a 1"},
	{"rows of a matrix, with a covariance", "param a real[J]\ndata C cov[J]\ndata all int[J] in 1..J\na ~ normal(mu, tau)\nX[1, all] ~ multi_normal(a, tau*C)", "a 1*"},
	{"a positive half", "param a real[J] > 0\na ~ normal(mu, tau)", "a 1"},
	{"a positive half of heavy tails", "param a real[J] > 0\na ~ cauchy(0, tau)\nk ~ poisson(a[g])", "a 1*"},
	{"half of what is not centred", "param a real[J] > 0\na ~ cauchy(mu, tau)", "a 1"},
	{"a bound elsewhere", "param a real[J] > 1\na ~ normal(mu, tau)", "a 1"},
	{"bounds of each element", "data top real[J] > 0\nparam a real[J] in (0, top)\na ~ student_t(4, mu, tau)\ny ~ normal(a[g], s)", "a 1*"},
	{"bounds that are parameters", "param a real[J] < mu\na ~ normal(0, tau)\ny ~ normal(a[g], s)", "a 1*"},
	{"bounds of logarithms", "data top real[J] > 0\nparam a real[J] in (0, top)\na ~ lognormal(mu, tau)\nk ~ poisson(a[g])", "a 1*"},
	{"bounds of logarithms that do not begin at 0", "param a real[J] in (0.5, 2)\na ~ lognormal(mu, tau)\nk ~ poisson(a[g])", ""},
	{"an offset and a multiplier", "param a real[J] offset mu multiplier tau\na ~ normal(mu, tau)\ny ~ normal(a[g], s)", "a 1"},
	{"rates", "param a real[J] > 0\na ~ gamma(tau, s)\nk ~ poisson(a[g])", "a 1*"},
	{"logarithms", "param a real[J] > 0\na ~ lognormal(mu, tau)\nk ~ poisson(a[g].*exp(x))", "a 1*"},
	{"logarithms that are normal", "data z real[n] > 0\nparam a real[J] > 0\na ~ lognormal(mu, tau)\nz ~ lognormal(log(a[g]) + mu*x, s)", "a 1"},
	{"proportions", "data b int[n] in {0, 1}\nparam a real[J] in (0, 1)\na ~ beta(tau, s)\nb ~ bernoulli(a[g])", "a 1*"},
	{"what an equation reads", "data u real[n]\node f(v; r) {\n  v' = -r*v\n}\nparam a real[2] > 0\na ~ lognormal(mu, tau)\nlet z = solve f(v = 1, r = a[1]) from 0 at u\ny[i] ~ normal(z.v[i], a[2]) for i in n", "a 1*"},
	{"scales about a solution", "data u real[n]\node f(v; r) {\n  v' = -r*v\n}\nparam a real[2] > 0\na ~ lognormal(mu, tau)\nlet z = solve f(v = 1, r = tau) from 0 at u\ny[i] ~ normal(z.v[i], a[2]) for i in n", "a 1*"},
	{"scales of others", "param c real[J]\nparam a real[J] > 0\nc ~ normal(0, a)\na ~ normal(0, tau)\ny ~ normal(c[g], s)", "a 1, c 1"},
	{"abilities of which the scale is known, beside discriminations and difficulties of the items", "data b int[n] in {0, 1}\nparam c real[J]\nparam a real[K] > 0\nparam d real[K]\nc ~ normal(0, 1)\na ~ lognormal(0, tau)\nd ~ normal(mu, s)\nb ~ bernoulli_logit(a[h].*(c[g] - d[h]))", "d 1*, a 1*"},
	{"abilities of which it is not", "data b int[n] in {0, 1}\nparam c real[J]\nparam a real[K] > 0\nparam d real[K]\nc ~ normal(0, tau)\na ~ lognormal(0, 1)\nd ~ normal(mu, s)\nb ~ bernoulli_logit(a[h].*(c[g] - d[h]))", "d 1*, c 1*"},
	{"items and abilities of which the scale is known", "data b int[n] in {0, 1}\nparam c real[J]\nparam a real[K] > 0\nc ~ normal(0, 1)\na ~ lognormal(0, 1)\nb ~ bernoulli_logit(a[h].*c[g])", ""},
	{"standard variates with scales that they tell", "data b int[n] in {0, 1}\nparam c real[J]\nparam a real[K] > 0\nc ~ normal(0, 1)\na ~ lognormal(0, 1)\nb ~ bernoulli_logit(a[of[g]].*c[g])", "c 1*"},
	{"abilities", "data b int[n] in {0, 1}\nparam c real[J]\nparam a real[K] > 0\nc ~ normal(0, 1)\na ~ lognormal(0, tau)\nb ~ bernoulli_logit(a[h].*(c[g] - mu))", "a 1*, c 1*"},
	{"heavy tails", "param a real[J]\na ~ student_t(4, mu, tau)\ny ~ normal(a[g], s)", "a 1"},
	{"heavier tails", "param a real[J]\na ~ cauchy(mu, tau)\nk ~ poisson_log(a[g])", "a 1*"},
	{"heavy tails of one that is known", "param nu real > 0\nnu ~ gamma(2, 0.1)\nparam a real[J]\na ~ student_t(nu, 0, tau)\ny ~ normal(a[g], s)", "a 1"},
	{"heavy tails of data", "param a real[J]\na ~ normal(mu, tau)\ny ~ student_t(4, a[g], s)", "a 1*"},
	{"a chain of heavy tails", "param a real[T]\na[1] ~ cauchy(0, 1)\na[t] ~ student_t(3, a[t-1], tau) for t in 2..T\nw ~ normal(a, s)", "a 2"},
	{"a location that is another's scale", "param a, b real[J]\na ~ normal(mu, tau)\nb ~ student_t(4, 0, exp(a))\ny ~ normal(a[g] + b[g], s)", "a 1, b 1 @"},
	{"another prior", "param a real[J]\ndensity -sum(a.^4)/tau\ny ~ normal(a[g], s)", ""},
	{"a scale of its own", "param a real[J]\na ~ normal(mu, tau)\ny ~ normal(0, exp(a[g]))\nk ~ poisson_log(a[g])", "a 1*"},
	{"two predictors in one term", "param a real[J]\na ~ normal(mu, tau)\ny ~ normal(a[g], exp(a[g]))", "a 1*"},
	{"a regression", "param a real[J]\na ~ normal(0, tau)\ny ~ normal(X*a, s)", ""},
	{"a chain", "param a real[T]\na[1] ~ normal(0, 1)\na[t] ~ normal(mu*a[t-1], tau) for t in 2..T\nw ~ normal(a, s)", "a 2"},
	{"a chain of order two", "param a real[T]\na[1] ~ normal(0, 1)\na[2] ~ normal(0, 1)\na[t] ~ normal(a[t-1] + mu*a[t-2], tau) for t in 3..T\nw ~ normal(a, s)", "a 3"},
	{"a chain backwards", "param a real[T]\na[1] ~ normal(0, 1)\na[t-1] ~ normal(mu*a[t], tau) for t in 2..T\nw ~ normal(a, s)", ""},
	{"a chain from its end", "param a real[T]\na[T] ~ normal(0, 1)\na[t-1] ~ normal(mu*a[t], tau) for t in 2..T\nw ~ normal(a, s)", "a 2"},
	{"a mean of itself", "param a real[T]\na[t] ~ normal(mu*a[t], tau) for t in T\nw ~ normal(a, s)", ""},
	{"a chain without a start", "param a real[T]\na[t] ~ normal(a[t-1], tau) for t in 2..T\nw ~ normal(a, s)", "a 2"},
	{"a gap", "param a real[T]\na[1] ~ normal(0, 1)\na[t] ~ normal(0, tau) for t in 3..T\nw ~ normal(a, s)", ""},
	{"slopes", "param a, b real[J]\na ~ normal(mu, tau)\nb ~ normal(0, tau)\ny ~ normal(a[g] + b[g].*x, s)", "b 1, a 1"},
	{"nested", "param a real[J]\nparam b real[K]\na ~ normal(b[of], tau)\nb ~ normal(mu, s)\ny ~ normal(a[g], s)", "b 1, a 1"},
	{"nested, outer first", "param b real[K]\nparam a real[J]\na ~ normal(b[of], tau)\nb ~ normal(mu, s)\ny ~ normal(a[g], s)", "b 1, a 1"},
	{"pupils of classes", "data class int[K] in 1..J\nparam a real[K]\nparam b real[J]\na ~ normal(mu, tau)\nb ~ normal(0, s)\ny ~ normal(a[h] + b[class[h]], s)", "b 1, a 1"},
	{"counts of pupils of classes", "data class int[K] in 1..J\nparam a real[K]\nparam b real[J]\na ~ normal(mu, tau)\nb ~ normal(0, s)\nk ~ poisson_log(b[class[h]] + a[h])", "b 1*, a 1*"},
	{"crossed", "param a real[J]\nparam b real[K]\na ~ normal(0, tau)\nb ~ normal(0, s)\nk ~ poisson_log(mu + a[g] + b[h])", "b 1*, a 1*"},
	{"three that cross", "param a real[J]\nparam b real[K]\nparam c real[T]\ndata l int[n] in 1..T\na ~ normal(0, tau)\nb ~ normal(0, s)\nc ~ normal(mu, s)\nk ~ poisson_log(a[g] + b[h] + c[l])", "c 1*, b 1*, a 1*"},
	{"a circle", "param a, b real[J]\na ~ normal(b, tau)\nb ~ normal(a, s)", "a 1"},
	{"a product", "param a real[J]\nparam b real[K]\na ~ normal(0, tau)\nb ~ normal(0, s)\ny ~ normal(a[g].*b[h], 1)", "b 1, a 1 @"},
	{"columns", "param a real[J, 2]\na[:, l] ~ normal(mu*l, tau) for l in 2\ny[i] ~ normal(a[g[i], 1] + a[g[i], 2]*x[i], s) for i in n", "a 1, a 1"},
	{"rows", "param a real[2, J]\na[1, :] ~ normal(mu, tau)\na[2, :] ~ normal(0, s)\ny[i] ~ normal(a[1, g[i]] + a[2, g[i]]*x[i], s) for i in n", "a 1, a 1"},
	{"elements", "param a real[J, 3]\nparam m real[3]\na[i, l] ~ normal(m[l], tau) for i in J, l in 3\nm ~ normal(0, 1)\ny ~ normal(a[g, 1] + a[g, 3].*x, s)", "a 1, a 1, a 1"},
	{"a matrix as a whole", "param a real[J, 2]\na ~ normal(mu, tau)\nk ~ poisson_log(a[g, 1] + a[g, 2].*x)", "a 1*, a 1*"},
	{"positive columns", "param a real[J, 2] > 0\na ~ gamma(tau, s)\nk ~ poisson(a[g, 1] + 0*a[g, 2])", "a 1*, a 1*"},
	{"a column without a prior", "param a real[J, 2]\na[:, 1] ~ normal(mu, tau)\ny ~ normal(a[g, 1] + a[g, 2].*x, s)", ""},
	{"a row of more columns than a few", "param a real[J, 5]\na ~ normal(mu, tau)\ny ~ normal(a[g, 1], s)", "a 1"},
	{"an interaction", "param a real[J]\nparam b real[K]\nparam c real[J, K]\na ~ normal(0, tau)\nb ~ normal(0, tau)\nc ~ normal(0, s)\nk[i] ~ poisson_log(a[g[i]] + b[h[i]] + c[g[i], h[i]]) for i in n", "b 1*, a 1*, c 1*"},
	{"walks of groups", "param a real[J, T]\na[j, 1] ~ normal(0, 1) for j in J\na[j, t] ~ normal(mu*a[j, t-1], tau) for j in J, t in 2..T\nw[t] ~ normal(a[1, t], s) for t in T", "a 2"},
	{"walks of groups, along the first", "param a real[T, J]\na[1, j] ~ normal(0, 1) for j in J\na[t, j] ~ normal(mu*a[t-1, j], tau) for t in 2..T, j in J\nw[t] ~ normal(a[t, 1], s) for t in T", "a 2"},
	{"means of the units of a panel", "data v int[J, T] >= 0\nparam c real[J]\nparam a real[J, T]\nc ~ normal(mu, s)\na[j, 1] ~ normal(c[j], tau) for j in J\na[j, t] ~ normal(0.4*c[j] + 0.6*a[j, t-1], tau) for j in J, t in 2..T\nv[j, t] ~ poisson_log(a[j, t]) for j in J, t in T", "c 1*, a 2*"},
	{"drifts and coefficients of units, along the second", "data v real[T, J]\nparam a real[T, J]\nparam c, d real[J]\nc ~ normal(mu, s)\nd ~ normal(0, tau)\na[1, j] ~ normal(0, 1) for j in J\na[t, j] ~ normal(c[j] + a[t-1, j], tau) for t in 2..T, j in J\nv[t, j] ~ normal(a[t, j] + d[j]*t, s) for t in T, j in J", "d 1, c 1, a 2"},
	{"means of groups of units", "param c real[K]\nparam a real[J, T]\nc ~ normal(mu, s)\na[j, 1] ~ normal(c[of[j]], tau) for j in J\na[j, t] ~ normal(0.4*c[of[j]] + 0.6*a[j, t-1], tau) for j in J, t in 2..T\nw[t] ~ normal(a[1, t], s) for t in T", "a 2, c 1 @"},
	{"a sheet, whose elements follow both before", "param a real[T, T]\na[1, t] ~ normal(0, 1) for t in T\na[t, 1] ~ normal(0, 1) for t in 2..T\na[t, u] ~ normal(a[t-1, u] + a[t, u-1], tau) for t in 2..T, u in 2..T", ""},
	{"a gap in a matrix", "param a real[J, T]\na[j, 1] ~ normal(0, 1) for j in J\na[1, t] ~ normal(a[1, t-1], tau) for t in 2..T", ""},
	{"an array of rows that data couple", "param a real[J, K]\na ~ normal(mu, tau)\ny[i] ~ normal(sum(l in K) a[g[i], l]*x[i]^l, s) for i in n", ""},
	{"logarithms of rates of three dimensions", "param a real[J, K, T] > 0\na ~ lognormal(mu, tau)\nk[i] ~ poisson(a[g[i], h[i], 1]) for i in n", "a 1*"},
	{"times since a start", "data z real[n] > 0\nparam a real[J]\nparam t0 real[J] in (0, 1)\na ~ normal(mu, tau)\nt0 ~ beta(2, 2)\nz[i] - 0.1*t0[g[i]] ~ lognormal(a[g[i]], s) for i in n", "a 1"},
	{"a chain that bends", "param a real[T]\na[1] ~ normal(mu, tau)\na[t] ~ normal(mu + 0.5*tanh(a[t-1]), tau) for t in 2..T\nw ~ normal(a, s)", "mu 1, a 2 @"},
	{"seasons", "param a real[T]\na[1..3] ~ normal(0, 1)\na[t] ~ normal(-sum(l in 1..3) a[t-l], tau) for t in 4..T\nw ~ normal(a, s)", "a 4"},
	{"a sum that is held", "param a real[J]\na ~ normal(0, tau)\nsum(a) ~ normal(0, 0.01)\nk ~ poisson_log(mu + a[g])", "a 1*"},
	{"deviations", "param a real[T]\na - mu ~ normal(0, tau)\nw ~ normal(a, s)", "a 1"},
	{"deviations in units of their scale", "param a real[T]\n(a - mu)/tau ~ normal(0, 1)\ndensity -T*log(tau)\nw ~ normal(a, s)", "a 1"},
	{"differences", "param a real[T]\na[1] ~ normal(0, 1)\na[2..T] - a[1..T-1] ~ normal(0, tau)\nw ~ normal(a, s)", "a 2"},
	{"second differences", "param a real[T]\na[1..2] ~ normal(0, 1)\na[t] - 2*a[t-1] + a[t-2] ~ normal(0, tau) for t in 3..T\nw ~ normal(a, s)", "a 3"},
	{"differences alone", "param a real[T]\na[2..T] - a[1..T-1] ~ normal(0, tau)\nw ~ normal(a, s)", "a 2"},
	{"differences of vectors that have priors", "param a, b real[T]\na, b ~ normal(mu, tau)\na - b ~ normal(0, 0.1)\nw ~ normal(a, s)\nw ~ normal(b, s)", "b 1, a 1"},
	{"differences of groups from each other", "param a real[J]\ndata f int[n] in 1..J\na ~ normal(mu, tau)\na[g] - a[f] ~ normal(0, 0.1)\ny ~ normal(a[g], s)", ""},
	{"a walk of order two, back", "param a real[T]\na[T] ~ normal(0, 1)\na[T-1] ~ normal(a[T], tau)\na[t] ~ normal(2*a[t+1] - a[t+2], tau) for t in 1..T-2\nw ~ normal(a, s)", "a 3"},
	{"a walk from the middle outwards", "param a real[T]\na[5] ~ normal(0, 1)\na[t] ~ normal(a[t+1], tau) for t in 1..4\na[t] ~ normal(a[t-1], tau) for t in 6..T\nw ~ normal(a, s)", "a 2"},
	{"walks that know of one another, one of which goes back", "param a, b real[T]\na[T] ~ normal(0, 1)\na[1] ~ normal(a[2], tau)\na[t] ~ normal(0.5*a[t+1] + 0.5*b[t-1], tau) for t in 2..T-1\nb[1] ~ normal(0, 1)\nb[t] ~ normal(a[t-1], tau) for t in 2..T\nw ~ normal(a, s)\nw ~ normal(b, s)", "a 2"},
	{"a walk that another, which goes back, follows", "param a, b real[T]\na[1] ~ normal(0, 1)\na[t] ~ normal(a[t-1], tau) for t in 2..T\nb[T] ~ normal(0, 1)\nb[t] ~ normal(b[t+1] + 0.1*a[t], tau) for t in 1..T-1\nw ~ normal(a, s)\nw ~ normal(b, s)", "b 4, a 4"},
	{"neighbours that are made of each other", "param a real[T]\na[t] ~ normal(a[t+1], tau) for t in 1..4\na[t] ~ normal(a[t-1], tau) for t in 5..T\nw ~ normal(a, s)", ""},
	{"elements that are made of those on both sides", "param a real[T]\na[1] ~ normal(0, 1)\na[T] ~ normal(0, 1)\na[t] ~ normal(0.4*a[t-1] + 0.4*a[t+1], tau) for t in 2..T-1\nw ~ normal(a, s)", ""},
	{"elements that are made of others further away, on both sides", "param a real[T]\na[4..5] ~ normal(0, 1)\na[t] ~ normal(a[t+2], tau) for t in 1..3\na[t] ~ normal(a[t-3], tau) for t in 6..T\nw ~ normal(a, s)", ""},
	{"a walk whose mean is held", "param a real[T]\na[1] ~ normal(0, 1)\na[t] ~ normal(a[t-1], tau) for t in 2..T\nmean(a) ~ normal(0, 0.01)\nw ~ normal(a + mu, s)", "a 2"},
	{"scales of groups", "param a real[n]\nparam b real[J] > 0\nb ~ lognormal(mu, tau)\na ~ normal(0, b[g])\ny ~ normal(a, s)", "b 1, a 1"},
	{"a covariance", "data E cov[2]\nlet m[l in 2] = mu*l\nparam a real[J, 2]\nparam S cov[2]\nS ~ inv_wishart(4, E)\na[j, :] ~ multi_normal(m, S) for j in J\ny ~ normal(a[g, 1] + a[g, 2].*x, s)", "a 1, a 1"},
	{"a factor of a covariance", "param a real[2, J]\nparam L cov_cholesky[2]\nparam m real[2]\nm ~ normal(0, 1)\na[:, j] ~ multi_normal_cholesky(m, L) for j in J\nk ~ poisson_log(a[1, g] + a[2, g].*x)", "a 1*, a 1*"},
	{"a precision, of logarithms of rates", "data E cov[2]\nlet m[l in 2] = mu\nparam a real[J, 2] > 0\nparam P cov[2]\nP ~ wishart(4, E)\nlog(a[j, :]) ~ multi_normal_prec(m, P) for j in J\nk ~ poisson_log(a[g, 1])\nk ~ poisson_log(a[g, 2])", "a 1*, a 1*"},
	{"rows of two matrices", "param a real[J, 2]\nparam b real[K, 2]\na[:, 1] ~ normal(b[of, 1], tau)\na[:, 2] ~ normal(b[of, 2], tau)\nb ~ normal(0, s)\ny ~ normal(a[g, 1] + a[g, 2].*x, s)", "b 1, b 1, a 1, a 1"},
	{"rows that cross", "param a real[J, 2]\nparam b real[K, 2]\na ~ normal(0, tau)\nb ~ normal(0, s)\nk ~ poisson_log(a[g, 1] + a[g, 2].*x + b[h, 1] + b[h, 2].*x)", "b 1*, b 1*, a 1*, a 1*"},
	{"walks side by side", "param a real[T, 2]\na[1, :] ~ normal(0, 1)\na[t, l] ~ normal(a[t-1, l], tau) for t in 2..T, l in 2\nw ~ normal(a[:, 1], s)\nw ~ normal(a[:, 2], s)", "a 2, a 2"},
	{"heavy rows", "let m[l in 2] = mu\nparam a real[J, 2]\nparam L cov_cholesky[2]\na[j, :] ~ multi_student_t_cholesky(4, m, L) for j in J\ny ~ normal(a[g, 1], s)", ""},
	{"a trend", "param l, b real[T]\nl[1] ~ normal(0, 1)\nb[1] ~ normal(0, 1)\nl[t] ~ normal(l[t-1] + b[t-1], tau) for t in 2..T\nb[t] ~ normal(b[t-1], 0.1*tau) for t in 2..T\nw ~ normal(l, s)", "l 4, b 4"},
	{"a trend whose slope is declared first, and effects of groups", "param b, l real[T]\nparam a real[J]\na ~ normal(0, s)\ny ~ normal(a[g], 1)\nl[1] ~ normal(0, 1)\nb[1] ~ normal(0, 1)\nl[t] ~ normal(l[t-1] + b[t-1], tau) for t in 2..T\nb[t] ~ normal(b[t-1], 0.1*tau) for t in 2..T\nw ~ normal(l, s)", "l 4, b 4, a 1"},
	{"an autoregression of vectors", "param a real[T, 3]\nparam G real[3, 3]\na[1, :] ~ normal(0, 1)\na[t, :] ~ normal(G*a[t-1, :], tau) for t in 2..T\nw ~ normal(a[:, 1], s)", "a 6, a 6, a 6"},
	{"vectors of which each knows of the other now", "param a, b real[T]\na[1] ~ normal(0, 1)\nb[1] ~ normal(0, 1)\na[t] ~ normal(b[t], tau) for t in 2..T\nb[t] ~ normal(a[t], tau) for t in 2..T\nw ~ normal(a, s)", "a 1"},
	{"vectors of which one knows of the other's sum", "param a, b real[T]\na[1] ~ normal(0, 1)\nb[1] ~ normal(0, 1)\na[t] ~ normal(b[t-1], tau) for t in 2..T\nb[t] ~ normal(sum(a), tau) for t in 2..T\nw ~ normal(a, s)", "b 1"},
	{"a walk with a covariance", "param a real[T, 2]\nparam L cov_cholesky[2]\na[1, :] ~ normal(0, 1)\na[t, :] ~ multi_normal_cholesky(a[t-1, :], L) for t in 2..T\nw ~ normal(a[:, 1], s)\nw ~ normal(a[:, 2], s)", "a 4, a 4"},
	{"chains with long memories", "param a, b real[T]\na[t] ~ normal(0, 1) for t in 1..6\nb[t] ~ normal(0, 1) for t in 1..6\na[t] ~ normal(b[t-6], tau) for t in 7..T\nb[t] ~ normal(b[t-6] + a[t-1], tau) for t in 7..T\nw ~ normal(a, s)", "b 8, a 1"},
	{"two chains and their means", "param a, b real[T]\nparam c real\na[1] ~ normal(mu, 1)\nb[1] ~ normal(c, 1)\na[t] ~ normal(mu + 0.5*(a[t-1] - mu) + tau*(b[t-1] - c), tau) for t in 2..T\nb[t] ~ normal(c + 0.5*(b[t-1] - c), tau) for t in 2..T\nw ~ normal(a, s)\nw ~ normal(b, s)", "c 1, mu 1, a 4, b 4"},
	{"coefficients that walk, which data couple", "param a real[T, 2]\ndata c real[T]\na[1, :] ~ normal(0, 1)\na[t, :] ~ normal(a[t-1, :], tau) for t in 2..T\nw ~ normal(a[:, 1] + a[:, 2].*c, s)", "a 3, a 3"},
	{"zeros that see other effects than counts do", "param a, b real[J]\na ~ normal(0, tau)\nb ~ normal(0, s)\nk[i] ~ hurdle(inv_logit(b[g[i]]), poisson_log(mu + a[g[i]]*x[i])) for i in n", "b 1*, a 1*"},
	{"the same of a matrix", "param a real[J, 2]\nparam L cov_cholesky[2]\na[j, :] ~ multi_normal_cholesky([mu, 0], L) for j in J\nk[i] ~ hurdle(inv_logit(a[g[i], 2]), poisson_log(a[g[i], 1])) for i in n", "a 1*, a 1*"},
	{"a mean of a chain", "param a real[T]\na[1] ~ normal(mu, 1)\na[t] ~ normal(mu + 0.5*(a[t-1] - mu), tau) for t in 2..T\nw ~ normal(a, s)", "mu 1, a 2"},
	{"a level and a slope of counts of a chain", "data c real[T]\ndata u int[T] >= 0\nparam b real\nparam a real[T]\na[1] ~ normal(0, 1)\na[t] ~ normal(a[t-1], tau) for t in 2..T\nu ~ poisson_log(mu + b*c + a)", "b 1*, mu 1*, a 2*"},
	{"a volatility", "param b real > 0\nparam a real[T]\na[1] ~ normal(0, 1)\na[t] ~ normal(0.9*a[t-1], tau) for t in 2..T\nw ~ normal(0, b*exp(a/2))", "b 1*, a 2*"},
	{"a median regression, where data curve the density at their kinks alone", "param a real[J]\na ~ normal(0, 1000)\ny ~ double_exponential(mu + X*a, s)", ""},
	{"a truncated prior", "param a real[J] > 0\na ~ normal(mu, tau) > 0\ny ~ normal(a[g], s)", "a 1*"},
	{"priors of elements, which are truncated", "param a real[J] > 0\na[j] ~ normal(mu*j, tau) > 0 for j in J\ny ~ normal(a[g], s)", "a 1*"},
	{"truncated data", "param a real[J]\na ~ normal(mu, tau)\ny ~ normal(a[g], s) > 0", "a 1*"},
	{"standardised", "param a real[J]\na ~ normal(0, 1)\ny ~ normal(mu + tau*a[g], s)", "a 1"},
	{"standardised, as a term of the density", "param a real[J]\na ~ normal(0, 1)\ndensity normal_lpdf(y | mu + tau*a[g], s)", "a 1"},
	{"the same where a datum does not switch it off", "data only int in {0, 1}\nparam a real[J]\na ~ normal(0, 1)\ndensity if only == 0 then normal_lpdf(y | mu + tau*a[g], s) else 0", "a 1"},
	{"the same of each observation", "data only int in {0, 1}\nparam a real[J]\na ~ normal(0, 1)\ndensity sum(i in n) (if only == 1 then 0 else normal_lpdf(y[i] | mu + tau*a[g[i]], s))", "a 1"},
	{"some observations", "data only int[n] in {0, 1}\nparam a real[J]\na ~ normal(0, 1)\ndensity sum(i in n) (if only[i] == 1 then 0 else normal_lpdf(y[i] | mu + tau*a[g[i]], s))", "a 1*"},
	{"observations with weights", "param a real[J]\na ~ normal(0, 1)\ndensity sum(i in n) exp(x[i])*normal_lpdf(y[i] | mu + tau*a[g[i]], s)", "a 1*"},
	{"a logarithm of a sum of densities", "param a real[J]\na ~ normal(0, tau)\ndensity sum(i in n) log_sum_exp(normal_lpdf(y[i] | mu + a[g[i]], s), normal_lpdf(y[i] | 0, s))", "a 1*"},
	{"categories where a datum does not switch them off", "data only int in {0, 1}\ndata z int[n] in 1..3\nparam c ordered[2]\nparam a real[J]\na ~ normal(0, 1)\ndensity if only == 0 then ordered_logistic_lpmf(z | tau*a[g], c) else 0", "a 1*"},
	{"the other way round", "data only int in {0, 1}\ndata z int[n] in 1..3\nparam c ordered[2]\nparam a real[J]\na ~ normal(0, 1)\ndensity if only == 1 then 0 else sum(i in n) ordered_logistic_lpmf(z[i] | tau*a[g[i]], c)", "a 1*"},
	{"categories of one kind or of another", "data only int in {0, 1}\ndata z int[n] in 1..3\nparam c ordered[2]\nparam a real[J]\na ~ normal(0, 1)\ndensity if only == 0 then sum(i in n) ordered_logistic_lpmf(z[i] | tau*a[g[i]], c) else sum(i in n) ordered_probit_lpmf(z[i] | tau*a[g[i]], c)", "a 1*"},
	{"a prior as a term of the density", "param a real[J]\ndensity normal_lpdf(a | 0, tau)\ny ~ normal(mu + a[g], s)", "a 1"},
}

// TestTransports: which parameters are latent vectors, in the order in which they are determined, with the number of diagonals
// of their precision, and * where a reference stands for a term; @ behind all tells that one vector is at the reference for another.
func TestTransports(t *testing.T) {
	for _, c := range campaign.Sample(t, latents, 2) {
		m, ds := dsl.Load("latents.ham", latentsHead+c.text+"\n", dsl.Options{})
		if m == nil {
			t.Errorf("%s: %v", c.name, ds)
			continue
		}
		d, list := Derive(m)
		if d == nil {
			t.Errorf("%s: %v", c.name, list)
			continue
		}
		var got []string
		for _, x := range d.Transports {
			text := fmt.Sprintf("%s %d", x.Param.Decl.ObjectName(), x.Diagonals)
			if len(x.Predicted) > 0 {
				text += "*"
			}
			got = append(got, text)
		}
		text := strings.Join(got, ", ")
		if d.Anchored() && !strings.Contains(text, "*") {
			text += " @"
		}
		if text != c.want {
			t.Errorf("%s: %q, want %q", c.name, text, c.want)
		}
	}
}

// TestKinkedInformation: a density with a kink at its mode has the curvature 0 elsewhere, and its information is the expected one: the precision of the effects knows of the scale of the data.
func TestKinkedInformation(t *testing.T) {
	for _, dist := range []string{"double_exponential(a[g], s)", "skew_double_exponential(a[g], s, 0.9)", "normal(a[g], s)"} {
		d, _ := load(t, "model m\ndata n, J int\ndata g int[n] in 1..J\ndata y real[n]\nparam a real[J]\nparam tau, s real > 0\na ~ normal(0, tau)\ntau, s ~ exponential(1)\ny ~ "+dist+"\n")
		for _, p := range d.Params {
			if p.Decl.ObjectName() == "s" && !expr.Mentions(d.MapJacobian, p.Coord) {
				t.Errorf("%s: the map has the Jacobian %s", dist, expr.Format(d.MapJacobian))
			}
		}
	}
}

// TestSpectral: a precision that is dense but for the scale of a prior is decomposed once at the reference and never factorised, and the map is
// exact: given the scales, the coordinates of a regression are standard normal, ∂L/∂z = −z.
func TestSpectral(t *testing.T) {
	for _, prior := range []string{"normal(0, tau)", "multi_normal(0, tau^2*A)", "multi_normal(0.3, A*tau)", "multi_normal_cholesky(0, sqrt(tau)*cholesky(A))", "multi_normal_prec(0, A/tau^2)", "multi_normal_prec(tau, 2*A/tau)"} {
		t.Run(prior, func(t *testing.T) { testSpectral(t, prior, "X*a, 2") })
		t.Run(prior+", seen with a scale", func(t *testing.T) { testSpectral(t, prior, "X*a, exp(tau)") })
	}
}

func testSpectral(t *testing.T, prior, seen string) {
	text := `model ridge
data n, J int
data y real[n]
data X real[n, J]
data A cov[J]
param a real[J]
param tau real > 0
tau ~ normal(0, 1)
a ~ ` + prior + `
y ~ normal(` + seen + `)
density 0*A[1, 1]*tau
`
	m, ds := dsl.Load("ridge.ham", text, dsl.Options{})
	if m == nil {
		t.Fatal(ds.List)
	}
	d, list := Derive(m)
	if d == nil {
		t.Fatal(list)
	}
	d = d.Fit(map[string]int{"n": 5, "J": 3}, nil)
	if len(d.Transports) != 1 {
		t.Fatalf("%d maps, want one", len(d.Transports))
	}
	operators := map[string]bool{}
	for _, def := range d.Prog.Defs {
		if name := ""; def.Body.Op == expr.Apply {
			if name = def.Body.Apply.Operator.Name; def.Stage() < expr.StagePosition {
				name += " before"
			}
			operators[name] = true
		}
	}
	if !operators["eigenvectors before"] || operators["cholesky"] || operators["factor"] {
		t.Errorf("the map is made with %v", operators)
	}
	b := newBench(t, d, map[string][]float64{"n": {5}, "J": {3}, "y": {0.3, -1.1, 2.4, 0.6, 1}, "A": {1.3, 0.4, -0.2, 0.4, 0.9, 0.3, -0.2, 0.3, 2.1},
		"X": {0.1, 0.4, -0.3, 1.2, 0.8, -0.9, 0.2, -0.2, 0.7, 1.1, 0.1, -1.4, 0.5, 0.5, 0.2}})
	for _, q := range [][]float64{{0, 0, 0, 0}, {0.7, -1.2, 0.4, 0.3}, {-2, 0.1, 1.5, -3}, {1, 1, -1, 4}} {
		for i, g := range b.vector(d.Gradient, q)[:3] {
			if math.Abs(g+q[i]) > 1e-12*(1+math.Abs(q[i])) {
				t.Errorf("∂L/∂z[%d] at %v is %v, want %v", i+1, q, g, -q[i])
			}
		}
	}
}

// TestWorthOfDenseMaps: what has no map else has a dense one, although its factor takes many times the operations of a gradient without; where a run would take minutes it has none. Coefficients with scales of their
// own have one of each given the others, where the factor takes ten times the operations or more.
func TestWorthOfDenseMaps(t *testing.T) {
	const horseshoe = `model genes
data n, p int
data X real[n, p]
data y int[n] in {0, 1}
param a real
param b real[p]
param lambda real[p] > 0
param tau real > 0
a ~ normal(0, 2)
lambda ~ half_cauchy(1)
tau ~ half_cauchy(0.05)
b ~ normal(0, tau*lambda)
y ~ bernoulli_logit(a + X*b)
`
	const walks = `model walks
data n, p int
data g, h int[n] in 1..p
data y int[n] >= 0
param a, b sum_to_zero[p]
param s, r real > 0
s, r ~ exponential(1)
a, b ~ normal(0, 3)
a[i] - 2*a[i-1] + a[i-2] ~ normal(0, s) for i in 3..p
b[i] - 2*b[i-1] + b[i-2] ~ normal(0, r) for i in 3..p
y ~ poisson_log(a[g] + b[h])
`
	const missing = `model missing
data n, D, m int
data Y real[n, D]
data gap int[n, D] in 0..m
param y_mis real[m]
param tau real[D] > 0
param R corr[D]
let Z[i in n, j in D] = if gap[i, j] > 0 then y_mis[gap[i, j]] else Y[i, j]
let zero[j in D] = 0
tau ~ exponential(1)
R ~ lkj_corr(1)
Z ~ multi_normal(zero, diag(tau)*R*diag(tau))
`
	for _, x := range []struct {
		text string
		n, p int
		maps int
		of   model.Maps
	}{
		{horseshoe, 300, 20, 1, model.DenseMaps},
		{horseshoe, 70, 90, 1, model.ApartMaps},
		{horseshoe, 70, 900, 1, model.ApartMaps},
		{strings.Replace(horseshoe, "tau*lambda", "tau", 1), 70, 90, 1, model.DenseMaps},
		{walks, 60, 30, 2, model.DenseMaps},
		{walks, 60, 300, 0, model.BandedMaps},
		{missing, 100, 80, 0, model.BandedMaps}, // whose prior is of several together
	} {
		d, _ := load(t, x.text)
		if d = d.Fit(map[string]int{"n": x.n, "p": x.p, "D": 4, "m": x.p}, nil); len(d.Transports) != x.maps || d.Maps != x.of {
			t.Errorf("%d maps of kind %d of %d elements, want %d of kind %d:\n%s", len(d.Transports), d.Maps, x.p, x.maps, x.of, x.text)
		}
	}
}

// TestTurnedDifferences: what data say of differences is a sum of matrices, all times the same number that depends on the position, and is turned to its axes too.
func TestTurnedDifferences(t *testing.T) {
	d, _ := load(t, `model games
data n, J int
data home, away int[n] in 1..J
data y real[n]
param a real[J]
param tau, s real > 0
a ~ normal(0, tau)
y ~ student_t(7, a[home] - a[away], s)
tau, s ~ half_normal(1)
`)
	d = d.Fit(map[string]int{"n": 64, "J": 32}, nil)
	if len(d.Transports) != 1 {
		t.Fatalf("%d maps, want one", len(d.Transports))
	}
	for _, def := range d.Prog.Defs {
		if def.Body.Op == expr.Apply && def.Body.Apply.Operator.Name == "cholesky" && def.Stage() >= expr.StagePosition {
			t.Errorf("%s is a factor at each position", def.Tensor.Name)
		}
	}
}

// TestEntangled: where the information about a predictor cannot be summed over the data once, it is at the reference: nothing that has an element
// for each observation is computed of the reference again for each position.
func TestEntangled(t *testing.T) {
	for _, c := range []struct {
		name, term string
		again      bool
	}{
		{"its shape is a parameter", "k ~ neg_binomial_2_log(a[g] + mu*x, s)", false},
		{"a scale of each observation", "y ~ student_t(4, a[g], exp(s*x))", false},
		{"a factor can be taken out, and the score is not summed", "y ~ student_t(4, a[g], s)", true},
	} {
		const head = "model m\ndata n, J int\ndata g int[n] in 1..J\ndata k int[n] >= 0\ndata y, x real[n]\nparam mu real\nparam tau, s real > 0\nparam a real[J]\n" +
			"mu ~ normal(0, 1)\ntau, s ~ exponential(1)\na ~ normal(mu, tau)\n"
		d, _ := load(t, head+c.term+"\n")
		again := false
		for _, def := range d.Prog.Defs {
			of := def.Tensor
			if of.Stage < expr.StagePosition || len(of.Shape) != 1 || of.Shape[0].Name != "n" {
				continue
			}
			expr.Refs(def.Body, func(r *expr.Expr) { again = again || strings.HasSuffix(r.Tensor.Name, "_ref") })
		}
		if len(d.Transports) != 1 || again != c.again {
			t.Errorf("%s: %d maps, computed again for each position: %v", c.name, len(d.Transports), again)
		}
	}
}

// TestTransportsOfLarge: of a model that is large, or derived for Newton's method, parts of derivatives are definitions. What stood for the
// elements of a vector while a density was differentiated is not left in them.
func TestTransportsOfLarge(t *testing.T) {
	const text = "model m\ndata T int\ndata z real[T]\nparam s real > 0\nparam x real[T]\ns ~ exponential(1)\nx[1] ~ normal(0, 1)\nx[t] ~ normal(x[t-1], s) for t in 2..T\n" +
		"z ~ normal(x, s)\ndensity -sum(t in T-1) exp(-(x[t] - x[t+1])^2)*s\n"
	for _, by := range []expr.Grain{expr.Coarse, expr.Fine} {
		d := loadBy(t, text, by)
		if len(d.Transports) != 1 || len(d.Transports[0].Predicted) == 0 {
			t.Errorf("%d latent vectors", len(d.Transports))
		}
		for _, def := range d.Prog.Defs {
			expr.Refs(def.Body, func(r *expr.Expr) {
				if r.Tensor.Kind == expr.LocalTensor {
					t.Errorf("%s is %s", def.Tensor.Name, expr.Format(def.Body))
				}
			})
		}
	}
}

// TestKnownPowers: the gradient of a model with a map takes roots and reciprocals from their definitions, in every product.
func TestKnownPowers(t *testing.T) {
	d, _ := load(t, `model groups
data n, J int
data g int[n] in 1..J
data y real[n]
param a real[J]
param mu real
param tau, s real > 0
mu ~ normal(0, 1)
tau, s ~ exponential(1)
a ~ normal(mu, tau)
y ~ normal(a[g], s)
`)
	known, left := 0, 0
	count := func(e *expr.Expr) {
		expr.Search(e, expr.StagePosition, func(e *expr.Expr) bool {
			if e.Op == expr.Mul {
				for n, x := range e.Args {
					if k, y := d.Prog.knownPower(e.K[n], x); y != x && k != e.K[n] {
						left++
						t.Logf("%s holds a power of %s that is one of %s", expr.Format(e), expr.Format(x), expr.Format(y))
					}
					if x.Op == expr.Ref && x.Tensor.Def != nil {
						known++
					}
				}
			}
			return false
		})
	}
	for _, o := range d.Gradient {
		count(o.E)
	}
	for _, def := range d.Prog.Defs {
		// A definition is not made of itself.
		if b := def.Body; b.Op != expr.Mul || len(b.Args) != 1 {
			count(b)
		}
	}
	if left > 0 || known < 5 {
		t.Errorf("%d of %d factors are powers of what is defined", left, known)
	}
}

// TestWorkOfGroups: maps of groups of groups take time in proportion to the groups and to the data.
func TestWorkOfGroups(t *testing.T) {
	for _, effects := range []string{"param w real[P]\nw ~ normal(0, tw)\ny[i] ~ normal(mu + u[school[class[pupil[i]]]] + v[class[pupil[i]]] + w[pupil[i]] + t[i]*mu, s) for i in n",
		"param w real[P, 2]\nparam L cov_cholesky[2]\nw[p, :] ~ multi_normal_cholesky([0, 0], L) for p in P\ny[i] ~ normal(mu + u[school[class[pupil[i]]]] + v[class[pupil[i]]] + w[pupil[i], 1] + w[pupil[i], 2]*t[i], s) for i in n"} {
		d, _ := load(t, `model growth
data n, P, C, S int
data pupil int[n] in 1..P
data class int[P] in 1..C
data school int[C] in 1..S
data t, y real[n]
param mu real
param u real[S]
param v real[C]
param tu, tv, tw, s real > 0
mu ~ normal(0, 1)
tu, tv, tw, s ~ exponential(1)
u ~ normal(0, tu)
v ~ normal(0, tv)
`+effects+"\n")
		if d.Apart != 0 || len(d.Transports) < 3 {
			t.Errorf("%d maps, %d of them apart", len(d.Transports), d.Apart)
		}
		factors, sizes := d.Work().Terms()
		for k, x := range sizes {
			if len(x) > 1 {
				t.Errorf("%d %s operations:\n%s", factors[k], strings.Join(x, "·"), effects)
			}
		}
	}
}

// TestSmallerMaps: where looking into what is observed as a vector takes too much of the limits, the other maps stay.
func TestSmallerMaps(t *testing.T) {
	text, err := os.ReadFile("../internal/posteriordb/people/hubble.ham")
	if err != nil {
		t.Fatal(err)
	}
	d, _ := load(t, string(text))
	if len(d.Transports) != 4 || d.Maps != model.SmallMaps {
		t.Errorf("%d maps of kind %d, want four of kind %d", len(d.Transports), d.Maps, model.SmallMaps)
	}
}

// TestSizesDecide: loadings and scales of what is measured, with priors that are the same everywhere, have no map beside the factor scores that these steer, where the data at hand say that there are fewer of
// them; and emission derives the same.
func TestSizesDecide(t *testing.T) {
	d, _ := load(t, `model factors
data n, J int
data f int[J] in 1..3
data y real[n, J]
param nu real[J]
param lam, psi real[J] > 0
param eta real[n, 3]
param L corr_cholesky[3]
nu ~ normal(0, 2)
lam ~ normal(0, 1)
psi ~ exponential(1)
L ~ lkj_corr_cholesky(2)
eta[i, :] ~ multi_normal_cholesky(0, L) for i in n
y[i, j] ~ normal(nu[j] + lam[j]*eta[i, f[j]], psi[j]) for i in n, j in J`)
	carried := func(d *Derived) (names []string) {
		for _, b := range d.Params {
			if b.Latent() {
				names = append(names, b.Decl.ObjectName())
			}
		}
		return names
	}
	if got := carried(d); !d.Unsized || !slices.Contains(got, "lam") {
		t.Errorf("without sizes %v have maps; sizes would decide: %v", got, d.Unsized)
	}
	fitted := d.Fit(map[string]int{"n": 200, "J": 9}, nil)
	again, err := fitted.ForEmission()
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []*Derived{fitted, again} {
		if got := carried(d); d.Unsized || slices.Contains(got, "lam") || slices.Contains(got, "psi") || !slices.Contains(got, "eta") {
			t.Errorf("for 200 cases of 9 items %v have maps; sizes would decide: %v", got, d.Unsized)
		}
	}
}
