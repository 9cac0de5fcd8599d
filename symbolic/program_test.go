package symbolic

import (
	"fmt"
	"math"
	"math/rand"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/internal/campaign"
	"github.com/hamc-dev/hamc/symbolic/expr"
	"github.com/hamc-dev/hamc/symbolic/internal/naive"
	"github.com/hamc-dev/hamc/symbolic/model"
)

// A phrase is a piece of model text with its meaning.
type phrase struct {
	text string
	f    func(s *scene) float64
}

// A scene gives numbers to the names of a random model.
type scene struct {
	scalar map[string]float64
	vector map[string][]float64
	matrix map[string][][]float64
	idx    map[string]int
}

// A writer writes random models.
type writer struct {
	rng   *rand.Rand
	lets  []string // of vectors over n that are defined so far
	count int
	flat  bool // no shifted subscripts

	blocks bool // the parameters are sampled in two blocks
}

var writerRanges = []struct {
	text     string
	lo, hi   int
	from, to int
}{
	{"n", 1, 4, 0, 0},
	{"2..n", 2, 4, -1, 0},
	{"n-1", 1, 3, 0, 1},
	{"2..n-1", 2, 3, -1, 1},
	{"3..n", 3, 4, -2, 0},
	{"n-2", 1, 2, 0, 2},
	{"4..n", 4, 4, -3, 0},
}

type spoken struct {
	name     string
	k        bool
	from, to int
}

func (w *writer) leaf(scope []spoken) phrase {
	var n, k []spoken
	for _, s := range scope {
		if s.k {
			k = append(k, s)
		} else {
			n = append(n, s)
		}
	}
	shifted := func(s spoken) (string, func(*scene) int) {
		o := s.from + w.rng.Intn(s.to-s.from+1)
		if w.flat {
			o = 0
		}
		text := s.name
		if o != 0 {
			text = fmt.Sprintf("%s%+d", s.name, o)
		}
		return text, func(v *scene) int { return v.idx[s.name] + o - 1 }
	}
	switch r := w.rng.Intn(10); {
	case r < 5 && len(n) > 0:
		names := append([]string{"u", "u", "y"}, w.lets...)
		name := names[w.rng.Intn(len(names))]
		text, at := shifted(n[w.rng.Intn(len(n))])
		return phrase{name + "[" + text + "]", func(v *scene) float64 { return v.vector[name][at(v)] }}
	case r < 7 && len(k) > 0:
		name := []string{"b", "b", "z"}[w.rng.Intn(3)]
		text, at := shifted(k[w.rng.Intn(len(k))])
		return phrase{name + "[" + text + "]", func(v *scene) float64 { return v.vector[name][at(v)] }}
	case r == 7 && len(k) > 0 && len(n) > 0:
		p, at := shifted(n[w.rng.Intn(len(n))])
		q, to := shifted(k[w.rng.Intn(len(k))])
		return phrase{"x[" + p + ", " + q + "]", func(v *scene) float64 { return v.matrix["x"][at(v)][to(v)] }}
	case r == 8:
		return phrase{"u[2]", func(v *scene) float64 { return v.vector["u"][1] }}
	}
	name := []string{"mu", "mu", "a"}[w.rng.Intn(3)]
	return phrase{name, func(v *scene) float64 { return v.scalar[name] }}
}

func (w *writer) random(depth int, scope []spoken) phrase {
	if depth == 0 {
		return w.leaf(scope)
	}
	sub := func() phrase { return w.random(depth-1, scope) }
	switch r := w.rng.Intn(14); {
	case r < 2:
		a, b := sub(), sub()
		return phrase{"(" + a.text + " + " + b.text + ")", func(v *scene) float64 { return a.f(v) + b.f(v) }}
	case r == 2:
		a, b := sub(), sub()
		return phrase{"(" + a.text + " - " + b.text + ")", func(v *scene) float64 { return a.f(v) - b.f(v) }}
	case r < 6:
		a, b := sub(), sub()
		return phrase{a.text + "*" + b.text, func(v *scene) float64 { return a.f(v) * b.f(v) }}
	case r == 6:
		a := sub()
		return phrase{"(" + a.text + ")^2", func(v *scene) float64 { x := a.f(v); return x * x }}
	case r == 7:
		a, b := sub(), sub()
		return phrase{"(" + a.text + ")/(1 + (" + b.text + ")^2)", func(v *scene) float64 { y := b.f(v); return a.f(v) / (1 + y*y) }}
	case r == 8:
		name := []string{"sin", "tanh", "inv_logit", "log1p_exp", "asinh", "cos"}[w.rng.Intn(6)]
		a := sub()
		return phrase{name + "(" + a.text + ")", func(v *scene) float64 { return naive.PlainFunction(name, []float64{a.f(v)}) }}
	case r == 9:
		a := w.leaf(scope)
		return phrase{"exp(0.5*" + a.text + ")", func(v *scene) float64 { return math.Exp(0.5 * a.f(v)) }}
	}
	if len(scope) >= 3 {
		return w.leaf(scope)
	}
	return w.sum(depth, scope)
}

func (w *writer) sum(depth int, scope []spoken) phrase {
	w.count++
	name := fmt.Sprintf("i%d", w.count)
	r := writerRanges[w.rng.Intn(len(writerRanges))]
	k := w.rng.Intn(3) == 0
	if k {
		r.text, r.lo, r.hi, r.from, r.to = "k", 1, 2, 0, 0
	}
	body := w.random(depth-1, append(append([]spoken{}, scope...), spoken{name, k, r.from, r.to}))
	if w.rng.Intn(5) == 0 {
		for _, s := range scope {
			if s.k == k {
				inner, other := body, s.name
				body = phrase{"delta(" + name + ", " + other + ")*" + inner.text, func(v *scene) float64 {
					if v.idx[name] != v.idx[other] {
						return 0
					}
					return inner.f(v)
				}}
				break
			}
		}
	}
	return phrase{"(sum(" + name + " in " + r.text + ") (" + body.text + "))", func(v *scene) float64 {
		total := 0.0
		for i := r.lo; i <= r.hi; i++ {
			v.idx[name] = i
			total += body.f(v)
		}
		delete(v.idx, name)
		return total
	}}
}

// model writes a model and its log density at flat coordinates mu, u, b.
func (w *writer) model(depth int) (text string, data map[string][]float64, logp func(q []float64) float64) {
	var t strings.Builder
	t.WriteString("model random\ndata n, k int\ndata a real\ndata y real[n]\ndata z real[k]\ndata x real[n, k]\nparam mu real\nparam u real[n]\nparam b real[k]\n")
	type let struct {
		name string
		at   string
		p    phrase
	}
	var lets []let
	for range w.rng.Intn(3) {
		w.count++
		i := fmt.Sprintf("i%d", w.count)
		p := w.random(depth-1, []spoken{{i, false, 0, 0}})
		name := fmt.Sprintf("e%d", len(lets)+1)
		fmt.Fprintf(&t, "let %s[%s in n] = %s\n", name, i, p.text)
		w.lets = append(w.lets, name)
		lets = append(lets, let{name, i, p})
	}
	terms := []phrase{w.sum(depth, nil), w.sum(depth, nil)}
	for _, p := range terms {
		fmt.Fprintf(&t, "density mu*%s\n", p.text)
	}
	// A chain: elements given their neighbours, over a part of the range.
	type link struct {
		at, sub   string
		lo, hi, o int
		mean      phrase
	}
	var links []link
	for range w.rng.Intn(3) {
		w.count++
		r := writerRanges[w.rng.Intn(len(writerRanges))]
		i := fmt.Sprintf("i%d", w.count)
		o := r.from + w.rng.Intn(r.to-r.from+1)
		k := link{at: i, lo: r.lo, hi: r.hi, o: o, sub: i, mean: w.random(depth-1, []spoken{{i, false, r.from, r.to}})}
		if o != 0 {
			k.sub += fmt.Sprintf("%+d", o)
		}
		fmt.Fprintf(&t, "u[%s] ~ normal(%s, 2) for %s in %s\n", k.sub, k.mean.text, i, r.text)
		links = append(links, k)
	}
	if !w.blocks {
		t.WriteString("metric softabs(alpha = 1e6)\n")
	} else {
		t.WriteString("block one(b, u) metric softabs(alpha = 1e6)\nblock two(mu) metric softabs(alpha = 1e6)\n")
	}
	numbers := func(n int) []float64 { return naive.RandomVector(w.rng, n, 0.7) }
	data = map[string][]float64{"n": {4}, "k": {2}, "a": numbers(1), "y": numbers(4), "z": numbers(2), "x": numbers(8)}
	return t.String(), data, func(q []float64) float64 {
		s := &scene{idx: map[string]int{},
			scalar: map[string]float64{"a": data["a"][0], "mu": q[0]},
			vector: map[string][]float64{"y": data["y"], "z": data["z"], "u": q[1:5], "b": q[5:7]},
			matrix: map[string][][]float64{"x": {data["x"][:2], data["x"][2:4], data["x"][4:6], data["x"][6:]}}}
		for _, l := range lets {
			v := make([]float64, 4)
			for i := range v {
				s.idx[l.at] = i + 1
				v[i] = l.p.f(s)
			}
			delete(s.idx, l.at)
			s.vector[l.name] = v
		}
		total := 0.0
		for _, p := range terms {
			total += q[0] * p.f(s)
		}
		for _, k := range links {
			for i := k.lo; i <= k.hi; i++ {
				s.idx[k.at] = i
				total += normal(s.vector["u"][i+k.o-1], k.mean.f(s), 2)
			}
			delete(s.idx, k.at)
		}
		return total
	}
}

// TestRandomPrograms derives random models and compares, at one point each:
// the log density with its meaning; the swept gradient and the Hessian with
// forward derivatives (Diff) that never went through Lower or Adjoint; the
// contraction, the force, the rank-one form and the Jacobian with differences
// of the Hessian.
func TestRandomPrograms(t *testing.T) {
	checked := 0
	for seed := range int64(campaign.Cases(t, 30, 150)) {
		checked += randomProgram(t, seed, 3, false)
	}
	for seed := range int64(campaign.Cases(t, 8, 40)) {
		checked += randomBlocks(t, seed)
	}
	if checked < campaign.Cases(t, 24, 120) {
		t.Errorf("only %d programs were fit to compare", checked)
	}
}

// forward returns the gradient and the Hessian of the log density by Diff, which is
// evaluated naively.
func forward(b *bench, data map[string][]float64, q []float64, given [][]float64) (grad []float64, hess [][]float64) {
	d, c, n := b.d, b.d.C, b.dim()
	v := &naive.Env{Sizes: map[string]int{"n": 4, "k": 2}, Values: map[*expr.Tensor][]float64{}, Idx: map[*expr.Index]int{}}
	for n, x := range d.Data {
		v.Values[x] = data[d.Model.Data[n].ObjectName()]
	}
	for n, p := range d.Params {
		v.Values[p.Coord] = q[b.start[n]:b.start[n+1]]
	}
	for n, p := range d.Given {
		v.Values[p.Coord] = given[n]
	}
	grad, hess = make([]float64, n), newMatrix(n)
	for r, p := range d.Params {
		i, s := p.Index(c, "i")
		first := c.Diff(d.L, p.Coord, s...)
		for r2, p2 := range d.Params[:r+1] {
			j, s2 := p2.Index(c, "j")
			second := c.Diff(first, p2.Coord, s2...)
			for a := b.start[r]; a < b.start[r+1]; a++ {
				if i != nil {
					v.Idx[i] = a - b.start[r] + 1
				}
				grad[a] = v.Eval(first)
				for z := b.start[r2]; z < b.start[r2+1]; z++ {
					if j != nil {
						v.Idx[j] = z - b.start[r2] + 1
					}
					hess[a][z] = v.Eval(second)
					hess[z][a] = hess[a][z]
				}
			}
		}
	}
	return grad, hess
}

// randomBlocks derives a random model in two blocks: the density of each is the
// joint one whatever is given, its derivatives are those by its own parameters, and
// the contraction that of differences of its Hessian.
func randomBlocks(t *testing.T, seed int64) int {
	t.Helper()
	w := &writer{rng: rand.New(rand.NewSource(seed)), blocks: true}
	text, data, logp := w.model(2)
	m, _ := dsl.Load("random.ham", text, dsl.Options{})
	if m == nil {
		return 0 // a statement turned out free of parameters: randomProgram looks at the reason
	}
	d, list := Derive(m)
	if d == nil {
		t.Errorf("seed %d: %v\n%s", seed, list, text)
		return 0
	}
	all := naive.RandomVector(w.rng, 7, 0.7)
	parts := map[string][]float64{"mu": all[:1], "u": all[1:5], "b": all[5:]}
	want := logp(all)
	if math.Abs(want) > 1e4 {
		return 0
	}
	for _, c := range d.Conditionals {
		b := newBench(t, c, data)
		var q []float64
		for _, p := range c.Params {
			q = append(q, parts[p.Decl.ObjectName()]...)
		}
		var given [][]float64
		for _, p := range c.Given {
			v := parts[p.Decl.ObjectName()]
			given = append(given, v)
			copy(b.m.Values(p.Coord), v)
		}
		fail := func(what string, got, want []float64) {
			t.Errorf("seed %d, block %s: %s\n got %.12g\nwant %.12g\n%s", seed, c.Block.ObjectName(), what, got, want, text)
		}
		if got := b.logDensity(q); !near([]float64{got}, []float64{want}, 1e-10) {
			fail("log density", []float64{got}, []float64{want})
			continue
		}
		grad, hess := forward(b, data, q, given)
		if got := b.vector(c.Gradient, q); !near(got, grad, 1e-9) {
			fail("gradient", got, grad)
		}
		if got := flatten(b.matrix(q)); !near(got, flatten(hess), 1e-9) {
			fail("Hessian", got, flatten(hess))
		}
		weight := randomSymmetric(w.rng, b.dim())
		b.setWeight(weight)
		contract := make([]float64, b.dim())
		for k := range contract {
			f := func(x []float64) []float64 { return flatten(b.matrix(x)) }
			dB, coarse := naive.DerivativeBy(2e-3, f, q, k), naive.DerivativeBy(4e-3, f, q, k)
			if !near(coarse, dB, 1e-8) {
				return 0
			}
			for i, v := range dB {
				contract[k] += flatten(weight)[i] * v
			}
		}
		if got := b.vector(c.Contract, q); !near(got, contract, 1e-6) {
			fail("contraction", got, contract)
		}
	}
	return 1
}

// randomProgram compares what is derived of a random program with its derivatives by other means, and returns how many it has compared: one or none.
func randomProgram(t *testing.T, seed int64, depth int, flat bool) int {
	t.Helper()
	w := &writer{rng: rand.New(rand.NewSource(seed)), flat: flat}
	text, data, logp := w.model(depth)
	fail := func(format string, args ...any) {
		t.Helper()
		t.Errorf("seed %d: %s\n%s", seed, fmt.Sprintf(format, args...), text)
	}
	defer func() {
		if r := recover(); r != nil {
			fail("panic: %v", r)
		}
	}()
	d := derived(text, fail)
	if d == nil {
		return 0
	}
	b := newBench(t, d, data)
	q := naive.RandomVector(w.rng, b.dim(), 0.7)
	want := logp(q)
	if math.Abs(want) > 1e4 {
		return 0
	}
	if got := b.logDensity(q); !near([]float64{got}, []float64{want}, 1e-10) {
		fail("log density %.12g, want %.12g", got, want)
		return 0
	}
	grad, hess := forward(b, data, q, nil)
	for _, g := range grad {
		if math.Abs(g) > 1e4 {
			return 0
		}
	}
	if got := b.vector(d.Gradient, q); !near(got, grad, 1e-9) {
		fail("gradient\n got %.12g\nwant %.12g", got, grad)
	}
	if got := flatten(b.matrix(q)); !near(got, flatten(hess), 1e-9) {
		fail("hessian\n got %.12g\nwant %.12g", got, flatten(hess))
	}
	n := b.dim()
	wt, vel := randomSymmetric(w.rng, n), naive.RandomVector(w.rng, n, 1)
	b.setWeight(wt)
	b.setVelocity(vel)
	f := func(x []float64) []float64 { return flatten(b.matrix(x)) }
	jac := b.jacobian(q)
	contract, rank := make([]float64, n), make([]float64, n)
	for k := range n {
		dB, coarse := naive.DerivativeBy(2e-3, f, q, k), naive.DerivativeBy(4e-3, f, q, k)
		if !near(coarse, dB, 1e-8) {
			return 0
		}
		if !near(flatten(jac[k]), dB, 1e-7) {
			fail("jacobian %d\n got %.10g\nwant %.10g", k, flatten(jac[k]), dB)
		}
		for i := range n {
			for j := range n {
				contract[k] += wt[i][j] * dB[i*n+j]
				rank[k] += 0.5 * vel[i] * vel[j] * dB[i*n+j]
			}
		}
	}
	if got := b.vector(d.Contract, q); !near(got, contract, 1e-6) {
		fail("contraction\n got %.10g\nwant %.10g", got, contract)
	}
	force := make([]float64, n)
	for k := range force {
		force[k] = -grad[k] + 0.5*contract[k]
	}
	if got := b.vector(d.Force, q); !near(got, force, 1e-6) {
		fail("force\n got %.10g\nwant %.10g", got, force)
	}
	if got := b.vector(d.Rank1, q); !near(got, rank, 1e-6) {
		fail("rank one\n got %.10g\nwant %.10g", got, rank)
	}
	return 1
}

// derived is what is derived of a program; nil where it is none, as it may be if a let or a density turns out free of parameters.
func derived(text string, fail func(format string, args ...any)) *Derived {
	m, ds := dsl.Load("random.ham", text, dsl.Options{})
	if m == nil {
		for i := range ds.List {
			if ds.List[i].Severity == dsl.Error && ds.List[i].Code != dsl.DataOnlyTerm && ds.List[i].Code != dsl.IndexRange {
				fail("%v", ds.List[i])
			}
		}
		return nil
	}
	d, list := Derive(m)
	if d == nil {
		fail("%v", list)
		return nil
	}
	return d
}

// TestGuardsOfDeltas: what a definition takes out of a product does not read what
// the deltas and indicators around it exclude, in terms of either index.
func TestGuardsOfDeltas(t *testing.T) {
	for name, build := range map[string]func(c *expr.Context, u, y *expr.Tensor, i, j *expr.Index) *expr.Expr{
		"a shift": func(c *expr.Context, u, y *expr.Tensor, i, j *expr.Index) *expr.Expr {
			return c.Mul(c.Delta(naive.At(i, 0), naive.At(j, 1)), c.Call("sin", c.Mul(c.Ref(u, naive.At(i, 0)), c.Ref(y, naive.At(j, 0)))))
		},
		"a shift the other way": func(c *expr.Context, u, y *expr.Tensor, i, j *expr.Index) *expr.Expr {
			return c.Mul(c.Delta(naive.At(i, 2), naive.At(j, 0)), c.Call("sin", c.Mul(c.Ref(u, naive.At(i, 0)), c.Ref(y, naive.At(j, 0)))))
		},
		"an indicator of the other index": func(c *expr.Context, u, y *expr.Tensor, i, j *expr.Index) *expr.Expr {
			f := c.Call("sin", c.Mul(c.Ref(u, naive.At(i, 0)), c.Ref(y, naive.At(i, -1))))
			return c.Mul(c.Within(naive.At(j, 0), naive.RangeOf(2, naive.SizeN)), c.Add(c.Mul(c.Delta(naive.At(i, 0), naive.At(j, 0)), f), c.Mul(c.Ref(u, naive.At(i, 0)), c.Ref(y, naive.At(j, 0)))))
		},
		"a comparison": func(c *expr.Context, u, y *expr.Tensor, i, j *expr.Index) *expr.Expr {
			return c.Mul(c.Before(naive.At(i, 0), naive.At(j, 0)), c.Call("sin", c.Mul(c.Ref(u, naive.At(i, 1)), c.Ref(y, naive.At(i, 1)))), c.Ref(u, naive.At(j, 0)))
		},
		"a comparison, shifted": func(c *expr.Context, u, y *expr.Tensor, i, j *expr.Index) *expr.Expr {
			return c.Mul(c.Before(naive.At(i, 1), naive.At(j, 0)), c.Call("sin", c.Mul(c.Ref(u, naive.At(j, -2)), c.Ref(y, naive.At(j, 0)))), c.Ref(u, naive.At(i, 0)))
		},
		"an indicator of the other index, shifted": func(c *expr.Context, u, y *expr.Tensor, i, j *expr.Index) *expr.Expr {
			f := c.Call("sin", c.Mul(c.Ref(u, naive.At(i, 0)), c.Ref(y, naive.At(i, -2))))
			return c.Mul(c.Within(naive.At(j, 0), naive.RangeOf(2, naive.SizeN)), c.Add(c.Mul(c.Delta(naive.At(i, 0), naive.At(j, 1)), f), c.Mul(c.Ref(u, naive.At(i, 0)), c.Ref(y, naive.At(j, 0)))))
		},
	} {
		w := naive.NewWorld(1)
		c := w.C
		i, j := w.Index("i", naive.RangeOf(1, naive.SizeN)), w.Index("j", naive.RangeOf(1, naive.SizeN))
		e := build(c, w.Tensor("u"), w.Tensor("y"), i, j)
		p := newProgram(&model.Posterior{C: c, Model: &dsl.Model{}})
		lowered := p.Lower(e, []*expr.Index{i, j})
		func() {
			defer func() {
				if r := recover(); r != nil {
					t.Errorf("%s: %v\n%s", name, r, expr.Format(lowered))
				}
			}()
			for _, def := range p.Defs {
				v := []float64{}
				var over func(n int)
				over = func(n int) {
					if n == len(def.Indices) {
						v = append(v, w.Env.Eval(def.Body))
						return
					}
					for k := 1; k <= w.Env.Extent(def.Indices[n].Range.Hi); k++ {
						w.Env.Idx[def.Indices[n]] = k
						over(n + 1)
					}
				}
				over(0)
				w.Env.Values[def.Tensor] = v
			}
			for a := 1; a <= 4; a++ {
				for b := 1; b <= 4; b++ {
					w.Env.Idx[i], w.Env.Idx[j] = a, b
					if got, want := w.Env.Eval(lowered), w.Env.Eval(e); math.Abs(got-want) > 1e-14 {
						t.Errorf("%s: %g at %d, %d, want %g", name, got, a, b, want)
					}
				}
			}
		}()
		if len(p.Defs) == 0 {
			t.Errorf("%s: nothing was taken out of %s", name, expr.Format(e))
		}
	}
}

// TestImpliedIndicators: of two indicators of one index, the narrower is enough.
func TestImpliedIndicators(t *testing.T) {
	w := naive.NewWorld(1)
	c := w.C
	i := w.Index("i", naive.RangeOf(1, naive.SizeN))
	narrow, wide := c.Within(naive.At(i, 0), naive.RangeOf(3, naive.SizeN)), c.Within(naive.At(i, 0), naive.RangeOf(2, naive.SizeN.Plus(1)))
	other := c.Within(naive.At(i, 0), naive.RangeOf(1, naive.SizeN.Plus(-1)))
	if got := c.Mul(wide, narrow); got != narrow {
		t.Errorf("%s, want %s", expr.Format(got), expr.Format(narrow))
	}
	if got := c.Mul(narrow, other); len(got.Args) != 2 {
		t.Errorf("%s holds one indicator of two", expr.Format(got))
	}
}
