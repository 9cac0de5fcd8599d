package dsl

import (
	"fmt"
	"strings"
	"sync"
)

// families are the distributions whose formula is of arguments as wholes, of vectors or with sums and positions: functions in the language
// itself, which a statement inlines as it does those of the model.
var families = []Distribution{
	{
		Name: "categorical", Support: Category,
		Args:     []DistArg{{"theta", OnSimplex}},
		Define:   "(y int in 1..K, theta real[K]) = log(theta[y])",
		Inform:   "(theta real[K]) = diag(inv(theta))",
		Generate: "(theta real[K]) {\nlet u = uniform_rng(0, 1)\nreturn 1 + sum(k in 1..K-1) (u > sum(j in K) (theta[j]*(j <= k)))\n}",
	},
	{
		Name: "categorical_logit", Support: Category,
		Args:     []DistArg{{"beta", VectorReal}},
		Define:   "(y int in 1..K, beta real[K]) = beta[y] - log_sum_exp(beta)",
		Inform:   "(beta real[K]) {\nlet p = softmax(beta)\nlet info[i in K, j in K] = p[i]*(delta(i, j) - p[j])\nreturn info\n}",
		Generate: "(beta real[K]) {\nlet u = uniform_rng(0, 1)\nlet p = softmax(beta)\nreturn 1 + sum(k in 1..K-1) (u > sum(j in K) (p[j]*(j <= k)))\n}",
	},
	{
		// P(Y > k) = inv_logit(eta − c_k). Of two neighbours, inv_logit(a) − inv_logit(b) = inv_logit(a) (1 − inv_logit(b)) (1 − exp(b − a)).
		Name: "ordered_logistic", Support: Category,
		Args: []DistArg{{"eta", RealLine}, {"c", Ascending}},
		Define: "(y int in 1..K, eta real, c real[K-1]) = sum(k in 1..K-1) delta(y, k)*log1m_inv_logit(eta - c[k]) + " +
			"sum(k in 1..K-1) delta(y, k+1)*log_inv_logit(eta - c[k]) + sum(k in 1..K-2) delta(y, k+1)*log1m_exp(c[k] - c[k+1])",
		Generate: "(eta real, c real[m]) {\nlet u = uniform_rng(0, 1)\nreturn 1 + sum(k in m) (u > inv_logit(c[k] - eta))\n}",
	},
	{
		Name: "ordered_probit", Support: Category,
		Args: []DistArg{{"eta", RealLine}, {"c", Ascending}},
		// Sums over one category are computed where that was observed alone.
		Define: "(y int in 1..K, eta real, c real[K-1]) = sum(k in 1..1) delta(y, k)*log_Phi(c[k] - eta) + sum(k in K-1..K-1) delta(y, k+1)*log_Phi(eta - c[k]) + " +
			"sum(k in 1..K-2) delta(y, k+1)*log_Phi_interval(c[k+1] - eta, c[k+1] - c[k])",
		Generate: "(eta real, c real[m]) {\nlet u = uniform_rng(0, 1)\nreturn 1 + sum(k in m) (u > Phi(c[k] - eta))\n}",
	},
	{
		Name: "multinomial", Support: VectorCounts,
		Args:   []DistArg{{"theta", OnSimplex}},
		Define: "(y int[K], theta real[K]) = lgamma(sum(y) + 1) - sum(lgamma(y + 1)) + sum(lmultiply(y, theta))",
		Inform: "(y int[K], theta real[K]) = sum(y)*diag(inv(theta))", InformY: true,
	},
	{
		Name: "multinomial_logit", Support: VectorCounts,
		Args:   []DistArg{{"gamma", VectorReal}},
		Define: "(y int[K], gamma real[K]) = lgamma(sum(y) + 1) - sum(lgamma(y + 1)) + dot(y, gamma) - sum(y)*log_sum_exp(gamma)",
		Inform: "(y int[K], gamma real[K]) {\nlet p = softmax(gamma)\nlet info[i in K, j in K] = sum(y)*p[i]*(delta(i, j) - p[j])\nreturn info\n}", InformY: true,
	},
	{
		Name: "dirichlet_multinomial", Support: VectorCounts,
		Args: []DistArg{{"alpha", VectorPositive}},
		Define: "(y int[K], alpha real[K]) = sum(k in K) (log_rising_ratio(alpha[k], y[k]) + y[k]*(log(alpha[k]) - log(sum(alpha)))) - log_rising_ratio(sum(alpha), sum(y)) + " +
			"lgamma(sum(y) + 1) - sum(lgamma(y + 1))",
	},
	{
		Name: "multi_normal_prec", Support: VectorReal,
		Args:   []DistArg{{"mu", VectorReal}, {"Omega", Covariance}},
		Define: "(y, mu real[n], Omega real[n, n]) = 0.5*log_det(Omega) - 0.5*dot(y - mu, Omega*(y - mu)) - 0.5*n*log(2*pi())",
		Inform: "(mu real[n], Omega real[n, n]) = Omega", TraceOf: "Omega", TraceBy: "inverse(Omega)",
	},
	{
		Name: "multi_normal_cholesky", Support: VectorReal,
		Args:   []DistArg{{"mu", VectorReal}, {"L", LowerFactor}},
		Define: "(y, mu real[n], L real[n, n]) {\nlet z = solve_lower(L, y - mu)\nreturn -0.5*dot(z, z) - sum(i in n) log(L[i, i]) - 0.5*n*log(2*pi())\n}",
		Inform: "(mu real[n], L real[n, n]) = inverse(L*L')", TraceOf: "L*L'", TraceBy: "inverse(L*L')",
	},
	{
		Name: "multi_student_t_cholesky", Support: VectorReal,
		Args: []DistArg{{"nu", Positive}, {"mu", VectorReal}, {"L", LowerFactor}},
		Define: "(y real[n], nu real > 0, mu real[n], L real[n, n]) {\nlet z = solve_lower(L, y - mu)\nreturn log_rising_ratio(0.5*nu, 0.5*n) - 0.5*n*log(2*pi()) - " +
			"sum(i in n) log(L[i, i]) - 0.5*(nu + n)*log1p(dot(z, z)/nu)\n}",
	},
	{
		// Of the correlation matrix L L' the density is proportional to its determinant to the power eta − 1; the Jacobian from L is in it.
		Name: "lkj_corr_cholesky", Support: OnCorrFactor,
		Args: []DistArg{{"eta", Positive}},
		Define: "(y real[K, K], eta real > 0) = sum(k in 2..K) (K - k + 2*eta - 2)*log(y[k, k]) + (K - 1)*lgamma(eta + 0.5*(K - 1)) - " +
			"sum(k in 1..K-1) (0.5*k*log(pi()) + lgamma(eta + 0.5*(K - 1 - k)))",
	},
	{
		// Of correlation matrices the density is by their elements below the diagonal.
		Name: "lkj_corr", Support: OnCorr,
		Args: []DistArg{{"eta", Positive}},
		Define: "(y real[K, K], eta real > 0) = (eta - 1)*log_det(y) + (K - 1)*lgamma(eta + 0.5*(K - 1)) - " +
			"sum(k in 1..K-1) (0.5*k*log(pi()) + lgamma(eta + 0.5*(K - 1 - k)))",
	},
	{
		// Of covariance matrices the density is by their elements on the diagonal and below it, and zero unless nu > K − 1.
		Name: "wishart", Support: Covariance,
		Args: []DistArg{{"nu", Positive}, {"S", Covariance}},
		Define: "(y real[K, K], nu real > 0, S real[K, K]) = 0.5*(nu - K - 1)*log_det(y) - 0.5*sum(inverse(S) .* y) - 0.5*nu*log_det(S) - 0.5*nu*K*log(2) - " +
			"0.25*K*(K - 1)*log(pi()) - sum(k in K) lgamma(0.5*(nu + 1 - k)) + log(nu > K - 1)",
	},
	{
		Name: "inv_wishart", Support: Covariance,
		Args: []DistArg{{"nu", Positive}, {"S", Covariance}},
		Define: "(y real[K, K], nu real > 0, S real[K, K]) = 0.5*nu*log_det(S) - 0.5*(nu + K + 1)*log_det(y) - 0.5*sum(inverse(y) .* S) - 0.5*nu*K*log(2) - " +
			"0.25*K*(K - 1)*log(pi()) - sum(k in K) lgamma(0.5*(nu + 1 - k)) + log(nu > K - 1)",
	},
	{
		// Of the covariance matrix y y' with the scale L L', and the Jacobian from y, 2^K Π y_kk^(K−k+1).
		Name: "wishart_cholesky", Support: OnCovFactor,
		Args: []DistArg{{"nu", Positive}, {"L", LowerFactor}},
		Define: "(y real[K, K], nu real > 0, L real[K, K]) = sum(k in K) ((nu - k)*log(y[k, k]) - nu*log(L[k, k])) - 0.5*sum(solve_lower(L, y).^2) + (1 - 0.5*nu)*K*log(2) - " +
			"0.25*K*(K - 1)*log(pi()) - sum(k in K) lgamma(0.5*(nu + 1 - k)) + log(nu > K - 1)",
	},
	{
		Name: "inv_wishart_cholesky", Support: OnCovFactor,
		Args: []DistArg{{"nu", Positive}, {"L", LowerFactor}},
		Define: "(y real[K, K], nu real > 0, L real[K, K]) = sum(k in K) (nu*log(L[k, k]) - (nu + k)*log(y[k, k])) - 0.5*sum(solve_lower(y, L).^2) + (1 - 0.5*nu)*K*log(2) - " +
			"0.25*K*(K - 1)*log(pi()) - sum(k in K) lgamma(0.5*(nu + 1 - k)) + log(nu > K - 1)",
	},
	{
		Name: "multi_student_t", Support: VectorReal,
		Args: []DistArg{{"nu", Positive}, {"mu", VectorReal}, {"Sigma", Covariance}},
		Define: "(y real[n], nu real > 0, mu real[n], Sigma real[n, n]) = log_rising_ratio(0.5*nu, 0.5*n) - 0.5*n*log(2*pi()) - " +
			"0.5*log_det(Sigma) - 0.5*(nu + n)*log1p(dot(y - mu, solve_spd(Sigma, y - mu))/nu)",
	},
}

// functions of the table of distributions, made of its texts.
var familyFuncs = sync.OnceValue(func() map[string]*Func {
	out := map[string]*Func{}
	for i := range families {
		d := &families[i]
		for suffix, text := range map[string]string{"": d.Define, "_information": d.Inform, "_rng": d.Generate} {
			if text == "" {
				continue
			}
			file, _ := Parse("", "model m\nfunc "+d.Name+suffix+text+"\n")
			fn := &Func{object: object{Name: d.Name + suffix}, stmt: file.Stmts[0].(*FuncStmt), builtin: true, of: d}
			fn.weigh()
			out[fn.Name] = fn
		}
	}
	return out
})

// Whole reports whether the formula of a distribution is of its left side and its arguments as wholes, and not of elements.
func (d *Distribution) Whole() bool { return d.Define != "" || d.Support.Vector() }

// Formula is the log density as the reference shows it.
func (d *Distribution) Formula() string {
	if d.Define == "" {
		return d.LogDensity
	}
	_, text, found := strings.Cut(d.Define, ") = ")
	if !found {
		_, text, _ = strings.Cut(d.Define, "{\n")
		text = strings.TrimSuffix(text, "\n}")
		text = strings.NewReplacer("let ", "", "return ", "", "\n", "; ").Replace(text)
	}
	return text
}

// familyTerm checks a statement, or a call, of a distribution that is a function. Where that takes a scalar and the left side is an array it is
// of each element, with the rows of the arguments that have one more dimension than the function asks for.
func (c *checker) familyTerm(term *Term) {
	dist := term.Dist
	fn := familyFuncs()[dist.Name]
	vars := fn.variables()
	shape := term.Left.Type().Shape
	if len(shape) == 2 && len(vars[0].typ.Sizes) == 1 && term.rowsHint() != "" {
		c.err(NotVector, term.Left.Span(), term.rowsHint(), "the %s of `%s` is a vector, not %s", term.side(), dist.Name, term.Left.Type())
		return
	}
	if scalar := len(vars[0].typ.Sizes) == 0; scalar && len(shape) > 0 {
		own := indicesOver(shape, term.Left.Span())
		term.Each = append(term.Each, own...)
		for n, a := range term.Args {
			if t := a.Type(); len(t.Shape) == len(vars[n+1].typ.Sizes)+len(shape) && sameShape(t.Shape[:len(shape)], shape) {
				term.Args[n] = elementOf(a, own)
			}
		}
		term.Left = elementOf(term.Left, own)
	}
	if dist.Support.Discrete() && term.Left.Type().Base != Int {
		c.wholeNumbers(term)
		return
	}
	before := len(c.ds.List)
	if want := matrices[dist.Support]; want != nil {
		c.onMatrix(term, want)
	}
	for n, a := range term.Args {
		c.known(a, dist, n)
	}
	c.categories(term)
	if c.errors(before) > 0 {
		return
	}
	for n, a := range term.Args {
		if (dist.Args[n].Domain == VectorReal || dist.Args[n].Domain == VectorPositive) && a.Type().IsScalar() && len(term.Left.Type().Shape) == 1 {
			term.Args[n] = c.spread(a, term.Left.Type().Shape[0])
		}
	}
	for n, a := range term.Args {
		if dist.Args[n].Domain == LowerFactor && len(a.Type().Shape) == 2 && !LowerTriangular(a) && c.dependsOnParam(a) != nil {
			term.Args[n] = LowerHalf(a)
		}
	}
	call := &CallExpr{node: node{span: term.At}, Func: dist.Name, At: term.Left.Span()}
	values := append([]Expr{term.Left}, term.Args...)
	if c.inline(call, fn, values); call.Inlined == nil {
		return
	}
	term.Formula = call
	if dist.Inform == "" {
		return
	}
	inform := &CallExpr{node: node{span: term.At}, Func: dist.Name, At: term.At}
	if !dist.InformY {
		values = values[1:]
	}
	if c.inline(inform, familyFuncs()[dist.Name+"_information"], values); inform.Inlined != nil {
		term.Information = inform
	}
}

// categories checks that what a distribution with cutpoints describes is one of its categories, of which there is one more than of those: the
// formula selects no element by it, which would say so.
func (c *checker) categories(term *Term) {
	for n, a := range term.Args {
		if term.Dist.Args[n].Domain != Ascending || len(a.Type().Shape) != 1 || a.Type().Shape[0] == unknownExtent {
			continue
		}
		cuts := a.Type().Shape[0]
		size, what := cuts.Plus(1), fmt.Sprintf("the list of categories of %s cutpoints", cuts)
		core, shift := c.unshifted(term.Left)
		if d := datum(core); d != nil && d.Type.IsScalar() {
			if !d.Support.spoiled {
				c.gatherInside(term.Left, d, int(shift), size, what)
			}
			continue
		}
		c.subscript(term.Left, size, what)
	}
}

// onMatrix checks that what a distribution of matrices describes, as a whole, is declared to be one of those.
func (c *checker) onMatrix(term *Term, want *Constraint) {
	element := isElement(term.Left) && !isMatrixOf(term.Left)
	p, d := alias(term.Left), datum(term.Left)
	switch {
	case element:
	case p != nil && (p.Constraint == want || p.Support.spoiled), d != nil && (d.Constraint == want || d.Support.spoiled):
		return
	}
	hint := "declare `param L " + want.Name + "[K]`"
	switch {
	case p != nil && len(p.Type.Shape) == 2:
		hint = "declare `param " + p.Name + " " + want.Name + "[" + p.Type.Shape[0].String() + "]`"
		if o := term.Dist.counterpart(); o != nil && p.Constraint != nil && matrices[o.Support] == p.Constraint {
			hint += ", or write `" + o.Name + "`"
		}
	case d != nil && len(d.Type.Shape) == 2 && want.Data == 2:
		hint = "declare `data " + d.Name + " " + want.Name + "[" + d.Type.Shape[0].String() + "]`"
	}
	if d != nil && want.Data != 2 && len(d.Type.Shape) == 2 {
		hint = "it is the prior of a parameter, as `param R " + want.Name + "[" + d.Type.Shape[0].String() + "]`; data of this type there are not"
	}
	c.err(OutsideSupport, term.Left.Span(), hint, "`%s` is defined on %s, and the %s is not declared to be one", term.Dist.Name, term.Dist.Support, term.side())
}

// counterpart is the distribution of factors for one of matrices, and the other way round; nil if there is none.
func (d *Distribution) counterpart() *Distribution {
	const factors = "_cholesky"
	if stem, ok := strings.CutSuffix(d.Name, factors); ok {
		return LookupDistribution(stem)
	}
	return LookupDistribution(d.Name + factors)
}

// wholeNumbers reports a left side that is not of whole numbers.
func (c *checker) wholeNumbers(term *Term) {
	hint := ""
	if d := datum(term.Left); d != nil {
		hint = "declare `data " + d.Name + " " + Type{Int, d.Type.Shape}.String() + map[Domain]string{Category: " in 1..K", VectorCounts: " >= 0"}[term.Dist.Support] + "`"
	}
	c.err(NeedsInteger, term.Left.Span(), hint, "`%s` describes %s, and the %s is %s", term.Dist.Name, term.Dist.Support, term.side(), term.Left.Type())
}

// known checks what the declarations say of an argument of a distribution that is a function.
func (c *checker) known(a Expr, dist *Distribution, n int) {
	arg := &dist.Args[n]
	var want *Constraint
	switch arg.Domain {
	case OnSimplex:
		want = Simplex
	case Ascending:
		want = LookupConstraint("ordered")
	case Covariance:
		if isFactor(a) {
			c.factorForMatrix(a, dist)
		}
		return
	case LowerFactor:
		c.matrixForFactor(a, dist, n)
		return
	default:
		c.argument(a, dist, n)
		return
	}
	p := alias(a)
	if p == nil || len(p.Type.Shape) == 0 || p.Constraint == want || p.Support.spoiled || arg.Domain == Ascending && p.Constraint != nil && p.Constraint.Name == "positive_ordered" {
		return
	}
	hint := "declare `param " + p.Name + " " + want.Name + "[" + p.Type.Shape[len(p.Type.Shape)-1].String() + "]`"
	if link := dist.link(n); link != "" {
		hint += ", or write `" + link + "`, which takes any real numbers"
	}
	c.err(BadArgument, a.Span(), hint, "the argument `%s` of `%s` is %s, but the parameter `%s` may not be", arg.Name, dist.Name, map[Domain]string{OnSimplex: "a simplex", Ascending: "in ascending order"}[arg.Domain], p.Name)
	c.note(p.At, "declared here")
}

// isFactor reports whether an expression is plainly the lower triangular factor of a matrix: a parameter of such a type, `cholesky` of one, or
// one of these with its rows or all of it scaled.
func isFactor(e Expr) bool {
	switch e := Through(e).(type) {
	case *Name:
		switch o := e.Obj.(type) {
		case *Param:
			return o.isFactor()
		case *Let:
			return o.Recursion == nil && len(o.Indices) == 0 && o.Value != nil && isFactor(o.Value)
		}
	case *CallExpr:
		return e.Func == "cholesky"
	case *BinaryExpr:
		d, ok := e.X.(*CallExpr)
		return e.Op == "*" && isFactor(e.Y) && (e.X.Type().IsScalar() || ok && d.Func == "diag")
	}
	return false
}

// factorForMatrix reports a factor where a distribution takes the matrix itself.
func (c *checker) factorForMatrix(a Expr, dist *Distribution) {
	hint := "the matrix is L*L'"
	if _, name := a.(*Name); name {
		hint = fmt.Sprintf("the matrix is %s*%s'", Text(a), Text(a))
	}
	if o := dist.counterpart(); o != nil {
		hint = fmt.Sprintf("write `%s`, which takes the factor", o.Name)
	}
	c.err(NotSymmetric, a.Span(), hint, "`%s` takes a symmetric matrix, and this is the factor of one", dist.Name)
}

// upper is the lower triangular matrix that an expression is the transpose of, or nil.
func upper(e Expr) Expr {
	switch e := Through(e).(type) {
	case *Name:
		if l, ok := e.Obj.(*Let); ok && l.Recursion == nil && len(l.Indices) == 0 && l.Value != nil {
			return upper(l.Value)
		}
	case *UnaryExpr:
		if e.Op == "'" && LowerTriangular(e.X) {
			return e.X
		}
	}
	return nil
}

// matrixForFactor reports a matrix, or what may be any, where a distribution takes a lower triangular factor: it would read the lower half.
func (c *checker) matrixForFactor(a Expr, dist *Distribution, n int) {
	p, d, arg := alias(a), datum(a), dist.Args[n].Name
	switch {
	case isElement(a) && !isMatrixOf(a):
	case p != nil && (p.Constraint == Cov || p.Constraint == Corr), d != nil && d.Constraint.IsSymmetric(), Symmetric(a) && !LowerTriangular(a):
		hint := fmt.Sprintf("write cholesky(%s)", Text(a))
		if o := dist.counterpart(); o != nil {
			hint += fmt.Sprintf(", or `%s`, which takes the matrix", o.Name)
		}
		c.err(BadArgument, a.Span(), hint, "the argument `%s` of `%s` is a factor, and this is a matrix itself", arg, dist.Name)
	case upper(a) != nil:
		c.err(BadArgument, a.Span(), fmt.Sprintf("write `%s`", Text(upper(a))), "the argument `%s` of `%s` is a lower triangular factor, and this is an upper triangular one", arg, dist.Name)
	case p != nil && p.Constraint == nil && len(p.Type.Shape) == 2 && !p.Support.spoiled:
		c.err(BadArgument, a.Span(), fmt.Sprintf("declare `param %s cov_cholesky[%s]`", p.Name, p.Type.Shape[0]), "the argument `%s` of `%s` is a lower triangular factor, but the parameter `%s` may not be", arg, dist.Name, p.Name)
		c.note(p.At, "declared here")
	}
}
