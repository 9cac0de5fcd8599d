package main

import (
	"math"
	"slices"

	"github.com/hamc-dev/hamc/runtime/draws"
)

// A tail of a parameter is the draws farthest out on one side, this share of them; there is none of fewer draws than
// leastTail.
const (
	tailShare = 0.01
	leastTail = 20
)

// tailEvidence is what the sampler did in a tail of a parameter.
type tailEvidence struct {
	parameter string
	side      string  // upper or lower
	accept    float64 // mean acceptance of the transitions that start there
}

// acceptanceInTails returns the mean acceptance of the transitions that start in each tail of each parameter. A step
// size that is right on the whole may be too large in a tail that is narrower than the
// bulk: there most steps are refused, and trajectories from the bulk hardly enter. There are none of runs in blocks, whose
// transitions belong to no draw, and of files without the acceptance.
func acceptanceInTails(chains []*draws.Chain, n int) []tailEvidence {
	type start struct {
		x, accept float64
		at        int // among all of them: a stable sort takes three times as long
	}
	var list []tailEvidence
	if len(chains) == 0 || n < 2 {
		return nil
	}
	size := int(math.Ceil(tailShare * float64(len(chains)*(n-1))))
	if size = max(size, leastTail); 10*size > len(chains)*(n-1) {
		return nil
	}
	for i, name := range chains[0].Columns {
		if draws.IsStatistic(name) {
			continue
		}
		starts := make([]start, 0, len(chains)*(n-1))
		for _, c := range chains {
			accept := c.Column("accept_stat__")
			if accept == nil {
				return nil
			}
			x, accept := c.Values[i][c.Warmup:][:n], accept[c.Warmup:][:n]
			for k := range n - 1 {
				starts = append(starts, start{x[k], accept[k+1], len(starts)})
			}
		}
		slices.SortFunc(starts, func(a, b start) int {
			switch {
			case a.x < b.x:
				return -1
			case a.x > b.x:
				return 1
			}
			return a.at - b.at
		})
		mean := func(s []start) float64 {
			sum := 0.0
			for _, v := range s {
				sum += v.accept
			}
			return sum / float64(len(s))
		}
		list = append(list, tailEvidence{name, "lower", mean(starts[:size])}, tailEvidence{name, "upper", mean(starts[len(starts)-size:])})
	}
	return list
}
