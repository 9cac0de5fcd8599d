package dsl

import (
	"fmt"
	"slices"
)

// scaled are the distributions whose last argument is a scale, by which the density of each number is divided.
var scaled = []string{"normal", "student_t", "cauchy", "logistic", "double_exponential"}

// freeScales warns of priors x ~ normal(0, s) of K numbers that sum to 0: K − 1 of them are free, and the density has K factors 1/s. Where s goes to 0 it grows like 1/s
// after x is integrated out, unless the data exclude that: there is no posterior. A statement `density log(s)` takes one factor away.
func (c *checker) freeScales(m *Model) {
	told := map[string]bool{}
	for _, t := range m.Terms {
		if t.Left == nil || t.Dist == nil || !slices.Contains(scaled, t.Dist.Name) || len(t.Args) == 0 {
			continue
		}
		scale := t.Args[len(t.Args)-1]
		c.differencesOfPairs(m, t, scale)
		p, s := paramOf(t.Left), paramOf(scale)
		if p == nil || p.Constraint != SumToZero || s == nil || s.Support.LoNum == nil || !scale.Type().IsScalar() || !scalesAll(m, p, scale) || takenAway(m, scale) || told[p.Name+" "+Text(scale)] {
			continue
		}
		told[p.Name+" "+Text(scale)] = true
		c.warn(FreeScale, t.Left.Span(), fmt.Sprintf("add `density %s`, which takes one factor away", missingFactor(t, p, scale)),
			"`%s` sums to 0, so one number less is free than there are factors 1/%s: where data allow that to go to 0 the density grows without end, and there is no posterior", p.Name, Text(scale))
	}
}

// narrow is the scale up to which a prior about 0 is taken for the precision of a vague one, as BUGS and JAGS have it: 1.0E-6, or 0.0001.
const narrow = 1e-4

// precisions warns of priors of parameters that look as if their scale were a precision.
func (c *checker) precisions(m *Model) {
	for _, t := range m.Terms {
		if t.Left == nil || t.Dist == nil || !slices.Contains(scaled, t.Dist.Name) || len(t.Args) < 2 || alias(t.Left) == nil {
			continue
		}
		mu, ok1 := plainNumber(t.Args[len(t.Args)-2])
		sigma, ok2 := plainNumber(t.Args[len(t.Args)-1])
		if ok1 && ok2 && mu == 0 && sigma > 0 && sigma <= narrow {
			c.warn(NarrowPrior, t.Args[len(t.Args)-1].Span(), fmt.Sprintf("of a precision it has the scale 1/sqrt(%s)", Text(t.Args[len(t.Args)-1])),
				"the scale of this prior is a standard deviation, no precision: it holds `%s` at 0", alias(t.Left).Name)
		}
	}
}

// scalesAll reports whether priors with a scale are of all numbers that sum to 0, from the first to the last: a walk, which begins at the second of K, has the K − 1 factors of
// as many free numbers.
func scalesAll(m *Model, p *Param, scale Expr) bool {
	first, last := false, false
	for _, t := range m.Terms {
		if t.Left == nil || t.Dist == nil || len(t.Args) == 0 || paramOf(t.Left) != p || Text(t.Args[len(t.Args)-1]) != Text(scale) {
			continue
		}
		at, ok := t.Left.(*IndexExpr)
		if !ok || len(at.Subscripts) < len(p.Type.Shape) {
			return true
		}
		s, size := at.Subscripts[len(at.Subscripts)-1], p.Type.Shape[len(p.Type.Shape)-1]
		switch {
		case s.Index != nil && s.Index.From == nil && s.Index.Upto == nil:
			first = first || s.Index.Range.Lo.Plus(s.Offset) == Fixed(1)
			last = last || s.Index.Range.Hi.Plus(s.Offset) == size
		case s.All:
			first, last = first || s.Offset == 0, last || s.At == Extent{} || s.At == size
		case s.Index != nil || s.Gather != nil:
			first, last = true, true
		default:
			first, last = first || s.At == Fixed(1), last || s.At == size
		}
	}
	return first && last
}

// differencesOfPairs warns of differences x[a] - x[b] ~ normal(0, s) of pairs in data: of n numbers n − 1 differences are free, and pairs that are no tree are more.
func (c *checker) differencesOfPairs(m *Model, t *Term, scale Expr) {
	minus, ok := t.Left.(*BinaryExpr)
	if !ok || minus.Op != "-" {
		return
	}
	x, y, s := gathered(minus.X), gathered(minus.Y), paramOf(scale)
	if x == nil || x != y || s == nil || s.Support.LoNum == nil || !scale.Type().IsScalar() || takenAway(m, scale) {
		return
	}
	var pairs Extent
	switch shape := t.Left.Type().Shape; {
	case len(shape) == 1:
		pairs = shape[0]
	case len(shape) == 0 && t.For != nil:
		pairs = t.For.Range.Hi
	default:
		return
	}
	n := x.Type.Shape[0]
	c.warn(FreeScale, t.Left.Span(), fmt.Sprintf("add `density (%s - (%s))*log(%s)`, which leaves as many factors as there are free numbers, where the pairs connect all of them", pairs, n.Plus(-1), Text(scale)),
		"%s differences of %s numbers are not free of one another where there are more than %s, but each has a factor 1/%s: where data allow that to go to 0 the density grows without end, and there is no posterior",
		pairs, n, n.Plus(-1), Text(scale))
}

// gathered is the parameter of which an expression is elements at positions in data; nil if it is none.
func gathered(e Expr) *Param {
	at, ok := e.(*IndexExpr)
	if !ok || len(at.Subscripts) != 1 || at.Subscripts[0].Gather == nil {
		return nil
	}
	return paramOf(e)
}

// missingFactor is what takes one factor for each row away.
func missingFactor(t *Term, p *Param, scale Expr) string {
	log := fmt.Sprintf("log(%s)", Text(scale))
	if t.For != nil && openIndex(t.Left, map[*Index]bool{}) != nil && len(p.Type.Shape) == 2 {
		if at := openIndex(scale, map[*Index]bool{}); at != nil {
			return fmt.Sprintf("sum(%s in %s) %s", at.Name, at.Range.Hi, log)
		}
		return fmt.Sprintf("%s*%s", t.For.Range.Hi, log)
	}
	if _, whole := t.Left.(*Name); whole && len(p.Type.Shape) == 2 {
		return fmt.Sprintf("%s*%s", p.Type.Shape[0], log)
	}
	return log
}

// paramOf is the parameter that an expression is, or an element of; nil if it is none.
func paramOf(e Expr) *Param {
	if at, ok := e.(*IndexExpr); ok {
		e = at.Base
	}
	if n, ok := e.(*Name); ok {
		p, _ := n.Obj.(*Param)
		return p
	}
	return nil
}

// takenAway reports whether a statement about the density has the logarithm of a scale in it.
func takenAway(m *Model, scale Expr) bool {
	for _, t := range m.Terms {
		if t.Left != nil || t.Value == nil {
			continue
		}
		found := false
		Walk(t.Value, func(n Node) bool {
			e, ok := n.(*CallExpr)
			found = found || ok && e.Func == "log" && len(e.Args) == 1 && Text(e.Args[0].Expr) == Text(scale)
			return !found
		})
		if found {
			return true
		}
	}
	return false
}
