package differential

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hamc-dev/hamc/internal/campaign"
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

// unmapped is a model without maps.
func unmapped(t *testing.T, s *subject) runtime.Posterior {
	t.Helper()
	plain := *s
	plain.text += "\nmetric identity\n"
	if err := plain.derive(); err != nil {
		t.Fatal(err)
	}
	m, err := plain.interpreted()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// declared makes coordinates of a model with maps those of its declarations, by the values.
func declared(t *testing.T, m, without runtime.Posterior, q []float64) {
	t.Helper()
	values := make([]float64, m.Info().Size())
	m.Constrain(values, q)
	if err := without.Unconstrain(q, values); err != nil {
		t.Fatal(err)
	}
}

// TestTransportsWhiten: where all that sees latent vectors is normal in them, their coordinates are independent standard normal
// variates given the other parameters, whatever these are: ∂L/∂z = −z. So the centre is the conditional mean, and the factor
// that of the conditional precision, of several vectors together too.
func TestTransportsWhiten(t *testing.T) {
	for _, s := range sampled(t, "transport_drifts", "transport_schools", "transport_funnel", "transport_slopes", "transport_nested", "transport_groups", "transport_functions", "transport_level", "transport_mean", "transport_balanced", "transport_balanced_rows", "transport_balanced_three", "transport_lognormal", "transport_columns", "transport_walks", "transport_panel", "transport_held", "transport_trend", "transport_vector_ar", "transport_walk_covariance", "transport_coupled_walks", "transport_seasonal", "transport_months", "dense_horseshoe", "dense_rows", "dense_animal", "dense_scores", "dense_sum_to_zero_series", "transport_observed_rows", "transport_variates", "innovations_walk", "innovations_sum", "innovations_cycle", "innovations_columns", "sparse_field", "transport_open") {
		p, err := s.interpreted()
		if err != nil {
			t.Fatal(err)
		}
		m := p.(runtime.Transported)
		n := m.Info().Dim()
		if anchored, ok := m.(runtime.Anchored); ok {
			// Vectors that cross have one for each other, on which nothing depends where each combination is seen as often.
			if !strings.HasPrefix(s.name, "transport_balanced") {
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
	for _, s := range sampled(t, "transport_horseshoe", "transport_volatility", "transport_recursion_reference", "transport_counts", "transport_student", "transport_order_two", "transport_scaled", "transport_crossed", "transport_three", "transport_parts", "transport_curves", "transport_counts_written", "transport_written_parts", "transport_rows", "transport_three_columns", "transport_hurdle", "transport_cells", "transport_cube", "transport_rows_curves", "transport_leverage", "transport_pinned", "transport_ranking", "transport_detection", "transport_levels_of_two", "dense_apart", "dense_sum_to_zero", "dense_sum_to_zero_two", "dense_rows_joint", "dense_rows_curves", "dense_effects", "dense_process", "dense_multi_normal", "dense_basis", "transport_overlooked", "innovations_renewal", "recursion_latent", "transport_growth", "transport_variates_hits", "sparse_neighbours", "sparse_stated", "transport_panel_means") {
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
		for point := range campaign.Cases(t, 1, 4) {
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

// TestRowsHeldByData: rows x = m + C u that are determined before what crosses with them stay where data hold them while their mean m moves: they follow it by the share that the prior has in
// their precision, and not as it is.
func TestRowsHeldByData(t *testing.T) {
	s := named(t, "transport_answers")[0]
	p, err := s.interpreted()
	if err != nil {
		t.Fatal(err)
	}
	m := p.(runtime.Anchored)
	const rows, mean, scale = 6, 12, 14 // where xi, mu and log(tau) begin
	q := make([]float64, m.Info().Dim())
	q[scale], q[scale+1] = 1, 1 // of a prior of which data say more
	at := slices.Clone(q)
	for n := range rows {
		at[n] = float64(n) - 2.2 // else data say nothing of discriminations
	}
	m.SetReference(at)
	moved := slices.Clone(q)
	moved[mean] += 0.1
	moved[mean+1] += 0.1
	x, y := make([]float64, m.Info().Size()), make([]float64, m.Info().Size())
	m.Constrain(x, q)
	m.Constrain(y, moved)
	for n := range 6 {
		if d := y[rows+n] - x[rows+n]; !(math.Abs(d) < 0.08) {
			t.Errorf("element %d of xi moves by %v where mu does by 0.1", n+1, d)
		}
	}
}

// TestTransportsLogJacobian: what is left of the log density without log |∂x/∂z| is that of the values: of the same model without
// maps.
func TestTransportsLogJacobian(t *testing.T) {
	for _, s := range sampled(t, "transport_horseshoe", "transport_schools", "transport_mean", "transport_order_two", "transport_nested", "transport_groups", "transport_functions", "transport_tails", "transport_balanced", "transport_balanced_rows", "transport_three", "transport_answers", "transport_contrasts", "transport_curves", "transport_counts_written", "transport_rates", "transport_proportions", "transport_halves", "transport_columns", "transport_rows", "transport_walks", "transport_positive", "transport_three_columns", "transport_hurdle", "transport_coupled_walks", "transport_cells", "transport_panel", "transport_cube", "transport_seasonal", "transport_months", "transport_testlets", "transport_leverage", "transport_pinned", "transport_ranking", "transport_detection", "transport_trend", "transport_vector_ar", "transport_walk_covariance", "transport_back", "transport_differences", "transport_levels_of_two", "transport_measured", "transport_measured_rows", "transport_measured_whole", "transport_recursion_reference", "transport_hidden", "transport_truncated", "transport_bounds", "transport_bounds_seen", "dense_apart", "dense_sum_to_zero", "dense_sum_to_zero_two", "dense_sum_to_zero_series", "transport_observed_rows", "transport_variates", "transport_variates_hits", "transport_observed_crossed", "transport_rows_curves", "dense_rows", "dense_rows_crossed", "dense_games", "dense_rows_joint", "dense_rows_curves", "dense_multi_normal", "dense_effects", "dense_process", "dense_animal", "dense_recursion", "transport_mixture", "transport_overlooked", "transport_overlooked_rows", "transport_switched", "transport_measured_beside", "dense_basis", "dense_basis_scale", "innovations_walk", "innovations_sum", "innovations_cycle", "innovations_columns", "innovations_counts", "innovations_renewal", "recursion_latent", "transport_growth", "transport_occupancy", "innovations_learning", "innovations_population", "transport_open", "sparse_field", "sparse_neighbours", "sparse_stated", "transport_panel_means", "transport_drifts") {
		p, err := s.interpreted()
		if err != nil {
			t.Fatal(err)
		}
		m, ok := p.(runtime.Transported)
		if !ok {
			t.Errorf("%s: no map", s.name)
			continue
		}
		without := unmapped(t, s)
		n := m.Info().Dim()
		if anchored, ok := m.(runtime.Anchored); ok {
			anchored.SetReference(probe.Position(n, 9))
		}
		for point := range 6 {
			q := probe.Position(n, point)
			got := m.LogDensity(q) - m.LogJacobian(q)
			declared(t, m, without, q)
			if want := without.LogDensity(q); math.Abs(got-want) > 1e-10*(1+math.Abs(want)) {
				t.Errorf("%s, point %d: %v, without a map %v", s.name, point, got, want)
			}
		}
	}
}

// TestTransportsInverse: the coordinates of the values at a point are that point.
func TestTransportsInverse(t *testing.T) {
	for _, s := range sampled(t, "innovations_walk", "innovations_sum", "innovations_cycle", "innovations_columns", "innovations_counts", "innovations_renewal", "recursion_latent", "transport_volatility", "transport_walks", "dense_rows", "innovations_learning", "sparse_field", "sparse_neighbours", "sparse_stated", "transport_panel_means", "transport_drifts") {
		p, err := s.interpreted()
		if err != nil {
			t.Fatal(err)
		}
		m := p.(runtime.Transported)
		n := m.Info().Dim()
		if anchored, ok := m.(runtime.Anchored); ok {
			anchored.SetReference(probe.Position(n, 9))
		}
		for point := range 6 {
			q := probe.Position(n, point)
			values, back := make([]float64, m.Info().Size()), make([]float64, n)
			m.Constrain(values, q)
			if err := m.Unconstrain(back, values); err != nil {
				t.Fatal(err)
			}
			for i := range q {
				if !(math.Abs(back[i]-q[i]) <= 1e-9*(1+math.Abs(q[i]))) {
					t.Errorf("%s, point %d: coordinate %d is %v, of the values there %v", s.name, point, i, q[i], back[i])
				}
			}
		}
	}
}

// TestTransportsFollowScales: what data say much of, mu + s z, stays where it is when s moves and the coordinates do not, also where it bends what is seen.
func TestTransportsFollowScales(t *testing.T) {
	for _, s := range named(t, "transport_growth") {
		p, err := s.interpreted()
		if err != nil {
			t.Fatal(err)
		}
		m := p.(runtime.Anchored)
		q := make([]float64, m.Info().Dim())
		for range 50 { // scoring, to the mode
			m.SetReference(q)
			m.Pull(q)
			for _, i := range latentPlaces(m.Info()) {
				q[i] /= 2
			}
			m.Push(q)
		}
		m.SetReference(q)
		m.Pull(q)
		effects := func() (out []float64) {
			x := make([]float64, m.Info().Size())
			m.Constrain(x, q)
			for j := range 3 {
				for k := range 2 {
					out = append(out, x[k]+x[2+k]*x[4+2*j+k])
				}
			}
			return out
		}
		before := effects()
		q[2], q[3] = q[2]+0.4, q[3]-0.4 // log s
		for i, x := range effects() {
			if !(math.Abs(x-before[i]) < 0.15) {
				t.Errorf("effect %d goes from %v to %v", i, before[i], x)
			}
		}
	}
}

// TestTransportsVolume: log |∂x/∂z| is that of differences of the map. No other test sees a part of it that does not depend on z.
func TestTransportsVolume(t *testing.T) {
	for _, s := range sampled(t, "transport_horseshoe", "transport_schools", "transport_open", "sparse_field", "sparse_neighbours", "sparse_stated", "transport_panel_means", "transport_drifts", "transport_mean", "transport_order_two", "transport_nested", "transport_groups", "transport_functions", "transport_balanced", "transport_balanced_rows", "transport_three", "transport_answers", "transport_contrasts", "transport_columns", "transport_rows", "transport_walks", "transport_positive", "transport_three_columns", "transport_hurdle", "transport_coupled_walks", "transport_cells", "transport_panel", "transport_cube", "transport_seasonal", "transport_months", "transport_testlets", "transport_leverage", "transport_pinned", "transport_ranking", "transport_detection", "transport_trend", "transport_vector_ar", "transport_walk_covariance", "transport_back", "transport_differences", "transport_levels_of_two", "transport_measured", "transport_measured_rows", "transport_measured_whole", "transport_recursion_reference", "transport_hidden", "transport_truncated", "transport_bounds", "transport_bounds_seen", "dense_apart", "dense_sum_to_zero", "dense_sum_to_zero_two", "dense_sum_to_zero_series", "transport_observed_rows", "transport_variates", "transport_variates_hits", "transport_observed_crossed", "transport_rows_curves", "dense_rows", "dense_rows_crossed", "dense_games", "dense_rows_joint", "dense_rows_curves", "dense_multi_normal", "dense_effects", "dense_process", "dense_animal", "dense_recursion", "transport_mixture", "transport_overlooked", "transport_overlooked_rows", "transport_switched", "transport_measured_beside", "dense_basis", "dense_basis_scale", "innovations_walk", "innovations_sum", "innovations_cycle", "innovations_columns", "innovations_counts", "innovations_renewal", "recursion_latent", "transport_growth", "transport_occupancy", "innovations_learning", "innovations_population") {
		p, err := s.interpreted()
		if err != nil {
			t.Fatal(err)
		}
		m := p.(runtime.Transported)
		n := m.Info().Dim()
		if anchored, ok := m.(runtime.Anchored); ok {
			anchored.SetReference(probe.Position(n, 9))
		}
		at, without := latentPlaces(m.Info()), unmapped(t, s)
		for point := range 3 {
			jacobian := mat.NewDense(len(at), len(at), nil)
			for c, j := range at {
				const h = 1e-4
				up, down := probe.Position(n, point), probe.Position(n, point)
				up[j] += h
				down[j] -= h
				declared(t, m, without, up)
				declared(t, m, without, down)
				for r, i := range at {
					jacobian.Set(r, c, (up[i]-down[i])/(2*h))
				}
			}
			want, _ := mat.LogDet(jacobian)
			if got := m.LogJacobian(probe.Position(n, point)); !(math.Abs(got-want) <= 1e-6*(1+math.Abs(want))) {
				t.Errorf("%s, point %d: log |∂x/∂z| is %v, by differences %v", s.name, point, got, want)
			}
		}
	}
}

// TestTransportsWritten: a Poisson regression whose density is written out has the maps of the distribution: its observed information
// about the logarithm of the rate is the expected one, of vectors that cross, of one with a slope, and with the score that follows the others.
func TestTransportsWritten(t *testing.T) {
	const stated, written = "y ~ poisson_log(a[g] + b[h] + c[l] + slope*x)", `
let eta[i in n] = a[g[i]]*x[i] + b[h[i]] - c[l[i]] + slope*x[i]
density sum(i in n) (y[i]*eta[i] - exp(eta[i])) - sum(i in n) lgamma(y[i] + 1)
`
	for _, s := range named(t, "transport_three") {
		var both []runtime.Anchored
		for _, text := range []string{"y[i] ~ poisson_log(a[g[i]]*x[i] + b[h[i]] - c[l[i]] + slope*x[i]) for i in n", written} {
			one := *s
			one.text = strings.Replace(s.text, stated, text, 1)
			if err := one.derive(); err != nil {
				t.Fatal(err)
			}
			p, err := one.interpreted()
			if err != nil {
				t.Fatal(err)
			}
			m, ok := p.(runtime.Anchored)
			if !ok || one.text == s.text || len(latentPlaces(m.Info())) != 9 {
				t.Fatalf("%s: no maps with a reference", text)
			}
			both = append(both, m)
		}
		n := both[0].Info().Dim()
		for point := range 6 {
			var plain [2][]float64
			for k, m := range both {
				m.SetReference(probe.Position(n, point+3))
				plain[k] = probe.Position(n, point)
				m.Push(plain[k])
			}
			for i, v := range plain[0] {
				if w := plain[1][i]; math.Abs(v-w) > 1e-9*(1+math.Abs(v)) {
					t.Errorf("point %d: coordinate %d is %v, written out %v", point, i, v, w)
				}
			}
		}
	}
}

// TestTransportsBounds: of vectors within bounds, of which nothing but the prior is known, the origin is the mode given the other parameters, and the curvature there is
// that of standard normal variates; of logarithms within bounds, and between two, nearly.
func TestTransportsBounds(t *testing.T) {
	for _, s := range named(t, "transport_bounds") {
		p, err := s.interpreted()
		if err != nil {
			t.Fatal(err)
		}
		m := p.(runtime.Transported)
		if _, ok := m.(runtime.Anchored); ok {
			t.Errorf("%s: a reference, which no term needs", s.name)
		}
		var names []string // of each coordinate
		for _, x := range m.Info().Params {
			for range x.Dim() {
				names = append(names, x.Name)
			}
		}
		n := m.Info().Dim()
		if places := latentPlaces(m.Info()); len(places) != 12 {
			t.Fatalf("%d coordinates of latent vectors, want 12", len(places))
		}
		for point := range 8 {
			q, grad := probe.Position(n, point), make([]float64, n)
			for _, i := range latentPlaces(m.Info()) {
				q[i] = 0
			}
			gradient := func(i int, at float64) float64 {
				q[i] = at
				m.Gradient(grad, q)
				q[i] = 0
				return grad[i]
			}
			for _, i := range latentPlaces(m.Info()) {
				slope, curvature := gradient(i, 0), (gradient(i, 1e-4)-gradient(i, -1e-4))/2e-4
				near, about := 1e-9, 1e-5
				if strings.Contains("cde", names[i]) {
					near, about = 0.6, 0.3
				}
				if !(math.Abs(slope) < near && math.Abs(curvature+1) < about) {
					t.Errorf("%s, point %d: ∂L/∂z and ∂²L/∂z² at the origin are %v and %v, of an element of %s", s.name, point, slope, curvature, names[i])
				}
			}
		}
	}
}
