package conformance

import (
	"math"
	"slices"
	"testing"

	"github.com/hamc-dev/hamc/generated/stochastic_volatility"
	"github.com/hamc-dev/hamc/generated/stochastic_volatility_authors"
	"github.com/hamc-dev/hamc/internal/fixtures"
	"github.com/hamc-dev/hamc/internal/handwritten"
	"github.com/hamc-dev/hamc/runtime"
)

// The parameters of the paper's stochastic volatility, which made its data.
const (
	svSigma = 0.15
	svPhi   = 0.98
	svBeta  = 0.65
)

// exactSV and authorsSV return the generated models on some observations.
func exactSV(t testing.TB, y []float64) *stochastic_volatility.Model {
	t.Helper()
	return must[*stochastic_volatility.Model](t)(stochastic_volatility.New(stochastic_volatility.Data{T: len(y), Y: y}))
}

func authorsSV(t testing.TB, y []float64) *stochastic_volatility_authors.Model {
	t.Helper()
	return must[*stochastic_volatility_authors.Model](t)(stochastic_volatility_authors.New(stochastic_volatility_authors.Data{T: len(y), Y: y}))
}

// blockOf returns the block of that name with the other parameters taken from the
// coordinates q of the whole posterior.
func blockOf(t testing.TB, g runtime.Gibbs, name string, q []float64) runtime.Conditional {
	t.Helper()
	for _, b := range g.Blocks() {
		if b.Info().Name == name {
			if st := b.Given(q); st != runtime.OK {
				t.Fatalf("block %s given %v: %v", name, q, st)
			}
			return b
		}
	}
	t.Fatalf("%s has no block %s", g.Info().Name, name)
	return nil
}

// svSeries returns the first n observations of the paper's series and their
// volatilities.
func svSeries(t testing.TB, n int) (y, x []float64) {
	t.Helper()
	f := must[*fixtures.Model](t)(fixtures.Load("sv_latent"))
	return f.Data.Y[:n], f.Data.Path[:n]
}

// exactQ and authorsQ return the coordinates of the whole posteriors.
func exactQ(x []float64, sigma, phi, beta float64) []float64 {
	return append(clone(x), math.Log(beta), 2*math.Log(sigma), 2*math.Atanh(phi))
}

func authorsQ(x []float64, sigma, phi, beta float64) []float64 {
	return append(clone(x), math.Log(sigma), math.Atanh(phi), beta)
}

// positions makes points of nothing but positions.
func positions(qs ...[]float64) []fixtures.Point {
	out := make([]fixtures.Point, len(qs))
	for i, q := range qs {
		out[i].Q = q
	}
	return out
}

// blocks returns both blocks of both models of stochastic volatility on a short
// series.
func blocks(t testing.TB) []*subject {
	t.Helper()
	y, x := svSeries(t, 12)
	shifted := clone(x)
	for i := range shifted {
		shifted[i] += 0.3 * y[i]
	}
	exact, authors := exactQ(x, svSigma, svPhi, svBeta), authorsQ(x, svSigma, svPhi, svBeta)
	hand := must[*handwritten.SVVolatility](t)(handwritten.NewSVVolatility(y, svSigma, svPhi, svBeta))
	return []*subject{
		{
			name:   "sv_volatility",
			fresh:  func() runtime.System { return blockOf(t, exactSV(t, y), "volatility", exact) },
			hand:   hand,
			points: positions(x, shifted), eps: 0.3, block: true,
		},
		{
			name:   "sv_latent",
			fresh:  func() runtime.System { return blockOf(t, exactSV(t, y), "latent", exact) },
			hand:   must[*handwritten.SVLatent](t)(handwritten.NewSVLatent(y, x)),
			points: positions([]float64{-3.8, 4.6, -0.43}, []float64{-3, 3.5, -0.4}, []float64{-1, 0.5, 0.2}), eps: 0.5, block: true,
		},
		{
			name:   "sv_volatility_authors",
			fresh:  func() runtime.System { return blockOf(t, authorsSV(t, y), "volatility", authors) },
			hand:   hand,
			points: positions(x, shifted), eps: 0.3, block: true,
		},
		{
			name:   "sv_latent_authors",
			fresh:  func() runtime.System { return blockOf(t, authorsSV(t, y), "latent", authors) },
			hand:   must[*handwritten.SVAuthors](t)(handwritten.NewSVAuthors(y, x)),
			points: positions([]float64{-1.4, 1.6, 1.2}, []float64{-1.1, 1.2, 1.5}), eps: 0.2, block: true, otherScale: true,
			// β is positive though no transform says so. The model subtracts
			// tanh(α)² from 1, which loses digits of 1 − φ² in proportion to
			// its smallness.
			within: func(q []float64) {
				q[0], q[1], q[2] = 3*q[0]/8, 2*q[1]/8, math.Exp(q[2]/8)
			},
		},
	}
}

// recorded returns the models and blocks that the authors' code has records of,
// on the whole of its data.
func recorded(t testing.TB) []*subject {
	t.Helper()
	load := func(name string) *fixtures.Model { return must[*fixtures.Model](t)(fixtures.Load(name)) }
	f := load("sv_latent")
	y, x := f.Data.Y, f.Data.Path
	// Σ (x_t − φ x_{t−1})² of this block is made of sums of squares and products
	// of the path about its mean, which are taken once.
	squares, residuals := 0.0, 0.0
	for i := 1; i < len(x); i++ {
		squares += x[i] * x[i]
		residuals += (x[i] - svPhi*x[i-1]) * (x[i] - svPhi*x[i-1])
	}
	all := []*subject{{
		name: "sv_latent",
		fresh: func() runtime.System {
			return blockOf(t, authorsSV(t, y), "latent", authorsQ(x, svSigma, svPhi, svBeta))
		},
		hand:   must[*handwritten.SVAuthors](t)(handwritten.NewSVAuthors(y, x)),
		points: f.Points, clean: 45, normalised: true, block: true, cancel: squares / residuals,
	}}
	for _, name := range []string{"sv_volatility_T100", "sv_volatility_T1000"} {
		f := load(name)
		y, T := f.Data.Y, f.Dim
		sigma, phi, beta := f.Params["sigma"], f.Params["phi"], f.Params["beta"]
		others := authorsQ(make([]float64, T), sigma, phi, beta)
		points := slices.Clone(f.Points)
		for i := range points {
			points[i].G = tridiagonal(f.GDiag, f.GOffDiag)
			points[i].HPaper = points[i].HCodeNoLogDet + points[i].LogDetG/2
		}
		clean := 2 * len(points)
		all = append(all, &subject{
			name:   name,
			fresh:  func() runtime.System { return blockOf(t, authorsSV(t, y), "volatility", others) },
			hand:   must[*handwritten.SVVolatility](t)(handwritten.NewSVVolatility(y, sigma, phi, beta)),
			points: points, clean: clean, normalised: true, dropped: logPriorSV(sigma, phi, beta), block: true,
		})
	}
	return append(all, fhnRecorded(t))
}

// tridiagonal returns a symmetric matrix by rows.
func tridiagonal(diag, off []float64) [][]float64 {
	g := make([][]float64, len(diag))
	for i := range g {
		g[i] = make([]float64, len(diag))
		g[i][i] = diag[i]
		if i > 0 {
			g[i][i-1], g[i-1][i] = off[i-1], off[i-1]
		}
	}
	return g
}

// logPriorSV returns the log prior of the authors: the densities, with their
// constants, of σ² as scaled inverse χ²(10, √0.05), of z = (φ + 1)/2 as
// Beta(20, 1.5), and of β as 1/β, without any Jacobian. The first is that of an
// inverse Γ(5, 1/4).
func logPriorSV(sigma, phi, beta float64) float64 {
	s, z := sigma*sigma, (phi+1)/2
	gamma := func(x float64) float64 { l, _ := math.Lgamma(x); return l }
	return 5*math.Log(0.25) - gamma(5) - 6*math.Log(s) - 0.25/s +
		gamma(21.5) - gamma(20) - gamma(1.5) + 19*math.Log(z) + 0.5*math.Log(1-z) -
		math.Log(beta)
}
