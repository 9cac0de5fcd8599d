package symbolic

import (
	"fmt"
	"maps"
	"math"
	"math/rand"

	"github.com/hamc-dev/hamc/dsl"
)

// env gives numbers to tensors, sizes and indices. It is the tests' own
// reading of an expression, written from the comments on Op and independent of
// Machine: an indicator that is 0 makes its product 0 whatever else stands
// there, and a subscript outside a tensor anywhere else is an error.
type env struct {
	sizes  map[string]int
	values map[*Tensor][]float64
	idx    map[*Index]int
	peak   float64 // the largest magnitude met, for the tolerance
}

// extent is the number that a size is.
func (v *env) extent(x dsl.Extent) int {
	if x.Name == "" {
		return x.Offset
	}
	return v.sizes[x.Name] + x.Offset
}

// sub is the position that a subscript names.
func (v *env) sub(s Sub) int {
	if s.Index == nil {
		return v.extent(s.At)
	}
	i, ok := v.idx[s.Index]
	if !ok {
		panic("free index " + s.Index.Name)
	}
	return i + s.Offset
}

// element reads t[subs], counted from 1.
func (v *env) element(t *Tensor, subs ...int) float64 {
	if t.Def != nil && t.Def.Fit != nil {
		return v.note(v.fitted(t, subs))
	}
	k := 0
	for n, x := range t.Shape {
		if subs[n] < 1 || subs[n] > v.extent(x) {
			panic(fmt.Sprintf("%s%v is outside its shape", t.Name, subs))
		}
		k = k*v.extent(x) + subs[n] - 1
	}
	return v.note(v.values[t][k])
}

func (v *env) note(x float64) float64 {
	v.peak = max(v.peak, math.Abs(x))
	return x
}

// eval is the value of e, computed by the definition of each kind of node.
func (v *env) eval(e *Expr) float64 {
	switch e.Op {
	case Num:
		return e.Val
	case Ref:
		subs := make([]int, len(e.Subs))
		for n, s := range e.Subs {
			subs[n] = v.sub(s)
		}
		if d := e.Tensor.Def; e.Tensor.Kind == SharedTensor {
			// The body at these subscripts, for which its own indices stand.
			saved := map[*Index]int{}
			for n, i := range d.Indices {
				if old, ok := v.idx[i]; ok {
					saved[i] = old
				}
				v.idx[i] = subs[n]
			}
			x := v.eval(d.Body)
			for _, i := range d.Indices {
				delete(v.idx, i)
			}
			maps.Copy(v.idx, saved)
			return x
		}
		return v.element(e.Tensor, subs...)
	case Add:
		s := e.Val
		for n, a := range e.Args {
			s += e.K[n] * v.eval(a)
		}
		return v.note(s)
	case Mul:
		for _, a := range e.Args {
			if (a.Op == Delta || a.Op == Inside || a.Op == Before) && v.eval(a) == 0 {
				return 0
			}
		}
		p := e.Val
		for n, a := range e.Args {
			p *= math.Pow(v.eval(a), e.K[n])
		}
		return v.note(p)
	case Call:
		args := make([]float64, len(e.Args))
		for n, a := range e.Args {
			args[n] = v.eval(a)
		}
		return v.note(plainFunction(e.Func.Name, args))
	case Sum:
		return v.sum(e.Index, func() float64 { return v.eval(e.Args[0]) })
	case Delta:
		if v.sub(e.Subs[0]) == v.sub(e.Subs[1]) {
			return 1
		}
		return 0
	case Before:
		return indicator(v.sub(e.Subs[0]) < v.sub(e.Subs[1]))
	case Inside:
		if i := v.sub(e.Subs[0]); v.extent(e.Range.Lo) <= i && i <= v.extent(e.Range.Hi) {
			return 1
		}
		return 0
	}
	panic("unknown node")
}

func (v *env) sum(i *Index, body func() float64) float64 {
	s := 0.0
	old, bound := v.idx[i]
	for n := v.extent(i.Range.Lo); n <= v.extent(i.Range.Hi); n++ {
		v.idx[i] = n
		s += v.note(body())
	}
	delete(v.idx, i)
	if bound {
		v.idx[i] = old
	}
	return v.note(s)
}

// plainFunction is the textbook definition of a function, good at moderate
// arguments; nothing of runtime/special.
func plainFunction(name string, x []float64) float64 {
	lg := func(x float64) float64 { v, _ := math.Lgamma(x); return v }
	switch name {
	case "grid":
		return 1.5 * math.Exp2(30+math.Ceil(math.Log2(x[0])/2))
	case "fine": // of a number that has no more digits
		return 0
	case "excess":
		return 0
	case "lmultiply":
		return x[0] * math.Log(x[1])
	case "lmultiply_1p":
		return x[0] * math.Log(1+x[1])
	case "share":
		return x[0] / x[1]
	case "log1p_square":
		return math.Log(1 + x[0]*x[0])
	case "log1p_square_slope":
		return 2 * x[0] / (1 + x[0]*x[0])
	case "at_most":
		return math.Min(x[0], x[1])
	case "bounded":
		return x[0] + x[1]
	case "log_nonnegative":
		return 0
	case "plus":
		return x[0] + x[1]
	case "exp":
		return math.Exp(x[0])
	case "expm1":
		return math.Expm1(x[0])
	case "log":
		return math.Log(x[0])
	case "log1p":
		return math.Log1p(x[0])
	case "log1p_exp":
		return math.Log(1 + math.Exp(x[0]))
	case "log1m_exp":
		return math.Log(1 - math.Exp(x[0]))
	case "inv_logit":
		return 1 / (1 + math.Exp(-x[0]))
	case "sin":
		return math.Sin(x[0])
	case "cos":
		return math.Cos(x[0])
	case "tan":
		return math.Tan(x[0])
	case "atan":
		return math.Atan(x[0])
	case "sinh":
		return math.Sinh(x[0])
	case "cosh":
		return math.Cosh(x[0])
	case "tanh":
		return math.Tanh(x[0])
	case "lgamma":
		return lg(x[0])
	case "digamma":
		return digammaSeries(x[0])
	case "trigamma":
		return trigammaSeries(x[0])
	case "tetragamma":
		return derivative(func(q []float64) []float64 { return []float64{trigammaSeries(q[0])} }, x, 0)[0]
	case "student_information":
		return 0.25*(trigammaSeries(x[0]/2)-trigammaSeries((x[0]+1)/2)) - (x[0]+5)/(2*x[0]*(x[0]+1)*(x[0]+3))
	case "student_information_slope":
		return derivative(func(q []float64) []float64 { return []float64{plainFunction("student_information", q)} }, x, 0)[0]
	case "Phi":
		return 0.5 * math.Erfc(-x[0]/math.Sqrt2)
	case "log_positive":
		if x[0] > 0 {
			return 0
		}
		return math.Inf(-1)
	case "pow":
		return math.Pow(x[0], x[1])
	case "log_sum_exp":
		return math.Log(math.Exp(x[0]) + math.Exp(x[1]))
	case "log1m":
		return math.Log1p(-x[0])
	case "square":
		return x[0] * x[0]
	case "sqrt":
		return math.Sqrt(x[0])
	case "inv":
		return 1 / x[0]
	case "logit":
		return math.Log(x[0] / (1 - x[0]))
	case "log_inv_logit":
		return math.Log(1 / (1 + math.Exp(-x[0])))
	case "log1m_inv_logit":
		return math.Log(1 - 1/(1+math.Exp(-x[0])))
	case "lbeta":
		return lg(x[0]) + lg(x[1]) - lg(x[0]+x[1])
	case "lchoose":
		return lg(x[0]+1) - lg(x[1]+1) - lg(x[0]-x[1]+1)
	case "pi":
		return math.Pi
	}
	panic("no plain definition of " + name)
}

// plainFormula evaluates the syntax of a table's formula literally, with the
// functions given by call.
func plainFormula(e dsl.Expr, vars map[string]float64, call func(string, []float64) float64) float64 {
	eval := func(e dsl.Expr) float64 { return plainFormula(e, vars, call) }
	switch e := e.(type) {
	case *dsl.Number:
		return e.Value
	case *dsl.Name:
		x, ok := vars[e.Name]
		if !ok {
			panic("formula with the name " + e.Name)
		}
		return x
	case *dsl.UnaryExpr:
		return -eval(e.X)
	case *dsl.BinaryExpr:
		x, y := eval(e.X), eval(e.Y)
		switch e.Op {
		case "+":
			return x + y
		case "-":
			return x - y
		case "*":
			return x * y
		case "/":
			return x / y
		case "^":
			return math.Pow(x, y)
		}
	case *dsl.CallExpr:
		var args []float64
		for _, a := range e.Args {
			args = append(args, eval(a.Expr))
		}
		return call(e.Func, args)
	}
	panic(fmt.Sprintf("formula with %T", e))
}

// world is a context with tensors of every stage and numbers for them.
type world struct {
	c    *Context
	env  *env
	rng  *rand.Rand
	data []*Tensor // scalar, n, n×k, k
	pos  []*Tensor // coordinates: scalar, n, k
	mom  []*Tensor // velocities: scalar, n
	want []*Tensor // positive data: scalar, n
}

var sizeN, sizeK = dsl.Extent{Name: "n"}, dsl.Extent{Name: "k"}

// newWorld makes a world, whose numbers follow from the seed.
func newWorld(seed int64) *world {
	w := &world{c: NewContext(), rng: rand.New(rand.NewSource(seed)),
		env: &env{sizes: map[string]int{"n": 4, "k": 3}, values: map[*Tensor][]float64{}, idx: map[*Index]int{}}}
	add := func(list *[]*Tensor, name string, kind TensorKind, stage Stage, positive bool, shape ...dsl.Extent) {
		t := w.c.NewTensor(Tensor{Name: name, Kind: kind, Stage: stage, Shape: shape, Positive: positive})
		w.c.byName[name] = t
		size := 1
		for _, x := range shape {
			size *= w.env.extent(x)
		}
		v := make([]float64, size)
		for i := range v {
			v[i] = w.rng.NormFloat64()
			if positive {
				v[i] = 0.5 + w.rng.Float64()
			}
		}
		w.env.values[t] = v
		*list = append(*list, t)
	}
	var sizes []*Tensor
	add(&sizes, "n", DataTensor, StageData, true)
	add(&sizes, "k", DataTensor, StageData, true)
	w.env.values[sizes[0]], w.env.values[sizes[1]] = []float64{4}, []float64{3}
	add(&w.data, "a", DataTensor, StageData, false)
	add(&w.data, "y", DataTensor, StageData, false, sizeN)
	add(&w.data, "x", DataTensor, StageData, false, sizeN, sizeK)
	add(&w.data, "z", DataTensor, StageData, false, sizeK)
	add(&w.pos, "mu", CoordTensor, StagePosition, false)
	add(&w.pos, "u", CoordTensor, StagePosition, false, sizeN)
	add(&w.pos, "b", CoordTensor, StagePosition, false, sizeK)
	add(&w.mom, "p", VelocityTensor, StageMomentum, false)
	add(&w.mom, "v", VelocityTensor, StageMomentum, false, sizeN)
	add(&w.want, "s", DataTensor, StageData, true)
	add(&w.want, "w", DataTensor, StageData, true, sizeN)
	return w
}

// tensor returns the tensor of a name.
func (w *world) tensor(name string) *Tensor { return w.c.byName[name] }

// index returns an index over lo..hi of the world's sizes.
func (w *world) index(name string, r dsl.Range) *Index { return w.c.NewIndex(name, r) }

// at is the subscript i + o.
func at(i *Index, o int) Sub { return Sub{Index: i, Offset: o} }

// rangeOf is the range lo..hi.
func rangeOf(lo int, hi dsl.Extent) dsl.Range { return dsl.Range{Lo: dsl.Fixed(lo), Hi: hi} }
