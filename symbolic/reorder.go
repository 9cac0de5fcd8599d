package symbolic

import (
	"math"
	"slices"
)

// reorder chooses, for nested sums of one product, the order of the sums that
// costs least: Σ_jl W_jl Σ_i λ_i x_ij x_il becomes Σ_i λ_i Σ_j x_ij Σ_l W_jl x_il.
func (p *Program) reorder(e *Expr) *Expr { return p.reordered(e, map[*Expr]*Expr{}) }

func (p *Program) reordered(e *Expr, memo map[*Expr]*Expr) *Expr {
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

func (p *Program) reorderNode(e *Expr, memo map[*Expr]*Expr) *Expr {
	c := p.c
	switch e.Op {
	case Sum:
		var indices []*Index
		factors := p.flatten(e, &indices)
		if len(indices) < 2 || len(indices) > 5 {
			i, body := c.Open(e)
			return c.Sum(i, p.reordered(body, memo))
		}
		for n := range factors {
			if factors[n].e.Op != Sum {
				factors[n].e = p.reordered(factors[n].e, memo)
			}
		}
		ks, es := make([]float64, len(factors)), make([]*Expr, len(factors))
		for n, f := range factors {
			ks[n], es[n] = f.k, f.e
		}
		var best *Expr
		least := math.Inf(1)
		permute(len(indices), func(order []int) {
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
	return c.rebuild(e, func(a *Expr) *Expr { return p.reordered(a, memo) }, func(s Sub) Sub { return s })
}

// flatten opens nested sums of products into one list of factors.
func (p *Program) flatten(e *Expr, indices *[]*Index) []addend {
	i, body := p.c.Open(e)
	*indices = append(*indices, i)
	args, ks := []*Expr{body}, []float64{1}
	var out []addend
	if body.Op == Mul {
		args, ks = body.Args, body.K
		if body.Val != 1 {
			out = append(out, addend{p.c.Number(body.Val), 1})
		}
	}
	for n, a := range args {
		if a.Op == Sum && ks[n] == 1 {
			out = append(out, p.flatten(a, indices)...)
			continue
		}
		out = append(out, addend{a, ks[n]})
	}
	return out
}

// Cheaper returns the form of a scalar that costs least once data are known:
// as it stands, factored, or as a polynomial in the coordinates and momenta
// with data coefficients, which are then computed once.
func (p *Program) Cheaper(e *Expr) *Expr {
	best, least := e, p.lateCost(e)
	for _, x := range []*Expr{p.c.Collect(e), p.c.byCoefficient(p.c.Expand(e))} {
		if cost := p.lateCost(x); cost < least {
			best, least = x, cost
		}
	}
	return best
}

// lateCost counts the operations of e that do not belong to the data stage, as
// Lower would leave them.
func (p *Program) lateCost(e *Expr) float64 {
	seen := map[*Expr]bool{}
	total := 0.0
	var walk func(*Expr)
	walk = func(e *Expr) {
		if seen[e] || e.stage < StagePosition {
			return
		}
		seen[e] = true
		if e.Op == Add || e.Op == Mul {
			early := 0.0
			if e.Op == Mul && e.Val != 1 && e.Val != -1 || e.Op == Add && e.Val != 0 {
				early = 1
			}
			for n, a := range e.Args {
				if a.stage < StagePosition {
					early = 1 // all data factors become one
					continue
				}
				total++
				if e.Op == Mul && e.K[n] == 2 {
					total++
				}
				if e.Op == Mul && e.K[n] < 0 {
					total += 8
				}
			}
			total += early - 1
		} else if e.Op == Call {
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
func (p *Program) nominalCost(e *Expr) float64 {
	seen := map[*Expr]bool{}
	total := 0.0
	var walk func(e *Expr)
	walk = func(e *Expr) {
		if seen[e] {
			return
		}
		seen[e] = true
		for _, a := range e.Args {
			walk(a)
		}
		if e.Op == Sum && e.stage >= StagePosition {
			n := p.c.nominal(e.Index.Range)
			scattered := scatteredFree(e)
			for _, f := range e.free {
				if !slices.Contains(scattered, f) {
					n *= p.c.nominal(f.Range)
				}
			}
			total += n * (1 + shallowCost(e.Args[0], map[*Expr]float64{}))
		}
	}
	walk(e)
	return total
}
