package runtime

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/hamc-dev/hamc/runtime/random"
)

// A prior may have all of its mass far from where starts are drawn uniformly: K ~ lognormal(7, 0.6) where log K is between −2 and 2. A chain that begins there
// may find a mode that the prior excludes, with all others. So coordinates of which the prior says that they lie elsewhere are drawn from it. Those of a
// diffuse prior, which has the interval inside its spread, are not: a draw from it would be no better place. Nor are those of one that reaches as far as
// numbers do, as inv_gamma(0.001, 0.001) does: its draws are cut off there, and have no spread. And one of which some draws in a thousand are in the interval does not exclude
// it: exponential(0.001) says that a shape may be anything up to some thousands.

const (
	priorDraws = 40      // that tell where the prior is
	moreDraws  = 1000    // none of which is in the interval, where it lies elsewhere
	mostJudged = 1 << 14 // coordinates of a model whose prior is looked at
	mostLikely = 300     // how far out a coordinate of bounded values may be drawn: of a positive one e³⁰⁰
)

// elsewhere returns the coordinates whose prior lies beside (−2, 2): its median is outside, by more than the distance of its deciles.
func (s *Sweep) elsewhere() []int {
	m := s.Posterior.Info().Dim()
	d, ok := s.Posterior.(PriorDrawer)
	if s.judged || !ok || len(d.Priors()) == 0 || m > mostJudged {
		return s.far
	}
	s.judged = true
	rng := rand.New(random.New(0, 0))
	values := make([]float64, s.Posterior.Info().Size())
	drawn := make([][]float64, m)
	for range priorDraws {
		if q := make([]float64, m); fromPrior(s, q, values, rng) == "" {
			for i, v := range q {
				drawn[i] = append(drawn[i], v)
			}
		}
	}
	ends := endsOf(s.Posterior.Info())
	for i, x := range drawn {
		if len(x) < priorDraws/2 {
			break // the same of all
		}
		slices.Sort(x)
		median, spread := x[len(x)/2], x[len(x)-1-len(x)/10]-x[len(x)/10]
		if cutOff([]float64{x[0], x[len(x)-1]}, []Ends{ends[i], ends[i]}) {
			continue
		}
		if spread > 0 && math.Abs(median)-initialRadius > spread {
			s.far = append(s.far, i)
		}
	}
	q := make([]float64, m)
	for n := 0; n < moreDraws && len(s.far) > 0; n++ {
		if fromPrior(s, q, values, rng) == "" {
			s.far = slices.DeleteFunc(s.far, func(i int) bool { return math.Abs(q[i]) <= initialRadius })
		}
	}
	return s.far
}

// cutOff reports whether one of some coordinates is further out than a prior that means something draws it.
func cutOff(q []float64, ends []Ends) bool {
	for i, v := range q {
		if ends[i] != NoEnd && math.Abs(v) > mostLikely {
			return true
		}
	}
	return false
}

// toPrior moves the coordinates of q whose prior lies elsewhere to a draw from it; values is work space.
func (s *Sweep) toPrior(q, values []float64, rng *rand.Rand) {
	far := s.elsewhere()
	if len(far) == 0 {
		return
	}
	if p := slices.Clone(q); fromPrior(s, p, values, rng) == "" {
		for _, i := range far {
			q[i] = p[i]
		}
	}
}
