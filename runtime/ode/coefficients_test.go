package ode

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"math"
	"math/big"
	"slices"
	"testing"
)

const precision = 200 // bits, of sums that should be zero

// literals returns the constants of coefficients.go with all their digits.
func literals(t *testing.T) map[string]*big.Float {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "coefficients.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]*big.Float{}
	for _, d := range file.Decls {
		for _, s := range d.(*ast.GenDecl).Specs {
			spec := s.(*ast.ValueSpec)
			sign, value := token.ADD, spec.Values[0]
			if u, ok := value.(*ast.UnaryExpr); ok {
				sign, value = u.Op, u.X
			}
			r, ok := new(big.Rat).SetString(value.(*ast.BasicLit).Value)
			if !ok {
				t.Fatalf("%s is not a number", spec.Names[0].Name)
			}
			v := number(0).SetRat(r)
			if sign == token.SUB {
				v.Neg(v)
			}
			all[spec.Names[0].Name] = v
		}
	}
	return all
}

type vector []*big.Float

func newVector() vector {
	v := make(vector, 16)
	for i := range v {
		v[i] = number(0)
	}
	return v
}

func number(x float64) *big.Float { return new(big.Float).SetPrec(precision).SetFloat64(x) }

func add(a, b *big.Float) *big.Float { return number(0).Add(a, b) }
func sub(a, b *big.Float) *big.Float { return number(0).Sub(a, b) }
func mul(a, b *big.Float) *big.Float { return number(0).Mul(a, b) }

func (v vector) dot(w vector) *big.Float {
	s := number(0)
	for i := range v {
		if v[i].Sign() != 0 && w[i].Sign() != 0 {
			s.Add(s, mul(v[i], w[i]))
		}
	}
	return s
}

// tableau is the method with all its digits.
type tableau struct {
	a         [16]vector
	b, e, low vector
	c         [17]*big.Float // by the number of the stage
	dense     [4]vector
	names     []string
	unknown   []string
}

func newTableau(all map[string]*big.Float) *tableau {
	m := &tableau{b: newVector(), e: newVector(), low: newVector()}
	for i := range m.a {
		m.a[i] = newVector()
		m.c[i+1] = number(0)
	}
	m.c[12], m.c[13] = number(1), number(1)
	for i := range m.dense {
		m.dense[i] = newVector()
	}
	m.names = slices.Sorted(maps.Keys(all))
	for _, name := range m.names {
		var i, j int
		switch v := all[name]; {
		case scan(name, "a%d_%d", &i, &j):
			m.a[i-1][j-1] = v
		case scan(name, "d%d_%d", &i, &j):
			m.dense[i-4][j-1] = v
		case scan(name, "low%d", &i):
			m.low[i-1] = v
		case scan(name, "b%d", &i):
			m.b[i-1], m.a[12][i-1] = v, v
		case scan(name, "e%d", &i):
			m.e[i-1] = v
		case scan(name, "c%d", &i):
			m.c[i] = v
		default:
			m.unknown = append(m.unknown, name)
		}
	}
	return m
}

// scan reports whether the format describes all of name.
func scan(name, format string, to ...any) bool {
	n, err := fmt.Sscanf(name, format, to...)
	if err != nil || n != len(to) {
		return false
	}
	values := make([]any, len(to))
	for i, p := range to {
		values[i] = *p.(*int)
	}
	return fmt.Sprintf(format, values...) == name
}

// tree is a rooted tree: what is left of it without its root.
type tree []*tree

// trees returns the rooted trees of each order from 1 to n.
func trees(n int) [][]*tree {
	all := [][]*tree{nil, {{}}}
	for order := 2; order <= n; order++ {
		var level []*tree
		// Forests of order−1 nodes, in trees that do not grow.
		var grow func(left, size, index int, forest tree)
		grow = func(left, size, index int, forest tree) {
			if left == 0 {
				level = append(level, new(slices.Clone(forest)))
				return
			}
			for s := min(size, left); s >= 1; s-- {
				for i, t := range all[s] {
					if s == size && i > index {
						break
					}
					grow(left-s, s, i, append(forest, t))
				}
			}
		}
		grow(order-1, order-1, len(all[order-1]), nil)
		all = append(all, level)
	}
	return all[1:]
}

func (t *tree) order() int {
	n := 1
	for _, s := range *t {
		n += s.order()
	}
	return n
}

// density returns γ(t): the order of t times the densities of its subtrees.
func (t *tree) density() int {
	d := t.order()
	for _, s := range *t {
		d *= s.density()
	}
	return d
}

// weights returns the vector Φ(t) with Φ_i = Π_s Σ_j a_ij Φ_j(s) over the
// subtrees s.
func (m *tableau) weights(t *tree, known map[*tree]vector) vector {
	if v, ok := known[t]; ok {
		return v
	}
	v := newVector()
	for i := range v {
		v[i] = number(1)
	}
	for _, s := range *t {
		w := m.weights(s, known)
		for i := range v {
			v[i] = mul(v[i], m.a[i].dot(w))
		}
	}
	known[t] = v
	return v
}

// defects returns how far the method is from the conditions that define it:
// the largest residual of each kind.
func (m *tableau) defects(levels [][]*tree) map[string]float64 {
	worst := map[string]float64{}
	note := func(what string, x *big.Float) {
		f, _ := number(0).Abs(x).Float64()
		worst[what] = max(worst[what], f)
	}
	ones := newVector()
	for i := range ones {
		ones[i] = number(1)
	}
	for i, row := range m.a {
		note("row sums", sub(row.dot(ones), m.c[i+1]))
	}

	known := map[*tree]vector{}
	embedded := newVector()
	for i := range embedded {
		embedded[i] = sub(m.b[i], m.e[i])
	}
	interpolants := map[float64]vector{}
	for i := 1; i <= 9; i++ { // more than the degree of the polynomials
		interpolants[float64(i)/8] = m.interpolant(number(float64(i) / 8))
	}
	for n, level := range levels {
		order := n + 1
		for _, t := range level {
			phi := m.weights(t, known)
			right := number(0).Quo(number(1), number(float64(t.density())))
			note(fmt.Sprintf("order %d", order), sub(m.b.dot(phi), right))
			note(fmt.Sprintf("embedded, order %d", order), sub(embedded.dot(phi), right))
			note(fmt.Sprintf("low, order %d", order), sub(m.low.dot(phi), right))
			for theta, w := range interpolants {
				r := right
				for range order {
					r = mul(r, number(theta))
				}
				note(fmt.Sprintf("dense, order %d", order), sub(w.dot(phi), r))
			}
		}
	}
	return worst
}

// interpolant returns the weights of the stages in dense output, written as in
// the book: y + θ(Δ + (1−θ)(B + θ(C + (1−θ) P))) with Δ = h Σ b_i k_i,
// B = h k_1 − Δ, C = Δ − h k_13 − B and P = h Σ (d_4i + θ(d_5i + (1−θ)(d_6i + θ d_7i))) k_i.
func (m *tableau) interpolant(theta *big.Float) vector {
	v := newVector()
	back := sub(number(1), theta)
	for i := range v {
		first, end := number(0), number(0)
		switch i {
		case 0:
			first = number(1)
		case 12:
			end = number(1)
		}
		b := sub(first, m.b[i])
		c := sub(sub(m.b[i], end), b)
		p := add(m.dense[2][i], mul(theta, m.dense[3][i]))
		p = add(m.dense[1][i], mul(back, p))
		p = add(m.dense[0][i], mul(theta, p))
		p = add(c, mul(back, p))
		p = add(b, mul(theta, p))
		v[i] = mul(theta, add(m.b[i], mul(back, p)))
	}
	return v
}

// conditions are the kinds of defects that are zero for DOP853.
func conditions() []string {
	names := []string{"row sums"}
	for order := 1; order <= 8; order++ {
		names = append(names, fmt.Sprintf("order %d", order))
		if order <= 7 {
			names = append(names, fmt.Sprintf("dense, order %d", order))
		}
		if order <= 5 {
			names = append(names, fmt.Sprintf("embedded, order %d", order))
		}
		if order <= 3 {
			names = append(names, fmt.Sprintf("low, order %d", order))
		}
	}
	return names
}

// The coefficients have 28 to 30 digits and products of up to 40.
const tiny = 2e-27

// TestCoefficients checks the digits of coefficients.go against the theory:
// the conditions of order 8 for all rooted trees, of order 7 for dense output,
// of the orders 5 and 3 for the two estimates, and that the orders are not
// higher, so that the test sees something.
func TestCoefficients(t *testing.T) {
	levels := trees(9)
	var sizes []int
	for _, l := range levels {
		sizes = append(sizes, len(l))
	}
	if want := []int{1, 1, 2, 4, 9, 20, 48, 115, 286}; !slices.Equal(sizes, want) {
		t.Fatalf("%d rooted trees, not %d", sizes, want)
	}
	m := newTableau(literals(t))
	if len(m.unknown) > 0 {
		t.Fatalf("unknown coefficients %v", m.unknown)
	}
	got := m.defects(levels)
	for _, c := range conditions() {
		if d, ok := got[c]; !ok || !(d < tiny) {
			t.Errorf("%s: %.1e", c, d)
		}
	}
	for _, c := range []string{"order 9", "dense, order 8", "embedded, order 6", "low, order 4"} {
		if d := got[c]; d < 1e-6 {
			t.Errorf("%s: %.1e, so the method has a higher order than it should", c, d)
		}
	}
}

// TestCoefficientsFail changes every coefficient in its 15th digit, one at a
// time, and looks for a condition that notices.
func TestCoefficientsFail(t *testing.T) {
	levels := trees(4) // enough of them, and fast
	names := conditions()
	for _, name := range newTableau(literals(t)).names {
		all := literals(t)
		all[name].Mul(all[name], number(1+0x1p-50))
		noticed := slices.ContainsFunc(names, func(c string) bool {
			return newTableau(all).defects(levels)[c] > 100*tiny
		})
		if !noticed {
			t.Errorf("%s may be wrong in the 15th digit", name)
		}
	}
}

// TestStages reads the coefficients off the loops. A right-hand side whose
// value is a different unit vector at each call makes the point of stage i, for
// y = 0 and h = 1, the row a_i.
func TestStages(t *testing.T) {
	m := newTableau(literals(t))
	const first = 1 // where t starts, so that nodes are not confused with times
	points, calls := map[int][]float64{}, []int{}
	stage := 1
	f := func(dy, y []float64, time float64, _ []float64) {
		points[stage] = slices.Clone(y)
		calls = append(calls, stage)
		clear(dy)
		dy[stage-1] = 1
		c, _ := m.c[stage].Float64()
		if want := first + c; time != want {
			t.Errorf("stage %d at time %v, not %v", stage, time, want)
		}
		stage++
	}
	s := NewSolver(16, f, Options{})
	f(s.k[:16], s.y, first, nil)
	s.step(first, 1, first+1, nil)
	if !s.complete(first, 1, first+1, nil, true) {
		t.Fatal("not complete")
	}
	if len(calls) != 16 || s.counts.Evaluations != 15 { // the first call is the test's
		t.Errorf("stages %v, %d evaluations", calls, s.counts.Evaluations)
	}
	for i := range 16 {
		for j := range 16 {
			want, _ := m.a[i][j].Float64()
			if got := points[i+1][j]; got != want {
				t.Errorf("a_%d,%d is %v in the loops, %v in the table", i+1, j+1, got, want)
			}
		}
	}
	for j := range 16 {
		want, _ := m.b[j].Float64()
		if s.ynew[j] != want {
			t.Errorf("b_%d is %v in the loops, %v in the table", j+1, s.ynew[j], want)
		}
		want, _ = sub(m.b[j], m.low[j]).Float64()
		if d := s.e3[j] - want; d > 1e-15 || d < -1e-15 {
			t.Errorf("the error of order 3 has weight %v for stage %d, not %v", s.e3[j], j+1, want)
		}
	}
	for _, theta := range []float64{0, 0.125, 0.5, 0.8, 1} {
		out := make([]float64, 3*16)
		s.interpolate(out, 3, 1, theta)
		for j, w := range m.interpolant(number(theta)) {
			want, _ := w.Float64()
			if d := out[3*j] - want; d > 1e-13 || d < -1e-13 { // the d_mi are up to 500
				t.Errorf("dense output at %v has weight %v for stage %d, not %v", theta, out[3*j], j+1, want)
			}
		}
	}
}

// TestEstimate reads the weights of both estimates off the loop: from the
// result for one stage, and for pairs of stages, which show the signs.
func TestEstimate(t *testing.T) {
	m := newTableau(literals(t))
	for i := range 16 {
		for j := range i + 1 {
			const h = 0.5
			s := NewSolver(1, nil, Options{AbsTol: 1})
			s.k[i]++
			s.k[j]++
			s.finish(h)
			clear(s.ynew) // so that the scale is AbsTol
			e5, _ := add(m.e[i], m.e[j]).Float64()
			e3, _ := sub(add(m.b[i], m.b[j]), add(m.low[i], m.low[j])).Float64()
			want := 0.0
			if e5 != 0 {
				want = h * e5 * e5 / math.Sqrt(e5*e5+0.01*e3*e3)
			}
			if got := s.estimate(h); math.Abs(got-want) > 1e-14 {
				t.Errorf("stages %d and %d: %v, not %v", i+1, j+1, got, want)
			}
		}
	}
}

// TestNorm checks the scale of the estimate, and that it is the largest of the
// components.
func TestNorm(t *testing.T) {
	s := NewSolver(4, nil, Options{RelTol: 1e-3, AbsTol: 1e-5})
	estimate := func(k12, y, ynew []float64) float64 {
		clear(s.k)
		copy(s.k[11*4:], k12)
		s.finish(1)
		copy(s.y, y)
		copy(s.ynew, ynew)
		return s.estimate(1)
	}
	zero, one := make([]float64, 4), estimate([]float64{1, 0, 0, 0}, make([]float64, 4), make([]float64, 4))
	for _, c := range []struct {
		k12, y, ynew []float64
		want         float64
	}{
		{[]float64{0, -3, 2, 1}, zero, zero, 3 * one},
		{[]float64{0, 0, 1, 0}, []float64{0, 0, -2, 0}, zero, one * 1e-5 / (1e-5 + 2e-3)},
		{[]float64{0, 0, 1, 0}, []float64{0, 0, 1, 0}, []float64{9, 9, -5, 9}, one * 1e-5 / (1e-5 + 5e-3)},
		{zero, zero, zero, 0},
		{[]float64{0, 1e300, 0, 0}, zero, zero, one * 1e300},
		{[]float64{0, 1e-300, 0, 0}, zero, zero, one * 1e-300},
	} {
		if got := estimate(c.k12, c.y, c.ynew); math.Abs(got-c.want) > 1e-14*c.want {
			t.Errorf("%v: %v, not %v", c, got, c.want)
		}
	}
	// The estimate of order 3 overflows, that of order 5 does not.
	s.atol = 1
	clear(s.k)
	s.k[6*4] = 1e308
	s.finish(1)
	clear(s.ynew)
	if got := s.estimate(1); got <= math.MaxFloat64 {
		t.Errorf("overflow: %v", got)
	}
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for j := range 4 {
			k12 := []float64{1, 1, 1, 1}
			k12[j] = bad
			if got := estimate(k12, zero, zero); got <= math.MaxFloat64 {
				t.Errorf("%v in component %d: %v", bad, j, got)
			}
		}
	}
}
