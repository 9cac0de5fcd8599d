package ode

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"
)

func readJSON(t testing.TB, path string, to any) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, to)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// linspace returns n times from a to b.
func linspace(a, b float64, n int) []float64 {
	times := make([]float64, n)
	for i := range times {
		times[i] = a + (b-a)*float64(i)/float64(n-1)
	}
	return times
}

// solve returns the rows of the solution, one per time, and demands that there
// is one.
func solve(t testing.TB, s *Solver, y0 []float64, t0 float64, times, u []float64) [][]float64 {
	t.Helper()
	out := make([]float64, len(y0)*len(times))
	if st := s.Solve(out, y0, t0, times, u); st != OK {
		t.Fatalf("%v after %+v", st, s.Counts())
	}
	return rows(out, len(y0), len(times))
}

func rows(out []float64, dim, times int) [][]float64 {
	all := make([][]float64, times)
	for n := range all {
		all[n] = make([]float64, dim)
		for j := range all[n] {
			all[n][j] = out[j*times+n]
		}
	}
	return all
}

// distance returns max|a − b| / max(1, max|b|).
func distance(a, b []float64) float64 {
	d, size := 0.0, 1.0
	for i := range b {
		d = max(d, math.Abs(a[i]-b[i]))
		size = max(size, math.Abs(b[i]))
	}
	return d / size
}

// worst returns the largest distance of two rows.
func worst(a, b [][]float64) float64 {
	d := 0.0
	for i := range b {
		d = max(d, distance(a[i], b[i]))
	}
	return d
}

func tolerance(tol float64) Options { return Options{RelTol: tol, AbsTol: tol} }

// padded returns y0 with zeros for the sensitivities.
func padded(y0 []float64, dim int) []float64 {
	return append(slices.Clone(y0), make([]float64, dim-len(y0))...)
}

// same reports whether a and b are the same bits.
func same(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) })
}
