package differential

import (
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
			if err := s.compile(); err != nil {
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
