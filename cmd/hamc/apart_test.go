package main

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hamc-dev/hamc/runtime/diagnostics"
	"github.com/hamc-dev/hamc/runtime/draws"
)

// Chains lie apart where a parameter has no draws in common; not where a chain passes from one place to the other, and not where chains mix.
func TestChainsApart(t *testing.T) {
	const n, warmup = 400, 10
	run := func(at func(chain, draw int) float64) *apart {
		rng := rand.New(rand.NewPCG(1, 2))
		var chains []*draws.Chain
		var values [2][][]float64
		for i := range 4 {
			c := &draws.Chain{Number: i + 1, Warmup: warmup, Columns: []string{"lp__", "a", "b"}, Values: make([][]float64, 3)}
			for d := range n + warmup {
				c.Values[0] = append(c.Values[0], -10-float64(i))
				c.Values[1] = append(c.Values[1], rng.NormFloat64()/2)
				c.Values[2] = append(c.Values[2], at(i, d)+rng.NormFloat64()/10)
			}
			chains = append(chains, c)
			values[0], values[1] = append(values[0], c.Values[1][warmup:]), append(values[1], c.Values[2][warmup:])
		}
		rows, err := diagnostics.Summarize([]string{"a", "b"}, values[:], 0.5)
		if err != nil {
			t.Fatal(err)
		}
		return chainsApart(chains, n, rows)
	}
	got := run(func(chain, draw int) float64 { return []float64{2, -1, 2, -1.1}[chain] })
	if got == nil || got.parameter != "b" || !slices.Equal(got.chains[0], []int{2, 4}) || !slices.Equal(got.chains[1], []int{1, 3}) {
		t.Fatalf("two modes: %v", got)
	}
	if want := "chains 2, 4 and chains 1, 3 are at different places, where b is about -1.05 and 2, and the log density -12 and -11"; got.String() != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if got := run(func(chain, draw int) float64 { return float64(min(chain, 1)) }); got == nil || len(got.chains[0]) != 1 || got.chains[0][0] != 1 {
		t.Errorf("one chain apart: %v", got)
	}
	if got := run(func(chain, draw int) float64 {
		if chain == 2 && draw > 350 {
			return -1
		}
		return []float64{2, -1, 2, -1}[chain]
	}); got != nil {
		t.Errorf("a chain passes: %v", got)
	}
	if got := run(func(chain, draw int) float64 { return 0.1 * float64(chain) }); got != nil {
		t.Errorf("chains that overlap: %v", got)
	}
	if got := run(func(int, int) float64 { return 0 }); got != nil {
		t.Errorf("chains that mix: %v", got)
	}
}
