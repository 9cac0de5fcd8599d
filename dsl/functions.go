package dsl

// FunctionKind tells how a function's arguments and result are shaped.
type FunctionKind uint8

// The kinds of function.
const (
	Elementwise FunctionKind = iota // scalars, or one common shape
	Structural                      // shapes of its own; see the checker and the elaborator
)

// Function is one row of the function table. Derivatives, evaluation and
// emission stand in package symbolic under the same name.
type Function struct {
	Name  string
	Arity int // −1: see the checker
	Kind  FunctionKind
	Doc   string
}

// Functions is the vocabulary of functions, named as in Stan.
var Functions = []Function{
	{"exp", 1, Elementwise, "eˣ"},
	{"expm1", 1, Elementwise, "eˣ − 1, accurate near 0"},
	{"log", 1, Elementwise, "natural logarithm"},
	{"log1p", 1, Elementwise, "log(1 + x), accurate near 0"},
	{"log1m", 1, Elementwise, "log(1 − x), accurate near 0"},
	{"log1p_exp", 1, Elementwise, "log(1 + eˣ) without overflow"},
	{"log1m_exp", 1, Elementwise, "log(1 − eˣ) for x < 0"},
	{"log_inv_logit", 1, Elementwise, "log of inv_logit"},
	{"log1m_inv_logit", 1, Elementwise, "log of 1 − inv_logit"},
	{"inv_logit", 1, Elementwise, "1/(1 + e⁻ˣ)"},
	{"logit", 1, Elementwise, "log(x/(1 − x))"},
	{"sqrt", 1, Elementwise, "square root"},
	{"square", 1, Elementwise, "x²"},
	{"inv", 1, Elementwise, "1/x"},
	{"sin", 1, Elementwise, "sine"},
	{"cos", 1, Elementwise, "cosine"},
	{"tan", 1, Elementwise, "tangent"},
	{"asin", 1, Elementwise, "arc sine"},
	{"acos", 1, Elementwise, "arc cosine"},
	{"atan", 1, Elementwise, "arc tangent"},
	{"atan2", 2, Elementwise, "the angle of the point with the ordinate x and the abscissa y, from −π to π"},
	{"sinh", 1, Elementwise, "hyperbolic sine"},
	{"cosh", 1, Elementwise, "hyperbolic cosine"},
	{"tanh", 1, Elementwise, "hyperbolic tangent"},
	{"asinh", 1, Elementwise, "inverse of sinh"},
	{"acosh", 1, Elementwise, "inverse of cosh, for x > 1"},
	{"atanh", 1, Elementwise, "inverse of tanh"},
	{"lgamma", 1, Elementwise, "log |Γ(x)|"},
	{"digamma", 1, Elementwise, "derivative of lgamma"},
	{"trigamma", 1, Elementwise, "second derivative of lgamma"},
	{"log_rising_ratio", 2, Elementwise, "log Γ(x + y) − log Γ(x) − y log x, also where its terms cancel"},
	{"log_bessel_i0", 1, Elementwise, "log I₀(x), of the modified Bessel function of the first kind of order 0"},
	{"Phi", 1, Elementwise, "standard normal cumulative distribution"},
	{"log_Phi", 1, Elementwise, "log of Phi, also where that underflows"},
	{"log_Phi_interval", 2, Elementwise, "log(Φ(x) − Φ(x − y)), of the mass of an interval of width y that ends at x, also where that underflows"},
	{"log_Phi_tilted", 2, Elementwise, "log Φ(x − y) + y²/2 − xy, also where its terms cancel"},
	{"inv_Phi", 1, Elementwise, "quantile of the standard normal distribution, the inverse of Phi"},
	{"pow", 2, Elementwise, "xʸ"},
	{"lmultiply", 2, Elementwise, "x log y, and 0 where x is 0"},
	{"lbeta", 2, Elementwise, "log of the beta function"},
	{"lchoose", 2, Elementwise, "log of the binomial coefficient"},
	{"log_gamma_p", 2, Elementwise, "log of the regularised incomplete gamma function P(x, y), which rises from 0 to 1 with y"},
	{"log_gamma_q", 2, Elementwise, "log of Q(x, y) = 1 − P(x, y)"},
	{"log_inc_beta", 3, Elementwise, "log of the regularised incomplete beta function of the shapes x and y up to z"},
	{"log_sum_exp", 2, Elementwise, "log(eˣ + eʸ) without overflow; of a vector, log Σ exp(xᵢ)"},
	{"abs", 1, Elementwise, "|x|"},
	{"fmax", 2, Elementwise, "the larger of x and y"},
	{"fmin", 2, Elementwise, "the smaller of x and y"},
	{"step", 1, Elementwise, "1 where x ≥ 0, and 0 elsewhere"},
	{"sign", 1, Elementwise, "−1, 0 or 1"},
	{"floor", 1, Elementwise, "the largest whole number up to x"},
	{"ceil", 1, Elementwise, "the smallest whole number from x on"},
	{"round", 1, Elementwise, "the nearest whole number"},
	{"trunc", 1, Elementwise, "x without what is behind the point"},
	{"log_mix", 3, Elementwise, "log(x eʸ + (1 − x) eᶻ) without overflow"},
	{"pi", 0, Elementwise, "π"},
	{"delta", 2, Structural, "Kronecker's delta of two indices"},
	{"size", 1, Structural, "number of elements of a vector"},
	{"sum", 1, Structural, "sum of the elements of a vector or matrix"},
	{"mean", 1, Structural, "mean of the elements of a vector"},
	{"softmax", 1, Structural, "exp(xᵢ)/Σ exp(xⱼ), of a vector"},
	{"max", 1, Structural, "largest element of a vector or matrix of data"},
	{"min", 1, Structural, "smallest element of a vector or matrix of data"},
	{"dot", 2, Structural, "inner product of two vectors"},
	{"diag", 1, Structural, "diagonal matrix of a vector"},
	{"transpose", 1, Structural, "transpose of a matrix"},
	{"trace", 1, Structural, "sum of the diagonal of a square matrix"},
	{"inverse", 1, Structural, "inverse of a symmetric positive definite matrix"},
	{"log_det", 1, Structural, "log determinant of a symmetric positive definite matrix"},
	{"inverse_general", 1, Structural, "inverse of a square matrix, which need not be symmetric"},
	{"log_abs_det", 1, Structural, "log |det A| of a square matrix, which need not be symmetric"},
	{"cholesky", 1, Structural, "lower triangular factor L of a symmetric positive definite matrix L L'"},
	{"solve_spd", 2, Structural, "A⁻¹B of a symmetric positive definite matrix A and a vector or matrix B"},
	{"solve_general", 2, Structural, "A⁻¹B of a square matrix A, which need not be symmetric, and a vector or matrix B"},
	{"kronecker_solve", 4, Structural, "the matrix X with A X B + s X = Y, of two symmetric positive semidefinite matrices A and B, a number s > 0 and a matrix Y"},
	{"kronecker_log_det", 3, Structural, "log det(B⊗A + sI), of two symmetric positive semidefinite matrices A and B and a number s > 0"},
	{"solve_lower", 2, Structural, "L⁻¹B of a lower triangular matrix L and a vector or matrix B"},
}

// LookupFunction returns the function of that name, or nil.
func LookupFunction(name string) *Function {
	for i := range Functions {
		if Functions[i].Name == name {
			return &Functions[i]
		}
	}
	return nil
}

// Reduction is a function of all values that an expression takes over a range: sum(i in n) body.
type Reduction struct {
	Name string
	Data bool // of data alone
	Doc  string
}

// Reductions is the vocabulary of reductions.
var Reductions = []Reduction{
	{"sum", false, "the sum"},
	{"log_sum_exp", false, "the logarithm of the sum of the exponentials, without overflow"},
	{"max", true, "the largest value, of data"},
	{"min", true, "the smallest value, of data"},
}

// reductionOf returns the reduction of a name, or nil.
func reductionOf(name string) *Reduction {
	for i := range Reductions {
		if Reductions[i].Name == name {
			return &Reductions[i]
		}
	}
	return nil
}

// kink says where a function is not differentiable.
type kink struct {
	does, hint string
	whole      bool // its values are whole numbers
}

// kinks are the functions that have some.
var kinks = map[string]kink{
	"abs":   {"has a kink at 0", "sqrt(x^2 + 1e-6) is smooth", false},
	"fmax":  {"has a kink where its arguments are equal", "log_sum_exp(20*x, 20*z)/20 is smooth, and above fmax by up to log(2)/20: with a larger number than 20 by less", false},
	"fmin":  {"has a kink where its arguments are equal", "-log_sum_exp(-20*x, -20*z)/20 is smooth, and below fmin by up to log(2)/20: with a larger number than 20 by less", false},
	"step":  {"jumps", "inv_logit(20*x) is smooth", true},
	"sign":  {"jumps", "tanh(20*x) is smooth", true},
	"floor": {"jumps", "", true},
	"ceil":  {"jumps", "", true},
	"round": {"jumps", "", true},
	"trunc": {"jumps", "", true},
}
