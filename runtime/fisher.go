package runtime

import (
	"cmp"
	"math"
	"slices"

	"github.com/hamc-dev/hamc/runtime/linalg"
)

// fisher estimates the inverse C of a Euclidean metric from points x of a chain and the gradients g of the log density
// there: the C that makes the Fisher divergence between the posterior, on the scale of C, and a standard normal
// least. On a normal posterior g = −C⁻¹(x − μ), so that more points than coordinates give C, however they are
// spread, but for the floor below, which moves it by a few per cent; the covariance of as many points is far from it. See Seyboldt, Carlson & Carpenter (2026), "Preconditioning
// Hamiltonian Monte Carlo by minimizing Fisher divergence", arXiv:2603.18845.
//
// Of a diagonal C the elements are sd(x_i)/sd(g_i). On that scale the rest of C is the geometric mean of the
// covariance of the points and the inverse of that of the gradients,
//
//	Cov(g)⁻¹ # Cov(x) = B^−½ (B^½ Cov(x) B^½)^½ B^−½ with B = Cov(g),
//
// in the space that points and gradients span.
type fisher struct {
	Points    moments     `json:"points"`
	Gradients moments     `json:"gradients"`
	X         [][]float64 `json:"x,omitempty"` // the last points, in turn
	G         [][]float64 `json:"g,omitempty"` // the gradients there
	most      int         // points kept, none for a diagonal C
}

const (
	// fisherSmall is the number of coordinates up to which enough points are kept to tell all directions, and fisherKept the
	// number of points beyond that: the work is in proportion to the cube of the least of twice these and the coordinates.
	fisherSmall = 160
	fisherKept  = 80

	// fisherNumbers bounds the numbers that are kept of points, and those of gradients: checkpoints of a warm-up hold them.
	fisherNumbers = 200_000

	// fisherFloor is added to both covariances, in units of the diagonal, less as there are more points than coordinates: what
	// the points do not tell has the diagonal's scale.
	fisherFloor = 0.01

	// fisherNoise is the ratio of scales that fewer points than coordinates show by chance.
	fisherNoise = 2

	// coupledDeparture is the departure of a coordinate from a diagonal metric above which it counts as coupled to others, and coupledShare the number of points for each of these.
	coupledDeparture = 0.25
	coupledShare     = 4

	// fisherPays is the share of the work with the diagonal alone that directions have to come to: they are told from noise, and a
	// dynamic trajectory is no shorter for a little.
	fisherPays = 0.8

	// stepWork counts the operations of a step for each coordinate, and directionWork those for each of a direction, which
	// the step and the test for a turn multiply by.
	stepWork      = 20
	directionWork = 12
)

// newFisher returns an estimate for m coordinates, with what the diagonal does not tell if it is asked for.
func newFisher(m int, whole bool) *fisher {
	f := &fisher{Points: *newMoments(m), Gradients: *newMoments(m)}
	switch {
	case !whole:
	case m <= fisherSmall:
		f.most = 2*m + 40
	default:
		f.most = min(fisherKept, fisherNumbers/m)
	}
	return f
}

func (f *fisher) reset() {
	f.Points.reset()
	f.Gradients.reset()
	f.X, f.G = f.X[:0], f.G[:0]
}

// add takes a point and the gradient there. A gradient that is not finite says nothing.
func (f *fisher) add(x, g []float64) {
	if !allFinite(x) || !allFinite(g) {
		return
	}
	n := int(f.Points.Count)
	f.Points.add(x)
	f.Gradients.add(g)
	if f.most == 0 {
		return
	}
	if len(f.X) < f.most {
		f.X, f.G = append(f.X, append([]float64(nil), x...)), append(f.G, append([]float64(nil), g...))
		return
	}
	copy(f.X[n%f.most], x)
	copy(f.G[n%f.most], g)
}

// kept returns copies of the points that are kept, the oldest first.
func (f *fisher) kept() [][]float64 {
	x := cloneRows(f.X)
	if len(x) == 0 || len(x) < f.most {
		return x
	}
	first := int(f.Points.Count) % f.most
	return slices.Concat(x[first:], x[:first])
}

// retake takes points in the place of all that it has, with the gradients there.
func (f *fisher) retake(points [][]float64, gradient func(x []float64) []float64) {
	f.reset()
	for _, x := range points {
		if g := gradient(x); g != nil {
			f.add(x, g)
		}
	}
}

// clone returns a copy of what was learnt.
func (f *fisher) clone() *fisher {
	return &fisher{Points: f.Points.clone(), Gradients: f.Gradients.clone(), X: cloneRows(f.X), G: cloneRows(f.G)}
}

func cloneRows(rows [][]float64) [][]float64 {
	out := make([][]float64, len(rows))
	for i, r := range rows {
		out[i] = append([]float64(nil), r...)
	}
	return out
}

// restore takes over what another has learnt, if it fits.
func (f *fisher) restore(s *fisher) bool {
	m := len(f.Points.Mean)
	if s == nil || !s.Points.fits(m) || !s.Gradients.fits(m) || len(s.X) != len(s.G) || len(s.X) > f.most {
		return false
	}
	for i := range s.X {
		if len(s.X[i]) != m || len(s.G[i]) != m {
			return false
		}
	}
	c := s.clone()
	f.Points.take(&c.Points)
	f.Gradients.take(&c.Gradients)
	f.X, f.G = c.X, c.G
	return true
}

// centre returns the mean of a normal posterior with the covariance C of a metric whose gradients these are at these points: x̄ + C ḡ.
func (f *fisher) centre(e *Euclidean) []float64 {
	mu := make([]float64, e.dim)
	(*separable)(e).Solve(mu, f.Gradients.Mean)
	for i, x := range f.Points.Mean {
		mu[i] += x
	}
	return mu
}

// departures returns how far the posterior is from a normal one with the covariance C of a metric, for each coordinate: a share of its variance,
//
//	E (x − μ + C (g − ḡ))_i²/C_ii,
//
// over the points kept, that is 0 for a normal posterior. Without a point it is infinite.
func (f *fisher) departures(e *Euclidean) []float64 {
	return f.departuresFrom((*separable)(e).Solve, e.Variances())
}

// departuresFrom is departures of a C by its products with vectors and its diagonal.
func (f *fisher) departuresFrom(product func(v, p []float64), variances []float64) []float64 {
	out, r := make([]float64, len(variances)), make([]float64, len(variances))
	if len(f.X) == 0 {
		for i := range out {
			out[i] = math.Inf(1)
		}
		return out
	}
	points, gradients := centred(f.X), centred(f.G)
	for k, x := range points {
		product(r, gradients[k])
		for i, v := range r {
			d := x[i] + v
			out[i] += float64(d*d) / float64(variances[i]*float64(len(points)))
		}
	}
	return out
}

// settles reports whether the points look like draws from a nearly normal posterior with the covariance of a metric, which they were made with, and which they depart from by so much.
func (f *fisher) settles(e *Euclidean, departure float64) bool {
	n, most := len(f.X), settledDeparture
	for size := settledWindow; int(f.Points.Count) < size; size /= 2 {
		if most = float64(0.5 * most); size == settledWindow/4 {
			return false
		}
	}
	if !(departure <= most) {
		return false
	}
	first := int(f.Points.Count) % n // the oldest of those kept
	drift := make([]float64, e.dim)
	for k := range n {
		half := float64(n / 2)
		if k >= n/2 {
			half = -float64(n - n/2)
		}
		for i, v := range f.X[(first+k)%n] {
			drift[i] += v / half
		}
	}
	for i, v := range e.Variances() {
		if !(math.Abs(drift[i]) <= float64(settledDrift*math.Sqrt(v))) {
			return false
		}
	}
	return true
}

// variances writes the diagonal of C to out: of a coordinate that all points share that of before, now, which tells more; where the
// gradients are all one, that of the points.
func (f *fisher) variances(out, now []float64) {
	n := f.Points.Count
	for i, s := range f.Points.Squares {
		g := f.Gradients.Squares[i]
		v := math.Sqrt(s / g)
		switch {
		case !(s > 0):
			v = now[i]
		case !(g > 0):
			v = s / n
		}
		if !(v > 0 && isFinite(v)) {
			v = now[i]
		}
		out[i] = v
	}
}

// estimate returns C in the form of lowRank, or as a matrix where dense is set, with as many directions as pay where a gradient
// takes work operations. The variances of before are in now.
func (f *fisher) estimate(now []float64, dense bool, work float64) []float64 {
	n := len(f.Points.Mean)
	out := make([]float64, n)
	f.variances(out, now)
	values, vector := f.directions(out)
	from, to := len(values), len(values) // those between are left out
	if !dense {
		noise := 1.0
		if n > len(f.X) {
			noise = fisherNoise
		}
		step := work/float64(n) + stepWork
		from, to = worthwhile(values, n, noise, step)
		if from == 0 && to == len(values) {
			if some := f.coupled(out); len(some) > 0 {
				values, vector = f.among(some, out)
				from, to = worthwhile(values, n, 1, step)
			}
		}
	}
	for k, v := range values {
		if k < from || k >= to {
			out = append(append(out, v), vector(k)...)
		}
	}
	if !dense {
		return out
	}
	c := newLowRank(n, out)
	if c == nil {
		return nil // no metric, and the one there is stays
	}
	return c.matrix()
}

// coupled returns those coordinates, of more than there are points, that depart most from what a diagonal metric says: few, of which the points tell all directions, such as the scales and
// the means of a hierarchy, which depend on each other where its many effects hardly do.
func (f *fisher) coupled(variances []float64) (some []int) {
	n, m := len(variances), len(f.X)
	if n <= m || m < 3 {
		return nil
	}
	departure := f.departuresFrom(func(v, p []float64) {
		for i, c := range variances {
			v[i] = float64(c * p[i])
		}
	}, variances)
	for i, d := range departure {
		if d > coupledDeparture {
			some = append(some, i)
		}
	}
	slices.SortFunc(some, func(i, j int) int { return cmp.Or(cmp.Compare(departure[j], departure[i]), cmp.Compare(i, j)) })
	return some[:min(len(some), m/coupledShare)]
}

// among returns what directions does of some of the coordinates: the others are no part of the directions.
func (f *fisher) among(some []int, variances []float64) (values []float64, vector func(k int) []float64) {
	part := &fisher{}
	for k := range f.X {
		part.X, part.G = append(part.X, pick(f.X[k], some)), append(part.G, pick(f.G[k], some))
	}
	values, own := part.directions(pick(variances, some))
	return values, func(k int) []float64 {
		out := make([]float64, len(variances))
		for j, x := range own(k) {
			out[some[j]] = x
		}
		return out
	}
}

// pick returns some elements.
func pick(x []float64, some []int) []float64 {
	out := make([]float64, len(some))
	for k, i := range some {
		out[k] = x[i]
	}
	return out
}

// worthwhile returns which of the directions of n coordinates, whose factors are in ascending order, are not worth being kept: those from one to another. Those
// that are kept are beyond noise and the ones farthest from 1, so
// many that the work of a trajectory is least. With step operations for each coordinate beside the directions, and
// a ratio κ of the largest to the least scale that is left, that is in proportion to (step + rank · directionWork) √κ.
func worthwhile(values []float64, n int, noise, step float64) (from, to int) {
	low, high := 0, len(values) // those before low and from high on are taken
	best := math.Inf(1)
	from, to = 0, len(values) // none are kept at first
	for rank := 0; ; rank++ {
		least, most := 1.0, 1.0
		if low < high {
			least, most = min(1, values[low]), max(1, values[high-1])
		}
		directions := float64(rank * directionWork)
		if 3*rank > n { // as a matrix
			directions = min(directions, float64(6*n))
		}
		if work := float64((step + directions) * math.Sqrt(most/least)); work < best {
			if best = work; rank == 0 {
				best = float64(work * fisherPays)
			}
			from, to = low, high
		}
		if low == high || most <= noise && least >= 1/noise {
			break
		}
		if 1/values[low] > values[high-1] {
			low++
		} else {
			high--
		}
	}
	return from, to
}

// directions returns the factors of those in which C differs from its diagonal, in ascending order, and a function that makes the direction of one. They are orthonormal on
// the scale of the diagonal.
func (f *fisher) directions(variances []float64) (values []float64, vector func(k int) []float64) {
	n, m := len(variances), len(f.X)
	if m < 3 || n < 2 {
		return nil, nil
	}
	scale := make([]float64, n)
	for i, v := range variances {
		scale[i] = math.Sqrt(v)
	}
	// The points and gradients on the scale of the diagonal, about their means.
	points, gradients := centred(f.X), centred(f.G)
	for k := range m {
		for i, s := range scale {
			points[k][i] /= s
			gradients[k][i] = float64(gradients[k][i] * s)
		}
	}
	r, in := n, func(direction []float64) []float64 { return direction }
	if 2*m < n {
		b := newBasis(slices.Concat(points, gradients))
		points, gradients, in, r = b.coordinates[:m], b.coordinates[m:], b.vector, b.dim
	}
	if r == 0 {
		return nil, nil
	}
	mean := geometricMean(spread(gradients, r), spread(points, r), r)
	if mean == nil {
		return nil, nil
	}
	e := linalg.NewSymEigen(r)
	if e.Factor(mean) != linalg.Factored {
		return nil, nil
	}
	var at []int
	for k, v := range e.Values {
		if v > 0 && isFinite(v) {
			values, at = append(values, v), append(at, k)
		}
	}
	return values, func(k int) []float64 { return in(slices.Clone(e.Vectors[at[k]*r:][:r])) }
}

// centred returns rows less their mean.
func centred(rows [][]float64) [][]float64 {
	out := cloneRows(rows)
	mean := make([]float64, len(rows[0]))
	for _, r := range rows {
		for i, v := range r {
			mean[i] += v
		}
	}
	for _, r := range out {
		for i := range r {
			r[i] -= mean[i] / float64(len(rows))
		}
	}
	return out
}

// basis is an orthonormal basis of the space of some vectors, fewer than their dimensions. With the eigenvectors u_c of their products, ⟨x_j, x_k⟩ = Σ_c λ_c u_cj u_ck, its vectors
// are Σ_j u_cj x_j/√λ_c.
type basis struct {
	of          [][]float64 // the vectors
	dim         int
	coordinates [][]float64 // of each of them
	weights     [][]float64 // of each in the vectors of the basis
}

func newBasis(of [][]float64) *basis {
	k := len(of)
	gram := make([]float64, k*k)
	for i := range k {
		for j := range i + 1 {
			gram[i*k+j] = dot(of[i], of[j])
		}
	}
	b := &basis{of: of, coordinates: make([][]float64, k)}
	e := linalg.NewSymEigen(k)
	if e.Factor(gram) != linalg.Factored {
		return b
	}
	for c, v := range e.Values {
		if v <= float64(1e-9*e.Values[k-1]) {
			continue
		}
		root := math.Sqrt(v)
		w := make([]float64, k)
		for j, u := range e.Vectors[c*k:][:k] {
			w[j] = u / root
			b.coordinates[j] = append(b.coordinates[j], float64(u*root))
		}
		b.weights = append(b.weights, w)
		b.dim++
	}
	return b
}

// vector is one of the space, given in the basis.
func (b *basis) vector(in []float64) []float64 {
	share := make([]float64, len(b.of)) // of each of the vectors that it is made of
	for c, w := range b.weights {
		for j, v := range w {
			share[j] += float64(in[c] * v)
		}
	}
	out := make([]float64, len(b.of[0]))
	for j, x := range b.of {
		for i, v := range x {
			out[i] += float64(share[j] * v)
		}
	}
	return out
}

// spread is the covariance matrix of rows about 0, with the floor: the lower triangle counts.
func spread(rows [][]float64, r int) []float64 {
	c := make([]float64, r*r)
	for _, x := range rows {
		for i, v := range x {
			for j := range i + 1 {
				c[i*r+j] += float64(v * x[j])
			}
		}
	}
	for i := range r {
		for j := range i + 1 {
			c[i*r+j] /= float64(len(rows))
		}
		c[i*r+i] += float64(fisherFloor * min(1, float64(r)/float64(len(rows))))
	}
	return c
}

// geometricMean returns B⁻¹ # A = B^−½ (B^½ A B^½)^½ B^−½ of matrices of order n of which the lower triangles count; nil if there is none.
func geometricMean(b, a []float64, n int) []float64 {
	e := linalg.NewSymEigen(n)
	if e.Factor(b) != linalg.Factored || !(e.Values[0] > 0) {
		return nil
	}
	root := func(power func(v float64) float64) []float64 {
		out := make([]float64, n*n)
		for k, v := range e.Values {
			u, w := e.Vectors[k*n:][:n], power(v)
			for i, x := range u {
				s := float64(w * x)
				for j := range i + 1 {
					out[i*n+j] += float64(s * u[j])
				}
			}
		}
		mirrorLower(out, n)
		return out
	}
	half, inverse := root(math.Sqrt), root(func(v float64) float64 { return 1 / math.Sqrt(v) })
	mirrorLower(a, n)
	middle := sandwich(half, a, n)
	if e.Factor(middle) != linalg.Factored {
		return nil
	}
	return sandwich(inverse, root(func(v float64) float64 { return math.Sqrt(max(0, v)) }), n)
}

// mirrorLower makes a matrix symmetric by its lower triangle.
func mirrorLower(a []float64, n int) {
	for i := range n {
		for j := range i {
			a[j*n+i] = a[i*n+j]
		}
	}
}

// sandwich is S A S of symmetric matrices.
func sandwich(s, a []float64, n int) []float64 {
	t, out := make([]float64, n*n), make([]float64, n*n)
	linalg.Mul(t, s, a)
	linalg.Mul(out, t, s)
	return out
}
