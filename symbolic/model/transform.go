package model

import (
	"math"
	"slices"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/symbolic/expr"
)

// Transform is a row of the table of transforms: a smooth map from unconstrained coordinates u
// onto the values x of a parameter, and all that the compiler knows of it. Lo and Hi of the
// parameter are its bounds.
//
// The Jacobian matrix of a row is triangular, as those of Stan's transforms are: x_1 depends on u_1
// only, x_2 on u_1 and u_2, and so on.
type Transform struct {
	Name string

	// Example is the type of a parameter that the row is the transform of, for tests.
	Example string

	// Lower and Upper tell which bounds the row is for, Affine that it is for an offset and a multiplier, which are Lo and Hi of the parameter then, and Constraint
	// for which type: it has the shape of the coordinates. Nil stands for real numbers, of which each has a coordinate of its own.
	Lower, Upper, Affine bool
	Constraint           *dsl.Constraint

	// Opaque is set if a value is made of many coordinates: expressions hold a reference to it, a shared definition.
	Opaque bool

	// Between is an element of what stands between the coordinates and the values, of the shape of the values, where that is a
	// definition of its own: Value reads it by Param.Between. It is called as BetweenName says.
	Between     func(c *expr.Context, b *Param, s []expr.Sub) *expr.Expr
	BetweenName string

	// Plain is the name of the scale on which a latent vector with this row is near normal, that of its coordinates:
	// "" of the values themselves. Rows of which Carries is not set have no latent vectors.
	Plain   string
	Carries bool

	// Value is the value at subscripts, in terms of the coordinates.
	Value func(c *expr.Context, b *Param, s []expr.Sub) *expr.Expr

	// LogJacobian is what the coordinate at subscripts contributes to log |∂x/∂u|.
	LogJacobian func(c *expr.Context, b *Param, s []expr.Sub) *expr.Expr

	// Total is log |∂x/∂u| as a whole, in place of LogJacobian.
	Total func(c *expr.Context, b *Param) *expr.Expr

	// Radial is set if values depend on the direction of the coordinates and not on their length r, so that there is no ∂x/∂u: the
	// log-Jacobian is then the logarithm of a density of the coordinates by which r has a distribution of its own, chi.
	Radial bool

	// Constants are the elements that are the same number everywhere, by the names of the runtime.
	Constants Constants

	// Ends is where values end and coordinates go on: far out they do not depend on them any more.
	Ends Ends

	// Rounds is set if a value may be rounded to a number beyond Hi.
	Rounds bool

	// Inverse is the coordinate of a value, where each has its own: an expression of the language in x, lo and
	// hi, for an x inside the bounds. Of a row with Affine set these two may be missing.
	Inverse string

	// Whole is the function of runtime/transform that finds the coordinates of all values together, where they
	// belong together: it writes those of x to q, or says what is wrong with x, to stand behind the name of the parameter.
	Whole string
}

// Transforms is the table, as in Stan's reference.
var Transforms = []*Transform{
	unbounded, affine, above, below, between, onSimplex, ordered, positiveOrdered, unitVector, sumToZero, corr, corrCholesky, cov, covCholesky,
}

// Constants says which elements of a matrix are the same number everywhere, by the names of the runtime.
type Constants string

// Which ones.
const (
	ConstantDiagonal Constants = "ConstantDiagonal"
	ConstantAbove    Constants = "ConstantAbove"
	ConstantCorner   Constants = "ConstantCorner"
)

// Ends says on which sides of the coordinates values end, by the names of the runtime.
type Ends string

// The sides.
const (
	EndBelow Ends = "EndBelow"
	EndBoth  Ends = "EndBoth"
)

var (
	unbounded = &Transform{
		Name: "identity", Example: "real[3]", Carries: true,
		Value:       func(c *expr.Context, b *Param, s []expr.Sub) *expr.Expr { return b.coordinate(c, s) },
		LogJacobian: func(c *expr.Context, b *Param, s []expr.Sub) *expr.Expr { return c.Number(0) },
		Inverse:     "x",
	}
	// lo + hi u, of an offset lo and a multiplier hi
	affine = &Transform{
		Name: "affine", Example: "real[3] offset -1.5 multiplier 2.5", Affine: true, Carries: true, Plain: "free",
		Value: func(c *expr.Context, b *Param, s []expr.Sub) *expr.Expr {
			x := b.coordinate(c, s)
			lo, hi := b.Bounds(s)
			if hi != nil {
				x = c.Mul(hi, x)
			}
			if lo != nil {
				x = c.Add(lo, x)
			}
			return x
		},
		LogJacobian: func(c *expr.Context, b *Param, s []expr.Sub) *expr.Expr {
			_, hi := b.Bounds(s)
			if hi == nil {
				return c.Number(0)
			}
			return c.Call("log", hi)
		},
		Inverse: "(x - lo)/hi",
	}
	// lo + eᵘ
	above = &Transform{
		Name: "lower", Example: "real[3] > -1.5", Lower: true, Ends: EndBelow, Carries: true, Plain: "log",
		Value: func(c *expr.Context, b *Param, s []expr.Sub) *expr.Expr {
			lo, _ := b.Bounds(s)
			return c.Add(lo, c.Call("exp", b.coordinate(c, s)))
		},
		LogJacobian: func(c *expr.Context, b *Param, s []expr.Sub) *expr.Expr { return b.coordinate(c, s) },
		Inverse:     "log(x - lo)",
	}
	// hi − eᵘ
	below = &Transform{
		Name: "upper", Example: "real[3] < 2", Upper: true, Ends: EndBelow, Carries: true, Plain: "log",
		Value: func(c *expr.Context, b *Param, s []expr.Sub) *expr.Expr {
			_, hi := b.Bounds(s)
			return c.Sub(hi, c.Call("exp", b.coordinate(c, s)))
		},
		LogJacobian: func(c *expr.Context, b *Param, s []expr.Sub) *expr.Expr { return b.coordinate(c, s) },
		Inverse:     "log(hi - x)",
	}
	// lo + (hi − lo)·inv_logit(u); log(hi − lo) + log z + log(1 − z) with z = inv_logit(u)
	between = &Transform{
		Name: "interval", Example: "real[3] in (-1, 2.5)", Lower: true, Upper: true, Ends: EndBoth, Rounds: true, Carries: true, Plain: "logit",
		Value: func(c *expr.Context, b *Param, s []expr.Sub) *expr.Expr {
			lo, hi := b.Bounds(s)
			return c.Add(lo, c.Mul(c.Sub(hi, lo), c.Call("inv_logit", b.coordinate(c, s))))
		},
		LogJacobian: func(c *expr.Context, b *Param, s []expr.Sub) *expr.Expr {
			u := b.coordinate(c, s)
			lo, hi := b.Bounds(s)
			return c.Add(c.Call("log", c.Sub(hi, lo)), c.Call("log_inv_logit", u), c.Call("log1m_inv_logit", u))
		},
		Inverse: "logit((x - lo)/(hi - lo))",
	}
	// A stick of length 1 is broken K − 1 times: at the k-th break the part z_k of what is left
	// becomes x_k, and the last is what remains,
	//
	//	z_k = inv_logit(u_k − log(K − k)),   x_k = z_k Π_{j<k} (1 − z_j),   z_K = 1.
	//
	// Products are sums of logarithms, of which none is lost where z_k is near 0 or 1. The k-th
	// part of the Jacobian is log z_k + log(1 − z_k) + Σ_{j<k} log(1 − z_j), and of these sums the
	// logarithm of 1 − z_k is part K − k times.
	onSimplex = &Transform{
		Name: "simplex", Example: "simplex[4]", Constraint: dsl.Simplex, Ends: EndBoth, Opaque: true,
		Value: func(c *expr.Context, b *Param, s []expr.Sub) *expr.Expr {
			row, k := rowOf(s)
			return c.Call("exp", b.logPart(c, row, k))
		},
		LogJacobian: func(c *expr.Context, b *Param, s []expr.Sub) *expr.Expr {
			row, k := rowOf(s)
			taken, left := b.breaks(c, row, k)
			return c.Add(taken, c.Mul(b.behind(c, k), left))
		},
		Whole: "SimplexCoordinates",
	}
	// x_1 = u_1, x_k = x_{k−1} + exp(u_k)
	ordered = &Transform{
		Name: "ordered", Example: "ordered[4]", Constraint: dsl.Ordered, Opaque: true,
		Value: func(c *expr.Context, b *Param, s []expr.Sub) *expr.Expr {
			row, k := rowOf(s)
			return c.Add(b.coordinate(c, append(slices.Clone(row), expr.Sub{At: dsl.Fixed(1)})), b.ascent(c, row, k, 2))
		},
		LogJacobian: func(c *expr.Context, b *Param, s []expr.Sub) *expr.Expr {
			row, k := rowOf(s)
			steps := dsl.Range{Lo: dsl.Fixed(2), Hi: b.Coord.Shape[len(row)]}
			return c.Mul(c.Within(k, steps), b.coordinate(c, s))
		},
		Whole: "OrderedCoordinates",
	}
	// x_1 = exp(u_1), x_k = x_{k−1} + exp(u_k)
	positiveOrdered = &Transform{
		Name: "positive_ordered", Example: "positive_ordered[4]", Constraint: dsl.PositiveOrdered, Ends: EndBelow, Opaque: true,
		Value: func(c *expr.Context, b *Param, s []expr.Sub) *expr.Expr {
			row, k := rowOf(s)
			return b.ascent(c, row, k, 1)
		},
		LogJacobian: func(c *expr.Context, b *Param, s []expr.Sub) *expr.Expr { return b.coordinate(c, s) },
		Whole:       "PositiveOrderedCoordinates",
	}
	// x = u/|u|, and −|u|²/2: of coordinates that are normal the direction is uniform on the sphere.
	unitVector = &Transform{
		Name: "unit_vector", Example: "unit_vector[4]", Constraint: dsl.UnitVector, Opaque: true, Radial: true,
		Value: func(c *expr.Context, b *Param, s []expr.Sub) *expr.Expr {
			row, k := rowOf(s)
			j := c.NewIndex("j", expr.UpTo(b.Coord.Shape[len(row)]))
			square := c.Sum(j, c.Call("square", b.coordinate(c, append(slices.Clone(row), expr.Sub{Index: j}))))
			return c.Div(b.coordinate(c, append(slices.Clone(row), k)), c.Call("sqrt", square))
		},
		LogJacobian: func(c *expr.Context, b *Param, s []expr.Sub) *expr.Expr {
			return c.Scale(-0.5, c.Call("square", b.coordinate(c, s)))
		},
		Whole: "UnitVectorCoordinates",
	}
	// An orthonormal basis of the vectors of sum 0: with w_n = u_n/√(n(n + 1)),
	//
	//	x_k = Σ_{n≥k} w_n − (k − 1) w_{k−1}.
	sumToZero = &Transform{
		Name: "sum_to_zero", Example: "sum_to_zero[4]", Constraint: dsl.SumToZero, Opaque: true, Carries: true, Plain: "free",
		Value: func(c *expr.Context, b *Param, s []expr.Sub) *expr.Expr {
			row, k := rowOf(s)
			last := b.Coord.Shape[len(row)]
			n := c.NewIndex("n", expr.UpTo(last))
			at := expr.Sub{Index: n}
			from := c.Sum(n, c.Mul(c.Before(k, expr.ShiftSub(at, 1)), b.weighed(c, row, at)))
			own := c.Within(k, dsl.Range{Lo: dsl.Fixed(2), Hi: last.Plus(1)})
			if own.IsNum(0) {
				return from
			}
			before := expr.ShiftSub(k, -1)
			return c.Sub(from, c.Mul(own, c.Sub(c.Position(k), c.Number(1)), b.weighed(c, row, before)))
		},
		LogJacobian: func(c *expr.Context, b *Param, s []expr.Sub) *expr.Expr { return c.Number(0) },
		Whole:       "SumToZeroCoordinates",
	}
	// The rows of L have length 1. With z = tanh(u), of what the elements before leave of it L_ij takes the part z_ij,
	//
	//	L_ij = z_ij Π_{k<j} √(1 − z_ik²)   for j < i,      L_ii = Π_{k<i} √(1 − z_ik²),
	//
	// and the logarithm of 1 − z_ik² is part 1 + (i − 1 − k)/2 times of the Jacobian. The coordinates are those below the diagonal, row by row.
	corrCholesky = &Transform{
		Name: "corr_cholesky", Example: "corr_cholesky[3]", Constraint: dsl.CorrCholesky, Ends: EndBoth, Opaque: true, Constants: ConstantCorner,
		Value: func(c *expr.Context, b *Param, s []expr.Sub) *expr.Expr {
			of, i, j := elementOf(s)
			return b.corrFactor(c, expr.BelowByRows, of, i, j)
		},
		Total: func(c *expr.Context, b *Param) *expr.Expr {
			n := b.order()
			i, k := c.NewIndex("i", dsl.Range{Lo: dsl.Fixed(2), Hi: n}), c.NewIndex("k", expr.UpTo(n.Plus(-1)))
			row, at := expr.Sub{Index: i}, expr.Sub{Index: k}
			times := c.Scale(0.5, c.Add(c.Number(1), c.Sub(c.Position(row), c.Position(at))))
			return b.ofEach(c, func(of []expr.Sub) *expr.Expr {
				return c.Sum(i, c.Sum(k, c.Mul(c.Before(at, row), times, b.logLeft(c, expr.BelowByRows, of, row, at))))
			})
		},
		Whole: "CorrCholeskyCoordinates",
	}
)

// weighed is the coordinate u_n of a vector of sum 0, divided by √(n(n + 1)).
func (b *Param) weighed(c *expr.Context, row []expr.Sub, n expr.Sub) *expr.Expr {
	at := c.Position(n)
	return c.Div(b.coordinate(c, append(slices.Clone(row), n)), c.Call("sqrt", c.Mul(at, c.Add(at, c.Number(1)))))
}

// ascent is Σ exp(u_j) over the coordinates of a row from one up to the k-th.
func (b *Param) ascent(c *expr.Context, row []expr.Sub, k expr.Sub, from int) *expr.Expr {
	j := c.NewIndex("j", dsl.Range{Lo: dsl.Fixed(from), Hi: b.Coord.Shape[len(row)]})
	at := expr.Sub{Index: j}
	return c.Sum(j, c.Mul(c.Before(at, expr.ShiftSub(k, 1)), c.Call("exp", b.coordinate(c, append(slices.Clone(row), at)))))
}

// rowOf splits the subscripts of an element into those of its row and the one in it.
func rowOf(s []expr.Sub) (row []expr.Sub, k expr.Sub) { return s[:len(s)-1], s[len(s)-1] }

// Missing are the numbers that stand for Lo and Hi of a parameter where it has none.
func (t *Transform) Missing() [2]float64 {
	if t.Affine {
		return [2]float64{0, 1}
	}
	return [2]float64{math.Inf(-1), math.Inf(1)}
}

// Check is the name of the function of runtime/validate that checks Lo and Hi where they are functions of data.
func (t *Transform) Check() string {
	if t.Affine {
		return "Scale"
	}
	return "Bounds"
}

// TransformOf is the row of a declaration.
func TransformOf(q *dsl.Param) *Transform {
	for _, t := range Transforms {
		if t.Constraint == q.Constraint && t.Affine == q.Affine() && t.Lower == (q.Support.Lo != nil) && t.Upper == (q.Support.Hi != nil) {
			return t
		}
	}
	panic("symbolic: no transform of " + q.ObjectName())
}

// carried is the transform of a latent vector with this row. It is no row of the table: what it does depends on the whole
// model. The coordinates that its inverse finds are plain ones.
func (t *Transform) carried() *Transform {
	return &Transform{Name: "transport", Opaque: true, Affine: t.Affine, Inverse: t.Inverse, Whole: t.Whole, Rounds: t.Rounds}
}

// plain names the plain coordinates of a latent vector, in programs and to people.
func (t *Transform) plain(of string) (name, label string) {
	if t.Plain == "" {
		return of, of
	}
	return t.Plain + "_" + of, t.Plain + "(" + of + ")"
}
