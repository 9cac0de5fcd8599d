package conformance

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/hamc-dev/hamc/internal/conformance/schools"
	"github.com/hamc-dev/hamc/internal/fixtures"
	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/random"
)

// schools returns the generated model of the eight schools, with posteriordb's data
// and Stan's values.
func eightSchools(t *testing.T) (*schools.Model, schools.Data, *fixtures.Posterior) {
	t.Helper()
	p := must[*fixtures.Posterior](t)(fixtures.LoadPosteriorDB("eight_schools_noncentered"))
	d := must[schools.Data](t)(schools.ReadData(bytes.NewReader(p.Data), "data.json"))
	return must[*schools.Model](t)(schools.New(d)), d, p
}

// The pointwise log likelihood is what Stan's log density holds besides the priors
// and the Jacobian.
func TestLogLikIsStans(t *testing.T) {
	m, _, p := eightSchools(t)
	out := make([]float64, runtime.QuantitiesLen(m.Generated()))
	for i, pt := range p.Density.Points {
		m.Generate(out, pt.Unconstrained, rand.New(rand.NewPCG(1, 2)))
		x := m.Params(pt.Unconstrained)
		// Stan's `~` leaves constants out; posteriordb's values have them.
		sum := distuv.Normal{Sigma: 5}.LogProb(x.Mu) + distuv.StudentsT{Sigma: 5, Nu: 1}.LogProb(x.Tau) + math.Log(x.Tau)
		for _, z := range x.ThetaTrans {
			sum += distuv.UnitNormal.LogProb(z)
		}
		for _, l := range m.QuantitiesOf(out).LogLik {
			sum += l
		}
		if !(math.Abs(sum-pt.LPJacobian) <= 1e-12*math.Abs(pt.LPJacobian)) {
			t.Errorf("point %d: log_lik, priors and Jacobian add up to %v, Stan has %v", i, sum, pt.LPJacobian)
		}
	}
	if len(p.Density.Points) < 5 {
		t.Errorf("%d points", len(p.Density.Points))
	}
}

// The quantities of one draw, by their names, are those of its parameters; what is
// random follows the distribution that the model gives to it.
func TestQuantitiesOfADraw(t *testing.T) {
	m, d, _ := eightSchools(t)
	var names []string
	var groups []runtime.Group
	for _, q := range m.Generated() {
		names, groups = append(names, q.Name), append(groups, q.Group)
	}
	if !slices.Equal(names, []string{"effect", "log_lik", "y_rep", "effect_new"}) {
		t.Errorf("quantities %v", names)
	}
	if !slices.Equal(groups, []runtime.Group{"posterior", "log_likelihood", "posterior_predictive", "posterior_predictive"}) {
		t.Errorf("groups %v", groups)
	}
	q := []float64{0.3, -1, 0.2, 2, 0.5, -0.4, 0, 1, 4, 1.2}
	x := m.Params(q)
	clone := m.Clone().(runtime.Generator)
	out, again := make([]float64, runtime.QuantitiesLen(m.Generated())), make([]float64, 3*d.J+1)
	var reps [][]float64
	var news []float64
	for i := range 10000 {
		stream := random.New(3, uint64(i))
		m.Generate(out, q, rand.New(stream))
		stream.Seek(0, 0)
		clone.Generate(again, q, rand.New(stream))
		if !slices.Equal(out, again) {
			t.Fatalf("the same random numbers give %v and %v", out, again)
		}
		v := m.QuantitiesOf(slices.Clone(out))
		reps, news = append(reps, v.YRep), append(news, v.EffectNew)
		for j := range d.J {
			theta := x.Mu + x.Tau*x.ThetaTrans[j]
			l := distuv.Normal{Mu: theta, Sigma: d.Sigma[j]}.LogProb(d.Y[j])
			if !(math.Abs(v.Effect[j]-theta) <= 1e-14*math.Abs(theta)) || !(math.Abs(v.LogLik[j]-l) <= 1e-13*math.Abs(l)) {
				t.Fatalf("school %d: effect %v, log_lik %v, want %v, %v", j, v.Effect[j], v.LogLik[j], theta, l)
			}
		}
	}
	distance := func(sample []float64, cdf func(float64) float64) float64 {
		y := slices.Sorted(slices.Values(sample))
		worst := 0.0
		for i, v := range y {
			worst = max(worst, math.Abs(cdf(v)-(float64(i)+0.5)/float64(len(y))))
		}
		return worst * math.Sqrt(float64(len(y)))
	}
	const limit = 2.42 // p = 2 exp(−2·2.42²) = 1.6e-5
	if e := distance(news, distuv.Normal{Mu: x.Mu, Sigma: x.Tau}.CDF); !(e < limit) {
		t.Errorf("effect_new: %.2f", e)
	}
	var last []float64
	for j := range d.J {
		var y []float64
		for _, r := range reps {
			y = append(y, r[j])
		}
		dist := distuv.Normal{Mu: x.Mu + x.Tau*x.ThetaTrans[j], Sigma: d.Sigma[j]}
		if e := distance(y, dist.CDF); !(e < limit) {
			t.Errorf("y_rep of school %d: %.2f", j+1, e)
		}
		dist.Sigma = math.Sqrt(d.Sigma[j])
		if e := distance(y, dist.CDF); !(e > limit) {
			t.Errorf("the test does not see a variance in place of a standard deviation: %.2f", e)
		}
		if last != nil {
			if r := stat.Correlation(y, last, nil); !(math.Abs(r) < 4.4/100) { // of 10,000 pairs, p = 1e-5
				t.Errorf("y_rep of schools %d and %d are correlated: %v", j, j+1, r)
			}
		}
		last = y
	}
}

// Generating does not change what a model remembers of the position of its factor.
func TestGenerateLeavesTheSteps(t *testing.T) {
	run := func(disturbed bool) []float64 {
		m, _, _ := eightSchools(t)
		q := []float64{0.3, -1, 0.2, 2, 0.5, -0.4, 0, 1, 4, 1.2}
		p := []float64{1, 0.5, -1, 0.2, 0.1, -0.3, 0.7, 0.4, -1, 0.8}
		out := make([]float64, runtime.QuantitiesLen(m.Generated()))
		sv := &runtime.Solver{Tolerance: 1e-10, MaxIterations: 100}
		for range 20 {
			if disturbed {
				m.Generate(out, []float64{1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, rand.New(rand.NewPCG(1, 2)))
			}
			if r := m.StepGLFb(q, p, 0.02, sv); r.Status != runtime.OK {
				t.Fatal(r.Status)
			}
		}
		return append(q, p...)
	}
	if a, b := run(false), run(true); !slices.Equal(a, b) {
		t.Errorf("%v\n%v", a, b)
	}
	m, _, _ := eightSchools(t)
	rng := rand.New(rand.NewPCG(1, 2))
	out, q := make([]float64, runtime.QuantitiesLen(m.Generated())), make([]float64, 10)
	if n := testing.AllocsPerRun(100, func() { m.Generate(out, q, rng) }); n != 0 {
		t.Errorf("Generate allocates %v times", n)
	}
}
