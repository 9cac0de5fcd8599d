package linalg

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// structure is a case of these tests: a matrix of order dim, and where the
// packed one keeps the entry (i, j), by the definition of the layout.
type structure struct {
	name   string
	dim    int
	parts  []Part
	places [][2]int       // row and column of the used numbers; row ≥ column within spines
	at     map[[2]int]int // where they are
	size   int
}

func newStructure(name string, dim int, parts ...Part) *structure {
	s := &structure{name: name, dim: dim, parts: parts, at: map[[2]int]int{}}
	put := func(i, j, at int) {
		s.places = append(s.places, [2]int{i, j})
		s.at[[2]int{i, j}] = at
	}
	for _, p := range parts {
		n, w, m := p.N, p.Width, len(p.Border)
		for i := range n {
			for j := max(0, i-w); j <= i; j++ {
				put(p.Spine+i, p.Spine+j, s.size+(i-j)*n+i)
			}
			for r, b := range p.Border {
				put(b, p.Spine+i, s.size+(w+1)*n+r*n+i)
			}
		}
		for r, a := range p.Border {
			for q, b := range p.Border {
				put(a, b, s.size+(w+1)*n+m*n+r*m+q)
			}
		}
		s.size += (w+1)*n + m*n + m*m
	}
	return s
}

// pack packs g by definition, with unused in unused numbers.
func (s *structure) pack(g []float64, unused float64) []float64 {
	b := slices.Repeat([]float64{unused}, s.size)
	for _, place := range s.places {
		b[s.at[place]] = g[place[0]*s.dim+place[1]]
	}
	return b
}

// unread packs g and puts a NaN where Factor must not read: unused numbers, and
// corners above the diagonal.
func (s *structure) unread(g []float64) []float64 {
	b, start := s.pack(g, math.NaN()), 0
	for _, p := range s.parts {
		m := len(p.Border)
		start += (p.Width + 1 + m) * p.N
		for r := range m {
			for q := r + 1; q < m; q++ {
				b[start+r*m+q] = math.NaN()
			}
		}
		start += m * m
	}
	return b
}

// random returns G = M Mᵀ with the pattern of s, for random triangular M.
func (s *structure) random(rng *rand.Rand) []float64 {
	m := make([]float64, s.dim*s.dim)
	order := make([]int, s.dim)
	for _, p := range s.parts {
		for r, i := range p.Border {
			order[i] = r + 1
		}
	}
	for _, place := range s.places {
		i, j := place[0], place[1]
		switch {
		case i == j:
			m[i*s.dim+j] = 0.7 + rng.Float64()
		case order[i] > order[j] || order[i] == 0:
			m[i*s.dim+j] = 0.4 * rng.NormFloat64()
		}
	}
	g := make([]float64, s.dim*s.dim)
	for i := range s.dim {
		for j := range s.dim {
			g[i*s.dim+j] = inner(m[i*s.dim:][:s.dim], m[j*s.dim:][:s.dim])
		}
	}
	return g
}

// structures returns single parts of all shapes, and mixtures of several.
func structures(rng *rand.Rand) []*structure {
	var all []*structure
	for n := range 14 {
		for w := range 6 {
			for m := range 5 {
				for _, where := range []string{"before", "after", "around"} {
					p := Part{N: n, Width: w, Border: rng.Perm(m)}
					switch where {
					case "before":
						p.Spine = m
					case "around":
						p.Spine = m / 2
					}
					for r := range p.Border {
						if p.Border[r] >= p.Spine {
							p.Border[r] += n
						}
					}
					if m > 1 || where == "before" || where == "after" && m > 0 {
						name := fmt.Sprintf("length %d, width %d, border of %d %s", n, w, m, where)
						all = append(all, newStructure(name, n+m, p))
					}
				}
			}
		}
	}
	for k := range 300 {
		dim, parts := mixture(rng)
		all = append(all, newStructure(fmt.Sprintf("mixture %d %v", k, parts), dim, parts...))
	}
	return all
}

// mixture returns up to 5 parts whose spines and borders lie in random order.
func mixture(rng *rand.Rand) (dim int, parts []Part) {
	parts = make([]Part, rng.IntN(6))
	var order []int // a part, once for its spine and once for each of its border
	for k := range parts {
		parts[k] = Part{N: rng.IntN(8), Width: rng.IntN(4)}
		for range 1 + rng.IntN(4) {
			order = append(order, k)
		}
	}
	rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	placed := make([]bool, len(parts))
	for _, k := range order {
		p := &parts[k]
		if placed[k] {
			p.Border = append(p.Border, dim)
			dim++
			continue
		}
		placed[k] = true
		p.Spine = dim
		dim += p.N
	}
	for _, p := range parts {
		rng.Shuffle(len(p.Border), func(i, j int) { p.Border[i], p.Border[j] = p.Border[j], p.Border[i] })
	}
	return dim, parts
}

// TestStructured compares every method with Cholesky.
func TestStructured(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 1))
	for _, s := range structures(rng) {
		n := s.dim
		g := s.random(rng)
		c, d := NewStructured(n, s.parts), NewCholesky(n)
		if c.N != n || c.Len() != s.size {
			t.Fatalf("%s: order %d, %d numbers", s.name, c.N, c.Len())
		}
		for range 2 { // a second time on used work space
			b := s.unread(g)
			before := slices.Clone(b)
			if x, y := c.Factor(b), d.Factor(g); x != Factored || y != Factored {
				t.Fatalf("%s: %v, %v", s.name, x, y)
			}
			if !slices.EqualFunc(b, before, func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) }) {
				t.Errorf("%s: Factor changed its argument", s.name)
			}
			compareVectors(t, s, c, d, normals(rng, n))
			compareInverse(t, s, c, d)
			root := make([]float64, n*n)
			for i := range n {
				column := root[i*n:][:n]
				column[i] = 1
				c.MulL(column, column)
			}
			if n > 0 {
				close(t, s.name+": R Rᵀ", product(n, transpose(n, root), root), g, 1e-14)
			}
		}
	}
}

func compareVectors(t *testing.T, s *structure, c *Structured, d *Cholesky, p []float64) {
	t.Helper()
	want, got := slices.Clone(p), slices.Clone(p)
	d.Solve(want, p)
	c.Solve(got, got)
	close(t, s.name+": Solve in place", got, want, 1e-12)
	again := make([]float64, len(p))
	c.Solve(again, p)
	if !slices.Equal(got, again) {
		t.Errorf("%s: Solve depends on being in place", s.name)
	}
	close(t, s.name+": Quad, LogDet", []float64{c.Quad(p), c.LogDet()}, []float64{d.Quad(p), d.LogDet()}, 1e-12)
	got = slices.Clone(p)
	c.MulL(got, got)
	c.MulL(again, p)
	if !slices.Equal(got, again) {
		t.Errorf("%s: MulL depends on being in place", s.name)
	}
}

func compareInverse(t *testing.T, s *structure, c *Structured, d *Cholesky) {
	t.Helper()
	n := s.dim
	full, got := make([]float64, n*n), slices.Repeat([]float64{math.NaN()}, s.size)
	d.Inverse(full)
	c.Inverse(got)
	want := s.pack(full, 0)
	close(t, s.name+": Inverse", got, want, 1e-12)
	used := s.pack(slices.Repeat([]float64{1}, n*n), 0)
	for i, u := range used {
		if u == 0 && got[i] != 0 {
			t.Fatalf("%s: Inverse writes %v to the unused number %d", s.name, got[i], i)
		}
	}
	for _, p := range s.parts {
		for _, i := range p.Border {
			for _, j := range p.Border {
				if got[s.at[[2]int{i, j}]] != got[s.at[[2]int{j, i}]] {
					t.Fatalf("%s: Inverse is not symmetric at %d, %d", s.name, i, j)
				}
			}
		}
	}
}

// TestStructuredPattern compares Dense, Pack, SubtractSquare and Start with the
// definition of the layout.
func TestStructuredPattern(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 1))
	for _, s := range structures(rng) {
		n := s.dim
		g := s.random(rng)
		// Pack meets a NaN wherever it must not read.
		guarded := slices.Repeat([]float64{math.NaN()}, n*n)
		for _, place := range s.places {
			at := place[0]*n + place[1]
			guarded[at] = g[at]
		}
		c := NewStructured(n, s.parts)
		b := slices.Repeat([]float64{math.NaN()}, s.size)
		c.Pack(b, guarded)
		if !slices.Equal(b, s.pack(g, 0)) {
			t.Errorf("%s: Pack", s.name)
		}
		dense := normals(rng, n*n)
		c.Dense(dense, s.pack(g, math.NaN()))
		if !slices.Equal(dense, g) {
			t.Errorf("%s: Dense", s.name)
		}
		v := normals(rng, n)
		for i := range n {
			for j := range n {
				g[i*n+j] -= v[i] * v[j]
			}
		}
		c.SubtractSquare(b, v)
		close(t, s.name+": SubtractSquare", b, s.pack(g, 0), 1e-15)
		start := 0
		for k, p := range s.parts {
			if c.Start(k) != start {
				t.Errorf("%s: part %d starts at %d, want %d", s.name, k, c.Start(k), start)
			}
			start += (p.Width+1)*p.N + len(p.Border)*(p.N+len(p.Border))
		}
	}
}

// TestStructuredOutcomes compares with Cholesky: one bad entry anywhere, two,
// and indefinite matrices.
func TestStructuredOutcomes(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 1))
	bad := []float64{math.NaN(), math.Inf(1), math.Inf(-1), -1, 0, 100, -100}
	count := map[Outcome]int{}
	for _, s := range structures(rng) {
		c, d := NewStructured(s.dim, s.parts), NewCholesky(s.dim)
		dense := s.random(rng)
		packed := s.unread(dense)
		for k, place := range s.places {
			for _, v := range bad {
				g, b := slices.Clone(dense), slices.Clone(packed)
				set := func(i, j int, v float64) {
					for _, place := range [][2]int{{i, j}, {j, i}} {
						g[place[0]*s.dim+place[1]] = v
						if at, ok := s.at[place]; ok {
							b[at] = v
						}
					}
				}
				set(place[0], place[1], v)
				if k%3 == 0 {
					other := s.places[rng.IntN(len(s.places))]
					set(other[0], other[1], bad[rng.IntN(len(bad))])
				}
				want := d.Factor(g)
				count[want]++
				if got := c.Factor(b); got != want {
					t.Errorf("%s: %v at %v: %v, want %v", s.name, v, place, got, want)
				}
			}
		}
	}
	for _, o := range []Outcome{Factored, NotPositiveDefinite, NonFinite} {
		if count[o] < 1000 {
			t.Errorf("%v occurs %d times only", o, count[o])
		}
	}
}

// TestStructuredRange: large and small numbers factorise as in Cholesky.
func TestStructuredRange(t *testing.T) {
	for _, d := range []float64{1e-300, 1e-160, 1e160, 1e300, 4e-320} {
		for _, part := range []Part{{N: 7}, {N: 7, Width: 1}, {N: 2, Width: 1}, {N: 7, Width: 2}, {Border: []int{0, 1, 2}}, {N: 3, Width: 1, Border: []int{3, 4}}} {
			if d < 1e-310 && part.N > 0 && part.Border != nil {
				continue // no reciprocals there
			}
			n := part.N + len(part.Border)
			s := newStructure("", n, part)
			g := make([]float64, n*n)
			for _, place := range s.places {
				g[place[0]*n+place[1]] = d * 0.125
			}
			for i := range n {
				g[i*n+i] = d
			}
			c, full := NewStructured(n, s.parts), NewCholesky(n)
			if d < 1e-310 { // coupled, the multipliers of L would have few digits
				for _, place := range s.places {
					if place[0] != place[1] {
						g[place[0]*n+place[1]] = 0
					}
				}
			}
			if a, b := c.Factor(s.unread(g)), full.Factor(g); a != Factored || b != Factored {
				t.Fatalf("%v, diagonal %g: %v, %v", part, d, a, b)
			}
			if got, want := c.LogDet(), full.LogDet(); math.Abs(got-want) > 1e-14*math.Abs(want) {
				t.Errorf("%v, diagonal %g: LogDet %v, want %v", part, d, got, want)
			}
		}
	}
	// A reciprocal that overflows is met by zero couplings only.
	for _, width := range []int{0, 1, 2} {
		for at := range 5 {
			c, b := NewStructured(5, []Part{{N: 5, Width: width}}), make([]float64, 5*(width+1))
			for i := range 5 {
				b[i] = 1
			}
			b[at] = 5e-324
			if got := c.Factor(b); got != Factored {
				t.Errorf("width %d: 5e-324 at %d: %v", width, at, got)
			}
		}
	}
	for _, b := range [][]float64{{1e-300, 1, 0, 1e300}, {1e-300, 1, 1, 0, 1e300, 0}, {1, 1, 1e-300, 0, 0, 1e300}} { // overflow
		n := len(b) / 2
		if got := NewStructured(n, []Part{{N: n, Width: 1}}).Factor(b); got != NonFinite {
			t.Errorf("%v: %v", b, got)
		}
	}
}

// TestStructuredBackward: v solves a system near G v = p, however the
// coordinates are scaled. Equation i is off by a few roundings of its terms, of
// sum T_i, times G_ii / d_i, and of those of its neighbours j times G_ij / d_j:
// what cancels within a step of recursive doubling.
func TestStructuredBackward(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 1))
	worst := 0.0
	for range 2000 {
		n := 3 + rng.IntN(40)
		b := gradedChain(rng, n)
		c := NewStructured(n, []Part{{N: n, Width: 1}})
		if c.Factor(b) != Factored {
			continue // singular to double precision
		}
		p, v := normals(rng, n), make([]float64, n)
		c.Solve(v, p)
		residual, terms := make([]float64, n), make([]float64, n)
		add := func(i int, x float64) {
			residual[i] += x
			terms[i] += math.Abs(x)
		}
		for i := range n {
			add(i, b[i]*v[i])
			add(i, -p[i])
			if i > 0 {
				add(i, b[n+i]*v[i-1])
				add(i-1, b[n+i]*v[i])
			}
		}
		for i, r := range residual {
			size := b[i] / c.pivot[i] * terms[i]
			if i > 0 {
				size += b[n+i] / c.pivot[i-1] * terms[i-1]
			}
			if i+1 < n {
				size += b[n+i+1] / c.pivot[i+1] * terms[i+1]
			}
			worst = max(worst, math.Abs(r)/size)
		}
	}
	t.Logf("error at most %.2g of the terms", worst)
	if !(worst <= 1e-15) {
		t.Errorf("an equation is off by %.2g of its terms", worst)
	}
}

// gradedChain returns a packed tridiagonal matrix M Mᵀ, with M bidiagonal, whose
// coordinates are scaled by factors between 1e-8 and 1e8.
func gradedChain(rng *rand.Rand, n int) []float64 {
	b := make([]float64, 2*n)
	diagonal, scale := 0.0, 0.0
	for i := range n {
		before, above := diagonal, scale
		diagonal, scale = math.Exp(2*rng.NormFloat64()), math.Pow(10, 16*rng.Float64()-8)
		beside := 0.0
		if i > 0 {
			beside = math.Exp(2 * rng.NormFloat64())
			b[n+i] = beside * before * scale * above
		}
		b[i] = (diagonal*diagonal + beside*beside) * scale * scale
	}
	return b
}

// TestStructuredAutoregression has closed forms. The precision of a stationary
// autoregression x_i = ρ x_i−1 + ε_i with Var ε = 1/s has the determinant
// sⁿ (1 − ρ²), and its inverse has the entries ρ^|i−j| / (s (1 − ρ²)).
func TestStructuredAutoregression(t *testing.T) {
	for _, n := range []int{2, 3, 4, 5, 6, 7, 99_999, 100_000} {
		for _, rho := range []float64{-0.5, 0.5, 0.99} {
			const s = 1e5 // det G overflows
			variance := 1 / (s * (1 - rho*rho))
			b := make([]float64, 2*n)
			for i := range n {
				b[i], b[n+i] = s*(1+rho*rho), -s*rho
			}
			b[0], b[n-1], b[n] = s, s, math.NaN()
			c := NewStructured(n, []Part{{N: n, Width: 1}})
			if out := c.Factor(b); out != Factored {
				t.Fatal(out)
			}
			name := fmt.Sprintf("n = %d, ρ = %g", n, rho)
			want := float64(n)*math.Log(s) + math.Log1p(-rho*rho)
			close(t, name+": LogDet", []float64{c.LogDet()}, []float64{want}, 1e-12)

			w := make([]float64, 2*n)
			c.Inverse(w)
			for i := range w {
				w[i] /= variance
			}
			close(t, name+": Inverse", w[:n], slices.Repeat([]float64{1}, n), 1e-12)
			close(t, name+": Inverse", w[n:], append([]float64{0}, slices.Repeat([]float64{rho}, n-1)...), 1e-12)

			k := n / 3
			p, v := make([]float64, n), make([]float64, n)
			p[k] = 1 / variance
			if got := c.Quad(p) * variance; math.Abs(got-1) > 1e-12 {
				t.Errorf("%s: Quad %v, want 1", name, got)
			}
			c.Solve(v, p)
			for i := range p {
				p[i] = math.Pow(rho, math.Abs(float64(i-k)))
			}
			close(t, name+": Solve", v, p, 1e-12)
		}
	}
}

func TestStructuredAllocations(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 1))
	s := newStructure("", 27,
		Part{Spine: 1, N: 9, Width: 1, Border: []int{0, 26}},
		Part{Spine: 10, N: 6, Width: 3}, Part{Border: []int{16, 18}}, Part{Spine: 19, N: 7, Border: []int{17}})
	g := s.random(rng)
	b, w, v := s.pack(g, 0), make([]float64, s.size), normals(rng, s.dim)
	c := NewStructured(s.dim, s.parts)
	if a := testing.AllocsPerRun(10, func() {
		if c.Factor(b) != Factored {
			t.Fatal("not factored")
		}
		c.Solve(v, v)
		c.MulL(v, v)
		c.Inverse(w)
		c.SubtractSquare(w, v)
		c.Dense(g, b)
		c.Pack(w, g)
		v[0] = c.LogDet() + c.Quad(v)
		w[0] = -1
		if c.Factor(w) != NotPositiveDefinite {
			t.Fatal("factored")
		}
	}); a != 0 {
		t.Errorf("%v allocations", a)
	}
}

func TestNewStructuredPanics(t *testing.T) {
	for _, c := range []struct {
		dim   int
		parts []Part
		want  string
	}{
		{3, []Part{{N: 2}}, "coordinate 2 is in no part"},
		{3, []Part{{N: 4}}, "part 0 has coordinate 3"},
		{3, []Part{{Spine: -1, N: 3}}, "part 0 has coordinate -1"},
		{3, []Part{{N: 2}, {Spine: 1, N: 2}}, "part 1 has coordinate 1"},
		{3, []Part{{N: 3, Border: []int{1}}}, "part 0 has coordinate 1"},
		{3, []Part{{N: 2, Border: []int{3}}}, "part 0 has coordinate 3"},
		{3, []Part{{N: -1}}, "length -1"},
		{3, []Part{{N: 3, Width: -1}}, "width -1"},
	} {
		func() {
			defer func() {
				if m := fmt.Sprint(recover()); !strings.Contains(m, c.want) {
					t.Errorf("%v: %q, want %q", c.parts, m, c.want)
				}
			}()
			NewStructured(c.dim, c.parts)
		}()
	}
}
