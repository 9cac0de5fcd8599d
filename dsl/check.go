package dsl

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
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

// Analysis is all that a text tells, whatever its errors: for tools that work on texts that are
// being written.
type Analysis struct {
	// File is the syntax tree, with all tokens of the text. Statements that did not parse stand
	// in it as far as they did.
	File *File

	// Model is what the checker made of the statements that parse. It is complete if there are no
	// errors. If there are, names may be missing, expressions may have no type (Invalid), and only
	// what is declared and defined can be relied on, not the density and the metric.
	Model *Model

	Diagnostics *Diagnostics
}

// Load parses and checks a file. The model is nil if there are errors; the
// diagnostics may hold warnings even if there are none.
func Load(name, text string, opt Options) (*Model, *Diagnostics) {
	a := Analyze(name, text, opt)
	if a.Diagnostics.HasErrors() {
		return nil, a.Diagnostics
	}
	return a.Model, a.Diagnostics
}

// Analyze parses and checks a file, with those that it imports behind its text as Bundle puts them, and returns what there is.
func Analyze(name, text string, opt Options) *Analysis {
	ds := NewDiagnostics(name, text)
	file := ds.parse()
	a := &Analysis{File: file, Model: &Model{Name: file.Name.Name, Doc: file.Doc}, Diagnostics: ds}
	if ds.has(TooLarge) {
		ds.sort()
		return a
	}
	c := newChecker(a.File, a.Model, ds, opt)
	c.file(file)
	ds.sort()
	return a
}

// newChecker returns the checker of a file.
func newChecker(file *File, m *Model, ds *Diagnostics, opt Options) *checker {
	c := &checker{surroundings: surroundings{scope: map[string]Object{}, poisoned: map[string]bool{}, byName: map[string]*Index{}},
		ds: ds, model: m, opt: opt, lostParams: file.lostParams, lostBlocks: file.lostBlocks, lostOdes: file.lostOdes, lostFuncs: file.lostFuncs,
		blockOf: map[*Param]*Block{}, states: map[string]bool{}, folded: map[Expr]folded{}, depends: map[Expr]*Param{}, parities: map[Expr]parity{}, belowZero: map[Expr]bool{}, aboveZero: map[Expr]bool{}, metrical: map[Expr]bool{}, early: map[*LetStmt]bool{}, spelling: spellBudget}
	c.sizes = c.scope
	for _, id := range file.Lost {
		c.poisoned[id.Name] = true
	}
	return c
}

type checker struct {
	surroundings
	ds          *Diagnostics
	model       *Model
	funcs       map[string]*Func
	laterFuncs  map[string]Span // functions that stand further down
	lostFuncs   bool            // a file that is imported was not found
	inlined     int             // parts of the bodies of functions at their calls
	bounding    *Ident          // the first of the parameters whose bounds are checked
	end         string          // what of it is checked, "" of a bound
	recursion   *Let            // the one of which a part is being checked
	ofParts     bool            // a part reads the position of a definition in parts
	remedies    remedies
	switching   *BinaryExpr // the condition of a conditional that is being checked, of which the conditional says how smooth it is
	product     *BinaryExpr // the whole product whose first factor is being checked
	aside       string      // how what has the bounds that are being read is written without them
	indexing    Expr        // what the one subscript that is being read selects from
	choosing    int         // conditions around what is being checked, in a branch of which it stands
	subscripted *Name       // the name whose elements are being read
	sums        int         // reductions whose bodies are being read
	ahead       []Expr      // what stands in the ranges that are being opened
	ranging     string      // the index whose range is being read
	before      bool        // that starts at a position that data name
	reads       []partRead  // what parts read of definitions in parts
	lagged      int         // terms of sums over distances that are written out

	integerArrays map[string]bool   // names of integer data that are no scalars
	inSizes       map[string]bool   // names of definitions that sizes are made of
	vectorSizes   map[string]string // the sizes of data that are vectors, as they are written
	sizeLets      map[*LetStmt]bool // definitions that are sizes
	unresolved    []computedSize
	definitions   map[string]*LetStmt // of the model, by name, of parts the last
	paramNames    map[string]bool
	reported      []*Let              // definitions that quantities of their names report
	atBounds      map[string]*LetStmt // definitions that may stand in bounds of parameters, and are not checked yet
	early         map[*LetStmt]bool   // those that were checked there

	likelihood map[Expr]bool // isLikelihood, remembered
	headings   bool          // data and params are being declared
	equationOf *Ode          // whose right sides are being checked
	inMetric   bool          // a metric is being checked
	block      *Block        // whose metric is being checked
	blockOf    map[*Param]*Block
	odes       []*Ode
	states     map[string]bool // of odes
	opt        Options
	boundAt    map[string]float64

	// lostParams reports that the parameters are not all known, lostBlocks
	// that one of them may stand in a block where it was not found, lostOdes
	// that the differential equations are not all known.
	lostParams, lostBlocks, lostOdes bool
	// folded and depends remember constant and dependsOnParam: without them
	// a chain of definitions costs exponential time.
	folded   map[Expr]folded
	depends  map[Expr]*Param
	parities map[Expr]parity
	// Expressions that are plainly not positive, or not negative.
	belowZero, aboveZero map[Expr]bool
	metrical             map[Expr]bool // isMetric, likewise
	spelling             int           // what is left of spellBudget
}

// surroundings are what names mean at a place.
type surroundings struct {
	scope      map[string]Object // data, consts, params and lets
	sizes      map[string]Object // those among which the names of extents are
	names      []string          // of scope, in order
	later      map[string]Span   // lets that stand further down
	declared   map[string]Span   // data and params, also those not yet in scope
	soon       map[string]Span   // generated quantities that stand further down
	poisoned   map[string]bool   // names of declarations that did not parse
	partial    map[partName]*Let // definitions in parts, by name
	closed     map[string]Span   // where the last sum over an index of that name stands
	defining   string            // the let or quantity whose value is being checked
	definiens  Expr              // that value, if the definition has no indices
	limit      Expr              // the end of a range that is being resolved
	generating bool              // quantities are being checked
	indices    []*Index          // open index scopes, innermost last
	byName     map[string]*Index // the innermost of each name
	hidden     []*Index          // what byName held before each of indices
	function   *Func             // whose body is being checked; nil outside of functions
	locals     []*Let            // what its variables and definitions are, and those of the functions around its call
}

// folded is a result of constant.
type folded struct {
	v  float64
	ok bool
}

// spellBudget bounds the letters compared in search of "did you mean": a file
// may hold thousands of unknown names.
const spellBudget = 10_000_000

// suggest returns the declared name or open index nearest to a word, or "".
func (c *checker) suggest(word string) string {
	if c.spelling <= 0 {
		return ""
	}
	candidates := c.names
	for _, ix := range c.indices {
		candidates = append(candidates[:len(candidates):len(candidates)], ix.Name)
	}
	return c.nearest(word, candidates)
}

// nearest is suggest within spellBudget.
func (c *checker) nearest(word string, candidates []string) string {
	for _, s := range candidates {
		c.spelling -= (len(s) + 1) * min(len(word), maxSpelled)
	}
	if c.spelling < 0 {
		return ""
	}
	return suggest(word, candidates)
}

// errors counts the errors reported so far.
func (c *checker) errors(since int) int {
	n := 0
	for _, d := range c.ds.List[since:] {
		if d.Severity == Error {
			n++
		}
	}
	return n
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
		// Declarations are not entered in the order of the text.
		first, second := old.Declared(), o.Declared()
		if second.Pos.before(first.Pos) {
			first, second = second, first
		}
		c.err(Redeclared, second, "choose another name", "`%s` is declared twice", name)
		c.note(first, "first declared here")
		if l := definitionOf(old); l != nil && l.Recursion == nil {
			l.Type = Type{} // which of them is meant, nobody knows
			if definitionOf(o) != nil {
				c.ds.List[len(c.ds.List)-1].Hint = "a definition does not change: choose another name, or define an array by its positions"
			}
		}
		if _, ok := o.(*Param); ok {
			c.lostParams = true
		}
		return
	}
	c.scope[name] = o
	c.names = append(c.names, name)
}

// file checks the statements: first what is declared, so that the order of
// declarations does not matter to sizes and bounds, then the definitions and
// terms in the order of the text.
func (c *checker) file(f *File) {
	c.later, c.soon = map[string]Span{}, map[string]Span{}
	raiseCounts(f)
	c.likelihood = map[Expr]bool{}
	c.remedies.uniform = map[*Param][2]float64{}
	c.headings = true
	c.heads(f)
	c.constants(f)
	c.namedSizes(f)
	for _, s := range f.Stmts {
		switch s := s.(type) {
		case *DataStmt:
			c.data(s)
		case *ParamStmt:
			c.param(s)
		}
	}
	c.formulas()
	// Bounds and defaults of data may name any datum or const, those of parameters definitions and functions too.
	for _, s := range f.Stmts {
		if s, ok := s.(*DataStmt); ok {
			c.boundsOfData(s)
		}
	}
	c.formulas()
	for _, d := range c.model.Data {
		d.bound()
	}
	c.headings = false
	c.functions(f)
	c.boundsOfParams(f)
	c.parts(f)
	for _, s := range f.Stmts {
		switch s := s.(type) {
		case *LetStmt:
			if !c.early[s] {
				c.let(s)
			}
		case *OdeStmt:
			c.ode(s)
		case *DensityStmt:
			c.density(s)
		case *SampleStmt:
			c.sample(s)
		case *GenerateStmt:
			c.generate(s)
		}
	}
	c.oneRemedy()
	if len(c.model.Params) == 0 && !c.ds.HasErrors() {
		c.err(NoParams, c.top(f), "declare one with `param NAME real`", "the model has no parameter")
		return
	}
	c.circles()
	c.groups()
	c.totals()
	c.blocks(f)
	c.coordinates()
	c.whole(f)
	c.finish(f)
	c.commentedNumbers(f)
	c.renameReported()
}

// coordinates demands that each block has a coordinate: where all of its parameters may have none, the first has elements.
func (c *checker) coordinates() {
	empty := func(p *Param) bool {
		return slices.ContainsFunc(p.Type.Shape, func(x Extent) bool {
			d, ok := c.sizes[x.Name].(*Data)
			return ok && d.LeastSize()+x.Offset < 1
		})
	}
	for _, b := range c.model.Blocks {
		if len(b.Params) > 0 && !slices.ContainsFunc(b.Params, func(p *Param) bool { return !empty(p) }) {
			c.hasElements(b.Params[0].Type)
		}
	}
}

// heads notes where the names of the file stand, first where there are several.
func (c *checker) heads(f *File) {
	c.declared, c.definitions, c.paramNames = map[string]Span{}, map[string]*LetStmt{}, map[string]bool{}
	note := func(where map[string]Span, names ...Ident) {
		for _, id := range names {
			if _, ok := where[id.Name]; !ok {
				where[id.Name] = id.At
			}
		}
	}
	defined := map[string]bool{}
	for _, s := range f.Stmts {
		if s, ok := s.(*LetStmt); ok {
			defined[s.Name.Name] = true
		}
	}
	for _, s := range f.Stmts {
		switch s := s.(type) {
		case *ConstStmt:
			note(c.declared, s.Name)
		case *DataStmt:
			note(c.declared, s.Names...)
		case *ParamStmt:
			note(c.declared, s.Names...)
			for _, id := range s.Names {
				c.paramNames[id.Name] = true
			}
		case *LetStmt:
			note(c.later, s.Name)
			c.definitions[s.Name.Name] = s
		case *OdeStmt:
			note(c.later, s.Name)
		case *GenerateStmt:
			for _, q := range s.Quantities {
				if !q.definition().reports() || !defined[q.Name.Name] {
					note(c.soon, q.Name)
				}
			}
		}
	}
}

// constants declares what sizes are made of, consts and int scalars, with the values that --const gives.
func (c *checker) constants(f *File) {
	c.boundAt = map[string]float64{}
	for _, b := range c.opt.Consts {
		c.boundAt[b.Name] = b.Value
	}
	bound := map[string]bool{}
	for _, s := range f.Stmts {
		switch s := s.(type) {
		case *ConstStmt:
			c.constStmt(s, bound)
		case *DataStmt:
			if s.Type.Base == "int" && len(s.Type.Sizes) == 0 {
				c.integers(s, bound)
			}
		}
	}
	for _, b := range c.opt.Consts {
		if at, ok := c.declared[b.Name]; !bound[b.Name] && ok {
			c.err(UnknownConst, at, "--const binds a const or an int data scalar", "--const %s: `%s` is neither const nor an int", b.Name, b.Name)
		} else if !bound[b.Name] {
			c.err(UnknownConst, Span{Pos{Line: 1, Col: 1}, 1}, "--const binds a const or an int data scalar", "--const %s: the model has no such const", b.Name)
		}
	}
}

// constStmt declares a const.
func (c *checker) constStmt(s *ConstStmt, bound map[string]bool) {
	k := &Const{object: object{s.Name.Name, s.Name.At, s.Doc, false}}
	if v, ok := c.boundAt[k.Name]; ok {
		k.Value = v
		bound[k.Name] = true
		if math.IsNaN(v) || math.IsInf(v, 0) {
			c.err(BadConst, s.Name.At, "", "--const %s=%v: a const is a finite number", k.Name, v)
			k.Value = 1
		}
	} else {
		if m, ok := s.Value.(*MatrixExpr); ok {
			c.err(BadConst, m.Span(), "an array is a definition: `let w = [0.2, 0.8]`, or data", "a const is a number known at compile time")
			c.poisoned[k.Name] = true
			delete(c.declared, k.Name)
			return
		}
		k.Value = c.number(s.Value, "a const")
	}
	c.declare(k)
	c.model.Consts = append(c.model.Consts, k)
}

// integers declares int scalars.
func (c *checker) integers(s *DataStmt, bound map[string]bool) {
	for _, id := range s.Names {
		o := object{id.Name, id.At, s.Doc, false}
		v, ok := c.boundAt[id.Name]
		if !ok {
			d := &Data{object: o, Type: Type{Base: Int}}
			c.declare(d)
			c.model.Data = append(c.model.Data, d)
			continue
		}
		if v != math.Trunc(v) || math.IsInf(v, 0) {
			c.err(BadConst, id.At, "", "--const %s=%v: `%s` is an int", id.Name, v, id.Name)
			v = 1
		}
		bound[id.Name] = true
		k := &Const{object: o, Value: v, FromData: true}
		c.declare(k)
		c.model.Consts = append(c.model.Consts, k)
	}
}

// boundsOfData checks the bounds and the default of data.
func (c *checker) boundsOfData(s *DataStmt) {
	base := Real
	if s.Type.Base == "int" {
		base = Int
	}
	sup := c.support(&s.Type, base, "data")
	if base == Int && sup.HiNum == nil && !sup.spoiled {
		sup.Hi = c.sizedEnd(sup.Hi)
	}
	for _, id := range s.Names {
		switch d := c.scope[id.Name].(type) {
		case *Data:
			if d.At == id.At {
				d.Support = sup
				c.defaultValue(d, s.Default)
			}
		case *Const:
			if d.At == id.At && !sup.contains(d.Value) {
				c.err(BadConst, id.At, "", "--const %s=%v is outside the bounds of `%s`", d.Name, d.Value, d.Name)
			}
		}
	}
}

// boundsOfParams checks the bounds of all parameters.
func (c *checker) boundsOfParams(f *File) {
	c.headings = true
	c.wholeLets(f)
	for _, s := range f.Stmts {
		if s, ok := s.(*ParamStmt); ok {
			c.boundsOfParam(s)
		}
	}
	c.headings = false
}

// boundsOfParam checks the bounds of parameters.
func (c *checker) boundsOfParam(s *ParamStmt) {
	if s.Type.Base != "real" && LookupConstraint(s.Type.Base) == nil {
		return
	}
	c.bounding = &s.Names[0]
	sup := c.support(&s.Type, Real, "param")
	c.bounding = nil
	for _, id := range s.Names {
		if p, ok := c.scope[id.Name].(*Param); ok && p.At == id.At {
			p.Support = sup
		}
	}
	if s.Offset != nil || s.Multiplier != nil {
		c.scaleOfParam(s)
	}
}

// scaleOfParam checks the offset and the multiplier of parameters.
func (c *checker) scaleOfParam(s *ParamStmt) {
	if s.Type.Base != "real" || s.Type.Bound.Kind() != NoBound {
		c.err(BadBounds, cmp.Or(s.Offset, s.Multiplier).Span(), "leave them out: hamc adapts the scales of coordinates", "an offset and a multiplier are of real numbers without bounds")
		return
	}
	c.bounding, c.end, c.aside = &s.Names[0], "an offset", "leave it out, and hamc finds coordinates"
	offset, _ := c.boundEnd(s.Offset)
	c.end = "a multiplier"
	multiplier, v := c.boundEnd(s.Multiplier)
	c.bounding, c.end, c.aside = nil, "", ""
	if v != nil && *v == 0 || multiplier != nil && !c.notNegative(multiplier) {
		hint := "declare what it is made of with a bound, as `real > 0`"
		if v != nil {
			hint = ""
		}
		c.err(BadBounds, s.Multiplier.Span(), hint, "a multiplier is positive, and this may not be")
		return
	}
	for _, id := range s.Names {
		if p, ok := c.scope[id.Name].(*Param); ok && p.At == id.At {
			p.Offset, p.Multiplier = offset, multiplier
		}
	}
}

// top is where messages about the whole file point.
func (c *checker) top(f *File) Span {
	if f.Name.Name != "" {
		return f.Name.At
	}
	return Span{Pos{Line: 1, Col: 1}, 1}
}

// whole checks what only the finished model shows.
func (c *checker) whole(f *File) {
	top := c.top(f)
	m := c.model
	if c.ds.HasErrors() {
		return
	}
	for _, b := range m.Blocks {
		c.metricCovers(b)
	}
	if len(m.Terms) == 0 {
		c.err(NoDensity, top, "add `y ~ distribution(…)` or `density …`", "the model has no density")
		return
	}
	for _, b := range m.Blocks {
		if len(b.Metric) > 0 {
			continue
		}
		at := top
		if b.Name != "" {
			at = b.At
		}
		b.Metric = []*MetricTerm{{At: at, Kind: MetricAuto}}
	}
	for _, d := range m.Data {
		if !d.used && !d.IsSize {
			c.warn(Unused, d.At, "remove it, or use it", "the datum `%s` is not used", d.Name)
		}
	}
	for _, l := range m.Lets {
		if !l.used && !l.Local {
			c.warn(Unused, l.At, "remove it, or use it", "the definition `%s` is not used", l.Name)
		}
	}
	for _, o := range c.odes {
		if !o.used {
			c.warn(Unused, o.At, "remove it, or name its solution: `let s = solve …`", "the differential equation `%s` is not used", o.Name)
		}
	}
	for _, s := range m.Solves {
		if !s.used {
			c.warn(Unused, s.At, "remove it, or use it", "the solution `%s` is not used", s.Name)
		}
	}
	for _, k := range m.Consts {
		if !k.used && !k.FromData {
			c.warn(Unused, k.At, "remove it, or use it", "the const `%s` is not used", k.Name)
		}
	}
	c.freeScales(m)
	c.precisions(m)
	c.jacobians(m)
	inDensity := c.paramsOfTerms()
	for _, p := range m.Params {
		if !inDensity[p] {
			then := "it has no proper posterior"
			if (p.Support.Lo != nil || p.Support.LoNum != nil) && (p.Support.Hi != nil || p.Support.HiNum != nil) {
				then = "its posterior is uniform"
			}
			c.warn(NoPrior, p.At, "give it a prior, or remove it", "the density does not mention the parameter `%s`, so %s", p.Name, then)
		}
	}
	for _, d := range m.Scarce(nil) {
		c.ds.add(d)
	}
}

// paramsOfTerms returns the parameters that the density depends on.
func (c *checker) paramsOfTerms() map[*Param]bool {
	var all []Expr
	for _, t := range c.model.Terms {
		all = append(append(all, t.Left, t.Value), t.Args...)
	}
	return paramsOf(all...)
}

// paramsOf returns the parameters that expressions depend on; nil ones are passed over.
func paramsOf(list ...Expr) map[*Param]bool {
	params, _ := reachedFrom(list...)
	return params
}

// DensityLets are the definitions that the log density depends on; others are there for quantities alone.
func (m *Model) DensityLets() map[*Let]bool {
	var all []Expr
	for _, t := range m.Terms {
		all = append(append(all, t.Left, t.Value, t.Lo, t.Hi), t.Args...)
		if t.Formula != nil {
			all = append(all, t.Formula)
		}
	}
	for _, p := range m.Params {
		ends := p.Ends()
		all = append(all, ends[:]...)
	}
	_, lets := reachedFrom(all...)
	return lets
}

// Hidden are the parameters that recursions read, and differential equations.
func (m *Model) Hidden() map[*Param]bool {
	var all []Expr
	for _, l := range m.Lets {
		if l.Recursion != nil && l.Recursion.Circle != nil {
			all = append(all, l.Values()...)
		}
	}
	for _, s := range m.Solves {
		all = append(append(append(all, s.Init...), s.Args...), s.Ode.Rhs...)
	}
	return paramsOf(all...)
}

// reachedFrom are the parameters and the definitions that expressions depend on; nil ones are passed over.
func reachedFrom(list ...Expr) (params map[*Param]bool, lets map[*Let]bool) {
	params, lets = map[*Param]bool{}, map[*Let]bool{}
	// Terms of one statement share their arguments, and lets are shared.
	seen := map[Expr]bool{}
	var visit func(Expr)
	visit = func(e Expr) {
		if n, ok := e.(*Name); ok {
			switch o := n.Obj.(type) {
			case *Param:
				if !params[o] {
					params[o] = true
					for _, end := range o.Ends() { // which may depend on others
						if end != nil {
							visit(end)
						}
					}
				}
			case *Let:
				if lets[o] {
					return
				}
				lets[o] = true
				for _, v := range o.Values() {
					visit(v)
				}
			}
		} else if !seen[e] {
			seen[e] = true
			children(e, visit)
		}
	}
	for _, e := range list {
		if e != nil {
			visit(e)
		}
	}
	return params, lets
}

// number evaluates a compile-time number.
func (c *checker) number(e Expr, what string) float64 {
	v, ok := c.constant(e)
	if !ok {
		c.notConstant(e, what)
		return 1
	}
	if math.IsNaN(v) || math.IsInf(v, 0) {
		c.err(BadConst, e.Span(), "", "this value is %v", v)
		return 1
	}
	return v
}

// notConstant reports the part of an expression for which constant failed.
func (c *checker) notConstant(e Expr, what string) {
	n, ok := e.(*Name)
	if !ok {
		var part Expr
		if _, solution := e.(*SolveExpr); !solution {
			children(e, func(x Expr) {
				if _, ok := c.constant(x); !ok && part == nil {
					part = x
				}
			})
		}
		if part != nil {
			c.notConstant(part, what)
			return
		}
		c.err(BadConst, e.Span(), "use numbers, consts, + - * / ^, sqrt, exp and log", "%s is a number known at compile time", what)
		return
	}
	if c.poisoned[n.Name] {
		return
	}
	at, known := c.declared[n.Name]
	if def, ok := c.later[n.Name]; ok && !known {
		at, known = def, true
	}
	if o, ok := c.scope[n.Name]; ok {
		at, known = o.Declared(), true
	}
	if !known {
		c.lookup(n)
		return
	}
	hint := "use numbers and the consts above"
	if _, datum := c.scope[n.Name].(*Data); datum && what == "a const" {
		hint = "what data determine is a definition: `let` in place of `const`"
	}
	c.err(BadConst, e.Span(), hint, "%s is a number known at compile time, and `%s` is not known here", what, n.Name)
	c.note(at, "declared here")
}

// constant folds an expression of numbers and consts.
func (c *checker) constant(e Expr) (float64, bool) {
	switch e := e.(type) {
	case *Number:
		return e.Value, true
	case *Name:
		if l := c.local(e); l != nil {
			return c.constant(l.Value)
		}
		if k, ok := e.Obj.(*Const); ok {
			return k.Value, true
		} else if e.Obj != nil {
			return 0, false
		}
		if s, ok := c.scope[e.Name].(*Size); ok && s.Extent.IsConst() {
			return float64(s.Extent.Offset), true
		}
		// An index hides a const; that it may not is reported elsewhere.
		if k, ok := c.scope[e.Name].(*Const); ok && c.index(e.Name) == nil {
			k.used = true
			return k.Value, true
		}
		return 0, false
	}
	f, ok := c.folded[e]
	if !ok {
		f.v, f.ok = c.fold(e)
		c.folded[e] = f
	}
	return f.v, f.ok
}

func (c *checker) fold(e Expr) (float64, bool) {
	switch e := e.(type) {
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

// extent resolves the size of a declaration or the end of a range.
func (c *checker) extent(e Expr, what string) (Extent, bool) {
	if v, ok := c.constant(e); ok {
		if v != math.Trunc(v) || math.Abs(v) > 1e9 {
			if v == math.Trunc(v) {
				c.err(BadSize, e.Span(), "", "%s is at most 1e9, not %v", what, v)
			} else {
				c.err(NotInteger, e.Span(), "", "%s is a whole number, not %v", what, v)
			}
			return Extent{}, false
		}
		return Fixed(int(v)), true
	}
	switch e := e.(type) {
	case *Name:
		if c.index(e.Name) != nil {
			c.err(BadSize, e.Span(), "", "the index `%s` cannot be %s", e.Name, what)
			return Extent{}, false
		}
		at, known := c.declared[e.Name]
		if def, ok := c.later[e.Name]; ok && c.headings {
			at, known = def, true
		}
		if _, ok := c.scope[e.Name]; known && !ok {
			c.noSize(e, at, what)
			return Extent{}, false
		}
		o := c.lookupAs(e, c.undeclaredSize(e.Name))
		if o == nil {
			return Extent{}, false
		}
		switch o := o.(type) {
		case *Data:
			if o.Type.Base == Int && o.Type.IsScalar() {
				o.used, o.IsSize = true, true
				return Extent{Name: o.Name}, true
			}
		case *Size:
			return o.Extent, true
		case *Let:
			if x, ok := extentForm(Through(o.Value)); ok && o.Local {
				if d, ok := c.sizes[x.Name].(*Data); ok {
					d.IsSize = true
				}
				return x, true
			}
		}
		hint := fmt.Sprintf("declare it as `data %s int` or `const %s = …`", e.Name, e.Name)
		if l, ok := c.scope[e.Name].(*Let); ok && l.Type.Base == Int && what == "the end of a range" {
			hint += fmt.Sprintf(", or go through all and choose: `sum(i in n) (if i <= %s then … else 0)`", e.Name)
		}
		c.err(BadSize, e.Span(), hint, "`%s` cannot be %s", e.Name, what)
		c.note(o.Declared(), "declared here")
		return Extent{}, false
	case *BinaryExpr:
		if rest, n, ok := c.shiftedSize(e); ok {
			x, ok := c.extent(rest, what)
			return x.Plus(n), ok
		} else if c.formOfSize(e) {
			return c.computedExtent(e), true
		} else if e.Op == "+" || e.Op == "-" {
			if _, ok := c.extent(e.X, what); !ok {
				return Extent{}, false
			}
		}
	case *CallExpr, *SumExpr:
		if c.formOfSize(e) {
			return c.computedExtent(e), true
		}
	}
	c.err(BadSize, e.Span(), c.sizeHint(e, what), "this cannot be %s", what)
	return Extent{}, false
}

// allPositions is the size in a call of range(n), seq_len(n), seq_along(y) or eachindex(y); "" of another one.
func (c *checker) allPositions(call *CallExpr) string {
	if !slices.Contains([]string{"range", "seq_len", "seq_along", "eachindex", "axes", "length", "len", "size", "num_elements", "nrow", "NROW", "rows"}, call.Func) || len(call.Args) != 1 {
		return ""
	}
	n, ok := call.Args[0].Expr.(*Name)
	if !ok {
		return ""
	}
	switch o := c.scope[n.Name].(type) {
	case *Data:
		if len(o.Type.Shape) > 0 {
			return o.Type.Shape[0].String()
		}
		return n.Name
	case *Param:
		if len(o.Type.Shape) > 0 {
			return o.Type.Shape[0].String()
		}
	}
	return ""
}

// What messages call the ends of a range.
const (
	startOfRange = "the start of a range"
	endOfRange   = "the end of a range"
)

// sizeHint is the hint for what is no size.
func (c *checker) sizeHint(e Expr, what string) string {
	ofRange := strings.HasSuffix(what, "of a range")
	if call, ok := e.(*CallExpr); ok && (LookupForeign(ForeignFunction, call.Func) != nil || call.Func == "size") {
		if n := c.allPositions(call); n != "" && ofRange {
			return "a range of all positions, which count from 1, is the size: write `" + n + "` in the place of `" + Text(e) + "`"
		}
		if n := c.allPositions(call); n != "" {
			return "it is `" + n + "`, as declared; of a vector of data `size(…)` says the same"
		}
		return "declare the size, as in `data n int` and `data y real[n]`; a range reads `i in n` or `i in 2..n`"
	}
	if b, ok := e.(*BinaryExpr); ok && slices.Contains([]string{">", "<", ">=", "<="}, b.Op) && ofRange {
		return "the interval of a distribution stands before `for`"
	}
	if ix := c.indexIn(e); ix != nil && ofRange {
		name, place := c.free(map[bool]string{true: "last", false: "first"}[what == endOfRange]), "here"
		if e != c.limit {
			place = "in the place of `" + Text(c.limit) + "`"
		}
		return fmt.Sprintf("give it a name, `let %s[%s in %s] = %s`, and write `%[1]s[%[2]s]` %[5]s", name, ix.Name, ix.Range, Text(c.limit), place)
	}
	return sizeForms
}

// indexIn is an index around that an expression names; nil if it names none.
func (c *checker) indexIn(e Expr) (found *Index) {
	Walk(e, func(n Node) bool {
		if name, ok := n.(*Name); ok && found == nil {
			found = c.index(name.Name)
		}
		return found == nil
	})
	return found
}

// noSize reports a name that is declared, but not as anything that has a size's value when sizes are needed; once.
func (c *checker) noSize(e *Name, at Span, what string) {
	if c.poisoned["size "+e.Name] {
		return
	}
	c.poisoned["size "+e.Name] = true
	hint := fmt.Sprintf("declare it as `data %s int` or `const %s = …`", e.Name, e.Name)
	if _, defined := c.later[e.Name]; defined {
		hint = sizeForms
		if s := c.definitions[e.Name]; s != nil && c.ofDataAlone(s.Value, c.definitions, map[string]bool{e.Name: true}) {
			hint += fmt.Sprintf("; of other data it is a number in the data file, `data %s int` in the place of the definition", e.Name)
		}
	}
	c.err(BadSize, e.Span(), hint, "`%s` cannot be %s", e.Name, what)
	c.note(at, "declared here")
}

const sizeForms = "a size is made of numbers, consts, int data and max, min and sum of integer data, and counts as `sum(i in n) (y[i] > 0)`, by + - and *"

// undeclaredSize is the hint for a size that is not declared.
func (c *checker) undeclaredSize(name string) string {
	if c.function != nil {
		return undeclaredHint
	}
	return undeclaredSize(name)
}

func undeclaredSize(name string) string { return fmt.Sprintf("declare it: `data %s int`", name) }

// shiftedSize takes a size plus or minus a number apart.
func (c *checker) shiftedSize(e *BinaryExpr) (rest Expr, n int, ok bool) {
	shift := func(e Expr) bool {
		v, ok := c.constant(e)
		n = int(v)
		return ok && v == math.Trunc(v) && math.Abs(v) < 1e6
	}
	switch {
	case e.Op == "+" && shift(e.X):
		return e.Y, n, true
	case e.Op == "+" && shift(e.Y):
		return e.X, n, true
	case e.Op == "-" && shift(e.Y):
		return e.X, -n, true
	}
	return nil, 0, false
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
			good = false
			n, named := s.(*Name)
			if named && c.poisoned["[]"+n.Name] {
				ok = false
				continue
			}
			c.err(BadSize, s.Span(), "", "a size is at least 1, not %d", e.Offset)
			if named {
				c.note(c.scope[n.Name].Declared(), "`%s` has this value", n.Name)
				c.poisoned["[]"+n.Name] = true
			}
		}
		ok = ok && good
		if good && !e.IsConst() {
			c.need(e.Name, -e.Offset) // fewer elements than none there are not
		}
		t.Shape = append(t.Shape, e)
	}
	if x := LookupConstraint(te.Base); x != nil {
		if len(te.Sizes) == 0 {
			what := "a vector of n elements"
			if x.Square {
				what = "an n × n matrix"
			}
			c.err(BadSize, te.At(), fmt.Sprintf("write `%s[n]` for %s, `%s[m, n]` for m of them", x.Name, what, x.Name), "%s has a size", article(x.Name))
			return Type{}, false
		}
		if x.Square && ok {
			t.Shape = append(t.Shape, t.Shape[len(t.Shape)-1])
		}
		if n := t.Shape[len(t.Shape)-1]; ok && n.IsConst() && n.Offset < x.Least {
			c.err(BadSize, te.Sizes[len(te.Sizes)-1].Span(), "", "%s has at least %d elements, not %d", article(x.Name), x.Least, n.Offset)
			ok = false
		} else if ok && !n.IsConst() {
			c.need(n.Name, x.Least-n.Offset)
		}
	}
	if len(t.Shape) > MaxRank {
		c.err(BadSize, te.At(), "", "an array has at most %d dimensions, not %d", MaxRank, len(t.Shape))
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
	if x := LookupConstraint(s.Type.Base); x != nil && len(t.Shape) > x.Data {
		rows := ""
		if more := len(t.Shape) - x.Data; x.Data > 0 && more > 0 {
			rows = " in arrays"
		}
		c.err(NotYet, s.Type.At(), "declare real data", "data of the type %s%s are not in this version of the language", x.Name, rows)
		t = Type{}
	}
	for _, id := range s.Names {
		d := &Data{object: object{id.Name, id.At, s.Doc, false}, Type: t, Constraint: LookupConstraint(s.Type.Base)}
		c.declare(d)
		c.model.Data = append(c.model.Data, d)
	}
}

func (c *checker) param(s *ParamStmt) {
	t, _ := c.typeOf(&s.Type)
	if s.Type.Base == "int" {
		c.err(UnknownType, s.Type.At(), discreteHint, "a parameter cannot be an int")
		t = Type{}
	}
	if x := LookupConstraint(s.Type.Base); x != nil && x.Coordinates == nil {
		c.err(UnknownType, s.Type.At(), "a covariance matrix is `cov`, a correlation matrix `corr`; of another one the elements below the diagonal are a vector", "only data are %s", x.Name)
		t = Type{}
	}
	for _, id := range s.Names {
		p := &Param{object: object{id.Name, id.At, s.Doc, false}, Type: t, Constraint: LookupConstraint(s.Type.Base)}
		c.declare(p)
		c.model.Params = append(c.model.Params, p)
	}
}

// boundEnd checks an end of a bound, and finds its value where that is known.
func (c *checker) boundEnd(e Expr) (Expr, *float64) {
	if e == nil {
		return nil, nil
	}
	c.definedForBound(e)
	if v, ok := c.constantBound(e); ok {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			c.err(BadBounds, e.Span(), "leave an infinite bound out", "%s is finite", c.endName())
			return nil, nil
		}
		c.expr(e)
		return e, &v
	}
	before := len(c.ds.List)
	c.expr(e)
	if !c.boundOfEach(e) {
		c.wantScalar(e, c.endName())
	}
	if n := len(c.ds.List); n > before && c.ds.List[n-1].Code == NotScalar {
		c.ds.List[n-1].Hint = "all elements have the same bounds, or each has its own of data of the same length; " + cmp.Or(c.aside, "what lies above a vector is `let u = lo + d` with `param d real[n] > 0`")
		if c.end != "" {
			c.ds.List[n-1].Hint = "it is a number for all elements, or one of data for each; " + c.aside
		}
	}
	if c.errors(before) > 0 || e.Type().Base == Invalid {
		return nil, nil
	}
	in := paramsOf(e)
	for _, p := range c.model.Params { // in order, so that the message is always the same
		if !in[p] {
			continue
		}
		if c.bounding == nil {
			c.err(BadBounds, e.Span(), "", "a bound of data may not depend on a parameter (`%s`)", p.Name)
			return nil, nil
		}
		if !p.At.Pos.before(c.bounding.At.Pos) {
			c.err(BadBounds, e.Span(), fmt.Sprintf("declare `%s` above", p.Name), "%s uses only parameters above, and `%s` is not", c.endName(), p.Name)
			return nil, nil
		}
	}
	if !c.noSecondBound(e) {
		return nil, nil
	}
	if c.bounding == nil && !boundForm(e) || !boundOfParams(e) {
		hint := cmp.Or(c.aside, "read what a function of data gives from the data file, as a scalar datum")
		if c.formOfSize(e) && c.bounding == nil {
			name := c.free("J")
			hint = fmt.Sprintf("name it, `let %s = %s`, and write `%[1]s` here", name, Text(e))
		}
		what := "a bound of data is arithmetic (+ - * /) on numbers and scalar data"
		if c.bounding != nil {
			what = c.endName() + " is arithmetic (+ - * /) on numbers, scalar data, scalar parameters and functions of data"
		}
		c.err(BadBounds, e.Span(), hint, "%s", what)
		return nil, nil
	}
	return e, nil
}

// endName is what boundEnd checks.
func (c *checker) endName() string { return cmp.Or(c.end, "a bound") }

// boundOfEach reports whether an expression is bounds of each element of the parameter whose bounds are checked: of data, and of its shape.
func (c *checker) boundOfEach(e Expr) bool {
	if c.bounding == nil || e.Type().Base == Invalid || len(paramsOf(e)) > 0 {
		return false
	}
	p, ok := c.scope[c.bounding.Name].(*Param)
	return ok && len(p.Type.Shape) == 1 && sameShape(e.Type().Shape, p.Type.Shape)
}

// besideBound says how a parameter with bounds that are no bounds of the language is written by one that has some; "" of data.
func (c *checker) besideBound(te *TypeExpr, lo, hi Expr) string {
	p := c.bounding
	if p == nil {
		return ""
	}
	typ, times := "real", "*"
	if len(te.Sizes) > 0 {
		var sizes []string
		for _, s := range te.Sizes {
			sizes = append(sizes, Text(s))
		}
		typ, times = typ+"["+strings.Join(sizes, ", ")+"]", ".*"
	}
	summand := func(e Expr) string {
		text := Text(e)
		if b, ok := e.(*BinaryExpr); ok && (b.Op == "+" || b.Op == "-") {
			return "(" + text + ")"
		}
		return text
	}
	const form = "a part is a parameter: `param %s %s %s` and `let %s = %s`"
	switch {
	case lo != nil && hi != nil:
		d := p.Name + "_part"
		return fmt.Sprintf(form, d, typ, "in (0, 1)", p.Name, fmt.Sprintf("%s + (%s - %s)%s%s", Text(lo), Text(hi), summand(lo), times, d)) +
			fmt.Sprintf(", with `density %s` if that depends on parameters", strings.ReplaceAll(map[bool]string{true: "sum(log(D))", false: "log(D)"}[times == ".*"], "D", Text(hi)+" - "+summand(lo)))
	case lo != nil:
		d := p.Name + "_above"
		return fmt.Sprintf(form, d, typ, "> 0", p.Name, Text(lo)+" + "+d)
	case hi != nil:
		d := p.Name + "_below"
		return fmt.Sprintf(form, d, typ, "> 0", p.Name, Text(hi)+" - "+d)
	}
	return ""
}

// inOrder reports whether elements stand in order.
func inOrder(x *Constraint) bool {
	return x != nil && (x.Name == "ordered" || x.Name == "positive_ordered")
}

// betweenInOrder is how so many numbers in order that lie between two ends are written.
func betweenInOrder(name, size, lo, hi string) string {
	return fmt.Sprintf("numbers in order between two ends are sums of gaps: `param gap simplex[%[2]s+1]`, `gap ~ dirichlet(1)` and `let %[1]s[i in %[2]s] = %[3]s + (%[4]s - %[3]s)*sum(j in 1..i) gap[j]`", name, size, lo, hi)
}

// noSecondBound reports a bound that reads `> a < b`.
func (c *checker) noSecondBound(e Expr) bool {
	b, ok := e.(*BinaryExpr)
	if ok = ok && slices.Contains([]string{"<", "<=", ">", ">="}, b.Op); ok {
		c.err(UnexpectedToken, b.At, "two bounds are written `in (a, b)`", "expected the end of the bound, found `%s`", b.Op)
	}
	return !ok
}

// support resolves the bounds of a declaration.
func (c *checker) support(te *TypeExpr, base Base, what string) Support {
	b := &te.Bound
	var s Support
	if x := LookupConstraint(te.Base); x != nil && !(x.Bounded && b.Kind() != NoBound) {
		if b.Kind() != NoBound {
			hint := "leave the bound out"
			if x.Name == "ordered" {
				hint += "; positive numbers in order are `positive_ordered`"
			}
			if lo, hi := b.ends(); inOrder(x) && b.Kind() == IntervalBound && len(te.Sizes) == 1 {
				hint = betweenInOrder("x", c.sizeText(te.Sizes[0]), endText(lo, "a"), endText(hi, "b"))
			}
			c.err(BadBounds, b.At(), hint, "the elements of %s are %s, and have no other bounds", article(x.Name), x.Doc)
		}
		return x.support()
	}
	if b = c.finite(b, c.declaredText(te)); b.Kind() == NoBound {
		return s
	}
	lo, hi := b.ends()
	c.aside = c.besideBound(te, lo, hi)
	switch b.Kind() {
	case SetBound:
		if what == "param" {
			c.err(BadBounds, b.At(), "a parameter lies in an interval: `in (a, b)`", "a parameter cannot be discrete")
			return s
		}
		if base != Int {
			c.err(BadBounds, b.At(), "declare it int, or use an interval", "a set of values is for int data")
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
	case RangeBound:
		if what == "param" {
			c.err(BadBounds, b.At(), "a parameter lies in an interval: `in (a, b)`", "a parameter cannot be discrete")
			return s
		}
		if base != Int {
			c.err(BadBounds, b.At(), "declare it int, or write an interval: `in (a, b)`", "a range of whole numbers is for int data")
			return s
		}
		s.Lo, s.LoNum = c.wholeBound(lo)
		s.Hi, s.HiNum = c.wholeBound(hi)
	default:
		s.Lo, s.LoNum = c.boundEnd(lo)
		s.LoOpen = lo != nil && b.Op != ">=" && b.Left != "["
		s.Hi, s.HiNum = c.boundEnd(hi)
		s.HiOpen = hi != nil && b.Op != "<=" && b.Right != "]"
		if what == "param" && (b.Left == "[" || b.Right == "]") {
			c.err(BadBounds, b.At(), fmt.Sprintf("write `in (%s, %s)`", Text(lo), Text(hi)), "a parameter is never at an end of its interval, whose probability is 0")
			s.LoOpen, s.HiOpen = true, true
		}
	}
	if base == Int && b.Kind() != RangeBound && s.LoNum != nil && s.HiNum != nil && s.LoOpen && s.HiOpen && math.Floor(*s.LoNum)+1 >= *s.HiNum && *s.LoNum < *s.HiNum {
		c.err(BadBounds, b.At(), fmt.Sprintf("the ends are excluded: the values are `in {%v, %v}`, whole numbers from %v to %v `in %v..%v`", *s.LoNum, *s.HiNum, *s.LoNum, *s.HiNum, *s.LoNum, *s.HiNum), "no whole number lies between %v and %v", *s.LoNum, *s.HiNum)
		s.spoiled = true
		return s
	}
	s.spoiled = (s.Lo == nil) != (lo == nil) || (s.Hi == nil) != (hi == nil)
	if b.Kind() == RangeBound && s.LoNum != nil && s.HiNum != nil && *s.LoNum == *s.HiNum {
		return s // the one value
	}
	if s.LoNum != nil && s.HiNum != nil && *s.LoNum >= *s.HiNum {
		c.err(BadBounds, b.At(), "", "the lower bound %v is not below the upper bound %v", *s.LoNum, *s.HiNum)
	}
	return s
}

func (c *checker) defaultValue(d *Data, e Expr) {
	if e == nil {
		return
	}
	if !d.Type.IsScalar() {
		c.err(BadDefault, e.Span(), "the numbers of arrays stand in the data file", "only scalars have defaults")
		return
	}
	v, ok := c.constant(e)
	switch {
	case !ok:
		c.err(BadDefault, e.Span(), "use numbers and consts", "a default is a number known at compile time")
		return
	case math.IsNaN(v) || math.IsInf(v, 0):
		c.err(BadDefault, e.Span(), "", "a default is a finite number, not %v", v)
	case d.Type.Base == Int && math.Abs(v) > 1<<53:
		c.err(BadDefault, e.Span(), "", "the default %v of the int `%s` is beyond 2^53, where numbers are no longer told apart", v, d.Name)
	case d.Type.Base == Int && v != math.Trunc(v):
		c.err(BadDefault, e.Span(), "", "the default %v of the int `%s` is not a whole number", v, d.Name)
	case !d.Support.contains(v):
		c.err(BadDefault, e.Span(), "", "the default %v of `%s` is outside its bounds", v, d.Name)
	}
	d.Default = &v
}

// contains reports whether v is inside s, as far as the bounds are numbers.
func (s *Support) contains(v float64) bool {
	if s.LoNum != nil && (v < *s.LoNum || v == *s.LoNum && s.LoOpen) ||
		s.HiNum != nil && (v > *s.HiNum || v == *s.HiNum && s.HiOpen) {
		return false
	}
	return s.Set == nil || slices.Contains(s.Set, v)
}

const noParamHint = "remove it, or let it depend on one, as `y ~ normal(a + b*x, s)` does on `param a, b real`"

const discreteHint = "HMC samples real parameters; sum a discrete one out of the density, as `y ~ mixture(p, normal(a, s), normal(b, s))` does"

const sumEnds = "the sum over `"

const undeclaredHint = "declare it with data, const, param or let"

// lookup resolves a name that is not an index, and reports unknown ones.
func (c *checker) lookup(n *Name) Object {
	if o, ok := c.scope[n.Name]; ok {
		return o
	}
	if l := c.partOf(n.Name); l != nil && c.recursion != nil && l.Type.Base != Invalid {
		return l.named() // its parts, and those of what reads it, are in any order
	}
	if c.poisoned[n.Name] {
		return nil
	}
	if c.betweenParts(n) {
		return nil
	}
	if at, ok := c.later[n.Name]; ok {
		switch {
		case c.headings && c.poisoned["size "+n.Name]:
			return nil
		case c.headings:
			c.definitionInBound(n)
			c.note(at, "defined here")
			return nil
		case c.defining == n.Name:
			c.err(UsedBeforeDefined, n.Span(), c.recursionHint(n.Name), "`%s` is used in its own definition", n.Name)
			c.poisoned[n.Name] = true
			return nil
		}
		c.err(UsedBeforeDefined, n.Span(), "move the definition up", "`%s` is used before it is defined", n.Name)
		c.note(at, "defined here")
		return nil
	}
	if at, ok := c.soon[n.Name]; ok {
		switch {
		case c.defining == n.Name:
			c.err(UsedBeforeDefined, n.Span(), c.recursionHint(n.Name), "`%s` is used in its own definition", n.Name)
		case c.generating:
			c.err(UsedBeforeDefined, n.Span(), "move its line up", "`%s` is used before it is defined", n.Name)
			c.note(at, "defined here")
		default:
			c.generatedOutside(n, at)
		}
		return nil
	}
	// One message per name is enough.
	c.poisoned[n.Name] = true
	if s := suggest(n.Name, metricNames); s != "" && c.inMetric {
		c.err(UnknownMetric, n.Span(), fmt.Sprintf("did you mean `%s`?", s), "there is no metric `%s`", n.Name)
		return nil
	}
	hint := undeclaredHint
	if c.equationOf != nil && (n.Name == "t" || n.Name == "time") {
		hint = fmt.Sprintf("the time has its name in the head: `ode %s(…) over %s {`", c.equationOf.Name, n.Name)
	}
	sum, summed := c.closed[n.Name]
	summed = summed && sum.Pos.Line == n.Span().Pos.Line && sum.Pos.before(n.Span().Pos)
	if summed {
		hint = sumEnds + n.Name + "` ends before the next + or -: put all that it adds in parentheses"
	}
	if c.function != nil {
		hint = fmt.Sprintf("the body of a function knows its arguments, their sizes and consts: make it an argument of `%s`", c.function.Name)
	}
	if n.Name == "solve" {
		hint = solveForm
	} else if c.states[n.Name] {
		hint = fmt.Sprintf("a state is known in its `ode`; of a solution s its values are s.%s", n.Name)
	} else if f := LookupFunction(n.Name); f != nil && f.Arity == 0 {
		hint = fmt.Sprintf("`%s` is a function: write %s()", n.Name, n.Name)
	} else if f != nil {
		hint = fmt.Sprintf("`%s` is a function: write %s(…)", n.Name, n.Name)
	} else if strings.HasSuffix(n.Name, "_rep") || strings.HasSuffix(n.Name, "_new") || strings.HasSuffix(n.Name, "_pred") || strings.HasSuffix(n.Name, "_tilde") {
		hint = fmt.Sprintf("what is predicted is drawn: `generate { %s = normal_rng(mu, sigma) }`", n.Name)
	} else if base, at, ok := cutLast(n.Name, "_"); ok && c.scope[base] != nil && c.index(at) != nil {
		hint = fmt.Sprintf("an element is %s[%s]", base, at)
	} else if s := c.suggest(n.Name); s != "" && !summed {
		hint = fmt.Sprintf("did you mean `%s`?", s)
	} else if f := LookupForeign(ForeignValue, n.Name); f != nil {
		hint = f.Hint()
	}
	c.err(UnknownName, n.Span(), hint, "`%s` is not declared", n.Name)
	return nil
}

// asPart is the definition that is being checked as a part of many positions, where it reads those of another.
func (c *checker) asPart(l *Let) string {
	let, size, index := "let ", l.Type.Shape[l.Recursion.Place], ""
	if c.generating {
		let = ""
	}
	var places, reads []string
	for _, ix := range c.indices {
		if index == "" && (ix.Range == Range{Fixed(1), size} || len(c.indices) == 1) {
			index = ix.Name
			places = append(places, index)
		} else {
			places = append(places, fmt.Sprintf("%s in %s", ix.Name, ix.Range))
		}
	}
	if index == "" {
		index = c.free("t")
		places = append([]string{index}, places...)
	}
	for d := range l.Type.Shape {
		reads = append(reads, map[bool]string{true: index, false: "…"}[d == l.Recursion.Place])
	}
	return fmt.Sprintf("`%s%s[%s] = … %s[%s] … for %s in 1..%s`", let, c.defining, strings.Join(places, ", "), l.Name, strings.Join(reads, ", "), index, size)
}

// betweenParts reports a use of a definition in parts where some of them stand above it, and others below.
func (c *checker) betweenParts(n *Name) bool {
	l := c.partOf(n.Name)
	if l == nil || c.recursion != nil || !l.Recursion.stmts[0].Name.At.Pos.before(n.Span().Pos) {
		return false
	}
	last := l.Recursion.stmts[len(l.Recursion.stmts)-1]
	hint := fmt.Sprintf("move the line below the last part of `%s`", n.Name)
	if c.defining != "" && len(l.Type.Shape) > 0 {
		hint += ", or make it a part too, " + c.asPart(l)
	}
	c.err(UsedBeforeDefined, n.Span(), hint, "`%s` is used between its parts", n.Name)
	c.note(last.Name.At, "the last part")
	return true
}

// cutLast cuts a text around the last place of a separator.
func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// recursionHint is the hint where a definition with an index reads itself.
func (c *checker) recursionHint(name string) string {
	if len(c.indices) == 0 {
		return ""
	}
	i, let := c.indices[0].Name, "let "
	if c.generating {
		let = ""
	}
	return fmt.Sprintf("a recursion is given in parts: `%s%s[1] = …` and `%s%s[%s] = … for %s in 2..n`", let, name, let, name, i, i)
}

// lookupAs is lookup with its own hint for unknown names that resemble nothing.
func (c *checker) lookupAs(n *Name, hint string) Object {
	before := len(c.ds.List)
	o := c.lookup(n)
	if len(c.ds.List) > before {
		switch d := &c.ds.List[before]; {
		case d.Code != UnknownName || strings.HasPrefix(d.Hint, sumEnds):
		case !strings.HasPrefix(d.Hint, "did you mean"):
			d.Hint = hint
		case hint == undeclaredSize(n.Name): // a name of one letter is near to all others
			d.Hint += " If not, " + hint
		}
	}
	return o
}

// index returns the innermost open index of that name, or nil.
func (c *checker) index(name string) *Index { return c.byName[name] }

// push opens the scope of an index, shut closes all but n scopes.
func (c *checker) push(ix *Index) {
	c.hidden = append(c.hidden, c.byName[ix.Name])
	c.indices = append(c.indices, ix)
	c.byName[ix.Name] = ix
}

func (c *checker) shut(n int) {
	for i := len(c.indices) - 1; i >= n; i-- {
		c.byName[c.indices[i].Name] = c.hidden[i]
	}
	c.indices, c.hidden = c.indices[:n], c.hidden[:n]
}

// movingEnd resolves an end of a range that depends on another index, or on integer data: where it is, and the furthest that it may be. Of any
// other end it is nil.
func (c *checker) movingEnd(e Expr, upper bool) (Extent, *Subscript) {
	if ix, shift, reason := c.shifted(e); ix != nil && reason == nil && shift == math.Trunc(shift) && math.Abs(shift) < 1e6 {
		ix.used = true
		end := ix.Range.Lo
		if upper {
			end = ix.Range.Hi
		}
		if ix.Range.Hi == unknownExtent {
			return unknownExtent, &Subscript{Index: ix}
		}
		return end.Plus(int(shift)), &Subscript{Index: ix, Offset: int(shift)}
	}
	core, shift := c.unshifted(e)
	if !c.isArray(core) {
		if !c.readsElement(core) && !c.computedWhole(core) {
			return Extent{}, nil
		}
		return c.computedEnd(e, upper)
	}
	d := c.integerDatum(core)
	if d == nil && !c.wholeArray(core) {
		return c.computedEnd(e, upper)
	}
	if d != nil && !c.wholeArray(core) {
		if _, _, ranged := d.Values(); !ranged {
			return c.endOfNumbers(e, d, int(shift), upper)
		}
	}
	s, ok := c.gather(e, core, shift, unknownExtent, "")
	if !ok || s.Gather == nil {
		return unknownExtent, &s
	}
	if len(s.shape(unknownExtent)) > 0 {
		c.err(BadIndex, e.Span(), "name an element, as in g[i]", "an end of a range is a single position")
		return unknownExtent, &s
	}
	if s.Gather.Data == nil {
		return unknownExtent, &s
	}
	lo, hi, _ := s.Gather.Data.Values()
	if upper {
		return hi.Plus(s.Offset), &s
	}
	return lo.Plus(s.Offset), &s
}

// fixedRanges reports ranges with ends that move, of what has none.
func (c *checker) fixedRanges(indices []*Index, what, hint string) {
	for _, ix := range indices {
		if ix.moves() {
			c.err(NotYet, ix.At, hint, "%s, over a range that depends on another index or on data, is not in this version of the language", what)
			ix.Range.Hi = unknownExtent
		}
	}
}

// moves reports whether an end of the range of an index depends on another index or on data.
func (i *Index) moves() bool { return (i.From != nil || i.Upto != nil) && i.Range.Hi != unknownExtent }

// unknownExtent is the end of a range whose error was reported; it agrees with
// everything.
var unknownExtent = Extent{Name: "?"}

// open declares indices and returns how to close their scope.
func (c *checker) open(decls []IndexDecl) (indices []*Index, shut func()) {
	n := len(c.indices)
	for i := range decls {
		d := &decls[i]
		ix := &Index{object: object{Name: d.Name, At: d.At}}
		c.setRange(ix, d)
		if old := c.index(d.Name); old != nil {
			hint := "choose another name"
			if c.sums > 0 {
				hint += "; where the one sum does not belong to the other, which goes on behind `*` and `/`, put that in brackets: `(sum(i in n) …)/…`"
			}
			c.err(IndexShadows, d.At, hint, "the index `%s` hides an index of the same name", d.Name)
			c.note(old.At, "the other index")
		} else if o, ok := c.scope[d.Name]; ok {
			c.err(IndexShadows, d.At, "choose another name", "the index `%s` has the name of something declared", d.Name)
			c.note(o.Declared(), "declared here")
			ix.Range.Hi = unknownExtent // what the name means, nobody knows
		}
		d.Index = ix
		indices = append(indices, ix)
		c.push(ix)
	}
	return indices, func() { c.shut(n) }
}

// setRange gives an index its range. Where that is not known, an error in it was reported.
func (c *checker) setRange(ix *Index, d *IndexDecl) {
	ix.Range = Range{Fixed(1), unknownExtent}
	c.ranging, c.before = d.Name, d.before
	lo, good := Fixed(1), true
	if d.Lo != nil {
		lo, ix.From, good = c.rangeEnd(d.Lo, false)
		if good && lo.IsConst() && lo.Offset < 1 {
			hint, up := "indices count from 1", 1-lo.Offset
			if d.Hi != nil && up < 100 {
				hint += fmt.Sprintf(": write `%s in %s..%s`, and `%[1]s-%[4]d` in the place of `%[1]s`", d.Name, c.raised(d.Lo, up), c.raised(d.Hi, up), up)
			}
			c.err(IndexRange, d.Lo.Span(), hint, "a range starts at %d", lo.Offset)
			good = false
		}
	}
	hi, upto, known := c.rangeEnd(d.Hi, true)
	ix.Upto = upto
	if good {
		ix.Range.Lo = lo
	}
	switch {
	case !good || !known:
		return
	case upto != nil && hi.IsConst() && hi.Offset < 1:
		c.err(IndexRange, d.Hi.Span(), "", "the range ends at %d at most, and starts at 1", hi.Offset)
		return
	case ix.From != nil || upto != nil: // it may be empty, and have its ends the wrong way round
	case lo.Name == hi.Name && hi.Offset < lo.Offset-1:
		c.err(IndexRange, d.Hi.Span(), "an empty range ends one before its start", "the range %s..%s ends before it starts", lo, hi)
		return
	case lo.IsConst() && !hi.IsConst(): // it may be empty, but has no negative length
		c.need(hi.Name, lo.Offset-1-hi.Offset)
	}
	ix.Range.Hi = hi
}

// raised is the text of an end of a range that is some positions further up.
func (c *checker) raised(e Expr, up int) string {
	if b, ok := e.(*BinaryExpr); ok && b.Op == "-" && Text(b.Y) == fmt.Sprint(up) {
		return Text(b.X)
	} else if v, ok := c.constant(e); ok {
		return fmt.Sprint(v + float64(up))
	}
	return Text(e) + fmt.Sprintf("+%d", up)
}

// rangeEnd resolves an end of a range; one that moves is the furthest that it may be, and where it is.
func (c *checker) rangeEnd(e Expr, upper bool) (Extent, *Subscript, bool) {
	if n, ok := e.(*Name); ok && c.index(n.Name) == nil {
		var t Type
		switch o := c.scope[n.Name].(type) {
		case *Data:
			t = o.Type
		case *Param:
			t = o.Type
		}
		if t.Base == Real && len(t.Shape) == 1 {
			c.err(BadSize, e.Span(), fmt.Sprintf("its positions are `in %s`", t.Shape[0]), "the vector `%s` is no range", n.Name)
			return Extent{}, nil, false
		}
	}
	if x, s := c.movingEnd(e, upper); s != nil {
		return x, s, x != unknownExtent
	}
	c.limit = e
	x, ok := c.extent(e, map[bool]string{true: endOfRange, false: startOfRange}[upper])
	return x, nil, ok
}

func (c *checker) let(s *LetStmt) {
	if e, ok := s.Value.(*SolveExpr); ok {
		c.solution(s, e)
		return
	}
	if c.sizeLets[s] {
		return // it is a size
	}
	if s.partial() {
		c.part(s)
		return
	}
	if c.noPart(s) {
		return
	}
	l := &Let{object: object{s.Name.Name, s.Name.At, s.Doc, c.inSizes[s.Name.Name]}}
	l.Indices, l.Type, l.Value = c.definition(l.Name, decls(s.Places), s.Value)
	c.reached(l)
	c.defined(l)
}

// definition checks the value of a definition and returns its indices and type.
func (c *checker) definition(name string, decls []IndexDecl, value Expr) ([]*Index, Type, Expr) {
	if len(decls) > MaxRank {
		c.err(IndexCount, decls[MaxRank].At, "", "a definition has at most %d indices", MaxRank)
		decls = decls[:MaxRank]
	}
	indices, shut := c.open(decls)
	defer shut()
	c.fixedRanges(indices, "a definition", "define the whole, with 0 elsewhere: `let l[i in n, j in n] = if j <= i then … else 0`")
	c.defining = name
	if len(indices) == 0 {
		c.definiens = value
	}
	c.expr(value)
	c.defining, c.definiens = "", nil
	t := value.Type()
	if t.Base == MetricBase {
		c.err(MetricMix, value.Span(), "write it in the `metric` statement", "a metric has no name of its own")
		t = Type{}
	} else if len(indices) > 0 {
		if c.isArrayOf(value, indices) {
			value, indices = byElements(value, indices)
		}
		c.wantScalar(value, fmt.Sprintf("the value of `%s[…]`", name))
		t.Shape = nil
		for _, ix := range indices {
			if ix.Range.Lo != Fixed(1) {
				c.err(IndexRange, ix.At, fmt.Sprintf("define it over `%s in n`, or by positions: `let %s[1] = …` and `let %s[%s] = … for %s in %s`", ix.Name, name, name, ix.Name, ix.Name, ix.Range), "the index of a definition starts at 1")
			}
			if ix.Range.Hi == unknownExtent {
				t.Base = Invalid
			}
			t.Shape = append(t.Shape, ix.Range.Hi)
		}
	}
	if t.Base == Invalid {
		t.Shape = nil
	}
	return indices, t, value
}

// isArrayOf reports whether a value is an array for each value of all indices. One that has the size of an index is taken for an oversight, `b*x` for `b*x[i]`. A function of what is
// drawn is none, as each element would be one of a draw of its own: draws alone are.
func (c *checker) isArrayOf(value Expr, indices []*Index) bool {
	shape := value.Type().Shape
	if len(shape) == 0 || len(indices)+len(shape) > MaxRank || drawsWithin(value) {
		return false
	}
	for _, ix := range indices {
		bound := map[*Index]bool{}
		for _, other := range c.indices {
			bound[other] = other != ix
		}
		_, literal := value.(*MatrixExpr)
		if slices.Contains(shape, ix.Range.Hi) && !literal || openIndex(value, bound) != ix {
			return false
		}
	}
	return true
}

// byElements is an array, one for each value of some indices, as its elements with indices of their own: `let m[i in n] = softmax(X[i, :])` is
// `let m[i in n, k in K] = softmax(X[i, :])[k]`.
func byElements(value Expr, indices []*Index) (Expr, []*Index) {
	e := &IndexExpr{node: node{span: value.Span()}, Base: value}
	for n, size := range value.Type().Shape {
		ix := &Index{object: object{Name: fmt.Sprintf("_%d", n+1), At: value.Span()}, Range: Range{Fixed(1), size}}
		e.Args = append(e.Args, &Name{node: node{span: value.Span()}, Name: ix.Name, Obj: ix})
		e.Subscripts = append(e.Subscripts, Subscript{Index: ix})
		indices = append(indices, ix)
	}
	e.setType(Type{Base: value.Type().Base})
	return e, indices
}

func (c *checker) density(s *DensityStmt) {
	c.expr(s.Value)
	t := s.Value.Type()
	if !t.IsScalar() || t.Base == MetricBase {
		c.err(NonScalarDensity, s.Value.Span(), "sum it: `sum(…)`", "a density is a scalar, this is %s", t)
		return
	}
	if t.Base == Invalid {
		return
	}
	if c.dependsOnParam(s.Value) == nil {
		c.err(DataOnlyTerm, s.Value.Span(), noParamHint, "this term depends on no parameter, so it does not change the posterior")
		return
	}
	c.model.Terms = append(c.model.Terms, &Term{At: s.At(), Value: s.Value})
}

func (c *checker) sample(s *SampleStmt) {
	dist, own := LookupDistribution(s.Dist.Name), c.distributionFunc(s.Dist.Name)
	if dist == nil && own == nil && combinationOf(s.Dist.Name) == nil && !c.poisoned["~"+s.Dist.Name] {
		c.noDistribution(s)
	}
	shut := func() {}
	var indices []*Index
	if len(s.For) > 0 {
		c.ahead = append(slices.Clone(s.Left), exprsOf(s.Args)...)
		indices, shut = c.open(s.For)
		c.ahead = nil
		hint := "write `density sum(…) normal_lpdf(…)`"
		if n := slices.IndexFunc(indices, (*Index).moves); n >= 0 && s.For[n].Lo == nil { // which may be meant as one position
			hint = fmt.Sprintf("all from 1 on are `%s in 1..%s`, and one element is selected by `[%s]` itself", s.For[n].Name, Text(s.For[n].Hi), Text(s.For[n].Hi))
		} else if n >= 0 && s.Bound.Kind() == NoBound && (dist != nil || own != nil) {
			shut()
			c.sampleSum(s, dist, own)
			return
		}
		c.fixedRanges(indices, "a statement", hint)
	}
	unknown := slices.ContainsFunc(indices, func(ix *Index) bool { return ix.Range.Hi == unknownExtent })
	defer shut()
	before := len(c.ds.List)
	for _, e := range s.Left {
		if n, ok := e.(*Name); ok && c.scope[n.Name] == nil && !c.poisoned[n.Name] && LookupDistribution(n.Name) != nil {
			c.err(BadLeftSide, e.Span(), "the left side of `~` is data, a parameter or an expression of them", "`%s` is a distribution", n.Name)
			bad(e)
			continue
		}
		c.expr(e)
	}
	if x := combinationOf(s.Dist.Name); x != nil && x.name == s.Dist.Name && own == nil {
		fn, args := c.combined(x, s.Dist.At, s.Args)
		if fn != nil && x.positive != "" && strings.HasSuffix(fn.Name, "_lpdf") && c.leftOfMass(s) {
			return
		}
		if fn != nil && !unknown {
			c.sampleMade(s, fn, args, indices)
		}
		return
	}
	if named := c.distributionArgs(s, dist, own); named && own == nil {
		return
	}
	if own != nil && !unknown {
		var args []Expr
		for _, a := range s.Args {
			args = append(args, a.Expr)
		}
		c.sampleMade(s, own, args, indices)
		return
	}
	if dist == nil {
		return
	}
	if len(s.Args) != len(dist.Args) {
		c.err(ArgumentCount, s.Dist.At, dist.countHint(),
			"`%s` has %s, not %d", dist.Name, count(len(dist.Args), "argument"), len(s.Args))
		return
	}
	if unknown {
		return
	}
	lo, hi, ok := c.truncation(s, dist)
	if !ok {
		return
	}
	at := s.At()
	for _, left := range s.Left {
		c.term(s, at, left, dist, indices, lo, hi)
	}
	c.unusedIndices(s, indices, before)
}

// sampleSum is a `~` over ranges that depend on other indices or on data: a sum of log densities, in `density`.
func (c *checker) sampleSum(s *SampleStmt, dist *Distribution, own *Func) {
	var name string
	if own != nil {
		name = own.Name
	} else {
		name = dist.LogDensityName()
	}
	for _, left := range s.Left {
		call := &CallExpr{node: node{span: left.Span(), tokens: s.Tokens}, Func: name, At: s.Dist.At, Bar: s.Dist.At, Args: append([]Arg{{Expr: clone(left)}}, cloneArgs(s.Args)...)}
		c.density(&DensityStmt{Syntax: s.Syntax, Value: &SumExpr{node: node{span: s.At(), tokens: s.Tokens}, Func: "sum", Indices: cloneDecls(s.For), Body: call}})
	}
}

// noDistribution reports the name of a distribution that there is not, once.
func (c *checker) noDistribution(s *SampleStmt) {
	if c.poisoned[s.Dist.Name+"_lpdf"] || c.poisoned[s.Dist.Name+"_lpmf"] {
		return // its function did not parse
	}
	c.poisoned["~"+s.Dist.Name] = true
	var names []string
	for i := range Distributions {
		names = append(names, Distributions[i].Name)
	}
	if c.lostFuncs && LookupForeign(ForeignDistribution, s.Dist.Name) == nil && suggest(s.Dist.Name, names) == "" {
		return // it may be in the file that was not found
	}
	hint := unknownDistribution(s.Dist.Name, names, textsOf(s.Args))
	if form := writtenNamed(s.Dist.Name, s.Args); form != "" {
		hint = "write `" + form + "`"
	} else if form := truncatedForm(s.Dist.Name, s.Args); form != "" {
		hint = "the interval follows the distribution: write `" + form + "`"
	}
	if fn := c.funcs[s.Dist.Name]; fn != nil {
		hint = "a distribution is a function whose name ends in `_lpdf` or `_lpmf`"
		if stem := strings.TrimSuffix(strings.TrimSuffix(fn.Name, "_lpdf"), "_lpmf"); stem != fn.Name {
			hint = fmt.Sprintf("did you mean `%s`?", stem)
		}
	}
	c.err(UnknownDist, s.Dist.At, hint, "there is no distribution `%s`", s.Dist.Name)
}

// distributionArgs checks the arguments of a statement, each by itself. It reports whether one has a name, of which there is a message.
func (c *checker) distributionArgs(s *SampleStmt, dist *Distribution, own *Func) (named bool) {
	f := LookupForeign(ForeignDistribution, s.Dist.Name)
	foreign := dist == nil && own == nil && f != nil && f.Is == ""
	written := dist == nil && own == nil && (writtenNamed(s.Dist.Name, s.Args) != "" || truncatedForm(s.Dist.Name, s.Args) != "")
	for _, a := range s.Args {
		if a.Name != "" && written { // of which there is the message on the name
			named = true
		} else if a.Name != "" && !named {
			named = true
			hint := "leave the names out"
			if d := cmp.Or(dist, meantDistribution(s.Dist.Name)); d != nil && own == nil {
				hint = d.namedHint(s.Args)
			}
			c.err(BadNamedArgument, a.At, hint, "arguments of distributions have no names")
		}
		if foreign {
			c.quiet(func() { c.expr(a.Expr) }) // its arguments are not those of what is to be written
		} else {
			c.expr(a.Expr)
		}
	}
	return named
}

// writtenNamed is a distribution of another language, some of whose arguments have names, in the words of this one; "" where none has, or it is not known.
func writtenNamed(name string, args []Arg) string {
	all, ok := foreignArgsOf(args)
	if !ok || len(all.named) == 0 {
		return ""
	}
	form, _ := namedForm(name, all)
	return form
}

// meantDistribution is the distribution that a name stands for which differs from its own by case or underscores, or is what another language calls it; nil where
// there is none.
func meantDistribution(name string) *Distribution {
	if f := LookupForeign(ForeignDistribution, name); f != nil {
		return LookupDistribution(f.Is)
	}
	for i := range Distributions {
		if d := &Distributions[i]; plain(d.Name) == plain(name) {
			return d
		}
	}
	return nil
}

// sampleMade checks the left sides of a statement whose distribution is a function of the model, or made of others.
func (c *checker) sampleMade(s *SampleStmt, fn *Func, args []Expr, indices []*Index) {
	if s.Bound.Kind() != NoBound {
		c.err(NotYet, s.Bound.At(), "divide the density by the probability of the interval", "the interval of a distribution that the model defines, or that is made of others, is not in this version of the language")
		return
	}
	before := len(c.ds.List)
	for _, left := range s.Left {
		c.sampleFunc(s, fn, left, args, indices)
	}
	c.unusedIndices(s, indices, before)
}

// quiet checks what has a message already: further ones are dropped.
func (c *checker) quiet(check func()) {
	n, poisoned := len(c.ds.List), maps.Clone(c.poisoned)
	check()
	c.ds.List, c.poisoned = c.ds.List[:n], poisoned
}

// leftOfMass reports a parameter to which a distribution would give a mass at 0.
func (c *checker) leftOfMass(s *SampleStmt) bool {
	for _, left := range s.Left {
		if p := c.dependsOnParam(left); p != nil {
			c.err(OutsideSupport, left.Span(), "of a parameter it may be `mixture(p, normal(0, 0.01), D)`", "`%s` of real numbers has a mass at 0, and describes data; the left side depends on the parameter `%s`", s.Dist.Name, p.Name)
			return true
		}
	}
	return false
}

// unusedIndices warns of the indices of a statement that do nothing, or nothing to its left side.
func (c *checker) unusedIndices(s *SampleStmt, indices []*Index, before int) {
	for _, left := range s.Left {
		if d := datum(left); len(indices) > 0 && indices[0].used && c.errors(before) == 0 && d != nil && openIndex(left, map[*Index]bool{}) == nil {
			hint := "let the left side depend on it"
			if left.Type().Base != Invalid && len(left.Type().Shape) == 1 {
				hint = fmt.Sprintf("write `%s[%s] ~ %s(…)`", Text(left), indices[0].Name, s.Dist.Name)
			}
			c.warn(LeftOfEach, left.Span(), hint, "the left side does not depend on the index `%s`: all of it is described again for each of its values", indices[0].Name)
		}
	}
	for _, ix := range indices {
		if !ix.used && c.errors(before) == 0 {
			hint := map[bool]string{true: "remove the `for` clause", false: "remove it from the `for` clause"}[len(indices) == 1]
			element := "x[i]"
			if left := s.Left[0]; left.Type().Base != Invalid && len(left.Type().Shape) > 0 && isNameAlone(left) {
				hint += ", as `" + Text(left) + "` stands for all of its elements"
				element = Text(left) + "[" + ix.Name + "]"
			}
			what, times := "the term", ix.Range.String()+" times"
			if datum(s.Left[0]) != nil {
				what = "the likelihood"
			}
			if ix.Range.Lo != Fixed(1) {
				times = "once for each of " + ix.Range.String()
			}
			c.warn(Unused, ix.At, hint+"; or the index is missing, as in `"+element+"`", "the index `%s` is not used: %s counts %s", ix.Name, what, times)
		}
	}
}

// textsOf are the texts of arguments, none where one has a name.
func textsOf(args []Arg) []string {
	var out []string
	for _, a := range args {
		if a.Name != "" || a.Expr == nil {
			return nil
		}
		out = append(out, Text(a.Expr))
	}
	return out
}

// unknownDistribution is the hint for a name that no distribution has, with some arguments.
func unknownDistribution(name string, names, args []string) string {
	if d := lookupLogDensity(name); d != nil {
		return fmt.Sprintf("did you mean `%s`?", d.Name)
	} else if d := lookupRandom(name); d != nil {
		return fmt.Sprintf("did you mean `%s`?", d.Name)
	}
	if f := LookupForeign(ForeignDistribution, name); f != nil {
		return f.HintFor(args)
	}
	for _, of := range []string{"zero_inflated", "hurdle"} {
		stem, ok := strings.CutPrefix(name, of+"_")
		also := ""
		if s, camel := strings.CutPrefix(plain(name), plain(of)); !ok && camel && name != strings.ToLower(name) {
			stem, ok, also = s, true, "; PyMC's psi is 1 - p"
		}
		if s := plain(stem); s == "negativebinomial" || s == "negbinomial" || s == "nbinom" {
			stem = "neg_binomial"
		} else if d := meantDistribution(stem); d != nil {
			stem = d.Name
		}
		for _, d := range []*Distribution{LookupDistribution(stem + "_2"), LookupDistribution(stem)} {
			if ok && d != nil && !d.Support.Discrete() {
				of = "hurdle" // what has no mass at 0 is not inflated there
			}
			if ok && d != nil {
				return fmt.Sprintf("write %s(p, %s(%s))%s", of, d.Name, strings.Join(d.argNames(), ", "), also)
			}
		}
	}
	if s := suggest(name, names); s != "" {
		if name != s && plain(name) == s && (s == "gamma" || s == "exponential") { // Julia's has a scale
			return fmt.Sprintf("did you mean `%s`? Its last argument is a rate, 1/scale", s)
		}
		return fmt.Sprintf("did you mean `%s`?", s)
	}
	const list = "docs/language.md#distributions lists them; they have Stan's names, such as normal, student_t, gamma, beta, poisson, binomial, categorical and multi_normal"
	if f := LookupFunction(name); f != nil {
		return fmt.Sprintf("`%s` is a function; %s", name, list)
	}
	return fmt.Sprintf("%s; another one is a function of the model, `func %s_lpdf(y real, a real) = …`", list, name)
}

// term checks one left side against its distribution.
func (c *checker) term(s *SampleStmt, at Span, left Expr, dist *Distribution, indices []*Index, lo, hi Expr) {
	t := left.Type()
	if t.Base == Invalid {
		return
	}
	if t.Base == MetricBase {
		c.err(BadLeftSide, left.Span(), "", "a metric has no distribution")
		return
	}
	term := &Term{At: at, Left: left, Dist: dist, Lo: lo, Hi: hi}
	if len(indices) > 0 {
		term.For, term.Each = indices[0], slices.Clone(indices[1:])
	}
	for _, a := range s.Args {
		term.Args = append(term.Args, a.Expr)
		switch a.Expr.Type().Base {
		case Invalid:
			return
		case MetricBase:
			hint := ""
			if n, ok := a.Expr.(*Name); ok && n.Name == "identity" {
				hint = "where it is the covariance elements are independent: `y ~ normal(mu, 1)`"
			}
			c.err(MetricMix, a.Expr.Span(), hint, "a metric is not an argument of `%s`", dist.Name)
			return
		}
	}
	if term = c.ofPairs(term); term == nil {
		return
	}
	c.ofRows(term)
	n := len(c.ds.List)
	c.fits(term)
	if c.errors(n) > 0 {
		return
	}
	if p := c.dependsOnParam(left); p == nil {
		depends := false
		for _, a := range term.Args {
			depends = depends || c.dependsOnParam(a) != nil
		}
		if !depends {
			c.err(DataOnlyTerm, left.Span(), noParamHint, "this term depends on no parameter, so it does not change the posterior")
			return
		}
	}
	if lo != nil || hi != nil {
		term = c.truncated(s, term)
	}
	c.model.Terms = append(c.model.Terms, term)
}

// rank is the number of dimensions of what lies in a domain.
func (d Domain) rank() int {
	switch {
	case d == Covariance || d == LowerFactor || matrices[d] != nil:
		return 2
	case d.Vector() || d == Ascending:
		return 1
	}
	return 0
}

// ofRows makes a statement on an array of simplexes, of vectors in the rows of a matrix, or of matrices of a type, one on each of them: with the rows of an argument that has as many.
func (c *checker) ofRows(term *Term) {
	own, want := 2, matrices[term.Dist.Support]
	if term.Dist.Support == OnSimplex {
		own, want = 1, Simplex
	}
	n, ok := term.Left.(*Name)
	vectors := want == nil && term.Dist.Support.Vector()
	if vectors {
		own = 1
	}
	if !ok || want == nil && !vectors {
		return
	}
	declared := func(o Object) bool {
		switch o := o.(type) {
		case *Param:
			return o.Constraint == want
		case *Data:
			return o.Constraint == want
		}
		return false
	}
	shape := term.Left.Type().Shape
	if len(shape) <= own || !vectors && !declared(n.Obj) {
		return
	}
	shape = shape[:len(shape)-own]
	indices := indicesOver(shape, term.Left.Span())
	term.Left = elementOf(term.Left, indices)
	for k, a := range term.Args {
		if t := a.Type(); vectors {
			if len(t.Shape) == len(shape)+term.Dist.Args[k].Domain.rank() && sameShape(t.Shape[:len(shape)], shape) {
				term.Args[k] = elementOf(a, indices)
			}
		} else if len(t.Shape) >= len(shape) && len(t.Shape) > 0 && sameShape(t.Shape[:len(shape)], shape) && !(term.Dist.Args[k].Domain == VectorPositive && len(t.Shape) == 1) {
			term.Args[k] = elementOf(a, indices)
		}
	}
	if term.For == nil {
		term.For, indices = indices[0], indices[1:]
	}
	term.Each = append(term.Each, indices...)
}

// truncation checks the interval that truncates a distribution.
func (c *checker) truncation(s *SampleStmt, dist *Distribution) (lo, hi Expr, ok bool) {
	b := c.finite(&s.Bound, Text(s.Left[0])+" ~ "+dist.Name+"("+strings.Join(textsOf(s.Args), ", ")+")")
	kind := b.Kind()
	switch {
	case kind == NoBound:
		return nil, nil, true
	case dist.Support.Discrete() && (kind == SetBound || kind == IntervalBound):
		c.err(BadBounds, b.At(), "write `in a..b`, `> a`, `>= a`, `< b` or `<= b`", "a distribution of counts is truncated to a range of whole numbers")
		return nil, nil, false
	case !dist.Support.Discrete() && (kind == SetBound || kind == RangeBound):
		c.err(BadBounds, b.At(), "write `in (a, b)`, `> a` or `< b`", "a distribution is truncated to an interval")
		return nil, nil, false
	}
	lo, hi = b.ends()
	for _, e := range []Expr{lo, hi} {
		if e != nil && !c.truncationEnd(e, dist) {
			return nil, nil, false
		}
	}
	if dist.LogCdf == "" {
		hint := "all distributions of numbers have one but " + withoutCdf()
		if dist.Whole() {
			hint = "distributions of numbers have one"
		}
		c.err(NotYet, b.At(), hint, "the cumulative distribution function of `%s`, which truncating it takes, is not in this version of the language", dist.Name)
		return nil, nil, false
	}
	return lo, hi, true
}

// truncationEnd checks an end of such an interval.
func (c *checker) truncationEnd(e Expr, dist *Distribution) bool {
	if c.expr(e); e.Type().Base == Invalid {
		return false
	}
	if !c.noSecondBound(e) {
		return false
	}
	if e.Type().Base == MetricBase {
		c.err(MetricMix, e.Span(), "", "a metric is no bound")
		return false
	}
	if !dist.Support.Discrete() {
		return true
	}
	if e.Type().Base != Int {
		c.err(NotInteger, e.Span(), "write a whole number, a const or integer data", "the bounds of counts are whole numbers")
		return false
	}
	if p := c.dependsOnParam(e); p != nil {
		c.err(NotData, e.Span(), "", "the bounds of counts depend on no parameter")
		return false
	}
	return true
}

// truncated is the term of a truncated distribution: one of the density, of which no expected information is known.
func (c *checker) truncated(s *SampleStmt, term *Term) *Term {
	for _, e := range []Expr{term.Lo, term.Hi} {
		if e != nil && !e.Type().IsScalar() && !sameShape(e.Type().Shape, term.Left.Type().Shape) {
			c.err(ShapeMismatch, e.Span(), "a bound is a scalar, or has the shape of the left side", "the bound is %s, the left side %s", e.Type(), term.Left.Type())
		}
	}
	if b := &s.Bound; term.Dist.Support.Discrete() {
		if b.Kind() == RangeBound || b.Op == ">=" {
			term.LoShift = -1
		}
		if b.Op == "<" {
			term.HiShift = -1
		}
	}
	call := &CallExpr{node: node{span: s.At()}, Func: term.Dist.LogDensityName(), At: s.Dist.At, Density: term, Args: []Arg{{Expr: term.Left}}}
	for _, a := range term.Args {
		call.Args = append(call.Args, Arg{Expr: a})
	}
	for _, e := range []Expr{term.Lo, term.Hi} {
		if e != nil {
			call.Args = append(call.Args, Arg{Expr: e})
		}
	}
	call.setType(Type{Base: Real})
	c.model.Densities = append(c.model.Densities, term)
	out := &Term{At: term.At, Value: call}
	if ix := term.For; ix != nil {
		term.For = nil // the sum runs over it
		out.Value = sumOver([]*Index{ix}, call, s.At())
	}
	return out
}

// Sampled is the `~` statement that a term of the density amounts to, and the indices that it runs over: that is the log density of a distribution, or a sum of them, and may stand behind conditions, when,
// that switch it off. It is nil of others.
func (t *Term) Sampled() (s *Term, over []*Index, when []Expr) {
	value := t.Value
	for t.Left == nil {
		switch v := value.(type) {
		case *SumExpr:
			if v.Func != "sum" || v.Terms != nil {
				return nil, nil, nil
			}
			for _, x := range v.Indices {
				over = append(over, x.Index)
			}
			value = v.Body
		case *IfExpr:
			switch when = append(when, v.Cond); {
			case isZero(v.Else):
				value = v.Then
			case isZero(v.Then):
				value = v.Else
			default:
				return nil, nil, nil
			}
		case *CallExpr:
			if v.Density == nil || v.Density.Tail != 0 || v.Density.Formula != nil {
				return nil, nil, nil
			}
			return v.Density, over, when
		default:
			return nil, nil, nil
		}
	}
	return nil, nil, nil
}

// isZero reports whether an expression is the number 0.
func isZero(e Expr) bool {
	n, ok := e.(*Number)
	return ok && n.Value == 0
}

// WithoutInformation names what is written with `~` and has no expected information: "" of a `density` statement.
func (t *Term) WithoutInformation() string {
	if t.Left != nil {
		return "a distribution that the model defines, or that is made of others,"
	}
	if s, _, when := t.Sampled(); s != nil && len(when) == 0 && (s.Lo != nil || s.Hi != nil) {
		return "a truncated distribution"
	}
	return ""
}

// side is what the messages call what a term describes.
func (t *Term) side() string {
	if t.call {
		return "value"
	}
	return "left side"
}

// fits checks what a term describes, and the arguments, against the distribution.
func (c *checker) fits(term *Term) {
	if term.Dist.Define != "" {
		c.familyTerm(term)
	} else if term.Dist.Support.Vector() {
		c.vectorTerm(term)
	} else {
		c.scalarTerm(term)
	}
}

func (c *checker) vectorTerm(term *Term) {
	t := term.Left.Type()
	if len(t.Shape) != 1 {
		c.err(NotVector, term.Left.Span(), term.rowsHint(), "the %s of `%s` is a vector, not %s", term.side(), term.Dist.Name, t)
		return
	}
	for n, a := range term.Args {
		arg := &term.Dist.Args[n]
		if arg.Domain == Covariance {
			c.covariance(a, term.Dist, t.Shape[0], "the "+term.side())
			continue
		}
		if ts := a.Type(); len(ts.Shape) == 0 && (arg.Domain == VectorReal || arg.Domain == VectorPositive) {
			c.argument(a, term.Dist, n)
			term.Args[n] = c.spread(a, t.Shape[0])
		} else if len(ts.Shape) != 1 {
			c.err(NotVector, a.Span(), vectorHint(a), "%s of `%s` is a vector, not %s", arg.called(), term.Dist.Name, ts)
		} else if ts.Shape[0] != t.Shape[0] {
			c.err(ShapeMismatch, a.Span(), "", "%s has %s elements, the %s %s", arg.called(), ts.Shape[0], term.side(), t.Shape[0])
		} else if arg.Domain == VectorPositive {
			c.argument(a, term.Dist, n)
		}
	}
	if term.Dist.Support == OnSimplex {
		c.onSimplex(term)
	}
}

// rowsHint is the hint where a matrix is described by a distribution of vectors.
func (t *Term) rowsHint() string {
	n, ok := t.Left.(*Name)
	if shape := t.Left.Type().Shape; ok && len(shape) == 2 && !t.call {
		return fmt.Sprintf("of each row it reads `%s[i, :] ~ %s(…) for i in %s`", n.Name, t.Dist.Name, shape[0])
	}
	return ""
}

// vectorHint is the hint where a vector is wanted, and a number or a matrix of one column stands.
func vectorHint(a Expr) string {
	switch e := a.(type) {
	case *MatrixExpr:
		if len(e.Rows[0]) == 1 {
			var elements []string
			for _, row := range e.Rows {
				elements = append(elements, Text(row[0]))
			}
			return fmt.Sprintf("the elements of a vector stand in one row: [%s]", strings.Join(elements, ", "))
		}
	case *Number:
		return fmt.Sprintf("a vector of equal elements is `let v[j in k] = %s`", e.Text)
	}
	return ""
}

// spread is a vector of n elements that are a scalar.
func (c *checker) spread(a Expr, n Extent) Expr {
	ix := &Index{object: object{Name: "i", At: a.Span(), used: true}, Range: Range{Fixed(1), n}}
	l := &Let{object: object{Name: "spread", At: a.Span(), used: true}, Indices: []*Index{ix}, Value: a, Type: Type{Base: Real, Shape: []Extent{n}}, Local: true}
	value := &Name{node: node{span: a.Span(), typ: l.Type}, Name: l.Name, Obj: l}
	return &CallExpr{node: node{span: a.Span(), typ: l.Type}, At: a.Span(), Func: l.Name, Inlined: &Inlined{Lets: []*Let{l}, Value: value}}
}

// called is what the messages call an argument of a distribution of vectors.
func (a *DistArg) called() string {
	if a.Domain == VectorReal {
		return "the mean"
	}
	return "the argument `" + a.Name + "`"
}

// onSimplex checks that what a distribution on the simplex describes is declared to be one: of an
// expression nobody knows what its elements sum to.
func (c *checker) onSimplex(term *Term) {
	n, ok := term.Left.(*Name)
	if ix, indexed := term.Left.(*IndexExpr); indexed { // a row
		last := ix.Subscripts[len(ix.Subscripts)-1]
		if base, named := ix.Base.(*Name); named && len(ix.Subscripts) > 1 && last.All && last.At == (Extent{}) {
			n, ok = base, true
		}
	}
	if ok {
		switch o := n.Obj.(type) {
		case *Param:
			if o.Constraint == Simplex || o.Support.spoiled {
				return
			}
			c.err(OutsideSupport, n.Span(), fmt.Sprintf("declare `param %s simplex%s`", o.Name, shapeText(o.Type)), "`%s` is defined on %s, but `%s` may lie outside", term.Dist.Name, term.Dist.Support, o.Name)
			c.note(o.At, "declared here")
			return
		case *Data:
			if o.Constraint == Simplex {
				return
			}
			c.err(OutsideSupport, n.Span(), fmt.Sprintf("declare `data %s simplex%s`", o.Name, shapeText(o.Type)), "`%s` is defined on %s, but `%s` may lie outside", term.Dist.Name, term.Dist.Support, o.Name)
			c.note(o.At, "declared here")
			return
		}
	}
	c.err(OutsideSupport, term.Left.Span(), "the "+term.side()+" is a parameter or a datum that is declared `simplex`", "`%s` is defined on %s, and what this sums to is not known", term.Dist.Name, term.Dist.Support)
}

// shapeText is the shape of a type in brackets.
func shapeText(t Type) string {
	_, shape, _ := strings.Cut(t.String(), "[")
	return "[" + shape
}

// covariance checks the covariance of a vector of n elements.
func (c *checker) covariance(sigma Expr, dist *Distribution, n Extent, vector string) {
	if ts := sigma.Type(); len(ts.Shape) != 2 {
		hint := "declare it as `data Sigma cov[n]`, or define it by its elements"
		if len(ts.Shape) == 1 {
			hint += fmt.Sprintf("; of standard deviations it is diag(%s.^2), and `normal` does without", Text(sigma))
		}
		c.err(NotMatrix, sigma.Span(), hint, "the covariance of `%s` is a matrix, not %s", dist.Name, ts)
		return
	} else if isFactor(sigma) {
		c.factorForMatrix(sigma, dist)
	} else if ts.Shape[0] != n || ts.Shape[1] != n {
		c.err(ShapeMismatch, sigma.Span(), "", "the covariance is %s by %s, %s has %s elements", ts.Shape[0], ts.Shape[1], vector, n)
		return
	}
	c.hasElements(sigma.Type())
}

// ordered checks the arguments that bound the support of a distribution.
func (c *checker) ordered(dist *Distribution, args []Expr) bool {
	if dist.Support != Between {
		return true
	}
	lo, ok1 := c.constant(args[0])
	hi, ok2 := c.constant(args[1])
	if ok1 && ok2 && !(lo < hi) {
		c.err(BadArgument, args[1].Span(), "", "the ends of `%s` are in order, but %v is not below %v", dist.Name, lo, hi)
		return false
	}
	return true
}

func (c *checker) scalarTerm(term *Term) {
	left, dist, before := term.Left, term.Dist, len(c.ds.List)
	t := left.Type()
	for i, a := range term.Args {
		ta := a.Type()
		if !ta.IsScalar() && !sameShape(ta.Shape, t.Shape) {
			hint := "`~` broadcasts a scalar or equal shapes"
			if term.call {
				hint = "an argument is a scalar, or has the shape of the value"
			} else if len(t.Shape) == 2 && len(ta.Shape) == 1 && ta.Shape[0] == t.Shape[1] {
				hint = fmt.Sprintf("of each row it reads `%s[j, :] ~ %s(…) for j in %s`", Text(left), dist.Name, t.Shape[0])
			} else if all := cmp.Or(pairsHint(a), selectedRowsHint(a)); all != "" {
				hint = all
			} else if d := datum(a); d != nil && t.IsScalar() && alias(left) != nil && !isElement(a) {
				hint = fmt.Sprintf("what is observed stands on the left: `%s ~ %s(…)` with `%s` as an argument", d.Name, dist.Name, Text(left))
			} else if t.IsScalar() && len(ta.Shape) == 1 {
				hint = fmt.Sprintf("name an element, or add the log densities: `density sum(i in %s) %s(…)`", ta.Shape[0], dist.LogDensityName())
			}
			c.err(ShapeMismatch, a.Span(), hint, "the argument `%s` of `%s` is %s, the %s is %s", dist.Args[i].Name, dist.Name, ta, term.side(), t)
			continue
		}
		c.argument(a, dist, i)
	}
	if !c.ordered(dist, term.Args) {
		return
	}
	p := c.dependsOnParam(left)
	if c.errors(before) == 0 {
		c.kinked(term)
	}
	if dist.Support.Discrete() {
		switch {
		case p != nil:
			c.err(NeedsInteger, left.Span(), "", "`%s` describes whole numbers, and `%s` is a real parameter", dist.Name, p.Name)
		case t.Base != Int:
			hint := "declare it int"
			if d := datum(left); d != nil {
				bound := map[Domain]string{Binary: " in {0, 1}", Counts: " >= 0", UpTo: " >= 0"}[dist.Support]
				hint = fmt.Sprintf("declare `data %s %s%s`", d.Name, Type{Int, d.Type.Shape}, bound)
			}
			if term.call && datum(left) == nil {
				hint = ""
			}
			if term.call && hint != "" && dist.Support == Binary {
				hint += fmt.Sprintf(", or write `%s == 1`, which is 0 or 1, where it has other values too", Text(left))
			}
			c.err(NeedsInteger, left.Span(), hint, "`%s` describes %s, and the %s is %s", dist.Name, dist.Support, term.side(), t)
		}
	}
	if p == nil {
		return
	}
	c.insideSupport(term)
}

// isElement reports whether an expression selects from what it names.
func isElement(e Expr) bool {
	_, ok := Through(e).(*IndexExpr)
	return ok
}

// isMatrixOf reports whether an expression is one matrix of an array of several.
func isMatrixOf(e Expr) bool {
	ix, ok := Through(e).(*IndexExpr)
	if !ok || len(ix.Subscripts) < 3 || len(ix.Type().Shape) != 2 {
		return false
	}
	whole := Subscript{All: true}
	return slices.Equal(ix.Subscripts[len(ix.Subscripts)-2:], []Subscript{whole, whole})
}

// kinked warns of a density with a kink where its place depends on parameters. A cumulative function has none.
func (c *checker) kinked(term *Term) {
	if term.Dist.Kink == "" || term.Tail != NoTail || c.generating {
		return
	}
	hint := "`logistic` and `student_t` have long tails and are smooth"
	if term.Dist.Name == "skew_double_exponential" {
		hint = "a regression of a quantile has it, and takes more steps for it"
	}
	at := term.Args[slices.Index(term.Dist.argNames(), term.Dist.Kink)]
	for _, e := range []Expr{term.Left, at} {
		if p := c.dependsOnParam(e); p != nil {
			c.warn(NotSmooth, term.Left.Span(), hint,
				"the log density of `%s` has a kink at `%s`, and this depends on the parameter `%s`: Hamiltonian Monte Carlo rejects what crosses it, and is not efficient there",
				term.Dist.Name, term.Dist.Kink, p.Name)
			return
		}
	}
}

// insideSupport checks that the support of a parameter that stands alone lies inside that of its
// distribution; of a longer expression nothing is known.
func (c *checker) insideSupport(term *Term) {
	left, dist := term.Left, term.Dist
	base := left
	base = Through(base)
	if ix, ok := base.(*IndexExpr); ok {
		base = Through(ix.Base)
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
	if sup.spoiled {
		return
	}
	want := ""
	switch dist.Support {
	case Positive:
		if !(sup.LoNum != nil && *sup.LoNum >= 0) && !(sup.Lo != nil && (c.notNegative(sup.Lo) || len(paramsOf(sup.Lo)) > 0)) {
			want = fmt.Sprintf("declare `param %s %s`", param.Name, param.declared(sup.positive()))
			if d := endDatum(sup.Lo); d != nil && sup.Hi == nil {
				want = fmt.Sprintf("declare `data %s %s >= 0`, if it is, or `param %s %s`", d.Name, d.Type, param.Name, param.declared(sup.positive()))
			}
		}
	case UnitOpen:
		if !param.BoundByParams() && !(sup.LoNum != nil && *sup.LoNum >= 0 && sup.HiNum != nil && *sup.HiNum <= 1) {
			want = fmt.Sprintf("declare `param %s %s`", param.Name, param.declared("in (0, 1)"))
		}
	case Between:
		lo, ok1 := c.constant(term.Args[0])
		hi, ok2 := c.constant(term.Args[1])
		inside := sup.Lo != nil && sup.Hi != nil &&
			(ok1 && sup.LoNum != nil && *sup.LoNum >= lo || sameText(sup.Lo, term.Args[0])) &&
			(ok2 && sup.HiNum != nil && *sup.HiNum <= hi || sameText(sup.Hi, term.Args[1]))
		if !inside {
			low, high := endText(term.Args[0], "a"), endText(term.Args[1], "b")
			want = fmt.Sprintf("declare it with the same ends: `param %s %s`", param.Name, param.declared(fmt.Sprintf("in (%s, %s)", low, high)))
			if !ok2 {
				hi = math.Inf(1)
			}
			if (ok1 || c.notNegative(term.Args[0])) && !inOrder(param.Constraint) {
				c.remedies.uniform[param] = [2]float64{lo, hi}
			}
			if inOrder(param.Constraint) && len(param.Type.Shape) == 1 {
				want = betweenInOrder(param.Name, param.Type.Shape[0].String(), low, high)
			}
		}
	case Above:
		begin := term.Args[term.Dist.Begins]
		switch {
		case sup.Lo == nil || sup.LoNum != nil && !c.above(sup.Lo, begin):
			want = fmt.Sprintf("declare it with the same end: `param %s %s`", param.Name, param.declared("> "+endText(begin, "a")))
		case !c.above(sup.Lo, begin):
			want = fmt.Sprintf("declare it above both: `param %s %s`", param.Name, param.declared(fmt.Sprintf("> fmax(%s, %s)", endText(begin, "a"), endText(sup.Lo, "b"))))
		}
	case Angles:
		long := sup.LoNum != nil && sup.HiNum != nil && *sup.HiNum-*sup.LoNum > 2*math.Pi+1e-3
		if !param.BoundByParams() && (sup.Lo == nil || sup.Hi == nil || long) {
			want = fmt.Sprintf("declare `param %s %s`", param.Name, param.declared("in (-pi(), pi())"))
			if long {
				want += ": angles are in radians"
			}
		}
	}
	if want != "" {
		c.err(OutsideSupport, left.Span(), want, "`%s` is defined on %s, but `%s` may lie outside", dist.Name, dist.Where(), param.Name)
		c.note(param.At, "declared here")
	}
}

// endDatum is the datum without bounds of its own that an end of a parameter is, or nil.
func endDatum(e Expr) *Data {
	if e == nil {
		return nil
	}
	n, ok := Through(e).(*Name)
	if !ok {
		return nil
	}
	d, ok := n.Obj.(*Data)
	if !ok || d.Support.Lo != nil || d.Support.Hi != nil || d.Type.Base != Real {
		return nil
	}
	return d
}

// positive are the bounds of a parameter as they may be declared for it to be positive: 0 stands for a lower one that is below, and the upper one stays.
func (s *Support) positive() string {
	low := "0"
	if s.Lo != nil && s.LoNum == nil {
		low = fmt.Sprintf("fmax(0, %s)", endText(s.Lo, "a"))
	}
	if s.Hi != nil && !(s.HiNum != nil && *s.HiNum <= 0) {
		return fmt.Sprintf("in (%s, %s)", low, endText(s.Hi, "b"))
	}
	return "> " + low
}

// above reports whether an end of a parameter is at a beginning of a support or above it: it is the same, a larger number, or the larger one of several of which one is.
func (c *checker) above(end, begin Expr) bool {
	if f, ok := Through(end).(*CallExpr); ok && f.Func == "fmax" {
		return slices.ContainsFunc(f.Args, func(a Arg) bool { return a.Expr != nil && c.above(a.Expr, begin) })
	}
	lo, ok := c.constant(begin)
	at, known := c.constant(end)
	return ok && known && at >= lo || sameText(end, begin)
}

// endText is an end of an interval as it may stand in a declaration.
func endText(e Expr, otherwise string) string {
	if text := Text(e); text != "" {
		return text
	}
	return otherwise
}

// argument checks an argument's range as far as the text shows it.
func (c *checker) argument(a Expr, dist *Distribution, i int) {
	dom := dist.Args[i].Domain
	name := dist.Args[i].Name
	if v, ok := c.constant(a); ok {
		bad := ""
		switch {
		case (dom == Positive || dom == VectorPositive) && !(v > 0):
			bad = "positive"
		case dom == NonNegative && !(v >= 0):
			bad = "not negative"
		case dom == UnitOpen && !(v > 0 && v < 1):
			bad = "between 0 and 1"
		case dom == UnitClosed && !(v >= 0 && v <= 1):
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
		hint := "declare it int"
		if d := datum(a); d != nil {
			hint = fmt.Sprintf("declare `data %s %s >= 0`", d.Name, Type{Int, d.Type.Shape})
		} else {
			hint = fmt.Sprintf("the number of trials comes first: %s(%s)", dist.Name, strings.Join(dist.argNames(), ", "))
		}
		c.err(NeedsInteger, a.Span(), hint, "the argument `%s` of `%s` is a whole number, this is %s", name, dist.Name, a.Type())
		return
	}
	p := alias(a)
	if p == nil {
		c.mayLeave(a, dist, i)
		return
	}
	if p.Support.spoiled {
		return
	}
	if (dom == Positive || dom == VectorPositive || dom == NonNegative) && !(p.Support.LoNum != nil && *p.Support.LoNum >= 0) && !(p.Support.Lo != nil && c.notNegative(p.Support.Lo)) {
		c.leavesArgument(p, a, dist, i)
	}
	if (dom == UnitOpen || dom == UnitClosed) && !(p.Support.LoNum != nil && *p.Support.LoNum >= 0 && p.Support.HiNum != nil && *p.Support.HiNum <= 1) {
		c.leavesArgument(p, a, dist, i)
	}
}
