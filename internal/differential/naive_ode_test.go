package differential

import (
	"math"

	"github.com/hamc-dev/hamc/dsl"
)

// solution returns the states of a differential equation over its times, by the
// method of Gragg, Bulirsch and Stoer with steps that do not adapt: a smooth
// function of all that enters.
func (e *naive) solution(s *dsl.Solve) []array {
	if v, ok := e.solved[s]; ok {
		return v
	}
	if s.Index != nil { // one solution after the other
		var all []array
		e.over([]*dsl.Index{s.Index}, func() {
			for i, x := range e.integrated(s) {
				if len(all) <= i {
					all = append(all, array{shape: []int{e.extent(s.Index.Range.Hi), len(x.v)}})
				}
				all[i].v = append(all[i].v, x.v...)
			}
		})
		e.solved[s] = all
		return all
	}
	out := e.integrated(s)
	e.solved[s] = out
	return out
}

// integrated is one solution.
func (e *naive) integrated(s *dsl.Solve) []array {
	// One equation may be solved inside the right side of another solution of it.
	vars := append(append([]*dsl.OdeVar{}, s.Ode.States...), s.Ode.Args...)
	if s.Ode.Time != nil {
		vars = append(vars, s.Ode.Time)
	}
	for _, v := range vars {
		old := e.values[v]
		defer func() { e.values[v] = old }()
	}
	y := make([]float64, len(s.Init))
	for i, x := range s.Init {
		y[i] = e.scalar(x)
	}
	var args []float64
	for _, x := range s.Args {
		args = append(args, e.scalar(x))
	}
	for i, v := range s.Ode.Args {
		e.values[v] = number(args[i])
	}
	rhs := func(y []float64, t float64) []float64 {
		for i, v := range s.Ode.States {
			e.values[v] = number(y[i])
		}
		if s.Ode.Time != nil {
			e.values[s.Ode.Time] = number(t)
		}
		dy := make([]float64, len(y))
		e.moving = true
		defer func() { e.moving = false }()
		for i, x := range s.Ode.Rhs {
			dy[i] = e.scalar(x)
		}
		return dy
	}
	times := e.values[s.Times].v
	if n := e.extent(s.NumTimes()); len(s.Times.Type.Shape) > 1 {
		times = times[(e.index[s.Index]-1)*n:][:n]
	}
	out := make([]array, len(y))
	for i := range out {
		out[i] = array{shape: []int{len(times)}}
	}
	t := e.scalar(s.From)
	for _, end := range times {
		const longest = 0.1
		n := int(math.Ceil((end-t)/longest - 1e-9))
		h := (end - t) / float64(max(n, 1))
		for k := range n {
			y = gragg(rhs, y, t+float64(k)*h, h)
		}
		t = end
		for i := range out {
			out[i].v = append(out[i].v, y[i])
		}
	}
	return out
}

// gragg is a step of order 14: modified midpoint rules of 2, 4, …, 14 substeps,
// extrapolated in h². What jumps or bends between two steps, as a right side does that reads data by the time, is smooth in each: the ends of a step
// are taken a little inside.
func gragg(rhs func([]float64, float64) []float64, y []float64, t, h float64) []float64 {
	const rows = 7
	var table [rows][]float64
	f := func(y []float64, at float64) []float64 { return rhs(y, min(max(at, t+1e-13), t+h-1e-13)) }
	f0 := f(y, t)
	for r := range rows {
		n := 2 * (r + 1)
		s := h / float64(n)
		a, b := y, make([]float64, len(y))
		for i := range b {
			b[i] = y[i] + s*f0[i]
		}
		for k := 1; k < n; k++ {
			d := f(b, t+float64(k)*s)
			c := make([]float64, len(y))
			for i := range c {
				c[i] = a[i] + 2*s*d[i]
			}
			a, b = b, c
		}
		d := f(b, t+h)
		row := make([]float64, len(y))
		for i := range row {
			row[i] = (a[i] + b[i] + s*d[i]) / 2
		}
		table[r] = row
		for j := r - 1; j >= 0; j-- {
			q := float64(r+1) / float64(j+1)
			for i := range row {
				table[j][i] = table[j+1][i] + (table[j+1][i]-table[j][i])/(q*q-1)
			}
		}
	}
	return table[0]
}
