package dsl

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Sizes that are computed of data. `real[max(group)]` has as many elements as the largest number in group says, and `let K = max(group)` names
// this size. It is a datum that is not read: a whole number, computed once when the data arrive, whose name is its formula. So everything that
// holds of a size that is read holds of it.

// Whole is the formula of a whole number that is computed of data.
type Whole struct {
	Op   string   // "+", "-", "*", "max", "min", "sum", "count"; "" of a number, or of an int datum
	N    int      // of a number
	Data *Data    // of an int datum, of max, min, sum and count
	Test Test     // of count: what the elements that are counted meet
	Args []*Whole // of the others
}

// Test is a comparison with a number, by one of < <= > >= == !=.
type Test struct {
	Op string
	To float64
}

// Holds reports whether a number meets it.
func (t Test) Holds(x float64) bool {
	switch t.Op {
	case "<":
		return x < t.To
	case "<=":
		return x <= t.To
	case ">":
		return x > t.To
	case ">=":
		return x >= t.To
	case "==":
		return x == t.To
	}
	return x != t.To
}

// Sources are the data that a formula is made of, in order.
func (w *Whole) Sources() []*Data {
	var out []*Data
	var visit func(w *Whole)
	visit = func(w *Whole) {
		if w.Data != nil && !slices.Contains(out, w.Data) {
			out = append(out, w.Data)
		}
		for _, a := range w.Args {
			visit(a)
		}
	}
	visit(w)
	return out
}

// Value computes a formula of the numbers of the data, as validate.Whole wants it.
func (w *Whole) Value(numbers func(*Data) []float64) float64 {
	switch w.Op {
	case "":
		if w.Data == nil {
			return float64(w.N)
		}
		return numbers(w.Data)[0]
	case "count":
		n := 0.0
		for _, x := range numbers(w.Data) {
			if w.Test.Holds(x) {
				n++
			}
		}
		return n
	case "max", "min", "sum":
		v := numbers(w.Data)
		if len(v) == 0 {
			return 0 // which is refused for its length
		}
		total := v[0]
		for _, x := range v[1:] {
			switch w.Op {
			case "max":
				total = max(total, x)
			case "min":
				total = min(total, x)
			default:
				total += x
			}
		}
		return total
	}
	x, y := w.Args[0].Value(numbers), w.Args[1].Value(numbers)
	switch w.Op {
	case "+":
		return x + y
	case "-":
		return x - y
	}
	return x * y
}

// atMost reports whether a number is at most a size, whatever the data are: a sum of sizes is at least each of them, and data are declared in ranges.
func (c *checker) atMost(x, size Extent) bool {
	if x.Name == size.Name {
		return x.Offset <= size.Offset
	}
	if own, _ := c.sizes[x.Name].(*Data); own != nil && own.Formula == nil && !own.Support.spoiled {
		if _, hi, ok := own.Values(); ok && hi.Name == size.Name && hi.Offset+x.Offset <= size.Offset {
			return true
		}
	}
	own, _ := c.sizes[x.Name].(*Data)
	d, _ := c.sizes[size.Name].(*Data)
	if d == nil || own == nil || d.Formula == nil && own.Formula == nil {
		return false
	}
	// The difference is a sum of data, none of them negative, and of a number.
	rest, times := size.Offset-x.Offset, map[*Data]int{}
	if !d.formula().count(1, &rest, times) || !own.formula().count(-1, &rest, times) {
		return false
	}
	for d, n := range times {
		switch {
		case n == 0:
		case n < 0:
			return false
		case d.Support.LoNum != nil && *d.Support.LoNum >= 1 && *d.Support.LoNum < 1e6:
			rest += n * int(math.Ceil(*d.Support.LoNum))
		case d.IsSize && d.LeastSize() > 0:
			rest += n // such sizes are no 0
		case d.Support.LoNum == nil || *d.Support.LoNum < 0:
			return false
		}
	}
	return rest >= 0
}

// formula is that of a size; of one that is read, itself.
func (d *Data) formula() *Whole {
	if d.Formula != nil {
		return d.Formula
	}
	return &Whole{Data: d}
}

// count adds a formula, so many times, to a number and to how often each datum is in a sum. It is false where the formula is no such sum.
func (w *Whole) count(times int, rest *int, of map[*Data]int) bool {
	switch {
	case w.Op == "" && w.Data == nil:
		*rest += times * w.N
	case w.Op == "":
		of[w.Data] += times
	case w.Op == "+":
		return w.Args[0].count(times, rest, of) && w.Args[1].count(times, rest, of)
	case w.Op == "-":
		return w.Args[0].count(times, rest, of) && w.Args[1].count(-times, rest, of)
	case w.Op == "*" && w.Args[0].Op == "" && w.Args[0].Data == nil:
		return w.Args[1].count(times*w.Args[0].N, rest, of)
	case w.Op == "*" && w.Args[1].Op == "" && w.Args[1].Data == nil:
		return w.Args[0].count(times*w.Args[1].N, rest, of)
	default:
		return false
	}
	return true
}

// isFormula reports whether a size is computed and has no name but its formula.
func (e Extent) isFormula() bool { return strings.ContainsAny(e.Name, "+-*(") }

// computedSize is a size whose formula is not known yet.
type computedSize struct {
	size    *Data
	formula Expr
}

// formOfSize reports whether an expression reads like the formula of a size: numbers, int data, and max, min and sum of integer data, combined by
// + - and *.
func (c *checker) formOfSize(e Expr) bool {
	if c.function != nil {
		return false
	}
	if v, ok := c.constant(e); ok {
		return v == math.Trunc(v) && math.Abs(v) <= 1e9
	}
	switch e := e.(type) {
	case *Name:
		if c.index(e.Name) != nil {
			return false
		}
		switch o := c.scope[e.Name].(type) {
		case *Data:
			return o.Type.Base == Int && o.Type.IsScalar()
		case *Size:
			return o.Extent != unknownExtent
		}
	case *BinaryExpr:
		return (e.Op == "+" || e.Op == "-" || e.Op == "*") && c.formOfSize(e.X) && c.formOfSize(e.Y)
	case *CallExpr:
		return c.reducedData(e) != ""
	case *SumExpr:
		_, _, ok := c.counted(e)
		return ok
	}
	return false
}

// counted is the data that a sum counts elements of, sum(i in n) (y[i] > 0), and what these meet.
func (c *checker) counted(e *SumExpr) (name string, test Test, ok bool) {
	b, is := e.Body.(*BinaryExpr)
	if e.Func != "sum" || len(e.Indices) != 1 || e.Indices[0].Lo != nil || !is || !compares[b.Op] || b.Op == "and" || b.Op == "or" {
		return "", test, false
	}
	x, is := b.X.(*IndexExpr)
	to, known := c.constant(b.Y)
	if !is || !known || len(x.Args) != 1 {
		return "", test, false
	}
	base, is := x.Base.(*Name)
	at, also := x.Args[0].(*Name)
	if !is || !also || at.Name != e.Indices[0].Name || e.Indices[0].Hi == nil || c.vectorSizes[base.Name] != Text(e.Indices[0].Hi) {
		return "", test, false
	}
	return base.Name, Test{b.Op, to}, true
}

// reducedData is the name of the integer data that a call takes the maximum, the minimum or the sum of, or "".
func (c *checker) reducedData(e *CallExpr) string {
	if (e.Func != "max" && e.Func != "min" && e.Func != "sum") || len(e.Args) != 1 || e.Args[0].Name != "" || c.funcs[e.Func] != nil {
		return ""
	}
	if n, ok := e.Args[0].Expr.(*Name); ok && c.integerArrays[n.Name] {
		return n.Name
	}
	return ""
}

// sizeText is the formula of a size, which is its name.
func (c *checker) sizeText(e Expr) string {
	if v, ok := c.constant(e); ok {
		return strconv.Itoa(int(v))
	}
	switch e := e.(type) {
	case *Name:
		if s, ok := c.scope[e.Name].(*Size); ok {
			return factor(s.Extent.String(), s.Extent.Offset != 0)
		}
		return e.Name
	case *CallExpr:
		return e.Func + "(" + c.reducedData(e) + ")"
	case *SumExpr:
		name, test, _ := c.counted(e)
		return fmt.Sprintf("sum(%s%s%v)", name, test.Op, test.To)
	case *BinaryExpr:
		sum := func(x Expr) bool {
			b, ok := x.(*BinaryExpr)
			return ok && b.Op != "*"
		}
		return factor(c.sizeText(e.X), e.Op == "*" && sum(e.X)) + e.Op + factor(c.sizeText(e.Y), e.Op != "+" && sum(e.Y))
	}
	return "?"
}

func factor(text string, brackets bool) string {
	if brackets {
		return "(" + text + ")"
	}
	return text
}

// computedExtent is the size of a formula. Where declarations are being read, not all data are known, and it is looked at later.
func (c *checker) computedExtent(e Expr) Extent {
	_, call := e.(*CallExpr)
	_, count := e.(*SumExpr)
	name := factor(c.sizeText(e), !call && !count) // as it stands in formulas
	if _, known := c.sizes[name]; !known {
		d := &Data{object: object{Name: name, At: e.Span(), used: true}, Type: Type{Base: Int}, IsSize: true}
		c.sizes[name] = d
		c.unresolved = append(c.unresolved, computedSize{d, e})
		if !c.headings {
			c.formulas()
		}
	}
	return Extent{Name: name}
}

// formulas gives the sizes that are computed their formulas, and brings the data into an order in which each comes behind what its size is
// computed of.
func (c *checker) formulas() {
	if len(c.unresolved) == 0 {
		return
	}
	for _, x := range c.unresolved {
		x.size.Formula = c.formula(x.formula)
		if !c.headings {
			x.size.bound()
		}
		c.model.Data = append(c.model.Data, x.size)
	}
	c.unresolved = nil
	const under, done = 1, 2
	state := map[*Data]int{}
	var order []*Data
	var visit func(d *Data)
	behind := func(size, of, next *Data) { // of the one of which the other is
		if state[next] == under {
			c.err(BadSize, size.At, "declare it as `data NAME int`", "the size %s is computed of `%s`, which has this size", size.Name, of.Name)
		} else {
			visit(next)
		}
	}
	visit = func(d *Data) {
		if state[d] != 0 {
			return
		}
		state[d] = under
		if d.Formula != nil {
			for _, s := range d.Formula.Sources() {
				behind(d, s, s)
			}
		}
		for _, x := range d.Type.Shape {
			if s, ok := c.sizes[x.Name].(*Data); ok && s.Formula != nil {
				behind(s, d, s)
			}
		}
		state[d] = done
		order = append(order, d)
	}
	for _, d := range c.model.Data {
		visit(d)
	}
	c.model.Data = order
}

// largest is the formula of the largest number of data.
func (d *Data) largest() string { return "max(" + d.Name + ")" }

// bound says of data that a size is the largest number of that they go up to it: `int[n] >= 1` is in 1..K, for K = max(g).
func (d *Data) bound() {
	if d.Formula == nil || d.Formula.Op != "max" {
		return
	}
	of := d.Formula.Data
	if s := &of.Support; s.Hi == nil && s.HiNum == nil && s.Set == nil && s.LoNum != nil && !s.LoOpen {
		s.Hi = &Name{node: node{span: d.At, typ: d.Type}, Name: d.Name, Obj: d}
	}
}

// sizedEnd is an end of the range of integer data that is the formula of a size, `int[n] in 1..2*m - 1`, as that size; another one is itself.
func (c *checker) sizedEnd(e Expr) Expr {
	if e == nil {
		return nil
	}
	if _, ok := extentForm(e); ok || !c.formOfSize(e) {
		return e
	}
	before := len(c.ds.List)
	x, ok := c.extent(e, "the end of a range")
	d, known := c.sizes[x.Name].(*Data)
	if !ok || !known || d.Formula == nil && !x.isFormula() {
		c.ds.List = c.ds.List[:before]
		return e
	}
	at := node{span: e.Span(), typ: Type{Base: Int}, tokens: e.Source()}
	size := Expr(&Name{node: at, Name: d.Name, Obj: d})
	if x.Offset == 0 {
		return size
	}
	return &BinaryExpr{node: at, Op: "+", At: at.span, X: size, Y: &Number{node: at, Value: float64(x.Offset)}}
}

// sizeName is the name that the model gives a formula, "" if it has none.
func (c *checker) sizeName(formula string) (name string) {
	for n, o := range c.scope {
		if s, ok := o.(*Size); ok && s.Extent == (Extent{Name: formula}) && (name == "" || n < name) {
			name = n
		}
	}
	return name
}

// formula is that of a size.
func (c *checker) formula(e Expr) *Whole {
	if v, ok := c.constant(e); ok {
		return &Whole{N: int(v)}
	}
	of := func(x Extent) *Whole {
		d, ok := c.sizes[x.Name].(*Data)
		if !ok {
			return &Whole{N: x.Offset}
		}
		d.used, d.IsSize = true, true
		w := &Whole{Data: d}
		if x.Offset != 0 {
			w = &Whole{Op: "+", Args: []*Whole{w, {N: x.Offset}}}
		}
		return w
	}
	switch e := e.(type) {
	case *Name:
		if s, ok := c.scope[e.Name].(*Size); ok {
			return of(s.Extent)
		}
		d := c.scope[e.Name].(*Data)
		d.used = true
		return &Whole{Data: d}
	case *CallExpr:
		if d, ok := c.scope[c.reducedData(e)].(*Data); ok {
			d.used = true
			return &Whole{Op: e.Func, Data: d}
		}
	case *SumExpr:
		name, test, _ := c.counted(e)
		if d, ok := c.scope[name].(*Data); ok {
			d.used = true
			return &Whole{Op: "count", Data: d, Test: test}
		}
	case *BinaryExpr:
		return &Whole{Op: e.Op, Args: []*Whole{c.formula(e.X), c.formula(e.Y)}}
	}
	return &Whole{} // an error in it was reported
}

// namedSizes finds the definitions that serve as sizes: `let K = max(group)` where K is the size of an array, or an end of a range. They are
// known wherever data are.
func (c *checker) namedSizes(f *File) {
	sizesOfData(f)
	c.integerArrays, c.vectorSizes, c.sizeLets, c.inSizes = map[string]bool{}, map[string]string{}, map[*LetStmt]bool{}, map[string]bool{}
	used := map[string]bool{}
	note := func(list ...Expr) {
		for _, e := range list {
			if e == nil {
				continue
			}
			Walk(e, func(n Node) bool {
				if n, ok := n.(*Name); ok {
					used[n.Name] = true
				}
				return true
			})
		}
	}
	for _, s := range f.Stmts {
		if s, ok := s.(*DataStmt); ok && s.Type.Base == "int" && len(s.Type.Sizes) > 0 {
			for _, id := range s.Names {
				c.integerArrays[id.Name] = true
			}
		}
		if s, ok := s.(*DataStmt); ok && len(s.Type.Sizes) == 1 {
			for _, id := range s.Names {
				c.vectorSizes[id.Name] = Text(s.Type.Sizes[0])
			}
		}
		Walk(s, func(n Node) bool {
			switch n := n.(type) {
			case *TypeExpr:
				note(n.Sizes...)
			case *BoundExpr:
				note(n.First, n.Last)
			case *IndexDecl:
				note(n.Lo, n.Hi)
			}
			return true
		})
	}
	plain := map[string]Expr{} // definitions above, which the formula of a size may name
	for _, s := range f.Stmts {
		s, ok := s.(*LetStmt)
		if !ok || len(s.Places) > 0 || s.For != nil {
			continue
		}
		value := c.writtenOutSize(s.Value, plain)
		if !c.formOfSize(value) {
			continue
		}
		plain[s.Name.Name] = value
		if !used[s.Name.Name] {
			continue
		}
		x, ok := c.extent(value, "a size")
		if !ok {
			continue
		}
		c.sizeLets[s] = true
		c.declare(&Size{object: object{Name: s.Name.Name, At: s.Name.At, Doc: s.Doc, used: true}, Extent: x})
		if c.later[s.Name.Name] == s.Name.At {
			delete(c.later, s.Name.Name)
		}
	}
}

// maxSizeParts is how many parts the formula of a size may have.
const maxSizeParts = 200

// writtenOutSize is the formula of a size with definitions in the place of their names.
func (c *checker) writtenOutSize(e Expr, definitions map[string]Expr) Expr {
	var names []string
	parts := 0
	Walk(e, func(n Node) bool {
		parts++
		if n, ok := n.(*Name); ok && definitions[n.Name] != nil && !slices.Contains(names, n.Name) {
			if _, declared := c.scope[n.Name]; !declared {
				names = append(names, n.Name)
			}
		}
		return true
	})
	if parts > maxSizeParts {
		return e
	}
	for _, name := range names {
		e = cloner{name: name, put: definitions[name]}.expr(e)
		c.inSizes[name] = true
	}
	return e
}

// sizesOfData puts the size that a vector is declared with in the place of `size(y)`, where that stands for a size or names one: `let n = size(y)`.
func sizesOfData(f *File) {
	declared := map[string]Expr{}
	var of func(e Expr) Expr
	of = func(e Expr) Expr {
		switch e := e.(type) {
		case *CallExpr:
			if e.Func == "size" && len(e.Args) == 1 {
				if n, ok := e.Args[0].Expr.(*Name); ok && declared[n.Name] != nil {
					return clone(declared[n.Name])
				}
			}
		case *BinaryExpr:
			e.X, e.Y = of(e.X), of(e.Y)
		}
		return e
	}
	note := func(names []Ident, t *TypeExpr) {
		for i := range t.Sizes {
			t.Sizes[i] = of(t.Sizes[i])
		}
		for _, id := range names {
			if len(t.Sizes) == 1 {
				declared[id.Name] = t.Sizes[0]
			}
		}
	}
	for _, s := range f.Stmts {
		if s, ok := s.(*DataStmt); ok {
			note(s.Names, &s.Type)
		}
	}
	for _, s := range f.Stmts {
		switch s := s.(type) {
		case *ParamStmt:
			note(s.Names, &s.Type)
		case *FuncStmt:
			continue // whose arguments have names of their own
		case *LetStmt:
			if len(s.Places) == 0 && s.For == nil {
				s.Value = of(s.Value)
			}
		}
		Walk(s, func(n Node) bool {
			if d, ok := n.(*IndexDecl); ok {
				if d.Lo != nil {
					d.Lo = of(d.Lo)
				}
				d.Hi = of(d.Hi)
			}
			return true
		})
	}
}
