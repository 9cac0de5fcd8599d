package main

import (
	"math"

	"github.com/hamc-dev/hamc/runtime/diagnostics"
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
	var list []tailEvidence
	if len(chains) == 0 || n < 2 {
		return nil
	}
	size := int(math.Ceil(tailShare * float64(len(chains)*(n-1))))
	if size = max(size, leastTail); 10*size > len(chains)*(n-1) {
		return nil
	}
	var accepted []float64
	for _, c := range chains {
		accept := c.Column("accept_stat__")
		if accept == nil {
			return nil
		}
		accepted = append(accepted, accept[c.Warmup:][1:n]...)
	}
	mean := func(at []int32) float64 {
		sum := 0.0
		for _, k := range at {
			sum += accepted[k]
		}
		return sum / float64(len(at))
	}
	starts := make([]float64, 0, len(accepted))
	for i, name := range chains[0].Columns {
		if draws.IsStatistic(name) {
			continue
		}
		starts = starts[:0]
		for _, c := range chains {
			starts = append(starts, c.Values[i][c.Warmup:][:n-1]...)
		}
		lower, upper := diagnostics.Ends(starts, size)
		list = append(list, tailEvidence{name, "lower", mean(lower)}, tailEvidence{name, "upper", mean(upper)})
	}
	return list
}
