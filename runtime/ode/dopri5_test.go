package ode

import (
	"math"
	"testing"
)

// dopri5 is the rival of DOP853: the pair of orders 5 and 4 of Dormand & Prince
// (Journal of Computational and Applied Mathematics 6, 1980) with the
// continuous extension of Shampine (Hairer, Nørsett & Wanner, section II.6),
// in the norm and with the loops of Solver, and with the controller of the
// authors' program. It has no care for failures.
type dopri5 struct {
	rhs      RHS
	tol      float64
	counts   Counts
	y, ynew  []float64
	point    []float64
	k, dense []float64
}

func newDopri5(dim int, rhs RHS, tol float64) *dopri5 {
	v := func(m int) []float64 { return make([]float64, m*dim) }
	return &dopri5{rhs: rhs, tol: tol, y: v(1), ynew: v(1), point: v(1), k: v(7), dense: v(5)}
}

func (s *dopri5) Counts() Counts { return s.counts }

func (s *dopri5) Solve(out, y0 []float64, t0 float64, times, u []float64) Status {
	n := len(s.y)
	copy(s.y, y0)
	s.counts = Counts{Evaluations: 2}
	next := 0
	for ; next < len(times) && times[next] == t0; next++ {
		for j := range n {
			out[j*len(times)+next] = y0[j]
		}
	}
	if next == len(times) {
		return OK
	}
	t, end := t0, times[len(times)-1]
	s.rhs(s.k[:n:n], s.y, t, u)
	first := Solver{rhs: s.rhs, rtol: s.tol, atol: s.tol, y: s.y, point: s.point, k: s.k}
	h := first.initialStep(t, end, u)
	old, rejected := 1e-4, false
	for s.counts.Accepted < 1e5 {
		target := t + h
		if t+1.01*h >= end {
			target, h = end, end-t
		}
		err := s.step(t, h, target, u)
		factor := math.Pow(err, 0.17)
		if !(err <= 1) {
			s.counts.Rejected++
			rejected = true
			h *= max(0.2, 0.9/factor)
			continue
		}
		factor = min(10, max(0.2, 0.9*math.Pow(old, 0.04)/factor))
		if rejected {
			factor = min(1, factor)
		}
		old, rejected = max(err, 1e-4), false
		s.counts.Accepted++
		if times[next] < target {
			s.prepare(h)
			for ; times[next] < target; next++ {
				s.interpolate(out[next:], len(times), (times[next]-t)/h)
			}
		}
		for ; next < len(times) && times[next] == target; next++ {
			for j, v := range s.ynew {
				out[j*len(times)+next] = v
			}
		}
		if next == len(times) {
			return OK
		}
		s.y, s.ynew = s.ynew, s.y
		copy(s.k[:n], s.k[6*n:])
		t = target
		h *= factor
	}
	return StepLimit
}

func (s *dopri5) step(t, h, target float64, u []float64) float64 {
	n, f, k := len(s.y), s.rhs, s.k
	y, p := s.y[:n], s.point[:n]
	k1, k2, k3, k4 := k[:n:n], k[n:][:n:n], k[2*n:][:n:n], k[3*n:][:n:n]
	k5, k6, k7 := k[4*n:][:n:n], k[5*n:][:n:n], k[6*n:][:n:n]
	f1 := h * (1. / 5)
	for i := range p {
		p[i] = y[i] + f1*k1[i]
	}
	f(k2, p, t+1./5*h, u)
	f1, f2 := h*(3./40), h*(9./40)
	for i := range p {
		p[i] = y[i] + (f1*k1[i] + f2*k2[i])
	}
	f(k3, p, t+3./10*h, u)
	f1, f2, f3 := h*(44./45), h*(-56./15), h*(32./9)
	for i := range p {
		p[i] = y[i] + ((f1*k1[i] + f2*k2[i]) + f3*k3[i])
	}
	f(k4, p, t+4./5*h, u)
	f1, f2, f3, f4 := h*(19372./6561), h*(-25360./2187), h*(64448./6561), h*(-212./729)
	for i := range p {
		p[i] = y[i] + ((f1*k1[i] + f2*k2[i]) + (f3*k3[i] + f4*k4[i]))
	}
	f(k5, p, t+8./9*h, u)
	f1, f2, f3, f4 = h*(9017./3168), h*(-355./33), h*(46732./5247), h*(49./176)
	f5 := h * (-5103. / 18656)
	for i := range p {
		p[i] = y[i] + ((f1*k1[i] + f2*k2[i]) + (f3*k3[i] + f4*k4[i]) + f5*k5[i])
	}
	f(k6, p, target, u)
	f1, f3, f4 = h*(35./384), h*(500./1113), h*(125./192)
	f5, f6 := h*(-2187./6784), h*(11./84)
	y1 := s.ynew[:n]
	for i := range y1 {
		y1[i] = y[i] + ((f1*k1[i] + f3*k3[i]) + (f4*k4[i] + f5*k5[i]) + f6*k6[i])
	}
	f(k7, y1, target, u)
	s.counts.Evaluations += 6
	f1, f3, f4 = h*(71./57600), h*(-71./16695), h*(71./1920)
	f5, f6, f7 := h*(-17253./339200), h*(22./525), h*(-1./40)
	m := 0.0
	for i, v := range y1 {
		e := (f1*k1[i] + f3*k3[i]) + (f4*k4[i] + f5*k5[i]) + (f6*k6[i] + f7*k7[i])
		size := max(math.Abs(v), math.Abs(y[i]))
		m = max(m, math.Abs(e/(s.tol+s.tol*size)))
	}
	return m
}

func (s *dopri5) prepare(h float64) {
	n, k := len(s.y), s.k
	y, y1 := s.y, s.ynew[:n]
	k1, k3, k4, k5, k6, k7 := k[:n], k[2*n:][:n], k[3*n:][:n], k[4*n:][:n], k[5*n:][:n], k[6*n:][:n]
	c1, c2, c3, c4 := s.dense[n:][:n], s.dense[2*n:][:n], s.dense[3*n:][:n], s.dense[4*n:][:n]
	f1, f3, f4 := h*(-12715105075./11282082432), h*(87487479700./32700410799), h*(-10690763975./1880347072)
	f5, f6, f7 := h*(701980252875./199316789632), h*(-1453857185./822651844), h*(69997945./29380423)
	for i, v := range y[:n] {
		d := y1[i] - v
		b := h*k1[i] - d
		c1[i], c2[i], c3[i] = d, b, d-h*k7[i]-b
		c4[i] = (f1*k1[i] + f3*k3[i]) + (f4*k4[i] + f5*k5[i]) + (f6*k6[i] + f7*k7[i])
	}
}

func (s *dopri5) interpolate(out []float64, stride int, theta float64) {
	n, d := len(s.y), s.dense
	c1, c2, c3, c4 := d[n:][:n], d[2*n:][:n], d[3*n:][:n], d[4*n:][:n]
	back, at := 1-theta, 0
	for i, v := range s.y[:n] {
		out[at] = v + theta*(c1[i]+back*(c2[i]+theta*(c3[i]+back*c4[i])))
		at += stride
	}
}

// TestRival checks that the rival is what it should be: of order 5, with an
// error like its tolerance.
func TestRival(t *testing.T) {
	for _, c := range closed {
		var steps []float64
		for _, tol := range []float64{1e-6, 1e-11} {
			y0 := c.exact(c.t0)
			s := newDopri5(len(y0), c.f, tol)
			times := linspace(c.t0, c.end, 101)
			out := make([]float64, len(y0)*len(times))
			if st := s.Solve(out, y0, c.t0, times, c.u); st != OK {
				t.Fatal(st)
			}
			for n, y := range rows(out, len(y0), len(times)) {
				if d := distance(y, c.exact(times[n])); d > 100*tol {
					t.Errorf("%s at %g: error %.1e", c.name, tol, d)
				}
			}
			steps = append(steps, float64(s.Counts().Accepted))
		}
		if p := 5 / math.Log10(steps[1]/steps[0]); p < 4.5 || p > 6 {
			t.Errorf("%s: order %.1f by the number of steps", c.name, p)
		}
	}
}
