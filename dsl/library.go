package dsl

import (
	"slices"
	"strings"
	"sync"
)

// LibraryFunction is a function whose value is written in the language itself: a call is inlined, as that of a function of the model is.
type LibraryFunction struct {
	Name string
	Data bool // of data alone: it has jumps or kinks, and is computed once
	Doc  string

	// Define is what stands behind the name.
	Define string
}

// smoothFuncs are those whose conditions choose between two forms of one value.
var smoothFuncs = map[string]bool{"log1p_over": true}

// Library is the table of them. A model may define a function of such a name.
var Library = []LibraryFunction{
	{"variance", false, "variance of the elements of a vector, with the divisor n − 1", "(x real[n]) = sum((x - mean(x)).^2)/(n - 1)"},
	{"sd", false, "standard deviation of the elements of a vector, with the divisor n − 1", "(x real[n]) = sqrt(sum((x - mean(x)).^2)/(n - 1))"},
	{"cumulative_sum", false, "the vector of x₁, x₁ + x₂, …", "(x real[n]) {\nlet total[1] = x[1]\nlet total[i] = total[i-1] + x[i] for i in 2..n\nreturn total\n}"},
	{"mod", false, "x − y⌊x/y⌋, which is in 0..y−1 of whole numbers", "(x, y real) = x - y*floor(x/y)"},
	{"log10", false, "logarithm to the base 10", "(x real) = log(x)/log(10)"},
	{"log2", false, "logarithm to the base 2", "(x real) = log(x)/log(2)"},
	{"inv_sqrt", false, "1/√x", "(x real) = 1/sqrt(x)"},
	{"inv_square", false, "1/x²", "(x real) = 1/x^2"},
	{"inv_cloglog", false, "1 − exp(−eˣ), the inverse of the complementary log-log", "(x real) = -expm1(-exp(x))"},
	{"Phi_approx", false, "inv_logit(0.07056 x³ + 1.5976 x), which is within 0.00015 of Phi", "(x real) = inv_logit(x*(1.5976 + 0.07056*x^2))"},
	{"log_softmax", false, "log of softmax, of a vector", "(x real[n]) = x - log_sum_exp(x)"},
	{"log_diff_exp", false, "log(eˣ − eʸ) without overflow, for x > y", "(x, y real) = x + log1m_exp(y - x)"},
	// Near 0 it is a series, since derivatives of the quotient lose their digits there; each term more makes those of higher orders longer.
	{"log1p_over", false, "log(1 + xy)/y, which is x where y is 0: of generalized extreme values and Pareto distributions", "(x, y real) {\nlet v = x*y\nlet series = 1 - v*(1/2 - v*(1/3 - v*(1/4 - v*(1/5 - v*(1/6 - v*(1/7 - v/8))))))\n" +
		"return if v^2 < 2.5e-5 then x*series else log1p(v)/y\n}"},
	{"rank", true, "the vector of the places that the elements have in ascending order; of equal ones the first comes first",
		"(data x real[n]) {\nlet place[i in n] = 1 + sum(j in n) (x[j] < x[i]) + sum(j in 1..i-1) (x[j] == x[i])\nreturn place\n}"},
	{"sort", true, "the vector of the elements in ascending order",
		"(data x real[n]) {\nlet place = rank(x)\nlet sorted[i in n] = sum(j in n) (place[j] == i)*x[j]\nreturn sorted\n}"},
	{"quantile", true, "the quantile of a probability y of the elements of a vector, linear between them, as in R",
		"(data x real[n], data y real in (0, 1)) {\nlet sorted = sort(x)\nlet at = 1 + (n - 1)*y\nlet low = fmin(fmax(floor(at), 1), n)\nlet high = fmin(low + 1, n)\n" +
			"return sorted[low] + (at - low)*(sorted[high] - sorted[low])\n}"},
	{"median", true, "the median of the elements of a vector", "(data x real[n]) = quantile(x, 0.5)"},
}

// libraryFuncs are the functions of the table by their names.
var libraryFuncs = sync.OnceValue(func() map[string]*Func {
	out := map[string]*Func{}
	for _, f := range Library {
		file, _ := Parse("", "model m\nfunc "+f.Name+f.Define+"\n")
		fn := &Func{object: object{Name: f.Name}, stmt: file.Stmts[0].(*FuncStmt), builtin: true, smooth: smoothFuncs[f.Name]}
		fn.recursive = slices.ContainsFunc(fn.stmt.Lets, (*LetStmt).partial)
		fn.weigh()
		out[fn.Name] = fn
	}
	return out
})

// Arguments is how the table of functions shows the arguments: x, y.
func (f *LibraryFunction) Arguments() string {
	return strings.Join([]string{"x", "y"}[:len(libraryFuncs()[f.Name].variables())], ", ")
}
