package symbolic

import (
	"math"
	"slices"

	"github.com/hamc-dev/hamc/symbolic/expr"
)

// reorder chooses, for nested sums of one product, the order of the sums that
// costs least: Σ_jl W_jl Σ_i λ_i x_ij x_il becomes Σ_i λ_i Σ_j x_ij Σ_l W_jl x_il.
func (p *Program) reorder(e *expr.Expr) *expr.Expr {
	return p.reordered(e, map[*expr.Expr]*expr.Expr{})
}

func (p *Program) reordered(e *expr.Expr, memo map[*expr.Expr]*expr.Expr) *expr.Expr {
	if len(e.Args) == 0 {
		return e
	}
	if r, ok := memo[e]; ok {
		return r
	}
	r := p.reorderNode(e, memo)
	memo[e] = r
	return r
}

func (p *Program) reorderNode(e *expr.Expr, memo map[*expr.Expr]*expr.Expr) *expr.Expr {
	c := p.c
	switch e.Op {
	case expr.Sum:
		var indices []*expr.Index
		factors := p.flatten(e, &indices)
		if len(indices) < 2 || len(indices) > 5 {
			i, body := c.Open(e)
			return c.Sum(i, p.reordered(body, memo))
		}
		for n := range factors {
			if factors[n].E.Op != expr.Sum {
				factors[n].E = p.reordered(factors[n].E, memo)
			}
		}
		ks, es := make([]float64, len(factors)), make([]*expr.Expr, len(factors))
		for n, f := range factors {
			ks[n], es[n] = f.K, f.E
		}
		var best *expr.Expr
		least := math.Inf(1)
		expr.Permute(len(indices), func(order []int) {
			r := c.Product(1, ks, es)
			for n := len(order) - 1; n >= 0; n-- {
				r = c.Sum(indices[order[n]], r)
			}
			if cost := p.nominalCost(r); cost < least {
				best, least = r, cost
			}
		})
		return best
	}
	return c.Rebuild(e, func(a *expr.Expr) *expr.Expr { return p.reordered(a, memo) }, func(s expr.Sub) expr.Sub { return s })
}

// flatten opens nested sums of products into one list of factors.
func (p *Program) flatten(e *expr.Expr, indices *[]*expr.Index) []expr.Addend {
	i, body := p.c.Open(e)
	*indices = append(*indices, i)
	args, ks := []*expr.Expr{body}, []float64{1}
	var out []expr.Addend
	if body.Op == expr.Mul {
		args, ks = body.Args, body.K
		if body.Val != 1 {
			out = append(out, expr.Addend{E: p.c.Number(body.Val), K: 1})
		}
	}
	for n, a := range args {
		if a.Op == expr.Sum && ks[n] == 1 {
			out = append(out, p.flatten(a, indices)...)
			continue
		}
		out = append(out, expr.Addend{E: a, K: ks[n]})
	}
	return out
}

// Cheaper returns the form of a scalar that costs least once data are known:
// as it stands, factored, or as a polynomial in the coordinates and momenta
// with data coefficients, which are then computed once.
func (p *Program) Cheaper(e *expr.Expr) *expr.Expr {
	best, least := e, p.lateCost(e)
	for _, x := range []*expr.Expr{p.c.Collect(e), p.c.ByCoefficient(p.c.Expand(e))} {
		if cost := p.lateCost(x); cost < least {
			best, least = x, cost
		}
	}
	return best
}

// lateCost counts the operations of e that do not belong to the data stage, as
// Lower would leave them.
func (p *Program) lateCost(e *expr.Expr) float64 {
	seen := map[*expr.Expr]bool{}
	total := 0.0
	var walk func(*expr.Expr)
	walk = func(e *expr.Expr) {
		if seen[e] || e.Stage() < expr.StagePosition {
			return
		}
		seen[e] = true
		if e.Op == expr.Add || e.Op == expr.Mul {
			early := 0.0
			if e.Op == expr.Mul && e.Val != 1 && e.Val != -1 || e.Op == expr.Add && e.Val != 0 {
				early = 1
			}
			for n, a := range e.Args {
				if a.Stage() < expr.StagePosition {
					early = 1 // all data factors become one
					continue
				}
				total++
				if e.Op == expr.Mul && e.K[n] == 2 {
					total++
				}
				if e.Op == expr.Mul && e.K[n] < 0 {
					total += 8
				}
			}
			total += early - 1
		} else if e.Op == expr.Call {
			total += e.Func.Cost
		}
		for _, a := range e.Args {
			walk(a)
		}
	}
	walk(e)
	return total
}

// nominalCost estimates the operations of an expression whose sums are each
// evaluated once per value of their free indices, at nominal sizes.
func (p *Program) nominalCost(e *expr.Expr) float64 {
	seen := map[*expr.Expr]bool{}
	total := 0.0
	var walk func(e *expr.Expr)
	walk = func(e *expr.Expr) {
		if seen[e] {
			return
		}
		seen[e] = true
		for _, a := range e.Args {
			walk(a)
		}
		if e.Op == expr.Sum && e.Stage() >= expr.StagePosition {
			n := p.c.Nominal(e.Index.Range)
			scattered := expr.ScatteredFree(e)
			for _, f := range e.Free() {
				if !slices.Contains(scattered, f) {
					n *= p.c.Nominal(f.Range)
				}
			}
			total += n * (1 + expr.ShallowCost(e.Args[0], map[*expr.Expr]float64{}))
		}
	}
	walk(e)
	return total
}
