package expr

import (
	"fmt"
	"maps"
	"math"
	"strconv"
	"strings"
)

// maxFormat is the number of nodes that Format renders. What is shared in the graph is rendered at each use, so
// that a formula may be exponentially longer than it is in memory; nobody reads that.
const maxFormat = 2000

// Format renders an expression for people: Σ over named indices, powers, and
// fractions, shared definitions by what they stand for. Of one of more than maxFormat nodes, what is left is rendered as "…".
func Format(e *Expr) string {
	p := newPrinter()
	return p.expr(e, 0)
}

type printer struct {
	left int             // nodes
	at   map[*Index]spot // what indices are called here
	open map[string]bool // the names of the sums around
}

// spot is what stands for an index: a name, or the position that a shared definition is taken at.
type spot struct {
	name   string
	offset int
	fixed  *Sub
}

func newPrinter() *printer { return &printer{left: maxFormat, open: map[string]bool{}} }

// subs renders subscripts.
func (p *printer) subs(list []Sub) string {
	out := make([]string, len(list))
	for n, s := range list {
		out[n] = p.sub(s)
	}
	return strings.Join(out, ",")
}

func (p *printer) sub(s Sub) string {
	x := p.spot(s)
	if x.fixed != nil {
		return x.fixed.String()
	}
	return x.name + shiftText(x.offset)
}

// spot is what a subscript stands for here.
func (p *printer) spot(s Sub) spot {
	switch {
	case s.Data != nil:
		return spot{name: p.expr(s.Data, 0), offset: s.Offset}
	case s.Index == nil:
		return spot{fixed: &s}
	}
	x, ok := p.at[s.Index]
	switch {
	case !ok:
		x = spot{name: s.Index.Name}
	case x.fixed != nil:
		f := ShiftSub(*x.fixed, s.Offset)
		return spot{fixed: &f}
	}
	x.offset += s.Offset
	return x
}

// shiftText is the text of an offset.
func shiftText(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%+d", n)
}

// sum renders a sum, whose index has a name that no sum around it has.
func (p *printer) sum(e *Expr, ctx int) string {
	name := e.Index.Name
	for n := 2; p.open[name]; n++ {
		name = fmt.Sprintf("%s%d", strings.TrimRight(e.Index.Name, "0123456789"), n)
	}
	outer := p.at
	p.at = maps.Clone(outer)
	if p.at == nil {
		p.at = map[*Index]spot{}
	}
	p.at[e.Index], p.open[name] = spot{name: name}, true
	sign := "Σ"
	if e.Op == Largest {
		sign = "max"
	}
	text := fmt.Sprintf("%s[%s in %s] %s", sign, name, e.Index.Range, p.expr(e.Args[0], precMul))
	delete(p.open, name)
	p.at = outer
	return paren(text, precMul, ctx)
}

const (
	precAdd = 1
	precMul = 2
	precPow = 3
)

func paren(s string, p, ctx int) string {
	if p < ctx {
		return "(" + s + ")"
	}
	return s
}

// FormatNumber renders a constant with few digits where they suffice.
func FormatNumber(v float64) string {
	switch v {
	case 0.5:
		return "½"
	case -0.5:
		return "-½"
	case math.Pi:
		return "π"
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// FormatArgument renders an argument of an operator, by its name where it has one.
func FormatArgument(e *Expr, n int) string {
	p := newPrinter()
	return p.argument(e, n)
}

func (p *printer) argument(e *Expr, n int) string {
	a := e.Args[n]
	switch {
	case n < len(e.Apply.names) && e.Apply.names[n] != "":
		return e.Apply.names[n]
	case a.Op == Ref && a.Tensor.Kind != SharedTensor && len(a.free) == len(a.Subs):
		return a.Tensor.Name // a whole array has no subscripts
	}
	defer func(at map[*Index]spot) { p.at = at }(p.at)
	p.at = nil // its indices are its own
	return p.expr(a, 0)
}

// expr renders an expression that stands in a context of some precedence.
func (p *printer) expr(e *Expr, ctx int) string {
	if p.left--; p.left < 0 {
		return "…"
	}
	switch e.Op {
	case Num:
		s := FormatNumber(e.Val)
		if e.Val < 0 {
			return paren(s, precAdd, ctx)
		}
		return s
	case Ref:
		return p.ref(e, ctx)
	case Delta:
		return "δ[" + p.subs(e.Subs) + "]"
	case Inside:
		return fmt.Sprintf("[%s in %s]", p.sub(e.Subs[0]), e.Range)
	case Before:
		return fmt.Sprintf("[%s < %s]", p.sub(e.Subs[0]), p.sub(e.Subs[1]))
	case Call:
		return e.Func.Name + "(" + strings.Join(p.list(e.Args), ", ") + ")"
	case Draw:
		return p.draw(e)
	case Apply:
		args := make([]string, len(e.Apply.Shapes))
		for n := range args {
			args[n] = p.argument(e, n)
		}
		return e.Apply.Operator.Name + "(" + strings.Join(args, ", ") + ")"
	case LeastSquares:
		return formatFit(e.Tensor.Def.Fit)
	case Sum, Largest:
		return p.sum(e, ctx)
	case Add:
		return p.add(e, ctx)
	case Mul:
		return p.product(e, ctx)
	}
	return "?"
}

// list renders arguments.
func (p *printer) list(args []*Expr) []string {
	out := make([]string, len(args))
	for i, a := range args {
		out[i] = p.expr(a, 0)
	}
	return out
}

// ref renders a reference, to a shared definition by what it stands for.
func (p *printer) ref(e *Expr, ctx int) string {
	name := e.Tensor.Name
	switch d := e.Tensor.Def; {
	case e.Tensor.Kind != SharedTensor || d.Body == nil:
	case e.Tensor.Label != "":
		name = e.Tensor.Label
	case d.Body.Op == Apply:
		name = p.expr(d.Body, 0)
	default:
		at := map[*Index]spot{}
		for n, i := range d.Indices {
			at[i] = p.spot(e.Subs[n])
		}
		outer := p.at
		p.at = at
		defer func() { p.at = outer }()
		return p.expr(d.Body, ctx)
	}
	if len(e.Subs) == 0 {
		return name
	}
	return name + "[" + p.subs(e.Subs) + "]"
}

// draw renders a random number, with the interval that truncates it.
func (p *printer) draw(e *Expr) string {
	args := p.list(e.Args)
	within := ""
	if n := len(e.Dist.Args); e.Tensor == nil && len(args) > n {
		within = " in (" + strings.Join(args[n:], ", ") + ")"
		args = args[:n]
	}
	if e.Tensor != nil {
		args[1] = e.Tensor.Def.Body.Args[0].Tensor.Name
	}
	return e.Dist.RandomName() + "(" + strings.Join(args, ", ") + ")" + within
}

// add renders a sum of terms.
func (p *printer) add(e *Expr, ctx int) string {
	var b strings.Builder
	// 1 - s reads better than -s + 1.
	first := e.Val > 0 && e.K[0] < 0
	if first {
		b.WriteString(FormatNumber(e.Val))
	}
	for i, a := range e.Args {
		k := e.K[i]
		switch {
		case i == 0 && k < 0 && !first:
			b.WriteString("-")
		case k < 0:
			b.WriteString(" - ")
		case i > 0 || first:
			b.WriteString(" + ")
		}
		if k = math.Abs(k); k != 1 {
			b.WriteString(FormatNumber(k) + "·")
		}
		b.WriteString(p.expr(a, precMul))
	}
	if e.Val != 0 && !first {
		if e.Val < 0 {
			b.WriteString(" - ")
		} else {
			b.WriteString(" + ")
		}
		b.WriteString(FormatNumber(math.Abs(e.Val)))
	}
	return paren(b.String(), precAdd, ctx)
}

// product renders a product as a fraction.
func (p *printer) product(e *Expr, ctx int) string {
	var num, den []string
	for i, a := range e.Args {
		k := e.K[i]
		list := &num
		if k < 0 {
			list, k = &den, -k
		}
		s := p.expr(a, precMul+1)
		if k != 1 {
			s = p.expr(a, precPow+1) + power(k)
		}
		*list = append(*list, s)
	}
	sign := ""
	if v := e.Val; v != 1 {
		if v < 0 {
			sign, v = "-", -v
		}
		if v != 1 {
			num = append([]string{FormatNumber(v)}, num...)
		}
	}
	s := strings.Join(num, "·")
	if len(num) == 0 {
		s = "1"
	}
	if len(den) == 1 {
		s += "/" + den[0]
	} else if len(den) > 1 {
		s += "/(" + strings.Join(den, "·") + ")"
	}
	if sign != "" {
		return paren(sign+s, precAdd, ctx)
	}
	return paren(s, precMul, ctx)
}

func power(k float64) string {
	switch k {
	case 2:
		return "²"
	case 3:
		return "³"
	case 4:
		return "⁴"
	case 0.5:
		return "^½"
	}
	return "^" + strconv.FormatFloat(k, 'g', -1, 64)
}
