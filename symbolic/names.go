package symbolic

import (
	"fmt"
	"strings"
)

// invent makes a name that tells what is defined: expV for exp(v), sumSqX for
// Σ x², c3 where nothing better is at hand.
func (p *Program) invent(e *Expr) string {
	name := describe(e)
	if name == "" || len(name) > 24 {
		name = map[Stage]string{StageConst: "k", StageData: "c", StageGiven: "g", StagePosition: "a", StageMomentum: "b", StageDraw: "d"}[e.stage]
		p.taken[name]++
		name = fmt.Sprintf("%s%d", name, p.taken[name])
	}
	if p.taken[name] > 0 {
		for n := 2; ; n++ {
			if s := fmt.Sprintf("%s%d", name, n); p.taken[s] == 0 {
				name = s
				break
			}
		}
	}
	p.taken[name] = 1
	return name
}

// describe returns an identifier that tells what e is, or "".
func describe(e *Expr) string {
	switch e.Op {
	case Ref:
		return e.Tensor.Name
	case Call:
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
	case Apply:
		if d := describe(e.Args[0]); d != "" {
			return e.Apply.Operator.Short + upperFirst(d)
		}
	case Sum:
		d := describe(e.Args[0])
		if d == "" {
			return ""
		}
		return "sum" + upperFirst(d)
	case Mul:
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
