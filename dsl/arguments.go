package dsl

import (
	"fmt"
	"slices"
	"strings"
)

// otherArgument is a row of the table of arguments that other languages give distributions.
type otherArgument struct {
	dists, names string // separated by blanks
	hint         string
}

// otherArguments are names of arguments that mean something else than those of hamc.
var otherArguments = []otherArgument{
	{"exponential", "scale mean mu theta", "`beta` is a rate, 1/scale: exponential(1/scale)"},
	{"weibull", "rate", "`sigma` is a scale, rate^(-1/alpha): weibull(alpha, rate^(-1/alpha))"},
	{"double_exponential logistic gumbel", "rate tau", "the last argument is a scale, 1/rate"},
	{"half_normal half_student_t half_cauchy", "tau lam prec precision", "`sigma` is no precision but 1/sqrt(tau)"},
	{"lognormal", "mean sd", "`mu` and `sigma` are those of the logarithm: of mean m and standard deviation d, sigma^2 is log1p((d/m)^2) and mu is log(m) - sigma^2/2"},
	{"inv_gaussian", "phi", "the last argument is mu*phi: inv_gaussian(mu, mu*phi)"},
	{"exp_mod_normal", "nu beta", "the last argument is the rate of the exponential part, 1/nu: exp_mod_normal(mu, sigma, 1/nu)"},
	{"neg_binomial", "mu mean phi", "of a mean and a shape it is neg_binomial_2(mu, phi)"},
	{"uniform", "loc scale", "its arguments are its ends: uniform(loc, loc + scale)"},
	{"multi_normal_prec", "cov Sigma sigma", "of a covariance it is multi_normal(mu, Sigma)"},
	{"gamma", "scale theta", "`beta` is a rate, 1/scale: gamma(alpha, 1/scale)"},
	{"gamma", "mu sigma mean sd", "of mean m and standard deviation d it is gamma((m/d)^2, m/d^2)"},
	{"beta", "mu sigma nu kappa mean", "by its mean and its precision it is beta_proportion(mu, kappa), where of a standard deviation d kappa is mu*(1 - mu)/d^2 - 1"},
	{"beta_binomial", "n", "the number of trials comes first: beta_binomial(N, alpha, beta)"},
	{"normal lognormal student_t cauchy", "tau lam prec precision", "`sigma` is no precision but 1/sqrt(tau)"},
	{"normal lognormal", "var variance sigma2", "`sigma` is a standard deviation, the square root of the variance"},
	{"bernoulli", "logit_p logits logit eta", "of a logit it is bernoulli_logit(eta)"},
	{"binomial", "logit_p logits logit eta", "of a logit it is binomial_logit(N, eta)"},
	{"poisson", "log_rate log_lambda eta", "of a logarithm it is poisson_log(eta)"},
	{"neg_binomial neg_binomial_2", "n p size prob probs total_count", "of r successes with probability p it is neg_binomial(r, p/(1 - p))"},
	{"multi_normal", "chol cholesky L scale_tril", "of a factor it is multi_normal_cholesky(mu, L)"},
	{"multi_normal", "tau prec precision precision_matrix Omega", "of a precision it is multi_normal_prec(mu, Omega)"},
}

// namedHint is the hint where arguments of a distribution have names: what the first one means that is none of its own or, where all are its own, what to write.
func (d *Distribution) namedHint(args []Arg) string {
	form := fmt.Sprintf("%s(%s)", d.Name, strings.Join(d.argNames(), ", "))
	own := d.argNames()
	texts := make([]string, len(own))
	complete := len(args) == len(own)
	for n, a := range args {
		at := n
		if a.Name != "" {
			at = slices.Index(own, a.Name)
		}
		if complete = complete && at >= 0 && at < len(own) && texts[at] == "" && a.Expr != nil; complete {
			texts[at] = Text(a.Expr)
		}
		switch {
		case a.Name == "observed" || a.Name == "obs":
			return "what is declared as data is observed: leave it out"
		case a.Name == "weights" || a.Name == "weight":
			return "a weight multiplies a term of the log density, as in `density sum(i in n) w[i]*" + strings.Replace(d.form(), "(y", "(y[i]", 1) + "`"
		case slices.Contains([]string{"lower", "upper", "low", "high", "lb", "ub"}, a.Name):
			return fmt.Sprintf("the interval follows the distribution: `y ~ %s > a`, `< b` or `in (a, b)`", form)
		}
		for _, row := range otherArguments {
			if slices.Contains(strings.Fields(row.dists), d.Name) && slices.Contains(strings.Fields(row.names), a.Name) && !slices.Contains(own, a.Name) {
				return row.hint
			}
		}
	}
	if complete {
		return fmt.Sprintf("leave the names out: %s(%s)", d.Name, strings.Join(texts, ", "))
	}
	return "leave the names out, where they mean the same in this order: " + form
}

// countHint is the hint where a distribution has too many arguments, or too few.
func (d *Distribution) countHint() string {
	form := fmt.Sprintf("write %s(%s)", d.Name, strings.Join(d.argNames(), ", "))
	switch d.Name {
	case "multinomial", "multinomial_logit", "dirichlet_multinomial":
		return form + ": the number of trials is the sum of the data"
	case "half_normal", "half_cauchy", "half_student_t":
		return form + ": it is centred at 0"
	case "student_t", "multi_student_t":
		return form + ": the degrees of freedom come first"
	case "lkj_corr", "lkj_corr_cholesky":
		return form + ": the number of rows is that of the left side"
	}
	return form
}
