package differential

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/hamc-dev/hamc/dsl"
)

// A naive model evaluates the log density of a checked model straight from its
// syntax tree, with gonum's distributions: a second opinion on the calculus, of
// which the generated code and the interpreter share the result.
type naive struct {
	m      *dsl.Model
	sizes  map[string]int
	values map[dsl.Object]array
	index  map[*dsl.Index]int // open indices
	// solved holds the components of the solutions at the present coordinates,
	// each found when it is first asked for.
	solved map[*dsl.Solve][]array
	moving bool    // a right side of an equation is evaluated
	step   float64 // of the differences that make a metric
	// drawn holds what the calls of the present quantity drew, by the values of
	// the indices around them.
	drawn  map[*dsl.CallExpr]map[string]array
	around map[*dsl.CallExpr][]*dsl.Index
}

// An array is a scalar, a vector or a matrix, row-major.
type array struct {
	shape []int
	v     []float64
}

func number(x float64) array { return array{v: []float64{x}} }

func (a array) at(subs ...int) float64 {
	k := 0
	for d, s := range subs {
		if s < 1 || s > a.shape[d] {
			panic(fmt.Sprintf("subscript %v of shape %v", subs, a.shape))
		}
		k = k*a.shape[d] + s - 1
	}
	return a.v[k]
}

// mapped applies f to arrays of one shape, scalars broadcast.
func mapped(f func(x []float64) float64, args ...array) array {
	out := array{v: make([]float64, 1)}
	for _, a := range args {
		if len(a.shape) > 0 {
			out = array{a.shape, make([]float64, len(a.v))}
		}
	}
	x := make([]float64, len(args))
	for i := range out.v {
		for n, a := range args {
			if len(a.shape) == 0 {
				x[n] = a.v[0]
			} else {
				x[n] = a.v[i]
			}
		}
		out.v[i] = f(x)
	}
	return out
}

func newNaive(m *dsl.Model, text []byte) (*naive, error) {
	e := &naive{m: m, sizes: map[string]int{}, values: map[dsl.Object]array{}, index: map[*dsl.Index]int{}}
	var raw map[string]any
	if err := json.Unmarshal(text, &raw); err != nil {
		return nil, err
	}
	for _, d := range m.Data {
		var a array
		switch x := raw[d.Name]; {
		case d.Formula != nil:
			a = number(e.whole(d.Formula))
		case x != nil:
			a.fill(x)
		case d.Default != nil:
			a = number(*d.Default)
		default:
			return nil, fmt.Errorf("no datum %s", d.Name)
		}
		e.values[d] = a
		if d.Type.Base == dsl.Int && d.Type.IsScalar() {
			e.sizes[d.Name] = int(a.v[0])
		}
	}
	for _, k := range m.Consts {
		e.values[k] = number(k.Value)
	}
	for _, d := range m.Data {
		if a := e.values[d]; len(a.v) == 0 { // of which the text does not tell all sizes
			a.shape = nil
			for _, x := range d.Type.Shape {
				a.shape = append(a.shape, e.extent(x))
			}
			e.values[d] = a
		}
	}
	return e, nil
}

// whole is the value of the formula of a size.
func (e *naive) whole(w *dsl.Whole) float64 {
	if w.Data != nil {
		x := slices.Sorted(slices.Values(e.values[w.Data].v))
		switch w.Op {
		case "max":
			return x[len(x)-1]
		case "sum":
			total := 0.0
			for _, v := range x {
				total += v
			}
			return total
		case "count":
			for n, v := range x {
				x[n] = binary(w.Test.Op, number(v), number(w.Test.To)).v[0]
			}
			total := 0.0
			for _, v := range x {
				total += v
			}
			return total
		}
		return x[0] // of one number, or the least
	}
	if w.Op == "" {
		return float64(w.N)
	}
	return binary(w.Op, number(e.whole(w.Args[0])), number(e.whole(w.Args[1]))).v[0]
}

// fill reads nested lists.
func (a *array) fill(x any) {
	list, ok := x.([]any)
	if !ok {
		a.v = append(a.v, x.(float64))
		return
	}
	a.shape = append(a.shape, len(list))
	rank := len(a.shape)
	for _, y := range list {
		a.shape = a.shape[:rank]
		a.fill(y)
	}
}

func (e *naive) extent(x dsl.Extent) int {
	if x.Name == "" {
		return x.Offset
	}
	if factors := x.Factors(); factors != nil {
		n := 1
		for _, f := range factors {
			n *= e.extent(f)
		}
		if x.Halved() {
			n /= 2
		}
		return n
	}
	return e.sizes[x.Name] + x.Offset
}

func (e *naive) scalar(x dsl.Expr) float64 { return e.eval(x).v[0] }

// element is that of an array, or a scalar.
func (e *naive) element(x dsl.Expr, i int) float64 {
	v := e.eval(x).v
	return v[min(i, len(v)-1)]
}

// logDensity returns L at unconstrained coordinates, the log Jacobian of the
// transforms of Stan's reference included.
func (e *naive) logDensity(q []float64) float64 {
	l := 0.0
	for _, j := range e.set(q) {
		l += j
	}
	for _, t := range e.m.Terms {
		l += e.term(t)
	}
	return l
}

// set gives the parameters and definitions their values at unconstrained
// coordinates, and returns the log Jacobian of the transforms by parameter.
func (e *naive) set(q []float64) []float64 {
	var out []float64
	e.solved = map[*dsl.Solve][]array{}
	for _, l := range e.m.BoundLets() {
		e.values[l] = e.let(l)
	}
	for _, p := range e.m.Params {
		l := 0.0
		a := array{v: make([]float64, 1)}
		for _, x := range p.Type.Shape {
			a.shape = append(a.shape, e.extent(x))
			a.v = make([]float64, len(a.v)*e.extent(x))
		}
		if p.Constraint != nil && p.Constraint.Square {
			m := a.shape[len(a.shape)-1]
			for one := a.v; len(one) > 0; one = one[m*m:] {
				n, j := square[p.Constraint](m, one[:m*m], q)
				q, l = q[n:], l+j
			}
			e.values[p] = a
			out = append(out, l)
			continue
		}
		if p.Constraint != nil {
			m := a.shape[len(a.shape)-1]
			for row := a.v; len(row) > 0; row = row[m:] {
				n, j := constrained(p.Constraint, row[:m], q)
				q, l = q[n:], l+j
			}
			e.values[p] = a
			out = append(out, l)
			continue
		}
		for i := range a.v {
			u := q[i]
			switch s := &p.Support; {
			case s.Lo != nil && s.Hi != nil:
				lo, hi := e.element(s.Lo, i), e.element(s.Hi, i)
				t := 1 / (1 + math.Exp(-u))
				a.v[i] = lo + (hi-lo)*t
				l += math.Log(hi-lo) - softplus(-u) - softplus(u)
			case s.Lo != nil:
				a.v[i] = e.element(s.Lo, i) + math.Exp(u)
				l += u
			case s.Hi != nil:
				a.v[i] = e.element(s.Hi, i) - math.Exp(u)
				l += u
			default:
				a.v[i] = u
				if p.Multiplier != nil {
					by := e.element(p.Multiplier, i)
					a.v[i] *= by
					l += math.Log(by)
				}
				if p.Offset != nil {
					a.v[i] += e.element(p.Offset, i)
				}
			}
		}
		q = q[len(a.v):]
		e.values[p] = a
		out = append(out, l)
	}
	e.lets()
	return out
}

// lets gives the definitions their values. Those in parts are not ordered: all that have no values yet are tried
// until nothing more comes of it.
func (e *naive) lets() {
	for _, l := range e.m.Lets {
		if l.Recursion != nil {
			e.values[l] = e.blank(l)
		}
	}
	for _, l := range e.m.Lets {
		if l.Recursion == nil {
			e.values[l] = e.let(l)
			continue
		}
		circle := []*dsl.Let{l}
		if c := l.Recursion.Circle; c != nil {
			circle = c.Members
		}
		for {
			more := false
			for _, m := range circle {
				more = e.parts(m) || more
			}
			if !more {
				break
			}
		}
	}
}

// blank is an array without values.
func (e *naive) blank(l *dsl.Let) array {
	a, n := array{}, 1
	for _, x := range l.Type.Shape {
		a.shape = append(a.shape, e.extent(x))
		n *= e.extent(x)
	}
	a.v = make([]float64, n)
	for k := range a.v {
		a.v[k] = math.NaN()
	}
	return a
}

// parts evaluates the elements that have no values yet, and reports whether some got one.
func (e *naive) parts(l *dsl.Let) (more bool) {
	r, a := l.Recursion, e.values[l]
	behind := 1 // elements from one position to the next
	for _, n := range a.shape[r.Place+1:] {
		behind *= n
	}
	set := func(at int, indices []*dsl.Index, value dsl.Expr) {
		n := 0
		e.over(indices, func() {
			k := (n/behind*a.shape[r.Place]+at-1)*behind + n%behind
			if math.IsNaN(a.v[k]) {
				a.v[k] = e.scalar(value)
				more = more || !math.IsNaN(a.v[k])
			}
			n++
		})
	}
	for _, s := range r.Starts {
		at := e.extent(s.At)
		e.index[s.Along] = at
		set(at, s.Indices, s.Value)
		delete(e.index, s.Along)
	}
	if r.Along == nil {
		return more
	}
	var along []int
	e.over([]*dsl.Index{r.Along}, func() { along = append(along, e.index[r.Along]) })
	if r.Circle != nil && r.Circle.Down { // what positions are read of is there, where one definition reads itself
		slices.Reverse(along)
	}
	for _, at := range along {
		e.index[r.Along] = at
		set(at, r.Indices, r.Value)
	}
	delete(e.index, r.Along)
	return more
}

func (e *naive) let(l *dsl.Let) array {
	if len(l.Indices) == 0 {
		return e.eval(l.Value)
	}
	var a array
	for _, i := range l.Indices {
		a.shape = append(a.shape, e.extent(i.Range.Hi))
	}
	e.over(l.Indices, func() { a.v = append(a.v, e.scalar(l.Value)) })
	return a
}

// over runs f for all values of indices, the first one slowest.
func (e *naive) over(indices []*dsl.Index, f func()) {
	if len(indices) == 0 {
		f()
		return
	}
	i := indices[0]
	from, upto := e.extent(i.Range.Lo), e.extent(i.Range.Hi)
	if i.From != nil {
		from = int(e.positions(*i.From, 0).v[0])
	}
	if i.Upto != nil {
		upto = int(e.positions(*i.Upto, 0).v[0])
	}
	for k := from; k <= upto; k++ {
		e.index[i] = k
		e.over(indices[1:], f)
	}
	delete(e.index, i)
}

func (e *naive) term(t *dsl.Term) (l float64) {
	if t.Dist == nil {
		return e.scalar(t.Value)
	}
	e.draws(t, func(args []array) {
		if t.Dist.Define != "" {
			l += family(t.Dist.Name, args[0], args[1:])
			return
		}
		if t.Dist.Name == "multi_normal" {
			l += multiNormal(args[0].v, args[1].v, args[2].v)
			return
		}
		if t.Dist.Name == "dirichlet" {
			l += dirichlet(args[0].v, args[1].v)
			return
		}
		// Where the left side is a scalar, so are the arguments.
		for _, x := range mapped(func(x []float64) float64 { return defined(e.ofTail(t, x), x) }, args...).v {
			l += x
		}
	})
	return l
}

// ofTail is the log density of a statement, or what stands in its place.
func (e *naive) ofTail(t *dsl.Term, x []float64) float64 {
	n := 1 + len(t.Dist.Args)
	y, args, ends := x[0], x[1:n], x[n:]
	switch t.Tail {
	case dsl.LowerTail:
		return math.Log(cumulative(t.Dist.Name, y, args))
	case dsl.UpperTail:
		return math.Log(survival(t.Dist.Name, y, args))
	}
	l := logDensity(t.Dist.Name, y, args)
	if t.Dist.Support.Discrete() && (t.Lo != nil || t.Hi != nil) {
		return l - math.Log(massOfCounts(t, y, args, ends))
	}
	mass := 1.0
	if t.Hi != nil {
		hi := ends[len(ends)-1]
		mass = below(t.Dist, hi, args)
		if !(y < hi) {
			return math.Inf(-1)
		}
	}
	if t.Lo != nil {
		mass -= below(t.Dist, ends[0], args)
		if !(y > ends[0]) {
			return math.Inf(-1)
		}
	}
	return l - math.Log(mass)
}

// massOfCounts adds up the probabilities of the whole numbers that a statement leaves; +Inf if y is none of them.
func massOfCounts(t *dsl.Term, y float64, args, ends []float64) float64 {
	first, last := 0.0, 3000.0
	if t.Dist.Support == dsl.UpTo {
		last = args[0]
	}
	if t.Hi != nil {
		last = min(last, ends[len(ends)-1]+float64(t.HiShift))
	}
	if t.Lo != nil {
		first = max(0, ends[0]+float64(t.LoShift)+1)
	}
	if y < first || y > last {
		return math.Inf(1)
	}
	return sumOfCounts(t.Dist.Name, first, last, args)
}

func sumOfCounts(name string, first, last float64, a []float64) float64 {
	sum := 0.0
	for k := first; k <= last; k++ {
		p := math.Exp(logDensity(name, k, a))
		if sum += p; p < 1e-20*sum {
			break
		}
	}
	return sum
}

// below is P(Y ≤ y) for any y, beyond the support too.
func below(d *dsl.Distribution, y float64, a []float64) float64 {
	lo, hi := math.Inf(-1), math.Inf(1)
	switch d.Support {
	case dsl.Positive:
		lo = 0
	case dsl.UnitOpen:
		lo, hi = 0, 1
	case dsl.Above:
		lo = a[d.Begins]
	case dsl.Between:
		lo, hi = a[0], a[1]
	}
	switch {
	case y <= lo:
		return 0
	case y >= hi:
		return 1
	}
	return cumulative(d.Name, y, a)
}

// cumulative is P(Y ≤ y), by gonum or by its definition.
func cumulative(name string, y float64, a []float64) float64 {
	switch name {
	case "normal":
		return distuv.Normal{Mu: a[0], Sigma: a[1]}.CDF(y)
	case "lognormal":
		return distuv.LogNormal{Mu: a[0], Sigma: a[1]}.CDF(y)
	case "logistic":
		return 1 / (1 + math.Exp(-(y-a[0])/a[1]))
	case "cauchy":
		return distuv.StudentsT{Nu: 1, Mu: a[0], Sigma: a[1]}.CDF(y)
	case "gumbel":
		return distuv.GumbelRight{Mu: a[0], Beta: a[1]}.CDF(y)
	case "exponential":
		return distuv.Exponential{Rate: a[0]}.CDF(y)
	case "weibull":
		return distuv.Weibull{K: a[0], Lambda: a[1]}.CDF(y)
	case "frechet":
		return math.Exp(-math.Pow(y/a[1], -a[0]))
	case "rayleigh":
		return distuv.Weibull{K: 2, Lambda: math.Sqrt2 * a[0]}.CDF(y)
	case "uniform":
		return (y - a[0]) / (a[1] - a[0])
	}
	return compoundCumulative(name, y, a)
}

// compoundCumulative is that of distributions that are made of others.
func compoundCumulative(name string, y float64, a []float64) float64 {
	phi := distuv.UnitNormal.CDF
	switch name {
	case "std_normal":
		return phi(y)
	case "double_exponential":
		return distuv.Laplace{Mu: a[0], Scale: a[1]}.CDF(y)
	case "skew_double_exponential":
		if y < a[0] {
			return a[2] * math.Exp(-2*(1-a[2])*(a[0]-y)/a[1])
		}
		return 1 - (1-a[2])*math.Exp(-2*a[2]*(y-a[0])/a[1])
	case "exp_mod_normal":
		z, r := (y-a[0])/a[1], a[1]*a[2]
		return phi(z) - math.Exp(r*(r/2-z)+logPhi(z-r))
	case "half_normal":
		return math.Erf(y / a[0] / math.Sqrt2)
	case "half_cauchy":
		return 2 / math.Pi * math.Atan(y/a[0])
	case "pareto":
		return distuv.Pareto{Xm: a[0], Alpha: a[1]}.CDF(y)
	case "pareto_type_2":
		return distuv.Pareto{Xm: a[1], Alpha: a[2]}.CDF(y - a[0] + a[1])
	case "loglogistic":
		return 1 / (1 + math.Pow(y/a[0], -a[1]))
	case "inv_gaussian":
		s := math.Sqrt(a[1] / y)
		return phi(s*(y/a[0]-1)) + math.Exp(2*a[1]/a[0]+logPhi(-s*(y/a[0]+1)))
	case "logit_normal":
		return phi((math.Log(y/(1-y)) - a[0]) / a[1])
	case "kumaraswamy":
		return -math.Expm1(a[1] * math.Log1p(-math.Pow(y, a[0])))
	}
	return shapedCumulative(name, y, a)
}

// shapedCumulative is that of distributions whose cumulative functions are incomplete gamma and beta functions; of counts, the sum.
func shapedCumulative(name string, y float64, a []float64) float64 {
	switch name {
	case "student_t":
		return distuv.StudentsT{Nu: a[0], Mu: a[1], Sigma: a[2]}.CDF(y)
	case "half_student_t":
		return mathext.RegIncBeta(0.5, a[0]/2, y*y/(a[0]*a[1]*a[1]+y*y))
	case "gamma":
		return mathext.GammaIncReg(a[0], a[1]*y)
	case "inv_gamma":
		return mathext.GammaIncRegComp(a[0], a[1]/y)
	case "chi_square":
		return mathext.GammaIncReg(a[0]/2, y/2)
	case "inv_chi_square":
		return mathext.GammaIncRegComp(a[0]/2, 0.5/y)
	case "scaled_inv_chi_square":
		return mathext.GammaIncRegComp(a[0]/2, a[0]*a[1]*a[1]/(2*y))
	case "beta":
		return mathext.RegIncBeta(a[0], a[1], y)
	case "beta_proportion":
		return mathext.RegIncBeta(a[0]*a[1], (1-a[0])*a[1], y)
	}
	return sumOfCounts(name, 0, y, a)
}

// shapedSurvival is 1 − shapedCumulative, with the digits of the tail.
func shapedSurvival(name string, y float64, a []float64) float64 {
	switch name {
	case "student_t":
		return cumulative(name, 2*a[1]-y, a)
	case "half_student_t":
		return 2 * distuv.StudentsT{Nu: a[0], Sigma: a[1]}.CDF(-y)
	case "gamma":
		return mathext.GammaIncRegComp(a[0], a[1]*y)
	case "inv_gamma":
		return mathext.GammaIncReg(a[0], a[1]/y)
	case "chi_square":
		return mathext.GammaIncRegComp(a[0]/2, y/2)
	case "inv_chi_square":
		return mathext.GammaIncReg(a[0]/2, 0.5/y)
	case "scaled_inv_chi_square":
		return mathext.GammaIncReg(a[0]/2, a[0]*a[1]*a[1]/(2*y))
	case "beta":
		return mathext.RegIncBeta(a[1], a[0], 1-y)
	case "beta_proportion":
		return mathext.RegIncBeta((1-a[0])*a[1], a[0]*a[1], 1-y)
	case "binomial", "binomial_logit":
		return sumOfCounts(name, y+1, a[0], a)
	case "bernoulli", "bernoulli_logit":
		return sumOfCounts(name, y+1, 1, a)
	}
	return sumOfCounts(name, y+1, 3000, a)
}

// survival is P(Y > y): 1 − cumulative, which would round at the size of 1, by the symmetry of the distribution or by its definition.
func survival(name string, y float64, a []float64) float64 {
	switch name {
	case "normal", "logistic", "cauchy":
		return cumulative(name, 2*a[0]-y, a)
	case "lognormal":
		return survival("normal", math.Log(y), a)
	case "gumbel":
		return -math.Expm1(-math.Exp(-(y - a[0]) / a[1]))
	case "exponential":
		return math.Exp(-a[0] * y)
	case "weibull":
		return math.Exp(-math.Pow(y/a[1], a[0]))
	case "frechet":
		return -math.Expm1(-math.Pow(y/a[1], -a[0]))
	case "rayleigh":
		return survival("weibull", y, []float64{2, math.Sqrt2 * a[0]})
	case "uniform":
		return (a[1] - y) / (a[1] - a[0])
	}
	return compoundSurvival(name, y, a)
}

// compoundSurvival is 1 − compoundCumulative, with the digits of the tail.
func compoundSurvival(name string, y float64, a []float64) float64 {
	phi := distuv.UnitNormal.CDF
	switch name {
	case "std_normal":
		return phi(-y)
	case "double_exponential":
		return cumulative(name, 2*a[0]-y, a)
	case "skew_double_exponential":
		return cumulative(name, 2*a[0]-y, []float64{a[0], a[1], 1 - a[2]})
	case "exp_mod_normal":
		z, r := (y-a[0])/a[1], a[1]*a[2]
		return phi(-z) + math.Exp(r*(r/2-z)+logPhi(z-r))
	case "half_normal":
		return math.Erfc(y / a[0] / math.Sqrt2)
	case "half_cauchy":
		return 2 / math.Pi * math.Atan(a[0]/y)
	case "pareto":
		return math.Pow(y/a[0], -a[1])
	case "pareto_type_2":
		return math.Pow(1+(y-a[0])/a[1], -a[2])
	case "loglogistic":
		return 1 / (1 + math.Pow(y/a[0], a[1]))
	case "inv_gaussian":
		s := math.Sqrt(a[1] / y)
		return phi(s*(1-y/a[0])) - math.Exp(2*a[1]/a[0]+logPhi(-s*(y/a[0]+1)))
	case "logit_normal":
		return phi((a[0] - math.Log(y/(1-y))) / a[1])
	case "kumaraswamy":
		return math.Pow(1-math.Pow(y, a[0]), a[1])
	}
	return shapedSurvival(name, y, a)
}

// draws calls f with the left side and the arguments of a distribution statement,
// at each value of its index.
func (e *naive) draws(t *dsl.Term, f func(args []array)) {
	var indices []*dsl.Index
	if t.For != nil {
		indices = append(indices, t.For)
	}
	indices = append(indices, t.Each...)
	e.over(indices, func() {
		args := []array{e.eval(t.Left)}
		for _, a := range t.Args {
			args = append(args, e.eval(a))
		}
		for _, end := range []dsl.Expr{t.Lo, t.Hi} {
			if end != nil {
				args = append(args, e.eval(end))
			}
		}
		f(args)
	})
}

func dirichlet(y, alpha []float64) float64 {
	l, sum := 0.0, 0.0
	for k, a := range alpha {
		if !(a > 0) {
			return math.Inf(-1)
		}
		l += (a-1)*math.Log(y[k]) - lgamma(a)
		sum += a
	}
	return l + lgamma(sum)
}

func multiNormal(y, mu, sigma []float64) float64 {
	n := len(y)
	if n == 0 {
		return 0
	}
	var chol mat.Cholesky
	if !chol.Factorize(mat.NewSymDense(n, append([]float64(nil), sigma...))) {
		return math.NaN()
	}
	var z, solved mat.VecDense
	z.SubVec(mat.NewVecDense(n, y), mat.NewVecDense(n, mu))
	if err := chol.SolveVecTo(&solved, &z); err != nil {
		return math.NaN()
	}
	return -0.5 * (mat.Dot(&z, &solved) + chol.LogDet() + float64(n)*math.Log(2*math.Pi))
}

// defined returns a log density, −∞ where it has none though its arguments x are numbers: they are out of
// range.
func defined(l float64, x []float64) float64 {
	if math.IsNaN(l) && !slices.ContainsFunc(x, math.IsNaN) {
		return math.Inf(-1)
	}
	return l
}

// logDensity is that of a distribution in Stan's reference.
func logDensity(name string, y float64, a []float64) float64 {
	switch name {
	case "normal":
		return distuv.Normal{Mu: a[0], Sigma: a[1]}.LogProb(y)
	case "student_t":
		return distuv.StudentsT{Nu: a[0], Mu: a[1], Sigma: a[2]}.LogProb(y)
	case "cauchy":
		return distuv.StudentsT{Nu: 1, Mu: a[0], Sigma: a[1]}.LogProb(y)
	case "exponential":
		return distuv.Exponential{Rate: a[0]}.LogProb(y)
	case "gamma":
		return distuv.Gamma{Alpha: a[0], Beta: a[1]}.LogProb(y)
	case "inv_gamma":
		return distuv.InverseGamma{Alpha: a[0], Beta: a[1]}.LogProb(y)
	case "inv_chi_square":
		return distuv.InverseGamma{Alpha: a[0] / 2, Beta: 0.5}.LogProb(y)
	case "scaled_inv_chi_square":
		return distuv.InverseGamma{Alpha: a[0] / 2, Beta: a[0] * a[1] * a[1] / 2}.LogProb(y)
	case "beta":
		return distuv.Beta{Alpha: a[0], Beta: a[1]}.LogProb(y)
	case "lognormal":
		return distuv.LogNormal{Mu: a[0], Sigma: a[1]}.LogProb(y)
	case "uniform":
		return distuv.Uniform{Min: a[0], Max: a[1]}.LogProb(y)
	case "bernoulli":
		return distuv.Bernoulli{P: a[0]}.LogProb(y)
	case "bernoulli_logit":
		return y*a[0] - softplus(a[0])
	case "binomial_logit":
		return lchoose(a[0], y) + y*a[1] - a[0]*softplus(a[1])
	case "binomial":
		return distuv.Binomial{N: a[0], P: a[1]}.LogProb(y)
	case "beta_binomial":
		return lchoose(a[0], y) + mathext.Lbeta(y+a[1], a[0]-y+a[2]) - mathext.Lbeta(a[1], a[2])
	case "neg_binomial":
		return negativeBinomial(y, a[0], 1/(1+a[1]))
	case "neg_binomial_2":
		return negativeBinomial(y, a[1], a[0]/(a[0]+a[1]))
	case "neg_binomial_2_log":
		return negativeBinomial(y, a[1], math.Exp(a[0])/(math.Exp(a[0])+a[1]))
	case "logistic":
		z := math.Abs(y-a[0]) / a[1] // gonum's density knows neither location nor scale
		return -z - math.Log(a[1]) - 2*math.Log1p(math.Exp(-z))
	case "gumbel":
		return distuv.GumbelRight{Mu: a[0], Beta: a[1]}.LogProb(y)
	case "chi_square":
		return distuv.ChiSquared{K: a[0]}.LogProb(y)
	case "weibull":
		return distuv.Weibull{K: a[0], Lambda: a[1]}.LogProb(y)
	case "frechet": // 1/y is from Weibull's distribution
		return distuv.Weibull{K: a[0], Lambda: 1 / a[1]}.LogProb(1/y) - 2*math.Log(y)
	case "rayleigh":
		return distuv.Weibull{K: 2, Lambda: math.Sqrt2 * a[0]}.LogProb(y)
	case "beta_proportion":
		return distuv.Beta{Alpha: a[0] * a[1], Beta: (1 - a[0]) * a[1]}.LogProb(y)
	case "poisson":
		return distuv.Poisson{Lambda: a[0]}.LogProb(y)
	case "poisson_log":
		return distuv.Poisson{Lambda: math.Exp(a[0])}.LogProb(y)
	}
	return compoundDensity(name, y, a)
}

// compoundDensity is that of distributions that are made of others, from their definitions.
func compoundDensity(name string, y float64, a []float64) float64 {
	unit := distuv.UnitNormal
	switch name {
	case "std_normal":
		return unit.LogProb(y)
	case "double_exponential":
		return distuv.Laplace{Mu: a[0], Scale: a[1]}.LogProb(y)
	case "skew_double_exponential": // two exponential distributions
		if y < a[0] {
			return math.Log(a[2]) + distuv.Exponential{Rate: 2 * (1 - a[2]) / a[1]}.LogProb(a[0]-y)
		}
		return math.Log(1-a[2]) + distuv.Exponential{Rate: 2 * a[2] / a[1]}.LogProb(y-a[0])
	case "skew_normal":
		z := (y - a[0]) / a[1]
		return math.Ln2 + distuv.Normal{Mu: a[0], Sigma: a[1]}.LogProb(y) + logPhi(a[2]*z)
	case "exp_mod_normal":
		z, r := (y-a[0])/a[1], a[1]*a[2]
		return math.Log(a[2]) + r*(r/2-z) + logPhi(z-r)
	case "von_mises":
		return a[1]*math.Cos(y-a[0]) - logBesselI0(a[1]) - math.Log(2*math.Pi)
	case "wiener":
		return logFirstPassage(y, a)
	case "half_normal":
		return math.Ln2 + distuv.Normal{Sigma: a[0]}.LogProb(y)
	case "half_cauchy":
		return math.Ln2 + distuv.StudentsT{Nu: 1, Sigma: a[0]}.LogProb(y)
	case "half_student_t":
		return math.Ln2 + distuv.StudentsT{Nu: a[0], Sigma: a[1]}.LogProb(y)
	case "pareto":
		return distuv.Pareto{Xm: a[0], Alpha: a[1]}.LogProb(y)
	case "pareto_type_2": // shifted, it is Pareto's
		return distuv.Pareto{Xm: a[1], Alpha: a[2]}.LogProb(y - a[0] + a[1])
	case "loglogistic":
		return logDensity("logistic", math.Log(y), []float64{math.Log(a[0]), 1 / a[1]}) - math.Log(y)
	case "inv_gaussian":
		return math.Log(a[1]/(2*math.Pi*y*y*y))/2 - a[1]*(y-a[0])*(y-a[0])/(2*a[0]*a[0]*y)
	case "logit_normal":
		return distuv.Normal{Mu: a[0], Sigma: a[1]}.LogProb(math.Log(y/(1-y))) - math.Log(y*(1-y))
	case "kumaraswamy": // a power of a beta variate
		return distuv.Beta{Alpha: 1, Beta: a[1]}.LogProb(math.Pow(y, a[0])) + math.Log(a[0]) + (a[0]-1)*math.Log(y)
	case "geometric":
		return negativeBinomial(y, 1, 1-a[0])
	case "beta_neg_binomial":
		return lchoose(y+a[0]-1, y) + mathext.Lbeta(a[1]+a[0], a[2]+y) - mathext.Lbeta(a[1], a[2])
	case "zero_inflated_poisson":
		return withZeros(y, a[0], func(y float64) float64 { return logDensity("poisson", y, a[1:]) })
	case "zero_inflated_neg_binomial_2":
		return withZeros(y, a[0], func(y float64) float64 { return logDensity("neg_binomial_2", y, a[1:]) })
	case "hurdle_poisson":
		if y == 0 {
			return math.Log(a[0])
		}
		return math.Log(1-a[0]) + logDensity("poisson", y, a[1:]) - math.Log(-math.Expm1(-a[1]))
	}
	panic("no distribution " + name)
}

// withZeros is the log probability of a count where a zero more has the probability theta.
func withZeros(y, theta float64, logp func(y float64) float64) float64 {
	if y == 0 {
		return math.Log(theta + (1-theta)*math.Exp(logp(0)))
	}
	return math.Log(1-theta) + logp(y)
}

// logPhi is the logarithm of the normal distribution function, by its series where that underflows.
func logPhi(z float64) float64 {
	if z > -30 {
		return math.Log(distuv.UnitNormal.CDF(z))
	}
	return distuv.UnitNormal.LogProb(z) - math.Log(-z) + math.Log1p(-1/(z*z)+3/(z*z*z*z))
}

// negativeBinomial is the log probability of y failures, each of probability p, before r successes.
func negativeBinomial(y, r, p float64) float64 {
	return lgamma(y+r) - lgamma(r) - lgamma(y+1) + r*math.Log1p(-p) + y*math.Log(p)
}

func softplus(x float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }

func lgamma(x float64) float64 {
	l, _ := math.Lgamma(x)
	return l
}

func lchoose(n, k float64) float64 { return lgamma(n+1) - lgamma(k+1) - lgamma(n-k+1) }

func (e *naive) eval(x dsl.Expr) array {
	switch x := x.(type) {
	case *dsl.Number:
		return number(x.Value)
	case *dsl.Name:
		if ix, ok := x.Obj.(*dsl.Index); ok {
			return number(float64(e.index[ix]))
		}
		if s, ok := x.Obj.(*dsl.Size); ok {
			return number(float64(e.extent(s.Extent)))
		}
		if l, ok := x.Obj.(*dsl.Let); ok && l.Local && l.Recursion == nil {
			return e.let(l) // anew for each value of the indices around
		}
		return e.values[x.Obj]
	case *dsl.FieldExpr:
		return e.solution(x.Solve)[x.State]
	case *dsl.IndexExpr:
		return e.selected(e.eval(x.Base), x.Subscripts)
	case *dsl.UnaryExpr:
		a := e.eval(x.X)
		switch x.Op {
		case "'":
			return transposed(a)
		case "not":
			return mapped(func(x []float64) float64 { return truth(x[0] == 0) }, a)
		}
		return mapped(func(x []float64) float64 { return -x[0] }, a)
	case *dsl.BinaryExpr:
		return binary(x.Op, e.eval(x.X), e.eval(x.Y))
	case *dsl.IfExpr:
		if x.Type().IsScalar() { // what is not chosen may be undefined
			if e.scalar(x.Cond) != 0 {
				return e.eval(x.Then)
			}
			return e.eval(x.Else)
		}
		return mapped(func(x []float64) float64 {
			if x[0] != 0 {
				return x[1]
			}
			return x[2]
		}, e.eval(x.Cond), e.eval(x.Then), e.eval(x.Else))
	case *dsl.SumExpr:
		if x.Terms != nil {
			return e.eval(x.Terms)
		}
		var indices []*dsl.Index
		for _, d := range x.Indices {
			indices = append(indices, d.Index)
		}
		var all []float64
		e.over(indices, func() { all = append(all, e.scalar(x.Body)) })
		return number(reduced(x.Func, all))
	case *dsl.MatrixExpr:
		if len(x.Joined) > 0 {
			var all []float64
			for _, y := range x.Rows[0] {
				all = append(all, e.eval(y).v...)
			}
			return array{shape: []int{len(all)}, v: all}
		}
		a := array{shape: []int{len(x.Rows), len(x.Rows[0])}}
		if len(x.Rows) == 1 {
			a.shape = a.shape[1:]
		}
		for _, r := range x.Rows {
			for _, y := range r {
				a.v = append(a.v, e.scalar(y))
			}
		}
		return a
	case *dsl.CallExpr:
		return e.call(x)
	}
	panic(fmt.Sprintf("no expression %T", x))
}

// positions are those that a subscript of a dimension of some size stands for.
func (e *naive) positions(s dsl.Subscript, size int) array {
	switch {
	case s.All:
		last := size
		if s.At != (dsl.Extent{}) {
			last = e.extent(s.At)
		}
		a := array{shape: []int{last - s.Offset}}
		for i := s.Offset; i < last; i++ {
			a.v = append(a.v, float64(i+1))
		}
		return a
	case s.Gather != nil && s.Gather.Data == nil:
		return mapped(func(x []float64) float64 { return x[0] + float64(s.Offset) }, e.eval(s.Gather.Value))
	case s.Gather != nil:
		return mapped(func(x []float64) float64 { return x[0] + float64(s.Offset) }, e.selected(e.values[s.Gather.Data], s.Gather.Subs))
	case s.Index != nil:
		return number(float64(e.index[s.Index] + s.Offset))
	}
	return number(float64(e.extent(s.At)))
}

// selected are the elements of an array at all combinations of the positions that
// its subscripts stand for.
func (e *naive) selected(base array, list []dsl.Subscript) array {
	out := array{}
	at := make([]int, len(list))
	pos := make([]array, len(list))
	for n, s := range list {
		pos[n] = e.positions(s, base.shape[n])
		out.shape = append(out.shape, pos[n].shape...)
	}
	var rec func(n int)
	rec = func(n int) {
		if n == len(list) {
			out.v = append(out.v, base.at(at...))
			return
		}
		for _, p := range pos[n].v {
			at[n] = int(p)
			if e.moving { // the first element holds before it, and the last one behind it
				at[n] = max(1, min(at[n], base.shape[n]))
			}
			rec(n + 1)
		}
	}
	rec(0)
	return out
}

func transposed(a array) array {
	var t mat.Dense
	t.CloneFrom(dense(a).T())
	return array{[]int{a.shape[1], a.shape[0]}, t.RawMatrix().Data}
}

func dense(a array) *mat.Dense {
	cols := 1
	if len(a.shape) == 2 {
		cols = a.shape[1]
	}
	return mat.NewDense(a.shape[0], cols, a.v)
}

func binary(op string, a, b array) array {
	if op == "*" && len(a.shape) == 2 && len(b.shape) > 0 {
		if len(a.v) == 0 || len(b.v) == 0 { // gonum has no empty matrices
			cols := 1
			if len(b.shape) == 2 {
				cols = b.shape[1]
			}
			return array{append([]int{a.shape[0]}, b.shape[1:]...), make([]float64, a.shape[0]*cols)}
		}
		var p mat.Dense
		p.Mul(dense(a), dense(b))
		return array{append([]int{a.shape[0]}, b.shape[1:]...), p.RawMatrix().Data}
	}
	return mapped(func(x []float64) float64 {
		switch op {
		case "+":
			return x[0] + x[1]
		case "-":
			return x[0] - x[1]
		case "*", ".*":
			return x[0] * x[1]
		case "/", "./":
			return x[0] / x[1]
		case "<":
			return truth(x[0] < x[1])
		case "<=":
			return truth(x[0] <= x[1])
		case ">":
			return truth(x[0] > x[1])
		case ">=":
			return truth(x[0] >= x[1])
		case "==":
			return truth(x[0] == x[1])
		case "!=":
			return truth(x[0] != x[1])
		case "and":
			return truth(x[0] != 0 && x[1] != 0)
		case "or":
			return truth(x[0] != 0 || x[1] != 0)
		}
		return math.Pow(x[0], x[1])
	}, a, b)
}

func (e *naive) call(x *dsl.CallExpr) array {
	if x.Func == "delta" {
		i, j := e.positions(x.Subscripts[0], 0), e.positions(x.Subscripts[1], 0)
		if i.v[0] == j.v[0] {
			return number(1)
		}
		return number(0)
	}
	if x.Inlined != nil {
		return e.eval(x.Inlined.Value)
	}
	if x.Density != nil {
		return number(e.term(x.Density))
	}
	if x.Draws != nil {
		return e.drawn[x][e.place(x)]
	}
	args := make([]array, len(x.Args))
	for n, a := range x.Args {
		args[n] = e.eval(a.Expr)
	}
	switch x.Func {
	case "pi":
		return number(math.Pi)
	case "size":
		return number(float64(len(args[0].v)))
	case "max", "min":
		return number(reduced(x.Func, args[0].v))
	case "log_sum_exp":
		if len(args) == 1 {
			return number(reduced(x.Func, args[0].v))
		}
	case "softmax":
		total := reduced("log_sum_exp", args[0].v)
		return mapped(func(x []float64) float64 { return math.Exp(x[0] - total) }, args[0])
	case "sum", "mean":
		s := 0.0
		for _, y := range args[0].v {
			s += y
		}
		if x.Func == "mean" {
			s /= float64(len(args[0].v))
		}
		return number(s)
	case "dot":
		if len(args[0].v) == 0 {
			return number(0)
		}
		return number(mat.Dot(mat.NewVecDense(len(args[0].v), args[0].v), mat.NewVecDense(len(args[1].v), args[1].v)))
	case "diag":
		n := len(args[0].v)
		a := array{[]int{n, n}, make([]float64, n*n)}
		for i, y := range args[0].v {
			a.v[i*n+i] = y
		}
		return a
	case "transpose":
		return transposed(args[0])
	}
	if a, ok := ofMatrices(x.Func, args); ok {
		return a
	}
	return mapped(func(y []float64) float64 { return function(x.Func, y) }, args...)
}

// ofMatrices is a function of whole matrices, if it is one.
func ofMatrices(name string, args []array) (array, bool) {
	switch name {
	case "inverse", "inverse_general":
		var inv mat.Dense
		if err := inv.Inverse(dense(args[0])); err != nil {
			panic(err)
		}
		return array{args[0].shape, inv.RawMatrix().Data}, true
	case "log_det", "log_abs_det":
		l, _ := mat.LogDet(dense(args[0]))
		return number(l), true
	case "trace":
		return number(mat.Trace(dense(args[0]))), true
	case "cholesky":
		return factorOf(args[0]), true
	case "kronecker_log_det":
		l, _ := mat.LogDet(kronecker(args))
		return number(l), true
	case "kronecker_solve": // row by row: A⊗B + s of the rows of Y, one after the other
		var y mat.Dense
		if err := y.Solve(kronecker(args), mat.NewVecDense(len(args[3].v), args[3].v)); err != nil {
			panic(err)
		}
		return array{args[3].shape, y.RawMatrix().Data}, true
	case "solve_spd", "solve_lower", "solve_general":
		var y mat.Dense
		a := mat.Matrix(dense(args[0]))
		if n, _ := a.Dims(); name == "solve_lower" { // it reads the lower triangle alone
			a = mat.NewTriDense(n, mat.Lower, append([]float64(nil), args[0].v...))
		}
		if err := y.Solve(a, dense(args[1])); err != nil {
			panic(err)
		}
		return array{args[1].shape, y.RawMatrix().Data}, true
	}
	return array{}, false
}

// kronecker is A⊗B + s, as it stands.
func kronecker(args []array) *mat.Dense {
	var k mat.Dense
	k.Kronecker(dense(args[0]), dense(args[1]))
	n, _ := k.Dims()
	for i := range n {
		k.Set(i, i, k.At(i, i)+args[2].v[0])
	}
	return &k
}

// factorOf is L with A = L Lᵀ, from its definition: A_ij = Σ_k≤j L_ik L_jk.
func factorOf(a array) array {
	n := a.shape[0]
	l := make([]float64, n*n)
	for i := range n {
		for j := range i + 1 {
			s := a.v[i*n+j]
			for k := range j {
				s -= l[i*n+k] * l[j*n+k]
			}
			if i == j {
				l[i*n+j] = math.Sqrt(s)
			} else {
				l[i*n+j] = s / l[j*n+j]
			}
		}
	}
	return array{a.shape, l}
}

// function is an elementwise function, by its definition. Its lines are one case for each function.
func function(name string, x []float64) float64 {
	switch name {
	case "log_mix":
		return math.Log(x[0]*math.Exp(x[1]) + (1-x[0])*math.Exp(x[2]))
	case "inv_Phi":
		return math.Sqrt2 * math.Erfinv(2*x[0]-1)
	case "log_Phi":
		return math.Log(0.5 * math.Erfc(-x[0]/math.Sqrt2))
	case "log_Phi_interval":
		return math.Log(0.5*math.Erfc(-x[0]/math.Sqrt2) - 0.5*math.Erfc((x[1]-x[0])/math.Sqrt2))
	case "log_Phi_tilted":
		return math.Log(0.5*math.Erfc((x[1]-x[0])/math.Sqrt2)) + 0.5*x[1]*x[1] - x[1]*x[0]
	case "abs":
		return math.Sqrt(x[0] * x[0])
	case "fmax":
		return (x[0] + x[1] + math.Abs(x[0]-x[1])) / 2
	case "fmin":
		return (x[0] + x[1] - math.Abs(x[0]-x[1])) / 2
	case "step":
		return truth(x[0] >= 0)
	case "sign":
		return truth(x[0] > 0) - truth(x[0] < 0)
	case "floor":
		whole, _ := math.Modf(x[0])
		return whole - truth(whole > x[0])
	case "ceil":
		return -function("floor", []float64{-x[0]})
	case "trunc":
		return x[0] - math.Mod(x[0], 1)
	case "round":
		return function("sign", x) * function("floor", []float64{math.Abs(x[0]) + 0.5})
	case "exp":
		return math.Exp(x[0])
	case "expm1":
		return math.Expm1(x[0])
	case "log":
		return math.Log(x[0])
	case "log1p":
		return math.Log1p(x[0])
	case "log1m":
		return math.Log1p(-x[0])
	case "log1p_exp":
		return softplus(x[0])
	case "log1m_exp":
		return math.Log(-math.Expm1(x[0]))
	case "log_inv_logit":
		return -softplus(-x[0])
	case "log1m_inv_logit":
		return -softplus(x[0])
	case "inv_logit":
		return 1 / (1 + math.Exp(-x[0]))
	case "logit":
		return math.Log(x[0] / (1 - x[0]))
	case "sqrt":
		return math.Sqrt(x[0])
	case "square":
		return x[0] * x[0]
	case "inv":
		return 1 / x[0]
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
		return lgamma(x[0])
	case "digamma":
		return mathext.Digamma(x[0])
	case "trigamma":
		return mathext.Zeta(2, x[0])
	case "log_bessel_i0":
		return logBesselI0(x[0])
	case "log_rising_ratio":
		return lgamma(x[0]+x[1]) - lgamma(x[0]) - x[1]*math.Log(x[0])
	case "student_information":
		nu := x[0]
		return 0.25*(mathext.Zeta(2, nu/2)-mathext.Zeta(2, (nu+1)/2)) - (nu+5)/(2*nu*(nu+1)*(nu+3))
	case "Phi":
		return distuv.UnitNormal.CDF(x[0])
	case "pow":
		return math.Pow(x[0], x[1])
	case "lbeta":
		return mathext.Lbeta(x[0], x[1])
	case "log_gamma_p":
		return math.Log(mathext.GammaIncReg(x[0], x[1]))
	case "log_gamma_q":
		return math.Log(mathext.GammaIncRegComp(x[0], x[1]))
	case "log_inc_beta":
		return math.Log(mathext.RegIncBeta(x[0], x[1], x[2]))
	case "lchoose":
		return lchoose(x[0], x[1])
	case "log_sum_exp":
		return math.Log(math.Exp(x[0]) + math.Exp(x[1]))
	}
	panic("no function " + name)
}

// reduced is a reduction of numbers, log_sum_exp by adding one after the other.
func reduced(name string, all []float64) float64 {
	s := map[string]float64{"sum": 0, "log_sum_exp": math.Inf(-1), "max": math.Inf(-1), "min": math.Inf(1)}[name]
	for _, x := range all {
		switch name {
		case "sum":
			s += x
		case "max":
			s = max(s, x)
		case "min":
			s = min(s, x)
		default:
			if hi, lo := max(s, x), min(s, x); !math.IsInf(hi, 0) {
				s = hi + math.Log1p(math.Exp(lo-hi))
			}
		}
	}
	return s
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// square are the types of square matrices: each writes the values at coordinates, and returns how many it took, and the logarithm of the Jacobian, as
// Stan's reference has them.
var square = map[*dsl.Constraint]func(n int, a, q []float64) (used int, l float64){
	dsl.CorrCholesky: corrFactor, dsl.Corr: corrMatrix, dsl.Cov: covMatrix, dsl.CovCholesky: covFactor,
}

// corrMatrix is of partial correlations, which the coordinates are column by column: the correlation of i and j given those before j. The recursion is that of
// Lewandowski, Kurowicka and Joe, from the last condition to none.
func corrMatrix(n int, a, q []float64) (used int, l float64) {
	partial := make([][]float64, n)
	for i := range partial {
		partial[i] = make([]float64, n)
		a[i*n+i] = 1
	}
	for j := range n {
		for i := j + 1; i < n; i++ {
			z := math.Tanh(q[used])
			partial[i][j] = z
			l += (1 + float64(n-2-j)/2) * math.Log(1-z*z)
			used++
		}
	}
	for j := range n {
		for i := j + 1; i < n; i++ {
			r := partial[i][j]
			for k := j - 1; k >= 0; k-- {
				p, s := partial[i][k], partial[j][k]
				r = p*s + r*math.Sqrt((1-p*p)*(1-s*s))
			}
			a[i*n+j], a[j*n+i] = r, r
		}
	}
	return used, l
}

// covFactor is of a factor with the logarithms of its diagonal.
func covFactor(n int, a, q []float64) (used int, l float64) {
	for i := range n {
		copy(a[i*n:], q[used:used+i])
		used += i + 1
		a[i*n+i] = math.Exp(q[used-1])
		l += q[used-1]
	}
	return used, l
}

// covMatrix is the square of such a factor L, with the Jacobian 2^n Π L_kk^(n−k+1) of that.
func covMatrix(n int, a, q []float64) (used int, l float64) {
	f := make([]float64, n*n)
	used, l = covFactor(n, f, q)
	for i := range n {
		l += math.Log(2) + float64(n-i)*math.Log(f[i*n+i])
		for j := range n {
			for k := range n {
				a[i*n+j] += f[i*n+k] * f[j*n+k]
			}
		}
	}
	return used, l
}

// corrFactor is of a factor whose rows have length 1.
func corrFactor(n int, a, q []float64) (used int, l float64) {
	for i := range n {
		sum := 0.0 // of the squares so far
		for j := range i {
			z := math.Tanh(q[used])
			a[i*n+j] = z * math.Sqrt(1-sum)
			l += math.Log(1-z*z) + 0.5*math.Log(1-sum)
			sum += a[i*n+j] * a[i*n+j]
			used++
		}
		a[i*n+i] = math.Sqrt(1 - sum)
	}
	return used, l
}

// constrained writes the values of a vector that obeys a constraint at coordinates, and returns how many it took, and the logarithm of the
// Jacobian, as Stan's reference has them.
func constrained(x *dsl.Constraint, a, q []float64) (n int, l float64) {
	m := len(a)
	switch x {
	case dsl.UnitVector:
		for _, u := range q[:m] {
			l -= u * u / 2
		}
		for i, u := range q[:m] {
			a[i] = u / math.Sqrt(-2*l)
		}
		return m, l
	case dsl.SumToZero: // each coordinate raises those before it, and lowers the next by as much
		for n := 1; n < m; n++ {
			w := q[n-1] / math.Sqrt(float64(n)*float64(n+1))
			for i := range n {
				a[i] += w
			}
			a[n] -= float64(n) * w
		}
		return m - 1, 0
	}
	if x == dsl.Simplex {
		stick := 1.0 // what is left of it is 1 less the parts before
		for k := range m - 1 {
			v := q[k] + math.Log(1/float64(m-1-k))
			a[k] = stick / (1 + math.Exp(-v))
			l += math.Log(stick) - softplus(-v) - softplus(v)
			stick /= 1 + math.Exp(v)
		}
		a[m-1] = stick
		return m - 1, l
	}
	for k := range m {
		switch {
		case k > 0:
			a[k] = a[k-1] + math.Exp(q[k])
			l += q[k]
		case x == dsl.PositiveOrdered:
			a[0] = math.Exp(q[0])
			l += q[0]
		default:
			a[0] = q[0]
		}
	}
	return m, l
}

// logBesselI0 is log I₀(x) by its integral, the mean of exp(x cos θ) over the circle.
func logBesselI0(x float64) float64 {
	const steps = 400
	x = math.Abs(x)
	sum := 0.0
	for i := range steps {
		sum += math.Exp(x*(math.Cos(2*math.Pi*float64(i)/steps)-1)) / steps
	}
	return x + math.Log(sum)
}

// logFirstPassage is the density of a decision's time, at the upper boundary of separation a[0], after the delay a[1], from a[2] of the way up with the drift a[3]:
// that of a Brownian motion without drift, by the method of images where the time is short, times the ratio of densities of paths with and without drift (Girsanov).
func logFirstPassage(y float64, a []float64) float64 {
	t := y - a[1]
	if t <= 0 {
		return math.Inf(-1)
	}
	below := a[0] * (1 - a[2])
	drifts := a[3]*below - a[3]*a[3]*t/2
	sum := 0.0
	if t > a[0]*a[0]/2 { // where images cancel, by the eigenfunctions of the interval
		for k := 1.0; k <= 30; k++ {
			sum += k * math.Exp(-(k*k-1)*math.Pi*math.Pi*t/(2*a[0]*a[0])) * math.Sin(k*math.Pi*(1-a[2]))
		}
		return math.Log(math.Pi*sum/(a[0]*a[0])) - math.Pi*math.Pi*t/(2*a[0]*a[0]) + drifts
	}
	for k := -30; k <= 30; k++ {
		z := below + 2*a[0]*float64(k)
		sum += z * math.Exp((below*below-z*z)/(2*t))
	}
	return math.Log(sum) - below*below/(2*t) - 0.5*math.Log(2*math.Pi) - 1.5*math.Log(t) + drifts
}
