package system

import (
	"math"
	"slices"
)

// Measured are latent vectors x of one length N of which a map measures what the terms say that it has no formula of. At each index i it is the information
// −∂²L/∂x∂xᵀ about the elements there, as R Rᵀ, the score ∂L/∂x, and its derivatives by the coordinates that are Numbers. Root has the arrays of the elements of R, column by
// column from the diagonal down, Slope those of the derivatives by all numbers of one vector after those of another.
type Measured struct {
	N                  int
	Places             []Place
	Numbers            []int
	Root, Score, Slope [][]float64
}

// Place is where a vector stands among the coordinates: the first element, and the distance to the next.
type Place struct{ From, Step int }

// Mapped is a model with latent vectors, as runtime.Transported.
type Mapped interface {
	Push(q []float64)
	Pull(q []float64)
}

const (
	measuredStep   = 0.25 // in coordinates, the first difference
	measuredChange = 0.3  // of the log density by a curvature, above which differences are taken nearer
	measuredTries  = 8
	measuredWork   = 3e7 // operations, that measuring takes about,
	measuredLeast  = 8   // but so many indices
	measuredBits   = 12  // of measures, so that the last digits of a log density show in none

	measuredTogether = 8   // elements, from which on it is looked at how much the terms see them together,
	measuredCoherent = 2.5 // and how many times the information of each that is about all together, at most

	measuredDetermined = 4  // and how many times that number is the information about each in units of the prior, from which on data determine them
	measuredNarrow     = 16 // the prior's scale in units of that which stands for it then
)

// Measures are what a model measures, with the work space of that.
type Measures struct {
	model   Mapped
	unseen  func(q []float64) float64
	prepare func()

	of      []Measured
	work    float64     // operations of an evaluation
	found   [][]float64 // as the arrays of all, while the map is that of the prior
	x, q    []float64
	numbers []side
	scales  []float64 // of the prior, by coordinate
	own     []side
	bare    [][]float64 // curvatures of each vector, whatever their sign
	w       []float64
	mean    []float64 // information in units of the prior, summed over what is measured, and slopes
	slopes  []float64
	along   []float64 // a direction in which the elements of a vector move together
	small   symmetric
}

// NewMeasures returns those of a model with so many coordinates, of which a gradient takes so many operations. unseen is the log density of the terms at coordinates, and prepare
// computes what depends on the measures.
func NewMeasures(model Mapped, unseen func(q []float64) float64, prepare func(), dim, work int, of ...Measured) *Measures {
	m := &Measures{model: model, unseen: unseen, prepare: prepare, of: of, work: float64(max(work, 1)) / 3,
		x: make([]float64, dim), q: make([]float64, dim), scales: make([]float64, dim)}
	most, slopes, longest := 0, 0, 0
	for _, v := range of {
		for range len(v.arrays()) {
			m.found = append(m.found, make([]float64, v.N))
		}
		most, slopes, longest = max(most, len(v.Places)), max(slopes, len(v.Slope)), max(longest, v.N)
		m.numbers = append(m.numbers, make([]side, max(0, len(v.Numbers)-len(m.numbers)))...)
	}
	for range most {
		m.bare = append(m.bare, make([]float64, longest))
	}
	m.own, m.w, m.small = make([]side, most), make([]float64, most*most), newSymmetric(most)
	m.mean, m.slopes, m.along = make([]float64, most*most), make([]float64, slopes), make([]float64, longest)
	return m
}

// arrays are those of vectors: of the roots, the scores, and the slopes.
func (v *Measured) arrays() [][]float64 { return slices.Concat(v.Root, v.Score, v.Slope) }

// At measures at a point in plain coordinates. Where that would take long, it measures at some of the indices: the others have the mean information of these, in units of their prior,
// and a score that balances the prior, as at a mode. Where the terms have no value all is 0, and the map that of the prior.
func (m *Measures) At(plain []float64) {
	m.clear()
	m.prepare()
	copy(m.q, plain)
	m.model.Pull(m.q)
	s := measuring{Measures: m, plain: plain, level: m.unseen(m.q)}
	if s.level-s.level != 0 {
		return
	}
	for n := range m.of {
		m.scale(&m.of[n], plain)
	}
	at := 0
	for n := range m.of {
		v := &m.of[n]
		size := len(v.Root) + len(v.Score) + len(v.Slope)
		s.vectors(v, m.found[at:at+size])
		at += size
	}
	m.keep()
	m.prepare()
}

// scale finds the scales of the prior of vectors. Each is moved alone: the other coordinates, of which the scales depend on some, stay where they are.
func (m *Measures) scale(v *Measured, plain []float64) {
	for _, p := range v.Places {
		copy(m.x, m.q)
		for i := range v.N {
			m.x[p.From+i*p.Step]++
		}
		m.model.Push(m.x)
		for i := range v.N {
			k := p.From + i*p.Step
			m.scales[k] = math.Abs(m.x[k] - plain[k])
		}
	}
}

// clear forgets what was measured.
func (m *Measures) clear() {
	for n := range m.of {
		v := &m.of[n]
		for _, list := range [...][][]float64{v.Root, v.Score, v.Slope} {
			for _, x := range list {
				clear(x)
			}
		}
	}
	for _, x := range m.found {
		clear(x)
	}
}

// keep makes what was found the measures.
func (m *Measures) keep() {
	at := 0
	for n := range m.of {
		v := &m.of[n]
		for _, list := range [...][][]float64{v.Root, v.Score, v.Slope} {
			for _, x := range list {
				copy(x, m.found[at])
				at++
			}
		}
	}
}

// measuring is what differences are taken with.
type measuring struct {
	*Measures
	plain []float64
	level float64
}

// side is what is seen on both sides of the point along a coordinate, at a distance h: 0 where there is no value.
type side struct {
	at        int
	h         float64
	up, down  float64
	curvature float64
}

// there is the log density of the terms where a coordinate is moved by h, and another by g.
func (s *measuring) there(k int, h float64, l int, g float64) float64 {
	copy(s.x, s.plain)
	s.x[k] += h
	s.x[l] += g
	s.model.Pull(s.x)
	return s.unseen(s.x)
}

// mixed is the second derivative along two coordinates.
func (s *measuring) mixed(a, b side) float64 {
	if a.h == 0 || b.h == 0 {
		return 0
	}
	both := s.there(a.at, a.h, b.at, b.h) + s.there(a.at, -a.h, b.at, -b.h)
	v := (both - a.up - a.down - b.up - b.down + float64(2*s.level)) / float64(2*a.h*b.h)
	if v-v != 0 {
		return 0
	}
	return v
}

// vectors measures those of one length.
func (s *measuring) vectors(v *Measured, found [][]float64) {
	n := len(v.Places)
	numbers := s.numbers[:len(v.Numbers)]
	for j := range numbers {
		numbers[j] = s.sides(v.Numbers[j])
	}
	w, mean, slopes := s.w[:n*n], s.mean[:n*n], s.slopes[:n*len(numbers)]
	clear(mean)
	clear(slopes)
	evaluations := float64(4*n + n*(n-1) + 2*n*len(numbers))
	most := min(v.N, max(measuredLeast, int(measuredWork/float64(evaluations*s.work))))
	for k := range most {
		i := (2*k + 1) * v.N / (2 * most)
		s.index(v, i, numbers, found)
		for l, p := range v.Places {
			for o, r := range v.Places {
				mean[l*n+o] += float64(float64(w[l*n+o]*s.scales[p.From+i*p.Step])*s.scales[r.From+i*r.Step]) / float64(most)
			}
			for j := range numbers {
				slopes[l*len(numbers)+j] += float64(found[len(v.Root)+n+l*len(numbers)+j][i]*s.scales[p.From+i*p.Step]) / float64(most)
			}
		}
		s.take(v, i, numbers, found)
	}
	next := 0 // that was measured
	for i := range v.N {
		if next < most && i == (2*next+1)*v.N/(2*most) {
			next++
			continue
		}
		for l, p := range v.Places {
			k := p.From + i*p.Step
			for o, r := range v.Places {
				w[l*n+o] = over(mean[l*n+o], float64(s.scales[k]*s.scales[r.From+i*r.Step]))
			}
			s.bare[l][i] = w[l*n+l]
			found[len(v.Root)+l][i] = over(s.q[k], s.scales[k])
			for j := range numbers {
				found[len(v.Root)+n+l*len(numbers)+j][i] = over(slopes[l*len(numbers)+j], s.scales[k])
			}
		}
		s.take(v, i, numbers, found)
	}
	for l := range v.Places {
		s.together(v, l, found)
	}
}

// together forgets what was measured of a vector whose elements the terms see together, as a recursion sees all that came before. There is ρ times as much information along a direction in
// which all elements move as there is about each by itself, and next to none along the others, in which they move against each other: a map with the information of each would be ρ
// times too narrow in most directions. That of the prior is too wide in a few, which an adapted metric takes up. Where data nevertheless say much more of each element than the prior, as the weekly
// reproduction numbers of an epidemic of many cases, it would stretch and shrink what they hold still: the map is then one that hardly moves.
//
// With the curvatures c_i = −∂²L/∂x_i², some of which may be negative where data are few, and c_ij along two elements, ρ is 1 + Σ_i≠j c_ij/√|c_i c_j| over their number: what elements
// have in common has no part in the noise of each.
func (s *measuring) together(v *Measured, l int, found [][]float64) {
	root := found[:len(v.Root)]
	n, p := len(v.Places), v.Places[l]
	seen, own, strength := 0, 0.0, 0.0 // elements that are seen, the sum of c_i/|c_i|, and that of |c_i| in units of the prior
	for i := range v.N {
		s.along[i] = 0
		if c := s.bare[l][i]; c != 0 {
			scale := s.scales[p.From+i*p.Step]
			s.along[i] = 1 / math.Sqrt(math.Abs(c))
			strength += float64(math.Abs(c) * float64(scale*scale))
			own += math.Copysign(1, c)
			seen++
		}
	}
	if seen < measuredTogether {
		return
	}
	all := s.across(measuredStep, func(h float64) float64 {
		copy(s.x, s.plain)
		for i := range v.N {
			s.x[p.From+i*p.Step] += float64(h * s.along[i])
		}
		s.model.Pull(s.x)
		return s.unseen(s.x)
	}).curvature
	coherent := 1 + (all-own)/float64(seen)
	if !(coherent > measuredCoherent) {
		return
	}
	determined := strength > float64(float64(measuredDetermined*seen)*coherent)
	for i := range v.N {
		at := 0
		for k := range l + 1 { // row l of the root
			root[at+l-k][i] = 0
			at += n - k
		}
		if scale := s.scales[p.From+i*p.Step]; determined && scale > 0 && scale-scale == 0 {
			s.narrow(root, n, l, i, scale)
		}
	}
	clear(found[len(v.Root)+l])
	for j := range v.Numbers {
		clear(found[len(v.Root)+n+l*len(v.Numbers)+j])
	}
}

// narrow gives element i of vector l, of n, a root by which its map is nearly the same everywhere: many times as narrow as the prior's scale, but for a power of 4, so that it does not follow what
// that is at each reference. Others know as much of themselves as they did with it.
func (s *measuring) narrow(root [][]float64, n, l, i int, scale float64) {
	at := 0 // the array of the diagonal of l, behind which those below it stand
	for k := range l {
		at += n - k
	}
	_, e := math.Frexp(scale)
	root[at][i] = math.Ldexp(measuredNarrow, -(e &^ 1))
	below := at
	for k := l + 1; k < n; k++ {
		below += n - k + 1
		own, with := root[below][i], root[at+k-l][i]
		root[below][i] = rounded(math.Sqrt(float64(own*own)+float64(with*with)), 0)
		root[at+k-l][i] = 0
	}
}

// over is a quotient, 0 where it has no value.
func over(a, b float64) float64 {
	if v := a / b; v-v == 0 {
		return v
	}
	return 0
}

// index measures the information at an index, in w, and writes the score and its slopes.
func (s *measuring) index(v *Measured, i int, numbers []side, found [][]float64) {
	n := len(v.Places)
	own, w := s.own[:n], s.w[:n*n]
	score, slope := found[len(v.Root):len(v.Root)+n], found[len(v.Root)+n:]
	clear(w)
	for l, p := range v.Places {
		x := s.sides(p.From + i*p.Step)
		own[l], s.bare[l][i] = x, x.curvature
		if x.h == 0 {
			continue
		}
		w[l*n+l], score[l][i] = x.curvature, (x.up-x.down)/float64(2*x.h)
		for k := range l {
			b := -s.mixed(own[k], x)
			w[l*n+k], w[k*n+l] = b, b
		}
		for j, number := range numbers {
			slope[l*len(numbers)+j][i] = s.mixed(x, number)
		}
	}
}

// take writes the root of the information w at an index, and leaves few bits of all.
func (s *measuring) take(v *Measured, i int, numbers []side, found [][]float64) {
	n := len(v.Places)
	w := s.w[:n*n]
	s.small.positiveRoot(w, n)
	for l := range n {
		row, size := w[l*n:][:l+1], 0.0
		for _, r := range row {
			size = math.Max(size, math.Abs(r))
		}
		at := 0
		for k, r := range row {
			found[at+l-k][i] = rounded(r, size)
			at += n - k
		}
		score := &found[len(v.Root)+l][i]
		*score = rounded(*score, size)
		for j := range numbers {
			slope := &found[len(v.Root)+n+l*len(numbers)+j][i]
			*slope = rounded(*slope, size)
		}
	}
}

// sides is what is seen along a coordinate, in the neighbourhood that the prior says.
func (s *measuring) sides(k int) side {
	copy(s.x, s.q)
	s.x[k] += measuredStep
	s.model.Push(s.x)
	x := s.across(math.Abs(s.x[k]-s.plain[k]), func(h float64) float64 { return s.there(k, h, k, 0) })
	x.at = k
	return x
}

// across is what is seen on both sides of the point, at a distance, or nearer, at which the log density of the terms falls off by less than measuredChange.
func (s *measuring) across(h float64, there func(h float64) float64) side {
	for range measuredTries {
		if h == 0 || h-h != 0 {
			break
		}
		x := side{h: h, up: there(h), down: there(-h)}
		change := float64(2*s.level) - x.up - x.down
		switch size := math.Abs(change); {
		case size-size != 0:
			h = float64(h / 8)
		case size > measuredChange:
			h = float64(h * math.Max(0.1, math.Sqrt(float64(0.3*measuredChange)/size)))
		default:
			if size > 1e-9*(1+math.Abs(s.level)) {
				x.curvature = change / float64(h*h)
			}
			return x
		}
	}
	return side{}
}

// symmetric is the work space for small symmetric matrices.
type symmetric struct{ scale, vectors, positive []float64 }

func newSymmetric(n int) symmetric {
	return symmetric{make([]float64, n), make([]float64, n*n), make([]float64, n*n)}
}

// positiveRoot puts the lower triangular R with R Rᵀ = W where W, of order n, is positive, in its place: directions in which it is not count as unknown.
func (s *symmetric) positiveRoot(w []float64, n int) {
	scale, q, positive := s.scale[:n], s.vectors[:n*n], s.positive[:n*n]
	for l := range n {
		scale[l] = math.Sqrt(math.Abs(w[l*n+l]))
	}
	for l := range n {
		for k := range n {
			if d := float64(scale[l] * scale[k]); d > 0 {
				w[l*n+k] /= d
			} else {
				w[l*n+k] = 0
			}
		}
	}
	jacobi(w, q, n)
	clear(positive)
	for l := range n {
		for k := range n {
			for a := range n {
				positive[l*n+k] += float64(float64(math.Max(w[a*n+a], 0)*q[l*n+a]) * q[k*n+a])
			}
		}
	}
	clear(w)
	for l := range n {
		d := positive[l*n+l]
		for a := range l {
			d -= float64(w[l*n+a] * w[l*n+a])
		}
		if !(d > 1e-9) {
			continue // known by those before
		}
		w[l*n+l] = math.Sqrt(d)
		for k := l + 1; k < n; k++ {
			v := positive[k*n+l]
			for a := range l {
				v -= float64(w[k*n+a] * w[l*n+a])
			}
			w[k*n+l] = v / w[l*n+l]
		}
	}
	for l := range n {
		for k := range l + 1 {
			w[l*n+k] = float64(w[l*n+k] * scale[l])
		}
	}
}

// jacobi turns a symmetric matrix to its axes by rotations: a becomes diagonal, and the columns of q are the axes.
func jacobi(a, q []float64, n int) {
	clear(q)
	for l := range n {
		q[l*n+l] = 1
	}
	for range 30 {
		off := 0.0
		for l := range n {
			for k := range l {
				off = math.Max(off, math.Abs(a[l*n+k]))
			}
		}
		if !(off > 1e-15) {
			return
		}
		for l := range n {
			for k := range l {
				if a[l*n+k] == 0 {
					continue
				}
				theta := (a[l*n+l] - a[k*n+k]) / float64(2*a[l*n+k])
				t := math.Copysign(1, theta) / (math.Abs(theta) + math.Sqrt(float64(theta*theta)+1))
				c := 1 / math.Sqrt(float64(t*t)+1)
				s := float64(t * c)
				for i := range n { // columns k and l
					x, y := a[i*n+k], a[i*n+l]
					a[i*n+k], a[i*n+l] = float64(c*x)-float64(s*y), float64(s*x)+float64(c*y)
					x, y = q[i*n+k], q[i*n+l]
					q[i*n+k], q[i*n+l] = float64(c*x)-float64(s*y), float64(s*x)+float64(c*y)
				}
				for i := range n { // rows
					x, y := a[k*n+i], a[l*n+i]
					a[k*n+i], a[l*n+i] = float64(c*x)-float64(s*y), float64(s*x)+float64(c*y)
				}
			}
		}
	}
}

// rounded is a number with few bits, by its own size or by another, if that is larger.
func rounded(v, by float64) float64 {
	size := math.Max(math.Abs(v), by)
	if size == 0 || size-size != 0 {
		return 0
	}
	_, e := math.Frexp(size)
	return math.Ldexp(math.Round(math.Ldexp(v, measuredBits-e)), e-measuredBits)
}
