package dsl

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
	Unused        Code = "W201"
	NoPrior       Code = "W401"
	MayLeaveRange Code = "W402"
	ScarceData    Code = "W403"
	NotSmooth     Code = "W404"
)

// Entry documents one code.
type Entry struct {
	Code    Code
	Rule    string // what the language asks for
	Example string // a line that breaks it
}

// Catalogue lists every code with its rule and a minimal example.
var Catalogue = []Entry{
	{BadCharacter, "the text holds only letters, digits, operators and comments of the language", "y # normal(0, 1)"},
	{UnexpectedToken, "a statement follows the grammar", "let a = * 2"},
	{MissingModel, "a file starts with `model NAME`", "data n int"},
	{UnclosedBracket, "every bracket is closed in its statement", "let a = (1 + 2"},
	{BadNumber, "a number fits a double", "let a = 1e999"},
	{UnknownStatement, "a line starts with a keyword, or is `… ~ distribution(…)`", "parm x real"},
	{RaggedMatrix, "the rows of a matrix have one length", "metric [1, 0 ; 0]"},
	{Reserved, "a keyword is not a name, nor is what ends in `__`", "param data real"},
	{NotYet, "the construct is part of the language but not of this version", "func f(x) = x^2"},
	{UnknownName, "a name is declared", "y ~ normal(sgima, 1)"},
	{Redeclared, "a name is declared once", "data y real; data y real"},
	{UnknownFunction, "a function is in the function table", "let a = expp(1)"},
	{UnknownDist, "a distribution is in the distribution table", "y ~ norml(0, 1)"},
	{UnknownMetric, "a named metric exists", "metric fischer"},
	{UnknownType, "a type is int, real, simplex, ordered, positive_ordered or cov", "data y float"},
	{IndexShadows, "an index has a name of its own", "sum(y in n) 1"},
	{UsedBeforeDefined, "a let uses only what stands above it", "let a = b; let b = 1"},
	{NotAFunction, "only functions are called", "sigma(2)"},
	{ShapeMismatch, "the shapes of operands agree", "x*beta with x: real[n,k], beta: real[m]"},
	{NotScalar, "a scalar stands here", "density y"},
	{NotVector, "a vector stands here", "dot(1, y)"},
	{NotMatrix, "a matrix stands here", "log_det(y)"},
	{VectorProduct, "vectors multiply by dot or .*", "y*y"},
	{ArgumentCount, "a call has the right number of arguments", "normal(0)"},
	{IndexCount, "a tensor is indexed once per dimension", "y[i, j] with y: real[n]"},
	{IndexRange, "an index runs over the range of the dimension", "sum(i in n) x[i] with x: real[k]"},
	{BadIndex, "an index is an index name, a number, an element of integer data, or one of them plus or minus a number", "x[sigma]"},
	{BadSize, "a size is a positive whole number, an int data name or a const", "data y real[sigma]"},
	{BadBounds, "a lower bound is below the upper one", "param p real in (1, 0)"},
	{NotInteger, "an integer stands here", "const k = 1.5 as a size"},
	{BadDivision, "a divisor is a scalar, or ./ is meant", "1/y with y: real[n]"},
	{BadNamedArgument, "only some arguments have names", "exp(x = 1)"},
	{BadPower, "an exponent is a scalar and its base too, or .^ is meant", "x^y with y: real[n]"},
	{NotIndexed, "only vectors and matrices are indexed", "sigma[1]"},
	{BadGather, "only integer data select elements", "a[b[i]] with a parameter b"},
	{GatherRange, "integer data that select elements are declared in a range inside what they select from", "a[g[i]] with a: real[k], g: int[n]"},
	{NotSymmetric, "a matrix that is inverted or factorised is symmetric by its form", "inverse(A) with A[i,j] = a[i] + 2*a[j]"},
	{BadParts, "the parts of a definition give each position once", "let a[1] = 0; let a[t] = t for t in 1..n"},
	{BadRecursion, "what parts read of each other stands at a known distance, on one side", "let a[t] = sum(a) for t in 2..n"},
	{NeedsData, "a function that has kinks is of data", "max(i in n) b[i] with a parameter b"},
	{NotCondition, "a condition is a comparison, or whole numbers", "if x then 1 else 2 with a real x"},
	{NoDensity, "a model has a density", "a file without ~ or density"},
	{NoParams, "a model has a parameter", "a file without param"},
	{NeedsInteger, "a discrete distribution describes integer data", "y ~ poisson(2) with y: real"},
	{OutsideSupport, "a parameter's support lies in that of its distribution", "tau ~ gamma(1, 1) with tau: real"},
	{BadArgument, "an argument lies in its range", "y ~ normal(0, -1)"},
	{NotData, "this argument may not depend on parameters", "metric softabs(alpha = t) with a parameter t"},
	{DataOnlyTerm, "a term of the density depends on a parameter", "y ~ normal(0, 1) with y: data"},
	{NonScalarDensity, "a density is a scalar", "density y"},
	{BadLeftSide, "the left side of ~ is a value", "normal ~ normal(0, 1)"},
	{BadEquation, "an `ode` has one equation for each state, made of scalars", "ode f(v, r) { v' = r }"},
	{BadSolve, "a solution gives each state a start, each argument a value, and times of data", "let s = solve f() from 0 at t"},
	{RandomOutside, "an `_rng` function draws in `generate` only", "density normal_rng(0, 1)"},
	{GeneratedOutside, "a generated quantity is known in `generate` only", "generate { z = a^2 }; density z"},
	{MetricTwice, "the metric is given once", "metric fisher; metric identity"},
	{MetricShape, "a metric has one row per coordinate", "metric [1] for two parameters"},
	{MetricAsymmetric, "an explicit metric is symmetric", "metric [1, t ; 2*t, 3]"},
	{BadMetricBlock, "a block of the metric is named by parameters", "metric[y, y] = 1"},
	{MetricOption, "a metric's options exist and have values in range", "metric softabs(beta = 1)"},
	{MetricMix, "metrics are added to metrics, are no values, and are given whole or by blocks", "metric fisher; metric[x, x] = 1"},
	{MetricScale, "the factor of a metric is positive and free of parameters", "metric t*identity"},
	{NoFisher, "the Fisher information exists", "metric fisher with a density term of parameters and data"},
	{BadBlock, "each parameter stands in one block, and the metric in its block", "block a(x, x)"},
	{TooDeep, "expressions nest at most a few hundred levels", "((((…))))"},
	{TooLarge, "a model fits the size limits", "a file of 5 MB"},
	{NotDifferentiable, "the density is differentiable in the parameters", "lgamma's fourth derivative"},
	{NeedsConstant, "a value is known at compile time", "metric [ … ] with a size from data"},
	{BadConst, "a const is a number", "--const k=ten"},
	{UnknownConst, "--const names a const or an int size of the model", "--const q=1"},
	{BadDefault, "a default fits its declaration", "data s real > 0 = -1"},
	{MaybeIndefinite, "warning: a derived metric may not be positive definite everywhere", "metric hessian of a funnel"},
	{Unused, "warning: a declared name is not used", "data z real"},
	{NoPrior, "warning: a parameter has no term in the density", "param z real"},
	{MayLeaveRange, "warning: an argument of a distribution is outside its range in half of the parameter space", "y ~ normal(0, 2*b) with b: real"},
	{ScarceData, "warning: parameters without a prior have more observations than elements, as far as sizes are known", "y ~ normal(mu, 1) with y: real"},
	{NotSmooth, "the density is differentiable", "density -abs(x)"},
}
