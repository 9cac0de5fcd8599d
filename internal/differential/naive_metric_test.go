package differential

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/mathext"

	"github.com/hamc-dev/hamc/dsl"
)

// metric evaluates the metric of a block by what the language says of it, straight
// from the syntax tree: the information of distributions by its textbook form,
// derivatives by finite differences with a step h. It is nil where this file does
// not know how.
func (e *naive) metric(b *dsl.Block, q []float64, h float64) []float64 {
	e.step = h
	at := e.coordinates(b)
	n := len(at)
	g := make([]float64, n*n)
	for _, t := range b.Metric {
		m := e.summand(t, b, at, q)
		if m == nil {
			return nil
		}
		e.set(q)
		scale := 1.0
		if t.Scale != nil {
			scale = e.scalar(t.Scale)
		}
		for i := range g {
			g[i] += scale * m[i]
		}
	}
	return g
}

// coordinates returns where those of a block stand among all, in the order of the
// block.
func (e *naive) coordinates(b *dsl.Block) []int {
	var out []int
	for _, own := range b.Params {
		at := 0
		for _, p := range e.m.Params {
			n := e.size(p)
			if p == own {
				for i := range n {
					out = append(out, at+i)
				}
			}
			at += n
		}
	}
	return out
}

// size is the number of coordinates of a parameter.
func (e *naive) size(p *dsl.Param) int {
	if len(p.Type.Shape) == 0 {
		return 1
	}
	n := 1
	for _, x := range p.Coordinates() {
		n *= e.extent(x)
	}
	return n
}

func (e *naive) summand(t *dsl.MetricTerm, b *dsl.Block, at []int, q []float64) []float64 {
	n := len(at)
	g := make([]float64, n*n)
	e.set(q)
	switch t.Kind {
	case dsl.MetricIdentity:
		for i := range n {
			g[i*n+i] = 1
		}
	case dsl.MetricDiag:
		for i := range n {
			if len(t.Args) == 1 {
				g[i*n+i] = e.eval(t.Args[0]).v[min(i, len(e.eval(t.Args[0]).v)-1)]
			} else {
				g[i*n+i] = e.scalar(t.Args[i])
			}
		}
	case dsl.MetricInverse:
		copy(g, e.eval(t.Args[0]).v) // inverse(S) itself
	case dsl.MetricMatrix:
		copy(g, e.eval(t.Matrix).v)
	case dsl.MetricIndexed:
		g = g[:0]
		e.over(t.Indices, func() { g = append(g, e.scalar(t.Value)) })
	case dsl.MetricBlocks:
		start := map[*dsl.Param]int{}
		k := 0
		for _, p := range b.Params {
			start[p] = k
			k += e.size(p)
		}
		for _, x := range t.Blocks {
			var open []*dsl.Index
			i, j := func() int { return start[x.Row] }, func() int { return start[x.Col] }
			if x.RowIndex != nil {
				open = append(open, x.RowIndex)
				i = func() int { return start[x.Row] + e.index[x.RowIndex] - 1 }
			}
			if x.ColIndex != nil {
				open = append(open, x.ColIndex)
				j = func() int { return start[x.Col] + e.index[x.ColIndex] - 1 }
			}
			e.over(open, func() {
				v := e.scalar(x.Value)
				g[i()*n+j()], g[j()*n+i()] = v, v
			})
		}
	case dsl.MetricHessian:
		e.hessian(g, at, q, e.logDensity)
	case dsl.MetricFisher:
		if t.Expected || !e.fisher(g, b, at, q) {
			return nil
		}
	default:
		return nil
	}
	return g
}

func (e *naive) inverse(a array) array {
	n := a.shape[0]
	var inv mat.Dense
	if err := inv.Inverse(mat.NewDense(n, n, a.v)); err != nil {
		panic(err)
	}
	return array{a.shape, inv.RawMatrix().Data}
}

// The central difference of sixth order: Σ_s s·w·f(x + s·h·n)/(60 h).
var stencil = []struct{ at, weight float64 }{{-3, -1}, {-2, 9}, {-1, -45}, {1, 45}, {2, -9}, {3, 1}}

// hessian writes −∂²f at some coordinates.
func (e *naive) hessian(g []float64, at []int, q []float64, f func(q []float64) float64) {
	n := len(at)
	x := append([]float64(nil), q...)
	for i := range n {
		for j := range i + 1 {
			sum := 0.0
			for _, a := range stencil {
				for _, b := range stencil {
					copy(x, q)
					x[at[i]] += e.step * a.at
					x[at[j]] += e.step * b.at
					sum += a.weight * b.weight * f(x)
				}
			}
			v := -sum / (3600 * e.step * e.step)
			g[i*n+j], g[j*n+i] = v, v
		}
	}
}

// fisher writes the Fisher metric of a block: the information of terms whose left
// side is free of the block's parameters, the negative Hessian of the rest.
func (e *naive) fisher(g []float64, b *dsl.Block, at []int, q []float64) bool {
	e.hessian(g, at, q, func(x []float64) float64 {
		l := 0.0
		for k, j := range e.set(x) {
			if b.Holds(e.m.Params[k]) {
				l += j
			}
		}
		for _, t := range e.m.Terms {
			if t.Dist == nil || depends(t.Left, b) {
				l += e.term(t)
			}
		}
		return l
	})
	for _, t := range e.m.Terms {
		if t.Dist == nil || depends(t.Left, b) {
			continue
		}
		if !e.inform(g, t, at, q) {
			return false
		}
	}
	return true
}

// inform adds the information of a term, by the derivatives of the arguments of its distribution.
func (e *naive) inform(g []float64, t *dsl.Term, at []int, q []float64) bool {
	// The arguments of all elements, one after the other.
	var data [][]array
	eta := func(x []float64) (all []float64) {
		e.set(x)
		data = nil
		e.draws(t, func(args []array) {
			data = append(data, args)
			for _, a := range args[1:] {
				all = append(all, a.v...)
			}
		})
		return all
	}
	var slopes [][]float64
	x := append([]float64(nil), q...)
	for _, k := range at {
		var sum []float64
		for _, s := range stencil {
			copy(x, q)
			x[k] += e.step * s.at
			for i, v := range eta(x) {
				if len(sum) <= i {
					sum = append(sum, 0)
				}
				sum[i] += s.weight * v / (60 * e.step)
			}
		}
		slopes = append(slopes, sum)
	}
	eta(q)
	start := 0
	for _, args := range data {
		if t.Dist.Define != "" {
			if !informFamily(g, slopes, start, t, args) {
				return false
			}
			for _, x := range args[1:] {
				start += len(x.v)
			}
			continue
		}
		switch t.Dist.Name {
		case "multi_normal":
			e.informNormal(g, slopes, start, args)
			start += len(args[1].v) + len(args[2].v)
			continue
		case "dirichlet":
			informDirichlet(g, slopes, start, args[1].v)
			start += len(args[1].v)
			continue
		}
		if !informElements(g, slopes, start, t.Dist.Name, args) {
			return false
		}
		for _, x := range args[1:] {
			start += len(x.v)
		}
	}
	return true
}

// informElements adds the information of independent elements, whose arguments begin at a row of the slopes.
func informElements(g []float64, slopes [][]float64, start int, name string, args []array) bool {
	n := len(slopes)
	for k := range args[0].v {
		at := make([]int, len(args)-1)
		eta := make([]float64, len(args)-1)
		from := start
		for a, x := range args[1:] {
			at[a] = from
			if len(x.v) > 1 {
				at[a] += k
			}
			eta[a] = x.v[at[a]-from]
			from += len(x.v)
		}
		info := information(name, args[0].v[k], eta)
		if info == nil {
			return false
		}
		m := len(eta)
		for i := range n {
			for j := range n {
				for r := range m {
					for s := range m {
						g[i*n+j] += slopes[i][at[r]] * info[r*m+s] * slopes[j][at[s]]
					}
				}
			}
		}
	}
	return true
}

// informNormal adds the information of multi_normal, given the slopes of its arguments by the coordinates.
func (e *naive) informNormal(g []float64, slopes [][]float64, start int, args []array) {
	n, m, inv := len(slopes), len(args[1].v), e.inverse(args[2])
	for i := range n {
		for j := range n {
			for r := range m {
				for s := range m {
					g[i*n+j] += slopes[i][start+r] * inv.v[r*m+s] * slopes[j][start+s]
				}
			}
			// That about the covariance, ½ tr(Σ⁻¹ ∂_iΣ Σ⁻¹ ∂_jΣ).
			var x, y mat.Dense
			x.Mul(dense(inv), mat.NewDense(m, m, slopes[i][start+m:][:m*m]))
			y.Mul(dense(inv), mat.NewDense(m, m, slopes[j][start+m:][:m*m]))
			x.Mul(&x, &y)
			g[i*n+j] += mat.Trace(&x) / 2
		}
	}
}

// informDirichlet adds that of dirichlet: ψ′(α_r) on the diagonal, less ψ′(Σα).
func informDirichlet(g []float64, slopes [][]float64, start int, alpha []float64) {
	n, all := len(slopes), 0.0
	for _, a := range alpha {
		all += a
	}
	for i := range n {
		for j := range n {
			for r, a := range alpha {
				g[i*n+j] += slopes[i][start+r] * trigamma(a) * slopes[j][start+r]
				for s := range alpha {
					g[i*n+j] -= slopes[i][start+r] * trigamma(all) * slopes[j][start+s]
				}
			}
		}
	}
}

// trigamma is the derivative of gonum's digamma, by differences.
func trigamma(x float64) float64 {
	d, h := 0.0, 0.01*x
	for _, s := range stencil {
		d += s.weight * mathext.Digamma(x+s.at*h) / (60 * h)
	}
	return d
}

// eulerGamma is Euler's constant.
const eulerGamma = 0.57721566490153286

// information is the Fisher information of a distribution about its arguments, or
// nil. Where an argument's is not known, it is 0: the compiler refuses models in
// which that argument depends on a parameter.
func information(name string, y float64, a []float64) []float64 {
	s := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	switch name {
	case "normal", "lognormal":
		return []float64{1 / (a[1] * a[1]), 0, 0, 2 / (a[1] * a[1])}
	case "cauchy":
		return []float64{0.5 / (a[1] * a[1]), 0, 0, 0.5 / (a[1] * a[1])}
	case "student_t":
		v := a[2] * a[2] * (a[0] + 3)
		return []float64{0, 0, 0, 0, (a[0] + 1) / v, 0, 0, 0, 2 * a[0] / v}
	case "exponential":
		return []float64{1 / (a[0] * a[0])}
	case "poisson":
		return []float64{1 / a[0]}
	case "poisson_log":
		return []float64{math.Exp(a[0])}
	case "bernoulli":
		return []float64{1 / (a[0] * (1 - a[0]))}
	case "bernoulli_logit":
		return []float64{s(a[0]) * s(-a[0])}
	case "binomial_logit":
		return []float64{0, 0, 0, a[0] * s(a[1]) * s(-a[1])}
	case "binomial":
		return []float64{0, 0, 0, a[0] / (a[1] * (1 - a[1]))}
	case "neg_binomial":
		return []float64{0, 0, 0, a[0] / (a[1] * a[1] * (1 + a[1]))}
	case "neg_binomial_2":
		return []float64{1 / (a[0] + a[0]*a[0]/a[1]), 0, 0, 0}
	case "neg_binomial_2_log":
		m := math.Exp(a[0])
		return []float64{m / (1 + m/a[1]), 0, 0, 0}
	case "logistic":
		v := 9 * a[1] * a[1]
		return []float64{3 / v, 0, 0, (3 + math.Pi*math.Pi) / v}
	case "von_mises": // the mean and the variance of the cosine
		h := 1e-3
		at := func(x float64) float64 { return logBesselI0(a[1] + x) }
		mean := (45*(at(h)-at(-h)) - 9*(at(2*h)-at(-2*h)) + at(3*h) - at(-3*h)) / (60 * h)
		variance := (270*(at(h)+at(-h)) - 27*(at(2*h)+at(-2*h)) + 2*(at(3*h)+at(-3*h)) - 490*at(0)) / (180 * h * h)
		return []float64{a[1] * mean, 0, 0, variance}
	case "gumbel":
		v, d := a[1]*a[1], 1-eulerGamma
		return []float64{1 / v, -d / v, -d / v, (math.Pi*math.Pi/6 + d*d) / v}
	case "weibull", "frechet":
		d := 1 - eulerGamma
		c := -d / a[1]
		if name == "frechet" {
			c = -c
		}
		return []float64{(math.Pi*math.Pi/6 + d*d) / (a[0] * a[0]), c, c, a[0] * a[0] / (a[1] * a[1])}
	case "rayleigh":
		return []float64{4 / (a[0] * a[0])}
	}
	return compoundInformation(name, a)
}

// compoundInformation is that of distributions that are made of others.
func compoundInformation(name string, a []float64) []float64 {
	switch name {
	case "double_exponential":
		v := 1 / (a[1] * a[1])
		return []float64{v, 0, 0, v}
	case "skew_double_exponential":
		s, t := a[1], a[2]
		c := (2*t - 1) / (t * (1 - t) * s)
		return []float64{4 * t * (1 - t) / (s * s), 0, -2 / s, 0, 1 / (s * s), c, -2 / s, c, 1/(t*t) + 1/((1-t)*(1-t))}
	case "half_normal":
		return []float64{2 / (a[0] * a[0])}
	case "half_cauchy":
		return []float64{0.5 / (a[0] * a[0])}
	case "half_student_t":
		return []float64{0, 0, 0, 2 * a[0] / (a[1] * a[1] * (a[0] + 3))}
	case "pareto", "kumaraswamy":
		return []float64{0, 0, 0, 1 / (a[1] * a[1])}
	case "pareto_type_2":
		l, k := a[1], a[2]
		c := -1 / (l * (k + 1))
		return []float64{0, 0, 0, 0, k / (l * l * (k + 2)), c, 0, c, 1 / (k * k)}
	case "loglogistic":
		return []float64{a[1] * a[1] / (3 * a[0] * a[0]), 0, 0, (3 + math.Pi*math.Pi) / (9 * a[1] * a[1])}
	case "inv_gaussian":
		return []float64{a[1] / (a[0] * a[0] * a[0]), 0, 0, 0.5 / (a[1] * a[1])}
	case "logit_normal":
		return []float64{1 / (a[1] * a[1]), 0, 0, 2 / (a[1] * a[1])}
	case "geometric":
		return []float64{1/(a[0]*a[0]) + 1/(a[0]*(1-a[0]))}
	}
	switch name {
	case "zero_inflated_poisson", "zero_inflated_neg_binomial_2", "hurdle_poisson":
		return zerosInformation(name, a)
	}
	return nil
}

// zerosInformation sums products of scores over counts, until those have no probability. About the shape of a negative binomial
// distribution it is not known.
func zerosInformation(name string, a []float64) []float64 {
	m := len(a)
	out := make([]float64, m*m)
	total := 0.0
	for y := 0.0; total < 1-1e-13 && y < 5000; y++ {
		p := math.Exp(logDensity(name, y, a))
		total += p
		var scores [2]float64
		for k := range scores {
			h := 1e-3 * min(a[k], 1)
			if k == 0 {
				h = 1e-3 * min(a[0], 1-a[0])
			}
			for _, s := range stencil {
				b := slices.Clone(a)
				b[k] += s.at * h
				scores[k] += s.weight * logDensity(name, y, b) / (60 * h)
			}
		}
		for i, x := range scores {
			for j, z := range scores {
				out[i*m+j] += p * x * z
			}
		}
	}
	return out
}

// depends reports whether an expression holds a parameter of a block.
func depends(e dsl.Expr, b *dsl.Block) bool {
	any := func(list ...dsl.Expr) bool {
		for _, x := range list {
			if x != nil && depends(x, b) {
				return true
			}
		}
		return false
	}
	switch e := e.(type) {
	case *dsl.Name:
		switch o := e.Obj.(type) {
		case *dsl.Param:
			return b.Holds(o)
		case *dsl.Let:
			if o.Recursion != nil {
				return slices.ContainsFunc(b.Params, func(p *dsl.Param) bool { return o.Params()[p] })
			}
			return depends(o.Value, b)
		}
	case *dsl.FieldExpr:
		s := e.Solve
		return any(append(append(append([]dsl.Expr{}, s.Init...), s.Args...), s.Ode.Rhs...)...)
	case *dsl.IndexExpr:
		return depends(e.Base, b)
	case *dsl.UnaryExpr:
		return depends(e.X, b)
	case *dsl.BinaryExpr:
		return any(e.X, e.Y)
	case *dsl.IfExpr:
		return any(e.Cond, e.Then, e.Else)
	case *dsl.SumExpr:
		if e.Terms != nil {
			return depends(e.Terms, b)
		}
		return depends(e.Body, b)
	case *dsl.MatrixExpr:
		for _, r := range e.Rows {
			if any(r...) {
				return true
			}
		}
	case *dsl.CallExpr:
		for _, a := range e.Args {
			if depends(a.Expr, b) {
				return true
			}
		}
	}
	return false
}
