package linalg

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestDividedDifference compares ψ and its divided differences with values
// computed with 120 digits; see testdata.
func TestDividedDifference(t *testing.T) {
	file, err := os.Open("testdata/divided.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	count, worst := 0, 0.0
	for s := bufio.NewScanner(file); s.Scan(); count++ {
		var v [5]float64
		for i, word := range strings.Fields(s.Text()) {
			if v[i], err = strconv.ParseFloat(word, 64); err != nil {
				t.Fatal(err)
			}
		}
		alpha, x, y := v[0], v[1], v[2]
		p, q := newPoint(x, alpha), newPoint(y, alpha)
		if psi := p.size + p.decay/alpha; !(math.Abs(psi-v[3]) <= 4e-16*v[3]) {
			t.Errorf("α = %g: ψ(%v) = %v, want %v", alpha, x, psi, v[3])
		}
		for _, j := range []float64{dividedDifference(&p, &q, alpha), dividedDifference(&q, &p, alpha)} {
			e := math.Abs(j - v[4])
			if e > 0 {
				e /= math.Abs(v[4])
			}
			worst = max(worst, e)
			if !(e <= 2e-15) {
				t.Errorf("α = %g: J(%v, %v) = %v, want %v: relative error %.2g", alpha, x, y, j, v[4], e)
			}
		}
	}
	t.Logf("relative error at most %.2g of %d points", worst, count)
	if count < 900 {
		t.Errorf("only %d values", count)
	}
}

// flat returns the rows of a matrix as one slice.
func flat(rows [][]float64) []float64 { return slices.Concat(rows...) }

func readJSON(t *testing.T, name string, v any) {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name)
	if err == nil {
		err = json.Unmarshal(b, v)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestSoftAbs compares G, log det G and weights with values computed with 120
// digits from matrices with simple, nearly equal and equal eigenvalues.
func TestSoftAbs(t *testing.T) {
	var cases []struct {
		Name       string
		Alpha      float64
		H, W, G, M [][]float64
		LogdetG    float64
	}
	readJSON(t, "softabs.json", &cases)
	if len(cases) != 14 {
		t.Fatalf("%d cases", len(cases))
	}
	for _, c := range cases {
		name := fmt.Sprintf("%s, α = %g", c.Name, c.Alpha)
		n := len(c.H)
		s := NewSoftAbs(n, c.Alpha)
		if out := s.Factor(lowerOnly(flat(c.H), n)); out != Factored {
			t.Fatalf("%s: %v", name, out)
		}
		got := make([]float64, n*n)
		s.Metric(got)
		close(t, name+": G", got, flat(c.G), 1e-14)
		// An eigenvalue below the largest by 1e-3 has lost three digits.
		close(t, name+": log det G", []float64{s.LogDet()}, []float64{c.LogdetG}, 1e-12)
		s.Weights(got, flat(c.W))
		// M turns as fast as eigenvectors do, by errors of H times α at most.
		close(t, name+": M", got, flat(c.M), 2e-13)
		if !slices.Equal(got, transpose(n, got)) {
			t.Errorf("%s: M is not symmetric", name)
		}
	}
}

// TestSoftAbsFunnel compares with the code of the authors of the paper, on
// Neal's funnel: the metric, its determinant, and through the weights the
// gradients of log det G and pᵀG⁻¹p.
func TestSoftAbsFunnel(t *testing.T) {
	var points []struct {
		Alpha       float64
		Q, P        []float64
		HessL, G    [][]float64
		LogdetG     float64
		GradLogdetG []float64 `json:"grad_logdetG"`
		GradPGinvP  []float64 `json:"grad_pGinvp"`
	}
	readJSON(t, "funnel.json", &points)
	if len(points) != 6 {
		t.Fatalf("%d points", len(points))
	}
	var s *SoftAbs
	for i, c := range points {
		name := fmt.Sprintf("point %d, α = %g", i, c.Alpha)
		n := len(c.Q)
		if s == nil || s.Alpha != c.Alpha { // else used work space
			s = NewSoftAbs(n, c.Alpha)
		}
		if out := s.Factor(flat(c.HessL)); out != Factored {
			t.Fatalf("%s: %v", name, out)
		}
		g := make([]float64, n*n)
		s.Metric(g)
		close(t, name+": G", g, flat(c.G), 1e-12)
		close(t, name+": log det G", []float64{s.LogDet()}, []float64{c.LogdetG}, 1e-12)

		// ⟨M, ∂H⟩ with H_xx = −eᵛ, H_xv = −x eᵛ, H_vv = −½ eᵛ Σ x² − 1/9.
		contract := func(m []float64) []float64 {
			x, ev := c.Q[:n-1], math.Exp(c.Q[n-1])
			out := make([]float64, n)
			corner := m[n*n-1]
			for k, xk := range x {
				mk := m[k*n+n-1]
				out[k] = -2*ev*mk - corner*ev*xk
				out[n-1] -= ev * (m[k*n+k] + 2*mk*xk + 0.5*corner*xk*xk)
			}
			return out
		}
		m := make([]float64, n*n)
		s.WeightsInverse(m)
		close(t, name+": ∇ log det G", contract(m), c.GradLogdetG, 1e-12)
		v := make([]float64, n)
		s.Solve(v, c.P)
		s.WeightsVelocity(m, v)
		grad := contract(m)
		for k := range grad {
			grad[k] *= -1
		}
		close(t, name+": ∇ pᵀG⁻¹p", grad, c.GradPGinvP, 1e-12)
		s.WeightsForce(m, v)
		for k := range grad {
			grad[k] = c.GradLogdetG[k] + c.GradPGinvP[k]
		}
		close(t, name+": ∇ (log det G + pᵀG⁻¹p)", contract(m), grad, 1e-12)
	}
}

// TestSoftAbsDerivative compares ⟨M, E⟩ with finite differences of ⟨W, G⟩
// along H + εE.
func TestSoftAbsDerivative(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 1))
	const n = 7
	for _, alpha := range []float64{1, 1e6} {
		for _, sp := range spectra {
			values := make([]float64, n)
			for i := range values {
				values[i] = sp.value(rng, i, n)
			}
			h, w, e := symmetric(rng, values), symmetric(rng, normals(rng, n)), symmetric(rng, normals(rng, n))
			if sp.name == "zero" || sp.name == "rank one" || sp.name == "graded" {
				// There ψ is smooth on the scale 1/α only.
				for i := range e {
					e[i] /= alpha
				}
			}
			if alpha > 1 && slices.ContainsFunc(values, func(v float64) bool { return math.Abs(v) < 0.04 && v != 0 }) {
				continue // a kink within the step of the difference
			}
			s := NewSoftAbs(n, alpha)
			g := make([]float64, n*n)
			along := func(step float64) float64 {
				moved := slices.Clone(h)
				for i := range moved {
					moved[i] += step * e[i]
				}
				if out := s.Factor(moved); out != Factored {
					t.Fatal(out)
				}
				s.Metric(g)
				return inner(w, g)
			}
			// Central differences, extrapolated twice.
			d := func(step float64) float64 { return (along(step) - along(-step)) / (2 * step) }
			d1, d2, d4 := d(4e-3), d(2e-3), d(1e-3)
			d1, d2 = d2+(d2-d1)/3, d4+(d4-d2)/3
			want := d2 + (d2-d1)/15
			along(0)
			s.Weights(g, w)
			// The second term is the rounding of G, divided by the step.
			norm := math.Sqrt(inner(w, w))
			tolerance := 1e-8*norm*math.Sqrt(inner(e, e)) + 1e-12*norm*math.Sqrt(inner(h, h))
			if got := inner(g, e); !(math.Abs(got-want) <= tolerance) {
				t.Errorf("%s, α = %g: %v, want %v", sp.name, alpha, got, want)
			}
		}
	}
}

// TestSoftAbsConsistent checks the other methods against the metric and one
// another.
func TestSoftAbsConsistent(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	for n := range 14 {
		for _, alpha := range []float64{1, 1e6} {
			h := make([]float64, n*n)
			if n > 0 {
				h = symmetric(rng, normals(rng, n))
			}
			s, c := NewSoftAbs(n, alpha), NewCholesky(n)
			if out := s.Factor(h); out != Factored {
				t.Fatal(out)
			}
			g, p := make([]float64, n*n), normals(rng, n)
			s.Metric(g)
			if out := c.Factor(g); out != Factored {
				t.Fatal(out)
			}
			if n == 0 {
				continue
			}
			condition := slices.Max(s.psi) / slices.Min(s.psi)
			loose := 1e-14 * condition * condition
			name := fmt.Sprintf("n = %d, α = %g", n, alpha)
			close(t, name+": LogDet", []float64{s.LogDet()}, []float64{c.LogDet()}, loose)
			v, want := slices.Clone(p), slices.Clone(p)
			c.Solve(want, want)
			s.Solve(v, v)
			close(t, name+": Solve", v, want, loose)
			close(t, name+": Quad", []float64{s.Quad(p)}, []float64{c.Quad(p)}, loose)
			w, inverse := make([]float64, n*n), make([]float64, n*n)
			s.Inverse(w)
			c.Inverse(inverse)
			close(t, name+": Inverse", w, inverse, loose)

			// √G √Gᵀ = G, column by column.
			root := make([]float64, n*n)
			for i := range n {
				column := root[i*n : (i+1)*n]
				column[i] = 1
				s.MulSqrt(column, column)
			}
			close(t, name+": √G √Gᵀ", product(n, transpose(n, root), root), g, 1e-14)

			m, direct := make([]float64, n*n), make([]float64, n*n)
			s.Weights(direct, w)
			s.WeightsInverse(m)
			close(t, name+": WeightsInverse", m, direct, loose)
			vv := make([]float64, n*n)
			for i := range vv {
				vv[i] = v[i/n] * v[i%n]
			}
			s.Weights(direct, vv)
			s.WeightsVelocity(m, v)
			close(t, name+": WeightsVelocity", m, direct, loose)
			for i := range vv {
				vv[i] = w[i] - vv[i]
			}
			s.WeightsForce(m, v)
			s.Weights(vv, vv) // in place
			close(t, name+": WeightsForce", m, vv, loose)
		}
	}
}

func TestSoftAbsOutcomes(t *testing.T) {
	for _, c := range []struct {
		alpha float64
		h     float64
		want  Outcome
		psi   float64
	}{
		{1, 0, Factored, 1},
		{1e6, 0, Factored, 1e-6},
		{1e6, -3, Factored, 3},
		{1e6, 1e308, Factored, 1e308},
		{1, 1e-320, Factored, 1},
		{1, math.NaN(), NonFinite, 0},
		{1, math.Inf(-1), NonFinite, 0},
		{5e-324, 1, NonFinite, 0},
		{-1, 1, NotPositiveDefinite, 0},
		{math.NaN(), 1, NonFinite, 0},
	} {
		s := NewSoftAbs(1, c.alpha)
		g := []float64{0}
		out := s.Factor([]float64{c.h})
		if out == Factored {
			s.Metric(g)
		}
		if out != c.want || g[0] != c.psi {
			t.Errorf("α = %g, H = %g: %v, G = %v; want %v, %v", c.alpha, c.h, out, g[0], c.want, c.psi)
		}
	}
}

func BenchmarkSoftAbs(b *testing.B) {
	const n = 11
	rng := rand.New(rand.NewPCG(1, 1))
	h, v, m := arrow(n, rng), normals(rng, n), make([]float64, n*n)
	for _, alpha := range []float64{1, 1e6} {
		s := NewSoftAbs(n, alpha)
		run := func(name string, f func()) {
			b.Run(fmt.Sprintf("%s/alpha=%g", name, alpha), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					f()
				}
			})
		}
		run("Factor", func() { s.Factor(h) })
		run("Divide", func() { s.haveJ = false; s.divide() })
		run("Metric", func() { s.Metric(m) })
		run("Solve", func() { s.Solve(v, v); copy(v, h) })
		run("WeightsInverse", func() { s.WeightsInverse(m) })
		run("WeightsVelocity", func() { s.WeightsVelocity(m, v) })
		run("WeightsForce", func() { s.WeightsForce(m, v) })
		run("Weights", func() { s.Weights(m, h) })
	}
}
