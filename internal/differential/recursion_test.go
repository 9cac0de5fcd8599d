package differential

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/internal/differential/probe"
	"github.com/hamc-dev/hamc/runtime"
)

// TestNothingIsLeft evaluates recursions where they overflow: nothing of that is left in the work space of the next position, since none is read before it is
// computed.
func TestNothingIsLeft(t *testing.T) {
	for _, s := range read(t) {
		if !strings.HasPrefix(s.name, "recursion_") && !strings.HasPrefix(s.name, "reduce_hidden") {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			if err := s.derive(); err != nil {
				t.Fatal(err)
			}
			fresh, err := s.interpreted()
			if err != nil {
				t.Fatal(err)
			}
			used, err := s.interpreted()
			if err != nil {
				t.Fatal(err)
			}
			dim := fresh.Info().Dim()
			gradient := func(m runtime.Posterior, q []float64) []float64 {
				g := make([]float64, dim)
				return append(g, m.Gradient(g, q))
			}
			far := make([]float64, dim)
			for _, v := range []float64{1e300, -1e300, math.NaN()} {
				for i := range far {
					far[i] = v
				}
				gradient(used, far)
			}
			q := probe.Position(dim, 1)
			if got, want := gradient(used, q), gradient(fresh, q); !slices.Equal(got, want) {
				t.Errorf("after an overflow the gradient is %v, want %v", got, want)
			}
		})
	}
}

// shifted is a hidden Markov model whose log density depends on c by the sum of c and what does not depend on it.
const shifted = `model shifted
data T, K int
data y real[T]
data logP real[K, K]
param c real
param mu real[K]
let f[1, j in K] = c + normal_lpdf(y[1] | mu[j], 1)
let f[t, j in K] = log_sum_exp(i in K) (f[t-1, i] + logP[i, j] + 0.1*mu[i]*mu[j]) + normal_lpdf(y[t] | mu[j], 1) for t in 2..T
density log_sum_exp(j in K) f[T, j]
metric identity
`

// TestWeightsAddUp holds the adjoint of a recursion of log_sum_exp to a theorem: the derivative by what is added to all terms at the start is
// the sum of the weights at the start, 1, however large the terms are. What is wrong with the weights of a position multiplies over positions.
func TestWeightsAddUp(t *testing.T) {
	const positions, states = 60, 3
	var y, logP strings.Builder
	for n := range positions {
		fmt.Fprintf(&y, "%s%g", []string{"", ", "}[min(n, 1)], 1e4+7.3*math.Sin(float64(n)))
	}
	for i := range states {
		fmt.Fprintf(&logP, "%s[%g, %g, %g]", []string{"", ", "}[min(i, 1)], -0.3-0.11*float64(i), -1.7+0.2*float64(i), -2.9)
	}
	s := &subject{name: "shifted", text: shifted, data: fmt.Appendf(nil, `{"T": %d, "K": %d, "y": [%s], "logP": [%s]}`, positions, states, &y, &logP)}
	if err := s.derive(); err != nil {
		t.Fatal(err)
	}
	m, err := s.interpreted()
	if err != nil {
		t.Fatal(err)
	}
	g := make([]float64, m.Info().Dim())
	for seed := range 20 {
		q := probe.Position(len(g), seed)
		if l := m.Gradient(g, q); !(math.Abs(g[0]-1) < 1e-12) {
			t.Errorf("at %v, of log density %g, the weights add up to 1 %+.2g", q, l, g[0]-1)
		}
	}
}
