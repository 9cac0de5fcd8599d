package conformance

import (
	"math"
	"math/big"
	"testing"

	"github.com/hamc-dev/hamc/generated/banana"
	"github.com/hamc-dev/hamc/runtime"
)

// TestFlatStepFarFromZero: the steps of flat models keep the digits of residuals. Observations are 1e10 from 0, the
// residual at the start is 1, and the force, which is that of arithmetic of 200 bits, has errors of a few bits
// of the coordinates, not of their size times what multiplies it.
func TestFlatStepFarFromZero(t *testing.T) {
	const centre, n = 1e10, 100
	y := make([]float64, n)
	for i := range y {
		y[i] = centre + float64(i%5) - 2
	}
	m, err := banana.New(banana.Data{N: n, Y: y, SigmaY: 2, SigmaT: 1e12})
	if err != nil {
		t.Fatal(err)
	}
	for _, residual := range []float64{1, 1e-3, -0.25} {
		q, p := []float64{centre + residual, 0}, []float64{0, 0}
		const eps = 1e-8 // one evaluation of the force decides p
		st := m.StepIMb(q, p, eps, &runtime.Solver{Tolerance: 1e300, MaxIterations: 1000})
		if st.Status != runtime.OK {
			t.Fatal(st.Status)
		}
		// −∂H/∂t1 = −n·(t1 + t2² − ȳ)/σ² − t1/σt²
		r := new(big.Float).SetPrec(200).SetFloat64(centre + residual)
		r.Sub(r, new(big.Float).SetFloat64(centre))
		r.Mul(r, big.NewFloat(-n/4.0))
		force, _ := r.Float64()
		force -= (centre + residual) / 1e24
		if got := p[0] / eps; !(math.Abs(got-force) <= 1e-12*math.Abs(force)) {
			t.Errorf("residual %v: force %.17g, want %.17g", residual, got, force)
		}
	}
}
