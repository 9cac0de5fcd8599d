package differential

import (
	"math"
	"testing"

	"github.com/hamc-dev/hamc/internal/differential/probe"
	"github.com/hamc-dev/hamc/runtime"
)

// latentPlaces are the coordinates of latent vectors.
func latentPlaces(in *runtime.Info) (at []int) {
	k := 0
	for _, p := range in.Params {
		for range p.Dim() {
			if p.Latent {
				at = append(at, k)
			}
			k++
		}
	}
	return at
}

// TestTransportsWhiten: where all that sees latent vectors is normal in them, their coordinates are independent standard normal
// variates given the other parameters, whatever these are: ∂L/∂z = −z. So the centre is the conditional mean, and the factor
// that of the conditional precision, of several vectors together too.
func TestTransportsWhiten(t *testing.T) {
	for _, s := range named(t, "transport_schools", "transport_funnel", "transport_slopes", "transport_nested", "transport_level", "transport_balanced") {
		p, err := s.interpreted()
		if err != nil {
			t.Fatal(err)
		}
		m := p.(runtime.Transported)
		n := m.Info().Dim()
		if anchored, ok := m.(runtime.Anchored); ok {
			// Vectors that cross have one for each other, on which nothing depends where each combination is seen as often.
			if s.name != "transport_balanced" {
				t.Errorf("%s: a reference, which no term needs", s.name)
			}
			anchored.SetReference(probe.Position(n, 9))
		}
		grad := make([]float64, n)
		for point := range 8 {
			q := probe.Position(n, point)
			m.Gradient(grad, q)
			for _, i := range latentPlaces(m.Info()) {
				if math.Abs(grad[i]+q[i]) > 1e-9*(1+math.Abs(q[i])) {
					t.Errorf("%s, point %d: ∂L/∂z is %v at z = %v, coordinate %d", s.name, point, grad[i], q[i], i)
				}
			}
		}
	}
}

// TestTransportsScore: each map takes z = 0 one step of scoring from its reference, and where such steps come to rest is a mode of
// the latent vectors given the others: ∂L/∂z = 0 at z = 0. It is not so of priors with heavy tails, for which normal ones stand.
func TestTransportsScore(t *testing.T) {
	for _, s := range named(t, "transport_volatility", "transport_counts", "transport_student", "transport_order_two", "transport_scaled", "transport_crossed", "transport_three", "transport_parts", "transport_curves", "transport_counts_written") {
		p, err := s.interpreted()
		if err != nil {
			t.Fatal(err)
		}
		m, ok := p.(runtime.Anchored)
		if !ok {
			t.Errorf("%s: no reference", s.name)
			continue
		}
		n := m.Info().Dim()
		latent := latentPlaces(m.Info())
		for point := range 4 {
			q := probe.Position(n, point)
			m.SetReference(q)
			x := append([]float64(nil), q...) // values
			for range 400 {
				z := append([]float64(nil), x...)
				m.Pull(z)
				for _, i := range latent {
					z[i] /= 2 // whole steps of observed information may go to and fro
				}
				m.Push(z)
				x = z
				m.SetReference(x)
			}
			for _, i := range latent {
				q[i] = 0
			}
			grad := make([]float64, n)
			m.Gradient(grad, q)
			for _, i := range latent {
				if !(math.Abs(grad[i]) < 1e-8) {
					t.Errorf("%s, point %d: ∂L/∂z[%d] is %v where scoring comes to rest", s.name, point, i, grad[i])
				}
			}
		}
	}
}

// TestTransportsLogJacobian: what is left of the log density without log |∂x/∂z| is that of the values: of the same model without
// maps.
func TestTransportsLogJacobian(t *testing.T) {
	for _, s := range named(t, "transport_schools", "transport_order_two", "transport_nested", "transport_tails", "transport_balanced", "transport_three", "transport_curves", "transport_counts_written") {
		p, err := s.interpreted()
		if err != nil {
			t.Fatal(err)
		}
		m := p.(runtime.Transported)
		plain := *s
		plain.text += "\nmetric identity\n"
		if err := plain.compile(); err != nil {
			t.Fatal(err)
		}
		without, err := plain.interpreted()
		if err != nil {
			t.Fatal(err)
		}
		n := m.Info().Dim()
		if anchored, ok := m.(runtime.Anchored); ok {
			anchored.SetReference(probe.Position(n, 9))
		}
		for point := range 6 {
			q := probe.Position(n, point)
			got := m.LogDensity(q) - m.LogJacobian(q)
			m.Push(q)
			if want := without.LogDensity(q); math.Abs(got-want) > 1e-10*(1+math.Abs(want)) {
				t.Errorf("%s, point %d: %v, without a map %v", s.name, point, got, want)
			}
		}
	}
}
