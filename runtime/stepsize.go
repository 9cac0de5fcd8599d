package runtime

import (
	"math"
	"math/rand/v2"

	"github.com/hamc-dev/hamc/runtime/elementary"
	"github.com/hamc-dev/hamc/runtime/random"
)

// stepSizeLimit bounds the search for a step size: a density that is flat as
// far as the search looks accepts any. It is beyond any unit in which a parameter may be
// measured.
const stepSizeLimit = 1e30

// InitialStepSize doubles or halves ε, from the one set, until the acceptance
// probability of one step crosses 0.8, as Stan does (after Hoffman & Gelman
// 2014, algorithm 4), and sets StepSize to the first ε beyond the crossing. A
// step that fails counts as an acceptance of 0.
func (k *HMC) InitialStepSize(q []float64, rng *rand.Rand) {
	eps := k.StepSize
	growing := false
	for first := true; eps > 1/stepSizeLimit && eps < stepSizeLimit; first = false {
		// It is a hundred steps at most, and a few where the unit is sensible, so an interrupt waits for it: a search cut
		// short would leave a state that no run without the interrupt comes to.
		good := k.tryStep(q, eps, rng) > 0.8
		if first {
			growing = good
		} else if good != growing {
			break
		}
		if growing {
			eps = float64(eps * (2))
		} else {
			eps = float64(eps / (2))
		}
	}
	k.StepSize = eps
}

// tryStep returns the acceptance probability of one step from q with a fresh
// momentum.
func (k *HMC) tryStep(q []float64, eps float64, rng *rand.Rand) float64 {
	for i := range k.p1 {
		k.p1[i] = random.StandardNormal(rng)
	}
	copy(k.q1, q)
	if k.System.DrawMomentum(k.p1, k.q1) != OK {
		return 0
	}
	h0, _, st := k.System.Energy(k.q1, k.p1)
	if st != OK || Integrate(k.Step, k.q1, k.p1, eps, 1, &k.Solver).Status != OK {
		return 0
	}
	h1, _, st := k.System.Energy(k.q1, k.p1)
	if st != OK {
		return 0
	}
	return elementary.Exp(min(0, h0-h1))
}

// economy is 1 for a trajectory whose solves took up to FirstCheck iterations
// on average, and falls in proportion beyond. Dual averaging is given the
// acceptance times this.
//
// The reason: the implicit midpoint accepts nearly always for as long as its
// fixed points converge, so the acceptance alone drives ε to the edge of
// convergence, where iterations cost more than the longer steps save. With
// contraction rate ρ ∝ ε a solve takes about log δ/log ρ iterations; the cost
// per unit of time, iterations/ε, is least at ρ = 1/e, which is some 14
// iterations for δ = 1e-6. FirstCheck is 16.
func (k *HMC) economy(t *Transition) float64 {
	limit := float64(t.Steps * k.solves * k.Solver.FirstCheck())
	return min(1, limit/float64(max(1, t.Iterations)))
}

// dualAveraging adapts a step size to a target acceptance δ (Hoffman & Gelman
// 2014, section 3.2): after t observations of the acceptance α_t
//
//	H̄_t = (1 − 1/(t + t₀)) H̄_{t−1} + (δ − α_t)/(t + t₀)
//	log ε_t = μ − √t/γ · H̄_t
//	log ε̄_t = t^−κ log ε_t + (1 − t^−κ) log ε̄_{t−1}
type dualAveraging struct {
	Target    float64 `json:"target"`
	Mu        float64 `json:"mu"`
	HBar      float64 `json:"h_bar"`
	LogEpsBar float64 `json:"log_eps_bar"`
	T         float64 `json:"t"`
}

const (
	// The constants of Hoffman & Gelman, which Stan uses too.
	daGamma = 0.05
	daT0    = 10
	daKappa = 0.75

	daLimit = 27 // of |log ε − μ|
)

// newDualAveraging starts at eps and shrinks towards 10·eps.
func newDualAveraging(eps, target float64) dualAveraging {
	return dualAveraging{Target: target, Mu: elementary.Log(float64(10 * eps)), LogEpsBar: elementary.Log(eps)}
}

// update takes an acceptance and returns the next step size.
func (d *dualAveraging) update(accept float64) float64 {
	d.T++
	eta := 1 / (d.T + daT0)
	d.HBar += float64(eta * (d.Target - accept - d.HBar))
	logEps := d.Mu - float64(math.Sqrt(d.T)/daGamma*d.HBar)
	// Where every step size is accepted the recursion has no bound.
	logEps = max(d.Mu-daLimit, min(d.Mu+daLimit, logEps))
	d.LogEpsBar += float64(elementary.Pow(d.T, -daKappa) * (logEps - d.LogEpsBar))
	return elementary.Exp(logEps)
}

// final returns the averaged step size ε̄.
func (d *dualAveraging) final() float64 { return elementary.Exp(d.LogEpsBar) }
