package runtime

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// randomBend draws a bend.
func randomBend(rng *rand.Rand) Bend {
	power := func() float64 {
		return math.Exp(math.Log(leastPower) + rng.Float64()*math.Log(mostPower/leastPower))
	}
	return Bend{Centre: 10 * rng.NormFloat64(), Scale: math.Exp(3 * rng.NormFloat64()), Right: power(), Left: power()}
}

// TestBendsLeadBack: a bend has an inverse, and its derivatives are those of differences.
func TestBendsLeadBack(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		b := randomBend(rng)
		if !b.valid(1) {
			t.Fatalf("%+v is no bend", b)
		}
		v := 4 * rng.NormFloat64()
		if rng.IntN(10) == 0 {
			v *= 1e6
		}
		q, slope, logSlope, curl := b.at(v)
		if back := b.inverse(q); math.Abs(back-v) > 1e-9*(1+math.Abs(v))*(1+math.Abs(b.Centre)/b.Scale) {
			t.Errorf("%+v: %v leads to %v and back to %v", b, v, q, back)
		}
		h := 1e-4 * (1 + math.Abs(v))
		above, _, logAbove, _ := b.at(v + h)
		below, _, logBelow, _ := b.at(v - h)
		if d := (above - below) / (2 * h); math.Abs(d-slope) > 1e-5*slope+1e-9*math.Abs(q)/h {
			t.Errorf("%+v at %v: slope %v, by differences %v", b, v, slope, d)
		}
		if math.Abs(logSlope-math.Log(slope)) > 1e-12*(1+math.Abs(logSlope)) {
			t.Errorf("%+v at %v: log slope %v of %v", b, v, logSlope, slope)
		}
		if d := (logAbove - logBelow) / (2 * h); math.Abs(d-curl) > 1e-5*(1+math.Abs(curl)) {
			t.Errorf("%+v at %v: derivative of the log slope %v, by differences %v", b, v, curl, d)
		}
	}
	straight := Bend{Centre: 3, Scale: 2, Right: 1, Left: 1}
	if q, slope, _, curl := straight.at(1.5); math.Abs(q-6) > 1e-14 || math.Abs(slope-2) > 1e-14 || math.Abs(curl) > 1e-14 {
		t.Errorf("powers of one bend: %v, %v, %v", q, slope, curl)
	}
}

// shape is a density of one coordinate: values at given probabilities, and the derivative of its logarithm.
type shape struct {
	name          string
	before, after float64 // departures: of the density, by quadrature, and the most that a bend may leave
	quantile      func(p float64) float64
	slope         func(q float64) float64
}

var shapes = []shape{
	// log |x|, x ~ Laplace(1): the logarithm of an exponential variable
	{"log exponential", 0.56, 0.05, func(p float64) float64 { return math.Log(-math.Log1p(-p)) }, func(q float64) float64 { return 1 - math.Exp(q) }},
	{"gumbel", 0.56, 0.05, func(p float64) float64 { return -math.Log(-math.Log(p)) }, func(q float64) float64 { return math.Exp(-q) - 1 }},
	{"log half-Cauchy", 0.22, 0.05, func(p float64) float64 { return math.Log(math.Tan(p * math.Pi / 2)) }, func(q float64) float64 { return -math.Tanh(q) }},
	{"log half-normal", 1.14, 0.05, func(p float64) float64 { return math.Log(math.Sqrt2 * math.Erfinv(p)) }, func(q float64) float64 { return 1 - math.Exp(2*q) }},
	{"normal", 0, 0, func(p float64) float64 { return math.Sqrt2 * math.Erfinv(2*p-1) }, func(q float64) float64 { return -q }},
}

// TestBendsOfShapes: a bend takes away most of what a coordinate departs from a normal one, in any unit, and a normal one has none.
func TestBendsOfShapes(t *testing.T) {
	const n = 400
	for _, s := range shapes {
		for _, unit := range []float64{1, -1e-3, 1e4} {
			c := &column{x: make([]float64, n), g: make([]float64, n), v: make([]float64, n), w: make([]float64, n)}
			for i := range n {
				q := s.quantile((float64(i) + 0.5) / n)
				c.x[i], c.g[i] = 7+unit*q, s.slope(q)/unit
			}
			if d := c.departure(nil); math.Abs(d-s.before) > 0.1*s.before+1e-9 {
				t.Errorf("%s: departs by %v, want %v", s.name, d, s.before)
			}
			b, gain := c.bend(0)
			if (b == nil) != (s.before == 0) {
				t.Errorf("%s in units of %v: bend %v", s.name, unit, b)
				continue
			}
			if b == nil {
				continue
			}
			if d := c.departure(b); d > s.after || math.Abs(d+gain-c.departure(nil)) > 1e-9 {
				t.Errorf("%s in units of %v: departs by %v under %+v, with a gain of %v", s.name, unit, d, b, gain)
			}
		}
	}
}

// TestBendsAreTheMost: of many coordinates that depart the worst are bent, in order.
func TestBendsAreTheMost(t *testing.T) {
	const n, m = 50, 60
	f := newFisher(n, true)
	shift := func(i int) float64 { return 0.2 + float64((i*37)%n)/n } // a mixture of a normal and another shape
	for k := range m {
		x, g := make([]float64, n), make([]float64, n)
		for i := range n {
			s := shapes[3]
			if shift(i) < 0.6 {
				s = shapes[2]
			}
			x[i] = s.quantile((float64((k*(2*i+7))%m) + 0.5) / m)
			g[i] = s.slope(x[i])
		}
		f.add(x, g)
	}
	by := f.bends()
	if len(by) != mostBends {
		t.Fatalf("%d coordinates are bent", len(by))
	}
	if !slices.IsSortedFunc(by, func(a, b Bend) int { return a.Coordinate - b.Coordinate }) {
		t.Errorf("not in order: %v", by)
	}
	bent := map[int]bool{}
	for _, b := range by {
		bent[b.Coordinate] = true
	}
	for i := range n {
		if shift(i) >= 0.6 && !bent[i] {
			t.Errorf("coordinate %d, which departs most, is not bent", i)
		}
	}
}

// TestBentGradient: the gradient of a bent system is that of its log density, which has the Jacobian in it, and that of the model is known besides.
func TestBentGradient(t *testing.T) {
	m := &slope{m: 3, gradient: func(grad, q []float64) float64 {
		grad[0], grad[1], grad[2] = -q[0]+0.3*q[1], 1-math.Exp(q[1])+0.3*q[0], -q[2]
		return -q[0]*q[0]/2 + 0.3*q[0]*q[1] + q[1] - math.Exp(q[1]) - q[2]*q[2]/2
	}}
	e := NewEuclidean(m, false)
	e.setBends(bends{{Coordinate: 1, Centre: -0.5, Scale: 0.8, Right: 0.6, Left: 1.7}})
	q := []float64{0.4, -1.2, 0.1}
	v := slices.Clone(q)
	e.bend(v)
	if v[0] != q[0] || v[2] != q[2] || v[1] == q[1] {
		t.Fatalf("%v is bent to %v", q, v)
	}
	log := func(v []float64) float64 {
		q := slices.Clone(v)
		l := e.bends.push(q)
		return m.Gradient(make([]float64, 3), q) + l
	}
	check := func(what string) {
		t.Helper()
		if l := e.LogDensity(v); math.Abs(l-log(v)) > 1e-12 || l != e.logp {
			t.Errorf("%s: log density %v, want %v", what, l, log(v))
		}
		for i := range v {
			up, down := slices.Clone(v), slices.Clone(v)
			up[i] += 1e-5
			down[i] -= 1e-5
			if d := (log(up) - log(down)) / 2e-5; math.Abs(d-e.grad[i]) > 1e-8 {
				t.Errorf("%s: gradient %d is %v, by differences %v", what, i, e.grad[i], d)
			}
		}
	}
	check("from the model's position")
	e.Forget()
	check("anew")
	own := make([]float64, 3)
	m.Gradient(own, q)
	if g := e.gradientOf(q); !slices.Equal(g, own) {
		t.Errorf("the model's gradient %v, want %v", g, own)
	}
	e.unbend(v)
	if distance(v, q) > 1e-12 {
		t.Errorf("back at %v, not %v", v, q)
	}
}

// bentKernel is a kernel over the logarithm of an exponential variable and a normal one, the first of which is bent.
func bentKernel(t *testing.T) (*HMC, *Euclidean) {
	t.Helper()
	e := NewEuclidean(&slope{m: 2, gradient: func(grad, q []float64) float64 {
		grad[0], grad[1] = 1-math.Exp(q[0]), -q[1]
		if q[0] > 3 {
			return math.NaN()
		}
		return q[0] - math.Exp(q[0]) - q[1]*q[1]/2
	}}, false)
	e.setBends(bends{{Coordinate: 0, Centre: -0.4, Scale: 40, Right: 0.5, Left: 1.6}})
	k, err := NewHMC(e, Leapfrog, Solver{})
	if err != nil {
		t.Fatal(err)
	}
	return k, e
}

// TestBentTransitions: a transition that is refused leaves the very state that was there, and one that moves reports the model's log density.
func TestBentTransitions(t *testing.T) {
	k, e := bentKernel(t)
	rng := rand.New(rand.NewPCG(3, 4))
	k.Steps = 3
	refused, moved := 0, 0
	q := []float64{0.3, 0.1}
	for n := range 400 {
		k.StepSize = []float64{0.02, 0.3}[n%2]
		before := slices.Clone(q)
		tr := k.Transition(q, rng)
		if same := slices.Equal(q, before); same == tr.Accepted {
			t.Fatalf("transition %d: from %v to %v, accepted: %v", n, before, q, tr.Accepted)
		}
		if want := e.Model.Gradient(make([]float64, 2), q); math.Abs(tr.LogDensity-want) > 1e-12*(1+math.Abs(want)) {
			t.Fatalf("transition %d: log density %v, want %v", n, tr.LogDensity, want)
		}
		if tr.Accepted {
			moved++
		} else {
			refused++
		}
	}
	if refused < 20 || moved < 20 {
		t.Errorf("%d transitions refused, %d not", refused, moved)
	}
}

// TestBentFailures: where the model fails is told in its own coordinates.
func TestBentFailures(t *testing.T) {
	k, e := bentKernel(t)
	q := []float64{2.9, 0}
	v := slices.Clone(q)
	e.bend(v)
	k.tried.set(v, []float64{50, 0}, 0.01)
	at, runaway := k.locate()
	if runaway || len(at) != 2 || !(at[0] > 3 && at[0] < 100) {
		t.Errorf("the failure is at %v, the step's doing: %v", at, runaway)
	}
	// The coordinate 5 of a narrow bend is one of the model's that is sound, though the model fails at its own 5.
	e.setBends(bends{{Coordinate: 0, Centre: -0.4, Scale: 0.1, Right: 1, Left: 1}})
	if !k.sound([]float64{5, 0}) {
		t.Error("a position is judged in other coordinates than its own")
	}
}

// TestBentWarmup: the window of a warm-up and the search for a step size look at the coordinates of the bends.
func TestBentWarmup(t *testing.T) {
	k, e := bentKernel(t)
	a := newAdapter(k, 400, &Tuning{Metric: LowRank, Bends: true})
	if !a.bends || !a.chooses {
		t.Fatal("nothing is adapted")
	}
	const n = 80
	s := shapes[0]
	fill := func() {
		for i := range n {
			x := s.quantile((float64(i*37%n) + 0.5) / n)
			y := math.Sqrt2 * math.Erfinv(2*(float64(i*23%n)+0.5)/n-1)
			a.points.add([]float64{x, y}, []float64{s.slope(x), -y})
		}
	}
	e.setBends(nil)
	fill()
	a.judge()
	a.endWindow()
	if a.settled || len(e.bends) != 1 || e.bends[0].Coordinate != 0 {
		t.Fatalf("after a window of points that depart: settled %v, bends %v", a.settled, e.bends)
	}
	fill()
	a.judge()
	if a.endWindow(); !a.settled || len(e.bends) != 1 {
		t.Errorf("after a window of such points under the bend: settled %v, bends %v", a.settled, e.bends)
	}

	e.setBends(bends{{Coordinate: 0, Centre: 5, Scale: 1e-4, Right: 1, Left: 1}})
	q := []float64{-6, 0.5}
	v := slices.Clone(q)
	e.bend(v)
	k.StepSize = 1
	k.InitialStepSize(v, rand.New(rand.NewPCG(5, 6)))
	want := k.StepSize
	k.StepSize = 1
	if a.search(q, rand.New(rand.NewPCG(5, 6))); k.StepSize != want || q[0] != -6 {
		t.Errorf("a step size of %v to begin with, want %v", k.StepSize, want)
	}
}
