package runtime

import (
	"math"
	"math/rand"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// normalPosterior returns a random precision matrix of order n with scales far apart.
func normalPosterior(rng *rand.Rand, n int) *mat.SymDense {
	b := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			b.Set(i, j, rng.NormFloat64()/math.Sqrt(float64(n)))
		}
		b.Set(i, i, b.At(i, i)+2)
	}
	var p mat.Dense
	p.Mul(b, b.T())
	a := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			a.SetSym(i, j, p.At(i, j)*math.Exp(float64(i%5-2)+float64(j%5-2)))
		}
	}
	return a
}

// estimated returns C from m points about mu, wherever they are, of a normal posterior with precision a, in units of scale.
func estimated(rng *rand.Rand, a *mat.SymDense, m int, scale float64, dense bool) []float64 {
	n := a.SymmetricDim()
	f := newFisher(n, true)
	x, d, g := make([]float64, n), make([]float64, n), make([]float64, n)
	for range m {
		for i := range d {
			d[i] = rng.ExpFloat64() * math.Exp(-float64(i%5-2)) // no draws of the posterior
			x[i] = scale * (5 + d[i])
		}
		v := mat.NewVecDense(n, g)
		v.MulVec(a, mat.NewVecDense(n, d))
		v.ScaleVec(-1/scale, v)
		f.add(x, g)
	}
	now := make([]float64, n)
	return f.estimate(now, dense, 1e9)
}

// TestFisherOfANormalPosterior: more points than coordinates tell the covariance matrix, wherever they lie, in whatever unit; the floor
// moves it by a few per cent.
func TestFisherOfANormalPosterior(t *testing.T) {
	for _, n := range []int{1, 2, 5, 30} {
		for _, scale := range []float64{1, 1e-8, 1e8} {
			a := normalPosterior(rand.New(rand.NewSource(3)), n)
			c := estimated(rand.New(rand.NewSource(4)), a, 2*n+40, scale, true)
			sparse := newLowRank(n, estimated(rand.New(rand.NewSource(4)), a, 2*n+40, scale, false)).matrix()
			// C A is the identity, in units of the roots of the diagonal.
			var chol mat.Cholesky
			if !chol.Factorize(a) {
				t.Fatal("no posterior")
			}
			var want mat.SymDense
			if err := chol.InverseTo(&want); err != nil {
				t.Fatal(err)
			}
			for i := range n {
				for j := range n {
					w := want.At(i, j) * scale * scale
					unit := math.Sqrt(want.At(i, i)*want.At(j, j)) * scale * scale
					for _, got := range []float64{c[i*n+j], sparse[i*n+j]} {
						if !(math.Abs(got-w) <= 0.03*unit) {
							t.Errorf("order %d, scale %g: C[%d,%d] = %v, want %v", n, scale, i, j, got, w)
						}
					}
				}
			}
		}
	}
}

// TestFisherOfFewPoints: with fewer points than coordinates the estimate is positive definite, and nearer to the posterior than
// the diagonal.
func TestFisherOfFewPoints(t *testing.T) {
	const n = 200
	// Ten directions are a hundred times as long as the others.
	rng := rand.New(rand.NewSource(5))
	long := mat.NewDense(n, 10, nil)
	for i := range n {
		for k := range 10 {
			long.Set(i, k, rng.NormFloat64()/math.Sqrt(n))
		}
	}
	var qr mat.QR
	qr.Factorize(long)
	var q mat.Dense
	qr.QTo(&q)
	f := newFisher(n, true)
	for range 60 {
		x, g := make([]float64, n), make([]float64, n)
		for k := range n {
			sd := 1.0
			if k < 10 {
				sd = 100
			}
			z := rng.NormFloat64()
			for i := range n {
				x[i] += q.At(i, k) * z * sd
				g[i] -= q.At(i, k) * z / sd
			}
		}
		f.add(x, g)
	}
	now := make([]float64, n)
	condition := func(c []float64) float64 {
		// The scales of the posterior in the frame of C.
		full := newLowRank(n, c).matrix()
		var chol mat.Cholesky
		if !chol.Factorize(mat.NewSymDense(n, full)) {
			t.Fatal("C is not positive definite")
		}
		var l mat.TriDense
		chol.LTo(&l)
		precision := mat.NewDense(n, n, nil)
		for k := range n {
			w := 1.0
			if k < 10 {
				w = 1e-4
			}
			for i := range n {
				for j := range n {
					precision.Set(i, j, precision.At(i, j)+w*q.At(i, k)*q.At(j, k))
				}
			}
		}
		var p, r mat.Dense
		p.Mul(precision, &l)
		r.Mul(l.T(), &p)
		sym := mat.NewSymDense(n, nil)
		for i := range n {
			for j := range i + 1 {
				sym.SetSym(i, j, (r.At(i, j)+r.At(j, i))/2)
			}
		}
		var e mat.EigenSym
		e.Factorize(sym, false)
		v := e.Values(nil)
		return v[n-1] / v[0]
	}
	list := f.estimate(now, false, 1e9)
	if got, plain := condition(list), condition(list[:n]); !(got < plain/30) {
		t.Errorf("the ratio of scales is %.3g, with the diagonal %.3g", got, plain)
	}
}

// randomLowRank is a matrix of n coordinates that is diagonal but for k directions: the list of its numbers, and the dense matrix.
func randomLowRank(rng *rand.Rand, n, k int) (list []float64, want *mat.Dense) {
	list = make([]float64, n)
	for i := range list {
		list[i] = math.Exp(rng.NormFloat64())
	}
	basis := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			basis.Set(i, j, rng.NormFloat64())
		}
	}
	var qr mat.QR
	qr.Factorize(basis)
	var q mat.Dense
	qr.QTo(&q)
	want = mat.NewDense(n, n, nil)
	for i := range n {
		want.Set(i, i, 1)
	}
	for d := range k {
		v := math.Exp(2 * rng.NormFloat64())
		list = append(list, v)
		for i := range n {
			list = append(list, q.At(i, d))
			for j := range n {
				want.Set(i, j, want.At(i, j)+(v-1)*q.At(i, d)*q.At(j, d))
			}
		}
	}
	for i := range n {
		for j := range n {
			want.Set(i, j, want.At(i, j)*math.Sqrt(list[i]*list[j]))
		}
	}
	return list, want
}

// TestLowRank holds every form of the matrix against dense algebra.
func TestLowRank(t *testing.T) {
	rng := rand.New(rand.NewSource(6))
	for _, k := range []int{0, 1, 2, 5} { // of which the last two are kept as matrices
		const n = 5
		list, want := randomLowRank(rng, n, k)
		c := newLowRank(n, list)
		if c == nil {
			t.Fatal("no matrix")
		}
		if (c.product != nil) != (k >= 2) {
			t.Errorf("%d directions of %d: kept as a matrix: %v", k, n, c.product != nil)
		}
		near := func(what string, got, want float64) {
			t.Helper()
			if !(math.Abs(got-want) <= 1e-11*(1+math.Abs(want))) {
				t.Errorf("%d directions: %s is %v, want %v", k, what, got, want)
			}
		}
		p, z, v := make([]float64, n), make([]float64, n), make([]float64, n)
		for i := range p {
			p[i] = rng.NormFloat64()
		}
		var cp mat.VecDense
		cp.MulVec(want, mat.NewVecDense(n, p))
		c.mul(v, p)
		for i := range v {
			near("C p", v[i], cp.AtVec(i))
		}
		quad := mat.Dot(mat.NewVecDense(n, p), &cp)
		c.whiten(z, p)
		near("the length of what is whitened", dot(z, z), quad)
		near("pᵀCp", c.forms(nil, p), quad)
		drawn := slices.Clone(z)
		c.draw(drawn)
		near("the energy of a momentum", c.forms(nil, drawn), dot(z, z))
		near("the length of a step", c.forms(v, nil), quad) // (Cp)ᵀ C⁻¹ (Cp)
		var inverse mat.Dense
		if err := inverse.Inverse(want); err != nil {
			t.Fatal(err)
		}
		full, inv, diagonal := c.matrix(), c.inverse(), c.diagonal()
		for i := range n {
			near("the diagonal", diagonal[i], want.At(i, i))
			for j := range n {
				near("C", full[i*n+j], want.At(i, j))
				near("C⁻¹", inv[i*n+j], inverse.At(i, j))
			}
		}
		l, _ := mat.LogDet(want)
		near("log det M", c.logDet, -l)
	}
	for _, bad := range [][]float64{{}, {1}, {1, -1}, {1, 1, 2}, {1, 1, -2, 0, 1}, {1, 1, 2, math.NaN(), 1}} {
		if newLowRank(2, bad) != nil {
			t.Errorf("%v is taken for a matrix", bad)
		}
	}
}

// TestWorthwhile: directions are kept where they make trajectories shorter by more than they cost.
func TestWorthwhile(t *testing.T) {
	for _, row := range []struct {
		name        string
		n           int
		values      []float64
		noise, step float64
		kept        []float64
	}{
		{"one long direction, a cheap gradient", 100, []float64{0.9, 1, 1.1, 400}, 1, 20, []float64{400}},
		{"nothing beyond noise", 100, []float64{0.6, 1.8}, 2, 1e6, nil},
		{"a little, a cheap gradient", 100, []float64{0.6, 1.8}, 1, 20, nil},
		{"a little, a costly gradient", 100, []float64{0.6, 1.8}, 1, 1e6, []float64{0.6, 1.8}},
		{"both ends", 100, []float64{0.001, 0.75, 1.4, 900}, 1, 20, []float64{0.001, 900}},
		{"none", 100, nil, 1, 50, nil},
	} {
		from, to := worthwhile(row.values, row.n, row.noise, row.step)
		got := slices.Concat(row.values[:from], row.values[to:])
		if !slices.Equal(got, row.kept) {
			t.Errorf("%s: %v are kept, want %v", row.name, got, row.kept)
		}
	}
}

// TestDepartures: points of a normal density depart from the metric that is its covariance by nothing, from another by what that is off, and no
// points from any.
func TestDepartures(t *testing.T) {
	e := NewEuclidean(&slope{m: 2, gradient: func(grad, q []float64) float64 { return 0 }}, false)
	if e.SetInverse([]float64{4, 9}) != OK {
		t.Fatal("no metric")
	}
	f := newFisher(2, true)
	if d := f.departures(e); !math.IsInf(d[0], 1) || !math.IsInf(d[1], 1) || f.settles(e, d[0]) {
		t.Errorf("without points: %v", d)
	}
	for k := range 40 {
		x, y := 2*math.Sqrt2*math.Sin(float64(k)*math.Pi/20), 3*math.Cos(float64(k)*math.Pi/10)
		f.add([]float64{5 + x, y - 7}, []float64{1 - x/4, 2 - 2*y/9})
	}
	// The second coordinate has the variance 4.5, and half the metric's curvature: x + Cg = −y.
	d := f.departures(e)
	if math.Abs(d[0]) > 1e-12 || math.Abs(d[1]-0.5) > 1e-9 {
		t.Errorf("departures %v, want 0 and ½", d)
	}
}

// TestCoupled: of more coordinates than there are points, two that depend on each other have directions of their own, and the others none.
func TestCoupled(t *testing.T) {
	const n, rho = 300, 0.9
	rng := rand.New(rand.NewSource(4))
	f := newFisher(n, true)
	for range 200 {
		x, g := make([]float64, n), make([]float64, n)
		for i := range x {
			x[i] = rng.NormFloat64()
			g[i] = -x[i]
		}
		x[250] = rho*x[3] + math.Sqrt(1-rho*rho)*x[250]
		g[3], g[250] = -(x[3]-rho*x[250])/(1-rho*rho), -(x[250]-rho*x[3])/(1-rho*rho)
		f.add(x, g)
	}
	ones := make([]float64, n)
	for i := range ones {
		ones[i] = 1
	}
	c := newLowRank(n, f.estimate(ones, false, 1000))
	if len(c.values) != 2 {
		t.Fatalf("%d directions", len(c.values))
	}
	for i, u := range c.vectors {
		for j, x := range u.whole {
			if (x != 0) != (j == 3 || j == 250) {
				t.Errorf("direction %d has %v of coordinate %d", i, x, j)
			}
		}
	}
	v, p := make([]float64, n), make([]float64, n)
	p[3] = 1
	if c.mul(v, p); math.Abs(v[3]-1) > 0.15 || math.Abs(v[250]-rho) > 0.15 {
		t.Errorf("variance %.3f, covariance %.3f, want 1 and %v", v[3], v[250], rho)
	}
	e := NewEuclidean(&slope{m: n, gradient: func(grad, q []float64) float64 { return 0 }}, false)
	if e.SetInverse(c.list) != OK {
		t.Fatal("no metric")
	}
	if d := f.departures(e); d[3] > 0.1 || d[250] > 0.1 {
		t.Errorf("departures of %.3f and %.3f are left", d[3], d[250])
	}
}
