package expr

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/hamc-dev/hamc/dsl"
)

// Poly is a polynomial in the sizes of a model with whole coefficients: the
// monomial "k²·n" (names sorted) maps to its coefficient, "" to the constant.
type Poly map[string]int

func (p Poly) add(q Poly) {
	for m, k := range q {
		p[m] += k
	}
}

func (p Poly) times(q Poly) Poly {
	out := Poly{}
	for a, x := range p {
		for b, y := range q {
			names := append(strings.Fields(a), strings.Fields(b)...)
			sort.Strings(names)
			out[strings.Join(names, " ")] += x * y
		}
	}
	return out
}

// String renders the polynomial, highest degree first.
func (p Poly) String() string {
	type term struct {
		mono string
		k    int
	}
	var terms []term
	for m, k := range p {
		if k != 0 {
			terms = append(terms, term{m, k})
		}
	}
	sort.Slice(terms, func(i, j int) bool {
		a, b := len(strings.Fields(terms[i].mono)), len(strings.Fields(terms[j].mono))
		if a != b {
			return a > b
		}
		return terms[i].mono < terms[j].mono
	})
	if len(terms) == 0 {
		return "0"
	}
	var out []string
	for _, t := range terms {
		mono := ""
		fields := strings.Fields(t.mono)
		for i := 0; i < len(fields); {
			j := i
			for j < len(fields) && fields[j] == fields[i] {
				j++
			}
			mono += fields[i]
			switch j - i {
			case 1:
			case 2:
				mono += "²"
			case 3:
				mono += "³"
			default:
				mono += fmt.Sprintf("^%d", j-i)
			}
			i = j
		}
		switch {
		case mono == "":
			out = append(out, fmt.Sprint(t.k))
		case t.k == 1:
			out = append(out, mono)
		default:
			out = append(out, fmt.Sprintf("%d%s", t.k, mono))
		}
	}
	return strings.ReplaceAll(strings.Join(out, " + "), "+ -", "- ")
}

// Cost is the work of evaluating something: arithmetic operations, and calls
// of functions such as exp.
type Cost struct{ Ops, Calls Poly }

// NewCost returns no work.
func NewCost() Cost { return Cost{Poly{}, Poly{}} }

// Add adds work.
func (c Cost) Add(d Cost) {
	c.Ops.add(d.Ops)
	c.Calls.add(d.Calls)
}

// Weighted counts a call as so many operations.
func (c Cost) Weighted(call int) Poly {
	out := Poly{}
	out.add(c.Ops)
	out.add(c.Calls.times(Poly{"": call}))
	return out
}

// Terms returns the terms of the polynomial: whole factors, and the names of the sizes of each, in order.
func (p Poly) Terms() (factors []int, sizes [][]string) {
	for _, mono := range slices.Sorted(maps.Keys(p)) {
		if p[mono] != 0 {
			factors, sizes = append(factors, p[mono]), append(sizes, strings.Fields(mono))
		}
	}
	return factors, sizes
}

func (c Cost) String() string {
	s := c.Ops.String() + " operations"
	if calls := c.Calls.String(); calls != "0" {
		s += " and " + calls + " function calls"
	}
	return s
}

func sizePoly(r dsl.Range) Poly {
	if factors := r.Hi.Factors(); factors != nil {
		p := Poly{"": 1}
		for _, f := range factors {
			p = p.times(sizePoly(UpTo(f)))
		}
		return p
	}
	if r.Hi.Name == r.Lo.Name {
		return Poly{"": max(0, r.Hi.Offset-r.Lo.Offset+1)}
	}
	p := Poly{}
	if r.Hi.Name != "" {
		p[r.Hi.Name]++
	}
	if r.Lo.Name != "" {
		p[r.Lo.Name]--
	}
	p[""] += r.Hi.Offset - r.Lo.Offset + 1
	return p
}

// Plain reports whether the body of the definition is evaluated at each value of its indices, and says so what it costs.
func (d *Def) Plain() bool { return d.Fit == nil && d.Scatter == nil && d.Body.Op != Apply }

// Cost returns the work of computing the definition: a sum by data takes one loop.
func (d *Def) Cost() Cost {
	if d.Fit != nil {
		return d.Fit.cost()
	}
	if d.Body.Op == Apply {
		c := NewCost()
		per := d.Body.Apply.Operator.Cost(d.Body.Apply.Shapes)
		for _, i := range d.Outer() {
			per = per.times(sizePoly(i.Range))
		}
		c.Ops.add(per)
		return c
	}
	if d.Scatter == nil {
		return CostOf(d.Body, d.Indices)
	}
	loops := d.Scatter.Loops()
	c, per := CostOf(d.Scatter.Body, loops), Poly{"": 1}
	for _, i := range loops {
		per = per.times(sizePoly(i.Range))
	}
	c.Ops.add(per)
	return c
}

// CostOf returns the work of evaluating e at every value of the indices.
func CostOf(e *Expr, indices []*Index) Cost {
	c := NewCost()
	c.AddOf(e, indices, map[*Expr]bool{})
	return c
}

// AddOf adds the work of evaluating e at every value of the indices, without the nodes that were seen before: one loop computes what several
// sums have in common.
func (c Cost) AddOf(e *Expr, indices []*Index, seen map[*Expr]bool) {
	var walk func(e *Expr, per Poly)
	walk = func(e *Expr, per Poly) {
		if seen[e] {
			return
		}
		seen[e] = true
		ops := 0
		switch e.Op {
		case Add:
			ops = len(e.Args) - 1
			if e.Val != 0 {
				ops++
			}
			for _, k := range e.K {
				if k != 1 && k != -1 {
					ops++
				}
			}
		case Mul:
			ops = len(e.Args) - 1
			if e.Val != 1 && e.Val != -1 {
				ops++
			}
			for _, k := range e.K {
				switch a := math.Abs(k); {
				case a != math.Trunc(a) || a > 4:
					c.Calls.add(per) // a square root or a power
				default:
					ops += int(a) - 1
				}
				if k < 0 && len(e.Args) == 1 && e.Val == 1 {
					ops++ // 1/x
				}
			}
		case Call, Draw:
			c.Calls.add(per)
		case Sum, Largest:
			inner := per.times(sizePoly(e.Index.Range))
			c.Ops.add(inner)
			walk(e.Args[0], inner)
			return
		}
		c.Ops.add(per.times(Poly{"": ops}))
		for _, a := range e.Args {
			walk(a, per)
		}
	}
	per := Poly{"": 1}
	for _, i := range indices {
		per = per.times(sizePoly(i.Range))
	}
	walk(e, per)
}

// NodeCost counts the operations of a node and of what it holds, without
// sums and definitions.
func NodeCost(e *Expr) float64 {
	if e.cost == 0 {
		e.cost = nodeCostOf(e) + 1
	}
	return e.cost - 1
}

func nodeCostOf(e *Expr) float64 {
	n := 0.0
	switch e.Op {
	case Add:
		n = float64(len(e.Args) - 1)
		if e.Val != 0 {
			n++
		}
		for _, k := range e.K {
			if k != 1 && k != -1 {
				n++
			}
		}
		if len(e.Args) == 1 && e.K[0] == -1 && e.Val != 0 {
			n = 1
		}
	case Mul:
		if e.Val != 1 && e.Val != -1 {
			n++
		}
		n += float64(len(e.Args) - 1)
		for _, k := range e.K {
			switch {
			case k == 1:
			case k == 2:
				n++
			case k == -1:
				n += 8
			case k == 0.5:
				n += 10
			default:
				n += 12
			}
		}
	case Call:
		n = e.Func.Cost
	case Sum, Largest:
		return 100
	}
	for _, a := range e.Args {
		n += NodeCost(a)
	}
	return n
}

// ShallowCost counts the operations of e without its sums, written out as a tree.
func ShallowCost(e *Expr, memo map[*Expr]float64) float64 {
	if e.Op == Sum || e.Op == Largest {
		return 0
	}
	if n, ok := memo[e]; ok {
		return n
	}
	n := 0.0
	for _, a := range e.Args {
		n += ShallowCost(a, memo)
	}
	switch e.Op {
	case Add, Mul:
		n += float64(len(e.Args))
	case Call:
		n += e.Func.Cost
	}
	memo[e] = n
	return n
}

// At is the value of a polynomial at nominal sizes.
func (c *Context) At(p Poly) float64 {
	total := 0.0
	for mono, k := range p {
		v := float64(k)
		for _, name := range strings.Fields(mono) {
			v *= c.Nominal(UpTo(dsl.Extent{Name: name}))
		}
		total += v
	}
	return total
}

// Nominal is the size of a range for the cost model where data decide it: that
// of a parameter's dimension counts as small.
func (c *Context) Nominal(r dsl.Range) float64 {
	switch {
	case r.Hi.IsConst() && r.Lo.IsConst():
		return float64(max(1, r.Hi.Offset-r.Lo.Offset+1))
	case c.Small[r.Hi.Name]:
		return 10
	case c.Long[r.Hi.Name]:
		return 500 // fewer than the data, if there are others
	}
	return 1000
}
