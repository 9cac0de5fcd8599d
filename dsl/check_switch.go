package dsl

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

// What changes its formula at a condition. `if t > cp then t - cp else 0` is continuous: both of its formulas are 0 where t is cp. So it has a kink there and no jump, and where
// their slopes agree as well, as those of a plateau at the top of a parabola do, it has neither. Points on the switch tell: names, elements and calls
// whose arguments are not looked into are numbers drawn at random, one of which the condition is linear in is solved for.

// joint says how the two formulas of a conditional meet where its condition changes.
type joint int

const (
	jumps  joint = iota
	bends        // they have the same value there
	joined       // and the same slopes
)

// switchOf warns of a conditional whose condition is a comparison of what depends on parameters.
func (c *checker) switchOf(e *IfExpr, cond *BinaryExpr) {
	how := jumps
	if e.Type().Base != Invalid && !ofState(cond) {
		then, otherwise := e.Then, e.Else
		if e.times != nil { // in (if x < cp then b1 else b2)*(x - cp) the other factor is 0 at the switch
			then, otherwise = &BinaryExpr{node: e.node, Op: "*", X: then, Y: e.times}, &BinaryExpr{node: e.node, Op: "*", X: otherwise, Y: e.times}
		}
		how = meets(cond, then, otherwise)
	}
	switch how {
	case jumps:
		c.notSmooth(cond, "a comparison", "jumps", "")
	case bends:
		c.notSmooth(cond, "a conditional", "has a kink where its condition changes", smoothSwitch(cond, e))
	}
}

// beside tells a conditional that is a factor of a product which other factor stands beside it.
func (e *BinaryExpr) beside() {
	if e.Op != "*" {
		return
	}
	for _, side := range [][2]Expr{{e.X, e.Y}, {e.Y, e.X}} {
		if i, ok := side[0].(*IfExpr); ok {
			i.times = side[1]
		}
	}
}

// plainComparison is the comparison of numbers that an expression is, or nil.
func plainComparison(e Expr) *BinaryExpr {
	if b, ok := e.(*BinaryExpr); ok && compares[b.Op] && b.Op != "and" && b.Op != "or" {
		return b
	}
	return nil
}

// smoothSwitch is the hint at a conditional that is continuous.
func smoothSwitch(cond *BinaryExpr, e *IfExpr) string {
	upper, lower, above, below := cond.X, cond.Y, e.Then, e.Else
	if strings.HasPrefix(cond.Op, "<") {
		upper, lower = lower, upper
	}
	over := difference(upper, lower)
	const may = "it is continuous, and may stay as it is where draws are good; "
	for _, part := range []struct{ zero, other, over string }{{Text(below), Text(above), over}, {Text(above), Text(below), difference(lower, upper)}} {
		if part.zero == "0" && strings.ReplaceAll(part.other, " ", "") == strings.ReplaceAll(part.over, " ", "") {
			return may + fmt.Sprintf("log1p_exp(20*(%s))/20 is smooth, and above it by up to log(2)/20: with a larger number than 20 by less", part.over)
		}
	}
	return may + fmt.Sprintf("with `let w = inv_logit(20*(%s))` the formulas blend smoothly in `w*A + (1 - w)*B`, A that of `then`: with a larger number than 20 nearer to the switch", over)
}

// difference is the text of one side of a comparison less the other.
func difference(x, y Expr) string {
	if v, ok := plainNumber(y); ok && v == 0 {
		return Text(x)
	}
	side := func(e Expr, right bool) string {
		if b, ok := e.(*BinaryExpr); ok && (compares[b.Op] || right && (b.Op == "+" || b.Op == "-")) {
			return "(" + Text(e) + ")"
		} else if _, ok := e.(*IfExpr); ok {
			return "(" + Text(e) + ")"
		}
		return Text(e)
	}
	return side(x, false) + " - " + side(y, true)
}

// meets finds how two formulas meet where a comparison changes. Of formulas that are conditionals themselves, some part of each counts.
func meets(cond *BinaryExpr, a, b Expr) joint {
	if !slices.Contains([]string{"<", "<=", ">", ">="}, cond.Op) {
		return jumps
	}
	best := jumps
	for _, x := range leaves(a) {
		for _, y := range leaves(b) {
			best = max(best, meetsAt(cond, x, y))
		}
	}
	return best
}

// leaves are the formulas that conditionals choose from, a few at most.
func leaves(e Expr) []Expr {
	out := []Expr{e}
	for n := 0; n < len(out) && len(out) < 8; {
		if i, ok := Through(out[n]).(*IfExpr); ok {
			out = append(out[:n], append([]Expr{i.Then, i.Else}, out[n+1:]...)...)
		} else {
			n++
		}
	}
	return out
}

// points is how many points on a switch must agree, tries how often they are sought.
const points, tries = 5, 200

func meetsAt(cond *BinaryExpr, a, b Expr) joint {
	at := &switchPoint{draw: rand.New(rand.NewPCG(1, 2)), value: map[string]float64{}}
	level := func() float64 { return at.of(cond.X, nil) - at.of(cond.Y, nil) }
	gap := func() (d, size float64) {
		x, y := at.of(a, nil), at.of(b, nil)
		return x - y, 1 + math.Abs(x) + math.Abs(y)
	}
	found, how := 0, joined
	for range tries {
		clear(at.value)
		level()
		names := slices.Clone(at.names)
		if !at.solve(level, names) {
			continue
		}
		d, size := gap()
		switch {
		case !(size < 1e6):
			continue
		case !(math.Abs(d) < 1e-9*size):
			return jumps
		}
		for _, name := range at.names { // those of the formulas too
			const h = 1e-4
			v := at.value[name]
			at.value[name] = v + h
			up, _ := gap()
			at.value[name] = v - h
			down, _ := gap()
			at.value[name] = v
			if !(math.Abs(up-down) < 1e-6*h*size*100) {
				how = bends
			}
		}
		if found++; found == points {
			return how
		}
	}
	return jumps
}

// switchPoint is a point at which formulas are evaluated: what they are made of, in the order in which it is met, and the values.
type switchPoint struct {
	draw  *rand.Rand
	value map[string]float64
	names []string
}

// solve moves a point to where a level is 0, along one of the names that it is linear in.
func (p *switchPoint) solve(level func() float64, names []string) bool {
	for _, name := range names {
		v, zero := p.value[name], level()
		move := func(by float64) float64 {
			p.value[name] = v + by
			return level()
		}
		one, two := move(0.25), move(0.5)
		slope := (one - zero) / 0.25
		if math.Abs(slope) > 1e-3 && math.Abs(two-zero-0.5*slope) < 1e-9*(1+math.Abs(zero)) {
			return math.Abs(move(-zero/slope)) < 1e-9*(1+math.Abs(zero))
		}
		p.value[name] = v
	}
	return false
}

// named is the value of something that is not looked into; of what is declared not to be negative it is positive.
func (p *switchPoint) named(key string, e Expr) float64 {
	v, ok := p.value[key]
	if !ok {
		if !slices.Contains(p.names, key) {
			p.names = append(p.names, key)
		}
		v = 0.3 + 2*p.draw.Float64()
		if !declaredPositive(e) && p.draw.IntN(2) == 0 {
			v = -v
		}
		p.value[key] = v
	}
	return v
}

// declaredPositive reports whether an expression is a parameter or data, or elements of one, that are not negative.
func declaredPositive(e Expr) bool {
	if ix, ok := e.(*IndexExpr); ok {
		e = Through(ix.Base)
	}
	if n, ok := e.(*Name); ok {
		switch o := n.Obj.(type) {
		case *Param:
			return o.Support.LoNum != nil && *o.Support.LoNum >= 0
		case *Data:
			return o.Support.LoNum != nil && *o.Support.LoNum >= 0
		case *Size, *Index:
			return true
		}
	}
	return false
}

// of is the value of a formula; the indices of a definition stand for what by says.
func (p *switchPoint) of(e Expr, by map[Object]string) float64 {
	switch e := e.(type) {
	case *Number:
		return e.Value
	case *Name:
		switch o := e.Obj.(type) {
		case *Const:
			return o.Value
		case *Let:
			if o.Value != nil && o.Recursion == nil && len(o.Indices) == 0 {
				return p.of(o.Value, by)
			}
		}
	case *IndexExpr:
		n, ok := e.Base.(*Name)
		if !ok {
			break
		}
		o, ok := n.Obj.(*Let)
		if !ok || o.Value == nil || o.Recursion != nil || len(o.Indices) == 0 || len(o.Indices) != len(e.Args) {
			break
		}
		own := map[Object]string{}
		for n, i := range o.Indices {
			own[i] = keyOf(e.Args[n], by)
		}
		return p.of(o.Value, own)
	case *UnaryExpr:
		if e.Op == "-" {
			return -p.of(e.X, by)
		}
	case *BinaryExpr:
		if f, ok := arithmetic[strings.TrimPrefix(e.Op, ".")]; ok && (e.Op != "*" && e.Op != "/" || len(e.X.Type().Shape) == 0 || len(e.Y.Type().Shape) == 0) {
			return f(p.of(e.X, by), p.of(e.Y, by))
		}
	case *CallExpr:
		if e.Inlined != nil && e.Inlined.Value != nil {
			return p.of(e.Inlined.Value, by)
		}
		if f, ok := smoothCalls[e.Func]; ok && len(e.Args) == 1 {
			return f(p.of(e.Args[0].Expr, by))
		}
	}
	return p.named(keyOf(e, by), e)
}

var arithmetic = map[string]func(x, y float64) float64{
	"+": func(x, y float64) float64 { return x + y },
	"-": func(x, y float64) float64 { return x - y },
	"*": func(x, y float64) float64 { return x * y },
	"/": func(x, y float64) float64 { return x / y },
	"^": math.Pow,
}

// smoothCalls are functions that are looked into.
var smoothCalls = map[string]func(float64) float64{"exp": math.Exp, "log": math.Log, "sqrt": math.Sqrt, "log1p": math.Log1p, "expm1": math.Expm1, "tanh": math.Tanh, "abs": math.Abs,
	"square": func(x float64) float64 { return x * x }, "inv_logit": func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }}

// keyOf is the text of an expression in which indices of definitions stand for others.
func keyOf(e Expr, by map[Object]string) string {
	switch e := e.(type) {
	case *Name:
		if text, ok := by[e.Obj]; ok && e.Obj != nil {
			return text
		}
	case *IndexExpr:
		var args []string
		for _, a := range e.Args {
			args = append(args, keyOf(a, by))
		}
		return keyOf(e.Base, by) + "[" + strings.Join(args, ", ") + "]"
	case *BinaryExpr:
		return "(" + keyOf(e.X, by) + " " + e.Op + " " + keyOf(e.Y, by) + ")"
	case *UnaryExpr:
		return e.Op + keyOf(e.X, by)
	case *CallExpr:
		var args []string
		for _, a := range e.Args {
			args = append(args, keyOf(a.Expr, by))
		}
		return e.Func + "(" + strings.Join(args, ", ") + ")"
	}
	return Text(e)
}
