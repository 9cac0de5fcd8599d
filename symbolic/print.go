package symbolic

import (
	"fmt"
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
	p := &printer{left: maxFormat}
	return p.expr(e, 0)
}

type printer struct {
	left int            // nodes
	at   map[*Index]Sub // what the indices of a shared definition stand for
}

// subs renders subscripts.
func (p *printer) subs(list []Sub) string {
	out := make([]Sub, len(list))
	for n, s := range list {
		out[n] = p.sub(s)
	}
	return subsString(out)
}

func (p *printer) sub(s Sub) Sub {
	if to, ok := p.at[s.Index]; ok && s.Index != nil {
		return shiftSub(to, s.Offset)
	}
	return s
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
		if d := e.Tensor.Def; e.Tensor.Kind == SharedTensor && d.Body != nil {
			at := map[*Index]Sub{}
			for n, i := range d.Indices {
				at[i] = p.sub(e.Subs[n])
			}
			outer := p.at
			p.at = at
			defer func() { p.at = outer }()
			return p.expr(d.Body, ctx)
		}
		if len(e.Subs) == 0 {
			return e.Tensor.Name
		}
		return e.Tensor.Name + "[" + p.subs(e.Subs) + "]"
	case Delta:
		return "δ[" + p.subs(e.Subs) + "]"
	case Inside:
		return fmt.Sprintf("[%s in %s]", p.sub(e.Subs[0]), e.Range)
	case Before:
		return fmt.Sprintf("[%s < %s]", p.sub(e.Subs[0]), p.sub(e.Subs[1]))
	case Call:
		args := make([]string, len(e.Args))
		for i, a := range e.Args {
			args[i] = p.expr(a, 0)
		}
		return e.Func.Name + "(" + strings.Join(args, ", ") + ")"
	case Draw:
		args := make([]string, len(e.Args))
		for i, a := range e.Args {
			args[i] = p.expr(a, 0)
		}
		within := ""
		if n := len(e.Dist.Args); e.Tensor == nil && len(args) > n {
			within = " in (" + strings.Join(args[n:], ", ") + ")"
			args = args[:n]
		}
		if e.Tensor != nil {
			args = append(args, e.Tensor.Source.Name)
		}
		return e.Dist.RandomName() + "(" + strings.Join(args, ", ") + ")" + within
	case LeastSquares:
		return formatFit(e.Tensor.Def.Fit)
	case Sum:
		r := e.Index.Range.String()
		return paren(fmt.Sprintf("Σ[%s in %s] %s", e.Index.Name, r, p.expr(e.Args[0], precMul)), precMul, ctx)
	case Add:
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
	case Mul:
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
	return "?"
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
