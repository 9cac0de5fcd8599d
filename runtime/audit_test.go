package runtime_test

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/random"
)

// auditOptions are settings with dynamic trajectories and an adapted step size.
func auditOptions() runtime.Options {
	opt := runtime.DefaultOptions()
	opt.Chains, opt.Warmup, opt.Draws, opt.Workers = 2, 60, 50, 1
	return opt
}

// An audit does not change the chain, by one bit, and audits as many draws as asked for.
func TestAuditLeavesTheChainAlone(t *testing.T) {
	for _, kind := range []runtime.Integrator{runtime.IMb, runtime.GLFb, runtime.IMa} {
		opt := auditOptions()
		opt.Integrator = kind
		plain := sample(t, newCurved(), opt)
		opt.Audit = runtime.NewAuditRate(15, opt.Draws)
		audited := sample(t, newCurved(), opt)
		for c := range plain.Chains {
			a, b := &plain.Chains[c], &audited.Chains[c]
			if !reflect.DeepEqual(a.Draws, b.Draws) || !reflect.DeepEqual(a.Stats, b.Stats) || !reflect.DeepEqual(a.State, b.State) {
				t.Errorf("%v: chain %d is another with an audit", kind, c+1)
			}
			if len(a.Audits) != 0 || len(b.Audits) != 15 {
				t.Fatalf("%v: %d and %d audits", kind, len(a.Audits), len(b.Audits))
			}
			last := 0
			for _, x := range b.Audits {
				if gap := x.Draw - last; gap < 3 || gap > 4 { // 50/15
					t.Errorf("%v: draw %d is audited after draw %d", kind, x.Draw, last)
				}
				last = x.Draw
			}
		}
	}
}

// The numbers are those of ReversibilityError and VolumeError at the draw, with the momentum
// of the stream of audits.
func TestAuditNumbers(t *testing.T) {
	opt := auditOptions()
	opt.Audit = runtime.NewAuditRate(10, opt.Draws)
	m := newCurved() // whose parameters are its coordinates
	r := sample(t, m, opt)
	sys := runtime.AsSystem(m)
	step, err := runtime.Stepper(sys, runtime.IMb, runtime.DefaultMethod)
	if err != nil {
		t.Fatal(err)
	}
	const streamAudit = 5
	for c := range r.Chains {
		chain := &r.Chains[c]
		steps := 0.0
		at := 0
		for n := range opt.Draws {
			steps += chain.Stats[slices.Index(r.StatNames, "n_leapfrog__")][n]
			if at == len(chain.Audits) || chain.Audits[at].Draw != n+1 {
				continue
			}
			x := &chain.Audits[at]
			at++
			q := make([]float64, m.Info().Dim())
			for k := range q {
				q[k] = chain.Draws[k][n]
			}
			stream := random.New(opt.Seed, uint64(c))
			stream.Seek(streamAudit, uint64(n))
			rng := rand.New(stream)
			p := make([]float64, len(q))
			for k := range p {
				p[k] = rng.NormFloat64()
			}
			sys.DrawMomentum(p, q)
			eps := chain.Blocks[0].StepSize
			for _, v := range []struct {
				n   int
				got runtime.Violation
			}{{1, x.Step}, {int(math.Round(steps / float64(n+1))), x.Trajectory}} {
				solver := opt.Solver
				solver.Method = solver.Method.Resolve(len(q))
				back, st := runtime.ReversibilityError(sys, runtime.MetricNorm, step, q, p, eps, v.n, &solver)
				if st == runtime.OK {
					var volume float64
					if volume, st = runtime.VolumeError(sys, runtime.MetricNorm, step, q, p, eps, v.n, &solver, runtime.VolumeIncrement); st == runtime.OK && volume != v.got.Volume {
						t.Errorf("chain %d, draw %d, %d steps: volume %v, want %v", c+1, n+1, v.n, v.got.Volume, volume)
					}
					if back != v.got.Reversibility {
						t.Errorf("chain %d, draw %d, %d steps: reversibility %v, want %v", c+1, n+1, v.n, v.got.Reversibility, back)
					}
				}
				if st != v.got.Failure || (st != runtime.OK) != math.IsNaN(v.got.Volume) {
					t.Errorf("chain %d, draw %d: %+v, want status %v", c+1, n+1, v.got, st)
				}
			}
			if int(math.Round(steps/float64(n+1))) != x.Steps {
				t.Errorf("draw %d: %d steps", n+1, x.Steps)
			}
		}
		if at != 10 {
			t.Errorf("chain %d: %d audits looked at", c+1, at)
		}
	}
}

// A run in two parts has the audits of a whole one; so has one of twice the draws with
// twice the audits.
func TestAuditsGoOn(t *testing.T) {
	opt := auditOptions()
	opt.Audit = runtime.NewAuditRate(15, opt.Draws)
	whole := sample(t, newCurved(), opt)
	first := opt
	first.Draws = 23
	a := sample(t, newCurved(), first)
	rest := opt
	for i := range a.Chains {
		rest.From = append(rest.From, a.Chains[i].State)
	}
	b := sample(t, newCurved(), rest)
	for c := range whole.Chains {
		if parts := append(a.Chains[c].Audits, b.Chains[c].Audits...); !sameAudits(parts, whole.Chains[c].Audits) {
			t.Errorf("chain %d: %+v\nwant %+v", c+1, parts, whole.Chains[c].Audits)
		}
	}
	if a, b := runtime.NewAuditRate(15, 50), runtime.NewAuditRate(30, 100); a != b {
		t.Errorf("rates %v and %v", a, b)
	}
}

// sameAudits compares with NaN equal to NaN.
func sameAudits(a, b []runtime.Audit) bool {
	bits := func(list []runtime.Audit) (out []uint64) {
		for _, x := range list {
			for _, v := range []runtime.Violation{x.Step, x.Trajectory} {
				out = append(out, math.Float64bits(v.Reversibility), math.Float64bits(v.Volume), uint64(v.Failure), uint64(x.Draw), uint64(x.Steps))
			}
		}
		return out
	}
	return slices.Equal(bits(a), bits(b))
}

func TestAuditIsRefused(t *testing.T) {
	opt := auditOptions()
	opt.Audit = runtime.AuditRate{Draws: 3, Of: 2}
	if err := opt.Validate(newCurved()); err == nil || !strings.Contains(err.Error(), "an audit of 3 of 2 draws") {
		t.Errorf("more audits than draws: %v", err)
	}
	opt.Audit = runtime.NewAuditRate(1, 2)
	if _, err := runtime.Sample(context.Background(), newExponential(), opt, nil); err == nil || !strings.Contains(err.Error(), "nothing to audit") {
		t.Errorf("the leapfrog: %v", err)
	}
	opt.Integrator = runtime.IMb
	if err := opt.Validate(newExponential()); err != nil {
		t.Errorf("an implicit integrator of a constant metric: %v", err)
	}
}
