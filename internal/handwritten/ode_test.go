package handwritten

import (
	"fmt"
	"math"
	"testing"

	"github.com/hamc-dev/hamc/internal/campaign"
	"github.com/hamc-dev/hamc/internal/fixtures"
	"github.com/hamc-dev/hamc/runtime"
)

// fhnCase returns the authors' FitzHugh–Nagumo with its points.
func fhnCase(t *testing.T) (*FitzHughNagumo, *fixtures.Model) {
	t.Helper()
	f := must[*fixtures.Model](t)(fixtures.Load("fhn"))
	return must[*FitzHughNagumo](t)(NewFitzHughNagumo(f.Data.T, f.Data.States, []float64{-1, 1}, f.Params["sigma"])), f
}

// lotkaCase returns Lotka–Volterra with the points of Stan.
func lotkaCase(t *testing.T) (*LotkaVolterra, [][]float64) {
	t.Helper()
	p := must[*fixtures.Posterior](t)(fixtures.LoadPosteriorDB("lotka_volterra"))
	var d fixtures.LotkaVolterraData
	if err := p.DecodeData(&d); err != nil {
		t.Fatal(err)
	}
	var points [][]float64
	for _, pt := range p.Density.Points {
		points = append(points, pt.Unconstrained)
	}
	return must[*LotkaVolterra](t)(NewLotkaVolterra(d.TS, d.Y, d.YInit)), points
}

// TestSolveODE follows the pendulum of unit frequency, z = (sin t, cos t), and a
// step of twice the length shows the order.
func TestSolveODE(t *testing.T) {
	pendulum := func(dz, z []float64) { dz[0], dz[1] = z[1], -z[0] }
	times := []float64{0, 0, 0.3, 5, 5, 20}
	for n, z := range solveODE(pendulum, []float64{0, 1}, times, 0.25) {
		check(t, fmt.Sprint("t = ", times[n]), z, []float64{math.Sin(times[n]), math.Cos(times[n])}, 1e-13)
	}
	off := func(h float64) float64 {
		z := extrapolate(pendulum, []float64{0, 1}, h)
		return math.Hypot(z[0]-math.Sin(h), z[1]-math.Cos(h))
	}
	if got, want := math.Log2(off(4)/off(2)), 2.0*extrapolations+1; math.Abs(got-want) > 0.7 {
		t.Errorf("the error of a step has order %.2f, want %v", got, want)
	}
}

// TestFitzHughNagumoReference compares with the values by the method DOP853
// with tolerances of 1e-13. The solution is good to some 1e-12 of its largest
// value. Sums of 400 terms up to 1e3 make up the gradient, which vanishes at
// point 0.
func TestFitzHughNagumoReference(t *testing.T) {
	m, f := fhnCase(t)
	l0, want0 := m.LogDensity(f.Points[0].Q), f.Points[0].ReferenceDOP853.L
	for i, pt := range f.Points {
		r := pt.ReferenceDOP853
		at := fmt.Sprintf("point %d: ", i)
		var dg []float64
		for _, block := range r.DG {
			dg = append(dg, flat(block)...)
		}
		check(t, at+"L − L₀", []float64{m.LogDensity(pt.Q) - l0}, []float64{r.L - want0}, 1e-11)
		check(t, at+"gradL", gradient(m, pt.Q), r.GradL, 5e-10)
		check(t, at+"G", metric(m, pt.Q), flat(r.G), 1e-12)
		check(t, at+"dG", jacobian(m, pt.Q), dg, 2e-12)
		if s := pt.SensitivitiesAt; s != nil {
			solution := m.solve(pt.Q)
			for n, index := range s.Index {
				check(t, fmt.Sprintf("%st = %v", at, s.T[n]), solution[index], s.Values[n], 1e-12)
			}
		}
	}
}

// TestODEDerivatives compares every derivative with differences that are
// extrapolated, away from the mode, where the gradient has no digits.
func TestODEDerivatives(t *testing.T) {
	fhn, f := fhnCase(t)
	points := [][]float64{f.Points[1].Q, {-0.5, 0.8, 1.5}}
	lotka, lotkaPoints := lotkaCase(t)
	for _, tc := range []struct {
		model  runtime.Model
		points [][]float64
	}{{fhn, points[:campaign.Cases(t, 1, 2)]}, {lotka, campaign.Sample(t, lotkaPoints[8:], 4)}} {
		r := must[runtime.Report](t)(runtime.CheckGradients(tc.model, tc.points))
		if r.Worst() > 1e-8 {
			t.Errorf("%s:\n%v", tc.model.Info().Name, r)
		}
	}
}

// TestFitzHughNagumoSolutions: the solution that is remembered is not taken for
// that of another position, nor shared between clones.
func TestFitzHughNagumoSolutions(t *testing.T) {
	m, f := fhnCase(t)
	a, b := f.Points[0].Q, f.Points[1].Q
	fresh := func(q []float64) []float64 {
		m, _ := fhnCase(t)
		return jacobian(m, q)
	}
	wantA, wantB := fresh(a), fresh(b)
	c := m.Clone()
	for range 2 {
		check(t, "at a", jacobian(m, a), wantA, 0)
		check(t, "clone at b", jacobian(c, b), wantB, 0)
		check(t, "at b", jacobian(m, b), wantB, 0)
	}
}

// TestLotkaVolterraSupport: the error names the parameter.
func TestLotkaVolterraSupport(t *testing.T) {
	m, _ := lotkaCase(t)
	const want = "parameter z_init: -1 is not a positive number"
	if err := m.Unconstrain(make([]float64, 8), []float64{1, 1, 1, 1, 1, -1, 1, 1}); err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

// TestODEOutsideDomain: no panic, and no number that looks like a result.
func TestODEOutsideDomain(t *testing.T) {
	m, _ := lotkaCase(t)
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e300} {
		q := make([]float64, 8)
		fill(q, bad)
		if l := m.Gradient(make([]float64, 8), q); l > -1e290 {
			t.Errorf("L = %v at %v", l, bad)
		}
	}
}
