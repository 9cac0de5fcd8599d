package symbolic_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/symbolic"
	"github.com/hamc-dev/hamc/symbolic/expr"
)

const regression = `model regression
data n, k int
data x real[n, k]
data z, y real[n]
data s real[n] > 0
param alpha, gamma real
param beta real[k]
y ~ normal(alpha + x*beta + gamma*z, s)
alpha, gamma ~ normal(0, 10)
beta ~ normal(0, 10)
metric fisher
`

func derive(t *testing.T, text string) *symbolic.Derived {
	t.Helper()
	m, ds := dsl.Load("m.ham", text, dsl.Options{})
	if m == nil {
		t.Fatal(ds)
	}
	d, list := symbolic.Derive(m)
	if d == nil {
		t.Fatal(list)
	}
	return d
}

// TestRegressionFolds: a weighted linear regression goes through its moments,
// so that no evaluation runs over the data.
func TestRegressionFolds(t *testing.T) {
	d := derive(t, regression)
	for _, def := range d.Prog.Defs {
		if def.Stage() <= expr.StageData {
			continue
		}
		for _, i := range def.Indices {
			if i.Range.Hi.Name == "n" {
				t.Errorf("%s runs over the data", def.Tensor.Name)
			}
		}
		if c := expr.CostOf(def.Body, def.Indices).Ops.String(); len(c) > 0 {
			for _, r := range c {
				if r == 'n' {
					t.Errorf("%s costs %s: %s", def.Tensor.Name, c, expr.Format(def.Body))
					break
				}
			}
		}
	}
	// A predictor with more columns than observations does not pay.
	wide := derive(t, "model m\ndata x real[5, 9]\ndata y real[5]\nparam b real[9]\ny ~ normal(x*b, 1)\nb ~ normal(0, 1)\nmetric fisher\n")
	over := false
	for _, def := range wide.Prog.Defs {
		over = over || def.Stage() == expr.StagePosition && len(def.Indices) == 1 && def.Indices[0].Range.Hi == dsl.Fixed(5)
	}
	if !over {
		t.Error("9 columns of 5 rows were folded into 81 moments")
	}
}

// TestRegressionAccuracy: with a mean far from zero and a fit that leaves 1e-4 of
// the spread, differences of the log density keep the digits that the ratio of
// the sums of squares leaves.
func TestRegressionAccuracy(t *testing.T) {
	const n, k = 60, 3
	rng := rand.New(rand.NewPCG(7, 7))
	data := map[string][]float64{"n": {n}, "k": {k}, "x": make([]float64, n*k), "z": make([]float64, n), "y": make([]float64, n), "s": make([]float64, n)}
	truth := []float64{1.5, -2, 0.7}
	for i := range n {
		data["z"][i] = 50 + rng.NormFloat64()
		eta := 1e4 + 3*data["z"][i]
		for j := range k {
			data["x"][i*k+j] = 200 + rng.NormFloat64()
			eta += truth[j] * data["x"][i*k+j]
		}
		data["s"][i] = 0.01 * (1 + rng.Float64())
		data["y"][i] = eta + data["s"][i]*rng.NormFloat64()
	}
	// The sum over the data, term by term.
	direct := func(alpha, gamma float64, beta []float64) float64 {
		l := -0.5 * (alpha*alpha + gamma*gamma) / 100
		for _, b := range beta {
			l -= 0.5 * b * b / 100
		}
		for i := range n {
			r := data["y"][i] - alpha - gamma*data["z"][i]
			for j := range k {
				r -= data["x"][i*k+j] * beta[j]
			}
			l -= 0.5 * (r / data["s"][i]) * (r / data["s"][i])
		}
		return l
	}
	d := derive(t, regression)
	m := symbolic.NewMachine(d, data)
	folded := func(alpha, gamma float64, beta []float64) float64 {
		m.Values(d.Params[0].Coord)[0] = alpha
		m.Values(d.Params[1].Coord)[0] = gamma
		copy(m.Values(d.Params[2].Coord), beta)
		var l float64
		m.Run([]symbolic.Output{d.LogDensity}, func(_ *symbolic.Output, _ []int, v float64) { l = v })
		return l
	}
	a0, b0 := direct(1e4, 3, truth), folded(1e4, 3, truth)
	for range 50 {
		beta := make([]float64, k)
		for j := range beta {
			beta[j] = truth[j] + 1e-3*rng.NormFloat64()
		}
		alpha, gamma := 1e4+0.01*rng.NormFloat64(), 3+1e-3*rng.NormFloat64()
		want, got := direct(alpha, gamma, beta)-a0, folded(alpha, gamma, beta)-b0
		// The spread of y about its mean, in units of s, squared and summed,
		// is some 1e7; its rounding is what the difference may carry.
		if math.Abs(got-want) > 1e-8*(1+math.Abs(want)) {
			t.Fatalf("difference %.12g, term by term %.12g", got, want)
		}
	}
}
