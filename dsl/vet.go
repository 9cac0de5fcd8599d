package dsl

import (
	"fmt"
	"math"
	"slices"
)

// What compiles and is probably wrong. Nothing here is an error, and each finding may be meant: they are told to those who ask.

// Vet returns the findings about a model, in the order of the text; about its data too where values has them, by name, matrices row by row.
func (m *Model) Vet(values map[string][]float64) []Diagnostic {
	v := &vetting{m: m, values: values}
	v.flat()
	v.statements()
	if values != nil {
		v.data()
	}
	slices.SortStableFunc(v.list, func(a, b Diagnostic) int {
		if a.Span.Pos.before(b.Span.Pos) {
			return -1
		} else if b.Span.Pos.before(a.Span.Pos) {
			return 1
		}
		return 0
	})
	return v.list
}

type vetting struct {
	m      *Model
	values map[string][]float64
	list   []Diagnostic
}

func (v *vetting) find(code Code, at Span, hint, format string, args ...any) {
	v.list = append(v.list, Diagnostic{Severity: Warning, Code: code, Span: at, Hint: hint, Message: fmt.Sprintf(format, args...)})
}

// flat finds parameters without a prior, however many observations there are.
func (v *vetting) flat() {
	known := map[Span]bool{}
	for _, d := range v.m.Scarce(nil) {
		known[d.Span] = true
	}
	for _, p := range v.m.flatParams() {
		if !known[p.At] {
			v.find(FlatPrior, p.At, fmt.Sprintf("give it one, as in `%s ~ %s`", p.Name, priorOf(p)), "`%s` has no prior: all of its values are as likely before the data are seen, on its own scale", p.Name)
		}
	}
}

// statements looks at each `~`.
func (v *vetting) statements() {
	described := map[Object]*Term{}
	for _, t := range v.m.Terms {
		if t.Dist == nil {
			continue
		}
		if d := datum(t.Left); d != nil {
			if d.Type.Base == Int && !t.Dist.Support.Discrete() {
				v.find(WholeNumbers, t.Left.Span(), "poisson, neg_binomial_2 and binomial describe counts", "`%s` holds whole numbers, and `%s` describes real ones", d.Name, t.Dist.Name)
			}
		}
		v.twice(t, described)
		v.prior(t)
	}
}

// twice finds what has two distributions as a whole: data, or a parameter.
func (v *vetting) twice(t *Term, described map[Object]*Term) {
	n, ok := whole(t.Left).(*Name)
	if !ok {
		return
	}
	what := "the posterior counts each of its elements twice"
	switch n.Obj.(type) {
	case *Data:
	case *Param:
		what = "the prior is the product of both: leave one out, unless that is meant"
	default:
		return
	}
	first := described[n.Obj]
	if described[n.Obj] = t; first == nil {
		return
	}
	v.find(UsedTwice, t.Left.Span(), what, "`%s` has two distributions", n.Name)
	v.list[len(v.list)-1].Notes = []Note{{first.Left.Span(), "the first is here"}}
}

// vague is the scale beyond which a prior is as good as none, for parameters of which nothing else is known.
const vague = 1000

// prior looks at the prior of a parameter, as far as its arguments are numbers.
func (v *vetting) prior(t *Term) {
	p := alias(t.Left)
	if p == nil {
		return
	}
	args := make([]float64, len(t.Args))
	for n, a := range t.Args {
		x, ok := plainNumber(a)
		if args[n] = x; !ok {
			args[n] = math.NaN()
		}
	}
	at := func(name string) float64 {
		for n, a := range t.Dist.Args {
			if a.Name == name {
				return args[n]
			}
		}
		return math.NaN()
	}
	switch t.Dist.Name {
	case "gamma", "inv_gamma":
		if a := at("alpha"); a < 0.1 {
			v.find(SpikedPrior, t.Left.Span(), "exponential, gamma(2, …) or half_normal say how large it may be", "`%s(%v, …)` has most of its mass next to 0 or far out, and none between", t.Dist.Name, a)
		}
	case "normal", "cauchy", "student_t", "half_normal", "half_cauchy", "half_student_t", "double_exponential", "logistic":
		if s := at("sigma"); s >= vague {
			v.find(VaguePrior, t.Left.Span(), "say what is plausible; the scale of the data tells", "a scale of %v says that `%s` is probably in the hundreds or more", s, p.Name)
		}
	case "uniform":
		if w := at("beta") - at("alpha"); w >= vague {
			v.find(VaguePrior, t.Left.Span(), "say what is plausible; the scale of the data tells", "an interval of length %v says that `%s` is probably in the hundreds or more", w, p.Name)
		}
	}
}

// plainNumber is the value of a number, perhaps with a sign.
func plainNumber(e Expr) (float64, bool) {
	switch e := e.(type) {
	case *Number:
		return e.Value, true
	case *UnaryExpr:
		x, ok := plainNumber(e.X)
		return -x, ok && e.Op == "-"
	case *Name:
		if k, ok := e.Obj.(*Const); ok {
			return k.Value, true
		}
	}
	return 0, false
}

// data looks at the numbers: predictors, and groups.
func (v *vetting) data() {
	observed := map[*Data]bool{}
	for _, d := range v.m.Observed() {
		observed[d] = true
	}
	selects, predicts := v.m.roles()
	seen := v.namedBy(selects)
	var vectors []*Data
	for _, d := range v.m.Data {
		x := v.values[d.Name]
		switch {
		case len(d.Type.Shape) == 0 || observed[d] || !predicts[d] || d.Constraint != nil || len(x) == 0:
		case d.Type.Base == Real && len(d.Type.Shape) == 1:
			v.predictors(d, [][]float64{x})
			v.beside(d, vectors)
			vectors = append(vectors, d)
		case d.Type.Base == Real && len(d.Type.Shape) == 2:
			columns, _ := v.size(d.Type.Shape[1])
			v.predictors(d, columnsOf(x, columns))
		}
		if selects[d] && d.Type.Base == Int {
			v.groups(d, seen)
		}
	}
}

func (v *vetting) size(e Extent) (int, bool) {
	if e.IsConst() {
		return e.Offset, true
	}
	x := v.values[e.Name]
	if len(x) != 1 {
		return 0, false
	}
	return int(x[0]) + e.Offset, true
}

func columnsOf(x []float64, n int) [][]float64 {
	out := make([][]float64, n)
	for i, y := range x {
		out[i%n] = append(out[i%n], y)
	}
	return out
}

// ratio is how many times one standard deviation may be another without comment.
const ratio = 1000

// far is how many standard deviations a predictor may be from 0 without comment: the years 1970 to 2014 are 150, and their squares are all but a multiple of them.
const far = 100

// predictors looks at data that say under which conditions the observations were made.
func (v *vetting) predictors(d *Data, columns [][]float64) {
	least, most := math.Inf(1), 0.0
	for k, x := range columns {
		mean, sd := moments(x)
		if sd <= 1e-12*math.Abs(mean) {
			sd = 0 // but for rounding
		}
		name := d.Name
		if len(columns) > 1 {
			name = fmt.Sprintf("%s[:, %d]", d.Name, k+1)
		}
		switch {
		case sd == 0 && len(x) > 2 && mean != 1 && mean != 0:
			v.find(ConstantPredictor, d.At, "leave it out: it cannot be told from a level", "all elements of `%s` are %v", name, mean)
		case sd > 0 && math.Abs(mean) > far*sd:
			v.find(FarPredictor, d.At, fmt.Sprintf("subtract the mean, %.6g", mean), "`%s` is far from 0 for how little it varies, by %.3g: its coefficient and the level are all but one", name, sd)
		}
		if sd > 0 {
			least, most = min(least, sd), max(most, sd)
		}
		for j := range k {
			if sd > 0 && slices.Equal(columns[j], x) {
				v.find(ConstantPredictor, d.At, "leave one out: their coefficients cannot be told apart", "the columns %d and %d of `%s` are equal", j+1, k+1, d.Name)
				break
			}
		}
	}
	if most > ratio*least {
		v.find(UnequalPredictors, d.At, "divide them by their standard deviations", "the columns of `%s` have standard deviations from %.3g to %.3g, and so, inversely, have plausible coefficients", d.Name, least, most)
	}
}

// beside looks at a predictor beside others of its length.
func (v *vetting) beside(d *Data, others []*Data) {
	x := v.values[d.Name]
	_, sd := moments(x)
	for _, o := range others {
		y := v.values[o.Name]
		_, own := moments(y)
		switch {
		case o.Type.Shape[0] != d.Type.Shape[0] || sd == 0 || own == 0:
		case slices.Equal(x, y):
			v.find(ConstantPredictor, d.At, "leave one out: their coefficients cannot be told apart", "`%s` and `%s` are equal", o.Name, d.Name)
			return
		case max(sd, own) > ratio*min(sd, own):
			v.find(UnequalPredictors, d.At, "divide them by their standard deviations", "`%s` and `%s` have the standard deviations %.3g and %.3g, and so, inversely, have plausible coefficients", o.Name, d.Name, own, sd)
			return
		}
	}
}

func moments(x []float64) (mean, sd float64) {
	for _, y := range x {
		mean += y / float64(len(x))
	}
	if !slices.ContainsFunc(x, func(y float64) bool { return y != x[0] }) {
		return x[0], 0
	}
	for _, y := range x {
		sd += (y - mean) * (y - mean)
	}
	return mean, math.Sqrt(sd / float64(max(1, len(x)-1)))
}

// namedBy are, for each range that data select in, the values that occur in any of them: two columns may name the ends of an edge.
func (v *vetting) namedBy(selects map[*Data]bool) map[Range]map[int]bool {
	out := map[Range]map[int]bool{}
	for _, d := range v.m.Data {
		lo, hi, ok := d.Values()
		if !selects[d] || !ok {
			continue
		}
		of := Range{lo, hi}
		if out[of] == nil {
			out[of] = map[int]bool{}
		}
		for _, y := range v.values[d.Name] {
			out[of][int(y)] = true
		}
	}
	return out
}

// groups finds values of integer data that never occur in data of its range.
func (v *vetting) groups(d *Data, named map[Range]map[int]bool) {
	lo, hi, ok := d.Values()
	if !ok || len(d.Type.Shape) == 0 {
		return
	}
	from, ok1 := v.size(lo)
	to, ok2 := v.size(hi)
	if !ok1 || !ok2 || to-from > 1e6 {
		return
	}
	seen := named[Range{lo, hi}]
	missing := 0
	first := 0
	for k := from; k <= to; k++ {
		if !seen[k] {
			if missing++; missing == 1 {
				first = k
			}
		}
	}
	switch {
	case missing == 1:
		v.find(EmptyGroup, d.At, "its parameter is known by its prior alone", "no element of `%s` is %d", d.Name, first)
	case missing > 1:
		v.find(EmptyGroup, d.At, "their parameters are known by their priors alone", "%d of the values that `%s` may have, as %d, do not occur", missing, d.Name, first)
	}
}

// roles are the data that select elements of parameters, and those that are multiplied by what depends on parameters: predictors.
func (m *Model) roles() (selects, predicts map[*Data]bool) {
	selects, predicts = map[*Data]bool{}, map[*Data]bool{}
	free := map[Expr]bool{} // whether an expression depends on parameters
	depends := func(e Expr) bool {
		d, ok := free[e]
		if !ok {
			d = len(paramsOf(e)) > 0
			free[e] = d
		}
		return d
	}
	pair := func(x, y Expr) {
		if d := datum(x); d != nil && depends(y) {
			predicts[d] = true
		}
		if d := datum(y); d != nil && depends(x) {
			predicts[d] = true
		}
	}
	var subscripts func(list []Subscript)
	subscripts = func(list []Subscript) {
		for _, s := range list {
			if s.Gather != nil && s.Gather.Data != nil {
				selects[s.Gather.Data] = true
				subscripts(s.Gather.Subs)
			}
		}
	}
	seen := map[Expr]bool{}
	var visit func(e Expr)
	visit = func(e Expr) {
		if e == nil || seen[e] {
			return
		}
		seen[e] = true
		switch e := e.(type) {
		case *IndexExpr:
			if n, ok := Through(e.Base).(*Name); ok {
				if _, ok := n.Obj.(*Param); ok {
					subscripts(e.Subscripts)
				}
			}
		case *BinaryExpr:
			if e.Op == "*" || e.Op == ".*" {
				pair(e.X, e.Y)
			}
		case *CallExpr:
			if len(e.Args) == 2 && e.Func == "dot" {
				pair(e.Args[0].Expr, e.Args[1].Expr)
			}
		case *Name:
			if l, ok := e.Obj.(*Let); ok {
				for _, x := range l.Values() {
					visit(x)
				}
			}
		}
		children(e, visit)
	}
	for _, t := range m.Terms {
		for _, e := range append([]Expr{t.Left, t.Value}, t.Args...) {
			if e != nil {
				visit(e)
			}
		}
		if t.Formula != nil {
			visit(t.Formula)
		}
	}
	return selects, predicts
}
