package dsl

import "strings"

// Code is the stable name of one kind of diagnostic. A code keeps its meaning
// for ever; a retired one is not used again.
type Code string

// The codes. The hundreds tell the pass: 1 text and syntax, 2 names, 3 types
// and shapes, 4 densities, 5 metrics, 6 limits, 7 calculus, 8 data and
// constants. Codes of warnings start with W.
const (
	BadCharacter      Code = "H101"
	UnexpectedToken   Code = "H102"
	MissingModel      Code = "H103"
	UnclosedBracket   Code = "H104"
	BadNumber         Code = "H105"
	UnknownStatement  Code = "H106"
	RaggedMatrix      Code = "H107"
	Reserved          Code = "H108"
	NotYet            Code = "H109"
	UnknownName       Code = "H201"
	Redeclared        Code = "H202"
	UnknownFunction   Code = "H203"
	UnknownDist       Code = "H204"
	UnknownMetric     Code = "H205"
	UnknownType       Code = "H206"
	IndexShadows      Code = "H207"
	UsedBeforeDefined Code = "H208"
	NotAFunction      Code = "H209"
	BadImport         Code = "H210"
	ShapeMismatch     Code = "H301"
	NotScalar         Code = "H302"
	NotVector         Code = "H303"
	NotMatrix         Code = "H304"
	VectorProduct     Code = "H305"
	ArgumentCount     Code = "H306"
	IndexCount        Code = "H307"
	IndexRange        Code = "H308"
	BadIndex          Code = "H309"
	BadSize           Code = "H310"
	BadBounds         Code = "H311"
	NotInteger        Code = "H312"
	BadDivision       Code = "H313"
	BadNamedArgument  Code = "H314"
	// H315 was that an index is not a number; it is one.
	BadPower          Code = "H316"
	NotIndexed        Code = "H317"
	BadGather         Code = "H318"
	GatherRange       Code = "H319"
	NotSymmetric      Code = "H320"
	BadParts          Code = "H321"
	BadRecursion      Code = "H322"
	NeedsData         Code = "H323"
	NotCondition      Code = "H324"
	NoDensity         Code = "H401"
	NoParams          Code = "H402"
	NeedsInteger      Code = "H403"
	OutsideSupport    Code = "H404"
	BadArgument       Code = "H405"
	NotData           Code = "H406"
	DataOnlyTerm      Code = "H407"
	NonScalarDensity  Code = "H408"
	BadLeftSide       Code = "H409"
	BadEquation       Code = "H410"
	BadSolve          Code = "H411"
	RandomOutside     Code = "H412"
	GeneratedOutside  Code = "H413"
	MetricTwice       Code = "H501"
	MetricShape       Code = "H502"
	MetricAsymmetric  Code = "H503"
	BadMetricBlock    Code = "H504"
	MetricOption      Code = "H505"
	MetricMix         Code = "H506"
	MetricScale       Code = "H507"
	NoFisher          Code = "H508"
	BadBlock          Code = "H509"
	TooDeep           Code = "H601"
	TooLarge          Code = "H602"
	NotDifferentiable Code = "H701"
	NeedsConstant     Code = "H702"
	BadConst          Code = "H801"
	UnknownConst      Code = "H802"
	BadDefault        Code = "H803"
	MaybeIndefinite   Code = "W501"
	// W502 was that no metric is given, which is no fault.
	StandIn       Code = "W503"
	CommentNumber Code = "W102"
	Unused        Code = "W201"
	NoPrior       Code = "W401"
	MayLeaveRange Code = "W402"
	ScarceData    Code = "W403"
	NotSmooth     Code = "W404"
	LeftOfEach    Code = "W405"
	FreeScale     Code = "W406"
	NoJacobian    Code = "W407"
	NarrowPrior   Code = "W408"

	// What Vet finds.
	FlatPrior         Code = "W601"
	UsedTwice         Code = "W602"
	WholeNumbers      Code = "W603"
	SpikedPrior       Code = "W604"
	VaguePrior        Code = "W605"
	ConstantPredictor Code = "W606"
	FarPredictor      Code = "W607"
	UnequalPredictors Code = "W608"
	EmptyGroup        Code = "W609"
)

// Entry documents one code.
type Entry struct {
	Code    Code
	Rule    string // what the language asks for
	Example string // a line that breaks it
	Right   string // one in its place that does not
}

// Catalogue lists every code with its rule and a minimal example.
var Catalogue = []Entry{
	{BadCharacter, "the text holds only letters, digits, operators and comments of the language", "y # normal(mu, 1)", "y ~ normal(mu, 1)"},
	{UnexpectedToken, "a statement follows the grammar", "let a = * 2", "let a = 2*mu"},
	{MissingModel, "a file starts with `model NAME`", "data n int", "model m, and below it data n int"},
	{UnclosedBracket, "every bracket is closed in its statement", "let a = (1 + 2", "let a = (1 + 2)"},
	{BadNumber, "a number fits a double", "let a = 1e999", "let a = 1e99"},
	{UnknownStatement, "a line starts with a keyword, or is `… ~ distribution(…)`", "parm x real", "param x real"},
	{RaggedMatrix, "the rows of a matrix have one length", "let M = [1, 0 ; 0]", "let M = [1, 0 ; 0, 1]"},
	{Reserved, "a keyword is not a name, nor is what ends in `__`", "param data real", "param datum real"},
	{NotYet, "the construct is part of the language but not of this version", "metric monge", "metric fisher"},
	{UnknownName, "a name is declared", "y ~ normal(mu, sgima)", "y ~ normal(mu, sigma)"},
	{Redeclared, "a name is declared once", "data z real; data z real", "data z, w real"},
	{UnknownFunction, "a function is in the function table", "let a = expp(mu)", "let a = exp(mu)"},
	{UnknownDist, "a distribution is in the distribution table", "y ~ norml(mu, 1)", "y ~ normal(mu, 1)"},
	{UnknownMetric, "a named metric exists", "metric fischer", "metric fisher"},
	{UnknownType, "a type is int, real, simplex, ordered, positive_ordered, unit_vector, sum_to_zero, corr, corr_cholesky, cov, cov_cholesky or symmetric", "data z float", "data z real"},
	{IndexShadows, "an index has a name of its own", "sum(y in n) y*mu with data y", "sum(i in n) y[i]*mu"},
	{UsedBeforeDefined, "a let uses only what stands above it", "let a = h + 1; let h = mu^2", "let h = mu^2; let a = h + 1"},
	{NotAFunction, "only functions are called", "density -sigma(2)", "density -2*sigma"},
	{BadImport, "what is imported is a file of functions in the folder of the model", "import nowhere without a file nowhere.ham", "import curves with curves.ham beside the model"},
	{ShapeMismatch, "the shapes of operands agree", "X*y with X: real[n,k], y: real[n]", "X*b with X: real[n,k], b: real[k]"},
	{NotScalar, "a scalar stands here", "sum(i in n) y with y: real[n]", "sum(i in n) y[i]"},
	{NotVector, "a vector stands here", "dot(1, b)", "dot(b, b)"},
	{NotMatrix, "a matrix stands here", "log_det(y)", "log_det(A)"},
	{VectorProduct, "vectors multiply by dot or .*", "b*b with b: real[k]", "b .* b, or dot(b, b)"},
	{ArgumentCount, "a call has the right number of arguments", "normal(mu)", "normal(mu, 1)"},
	{IndexCount, "a tensor is indexed once per dimension", "y[1, 2] with y: real[n]", "y[1]"},
	{IndexRange, "an index runs over the range of the dimension", "sum(i in n) b[i] with b: real[k]", "sum(i in k) b[i]"},
	{BadIndex, "an index is an index name, a number, an element of integer data, or one of them plus or minus a number", "b[sigma]", "b[i], b[i-1], b[g[i]], b[2]"},
	{BadSize, "a size is a positive whole number, or computed of numbers, consts and integer data", "data z real[sigma]", "data m int; data z real[m]"},
	{BadBounds, "a lower bound is below the upper one", "param p real in (1, 0)", "param p real in (0, 1)"},
	{NotInteger, "an integer stands here", "const h = 1.5; data z real[h]", "const h = 2; data z real[h]"},
	{BadDivision, "a divisor is a scalar, or ./ is meant", "1/y with y: real[n]", "1 ./ y"},
	{BadNamedArgument, "only some arguments have names", "normal(mu = mu, sigma = 1)", "normal(mu, 1)"},
	{BadPower, "an exponent is a scalar and its base too, or .^ is meant", "b^2 with b: real[k]", "b.^2"},
	{NotIndexed, "only vectors and matrices are indexed", "sigma[1]", "sigma, or b[1] with b: real[k]"},
	{BadGather, "only integer data select elements", "b[b[i]] with a parameter b", "b[g[i]] with data g int[n] in 1..k"},
	{GatherRange, "integer data that select elements are declared in a range inside what they select from", "b[h] with b: real[k], h: int[n]", "b[h] with h: int[n] in 1..k"},
	{NotSymmetric, "a matrix that is inverted or factorised is symmetric by its form", "log_det(B) with B[i,j] = b[i] + 2*b[j]", "log_det(B) with B[i,j] = b[i] + b[j] + delta(i, j)"},
	{BadParts, "the parts of a definition give each position once", "let a[1] = 0; let a[t] = mu for t in 1..n", "let a[1] = 0; let a[t] = mu for t in 2..n"},
	{BadRecursion, "what parts read of each other stands at a known distance or in a sum, on one side", "let a[t] = sum(a) for t in 2..n", "let a[t] = 0.5*a[t-1] for t in 2..n"},
	{NeedsData, "a function that has kinks is of data", "max(b) with a parameter b", "log_sum_exp(20*b)/20, or max(y) of data"},
	{NotCondition, "a condition is a comparison, or whole numbers", "if mu then 1 else 2 with mu: real", "if y[1] > 0 then 1 else 2"},
	{NoDensity, "a model has a density", "a file without ~ or density", "y ~ normal(mu, 1)"},
	{NoParams, "a model has a parameter", "a file without param", "param mu real"},
	{NeedsInteger, "a discrete distribution describes integer data", "y ~ poisson(sigma) with y: real[n]", "c ~ poisson(sigma) with c: int[n] >= 0"},
	{OutsideSupport, "a parameter's support lies in that of its distribution", "mu ~ gamma(1, 1) with mu: real", "sigma ~ gamma(1, 1) with sigma: real > 0"},
	{BadArgument, "an argument lies in its range", "y ~ normal(mu, -1)", "y ~ normal(mu, sigma) with sigma: real > 0"},
	{NotData, "this argument may not depend on parameters", "metric softabs(alpha = sigma) with a parameter sigma", "metric softabs(alpha = 2)"},
	{DataOnlyTerm, "a term of the density depends on a parameter", "y ~ normal(0, 1) with y: data", "y ~ normal(mu, 1) with a parameter mu"},
	{NonScalarDensity, "a density is a scalar", "density -b with b: real[k]", "density -sum(b)"},
	{BadLeftSide, "the left side of ~ is a value", "normal ~ normal(mu, 1)", "y ~ normal(mu, 1)"},
	{BadEquation, "an `ode` has one equation for each state, made of scalars", "ode f(v, r) { v' = r }", "ode f(v, r) {, a line v' = r, a line r' = -v, and }"},
	{BadSolve, "a solution gives each state a start, each argument a value, and times of data", "let s = solve f() from 0 at t", "let s = solve f(v = mu) from 0 at t"},
	{RandomOutside, "an `_rng` function draws in `generate` only", "density normal_rng(mu, 1)", "generate { z = normal_rng(mu, 1) }"},
	{GeneratedOutside, "a generated quantity is known in `generate` only", "generate { z = mu^2 }; density -z", "let z = mu^2; density -z"},
	{MetricTwice, "the metric is given once", "metric fisher; metric identity", "metric fisher + identity"},
	{MetricShape, "a metric has one row per coordinate", "metric [1] for two parameters", "metric [1, 0 ; 0, 1] for two parameters"},
	{MetricAsymmetric, "an explicit metric is symmetric", "metric [1, mu ; 2*mu, 3]", "metric [1, mu ; mu, 3 + mu^2]"},
	{BadMetricBlock, "a block of the metric is named by parameters", "metric[y, y] = 1", "metric[mu, mu] = 1 with a parameter mu"},
	{MetricOption, "a metric's options exist and have values in range", "metric softabs(beta = 1)", "metric softabs(alpha = 1)"},
	{MetricMix, "metrics are added to metrics, are no values, and are given whole or by blocks", "metric fisher; metric[mu, mu] = 1", "metric fisher"},
	{MetricScale, "the factor of a metric is positive and free of parameters", "metric sigma*identity", "metric 2*identity"},
	{NoFisher, "the joint expected information of a prior and its arguments exists", "metric fisher(prior = expected) with a prior of the sum of two parameters", "metric fisher"},
	{BadBlock, "each parameter stands in one block, and the metric in its block", "block all(mu, sigma, b, b)", "block all(mu, sigma, b)"},
	{TooDeep, "expressions nest at most a few hundred levels", "((((…))))", "let part = (…), and the rest with its name"},
	{TooLarge, "a model fits the size limits", "a file of 5 MB", "what repeats as vectors and sums"},
	{NotDifferentiable, "the density is differentiable in the parameters", "density -trigamma(sigma); metric softabs(alpha = 1)", "density -trigamma(sigma); metric identity"},
	{NeedsConstant, "a value is known at compile time", "metric inverse(S) with data S cov[n+1] and param x real[n], v real", "the same with --const n=3, or a metric by blocks"},
	{BadConst, "a const is a number", "const h = n with data n int", "const h = 10"},
	{UnknownConst, "--const names a const or an int size of the model", "--const q=1", "--const k=1"},
	{BadDefault, "a default fits its declaration", "data z real > 0 = -1", "data z real > 0 = 1"},
	{MaybeIndefinite, "warning: a derived metric may not be positive definite everywhere", "metric hessian of a funnel", "metric softabs(alpha = 1), or none"},
	{StandIn, "warning: of a term the expected information is not known, and the squares of the scores of the data stand for it", "metric fisher with a density term of parameters and data", "the term with ~, or no metric"},
	{CommentNumber, "warning: a comment behind an expression is no number, since `//` divides in other languages", "let a = n // 2", "let a = floor(n/2)"},
	{Unused, "warning: a declared name is not used", "data z real", "data z real; density -z*mu^2"},
	{NoPrior, "warning: a parameter has no term in the density", "param z real", "z ~ normal(0, 1)"},
	{MayLeaveRange, "warning: an argument of a distribution is outside its range in half of the parameter space", "y ~ normal(0, 2*mu) with mu: real", "y ~ normal(0, exp(mu))"},
	{ScarceData, "warning: parameters without a prior have more observations than elements, as far as sizes are known", "y ~ normal(mu, 1) with y: real", "mu ~ normal(0, 10) as a prior"},
	{FlatPrior, "`hamc vet`: a parameter has a prior", "param mu real, and y ~ normal(mu, 1) alone", "mu ~ normal(0, 10)"},
	{UsedTwice, "`hamc vet`: a datum, or a parameter, has one distribution", "y ~ normal(mu, 1); y ~ normal(mu, sigma)", "y ~ normal(mu, sigma)"},
	{WholeNumbers, "`hamc vet`: counts have a distribution of counts", "c ~ normal(mu, 1) with c: int[n]", "c ~ poisson_log(mu)"},
	{SpikedPrior, "`hamc vet`: a prior has its mass where the parameter may be", "tau ~ inv_gamma(0.001, 0.001)", "tau ~ exponential(1)"},
	{VaguePrior, "`hamc vet`: a prior says what is plausible", "a ~ normal(0, 1e6)", "a ~ normal(0, 10)"},
	{ConstantPredictor, "`hamc vet`: a predictor varies, and is no copy of another", "data x real[n] with equal elements", "the model without it"},
	{FarPredictor, "`hamc vet`: a predictor is near 0, for how much it varies", "y ~ normal(a + b*year, s)", "y ~ normal(a + b*(year - 2000), s)"},
	{UnequalPredictors, "`hamc vet`: predictors have one scale", "data x real[n, k] in metres and millimetres", "columns divided by their standard deviations"},
	{EmptyGroup, "`hamc vet`: each group has data", "data g int[n] in 1..k without an element 3", "groups numbered from 1 without gaps"},
	{NotSmooth, "warning: what depends on a parameter has a kink or a jump", "density -abs(mu)", "density -sqrt(mu^2 + 1e-6)"},
	{FreeScale, "warning: a prior whose scale is a parameter has as many factors of it as there are free numbers: one less than numbers that sum to 0, or than numbers whose differences have it", "param e sum_to_zero[3]; e ~ normal(0, sigma)", "param e sum_to_zero[3]; e ~ normal(0, sigma); density log(sigma)"},
	{NoJacobian, "warning: a distribution is of a function of parameters that is not linear, where one of them has no other prior, or of data that a parameter scales or bends", "log(sigma) ~ normal(0, 1)", "sigma ~ lognormal(0, 1)"},
	{NarrowPrior, "warning: a prior about 0 is as narrow as the precision of a vague one", "mu ~ normal(0, 1e-6)", "mu ~ normal(0, 1000)"},
	{LeftOfEach, "warning: the left side of a statement with `for` depends on its index", "y ~ normal(mu*c[i], sigma) for i in n", "y[i] ~ normal(mu*c[i], sigma) for i in n"},
}

// LookupCode returns the entry of a code, whatever the case of its letter; nil if there is none. E319 is H319, an error.
func LookupCode(code string) *Entry {
	if len(code) > 1 && strings.EqualFold(code[:1], "E") {
		code = "H" + code[1:]
	}
	for i := range Catalogue {
		if strings.EqualFold(string(Catalogue[i].Code), code) {
			return &Catalogue[i]
		}
	}
	return nil
}
