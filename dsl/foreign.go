package dsl

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// ForeignKind tells where a foreign name stands in a model.
type ForeignKind uint8

// The kinds of foreign names.
const (
	ForeignFunction     ForeignKind = iota // it is called: NAME(…)
	ForeignDistribution                    // it stands behind ~
	ForeignValue                           // it stands for a number
	ForeignType                            // it stands where a type does
	ForeignMetric                          // it stands behind `metric`
	ForeignStatement                       // it starts a line
)

// Foreign is one row of the table of names that other languages have and hamc does not have, or
// not under that name. Each row is one fact.
type Foreign struct {
	Kind ForeignKind

	// Words are the names, separated by blanks. A last one in parentheses, (x,s), says which arguments, in order, the names in Write stand for.
	Words string

	// Is is what hamc calls it, if the arguments are the same.
	Is string

	// Why says what is different in hamc; it may be empty. If it ends with a blank, its sentence
	// goes on with Write.
	Why string

	// Write is what to write instead: an expression, the distribution behind a ~, a whole
	// statement, a declaration, or what stands behind `metric`. Its names are those of the models
	// of the table's test. Empty: there is nothing to write.
	Write string
}

// Hint returns the advice of the row, where it is not known what its names stand for.
func (f *Foreign) Hint() string {
	write := f.Write
	if names := f.arguments(); len(names) > 0 {
		by := map[string]string{}
		for _, name := range names {
			by[name] = "less__" + name + "__more" // one word, which needs no parentheses
		}
		write = strings.NewReplacer("less__", "<", "__more", ">").Replace(substituted(write, by)) // no name of the model
	}
	return f.advice(write)
}

// advice is that of the row with what to write.
func (f *Foreign) advice(write string) string {
	switch {
	case f.Is != "":
		return fmt.Sprintf("did you mean `%s`?", f.Is)
	case write == "":
		return f.Why
	case f.Why == "":
		return fmt.Sprintf("write `%s`", write)
	case strings.HasSuffix(f.Why, " "):
		return fmt.Sprintf("%s`%s`", f.Why, write)
	}
	return fmt.Sprintf("%s: write `%s`", f.Why, write)
}

// arguments are the names that Words gives the arguments of a call.
func (f *Foreign) arguments() []string {
	_, list, ok := strings.Cut(f.Words, "(")
	if !ok {
		return nil
	}
	return strings.Split(strings.TrimSuffix(list, ")"), ",")
}

// Names are the names of the row.
func (f *Foreign) Names() []string {
	return slices.DeleteFunc(strings.Fields(f.Words), func(w string) bool { return w[0] == '(' })
}

// declares are the names that Write declares: of a definition, and of indices.
func (f *Foreign) declares() (names []string) {
	toks := read(f.Write).toks
	for n, t := range toks {
		if value(toks, n-1) == "let" || t.Type == tokIdent && value(toks, n+1) == "in" {
			names = append(names, t.Value)
		}
	}
	return names
}

// with is what to write where a call has some arguments, and what the row declares has other names; false where the row does not say what becomes of them.
func (f *Foreign) with(args []string, names map[string]string, shapes [][]Extent) (string, bool) {
	own := f.arguments()
	if len(own) == 0 || f.Write == "" || len(own) != len(args) {
		return "", false
	}
	by := maps.Clone(names)
	if by == nil {
		by = map[string]string{}
	}
	for n, shape := range shapes { // what Write calls n and k
		for d, x := range shape {
			if at := n + d; at < 2 && len(shape) < 3 && x != unknownExtent {
				by[[]string{"n", "k"}[at]] = x.String()
			}
		}
	}
	for n, name := range own {
		by[name] = args[n]
	}
	return substituted(f.Write, by), true
}

// HintFor is the advice of the row on a call with some arguments.
func (f *Foreign) HintFor(args []string) string { return f.hintFor(args, nil, nil) }

// hintFor is the advice of the row on a call with some arguments, and their shapes, where what it declares has other names.
func (f *Foreign) hintFor(args []string, names map[string]string, shapes [][]Extent) string {
	write, ok := f.with(args, names, shapes)
	if !ok {
		return f.Hint()
	}
	if f.Kind == ForeignFunction && isOperation(write) { // the call may be a factor
		write = "(" + write + ")"
	}
	return f.advice(write)
}

// callHint is the advice of the row on a call: what it declares has names that are free, or that of the definition whose value the call is.
func (c *checker) callHint(f *Foreign, e *CallExpr) string {
	names, definition := map[string]string{}, strings.HasPrefix(f.Write, "let ")
	for n, name := range f.declares() {
		names[name] = c.free(name)
		if n == 0 && definition && c.definiens == Expr(e) {
			names[name] = c.defining
		}
	}
	var shapes [][]Extent
	for _, a := range e.Args {
		shapes = append(shapes, a.Expr.Type().Shape)
	}
	hint := f.hintFor(textsOf(e.Args), names, shapes)
	if definition && c.generating { // where definitions are quantities
		hint = strings.Replace(hint, "`let ", "`", 1)
	}
	return hint
}

// free is a name, or that with a number behind it, that nothing in the model has.
func (c *checker) free(name string) string {
	taken := func(name string) bool {
		for _, spans := range []map[string]Span{c.declared, c.later, c.soon, c.laterFuncs} {
			if _, ok := spans[name]; ok {
				return true
			}
		}
		return c.scope[name] != nil || c.funcs[name] != nil || c.index(name) != nil || isKeyword(name)
	}
	for n, stem := 2, name; taken(name); n++ {
		name = stem + strconv.Itoa(n)
	}
	return name
}

// isOperation reports whether an expression has an operator outside of its brackets.
func isOperation(text string) bool {
	depth := 0
	for n, r := range text {
		switch {
		case strings.ContainsRune("([", r):
			depth++
		case strings.ContainsRune(")]", r):
			depth--
		case depth == 0 && n > 0 && strings.ContainsRune("+-*/^<>=", r):
			return !strings.HasPrefix(text, "let ") && !strings.HasPrefix(text, "density ") && !strings.Contains(text, "~")
		}
	}
	return strings.HasPrefix(text, "if ")
}

// LookupForeign returns the row of a name of that kind, or nil. The case of letters does not
// matter, as it differs between Stan's half_normal and PyMC's HalfNormal, nor do underscores.
func LookupForeign(kind ForeignKind, name string) *Foreign {
	return foreignRows[foreignKey{kind, plain(name)}]
}

type foreignKey struct {
	kind ForeignKind
	name string
}

// foreignRows finds the rows by kind and plain name.
var foreignRows = func() map[foreignKey]*Foreign {
	rows := make(map[foreignKey]*Foreign)
	for i := range ForeignNames {
		f := &ForeignNames[i]
		for _, w := range f.Names() {
			rows[foreignKey{f.Kind, plain(w)}] = f
		}
	}
	return rows
}()

// plain is a name without what languages spell differently: case and underscores.
func plain(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }

const (
	noKink             = "the density must be differentiable everywhere, and this has a kink or a jump"
	byElementsOfMatrix = "a covariance function is written out by the elements of its matrix: "
)

// ForeignNames is the table. Its names are those of Stan, PyMC, NumPyro, BUGS and JAGS, R, Python
// (math, NumPy, SciPy), Julia and Go.
var ForeignNames = []Foreign{
	// Functions under another name.
	{ForeignFunction, "ln logn natural_log", "log", "", ""},
	{ForeignFunction, "sigmoid expit logistic invlogit ilogit", "inv_logit", "", ""},
	{ForeignFunction, "softplus log1pexp", "log1p_exp", "", ""},
	{ForeignFunction, "logsumexp logaddexp log_add_exp", "log_sum_exp", "", ""},
	{ForeignFunction, "log1mexp", "log1m_exp", "", ""},
	{ForeignFunction, "log_sigmoid logsigmoid log_expit", "log_inv_logit", "", ""},
	{ForeignFunction, "gammaln loggam loggamma log_gamma", "lgamma", "", ""},
	{ForeignFunction, "psi", "digamma", "", ""},
	{ForeignFunction, "ndtr normcdf norm_cdf std_normal_cdf", "Phi", "", ""},
	{ForeignFunction, "arctan", "atan", "", ""},
	{ForeignFunction, "betaln log_beta logbeta", "lbeta", "", ""},
	{ForeignFunction, "log_choose lbinom", "lchoose", "", ""},
	{ForeignFunction, "power", "pow", "", ""},
	{ForeignFunction, "sqr", "square", "", ""},
	{ForeignFunction, "reciprocal recip", "inv", "", ""},
	{ForeignFunction, "dot_product inner inner_product inprod vdot", "dot", "", ""},
	{ForeignFunction, "len length num_elements nelements numel", "size", "", ""},
	{ForeignFunction, "average avg", "mean", "", ""},
	{ForeignFunction, "logdet log_determinant_spd", "log_det", "", ""},
	{ForeignFunction, "slogdet log_determinant", "log_abs_det", "", ""},
	{ForeignFunction, "inverse_spd", "inverse", "", ""},
	{ForeignFunction, "matrix_inverse", "inverse_general", "", ""},
	{ForeignFunction, "mdivide_left", "solve_general", "", ""},
	{ForeignFunction, "diag_matrix", "diag", "", ""},
	{ForeignFunction, "cholesky_decompose chol", "cholesky", "", ""},
	{ForeignFunction, "mdivide_left_spd", "solve_spd", "", ""},
	{ForeignFunction, "mdivide_left_tri_low solve_lower_triangular forwardsolve", "solve_lower", "", ""},
	{ForeignFunction, "linalg_solve gesv", "solve_general", "", ""},
	{ForeignFunction, "linalg_inv", "inverse_general", "", ""},
	{ForeignFunction, "linalg_slogdet", "log_abs_det", "", ""},

	{ForeignFunction, "cho_solve cho_factor chol_solve cholesky_solve potrs", "", "the matrix itself is taken and no factor of it, as in ", "solve_spd(Sigma, v)"},
	{ForeignFunction, "chol2inv cholesky_inverse chol_inverse", "", "the matrix itself is taken and no factor of it, as in ", "inverse(Sigma)"},
	{ForeignFunction, "solve_triangular triangular_solve dtrsm", "", "of a lower triangular matrix L it is `solve_lower(L, b)`, of an upper one U, which is what SciPy takes without lower=True, `solve_general(U, b)`", ""},
	{ForeignFunction, "einsum tensordot", "", "a sum over an index is written out, as in ", "let b[i in n] = sum(j in k) X[i, j]*v[j]"},
	{ForeignFunction, "solve_upper solve_triangular_upper backsolve mdivide_left_tri_upp", "", "of an upper triangular matrix U, as of any square one, it is `solve_general(U, b)`; of U = L' with a factor L it is `solve_spd(L*L', L*b)`", ""},

	// Functions that others of hamc express.
	{ForeignFunction, "fabs absolute", "abs", "", ""},
	{ForeignFunction, "maximum pmax", "fmax", "", ""},
	{ForeignFunction, "minimum pmin", "fmin", "", ""},
	{ForeignFunction, "relu (x)", "", noKink, "log1p_exp(20*x)/20"},
	{ForeignFunction, "int_step heaviside", "step", "", ""},
	{ForeignFunction, "sgn signum copysign", "sign", "", ""},
	{ForeignFunction, "ceiling", "ceil", "", ""},
	{ForeignFunction, "rint nint", "round", "", ""},
	{ForeignFunction, "fmod remainder", "mod", "", ""},
	{ForeignFunction, "div intdiv int_div fdiv floordiv floor_divide quot (r,s)", "", "", "floor(r/s)"},
	{ForeignFunction, "if_else ifelse where iif cond switch (q,x,z)", "", "", "if q then x else z"},
	{ForeignFunction, "exp2 (x)", "", "", "2^x"},
	{ForeignFunction, "cbrt (s)", "", "of a positive number", "s^(1/3)"},
	{ForeignFunction, "rsqrt", "inv_sqrt", "", ""},
	{ForeignFunction, "hypot (x,z)", "", "", "sqrt(x^2 + z^2)"},
	{ForeignFunction, "fma (x,z,s)", "", "", "x*z + s"},
	{ForeignFunction, "arcsin", "asin", "", ""},
	{ForeignFunction, "arccos", "acos", "", ""},
	{ForeignFunction, "arctan2", "atan2", "", ""},
	{ForeignFunction, "arcsinh", "asinh", "", ""},
	{ForeignFunction, "arccosh", "acosh", "", ""},
	{ForeignFunction, "arctanh fisher_z", "atanh", "", ""},
	{ForeignFunction, "erf (x)", "", "", "2*Phi(sqrt(2)*x) - 1"},
	{ForeignFunction, "erfc (x)", "", "", "2*Phi(-sqrt(2)*x)"},
	{ForeignFunction, "gamma tgamma (s)", "", "the gamma function is the exponential of its logarithm", "exp(lgamma(s))"},
	{ForeignFunction, "beta (s,r)", "", "the beta function is the exponential of its logarithm", "exp(lbeta(s, r))"},
	{ForeignFunction, "factorial (s)", "", "", "exp(lgamma(s + 1))"},
	{ForeignFunction, "lfactorial logfact log_factorial (s)", "", "", "lgamma(s + 1)"},
	{ForeignFunction, "choose comb binom binomial_coefficient (r,s)", "", "", "exp(lchoose(r, s))"},
	{ForeignFunction, "cloglog (p)", "", "", "log(-log1m(p))"},
	{ForeignFunction, "icloglog", "inv_cloglog", "", ""},
	{ForeignFunction, "logdiffexp logsubexp log_sub_exp", "log_diff_exp", "", ""},
	{ForeignFunction, "probit ndtri norm_ppf std_normal_qf", "inv_Phi", "", ""},
	{ForeignFunction, "erfinv inv_erf (p)", "", "", "inv_Phi((p + 1)/2)/sqrt(2)"},
	{ForeignFunction, "inv_erfc erfcinv (p)", "", "", "-inv_Phi(p/2)/sqrt(2)"},
	{ForeignFunction, "bessel_first_kind besselj", "", "of the Bessel functions there is `log_bessel_i0`", ""},
	{ForeignFunction, "modified_bessel_first_kind log_modified_bessel_first_kind besseli i0", "", "the logarithm of that of order 0 is ", "log_bessel_i0(x)"},
	{ForeignFunction, "gamma_p gammainc (r,s)", "", "the incomplete gamma function is there as a logarithm", "exp(log_gamma_p(r, s))"},
	{ForeignFunction, "gamma_q gammaincc (r,s)", "", "the incomplete gamma function is there as a logarithm", "exp(log_gamma_q(r, s))"},
	{ForeignFunction, "inc_beta betainc (r,s,p)", "", "the incomplete beta function is there as a logarithm", "exp(log_inc_beta(r, s, p))"},

	// Functions of vectors and matrices.
	{ForeignFunction, "dot_self sumsq sum_of_squares (y)", "", "", "dot(y, y)"},
	{ForeignFunction, "equals equal (x,z)", "", "", "x == z"},
	{ForeignFunction, "scale standardize zscore (y)", "", "", "(y - mean(y))/sd(y)"},
	{ForeignFunction, "poly", "", "powers are written out", "x^2"},
	{ForeignFunction, "offset", "", "what has no coefficient is added as it is", "x + log(s)"},
	{ForeignFunction, "Pr prob probability", "", "a probability is the mean over the draws of a condition that holds or not, as of ", "generate { b = x > 0 }"},
	{ForeignFunction, "unique n_distinct nlevels levels", "", "of groups that are numbered from 1 it is the largest number", "max(g)"},
	{ForeignFunction, "cut", "", "nothing is cut: each term of the density informs all that it depends on", ""},
	{ForeignFunction, "rows nrow ncol cols dim dims shape", "", "sizes have names, those of the declaration, as n and k of `data X real[n, k]`; of a vector it is ", "size(y)"},
	{ForeignFunction, "identity_matrix eye (k)", "", "", "let b[i in k, j in k] = delta(i, j)"},
	{ForeignFunction, "kronecker kron kronecker_prod", "", "of a k × k matrix A and an m × m matrix B it is defined with four indices: `let C[i in k, h in m, j in k, l in m] = A[i, j]*B[h, l]`; it is the covariance in `Y ~ multi_normal(mu, C)` of a matrix Y, and noise may be added, `+ s^2*delta(i, j)*delta(h, l)`", ""},
	{ForeignFunction, "outer (y,v)", "", "", "let b[i in n, j in k] = y[i]*v[j]"},
	{ForeignFunction, "rowSums row_sums rowsums (X)", "", "", "let b[i in n] = sum(X[i, :])"},
	{ForeignFunction, "colSums col_sums colsums (X)", "", "", "let b[j in k] = sum(X[:, j])"},
	{ForeignFunction, "rowMeans row_means (X)", "", "", "let b[i in n] = mean(X[i, :])"},
	{ForeignFunction, "colMeans col_means (X)", "", "", "let b[j in k] = mean(X[:, j])"},
	{ForeignFunction, "apply sapply lapply vapply mapply", "", "a function of each element is a definition, as in ", "let b[i in n] = exp(y[i])"},
	{ForeignFunction, "diff (y)", "", "", "y[2..n] - y[1..n-1]"},
	{ForeignFunction, "lag shift", "", "the element before is taken by its position, as in ", "u[i] ~ normal(p*u[i-1], s) for i in 2..n"},
	{ForeignFunction, "cumprod cumulative_prod (w)", "", "of positive elements", "exp(cumulative_sum(log(w)))"},
	{ForeignFunction, "reverse rev flip (y)", "", "", "let b[i in n] = y[n+1-i]"},
	{ForeignFunction, "quad_form_diag (Sigma,v)", "", "", "diag(v)*Sigma*diag(v)"},
	{ForeignFunction, "quad_form_sym (Sigma,v)", "", "", "dot(v, Sigma*v)"},
	{ForeignFunction, "trace_quad_form", "", "of A and B it is trace(B'*A*B), as in ", "trace(X*Sigma*X')"},
	{ForeignFunction, "columns_dot_product (X,Z)", "", "", "let b[j in k] = dot(X[:, j], Z[:, j])"},
	{ForeignFunction, "rows_dot_product (X,Z)", "", "", "let b[i in n] = dot(X[i, :], Z[i, :])"},
	{ForeignFunction, "columns_dot_self (X)", "", "", "let b[j in k] = dot(X[:, j], X[:, j])"},
	{ForeignFunction, "rows_dot_self (X)", "", "", "let b[i in n] = dot(X[i, :], X[i, :])"},
	{ForeignFunction, "matrix_exp expm matrix_exp_multiply scale_matrix_exp_multiply", "", "there is no exponential of matrices; a linear equation in time is an `ode`", ""},
	{ForeignFunction, "is_nan is_inf isnan isinf is_na isna isfinite is_finite", "", "there are no missing and no infinite numbers in data: whether one is there is a datum of its own, `data seen int[n] in {0, 1}`", ""},
	{ForeignFunction, "positive_infinity negative_infinity not_a_number machine_precision", "", "there are no such numbers; a log density of −∞ is `log(0)`", ""},
	{ForeignFunction, "owens_t", "", "it is not in this version of the language; `skew_normal` has its density", ""},
	{ForeignFunction, "falling_factorial (s,r)", "", "", "exp(lgamma(s + 1) - lgamma(s - r + 1))"},
	{ForeignFunction, "rising_factorial pochhammer (s,r)", "", "", "exp(lgamma(s + r) - lgamma(s))"},
	{ForeignFunction, "binomial_coefficient_log (r,s)", "", "", "lchoose(r, s)"},
	{ForeignFunction, "count count_nonzero", "", "a condition is 1 or 0, and counted by a sum, as in ", "sum(i in n) (y[i] > 0)"},
	{ForeignFunction, "table tabulate bincount", "", "the numbers of the groups are ", "let b[j in k] = sum(i in n) delta(g[i], j)"},
	{ForeignFunction, "clip clamp (x,z,s)", "", "", "fmin(fmax(x, z), s)"},
	{ForeignFunction, "lse", "log_sum_exp", "", ""},
	{ForeignFunction, "interp approx approxfun interp1d interp1", "", "the line between two points is written out, as from (0, p) to (1, r) in ", "p + (r - p)*x"},
	{ForeignFunction, "spline splines bs ns s_spline smooth", "", "the columns of a spline basis are data, and it is their product with coefficients", "X*v"},
	{ForeignFunction, "integrate integrate_1d quad trapz", "", "there are no integrals; one in time is a state of an `ode`, a fixed rule a sum, as in ", "sum(i in n) exp(-y[i]^2)/n"},
	{ForeignFunction, "norm norm2 (y)", "", "", "sqrt(dot(y, y))"},
	{ForeignFunction, "squared_distance (y,w)", "", "", "dot(y - w, y - w)"},
	{ForeignFunction, "distance (y,w)", "", "", "sqrt(dot(y - w, y - w))"},
	{ForeignFunction, "prod product (w)", "", "of positive elements; of positions up to an index `exp(sum(j in 1..k-1) log(w[j]))`", "exp(sum(log(w)))"},
	{ForeignFunction, "var", "variance", "", ""},
	{ForeignFunction, "std stdev stddev", "sd", "", ""},
	{ForeignFunction, "det determinant (Sigma)", "", "", "exp(log_det(Sigma))"},
	{ForeignFunction, "t (X)", "", "the transpose of a matrix", "X'"},
	{ForeignFunction, "matmul mm multiply matvec mul (X,v)", "", "", "X*v"},
	{ForeignFunction, "crossprod (X)", "", "of two matrices it is `A'*B`, of one", "X'*X"},
	{ForeignFunction, "tcrossprod (X)", "", "of two matrices it is `A*B'`, of one", "X*X'"},
	{ForeignFunction, "diag_pre_multiply (w,X)", "", "", "diag(w)*X"},
	{ForeignFunction, "diag_post_multiply (X,v)", "", "", "X*diag(v)"},
	{ForeignFunction, "quad_form (Sigma,v)", "", "of a matrix B it is `B'*A*B`, of a vector", "dot(v, Sigma*v)"},
	{ForeignFunction, "rep rep_vector rep_row_vector rep_array rep_matrix replicate zeros ones zeros_vector ones_vector full fill", "", "a number stands for a vector of equal elements, as 2 does in ", "y - 2"},
	{ForeignFunction, "to_vector to_row_vector to_array to_array_1d to_matrix as_vector asarray array vec float float64 double to_real as_numeric to_int", "", "nothing needs to be converted: write the name alone", ""},
	{ForeignFunction, "append_row append_col append_array (v,w)", "", "", "[v, w]"},
	{ForeignFunction, "c concat concatenate append hstack stack list", "", "each part may have a `~` of its own; vectors and numbers are put together in brackets, as in ", "[a, v]"},
	{ForeignFunction, "rbind cbind vstack", "", "vectors and numbers are put together in brackets, `[a, v]`; the rows of a matrix are given one by one: `let M[1] = u` and `let M[2] = v`", ""},
	{ForeignFunction, "segment", "", "a range of positions stands in brackets, and may end where data say: `sum(x[at[g]..at[g]+m[g]-1])`, and `y[at[g]..at[g]+m[g]-1] ~ normal(mu[g], s) for g in G`", ""},
	{ForeignFunction, "head tail sub_col sub_row row col slice", "", "elements are taken by an index, as in ", "sum(i in 2..n) y[i]"},
	{ForeignFunction, "seq seq_len seq_along linspace arange linspaced_vector range eachindex", "", "an index runs over a range, as in ", "sum(i in 1..n) y[i]"},
	{ForeignFunction, "cumsum", "cumulative_sum", "", ""},
	{ForeignFunction, "sort_asc", "sort", "", ""},
	{ForeignFunction, "sort_desc (y)", "", "", "-sort(-y)"},
	{ForeignFunction, "percentile", "", "with a probability from 0 to 1", "quantile(y, 0.9)"},
	{ForeignFunction, "iqr (y)", "", "", "quantile(y, 0.75) - quantile(y, 0.25)"},
	{ForeignFunction, "mad (y)", "", "", "median(abs(y - median(y)))"},
	{ForeignFunction, "any", "", "a condition is 1 or 0, and one of several holds where the largest does, as in ", "let b = max(i in n) (y[i] > 0)"},
	{ForeignFunction, "all", "", "a condition is 1 or 0, and all hold where the least does, as in ", "let b = min(i in n) (y[i] > 0)"},
	{ForeignFunction, "which argmax argmin which_max which_min", "", "a position is found by a recursion over data: `let at[1] = 1` and `let at[i] = if y[i] > y[at[i-1]] then i else at[i-1] for i in 2..n`; of parameters, `best[j in n] = x[j] == max(x)` in `generate` says of each whether it is the largest", ""},
	{ForeignFunction, "order argsort sort_indices_asc", "", "the places of the elements are `rank(y)`, and the sorted elements `sort(y)`", ""},
	{ForeignFunction, "sort_indices_desc", "", "the places of the elements in descending order are `rank(-y)`", ""},
	{ForeignFunction, "eigenvalues eigenvalues_sym eigenvectors_sym eigen eig eigh", "", "on a grid, a covariance of pairs of positions needs none: `Y ~ multi_normal(mu, C)` with `let C[i in n, k in m, j in n, l in m] = A[i, j]*B[k, l] + s^2*delta(i, j)*delta(k, l)`; of a symmetric positive definite matrix there are `cholesky(A)`, `solve_spd(A, b)`, `inverse(A)` and `log_det(A)`", ""},
	{ForeignFunction, "add_diag (Sigma,v)", "", "of a number it is defined by its elements, `let B[i in k, j in k] = A[i, j] + s*delta(i, j)`, of a vector", "Sigma + diag(v)"},
	{ForeignFunction, "diagonal diag_of (Sigma)", "", "the diagonal of a matrix", "let b[i in k] = Sigma[i, i]"},
	{ForeignFunction, "csr_matrix_times_vector sparse_mul", "", "the elements that are not 0 are data with their rows and columns, and the product is ", "let b[i in n] = sum(j in n) (if g[j] == i then w[j]*v[g[j]] else 0)"},
	{ForeignFunction, "mdivide_right_spd", "", "b'A⁻¹ of a symmetric matrix is the same numbers as ", "solve_spd(Sigma, v)"},
	{ForeignFunction, "mdivide_right_tri_low", "", "b'L⁻¹ with a lower triangular L has the elements of `solve_spd(L*L', L*b)`", ""},
	{ForeignFunction, "multiply_lower_tri_self_transpose", "", "of a lower triangular L it is `L*L'`", ""},
	{ForeignFunction, "symmetrize_from_lower_tri", "", "", "let b[i in k, j in k] = if j <= i then Sigma[i, j] else Sigma[j, i]"},
	{ForeignFunction, "matrix_power", "", "powers of a matrix are written out: `A*A`", ""},
	{ForeignFunction, "generalized_inverse pinv ginv", "", "of a matrix with independent columns it is ", "inverse(X'*X)*X'"},
	{ForeignFunction, "trace_dot", "", "trace(A*B) of two matrices is the sum of products, as in ", "sum(Sigma .* Sigma')"},
	{ForeignFunction, "trace_gen_quad_form", "", "of D, A and B it is trace(D*B'*A*B), as in ", "trace(Sigma*X'*X)"},
	{ForeignFunction, "hmm_marginal hmm_latent_rng hmm_hidden_state_prob", "", "the forward algorithm is a definition in parts, `let f[t, k in K] = log_sum_exp(i in K) (f[t-1, i] + log(P[i, k])) + … for t in 2..T`; docs/language.md#recursions has it", ""},
	{ForeignFunction, "log_inv_logit_diff (x,z)", "", "of the larger x and the smaller z", "log_inv_logit(x) + log1m_inv_logit(z) + log1m_exp(z - x)"},
	{ForeignFunction, "log_rising_factorial (s,r)", "", "", "lgamma(s + r) - lgamma(s)"},
	{ForeignFunction, "log_falling_factorial (s,r)", "", "", "lgamma(s + 1) - lgamma(s - r + 1)"},
	{ForeignFunction, "linspaced_array linspaced_int_array", "", "evenly spaced numbers are a formula of their place, as from 0 to 1 in ", "let b[i in n] = (i - 1)/(n - 1)"},
	{ForeignFunction, "one_hot_vector one_hot_array one_hot_row_vector onehot one_hot", "", "the unit vector of a place is ", "let b[j in k] = delta(j, 1)"},
	{ForeignFunction, "zeros_int_array ones_int_array zeros_array ones_array zeros_row_vector", "", "a number stands for a vector of equal elements, as 2 does in ", "y - 2"},
	{ForeignFunction, "to_array_2d reshape", "", "nothing needs to be converted: a place is computed where it is read, as in ", "let b[i in 1..2, j in 1..3] = i + 2*(j - 1)"},
	{ForeignFunction, "lmgamma lmultigamma multigammaln", "", "of order k it is ", "0.25*k*(k - 1)*log(pi()) + sum(j in k) lgamma(s + 0.5*(1 - j))"},
	{ForeignFunction, "lambert_w0 lambert_wm1 lambertw", "", "it is not in this version of the language, nor are other solutions of equations", ""},
	{ForeignFunction, "fdim (x,z)", "", noKink, "log1p_exp(20*(x - z))/20"},
	{ForeignFunction, "algebra_solver algebra_solver_newton solve_newton solve_powell fsolve root", "", "solutions of equations are not in this version of the language; an equation may be solved for one of its unknowns by hand", ""},
	{ForeignFunction, "qr_Q qr_R qr_thin_R svd_U svd_V singular_values", "", "of a symmetric positive definite matrix there are `cholesky(A)`, `solve_spd(A, b)`, `inverse(A)` and `log_det(A)`; the triangular factor of X is cholesky(X'*X)' but for signs", ""},
	{ForeignFunction, "svd qr qr_thin_Q mdivide_right", "", "of a symmetric positive definite matrix there are `cholesky(A)`, `solve_spd(A, b)`, `inverse(A)` and `log_det(A)`, of another square matrix `solve_general(A, b)`, `inverse_general(A)` and `log_abs_det(A)`", ""},
	{ForeignFunction, "gp_exp_quad_cov cov_exp_quad (y,s,r)", "", byElementsOfMatrix, "let K[i in n, j in n] = s^2*exp(-0.5*(y[i] - y[j])^2/r^2) + 1e-6*delta(i, j)"},
	{ForeignFunction, "gp_exponential_cov (y,s,r)", "", byElementsOfMatrix, "let K[i in n, j in n] = s^2*exp(-abs(y[i] - y[j])/r) + 1e-6*delta(i, j)"},
	{ForeignFunction, "gp_matern32_cov (y,s,r)", "", byElementsOfMatrix,
		"let K[i in n, j in n] = s^2*(1 + sqrt(3)*abs(y[i] - y[j])/r)*exp(-sqrt(3)*abs(y[i] - y[j])/r) + 1e-6*delta(i, j)"},
	{ForeignFunction, "gp_matern52_cov (y,s,r)", "", byElementsOfMatrix,
		"let K[i in n, j in n] = s^2*(1 + sqrt(5)*abs(y[i] - y[j])/r + 5*(y[i] - y[j])^2/(3*r^2))*exp(-sqrt(5)*abs(y[i] - y[j])/r) + 1e-6*delta(i, j)"},
	{ForeignFunction, "gp_periodic_cov (y,s,r,a)", "", byElementsOfMatrix, "let K[i in n, j in n] = s^2*exp(-2*sin(pi()*(y[i] - y[j])/a)^2/r^2) + 1e-6*delta(i, j)"},
	{ForeignFunction, "gp_dot_prod_cov (y,s)", "", byElementsOfMatrix, "let K[i in n, j in n] = s^2 + y[i]*y[j] + 1e-6*delta(i, j)"},
	{ForeignFunction, "integrate_ode integrate_ode_rk45 integrate_ode_bdf ode_rk45 ode_bdf ode_adams odeint solve_ivp", "", "differential equations are declared by `ode f(v) { v' = … }` and solved by `let s = solve f(v = …) from t0 at t`", ""},
	{ForeignFunction, "scan fori_loop while_loop accumulate", "", "what depends on the step before is a definition in parts, as in `let h[1] = x` and `let h[t] = p*h[t-1] + y[t] for t in 2..n`", ""},
	{ForeignFunction, "map map_rect reduce_sum reduce vmap", "", "a sum over data reads ", "sum(i in n) y[i]*x"},
	{ForeignFunction, "print println printf cat", "", "a model has no output; `generate { … }` holds what is written with the draws", ""},
	{ForeignFunction, "reject stop fatal_error", "", "what must not be has a bound, or density −∞: data are declared with bounds", ""},

	// Values.
	{ForeignValue, "PI M_PI", "", "", "pi()"},
	{ForeignValue, "e M_E euler", "", "", "exp(1)"},
	{ForeignValue, "true", "", "truth is a number", "1"},
	{ForeignValue, "false", "", "truth is a number", "0"},
	{ForeignValue, "inf infinity Infty positive_infinity negative_infinity", "", "there are no infinite numbers; leave an infinite bound out", ""},
	{ForeignValue, "NaN NA not_a_number null None nil undefined missing", "", "there are no missing values; a missing datum may be declared as a parameter", ""},
	{ForeignValue, "I", "", "under a multiple of the identity elements are independent: `y ~ normal(mu, s)`; the identity is `diag` of a vector of ones", ""},
	{ForeignValue, "zeros ones", "", "the tricks with zeros and ones are not needed, as a term of the log density is a statement: ", "density -x^4/4"},
	{ForeignValue, "target lp lp__", "", "the log density is no value of the model; a term of it reads `density …`", ""},

	// Distributions under another name, or with other arguments.
	{ForeignDistribution, "N gaussian norm rnorm gauss", "normal", "", ""},
	{ForeignDistribution, "dnorm (x,s)", "", "BUGS and JAGS give dnorm a precision tau, hamc takes the standard deviation, as R and rethinking do", "normal(x, 1/sqrt(s))"},
	{ForeignDistribution, "normal_prec normal_precision gaussian_prec (x,s)", "", "of a precision it has the standard deviation", "normal(x, 1/sqrt(s))"},
	{ForeignDistribution, "standard_normal", "std_normal", "", ""},
	{ForeignDistribution, "half_gaussian", "half_normal", "", ""},
	{ForeignDistribution, "half_t half_student", "half_student_t", "", ""},
	{ForeignDistribution, "truncated_normal trunc_normal truncnorm dtnorm (x,s,p,r)", "", "the interval follows the distribution, and the declaration of a parameter has it as well", "normal(x, s) in (p, r)"},
	{ForeignDistribution, "dt (x,s,k)", "", "BUGS and JAGS give dt a precision, and the degrees of freedom last", "student_t(k, x, 1/sqrt(s))"},
	{ForeignDistribution, "t student (r,x,s)", "", "with the degrees of freedom first and a standard deviation, no precision, last", "student_t(r, x, s)"},
	{ForeignDistribution, "dlnorm (x,s)", "", "BUGS and JAGS give dlnorm a precision tau, hamc takes the standard deviation, as R and rethinking do", "lognormal(x, 1/sqrt(s))"},
	{ForeignDistribution, "lognorm lnorm log_norm", "lognormal", "", ""},
	{ForeignDistribution, "dcauchy", "cauchy", "", ""},
	{ForeignDistribution, "exp dexp expon", "exponential", "", ""},
	{ForeignDistribution, "dgamma", "gamma", "", ""},
	{ForeignDistribution, "erlang", "gamma", "", ""},
	{ForeignDistribution, "inverse_gamma invgamma dinvgamma IG", "inv_gamma", "", ""},
	{ForeignDistribution, "chi_squared chi2 chisq dchisq dchisqr", "chi_square", "", ""},
	{ForeignDistribution, "inverse_chi_square inv_chi_squared", "inv_chi_square", "", ""},
	{ForeignDistribution, "scaled_inverse_chi_square scaled_inv_chi2", "scaled_inv_chi_square", "", ""},
	{ForeignDistribution, "dbeta", "beta", "", ""},
	{ForeignDistribution, "dbetaproportion", "beta_proportion", "", ""},
	{ForeignDistribution, "dunif unif", "uniform", "", ""},
	{ForeignDistribution, "flat half_flat improper improper_uniform dflat lebesgue", "", "a parameter without a prior has a flat one: leave the statement out", ""},
	{ForeignDistribution, "dpois pois", "poisson", "", ""},
	{ForeignDistribution, "dbern bern", "bernoulli", "", ""},
	{ForeignDistribution, "dbin (p,N)", "", "with the number of trials first", "binomial(N, p)"},
	{ForeignDistribution, "dbinom binom", "", "with the number of trials first", "binomial(N, p)"},
	{ForeignDistribution, "binomial_logit_glm (N,X,a,v)", "", "the product of data and coefficients is written out", "binomial_logit(N, a + X*v)"},
	{ForeignDistribution, "bernoulli_logit_glm (X,a,v)", "", "the product of data and coefficients is written out", "bernoulli_logit(a + X*v)"},
	{ForeignDistribution, "bernoulli_probit probit bernoulli_probit_glm (x)", "", "the probability is written out", "bernoulli(Phi(x))"},
	{ForeignDistribution, "poisson_log_glm (X,a,v)", "", "the product of data and coefficients is written out", "poisson_log(a + X*v)"},
	{ForeignDistribution, "neg_binomial_2_log_glm (X,a,v,r)", "", "the product of data and coefficients is written out", "neg_binomial_2_log(a + X*v, r)"},
	{ForeignDistribution, "negative_binomial negative_binomial_2 nbinom2 negbin negbinom negbinomial (s,r)", "", "of a mean mu and a shape phi, by which the variance is mu + mu^2/phi", "neg_binomial_2(s, r)"},
	{ForeignDistribution, "dnegbin (p,r)", "", "of a probability p of success and r successes", "neg_binomial(r, p/(1 - p))"},
	{ForeignDistribution, "dnbinom nbinom (r,p)", "", "of r successes and a probability p of success; of a mean it is neg_binomial_2(mu, phi)", "neg_binomial(r, p/(1 - p))"},
	{ForeignDistribution, "gamma_poisson", "neg_binomial", "", ""},
	{ForeignDistribution, "beta_binom betabin dbetabin betabinom", "beta_binomial", "", ""},
	{ForeignDistribution, "beta_binomial2 beta_binomial_2 beta_binomial_proportion (N,p,s)", "", "of a mean and a precision the shapes are the products", "beta_binomial(N, p*s, (1 - p)*s)"},
	{ForeignDistribution, "beta_prop beta2 beta_mean", "beta_proportion", "", ""},
	{ForeignDistribution, "dlogis (x,s)", "", "BUGS and JAGS give dlogis a rate, hamc takes the scale", "logistic(x, 1/s)"},
	{ForeignDistribution, "logis", "logistic", "", ""},
	{ForeignDistribution, "dweib (r,s)", "", "BUGS and JAGS give dweib a rate s, hamc takes the scale", "weibull(r, s^(-1/r))"},
	{ForeignDistribution, "dweibull", "weibull", "", ""},
	{ForeignDistribution, "gev genextreme generalized_extreme_value gen_extreme_value dgev GEV", "", "it is a function of the model, with the sign of the shape as in Coles (SciPy's c is -xi): `func gev_lpdf(y, mu real, sigma real > 0, xi real) = -log(sigma) - (1 + xi)*log1p_over((y - mu)/sigma, xi) - exp(-log1p_over((y - mu)/sigma, xi))`", ""},
	{ForeignDistribution, "generalized_pareto gpareto genpareto gpd dgpd GPD gen_pareto", "", "it is a function of the model: `func gpd_lpdf(y, mu real, sigma real > 0, xi real) = -log(sigma) - (1 + xi)*log1p_over((y - mu)/sigma, xi)`", ""},
	{ForeignDistribution, "conway_maxwell_poisson com_poisson compois dcompois cmp COMPoisson", "", "it is a function of the model, with a sum up to where its terms no longer count: `func com_poisson_lpmf(y int, mu real > 0, nu real > 0) = nu*(y*log(mu) - lgamma(y + 1)) - log_sum_exp(j in 0..200) (nu*(j*log(mu) - lgamma(j + 1)))`", ""},
	{ForeignDistribution, "skellam dskellam", "", "it is a function of the model, with a sum up to where its terms no longer count: `func skellam_lpmf(y int, a real > 0, b real > 0) = log_sum_exp(j in 0..200) (if j + y >= 0 then poisson_lpmf(j + y | a) + poisson_lpmf(j | b) else log(0))`", ""},
	{ForeignDistribution, "gompertz dgompertz", "", "it is a function of the model: `func gompertz_lpdf(y, a, b real > 0) = log(b) + a*y - b/a*expm1(a*y)`", ""},
	{ForeignDistribution, "beta_prime betaprime dbetaprime inverted_beta", "", "it is a function of the model: `func beta_prime_lpdf(y, a, b real > 0) = (a - 1)*log(y) - (a + b)*log1p(y) - lbeta(a, b)`", ""},
	{ForeignDistribution, "burr dburr burr12 singh_maddala", "", "that of type XII is a function of the model: `func burr_lpdf(y, c, k real > 0) = log(c) + log(k) + (c - 1)*log(y) - (k + 1)*log1p(y^c)`", ""},
	{ForeignDistribution, "poisson_binomial poibin", "", "it is a function of the model, by a recursion over the trials: `let f[t, k in T+1] = …` is the probability of k-1 successes among the first t", ""},
	{ForeignDistribution, "multi_gp multi_gp_cholesky", "", "each of the processes has its own scale: `Y[k, :] ~ multi_normal(0, Sigma/w[k]) for k in K`", ""},
	{ForeignDistribution, "ordered_logistic_glm", "", "the product of data and coefficients is written out: `ordered_logistic(X*v, c)`", ""},
	{ForeignDistribution, "categorical_logit_glm", "", "the product of data and coefficients is written out: `categorical_logit(X*B)`, with a row for each observation and `B real[k, K]`", ""},
	{ForeignDistribution, "tweedie", "", "zeros and positive amounts are a model of both: `density sum(i in n) (if y[i] == 0 then log1m(p) else log(p) + gamma_lpdf(y[i] | a, b))`", ""},
	{ForeignDistribution, "skew_t skewed_t skew_student_t skewt", "", "that of Azzalini is a function of the model: `func skew_t_lpdf(y, mu real, sigma real > 0, alpha real, nu real > 0) = log(2) + student_t_lpdf(y | nu, mu, sigma) + student_t_lcdf(alpha*(y - mu)*sqrt((nu + 1)/(nu*sigma^2 + (y - mu)^2)) | nu + 1, 0, 1)`", ""},
	{ForeignDistribution, "gumbel_r gumbel_right", "gumbel", "", ""},
	{ForeignDistribution, "laplace dlaplace", "double_exponential", "", ""},
	{ForeignDistribution, "ddexp (x,s)", "", "BUGS and JAGS give ddexp a rate, hamc takes the scale", "double_exponential(x, 1/s)"},
	{ForeignDistribution, "asymmetric_laplace asym_laplace ALD (x,s,p)", "", "with the location first, twice the scale of a quantile regression, and the probability below the location", "skew_double_exponential(x, 2*s, p)"},
	{ForeignDistribution, "dsn", "skew_normal", "", ""},
	{ForeignDistribution, "skewnorm (a,x,s)", "", "with the location first and the shape last", "skew_normal(x, s, a)"},
	{ForeignDistribution, "ex_gaussian exgauss exponnorm (x,s,r)", "", "with the rate of the exponential part, not its mean, last", "exp_mod_normal(x, s, 1/r)"},
	{ForeignDistribution, "Pareto dpar dpareto (r,s)", "", "with the least value first and the exponent last", "pareto(s, r)"},
	{ForeignDistribution, "lomax dlomax pareto2 (r,s)", "", "with the location, the scale and the exponent", "pareto_type_2(0, s, r)"},
	{ForeignDistribution, "log_logistic fisk llogis dllogis (r,s)", "", "with the scale first and the shape last", "loglogistic(s, r)"},
	{ForeignDistribution, "wald inverse_gaussian dinvgauss invgauss inv_gauss", "inv_gaussian", "", ""},
	{ForeignDistribution, "logitnorm dlogitnorm logistic_normal", "logit_normal", "", ""},
	{ForeignDistribution, "kumar dkumar", "kumaraswamy", "", ""},
	{ForeignDistribution, "Geometric", "", "of the failures before the first success; PyMC's counts the success too", "geometric(p)"},
	{ForeignDistribution, "geom dgeom", "geometric", "", ""},
	{ForeignDistribution, "ZeroInflatedPoisson zip dzip zero_infl_poisson (p,s)", "", "with the probability of the zeros that are no counts first; PyMC's psi is its complement", "zero_inflated_poisson(1 - p, s)"},
	{ForeignDistribution, "ZeroInflatedNegativeBinomial zero_inflated_negbinomial zinb", "", "with the probability of the zeros that are no counts first; PyMC's psi is its complement", "zero_inflated_neg_binomial_2(1 - p, s, r)"},
	{ForeignDistribution, "HurdlePoisson (p,s)", "", "with the probability of zero first; PyMC's psi is its complement", "hurdle_poisson(1 - p, s)"},
	{ForeignDistribution, "zi_poisson zipois dzipois", "zero_inflated_poisson", "", ""},
	{ForeignDistribution, "shifted_lognormal shifted_log_normal", "", "the shift is subtracted: `y - shift ~ lognormal(mu, sigma)`, with `param shift real in (0, min(y))`", ""},
	{ForeignDistribution, "horseshoe", "", "each coefficient has a scale of its own: `b ~ normal(0, tau*lambda)` with `lambda ~ half_cauchy(1)` and `tau ~ half_cauchy(1)`", ""},
	{ForeignDistribution, "inv_weibull invweibull", "frechet", "", ""},
	{ForeignDistribution, "normal_id_glm (X,a,v,s)", "", "the product of data and coefficients is written out", "normal(a + X*v, s)"},
	{ForeignDistribution, "multi_normal_diag mvnormal_diag multivariate_normal_diag mv_normal_diag (x,s)", "", "without correlations elements are independent", "normal(x, s)"},
	{ForeignDistribution, "mvn mvnormal mv_normal multivariate_normal multivariate_gaussian", "multi_normal", "", ""},
	{ForeignDistribution, "matrixnormal matrix_normal kroneckernormal kronecker_normal", "", "of a matrix Y it is `Y ~ multi_normal(mu, C)` with the covariance of pairs of its positions, `let C[i in n, k in m, j in n, l in m] = A[i, j]*B[k, l]`; with noise, `+ s^2*delta(i, j)*delta(k, l)`", ""},
	{ForeignDistribution, "dmnorm multi_normal_precision", "multi_normal_prec", "", ""},
	{ForeignDistribution, "dmnorm_vcov", "multi_normal", "", ""},
	{ForeignDistribution, "dscaled_gamma", "", "of a precision tau it means a prior of the standard deviation: `param sigma real > 0`, `sigma ~ half_student_t(df, s)` with the second argument first, and `let tau = 1/sigma^2`", ""},
	{ForeignDistribution, "TransformedDistribution", "", "a shift and a scale are arguments of the distribution itself", "normal(x, s)"},
	{ForeignDistribution, "mvt mvstudentt multi_student dmt multivariate_student_t", "multi_student_t", "", ""},
	{ForeignDistribution, "dcat", "categorical", "", ""},
	{ForeignDistribution, "dmulti (h,N)", "", "the number of trials is the sum of the data", "multinomial(h)"},
	{ForeignDistribution, "dmultinom multinom (N,h)", "", "the number of trials is the sum of the data", "multinomial(h)"},
	{ForeignDistribution, "ordered_logit cumulative_logit cumulative", "ordered_logistic", "", ""},

	// Distributions that hamc does not have.
	{ForeignDistribution, "Mixture normal_mixture mix_gaussian gaussian_mixture mixture_same_family", "", "a mixture is made of distributions", "mixture(p, normal(x, s), normal(z, s))"},
	{ForeignDistribution, "truncated", "", "the interval follows the distribution", "normal(x, s) > 0"},
	{ForeignDistribution, "filldist arraydist product_distribution iid Independent", "", "`~` is of all elements of its left side", "normal(x, s)"},
	{ForeignDistribution, "mixture_model", "", "a mixture is made of distributions", "mixture(p, normal(x, s), normal(z, s))"},
	{ForeignDistribution, "dinterval censored", "", "what is censored has a cumulative function in the place of its density, as in ", "density sum(i in n) (if m[i] == 1 then weibull_lccdf(w[i] | r, s) else weibull_lpdf(w[i] | r, s))"},
	{ForeignDistribution, "car_normal dcar_normal icar icar_normal", "", "a field is the prior of the differences of its neighbours, each pair of which counts once: `density 0.5*(n - 1)*log(tau) - 0.5*tau*sum(e in E) (phi[node1[e]] - phi[node2[e]])^2` with `data node1, node2 int[E] in 1..n` and `param phi sum_to_zero[n]`", ""},
	{ForeignDistribution, "car_proper dcar_proper CAR", "", "it has a precision matrix, as in `phi ~ multi_normal_prec(mu, Omega)` with `let Omega[i in n, j in n] = tau*(D[i]*delta(i, j) - alpha*W[i, j])` of neighbours W, of which i has D[i]; in GeoBUGS gamma*C[i, j] is alpha*W[i, j]/D[i] and M[i] is 1/D[i]", ""},
	{ForeignDistribution, "dsum", "", "one part of a sum that is observed is what the others leave, and has its distribution, as in ", "y - x ~ normal(z, s)"},
	{ForeignDistribution, "weighted weights weighted_normal", "", "a weight multiplies a term of the log density, as in ", "density sum(i in n) w[i]*normal_lpdf(y[i] | x, s)"},
	{ForeignDistribution, "gaussian_random_walk random_walk", "", "a random walk is the prior of its steps, as in ", "u[i] ~ normal(u[i-1], s) for i in 2..n"},
	{ForeignDistribution, "mvgaussianrandomwalk mv_random_walk mvstudenttrandomwalk", "", "a random walk of vectors is the prior of its steps: `u[t, :] ~ multi_normal(u[t-1, :], Sigma) for t in 2..T`", ""},
	{ForeignDistribution, "garch11 garch", "", "its variances are a definition in parts: `let h[1] = …` and `let h[t] = a + b*y[t-1]^2 + c*h[t-1] for t in 2..T`; then `y ~ normal(mu, sqrt(h))`", ""},
	{ForeignDistribution, "ar AR1 autoregressive", "", "an autoregression is the prior of its steps, as in ", "u[i] ~ normal(p*u[i-1], s) for i in 2..n"},
	{ForeignDistribution, "ddirch ddirich ddirichlet stick_breaking", "dirichlet", "", ""},
	{ForeignDistribution, "lkj", "lkj_corr", "", ""},
	{ForeignDistribution, "lkj_cholesky", "lkj_corr_cholesky", "", ""},
	{ForeignDistribution, "lkj_cov lkj_cholesky_cov", "", "a covariance is made of scales and the factor of a correlation matrix: `multi_normal_cholesky(mu, diag(tau)*L)` with `L ~ lkj_corr_cholesky(2)`", ""},
	{ForeignDistribution, "inverse_wishart invwishart inv_wish iwishart", "inv_wishart", "", ""},
	{ForeignDistribution, "dwish", "", "of the degrees of freedom and a scale, which is the inverse of JAGS's matrix: `wishart(nu, inverse(R))`", ""},
	{ForeignDistribution, "vonmises dvonmises circular", "von_mises", "", ""},
	{ForeignDistribution, "dwiener wfpt ddm hddm drift_diffusion", "wiener", "", ""},
	{ForeignDistribution, "zero_one_inflated_beta zoib", "", "each case has a probability of its own, as in ",
		"density sum(i in n) (if w[i] == 0 then log(p) else if w[i] == 1 then log1m(p) else beta_lpdf(w[i] | s, r))"},
	{ForeignDistribution, "zero_sum_normal", "", "numbers that sum to 0 have a type of their own, `param u sum_to_zero[n]`, and as a prior", "normal(0, s)"},
	{ForeignDistribution, "hypergeometric dhyper hyper", "", "of data alone it is a constant, which may be left out; with unknown numbers it is written out, as of 3 of s and 2 of r in ", "density lchoose(s, 3) + lchoose(r, 2) - lchoose(s + r, 5)"},
	{ForeignDistribution, "discrete_range discrete_uniform", "", "of data it is a constant, which may be left out", ""},
	{ForeignDistribution, "gaussian_dlm_obs", "", "the states are a parameter with a prior in parts, as in ", "u[i] ~ normal(p*u[i-1], s) for i in 2..n"},
	{ForeignDistribution, "gp GP", "", "a Gaussian process is `f ~ multi_normal(0, K)` with the covariance by its elements: `let K[i in n, j in n] = s^2*exp(-(x[i] - x[j])^2/(2*r^2)) + 1e-6*delta(i, j)`", ""},
	{ForeignDistribution, "deterministic", "", "a definition is no distribution; it reads ", "let b = x^2"},
	{ForeignDistribution, "potential factor custom custom_dist density_dist", "", "a term of the log density is a statement, as in ", "density -x^4/4"},

	// Types.
	{ForeignType, "cholesky_factor_corr cholesky_corr corr_factor", "corr_cholesky", "", ""},
	{ForeignType, "vector row_vector", "", "a vector is an array of reals, as in ", "param b real[k]"},
	{ForeignType, "matrix", "", "a matrix has two sizes, as in ", "data b real[n, k]"},
	{ForeignType, "array list", "", "arrays are written behind the type, as in ", "data b real[n]"},
	{ForeignType, "float double float32 float64 number num numeric", "real", "", ""},
	{ForeignType, "integer int64 int32 count", "int", "", ""},
	{ForeignType, "bool boolean binary logical", "", "truth is a whole number, as in ", "data b int[n] in {0, 1}"},
	{ForeignType, "string str char character text", "", "data are numbers: number the groups from 1, as in ", "data b int[n] in 1..k"},
	{ForeignType, "positive pos_real positive_real non_negative", "", "a bound follows the type, as in ", "param b real > 0"},
	{ForeignType, "unit probability prob unit_interval", "", "a bound follows the type, as in ", "param b real in (0, 1)"},
	{ForeignType, "categorical factor", "", "groups are numbered from 1, as in ", "data b int[n] in 1..k"},
	{ForeignType, "cov_matrix covariance covariance_matrix", "cov", "", ""},
	{ForeignType, "corr_matrix correlation correlation_matrix", "corr", "", ""},
	{ForeignType, "cholesky_factor_cov cholesky_cov cov_factor cholesky_factor", "cov_cholesky", "", ""},
	{ForeignType, "sum_to_zero_vector zero_sum zero_sum_vector ZeroSumNormal", "sum_to_zero", "", ""},
	{ForeignType, "unit_length sphere", "unit_vector", "", ""},

	// Metrics.
	{ForeignMetric, "dense_mass diag_mass dense_e diag_e unit_e dense euclidean euclid mass mass_matrix adaptive none", "",
		"a Euclidean metric is given to `hamc run` and not to the model: leave `metric` out and run with --metric diag_e or --metric dense_e", ""},
	{ForeignMetric, "nuts hmc leapfrog", "", "what moves is chosen for the run and not in the model: leave `metric` out, and see `hamc run --help`", ""},
	{ForeignMetric, "fisher_information fim information expected_information fisher_rao riemannian riemann rmhmc", "fisher", "", ""},
	{ForeignMetric, "expected_fisher", "", "", "fisher(prior = expected)"},
	{ForeignMetric, "unit eye", "identity", "", ""},
	{ForeignMetric, "soft_abs soft_absolute", "", "", "softabs(alpha = 1)"},

	// What starts a line in other languages.
	{ForeignStatement, "parameters parameter var variable unknown", "param", "", ""},
	{ForeignStatement, "observed observe input inputs", "data", "", ""},
	{ForeignStatement, "constant", "const", "", ""},
	{ForeignStatement, "val local auto", "let", "", ""},
	{ForeignStatement, "deterministic", "", "a definition reads ", "let b = x^2"},
	{ForeignStatement, "end", "", "a statement ends with its line, and a model with its file: leave it out", ""},
	{ForeignStatement, "target", "", "a term of the log density is a statement, as in ", "density -x^4/4"},
	{ForeignStatement, "increment_log_prob log_prob addlogprob log_density logp factor potential lp", "", "a term of the log density is a statement, as in ", "density -x^4/4"},
	{ForeignStatement, "def function fun functions fn", "", "a function is one expression, or definitions and `return` in braces: ", "func f(x real) = x^2"},
	{ForeignStatement, "from library require using include use package", "", "write `import NAME`, for the functions of NAME.ham beside the model; those of the language are always known", ""},
	{ForeignStatement, "with", "", "statements are not grouped: a parameter and its prior are two lines, `param x real` and ", "x ~ normal(0, 1)"},
	{ForeignStatement, "if elif while repeat do begin return break pass", "", "there are no statements of that kind; a value reads `if c then a else b`, a statement for each i ", "y[i] ~ normal(x, s) for i in n"},
	{ForeignStatement, "transformed", "", "what is computed from data and parameters has a definition, as in ", "let b = x^2"},
	{ForeignStatement, "generated", "", "generated quantities read ", "generate { b = x^2 }"},
	{ForeignStatement, "reject fatal_error", "", "what must not be has a bound, or density −∞: data are declared with bounds", ""},
	{ForeignStatement, "print println cat", "", "a model has no output; `generate { … }` holds what is written with the draws", ""},
	{ForeignStatement, "prior priors set_prior likelihood posterior sample assume", "", "priors and likelihoods are written alike, as in ", "x ~ normal(0, 1)"},
}

// foreignLogDensity recognises how other languages name the log density of a distribution that
// hamc has, in a call with some arguments: Stan's older normal_log, SciPy's norm.logpdf written as one word, and so on. It returns
// "" for others.
func foreignLogDensity(name string, args []string) string {
	for _, suffix := range []string{"_log", "_logpdf", "_logpmf", "_log_prob", "_lupdf", "_lupmf", "_pdf", "_pmf", "_lpdf", "_lpmf"} {
		stem, ok := strings.CutSuffix(name, suffix)
		if !ok {
			continue
		}
		d := LookupDistribution(stem)
		if d != nil && len(args) > 1 && len(args) == len(d.Args)+1 {
			return barred(d.LogDensityName(), args)
		} else if d != nil {
			return d.form()
		}
	}
	return ""
}

// barred is the call of a log density with a value and arguments; "" where there are none.
func barred(name string, args []string) string {
	if len(args) < 2 {
		return ""
	}
	return name + "(" + args[0] + " | " + strings.Join(args[1:], ", ") + ")"
}

// modules are the names that other languages put before those of functions, as in np.exp.
var modules = map[string]bool{"np": true, "numpy": true, "math": true, "Math": true, "pm": true, "pymc": true, "pt": true, "tt": true, "jnp": true,
	"jax": true, "torch": true, "linalg": true, "slinalg": true, "nlinalg": true, "jsp": true, "special": true, "nn": true, "stats": true, "scipy": true, "sp": true, "dist": true, "tf": true, "tfd": true, "std": true, "numpyro": true, "pyro": true}
