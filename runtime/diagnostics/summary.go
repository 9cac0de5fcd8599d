package diagnostics

import (
	"fmt"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
)

// Summary is the usual line about one quantity.
type Summary struct {
	Name      string
	Mean      float64
	MCSE      float64 // of the mean
	SD        float64
	Quantiles []float64 // at the probabilities given to Summarize
	ESSBulk   float64
	ESSTail   float64
	RHat      float64
	KHat      float64 // shape of the heavier tail: see ParetoKHat

	// Constant is set where all draws, two or more, are the same number but for its rounding, which is Mean then, as the diagonal of L L' of the factor of a correlation matrix: nothing can be
	// said of how well such a quantity mixes, and ESS and R-hat are undefined.
	Constant bool
}

// DefaultProbabilities returns the probabilities of the quantiles that
// Summarize gives unless told otherwise: 5 %, 50 % and 95 %.
func DefaultProbabilities() []float64 { return []float64{0.05, 0.5, 0.95} }

// Quantity returns f of every draw: the chains of a quantity of one's own, as the functions
// of this package take them. draws[c][i] is draw i of chain c, as the method ParamDraws of
// a generated model returns them.
func Quantity[T any](draws [][]T, f func(T) float64) [][]float64 {
	chains := make([][]float64, len(draws))
	for c := range draws {
		chains[c] = make([]float64, len(draws[c]))
		for i := range draws[c] {
			chains[c][i] = f(draws[c][i])
		}
	}
	return chains
}

// Summarize returns the summaries of quantities of the given names, in their
// order: chains[k][c][i] is draw i of chain c of quantity k. The probabilities
// of the quantiles are DefaultProbabilities if none are given. Quantities are
// summarised in parallel; the result does not depend on it.
//
// It is an error if there is not one name for each quantity, if a quantity has
// no draws or chains of different lengths, or if a probability is outside
// [0, 1]. Statistics that the draws leave undefined are NaN.
func Summarize(names []string, chains [][][]float64, probabilities ...float64) ([]Summary, error) {
	if len(names) != len(chains) {
		return nil, fmt.Errorf("%d names for %d quantities", len(names), len(chains))
	}
	for k, c := range chains {
		if err := rectangular(c); err != nil {
			return nil, fmt.Errorf("%s: %w", names[k], err)
		}
	}
	if len(probabilities) == 0 {
		probabilities = DefaultProbabilities()
	}
	for _, p := range probabilities {
		if !(p >= 0 && p <= 1) {
			return nil, fmt.Errorf("the probability %v of a quantile is not between 0 and 1", p)
		}
	}

	out := make([]Summary, len(names))
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(names)) {
		workers.Go(func() {
			var w workspace
			for {
				k := int(next.Add(1)) - 1
				if k >= len(names) {
					return
				}
				out[k] = w.summary(names[k], chains[k], probabilities)
			}
		})
	}
	workers.Wait()
	return out, nil
}

func rectangular(chains [][]float64) error {
	if len(chains) == 0 || len(chains[0]) == 0 {
		return fmt.Errorf("no draws")
	}
	for c := range chains {
		if len(chains[c]) != len(chains[0]) {
			return fmt.Errorf("chain 1 has %d draws, chain %d has %d",
				len(chains[0]), c+1, len(chains[c]))
		}
	}
	return nil
}

// roundings is how many neighbouring numbers may stand for one that is rounded in a different way from draw to draw.
const roundings = 8

func (w *workspace) summary(name string, chains [][]float64, probabilities []float64) Summary {
	a := w.load(chains)
	mu := mean(a.x)
	sd := math.Sqrt(varianceAbout(a.x, mu))
	s := Summary{
		Name:      name,
		Mean:      mu,
		MCSE:      sd / math.Sqrt(w.ess(w.split(a))),
		SD:        sd,
		Quantiles: make([]float64, len(probabilities)),
		ESSBulk:   math.NaN(),
		ESSTail:   math.NaN(),
		RHat:      math.NaN(),
		KHat:      math.NaN(),
	}
	if hasNaN(a.x) {
		for i := range s.Quantiles {
			s.Quantiles[i] = math.NaN()
		}
		return s
	}
	keys := w.order(a.x)
	if len(a.x) > 1 && keys[len(keys)-1].bits-keys[0].bits <= roundings {
		s.Constant, s.Mean, s.SD, s.MCSE = true, a.x[0], 0, math.NaN() // without the rounding of a mean
	}
	sorted := w.values(a, keys)
	for i, p := range probabilities {
		s.Quantiles[i] = quantile(sorted, p)
	}
	if s.Constant || a.undefined() {
		return s
	}
	s.ESSTail = w.essTail(a, sorted)
	s.KHat = w.paretoKHat(sorted, s.ESSTail)

	// Bulk ESS and bulk R-hat share the rank-normalised draws, and all ranks the order of the draws.
	if half, order := w.halves(a, keys); !constant(order) {
		z := w.rankNormal(half, order)
		s.ESSBulk = w.essOf(z)
		s.RHat = max(rhatOf(z), w.rhatFolded(half, order, quantile(sorted, 0.5)))
	}
	return s
}
