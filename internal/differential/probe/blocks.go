package probe

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	rt "runtime"

	"github.com/hamc-dev/hamc/runtime"
)

// blockPoints are the settings of the other parameters at which a block is probed.
var blockPoints = []int{1, 2, Points - 2, Points - 1}

// gibbs records the joint density at all points, and every block at some.
func (p *prober) gibbs(g runtime.Gibbs) {
	dim := g.Info().Dim()
	for p.point = range Points {
		p.density(g, Position(dim, p.point))
	}
	for n, b := range g.Blocks() {
		info, err := json.Marshal(b.Info())
		if err != nil {
			p.report.Error = err.Error()
			return
		}
		p.report.Info += string(info)
		for _, p.point = range blockPoints {
			if !p.slow || p.point == 1 || p.point == Points-1 {
				p.prefix = fmt.Sprintf("block %d: ", n)
				p.block(g, b, Position(dim, p.point))
			}
		}
	}
	// The clone of a posterior has blocks of its own, that know nothing yet.
	c := g.Clone()
	for n, b := range c.Blocks() {
		p.point, p.prefix = 3, fmt.Sprintf("clone's block %d: ", n)
		p.block(c, b, Position(dim, p.point))
	}
}

// block records a block given the others' parameters at q, at its own there and,
// for other places of its own, that its density remains the joint one.
func (p *prober) block(g runtime.Gibbs, b runtime.Conditional, q []float64) {
	st := b.Given(q)
	own := runtime.Gather(g.Info(), b.Info(), q)
	if st == runtime.OK && b.Info().Metric.Constant {
		// The interpreter factorises when it is asked to.
		st = b.DrawMomentum(make([]float64, len(own)), own)
	}
	p.record("given", &runtime.StepResult{Status: st})
	p.joint(g, b, q, own)
	if st != runtime.OK {
		p.density(b, own)
		return
	}
	p.at(b, own)
	for k := range 2 {
		mixed := clone(q)
		own := runtime.Gather(g.Info(), b.Info(), Position(len(q), p.point+1+k))
		runtime.Scatter(g.Info(), b.Info(), mixed, own)
		p.joint(g, b, mixed, own)
	}
}

// joint compares the density of a block, and its gradient, with the joint ones.
func (p *prober) joint(g runtime.Gibbs, b runtime.Conditional, q, own []float64) {
	whole, grad := fill(len(q)), fill(len(own))
	want, got := g.Gradient(whole, q), b.Gradient(grad, own)
	part := runtime.Gather(g.Info(), b.Info(), whole)
	if !agree(want, got, math.Abs(want)) {
		p.wrong("%s: log density %v, the joint one is %v", b.Info().Name, got, want)
	}
	size := max(largest(grad), largest(part))
	for i := range grad {
		if !agree(part[i], grad[i], size) {
			p.wrong("%s: gradient %v, of the joint density %v", b.Info().Name, grad, part)
			break
		}
	}
}

func (p *prober) wrong(format string, args ...any) {
	p.report.Wrong = append(p.report.Wrong, fmt.Sprintf("point %d: %s", p.point, fmt.Sprintf(format, args...)))
}

// agree reports whether two numbers agree but for rounding; what is not finite
// agrees with anything that is not.
func agree(a, b, size float64) bool {
	if a-a != 0 || b-b != 0 {
		return (a-a != 0) == (b-b != 0)
	}
	return math.Abs(a-b) <= 1e-9*max(size, 1e-3)
}

// gibbsAllocates is Allocates of the joint density and of all blocks.
func gibbsAllocates(g runtime.Gibbs) []string {
	q := Position(g.Info().Dim(), 1)
	v, x := fill(len(q)), fill(g.Info().Size())
	out := allocating("joint ", q, []method{
		{"LogDensity", func() { g.LogDensity(q) }},
		{"Gradient", func() { g.Gradient(v, q) }},
		{"Constrain", func() { g.Constrain(x, q) }},
	})
	out = append(out, allocating("joint ", q, generating(g, q))...)
	for _, b := range g.Blocks() {
		out = append(out, allocating(b.Info().Name+" ", q, []method{{"Given", func() { b.Given(q) }}})...)
		if b.Given(q) == runtime.OK {
			for _, name := range allocates(b) {
				out = append(out, b.Info().Name+" "+name)
			}
		}
	}
	return out
}

// Memory returns what depends on former calls: a used model is called in random
// order, at a few positions and where steps led, and each result must be, bit for
// bit, that of a model made anew. Of a Gibbs every block is tried, given the other
// parameters at changing positions, while the blocks of a clone live elsewhere.
func Memory(m runtime.Posterior, calls int) []string {
	if g, ok := m.(runtime.Gibbs); ok {
		var out []string
		for n, b := range g.Blocks() {
			dim := g.Info().Dim()
			whole := func(k int) []float64 { return Position(dim, k+1) }
			t := &memory{
				name: b.Info().Name + ": ", used: b, other: g.Clone().Blocks()[n],
				fresh:   func() runtime.System { return g.Clone().Blocks()[n] },
				given:   func(s runtime.System, k int) runtime.Status { return s.(runtime.Conditional).Given(whole(k)) },
				at:      func(k int) []float64 { return runtime.Gather(g.Info(), b.Info(), whole(k)) },
				setting: -1,
			}
			out = append(out, t.run(calls, uint64(n))...)
		}
		return out
	}
	s := runtime.AsSystem(m.(runtime.Model))
	return (&memory{
		used: s, other: s.Clone().(runtime.System),
		fresh: func() runtime.System { return s.Clone().(runtime.System) },
		given: func(runtime.System, int) runtime.Status { return runtime.OK },
		at:    func(k int) []float64 { return Position(s.Info().Dim(), k+1) },
	}).run(calls, 7)
}

type memory struct {
	name        string
	used, other runtime.System
	fresh       func() runtime.System
	given       func(s runtime.System, k int) runtime.Status
	at          func(k int) []float64
	setting     int // of the used one
}

func (t *memory) run(calls int, seed uint64) (out []string) {
	rng := rand.New(rand.NewPCG(seed, 23))
	ops := operations(t.used)
	dim := t.used.Info().Dim()
	var led []float64 // where the last step led
	last := "nothing"
	for range calls {
		k := rng.IntN(2)
		if k != t.setting {
			t.given(t.used, k)
			t.setting = k
		}
		q := t.at(rng.IntN(3))
		if led != nil && rng.IntN(2) == 0 {
			q = led
		}
		op := ops[rng.IntN(len(ops))]
		if rng.IntN(3) == 0 {
			t.given(t.other, 1-k)
			ops[rng.IntN(len(ops))].f(t.other, t.at(rng.IntN(3)), Normals(dim, 5, 1))
		}
		f := t.fresh()
		t.given(f, k)
		p := Normals(dim, rng.IntN(2), 1)
		got, want := op.f(t.used, q, p), op.f(f, q, p)
		if !same(got, want) {
			out = append(out, fmt.Sprintf("%s%s after %s: %v, anew %v", t.name, op.name, last, got, want))
			if len(out) > 3 {
				return out
			}
		}
		last = op.name
		if op.step && got[0] == float64(runtime.OK) && largest(got[2:2+dim]) < 10 {
			led = clone(got[2 : 2+dim])
		}
	}
	return out
}

type operation struct {
	name string
	step bool
	f    func(s runtime.System, q, p []float64) []float64
}

func operations(s runtime.System) []operation {
	n := s.Info().Dim()
	array := func(size int, f func(s runtime.System, v, q []float64)) func(runtime.System, []float64, []float64) []float64 {
		return func(s runtime.System, q, _ []float64) []float64 {
			v := fill(size)
			f(s, v, q)
			return v
		}
	}
	list := []operation{
		{"LogDensity", false, func(s runtime.System, q, _ []float64) []float64 { return []float64{s.LogDensity(q)} }},
		{"Gradient", false, array(n, func(s runtime.System, v, q []float64) { s.Gradient(v, q) })},
		{"Metric", false, array(n*n, func(s runtime.System, v, q []float64) { s.Metric(v, q) })},
		{"Contract", false, array(n, func(s runtime.System, v, q []float64) { s.Contract(v, q, weight(n, 1)) })},
		{"MetricJacobian", false, array(n*n*n, func(s runtime.System, v, q []float64) { s.MetricJacobian(v, q) })},
		{"Constrain", false, array(s.Info().Size(), func(s runtime.System, v, q []float64) { s.Constrain(v, q) })},
		{"Energy", false, func(s runtime.System, q, p []float64) []float64 {
			h, l, st := s.Energy(q, p)
			return []float64{float64(st), h, l}
		}},
		{"DrawMomentum", false, func(s runtime.System, q, p []float64) []float64 {
			p = clone(p)
			if st := s.DrawMomentum(p, q); st != runtime.OK {
				return []float64{float64(st)}
			}
			return p
		}},
	}
	if _, ok := s.(runtime.Generator); ok {
		list = append(list, operation{"Generate", false, func(s runtime.System, q, _ []float64) []float64 {
			var out []float64
			values, _ := Generate(s.(runtime.Generator), q, 3)
			for _, v := range values {
				out = append(out, v...)
			}
			return out
		}})
	}
	for n, t := range steps(s) {
		if t.count != 1 {
			continue
		}
		list = append(list, operation{t.name, true, func(s runtime.System, q, p []float64) []float64 {
			q, p = clone(q), clone(p)
			r := steps(s)[n].f(q, p)
			out := []float64{float64(r.Status), float64(r.Iterations)}
			if r.Status != runtime.OK {
				return out
			}
			return append(append(out, q...), p...)
		}})
	}
	return list
}

// same reports whether two arrays are equal bit for bit, all NaNs being one.
func same(a, b []float64) bool {
	if len(a) != len(b) {
		return false
	}
	for i, x := range a {
		if math.Float64bits(x) != math.Float64bits(b[i]) && !(x != x && b[i] != b[i]) {
			return false
		}
	}
	return true
}

// Long evaluates a model, made by load, once at most of what sampling calls, and
// returns the bytes per coordinate that were allocated for it.
func Long(load func() (runtime.Posterior, error)) (bytes float64, err error) {
	var before, after rt.MemStats
	rt.ReadMemStats(&before)
	m, err := load()
	if err != nil {
		return 0, err
	}
	dim := m.Info().Dim()
	q := Position(dim, 0)
	m.Gradient(fill(dim), q)
	visit := func(s runtime.System, q []float64) {
		p := Normals(len(q), 0, 1)
		s.DrawMomentum(p, q)
		s.Energy(q, p)
		for _, t := range stepsWith(s, 1e-3, Solver()) {
			if t.count == 1 {
				t.f(q, p)
			}
		}
	}
	if g, ok := m.(runtime.Gibbs); ok {
		for _, b := range g.Blocks() {
			b.Given(q)
			visit(b, runtime.Gather(g.Info(), b.Info(), q))
		}
	} else {
		visit(m.(runtime.System), q)
	}
	rt.ReadMemStats(&after)
	return float64(after.TotalAlloc-before.TotalAlloc) / float64(dim), nil
}
