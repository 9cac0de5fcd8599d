package expr

import (
	"encoding/binary"
	"math"
	"sort"
	"strconv"

	"github.com/hamc-dev/hamc/dsl"
)

// Context owns expressions: it interns nodes and canonical indices. It is not
// safe for concurrent use.
type Context struct {
	nodes   map[string]*Expr
	Tensors []*Tensor
	// ComputedPositions are the positions that are computed of data, and what they are computed by.
	ComputedPositions []*Tensor
	positionKeys      []*Expr

	ByName     map[string]*Tensor // data, coordinates
	canonical  map[canonKey]*Index
	matrices   map[[2]dsl.Extent]bool // the dimensions of matrices that are computed as a whole
	kept       [][]dsl.Range          // the ranges of arrays that are stored whatever they are, see Kept
	numbers    map[dsl.Extent]*Tensor // the arrays 1, 2, 3, … of indices as numbers
	outers     map[dsl.Range]bool     // the ranges of outer indices of operators
	nextID     int
	nextIndex  int
	key        []byte
	formulas   map[string]*formula  // parsed formulas of the tables
	Small      map[string]bool      // names of sizes that parameters have
	longest    int                  // of sizes of parameters that are numbers
	Long       map[string]bool      // those of them that belong to the spine of a structured metric
	Least      map[string]int       // the least values of sizes, by name
	Nested     map[string]*dsl.Data // the integer data that others are functions of, by the names of these
	rewrites   []*compiledRewrite
	arithmetic arithmetic
	fits       fitTable

	// formal indices of definitions, interned so that equal definitions are equal
	// nodes
	formals map[formalKey]*Index

	Budget Budget

	// FirstOrder says that no derivative beyond the first is asked for.
	FirstOrder bool

	Grain       Grain
	Sharing     bool // large operands become shared definitions
	operands    map[*Expr]*Expr
	shared      map[*Expr]*Tensor // by closed body
	enclosing   int               // how many of them are being made inside one another
	derivatives map[derivativeKey]*Expr
	along       map[*Tensor][]*Index // the indices that derivatives by a tensor are derived at
	diffs       map[scalarKey]*Expr  // derivatives by scalars
	zero        *Expr                // the number 0, once it is there
	Apart       bool                 // parts of families count as independent of the coordinates
}

type canonKey struct {
	r     dsl.Range
	level int
}

// NewContext returns an empty context.
func NewContext() *Context {
	c := &Context{
		nodes:     map[string]*Expr{},
		ByName:    map[string]*Tensor{},
		canonical: map[canonKey]*Index{},
		formulas:  map[string]*formula{},
		Small:     map[string]bool{},
		Long:      map[string]bool{},
		Least:     map[string]int{},
		formals:   map[formalKey]*Index{},
		matrices:  map[[2]dsl.Extent]bool{},
		outers:    map[dsl.Range]bool{},
		numbers:   map[dsl.Extent]*Tensor{},

		operands:    map[*Expr]*Expr{},
		shared:      map[*Expr]*Tensor{},
		derivatives: map[derivativeKey]*Expr{},
		along:       map[*Tensor][]*Index{},
		diffs:       map[scalarKey]*Expr{},
	}
	c.compileRewrites()
	return c
}

// Count returns the numbers of what c has made: it says whether something was made since.
func (c *Context) Count() (nodes, indices, tensors int) { return c.nextID, c.nextIndex, len(c.Tensors) }

// NewTensor adds a tensor.
func (c *Context) NewTensor(t Tensor) *Tensor {
	t.id = len(c.Tensors)
	p := &t
	c.Tensors = append(c.Tensors, p)
	return p
}

// NewIndex returns an index of its own.
func (c *Context) NewIndex(name string, r dsl.Range) *Index {
	c.nextIndex++
	return &Index{Name: name, Range: r, uid: c.nextIndex}
}

func (c *Context) canon(r dsl.Range, level int) *Index {
	k := canonKey{r, level}
	if i, ok := c.canonical[k]; ok {
		return i
	}
	c.nextIndex++
	i := &Index{Name: "i" + strconv.Itoa(level), Range: r, level: level, uid: c.nextIndex}
	c.canonical[k] = i
	return i
}

// appendKey appends what tells e from other nodes.
func (e *Expr) appendKey(k []byte) []byte {
	k = append(k, byte(e.Op))
	num := func(n int) { k = binary.LittleEndian.AppendUint32(k, uint32(n)) }
	flt := func(v float64) { k = binary.LittleEndian.AppendUint64(k, math.Float64bits(v)) }
	name := func(s string) { k = append(append(k, s...), 0) }
	ext := func(x dsl.Extent) { name(x.Name); num(x.Offset) }
	switch e.Op {
	case Num:
		flt(e.Val)
	case Ref:
		num(e.Tensor.id)
	case Add, Mul:
		num(len(e.K))
		flt(e.Val)
		for i := range e.K {
			flt(e.K[i])
		}
	case Call:
		name(e.Func.Name)
	case Sum, Largest:
		num(e.Index.uid)
	case Draw:
		name(e.Dist.Name)
		if e.Tensor != nil {
			num(e.Tensor.id)
		}
	case Apply:
		name(e.Apply.Operator.Name)
		for _, s := range e.Apply.Shapes {
			num(len(s))
			for _, x := range s {
				ext(x)
			}
		}
		for _, x := range e.Apply.Sized {
			ext(x)
		}
	case LeastSquares:
		num(e.Tensor.id)
	case Inside:
		ext(e.Range.Lo)
		ext(e.Range.Hi)
	}
	for _, a := range e.Args {
		num(a.id)
	}
	for _, s := range e.Subs {
		switch {
		case s.Index != nil:
			k = append(k, 'i')
			num(s.Index.uid)
			num(s.Offset)
		case s.Data != nil:
			k = append(k, '@')
			num(s.Data.id)
			num(s.Offset)
		default:
			k = append(k, '#')
			ext(s.At)
		}
	}
	return k
}

// follow sets what follows from the operands: stage, free indices, what is called and placed.
func (n *Expr) follow() {
	n.placed = n.Op == Delta || n.Op == Inside || n.Op == Before
	for _, a := range n.Args {
		n.level = max(n.level, a.level)
		n.stage = max(n.stage, a.stage)
		n.gather = n.gather || a.gather
		n.called = n.called || a.called
		n.placed = n.placed || a.placed
		for _, f := range a.free {
			n.addFree(f)
		}
	}
	for _, s := range n.Subs {
		for _, f := range s.free() {
			n.addFree(f) // an index over a data size is no data itself
		}
		if s.Data != nil {
			n.gather = true
			n.level = max(n.level, s.Data.level)
			n.stage = max(n.stage, StageData)
		}
	}
	switch n.Op {
	case Call:
		n.called = n.called || n.stage >= StagePosition && !isPlus(n)
	case Draw:
		n.stage = StageDraw
	case Ref:
		n.stage = max(n.stage, n.Tensor.Stage)
	case Sum, Largest:
		n.level = max(n.level, n.Index.level)
		n.DropFree(n.Index)
		// Also of a range of numbers: what is left as a sum is computed once, and not where it stands.
		n.stage = max(n.stage, StageData)
	}
}

func (e *Expr) addFree(i *Index) {
	p := sort.Search(len(e.free), func(j int) bool { return e.free[j].uid >= i.uid })
	if p < len(e.free) && e.free[p] == i {
		return
	}
	free := make([]*Index, 0, len(e.free)+1)
	free = append(free, e.free[:p]...)
	free = append(free, i)
	e.free = append(free, e.free[p:]...)
}

// DropFree takes an index from those that e depends on: it is bound by what e stands for.
func (e *Expr) DropFree(i *Index) {
	var free []*Index
	for _, f := range e.free {
		if f != i {
			free = append(free, f)
		}
	}
	e.free = free
}

// Intern returns the node equal to e, adding it if there is none.
func (c *Context) Intern(e Expr) *Expr {
	c.spend(len(e.Args))
	c.key = e.appendKey(c.key[:0])
	if old, ok := c.nodes[string(c.key)]; ok {
		return old
	}
	// What follows from the operands is found anew: e may be a changed copy.
	n := &Expr{Op: e.Op, Val: e.Val, K: e.K, Args: e.Args, Tensor: e.Tensor, Subs: e.Subs, Func: e.Func, Dist: e.Dist, Apply: e.Apply, Index: e.Index, Range: e.Range}
	c.nextID++
	n.id = c.nextID
	n.follow()
	n.measure()
	c.nodes[string(c.key)] = n
	return n
}
