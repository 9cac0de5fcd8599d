package conformance

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hamc-dev/hamc/generated/stochastic_volatility"
	"github.com/hamc-dev/hamc/generated/stochastic_volatility_authors"
	"github.com/hamc-dev/hamc/internal/campaign"
	"github.com/hamc-dev/hamc/internal/handwritten"
	"github.com/hamc-dev/hamc/runtime"
)

// A gibbs is a generated posterior that is sampled in blocks, with the same blocks
// and the same joint density written by hand.
type gibbs struct {
	name string
	make func(y []float64) runtime.Gibbs

	// hand returns the block of that name given the coordinates q of all.
	hand func(name string, y, q []float64) (runtime.Model, error)

	// joint returns the joint density by hand in the coordinates q of all.
	joint func(y, q []float64) (l float64, grad []float64)

	// draw returns coordinates of all, at random, for T observations.
	draw func(rng *rand.Rand, T int) []float64
}

func gibbses(t testing.TB) []gibbs {
	t.Helper()
	path := func(rng *rand.Rand, T int) []float64 {
		x := make([]float64, T)
		for i := range x {
			x[i] = 1.5 * rng.NormFloat64()
		}
		return x
	}
	return []gibbs{
		{
			name: "exact",
			make: func(y []float64) runtime.Gibbs { return exactSV(t, y) },
			hand: func(name string, y, q []float64) (runtime.Model, error) {
				T := len(y)
				if name == "latent" {
					return handwritten.NewSVLatent(y, q[:T])
				}
				return handwritten.NewSVVolatility(y, math.Exp(q[T+1]/2), math.Tanh(q[T+2]/2), math.Exp(q[T]))
			},
			joint: func(y, q []float64) (float64, []float64) {
				m, grad := must[*handwritten.SVJoint](t)(handwritten.NewSVJoint(y)), make([]float64, len(q))
				return m.Gradient(grad, q), grad
			},
			draw: func(rng *rand.Rand, T int) []float64 {
				return append(path(rng, T), rng.NormFloat64(), -2+rng.NormFloat64(), 3+2*rng.NormFloat64())
			},
		},
		{
			name: "authors",
			make: func(y []float64) runtime.Gibbs { return authorsSV(t, y) },
			hand: func(name string, y, q []float64) (runtime.Model, error) {
				T := len(y)
				if name == "latent" {
					return handwritten.NewSVAuthors(y, q[:T])
				}
				return handwritten.NewSVVolatility(y, math.Exp(q[T]), math.Tanh(q[T+1]), q[T+2])
			},
			joint: func(y, q []float64) (float64, []float64) {
				T := len(y)
				sigma, phi, beta := math.Exp(q[T]), math.Tanh(q[T+1]), q[T+2]
				volatility := must[*handwritten.SVVolatility](t)(handwritten.NewSVVolatility(y, sigma, phi, beta))
				latent := must[*handwritten.SVAuthors](t)(handwritten.NewSVAuthors(y, q[:T]))
				return latent.LogDensity(q[T:]), append(gradient(volatility, q[:T]), gradient(latent, q[T:])...)
			},
			draw: func(rng *rand.Rand, T int) []float64 {
				return append(path(rng, T), -1+0.5*rng.NormFloat64(), 1.5+0.5*rng.NormFloat64(), math.Exp(0.5*rng.NormFloat64()))
			},
		},
	}
}

// eachGibbs runs a test for every posterior that is sampled in blocks.
func eachGibbs(t *testing.T, f func(t *testing.T, g gibbs)) {
	for _, g := range gibbses(t) {
		t.Run(g.name, func(t *testing.T) { f(t, g) })
	}
}

// lengths are those of series at which something begins or ends: without a
// transition, with one, with an inner value, and with several.
var lengths = []int{1, 2, 3, 12}

// TestBlocksAgreeWithHandwritten compares the blocks of one model, given one set of
// other parameters after another, with blocks written by hand and made anew. The
// largest difference measured was 4e-14.
func TestBlocksAgreeWithHandwritten(t *testing.T) {
	eachGibbs(t, func(t *testing.T, g gibbs) {
		for _, T := range lengths {
			y, _ := svSeries(t, T)
			m := g.make(y)
			rng := rand.New(rand.NewPCG(31, uint64(T)))
			for i := range 30 {
				others := g.draw(rng, T)
				for _, b := range m.Blocks() {
					if st := b.Given(others); st != runtime.OK {
						t.Fatalf("T = %d, draw %d, block %s: %v", T, i, b.Info().Name, st)
					}
					hand := must[runtime.Model](t)(g.hand(b.Info().Name, y, others))
					if got, want := b.Info().Metric.Constant, hand.Info().Metric.Constant || b.Info().Name == "volatility"; got != want {
						t.Errorf("block %s: metric constant: %v, want %v", b.Info().Name, got, want)
					}
					var points [][]float64
					for range 4 {
						points = append(points, runtime.Gather(m.Info(), b.Info(), g.draw(rng, T)))
					}
					report := must[runtime.Report](t)(runtime.Compare(b, hand, points))
					report = slices.DeleteFunc(report, func(d runtime.Difference) bool {
						// γ and α are parameters to one, coordinates to the other.
						return d.Quantity == "parameters" && g.name == "authors" && b.Info().Name == "latent"
					})
					if worst := report.Worst(); !(worst <= agreeTolerance) {
						t.Errorf("T = %d, draw %d, block %s: off by %.1e\n%v", T, i, b.Info().Name, worst, report)
					}
				}
			}
		}
	})
}

// TestJointAgreesWithHandwritten compares the joint density, constants and all,
// and its gradient with those by hand, and with those of the blocks.
func TestJointAgreesWithHandwritten(t *testing.T) {
	eachGibbs(t, func(t *testing.T, g gibbs) {
		for _, T := range lengths {
			y, _ := svSeries(t, T)
			m := g.make(y)
			rng := rand.New(rand.NewPCG(32, uint64(T)))
			for range 30 {
				q := g.draw(rng, T)
				l, want := g.joint(y, q)
				grad := make([]float64, len(q))
				near(t, "L", []float64{m.Gradient(grad, q)}, []float64{l}, agreeTolerance)
				near(t, "LogDensity", []float64{m.LogDensity(q)}, []float64{l}, agreeTolerance)
				near(t, "∂L/∂q", grad, want, agreeTolerance)
				byBlock := make([]float64, len(q))
				for _, b := range m.Blocks() {
					b.Given(q)
					own := runtime.Gather(m.Info(), b.Info(), q)
					near(t, b.Info().Name+": L", []float64{b.LogDensity(own)}, []float64{l}, agreeTolerance)
					runtime.Scatter(m.Info(), b.Info(), byBlock, gradient(b, own))
				}
				near(t, "∂L/∂q by blocks", byBlock, want, agreeTolerance)

				x, back := make([]float64, len(q)), make([]float64, len(q))
				m.Constrain(x, q)
				if err := m.Unconstrain(back, x); err != nil {
					t.Error(err)
				}
				near(t, "coordinates of the parameters", back, q, 1e-11)
			}
		}
	})
}

// TestBlocksAgreeWithDifferences compares the derivatives of the blocks and of the
// joint density with differences.
func TestBlocksAgreeWithDifferences(t *testing.T) {
	eachGibbs(t, func(t *testing.T, g gibbs) {
		for _, T := range lengths[:3] {
			y, _ := svSeries(t, T)
			m := g.make(y)
			rng := rand.New(rand.NewPCG(33, uint64(T)))
			points := [][]float64{g.draw(rng, T), g.draw(rng, T), g.draw(rng, T)}
			for _, b := range m.Blocks() {
				report := must[runtime.Report](t)(runtime.CheckBlock(m, b, points))
				if worst := report.Worst(); !(worst <= 1e-10) {
					t.Errorf("T = %d, block %s: off by %.1e\n%v", T, b.Info().Name, worst, report)
				}
			}
		}
	})
}

// everything returns all that a block says at z, given what it was given.
func everything(b runtime.System, z state, eps float64) []float64 {
	out := append(gradient(b, z.q), b.LogDensity(z.q))
	out = append(out, metric(b, z.q)...)
	h, l, st := b.Energy(z.q, z.p)
	out = append(out, h, l, float64(st))
	for k := runtime.GLFb; k <= runtime.Leapfrog; k++ {
		step, err := runtime.Stepper(b, k, runtime.DefaultMethod)
		if err != nil {
			continue
		}
		q, p := clone(z.q), clone(z.p)
		for range 3 {
			r := step(q, p, eps, plain(1e-9))
			out = append(out, float64(r.Status), float64(r.Iterations))
			if r.Status != runtime.OK {
				break
			}
			out = append(append(out, q...), p...)
		}
	}
	return out
}

// TestGiven gives a block other parameters again and again, some of them again
// after others, and asks for everything at positions it has been at: what it
// remembers of one conditional must not show in another.
func TestGiven(t *testing.T) {
	eachGibbs(t, func(t *testing.T, g gibbs) {
		const T = 12
		y, _ := svSeries(t, T)
		m := g.make(y)
		rng := rand.New(rand.NewPCG(34, 0))
		others := [][]float64{g.draw(rng, T), g.draw(rng, T), g.draw(rng, T)}
		for i, b := range m.Blocks() {
			n := b.Info().Dim()
			var states []state
			for range 3 {
				p := make([]float64, n)
				for j := range p {
					p[j] = rng.NormFloat64()
				}
				states = append(states, state{runtime.Gather(m.Info(), b.Info(), g.draw(rng, T)), p})
			}
			for range 200 {
				o, z := others[rng.IntN(3)], states[rng.IntN(3)]
				if rng.IntN(2) == 0 {
					b.Given(o)
					alone := g.make(y).Blocks()[i]
					alone.Given(o)
					if got, want := everything(b, z, 0.1), everything(alone, z, 0.1); !same(got, want) {
						t.Fatalf("block %s: %v, a fresh one %v", b.Info().Name, got, want)
					}
				} else {
					// Where a step ends a block may know the next one's
					// beginning.
					b.Given(o)
					end := state{clone(z.q), clone(z.p)}
					step := stepper(t, b, []runtime.Integrator{runtime.GLFb, runtime.IMb}[rng.IntN(2)])
					if step(end.q, end.p, 0.1, plain(1e-9)).Status == runtime.OK {
						states[rng.IntN(3)] = end
					}
				}
			}
		}
	})
}

// A forgetful Gibbs makes a block anew for every call, and gives it what it was
// last given.
type forgetful struct {
	runtime.Gibbs
	fresh func() runtime.Gibbs
}

type forgetfulBlock struct {
	amnesiac
	block func() runtime.Conditional
	given []float64
}

func (f forgetful) Clone() runtime.Gibbs { return f }

func (f forgetful) LogDensity(q []float64) float64     { return f.fresh().LogDensity(q) }
func (f forgetful) Gradient(grad, q []float64) float64 { return f.fresh().Gradient(grad, q) }

func (f forgetful) Blocks() []runtime.Conditional {
	var out []runtime.Conditional
	for i := range f.fresh().Blocks() {
		b := &forgetfulBlock{block: func() runtime.Conditional { return f.fresh().Blocks()[i] }}
		b.amnesiac = newAmnesiac(func() runtime.System {
			c := b.block()
			if b.given != nil {
				c.Given(b.given)
			}
			return c
		})
		out = append(out, b)
	}
	return out
}

func (b *forgetfulBlock) Given(q []float64) runtime.Status {
	b.given = clone(q)
	return b.block().Given(q)
}

// sweepOptions returns the settings of a sweep with an integrator for each of the
// blocks, with steps so long that some moves are refused and some steps fail.
func sweepOptions(latent, volatility runtime.Integrator, check runtime.ReverseCheck) runtime.Options {
	opt := runtime.DefaultOptions()
	opt.ReverseCheck = check
	opt.Warmup, opt.RandomSteps = 0, true
	a, b := opt.Tuning, opt.Tuning
	a.Integrator, a.StepSize, a.Steps = latent, 0.9, 4
	b.Integrator, b.StepSize, b.Steps = volatility, 1.1, 5
	opt.Blocks = []runtime.BlockTuning{{Name: "latent", Tuning: a}, {Name: "volatility", Tuning: b}}
	return opt
}

// pairings are integrators for the latent block and for the volatilities, such
// that each block has all that apply to it.
var pairings = [][2]runtime.Integrator{
	{runtime.IMb, runtime.Leapfrog}, {runtime.GLFb, runtime.IMb}, {runtime.IMa, runtime.GLFa},
	{runtime.GLFa, runtime.IMa}, {runtime.DefaultIntegrator, runtime.GLFb},
}

// TestMemoryInASweep: a sweep over blocks that cannot remember, each sweep by
// kernels made anew, is the same bit for bit. Without a way back a block is next asked for where its last trajectory
// ended, and remembers it best.
func TestMemoryInASweep(t *testing.T) {
	const T, sweeps = 12, 60
	eachGibbs(t, func(t *testing.T, g gibbs) {
		y, x := svSeries(t, T)
		fresh := func() runtime.Gibbs { return g.make(y) }
		walk := func(m runtime.Gibbs, opt *runtime.Options, anew bool) (path []float64, refused, failed int) {
			s := must[*runtime.Sweep](t)(runtime.NewSweep(m, opt))
			rng := rand.New(rand.NewPCG(35, 0))
			q := g.draw(rng, T)
			copy(q, x)
			for range sweeps {
				if anew {
					s = must[*runtime.Sweep](t)(runtime.NewSweep(m, opt))
				}
				for _, tr := range s.Transition(q, rng) {
					path = append(path, tr.LogDensity, tr.Energy, tr.Accept, float64(tr.Iterations), float64(tr.Failure))
					if !tr.Accepted {
						refused++
					}
					if tr.Failure != runtime.OK {
						failed++
					}
				}
				path = append(path, q...)
			}
			return path, refused, failed
		}
		// Each block has a step of its own and a plain one; TestMemoryNeverShows has every integrator.
		for _, pair := range campaign.Sample(t, pairings, 3) {
			for _, check := range []runtime.ReverseCheck{runtime.ReverseOff, runtime.ReverseAll} {
				opt := sweepOptions(pair[0], pair[1], check)
				got, refused, failed := walk(fresh(), &opt, false)
				if want, _, _ := walk(forgetful{fresh(), fresh}, &opt, true); !same(got, want) {
					t.Errorf("%v, check %v: the sweeps depend on what the blocks remember", pair, check)
				}
				if failed == 0 || refused == failed || refused == 2*sweeps {
					t.Errorf("%v: %d moves of %d refused, %d failed: the test means to see all of it", pair, refused, 2*sweeps, failed)
				}
			}
		}
	})
}

// TestSweepsAllocateNothing: a sweep allocates nothing, moves refused and steps
// that fail included.
func TestSweepsAllocateNothing(t *testing.T) {
	const T = 100
	eachGibbs(t, func(t *testing.T, g gibbs) {
		y, x := svSeries(t, T)
		for _, pair := range pairings {
			opt := sweepOptions(pair[0], pair[1], runtime.ReverseAll)
			s := must[*runtime.Sweep](t)(runtime.NewSweep(g.make(y), &opt))
			rng := rand.New(rand.NewPCG(36, 0))
			q := g.draw(rng, T)
			copy(q, x)
			accepted := 0
			if n := testing.AllocsPerRun(10, func() {
				for _, tr := range s.Transition(q, rng) {
					if tr.Accepted {
						accepted++
					}
				}
			}); n != 0 {
				t.Errorf("%v: a sweep allocates %v times", pair, n)
			}
			if accepted == 0 {
				t.Errorf("%v: nothing accepted", pair)
			}
		}
		m := g.make(y)
		q, grad, params := g.draw(rand.New(rand.NewPCG(36, 1)), T), make([]float64, T+3), make([]float64, T+3)
		if n := testing.AllocsPerRun(10, func() {
			q[0]++
			m.LogDensity(q)
			m.Gradient(grad, q)
			m.Constrain(params, q)
			if err := m.Unconstrain(q, params); err != nil {
				t.Fatal(err)
			}
		}); n != 0 {
			t.Errorf("the joint density allocates %v times", n)
		}
	})
}

// TestGibbsClonesAreIndependent sweeps a posterior and clones of it at the same
// time; go test -race watches.
func TestGibbsClonesAreIndependent(t *testing.T) {
	const T = 12
	eachGibbs(t, func(t *testing.T, g gibbs) {
		y, _ := svSeries(t, T)
		opt := sweepOptions(runtime.IMb, runtime.Leapfrog, runtime.ReverseOff)
		walk := func(m runtime.Gibbs, seed uint64) []float64 {
			s, err := runtime.NewSweep(m, &opt)
			if err != nil {
				t.Error(err)
				return nil
			}
			rng := rand.New(rand.NewPCG(37, seed))
			q := g.draw(rng, T)
			var out []float64
			for range 100 {
				s.Transition(q, rng)
				out = append(append(out, q...), m.LogDensity(q))
			}
			return out
		}
		m := g.make(y)
		walk(m, 9) // so that a clone could inherit something
		all := []runtime.Gibbs{m, m.Clone(), m.Clone(), m.Clone().Clone()}
		got := make([][]float64, len(all))
		var done sync.WaitGroup
		for i, c := range all {
			done.Go(func() { got[i] = walk(c, uint64(i)) })
		}
		done.Wait()
		for i := range all {
			if want := walk(g.make(y), uint64(i)); !same(got[i], want) {
				t.Errorf("clone %d does not walk as a posterior alone does", i)
			}
		}
	})
}

// TestDrawsDoNotDependOnWorkers samples with one goroutine and with several.
func TestDrawsDoNotDependOnWorkers(t *testing.T) {
	y, x := svSeries(t, 30)
	exact, authors := exactSV(t, y), authorsSV(t, y)
	fhn, lotka := odes(t)[0].fresh(), odes(t)[1].fresh()
	for _, c := range []struct {
		p     runtime.Posterior
		start []float64
	}{
		{exact, append(clone(x), 0.65, 0.02, 0.98)},
		{authors, authorsQ(x, svSigma, svPhi, svBeta)},
		{fhn, fhnCentre},
		{lotka, nil},
	} {
		opt := runtime.DefaultOptions()
		opt.Chains, opt.Warmup, opt.Draws = 4, 3, 4
		opt.TargetAccept, opt.Steps, opt.ODE.MaxSteps = 0.8, 3, odeLimit
		if _, ok := c.p.(runtime.Gibbs); ok {
			opt.ODE.MaxSteps, opt.Warmup, opt.Draws = 0, 20, 20
		}
		if c.start == nil {
			c.start = make([]float64, len(lotkaCentre))
			c.p.Constrain(c.start, lotkaCentre)
		}
		opt.Init = append(opt.Init, c.start)
		var draws [2][]float64
		for i, workers := range []int{1, 3} {
			opt.Workers = workers
			for _, chain := range must[*runtime.Result](t)(runtime.Sample(t.Context(), c.p, opt, nil)).Chains {
				for _, column := range append(chain.Draws, chain.Stats...) {
					draws[i] = append(draws[i], column...)
				}
			}
		}
		if !same(draws[0], draws[1]) || !finite(draws[0]...) {
			t.Errorf("%s: the draws depend on the number of workers, or are not finite", c.p.Info().Name)
		}
	}
}

// TestShortSeries samples series of one and two observations, which have no
// transition or one: adaptation ends at a step size that the blocks accept. It may be so
// long that a solve fails now and then, in one transition of a hundred at most.
func TestShortSeries(t *testing.T) {
	for _, T := range []int{1, 2} {
		y, x := svSeries(t, T)
		opt := runtime.DefaultOptions()
		opt.Chains, opt.Warmup, opt.Draws = 2, 300, 300
		opt.Init = append(opt.Init, append(clone(x), svBeta, svSigma*svSigma, svPhi))
		r := must[*runtime.Result](t)(runtime.Sample(t.Context(), exactSV(t, y), opt, nil))
		for c := range r.Chains {
			for _, b := range r.Chains[c].Blocks {
				n := &b.Sampling
				if accept := n.SumAccept / float64(n.Transitions); 100*n.Failures() > n.Transitions || !(accept > 0.7) {
					t.Errorf("T = %d, block %s: %d failures, acceptance %.2f", T, b.Name, n.Failures(), accept)
				}
			}
			for j, column := range r.Chains[c].Draws {
				if !finite(column...) {
					t.Errorf("T = %d: draws of %s are not finite", T, r.Names[j])
				}
			}
		}
	}
}

// TestBadSeries: constructors and files with data that do not fit.
func TestBadSeries(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		datum string
		T     int
		y     []float64
	}{
		{"T", 0, nil}, {"T", -1, []float64{1}}, {"y", 2, []float64{1}}, {"y", 1, []float64{1, 2}},
		{"y", 1, nil}, {"y[2] is NaN", 2, []float64{1, nan}}, {"y[1] is -Inf", 1, []float64{math.Inf(-1)}},
	} {
		_, err := stochastic_volatility.New(stochastic_volatility.Data{T: c.T, Y: c.y})
		_, err2 := stochastic_volatility_authors.New(stochastic_volatility_authors.Data{T: c.T, Y: c.y})
		for _, err := range []error{err, err2} {
			if err == nil || !strings.HasPrefix(err.Error(), "stochastic_volatility") || !strings.Contains(err.Error(), c.datum) {
				t.Errorf("T = %d, y = %v: error %v, which should name %s", c.T, c.y, err, c.datum)
			}
		}
	}
	for _, text := range []string{`{"T": 2, "y": [1]}`, `{"T": 1}`, `{"y": [1]}`, `{"T": 1.5, "y": [1]}`, `{"T": 1, "y": 1}`, `{"T": -1, "y": []}`} {
		_, err := stochastic_volatility.ReadData(strings.NewReader(text), "some.json")
		if err == nil || !strings.Contains(err.Error(), "some.json") {
			t.Errorf("%s: error %v", text, err)
		}
	}
	// What happens to the data after New is no concern of the blocks.
	y, x := svSeries(t, 5)
	y = clone(y)
	q := exactQ(x, svSigma, svPhi, svBeta)
	m := exactSV(t, y)
	before := fmt.Sprint(m.LogDensity(q), blockOf(t, m, "latent", q).LogDensity(q[5:]), blockOf(t, m, "volatility", q).LogDensity(x))
	clear(y)
	if after := fmt.Sprint(m.LogDensity(q), blockOf(t, m, "latent", q).LogDensity(q[5:]), blockOf(t, m, "volatility", q).LogDensity(x)); after != before {
		t.Errorf("densities %s, and %s once the data have changed", before, after)
	}
}
