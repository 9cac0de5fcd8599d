package draws

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

// counted is the tally of the second column of rows, and the fraction of missing information by the energies in the third, which are near 10⁶.
func counted(rows [][]float64) (want Tally, fmi float64) {
	mean, spread, steps := 0.0, 0.0, 0.0
	for _, r := range rows {
		want.N++
		want.Sum += r[1]
		if r[1] != 0 {
			want.NonZero++
		}
		if r[1] < 64 {
			want.Small[int(r[1])]++
		} else {
			want.Other++
		}
		mean += (r[2] - 1e6) / float64(len(rows))
	}
	for j, r := range rows {
		spread += (r[2] - 1e6 - mean) * (r[2] - 1e6 - mean)
		if j > 0 {
			steps += (r[2] - rows[j-1][2]) * (r[2] - rows[j-1][2])
		}
	}
	return want, steps / spread
}

// Of more draws than the bounds allow every k-th is held, and all are counted.
func TestLoadWithin(t *testing.T) {
	dir := t.TempDir()
	rng := rand.New(rand.NewPCG(5, 6))
	const n = 1001
	var rows [2][][]float64
	for c := range rows {
		h := Header{Model: "m", Samples: n, ID: c + 1, Columns: []string{"lp__", "treedepth__", "energy__", "x"}}
		w, err := Create(filepath.Join(dir, FileName(c+1)), false, h)
		if err != nil {
			t.Fatal(err)
		}
		for range n {
			row := []float64{rng.NormFloat64(), float64(rng.IntN(70)), 1e6 + rng.NormFloat64(), rng.NormFloat64()}
			rows[c] = append(rows[c], row)
			if err := w.Row(row); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(h); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		b     Bounds
		every int
	}{
		{Bounds{2 * n, 8 * n, 1}, 1},
		{Bounds{2*n - 1, 8 * n, 1}, 2},
		{Bounds{300, 8 * n, 1}, 7},
		{Bounds{2 * n, 800, 1}, 11},
		{Bounds{2 * n, 800, 500}, 4}, // as wide as it is, so many are held
	} {
		s, err := LoadWithin(dir, c.b)
		if err != nil {
			t.Fatal(err)
		}
		for i, chain := range s.Chains {
			if held := (n + c.every - 1) / c.every; max(1, chain.Every) != c.every || chain.All() != n || chain.Draws() != held || !chain.Complete {
				t.Fatalf("%+v: every %d, %d of %d draws", c.b, chain.Every, chain.Draws(), chain.All())
			}
			for k := range chain.Values {
				for j, v := range chain.Values[k] {
					if v != rows[i][j*c.every][k] {
						t.Fatalf("every %d: draw %d of column %d is %v", c.every, j, k, v)
					}
				}
			}
			if c.every == 1 {
				if chain.Tally("lp__") != nil {
					t.Error("counted for nothing")
				}
				continue
			}
			want, fmi := counted(rows[i])
			got := chain.Tally("treedepth__")
			if got.N != want.N || got.Sum != want.Sum || got.NonZero != want.NonZero || got.Small != want.Small || got.Other != want.Other {
				t.Errorf("every %d: %+v, want %+v", c.every, got, want)
			}
			// Energies near 10⁶ are exact to 10⁻¹⁰.
			if e := chain.Tally("energy__").EBFMI(); !(math.Abs(e-fmi) < 1e-8) {
				t.Errorf("E-BFMI %v, want %v", e, fmi)
			}
			if chain.Tally("x") != nil {
				t.Error("a parameter is counted")
			}
		}
	}
	if _, err := LoadWithin(filepath.Join(dir, "none"), Bounds{1, 1, 1}); err == nil {
		t.Error("no directory")
	}
	if err := os.WriteFile(filepath.Join(dir, "chain_3.csv"), []byte("lp__,x\n1,\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadWithin(dir, Bounds{300, 8 * n, 1}); err == nil {
		t.Error("a broken file")
	}
}
