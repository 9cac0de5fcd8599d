package ode

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// closed are systems with solutions in closed form.
var closed = []struct {
	name  string
	f     RHS
	u     []float64
	t0    float64
	end   float64
	exact func(t float64) []float64
}{
	{
		"oscillator", oscillator, []float64{1.5}, 0, 20,
		func(t float64) []float64 { return []float64{math.Cos(1.5 * t), -1.5 * math.Sin(1.5*t)} },
	},
	{
		// y′ = −k y with the sensitivities to k and to y₀ = 2.
		"decay", func(dy, y []float64, _ float64, u []float64) {
			k := u[0]
			dy[0] = -k * y[0]
			dy[1] = -k*y[1] - y[0]
			dy[2] = -k*y[2] - 2*y[1]
			dy[3] = -k * y[3]
			dy[4] = -k*y[4] - y[3]
		}, []float64{0.7}, 1, 9,
		func(t float64) []float64 {
			s := t - 1
			e := math.Exp(-0.7 * s)
			return []float64{2 * e, -2 * s * e, 2 * s * s * e, e, -s * e}
		},
	},
	{
		"driven", func(dy, y []float64, t float64, _ []float64) { dy[0] = y[0] * math.Cos(t) }, nil, -2, 10,
		func(t float64) []float64 { return []float64{math.Exp(math.Sin(t))} },
	},
	{
		// Logistic growth with sensitivities to the rate and the capacity.
		"logistic", func(dy, y []float64, _ float64, u []float64) {
			r, k := u[0], u[1]
			slope := r * (1 - 2*y[0]/k)
			dy[0] = r * y[0] * (1 - y[0]/k)
			dy[1] = slope*y[1] + y[0]*(1-y[0]/k)
			dy[2] = slope*y[2] + r*y[0]*y[0]/(k*k)
		}, []float64{1.2, 5}, 0, 12,
		func(t float64) []float64 {
			e, a := math.Exp(-1.2*t), 5/0.3-1
			q := 1 + a*e
			return []float64{5 / q, 5 * a * t * e / (q * q), 1/q - (1/0.3)*e*5/(q*q)}
		},
	},
}

func oscillator(dy, y []float64, _ float64, u []float64) { dy[0], dy[1] = y[1], -u[0]*u[0]*y[0] }

// TestExact compares with solutions in closed form, at times within steps and
// at their ends. The error is a multiple of the tolerance: errors of steps add
// up, and those of dense output, of an order less, are not looked at.
func TestExact(t *testing.T) {
	for _, c := range closed {
		for _, tol := range []float64{1e-4, 1e-6, 1e-8, 1e-10, 1e-12} {
			y0 := c.exact(c.t0)
			s := NewSolver(len(y0), c.f, tolerance(tol))
			times := linspace(c.t0, c.end, 101)
			got := solve(t, s, y0, c.t0, times, c.u)
			d := 0.0
			for n, time := range times {
				d = max(d, distance(got[n], c.exact(time)))
			}
			if d > 100*tol {
				t.Errorf("%s at %g: error %.1e after %+v", c.name, tol, d, s.Counts())
			}
		}
	}
}

// taylor is testdata/taylor.json.
type taylor map[string][]struct {
	Theta, Y0, Times []float64
	Values           [][]float64
}

// TestSensitivities compares with series that know no sensitivity equations,
// for systems of all three sizes.
func TestSensitivities(t *testing.T) {
	var want taylor
	readJSON(t, "testdata/taylor.json", &want)
	for _, c := range []struct {
		name string
		f    RHS
		dims []int
	}{{"fitzhugh", fitzhugh, []int{2, 8, 20}}, {"lotka", lotka, []int{2, 10, 30}}} {
		for i, w := range want[c.name] {
			for _, dim := range c.dims {
				s := NewSolver(dim, c.f, tolerance(1e-13))
				got := solve(t, s, padded(w.Y0, dim), 0, w.Times, w.Theta)
				for n := range got {
					if d := distance(got[n], w.Values[n][:dim]); d > 1e-11 {
						t.Errorf("%s %d, %d equations, t = %v: %.1e", c.name, i, dim, w.Times[n], d)
					}
				}
			}
		}
	}
}

// TestFitzHughNagumo compares posterior, gradient, metric and its derivatives
// with those of another implementation, by 200 times and 20 equations.
func TestFitzHughNagumo(t *testing.T) {
	var want struct {
		Times  []float64
		Y      [][2]float64
		Points []struct {
			Q         []float64
			Reference struct {
				L     float64
				GradL []float64
				G     [][]float64
				DG    [][][]float64 `json:"dG"`
			}
			Sensitivities struct {
				Index  []int
				Values [][]float64
			} `json:"sensitivities_at"`
		}
	}
	readJSON(t, "testdata/fhn.json", &want)
	s := NewSolver(20, fitzhugh, tolerance(1e-13))
	for i, p := range want.Points {
		got := solve(t, s, padded([]float64{-1, 1}, 20), 0, want.Times, p.Q)
		for n, index := range p.Sensitivities.Index {
			if d := distance(got[index], p.Sensitivities.Values[n]); d > 1e-11 {
				t.Errorf("point %d, time %d: %.1e", i, index, d)
			}
		}
		const variance = 0.25
		pair := [3][3]int{{0, 1, 2}, {1, 3, 4}, {2, 4, 5}}
		l, grad, g, dg := 0.0, make([]float64, 3), make([]float64, 9), make([]float64, 27)
		for j, q := range p.Q {
			l -= q * q / 2
			grad[j] = -q
			g[4*j] = 1
		}
		for n, y := range got {
			for k := range 2 {
				r := want.Y[n][k] - y[k]
				l -= r*r/(2*variance) + math.Log(2*math.Pi*variance)/2
				first := func(j int) float64 { return y[2+2*j+k] }
				second := func(i, j int) float64 { return y[8+2*pair[i][j]+k] }
				for a := range 3 {
					grad[a] += r * first(a) / variance
					for b := range 3 {
						g[3*a+b] += first(a) * first(b) / variance
						for c := range 3 {
							dg[9*a+3*b+c] += (second(a, c)*first(b) + first(a)*second(b, c)) / variance
						}
					}
				}
			}
		}
		ref := p.Reference
		for _, c := range []struct {
			name      string
			got, want []float64
		}{
			{"L", []float64{l}, []float64{ref.L}},
			{"gradL", grad, ref.GradL},
			{"G", g, slices.Concat(ref.G...)},
			{"dG", dg, slices.Concat(slices.Concat(ref.DG...)...)},
		} {
			// Sums of 400 terms with errors of 1e-12.
			if d := distance(c.got, c.want); d > 1e-8 {
				t.Errorf("point %d, %s: %.1e", i, c.name, d)
			}
		}
	}
}

// TestOrder measures the order of convergence of steps of one size, at their
// ends and at the worst point between.
func TestOrder(t *testing.T) {
	f := func(dy, y []float64, t float64, _ []float64) {
		dy[0] = y[0] * math.Cos(t)
		dy[1], dy[2] = y[2], -y[1]*y[0] // not linear, and coupled
	}
	y0 := []float64{1, 1, 0}
	run := func(steps int) (ends, dense [][]float64) {
		s := NewSolver(3, f, Options{})
		copy(s.y, y0)
		f(s.k[:3], s.y, 0, nil)
		h := 8 / float64(steps)
		for i := range steps {
			s.step(float64(i)*h, h, float64(i+1)*h, nil)
			if !s.complete(float64(i)*h, h, float64(i+1)*h, nil, true) {
				t.Fatal("not complete")
			}
			for m := 1; m <= 8; m++ {
				out := make([]float64, 3)
				s.interpolate(out, 1, h, float64(m)/8)
				dense = append(dense, out)
			}
			ends = append(ends, slices.Clone(s.ynew))
			s.y, s.ynew = s.ynew, s.y
			copy(s.k[:3], s.k[36:39])
		}
		return ends, dense
	}
	// The errors of two sizes against the adaptive solution at 1e-14.
	exact := func(steps int) (ends, dense [][]float64) {
		h := 8 / float64(steps)
		var times, within []float64
		for i := range steps {
			times = append(times, float64(i+1)*h)
			for m := 1; m <= 8; m++ {
				within = append(within, float64(i)*h+float64(m)/8*h)
			}
		}
		s := NewSolver(3, f, tolerance(1e-14))
		return solve(t, s, y0, 0, times, nil), solve(t, s, y0, 0, within, nil)
	}
	var ends, dense []float64
	sizes := []int{8, 16, 32} // so that times are exact
	for _, steps := range sizes {
		e, d := run(steps)
		we, wd := exact(steps)
		ends, dense = append(ends, worst(e, we)), append(dense, worst(d, wd))
	}
	slope := func(e []float64) float64 {
		last := len(e) - 1
		return math.Log(e[0]/e[last]) / math.Log(float64(sizes[last])/float64(sizes[0]))
	}
	t.Logf("errors %.1e, order %.2f; dense output %.1e, order %.2f", ends, slope(ends), dense, slope(dense))
	if p := slope(ends); p < 7.7 || p > 9.2 {
		t.Errorf("order %.2f of the method", p)
	}
	if p := slope(dense); p < 7 || p > 9.2 {
		t.Errorf("order %.2f of dense output", p)
	}
}

// TestInterpolant checks that dense output meets the steps: at θ = 0 and 1 it has the
// values and the derivatives of the ends.
func TestInterpolant(t *testing.T) {
	s := NewSolver(2, oscillator, Options{})
	u := []float64{1}
	s.y[0] = 1
	oscillator(s.k[:2], s.y, 0, u)
	const h = 0.7
	s.step(0, h, h, u)
	s.complete(0, h, h, u, true)
	at := func(theta float64) []float64 {
		out := make([]float64, 2)
		s.interpolate(out, 1, h, theta)
		return out
	}
	if !same(at(0), s.y) {
		t.Errorf("%v at the start, not %v", at(0), s.y)
	}
	if d := distance(at(1), s.ynew); d > 1e-14 {
		t.Errorf("%v at the end, not %v", at(1), s.ynew)
	}
	const d = 1e-5
	for j := range 2 {
		if got, want := (at(d)[j]-at(-d)[j])/(2*d*h), s.k[j]; math.Abs(got-want) > 1e-9 {
			t.Errorf("derivative %v at the start, not %v", got, want)
		}
		if got, want := (at(1 + d)[j]-at(1 - d)[j])/(2*d*h), s.k[24+j]; math.Abs(got-want) > 1e-9 {
			t.Errorf("derivative %v at the end, not %v", got, want)
		}
	}
}

// TestPolynomial integrates t⁷, which a method of order 8 does exactly.
func TestPolynomial(t *testing.T) {
	f := func(dy, _ []float64, t float64, _ []float64) { dy[0] = t * t * t * t * t * t * t }
	s := NewSolver(1, f, tolerance(1e-6))
	for _, end := range []float64{1, 2, 3} {
		y := solve(t, s, []float64{0}, 0, []float64{end}, nil)[0]
		if want := math.Pow(end, 8) / 8; math.Abs(y[0]-want) > 1e-14*want {
			t.Errorf("%v, not %v", y[0], want)
		}
	}
}

// TestTimes solves for the same times in several ways. If the last time is
// the same, so are the steps, and an output does not depend on the others.
func TestTimes(t *testing.T) {
	u := []float64{0.2, 0.2, 3}
	y0 := padded([]float64{-1, 1}, 20)
	s := NewSolver(20, fitzhugh, tolerance(1e-8))
	all := linspace(0, 10, 200)
	want := solve(t, s, y0, 0, all, u)
	for _, keep := range [][]int{{199}, {0, 199}, {57, 199}, {0, 0, 1, 1, 2, 150, 150, 199, 199}, {3, 14, 15, 92, 165, 199}} {
		var times []float64
		for _, n := range keep {
			times = append(times, all[n])
		}
		got := solve(t, s, y0, 0, times, u)
		for i, n := range keep {
			if !same(got[i], want[n]) {
				t.Errorf("time %d differs by %.1e if only %v are asked for", n, distance(got[i], want[n]), keep)
			}
		}
	}
	// Alone, each is the end of a step: up to the tolerance it is the same.
	for n := range all {
		got := solve(t, s, y0, 0, all[n:n+1], u)
		if d := distance(got[0], want[n]); d > 1e-7 {
			t.Errorf("time %d alone differs by %.1e", n, d)
		}
	}
}

// TestStart solves for no times, for times at t₀, and for spans that are next
// to nothing or huge.
func TestStart(t *testing.T) {
	calls := 0
	f := func(dy, y []float64, _ float64, _ []float64) {
		calls++
		dy[0], dy[1] = y[1], -y[0]
	}
	s := NewSolver(2, f, Options{})
	y0 := []float64{3, 4}
	out := []float64{7, 7, 7, 7, 7, 7, 7}
	if st := s.Solve(out, y0, 1, nil, nil); st != OK || calls != 0 || out[0] != 7 {
		t.Errorf("no times: %v, %d calls, %v", st, calls, out)
	}
	if st := s.Solve(out, y0, 1, []float64{1, 1, 1}, nil); st != OK || calls != 0 || !same(out, []float64{3, 3, 3, 4, 4, 4, 7}) {
		t.Errorf("times at t0: %v, %d calls, %v", st, calls, out)
	}
	if c := s.Counts(); c != (Counts{}) {
		t.Errorf("%+v without a step", c)
	}
	if st := s.Solve(out, y0, 1, []float64{1, 1, 1 + math.Pi}, nil); st != OK || out[0] != 3 || out[1] != 3 || out[3] != 4 {
		t.Errorf("%v, %v", st, out)
	}
	if d := distance([]float64{out[2], out[5]}, []float64{-3, -4}); d > 1e-7 {
		t.Errorf("after half a turn %v", out)
	}
	for _, c := range []struct{ t0, end float64 }{
		{0, 5e-324}, {0, 1e-300}, {1, math.Nextafter(1, 2)}, {1e12, 1e12 + 1}, {-1e-9, 1e-9}, {1e9, math.Nextafter(1e9, 2e9)}, {-3, 0},
	} {
		if st := s.Solve(out, y0, c.t0, []float64{c.end}, nil); st != OK {
			t.Errorf("from %v to %v: %v", c.t0, c.end, st)
			continue
		}
		sin, cos := math.Sincos(c.end - c.t0)
		// The times themselves have an error of half a unit in their last place.
		slack := 1e-7 + 10*(math.Nextafter(c.t0, math.Inf(1))-c.t0)
		if d := distance(out[:2], []float64{3*cos + 4*sin, 4*cos - 3*sin}); d > slack {
			t.Errorf("from %v to %v: %v, error %.1e", c.t0, c.end, out[:2], d)
		}
	}
	// The usual first guess for y₀ = 0 is lost in a time as large as this.
	s = NewSolver(1, func(dy, y []float64, _ float64, _ []float64) { dy[0] = 1 - y[0] }, Options{})
	if y := solve(t, s, []float64{0}, 1e12, []float64{1e12 + 1}, nil)[0][0]; math.Abs(y-1+math.Exp(-1)) > 1e-3 {
		t.Errorf("from 1e12: %v", y)
	}
	still := NewSolver(2, func(dy, _ []float64, _ float64, _ []float64) { clear(dy) }, Options{})
	for _, end := range []float64{1e-300, 1, 1e300} {
		if st := still.Solve(out, y0, 0, []float64{end}, nil); st != OK || out[0] != 3 || still.Counts().Accepted > 20 {
			t.Errorf("nothing moves until %v: %v, %v, %+v", end, st, out, still.Counts())
		}
	}
	if st := NewSolver(0, func(_, _ []float64, _ float64, _ []float64) {}, Options{}).Solve(nil, nil, 0, []float64{1, 2}, nil); st != OK {
		t.Errorf("no equations: %v", st)
	}
}

// TestFailures drives the solver into each status.
func TestFailures(t *testing.T) {
	nan := math.NaN()
	constant := func(value float64) RHS {
		return func(dy, _ []float64, _ float64, _ []float64) {
			for i := range dy {
				dy[i] = value
			}
		}
	}
	identity := func(dy, y []float64, _ float64, _ []float64) { copy(dy, y) }
	for _, c := range []struct {
		name  string
		f     RHS
		y0    []float64
		t0    float64
		times []float64
		want  Status
		most  int // evaluations
	}{
		{"van der Pol, stiff", func(dy, y []float64, _ float64, _ []float64) {
			dy[0], dy[1] = y[1], 1e6*((1-y[0]*y[0])*y[1])-y[0]
		}, []float64{2, 0}, 0, []float64{1, 2e6}, StepLimit, 1_600_000},
		{"stiff decay", func(dy, y []float64, _ float64, _ []float64) { dy[0] = -1e9 * (y[0] - 1) },
			[]float64{2}, 0, []float64{1}, StepLimit, 1_600_000},
		{"blow-up", func(dy, y []float64, _ float64, _ []float64) { dy[0] = y[0] * y[0] },
			[]float64{1}, 0, []float64{0.5, 2}, StepTooSmall, 5000},
		{"jump to infinity", func(dy, y []float64, t float64, _ []float64) { dy[0] = 1 / (1 - t) },
			[]float64{1}, 0, []float64{0.5, 2}, StepTooSmall, 25000},
		{"overflow", identity, []float64{1}, 0, []float64{1000}, NonFinite, 25000},
		{"NaN", constant(nan), []float64{1}, 0, []float64{1}, NonFinite, 1},
		{"Inf", constant(math.Inf(1)), []float64{1, 2}, 0, []float64{1}, NonFinite, 1},
		{"NaN away from y0", func(dy, y []float64, _ float64, _ []float64) {
			dy[0] = 1
			if y[0] != 1 {
				dy[0] = nan
			}
		}, []float64{1}, 0, []float64{1}, NonFinite, 150},
		{"NaN from a time on", func(dy, y []float64, t float64, _ []float64) {
			dy[0] = -y[0]
			if t > 0.3 {
				dy[0] = nan
			}
		}, []float64{1}, 0, []float64{0.1, 0.2, 1}, NonFinite, 1500},
		{"domain", func(dy, y []float64, _ float64, _ []float64) { dy[0] = -math.Sqrt(y[0]) },
			[]float64{1}, 0, []float64{1, 3}, NonFinite, 3000},
		{"y0 NaN", identity, []float64{1, nan}, 0, []float64{0, 1}, NonFinite, 0},
		{"y0 infinite", identity, []float64{math.Inf(-1)}, 0, []float64{0}, NonFinite, 0},
		{"slope overflows", constant(1e308), []float64{1.7e308}, 0, []float64{1}, NonFinite, 1500},
		{"times decrease", identity, []float64{1}, 0, []float64{1, 2, 1.5}, BadTimes, 0},
		{"times before t0", identity, []float64{1}, 1, []float64{0.5, 2}, BadTimes, 0},
		{"time NaN", identity, []float64{1}, 0, []float64{0.5, nan, 2}, BadTimes, 0},
		{"last time NaN", identity, []float64{1}, 0, []float64{0.5, nan}, BadTimes, 0},
		{"time infinite", identity, []float64{1}, 0, []float64{0.5, math.Inf(1)}, BadTimes, 0},
		{"t0 NaN", identity, []float64{1}, nan, []float64{0.5}, BadTimes, 0},
		{"t0 infinite", identity, []float64{1}, math.Inf(-1), []float64{0.5}, BadTimes, 0},
		{"t0 and time infinite", identity, []float64{1}, math.Inf(-1), []float64{math.Inf(-1)}, BadTimes, 0},
		{"span overflows", identity, []float64{1}, -1.7e308, []float64{1.7e308}, BadTimes, 0},
	} {
		s := NewSolver(len(c.y0), c.f, Options{})
		out := make([]float64, len(c.y0)*len(c.times)+1)
		st := s.Solve(out, c.y0, c.t0, c.times, nil)
		if st != c.want {
			t.Errorf("%s: %v, not %v, after %+v", c.name, st, c.want, s.Counts())
		}
		if n := s.Counts().Evaluations; n > c.most {
			t.Errorf("%s: %d evaluations", c.name, n)
		}
		last := len(out) - 1
		for _, v := range out[:last] {
			if !math.IsNaN(v) {
				t.Errorf("%s: a result %v", c.name, v)
			}
		}
		if out[last] != 0 {
			t.Errorf("%s: wrote past the end", c.name)
		}
	}
}

// TestStepLimit checks that the limit counts all steps.
func TestStepLimit(t *testing.T) {
	out := make([]float64, 2)
	full := NewSolver(2, fitzhugh, Options{})
	u := []float64{0.2, 0.2, 3}
	if st := full.Solve(out, []float64{-1, 1}, 0, []float64{10}, u); st != OK {
		t.Fatal(st)
	}
	steps := full.Counts().Accepted + full.Counts().Rejected
	for _, c := range []struct {
		limit int
		want  Status
	}{{1, StepLimit}, {10, StepLimit}, {steps - 1, StepLimit}, {steps, OK}, {0, OK}, {-1, OK}} {
		s := NewSolver(2, fitzhugh, Options{MaxSteps: c.limit})
		st := s.Solve(out, []float64{-1, 1}, 0, []float64{10}, u)
		n := s.Counts().Accepted + s.Counts().Rejected
		if st != c.want || st == StepLimit && n != c.limit {
			t.Errorf("limit %d: %v after %d steps", c.limit, st, n)
		}
	}
}

// TestUndefinedOnce makes one evaluation fail, each in turn. But for the first,
// the step is repeated and the solution is not harmed.
func TestUndefinedOnce(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1)} {
		for fail := 1; fail <= 60; fail++ {
			calls := 0
			s := NewSolver(2, func(dy, y []float64, t float64, u []float64) {
				oscillator(dy, y, t, u)
				if calls++; calls == fail {
					dy[fail%2] = bad
				}
			}, Options{})
			out := make([]float64, 2*50)
			times := linspace(0, 5, 50)
			st := s.Solve(out, []float64{1, 0}, 0, times, []float64{1})
			if fail == 1 {
				if st != NonFinite {
					t.Errorf("call 1: %v", st)
				}
				continue
			}
			if st != OK {
				t.Errorf("call %d: %v", fail, st)
				continue
			}
			for n, y := range rows(out, 2, 50) {
				if d := distance(y, []float64{math.Cos(times[n]), -math.Sin(times[n])}); d > 1e-6 {
					t.Errorf("call %d, time %d: error %.1e", fail, n, d)
				}
			}
		}
	}
}

// TestUndefinedOften makes more evaluations fail than one step is forgiven, but
// not in succession.
func TestUndefinedOften(t *testing.T) {
	calls := 0
	s := NewSolver(2, func(dy, y []float64, time float64, u []float64) {
		oscillator(dy, y, time, u)
		if calls++; calls%100 == 0 {
			dy[0] = math.NaN()
		}
	}, Options{})
	y := solve(t, s, []float64{1, 0}, 0, []float64{100}, []float64{1})[0]
	if d := distance(y, []float64{math.Cos(100), -math.Sin(100)}); d > 1e-6 || s.Counts().Rejected < 2*maxUndefined {
		t.Errorf("error %.1e after %+v", d, s.Counts())
	}
}

// TestCause checks that the status tells the reason of the last rejected step,
// not of a former one.
func TestCause(t *testing.T) {
	calls := 0
	s := NewSolver(1, func(dy, y []float64, _ float64, _ []float64) {
		dy[0] = y[0] * y[0]
		if calls++; calls == 20 {
			dy[0] = math.NaN()
		}
	}, Options{})
	if st := s.Solve(make([]float64, 1), []float64{1}, 0, []float64{2}, nil); st != StepTooSmall {
		t.Error(st)
	}
}

// TestController checks the powers, the limits, and that a step does not grow
// after a rejected one.
func TestController(t *testing.T) {
	for _, c := range []struct{ err, want float64 }{
		{0, maxGrowth}, {1e-300, maxGrowth}, {0.5, 0.85 * math.Pow(1e-4, 1./32) / math.Pow(0.5, 3./32)}, {1, 0.85 * math.Pow(1e-4, 1./32)},
	} {
		p := newController()
		if got := p.accept(c.err); !(math.Abs(got-c.want) < 1e-14) {
			t.Errorf("accept(%v) = %v, not %v", c.err, got, c.want)
		}
		want := min(maxGrowth, 0.85*math.Pow(max(c.err, 1e-4), 1./32)/math.Pow(0.01, 3./32))
		if got := p.accept(0.01); !(math.Abs(got-want) < 1e-14) {
			t.Errorf("accept(0.01) = %v after %v, not %v", got, c.err, want)
		}
	}
	for _, c := range []struct{ err, want float64 }{{1.5, 0.85 / math.Pow(1.5, 1./8)}, {100, 0.85 / math.Pow(100, 1./8)}, {1e300, 1. / 3}} {
		p := newController()
		if got := p.reject(c.err); !(math.Abs(got-c.want) < 1e-14) {
			t.Errorf("reject(%v) = %v, not %v", c.err, got, c.want)
		}
		if first, second := p.accept(1e-9), p.accept(1e-9); first != 1 || second <= 1 {
			t.Errorf("after a rejected step the size grows by %v and %v", first, second)
		}
	}
	p := newController()
	if got := p.undefined(); got >= 1 || p.accept(0) != 1 {
		t.Errorf("undefined() = %v", got)
	}
}

// TestDomain solves systems whose solution stays where the right-hand side is
// defined, though long steps do not.
func TestDomain(t *testing.T) {
	// y = (1 − t/2)² up to shortly before it ends at 0.
	s := NewSolver(1, func(dy, y []float64, _ float64, _ []float64) { dy[0] = -math.Sqrt(y[0]) }, tolerance(1e-6))
	for n, y := range solve(t, s, []float64{1}, 0, []float64{1, 1.9, 1.99}, nil) {
		r := 1 - []float64{1, 1.9, 1.99}[n]/2
		if math.Abs(y[0]-r*r) > 1e-5 {
			t.Errorf("%v, not %v", y[0], r*r)
		}
	}
	// A steep fall to 1 from where a step of the initial size leads below 0.
	s = NewSolver(1, func(dy, y []float64, _ float64, _ []float64) { dy[0] = 100 * (1 - y[0]*math.Sqrt(y[0])) }, tolerance(1e-6))
	y := solve(t, s, []float64{100}, 0, []float64{1}, nil)
	if math.Abs(y[0][0]-1) > 1e-5 {
		t.Errorf("%v, not 1", y[0])
	}
}

// TestPure checks that a Solve depends on its arguments only: after others of
// all kinds, and in another solver, it has the same bits and the same counts.
func TestPure(t *testing.T) {
	f := func(dy, y []float64, t float64, u []float64) {
		if u[3] != 0 && t > u[3] {
			dy[0], dy[1] = math.NaN(), 1e300
			return
		}
		fitzhugh(dy, y, t, u)
	}
	times := linspace(0, 10, 37)
	y0 := padded([]float64{-1, 1}, 8)
	u := []float64{0.2, 0.2, 3, 0}
	s := NewSolver(8, f, Options{})
	want := make([]float64, 8*37)
	if st := s.Solve(want, y0, 0, times, u); st != OK {
		t.Fatal(st)
	}
	counts := s.Counts()
	for i, other := range []func() Status{
		func() Status { return s.Solve(make([]float64, 8*37), y0, 0, times, []float64{0.1, 0.3, 5, 0}) },
		func() Status { return s.Solve(make([]float64, 8*37), y0, 0, times, []float64{0.1, 0.3, 5, 3}) },
		func() Status { return s.Solve(make([]float64, 8*37), y0, 0, times, []float64{0.1, 0.3, 1e-300, 0}) },
		func() Status { return s.Solve(make([]float64, 8), y0, 5, []float64{1}, u) },
		func() Status { s = NewSolver(8, f, Options{}); return OK },
		func() Status {
			for _, w := range [][]float64{s.y, s.ynew, s.point, s.e3, s.k} {
				for i := range w {
					w[i] = math.NaN()
				}
			}
			return OK
		},
	} {
		st := other()
		got := make([]float64, 8*37)
		if again := s.Solve(got, y0, 0, times, u); again != OK || !same(got, want) || s.Counts() != counts {
			t.Errorf("after solve %d (%v): %v, differs by %.1e, %+v", i, st, again, distance(got, want), s.Counts())
		}
	}
	// The arguments are left as they were, and may be the result's own memory.
	if !slices.Equal(y0, padded([]float64{-1, 1}, 8)) || !slices.Equal(times, linspace(0, 10, 37)) {
		t.Error("Solve changed its arguments")
	}
	got := make([]float64, 8*37)
	copy(got, y0)
	if st := s.Solve(got, got[:8], 0, times, u); st != OK || !same(got, want) {
		t.Errorf("y0 within out: %v", st)
	}
}

// TestBetween checks that the right-hand side is called between t₀ and the last
// time only, with slices that it cannot append into each other.
func TestBetween(t *testing.T) {
	for _, end := range []float64{2.5, 3, 7.123} {
		s := NewSolver(2, func(dy, y []float64, time float64, u []float64) {
			if time < 2 || time > end {
				t.Errorf("evaluated at %v, outside of [2, %v]", time, end)
			}
			if len(dy) != 2 || cap(dy) != 2 || len(y) != 2 {
				t.Errorf("lengths %d of %d, %d", len(dy), cap(dy), len(y))
			}
			oscillator(dy, y, time, u)
		}, Options{})
		solve(t, s, []float64{1, 0}, 2, linspace(2, end, 20), []float64{3})
	}
	// A first step over the whole span: t₀ + (end − t₀) is more than end here.
	s := NewSolver(1, func(dy, y []float64, time float64, _ []float64) {
		if time < 0.3 || time > 0.9 {
			t.Errorf("evaluated at %v, outside of [0.3, 0.9]", time)
		}
		dy[0] = 1e-3 * y[0]
	}, Options{})
	solve(t, s, []float64{1}, 0.3, []float64{0.4, 0.9}, nil)
}

// TestCounts compares the count of evaluations with the calls.
func TestCounts(t *testing.T) {
	calls := 0
	s := NewSolver(2, func(dy, y []float64, time float64, u []float64) {
		calls++
		fitzhugh(dy, y, time, u)
	}, Options{})
	u := []float64{0.2, 0.2, 3}
	for _, times := range [][]float64{{10}, linspace(0, 10, 200), {1e-3}} {
		calls = 0
		solve(t, s, []float64{-1, 1}, 0, times, u)
		c := s.Counts()
		if c.Evaluations != calls {
			t.Errorf("%d evaluations, %d calls", c.Evaluations, calls)
		}
		// Two at the start, twelve a step, eleven a step that is rejected, and
		// three more a step in which there is a time.
		dense := c.Evaluations - (2 + 12*c.Accepted + 11*c.Rejected)
		if dense < 0 || dense > 3*c.Accepted || dense%3 != 0 || len(times) == 1 && dense > 0 {
			t.Errorf("%+v for %d times", c, len(times))
		}
	}
}

// TestTolerances checks the options: what they default to, that a tolerance is
// obeyed by relative and absolute size, and that absurd ones end.
func TestTolerances(t *testing.T) {
	d := NewSolver(2, oscillator, Options{})
	for _, o := range []Options{tolerance(-1), tolerance(math.NaN()), {DefaultTolerance, DefaultTolerance, DefaultMaxSteps}} {
		if s := NewSolver(2, oscillator, o); s.rtol != d.rtol || s.atol != d.atol || s.maxSteps != d.maxSteps {
			t.Errorf("%+v is not the default", o)
		}
	}
	// A solution of size 1e-6, or 1e6: what counts is one or the other.
	for _, scale := range []float64{1e-6, 1e6} {
		for _, o := range []Options{{RelTol: 1e-9, AbsTol: 5e-324}, {RelTol: 1e-300, AbsTol: 1e-9 * scale}} {
			s := NewSolver(2, oscillator, o)
			y := solve(t, s, []float64{scale, 0}, 0, []float64{4}, []float64{1})[0]
			if e := math.Hypot(y[0]/scale-math.Cos(4), y[1]/scale+math.Sin(4)); e > 1e-7 || e < 1e-13 {
				t.Errorf("%+v at scale %g: error %.1e", o, scale, e)
			}
		}
	}
	// A component that is and stays 0 has no error, even with no tolerance.
	s := NewSolver(3, func(dy, y []float64, time float64, u []float64) {
		oscillator(dy, y, time, u)
		dy[2] = 0
	}, Options{RelTol: 1e-6, AbsTol: 5e-324})
	solve(t, s, []float64{1, 0, 0}, 0, []float64{4}, []float64{1})
	for _, o := range []Options{tolerance(1e-20), tolerance(5e-324), tolerance(math.Inf(1)), {RelTol: 1e300}, {AbsTol: 1e300}} {
		s := NewSolver(2, oscillator, o)
		out := make([]float64, 2)
		st := s.Solve(out, []float64{1, 0}, 0, []float64{4}, []float64{1})
		t.Logf("%+v: %v, %+v", o, st, s.Counts())
		if st == OK && !finite(out) {
			t.Errorf("%+v: %v after %+v", o, out, s.Counts())
		}
	}
}

// TestPortable pins the bits of a solution whose right-hand side rounds each
// product. They must not depend on the architecture, nor on GOAMD64.
func TestPortable(t *testing.T) {
	f := func(dy, y []float64, t float64, u []float64) {
		w := float64(y[0] * y[1])
		dy[0] = float64(u[0]*y[0]) - float64(u[1]*w)
		dy[1] = float64(u[1]*w) - float64(u[2]*y[1]) + float64(0.01*t)
	}
	s := NewSolver(2, f, Options{})
	sum := uint64(0)
	for _, y := range solve(t, s, []float64{3, 1}, 0, linspace(0, 30, 97), []float64{1.1, 0.4, 0.9}) {
		for _, v := range y {
			sum = sum*0x9e3779b97f4a7c15 + math.Float64bits(v)
		}
	}
	got := fmt.Sprintf("%016x %v", sum, s.Counts())
	if want := "530d5b02f2c5f919 {90 6 1382}"; got != want {
		t.Errorf("%s, not %s", got, want)
	}
}

func TestNoAllocation(t *testing.T) {
	u := []float64{0.2, 0.2, 3}
	for _, dim := range []int{2, 8, 20} {
		s := NewSolver(dim, fitzhugh, Options{})
		times, y0 := linspace(0, 10, 50), padded([]float64{-1, 1}, dim)
		out := make([]float64, dim*len(times))
		limit := NewSolver(dim, fitzhugh, Options{MaxSteps: 10})
		if n := testing.AllocsPerRun(10, func() {
			s.Solve(out, y0, 0, times, u)
			limit.Solve(out, y0, 0, times, u)
			s.Solve(out, y0, 1, times, u)
		}); n != 0 {
			t.Errorf("%v allocations with %d equations", n, dim)
		}
	}
}

func TestStatusNames(t *testing.T) {
	seen := map[string]bool{}
	for st := range NumStatus {
		name := st.String()
		if name == "" || seen[name] {
			t.Errorf("status %d is %q", st, name)
		}
		seen[name] = true
	}
	if s := NumStatus.String(); s != "Status(5)" {
		t.Error(s)
	}
}

func ExampleSolver() {
	// A population that grows, with its sensitivity to the rate u[0].
	growth := func(dy, y []float64, _ float64, u []float64) {
		dy[0] = u[0] * y[0]
		dy[1] = u[0]*y[1] + y[0]
	}
	times := []float64{0, 1, 2}
	out := make([]float64, 2*len(times))
	s := NewSolver(2, growth, Options{})
	st := s.Solve(out, []float64{1, 0}, 0, times, []float64{0.5})
	fmt.Printf("%v\n%.5f\n%.5f\n", st, out[:3], out[3:])
	// Output:
	// ok
	// [1.00000 1.64872 2.71828]
	// [0.00000 1.64872 5.43656]
}
