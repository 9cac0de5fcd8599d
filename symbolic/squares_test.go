package symbolic

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/internal/campaign"
	"github.com/hamc-dev/hamc/symbolic/expr"
	"github.com/hamc-dev/hamc/symbolic/model"
)

// The sums of squares of regressions, held against arithmetic of 300 bits on the
// same doubles, and against the plain loop over the data.

const plainRegression = `model regression
data n, k int
data x real[n, k]
data z, y real[n]
param alpha, gamma real
param beta real[k]
param sigma real > 0
y ~ normal(alpha + x*beta + gamma*z, sigma)
metric fisher
`

const weightedRegression = `model regression
data n, k int
data x real[n, k]
data z, y real[n]
data s real[n] > 0
param alpha, gamma real
param beta real[k]
param sigma real > 0
y ~ normal(alpha + x*beta + gamma*z, s*sigma)
metric fisher
`

// regressionCase is a regression on random data.
type regressionCase struct {
	ratio, offset float64 // of signal to noise; of the columns
	collinear     float64 // how far the last column is from the first; < 0: as far as the others
	weighted      bool
	n, k          int
	data          map[string][]float64
	truth         []float64 // alpha, gamma, beta, log sigma
}

func newRegressionCase(rng *rand.Rand) *regressionCase {
	r := &regressionCase{
		ratio: math.Pow(10, float64(rng.IntN(11))), offset: []float64{0, 0, 1, 1e3, 1e6, 1e10}[rng.IntN(6)],
		collinear: []float64{-1, -1, 0, 1e-4, 1e-8, 1e-12}[rng.IntN(6)], weighted: rng.IntN(2) == 0,
		k: 1 + rng.IntN(6),
	}
	r.n = r.k + 3 + rng.IntN(60)
	d := map[string][]float64{"n": {float64(r.n)}, "k": {float64(r.k)}}
	shift := make([]float64, r.k)
	r.truth = []float64{r.ratio * rng.NormFloat64(), r.ratio * rng.NormFloat64()}
	for j := range r.k {
		shift[j] = r.offset * rng.NormFloat64()
		r.truth = append(r.truth, r.ratio*rng.NormFloat64())
	}
	r.truth = append(r.truth, 0)
	for range r.n {
		row := make([]float64, r.k)
		for j := range row {
			row[j] = shift[j] + rng.NormFloat64()
		}
		if r.k > 1 && r.collinear >= 0 {
			row[r.k-1] = row[0] + r.collinear*rng.NormFloat64()
		}
		z, s := rng.NormFloat64(), 1.0
		if r.weighted {
			s = math.Exp(rng.NormFloat64())
		}
		y := r.truth[0] + z*r.truth[1] + s*rng.NormFloat64()
		for j := range row {
			y += row[j] * r.truth[2+j]
		}
		d["x"], d["z"], d["y"] = append(d["x"], row...), append(d["z"], z), append(d["y"], y)
		d["s"] = append(d["s"], s)
	}
	r.data = d
	return r
}

// point returns coordinates: near the truth, as far from it as the posterior
// allows, along a direction in which the columns say little, or anywhere.
func (r *regressionCase) point(rng *rand.Rand) []float64 {
	q := append([]float64(nil), r.truth...)
	kind := rng.IntN(4)
	for j := range q {
		step := rng.NormFloat64()
		switch {
		case j == len(q)-1:
			step *= 0.1
		case kind == 0:
			step /= math.Sqrt(float64(r.n)) * (1 + r.offset)
		case kind == 1:
			step = 0
		case kind == 2 && j == 2 && r.k > 1 && r.collinear >= 0:
			step *= r.ratio
			q[1+r.k] -= step
		case kind == 2:
			step = 0
		default:
			step *= r.ratio
		}
		q[j] += step
	}
	return q
}

// exact returns the log density without its constants and its gradient.
func (r *regressionCase) exact(q []float64) []float64 {
	num := func(v float64) *big.Float { return new(big.Float).SetPrec(300).SetFloat64(v) }
	d := r.data
	sum, grad := num(0), make([]*big.Float, len(q)-1)
	for j := range grad {
		grad[j] = num(0)
	}
	sigma := num(math.Exp(q[len(q)-1]))
	for i := range r.n {
		row := append([]float64{1, d["z"][i]}, d["x"][i*r.k:(i+1)*r.k]...)
		e := num(d["y"][i])
		for j, x := range row {
			e.Sub(e, num(0).Mul(num(x), num(q[j])))
		}
		if r.weighted {
			e.Quo(e, num(d["s"][i]))
		}
		e.Quo(e, sigma)
		sum.Add(sum, num(0).Mul(e, e))
		if r.weighted {
			e.Quo(e, num(d["s"][i]))
		}
		e.Quo(e, sigma)
		for j, x := range row {
			grad[j].Add(grad[j], num(0).Mul(num(x), e))
		}
	}
	s, _ := sum.Float64()
	out := []float64{s}
	for j := range grad {
		g, _ := grad[j].Float64()
		out = append(out, g)
	}
	return out
}

// loop is exact by the plain loop over the data.
func (r *regressionCase) loop(q []float64) []float64 {
	d := r.data
	out := make([]float64, len(q))
	sigma := math.Exp(q[len(q)-1])
	for i := range r.n {
		row := append([]float64{1, d["z"][i]}, d["x"][i*r.k:(i+1)*r.k]...)
		mu := 0.0
		for j, x := range row {
			mu += x * q[j]
		}
		s := sigma
		if r.weighted {
			s *= d["s"][i]
		}
		e := (d["y"][i] - mu) / s
		out[0] += e * e
		for j, x := range row {
			out[1+j] += x * e / s
		}
	}
	return out
}

// TestSquares: value and gradient of regressions have at most twice the error of the
// plain loop over the data, at the worst of the points, or 1e-13 of the result:
// for ratios of signal to noise up to 1e10, columns up to 1e10 from zero, and columns
// that depend on each other or nearly so.
func TestSquares(t *testing.T) {
	for _, by := range []expr.Grain{expr.Coarse, expr.Fine} {
		testSquares(t, loadBy(t, plainRegression, by), loadBy(t, weightedRegression, by))
	}
}

// loadBy derives a model as it is, or with the fine grain of sharing, as a part of a large
// model.
func loadBy(t testing.TB, text string, by expr.Grain) *Derived {
	t.Helper()
	if by == expr.Coarse {
		d, _ := load(t, text)
		return d
	}
	m, ds := dsl.Load("model.ham", text, dsl.Options{})
	if m == nil {
		t.Fatal(ds.List)
	}
	d := &model.Diagnosed{}
	r := deriveBy(m, m.Blocks[0], false, model.BandedMaps, by, d, &model.Spent{})
	if r == nil {
		t.Fatal(d.List)
	}
	return r
}

func testSquares(t *testing.T, plain, weighted *Derived) {
	rng := rand.New(rand.NewPCG(1, 2))
	worst, points := 0.0, 0
	for range campaign.Cases(t, 80, 300) {
		r := newRegressionCase(rng)
		d := weighted
		if !r.weighted {
			d = plain
			delete(r.data, "s")
		}
		b := newBench(t, d, r.data)
		var got, want, loop [][]float64
		for range 12 {
			q := r.point(rng)
			grad := b.vector(d.Gradient, q)
			// ∂L/∂log σ is Σ e² − n + 1, which the sum is read from.
			last := len(grad) - 1
			got = append(got, append([]float64{grad[last] + float64(r.n) - 1}, grad[:last]...))
			want, loop = append(want, r.exact(q)), append(loop, r.loop(q))
		}
		for j := range got[0] {
			allowed := 0.0
			for p := range got {
				allowed = max(allowed, 2*math.Abs(loop[p][j]-want[p][j]))
			}
			for p := range got {
				e := math.Abs(got[p][j] - want[p][j])
				limit := max(allowed, 1e-13*math.Abs(want[p][j]))
				points++
				worst = max(worst, e/limit)
				if !(e <= limit) {
					t.Errorf("signal to noise %.0e, columns at %.0e, the last %.0e from the first, weights %v, n = %d, k = %d: result %d is %.17g, want %.17g: error %.3g, of the loop %.3g",
						r.ratio, r.offset, r.collinear, r.weighted, r.n, r.k, j, got[p][j], want[p][j], e, math.Abs(loop[p][j]-want[p][j]))
				}
			}
		}
	}
	t.Logf("%d results; the largest error is %.3g of what is allowed", points, worst)
}

// TestSquaresOfTheIssue: the gradient in log σ of a normal regression keeps its digits
// at every ratio of signal to noise.
func TestSquaresOfTheIssue(t *testing.T) {
	d, _ := load(t, "model m\ndata n int\ndata x, y real[n]\nparam a, b real\nparam sigma real > 0\ny ~ normal(a + b*x, sigma)\nmetric fisher\n")
	const n = 40
	rng := rand.New(rand.NewPCG(5, 5))
	x, y, noise := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range n {
		x[i], noise[i] = rng.NormFloat64(), rng.NormFloat64()
	}
	for _, ratio := range []float64{1, 1e3, 1e5, 1e7, 1e8, 1e10} {
		for i := range n {
			y[i] = ratio*(1+2*x[i]) + noise[i]
		}
		b := newBench(t, d, map[string][]float64{"n": {n}, "x": x, "y": y})
		sum := new(big.Float).SetPrec(300)
		for i := range n {
			e := new(big.Float).SetPrec(300).SetFloat64(x[i])
			e.Mul(e, big.NewFloat(2*ratio))
			e.Add(e, big.NewFloat(ratio))
			e.Sub(e, big.NewFloat(y[i]))
			sum.Add(sum, e.Mul(e, e))
		}
		want, _ := sum.Sub(sum, big.NewFloat(n-1)).Float64()
		if got := b.vector(d.Gradient, []float64{ratio, 2 * ratio, 0})[2]; math.Abs(got-want) > 1e-13*n {
			t.Errorf("signal to noise %.0e: ∂L/∂log σ is %.15g, want %.15g", ratio, got, want)
		}
	}
}

// TestExponentialsDoNotOverflow: a sum of exponentials is folded about the mean of what
// is known, so that data near 800 and a parameter near -800 give the sum.
func TestExponentialsDoNotOverflow(t *testing.T) {
	d, _ := load(t, "model m\ndata n int\ndata a real[n]\ndata y int[n]\nparam b real\ny[i] ~ poisson_log(a[i] + b) for i in n\nmetric fisher\n")
	for _, centre := range []float64{0, 800, -800, 1e5} {
		a, want := []float64{centre - 1, centre, centre + 0.5}, 2.0+0+5
		for _, x := range a {
			want -= math.Exp(x - centre)
		}
		b := newBench(t, d, map[string][]float64{"n": {3}, "a": a, "y": {2, 0, 5}})
		if got := b.vector(d.Gradient, []float64{-centre})[0]; !(math.Abs(got-want) < 1e-12*max(1, math.Abs(centre))) {
			t.Errorf("data near %v: derivative %v, want %v", centre, got, want)
		}
	}
}
