package grid

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/hamc-dev/hamc/generated/stochastic_volatility_authors"
	"github.com/hamc-dev/hamc/internal/benchmarks"
	"github.com/hamc-dev/hamc/internal/campaign"
	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/random"
)

// tally is what independent counts a chain of the banana, of all its transitions.
type tally struct {
	accepted, divergent, irreversible, unreturned int
	acceptStat                                    float64
	failures                                      map[string]int
	energy                                        map[int]int
	steps, failedSteps, iterations, failedIters   int
	histogram                                     map[int]int
	audited                                       int
	mean                                          [2]float64
}

// dataOf makes the data of a cell of the banana, and the point that its chain starts at.
func dataOf(t *testing.T, p *Plan, c *Cell) ([]byte, Point) {
	t.Helper()
	stream := random.New(p.Seed, uint64(c.Replicate))
	stream.Seek(phaseData, 0)
	d, start, err := simulated.Simulate(rand.New(stream))
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	return text, start
}

// independent runs the chain of a cell of the banana by runtime.HMC alone.
func independent(t *testing.T, p *Plan, c *Cell) *tally {
	t.Helper()
	text, start := dataOf(t, p, c)
	kernel := func() *runtime.HMC {
		m, err := loadBanana(bytes.NewReader(text), "")
		if err != nil {
			t.Fatal(err)
		}
		tuning := c.Tuning()
		k, err := runtime.NewHMC(runtime.AsSystem(m.(runtime.Model)), tuning.Integrator, tuning.Solver)
		if err != nil {
			t.Fatal(err)
		}
		k.StepSize, k.Steps, k.RandomSteps, k.Reverse = c.StepSize, c.Steps, c.RandomSteps, c.ReverseCheck
		return k
	}
	forth, back := kernel(), kernel()
	x := &tally{failures: map[string]int{}, energy: map[int]int{}, histogram: map[int]int{}}
	counts, step := false, forth.Step
	forth.Step = func(q, p []float64, eps float64, sol *runtime.Solver) runtime.StepResult {
		r := step(q, p, eps, sol)
		if !counts {
			return r
		}
		x.steps++
		x.iterations += r.Iterations
		if r.Status == runtime.OK {
			x.histogram[r.Iterations]++
		} else {
			x.failedSteps++
			x.failedIters += r.Iterations
		}
		return r
	}
	stream := random.New(p.CellSeed(c), 0)
	rng := rand.New(stream)
	q := []float64{start["t1"][0], start["t2"][0]}
	for i := range c.Warmup {
		stream.Seek(phaseWarmup, uint64(i))
		forth.Transition(q, rng)
	}
	counts = true
	for i := range c.Draws {
		stream.Seek(phaseSampling, uint64(i))
		from := slices.Clone(q)
		tr := forth.Transition(q, rng)
		x.acceptStat += tr.Accept / float64(c.Draws)
		if tr.Failure != runtime.OK {
			x.failures[tr.Failure.String()]++
		} else {
			x.energy[int(max(-72, min(16, math.Floor(4*math.Log10(math.Abs(tr.EnergyError))))))]++
		}
		if tr.Divergent {
			x.divergent++
		}
		if tr.Irreversible {
			x.irreversible++
		}
		x.mean[0] += q[0] / float64(c.Draws)
		x.mean[1] += q[1] / float64(c.Draws)
		x.audited++
		if !tr.Accepted {
			continue
		}
		x.accepted++
		at, momentum := forth.Proposal()
		at, momentum = slices.Clone(at), slices.Clone(momentum)
		momentum[0], momentum[1] = -momentum[0], -momentum[1]
		limit := math.Sqrt(c.Tolerance)
		if path := runtime.Integrate(back.Step, at, momentum, c.StepSize, tr.Steps, &back.Solver); path.Status != runtime.OK ||
			!(math.Abs(at[0]-from[0]) <= limit && math.Abs(at[1]-from[1]) <= limit) {
			x.unreturned++
		}
	}
	return x
}

// TestCounts compares all counts of a cell with those of the same chain made by hand. The
// generalized leapfrog, with long steps, has everything to count: solves that fail, divergences,
// and moves that do not return.
func TestCounts(t *testing.T) {
	glf, far, random, guarded := paperSettings("glfb"), paperSettings("glfb"), paperSettings("imb"), paperSettings("glfb")
	glf.StepSize, glf.Steps = 0.25, 10
	far.StepSize, far.MaxIterations = 0.6, 50
	random.RandomSteps, random.StepSize = true, 0.3
	guarded.StepSize, guarded.Steps, guarded.ReverseCheck, guarded.StopStalled = 0.25, 10, runtime.ReverseAll, true
	p := planOf(11, glf, far, random, guarded)
	var seen tally
	for i := range p.Cells {
		c := &p.Cells[i]
		c.Draws, c.Audit, c.Checks = 3000, 3000, 0
		r, want := result(t, bananas(), p, i), independent(t, p, c)
		got := &tally{
			r.Accepted, r.Divergent, r.Irreversible, r.Unreturned, float64(r.AcceptStat),
			map[string]int{}, map[int]int{}, r.Steps, r.FailedSteps, r.Iterations, r.FailedIters, map[int]int{}, r.Audited,
			[2]float64{float64(r.ESS[0].Mean), float64(r.ESS[1].Mean)},
		}
		for _, f := range r.Failures {
			got.failures[f.Status] = f.Count
		}
		for _, b := range r.EnergyBins {
			got.energy[b.Value] = b.Count
		}
		for _, b := range r.IterBins {
			got.histogram[b.Value] = b.Count
		}
		if !near(got.acceptStat, want.acceptStat, 1e-12) {
			t.Errorf("%s, step size %v: acceptance statistic %v, by hand %v", c.Integrator, c.StepSize, got.acceptStat, want.acceptStat)
		}
		got.acceptStat = want.acceptStat // sums of another order
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s, step size %v:\n%+v\nby hand\n%+v", c.Integrator, c.StepSize, *got, *want)
		}
		if r.Transitions != c.Draws || r.Energy.N+r.Energy.Lost != c.Draws-failed(r) {
			t.Errorf("%d transitions, %d of them failed, and %d energy errors", r.Transitions, failed(r), r.Energy.N)
		}
		seen.divergent += want.divergent
		seen.unreturned += want.unreturned
		seen.irreversible += want.irreversible
		seen.failedSteps += want.failedSteps
		seen.accepted += want.accepted
	}
	if seen.divergent == 0 || seen.unreturned == 0 || seen.irreversible == 0 || seen.failedSteps == 0 || seen.accepted == 0 {
		t.Errorf("there was not everything to count: %+v", seen)
	}
}

func failed(r *Result) int {
	n := 0
	for _, f := range r.Failures {
		n += f.Count
	}
	return n
}

// drift is an integrator that is not reversible: each step of the implicit midpoint ends a little
// farther than it should where it begins to one side of a line.
func drift(name string, by float64, at func(q []float64) bool) Extension {
	return Extension{Integrators: []Integrator{{Name: name, Solves: 1, New: func(s *runtime.GenericSystem) (runtime.StepFunc, error) {
		return func(q, p []float64, eps float64, sol *runtime.Solver) runtime.StepResult {
			wrong := at(q)
			r := s.StepIMb(q, p, eps, sol)
			if wrong {
				q[1] += by
			}
			return r
		}, nil
	}}}}
}

// TestAudit: the audit finds every move of an integrator that does not return, none of one that does,
// and some of one that does now and then; so do the checks of symmetry.
func TestAudit(t *testing.T) {
	program := bananas(
		drift("never", 0.002, func([]float64) bool { return true }),
		drift("sometimes", 0.002, func(q []float64) bool { return q[1] > 0.6 }),
		drift("always", 0, func([]float64) bool { return true }),
	)
	p := planOf(2, paperSettings("never"), paperSettings("sometimes"), paperSettings("always"))
	for i := range p.Cells {
		c := &p.Cells[i]
		c.StepSize, c.Draws, c.Audit = 0.05, 500, 500
		r := result(t, program, p, i)
		if r.Audited != 500 || r.Accepted < 300 {
			t.Fatalf("%s: %d audited, %d accepted", c.Integrator, r.Audited, r.Accepted)
		}
		var ok bool
		switch c.Integrator {
		case "never": // displaced by 5 · 0.002 forth and as much back; √δ = 0.001
			ok = r.Unreturned == r.Accepted && r.Symmetry.P10 > 0.005
		case "sometimes":
			ok = r.Unreturned > 20 && r.Unreturned < r.Accepted-20
		case "always":
			ok = r.Unreturned == 0 && r.Symmetry.P90 < 1e-4
		}
		if !ok {
			t.Errorf("%s: %d of %d accepted moves do not return; violations of symmetry %+v", c.Integrator, r.Unreturned, r.Accepted, r.Symmetry)
		}
	}
	// A part of the transitions is audited, and what is found of them does not change.
	c := &p.Cells[0]
	c.Audit = 50
	if r := result(t, program, p, 0); r.Audited != 50 || r.Unreturned == 0 || r.Unreturned > 50 {
		t.Errorf("%d audited, %d do not return", r.Audited, r.Unreturned)
	}
}

// swell is the implicit midpoint with the momentum grown by a factor: reversible in nothing, and its
// Jacobian has the determinant (1 + by)² a step.
func swell(by float64) Extension {
	return Extension{Integrators: []Integrator{{Name: "swell", Solves: 1, New: func(s *runtime.GenericSystem) (runtime.StepFunc, error) {
		return func(q, p []float64, eps float64, sol *runtime.Solver) runtime.StepResult {
			r := s.StepIMb(q, p, eps, sol)
			p[0], p[1] = p[0]*(1+by), p[1]*(1+by)
			return r
		}, nil
	}}}}
}

// TestVolume: the violation of volume preservation is the one that is known of an integrator.
func TestVolume(t *testing.T) {
	p := planOf(2, paperSettings("swell"))
	c := &p.Cells[0]
	c.StepSize, c.Tolerance = 0.05, 1e-12
	r := result(t, bananas(swell(0.001)), p, 0)
	want := math.Pow(1.001, 2*5) - 1
	for _, x := range []Number{r.Volume.P10, r.Volume.Median, r.Volume.P90} {
		if r.Volume.N != c.Checks || !near(float64(x), want, 1e-6) {
			t.Errorf("violations %+v, expected %v", r.Volume, want)
		}
	}
}

// TestChecks: symmetry and volume are measured at states of the chain, chosen at random, with the
// momentum that the number of the check has.
func TestChecks(t *testing.T) {
	var steps [][]float64
	p := planOf(8, paperSettings("trace"))
	c := &p.Cells[0]
	c.StepSize = 0.02
	c.Length = Length{Draws: 30, Checks: 3, Eta: 1e-5}
	r := result(t, bananas(trace(&steps)), p, 0)
	if r.Symmetry.N != 3 || r.Volume.N != 3 {
		t.Fatalf("symmetry %+v, volume %+v", r.Symmetry, r.Volume)
	}
	text, _ := dataOf(t, p, c)
	m, err := loadBanana(bytes.NewReader(text), "")
	if err != nil {
		t.Fatal(err)
	}
	g, stream := runtime.Generic(m.(runtime.Model)), random.New(r.Seed, 0)
	rng := rand.New(stream)
	stream.Seek(phaseChoice, 0)
	chain := c.Draws * c.Steps
	each := 2*c.Steps + 8*c.Steps // forth and back, and two ends of four differences
	if len(steps) != chain+3*each {
		t.Fatalf("%d steps, expected %d", len(steps), chain+3*each)
	}
	for i, draw := range choose(rng, 3, c.Draws) {
		got := steps[chain+i*each]
		// The next transition begins at the state.
		if next := (draw + 1) * c.Steps; next < chain && !slices.Equal(got[:2], steps[next][:2]) {
			t.Errorf("check %d is at %v, and the state of draw %d is %v", i, got[:2], draw, steps[next][:2])
		}
		stream.Seek(phaseCheck, uint64(i))
		momentum := []float64{rng.NormFloat64(), rng.NormFloat64()}
		if st := g.DrawMomentum(momentum, got[:2]); st != runtime.OK || !near(momentum[0], got[2], 1e-12) || !near(momentum[1], got[3], 1e-12) {
			t.Errorf("check %d has the momentum %v, not %v", i, got[2:], momentum)
		}
	}
}

// chained runs the chain of a cell with a seed of our choosing, so that cells can be compared whose
// seeds differ.
func chained(t *testing.T, program *Program, p *Plan, index int, seed uint64) *Result {
	t.Helper()
	r := &Result{Seed: seed}
	if err := (&worker{program: program, plan: p}).measure(&p.Cells[index], r); err != nil {
		t.Fatal(err)
	}
	return r
}

// sameChain reports how two chains with one seed differ by more than so much.
func sameChain(a, b *Result, tol float64) error {
	switch {
	case a.Accepted != b.Accepted || a.Steps != b.Steps || a.FailedSteps != b.FailedSteps:
		return fmt.Errorf("%d and %d accepted, %d and %d steps, %d and %d failed", a.Accepted, b.Accepted, a.Steps, b.Steps, a.FailedSteps, b.FailedSteps)
	case !near(float64(a.AcceptStat), float64(b.AcceptStat), tol):
		return fmt.Errorf("acceptance statistics %v and %v", a.AcceptStat, b.AcceptStat)
	case !slices.Equal(a.OtherBlocks, b.OtherBlocks):
		return fmt.Errorf("other blocks %v and %v", a.OtherBlocks, b.OtherBlocks)
	}
	for i, x := range a.ESS {
		y := b.ESS[i]
		if x.Name != y.Name || !near(float64(x.Mean), float64(y.Mean), tol) || !near(float64(x.SD), float64(y.SD), tol) {
			return fmt.Errorf("%v and %v", x, y)
		}
	}
	return nil
}

// TestGeneric: generic code makes the chain that generated code makes, to what solves leave over, and
// is generic.
func TestGeneric(t *testing.T) {
	for _, k := range []string{"glfb", "imb"} {
		own, plain := paperSettings(k), paperSettings(k)
		own.StepSize, own.Tolerance = 0.03, 1e-13
		plain.StepSize, plain.Tolerance, plain.Code = 0.03, 1e-13, Generic
		p := planOf(1, own, plain)
		for seed := range uint64(3) {
			if err := sameChain(chained(t, bananas(), p, 0, seed), chained(t, bananas(), p, 1, seed), 1e-8); err != nil {
				t.Errorf("%s, seed %d: %v", k, seed, err)
			}
		}
		w := &worker{program: bananas(), plan: p}
		for i := range p.Cells {
			l, err := w.load(&p.Cells[i])
			if err != nil {
				t.Fatal(err)
			}
			s, _, err := w.sweep(l, &p.Cells[i])
			if err != nil {
				t.Fatal(err)
			}
			if _, generic := s.Kernels[0].System.(*runtime.GenericSystem); generic != (i == 1) {
				t.Errorf("%s, code %s: the system is %T", k, p.Cells[i].Code, s.Kernels[0].System)
			}
		}
	}
}

// volatility is a plan of the authors' stochastic volatility sampler on the data of
// benchmarks.Volatility, and the worker for it.
func volatility(t *testing.T, observations int, seed uint64, latent Settings) (*Program, *Plan) {
	t.Helper()
	base, q, err := benchmarks.Volatility(observations, seed)
	if err != nil {
		t.Fatal(err)
	}
	path := paperSettings("leapfrog")
	path.StepSize, path.Steps = 0.1, 50
	start := Simulator{Name: "truth", Simulate: func(*rand.Rand) (map[string]any, Point, error) {
		x, at := make([]float64, len(q)), Point{}
		base.Posterior.Constrain(x, q)
		from := 0
		for _, param := range base.Posterior.Info().Params {
			at[param.Name] = x[from : from+param.Size()]
			from += param.Size()
		}
		return nil, at, nil
	}}
	program := bananas(Extension{Simulators: []Simulator{start}, Corrections: []Correction{{Name: "jacobian", Add: func(q []float64) float64 {
		phi := math.Tanh(q[1])
		return q[0] + math.Log(1-phi*phi)
	}}}})
	program.Models["m_sv"] = func(_ io.Reader, _ string) (runtime.Posterior, error) {
		return base.Posterior.(*stochastic_volatility_authors.Model).Clone(), nil
	}
	p := planOf(seed, latent)
	p.Models[0] = Model{
		Name: "sv", Code: "m_sv", Simulate: "truth", Start: StartSimulated, Block: "latent",
		Blocks: []BlockSettings{{"volatility", path}}, Correction: "jacobian", ESS: []string{"gamma", "alpha", "beta"},
	}
	return program, p
}

// TestCorrection: with the Jacobian in the accept step only, and without it, a cell of stochastic
// volatility accepts what benchmarks.GibbsWalk, a sampler with random numbers of its own, accepts on
// the same data, within four standard errors of the difference.
func TestCorrection(t *testing.T) {
	const observations, seed = 200, 3
	draws := campaign.Cases(t, 1500, 4000)
	latent := paperSettings("imb")
	latent.StepSize, latent.Steps = 0.5, 6
	var accepted [2]float64
	for placement := range benchmarks.Placement(2) {
		program, p := volatility(t, observations, seed, latent)
		if placement == benchmarks.Nowhere {
			p.Models[0].Correction = ""
		}
		p.Cells[0].Length = Length{Draws: draws, Warmup: 200, Eta: 1e-5}
		r := result(t, program, p, 0)
		w := &benchmarks.GibbsWalk{Integrator: runtime.IMb, Placement: placement, T: observations, BurnIn: 200, Draws: draws, Seed: seed}
		want, err := w.Run()
		if err != nil {
			t.Fatal(err)
		}
		if len(r.OtherBlocks) != 1 || r.OtherBlocks[0].Block != "volatility" {
			t.Fatalf("other blocks: %+v", r.OtherBlocks)
		}
		for _, x := range []struct {
			block     string
			got, want float64
		}{
			{"latent", float64(r.Accepted) / float64(draws), want.Latent},
			{"volatility", float64(r.OtherBlocks[0].Accepted) / float64(draws), want.Volatility},
		} {
			t.Logf("placement %d, %s: accepted %.4f, by GibbsWalk %.4f", placement, x.block, x.got, x.want)
			if limit := 4 * math.Sqrt(2*x.want*(1-x.want)/float64(draws)); !(math.Abs(x.got-x.want) <= limit) {
				t.Errorf("placement %d, %s: accepted %.4f, by GibbsWalk %.4f ± %.4f", placement, x.block, x.got, x.want, limit)
			}
		}
		accepted[placement] = float64(r.Accepted) / float64(draws)
	}
	if accepted[0] > accepted[1]-0.05 {
		t.Errorf("accepted %.3f with the correction and %.3f without: it makes no difference", accepted[0], accepted[1])
	}
}

// remembering is GLF(b) of the runtime as an extension has it: it remembers positions.
var remembering = Extension{Integrators: []Integrator{{Name: "remembering", Solves: 2, New: func(s *runtime.GenericSystem) (runtime.StepFunc, error) {
	return s.StepGLFb, nil
}}}}

// TestGenericBlock: in one block of a Gibbs, generic code makes the chain that generated code makes, and
// so does an extension, though what it remembers of positions holds for one state of the other block
// only; the audit finds all moves to return, each given what the other block was then.
func TestGenericBlock(t *testing.T) {
	latent := paperSettings("glfb")
	latent.StepSize, latent.Steps, latent.Tolerance = 0.3, 4, 1e-13
	program, p := volatility(t, 50, 2, latent)
	program.Extensions = append(program.Extensions, remembering)
	p.Cells[0].Length = Length{Draws: 150, Checks: 5, Eta: 1e-5, Audit: 150}
	for i, change := range []func(*Cell){
		func(c *Cell) { c.Code = Generic },
		func(c *Cell) { c.Integrator = "remembering" },
		func(c *Cell) { c.Integrator, c.Code = "remembering", Generic },
		func(c *Cell) { c.Audit = 0 },
	} {
		c := p.Cells[0]
		c.Index = i + 1
		change(&c)
		p.Cells = append(p.Cells, c)
	}
	first := chained(t, program, p, 0, 9)
	for i := range p.Cells {
		c := &p.Cells[i]
		r := chained(t, program, p, i, 9)
		if err := sameChain(first, r, 1e-8); err != nil {
			t.Errorf("%s, %s: %v", c.Integrator, c.Code, err)
		}
		if r.Unreturned != 0 || r.Accepted < 20 || r.Symmetry.N != 5 || !(r.Symmetry.P90 < 1e-8) || !(r.Volume.P90 < 1e-5) {
			t.Errorf("%s, %s: %d of %d accepted moves do not return, symmetry %+v, volume %+v", c.Integrator, c.Code, r.Unreturned, r.Accepted, r.Symmetry, r.Volume)
		}
		if len(r.ESS) != 3 || r.ESS[0].Name != "gamma" {
			t.Errorf("effective sample sizes %v, expected those of three parameters", r.ESS)
		}
		// What was audited before has no part in the checks.
		if c.Audit == 0 && (r.Symmetry != first.Symmetry || r.Volume != first.Volume) {
			t.Errorf("without an audit: symmetry %+v, volume %+v; with one %+v and %+v", r.Symmetry, r.Volume, first.Symmetry, first.Volume)
		}
		w := &worker{program: program, plan: p}
		l, err := w.load(c)
		if err != nil {
			t.Fatal(err)
		}
		s, block, err := w.sweep(l, c)
		if err != nil {
			t.Fatal(err)
		}
		for k := range s.Kernels {
			if _, generic := s.Kernels[k].System.(*runtime.GenericConditional); generic != (c.Code == Generic && k == block) {
				t.Errorf("%s, %s: block %s is a %T", c.Integrator, c.Code, s.Names[k], s.Kernels[k].System)
			}
		}
	}
}

// TestSecondBlock: the audit of a block that is updated after another one takes what that one was then.
func TestSecondBlock(t *testing.T) {
	latent := paperSettings("imb")
	latent.StepSize, latent.Steps = 0.5, 6
	program, p := volatility(t, 50, 2, latent)
	m := &p.Models[0]
	path := m.Blocks[0].Settings
	m.Block, m.Blocks, m.Correction = "volatility", []BlockSettings{{"latent", latent}}, ""
	c := &p.Cells[0]
	c.Settings, c.Length = path, Length{Draws: 100, Checks: 3, Eta: 1e-5, Audit: 100}
	r := result(t, program, p, 0)
	if r.Accepted < 50 || r.Unreturned != 0 || !(r.Symmetry.P90 < 1e-10) || r.Volume.N+r.Volume.Lost != 0 && !(r.Volume.P90 < 1e-5) {
		t.Errorf("%d of %d accepted moves of the leapfrog do not return; symmetry %+v, volume %+v", r.Unreturned, r.Accepted, r.Symmetry, r.Volume)
	}
	if len(r.OtherBlocks) != 1 || r.OtherBlocks[0].Block != "latent" || r.OtherBlocks[0].Accepted < 20 {
		t.Errorf("other blocks %+v", r.OtherBlocks)
	}
}
