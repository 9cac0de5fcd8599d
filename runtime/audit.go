package runtime

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/hamc-dev/hamc/runtime/random"
)

// AuditRate says which draws of a chain are audited: Draws of any Of in a row, evenly
// spread; none if it is 0.
type AuditRate struct {
	Draws int `json:"draws"`
	Of    int `json:"of"`
}

// NewAuditRate returns the rate of n audits in so many draws.
func NewAuditRate(n, draws int) AuditRate {
	if n <= 0 || draws <= 0 {
		return AuditRate{}
	}
	a, b := n, draws
	for b != 0 {
		a, b = b, a%b
	}
	// In lowest terms, so that a longer run with as many more audits has the same.
	return AuditRate{Draws: n / a, Of: draws / a}
}

// audits reports whether draw n, from 0, is audited.
func (r AuditRate) audits(n int) bool {
	if r.Draws == 0 {
		return false
	}
	n %= r.Of
	return (n+1)*r.Draws/r.Of > n*r.Draws/r.Of
}

// validate returns what is wrong with the rate.
func (r AuditRate) validate() error {
	if r != (AuditRate{}) && !(r.Draws > 0 && r.Draws <= r.Of) {
		return fmt.Errorf("an audit of %d of %d draws: expected at least 1, and no more than there are", r.Draws, r.Of)
	}
	return nil
}

// Audit is how far the integrator of a block is from reversible and volume preserving at one
// draw: after the transition, with a momentum of its own, and with the settings of the run.
type Audit struct {
	Draw  int    // from 1
	Block string // "" of a Model

	Step       Violation // of one step
	Steps      int       // of the trajectory: the mean number of the draws so far, rounded
	Trajectory Violation
}

// Violation holds the two measures of Brofos & Lederman (2021, appendix "Volume
// Preservation and Symmetry Metrics"), for MetricNorm whatever the solver's Norm. Both are 0 for an exact map.
type Violation struct {
	Reversibility float64 // see ReversibilityError; NaN after a failure
	Volume        float64 // see VolumeError; NaN after a failure, and above MaxVolume coordinates
	Failure       Status  // of the first step that failed
}

// VolumeIncrement is the increment η of VolumeError in audits, in the metric. What a solve leaves over shows
// in the Jacobian as up to δ/η.
const VolumeIncrement = 1e-3

// MaxVolume is the number of coordinates up to which an audit looks at volume: the Jacobian
// of a trajectory takes four trajectories for each.
const MaxVolume = 200

// Auditor is an Observer that is told of audits, each before the draw that it is of.
type Auditor interface {
	Audit(chain int, a *Audit) error
}

// audited reports whether a block with such settings is: explicit steps are exact.
func audited(t *Tuning, metric MetricInfo) bool {
	k, err := t.Integrator.Resolve(metric)
	return err == nil && k != Leapfrog
}

// auditor audits the draws of one chain. It has a posterior and random numbers of its own,
// so that the chain does not see it.
type auditor struct {
	sweep  *Sweep
	stream *random.Philox
	rng    *rand.Rand
}

func (r *run) newAuditor(c int) (*auditor, error) {
	sweep, err := NewSweep(r.clone(), &r.opt)
	if err != nil {
		return nil, err
	}
	stream := random.New(r.opt.Seed, uint64(c))
	return &auditor{sweep: sweep, stream: stream, rng: rand.New(stream)}, nil
}

// audit audits draw n, from 0, which the transitions ts led to. It returns false if it was
// cut short by an interrupt.
func (w *walker) audit(n int, ts []Transition) ([]Audit, bool) {
	a := w.auditor
	a.stream.Seek(streamAudit, uint64(n))
	if a.sweep.carrier.reference == nil {
		a.sweep.carrier.restore(w.sweep.carrier.reference)
	}
	var out []Audit
	for i, k := range a.sweep.Kernels {
		t := w.opt.For(a.sweep.Names[i])
		if !audited(&t, a.sweep.blocks[i].system.Info().Metric) {
			continue
		}
		own := w.sweep.Kernels[i]
		k.StepSize = own.StepSize
		if e, ok := k.System.(*Euclidean); ok {
			e.SetInverse(own.System.(*Euclidean).Inverse())
		}
		taken := w.out.Blocks[i].Sampling.Steps + ts[i].Steps
		x := Audit{Draw: n + 1, Block: a.sweep.Names[i], Steps: max(1, int(math.Round(float64(taken)/float64(n+1))))}
		st := a.sweep.enter(i, w.q)
		q := a.sweep.blocks[i].q
		p := make([]float64, len(q))
		for j := range p {
			p[j] = random.StandardNormal(a.rng)
		}
		if st == OK {
			st = k.System.DrawMomentum(p, q)
		}
		step := func(q, p []float64, eps float64, s *Solver) StepResult {
			if w.stop.Load() {
				return StepResult{Status: NonFinite} // the audit is dropped
			}
			return k.Step(q, p, eps, s)
		}
		x.Step = violation(step, q, p, k, 1, st)
		x.Trajectory = violation(step, q, p, k, x.Steps, st)
		if w.stop.Load() {
			return nil, false
		}
		out = append(out, x)
	}
	return out, true
}

// violation measures n steps from (q, p), unless the status tells of a failure before.
func violation(step StepFunc, q, p []float64, k *HMC, n int, st Status) Violation {
	v := Violation{Reversibility: math.NaN(), Volume: math.NaN(), Failure: st}
	if st != OK {
		return v
	}
	v.Reversibility, v.Failure = ReversibilityError(k.System, MetricNorm, step, q, p, k.StepSize, n, &k.Solver)
	if v.Failure == OK && len(q) <= MaxVolume {
		v.Volume, v.Failure = VolumeError(k.System, MetricNorm, step, q, p, k.StepSize, n, &k.Solver, VolumeIncrement)
	}
	return v
}
