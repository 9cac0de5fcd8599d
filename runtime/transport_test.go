package runtime_test

import (
	"math"
	"testing"

	"github.com/hamc-dev/hamc/internal/conformance/latent"
	"github.com/hamc-dev/hamc/runtime"
)

// strict has no density before it has a reference, and its clones have none.
type strict struct {
	*latent.Model
	set bool
}

func (m *strict) Clone() runtime.Model { return &strict{Model: m.Model.Clone().(*latent.Model)} }

func (m *strict) SetReference(plain []float64) {
	m.set = true
	m.Model.SetReference(plain)
}

func (m *strict) Gradient(grad, q []float64) float64 {
	l := m.Model.Gradient(grad, q)
	if !m.set {
		grad[0], l = math.NaN(), math.NaN()
	}
	return l
}

func (m *strict) LogDensity(q []float64) float64 { return m.Gradient(make([]float64, len(q)), q) }

// TestReferenceEverywhere: all that looks at a chain with latent vectors has its reference: the start, the warm-up, the draws, and
// the audits, which have a model of their own.
func TestReferenceEverywhere(t *testing.T) {
	m, err := latent.New(latent.Data{Y: []float64{1, 7}})
	if err != nil {
		t.Fatal(err)
	}
	opt := auditOptions()
	opt.Integrator = runtime.IMb
	opt.Audit = runtime.NewAuditRate(5, opt.Draws)
	r := sample(t, &strict{Model: m}, opt)
	for c := range r.Chains {
		if n := r.Chains[c].Blocks[0].Sampling.Failures(); n > 0 {
			t.Errorf("chain %d: %d failures", c+1, n)
		}
		if n := len(r.Chains[c].Audits); n != 5 {
			t.Errorf("chain %d: %d audits", c+1, n)
		}
		for _, a := range r.Chains[c].Audits {
			if a.Step.Failure != runtime.OK || a.Trajectory.Failure != runtime.OK {
				t.Errorf("chain %d: the audit of draw %d failed: %v", c+1, a.Draw, a.Step.Failure)
			}
		}
	}
}

// TestTarget: what adaptation aims at is what is asked for, and where nothing is, less with the leapfrog.
func TestTarget(t *testing.T) {
	opt := runtime.DefaultOptions()
	if a, b := opt.Target(runtime.IMb), opt.Target(runtime.Leapfrog); a != 0.9 || b != 0.8 {
		t.Errorf("targets %v and %v", a, b)
	}
	opt.TargetAccept = 0.95
	if a, b := opt.Target(runtime.IMb), opt.Target(runtime.Leapfrog); a != 0.95 || b != 0.95 {
		t.Errorf("targets %v and %v where 0.95 is asked for", a, b)
	}
}
