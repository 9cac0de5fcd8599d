package dsl

import "strings"

// Domain is a set of numbers that a table can name.
type Domain uint8

// The domains.
const (
	RealLine       Domain = iota
	Positive              // x > 0
	UnitOpen              // 0 < x < 1
	NonNegative           // an argument: x ≥ 0
	UnitClosed            // an argument: 0 ≤ x ≤ 1
	Between               // first argument < x < second argument
	Above                 // argument Begins < x
	Angles                // angles, of which those that are 2π apart are the same
	Binary                // 0 or 1
	Counts                // 0, 1, 2, …
	UpTo                  // 0, 1, …, first argument
	VectorReal            // a real vector
	Covariance            // a symmetric positive definite matrix
	CountArg              // an argument: a whole number ≥ 0
	OnSimplex             // a vector of positive numbers that sum to 1
	VectorPositive        // an argument: a vector of positive numbers
	Category              // 1, …, K for arguments that say how many there are
	VectorCounts          // a vector of the whole numbers 0, 1, 2, …
	Ascending             // an argument: a vector in ascending order
	LowerFactor           // an argument: a lower triangular matrix with a positive diagonal
	OnCorrFactor          // a lower triangular factor of a correlation matrix
	OnCorr                // a correlation matrix
	OnCovFactor           // a lower triangular factor of a covariance matrix
	domainCount
)

// Discrete reports whether d holds whole numbers.
func (d Domain) Discrete() bool {
	return d == Binary || d == Counts || d == UpTo || d == Category || d == VectorCounts
}

func (d Domain) String() string {
	return [domainCount]string{"the real line", "the positive numbers", "the numbers between 0 and 1", "the numbers from 0", "the numbers from 0 to 1", "the interval between its arguments", "the numbers above its first argument",
		"the angles, on an interval of length 2π",
		"{0, 1}", "the whole numbers 0, 1, 2, …", "the whole numbers up to its first argument", "real vectors",
		"symmetric positive definite matrices", "the whole numbers 0, 1, 2, …", "the simplexes", "vectors of positive numbers",
		"the whole numbers 1, …, K", "vectors of whole numbers 0, 1, 2, …", "vectors in ascending order", "lower triangular matrices with a positive diagonal",
		"the factors of correlation matrices", "correlation matrices", "the factors of covariance matrices"}[d]
}

// matrices are the types that what a distribution of matrices describes is declared to be of.
var matrices = map[Domain]*Constraint{OnCorrFactor: CorrCholesky, OnCorr: Corr, OnCovFactor: CovCholesky, Covariance: Cov}

// Vector reports whether d holds vectors, as wholes.
func (d Domain) Vector() bool {
	return d == VectorReal || d == OnSimplex || d == VectorPositive || d == VectorCounts
}

// DistArg is an argument of a distribution.
type DistArg struct {
	Name   string
	Domain Domain
}

// Half is what is known of the positive half of a distribution on the real line about 0: of y where y > 0, the mode of the density of
// log y given the arguments, and minus its second derivative there.
type Half struct {
	Mode, Curvature string
}

// Distribution is one row of the distribution table. All formulas are written
// in the language itself, with `y` for the value and the arguments' names.
type Distribution struct {
	Name    string
	Support Domain // of y
	Args    []DistArg

	// Begins is the position of the argument above which the support is, if it is Above.
	Begins int

	// Defective says that the density integrates to less than 1: what is missing is what the distribution does not describe. There are no draws then.
	Defective bool

	// LogDensity is complete with its constants and in a form that is
	// stable in the tails; "" of a row that has Define.
	LogDensity string

	// Define is the log density as a function of the left side and the arguments: what stands behind its name. Inform is the expected
	// information about the first argument, of the arguments, and of the left side too where InformY is set; Generate is a draw.
	Define, Inform, Generate string
	InformY                  bool

	// The information about the second argument is ½ tr(B ∂A B ∂A) along the changes ∂A of A, which is TraceOf, with B, which is TraceBy: "" where there is none.
	TraceOf, TraceBy string

	// LogCdf and LogCcdf are log P(Y ≤ y) and log P(Y > y), of counts for whole numbers y of the support and for −1; "" where there is no
	// formula for them.
	LogCdf, LogCcdf string

	// Fisher is the expected information of the arguments,
	// I_ab = E[−∂²log p/∂a∂b], row by row; "" stands for an argument that
	// has no entry and must be free of parameters. Nil: no argument has.
	Fisher [][]string

	// Joint is the expected information of (u, arguments) jointly, where u
	// is y on the real line (y, log y or logit y by the support) and the
	// expectation is over y given the arguments. It is the rule of
	// `fisher(prior = expected)`. Nil: not finite or not known.
	Joint [][]string

	// Center is the mode of the density of u given the arguments; "" where it has none, or Joint is nil.
	Center string

	// Kink is the argument at which, as y, the log density has a kink, "" where that is smooth. Information is then the
	// expectation of products of first derivatives.
	Kink string

	// Half is its positive half where its location is 0, nil where that is not known.
	Half *Half

	// Random is the function of runtime/random that draws a value: with the
	// arguments in the order of Args, and as an int if the support is discrete.
	// Of a vector it fills one; where there is a covariance, a second function with Cholesky behind its
	// name does so from the factor of it.
	Random string
}

// Where is the support in words.
func (d *Distribution) Where() string {
	if d.Support == Above && d.Begins > 0 {
		return "the numbers above `" + d.Args[d.Begins].Name + "`"
	}
	return d.Support.String()
}

// Distributions is the table: those of numbers, with the few whose formulas are of vectors, and families. Names and argument orders follow Stan's
// functions reference; formulas of the information matrices follow from the
// densities and are checked against numerical expectations, row by row, by
// the test of this table.
var Distributions = append(univariate, families...)

var univariate = []Distribution{
	{
		Name: "normal", Support: RealLine, Random: "Normal",
		Args:       []DistArg{{"mu", RealLine}, {"sigma", Positive}},
		LogDensity: "-0.5*((y - mu)/sigma)^2 - log(sigma) - 0.5*log(2*pi())",
		LogCdf:     "log_Phi((y - mu)/sigma)", LogCcdf: "log_Phi((mu - y)/sigma)",
		Fisher: [][]string{{"1/sigma^2", "0"}, {"0", "2/sigma^2"}},
		Joint:  [][]string{{"1/sigma^2", "-1/sigma^2", "0"}, {"-1/sigma^2", "1/sigma^2", "0"}, {"0", "0", "2/sigma^2"}},
		Center: "mu",
		Half:   &Half{"log(sigma)", "2"},
	},
	{
		Name: "multi_normal", Support: VectorReal, Random: "MultiNormal",
		Args:       []DistArg{{"mu", VectorReal}, {"Sigma", Covariance}},
		LogDensity: "-0.5*dot(y - mu, inverse(Sigma)*(y - mu)) - 0.5*log_det(Sigma) - 0.5*size(y)*log(2*pi())",
		// That about Sigma is ½ tr(Σ⁻¹ ∂Σ Σ⁻¹ ∂Σ) along its changes ∂Σ.
		Fisher: [][]string{{"inverse(Sigma)", ""}, {"", "trace"}}, TraceOf: "Sigma", TraceBy: "inverse(Sigma)",
		Joint: [][]string{{"inverse(Sigma)", "-inverse(Sigma)", ""}, {"-inverse(Sigma)", "inverse(Sigma)", ""}, {"", "", "trace"}},
	},
	{
		Name: "dirichlet", Support: OnSimplex, Random: "Dirichlet",
		Args:       []DistArg{{"alpha", VectorPositive}},
		LogDensity: "dot(alpha, log(y)) - sum(log(y)) + lgamma(sum(alpha)) - sum(lgamma(alpha))",
		Fisher:     [][]string{{"diag(trigamma(alpha)) - trigamma(sum(alpha))"}},
	},
	{
		Name: "student_t", Support: RealLine, Random: "StudentT",
		Args:       []DistArg{{"nu", Positive}, {"mu", RealLine}, {"sigma", Positive}},
		LogDensity: "log_rising_ratio(nu/2, 0.5) - 0.5*log(2*pi()) - log(sigma) - 0.5*(nu + 1)*log1p_square((y - mu)/(sigma*sqrt(nu)))",
		LogCdf:     "log_student_cdf(nu, (y - mu)/sigma)",
		LogCcdf:    "log_student_cdf(nu, (mu - y)/sigma)",
		Fisher: [][]string{
			{"student_information(nu)", "0", "-2/(sigma*(nu + 1)*(nu + 3))"},
			{"0", "(nu + 1)/((nu + 3)*sigma^2)", "0"},
			{"-2/(sigma*(nu + 1)*(nu + 3))", "0", "2*nu/((nu + 3)*sigma^2)"}},
		Joint: [][]string{
			{"(nu + 1)/((nu + 3)*sigma^2)", "0", "-(nu + 1)/((nu + 3)*sigma^2)", "0"},
			{"0", "student_information(nu)", "0", "-2/(sigma*(nu + 1)*(nu + 3))"},
			{"-(nu + 1)/((nu + 3)*sigma^2)", "0", "(nu + 1)/((nu + 3)*sigma^2)", "0"},
			{"0", "-2/(sigma*(nu + 1)*(nu + 3))", "0", "2*nu/((nu + 3)*sigma^2)"}},
		Center: "mu",
		Half:   &Half{"log(sigma)", "2*nu/(nu + 1)"},
	},
	{
		Name: "cauchy", Support: RealLine, Random: "Cauchy",
		Args:       []DistArg{{"mu", RealLine}, {"sigma", Positive}},
		LogDensity: "-log(pi()) - log(sigma) - log1p_square((y - mu)/sigma)",
		LogCdf:     "if y < mu - sigma then log(atan(sigma/(mu - y))) - log(pi()) else log(0.5 + atan((y - mu)/sigma)/pi())",
		LogCcdf:    "if mu + sigma < y then log(atan(sigma/(y - mu))) - log(pi()) else log(0.5 - atan((y - mu)/sigma)/pi())",
		Fisher:     [][]string{{"1/(2*sigma^2)", "0"}, {"0", "1/(2*sigma^2)"}},
		Joint:      [][]string{{"1/(2*sigma^2)", "-1/(2*sigma^2)", "0"}, {"-1/(2*sigma^2)", "1/(2*sigma^2)", "0"}, {"0", "0", "1/(2*sigma^2)"}},
		Center:     "mu",
		Half:       &Half{"log(sigma)", "1"},
	},
	{
		Name: "logistic", Support: RealLine, Random: "Logistic",
		Args:       []DistArg{{"mu", RealLine}, {"sigma", Positive}},
		LogDensity: "-(y - mu)/sigma - log(sigma) - 2*log1p_exp(-(y - mu)/sigma)",
		LogCdf:     "log_inv_logit((y - mu)/sigma)", LogCcdf: "log_inv_logit((mu - y)/sigma)",
		Fisher: [][]string{{"1/(3*sigma^2)", "0"}, {"0", "(3 + pi()^2)/(9*sigma^2)"}},
		Joint: [][]string{
			{"1/(3*sigma^2)", "-1/(3*sigma^2)", "0"},
			{"-1/(3*sigma^2)", "1/(3*sigma^2)", "0"},
			{"0", "0", "(3 + pi()^2)/(9*sigma^2)"}},
		Center: "mu",
		// At y = z sigma with z tanh(z/2) = 1, where the curvature is (1 + z²)/2.
		Half: &Half{"log(1.5434046384182085*sigma)", "1.6910489389454204"},
	},
	{
		Name: "gumbel", Support: RealLine, Random: "Gumbel",
		Args:       []DistArg{{"mu", RealLine}, {"beta", Positive}},
		LogDensity: "-(y - mu)/beta - log(beta) - exp(-(y - mu)/beta)",
		LogCdf:     "-exp(-(y - mu)/beta)", LogCcdf: "log1m_exp(-exp(-(y - mu)/beta))",
		// With z = (y − mu)/beta, e⁻ᶻ is exponential. The numbers are 1 − γ and π²/6 + (1 − γ)², with Euler's γ = 0.577….
		Fisher: [][]string{{"1/beta^2", "-0.42278433509846713/beta^2"}, {"-0.42278433509846713/beta^2", "1.8236806608528794/beta^2"}},
		Joint: [][]string{
			{"1/beta^2", "-1/beta^2", "0.42278433509846713/beta^2"},
			{"-1/beta^2", "1/beta^2", "-0.42278433509846713/beta^2"},
			{"0.42278433509846713/beta^2", "-0.42278433509846713/beta^2", "1.8236806608528794/beta^2"}},
		Center: "mu",
		// At y = z beta with z (1 − e⁻ᶻ) = 1, where the curvature is 1 − z + z².
		Half: &Half{"log(1.3499764854011254*beta)", "1.4724600257348497"},
	},
	{
		Name: "exponential", Support: Positive, Random: "Exponential",
		Args:       []DistArg{{"beta", Positive}},
		LogDensity: "log(beta) - beta*y",
		LogCdf:     "log1m_exp(-beta*y)", LogCcdf: "-beta*y",
		Fisher: [][]string{{"1/beta^2"}},
		Joint:  [][]string{{"1", "1/beta"}, {"1/beta", "1/beta^2"}},
		Center: "-log(beta)",
	},
	{
		Name: "gamma", Support: Positive, Random: "Gamma",
		Args:       []DistArg{{"alpha", Positive}, {"beta", Positive}},
		LogDensity: "alpha*log(beta) - lgamma(alpha) + (alpha - 1)*log(y) - beta*y",
		LogCdf:     "log_gamma_p(alpha, beta*y)",
		LogCcdf:    "log_gamma_q(alpha, beta*y)",
		Fisher:     [][]string{{"trigamma(alpha)", "-1/beta"}, {"-1/beta", "alpha/beta^2"}},
		Joint:      [][]string{{"alpha", "-1", "alpha/beta"}, {"-1", "trigamma(alpha)", "-1/beta"}, {"alpha/beta", "-1/beta", "alpha/beta^2"}},
		Center:     "log(alpha) - log(beta)",
	},
	{
		Name: "inv_gamma", Support: Positive, Random: "InvGamma",
		Args:       []DistArg{{"alpha", Positive}, {"beta", Positive}},
		LogDensity: "alpha*log(beta) - lgamma(alpha) - (alpha + 1)*log(y) - beta/y",
		LogCdf:     "log_gamma_q(alpha, beta/y)",
		LogCcdf:    "log_gamma_p(alpha, beta/y)",
		Fisher:     [][]string{{"trigamma(alpha)", "-1/beta"}, {"-1/beta", "alpha/beta^2"}},
		Joint:      [][]string{{"alpha", "1", "-alpha/beta"}, {"1", "trigamma(alpha)", "-1/beta"}, {"-alpha/beta", "-1/beta", "alpha/beta^2"}},
		Center:     "log(beta) - log(alpha)",
	},
	{
		Name: "chi_square", Support: Positive, Random: "ChiSquare",
		Args:       []DistArg{{"nu", Positive}},
		LogDensity: "-0.5*nu*log(2) - lgamma(nu/2) + (nu/2 - 1)*log(y) - 0.5*y",
		LogCdf:     "log_gamma_p(nu/2, y/2)",
		LogCcdf:    "log_gamma_q(nu/2, y/2)",
		Fisher:     [][]string{{"0.25*trigamma(nu/2)"}},
		Joint:      [][]string{{"nu/2", "-1/2"}, {"-1/2", "0.25*trigamma(nu/2)"}},
		Center:     "log(nu)",
	},
	{
		Name: "inv_chi_square", Support: Positive, Random: "InvChiSquare",
		Args:       []DistArg{{"nu", Positive}},
		LogDensity: "-0.5*nu*log(2) - lgamma(nu/2) - (nu/2 + 1)*log(y) - 0.5/y",
		LogCdf:     "log_gamma_q(nu/2, 0.5/y)",
		LogCcdf:    "log_gamma_p(nu/2, 0.5/y)",
		Fisher:     [][]string{{"0.25*trigamma(nu/2)"}},
		Joint:      [][]string{{"nu/2", "1/2"}, {"1/2", "0.25*trigamma(nu/2)"}},
		Center:     "-log(nu)",
	},
	{
		Name: "scaled_inv_chi_square", Support: Positive, Random: "ScaledInvChiSquare",
		Args:       []DistArg{{"nu", Positive}, {"s", Positive}},
		LogDensity: "0.5*nu*log(nu/2) - lgamma(nu/2) + nu*log(s) - (nu/2 + 1)*log(y) - 0.5*nu*s^2/y",
		LogCdf:     "log_gamma_q(nu/2, 0.5*nu*s^2/y)",
		LogCcdf:    "log_gamma_p(nu/2, 0.5*nu*s^2/y)",
		Fisher:     [][]string{{"0.25*trigamma(nu/2) - 1/(2*nu)", "0"}, {"0", "2*nu/s^2"}},
		Joint: [][]string{
			{"nu/2", "0", "-nu/s"},
			{"0", "0.25*trigamma(nu/2) - 1/(2*nu)", "0"},
			{"-nu/s", "0", "2*nu/s^2"}},
		Center: "2*log(s)",
	},
	{
		Name: "beta", Support: UnitOpen, Random: "Beta",
		Args:       []DistArg{{"alpha", Positive}, {"beta", Positive}},
		LogDensity: "(alpha - 1)*log(y) + (beta - 1)*log1m(y) - lbeta(alpha, beta)",
		LogCdf:     "log_inc_beta_logit(alpha, beta, logit(y))",
		LogCcdf:    "log_inc_beta_logit(beta, alpha, -logit(y))",
		Fisher: [][]string{{"trigamma(alpha) - trigamma(alpha + beta)", "-trigamma(alpha + beta)"},
			{"-trigamma(alpha + beta)", "trigamma(beta) - trigamma(alpha + beta)"}},
		// With u = logit y: −∂²/∂u² = (α + β) y(1 − y), and E[y(1−y)] = αβ/((α+β)(α+β+1)).
		Joint: [][]string{
			{"alpha*beta/(alpha + beta + 1)", "-beta/(alpha + beta)", "alpha/(alpha + beta)"},
			{"-beta/(alpha + beta)", "trigamma(alpha) - trigamma(alpha + beta)", "-trigamma(alpha + beta)"},
			{"alpha/(alpha + beta)", "-trigamma(alpha + beta)", "trigamma(beta) - trigamma(alpha + beta)"}},
		Center: "log(alpha) - log(beta)",
	},
	{
		Name: "beta_proportion", Support: UnitOpen, Random: "BetaProportion",
		Args:       []DistArg{{"mu", UnitOpen}, {"kappa", Positive}},
		LogDensity: "(mu*kappa - 1)*log(y) + ((1 - mu)*kappa - 1)*log1m(y) - lbeta(mu*kappa, (1 - mu)*kappa)",
		LogCdf:     "log_inc_beta_logit(mu*kappa, (1 - mu)*kappa, logit(y))",
		LogCcdf:    "log_inc_beta_logit((1 - mu)*kappa, mu*kappa, -logit(y))",
		// Those of beta, with alpha = mu kappa and beta = (1 − mu) kappa.
		Fisher: [][]string{
			{"kappa^2*(trigamma(mu*kappa) + trigamma((1 - mu)*kappa))", "kappa*(mu*trigamma(mu*kappa) - (1 - mu)*trigamma((1 - mu)*kappa))"},
			{"kappa*(mu*trigamma(mu*kappa) - (1 - mu)*trigamma((1 - mu)*kappa))", "mu^2*trigamma(mu*kappa) + (1 - mu)^2*trigamma((1 - mu)*kappa) - trigamma(kappa)"}},
		Joint: [][]string{
			{"mu*(1 - mu)*kappa^2/(kappa + 1)", "-kappa", "0"},
			{"-kappa", "kappa^2*(trigamma(mu*kappa) + trigamma((1 - mu)*kappa))", "kappa*(mu*trigamma(mu*kappa) - (1 - mu)*trigamma((1 - mu)*kappa))"},
			{"0", "kappa*(mu*trigamma(mu*kappa) - (1 - mu)*trigamma((1 - mu)*kappa))", "mu^2*trigamma(mu*kappa) + (1 - mu)^2*trigamma((1 - mu)*kappa) - trigamma(kappa)"}},
		Center: "log(mu) - log1m(mu)",
	},
	{
		Name: "lognormal", Support: Positive, Random: "LogNormal",
		Args:       []DistArg{{"mu", RealLine}, {"sigma", Positive}},
		LogDensity: "-0.5*((log(y) - mu)/sigma)^2 - log(y) - log(sigma) - 0.5*log(2*pi())",
		LogCdf:     "log_Phi((log(y) - mu)/sigma)", LogCcdf: "log_Phi((mu - log(y))/sigma)",
		Fisher: [][]string{{"1/sigma^2", "0"}, {"0", "2/sigma^2"}},
		Joint:  [][]string{{"1/sigma^2", "-1/sigma^2", "0"}, {"-1/sigma^2", "1/sigma^2", "0"}, {"0", "0", "2/sigma^2"}},
		Center: "mu",
	},
	{
		Name: "weibull", Support: Positive, Random: "Weibull",
		Args:       []DistArg{{"alpha", Positive}, {"sigma", Positive}},
		LogDensity: "log(alpha) - log(sigma) + (alpha - 1)*(log(y) - log(sigma)) - exp(alpha*(log(y) - log(sigma)))",
		LogCdf:     "log1m_exp(-exp(alpha*(log(y) - log(sigma))))", LogCcdf: "-exp(alpha*(log(y) - log(sigma)))",
		// y/sigma may overflow where its power does not. (y/sigma)^alpha is exponential. The numbers are those of gumbel, which log(1/y) is from.
		Fisher: [][]string{{"1.8236806608528794/alpha^2", "-0.42278433509846713/sigma"}, {"-0.42278433509846713/sigma", "(alpha/sigma)^2"}},
		Joint: [][]string{
			{"alpha^2", "0.42278433509846713", "-alpha^2/sigma"},
			{"0.42278433509846713", "1.8236806608528794/alpha^2", "-0.42278433509846713/sigma"},
			{"-alpha^2/sigma", "-0.42278433509846713/sigma", "(alpha/sigma)^2"}},
		Center: "log(sigma)",
	},
	{
		Name: "frechet", Support: Positive, Random: "Frechet",
		Args:       []DistArg{{"alpha", Positive}, {"sigma", Positive}},
		LogDensity: "log(alpha) - log(sigma) - (alpha + 1)*(log(y) - log(sigma)) - exp(-alpha*(log(y) - log(sigma)))",
		LogCdf:     "-exp(-alpha*(log(y) - log(sigma)))", LogCcdf: "log1m_exp(-exp(-alpha*(log(y) - log(sigma))))",
		// 1/y is from weibull(alpha, 1/sigma).
		Fisher: [][]string{{"1.8236806608528794/alpha^2", "0.42278433509846713/sigma"}, {"0.42278433509846713/sigma", "(alpha/sigma)^2"}},
		Joint: [][]string{
			{"alpha^2", "-0.42278433509846713", "-alpha^2/sigma"},
			{"-0.42278433509846713", "1.8236806608528794/alpha^2", "0.42278433509846713/sigma"},
			{"-alpha^2/sigma", "0.42278433509846713/sigma", "(alpha/sigma)^2"}},
		Center: "log(sigma)",
	},
	{
		Name: "rayleigh", Support: Positive, Random: "Rayleigh",
		Args:       []DistArg{{"sigma", Positive}},
		LogDensity: "log(y) - 2*log(sigma) - 0.5*(y/sigma)^2",
		LogCdf:     "log1m_exp(-0.5*(y/sigma)^2)", LogCcdf: "-0.5*(y/sigma)^2",
		Fisher: [][]string{{"4/sigma^2"}},
		Joint:  [][]string{{"4", "-4/sigma"}, {"-4/sigma", "4/sigma^2"}},
		Center: "log(sigma) + 0.5*log(2)",
	},
	{
		Name: "uniform", Support: Between, Random: "Uniform",
		Args:       []DistArg{{"alpha", RealLine}, {"beta", RealLine}},
		LogDensity: "-log(beta - alpha)",
		LogCdf:     "log(y - alpha) - log(beta - alpha)", LogCcdf: "log(beta - y) - log(beta - alpha)",
		// With u = logit((y − α)/(β − α)) and fixed ends: −∂²/∂u² = 2 s(1 − s), and E = 1/3.
		Joint: [][]string{{"1/3", "", ""}, {"", "", ""}, {"", "", ""}},
	},
	{
		Name: "bernoulli", Support: Binary, Random: "Bernoulli",
		Args:       []DistArg{{"theta", UnitClosed}},
		LogDensity: "lmultiply(y, theta) + lmultiply(1 - y, 1 - theta)",
		LogCdf:     "lmultiply(1 - y, 1 - theta)",
		LogCcdf:    "log(theta) + log(1 - y)",
		Fisher:     [][]string{{"1/(theta*(1 - theta))"}},
	},
	{
		Name: "bernoulli_logit", Support: Binary, Random: "BernoulliLogit",
		Args:       []DistArg{{"eta", RealLine}},
		LogDensity: "y*eta - log1p_exp(eta)",
		LogCdf:     "-(1 - y)*log1p_exp(eta)",
		LogCcdf:    "log(1 - y) - log1p_exp(-eta)",
		Fisher:     [][]string{{"inv_logit(eta)*(1 - inv_logit(eta))"}},
	},
	{
		Name: "binomial", Support: UpTo, Random: "Binomial",
		Args:       []DistArg{{"N", CountArg}, {"theta", UnitClosed}},
		LogDensity: "lchoose(N, y) + lmultiply(y, theta) + lmultiply(N - y, 1 - theta)",
		LogCdf:     "log_inc_beta_logit(N - y, y + 1, -logit(theta))",
		LogCcdf:    "log_inc_beta_logit(y + 1, N - y, logit(theta))",
		Fisher:     [][]string{{"", ""}, {"", "N/(theta*(1 - theta))"}},
	},
	{
		Name: "binomial_logit", Support: UpTo, Random: "BinomialLogit",
		Args:       []DistArg{{"N", CountArg}, {"eta", RealLine}},
		LogDensity: "lchoose(N, y) + y*eta - N*log1p_exp(eta)",
		LogCdf:     "log_inc_beta_logit(N - y, y + 1, -eta)",
		LogCcdf:    "log_inc_beta_logit(y + 1, N - y, eta)",
		Fisher:     [][]string{{"", ""}, {"", "N*inv_logit(eta)*(1 - inv_logit(eta))"}},
	},
	{
		// log_rising_ratio by its parts: with log1p(y/alpha), y/alpha^2 of its derivative would be infinite at a tiny alpha.
		Name: "beta_binomial", Support: UpTo, Random: "BetaBinomial",
		Args: []DistArg{{"N", CountArg}, {"alpha", Positive}, {"beta", Positive}},
		LogDensity: "lchoose(N, y) + stirling_rest(y + alpha) - stirling_rest(alpha) + (y + alpha - 0.5)*log1p_exp(log(y) - log(alpha)) + " +
			"stirling_rest(N - y + beta) - stirling_rest(beta) + (N - y + beta - 0.5)*log1p_exp(log(N - y) - log(beta)) - " +
			"stirling_rest(N + alpha + beta) + stirling_rest(alpha + beta) - (N + alpha + beta - 0.5)*log1p(N/(alpha + beta)) - " +
			"y*log1p_exp(log(beta) - log(alpha)) - (N - y)*log1p_exp(log(alpha) - log(beta))",
	},
	{
		Name: "poisson", Support: Counts, Random: "Poisson",
		Args:       []DistArg{{"lambda", NonNegative}},
		LogDensity: "lmultiply(y, lambda) - lambda - lgamma(y + 1)",
		LogCdf:     "log_gamma_q(y + 1, lambda)",
		LogCcdf:    "log_gamma_p(y + 1, lambda)",
		Fisher:     [][]string{{"1/lambda"}},
	},
	{
		Name: "poisson_log", Support: Counts, Random: "PoissonLog",
		Args:       []DistArg{{"eta", RealLine}},
		LogDensity: "y*eta - exp(eta) - lgamma(y + 1)",
		LogCdf:     "log_gamma_q(y + 1, exp(eta))",
		LogCcdf:    "log_gamma_p(y + 1, exp(eta))",
		Fisher:     [][]string{{"exp(eta)"}},
	},
	{
		Name: "neg_binomial", Support: Counts, Random: "NegBinomial",
		Args:       []DistArg{{"alpha", Positive}, {"beta", Positive}},
		LogDensity: "log_rising_ratio(alpha, y) - lgamma(y + 1) + y*log(alpha) - alpha*log1p_exp(-log(beta)) - y*log1p(beta)",
		LogCdf:     "log_inc_beta_logit(alpha, y + 1, log(beta))",
		LogCcdf:    "log_inc_beta_logit(y + 1, alpha, -log(beta))",
		Fisher:     [][]string{{"", ""}, {"", "alpha/(beta^2*(1 + beta))"}},
	},
	{
		Name: "neg_binomial_2", Support: Counts, Random: "NegBinomial2",
		Args:       []DistArg{{"mu", Positive}, {"phi", Positive}},
		LogDensity: "log_rising_ratio(phi, y) - lgamma(y + 1) + y*log(mu) - (y + phi)*log1p_exp(log(mu) - log(phi))",
		LogCdf:     "log_inc_beta_logit(phi, y + 1, log(phi) - log(mu))",
		LogCcdf:    "log_inc_beta_logit(y + 1, phi, log(mu) - log(phi))",
		Fisher:     [][]string{{"1/(mu + mu^2/phi)", ""}, {"", ""}},
	},
	{
		Name: "neg_binomial_2_log", Support: Counts, Random: "NegBinomial2Log",
		Args:       []DistArg{{"eta", RealLine}, {"phi", Positive}},
		LogDensity: "log_rising_ratio(phi, y) - lgamma(y + 1) + y*eta - (y + phi)*log1p_exp(eta - log(phi))",
		LogCdf:     "log_inc_beta_logit(phi, y + 1, log(phi) - eta)",
		LogCcdf:    "log_inc_beta_logit(y + 1, phi, eta - log(phi))",
		Fisher:     [][]string{{"phi*inv_logit(eta - log(phi))", ""}, {"", ""}},
	},
	{
		Name: "std_normal", Support: RealLine, Random: "StandardNormal",
		LogDensity: "-0.5*y^2 - 0.5*log(2*pi())",
		LogCdf:     "log_Phi(y)", LogCcdf: "log_Phi(-y)",
		Joint:  [][]string{{"1"}},
		Center: "0",
		Half:   &Half{"0", "2"},
	},
	{
		Name: "double_exponential", Support: RealLine, Random: "DoubleExponential",
		Args:       []DistArg{{"mu", RealLine}, {"sigma", Positive}},
		LogDensity: "-log(2) - log(sigma) - abs(y - mu)/sigma",
		LogCdf:     "if y < mu then (y - mu)/sigma - log(2) else log1m(0.5*exp((mu - y)/sigma))",
		LogCcdf:    "if y < mu then log1m(0.5*exp((y - mu)/sigma)) else (mu - y)/sigma - log(2)",
		Fisher:     [][]string{{"1/sigma^2", "0"}, {"0", "1/sigma^2"}},
		Joint:      [][]string{{"1/sigma^2", "-1/sigma^2", "0"}, {"-1/sigma^2", "1/sigma^2", "0"}, {"0", "0", "1/sigma^2"}},
		Center:     "mu",
		Kink:       "mu",
		Half:       &Half{"log(sigma)", "1"},
	},
	{
		Name: "skew_double_exponential", Support: RealLine, Random: "SkewDoubleExponential",
		Args:       []DistArg{{"mu", RealLine}, {"sigma", Positive}, {"tau", UnitOpen}},
		LogDensity: "log(2) + log(tau) + log1m(tau) - log(sigma) - 2*(if y < mu then (1 - tau)*(mu - y) else tau*(y - mu))/sigma",
		LogCdf:     "if y < mu then log(tau) - 2*(1 - tau)*(mu - y)/sigma else log1m((1 - tau)*exp(-2*tau*(y - mu)/sigma))",
		LogCcdf:    "if y < mu then log1m(tau*exp(-2*(1 - tau)*(mu - y)/sigma)) else log1m(tau) - 2*tau*(y - mu)/sigma",
		// y is below mu with probability tau, and the exponent is exponential on both sides.
		Fisher: [][]string{
			{"4*tau*(1 - tau)/sigma^2", "0", "-2/sigma"},
			{"0", "1/sigma^2", "(1/(1 - tau) - 1/tau)/sigma"},
			{"-2/sigma", "(1/(1 - tau) - 1/tau)/sigma", "1/tau^2 + 1/(1 - tau)^2"}},
		Joint: [][]string{
			{"4*tau*(1 - tau)/sigma^2", "-4*tau*(1 - tau)/sigma^2", "0", "2/sigma"},
			{"-4*tau*(1 - tau)/sigma^2", "4*tau*(1 - tau)/sigma^2", "0", "-2/sigma"},
			{"0", "0", "1/sigma^2", "(1/(1 - tau) - 1/tau)/sigma"},
			{"2/sigma", "-2/sigma", "(1/(1 - tau) - 1/tau)/sigma", "1/tau^2 + 1/(1 - tau)^2"}},
		Kink: "mu",
	},
	{
		Name: "skew_normal", Support: RealLine, Random: "SkewNormal",
		Args:       []DistArg{{"xi", RealLine}, {"omega", Positive}, {"alpha", RealLine}},
		LogDensity: "0.5*log(2) - 0.5*log(pi()) - log(omega) - 0.5*((y - xi)/omega)^2 + log_Phi(alpha*(y - xi)/omega)",
	},
	{
		Name: "exp_mod_normal", Support: RealLine, Random: "ExpModNormal",
		Args:       []DistArg{{"mu", RealLine}, {"sigma", Positive}, {"lambda", Positive}},
		LogDensity: "log(lambda) + log_Phi_tilted((y - mu)/sigma, lambda*sigma)",
		LogCdf:     "log_Phi((y - mu)/sigma) + log1m_exp(log_Phi_tilted((y - mu)/sigma, lambda*sigma) - log_Phi((y - mu)/sigma))",
		LogCcdf:    "log_sum_exp(log_Phi((mu - y)/sigma), log_Phi_tilted((y - mu)/sigma, lambda*sigma))",
	},
	{
		Name: "half_normal", Support: Positive, Random: "HalfNormal",
		Args:       []DistArg{{"sigma", Positive}},
		LogDensity: "0.5*log(2) - 0.5*log(pi()) - log(sigma) - 0.5*(y/sigma)^2",
		LogCdf:     "log_gamma_p(0.5, 0.5*(y/sigma)^2)", LogCcdf: "log(2) + log_Phi(-y/sigma)",
		Fisher: [][]string{{"2/sigma^2"}},
		Joint:  [][]string{{"2", "-2/sigma"}, {"-2/sigma", "2/sigma^2"}},
		Center: "log(sigma)",
	},
	{
		Name: "half_cauchy", Support: Positive, Random: "HalfCauchy",
		Args:       []DistArg{{"sigma", Positive}},
		LogDensity: "log(2) - log(pi()) - log(sigma) - log1p_square(y/sigma)",
		LogCdf:     "log(2/pi()*atan(y/sigma))", LogCcdf: "log(2/pi()*atan(sigma/y))",
		Fisher: [][]string{{"1/(2*sigma^2)"}},
		Joint:  [][]string{{"1/2", "-1/(2*sigma)"}, {"-1/(2*sigma)", "1/(2*sigma^2)"}},
		Center: "log(sigma)",
	},
	{
		Name: "half_student_t", Support: Positive, Random: "HalfStudentT",
		Args:       []DistArg{{"nu", Positive}, {"sigma", Positive}},
		LogDensity: "log(2) + log_rising_ratio(nu/2, 0.5) - 0.5*log(2*pi()) - log(sigma) - 0.5*(nu + 1)*log1p_square(y/(sigma*sqrt(nu)))",
		LogCdf:     "log_inc_beta_logit(0.5, nu/2, 2*log(y/sigma) - log(nu))",
		LogCcdf:    "log(2) + log_student_cdf(nu, -y/sigma)",
		// That of student_t; log y is shifted by log sigma.
		Fisher: [][]string{
			{"student_information(nu)", "-2/(sigma*(nu + 1)*(nu + 3))"},
			{"-2/(sigma*(nu + 1)*(nu + 3))", "2*nu/((nu + 3)*sigma^2)"}},
		Joint: [][]string{
			{"2*nu/(nu + 3)", "2/((nu + 1)*(nu + 3))", "-2*nu/((nu + 3)*sigma)"},
			{"2/((nu + 1)*(nu + 3))", "student_information(nu)", "-2/(sigma*(nu + 1)*(nu + 3))"},
			{"-2*nu/((nu + 3)*sigma)", "-2/(sigma*(nu + 1)*(nu + 3))", "2*nu/((nu + 3)*sigma^2)"}},
		Center: "log(sigma)",
	},
	{
		Name: "pareto", Support: Above, Random: "Pareto",
		Args:       []DistArg{{"y_min", Positive}, {"alpha", Positive}},
		LogDensity: "log(alpha) - log(y) - alpha*(log(y) - log(y_min))",
		LogCdf:     "log1m_exp(alpha*(log(y_min) - log(y)))", LogCcdf: "alpha*(log(y_min) - log(y))",
		Fisher: [][]string{{"", ""}, {"", "1/alpha^2"}},
	},
	{
		Name: "pareto_type_2", Support: Above, Random: "ParetoType2",
		Args:       []DistArg{{"mu", RealLine}, {"lambda", Positive}, {"alpha", Positive}},
		LogDensity: "log(alpha) - log(lambda) - (alpha + 1)*log1p((y - mu)/lambda)",
		LogCdf:     "log1m_exp(-alpha*log1p((y - mu)/lambda))", LogCcdf: "-alpha*log1p((y - mu)/lambda)",
		Fisher: [][]string{{"", "", ""}, {"", "alpha/((alpha + 2)*lambda^2)", "-1/(lambda*(alpha + 1))"}, {"", "-1/(lambda*(alpha + 1))", "1/alpha^2"}},
	},
	{
		Name: "von_mises", Support: Angles, Random: "VonMises",
		Args:       []DistArg{{"mu", RealLine}, {"kappa", Positive}},
		LogDensity: "kappa*cos(y - mu) - log_bessel_i0(kappa) - log(2*pi())",
		Fisher:     [][]string{{"kappa*bessel_ratio(kappa)", "0"}, {"0", "bessel_ratio_slope(kappa)"}},
	},
	{
		// The time at which a Brownian motion with drift delta that begins at beta*alpha leaves the interval from 0 to alpha, where it does so at alpha, after a delay of tau.
		Name: "wiener", Support: Above, Begins: 1, Defective: true,
		Args:       []DistArg{{"alpha", Positive}, {"tau", NonNegative}, {"beta", UnitOpen}, {"delta", RealLine}},
		LogDensity: "delta*alpha*(1 - beta) - 0.5*delta^2*(y - tau) - 2*log(alpha) + log_first_passage((y - tau)/alpha^2, 1 - beta)",
	},
	{
		Name: "loglogistic", Support: Positive, Random: "LogLogistic",
		Args:       []DistArg{{"alpha", Positive}, {"beta", Positive}},
		LogDensity: "log(beta) - log(y) - beta*(log(y) - log(alpha)) - 2*log1p_exp(-beta*(log(y) - log(alpha)))",
		LogCdf:     "log_inv_logit(beta*(log(y) - log(alpha)))", LogCcdf: "log_inv_logit(beta*(log(alpha) - log(y)))",
		// log y is logistic(log(alpha), 1/beta).
		Fisher: [][]string{{"(beta/alpha)^2/3", "0"}, {"0", "(3 + pi()^2)/(9*beta^2)"}},
		Joint: [][]string{
			{"beta^2/3", "-beta^2/(3*alpha)", "0"},
			{"-beta^2/(3*alpha)", "(beta/alpha)^2/3", "0"},
			{"0", "0", "(3 + pi()^2)/(9*beta^2)"}},
		Center: "log(alpha)",
	},
	{
		Name: "inv_gaussian", Support: Positive, Random: "InvGaussian",
		Args:       []DistArg{{"mu", Positive}, {"lambda", Positive}},
		LogDensity: "0.5*log(lambda) - 0.5*log(2*pi()) - 1.5*log(y) - 0.5*lambda*(y/mu - 1)^2/y",
		LogCdf:     "log_sum_exp(log_Phi(sqrt(lambda/y)*(y/mu - 1)), 2*lambda/mu + log_Phi(-sqrt(lambda/y)*(y/mu + 1)))",
		LogCcdf: "log_Phi(sqrt(lambda/y)*(1 - y/mu)) + " +
			"log1m_exp(2*lambda/mu + log_Phi(-sqrt(lambda/y)*(y/mu + 1)) - log_Phi(sqrt(lambda/y)*(1 - y/mu)))",
		// The means of y and of 1/y are mu and 1/mu + 1/lambda.
		Fisher: [][]string{{"lambda/mu^3", "0"}, {"0", "1/(2*lambda^2)"}},
		Joint: [][]string{
			{"lambda/mu + 1/2", "-lambda/mu^2", "-1/(2*lambda)"},
			{"-lambda/mu^2", "lambda/mu^3", "0"},
			{"-1/(2*lambda)", "0", "1/(2*lambda^2)"}},
		Center: "log(2*lambda) - log1p(sqrt(1 + (2*lambda/mu)^2))",
	},
	{
		Name: "logit_normal", Support: UnitOpen, Random: "LogitNormal",
		Args:       []DistArg{{"mu", RealLine}, {"sigma", Positive}},
		LogDensity: "-0.5*((logit(y) - mu)/sigma)^2 - log(y) - log1m(y) - log(sigma) - 0.5*log(2*pi())",
		LogCdf:     "log_Phi((logit(y) - mu)/sigma)", LogCcdf: "log_Phi((mu - logit(y))/sigma)",
		Fisher: [][]string{{"1/sigma^2", "0"}, {"0", "2/sigma^2"}},
		Joint:  [][]string{{"1/sigma^2", "-1/sigma^2", "0"}, {"-1/sigma^2", "1/sigma^2", "0"}, {"0", "0", "2/sigma^2"}},
		Center: "mu",
	},
	{
		Name: "kumaraswamy", Support: UnitOpen, Random: "Kumaraswamy",
		Args:       []DistArg{{"a", Positive}, {"b", Positive}},
		LogDensity: "log(a) + log(b) + (a - 1)*log(y) + (b - 1)*log1m_exp(a*log(y))",
		LogCdf:     "log1m_exp(b*log1m_exp(a*log(y)))", LogCcdf: "b*log1m_exp(a*log(y))",
		// That about a divides by b - 2.
		Fisher: [][]string{{"", ""}, {"", "1/b^2"}},
	},
	{
		// The failures before the first success.
		Name: "geometric", Support: Counts, Random: "Geometric",
		Args:       []DistArg{{"theta", UnitClosed}},
		LogDensity: "log(theta) + lmultiply(y, 1 - theta)",
		LogCdf:     "log1m_exp(lmultiply(y + 1, 1 - theta))",
		LogCcdf:    "lmultiply(y + 1, 1 - theta)",
		Fisher:     [][]string{{"1/(theta^2*(1 - theta))"}},
	},
	{
		Name: "beta_neg_binomial", Support: Counts, Random: "BetaNegBinomial",
		Args:       []DistArg{{"r", Positive}, {"alpha", Positive}, {"beta", Positive}},
		LogDensity: "lgamma(y + r) - lgamma(r) - lgamma(y + 1) + lbeta(alpha + r, beta + y) - lbeta(alpha, beta)",
	},
	{
		// theta is the probability of a zero that is none of the counts.
		Name: "zero_inflated_poisson", Support: Counts, Random: "ZeroInflatedPoisson",
		Args:       []DistArg{{"theta", UnitOpen}, {"lambda", Positive}},
		LogDensity: "if y == 0 then log(theta + (1 - theta)*exp(-lambda)) else log1m(theta) + y*log(lambda) - lambda - lgamma(y + 1)",
		LogCdf:     "log_sum_exp(log(theta), log1m(theta) + log_gamma_q(y + 1, lambda))",
		LogCcdf:    "log1m(theta) + log_gamma_p(y + 1, lambda)",
		// A zero has the probability theta + (1 - theta) exp(-lambda).
		Fisher: [][]string{
			{"-expm1(-lambda)/((theta + (1 - theta)*exp(-lambda))*(1 - theta))", "-exp(-lambda)/(theta + (1 - theta)*exp(-lambda))"},
			{"-exp(-lambda)/(theta + (1 - theta)*exp(-lambda))", "(1 - theta)*(1/lambda - theta*exp(-lambda)/(theta + (1 - theta)*exp(-lambda)))"}},
	},
	{
		Name: "zero_inflated_neg_binomial_2", Support: Counts, Random: "ZeroInflatedNegBinomial2",
		Args: []DistArg{{"theta", UnitOpen}, {"mu", Positive}, {"phi", Positive}},
		LogDensity: "if y == 0 then log(theta + (1 - theta)*exp(-phi*log1p_exp(log(mu) - log(phi)))) " +
			"else log1m(theta) + log_rising_ratio(phi, y) - lgamma(y + 1) + y*log(mu) - (y + phi)*log1p_exp(log(mu) - log(phi))",
		LogCdf:  "log_sum_exp(log(theta), log1m(theta) + log_inc_beta_logit(phi, y + 1, log(phi) - log(mu)))",
		LogCcdf: "log1m(theta) + log_inc_beta_logit(y + 1, phi, log(mu) - log(phi))",
		// Of the zeros of neg_binomial_2 with the probability p, the derivative of log p is -1/(1 + mu/phi).
		Fisher: [][]string{
			{"-expm1(-phi*log1p(mu/phi))/((theta + (1 - theta)*exp(-phi*log1p(mu/phi)))*(1 - theta))",
				"-exp(-phi*log1p(mu/phi))/((1 + mu/phi)*(theta + (1 - theta)*exp(-phi*log1p(mu/phi))))", ""},
			{"-exp(-phi*log1p(mu/phi))/((1 + mu/phi)*(theta + (1 - theta)*exp(-phi*log1p(mu/phi))))",
				"(1 - theta)*(1/(mu + mu^2/phi) - theta*exp(-phi*log1p(mu/phi))/((1 + mu/phi)^2*(theta + (1 - theta)*exp(-phi*log1p(mu/phi)))))", ""},
			{"", "", ""}},
	},
	{
		// theta is the probability of zero.
		Name: "hurdle_poisson", Support: Counts, Random: "HurdlePoisson",
		Args:       []DistArg{{"theta", UnitOpen}, {"lambda", Positive}},
		LogDensity: "if y == 0 then log(theta) else log1m(theta) + y*log(lambda) - lambda - lgamma(y + 1) - log1m_exp(-lambda)",
		LogCdf:     "if y == 0 then log(theta) else log1m_exp(log1m(theta) + log_gamma_p(y + 1, lambda) - log1m_exp(-lambda))",
		LogCcdf:    "log1m(theta) + log_gamma_p(y + 1, lambda) - log1m_exp(-lambda)",
		Fisher: [][]string{
			{"1/(theta*(1 - theta))", "0"},
			{"0", "-(1 - theta)*(1/lambda + exp(-lambda)/expm1(-lambda))/expm1(-lambda)"}},
	},
}

// LogDensityName is the function of the log density: that of a probability
// density as normal_lpdf(y | mu, sigma), that of a probability mass function as
// poisson_lpmf(y | lambda).
func (d *Distribution) LogDensityName() string {
	if d.Support.Discrete() {
		return d.Name + "_lpmf"
	}
	return d.Name + "_lpdf"
}

// CdfName and CcdfName are the functions log P(Y ≤ y) and log P(Y > y), as normal_lcdf(y | mu, sigma); "" where there are none.
func (d *Distribution) CdfName() string {
	if d.LogCdf == "" {
		return ""
	}
	return d.Name + "_lcdf"
}

// CcdfName is that of log P(Y > y).
func (d *Distribution) CcdfName() string {
	if d.LogCcdf == "" {
		return ""
	}
	return d.Name + "_lccdf"
}

// withoutCdf names the distributions of numbers that have no cumulative functions, for messages.
func withoutCdf() string {
	var names []string
	for i := range Distributions {
		if d := &Distributions[i]; d.LogCdf == "" && !d.Whole() {
			names = append(names, d.Name)
		}
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

// RandomName is the function that draws, as normal_rng(mu, sigma).
func (d *Distribution) RandomName() string { return d.Name + "_rng" }

// form is how a call of the log density reads.
func (d *Distribution) form() string {
	if len(d.Args) == 0 {
		return d.LogDensityName() + "(y)"
	}
	return d.LogDensityName() + "(y | " + strings.Join(d.argNames(), ", ") + ")"
}

func (d *Distribution) argNames() []string {
	names := make([]string, len(d.Args))
	for i, a := range d.Args {
		names[i] = a.Name
	}
	return names
}

// lookupLogDensity and lookupRandom return the distribution whose function has
// that name, or nil.
func lookupLogDensity(name string) *Distribution {
	return lookup(name, (*Distribution).LogDensityName)
}

// lookupCdf returns the distribution of which a name is that of a cumulative function, and which of both.
func lookupCdf(name string) (*Distribution, Tail) {
	if d := lookup(name, (*Distribution).CdfName); d != nil {
		return d, LowerTail
	}
	return lookup(name, (*Distribution).CcdfName), UpperTail
}

func lookupRandom(name string) *Distribution { return lookup(name, (*Distribution).RandomName) }

func lookup(name string, of func(*Distribution) string) *Distribution {
	for i := range Distributions {
		if of(&Distributions[i]) == name {
			return &Distributions[i]
		}
	}
	return nil
}

// LookupDistribution returns the distribution of that name, or nil.
func LookupDistribution(name string) *Distribution {
	for i := range Distributions {
		if Distributions[i].Name == name {
			return &Distributions[i]
		}
	}
	return nil
}

// ParseFormula parses a formula of the table.
func ParseFormula(text string) (Expr, error) {
	f, ds := Parse("formula", "model formula\ndensity "+text+"\n")
	if ds.HasErrors() {
		return nil, ds
	}
	return f.Stmts[0].(*DensityStmt).Value, nil
}

// Informs reports whether the expected information about an argument is known.
func (d *Distribution) Informs(n int) bool {
	if d.Define != "" {
		return n == 0 && d.Inform != "" || n == 1 && d.TraceOf != ""
	}
	return d.Fisher != nil && d.Fisher[n][n] != ""
}
