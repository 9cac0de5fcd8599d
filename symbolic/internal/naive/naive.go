// Package naive is a second reading of expressions, for tests: numbers for tensors of every stage, the value of an
// expression at them, the functions of the language written anew, random expressions with their meaning, and
// differences.
package naive

import (
	"fmt"
	"maps"
	"math"
	"math/rand"
	"strings"

	"gonum.org/v1/gonum/mathext"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/symbolic/expr"
)

// Env gives numbers to tensors, sizes and indices. It is the tests' own
// reading of an expression, written from the comments on Op and independent of
// Machine: an indicator that is 0 makes its product 0 whatever else stands
// there, and a subscript outside a tensor anywhere else is an error.
type Env struct {
	Sizes  map[string]int
	Values map[*expr.Tensor][]float64
	Idx    map[*expr.Index]int
	Peak   float64 // the largest magnitude met, for the tolerance
}

// Extent is the number that a size is.
func (v *Env) Extent(x dsl.Extent) int {
	if x.Name == "" {
		return x.Offset
	}
	return v.Sizes[x.Name] + x.Offset
}

// Sub is the position that a subscript names.
func (v *Env) Sub(s expr.Sub) int {
	if s.Index == nil {
		return v.Extent(s.At)
	}
	i, ok := v.Idx[s.Index]
	if !ok {
		panic("free index " + s.Index.Name)
	}
	return i + s.Offset
}

// Element reads t[subs], counted from 1.
func (v *Env) Element(t *expr.Tensor, subs ...int) float64 {
	if t.Def != nil && t.Def.Fit != nil {
		return v.note(v.fitted(t, subs))
	}
	k := 0
	for n, x := range t.Shape {
		if subs[n] < 1 || subs[n] > v.Extent(x) {
			panic(fmt.Sprintf("%s%v is outside its shape", t.Name, subs))
		}
		k = k*v.Extent(x) + subs[n] - 1
	}
	return v.note(v.Values[t][k])
}

func (v *Env) note(x float64) float64 {
	v.Peak = max(v.Peak, math.Abs(x))
	return x
}

// Eval is the value of e, computed by the definition of each kind of node.
func (v *Env) Eval(e *expr.Expr) float64 {
	switch e.Op {
	case expr.Num:
		return e.Val
	case expr.Ref:
		subs := make([]int, len(e.Subs))
		for n, s := range e.Subs {
			subs[n] = v.Sub(s)
		}
		if d := e.Tensor.Def; e.Tensor.Kind == expr.SharedTensor {
			// The body at these subscripts, for which its own indices stand.
			saved := map[*expr.Index]int{}
			for n, i := range d.Indices {
				if old, ok := v.Idx[i]; ok {
					saved[i] = old
				}
				v.Idx[i] = subs[n]
			}
			x := v.Eval(d.Body)
			for _, i := range d.Indices {
				delete(v.Idx, i)
			}
			maps.Copy(v.Idx, saved)
			return x
		}
		return v.Element(e.Tensor, subs...)
	case expr.Add:
		s := e.Val
		for n, a := range e.Args {
			s += e.K[n] * v.Eval(a)
		}
		return v.note(s)
	case expr.Mul:
		for _, a := range e.Args {
			if (a.Op == expr.Delta || a.Op == expr.Inside || a.Op == expr.Before) && v.Eval(a) == 0 {
				return 0
			}
		}
		p := e.Val
		for n, a := range e.Args {
			p *= math.Pow(v.Eval(a), e.K[n])
		}
		return v.note(p)
	case expr.Call:
		args := make([]float64, len(e.Args))
		for n, a := range e.Args {
			args[n] = v.Eval(a)
		}
		return v.note(PlainFunction(e.Func.Name, args))
	case expr.Largest:
		most := math.Inf(-1)
		v.sum(e.Index, func() float64 { most = math.Max(most, v.Eval(e.Args[0])); return 0 })
		return most
	case expr.Sum:
		return v.sum(e.Index, func() float64 { return v.Eval(e.Args[0]) })
	case expr.Delta:
		if v.Sub(e.Subs[0]) == v.Sub(e.Subs[1]) {
			return 1
		}
		return 0
	case expr.Before:
		return Indicator(v.Sub(e.Subs[0]) < v.Sub(e.Subs[1]))
	case expr.Inside:
		if i := v.Sub(e.Subs[0]); v.Extent(e.Range.Lo) <= i && i <= v.Extent(e.Range.Hi) {
			return 1
		}
		return 0
	}
	panic("unknown node")
}

func (v *Env) sum(i *expr.Index, body func() float64) float64 {
	s := 0.0
	old, bound := v.Idx[i]
	for n := v.Extent(i.Range.Lo); n <= v.Extent(i.Range.Hi); n++ {
		v.Idx[i] = n
		s += v.note(body())
	}
	delete(v.Idx, i)
	if bound {
		v.Idx[i] = old
	}
	return v.note(s)
}

// PlainFunction is the textbook definition of a function, good at moderate
// arguments; nothing of runtime/special. Its lines are one case for each function.
func PlainFunction(name string, x []float64) float64 {
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
	case "log_chance":
		return math.Log(x[0]*x[1] + (1-x[0])*(1-x[1]))
	case "chance_slope":
		return (2*x[0] - 1) / (x[0]*x[1] + (1-x[0])*(1-x[1]))
	case "log1p_square":
		return math.Log(1 + x[0]*x[0])
	case "log1p_square_slope":
		return 2 * x[0] / (1 + x[0]*x[0])
	case "abs":
		return math.Max(x[0], -x[0])
	case "fmax":
		return math.Max(x[0], x[1])
	case "fmin":
		return -math.Max(-x[0], -x[1])
	case "sign":
		return Indicator(x[0] > 0) - Indicator(x[0] < 0)
	case "step":
		return Indicator(!(x[0] < 0))
	case "floor":
		return -math.Ceil(-x[0])
	case "ceil":
		return -math.Floor(-x[0])
	case "trunc":
		return PlainFunction("sign", x) * math.Floor(math.Max(x[0], -x[0]))
	case "round":
		return PlainFunction("sign", x) * math.Floor(math.Max(x[0], -x[0])+0.5)
	case "less":
		return Indicator(x[1] > x[0])
	case "less_equal":
		return Indicator(!(x[0] > x[1]))
	case "equal":
		return Indicator(x[0]-x[1] == 0)
	case "both":
		return Indicator(x[0]*x[1] != 0)
	case "zero":
		return Indicator(x[0]*x[0] == 0)
	case "select":
		if x[0] == 0 {
			return x[2]
		}
		return x[1]
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
	case "log_total":
		return math.Log(x[0])
	case "inv_total":
		return 1 / x[0]
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
	case "asin":
		return math.Asin(x[0])
	case "acos":
		return math.Acos(x[0])
	case "atan2":
		return math.Atan2(x[0], x[1])
	case "atan":
		return math.Atan(x[0])
	case "asinh":
		return math.Asinh(x[0])
	case "acosh":
		return math.Acosh(x[0])
	case "atanh":
		return math.Atanh(x[0])
	case "sinh":
		return math.Sinh(x[0])
	case "cosh":
		return math.Cosh(x[0])
	case "tanh":
		return math.Tanh(x[0])
	case "lgamma":
		return lg(x[0])
	case "digamma":
		return DigammaSeries(x[0])
	case "trigamma":
		return TrigammaSeries(x[0])
	case "tetragamma":
		return Derivative(func(q []float64) []float64 { return []float64{TrigammaSeries(q[0])} }, x, 0)[0]
	case "log_rising_ratio":
		return lg(x[0]+x[1]) - lg(x[0]) - x[1]*math.Log(x[0])
	case "stirling_rest":
		return lg(x[0]) - (x[0]-0.5)*math.Log(x[0]) + x[0] - 0.5*math.Log(2*math.Pi)
	case "stirling_slope":
		return DigammaSeries(x[0]) - math.Log(x[0]) + 0.5/x[0]
	case "stirling_curvature":
		return TrigammaSeries(x[0]) - 1/x[0] - 0.5/(x[0]*x[0])
	case "student_information":
		return 0.25*(TrigammaSeries(x[0]/2)-TrigammaSeries((x[0]+1)/2)) - (x[0]+5)/(2*x[0]*(x[0]+1)*(x[0]+3))
	case "student_information_slope":
		return Derivative(func(q []float64) []float64 { return []float64{PlainFunction("student_information", q)} }, x, 0)[0]
	case "log_bessel_i0", "bessel_ratio", "bessel_ratio_slope":
		return circular(name, x[0])
	case "log_first_passage", "log_first_passage_slope1", "log_first_passage_slope2", "log_first_passage_curvature11", "log_first_passage_curvature12", "log_first_passage_curvature22":
		return passage(name, x[0], x[1])
	case "Phi":
		return 0.5 * math.Erfc(-x[0]/math.Sqrt2)
	case "inv_Phi":
		return math.Sqrt2 * math.Erfinv(2*x[0]-1)
	case "log_Phi":
		return math.Log(0.5 * math.Erfc(-x[0]/math.Sqrt2))
	case "log_Phi_interval":
		return math.Log(0.5*math.Erfc(-x[0]/math.Sqrt2) - 0.5*math.Erfc((x[1]-x[0])/math.Sqrt2))
	case "log_Phi_tilted":
		return PlainFunction("log_Phi", []float64{x[0] - x[1]}) + 0.5*x[1]*x[1] - x[1]*x[0]
	case "log_Phi_tilted_slope":
		return PlainFunction("mills_excess", []float64{x[0] - x[1]}) - x[0]
	case "mills_excess":
		return math.Exp(-0.5*x[0]*x[0])/math.Sqrt(2*math.Pi)/PlainFunction("Phi", x) + x[0]
	case "log_positive":
		if x[0] > 0 {
			return 0
		}
		return math.Inf(-1)
	case "pow":
		return math.Pow(x[0], x[1])
	case "log_or_0":
		if x[0] == 0 {
			return 0
		}
		return math.Log(x[0])
	case "pow_or_0":
		if x[0] == 0 && x[1] < 0 {
			return 0
		}
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
	case "log_mix":
		return math.Log(x[0]*math.Exp(x[1]) + (1-x[0])*math.Exp(x[2]))
	case "lbeta":
		return lg(x[0]) + lg(x[1]) - lg(x[0]+x[1])
	case "log_gamma_p":
		return math.Log(mathext.GammaIncReg(x[0], x[1]))
	case "log_gamma_q":
		return math.Log(mathext.GammaIncRegComp(x[0], x[1]))
	case "log_gamma_density":
		return (x[0]-1)*math.Log(x[1]) - x[1] - lg(x[0])
	case "log_inc_beta":
		return math.Log(mathext.RegIncBeta(x[0], x[1], x[2]))
	case "log_inc_beta_logit":
		return math.Log(mathext.RegIncBeta(x[0], x[1], 1/(1+math.Exp(-x[2]))))
	case "log_beta_density_logit":
		return -x[0]*math.Log1p(math.Exp(-x[2])) - x[1]*math.Log1p(math.Exp(x[2])) - (lg(x[0]) + lg(x[1]) - lg(x[0]+x[1]))
	case "log_student_cdf": // of x > 0
		return math.Log1p(-0.5 * mathext.RegIncBeta(x[0]/2, 0.5, x[0]/(x[0]+x[1]*x[1])))
	case "log_gamma_p_slope", "log_gamma_q_slope", "log_inc_beta_logit_slope1", "log_inc_beta_logit_slope2", "log_student_cdf_slope":
		of, by, _ := strings.Cut(name, "_slope")
		k := 0
		if by == "2" {
			k = 1
		}
		return DerivativeBy(5e-4, func(q []float64) []float64 { return []float64{PlainFunction(of, q)} }, x, k)[0]
	case "lchoose":
		return lg(x[0]+1) - lg(x[1]+1) - lg(x[0]-x[1]+1)
	case "pi":
		return math.Pi
	}
	panic("no plain definition of " + name)
}

// PlainFormula evaluates the syntax of a table's formula literally, with the
// functions given by call.
func PlainFormula(e dsl.Expr, vars map[string]float64, call func(string, []float64) float64) float64 {
	eval := func(e dsl.Expr) float64 { return PlainFormula(e, vars, call) }
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

// World is a context with tensors of every stage and numbers for them.
type World struct {
	C    *expr.Context
	Env  *Env
	Rng  *rand.Rand
	Data []*expr.Tensor // scalar, n, n×k, k
	Pos  []*expr.Tensor // coordinates: scalar, n, k
	Mom  []*expr.Tensor // velocities: scalar, n
	Want []*expr.Tensor // positive data: scalar, n
}

var SizeN, SizeK = dsl.Extent{Name: "n"}, dsl.Extent{Name: "k"}

// NewWorld makes a world, whose numbers follow from the seed.
func NewWorld(seed int64) *World {
	w := &World{C: expr.NewContext(), Rng: rand.New(rand.NewSource(seed)),
		Env: &Env{Sizes: map[string]int{"n": 4, "k": 3}, Values: map[*expr.Tensor][]float64{}, Idx: map[*expr.Index]int{}}}
	add := func(list *[]*expr.Tensor, name string, kind expr.TensorKind, stage expr.Stage, positive bool, shape ...dsl.Extent) {
		t := w.C.NewTensor(expr.Tensor{Name: name, Kind: kind, Stage: stage, Shape: shape, Positive: positive})
		w.C.ByName[name] = t
		size := 1
		for _, x := range shape {
			size *= w.Env.Extent(x)
		}
		v := make([]float64, size)
		for i := range v {
			v[i] = w.Rng.NormFloat64()
			if positive {
				v[i] = 0.5 + w.Rng.Float64()
			}
		}
		w.Env.Values[t] = v
		*list = append(*list, t)
	}
	var sizes []*expr.Tensor
	add(&sizes, "n", expr.DataTensor, expr.StageData, true)
	add(&sizes, "k", expr.DataTensor, expr.StageData, true)
	w.Env.Values[sizes[0]], w.Env.Values[sizes[1]] = []float64{4}, []float64{3}
	add(&w.Data, "a", expr.DataTensor, expr.StageData, false)
	add(&w.Data, "y", expr.DataTensor, expr.StageData, false, SizeN)
	add(&w.Data, "x", expr.DataTensor, expr.StageData, false, SizeN, SizeK)
	add(&w.Data, "z", expr.DataTensor, expr.StageData, false, SizeK)
	add(&w.Pos, "mu", expr.CoordTensor, expr.StagePosition, false)
	add(&w.Pos, "u", expr.CoordTensor, expr.StagePosition, false, SizeN)
	add(&w.Pos, "b", expr.CoordTensor, expr.StagePosition, false, SizeK)
	add(&w.Mom, "p", expr.VelocityTensor, expr.StageMomentum, false)
	add(&w.Mom, "v", expr.VelocityTensor, expr.StageMomentum, false, SizeN)
	add(&w.Want, "s", expr.DataTensor, expr.StageData, true)
	add(&w.Want, "w", expr.DataTensor, expr.StageData, true, SizeN)
	return w
}

// Tensor returns the tensor of a name.
func (w *World) Tensor(name string) *expr.Tensor { return w.C.ByName[name] }

// Index returns an index over lo..hi of the world's sizes.
func (w *World) Index(name string, r dsl.Range) *expr.Index { return w.C.NewIndex(name, r) }

// At is the subscript i + o.
func At(i *expr.Index, o int) expr.Sub { return expr.Sub{Index: i, Offset: o} }

// RangeOf is the range lo..hi.
func RangeOf(lo int, hi dsl.Extent) dsl.Range { return dsl.Range{Lo: dsl.Fixed(lo), Hi: hi} }

// circular are functions of the mean of exp(x cos θ) over the circle, which is I₀(x): its logarithm, and the mean and the variance of the cosine under it.
func circular(name string, x float64) float64 {
	const steps = 200
	var m [3]float64
	for i := range steps {
		c := math.Cos(2 * math.Pi * float64(i) / steps)
		e := math.Exp(x * c)
		m[0] += e / steps
		m[1] += e * c / steps
		m[2] += e * c * c / steps
	}
	switch name {
	case "log_bessel_i0":
		return math.Log(m[0])
	case "bessel_ratio":
		return m[1] / m[0]
	}
	return m[2]/m[0] - m[1]/m[0]*(m[1]/m[0])
}

// passage is the logarithm of the density of a first passage, by the method of images, and its derivatives.
func passage(name string, u, w float64) float64 {
	var f, fu, fw, fuu, fuw, fww float64
	for k := -8; k <= 8; k++ {
		z := w + 2*float64(k)
		e := math.Exp(-z * z / (2 * u))
		f += z * e
		fu += z * z * z / (2 * u * u) * e
		fw += (1 - z*z/u) * e
		fuu += (math.Pow(z, 5)/(4*math.Pow(u, 4)) - math.Pow(z/u, 3)) * e
		fuw += (3*z*z/(2*u*u) - math.Pow(z, 4)/(2*math.Pow(u, 3))) * e
		fww += (math.Pow(z, 3)/(u*u) - 3*z/u) * e
	}
	switch name {
	case "log_first_passage":
		return math.Log(f) - 0.5*math.Log(2*math.Pi) - 1.5*math.Log(u)
	case "log_first_passage_slope1":
		return fu/f - 1.5/u
	case "log_first_passage_slope2":
		return fw / f
	case "log_first_passage_curvature11":
		return fuu/f - fu/f*(fu/f) + 1.5/(u*u)
	case "log_first_passage_curvature12":
		return fuw/f - fu/f*(fw/f)
	}
	return fww/f - fw/f*(fw/f)
}
