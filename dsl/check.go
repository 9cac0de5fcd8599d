package dsl

import (
	"fmt"
	"math"
	"strings"
)

// Options of Check.
type Options struct {
	// Consts binds consts, and int data scalars, at compile time: `--const
	// k=10`. Names are in the order given.
	Consts []ConstBinding
}

// ConstBinding is one NAME=VALUE.
type ConstBinding struct {
	Name  string
	Value float64
}

// Load parses and checks a file. The model is nil if there are errors; the
// diagnostics may hold warnings even if there are none.
func Load(name, text string, opt Options) (*Model, *Diagnostics) {
	file, ds := Parse(name, text)
	for _, d := range ds.List {
		if d.Code == TooLarge {
			return nil, ds
		}
	}
	c := &checker{ds: ds, scope: map[string]Object{}, opt: opt, poisoned: map[string]bool{}}
	for _, id := range file.poisoned {
		c.poisoned[id] = true
	}
	m := c.file(file)
	ds.sort()
	if ds.HasErrors() {
		return nil, ds
	}
	return m, ds
}

type checker struct {
	ds       *Diagnostics
	model    *Model
	scope    map[string]Object // data, consts, params and lets
	names    []string          // of scope, in order
	later    map[string]Span   // lets that stand further down
	indices  []*Index          // open index scopes, innermost last
	poisoned map[string]bool   // names of declarations that did not parse
	opt      Options
	boundAt  map[string]float64
}

func (c *checker) err(code Code, at Span, hint, format string, args ...any) {
	c.ds.add(Diagnostic{Code: code, Span: at, Hint: hint, Message: fmt.Sprintf(format, args...)})
}

func (c *checker) warn(code Code, at Span, hint, format string, args ...any) {
	c.ds.add(Diagnostic{Severity: Warning, Code: code, Span: at, Hint: hint, Message: fmt.Sprintf(format, args...)})
}

func (c *checker) note(at Span, format string, args ...any) {
	d := &c.ds.List[len(c.ds.List)-1]
	d.Notes = append(d.Notes, Note{at, fmt.Sprintf(format, args...)})
}

// declare enters a name; a second declaration is an error.
func (c *checker) declare(o Object) {
	name := o.ObjectName()
	if old, ok := c.scope[name]; ok {
		c.err(Redeclared, o.Declared(), "choose another name", "`%s` is declared twice", name)
		c.note(old.Declared(), "first declared here")
		return
	}
	c.scope[name] = o
	c.names = append(c.names, name)
}

// file checks the statements: first what is declared, so that the order of
// declarations does not matter to sizes and bounds, then the definitions and
// terms in the order of the text.
func (c *checker) file(f *File) *Model {
	m := &Model{Name: f.Name.Name, Doc: f.Doc}
	c.model = m
	c.boundAt = map[string]float64{}
	bound := map[string]bool{}
	for _, b := range c.opt.Consts {
		c.boundAt[b.Name] = b.Value
	}
	c.later = map[string]Span{}
	for _, s := range f.Stmts {
		switch s := s.(type) {
		case *ConstStmt:
			k := &Const{object: object{s.Name.Name, s.Name.At, s.Doc, false}}
			if v, ok := c.boundAt[k.Name]; ok {
				k.Value = v
				bound[k.Name] = true
			} else {
				k.Value = c.number(s.Value, "a const")
			}
			c.declare(k)
			m.Consts = append(m.Consts, k)
		case *DataStmt:
			if s.Type.Base == "int" && len(s.Type.Sizes) == 0 {
				for _, id := range s.Names {
					o := object{id.Name, id.At, s.Doc, false}
					if v, ok := c.boundAt[id.Name]; ok {
						if v != math.Trunc(v) {
							c.err(BadConst, id.At, "", "--const %s=%v: `%s` is an int", id.Name, v, id.Name)
						}
						bound[id.Name] = true
						k := &Const{object: o, Value: v, FromData: true}
						c.declare(k)
						m.Consts = append(m.Consts, k)
						continue
					}
					d := &Data{object: o, Type: Type{Base: Int}}
					c.declare(d)
					m.Data = append(m.Data, d)
				}
			}
		case *LetStmt:
			if _, ok := c.later[s.Name.Name]; !ok {
				c.later[s.Name.Name] = s.Name.At
			}
		}
	}
	for _, b := range c.opt.Consts {
		if !bound[b.Name] {
			c.err(UnknownConst, Span{Pos{1, 1}, 1}, "it can bind a const or an int data scalar", "--const %s: the model has no such const", b.Name)
		}
	}
	for _, s := range f.Stmts {
		switch s := s.(type) {
		case *DataStmt:
			c.data(s)
		case *ParamStmt:
			c.param(s)
		}
	}
	// Bounds and defaults may name any datum or const.
	for _, s := range f.Stmts {
		switch s := s.(type) {
		case *DataStmt:
			for _, id := range s.Names {
				if d, ok := c.scope[id.Name].(*Data); ok && d.At == id.At {
					d.Support = c.support(&s.Type, d.Type.Base, "data")
					c.defaultValue(d, s.Default)
				}
			}
		case *ParamStmt:
			for _, id := range s.Names {
				if p, ok := c.scope[id.Name].(*Param); ok && p.At == id.At {
					p.Support = c.support(&s.Type, p.Type.Base, "param")
				}
			}
		}
	}
	for _, s := range f.Stmts {
		switch s := s.(type) {
		case *LetStmt:
			c.let(s)
		case *DensityStmt:
			c.density(s)
		case *SampleStmt:
			c.sample(s)
		}
	}
	for _, s := range f.Stmts {
		if s, ok := s.(*MetricStmt); ok {
			c.metric(s)
		}
	}
	c.whole(f)
	return m
}

// whole checks what only the finished model shows.
func (c *checker) whole(f *File) {
	top := Span{Pos{1, 1}, 1}
	if f.Name.Name != "" {
		top = f.Name.At
	}
	m := c.model
	if c.ds.HasErrors() {
		return
	}
	if len(m.Params) == 0 {
		c.err(NoParams, top, "declare one with `param NAME real`", "the model has no parameter")
		return
	}
	if len(m.Terms) == 0 {
		c.err(NoDensity, top, "add `y ~ distribution(…)` or `density …`", "the model has no density")
		return
	}
	if len(m.Metric) == 0 {
		c.warn(NoMetric, top, "add `metric fisher`, `metric softabs(alpha = 1e6)` or another", "the model gives no metric; the identity is used")
		m.Metric = []*MetricTerm{{At: top, Kind: MetricIdentity}}
	}
	for _, d := range m.Data {
		if !d.used && !d.IsSize {
			c.warn(Unused, d.At, "remove it, or use it", "the datum `%s` is not used", d.Name)
		}
	}
	for _, l := range m.Lets {
		if !l.used {
			c.warn(Unused, l.At, "remove it, or use it", "the definition `%s` is not used", l.Name)
		}
	}
	for _, p := range m.Params {
		if !p.used {
			c.warn(NoPrior, p.At, "give it a prior, or remove it", "the density does not mention the parameter `%s`, so it has no proper posterior", p.Name)
		}
	}
}

// number evaluates a compile-time number.
func (c *checker) number(e Expr, what string) float64 {
	v, ok := c.constant(e)
	if !ok {
		c.err(BadConst, e.Span(), "use numbers and other consts", "%s is a number known at compile time", what)
		return 1
	}
	if math.IsNaN(v) || math.IsInf(v, 0) {
		c.err(BadConst, e.Span(), "", "this value is %v", v)
		return 1
	}
	return v
}

// constant folds an expression of numbers and consts.
func (c *checker) constant(e Expr) (float64, bool) {
	switch e := e.(type) {
	case *Number:
		return e.Value, true
	case *Name:
		if k, ok := c.scope[e.Name].(*Const); ok {
			k.used = true
			return k.Value, true
		}
	case *UnaryExpr:
		if x, ok := c.constant(e.X); ok && e.Op == "-" {
			return -x, true
		}
	case *CallExpr:
		if e.Func == "pi" && len(e.Args) == 0 {
			return math.Pi, true
		}
		if len(e.Args) != 1 || e.Args[0].Name != "" {
			return 0, false
		}
		x, ok := c.constant(e.Args[0].Expr)
		if !ok {
			return 0, false
		}
		switch e.Func {
		case "sqrt":
			return math.Sqrt(x), true
		case "exp":
			return math.Exp(x), true
		case "log":
			return math.Log(x), true
		}
	case *BinaryExpr:
		x, ok1 := c.constant(e.X)
		y, ok2 := c.constant(e.Y)
		if !ok1 || !ok2 {
			return 0, false
		}
		switch e.Op {
		case "+":
			return x + y, true
		case "-":
			return x - y, true
		case "*":
			return x * y, true
		case "/":
			return x / y, true
		case "^":
			return math.Pow(x, y), true
		}
	}
	return 0, false
}

// size resolves the size of a declaration or the end of a range.
func (c *checker) extent(e Expr, what string) (Extent, bool) {
	if v, ok := c.constant(e); ok {
		if v != math.Trunc(v) || math.Abs(v) > 1e9 {
			c.err(NotInteger, e.Span(), "", "%s is a whole number, not %v", what, v)
			return Extent{}, false
		}
		return Fixed(int(v)), true
	}
	switch e := e.(type) {
	case *Name:
		o := c.lookup(e)
		if o == nil {
			return Extent{}, false
		}
		if d, ok := o.(*Data); ok && d.Type.Base == Int && d.Type.IsScalar() {
			d.used, d.IsSize = true, true
			return Extent{Name: d.Name}, true
		}
		c.err(BadSize, e.Span(), "declare it as `data NAME int` or `const NAME = …`", "`%s` cannot be %s", e.Name, what)
		return Extent{}, false
	case *BinaryExpr:
		if e.Op == "+" || e.Op == "-" {
			x, ok := c.extent(e.X, what)
			if !ok {
				return Extent{}, false
			}
			if n, ok := c.constant(e.Y); ok && n == math.Trunc(n) && math.Abs(n) < 1e6 {
				if e.Op == "-" {
					n = -n
				}
				return x.Plus(int(n)), true
			}
		}
	}
	c.err(BadSize, e.Span(), "a size is a number, a const, an int datum, or one of these plus or minus a number", "this cannot be %s", what)
	return Extent{}, false
}

func (c *checker) typeOf(te *TypeExpr) (Type, bool) {
	t := Type{Base: Real}
	if te.Base == "int" {
		t.Base = Int
	}
	ok := true
	for _, s := range te.Sizes {
		e, good := c.extent(s, "a size")
		if good && e.IsConst() && e.Offset < 1 {
			c.err(BadSize, s.Span(), "", "a size is at least 1, not %d", e.Offset)
			good = false
		}
		ok = ok && good
		t.Shape = append(t.Shape, e)
	}
	if te.Base == "cov" {
		if len(te.Sizes) != 1 {
			c.err(BadSize, te.At, "write `cov[n]` for an n × n matrix", "a cov has one size")
			return t, false
		}
		if ok {
			t.Shape = []Extent{t.Shape[0], t.Shape[0]}
		}
	}
	if len(t.Shape) > 2 {
		c.err(BadSize, te.At, "use a vector or a matrix", "tensors of more than two dimensions are not in this version of the language")
		return t, false
	}
	if !ok {
		t.Base = Invalid
		t.Shape = nil
	}
	return t, ok
}

func (c *checker) data(s *DataStmt) {
	t, _ := c.typeOf(&s.Type)
	if s.Type.Base == "int" && len(s.Type.Sizes) == 0 {
		return // declared in the first pass
	}
	for _, id := range s.Names {
		d := &Data{object: object{id.Name, id.At, s.Doc, false}, Type: t, Cov: s.Type.Base == "cov"}
		c.declare(d)
		c.model.Data = append(c.model.Data, d)
	}
}

func (c *checker) param(s *ParamStmt) {
	t, ok := c.typeOf(&s.Type)
	switch {
	case s.Type.Base == "int":
		c.err(UnknownType, s.Type.At, "HMC samples real parameters; sum a discrete one out of the density", "a parameter cannot be an int")
		t = Type{}
	case s.Type.Base == "cov":
		c.err(NotYet, s.Type.At, "", "cov parameters are not in this version of the language")
		t = Type{}
	case ok && len(t.Shape) > 1:
		c.err(NotYet, s.Type.At, "declare a vector", "matrix parameters are not in this version of the language")
		t = Type{}
	}
	for _, id := range s.Names {
		p := &Param{object: object{id.Name, id.At, s.Doc, false}, Type: t}
		c.declare(p)
		c.model.Params = append(c.model.Params, p)
	}
}

// support resolves the bounds of a declaration.
func (c *checker) support(te *TypeExpr, base Base, what string) Support {
	b := &te.Bound
	var s Support
	if b.Op == "" || base == Invalid {
		return s
	}
	if te.Base == "cov" {
		c.err(BadBounds, b.At, "", "a cov has no bounds")
		return s
	}
	side := func(e Expr) (Expr, *float64) {
		if e == nil {
			return nil, nil
		}
		if v, ok := c.constant(e); ok {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				c.err(BadBounds, e.Span(), "leave an infinite bound out", "a bound is finite")
				return nil, nil
			}
			c.expr(e)
			return e, &v
		}
		c.expr(e)
		c.wantScalar(e, "a bound")
		if p := c.dependsOnParam(e); p != nil {
			c.err(BadBounds, e.Span(), "", "a bound may not depend on a parameter (`%s`)", p.Name)
			return nil, nil
		}
		return e, nil
	}
	switch b.Op {
	case "set":
		if what == "param" {
			c.err(BadBounds, b.At, "a parameter lies in an interval: `in (a, b)`", "a parameter cannot be discrete")
			return s
		}
		if base != Int {
			c.err(BadBounds, b.At, "declare it int, or use an interval", "a set of values is for int data")
			return s
		}
		for _, e := range b.Set {
			v := c.number(e, "a value of a set")
			if v != math.Trunc(v) {
				c.err(NotInteger, e.Span(), "", "the value %v of an int is not a whole number", v)
			}
			s.Set = append(s.Set, v)
		}
		return s
	case ">", ">=", "in":
		s.Lo, s.LoNum = side(b.Lo)
		s.LoOpen = b.Op != ">="
	}
	if b.Op == "<" || b.Op == "<=" || b.Op == "in" {
		s.Hi, s.HiNum = side(b.Hi)
		s.HiOpen = b.Op != "<="
	}
	if s.LoNum != nil && s.HiNum != nil && *s.LoNum >= *s.HiNum {
		c.err(BadBounds, b.At, "", "the lower bound %v is not below the upper bound %v", *s.LoNum, *s.HiNum)
	}
	return s
}

func (c *checker) defaultValue(d *Data, e Expr) {
	if e == nil {
		return
	}
	if !d.Type.IsScalar() {
		c.err(BadDefault, e.Span(), "", "only scalars have defaults")
		return
	}
	v, ok := c.constant(e)
	if !ok {
		c.err(BadDefault, e.Span(), "use numbers and consts", "a default is a number known at compile time")
		return
	}
	s := &d.Support
	bad := s.LoNum != nil && (v < *s.LoNum || v == *s.LoNum && s.LoOpen) ||
		s.HiNum != nil && (v > *s.HiNum || v == *s.HiNum && s.HiOpen)
	if s.Set != nil {
		bad = true
		for _, x := range s.Set {
			bad = bad && x != v
		}
	}
	if bad {
		c.err(BadDefault, e.Span(), "", "the default %v of `%s` is outside its bounds", v, d.Name)
	}
	if d.Type.Base == Int && v != math.Trunc(v) {
		c.err(BadDefault, e.Span(), "", "the default %v of the int `%s` is not a whole number", v, d.Name)
	}
	d.Default = &v
}

// lookup resolves a name that is not an index, and reports unknown ones.
func (c *checker) lookup(n *Name) Object {
	if o, ok := c.scope[n.Name]; ok {
		return o
	}
	if c.poisoned[n.Name] {
		return nil
	}
	if at, ok := c.later[n.Name]; ok {
		c.err(UsedBeforeDefined, n.Span(), "move the definition up", "`%s` is used before it is defined", n.Name)
		c.note(at, "defined here")
		return nil
	}
	hint := ""
	candidates := append([]string{}, c.names...)
	for _, ix := range c.indices {
		candidates = append(candidates, ix.Name)
	}
	if s := suggest(n.Name, candidates); s != "" {
		hint = fmt.Sprintf("did you mean `%s`?", s)
	} else if LookupFunction(n.Name) != nil {
		hint = fmt.Sprintf("`%s` is a function: write %s(…)", n.Name, n.Name)
	} else {
		hint = "declare it with data, const, param or let"
	}
	c.err(UnknownName, n.Span(), hint, "`%s` is not declared", n.Name)
	// One message per name is enough.
	c.poisoned[n.Name] = true
	return nil
}

func (c *checker) index(name string) *Index {
	for i := len(c.indices) - 1; i >= 0; i-- {
		if c.indices[i].Name == name {
			return c.indices[i]
		}
	}
	return nil
}

// open declares indices and returns how to close their scope.
func (c *checker) open(decls []IndexDecl) (indices []*Index, shut func()) {
	n := len(c.indices)
	for i := range decls {
		d := &decls[i]
		ix := &Index{object: object{Name: d.Name, At: d.At}}
		ix.Range.Lo = Fixed(1)
		if d.Lo != nil {
			if e, ok := c.extent(d.Lo, "the start of a range"); ok {
				ix.Range.Lo = e
				if e.IsConst() && e.Offset < 1 {
					c.err(IndexRange, d.Lo.Span(), "indices count from 1", "a range starts at %d", e.Offset)
				}
			}
		}
		if e, ok := c.extent(d.Hi, "the end of a range"); ok {
			ix.Range.Hi = e
		} else {
			ix.Range.Hi = Extent{Name: "?"}
		}
		if old := c.index(d.Name); old != nil {
			c.err(IndexShadows, d.At, "choose another name", "the index `%s` hides an index of the same name", d.Name)
			c.note(old.At, "the other index")
		} else if o, ok := c.scope[d.Name]; ok {
			c.err(IndexShadows, d.At, "choose another name", "the index `%s` has the name of something declared", d.Name)
			c.note(o.Declared(), "declared here")
		}
		d.Index = ix
		indices = append(indices, ix)
		c.indices = append(c.indices, ix)
	}
	return indices, func() { c.indices = c.indices[:n] }
}

func (c *checker) let(s *LetStmt) {
	l := &Let{object: object{s.Name.Name, s.Name.At, s.Doc, false}}
	if len(s.Indices) > 2 {
		c.err(IndexCount, s.Indices[2].At, "", "a definition has at most two indices in this version of the language")
		s.Indices = s.Indices[:2]
	}
	var shut func()
	l.Indices, shut = c.open(s.Indices)
	c.expr(s.Value)
	l.Value = s.Value
	l.Type = s.Value.Type()
	if len(l.Indices) > 0 {
		c.wantScalar(s.Value, fmt.Sprintf("the value of `%s[…]`", l.Name))
		l.Type.Shape = nil
		for _, ix := range l.Indices {
			if ix.Range.Lo != Fixed(1) {
				c.err(IndexRange, ix.At, "define it over `i in n`", "the index of a definition starts at 1")
			}
			l.Type.Shape = append(l.Type.Shape, ix.Range.Hi)
		}
	}
	if l.Type.Base == MetricBase {
		c.err(BadArgument, s.Value.Span(), "write it in the `metric` statement", "a metric has no name of its own")
		l.Type = Type{}
	}
	shut()
	delete(c.later, l.Name)
	c.declare(l)
	c.model.Lets = append(c.model.Lets, l)
}

func (c *checker) density(s *DensityStmt) {
	c.expr(s.Value)
	t := s.Value.Type()
	if !t.IsScalar() {
		c.err(NonScalarDensity, s.Value.Span(), "sum it: `sum(…)`", "a density is a scalar, this is %s", t)
		return
	}
	if t.Base == Invalid {
		return
	}
	if c.dependsOnParam(s.Value) == nil {
		c.err(DataOnlyTerm, s.Value.Span(), "remove it", "this term depends on no parameter, so it does not change the posterior")
		return
	}
	c.model.Terms = append(c.model.Terms, &Term{At: s.At, Value: s.Value})
}

func (c *checker) sample(s *SampleStmt) {
	dist := LookupDistribution(s.Dist)
	if dist == nil && !c.poisoned["~"+s.Dist] {
		var names []string
		for i := range Distributions {
			names = append(names, Distributions[i].Name)
		}
		hint := "the distributions are " + strings.Join(names, ", ")
		if n := suggest(s.Dist, names); n != "" {
			hint = fmt.Sprintf("did you mean `%s`?", n)
		}
		c.err(UnknownDist, s.Name, hint, "there is no distribution `%s`", s.Dist)
	}
	shut := func() {}
	var index *Index
	if s.For != nil {
		var ix []*Index
		decls := []IndexDecl{*s.For}
		ix, shut = c.open(decls)
		index = ix[0]
	}
	defer shut()
	for _, e := range s.Left {
		c.expr(e)
	}
	for _, a := range s.Args {
		if a.Name != "" {
			c.err(BadNamedArgument, a.At, "leave the name out", "arguments of distributions have no names")
		}
		c.expr(a.Expr)
	}
	if dist == nil {
		return
	}
	if len(s.Args) != len(dist.Args) {
		var want []string
		for _, a := range dist.Args {
			want = append(want, a.Name)
		}
		c.err(ArgumentCount, s.Name, fmt.Sprintf("write %s(%s)", dist.Name, strings.Join(want, ", ")),
			"`%s` has %d arguments, not %d", dist.Name, len(dist.Args), len(s.Args))
		return
	}
	for _, left := range s.Left {
		c.term(s, left, dist, index)
	}
}

// term checks one left side against its distribution.
func (c *checker) term(s *SampleStmt, left Expr, dist *Distribution, index *Index) {
	t := left.Type()
	if t.Base == Invalid {
		return
	}
	if t.Base == MetricBase {
		c.err(BadLeftSide, left.Span(), "", "a metric has no distribution")
		return
	}
	term := &Term{At: s.At, Left: left, Dist: dist, For: index}
	for _, a := range s.Args {
		term.Args = append(term.Args, a.Expr)
		if a.Expr.Type().Base == Invalid {
			return
		}
	}
	n := len(c.ds.List)
	if dist.Support == VectorReal {
		c.vectorTerm(term)
	} else {
		c.scalarTerm(term)
	}
	if len(c.ds.List) > n && c.ds.HasErrors() {
		return
	}
	if p := c.dependsOnParam(left); p == nil {
		depends := false
		for _, a := range term.Args {
			depends = depends || c.dependsOnParam(a) != nil
		}
		if !depends {
			c.err(DataOnlyTerm, left.Span(), "remove it", "this term depends on no parameter, so it does not change the posterior")
			return
		}
	}
	c.model.Terms = append(c.model.Terms, term)
}

func (c *checker) vectorTerm(term *Term) {
	t := term.Left.Type()
	if len(t.Shape) != 1 {
		c.err(NotVector, term.Left.Span(), "", "the left side of `%s` is a vector, not %s", term.Dist.Name, t)
		return
	}
	mu, sigma := term.Args[0], term.Args[1]
	if ts := mu.Type(); len(ts.Shape) != 1 {
		c.err(NotVector, mu.Span(), "", "the mean of `%s` is a vector, not %s", term.Dist.Name, ts)
	} else if ts.Shape[0] != t.Shape[0] {
		c.err(ShapeMismatch, mu.Span(), "", "the mean has %s elements, the left side %s", ts.Shape[0], t.Shape[0])
	}
	if ts := sigma.Type(); len(ts.Shape) != 2 {
		c.err(NotMatrix, sigma.Span(), "declare it as `data Sigma cov[n]`", "the covariance of `%s` is a matrix, not %s", term.Dist.Name, ts)
	} else if ts.Shape[0] != t.Shape[0] || ts.Shape[1] != t.Shape[0] {
		c.err(ShapeMismatch, sigma.Span(), "", "the covariance is %s by %s, the left side has %s elements", ts.Shape[0], ts.Shape[1], t.Shape[0])
	}
	if p := c.dependsOnParam(sigma); p != nil {
		c.err(NotData, sigma.Span(), "", "the covariance of `%s` may not depend on a parameter (`%s`) in this version of the language", term.Dist.Name, p.Name)
	}
}

func (c *checker) scalarTerm(term *Term) {
	left, dist := term.Left, term.Dist
	t := left.Type()
	for i, a := range term.Args {
		ta := a.Type()
		if !ta.IsScalar() && !sameShape(ta.Shape, t.Shape) {
			c.err(ShapeMismatch, a.Span(), "`~` broadcasts a scalar or equal shapes",
				"the argument `%s` of `%s` is %s, the left side is %s", dist.Args[i].Name, dist.Name, ta, t)
			continue
		}
		c.argument(a, dist, i)
	}
	p := c.dependsOnParam(left)
	if dist.Support.Discrete() {
		switch {
		case p != nil:
			c.err(NeedsInteger, left.Span(), "", "`%s` describes whole numbers, and `%s` is a real parameter", dist.Name, p.Name)
		case t.Base != Int:
			hint := "declare it int"
			if dist.Support == Binary {
				hint = "declare it `int … in {0, 1}`"
			}
			c.err(NeedsInteger, left.Span(), hint, "`%s` describes whole numbers (%s), and the left side is %s", dist.Name, dist.Support, t)
		}
	}
	if p == nil {
		return
	}
	// The support of a parameter that stands alone must lie inside the
	// distribution's; of a longer expression nothing is known.
	base := left
	if ix, ok := left.(*IndexExpr); ok {
		base = ix.Base
	}
	name, ok := base.(*Name)
	if !ok {
		return
	}
	param, ok := name.Obj.(*Param)
	if !ok {
		return
	}
	sup := &param.Support
	want := ""
	switch dist.Support {
	case Positive:
		if !(sup.LoNum != nil && *sup.LoNum >= 0) && !(sup.Lo != nil && c.positive(sup.Lo)) {
			want = fmt.Sprintf("declare `param %s real > 0`", param.Name)
		}
	case UnitOpen:
		if !(sup.LoNum != nil && *sup.LoNum >= 0 && sup.HiNum != nil && *sup.HiNum <= 1) {
			want = fmt.Sprintf("declare `param %s real in (0, 1)`", param.Name)
		}
	case Between:
		lo, ok1 := c.constant(term.Args[0])
		hi, ok2 := c.constant(term.Args[1])
		inside := sup.Lo != nil && sup.Hi != nil &&
			(ok1 && sup.LoNum != nil && *sup.LoNum >= lo || sameName(sup.Lo, term.Args[0])) &&
			(ok2 && sup.HiNum != nil && *sup.HiNum <= hi || sameName(sup.Hi, term.Args[1]))
		if !inside {
			want = fmt.Sprintf("declare `param %s real in (a, b)` with the same ends", param.Name)
		}
	}
	if want != "" {
		c.err(OutsideSupport, left.Span(), want, "`%s` is defined on %s, but `%s` may lie outside", dist.Name, dist.Support, param.Name)
		c.note(param.At, "declared here")
	}
}

// sameName reports whether two bounds are the same name.
func sameName(a, b Expr) bool {
	x, ok1 := a.(*Name)
	y, ok2 := b.(*Name)
	return ok1 && ok2 && x.Name == y.Name
}

// argument checks an argument's range as far as the text shows it.
func (c *checker) argument(a Expr, dist *Distribution, i int) {
	dom := dist.Args[i].Domain
	name := dist.Args[i].Name
	if v, ok := c.constant(a); ok {
		bad := ""
		switch {
		case dom == Positive && !(v > 0):
			bad = "positive"
		case dom == UnitOpen && !(v > 0 && v < 1):
			bad = "between 0 and 1"
		case dom == CountArg && !(v >= 0 && v == math.Trunc(v)):
			bad = "a whole number"
		}
		if bad != "" {
			c.err(BadArgument, a.Span(), "", "the argument `%s` of `%s` is %s, not %v", name, dist.Name, bad, v)
		}
		return
	}
	if dom == CountArg && a.Type().Base != Int {
		c.err(NeedsInteger, a.Span(), "declare it int", "the argument `%s` of `%s` is a whole number, this is %s", name, dist.Name, a.Type())
		return
	}
	base := a
	if ix, ok := a.(*IndexExpr); ok {
		base = ix.Base
	}
	n, ok := base.(*Name)
	if !ok {
		return
	}
	p, ok := n.Obj.(*Param)
	if !ok {
		return
	}
	if dom == Positive && !(p.Support.LoNum != nil && *p.Support.LoNum >= 0) && !(p.Support.Lo != nil && c.positive(p.Support.Lo)) {
		c.err(BadArgument, a.Span(), fmt.Sprintf("declare `param %s real > 0`", p.Name),
			"the argument `%s` of `%s` is positive, but the parameter `%s` may be negative", name, dist.Name, p.Name)
		c.note(p.At, "declared here")
	}
	if dom == UnitOpen && !(p.Support.LoNum != nil && *p.Support.LoNum >= 0 && p.Support.HiNum != nil && *p.Support.HiNum <= 1) {
		c.err(BadArgument, a.Span(), fmt.Sprintf("declare `param %s real in (0, 1)`", p.Name),
			"the argument `%s` of `%s` lies between 0 and 1, but the parameter `%s` may not", name, dist.Name, p.Name)
		c.note(p.At, "declared here")
	}
}

// positive reports whether an expression free of parameters is provably ≥ 0.
func (c *checker) positive(e Expr) bool {
	if v, ok := c.constant(e); ok {
		return v >= 0
	}
	if n, ok := e.(*Name); ok {
		if d, ok := n.Obj.(*Data); ok {
			return d.Support.LoNum != nil && *d.Support.LoNum >= 0
		}
	}
	return false
}
