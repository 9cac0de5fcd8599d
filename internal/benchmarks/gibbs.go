package benchmarks

import (
	"math"
	"math/rand/v2"

	"github.com/hamc-dev/hamc/generated/stochastic_volatility_authors"
	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/diagnostics"
	"github.com/hamc-dev/hamc/runtime/random"
)

// Placement says where the sampler of stochastic volatility has the Jacobian of
// (log σ, artanh φ): γ + log(1 − φ²).
type Placement int

// The placements.
const (
	InAcceptStep Placement = iota // as the authors' code: the dynamics do not see it
	Nowhere                       // samples another density
	InDensity                     // as a density with respect to (log σ, artanh φ) needs it
)

// A GibbsWalk is a chain of the authors' sampler for stochastic volatility on data
// of its own: the sampler of Volatility, but with the paper's solver, 1000
// iterations without a rule for stalling, no check of reversibility, and an
// integrator for the parameters. The paper has T = 1000, 10,000 sweeps that do not
// count, and 20,000 that do.
type GibbsWalk struct {
	Integrator runtime.Integrator
	Placement  Placement
	T          int
	BurnIn     int
	Draws      int
	Seed       uint64 // of the data and of the chain
}

// GibbsStatistics are what the paper reports of a GibbsWalk.
type GibbsStatistics struct {
	Latent     float64    // share of proposals accepted for the parameters
	Volatility float64    // and for the volatilities
	Failed     int        // transitions of either whose solver failed
	ESS        [3]float64 // of σ, φ and β, by the paper's estimator
	Mean       [3]float64 // of σ, φ and β
}

// MeanESS returns the mean of the three effective sample sizes, and their least.
func (s *GibbsStatistics) MeanESS() (mean, least float64) {
	return (s.ESS[0] + s.ESS[1] + s.ESS[2]) / 3, min(s.ESS[0], s.ESS[1], s.ESS[2])
}

// sweep returns the sampler of w and its starting point.
func (w *GibbsWalk) sweep() (*runtime.Sweep, []float64, error) {
	base, q, err := Volatility(w.T, w.Seed)
	if err != nil {
		return nil, nil, err
	}
	p := base.Posterior
	if w.Placement == InDensity {
		p = jacobianInside{p.(*stochastic_volatility_authors.Model)}
	}
	opt := runtime.DefaultOptions()
	latent := opt.Tuning
	latent.Integrator = w.Integrator
	opt.Blocks = []runtime.BlockTuning{{Name: "latent", Tuning: latent}}
	sweep, err := runtime.NewSweep(p, &opt)
	if err != nil {
		return nil, nil, err
	}
	for i, k := range sweep.Kernels {
		k.StepSize, k.Steps, k.RandomSteps = base.Kernels[i].StepSize, base.Kernels[i].Steps, base.Kernels[i].RandomSteps
		k.Solver, k.Reverse = Policies()[Limit1000].Solver, runtime.ReverseOff
		if w.Placement == InAcceptStep {
			k.Correction = base.Kernels[i].Correction
		}
	}
	return sweep, q, nil
}

// Run makes the sweeps of w.
func (w *GibbsWalk) Run() (*GibbsStatistics, error) {
	sweep, q, err := w.sweep()
	if err != nil {
		return nil, err
	}
	stream := random.New(w.Seed, 0)
	rng := rand.New(stream)
	var s GibbsStatistics
	var chains [3][]float64
	for i := range w.BurnIn + w.Draws {
		stream.Seek(0, uint64(i))
		ts := sweep.Transition(q, rng)
		if i < w.BurnIn {
			continue
		}
		for j := range ts {
			accepted := 0.0
			if ts[j].Accepted {
				accepted = 1 / float64(w.Draws)
			}
			if sweep.Names[j] == "latent" {
				s.Latent += accepted
			} else {
				s.Volatility += accepted
			}
			if ts[j].Failure != runtime.OK {
				s.Failed++
			}
		}
		for j, x := range [3]float64{math.Exp(q[w.T]), math.Tanh(q[w.T+1]), q[w.T+2]} {
			chains[j] = append(chains[j], x)
			s.Mean[j] += x / float64(w.Draws)
		}
	}
	for j, c := range chains {
		s.ESS[j] = diagnostics.ESSPaper(c)
	}
	return &s, nil
}

// jacobianInside is the authors' model with the Jacobian in the density of its
// latent block.
type jacobianInside struct {
	*stochastic_volatility_authors.Model
}

func (m jacobianInside) Clone() runtime.Gibbs {
	return jacobianInside{m.Model.Clone().(*stochastic_volatility_authors.Model)}
}

func (m jacobianInside) Blocks() []runtime.Conditional {
	blocks := m.Model.Blocks()
	for i, b := range blocks {
		if latent, ok := b.(*stochastic_volatility_authors.LatentBlock); ok {
			blocks[i] = runtime.GenericBlock(latentInside{latent}, latent.Given)
		}
	}
	return blocks
}

// latentInside adds γ + log(1 − φ²) to the density of a block.
type latentInside struct {
	*stochastic_volatility_authors.LatentBlock
}

func (b latentInside) LogDensity(q []float64) float64 {
	phi := math.Tanh(q[1])
	return b.LatentBlock.LogDensity(q) + q[0] + math.Log(1-phi*phi)
}

func (b latentInside) Gradient(grad, q []float64) float64 {
	b.LatentBlock.Gradient(grad, q)
	grad[0]++
	grad[1] -= 2 * math.Tanh(q[1])
	return b.LogDensity(q)
}
