package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/hamc-dev/hamc/internal/campaign"
	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/diagnostics"
	"github.com/hamc-dev/hamc/runtime/random"
)

// sampleBlocks runs Sample and fails the test on an error.
func sampleBlocks(t testing.TB, p runtime.Posterior, opt runtime.Options, w runtime.Observer) *runtime.Result {
	t.Helper()
	r, err := runtime.Sample(context.Background(), p, opt, w)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// gibbsOptions are settings for posteriors of independent coordinates of scale
// one, with one integrator for each block.
func gibbsOptions(p runtime.Gibbs, integrators ...runtime.Integrator) runtime.Options {
	opt := runtime.DefaultOptions()
	opt.Warmup, opt.Draws = 300, 3000
	for i, b := range p.Blocks() {
		t := opt.Tuning
		t.Integrator = integrators[i]
		opt.Blocks = append(opt.Blocks, runtime.BlockTuning{Name: b.Info().Name, Tuning: t})
	}
	return opt
}

// moment is an expectation of the draws that is known.
type moment struct {
	name  string
	exact float64
	of    func(x []float64) float64
}

// worstMoment returns the moment that is off by the most Monte Carlo standard
// errors, and by how many.
func worstMoment(r *runtime.Result, all []moment) (string, float64) {
	name, worst := "", 0.0
	x := make([]float64, len(r.Names))
	for _, m := range all {
		values := make([][]float64, len(r.Chains))
		for c := range values {
			draws := r.Chains[c].Draws
			for i := range draws[0] {
				for j := range x {
					x[j] = draws[j][i]
				}
				values[c] = append(values[c], m.of(x))
			}
		}
		z := math.Abs(diagnostics.Mean(values)-m.exact) / diagnostics.MCSEMean(values)
		if !(z <= worst) {
			name, worst = m.name, z
		}
	}
	return name, worst
}

// gibbsBound is how many standard errors a moment of a Gibbs sampler may be off.
const gibbsBound = 4

// moments returns the means and covariances.
func (m *jointNormal) moments() []moment {
	n := len(m.mu)
	sigma := inverse(m.prec, n)
	var out []moment
	for i := range n {
		out = append(out, moment{fmt.Sprintf("E x%d", i), m.mu[i], func(x []float64) float64 { return x[i] }})
		for j := range i + 1 {
			out = append(out, moment{fmt.Sprintf("cov(x%d, x%d)", i, j), sigma[i*n+j],
				func(x []float64) float64 { return (x[i] - m.mu[i]) * (x[j] - m.mu[j]) }})
		}
	}
	return out
}

// inverse returns the inverse of a positive definite matrix, by Gauss and
// Jordan.
func inverse(a []float64, n int) []float64 {
	a = clone(a)
	out := make([]float64, n*n)
	for i := range n {
		out[i*n+i] = 1
	}
	for k := range n {
		pivot := a[k*n+k]
		for j := range n {
			a[k*n+j] /= pivot
			out[k*n+j] /= pivot
		}
		for i := range n {
			if factor := a[i*n+k]; i != k {
				for j := range n {
					a[i*n+j] -= factor * a[k*n+j]
					out[i*n+j] -= factor * out[k*n+j]
				}
			}
		}
	}
	return out
}

// moments returns the exact moments: given τ all is normal, and τ is integrated
// over a grid in its logarithm.
func (m *schools) moments() []moment {
	names := []string{"μ", "log τ", "θ₁", "θ₄", "μ²", "(log τ)²", "θ₁²", "θ₄²", "μ log τ", "μ θ₁", "θ₁ θ₄", "θ₄ log τ"}
	sums := make([]float64, len(names))
	total := 0.0
	for u := -4.0; u < 4; u += 1e-3 {
		w := math.Exp(-2 * u)
		precision, pull := 1/priorMu, 0.0
		logp := -0.5 * (u - priorTau) * (u - priorTau) / priorTauSpread
		for j, y := range m.y {
			v := m.s[j]*m.s[j] + 1/w
			precision += 1 / v
			pull += y / v
			logp -= 0.5*math.Log(v) + 0.5*y*y/v
		}
		mean, v := pull/precision, 1/precision
		logp += 0.5*pull*pull/precision - 0.5*math.Log(precision)
		// θ_j = a + b μ + noise of variance c
		given := func(j int) (a, b, c float64) {
			c = 1 / (1/(m.s[j]*m.s[j]) + w)
			return m.y[j] / (m.s[j] * m.s[j]) * c, w * c, c
		}
		a1, b1, c1 := given(0)
		a4, b4, c4 := given(3)
		square := v + mean*mean
		p := math.Exp(logp)
		total += p
		for i, x := range []float64{
			mean, u, a1 + b1*mean, a4 + b4*mean, square, u * u,
			a1*a1 + 2*a1*b1*mean + b1*b1*square + c1, a4*a4 + 2*a4*b4*mean + b4*b4*square + c4,
			mean * u, a1*mean + b1*square, a1*a4 + (a1*b4+a4*b1)*mean + b1*b4*square, (a4 + b4*mean) * u,
		} {
			sums[i] += p * x
		}
	}
	of := []func(mu, t1, t4, u float64) float64{
		func(mu, t1, t4, u float64) float64 { return mu },
		func(mu, t1, t4, u float64) float64 { return u },
		func(mu, t1, t4, u float64) float64 { return t1 },
		func(mu, t1, t4, u float64) float64 { return t4 },
		func(mu, t1, t4, u float64) float64 { return mu * mu },
		func(mu, t1, t4, u float64) float64 { return u * u },
		func(mu, t1, t4, u float64) float64 { return t1 * t1 },
		func(mu, t1, t4, u float64) float64 { return t4 * t4 },
		func(mu, t1, t4, u float64) float64 { return mu * u },
		func(mu, t1, t4, u float64) float64 { return mu * t1 },
		func(mu, t1, t4, u float64) float64 { return t1 * t4 },
		func(mu, t1, t4, u float64) float64 { return t4 * u },
	}
	var out []moment
	for i, name := range names {
		out = append(out, moment{"E " + name, sums[i] / total, func(x []float64) float64 {
			return of[i](x[0], x[1], x[4], math.Log(x[5]))
		}})
	}
	return out
}

// The blocks of the normals in these tests: parameters in another order than
// that of the posterior, and blocks that interleave.
func twoBlocks() *jointNormal {
	return newJointNormal(sevenParams(),
		blockSpec{name: "right", params: []string{"d", "a"}, own: true},
		blockSpec{name: "left", params: []string{"c", "b"}, bend: 0.3})
}

func threeBlocks() *jointNormal {
	return newJointNormal(sevenParams(),
		blockSpec{name: "middle", params: []string{"b"}},
		blockSpec{name: "last", params: []string{"d"}, bend: 0.3},
		blockSpec{name: "rest", params: []string{"c", "a"}, own: true})
}

const (
	glfa = runtime.GLFa
	glfb = runtime.GLFb
	ima  = runtime.IMa
	imb  = runtime.IMb
	leap = runtime.Leapfrog
)

// TestGibbsMoments compares means and covariances with the exact ones, for
// mixes of integrators.
func TestGibbsMoments(t *testing.T) {
	normal := func(make func() *jointNormal) (runtime.Gibbs, []moment) { m := make(); return m, m.moments() }
	for _, c := range []struct {
		name  string
		make  func() (runtime.Gibbs, []moment)
		mixes [][]runtime.Integrator
	}{
		{"two blocks", func() (runtime.Gibbs, []moment) { return normal(twoBlocks) }, [][]runtime.Integrator{
			{leap, imb}, {glfa, glfb}, {ima, glfa}, {imb, ima}, {glfb, imb},
		}},
		{"three blocks", func() (runtime.Gibbs, []moment) { return normal(threeBlocks) }, [][]runtime.Integrator{
			{leap, imb, leap}, {glfa, glfb, ima}, {ima, glfa, imb}, {glfb, ima, glfa}, {imb, imb, glfb},
		}},
		{"schools", func() (runtime.Gibbs, []moment) { m := newSchools(); return m, m.moments() }, [][]runtime.Integrator{
			{leap, imb}, {leap, glfb}, {ima, glfa}, {glfa, ima},
		}},
	} {
		for _, mix := range campaign.Sample(t, c.mixes, 5) {
			p, exact := c.make()
			opt := gibbsOptions(p, mix...)
			opt.Draws = campaign.Cases(t, 1500, 3000)
			r := sampleBlocks(t, p, opt, nil)
			name, z := worstMoment(r, exact)
			t.Logf("%s by %v: %s is off by %.1f standard errors", c.name, mix, name, z)
			if !(z <= gibbsBound) {
				t.Errorf("%s by %v: %s is off by %.1f standard errors", c.name, mix, name, z)
			}
			for k := range r.Chains {
				for _, b := range r.Chains[k].Blocks {
					if n := &b.Sampling; n.Accepted < n.Transitions/2 {
						t.Errorf("%s by %v: block %s accepts %d of %d", c.name, mix, b.Name, n.Accepted, n.Transitions)
					}
				}
			}
		}
	}
}

// TestGibbsMomentsBetrayMistakes: the same moments are off for samplers with a
// mistake.
func TestGibbsMomentsBetrayMistakes(t *testing.T) {
	deaf := newJointNormal(sevenParams(),
		blockSpec{name: "right", params: []string{"d", "a"}, own: true, deaf: true},
		blockSpec{name: "left", params: []string{"c", "b"}, bend: 0.3})
	for _, c := range []struct {
		name string
		p    runtime.Gibbs
	}{
		{"a block that is given nothing", deaf},
		{"a block of coordinates in another order", &scrambled{twoBlocks()}},
	} {
		exact := twoBlocks().moments()
		name, z := worstMoment(sampleBlocks(t, c.p, gibbsOptions(c.p, leap, imb), nil), exact)
		t.Logf("%s: %s is off by %.1f standard errors", c.name, name, z)
		if z <= gibbsBound {
			t.Errorf("%s: not noticed, off by %.1f standard errors", c.name, z)
		}
	}
}

// scrambled is a jointNormal whose last block says that its parameters stand in
// another order than they do.
type scrambled struct{ *jointNormal }

func (s *scrambled) Clone() runtime.Gibbs { return &scrambled{s.jointNormal.Clone().(*jointNormal)} }

func (s *scrambled) Blocks() []runtime.Conditional {
	all := slices.Clone(s.jointNormal.Blocks())
	last := all[len(all)-1]
	in := *last.Info()
	in.Params = slices.Clone(in.Params)
	slices.Reverse(in.Params)
	all[len(all)-1] = renamed{last, &in}
	return all
}

// renamed is a block with another description.
type renamed struct {
	runtime.Conditional
	info *runtime.Info
}

func (r renamed) Info() *runtime.Info { return r.info }

// TestNothingSurvivesGiven: a sweep whose blocks remember nothing, because they
// are made anew each time, makes the same draws bit for bit. What a block knows
// of a position, and the factor of a constant metric, is known no more once the
// other blocks have moved: so also in the plain integrators over another System.
func TestNothingSurvivesGiven(t *testing.T) {
	refused := 0
	for _, c := range []struct {
		p     runtime.Gibbs
		mixes [][]runtime.Integrator
	}{
		{twoBlocks(), [][]runtime.Integrator{{leap, imb}, {glfa, glfb}, {ima, glfa}, {imb, ima}}},
		{threeBlocks(), [][]runtime.Integrator{{leap, imb, leap}, {glfa, glfb, ima}, {ima, glfa, glfa}, {imb, ima, imb}, {glfb, imb, glfb}}},
		{newSchools(), [][]runtime.Integrator{{leap, imb}, {glfa, glfa}, {ima, ima}, {imb, glfb}}},
	} {
		for _, mix := range c.mixes {
			opt := gibbsOptions(c.p, mix...)
			for i := range opt.Blocks {
				b := &opt.Blocks[i].Tuning
				b.StepSize, b.Steps, b.RandomSteps, b.ReverseCheck = 0.7, 2, false, runtime.ReverseAll
			}
			sweep := func() *runtime.Sweep {
				s, err := runtime.NewSweep(c.p.Clone(), &opt)
				if err != nil {
					t.Fatal(err)
				}
				return s
			}
			old := sweep()
			a := make([]float64, c.p.Info().Dim())
			b := clone(a)
			for n := range 60 {
				x := slices.Clone(old.Transition(a, rand.New(random.New(1, uint64(n)))))
				y := sweep().Transition(b, rand.New(random.New(1, uint64(n))))
				for i := range x {
					if !x[i].Accepted {
						refused++
					}
					if x[i].Failure != runtime.OK {
						t.Fatalf("%s by %v, sweep %d: %+v", c.p.Info().Name, mix, n, x[i])
					}
				}
				if !slices.Equal(x, y) || !slices.Equal(a, b) {
					t.Errorf("%s by %v, sweep %d: %v with what blocks remember, %v without\n%+v\n%+v", c.p.Info().Name, mix, n, a, b, x, y)
					break
				}
			}
		}
	}
	if refused == 0 {
		t.Error("nothing was refused, so that no block kept its position")
	}
}

// rows returns a function that gives the columns of a row by name.
func rows(r *runtime.Result) func(row []float64, name string) float64 {
	at := map[string]int{}
	for i, name := range append(slices.Clone(r.StatNames), r.Names...) {
		at[name] = i
	}
	return func(row []float64, name string) float64 {
		i, ok := at[name]
		if !ok {
			panic("no column " + name)
		}
		return row[i]
	}
}

// total is that of three blocks.
func total(x [3]float64) float64 { return x[0] + x[1] + x[2] }

// statisticsOf compares the statistics of a draw with what those of its blocks make.
func statisticsOf(t *testing.T, n int, of func(stat string) [3]float64, whole func(stat string) float64) {
	t.Helper()
	first := func(x [3]float64) float64 {
		for _, v := range x {
			if v != 0 {
				return v
			}
		}
		return 0
	}
	for stat, x := range map[string]float64{
		"accept_stat__": total(of("accept_stat__")) / 3,
		"stepsize__":    of("stepsize__")[2], "treedepth__": max(of("treedepth__")[0], of("treedepth__")[1], of("treedepth__")[2]),
		"n_leapfrog__": total(of("n_leapfrog__")), "energy__": of("energy__")[2],
		"solver_iterations__": total(of("solver_iterations__")),
		"divergent__":         first(of("divergent__")), "failure__": first(of("failure__")), "irreversible__": first(of("irreversible__")),
	} {
		if got := whole(stat); math.Abs(got-x) > 1e-12 && got != x {
			t.Fatalf("draw %d: %s is %v, want %v", n, stat, got, x)
		}
	}
}

// TestStatisticsOfSweeps checks every row: lp__ is the joint density of the row's
// parameters, and the other statistics of the whole are those of its blocks as
// StatNames has it.
func TestStatisticsOfSweeps(t *testing.T) {
	m := newJointNormal(sevenParams(),
		blockSpec{name: "middle", params: []string{"b"}, limit: 7},
		blockSpec{name: "last", params: []string{"d"}, bend: 0.3},
		blockSpec{name: "rest", params: []string{"c", "a"}, own: true, limit: 7})
	want := slices.Clone(runtime.StatNames[:])
	for _, block := range []string{"middle", "last", "rest"} {
		for _, name := range []string{"accept_stat__", "stepsize__", "treedepth__", "n_leapfrog__", "divergent__", "energy__",
			"solver_iterations__", "failure__", "irreversible__"} {
			want = append(want, block+"_"+name)
		}
	}
	if got := runtime.StatNamesOf(m); !slices.Equal(got, want) {
		t.Errorf("names of the statistics %q, want %q", got, want)
	}
	opt := gibbsOptions(m, leap, imb, leap)
	opt.Chains, opt.Draws = 1, 2000
	opt.Blocks[1].StepSize, opt.Blocks[1].Solver.MaxIterations = 0.5, 12 // some solves fail
	opt.Blocks[2].StepSize, opt.Blocks[2].Steps = 1.6, 3
	opt.Blocks[0].MaxHalvings = 0 // with which this chain is caught beyond the limits
	w := &witness{}
	r := sampleBlocks(t, m, opt, w)
	value := rows(r)
	if !slices.Equal(r.StatNames, want) {
		t.Errorf("names in the result %q", r.StatNames)
	}
	var failures, accepted [3]int
	var steps, iterations int
	for n, row := range w.rows[0] {
		of := func(stat string) (x [3]float64) {
			for i, b := range r.Chains[0].Blocks {
				x[i] = value(row, b.Name+"_"+stat)
			}
			return x
		}
		for i, x := range row {
			if math.IsNaN(x) || math.IsInf(x, 0) && !strings.HasSuffix(want[i], "energy__") {
				t.Fatalf("draw %d: column %d is %v", n, i, x)
			}
		}
		q := row[len(want):]
		if l := m.LogDensity(q); math.Abs(l-value(row, "lp__")) > 1e-10 {
			t.Fatalf("draw %d: lp__ %v, joint density %v; failures %v", n, value(row, "lp__"), l, of("failure__"))
		}
		statisticsOf(t, n, of, func(stat string) float64 { return value(row, stat) })
		for i, f := range of("failure__") {
			if f != 0 {
				failures[i]++
				if a := of("accept_stat__")[i]; !(a >= 0 && a < 1) {
					t.Fatalf("draw %d: block %d failed and accepts %v", n, i, of("accept_stat__")[i])
				}
			}
			if n > 0 && !slices.Equal(gather(m, i, q), gather(m, i, w.rows[0][n-1][len(want):])) {
				accepted[i]++
			}
		}
		steps += int(total(of("n_leapfrog__")))
		iterations += int(total(of("solver_iterations__")))
	}
	for i, b := range r.Chains[0].Blocks {
		n := &b.Sampling
		if failures[i] == 0 || failures[i] == n.Transitions {
			t.Errorf("block %s failed in %d of %d transitions: this test shows little", b.Name, failures[i], n.Transitions)
		}
		if n.Failures() != failures[i] || n.Transitions != 2000 || n.Accepted < accepted[i] || n.Accepted > accepted[i]+1 {
			t.Errorf("block %s: %+v, in the rows %d failures, %d moves", b.Name, n, failures[i], accepted[i])
		}
	}
	all := r.Chains[0].Sampling()
	if r.Chains[0].Drawn() != 2000 || r.Chains[0].Warmed() != 300 || all.Transitions != 6000 || all.Steps != steps || all.Iterations != iterations {
		t.Errorf("%d draws, %d before, all blocks %+v; in the rows %d steps, %d iterations", r.Chains[0].Drawn(), r.Chains[0].Warmed(), all, steps, iterations)
	}
	if p := w.progress.Chain(0); p.Done != 2300 || p.Failures != all.Failures()+warmupFailures(r) {
		t.Errorf("progress %+v", p)
	}
}

func warmupFailures(r *runtime.Result) int {
	n := r.Chains[0].Warmup()
	return n.Failures()
}

// gather returns the coordinates of block i.
func gather(m *jointNormal, i int, q []float64) []float64 {
	return runtime.Gather(&m.info, m.blocks[i].Info(), q)
}

// A Gibbs of one block has the columns of that block.
func TestGibbsOfOneBlock(t *testing.T) {
	m := newJointNormal(sevenParams(), blockSpec{name: "all", params: []string{"d", "c", "b", "a"}})
	opt := gibbsOptions(m, leap)
	w := &witness{}
	r := sampleBlocks(t, m, opt, w)
	value := rows(r)
	for _, row := range w.rows[0] {
		for _, stat := range runtime.BlockStatNames {
			if a, b := value(row, stat), value(row, "all_"+stat); a != b {
				t.Fatalf("%s is %v, and %v of the block", stat, a, b)
			}
		}
		if value(row, "all_n_leapfrog__") == 0 {
			t.Fatal("no steps")
		}
	}
	if name, z := worstMoment(r, m.moments()); !(z <= gibbsBound) {
		t.Errorf("%s is off by %.1f standard errors", name, z)
	}
}

// TestFailedGiven: a block that the others leave without a metric stays where it
// is and counts as a failure; the others go on, and the distribution is the same.
func TestFailedGiven(t *testing.T) {
	for _, c := range []struct {
		name string
		own  bool
		late bool
	}{{"Given fails", false, false}, {"Given of a System fails", true, false}, {"Given leaves no metric", false, true}, {"Given leaves a System no metric", true, true}} {
		for order := range 2 { // the block that fails is the last, or the first
			sick := blockSpec{name: "sick", params: []string{"d", "a"}, own: c.own, late: c.late, limit: 2}
			well := blockSpec{name: "well", params: []string{"c", "b"}}
			specs := []blockSpec{well, sick}
			if order == 1 {
				specs = []blockSpec{sick, well}
			}
			m := newJointNormal(sevenParams(), specs...)
			opt := gibbsOptions(m, leap, leap)
			// All chains start where the block works.
			opt.Init = []runtime.Point{{0, -1, -1, -1, -1, 0, 0}}
			w := &witness{}
			r := sampleBlocks(t, m, opt, w)
			value := rows(r)
			failures := 0
			for n, row := range w.rows[0] {
				for _, x := range row[len(r.StatNames):] {
					if math.IsNaN(x) {
						t.Fatalf("%s: draw %d is %v", c.name, n, row)
					}
				}
				f, well := value(row, "sick_failure__"), value(row, "well_failure__")
				if well != 0 {
					t.Fatalf("%s, draw %d: the other block fails", c.name, n)
				}
				if l := m.LogDensity(row[len(r.StatNames):]); math.Abs(l-value(row, "lp__")) > 1e-10 {
					t.Fatalf("%s, draw %d: lp__ %v, joint density %v", c.name, n, value(row, "lp__"), l)
				}
				if f == 0 {
					continue
				}
				failures++
				if f != float64(runtime.NotPositiveDefinite) || value(row, "failure__") != f || !math.IsInf(value(row, "sick_energy__"), 1) ||
					value(row, "sick_n_leapfrog__") != 0 || value(row, "sick_accept_stat__") != 0 {
					t.Fatalf("%s, draw %d: %v", c.name, n, row[:len(r.StatNames)])
				}
				if n > 0 && value(row, "a") != value(w.rows[0][n-1], "a") {
					t.Fatalf("%s, draw %d: the block moved", c.name, n)
				}
			}
			n := r.Chains[0].Blocks[1-order].Sampling
			if n.ByStatus[runtime.NotPositiveDefinite] != failures || failures < 300 || failures > 2700 {
				t.Errorf("%s: %d failures in the rows, %v counted", c.name, failures, n.ByStatus)
			}
			if name, z := worstMoment(r, m.moments()); !(z <= gibbsBound) {
				t.Errorf("%s: %s is off by %.1f standard errors", c.name, name, z)
			}
		}
	}
}

// TestBlocksAdaptAlone: each block gets the step size that it has where nothing
// else goes on, and failures that no step size would mend do not count.
func TestBlocksAdaptAlone(t *testing.T) {
	sizes := func(other blockSpec, target float64) (well, rest float64) {
		m := newJointNormal(sevenParams(), blockSpec{name: "well", params: []string{"c", "b"}, limit: 100}, other)
		opt := gibbsOptions(m, leap, leap)
		opt.Warmup, opt.Draws, opt.Chains = 2000, 1, 8
		opt.Init = []runtime.Point{{0, -1, -1, -1, -1, 0, 0}}
		opt.Blocks[1].TargetAccept = target
		for _, c := range sampleBlocks(t, m, opt, nil).Chains {
			well += math.Log(c.Blocks[0].StepSize) / 8
			rest += math.Log(c.Blocks[1].StepSize) / 8
		}
		return math.Exp(well), math.Exp(rest)
	}
	other := blockSpec{name: "other", params: []string{"d", "a"}}
	well, rest := sizes(other, 0.9)
	wellShort, restShort := sizes(other, 0.99)
	other.limit = 2
	wellSick, restSick := sizes(other, 0.9)
	t.Logf("step sizes %.3f and %.3f; %.3f and %.3f with another target for the second; %.3f and %.3f where the second often fails",
		well, rest, wellShort, restShort, wellSick, restSick)
	near := func(a, b float64) bool { return math.Abs(math.Log(a/b)) < 0.1 }
	if !near(well, wellShort) || !near(well, wellSick) || !near(rest, restSick) {
		t.Error("the step size of a block depends on what happens to the other")
	}
	if restShort > 0.8*rest {
		t.Error("the target of a block has no effect on its step size")
	}

	// A block that fails from the first sweep on keeps the step size that was
	// found before, which is a power of 2 other than 1.
	other.limit = -3.99
	m := newJointNormal(sevenParams(), blockSpec{name: "well", params: []string{"c", "b"}}, other)
	opt := gibbsOptions(m, leap, leap)
	opt.Init = []runtime.Point{{0, -1, -1, -1, -1, 0, 0}}
	opt.Chains, opt.Warmup, opt.Draws, opt.Blocks[0].StepSize = 1, 100, 1, 0.6
	b := sampleBlocks(t, m, opt, nil).Chains[0].Blocks[1]
	if n, power := b.Warmup.Failures(), math.Log2(b.StepSize); n != 100 || power != math.Round(power) || power == 0 || math.Abs(power) > 4 {
		t.Errorf("%d failures, step size %v", n, b.StepSize)
	}

	// Nor does a chain start where a block has no metric.
	other.limit = -1e9
	m = newJointNormal(sevenParams(), blockSpec{name: "well", params: []string{"c", "b"}}, other)
	opt.Init = nil
	if _, err := runtime.Sample(context.Background(), m, opt, nil); err == nil ||
		!strings.Contains(err.Error(), "the metric of the block other is not positive definite in 100") {
		t.Errorf("a chain starts where a block has no metric: %v", err)
	}
}

// TestBlockErrors: blocks that are not a partition of the parameters are refused,
// with the reason.
func TestBlockErrors(t *testing.T) {
	block := func(name string, params ...string) blockSpec { return blockSpec{name: name, params: params} }
	strange := func(in *runtime.Info) runtime.Gibbs {
		m := twoBlocks()
		m.blocks[1] = renamed{m.blocks[1], in}
		return m
	}
	for _, c := range []struct {
		p    runtime.Gibbs
		want string
	}{
		{newJointNormal(sevenParams(), block("one", "a", "c"), block("two", "d")), "the parameter b of joint is in no block"},
		{newJointNormal(sevenParams(), block("one", "a", "b"), block("two", "b", "c", "d")), "block two: the parameter b is in the block one too"},
		{newJointNormal(sevenParams(), block("one", "a", "a", "b"), block("two", "c", "d")), "block one: the parameter a is in the block one too"},
		{newJointNormal(sevenParams()), "the parameter a of joint is in no block"},
		{newJointNormal(nil), "joint has no blocks"},
		{newJointNormal(sevenParams(), block("one", "a", "b"), block("one", "c", "d")), `a block of joint is called "one": each needs a name of its own`},
		{newJointNormal(sevenParams(), block("", "a", "b"), block("two", "c", "d")), `a block of joint is called "": each needs a name of its own`},
		{strange(&runtime.Info{Name: "left", Params: []runtime.Param{{Name: "c"}, {Name: "e"}}}), "block left: joint has no parameter e"},
		{strange(&runtime.Info{Name: "left", Params: []runtime.Param{{Name: "c"}, {Name: "b", Shape: []int{2}}}}), "block left: the parameter b has 2 coordinates, and 3 in joint"},
	} {
		opt := runtime.DefaultOptions()
		if _, err := runtime.NewSweep(c.p, &opt); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("NewSweep: %v, want %s", err, c.want)
		}
		if err := opt.Validate(c.p); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Validate: %v, want %s", err, c.want)
		}
		if _, err := runtime.Sample(context.Background(), c.p, opt, nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Sample: %v, want %s", err, c.want)
		}
	}
	opt := runtime.DefaultOptions()
	if _, err := runtime.NewSweep(onlyPosterior{twoBlocks()}, &opt); err == nil || !strings.Contains(err.Error(), "neither a Model nor a Gibbs") {
		t.Errorf("a posterior without a metric: %v", err)
	}
}

// TestBlockOptions: settings of blocks, and what is said of those that are wrong.
func TestBlockOptions(t *testing.T) {
	m := twoBlocks()
	base := runtime.DefaultOptions()
	base.Steps = 7
	if base.For("left") != base.Tuning || base.For("") != base.Tuning {
		t.Error("a block without settings of its own has others than all")
	}
	own := base.Tuning
	own.Steps, own.Integrator = 3, runtime.GLFb
	base.Blocks = []runtime.BlockTuning{{Name: "left", Tuning: own}}
	if base.For("left") != own || base.For("right") != base.Tuning {
		t.Errorf("settings %+v and %+v", base.For("left"), base.For("right"))
	}
	if err := base.Validate(m); err != nil {
		t.Error(err)
	}
	s, err := runtime.NewSweep(m, &base)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(s.Names, []string{"right", "left"}) || s.Kernels[0].Steps != 7 || s.Kernels[1].Steps != 3 {
		t.Errorf("blocks %q take %d and %d steps", s.Names, s.Kernels[0].Steps, s.Kernels[1].Steps)
	}

	wrong := base.Tuning
	wrong.Steps, wrong.StepSize, wrong.Solver.Tolerance, wrong.ReverseCheck = -1, -2, 3, 9
	for _, c := range []struct {
		change func(o *runtime.Options)
		p      runtime.Posterior
		alone  bool // it is wrong whatever the posterior
		want   []string
	}{
		{func(o *runtime.Options) { o.Integrator = runtime.Leapfrog; o.Blocks = nil }, m, false,
			[]string{"block left: the leapfrog needs a metric that does not depend on the position"}},
		{func(o *runtime.Options) { o.Blocks = []runtime.BlockTuning{{Name: "right", Tuning: wrong}} }, m, true,
			[]string{"block right: step size -2", "block right: solver tolerance 3", "block right: -1 steps", "block right: unknown reversibility check"}},
		{func(o *runtime.Options) { o.Blocks[0].Name = "lefd" }, m, false, []string{"settings of a block lefd: model joint has the blocks right, left"}},
		{func(o *runtime.Options) { o.Blocks = append(o.Blocks, o.Blocks[0]) }, m, false, []string{"block left has its settings twice"}},
		{func(*runtime.Options) {}, newCurved(), false, []string{"settings of a block left: model curved is sampled as a whole"}},
		{func(o *runtime.Options) { o.Warmup = 0 }, m, true, []string{"block right: no warm-up to adapt", "block left: no warm-up to adapt"}},
		{func(o *runtime.Options) { o.Keep = []string{"a", "e"} }, m, false, []string{"the draws of e cannot be kept: model joint has no such parameter"}},
		{func(o *runtime.Options) { o.ODE.RelTol = 1e-6 }, m, false, []string{"tolerances of differential equations: model joint has none"}},
		{func(o *runtime.Options) { o.ODE.AbsTol, o.ODE.MaxSteps = -1, -1 }, m, true,
			[]string{"tolerance -1 of differential equations", "at most -1 steps of a differential equation"}},
	} {
		opt := base
		opt.Blocks = slices.Clone(base.Blocks)
		c.change(&opt)
		err := opt.Validate(c.p)
		for _, want := range c.want {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("nothing about %q in\n%v", want, err)
			}
		}
		if alone := opt.ValidateAlone(); c.alone != (alone != nil) {
			t.Errorf("%q: whatever the posterior, %v", c.want, alone)
		}
	}
}

// TestKeep: the draws of the parameters that are named, in the order of the
// posterior, with all the statistics.
func TestKeep(t *testing.T) {
	m := twoBlocks()
	opt := gibbsOptions(m, leap, imb)
	opt.Chains, opt.Warmup, opt.Draws = 1, 20, 30
	all := sampleBlocks(t, m, opt, nil)
	for _, c := range []struct {
		keep, want []string
	}{
		{nil, []string{"a", "b.1", "b.2", "b.3", "c", "d.1", "d.2"}},
		{[]string{}, []string{"a", "b.1", "b.2", "b.3", "c", "d.1", "d.2"}},
		{[]string{"d", "a"}, []string{"a", "d.1", "d.2"}},
		{[]string{"c", "c"}, []string{"c"}},
	} {
		opt.Keep = c.keep
		w := &witness{}
		r := sampleBlocks(t, m, opt, w)
		if !slices.Equal(r.Names, c.want) || len(r.Chains[0].Draws) != len(c.want) {
			t.Errorf("keep %q: names %q, %d columns", c.keep, r.Names, len(r.Chains[0].Draws))
			continue
		}
		for i, name := range r.Names {
			want := all.Chains[0].Draws[slices.Index(all.Names, name)]
			if !slices.Equal(r.Chains[0].Draws[i], want) {
				t.Errorf("keep %q: other draws of %s", c.keep, name)
			}
			for n, row := range w.rows[0] {
				if len(row) != len(r.StatNames)+len(c.want) || row[len(r.StatNames)+i] != want[n] {
					t.Fatalf("keep %q: row %d is %v", c.keep, n, row)
				}
			}
		}
		if !slices.EqualFunc(r.Chains[0].Stats, all.Chains[0].Stats, slices.Equal) {
			t.Errorf("keep %q: other statistics", c.keep)
		}
	}
}

// Draws of a sweep depend on seed and chain only.
func TestSweepsDependOnSeedAndChainOnly(t *testing.T) {
	for _, m := range []runtime.Gibbs{threeBlocks(), newSchools()} {
		opt := runtime.DefaultOptions()
		opt.Chains, opt.Warmup, opt.Draws, opt.Workers = 4, 60, 60, 1
		want := sampleBlocks(t, m, opt, nil)
		for _, workers := range []int{2, 3, 4} {
			opt.Workers = workers
			got := sampleBlocks(t, m, opt, nil)
			for c := range want.Chains {
				if !slices.Equal(bits(&want.Chains[c]), bits(&got.Chains[c])) {
					t.Errorf("%s, chain %d: %d workers make other draws", m.Info().Name, c, workers)
				}
			}
		}
		opt.Chains = 2
		fewer := sampleBlocks(t, m, opt, nil)
		opt.Seed = 2
		other := sampleBlocks(t, m, opt, nil)
		for c := range fewer.Chains {
			if !slices.Equal(bits(&want.Chains[c]), bits(&fewer.Chains[c])) {
				t.Errorf("%s, chain %d: two chains and four make different draws", m.Info().Name, c)
			}
			if slices.Equal(bits(&want.Chains[c]), bits(&other.Chains[c])) {
				t.Errorf("%s, chain %d: two seeds make the same draws", m.Info().Name, c)
			}
		}
	}
}

// hurdle is a posterior of two blocks whose run is interrupted, by the last
// block of the first chain that comes to its gradient for the given time.
type hurdle struct {
	*jointNormal
	at     int64
	found  *atomic.Bool
	cancel context.CancelFunc
	watch  *finisher
}

func (h *hurdle) Clone() runtime.Gibbs {
	c := *h
	c.jointNormal = h.jointNormal.Clone().(*jointNormal)
	last := c.blocks[1].(*runtime.GenericConditional)
	b := last.Model.(*normalBlock)
	c.blocks[1] = runtime.GenericBlock(&stumbling{normalBlock: b, hurdle: &c}, b.given)
	return &c
}

type stumbling struct {
	*normalBlock
	hurdle *hurdle
	calls  int64
}

func (b *stumbling) Gradient(grad, q []float64) float64 {
	if b.calls++; b.calls == b.hurdle.at && b.hurdle.found.CompareAndSwap(false, true) {
		<-b.hurdle.watch.begun
		b.hurdle.cancel()
		<-b.hurdle.watch.ended
	}
	return b.normalBlock.Gradient(grad, q)
}

// finisher is a witness that tells when both of two chains have begun, and when
// the first of them has ended.
type finisher struct {
	witness
	drawn        sync.Mutex
	seen         [2]bool
	begun, ended chan struct{}
	first        int // the chain that ended first
}

func (f *finisher) Draw(chain int, row []float64, state func() *runtime.State) error {
	f.drawn.Lock()
	defer f.drawn.Unlock()
	if !f.seen[chain] {
		if f.seen[chain] = true; f.seen[1-chain] {
			close(f.begun)
		}
	}
	return f.witness.Draw(chain, row, state)
}

func (f *finisher) Finish(chain int, c *runtime.Chain) error {
	f.drawn.Lock()
	defer f.drawn.Unlock()
	if f.finished == 0 {
		f.first = chain
		close(f.ended)
	}
	return f.witness.Finish(chain, c)
}

// TestInterruptionMidSweep: an interruption in the trajectory of the last block
// keeps nothing of the sweep, though the first block has moved.
func TestInterruptionMidSweep(t *testing.T) {
	specs := []blockSpec{{name: "first", params: []string{"d", "a"}}, {name: "second", params: []string{"c", "b"}}}
	options := func(draws int) runtime.Options {
		opt := gibbsOptions(newJointNormal(sevenParams(), specs...), leap, leap)
		opt.Chains, opt.Workers, opt.Warmup, opt.Draws, opt.Discard = 2, 2, 0, draws, true
		for i := range opt.Blocks {
			opt.Blocks[i].StepSize, opt.Blocks[i].Steps, opt.Blocks[i].RandomSteps = 0.3, 20, false
		}
		return opt
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	w := &finisher{begun: make(chan struct{}), ended: make(chan struct{})}
	h := &hurdle{newJointNormal(sevenParams(), specs...), 1234, &atomic.Bool{}, cancel, w}
	r, err := runtime.Sample(ctx, h, options(math.MaxInt32), w)
	if !errors.Is(err, context.Canceled) || !h.found.Load() {
		t.Fatalf("error %v, interrupted %v", err, h.found.Load())
	}
	drawn := []int{r.Chains[0].Drawn(), r.Chains[1].Drawn()}
	// A trajectory of 20 steps takes 21 gradients at most.
	if n := drawn[1-w.first]; n < 1234/21-1 || n > 1234/20 {
		t.Errorf("%d draws before the interruption", n)
	}
	opt := options(max(1, slices.Max(drawn)))
	uncut := &witness{}
	sampleBlocks(t, newJointNormal(sevenParams(), specs...), opt, uncut)
	for c := range r.Chains {
		n := drawn[c]
		for _, b := range r.Chains[c].Blocks {
			if b.Sampling.Transitions != n || b.Sampling.Steps != 20*n {
				t.Errorf("chain %d: block %s has %d transitions of %d steps, and there are %d draws", c, b.Name, b.Sampling.Transitions, b.Sampling.Steps, n)
			}
		}
		if p := w.progress.Chain(c).Done; p != n || len(w.rows[c]) != n {
			t.Errorf("chain %d: progress %d, %d rows, %d draws", c, p, len(w.rows[c]), n)
		}
		for i, row := range w.rows[c] {
			if !slices.Equal(row, uncut.rows[c][i]) {
				t.Fatalf("chain %d: draw %d is not that of a run without interruption", c, i)
			}
		}
	}
}

// TestCorrection: dynamics of N(0, 1) with a correction to N(0, 2) draw from
// N(0, 2), alone and as one block of a sweep; without it they do not.
func TestCorrection(t *testing.T) {
	const n = 60000
	variance := func(correction func(q []float64) float64) (z float64) {
		h := kernel(t, newGaussian([]float64{0, 0}, [][]float64{{1, 0}, {0, 1}}), leap)
		h.StepSize, h.Steps, h.RandomSteps = 0.7, 3, true
		h.Correction = correction
		rng := rand.New(random.New(3, 0))
		q := []float64{0.1, 0.2}
		squares := [][]float64{make([]float64, 0, n)}
		for range n {
			h.Transition(q, rng)
			squares[0] = append(squares[0], q[0]*q[0])
		}
		return (diagnostics.Mean(squares) - 2) / diagnostics.MCSEMean(squares)
	}
	// log N(q; 0, 2) − log N(q; 0, 1) is ¼q² in each coordinate.
	right := variance(func(q []float64) float64 { return 0.25 * (q[0]*q[0] + q[1]*q[1]) })
	without := variance(nil)
	t.Logf("E q² is off by %.1f standard errors, and by %.0f without the correction", right, without)
	if math.Abs(right) > gibbsBound || math.Abs(without) < 2*gibbsBound {
		t.Error("the correction does not correct")
	}

	// What the log density of a draw says is what the dynamics saw.
	h := kernel(t, newGaussian([]float64{0, 0}, [][]float64{{1, 0}, {0, 1}}), leap)
	h.Correction = func(q []float64) float64 { return 3 * q[0] }
	q := []float64{0.1, 0.2}
	if tr := h.Transition(q, rand.New(random.New(3, 1))); math.Abs(tr.LogDensity+0.5*(q[0]*q[0]+q[1]*q[1])) > 1e-12 {
		t.Errorf("%+v at %v", tr, q)
	}

	// A block may have one, on its own coordinates in its own order: here
	// d.1 is shifted by one standard deviation of its conditional density.
	m := twoBlocks()
	opt := gibbsOptions(m, leap, imb)
	for i := range opt.Blocks {
		opt.Blocks[i].StepSize = 0.6
	}
	s, err := runtime.NewSweep(m, &opt)
	if err != nil {
		t.Fatal(err)
	}
	s.Kernels[0].Correction = func(q []float64) float64 { return q[0] }
	rng := rand.New(random.New(4, 0))
	q = make([]float64, 7)
	values := make([][]float64, 7)
	for range 12000 {
		s.Transition(q, rng)
		for i, x := range q {
			values[i] = append(values[i], x)
		}
	}
	// Adding a linear term bᵀx to the log density adds Σb to the mean.
	sigma := inverse(m.prec, 7)
	for i := range values {
		want := m.mu[i] + sigma[i*7+5]
		z := (diagnostics.Mean(values[i:i+1]) - want) / diagnostics.MCSEMean(values[i:i+1])
		if math.Abs(z) > gibbsBound {
			t.Errorf("coordinate %d: mean off by %.1f standard errors", i, z)
		}
	}
}

// A correction that is not a number refuses the proposal, and one of −∞ too.
func TestCorrectionThatIsNotFinite(t *testing.T) {
	for _, c := range []struct {
		value  float64
		status runtime.Status
	}{{math.NaN(), runtime.NonFinite}, {math.Inf(-1), runtime.OK}} {
		h := kernel(t, newGaussian([]float64{0, 0}, [][]float64{{1, 0}, {0, 1}}), leap)
		h.StepSize = 0.7
		h.Correction = func(q []float64) float64 {
			if q[0] > 0.5 {
				return c.value
			}
			return 0
		}
		rng := rand.New(random.New(5, 0))
		q := []float64{0, 0}
		refused, accepted := 0, 0
		for range 1000 {
			tr := h.Transition(q, rng)
			if !(q[0] <= 0.5) || math.IsNaN(tr.Accept) || math.IsNaN(tr.LogDensity) {
				t.Fatalf("correction %v: draw %v, %+v", c.value, q, tr)
			}
			if tr.Accepted {
				accepted++
			} else if tr.Accept == 0 && !tr.Divergent {
				refused++
				if tr.Failure != c.status {
					t.Fatalf("correction %v: %+v", c.value, tr)
				}
			}
		}
		if refused < 100 || accepted < 100 {
			t.Errorf("correction %v: %d refused, %d accepted", c.value, refused, accepted)
		}
	}
}

// A sweep allocates nothing.
func TestSweepAllocatesNothing(t *testing.T) {
	m := threeBlocks()
	opt := gibbsOptions(m, leap, imb, glfa)
	for i := range opt.Blocks {
		opt.Blocks[i].StepSize, opt.Blocks[i].ReverseCheck = 0.5, runtime.ReverseAll
	}
	s, err := runtime.NewSweep(m, &opt)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(random.New(1, 1))
	q := make([]float64, 7)
	if n := testing.AllocsPerRun(50, func() { s.Transition(q, rng) }); n != 0 {
		t.Errorf("%v allocations per sweep", n)
	}
}

// onlyPosterior hides all but the methods of a Posterior.
type onlyPosterior struct{ runtime.Posterior }
