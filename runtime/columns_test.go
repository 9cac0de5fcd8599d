package runtime_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/random"
)

// generating is a gaussian with a 2 × 3 matrix of quantities, x_1 + (10 i + j)/100, and a
// random one.
type generating struct{ *gaussian }

func (m generating) Clone() runtime.Model { return generating{m.gaussian.Clone().(*gaussian)} }
func (m generating) Generated() []runtime.Quantity {
	return []runtime.Quantity{
		{Param: runtime.Param{Name: "a", Shape: []int{2, 3}}, Group: runtime.GroupPosterior},
		{Param: runtime.Param{Name: "u"}, Group: runtime.GroupPosteriorPredictive},
	}
}
func (m generating) Generate(out, q []float64, rng *rand.Rand) {
	for i := range 2 {
		for j := range 3 {
			out[3*i+j] = q[0] + float64(10*(i+1)+j+1)/100
		}
	}
	out[6] = rng.Float64()
}

// Generated quantities stand behind the parameters, matrices with the first index fastest,
// and draw from the streams (seed, chain, 4, draw): so they do not change the chain.
func TestGeneratedQuantities(t *testing.T) {
	plain := newGaussian([]float64{1, -2}, [][]float64{{1, 0.3}, {0.3, 4}})
	m := generating{plain}
	opt := runtime.DefaultOptions()
	opt.Chains, opt.Warmup, opt.Draws, opt.Seed = 2, 50, 20, 3
	r, without := sample(t, m, opt), sample(t, plain, opt)
	names := []string{"x.1", "x.2", "a.1.1", "a.2.1", "a.1.2", "a.2.2", "a.1.3", "a.2.3", "u"}
	if !slices.Equal(r.Names, names) {
		t.Fatalf("columns %v", r.Names)
	}
	for c := range r.Chains {
		d := r.Chains[c].Draws
		for k := range 2 {
			if !slices.Equal(d[k], without.Chains[c].Draws[k]) {
				t.Errorf("chain %d: the quantities change %s", c, names[k])
			}
		}
		for n := range opt.Draws {
			for k, add := range []float64{0.11, 0.21, 0.12, 0.22, 0.13, 0.23} {
				if d[2+k][n] != d[0][n]+add {
					t.Errorf("chain %d, draw %d: %s is %v, x.1 %v", c, n, names[2+k], d[2+k][n], d[0][n])
				}
			}
			stream := random.New(opt.Seed, uint64(c))
			stream.Seek(4, uint64(n))
			if want := rand.New(stream).Float64(); d[8][n] != want {
				t.Errorf("chain %d, draw %d: u is %v, want %v", c, n, d[8][n], want)
			}
		}
	}
	opt.Keep = []string{"u", "x"}
	if r := sample(t, m, opt); !slices.Equal(r.Names, []string{"x.1", "x.2", "u"}) || !slices.Equal(r.Chains[1].Draws[2], sample(t, m, opt).Chains[1].Draws[2]) {
		t.Errorf("kept %v", r.Names)
	}
}
