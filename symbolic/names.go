package symbolic

import (
	"fmt"
	"strings"

	"github.com/hamc-dev/hamc/symbolic/expr"
)

// invent makes a name that tells what is defined: expV for exp(v), sumSqX for
// Σ x², c3 where nothing better is at hand.
func (p *Program) invent(e *expr.Expr) string {
	name := describe(e)
	if name == "" || len(name) > 24 {
		name = map[expr.Stage]string{expr.StageConst: "k", expr.StageData: "c", expr.StageGiven: "g", expr.StagePosition: "a", expr.StageMomentum: "b", expr.StageDraw: "d"}[e.Stage()]
		p.taken[name]++
		name = fmt.Sprintf("%s%d", name, p.taken[name])
	}
	return p.unlike(name)
}

// unlike is a name that nothing has yet, and that nothing else gets.
func (p *Program) unlike(name string) string {
	for n, stem := 2, name; p.taken[name] > 0; n++ {
		name = fmt.Sprintf("%s%d", stem, n)
	}
	p.taken[name] = 1
	return name
}

// describe returns an identifier that tells what e is, or "".
func describe(e *expr.Expr) string {
	switch e.Op {
	case expr.Ref:
		return e.Tensor.Name
	case expr.Call:
		s := e.Func.Name
		parts := strings.Split(s, "_")
		for i := range parts {
			if i > 0 {
				parts[i] = upperFirst(parts[i])
			}
		}
		s = strings.Join(parts, "")
		for _, a := range e.Args {
			d := describe(a)
			if d == "" {
				return ""
			}
			s += upperFirst(d)
		}
		return s
	case expr.Apply:
		if d := describe(e.Args[0]); d != "" {
			return e.Apply.Operator.Short + upperFirst(d)
		}
	case expr.Sum, expr.Largest:
		d := describe(e.Args[0])
		switch {
		case d == "":
			return ""
		case e.Op == expr.Largest:
			return "max" + upperFirst(d)
		}
		return "sum" + upperFirst(d)
	case expr.Mul:
		if len(e.Args) == 1 && e.Val == 1 {
			d := describe(e.Args[0])
			switch {
			case d == "":
				return ""
			case e.K[0] == 2:
				return "sq" + upperFirst(d)
			case e.K[0] == -1:
				return "inv" + upperFirst(d)
			case e.K[0] == 0.5:
				return "sqrt" + upperFirst(d)
			}
		}
		if len(e.Args) == 1 && e.Val == -1 && e.K[0] == 1 {
			if d := describe(e.Args[0]); d != "" {
				return "neg" + upperFirst(d)
			}
		}
	}
	return ""
}

func upperFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
