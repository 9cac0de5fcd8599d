package linalg

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

func wide(v float64) *big.Float { return new(big.Float).SetPrec(400).SetFloat64(v) }

// squares returns Σ w (y − X h)² of one response in high precision.
func squares(first, rows int, w, y []float64, h []float64, regressors []Regressor) *big.Float {
	total := wide(0)
	for i := first - 1; i < rows; i++ {
		e := wide(0)
		if y != nil {
			e = wide(y[i])
		}
		at := 0
		for _, r := range regressors {
			for j := range r.Columns {
				x := 1.0
				if r.X != nil {
					x = r.X[i*r.Columns+j]
				}
				e.Sub(e, wide(0).Mul(wide(x), wide(h[at])))
				at++
			}
		}
		e.Mul(e, e)
		if w != nil {
			e.Mul(e, wide(w[i]))
		}
		total.Add(total, e)
	}
	return total
}

// squareOfSizes returns Σ w (|y| + |X| |h|)².
func squareOfSizes(first, rows int, w, y []float64, h []float64, regressors []Regressor) float64 {
	sized := func(v []float64, sign float64) []float64 {
		if v == nil {
			return nil
		}
		out := make([]float64, len(v))
		for i := range v {
			out[i] = sign * math.Abs(v[i])
		}
		return out
	}
	var columns []Regressor
	for _, r := range regressors {
		c := Regressor{Columns: r.Columns}
		if r.X != nil {
			c.X = sized(r.X, 1)
		}
		columns = append(columns, c)
	}
	size, _ := squares(first, rows, w, sized(y, -1), sized(h, 1), columns).Float64()
	return size
}

// fitted returns ρ + |c + R (h − ĥ)|² in high precision.
func fitted(s *LeastSquares, response int, h []float64, regressors []Regressor, parts bool) *big.Float {
	total := wide(s.Rest()[response])
	starts := []int{0}
	for n, r := range regressors {
		starts = append(starts, starts[n]+r.Columns)
	}
	for r, x := range regressors {
		for l := range x.Columns {
			u := wide(s.Offset(r)[response*x.Columns+l])
			for q := r; q < len(regressors); q++ {
				k := regressors[q].Columns
				for m := range k {
					d := wide(0).Sub(wide(h[starts[q]+m]), wide(s.Centre(q)[response*k+m]))
					f := wide(s.Factor(r, q)[l*k+m])
					if parts {
						f.Add(wide(s.High(r, q)[l*k+m]), wide(s.Low(r, q)[l*k+m]))
						f.Mul(f, wide(s.Scale(q)[m]))
					}
					u.Add(u, f.Mul(f, d))
				}
			}
			total.Add(total, u.Mul(u, u))
		}
	}
	return total
}

// TestLeastSquares holds the identity of the fit against the sum itself, in 400
// bits, for data from 1e-150 to 1e150, columns that depend on each other, and
// signals up to 1e10 times the noise: with R in parts to 1e-13 of the sum, at
// the fit and away from it, and to 1e-31 of what the squares would be if nothing
// cancelled.
func TestLeastSquares(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	var s LeastSquares
	for range 300 {
		rows, responses := 5+rng.IntN(40), 1+rng.IntN(3)
		first := 1 + rng.IntN(3)
		units := math.Pow(10, float64([]int{0, 0, -150, 150}[rng.IntN(4)]))
		ratio := math.Pow(10, float64(rng.IntN(11)))
		offset := []float64{0, 1, 1e5, 1e10}[rng.IntN(4)]
		k := 1 + rng.IntN(4)
		x, z := make([]float64, rows*k), make([]float64, rows)
		var w []float64
		for i := range rows {
			z[i] = rng.NormFloat64()
			for j := range k {
				x[i*k+j] = units * (offset + rng.NormFloat64())
			}
			if k > 1 && ratio < 1e5 {
				x[i*k+k-1] = 2 * x[i*k] // dependent
			}
			if responses > 1 {
				w = append(w, math.Exp(5*rng.NormFloat64()))
			}
		}
		regressors := []Regressor{{Columns: 1}, {x, k}, {z, 1}}
		truth := make([]float64, k+2)
		for j := range truth {
			truth[j] = ratio * rng.NormFloat64()
			if 0 < j && j <= k {
				truth[j] /= units
			}
		}
		y := make([]float64, responses*rows)
		for g := range responses {
			for i := range rows {
				v := truth[0] + truth[k+1]*z[i] + rng.NormFloat64()
				for j := range k {
					v += x[i*k+j] * truth[1+j]
				}
				y[g*rows+i] = v
			}
		}
		s.Fit(first, rows, responses, w, y, regressors...)
		for g := range responses {
			for step := range 4 {
				h := append([]float64(nil), truth...)
				for j := range h {
					h[j] += float64(step) * (h[j] - s.Centre(min(2, (j+k-1)/k))[0]) * rng.NormFloat64() / ratio
				}
				own := y[g*rows : (g+1)*rows]
				want := squares(first, rows, w, own, h, regressors)
				got := fitted(&s, g, h, regressors, true)
				sum, _ := want.Float64()
				d, _ := wide(0).Sub(got, want).Float64()
				if size := squareOfSizes(first, rows, w, own, h, regressors); !(math.Abs(d) <= 1e-13*sum+1e-31*size) {
					t.Fatalf("%d rows from %d, %d columns near %g, ratio %g, offset %g: error %.3g of %.3g, of terms of %.3g", rows, first, k, units, ratio, offset, d, sum, size)
				}
			}
		}
	}
}

// TestLeastSquaresEmpty: without rows, and with columns of zeros, the sum is what it is.
func TestLeastSquaresEmpty(t *testing.T) {
	var s LeastSquares
	for _, c := range []struct {
		rows int
		x, y []float64
	}{{0, nil, nil}, {1, []float64{0}, []float64{3}}, {3, []float64{0, 0, 0}, []float64{1, 2, 3}}, {2, []float64{1, 1}, []float64{5, 5}}, {2, []float64{1e-200, 3e-200}, nil}} {
		regressors := []Regressor{{X: c.x, Columns: 1}}
		s.Fit(1, c.rows, 1, nil, c.y, regressors...)
		for _, h := range []float64{0, 1, 5} {
			want, _ := squares(1, c.rows, nil, c.y, []float64{h}, regressors).Float64()
			if got, _ := fitted(&s, 0, []float64{h}, regressors, false).Float64(); math.Abs(got-want) > 1e-14*want+1e-29*squareOfSizes(1, c.rows, nil, c.y, []float64{h}, regressors) {
				t.Errorf("%v at h = %v: %v, want %v", c, h, got, want)
			}
		}
	}
	// What is not finite is no panic and no number.
	s.Fit(1, 2, 1, nil, []float64{1, math.Inf(1)}, Regressor{Columns: 1})
	if r := s.Rest()[0]; !math.IsNaN(r) {
		t.Errorf("the fit of +Inf leaves %v", r)
	}
}

// TestLeastSquaresAllocations: a fit of the same sizes allocates nothing.
func TestLeastSquaresAllocations(t *testing.T) {
	x, y := make([]float64, 200), make([]float64, 100)
	for i := range x {
		x[i] = float64(i * i % 17)
		y[i/2] = float64(i % 7)
	}
	var s LeastSquares
	s.Fit(1, 100, 1, nil, y, Regressor{Columns: 1}, Regressor{x, 2})
	if n := testing.AllocsPerRun(10, func() { s.Fit(1, 100, 1, nil, y, Regressor{Columns: 1}, Regressor{x, 2}) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestLeastSquaresOfOneColumn: one column and one response without weights have loops of their own, which leave sizes
// near the ends of what numbers can be to those of all others. The identity holds to 1e-14 of the sum at the fit and away
// from it, for responses that the column says but for one part in 10¹², and to 1e-31 of what the squares would be.
func TestLeastSquaresOfOneColumn(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, n := range []int{1, 2, 3, 10, 63, 64, 65, 1000} {
		for _, scale := range []float64{1, 1e-60, 1e60, 1e-140, 1e140, 1e-150, 1e150} {
			for _, noise := range []float64{0, 1e-12, 1e-6, 0.1, 10} {
				x, y := make([]float64, n), make([]float64, n)
				for i := range x {
					x[i] = (3 + rng.NormFloat64()) * scale
					y[i] = 2*x[i] + noise*scale*rng.NormFloat64()
				}
				columns := []Regressor{{x, 1}}
				var s LeastSquares
				s.Fit(1, n, 1, nil, y, columns...)
				for _, h := range []float64{s.Centre(0)[0], 2, 2 + noise, 2 - 1e-7, 0, -3} {
					want := squares(1, n, nil, y, []float64{h}, columns)
					sum, _ := want.Float64()
					for _, parts := range []bool{false, true} {
						d, _ := wide(0).Sub(fitted(&s, 0, []float64{h}, columns, parts), want).Float64()
						if size := squareOfSizes(1, n, nil, y, []float64{h}, columns); !(math.Abs(d) <= 1e-14*sum+1e-31*size) {
							t.Errorf("%d rows of size %g, noise %g, h = %v, parts %v: error %.3g of %.3g, of terms of %.3g", n, scale, noise, h, parts, d, sum, size)
						}
					}
				}
				y[n-1] = math.NaN()
				if s.Fit(1, n, 1, nil, y, columns...); !math.IsNaN(s.Rest()[0]) {
					t.Errorf("%d rows with a NaN: %v", n, s.Rest()[0])
				}
			}
		}
	}
}
