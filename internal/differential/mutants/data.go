package main

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/ode"
	"github.com/hamc-dev/hamc/symbolic"
	"github.com/hamc-dev/hamc/symbolic/interpret"
)

// Limits of the data that are made up, and of the models that are evaluated on them: sizes that a
// model wants larger are for measurements.
const (
	size      = 3
	maxValues = 2000
	maxDim    = 40
)

// evaluate evaluates a derived model on small data at two points, with everything that a
// sampler or a command asks of it, and reports whether it did: some models want data that are large, or
// that nobody has.
func evaluate(d *symbolic.Derived) bool {
	data, ok := madeUp(d.Model)
	for _, p := range d.Model.Params {
		for _, e := range p.Type.Shape {
			ok = ok && e.Offset <= maxDim
		}
	}
	if !ok {
		return false
	}
	p, err := interpret.New(d, bytes.NewReader(data), "mutant.data.json")
	if err != nil || p.Info().Dim() > maxDim {
		return false
	}
	if s, ok := p.(interface{ SetODE(ode.Options) }); ok {
		s.SetODE(ode.Options{RelTol: 1e-6, AbsTol: 1e-6, MaxSteps: 200})
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for _, scale := range []float64{0.5, 30} {
		q := make([]float64, p.Info().Dim())
		for i := range q {
			q[i] = scale * rng.NormFloat64()
		}
		posterior(p, q, rng)
		switch p := p.(type) {
		case runtime.Gibbs:
			for _, b := range p.Blocks() {
				own := make([]float64, b.Info().Dim())
				if b.Given(q) == runtime.OK {
					system(b, own)
				}
			}
		case runtime.Model:
			system(runtime.AsSystem(p), q)
		}
		p.Faults(q)
	}
	return true
}

// posterior calls the methods that every posterior has.
func posterior(p interpret.Posterior, q []float64, rng *rand.Rand) {
	grad, x := make([]float64, len(q)), make([]float64, p.Info().Size())
	p.LogDensity(q)
	p.Gradient(grad, q)
	p.Constrain(x, q)
	p.Unconstrain(grad, x)
	n := 0
	for _, g := range p.Generated() {
		n += g.Size()
	}
	p.Generate(make([]float64, n), q, rng)
	if d, ok := p.(runtime.PriorDrawer); ok {
		d.DrawPrior(x, rng)
	}
	p.ConstantMetricFaults()
}

// system calls those of a model with a metric.
func system(s runtime.System, q []float64) {
	m := len(q)
	w, p, out := make([]float64, m*m), make([]float64, m), make([]float64, m)
	for i := range m {
		w[i*m+i], p[i] = 1, 0.5
	}
	s.Metric(make([]float64, m*m), q)
	s.Contract(out, q, w)
	s.MetricJacobian(make([]float64, m*m*m), q)
	s.Energy(q, p)
	s.DrawMomentum(p, q)
	solver := &runtime.Solver{Tolerance: 1e-6, Norm: runtime.MetricNorm, MaxIterations: 20}
	for _, step := range []func(q, p []float64, eps float64, s *runtime.Solver) runtime.StepResult{s.StepGLFb, s.StepIMb} {
		to, momentum := append([]float64(nil), q...), append([]float64(nil), p...)
		step(to, momentum, 0.01, solver)
	}
}

// madeUp returns data for a model, of size 3 where it does not say otherwise, that meet what is
// plain in its declarations; false if it wants too many.
func madeUp(m *dsl.Model) ([]byte, bool) {
	values := map[string]float64{}
	for _, k := range m.Consts {
		values[k.ObjectName()] = k.Value
	}
	for _, d := range m.Data {
		if len(d.Type.Shape) > 0 {
			continue
		}
		values[d.ObjectName()] = element(d, values, 0, 1)
		if d.IsSize {
			values[d.ObjectName()] = float64(max(size, d.LeastSize()))
		}
	}
	out, numbers := map[string]any{}, map[*dsl.Data][]float64{}
	total := 0
	for _, d := range m.Data {
		name := d.ObjectName()
		if d.Formula != nil {
			values[name] = d.Formula.Value(func(s *dsl.Data) []float64 {
				if len(s.Type.Shape) == 0 {
					return []float64{values[s.ObjectName()]}
				}
				return numbers[s]
			})
			continue
		}
		dims := make([]int, len(d.Type.Shape))
		n := 1
		for i, e := range d.Type.Shape {
			dims[i] = e.Offset
			if e.Name != "" {
				dims[i] += int(values[e.Name])
			}
			if dims[i] < 0 || dims[i] > maxValues {
				return nil, false
			}
			n *= dims[i]
		}
		if total += n; total > maxValues {
			return nil, false
		}
		at := 0
		next := func() float64 {
			at++
			numbers[d] = append(numbers[d], element(d, values, at-1, n))
			return numbers[d][at-1]
		}
		switch len(dims) {
		case 0:
			out[name] = values[name]
		case 1:
			out[name] = row(dims[0], next)
		default:
			rows := make([][]float64, dims[0])
			for i := range rows {
				if rows[i] = row(dims[1], next); len(dims) == 2 && d.Constraint.IsSymmetric() {
					clear(rows[i])
					rows[i][i] = 1 + float64(i)
				}
			}
			out[name] = rows
		}
	}
	text, err := json.Marshal(out)
	return text, err == nil
}

func row(n int, next func() float64) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = next()
	}
	return out
}

// element returns the k-th of n values of a datum, which ascend.
func element(d *dsl.Data, values map[string]float64, k, n int) float64 {
	s := &d.Support
	if s.Set != nil {
		return s.Set[k%len(s.Set)]
	}
	lo, bounded := bound(s.Lo, s.LoNum, values)
	hi, above := bound(s.Hi, s.HiNum, values)
	if d.Type.Base == dsl.Int {
		switch {
		case bounded && above && hi >= lo:
			return lo + float64(k%int(min(hi-lo+1, maxValues)))
		case bounded:
			return lo + float64(k%2)
		case above:
			return hi - float64(k%2)
		}
		return float64((k + 1) % 2)
	}
	part := float64(k+1) / float64(n+1)
	switch {
	case bounded && above:
		return lo + part*(hi-lo)
	case bounded:
		return lo + part
	case above:
		return hi - 1 + part
	}
	return part
}

// bound evaluates a bound, if there is one and it is known.
func bound(e dsl.Expr, v *float64, values map[string]float64) (float64, bool) {
	if v != nil {
		return *v, true
	}
	switch e := e.(type) {
	case *dsl.Number:
		return e.Value, true
	case *dsl.Name:
		x, ok := values[e.Name]
		return x, ok
	case *dsl.UnaryExpr:
		x, ok := bound(e.X, nil, values)
		return -x, ok
	case *dsl.BinaryExpr:
		x, first := bound(e.X, nil, values)
		y, second := bound(e.Y, nil, values)
		switch e.Op {
		case "+":
			x += y
		case "-":
			x -= y
		case "*":
			x *= y
		case "/":
			x /= y
		}
		return x, first && second
	}
	return 0, false
}
