package codegen_test

import (
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/codegen"
	"github.com/hamc-dev/hamc/codegen/loop"
	"github.com/hamc-dev/hamc/symbolic"
)

// TestRepeats: no function of the programs of the examples and of the small models computes a value twice, or keeps a multiple of what it keeps, but
// for those that are listed. What products have in common in another order than that in which they are multiplied is no such value: it
// is none that has been computed. To put it together changes last bits; where it was tried, it took 0 to 8 % fewer multiplications,
// and no less time.
func TestRepeats(t *testing.T) {
	left := map[string]int{
		// A value of two operations, in a branch of the inner one of three loops: cube and product are for tests and Newton's method, and the loops' other work is as much.
		"dense: cube: invariant":    1,
		"dense: product: invariant": 1,
	}
	files, err := filepath.Glob("../examples/*.ham")
	if err != nil || len(files) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	models := map[string]*symbolic.Derived{}
	for _, m := range smallModels(t) {
		models[m.name] = m.derived
	}
	for _, file := range files {
		d := derivedFrom(t, file)
		models[d.Model.Name] = d
	}
	functions := 0
	for _, name := range slices.Sorted(maps.Keys(models)) {
		var last *loop.Program
		if _, err := codegen.Generate(models[name], codegen.Options{Package: "m", AfterPass: func(_ string, p *loop.Program) { last = p }}); err != nil {
			t.Fatal(err)
		}
		for _, f := range last.Funcs {
			functions++
			for _, r := range repeatsIn(f) {
				key := fmt.Sprintf("%s: %s: %s", name, r.fn, r.kind)
				if left[key]--; left[key] < 0 {
					t.Errorf("%s: %s (%s)", key, r.text, r.where)
				}
			}
		}
	}
	for key, n := range left {
		if n > 0 {
			t.Errorf("%s: there are %d less than are listed", key, n)
		}
	}
	if functions < 200 {
		t.Errorf("%d functions", functions)
	}
}

// TestRepeatsAreFound: of every kind one, and what only looks like one.
func TestRepeatsAreFound(t *testing.T) {
	const head = "func f(out[4], a, b, c, d, n, x[n], y[n])\n"
	for _, c := range []struct{ name, body, want string }{
		{"nothing", "out[0] = a*b\nout[1] = a + b\nout[2] = c*a*d", ""},
		{"a value", "out[0] = a*b*c\nout[1] = d - elementary.Exp(c*b*a)", "twice"},
		{"of a variable", "let e = a*b*c\nout[0] = e\nout[1] = c*b*a", "twice"},
		{"in a loop", "out[0] = a*b*c\nfor i in 0 : n {\ny[i] = x[i] + a*b*c\n}", "twice"},
		{"a base of a power", "out[0] = (a - 2*b)^2", "twice"},
		{"a product of two", "let u = 2*a\nlet v = 2*a\nout[0] = u*v", "twice"},
		{"that is another by then", "let s = 0\nout[0] = a*b*s\nfor i in 0 : n {\ns += x[i]\n}\nout[1] = a*b*s", "lead"},
		{"in two loops", "for i in 0 : n {\nx[i] = a*b*d\n}\nfor i in 0 : n {\ny[i] = x[i]*b*c\n}", "invariant"},
		{"of turns", "for i in 0 : n {\ny[i] = x[i]^2*c\n}\nfor j in 0 : n {\nout[0] += x[j]^2*c\n}", ""},
		{"a call in a loop", "for i in 0 : n {\ny[i] = x[i]*elementary.Exp(a)\n}", "invariant"},
		{"what leads", "out[0] = a*b*c\nout[1] = 2*b*a*d", "lead"},
		{"what is led", "out[0] = c*a*b\nout[1] = d*a*b", ""},
		{"a sum that leads", "out[0] = a - b + c\nout[1] = a - b - d", "lead"},
		{"another sum", "out[0] = a - b + c\nout[1] = a + b - d", ""},
		{"a number that is no power of two", "out[0] = a*b*c\nout[1] = 3*a*b*d", ""},
	} {
		p, err := loop.Parse(head + c.body + "\nend\n")
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		var got []string
		for _, r := range repeatsIn(p.Funcs[0]) {
			got = append(got, r.kind)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	p, err := loop.Parse("func f(a, b)\nlet field u = 2*a^2*b\nkeep u\nlet field v = -3*b*a^2\nkeep v\nend\n")
	if err != nil {
		t.Fatal(err)
	}
	if list := repeatsIn(p.Funcs[0]); !slices.ContainsFunc(list, func(r repeat) bool { return r.kind == "multiple" }) {
		t.Errorf("a multiple: %v", list)
	}
}

// repeats looks for work that a function of the loop program does more than once. It knows nothing of the passes: it writes values as
// texts, in which variables stand with how often they were set, and what is declared once stands with what it is.
//
//	twice      a value of two or more operations, or of a call, is there already: in the same block, or in one around it; or two statements have one
//	           right side
//	invariant  such a value is the same in all turns of a loop
//	lead       what a product or a sum is computed from first, two factors or terms or more, is there already, or leads another one
//	multiple   a number that is kept is a multiple of another one, by a number
type repeats struct {
	f      *loop.Func
	found  []repeat
	once   map[*loop.Var]bool   // set by its declaration alone
	known  map[*loop.Var]string // the values of these
	sets   map[*loop.Var]int    // how often a variable was set so far
	scopes []*reach
}

// repeat is what was found.
type repeat struct {
	kind, fn, text, where string
}

// reach is a block: the values that are computed in it so far, and the sums and products.
type reach struct {
	values map[string]string  // with the statements that compute them
	leads  map[string]bundle  // with what they lead
	loop   *loop.For          // of which it is the body
	writes map[*loop.Var]bool // what the loop sets
}

// bundle is a sum or a product.
type bundle struct {
	value, where string
	e            *loop.Expr
}

// repeatsIn looks at a function, together with the one that it stands behind.
func repeatsIn(f *loop.Func) []repeat {
	c := &repeats{f: f, once: map[*loop.Var]bool{}, known: map[*loop.Var]string{}, sets: map[*loop.Var]int{}}
	var body []loop.Stmt
	if f.After != nil {
		body = slices.Clone(f.After.Body)
	}
	body = append(body, f.Body...)
	loop.Each(body, func(st loop.Stmt) {
		switch st := st.(type) {
		case *loop.Let:
			c.once[st.V] = true
		}
	})
	loop.Each(body, func(st loop.Stmt) {
		if st, ok := st.(*loop.Set); ok {
			delete(c.once, st.V)
		}
	})
	c.block(body, &reach{})
	c.multiples(body)
	return c.found
}

func (c *repeats) report(kind, text, where string) {
	c.found = append(c.found, repeat{kind, c.f.Name, text, where})
}

// block looks at the statements of a block.
func (c *repeats) block(list []loop.Stmt, r *reach) {
	r.values, r.leads = map[string]string{}, map[string]bundle{}
	c.scopes = append(c.scopes, r)
	for _, st := range list {
		switch st := st.(type) {
		case *loop.For:
			w := loop.WritesOf(st.Body...)
			w[st.V] = true
			c.bump(w)
			c.block(st.Body, &reach{loop: st, writes: w})
			c.bump(w)
		case *loop.If:
			w := loop.WritesOf(st.Body...)
			c.block(st.Body, &reach{})
			c.bump(w)
		case *loop.Let:
			c.statement(st.E, st.V.Name)
			if c.once[st.V] && st.E.Op != loop.Num {
				c.known[st.V] = c.value(st.E)
			}
			c.sets[st.V]++
		case *loop.Set:
			c.statement(st.E, st.V.Name)
			c.sets[st.V]++
		default:
			c.bump(loop.WritesOf(st))
		}
	}
	c.scopes = c.scopes[:len(c.scopes)-1]
}

func (c *repeats) bump(w map[*loop.Var]bool) {
	for v := range w {
		c.sets[v]++
	}
}

// value is a text that two expressions have in common if they have one value.
func (c *repeats) value(e *loop.Expr) string {
	switch e.Op {
	case loop.Num:
		return fmt.Sprint(e.Val)
	case loop.Scalar:
		if t, ok := c.known[e.Var]; ok {
			return t
		}
		return c.variable(e.Var)
	case loop.Elem, loop.Float, loop.Test:
		t := e.Func
		if e.Var != nil {
			t = c.variable(e.Var)
		}
		for _, i := range e.At {
			t += "," + c.int(i)
		}
		return fmt.Sprintf("%d[%s]", e.Op, t)
	case loop.Add, loop.Mul:
		terms := c.terms(e)
		var list []string
		for t, k := range terms {
			list = append(list, fmt.Sprintf("%v:%s", k, t))
		}
		slices.Sort(list)
		return fmt.Sprintf("%d(%v %s)", e.Op, e.Val, strings.Join(list, " "))
	case loop.Draw:
		c.sets[nil]++
		return fmt.Sprintf("draw %d", c.sets[nil])
	}
	t := e.Func
	for _, a := range e.Args {
		t += "," + c.value(a)
	}
	return "(" + t + ")"
}

func (c *repeats) variable(v *loop.Var) string { return fmt.Sprintf("%s%p.%d", v.Name, v, c.sets[v]) }

func (c *repeats) int(i *loop.Int) string {
	t := fmt.Sprint(i.Op, i.N)
	if i.Var != nil {
		t += c.variable(i.Var)
	}
	for _, a := range i.Args {
		t += "(" + c.int(a) + ")"
	}
	return t
}

// terms are the values of the terms of a sum, with their coefficients, or of the factors of a product, with their exponents.
func (c *repeats) terms(e *loop.Expr) map[string]float64 {
	out := map[string]float64{}
	for n, a := range e.Args {
		k := e.K[n]
		if e.Op == loop.Add && a.Op == loop.Mul && a.Val != 1 {
			own := *a
			own.Val = 1
			k *= a.Val
			a = &own
		}
		if a.Op == loop.Mul && a.Val == 1 && len(a.Args) == 1 && a.K[0] == 1 {
			a = a.Args[0]
		}
		out[c.value(a)] += k
	}
	return out
}

// operations counts those of an expression, as it is printed.
func operations(e *loop.Expr) int {
	n := 0
	for _, a := range e.Args {
		n += operations(a)
	}
	switch e.Op {
	case loop.Add:
		n += len(e.Args) - 1
		for m, k := range e.K {
			if math.Abs(k) != 1 && (e.Args[m].Op != loop.Mul || math.Abs(e.Args[m].Val) == 1) {
				n++
			}
		}
	case loop.Mul:
		n += len(e.Args) - 1
		for _, k := range e.K {
			n += int(math.Ceil(math.Abs(k))) - 1
			if k != math.Trunc(k) {
				n++
			}
		}
		if math.Abs(e.Val) != 1 || e.K[0] < 0 {
			n++
		}
	case loop.Call, loop.Draw:
		n += 2
	case loop.Test:
		n++
	}
	return n
}

// statement looks at the right side of a statement, which may be of one operation.
func (c *repeats) statement(e *loop.Expr, where string) {
	if operations(e) == 1 {
		t := c.value(e)
		for _, r := range c.scopes {
			if first, ok := r.values[t]; ok {
				c.report("twice", exprText(e), first+", "+where)
				return
			}
		}
		c.scopes[len(c.scopes)-1].values[t] = where
	}
	c.expression(e, 1, where)
}

// expression looks at an expression of a statement.
func (c *repeats) expression(e *loop.Expr, k float64, where string) {
	if len(e.Args) == 0 {
		return
	}
	t := c.value(e)
	draws := false
	loop.Nodes(e, func(x *loop.Expr) { draws = draws || x.Op == loop.Draw })
	if operations(e) >= 2 && !draws {
		for _, r := range c.scopes {
			if first, ok := r.values[t]; ok {
				c.report("twice", exprText(e), first+", "+where)
				return
			}
		}
		if l := c.invariant(e); l != nil {
			c.report("invariant", exprText(e), where)
			c.scopes[len(c.scopes)-1].values[t] = where
			return
		}
	}
	for n, a := range e.Args {
		times := 1
		if e.Op == loop.Mul {
			times = int(math.Ceil(math.Abs(e.K[n])))
			if math.Abs(e.K[n]) > 4 {
				times = 1
			}
		}
		coefficient := 1.0
		if e.Op == loop.Add {
			coefficient = math.Abs(e.K[n])
		}
		for range times {
			c.expression(a, coefficient, where)
		}
	}
	if e.Op == loop.Add || e.Op == loop.Mul {
		c.leads(e, k, where)
	}
	if operations(e) >= 2 && !draws {
		c.scopes[len(c.scopes)-1].values[t] = where
	}
}

// invariant is the innermost loop around in all turns of which an expression has one value, or nil.
func (c *repeats) invariant(e *loop.Expr) *loop.For {
	for n := len(c.scopes) - 1; n >= 0; n-- {
		r := c.scopes[n]
		if r.loop == nil {
			continue
		}
		if !c.reads(e, r.writes) {
			return r.loop
		}
		return nil
	}
	return nil
}

// reads reports whether an expression reads what is written.
func (c *repeats) reads(e *loop.Expr, w map[*loop.Var]bool) bool {
	found := false
	loop.Nodes(e, func(x *loop.Expr) {
		found = found || x.Op == loop.Draw || x.Var != nil && w[x.Var]
		for _, i := range x.At {
			loop.Ints(i, func(i *loop.Int) { found = found || i.Var != nil && w[i.Var] })
		}
	})
	return found
}

// leads compares what leads a sum or a product, as it is printed, with what leads others or is one.
func (c *repeats) leads(e *loop.Expr, k float64, where string) {
	var parts []string
	if e.Op == loop.Add {
		for n, a := range e.Args {
			parts = append(parts, fmt.Sprint(e.K[n], ":", c.value(a)))
		}
	} else if frac, _ := math.Frexp(k * e.Val); math.Abs(frac) == 0.5 {
		for n, a := range e.Args {
			switch p := e.K[n]; {
			case p < 0:
			case p == math.Trunc(p) && p <= 4:
				for range int(p) {
					parts = append(parts, c.value(a))
				}
			default:
				parts = append(parts, fmt.Sprint("^", p, ":", c.value(a)))
			}
		}
	}
	if len(parts) < 2 {
		return
	}
	slices.Sort(parts[:2])
	whole := c.value(e)
	for n := len(parts); n >= 2; n-- {
		key := fmt.Sprint(e.Op, parts[:n])
		for _, r := range c.scopes {
			if o, ok := r.leads[key]; ok && o.value != whole {
				c.report("lead", fmt.Sprintf("%s leads %s", exprText(o.e), exprText(e)), o.where+", "+where)
				return
			}
		}
	}
	r := c.scopes[len(c.scopes)-1]
	for n := 2; n <= len(parts); n++ {
		r.leads[fmt.Sprint(e.Op, parts[:n])] = bundle{whole, where, e}
	}
}

// multiples compares the numbers that a function keeps.
func (c *repeats) multiples(body []loop.Stmt) {
	lets := map[*loop.Var]*loop.Expr{}
	var kept []*loop.Var
	for _, st := range body {
		switch st := st.(type) {
		case *loop.Let:
			if c.once[st.V] {
				lets[st.V] = st.E
			}
		case *loop.Keep:
			if lets[st.V] != nil && !slices.Contains(kept, st.V) {
				kept = append(kept, st.V)
			}
		}
	}
	for n, v := range kept {
		for _, u := range kept[:n] {
			if c.primitive(lets[v]) == c.primitive(lets[u]) {
				c.report("multiple", exprText(lets[v]), u.Name+", "+v.Name)
			}
		}
	}
}

// primitive is the value of an expression without its coefficient.
func (c *repeats) primitive(e *loop.Expr) string {
	switch e.Op {
	case loop.Mul:
		own := *e
		own.Val = 1
		if len(own.Args) == 1 && own.K[0] == 1 {
			return c.primitive(own.Args[0])
		}
		return c.value(&own)
	case loop.Add:
		terms := c.terms(e)
		keys := slices.Sorted(maps.Keys(terms))
		t := "sum"
		for _, k := range keys {
			t += fmt.Sprintf(" %v:%s", terms[k]/terms[keys[0]], k)
		}
		return t
	}
	return c.value(e)
}

// exprText is the text of an expression.
func exprText(e *loop.Expr) string {
	f := &loop.Func{Name: "f", Body: []loop.Stmt{&loop.Let{V: &loop.Var{Name: "it"}, E: e}}}
	_, t, _ := strings.Cut(f.Format(), "let it = ")
	t, _, _ = strings.Cut(t, "\n")
	return t
}

// TestWritesOf: what statements write is found alike with and without a look at their expressions.
func TestWritesOf(t *testing.T) {
	statements := 0
	for _, m := range smallModels(t) {
		if _, err := codegen.Generate(m.derived, codegen.Options{Package: "m", AfterPass: func(_ string, p *loop.Program) {
			for _, f := range p.Funcs {
				loop.Each(f.Body, func(st loop.Stmt) {
					statements++
					if got, want := loop.WritesOf(st), loop.EffectsOf(st).Writes; !maps.Equal(got, want) {
						t.Errorf("%s: %s: %T writes %d variables, not %d", m.name, f.Name, st, len(want), len(got))
					}
				})
			}
		}}); err != nil {
			t.Fatal(err)
		}
	}
	if statements < 1000 {
		t.Errorf("%d statements", statements)
	}
}
