package runtime

import (
	"math"
	"slices"
	"testing"
)

// shifted is a standard normal posterior whose map x = z + r has the reference r, and no value where that is beyond 100.
type shifted struct {
	slope
	r float64
}

func (m *shifted) Clone() Model { c := *m; return &c }

func (m *shifted) move(q []float64, by float64) {
	for i := range q {
		if q[i] += by; math.Abs(m.r) > 100 {
			q[i] = math.NaN()
		}
	}
}

func (m *shifted) Push(q []float64)                { m.move(q, m.r) }
func (m *shifted) Pull(q []float64)                { m.move(q, -m.r) }
func (m *shifted) Plain(q, x []float64) error      { copy(q, x); return nil }
func (m *shifted) LogJacobian(q []float64) float64 { return 0 }
func (m *shifted) SetReference(plain []float64)    { m.r = plain[0] }
func (m *shifted) LogDensity(q []float64) float64  { return m.Gradient(make([]float64, len(q)), q) }
func (m *shifted) Gradient(g, q []float64) float64 {
	x := slices.Clone(q)
	m.Push(x)
	return m.slope.Gradient(g, x)
}

// TestBeginWhereNoMapIs: a chain whose map has no value at its start begins there under that of the origin.
func TestBeginWhereNoMapIs(t *testing.T) {
	for _, from := range []float64{3, 200} {
		m := &shifted{slope: slope{m: 2, gradient: func(g, x []float64) (l float64) {
			for i, v := range x {
				g[i] = -v
				l -= v * v / 2
			}
			return l
		}}}
		w := &walker{run: &run{opt: DefaultOptions()}, q: []float64{from, from}}
		w.sweep = &Sweep{Posterior: m}
		w.sweep.carrier = newCarrier(w.sweep)
		w.begin()
		if m.Push(w.q); !(math.Abs(w.q[0]-from) <= 1e-12) {
			t.Errorf("from %v the chain begins at %v", from, w.q)
		}
	}
}

// TestPlainWhereNoMapIs: values have plain coordinates where the map at the present reference has no value, as where a point was tried
// before at which it has none; so a start from the prior is found.
func TestPlainWhereNoMapIs(t *testing.T) {
	m := &shifted{slope: slope{m: 2}}
	c := newCarrier(&Sweep{Posterior: m})
	c.anchor([]float64{200, 200})
	q := make([]float64, 2)
	if err := c.unconstrain(q, []float64{3, -4}); err != nil || q[0] != 3 || q[1] != -4 {
		t.Errorf("the plain coordinates are %v (%v)", q, err)
	}
}
