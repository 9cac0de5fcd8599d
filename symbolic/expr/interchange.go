package expr

// What observations say of effects that are products of parameters and variates, (Σ_k X_ik A_kl) z_gl, is a sum over the observations
// of squares and products of sums, which would be made anew for each position:
//
//	Σ_i w_i (Σ_k X_ik A_k) (Σ_l X_il B_l) = Σ_kl A_k B_l Σ_i w_i X_ik X_il
//
// Where w and X are known before, the sums over i then are as well. This is no rule of Fold: terms of a log density lose digits by it,
// as squares of residuals do, while the curvature of one needs few.

// mostPieces is how many products a product of sums may have, and longestPiece the length of sums that are among its factors.
const mostPieces, longestPiece = 32, 8

// piece is Σ over some indices of a product of what is known before the position and of what does not carry the index of the observations.
type piece struct {
	over        []*Index
	known, rest *Expr
}

// Interchanged is an expression with its sums over observations taken of what is known before, see above.
func (c *Context) Interchanged(e *Expr) *Expr {
	if e.stage < StagePosition {
		return e
	}
	if e.Op != Sum {
		return c.Rebuild(e, c.Interchanged, func(s Sub) Sub { return s })
	}
	i, body := c.Open(e)
	body = c.Interchanged(body)
	if i.Range.Hi.IsConst() && i.Range.Hi.Offset <= longestPiece {
		return c.Sum(i, body)
	}
	pieces := c.pieces(i, body, 1)
	if len(pieces) == 0 || len(pieces) == 1 && len(pieces[0].over) == 0 {
		return c.Sum(i, body)
	}
	total, known := c.Number(0), make([]*Expr, len(pieces))
	for n, x := range pieces {
		if known[n] = c.Sum(i, x.known); !c.Storable(c.Beside(known[n].free)) {
			return c.Sum(i, body)
		}
	}
	for n, x := range pieces {
		total = c.Add(total, c.SumAll(x.over, c.Mul(x.rest, c.Kept(known[n]))))
	}
	return total
}

// pieces writes e^k as a sum of pieces; there are none where it is no such sum, or one of too many.
func (c *Context) pieces(i *Index, e *Expr, k float64) []piece {
	one := c.Number(1)
	switch {
	case !e.HasFree(i):
		return []piece{{nil, one, c.Pow(e, k)}}
	case e.stage < StagePosition:
		return []piece{{nil, c.Pow(e, k), one}}
	case k == 2:
		return c.crossed(c.pieces(i, e, 1), c.pieces(i, e, 1))
	case k != 1:
		return nil
	case e.Op == Add, isPlus(e):
		return c.piecesOfSum(i, e)
	case e.Op == Mul:
		out := []piece{{nil, one, c.Number(e.Val)}}
		for n, f := range e.Args {
			out = c.crossed(out, c.pieces(i, f, e.K[n]))
		}
		return out
	case e.Op == Sum:
		j, body := c.Open(e)
		if !j.Range.Hi.IsConst() || j.Range.Hi.Offset > longestPiece {
			return nil
		}
		out := c.pieces(i, body, 1)
		for n := range out {
			out[n].over = append([]*Index{j}, out[n].over...)
		}
		return out
	case c.body(e) != nil:
		return c.pieces(i, c.body(e), 1)
	}
	return nil
}

// piecesOfSum are those of a sum of a few terms.
func (c *Context) piecesOfSum(i *Index, e *Expr) (out []piece) {
	if isPlus(e) {
		e = c.Add(e.Args...)
	}
	if e.Op != Add {
		return c.pieces(i, e, 1)
	}
	known := c.Number(e.Val) // before the position, and carried
	for n, a := range e.Args {
		if a.stage < StagePosition {
			known = c.Add(known, c.Scale(e.K[n], a))
			continue
		}
		of := c.pieces(i, a, 1)
		if of == nil || len(out)+len(of) > mostPieces {
			return nil
		}
		for _, x := range of {
			x.rest = c.Scale(e.K[n], x.rest)
			out = append(out, x)
		}
	}
	if !known.IsNum(0) {
		out = append(out, piece{nil, known, c.Number(1)})
	}
	return out
}

// crossed are the products of pieces.
func (c *Context) crossed(a, b []piece) (out []piece) {
	if len(a)*len(b) > mostPieces {
		return nil
	}
	for _, x := range a {
		for _, y := range b {
			out = append(out, piece{append(x.over[:len(x.over):len(x.over)], y.over...), c.Mul(x.known, y.known), c.Mul(x.rest, y.rest)})
		}
	}
	return out
}
