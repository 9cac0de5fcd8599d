package conformance

import (
	"math"
	"slices"
	"testing"

	"github.com/hamc-dev/hamc/internal/handwritten"
	"github.com/hamc-dev/hamc/runtime"
)

// Two ways to compute the same formula differ by the rounding of their
// operations. The tolerances are relative to the largest entry of the quantity
// at that point, because entries are sums of terms of that size. The largest
// differences measured were 4e-14 for the quantities that a model returns (the
// gradient of the banana, where sums over 100 observations cancel), 9e-14 for
// H and 2e-13 for ∂H/∂q of the funnel, whose metric has condition numbers up to
// 1e9 here.
const (
	agreeTolerance    = 2e-13 // of what a model returns
	dynamicsTolerance = 1e-12 // of what is solved for with the metric
)

// Two solutions of a differential equation differ by their errors. The largest
// differences measured were 1e-11 for the derivatives of the metric.
const solutionTolerance = 1e-10

// agree compares two models at 200 points out to ±8 in every coordinate.
func agree(t *testing.T, s *subject, a, b runtime.Model) {
	t.Helper()
	report := must[runtime.Report](t)(runtime.Compare(a, b, s.tails(200, 8, 1)))
	tol := agreeTolerance
	if s.ode {
		tol = solutionTolerance
	}
	if s.otherScale {
		report = slices.DeleteFunc(report, func(d runtime.Difference) bool { return d.Quantity == "parameters" })
	}
	if worst := report.Worst(); !(worst <= tol) {
		t.Errorf("%s differs from %s by %.1e\n%v", a.Info().Name, b.Info().Name, worst, report)
	}
}

// TestAgreesWithHandwritten compares with the models written by hand.
func TestAgreesWithHandwritten(t *testing.T) {
	each(t, byHand(subjects(t)), func(t *testing.T, s *subject) {
		agree(t, s, s.fresh(), s.hand)
		if got, want := s.fresh().Info().Metric.Constant, s.constant(); got != want {
			t.Errorf("metric constant: %v, want %v", got, want)
		}
	})
}

// TestAgreesInOtherWords compares models that state one posterior in two ways.
func TestAgreesInOtherWords(t *testing.T) {
	all := subjects(t)
	pairs := 0
	for _, names := range [][2]string{
		{"banana", "banana_explicit"},
		{"logistic_50x4", "indexed_logistic_50x4"},
		{"logistic_569x10", "indexed_logistic_569x10"},
	} {
		for _, a := range all {
			for _, b := range all {
				if a.name == names[0] && b.name == names[1] {
					agree(t, a, a.fresh(), b.fresh())
					pairs++
				}
			}
		}
	}
	if pairs != 3 {
		t.Errorf("compared %d pairs, want 3", pairs)
	}
}

// TestAgreesInDynamics compares H, log det G included, and ∂H/∂q with the
// models written by hand.
func TestAgreesInDynamics(t *testing.T) {
	each(t, byHand(subjects(t)), func(t *testing.T, s *subject) {
		m, n := s.fresh(), 200
		if s.costly {
			n = 20
		}
		for i, q := range s.tails(n, 8, 2) {
			p := make([]float64, len(q))
			for j := range p {
				p[j] = float64(1 + (i+j)%5 - 2)
			}
			h, l := energy(t, m, q, p)
			want := must[float64](t)(handwritten.Energy(s.hand, q, p))
			lHand := s.hand.LogDensity(q)
			if d := math.Abs((h + l) - (want + lHand)); !(d <= dynamicsTolerance*size(h, l)) {
				t.Errorf("point %d: H + L off by %.1e", i, d)
			}
			got := must[[]float64](t)(handwritten.DHDq(m, q, p))
			near(t, "∂H/∂q", got, must[[]float64](t)(handwritten.DHDq(s.hand, q, p)), dynamicsTolerance)
		}
	})
}

// TestAgreesWithDifferences compares derivatives with finite differences of the
// model's own functions, for which CheckGradients claims some ten digits. The
// points stay clear of the far tails, where differences lose theirs.
func TestAgreesWithDifferences(t *testing.T) {
	each(t, subjects(t), func(t *testing.T, s *subject) {
		report := must[runtime.Report](t)(runtime.CheckGradients(s.fresh(), s.tails(s.some(t, 20), 2, 3)))
		if worst := report.Worst(); !(worst <= 1e-10) {
			t.Errorf("off by %.1e\n%v", worst, report)
		}
	})
}

// TestMomentumFactor: DrawMomentum applies a matrix A with A Aᵀ = G to the
// variates, whichever root of G it takes.
func TestMomentumFactor(t *testing.T) {
	each(t, byHand(subjects(t)), func(t *testing.T, s *subject) {
		m, n := s.fresh(), s.dim()
		for _, q := range s.tails(20, 4, 4) {
			sum := make([]float64, n*n)
			for k := range n {
				a := make([]float64, n)
				a[k] = 1
				if st := m.DrawMomentum(a, q); st != runtime.OK {
					t.Fatalf("%v at %v", st, q)
				}
				for i, x := range a {
					for j, y := range a {
						sum[i*n+j] += x * y
					}
				}
			}
			near(t, "A Aᵀ", sum, metric(s.hand, q), agreeTolerance)
		}
	})
}
