package conformance

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/generated/fitzhugh_nagumo"
	"github.com/hamc-dev/hamc/generated/lotka_volterra"
	"github.com/hamc-dev/hamc/internal/campaign"
	"github.com/hamc-dev/hamc/internal/fixtures"
	"github.com/hamc-dev/hamc/internal/handwritten"
	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/ode"
)

// tightODE is the tolerance of differential equations whose solution stands for
// the exact one. Near the mode that takes some hundred steps; the limit serves
// states far out.
const (
	tightODE = 1e-13
	odeLimit = 3000
)

// referenceTolerance is what solutions at tightODE are held to.
const referenceTolerance = 1e-8

// fhnData turns observations of both states into the data of the model.
func fhnData(t []float64, y [][]float64, sigma float64) fitzhugh_nagumo.Data {
	d := fitzhugh_nagumo.Data{N: len(t), T: t, Sigma: sigma}
	for _, row := range y {
		d.VObs, d.RObs = append(d.VObs, row[0]), append(d.RObs, row[1])
	}
	return d
}

// newFHN returns the model with a tolerance of its differential equations.
func newFHN(t testing.TB, d fitzhugh_nagumo.Data, tolerance float64) *fitzhugh_nagumo.Model {
	t.Helper()
	m := must[*fitzhugh_nagumo.Model](t)(fitzhugh_nagumo.New(d))
	m.SetODE(ode.Options{RelTol: tolerance, AbsTol: tolerance, MaxSteps: odeLimit})
	return m
}

// lotkaData returns the data of Lotka–Volterra.
func lotkaData(t testing.TB) lotka_volterra.Data {
	t.Helper()
	var d fixtures.LotkaVolterraData
	if err := must[*fixtures.Posterior](t)(fixtures.LoadPosteriorDB("lotka_volterra")).DecodeData(&d); err != nil {
		t.Fatal(err)
	}
	return lotka_volterra.Data{N: d.N, Ts: d.TS, YInit: d.YInit, Y: flat(d.Y)}
}

// newLotka returns the model with a tolerance of its differential equations.
func newLotka(t testing.TB, d lotka_volterra.Data, tolerance float64) *lotka_volterra.Model {
	t.Helper()
	m := must[*lotka_volterra.Model](t)(lotka_volterra.New(d))
	m.SetODE(ode.Options{RelTol: tolerance, AbsTol: tolerance, MaxSteps: odeLimit})
	return m
}

// fhnCentre and lotkaCentre are positions near the modes.
var (
	fhnCentre   = []float64{0.2, 0.2, 3}
	lotkaCentre = []float64{
		math.Log(0.55), math.Log(0.028), math.Log(0.8), math.Log(0.024), math.Log(34), math.Log(5.9), math.Log(0.25), math.Log(0.25),
	}
)

// around scales a position of tails down to a distance of one from a centre.
func around(centre []float64, distance float64) func(q []float64) {
	return func(q []float64) {
		for i, c := range centre {
			q[i] = c + distance*q[i]/8
		}
	}
}

// odes returns the models of differential equations: FitzHugh–Nagumo on the first
// half of the paper's data, every fifth, and the lynxes and hares of ten years. Their
// solutions have errors far below those of the solves.
func odes(t testing.TB) []*subject {
	t.Helper()
	f := must[*fixtures.Model](t)(fixtures.Load("fhn"))
	var times []float64
	var y [][]float64
	for i := 0; i <= 100; i += 5 {
		times, y = append(times, f.Data.T[i]), append(y, f.Data.States[i])
	}
	fhn := fhnData(times, y, f.Params["sigma"])

	lotka := lotkaData(t)
	lotka.N, lotka.Ts, lotka.Y = 10, lotka.Ts[:10], lotka.Y[:20]
	return []*subject{
		{
			name:   "fitzhugh_nagumo",
			fresh:  func() runtime.System { return newFHN(t, fhn, tightODE) },
			hand:   must[*handwritten.FitzHughNagumo](t)(handwritten.NewFitzHughNagumo(times, y, []float64{-1, 1}, fhn.Sigma)),
			points: positions(fhnCentre, []float64{0.3, 0.1, 2.8}), eps: 0.2, within: around(fhnCentre, 1), spread: 0.2, ode: true, costly: true,
		},
		{
			name:   "lotka_volterra",
			fresh:  func() runtime.System { return newLotka(t, lotka, tightODE) },
			points: positions(lotkaCentre), eps: 0.2, within: around(lotkaCentre, 0.3), spread: 0.2, ode: true, costly: true,
		},
	}
}

// fhnRecorded returns FitzHugh–Nagumo on the data of the authors' fixture. Their
// prior drops its constant.
func fhnRecorded(t testing.TB) *subject {
	t.Helper()
	f := must[*fixtures.Model](t)(fixtures.Load("fhn"))
	state0, sigma := []float64{f.Params["state0.1"], f.Params["state0.2"]}, f.Params["sigma"]
	if state0[0] != -1 || state0[1] != 1 {
		t.Fatalf("initial state %v, the model has (−1, 1)", state0)
	}
	return &subject{
		name:   "fhn",
		fresh:  func() runtime.System { return newFHN(t, fhnData(f.Data.T, f.Data.States, sigma), tightODE) },
		hand:   must[*handwritten.FitzHughNagumo](t)(handwritten.NewFitzHughNagumo(f.Data.T, f.Data.States, state0, sigma)),
		points: f.Points, clean: 12, normalised: true, dropped: -1.5 * math.Log(2*math.Pi), ode: true, costly: true,
	}
}

// TestFHNReference compares with values by the method DOP853 with tolerances of
// 1e-13, which are independent of the authors' code and of this project's.
func TestFHNReference(t *testing.T) {
	s := fhnRecorded(t)
	m := s.fresh()
	for i, pt := range s.points {
		at := fmt.Sprintf("point %d: ", i)
		r := pt.ReferenceDOP853
		var dg []float64
		for _, block := range r.DG {
			dg = append(dg, flat(block)...)
		}
		near(t, at+"L", []float64{m.LogDensity(pt.Q) - s.dropped}, []float64{r.L}, referenceTolerance)
		near(t, at+"∂L/∂q", gradient(m, pt.Q), r.GradL, referenceTolerance)
		near(t, at+"G", metric(m, pt.Q), flat(r.G), referenceTolerance)
		near(t, at+"∂G/∂q", metricJacobian(m, pt.Q), dg, referenceTolerance)
		contraction(t, at+"⟨W, ∂G⟩", m, pt.Q, dg, referenceTolerance)
	}
}

// TestLotkaMetric compares the metric with the information that the observations
// of log-normal populations have about their parameters,
//
//	Σ_n Σ_k ∂log z_k(t_n)/∂q_i ∂log z_k(t_n)/∂q_j / σ_k²,  and 2 about log σ_k from each,
//
// with sensitivities by extrapolated differences of solutions, plus the negative
// second derivatives of the log priors of θ, z_init and σ with the log-Jacobians.
func TestLotkaMetric(t *testing.T) {
	d := lotkaData(t)
	m := newLotka(t, d, tightODE)
	solver := ode.NewSolver(2, func(dy, y []float64, _ float64, x []float64) {
		dy[0] = (x[0] - x[1]*y[1]) * y[0]
		dy[1] = (-x[2] + x[3]*y[0]) * y[1]
	}, ode.Options{RelTol: tightODE, AbsTol: tightODE})
	times := append([]float64{0}, d.Ts...)
	logs := func(q []float64) []float64 {
		x := make([]float64, 6)
		for i := range x {
			x[i] = math.Exp(q[i])
		}
		z := make([]float64, 2*len(times))
		if st := solver.Solve(z, x[4:], 0, times, x); st != ode.OK {
			t.Fatal(st)
		}
		for i := range z {
			z[i] = math.Log(z[i])
		}
		return z
	}
	rng := rand.New(rand.NewPCG(42, 0))
	for range 5 {
		q := clone(lotkaCentre)
		for i := range q {
			q[i] += 0.1 * rng.NormFloat64()
		}
		var slopes [6][]float64
		for i := range slopes {
			// Differences with steps of h and 2h, of order four.
			const h = 1e-3
			at := func(shift float64) []float64 {
				x := clone(q)
				x[i] += shift
				return logs(x)
			}
			up, down, up2, down2 := at(h), at(-h), at(2*h), at(-2*h)
			slopes[i] = make([]float64, len(up))
			for n := range up {
				slopes[i][n] = (8*(up[n]-down[n]) - (up2[n] - down2[n])) / (12 * h)
			}
		}
		want := make([]float64, 64)
		for i := range 6 {
			for j := range 6 {
				for n := range slopes[i] {
					sigma := math.Exp(q[6+n/len(times)])
					want[8*i+j] += slopes[i][n] * slopes[j][n] / (sigma * sigma)
				}
			}
		}
		for i, prior := range []struct{ mu, sigma float64 }{{1, 0.5}, {0.05, 0.05}, {1, 0.5}, {0.05, 0.05}} {
			x := math.Exp(q[i])
			want[9*i] += (2*x*x - prior.mu*x) / (prior.sigma * prior.sigma)
		}
		for i := 4; i < 8; i++ {
			want[9*i]++
		}
		want[9*6] += 2 * float64(len(times))
		want[9*7] += 2 * float64(len(times))
		near(t, "G", metric(m, q), want, 1e-9)
	}
}

// TestLotkaAgreesWithHandwritten compares the density and its gradient with those
// by hand, which have a metric of their own, and the derivatives of the metric
// with differences on all twenty years.
func TestLotkaAgreesWithHandwritten(t *testing.T) {
	var d fixtures.LotkaVolterraData
	if err := must[*fixtures.Posterior](t)(fixtures.LoadPosteriorDB("lotka_volterra")).DecodeData(&d); err != nil {
		t.Fatal(err)
	}
	hand := must[*handwritten.LotkaVolterra](t)(handwritten.NewLotkaVolterra(d.TS, d.Y, d.YInit))
	m := newLotka(t, lotkaData(t), tightODE)
	rng := rand.New(rand.NewPCG(43, 0))
	var points [][]float64
	for range campaign.Cases(t, 6, 30) {
		q := clone(lotkaCentre)
		for i := range q {
			q[i] += 0.2 * rng.NormFloat64()
		}
		points = append(points, q)
		near(t, "L", []float64{m.LogDensity(q)}, []float64{hand.LogDensity(q)}, solutionTolerance)
		near(t, "∂L/∂q", gradient(m, q), gradient(hand, q), solutionTolerance)
		x, want := make([]float64, 8), make([]float64, 8)
		m.Constrain(x, q)
		hand.Constrain(want, q)
		near(t, "parameters", x, want, 1e-15)
	}
	report := must[runtime.Report](t)(runtime.CheckGradients(m, points[:2]))
	if worst := report.Worst(); !(worst <= 1e-9) {
		t.Errorf("off by %.1e\n%v", worst, report)
	}
}

// A toleranceRow says what trajectories at one tolerance of the differential
// equations came to.
type toleranceRow struct {
	tolerance float64
	back      float64 // max|q − q″|, q″ the end of the way back
	energy    float64 // max|ΔH − ΔH′|, ΔH′ that of the trajectory at tightODE
}

// tolerances integrates trajectories of FitzHugh–Nagumo on the authors' data, 5
// steps, at tolerances of the differential equations from 1e-4 to 1e-12.
func tolerances(t *testing.T, k runtime.Integrator, eps, delta float64) []toleranceRow {
	t.Helper()
	f := must[*fixtures.Model](t)(fixtures.Load("fhn"))
	d := fhnData(f.Data.T, f.Data.States, f.Params["sigma"])
	rng := rand.New(rand.NewPCG(44, 0))
	states := make([]state, campaign.Cases(t, 1, 4))
	m := newFHN(t, d, tightODE)
	for i := range states {
		p := []float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
		m.DrawMomentum(p, f.Points[i].Q)
		states[i] = state{f.Points[i].Q, p}
	}
	run := func(m runtime.System, z state) (back, change float64) {
		q, p := clone(z.q), clone(z.p)
		step := stepper(t, m, k)
		h0, _ := energy(t, m, q, p)
		there := runtime.Integrate(step, q, p, eps, 5, plain(delta))
		h1, _ := energy(t, m, q, p)
		for i := range p {
			p[i] = -p[i]
		}
		again := runtime.Integrate(step, q, p, eps, 5, plain(delta))
		if there.Status != runtime.OK || again.Status != runtime.OK {
			t.Fatalf("%v: %v and %v", k, there.Status, again.Status)
		}
		for i := range q {
			back = max(back, math.Abs(q[i]-z.q[i]))
		}
		return back, h1 - h0
	}
	exact := make([]float64, len(states))
	for i, z := range states {
		_, exact[i] = run(m, z)
	}
	var rows []toleranceRow
	for e := 4; e <= 12; e++ {
		row := toleranceRow{tolerance: math.Pow10(-e)}
		loose := newFHN(t, d, row.tolerance)
		for i, z := range states {
			back, change := run(loose, z)
			row.back, row.energy = max(row.back, back), max(row.energy, math.Abs(change-exact[i]))
		}
		rows = append(rows, row)
		t.Logf("%v, ε = %v, δ = %.0e, tolerance %.0e: max|q − q″| %.1e, ΔH off by %.1e", k, eps, delta, row.tolerance, row.back, row.energy)
	}
	return rows
}

// TestODETolerance: what the tolerance of a differential equation costs. The
// energy follows the solution. The implicit midpoint is symmetric for any vector
// field, also for one that is off by the error of a solution, so it returns at any
// tolerance to where δ lets it. The generalized leapfrog takes the metric at one
// end of a step from a solution with second derivatives and at the other from one
// without; their errors differ, and it returns only as closely as they are small.
func TestODETolerance(t *testing.T) {
	const delta, eps = 1e-9, 0.3
	for _, k := range []runtime.Integrator{runtime.IMb, runtime.GLFb} {
		rows := tolerances(t, k, eps, delta)
		for i, r := range rows {
			if limit := 1000 * r.tolerance; !(r.energy <= limit) {
				t.Errorf("%v, tolerance %v: ΔH is off by %.1e, more than %.1e", k, r.tolerance, r.energy, limit)
			}
			limit := 10 * delta
			if k == runtime.GLFb {
				limit += r.tolerance
			}
			if !(r.back <= limit) {
				t.Errorf("%v, tolerance %v: max|q − q″| = %.1e, more than %.1e", k, r.tolerance, r.back, limit)
			}
			if i >= 4 && !(r.energy < 1e-2*rows[i-4].energy) {
				t.Errorf("%v, tolerance %v: ΔH is off by %.1e, by %.1e at %v", k, r.tolerance, r.energy, rows[i-4].energy, rows[i-4].tolerance)
			}
		}
		if first, last := rows[0].back, rows[len(rows)-1].back; k == runtime.GLFb && !(first > 100*last) {
			t.Errorf("max|q − q″| falls from %.1e to %.1e only: the test shows nothing", first, last)
		}
	}
}

// TestODEFailures: proposals whose differential equations are stiff or blow up are
// refused and counted by what befell them, and no draw is a NaN. The states of
// FitzHugh–Nagumo run away where c < 0.
func TestODEFailures(t *testing.T) {
	seen := make(map[runtime.Status]bool)
	for _, s := range odes(t) {
		start := make([]float64, s.dim())
		s.fresh().Constrain(start, s.points[0].Q)
		for _, k := range s.integrators() {
			for _, eps := range []float64{0.1, 2, 50} {
				for _, limit := range []int{30, 300} {
					opt := runtime.DefaultOptions()
					opt.Integrator, opt.StepSize, opt.Steps = k, eps, 3
					opt.Chains, opt.Warmup, opt.Draws = 1, 0, 10
					opt.Init = append(opt.Init, start)
					opt.ODE.MaxSteps = limit
					r, err := runtime.Sample(t.Context(), s.fresh(), opt, nil)
					if err != nil {
						if limit == 300 || !strings.Contains(err.Error(), runtime.ODEStepLimit.String()) && !strings.Contains(err.Error(), "NaN") {
							t.Errorf("%s: %v", s.name, err)
						}
						continue
					}
					c := &r.Chains[0]
					n := c.Sampling()
					refused := 0
					for st, count := range n.ByStatus {
						if st := runtime.Status(st); st != runtime.OK && count > 0 {
							seen[st] = true
							refused += count
						}
					}
					if n.Transitions != opt.Draws || refused+n.Accepted > n.Transitions {
						t.Errorf("%s, %v, ε = %v: %+v", s.name, k, eps, n)
					}
					for j, column := range c.Draws {
						if !finite(column...) {
							t.Errorf("%s, %v, ε = %v: draws of %s: %v", s.name, k, eps, r.Names[j], column)
						}
					}
				}
			}
		}
	}
	for _, st := range []runtime.Status{runtime.ODEStepLimit, runtime.ODEStepTooSmall, runtime.ODENonFinite} {
		if !seen[st] {
			t.Errorf("no proposal ended with %v, only %v", st, seen)
		}
	}
}

// TestODEFailuresLeaveNothing: where solutions fail in half of the steps, chains
// are those of a model that is made anew for every call, with the plain algorithms
// of the runtime too, which learn why afterwards: a matrix has no status.
func TestODEFailuresLeaveNothing(t *testing.T) {
	s := odes(t)[0]
	fresh := func() runtime.System {
		m := s.fresh().(*fitzhugh_nagumo.Model)
		// Near the mode a solution takes some 60 steps at this tolerance.
		m.SetODE(ode.Options{RelTol: 1e-8, AbsTol: 1e-8, MaxSteps: 60})
		return m
	}
	kinds := s.own() // the plain algorithms use the model in the same way
	if campaign.Long(t) {
		kinds = s.integrators()
	}
	for _, k := range kinds {
		var chains [2][]float64
		var failed, limited, accepted int
		for i, m := range []runtime.System{fresh(), newAmnesiac(fresh)} {
			kernel := must[*runtime.HMC](t)(runtime.NewHMC(m, k, runtime.DefaultOptions().Solver))
			kernel.StepSize, kernel.Steps = 0.8, 4
			kernel.Reverse = runtime.ReverseAll
			rng := rand.New(rand.NewPCG(45, 0))
			q := clone(fhnCentre)
			for range 24 {
				tr := kernel.Transition(q, rng)
				chains[i] = append(append(chains[i], q...), float64(tr.Iterations), float64(tr.Failure))
				if tr.Failure != runtime.OK {
					failed++
				}
				if tr.Failure == runtime.ODEStepLimit {
					limited++
				}
				if tr.Accepted {
					accepted++
				}
			}
		}
		if !same(chains[0], chains[1]) {
			t.Errorf("%v: transitions depend on what the model remembers", k)
		}
		if failed < 4 || limited == 0 || accepted < 4 {
			t.Errorf("%v: %d of 48 transitions failed, %d at the limit of the solution's steps, %d were accepted: the test means to see all",
				k, failed, limited, accepted)
		}
	}
}

// TestBadODEData: times that are out of order or precede the start, and shapes
// and values that do not fit.
func TestBadODEData(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		datum string
		d     fitzhugh_nagumo.Data
	}{
		{"n is 0", fitzhugh_nagumo.Data{Sigma: 1}},
		{"t has 1 element", fitzhugh_nagumo.Data{N: 2, T: []float64{1}, VObs: []float64{1, 2}, RObs: []float64{1, 2}, Sigma: 1}},
		{"t[2] is 1", fitzhugh_nagumo.Data{N: 2, T: []float64{2, 1}, VObs: []float64{1, 2}, RObs: []float64{1, 2}, Sigma: 1}},
		{"t[1] is -0.5", fitzhugh_nagumo.Data{N: 1, T: []float64{-0.5}, VObs: []float64{1}, RObs: []float64{1}, Sigma: 1}},
		{"t[2] is NaN", fitzhugh_nagumo.Data{N: 2, T: []float64{1, nan}, VObs: []float64{1, 2}, RObs: []float64{1, 2}, Sigma: 1}},
		{"v_obs", fitzhugh_nagumo.Data{N: 1, T: []float64{1}, VObs: []float64{1, 2}, RObs: []float64{1}, Sigma: 1}},
		{"r_obs", fitzhugh_nagumo.Data{N: 1, T: []float64{1}, VObs: []float64{1}, RObs: []float64{nan}, Sigma: 1}},
		{"sigma is 0", fitzhugh_nagumo.Data{N: 1, T: []float64{1}, VObs: []float64{1}, RObs: []float64{1}}},
	} {
		_, err := fitzhugh_nagumo.New(c.d)
		if err == nil || !strings.HasPrefix(err.Error(), "fitzhugh_nagumo: ") || !strings.Contains(err.Error(), c.datum) {
			t.Errorf("bad %s: error %v", c.datum, err)
		}
	}
	good := lotka_volterra.Data{N: 2, Ts: []float64{1, 2}, YInit: []float64{30, 4}, Y: []float64{1, 2, 3, 4}}
	if _, err := lotka_volterra.New(good); err != nil {
		t.Error(err)
	}
	for datum, change := range map[string]func(d *lotka_volterra.Data){
		"ts[2] is 1":       func(d *lotka_volterra.Data) { d.Ts = []float64{2, 1} },
		"N is 0":           func(d *lotka_volterra.Data) { d.N = 0 },
		"y has 3 elements": func(d *lotka_volterra.Data) { d.Y = d.Y[:3] },
		"y_init":           func(d *lotka_volterra.Data) { d.YInit = []float64{30, 0} },
		"y[2,1] is -3":     func(d *lotka_volterra.Data) { d.Y = []float64{1, 2, -3, 4} },
	} {
		d := good
		change(&d)
		_, err := lotka_volterra.New(d)
		if err == nil || !strings.HasPrefix(err.Error(), "lotka_volterra: ") || !strings.Contains(err.Error(), datum) {
			t.Errorf("bad %s: error %v", datum, err)
		}
	}
	// Equal times and the start itself are no mistake.
	d := fitzhugh_nagumo.Data{N: 3, T: []float64{0, 1, 1}, VObs: []float64{-1, 1, 1}, RObs: []float64{1, 1, 1}, Sigma: 1}
	if l := newFHN(t, d, 0).LogDensity(fhnCentre); !finite(l) {
		t.Errorf("L = %v with equal times", l)
	}
}

// TestSetODEInPlace: a step that was taken from a model before its tolerances were set is the model's own step
// afterwards: it knows where the model's work space was used for another position, and it solves with the new
// tolerances.
func TestSetODEInPlace(t *testing.T) {
	d := lotkaData(t)
	p0 := []float64{1, -2, 1, 3, -1, 1, 2, -1}
	elsewhere := clone(lotkaCentre)
	for i := range elsewhere {
		elsewhere[i] += 0.1
	}
	type stepFunc = func(q, p []float64, eps float64, s *runtime.Solver) runtime.StepResult
	for name, step := range map[string]func(m *lotka_volterra.Model) stepFunc{
		"IM(a)":  func(m *lotka_volterra.Model) stepFunc { return m.StepIMa },
		"IM(b)":  func(m *lotka_volterra.Model) stepFunc { return m.StepIMb },
		"GLF(a)": func(m *lotka_volterra.Model) stepFunc { return m.StepGLFa },
		"GLF(b)": func(m *lotka_volterra.Model) stepFunc { return m.StepGLFb },
	} {
		end := func(f stepFunc) []float64 {
			q, p := clone(lotkaCentre), clone(p0)
			if r := f(q, p, 0.01, plain(1e-9)); r.Status != runtime.OK {
				t.Fatalf("%s: %v", name, r.Status)
			}
			return append(q, p...)
		}
		want := end(step(newLotka(t, d, tightODE)))
		m := must[*lotka_volterra.Model](t)(lotka_volterra.New(d))
		before := step(m)
		// A step of no size ends where it starts, which is remembered.
		still := func() { before(clone(lotkaCentre), clone(p0), 0, plain(1e-9)) }
		still()
		m.SetODE(ode.Options{RelTol: tightODE, AbsTol: tightODE})
		if got := end(before); !same(got, want) {
			t.Errorf("%s: a step from before the tolerances were set ends at %v, one of a new model at %v", name, got, want)
		}
		still()
		m.LogDensity(elsewhere)
		m.Gradient(make([]float64, len(p0)), elsewhere)
		if got := end(before); !same(got, want) {
			t.Errorf("%s: after a look elsewhere it ends at %v, not at %v", name, got, want)
		}
	}
}
