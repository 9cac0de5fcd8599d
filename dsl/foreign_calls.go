package dsl

import (
	"slices"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"
)

// The functions of distributions that R and SciPy have: of a value and then of the arguments, which may have names.

// foreignDist is a row of the tables of their distributions.
type foreignDist struct {
	names string // behind the d, p, q or r of R, or before the method of SciPy; separated by blanks
	args  string // in order, with their defaults; one with a colon is of no use here unless it has that value
	form  string // the distribution

	// P(Y ≤ at) and the value below which Y is with probability at, element by element: "" of the first is exp(D_lcdf(at | …)), of the second one that there is not.
	below, quantile string
}

// rDists are those of R, of whose functions dnorm stands behind `~` too, and of NIMBLE and JAGS, where dnorm has other arguments. Of several rows of one name the
// first counts that has all arguments of a call.
var rDists = []foreignDist{
	{"norm", "", "std_normal()", "Phi(at)", "inv_Phi(at)"},
	{"norm", "mean=0 sd=1", "normal(mean, sd)", "Phi((at - mean)/sd)", "mean + sd*inv_Phi(at)"},
	{"norm", "mean=0 tau", "normal(mean, 1/sqrt(tau))", "", ""},
	{"norm", "mean=0 var", "normal(mean, sqrt(var))", "", ""},
	{"norm", "mu=0 sigma=1", "normal(mu, sigma)", "", ""},
	{"norm", "mu=0 sd", "normal(mu, sd)", "", ""},
	{"norm", "mu=0 tau", "normal(mu, 1/sqrt(tau))", "", ""},
	{"norm", "mu=0 var", "normal(mu, sqrt(var))", "", ""},
	{"lnorm", "meanlog=0 sdlog=1", "lognormal(meanlog, sdlog)", "", "exp(meanlog + sdlog*inv_Phi(at))"},
	{"lnorm", "meanlog=0 taulog", "lognormal(meanlog, 1/sqrt(taulog))", "", ""},
	{"lnorm", "meanlog=0 varlog", "lognormal(meanlog, sqrt(varlog))", "", ""},
	{"lnorm", "meanlog=0 sd", "lognormal(meanlog, sd)", "", ""},
	{"lnorm", "meanlog=0 tau", "lognormal(meanlog, 1/sqrt(tau))", "", ""},
	{"lnorm", "meanlog=0 var", "lognormal(meanlog, sqrt(var))", "", ""},
	{"exp", "rate=1", "exponential(rate)", "", "-log1m(at)/rate"},
	{"exp", "scale", "exponential(1/scale)", "", "-scale*log1m(at)"},
	{"exp", "lambda", "exponential(lambda)", "", "-log1m(at)/lambda"},
	{"gamma", "shape rate=1", "gamma(shape, rate)", "", ""},
	{"gamma", "shape scale", "gamma(shape, 1/scale)", "", ""},
	{"gamma", "mean sd", "gamma((mean/sd)^2, mean/sd^2)", "", ""},
	{"invgamma", "shape scale", "inv_gamma(shape, scale)", "", ""},
	{"beta", "shape1 shape2", "beta(shape1, shape2)", "", ""},
	{"beta", "mean sd", "beta_proportion(mean, mean*(1 - mean)/sd^2 - 1)", "", ""},
	{"unif", "min=0 max=1", "uniform(min, max)", "", "min + (max - min)*at"},
	{"binom", "size prob", "binomial(size, prob)", "", ""},
	{"bin", "prob size", "binomial(size, prob)", "", ""},
	{"bern", "prob", "bernoulli(prob)", "", ""},
	{"pois", "lambda", "poisson(lambda)", "", ""},
	{"nbinom", "size prob", "neg_binomial(size, prob/(1 - prob))", "", ""},
	{"nbinom", "size mu", "neg_binomial_2(mu, size)", "", ""},
	{"negbin", "prob size", "neg_binomial(size, prob/(1 - prob))", "", ""},
	{"geom", "prob", "geometric(prob)", "", ""},
	{"t", "df", "student_t(df, 0, 1)", "", ""},
	{"t", "mu=0 tau df", "student_t(df, mu, 1/sqrt(tau))", "", ""},
	{"t", "mu=0 sigma df", "student_t(df, mu, sigma)", "", ""},
	{"t", "mu=0 sigma2 df", "student_t(df, mu, sqrt(sigma2))", "", ""},
	{"chisq", "df", "chi_square(df)", "", ""},
	{"cauchy", "location=0 scale=1", "cauchy(location, scale)", "", "location + scale*tan(pi()*(at - 0.5))"},
	{"logis", "", "logistic(0, 1)", "inv_logit(at)", "logit(at)"},
	{"logis", "location=0 scale=1", "logistic(location, scale)", "inv_logit((at - location)/scale)", "location + scale*logit(at)"},
	{"logis", "location=0 rate", "logistic(location, 1/rate)", "", ""},
	{"weibull", "shape scale=1", "weibull(shape, scale)", "", "scale*(-log1m(at))^(1/shape)"},
	{"weib", "shape lambda=1", "weibull(shape, lambda^(-1/shape))", "", ""},
	{"weib", "shape scale", "weibull(shape, scale)", "", ""},
	{"dexp", "location=0 rate=1", "double_exponential(location, 1/rate)", "", ""},
	{"dexp", "location=0 scale", "double_exponential(location, scale)", "", ""},
	{"mnorm", "mean prec", "multi_normal_prec(mean, prec)", "", ""},
	{"mnorm", "mean cov", "multi_normal(mean, cov)", "", ""},
	{"cat", "prob", "categorical(prob)", "", ""},
}

// scipyDists are those of SciPy, whose loc moves a distribution and whose scale stretches it.
var scipyDists = []foreignDist{
	{"norm", "", "std_normal()", "Phi(at)", "inv_Phi(at)"},
	{"norm", "loc=0 scale=1", "normal(loc, scale)", "Phi((at - loc)/scale)", "loc + scale*inv_Phi(at)"},
	{"halfnorm", "loc:0 scale=1", "half_normal(scale)", "", ""},
	{"lognorm", "s loc:0 scale=1", "lognormal(log(scale), s)", "", "scale*exp(s*inv_Phi(at))"},
	{"t", "df loc=0 scale=1", "student_t(df, loc, scale)", "", ""},
	{"cauchy", "loc=0 scale=1", "cauchy(loc, scale)", "", "loc + scale*tan(pi()*(at - 0.5))"},
	{"halfcauchy", "loc:0 scale=1", "half_cauchy(scale)", "", ""},
	{"laplace", "loc=0 scale=1", "double_exponential(loc, scale)", "", ""},
	{"logistic", "loc=0 scale=1", "logistic(loc, scale)", "inv_logit((at - loc)/scale)", "loc + scale*logit(at)"},
	{"gumbel_r", "loc=0 scale=1", "gumbel(loc, scale)", "", "loc - scale*log(-log(at))"},
	{"skewnorm", "a loc=0 scale=1", "skew_normal(loc, scale, a)", "", ""},
	{"exponnorm", "K loc=0 scale=1", "exp_mod_normal(loc, scale, 1/(K*scale))", "", ""},
	{"vonmises", "kappa loc=0", "von_mises(loc, kappa)", "", ""},
	{"expon", "", "exponential(1)", "", "-log1m(at)"},
	{"expon", "loc:0 scale=1", "exponential(1/scale)", "", "-scale*log1m(at)"},
	{"gamma", "a", "gamma(a, 1)", "", ""},
	{"gamma", "a loc:0 scale=1", "gamma(a, 1/scale)", "", ""},
	{"invgamma", "a loc:0 scale=1", "inv_gamma(a, scale)", "", ""},
	{"chi2", "df", "chi_square(df)", "", ""},
	{"weibull_min", "c loc:0 scale=1", "weibull(c, scale)", "", "scale*(-log1m(at))^(1/c)"},
	{"invweibull", "c loc:0 scale=1", "frechet(c, scale)", "", ""},
	{"fisk", "c loc:0 scale=1", "loglogistic(scale, c)", "", ""},
	{"rayleigh", "loc:0 scale=1", "rayleigh(scale)", "", ""},
	{"invgauss", "mu loc:0 scale=1", "inv_gaussian(mu*scale, scale)", "", ""},
	{"pareto", "b loc:0 scale=1", "pareto(scale, b)", "", "scale*(1 - at)^(-1/b)"},
	{"lomax", "c loc:0 scale=1", "pareto_type_2(0, scale, c)", "", ""},
	{"beta", "a b", "beta(a, b)", "", ""},
	{"uniform", "loc=0 scale=1", "uniform(loc, loc + scale)", "", "loc + scale*at"},
	{"bernoulli", "p", "bernoulli(p)", "", ""},
	{"binom", "n p", "binomial(n, p)", "", ""},
	{"betabinom", "n a b", "beta_binomial(n, a, b)", "", ""},
	{"poisson", "mu", "poisson(mu)", "", ""},
	{"nbinom", "n p", "neg_binomial(n, p/(1 - p))", "", ""},
	{"multivariate_normal", "mean cov", "multi_normal(mean, cov)", "", ""},
	{"dirichlet", "alpha", "dirichlet(alpha)", "", ""},
	{"multinomial", "n p", "multinomial(p)", "", ""},
}

// foreignArgs are the arguments of a call: those without names in order, and the others.
type foreignArgs struct {
	order []string
	named map[string]string
}

// foreignArgsOf are those of a call of the model; false where one could not be read.
func foreignArgsOf(args []Arg) (*foreignArgs, bool) {
	out := &foreignArgs{named: map[string]string{}}
	for _, a := range args {
		if a.Expr == nil {
			return nil, false
		}
		if a.Name == "" {
			out.order = append(out.order, Text(a.Expr))
		} else {
			out.named[a.Name] = Text(a.Expr)
		}
	}
	return out, true
}

// fit gives the arguments of a row those of a call; false where they are not the same.
func (a *foreignArgs) fit(row string) (by map[string]string, ok bool) {
	by, used := map[string]string{}, 0
	for n, arg := range strings.Fields(row) {
		name, value, has := strings.Cut(arg, "=")
		name, only, fixed := strings.Cut(name, ":")
		given, isNamed := a.named[name]
		switch {
		case n < len(a.order):
			value = a.order[n]
			used++
		case isNamed:
			value = given
			used++
		case fixed:
			value = only
		case !has:
			return nil, false
		}
		if fixed && strings.TrimSuffix(value, ".0") != only {
			return nil, false
		}
		by[name] = value
	}
	return by, used == len(a.order)+len(a.named)
}

// find is the row of a name that has the arguments, and they.
func (a *foreignArgs) find(table []foreignDist, name string) (*foreignDist, map[string]string) {
	for n := range table {
		row := &table[n]
		if !slices.Contains(strings.Fields(row.names), name) {
			continue
		}
		if by, ok := a.fit(row.args); ok {
			return row, by
		}
	}
	return nil, nil
}

// functionOf is what a function of a distribution gives.
type functionOf uint8

const (
	density functionOf = iota
	cumulative
	complement
	quantileOf
	drawn
)

// written is a function of a distribution at a value, or its logarithm; "" of what there is not.
func (f functionOf) written(form, below, quantile, at string, by map[string]string, logarithm bool) string {
	form = substituted(form, by)
	name, list, _ := strings.Cut(strings.TrimSuffix(form, ")"), "(")
	d := LookupDistribution(name)
	if d == nil {
		return ""
	}
	if f == drawn {
		return d.RandomName() + "(" + list + ")"
	}
	by["at"] = at
	switch {
	case f == quantileOf && quantile == "":
		return ""
	case f == quantileOf:
		return substituted(quantile, by)
	case f == cumulative && below != "" && !logarithm:
		return substituted(below, by)
	}
	name = map[functionOf]string{density: d.LogDensityName(), cumulative: d.CdfName(), complement: d.CcdfName()}[f]
	if name == "" {
		return ""
	}
	bar := ""
	if list != "" {
		bar = " | "
	}
	text := name + "(" + at + bar + list + ")"
	if !logarithm {
		return "exp(" + text + ")"
	}
	return text
}

// rFunctions are what the first letters of R's functions stand for.
var rFunctions = map[byte]functionOf{'d': density, 'p': cumulative, 'q': quantileOf, 'r': drawn}

// take takes an argument out, by its name; "" where there is none.
func (a *foreignArgs) take(name string) string {
	value := a.named[name]
	delete(a.named, name)
	return value
}

// rName divides the name of a function of R into what it is of and the distribution; false where it is none.
func rName(name string) (f functionOf, dist string, ok bool) {
	if name == "" {
		return 0, "", false
	}
	f, ok = rFunctions[name[0]]
	dist = name[1:]
	return f, dist, ok && slices.ContainsFunc(rDists, func(row foreignDist) bool { return row.names == dist })
}

// rCall is what a call of R's dnorm, pnorm, qnorm or rnorm is, "" of one that it is not known of, and what it is of. Of draws it is one of those that the first argument counts.
func rCall(name string, args *foreignArgs) (text string, f functionOf) {
	f, dist, ok := rName(name)
	first := map[functionOf]string{density: "x", cumulative: "q", quantileOf: "p", drawn: "n"}[f]
	if value := args.named[first]; ok && value != "" { // dnorm(x = y, mean = mu, sd = s)
		args.order = append([]string{args.take(first)}, args.order...)
	}
	if !ok || len(args.order) == 0 {
		return "", f
	}
	rest := &foreignArgs{order: args.order[1:], named: map[string]string{}}
	for name, value := range args.named {
		rest.named[name] = value
	}
	is := func(name string) bool {
		value := rest.take(name)
		return value == "TRUE" || value == "T" || value == "1" || value == "True" || value == "true"
	}
	logarithm := is("log")
	logarithm = is("log.p") || logarithm
	if tail := rest.take("lower.tail"); tail == "FALSE" || tail == "F" || tail == "0" {
		if f == quantileOf || f == density {
			return "", f
		}
		f = complement
	}
	row, by := rest.find(rDists, dist)
	if n := len(rest.order) - 1; row == nil && f == density && n >= 0 && slices.Contains([]string{"0", "1", "TRUE", "FALSE"}, rest.order[n]) { // dnorm(y, mu, sd, TRUE)
		logarithm = rest.order[n] == "1" || rest.order[n] == "TRUE"
		rest.order = rest.order[:n]
		row, by = rest.find(rDists, dist)
	}
	if row == nil || f == quantileOf && logarithm {
		return "", f
	}
	return f.written(row.form, row.below, row.quantile, args.order[0], by, logarithm), f
}

// namedForm is the distribution behind a `~` with arguments of which some have names, as they do in NIMBLE, PyMC, NumPyro and SciPy; false of one that is not known.
func namedForm(name string, args *foreignArgs) (string, bool) {
	if f, dist, ok := rName(name); ok && (f == density || f == drawn) {
		if row, by := args.find(rDists, dist); row != nil {
			return substituted(row.form, by), true
		}
	}
	for _, row := range pythonDists {
		if row.form == "" || !slices.Contains(strings.Fields(row.names), name) {
			continue
		}
		if by, ok := args.fit(row.args); ok {
			return ofItself(name, substituted(row.form, by))
		}
	}
	if row, by := args.find(scipyDists, name); row != nil && LookupDistribution(name) == nil {
		return substituted(row.form, by), true
	}
	return "", false
}

// ofItself is the distribution of a class of Python where no declaration says on which numbers it is: half of one about 0 is another distribution then.
func ofItself(class, form string) (string, bool) {
	if class == "ZeroSumNormal" || class == "TruncatedNormal" {
		return "", false
	}
	for _, dist := range []string{"normal", "cauchy"} {
		if rest, ok := strings.CutPrefix(form, dist+"(0, "); ok && strings.HasPrefix(class, "Half") {
			return "half_" + dist + "(" + rest, true
		}
	}
	if rest, ok := strings.CutPrefix(form, "student_t("); ok && strings.HasPrefix(class, "Half") {
		return "half_student_t(" + strings.Replace(rest, ", 0, ", ", ", 1), true
	}
	return form, form != ""
}

// methods are the functions of Python's distributions, and whether they give a logarithm.
var methods = map[string]struct {
	of        functionOf
	logarithm bool
}{
	"logpdf": {density, true}, "logpmf": {density, true}, "log_prob": {density, true}, "logp": {density, true}, "pdf": {density, false}, "pmf": {density, false}, "prob": {density, false},
	"cdf": {cumulative, false}, "logcdf": {cumulative, true}, "log_cdf": {cumulative, true}, "sf": {complement, false}, "logsf": {complement, true},
	"survival_function": {complement, false}, "log_survival_function": {complement, true}, "ppf": {quantileOf, false}, "icdf": {quantileOf, false}, "quantile": {quantileOf, false},
}

// scored is the end of a call of a method of a distribution that starts at a token, norm.logpdf(y, a, s) or Normal(a, s).log_prob(y); -1 where none does.
func scored(toks []lexer.Token, n int) int {
	at := n
	for at+2 < len(toks) && modules[toks[at].Value] && toks[at+1].Value == "." {
		at += 2
	}
	if at >= len(toks) || toks[at].Type != tokIdent {
		return -1
	}
	point := at + 1
	if value(toks, point) == "(" {
		if point = shut(toks, point) + 1; point == 0 {
			return -1
		}
	}
	_, known := methods[value(toks, point+1)]
	if value(toks, point) != "." || !known || value(toks, point+2) != "(" {
		return -1
	}
	end := shut(toks, point+2)
	if end < 0 || score(toks[n:end+1]) == "" {
		return -1
	}
	return end
}

// score writes such a call; "" where it is not known what it is.
func score(toks []lexer.Token) string {
	of := ""
	for len(toks) > 2 && modules[toks[0].Value] && toks[1].Value == "." {
		of, toks = toks[0].Value, toks[2:]
	}
	class := toks[0].Value
	var args *foreignArgs
	var own [][]lexer.Token
	if toks[1].Value == "(" { // the distribution has its arguments already
		end := shut(toks, 1)
		own = split(toks[2:end], ",")
		args, toks = foreignArgsIn(own), toks[end+1:]
	} else {
		toks = toks[1:]
	}
	method := methods[toks[1].Value]
	values := foreignArgsIn(split(toks[3:len(toks)-1], ","))
	if len(values.order) == 0 || args != nil && len(values.order)+len(values.named) > 1 {
		return ""
	}
	if args == nil {
		args = &foreignArgs{order: values.order[1:], named: values.named}
	}
	if row, by := args.find(scipyDists, class); row != nil {
		return method.of.written(row.form, row.below, row.quantile, values.order[0], by, method.logarithm)
	}
	if own == nil {
		return ""
	}
	c := &pythonCall{class: class, named: map[string][]lexer.Token{}, of: of}
	for _, a := range own {
		c.argument(a)
	}
	form, _, _, _ := c.distribution()
	form, ok := ofItself(class, form)
	if !ok {
		return ""
	}
	return method.of.written(form, "", "", values.order[0], map[string]string{}, method.logarithm)
}

// rHint is the hint on a call of R's dnorm, pnorm, qnorm, rnorm or their kind, "" of another one.
func (c *checker) rHint(e *CallExpr) string {
	args, ok := foreignArgsOf(e.Args)
	_, dist, is := rName(e.Func)
	if !ok || !is {
		return ""
	}
	vector := "" // what each element of the value is called
	if len(e.Args) > 0 && e.Args[0].Expr.Type().Base != Invalid && len(e.Args[0].Expr.Type().Shape) == 1 {
		vector = Text(e.Args[0].Expr)
	}
	text, of := rCall(e.Func, args)
	logarithm, exponential := strings.CutPrefix(text, "exp(")
	added := "" // where a density is meant to be added to the logarithm of the posterior
	if of == density && exponential {
		added = "where logarithms are added, as in `density`, it is `" + strings.TrimSuffix(logarithm, ")") + "`; "
	}
	switch {
	case text == "" && of == drawn:
		return "a draw has the arguments of the distribution, and none before them: `" + rForm(dist, true) + "` in `generate`"
	case text == "" && of == quantileOf:
		return "of this distribution there is no quantile; those of the normal, log-normal, logistic, Cauchy, exponential and Weibull distributions are written with `inv_Phi` and `log`"
	case text == "":
		return "its arguments are not those of R; the logarithm of the density is `" + rForm(dist, false) + "`"
	case of == drawn:
		return c.drawnHint(text, args.order[0])
	case vector != "" && isNameAlone(e.Args[0].Expr) && (strings.Contains(text, "lcdf(") || strings.Contains(text, "lccdf(") || of == density && exponential):
		return added + "the functions of distributions add up logarithms over the elements of a vector; of each element it is `" + c.definitionOf(text, e.Args) + "`"
	case added != "":
		return added + "as it stands it is `" + text + "`"
	case isOperation(text):
		text = "(" + text + ")"
	}
	return "write `" + text + "`"
}

// drawnHint is the hint on R's rnorm: its first argument is a number of draws.
func (c *checker) drawnHint(text, count string) string {
	one := "a draw has no number before its arguments: write `" + text + "`"
	if count != "1" {
		one = "one draw is `" + text + "`, and " + count + " of them are `z[i in " + count + "] = " + text + "`"
	}
	if !c.generating {
		return one + " in `generate { … }`"
	}
	return one
}

// definitionOf is a definition of a vector whose elements are a text with the element of an index in the place of each vector.
func (c *checker) definitionOf(text string, args []Arg) string {
	by, index := map[string]string{}, c.free("i")
	for _, a := range args {
		if a.Expr.Type().Base != Invalid && len(a.Expr.Type().Shape) == 1 && isNameAlone(a.Expr) {
			by[Text(a.Expr)] = Text(a.Expr) + "[" + index + "]"
		}
	}
	return "let " + c.free("b") + "[" + index + " in " + args[0].Expr.Type().Shape[0].String() + "] = " + substituted(text, by)
}

// isNameAlone reports whether an expression is a name alone.
func isNameAlone(e Expr) bool {
	_, ok := e.(*Name)
	return ok
}

// rForm is the log density, or a draw, of one of R's distributions with the names of its arguments here.
func rForm(dist string, draw bool) string {
	for _, row := range rDists {
		name, _, _ := strings.Cut(row.form, "(")
		if d := LookupDistribution(name); row.names == dist && d != nil && name != "std_normal" {
			if draw {
				return d.RandomName() + "(" + strings.Join(d.argNames(), ", ") + ")"
			}
			return d.form()
		}
	}
	return "normal_lpdf(y | mu, sigma)"
}
