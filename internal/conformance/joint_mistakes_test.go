package conformance

import (
	"math"
	"slices"
	"testing"

	"github.com/hamc-dev/hamc/internal/campaign"
	"github.com/hamc-dev/hamc/internal/conformance/chain"
	"github.com/hamc-dev/hamc/internal/conformance/latent"
	"github.com/hamc-dev/hamc/runtime"
)

// A blunder is a mistake in kernels under test, or something that looks like one and is
// none.
type blunder struct {
	name    string
	kernels []string
	along   []string                                  // trajectories, nil for all
	twist   func(runtime.Posterior) runtime.Posterior // as those of a setup
	plant   func(*runtime.HMC)
	times   int  // in place of the kernel's; 0 stands for 1
	legal   bool // no mistake: it must not be noticed
}

// system plants a mistake in the energy, the momentum or the frame of a block; its steps are
// as they were.
func system(in func(runtime.System) runtime.System) func(*runtime.HMC) {
	return func(k *runtime.HMC) { k.System = in(k.System) }
}

// tempered has the energy times a factor.
type tempered struct {
	runtime.System
	factor float64
}

func (s tempered) Energy(q, p []float64) (h, l float64, st runtime.Status) {
	h, l, st = s.System.Energy(q, p)
	return s.factor * h, l, st
}

// metricless weighs states by −L + ½pᵀp.
type metricless struct{ runtime.System }

func (s metricless) Energy(q, p []float64) (h, l float64, st runtime.Status) {
	h, l, st = s.System.Energy(q, p)
	if st == runtime.OK {
		h = -l
		for _, v := range p {
			h += 0.5 * v * v
		}
	}
	return h, l, st
}

// unframed compares momenta of different places as they are.
type unframed struct{ runtime.System }

func (s unframed) Whiten(z, _, p []float64) runtime.Status {
	copy(z, p)
	return runtime.OK
}

// withoutJacobian is schools without the log Jacobian of tau = exp(q₃).
type withoutJacobian struct{ runtime.Model }

func (m withoutJacobian) Clone() runtime.Model { return withoutJacobian{m.Model.Clone()} }

func (m withoutJacobian) LogDensity(q []float64) float64 { return m.Model.LogDensity(q) - q[3] }

func (m withoutJacobian) Gradient(grad, q []float64) float64 {
	l := m.Model.Gradient(grad, q)
	grad[3]--
	return l - q[3]
}

// withoutSimplex is groups without the log Jacobian of the simplex, log f₁f₂f₃.
type withoutSimplex struct{ runtime.Model }

func (m withoutSimplex) Clone() runtime.Model { return withoutSimplex{m.Model.Clone()} }

func (m withoutSimplex) jacobian(q []float64) (l float64, f [3]float64) {
	m.Constrain(f[:], q)
	return math.Log(f[0] * f[1] * f[2]), f
}

func (m withoutSimplex) LogDensity(q []float64) float64 {
	l, _ := m.jacobian(q)
	return m.Model.LogDensity(q) - l
}

func (m withoutSimplex) Gradient(grad, q []float64) float64 {
	g := m.Model.Gradient(grad, q)
	l, f := m.jacobian(q)
	// The parts of the stick that are broken off are logistic in the coordinates.
	grad[0] -= 1 - 3*f[0]
	grad[1] -= 1 - 2*f[1]/(1-f[0])
	return g - l
}

// turned has the elements of a simplex one place further on.
type turned struct{ runtime.Model }

func (m turned) Clone() runtime.Model { return turned{m.Model.Clone()} }

func (m turned) Constrain(x, q []float64) {
	m.Model.Constrain(x, q)
	x[0], x[1], x[2] = x[2], x[0], x[1]
}

func (m turned) Unconstrain(q, x []float64) error {
	return m.Model.Unconstrain(q, []float64{x[1], x[2], x[0]})
}

// withoutDeterminant is a posterior with latent vectors without the Jacobian of their maps: that of tau = exp(q₁) remains.
type withoutDeterminant struct{ *latent.Model }

func (m withoutDeterminant) Clone() runtime.Model {
	return withoutDeterminant{m.Model.Clone().(*latent.Model)}
}

// logDeterminant is Σ log ∂x_i/∂z_i: the map is diagonal.
func (m withoutDeterminant) logDeterminant(q []float64) (l float64) {
	at, moved := slices.Clone(q), slices.Clone(q)
	moved[2]++
	moved[3]++
	m.Push(at)
	m.Push(moved)
	return math.Log(moved[2]-at[2]) + math.Log(moved[3]-at[3])
}

func (m withoutDeterminant) LogDensity(q []float64) float64 {
	return m.Model.LogDensity(q) - m.logDeterminant(q)
}

func (m withoutDeterminant) Gradient(grad, q []float64) float64 {
	l := m.Model.Gradient(grad, q) - m.logDeterminant(q)
	moved := slices.Clone(q)
	const h = 1e-4
	for i := range q {
		moved[i] = q[i] + h
		up := m.logDeterminant(moved)
		moved[i] = q[i] - h
		grad[i] -= (up - m.logDeterminant(moved)) / (2 * h)
		moved[i] = q[i]
	}
	return l
}

// withoutMap is a posterior with a chain and its level without the Jacobian of their maps.
type withoutMap struct{ *chain.Model }

func (m withoutMap) Clone() runtime.Model { return withoutMap{m.Model.Clone().(*chain.Model)} }

func (m withoutMap) LogDensity(q []float64) float64 {
	return m.Model.LogDensity(q) - m.LogJacobian(q)
}

func (m withoutMap) Gradient(grad, q []float64) float64 {
	l := m.Model.Gradient(grad, q) - m.LogJacobian(q)
	moved := slices.Clone(q)
	const h = 1e-4
	for i := range q {
		moved[i] = q[i] + h
		up := m.LogJacobian(moved)
		moved[i] = q[i] - h
		grad[i] -= (up - m.LogJacobian(moved)) / (2 * h)
		moved[i] = q[i]
	}
	return l
}

// unfrozen is a posterior with latent vectors whose reference is wherever the gradient was asked for last, for values that
// stay the same.
type unfrozen struct{ *latent.Model }

func (m unfrozen) Clone() runtime.Model { return unfrozen{m.Model.Clone().(*latent.Model)} }

func (m unfrozen) Gradient(grad, q []float64) float64 {
	plain := slices.Clone(q)
	m.Push(plain)
	m.SetReference(plain)
	return m.Model.Gradient(grad, q)
}

// careless takes for solved what the last iteration changed by less than 1, and does not
// look whether the proposal is reversible.
func careless(k *runtime.HMC) {
	k.Solver.Tolerance = 1
	k.Reverse = runtime.ReverseOff
}

// stretching makes steps that stretch the first coordinate too, and does not look whether the
// proposal is reversible.
func stretching(k *runtime.HMC) {
	step := k.Step
	k.Step = func(q, p []float64, eps float64, s *runtime.Solver) runtime.StepResult {
		r := step(q, p, eps, s)
		q[0] *= 1 + 0.3*eps
		return r
	}
	k.Reverse = runtime.ReverseOff
}

func blunders() []blunder {
	model := func(in func(runtime.Model) runtime.Model) func(runtime.Posterior) runtime.Posterior {
		return func(p runtime.Posterior) runtime.Posterior { return runtime.Generic(in(p.(runtime.Model))) }
	}
	block := func(name string, twin func(runtime.Conditional) runtime.Conditional) func(runtime.Posterior) runtime.Posterior {
		return func(p runtime.Posterior) runtime.Posterior { return twist(name, twin)(p.(runtime.Gibbs)) }
	}
	const (
		glfaFunnel  = "glfa, funnel"
		glfbBanana  = "glfb, banana"
		glfbFunnel  = "glfb plain, funnel"
		imaFunnel   = "ima, funnel"
		imbBanana   = "imb, banana"
		imbFunnel   = "imb plain anderson, funnel"
		imbSchools  = "imb anderson, schools"
		leapfrog    = "leapfrog, gaussian"
		diagE       = "leapfrog diag_e, banana"
		lowRank     = "leapfrog low_rank, banana"
		denseE      = "leapfrog dense_e, banana"
		blocks      = "blocks leapfrog and imb, volatility"
		transport   = "leapfrog, latent"
		levels      = "leapfrog, chain"
		simplex     = "leapfrog low_rank, groups"
		glfbSimplex = "glfb, groups"
	)
	two, dynamic := []string{"fixed steps", "dynamic"}, []string{"dynamic", "dynamic, one doubling more"}
	return []blunder{
		{name: "log det G is dropped from the energy", kernels: []string{glfaFunnel, imbFunnel, imbSchools}, along: two,
			plant: system(func(s runtime.System) runtime.System { return dropsLogDet{s} })},
		{name: "log det G is dropped from the energy", kernels: []string{blocks}, along: two, times: 2,
			plant: system(func(s runtime.System) runtime.System { return dropsLogDet{s} })},
		{name: "log det G is dropped from the energy", kernels: []string{glfbBanana}, times: 4,
			plant: system(func(s runtime.System) runtime.System { return dropsLogDet{s} })},
		{name: "momenta are drawn without the metric", kernels: []string{imbBanana, leapfrog, diagE, lowRank, denseE},
			plant: system(func(s runtime.System) runtime.System { return drawsWhite{s} })},
		{name: "states are weighed by exp(−0.9 H)", kernels: []string{leapfrog}, along: two, times: 40,
			plant: system(func(s runtime.System) runtime.System { return tempered{s, 0.9} })},
		{name: "all states weigh the same", kernels: []string{glfbBanana, leapfrog, denseE}, times: 4,
			plant: system(func(s runtime.System) runtime.System { return tempered{s, 0} })},
		{name: "states are weighed without the metric", kernels: []string{imbBanana, glfbFunnel, lowRank, denseE}, along: two,
			plant: system(func(s runtime.System) runtime.System { return metricless{s} })},
		{name: "the contraction has the wrong sign", kernels: []string{glfbBanana, imaFunnel}, along: two,
			twist: model(func(m runtime.Model) runtime.Model { return flipsContraction{m} })},
		{name: "the Jacobian of tau is missing", kernels: []string{imbSchools}, along: two,
			twist: model(func(m runtime.Model) runtime.Model { return withoutJacobian{m} })},
		{name: "the Jacobian of a transport is missing", kernels: []string{transport}, along: two,
			twist: model(func(m runtime.Model) runtime.Model { return withoutDeterminant{m.(*latent.Model)} })},
		{name: "the Jacobian of the maps of a chain and its level is missing", kernels: []string{levels}, along: two,
			twist: model(func(m runtime.Model) runtime.Model { return withoutMap{m.(*chain.Model)} })},
		{name: "the reference moves", kernels: []string{transport}, along: two, times: 6,
			twist: model(func(m runtime.Model) runtime.Model { return unfrozen{m.(*latent.Model)} })},
		{name: "solves stop early", kernels: []string{glfbBanana}, times: 4, plant: careless},
		{name: "steps stretch", kernels: []string{imbBanana, leapfrog}, times: 4, plant: stretching},
		{name: "the block volatility is given the parameters once", kernels: []string{blocks}, along: two, times: 3,
			twist: block("volatility", func(c runtime.Conditional) runtime.Conditional { return &deaf{Conditional: c} })},
		{name: "the block latent is given the path once", kernels: []string{blocks}, along: two, times: 2,
			twist: block("latent", func(c runtime.Conditional) runtime.Conditional { return &deaf{Conditional: c} })},

		{name: "trajectories turn back in a wrong frame", legal: true, kernels: []string{glfbBanana, imbFunnel, blocks}, along: dynamic,
			plant: system(func(s runtime.System) runtime.System { return unframed{s} })},
		{name: "log det of a constant metric is dropped", legal: true, kernels: []string{leapfrog, diagE},
			plant: system(func(s runtime.System) runtime.System { return dropsLogDet{s} })},

		{name: "the elements of a simplex are one place further on", kernels: []string{simplex, glfbSimplex}, along: two,
			twist: model(func(m runtime.Model) runtime.Model { return turned{m} })},
		{name: "the Jacobian of a simplex is missing", kernels: []string{simplex, glfbSimplex}, along: two,
			twist: model(func(m runtime.Model) runtime.Model { return withoutSimplex{m} })},
	}
}

// TestKernelsBetrayMistakes: one of the two tests at least sounds the alarm for each
// kernel and trajectory with a mistake, and none does for what is legal: where a trajectory
// turns back, for one, is a matter of efficiency. In a short campaign each mistake is made in
// one kernel along one kind of trajectory.
func TestKernelsBetrayMistakes(t *testing.T) {
	alarm := kernelAlarm()
	for _, b := range campaign.Sample(t, blunders(), 4) { // that a test can fail is shown of every fourth mistake
		done := 0
		for i, k := range kernels() {
			if !slices.Contains(b.kernels, k.name) {
				continue
			}
			for j, tr := range trajectories() {
				if b.along != nil && !slices.Contains(b.along, tr.name) {
					continue
				}
				if done++; done > 1 && !campaign.Long(t) {
					continue
				}
				s := &setup{kernel: k, set: tr.set, seed: uint64(100*i + j), twist: b.twist, plant: b.plant}
				n := max(b.times, 1)
				joint, _ := s.joint(t, jointChains*n)
				ranks, _ := s.ranks(t, jointReplicates*n)
				t.Logf("%s: %s, %s: joint distribution: %v; ranks: %v", b.name, k.name, tr.name, joint, ranks)
				if noticed := min(joint.p, ranks.p) < alarm; noticed == b.legal {
					t.Errorf("%s: %s, %s: noticed is %v", b.name, k.name, tr.name, noticed)
				}
			}
		}
		for _, name := range b.kernels {
			if !slices.ContainsFunc(kernels(), func(k *kernel) bool { return k.name == name }) {
				t.Errorf("%s: no kernel %s", b.name, name)
			}
		}
	}
}
