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
	{"exponential", "scale mean", "`beta` is a rate, 1/scale: exponential(1/scale)"},
	{"gamma", "scale theta", "`beta` is a rate, 1/scale: gamma(alpha, 1/scale)"},
	{"gamma", "mu sigma mean sd", "of mean m and standard deviation d it is gamma((m/d)^2, m/d^2)"},
	{"beta", "mu sigma nu kappa mean", "by its mean and its precision it is beta_proportion(mu, kappa), where of a standard deviation d kappa is mu*(1 - mu)/d^2 - 1"},
	{"beta_binomial", "n", "the number of trials comes first: beta_binomial(N, alpha, beta)"},
	{"normal lognormal student_t cauchy", "tau prec precision", "`sigma` is no precision but 1/sqrt(tau)"},
	{"normal lognormal", "var variance sigma2", "`sigma` is a standard deviation, the square root of the variance"},
	{"bernoulli", "logit_p logits logit eta", "of a logit it is bernoulli_logit(eta)"},
	{"binomial", "logit_p logits logit eta", "of a logit it is binomial_logit(N, eta)"},
	{"poisson", "log_rate log_lambda eta", "of a logarithm it is poisson_log(eta)"},
	{"neg_binomial neg_binomial_2", "n p size prob probs total_count", "of r successes with probability p it is neg_binomial(r, p/(1 - p))"},
	{"multi_normal", "chol cholesky L scale_tril", "of a factor it is multi_normal_cholesky(mu, L)"},
	{"multi_normal", "tau prec precision precision_matrix Omega", "of a precision it is multi_normal_prec(mu, Omega)"},
}

// namedHint is the hint where an argument of a distribution has a name.
func (d *Distribution) namedHint(name string) string {
	if name == "observed" || name == "obs" {
		return "what is declared as data is observed: leave it out"
	}
	form := fmt.Sprintf("%s(%s)", d.Name, strings.Join(d.argNames(), ", "))
	if slices.Contains([]string{"lower", "upper", "low", "high", "lb", "ub"}, name) {
		return fmt.Sprintf("the interval follows the distribution: `y ~ %s > a`, `< b` or `in (a, b)`", form)
	}
	for _, row := range otherArguments {
		if slices.Contains(strings.Fields(row.dists), d.Name) && slices.Contains(strings.Fields(row.names), name) && !slices.Contains(d.argNames(), name) {
			return row.hint
		}
	}
	return "leave the names out: " + form
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
