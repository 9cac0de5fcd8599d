package model

import (
	"math"
	"slices"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/symbolic/expr"
)

// The rows of the table of transforms that are of symmetric matrices and of factors of covariances, as in Stan: with the order of their coordinates,
// which is that of rows in all but correlation matrices.

var (
	// R = L L' with the factor of corr_cholesky, of which the coordinates are those below the diagonal, column by column. The logarithm of 1 − z_ik² is part
	// 1 + (K − 1 − k)/2 times of the Jacobian.
	corr = &Transform{
		Name: "corr", Example: "corr[3]", Constraint: dsl.Corr, Ends: EndBoth, Opaque: true, Constants: ConstantDiagonal,
		BetweenName: "corr_cholesky",
		Between: func(c *expr.Context, b *Param, s []expr.Sub) *expr.Expr {
			of, i, j := elementOf(s)
			return b.corrFactor(c, expr.BelowByColumns, of, i, j)
		},
		Value: func(c *expr.Context, b *Param, s []expr.Sub) *expr.Expr {
			_, i, j := elementOf(s)
			own := c.Delta(i, j) // exactly 1, which a sum of squares is not
			return c.Add(own, c.Mul(c.Sub(c.Number(1), own), b.gram(c, s)))
		},
		Total: func(c *expr.Context, b *Param) *expr.Expr {
			n := b.order()
			i, k := c.NewIndex("i", dsl.Range{Lo: dsl.Fixed(2), Hi: n}), c.NewIndex("k", expr.UpTo(n.Plus(-1)))
			row, at := expr.Sub{Index: i}, expr.Sub{Index: k}
			times := c.Scale(0.5, c.Add(c.Number(1), c.Sub(c.Extent(n), c.Position(at))))
			return b.ofEach(c, func(of []expr.Sub) *expr.Expr {
				return c.Sum(i, c.Sum(k, c.Mul(c.Before(at, row), times, b.logLeft(c, expr.BelowByColumns, of, row, at))))
			})
		},
		Whole: "CorrCoordinates",
	}
	// S = L L' with the factor of cov_cholesky. log L_kk = u_kk is part K − k + 2 times of the Jacobian, with K log 2.
	cov = &Transform{
		Name: "cov", Example: "cov[3]", Constraint: dsl.Cov, Opaque: true,
		BetweenName: "cov_cholesky",
		Between:     func(c *expr.Context, b *Param, s []expr.Sub) *expr.Expr { return b.covFactor(c, s) },
		Value:       func(c *expr.Context, b *Param, s []expr.Sub) *expr.Expr { return b.gram(c, s) },
		Total: func(c *expr.Context, b *Param) *expr.Expr {
			n := b.order()
			k := c.NewIndex("k", expr.UpTo(n))
			at := expr.Sub{Index: k}
			times := c.Add(c.Number(2), c.Sub(c.Extent(n), c.Position(at)))
			return b.ofEach(c, func(of []expr.Sub) *expr.Expr {
				return c.Add(c.Mul(c.Number(math.Ln2), c.Extent(n)), c.Sum(k, c.Mul(times, b.lower(c, of, at, at))))
			})
		},
		Whole: "CovCoordinates",
	}
	// L_ij = u_ij for j < i, L_ii = exp(u_ii). The coordinates are those on the diagonal and below it, row by row.
	covCholesky = &Transform{
		Name: "cov_cholesky", Example: "cov_cholesky[3]", Constraint: dsl.CovCholesky, Opaque: true, Constants: ConstantAbove,
		Value: func(c *expr.Context, b *Param, s []expr.Sub) *expr.Expr { return b.covFactor(c, s) },
		Total: func(c *expr.Context, b *Param) *expr.Expr {
			k := c.NewIndex("k", expr.UpTo(b.order()))
			at := expr.Sub{Index: k}
			return b.ofEach(c, func(of []expr.Sub) *expr.Expr { return c.Sum(k, b.lower(c, of, at, at)) })
		},
		Whole: "CovCholeskyCoordinates",
	}
)

// elementOf splits the subscripts of an element of a matrix into those of the matrix, in an array of some, and the row and the column.
func elementOf(s []expr.Sub) (of []expr.Sub, i, j expr.Sub) {
	n := len(s)
	return s[:n-2], s[n-2], s[n-1]
}

// order is the number of rows of a square matrix.
func (b *Param) order() dsl.Extent { return b.Decl.Type.Shape[len(b.Decl.Type.Shape)-1] }

// ofEach is the sum of what is so of each matrix of an array.
func (b *Param) ofEach(c *expr.Context, part func(of []expr.Sub) *expr.Expr) *expr.Expr {
	shape := b.Decl.Type.Shape
	indices, of := expr.IndicesOver(c, "m", shape[:len(shape)-2])
	return c.SumAll(indices, part(of))
}

// triangle is the coordinate of an element of a triangle.
func (b *Param) triangle(c *expr.Context, order expr.Triangle, of []expr.Sub, i, j expr.Sub) *expr.Expr {
	return b.coordinate(c, append(slices.Clone(of), c.TrianglePosition(order, i, j, b.order(), b.Coord.Shape[len(of)])))
}

// lower is the coordinate of an element on the diagonal or below it.
func (b *Param) lower(c *expr.Context, of []expr.Sub, i, j expr.Sub) *expr.Expr {
	return b.triangle(c, expr.LowerByRows, of, i, j)
}

// corrFactor is an element of the factor of a correlation matrix.
func (b *Param) corrFactor(c *expr.Context, order expr.Triangle, of []expr.Sub, i, j expr.Sub) *expr.Expr {
	k := c.NewIndex("k", expr.UpTo(b.order().Plus(-1)))
	left := c.Sum(k, c.Mul(c.Before(expr.Sub{Index: k}, j), b.logLeft(c, order, of, i, expr.Sub{Index: k})))
	part := c.Mul(c.Before(j, i), c.Call("tanh", b.triangle(c, order, of, i, j)))
	return c.Mul(c.Call("exp", c.Scale(0.5, left)), c.Add(part, c.Delta(i, j)))
}

// logLeft is log(1 − tanh(u)²) of an element below the diagonal.
func (b *Param) logLeft(c *expr.Context, order expr.Triangle, of []expr.Sub, i, j expr.Sub) *expr.Expr {
	v := c.Scale(2, b.triangle(c, order, of, i, j))
	return c.Add(c.Number(math.Log(4)), c.Call("log_inv_logit", v), c.Call("log1m_inv_logit", v))
}

// covFactor is an element of the factor of a covariance matrix.
func (b *Param) covFactor(c *expr.Context, s []expr.Sub) *expr.Expr {
	of, i, j := elementOf(s)
	diagonal := c.Copied(b.lower(c, of, i, i)) // of the others, which may be any number, no exp is taken
	return c.Add(c.Mul(c.Before(j, i), b.lower(c, of, i, j)), c.Mul(c.Delta(i, j), c.Call("exp", diagonal)))
}

// gram is an element of F F' with the matrix F that stands between the coordinates and the values.
func (b *Param) gram(c *expr.Context, s []expr.Sub) *expr.Expr {
	of, i, j := elementOf(s)
	k := c.NewIndex("k", expr.UpTo(b.order()))
	at := func(i expr.Sub) *expr.Expr { return b.Between(append(slices.Clone(of), i, expr.Sub{Index: k})...) }
	return c.Sum(k, c.Mul(at(i), at(j)))
}
