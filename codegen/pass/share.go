package pass

import (
	"cmp"
	"encoding/binary"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/hamc-dev/hamc/codegen/loop"
)

// Share makes one of equal values: values that a block computes more than once are computed once, into a number, before the first
// statement that needs them; blocks inside it know them too. Two nodes have one value if they have
// the same form and nothing that they read was set in between.
func Share(f *loop.Func) {
	s := newSharer()
	loop.Each(f.Body, func(st loop.Stmt) {
		if set, ok := st.(*loop.Set); ok {
			s.changes[set.V] = true
		}
	})
	f.Body = s.block(f.Body, map[int]*loop.Var{})
}

// sharer numbers values.
type sharer struct {
	versions map[*loop.Var]int // how often a variable was set so far
	vars     map[*loop.Var]int // the numbers of variables
	known    map[string]int    // values by form
	next     int
	key      []byte
	memos    map[loop.Stmt]map[*loop.Expr]int // the values of the expressions of a statement
	changes  map[*loop.Var]bool               // variables that are set, and hold no one value
}

func newSharer() *sharer {
	return &sharer{versions: map[*loop.Var]int{}, vars: map[*loop.Var]int{}, known: map[string]int{}, memos: map[loop.Stmt]map[*loop.Expr]int{}, changes: map[*loop.Var]bool{}}
}

// value returns the number of an expression's value.
func (s *sharer) value(e *loop.Expr, memo map[*loop.Expr]int) int {
	if n, ok := memo[e]; ok {
		return n
	}
	if e.Op == loop.Draw {
		s.next++
		memo[e] = s.next
		return s.next // no two random numbers are one
	}
	operands := s.operands(nil, e, memo)
	if e.Op == loop.Add || e.Op == loop.Mul {
		// In whatever order, it is one value.
		slices.SortFunc(operands, func(a, b operand) int {
			return cmp.Or(cmp.Compare(a.value, b.value), cmp.Compare(a.k, b.k))
		})
		operands = merged(operands)
	}
	key := append(s.key[:0], byte(e.Op))
	key = append(key, e.Func...)
	key = binary.AppendUvarint(key, math.Float64bits(e.Val))
	if e.Var != nil {
		key = s.variable(key, e.Var)
	}
	for _, i := range e.At {
		key = s.int(key, i)
	}
	for _, o := range operands {
		key = binary.AppendUvarint(binary.AppendUvarint(key, uint64(o.value)), math.Float64bits(o.k))
	}
	s.key = key
	n, ok := s.known[string(key)]
	if !ok {
		s.next++
		n = s.next
		s.known[string(key)] = n
	}
	memo[e] = n
	return n
}

// operand is a value with its coefficient or exponent.
type operand struct {
	value int
	k     float64
}

// operands appends those of an expression to a list. What leads a sum or a product is no other value for being one on its own.
func (s *sharer) operands(list []operand, e *loop.Expr, memo map[*loop.Expr]int) []operand {
	for n, a := range e.Args {
		k := 0.0
		if len(e.K) > 0 {
			k = e.K[n]
		}
		if s.value(a, memo); k == 1 && a.Op == e.Op && (e.Op == loop.Add || e.Op == loop.Mul && a.Val == 1) {
			list = s.operands(list, a, memo)
			continue
		}
		list = append(list, operand{s.value(a, memo), k})
	}
	return list
}

// merged are operands in order, each value once.
func merged(list []operand) []operand {
	out := list[:0]
	for _, o := range list {
		if n := len(out); n > 0 && out[n-1].value == o.value {
			out[n-1].k += o.k
			continue
		}
		out = append(out, o)
	}
	return out
}

func (s *sharer) variable(key []byte, v *loop.Var) []byte {
	n, ok := s.vars[v]
	if !ok {
		n = len(s.vars)
		s.vars[v] = n
	}
	return binary.AppendUvarint(binary.AppendUvarint(append(key, 'v'), uint64(n)), uint64(s.versions[v]))
}

func (s *sharer) int(key []byte, i *loop.Int) []byte {
	key = binary.AppendVarint(append(key, 'i', byte(i.Op)), int64(i.N))
	if i.Var != nil {
		key = s.variable(key, i.Var)
	}
	for _, a := range i.Args {
		key = s.int(key, a)
	}
	return key
}

// bump notes that variables are set.
func (s *sharer) bump(written map[*loop.Var]bool) {
	for v := range written {
		s.versions[v]++
	}
}

// inner shares the values of the body of a loop or a branch.
func (s *sharer) inner(list []loop.Stmt, held map[int]*loop.Var) []loop.Stmt {
	was := maps.Clone(s.versions)
	out := s.block(list, held)
	s.versions = was
	return out
}

// block shares the values of a list; outer are those that variables hold already.
func (s *sharer) block(list []loop.Stmt, outer map[int]*loop.Var) []loop.Stmt {
	s.lead(list, outer)
	uses := s.uses(list)
	held := maps.Clone(outer)
	var out []loop.Stmt
	for _, st := range list {
		switch st := st.(type) {
		case *loop.For:
			written := loop.WritesOf(st.Body...)
			s.bump(written) // nothing that the body sets has one value in all turns
			st.Body = s.inner(st.Body, held)
			s.bump(written)
		case *loop.If:
			written := loop.WritesOf(st.Body...)
			st.Body = s.inner(st.Body, held)
			s.bump(written)
		case *loop.While, *loop.Block, *loop.Branch:
			s.control(st, held)
		case *loop.Let:
			w := &writer{s: s, uses: uses, held: held, memo: s.memos[st], done: map[*loop.Expr]*loop.Expr{}}
			n := s.value(st.E, w.memo)
			st.E = w.root(st.E)
			out = append(out, w.lets...)
			if held[n] == nil && !s.changes[st.V] && st.E.Op != loop.Num && st.E.Op != loop.Scalar && !draws(st.E) {
				held[n] = st.V
			}
		case *loop.Set:
			w := &writer{s: s, uses: uses, held: held, memo: s.memos[st], done: map[*loop.Expr]*loop.Expr{}}
			st.E = w.of(st.E)
			out = append(out, w.lets...)
			s.versions[st.V]++
		default:
			s.bump(loop.WritesOf(st))
		}
		out = append(out, st)
	}
	return out
}

// control shares the values inside a statement that decides where the function goes on.
func (s *sharer) control(st loop.Stmt, held map[int]*loop.Var) {
	written := loop.WritesOf(st)
	if _, ok := st.(*loop.While); ok {
		s.bump(written) // as in loops
	}
	for _, body := range loop.Bodies(st) {
		*body = s.inner(*body, held)
	}
	s.bump(written)
}

func draws(e *loop.Expr) bool {
	found := false
	loop.Nodes(e, func(x *loop.Expr) { found = found || x.Op == loop.Draw })
	return found
}

// uses counts how often the statements of a list, those in loops and branches not counted, use each
// value: what a value is made of is used by it once, however often it is used.
func (s *sharer) uses(list []loop.Stmt) map[int]int {
	was := maps.Clone(s.versions)
	uses := map[int]int{}
	seen := map[int]bool{}
	for _, st := range list {
		memo := map[*loop.Expr]int{}
		s.memos[st] = memo
		var walk func(e *loop.Expr)
		walk = func(e *loop.Expr) {
			n := s.value(e, memo)
			uses[n]++
			if seen[n] {
				return
			}
			seen[n] = true
			for m, a := range e.Args {
				walk(a)
				if k := math.Abs(at(e.K, m)); e.Op == loop.Mul && len(a.Args) > 0 && k >= 2 && k == math.Trunc(k) {
					uses[s.value(a, memo)]++ // a square reads its base twice, a cube three times
				}
			}
		}
		switch st := st.(type) {
		case *loop.Let:
			walk(st.E)
		case *loop.Set:
			walk(st.E)
			s.versions[st.V]++
		case *loop.For:
			written := loop.WritesOf(st.Body...)
			s.bump(written)
			s.bump(written)
		case *loop.If:
			s.bump(loop.WritesOf(st.Body...))
		case *loop.While:
			s.bump(loop.WritesOf(st))
			s.bump(loop.WritesOf(st))
		default:
			s.bump(loop.WritesOf(st))
		}
	}
	s.versions = was
	return uses
}

func at(k []float64, n int) float64 {
	if n < len(k) {
		return k[n]
	}
	return 1
}

// writer rewrites the expression of one statement.
type writer struct {
	s    *sharer
	uses map[int]int
	held map[int]*loop.Var
	memo map[*loop.Expr]int
	done map[*loop.Expr]*loop.Expr
	lets []loop.Stmt
}

// root rewrites an expression that gets a variable anyway.
func (w *writer) root(e *loop.Expr) *loop.Expr {
	if v := w.held[w.s.value(e, w.memo)]; v != nil {
		return loop.Value(v)
	}
	return w.operands(e)
}

// of rewrites an expression: what a variable holds is read from it, what is used again gets one.
func (w *writer) of(e *loop.Expr) *loop.Expr {
	if len(e.Args) == 0 {
		return e
	}
	if r, ok := w.done[e]; ok {
		return r
	}
	n := w.s.value(e, w.memo)
	if v := w.held[n]; v != nil {
		return loop.Value(v)
	}
	r := w.operands(e)
	if w.uses[n] > 1 && worth(e) && e.Op != loop.Draw {
		v := &loop.Var{Name: describe(r)}
		w.lets = append(w.lets, &loop.Let{V: v, E: r})
		w.held[n] = v
		r = loop.Value(v)
	}
	w.done[e] = r
	return r
}

func (w *writer) operands(e *loop.Expr) *loop.Expr {
	out := e
	for n, a := range e.Args {
		r := w.of(a)
		if r == a {
			continue
		}
		if out == e {
			own := *e
			own.Args = append([]*loop.Expr(nil), e.Args...)
			out = &own
		}
		out.Args[n] = r
	}
	return out
}

// worth reports whether an expression takes an operation beyond a change of sign.
func worth(e *loop.Expr) bool {
	switch e.Op {
	case loop.Mul:
		return len(e.Args) > 1 || math.Abs(e.Val) != 1 || e.K[0] != 1 || worth(e.Args[0])
	case loop.Add:
		return len(e.Args) > 1 || math.Abs(e.K[0]) != 1 || worth(e.Args[0])
	}
	return e.Op == loop.Call || e.Op == loop.Test
}

// maxName is the length of the longest name that is made of what it stands for.
const maxName = 16

// describe makes a name that tells what e is: expV for exp(v), sqX for x².
func describe(e *loop.Expr) string {
	if s := name(e); s != "" && len(s) <= maxName {
		return s
	}
	return "e"
}

func name(e *loop.Expr) string {
	first := func(word string, e *loop.Expr) string {
		s := name(e)
		if s == "" {
			return ""
		}
		return word + strings.ToUpper(s[:1]) + s[1:]
	}
	switch {
	case e.Op == loop.Scalar || e.Op == loop.Elem:
		return e.Var.Name
	case e.Op == loop.Call && len(e.Args) == 1:
		_, f, _ := strings.Cut(e.Func, ".")
		return first(strings.ToLower(f[:1])+f[1:], e.Args[0])
	case e.Op == loop.Mul && len(e.Args) == 1 && e.Val == 1:
		if word := map[float64]string{2: "sq", -1: "inv", 0.5: "sqrt"}[e.K[0]]; word != "" {
			return first(word, e.Args[0])
		}
	}
	return ""
}
