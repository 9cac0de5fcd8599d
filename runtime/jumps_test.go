package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/hamc-dev/hamc/internal/campaign"
	"github.com/hamc-dev/hamc/internal/conformance/latent"
	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/diagnostics"
)

// mode is a normal density with a share of a mixture: the coordinates are independent, with one mean and one standard deviation each.
type mode struct {
	share     float64
	mean, sd  []float64
	logFactor float64
}

// mixture is the density of a mixture of modes.
func mixture(modes ...mode) func(grad, q []float64) float64 {
	for k := range modes {
		m := &modes[k]
		m.logFactor = math.Log(m.share)
		for _, s := range m.sd {
			m.logFactor -= math.Log(s)
		}
	}
	return func(grad, q []float64) float64 {
		heights := make([]float64, len(modes))
		for k, m := range modes {
			heights[k] = m.logFactor
			for i, x := range q {
				z := (x - m.mean[i]) / m.sd[i]
				heights[k] -= z * z / 2
			}
		}
		top, sum := slices.Max(heights), 0.0
		for _, h := range heights {
			sum += math.Exp(h - top)
		}
		clear(grad)
		for k, m := range modes {
			w := math.Exp(heights[k]-top) / sum
			for i, x := range q {
				grad[i] -= w * (x - m.mean[i]) / (m.sd[i] * m.sd[i])
			}
		}
		return top + math.Log(sum)
	}
}

// expects compares means of functions of draws with what they are.
func expects(t *testing.T, what string, r *runtime.Result, of func(x []float64) float64, want float64) {
	t.Helper()
	var chains [][]float64
	for c := range r.Chains {
		var column []float64
		x := make([]float64, len(r.Names))
		for n := range r.Chains[c].Draws[0] {
			for i := range x {
				x[i] = r.Chains[c].Draws[i][n]
			}
			column = append(column, of(x))
		}
		chains = append(chains, column)
	}
	s, err := diagnostics.Summarize([]string{what}, [][][]float64{chains})
	if err != nil {
		t.Fatal(err)
	}
	if z := (s[0].Mean - want) / s[0].MCSE; !(math.Abs(z) < 4.5) || !(s[0].RHat < 1.02) || !(s[0].MCSE < 0.05*max(1, math.Abs(want), s[0].SD)) {
		t.Errorf("%s: mean %v ± %v, want %v; R-hat %.3f", what, s[0].Mean, s[0].MCSE, want, s[0].RHat)
	}
}

// Chains that come to different modes jump between these, so that each has its share of the draws: of modes of different widths, of which the narrower one is the higher, whatever metric is
// adapted. A mode that a chain came to and that holds next to nothing is left.
func TestJumps(t *testing.T) {
	wide := mode{share: 0.25, mean: []float64{-30, 3, 0}, sd: []float64{2, 3, 1}}
	narrow := mode{share: 0.75, mean: []float64{30, 0, 1}, sd: []float64{0.2, 0.5, 0.1}}
	m := newLandscape(3, mixture(wide, narrow))
	for _, metric := range []runtime.EuclideanMetric{runtime.LowRank, runtime.DiagE, runtime.DenseE} {
		t.Run(metric.String(), func(t *testing.T) {
			opt := runtime.DefaultOptions()
			opt.Metric, opt.Draws, opt.Seed = metric, campaign.Cases(t, 10000, 2000), 3
			opt.Init = []runtime.Point{{-28, 1, 0}, {29, 1, 0}, {-31, 2, 1}, {-33, 4, 2}}
			r := sample(t, m, opt)
			low := func(x []float64) float64 {
				if x[0] < 0 {
					return 1
				}
				return 0
			}
			expects(t, "share", r, low, 0.25)
			expects(t, "mean of the second", r, func(x []float64) float64 { return x[1] }, 0.25*3)
			expects(t, "square of the second", r, func(x []float64) float64 { return x[1] * x[1] }, 0.25*(9+9)+0.75*0.25)
			expects(t, "square of the third", r, func(x []float64) float64 { return x[2] * x[2] }, 0.25*1+0.75*(1+0.01))
			expects(t, "spread in the narrow mode", r, func(x []float64) float64 { return (1 - low(x)) * (x[0] - 30) * (x[0] - 30) }, 0.75*0.04)
			for c := range r.Chains {
				b := &r.Chains[c].Blocks[0]
				if b.Places != 2 || b.Sampling.Jumps < opt.Draws/10 {
					t.Errorf("chain %d: %d places, %d jumps in %d draws", c+1, b.Places, b.Sampling.Jumps, opt.Draws)
				}
			}
		})
	}
	opt := runtime.DefaultOptions()
	little := newLandscape(2, mixture(mode{share: 1, mean: []float64{20, 20}, sd: []float64{1, 1}}, mode{share: 1e-5, mean: []float64{-20, -20}, sd: []float64{1, 1}}))
	r := sample(t, little, opt)
	for c := range r.Chains {
		if r.Chains[c].Blocks[0].Places != 2 || slices.Min(r.Chains[c].Draws[0]) < 0 {
			t.Errorf("chain %d: %d places; the least draw is %v", c+1, r.Chains[c].Blocks[0].Places, slices.Min(r.Chains[c].Draws[0]))
		}
	}
}

// Chains at one place do not jump: a normal posterior, a funnel, one with heavy tails, and one of two modes that trajectories pass between. Nor do chains that are told not to.
func TestNoJumps(t *testing.T) {
	near := mixture(mode{share: 0.5, mean: []float64{-2, 0}, sd: []float64{1, 1}}, mode{share: 0.5, mean: []float64{2, 0}, sd: []float64{1, 1}})
	far := mixture(mode{share: 0.5, mean: []float64{-20, 0}, sd: []float64{1, 1}}, mode{share: 0.5, mean: []float64{20, 0}, sd: []float64{1, 1}})
	for _, c := range []struct {
		name  string
		m     runtime.Posterior
		jumps bool
	}{
		{"normal", standardNormal(20), true},
		{"heavy tails", newLandscape(2, cauchy), true},
		{"near modes", newLandscape(2, near), true},
		{"told not to", newLandscape(2, far), false},
	} {
		for seed := range uint64(5) {
			opt := runtime.DefaultOptions()
			opt.Draws, opt.Jumps, opt.Seed = 10, c.jumps, seed
			r := sample(t, c.m, opt)
			for i := range r.Chains {
				if b := &r.Chains[i].Blocks[0]; b.Places > 0 || b.Sampling.Jumps > 0 {
					t.Errorf("%s, seed %d, chain %d: %d places, %d jumps", c.name, seed, i+1, b.Places, b.Sampling.Jumps)
				}
			}
		}
	}
}

// placed gives a state other places, of which it is at the first: with the same step size, and inverse metrics, centres, bends and references of their own.
func placed(t *testing.T, s *runtime.State, places []map[string]any) *runtime.State {
	t.Helper()
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]any
	if err := json.Unmarshal(text, &fields); err != nil {
		t.Fatal(err)
	}
	var all []any
	for _, p := range places {
		block := map[string]any{}
		for k, v := range fields["blocks"].([]any)[0].(map[string]any) {
			block[k] = v
		}
		delete(block, "bends")
		delete(block, "rank")
		for k, v := range p {
			if k != "reference" {
				block[k] = v
			}
		}
		at := map[string]any{"block": block}
		if p["reference"] != nil {
			at["reference"] = p["reference"]
		}
		all = append(all, at)
	}
	fields["places"], fields["at"] = all, 1
	if text, err = json.Marshal(fields); err != nil {
		t.Fatal(err)
	}
	out := &runtime.State{}
	if err := json.Unmarshal(text, out); err != nil {
		t.Fatal(err)
	}
	return out
}

// Jumps leave a posterior as it is, whatever the places are: two that fit it badly and overlap, with metrics, bends and trajectories of their own, so that a chain often leaves the region of one. So they do where most transitions are refused.
func TestJumpsKeepThePosterior(t *testing.T) {
	for _, step := range []float64{0.7, 3.5} {
		t.Run(fmt.Sprint(step), func(t *testing.T) { keepsThePosterior(t, step) })
	}
}

// keepsThePosterior takes a step size of the first place.
func keepsThePosterior(t *testing.T, step float64) {
	m := newLandscape(2, normals([]float64{0, 1}, []float64{1, 2}))
	opt := runtime.DefaultOptions()
	opt.Chains, opt.Draws = 1, 1
	opt.From = []*runtime.State{placed(t, sample(t, m, opt).Chains[0].State, []map[string]any{
		{"inverse_metric": []float64{0.5, 2}, "centre": []float64{-0.8, 0.5}, "steps": 0, "split": 0, "step_size": step},
		{"inverse_metric": []float64{2, 6}, "centre": []float64{1, 0.3}, "bends": []map[string]any{{"coordinate": 0, "centre": 0.2, "scale": 1.1, "right": 0.7, "left": 1.6}}},
	})}
	opt.Draws = campaign.Cases(t, 200000, 20000)
	r := sample(t, m, opt)
	expects(t, "x", r, func(x []float64) float64 { return x[0] }, 0)
	expects(t, "x²", r, func(x []float64) float64 { return x[0] * x[0] }, 1)
	expects(t, "x³", r, func(x []float64) float64 { return x[0] * x[0] * x[0] }, 0)
	expects(t, "x⁴", r, func(x []float64) float64 { return x[0] * x[0] * x[0] * x[0] }, 3)
	expects(t, "y", r, func(x []float64) float64 { return x[1] }, 1)
	expects(t, "(y − 1)²", r, func(x []float64) float64 { return (x[1] - 1) * (x[1] - 1) }, 4)
	expects(t, "x (y − 1)", r, func(x []float64) float64 { return x[0] * (x[1] - 1) }, 0)
	if b := &r.Chains[0].Blocks[0]; b.Sampling.Jumps < opt.Draws/20 {
		t.Errorf("%d jumps in %d draws", b.Sampling.Jumps, opt.Draws)
	}
}

// Likewise of latent vectors, whose maps have another reference at each place. The expectations are those of draws without jumps.
func TestJumpsBetweenMaps(t *testing.T) {
	m, err := latent.New(latent.Data{Y: []float64{1, 7}})
	if err != nil {
		t.Fatal(err)
	}
	opt := runtime.DefaultOptions()
	opt.Draws = campaign.Cases(t, 50000, 10000)
	plain := sample(t, m, opt)
	opt.Chains, opt.Draws = 1, 1
	first := sample(t, m, opt).Chains[0].State
	places := []map[string]any{
		{"reference": first.Reference, "inverse_metric": []float64{1, 0.3, 1, 1}, "centre": []float64{1, 0.2, 0, 0}},
		{"reference": []float64{0.5, 1, 2, 5}, "inverse_metric": []float64{1.2, 0.4, 1.5, 1.2}, "centre": []float64{1.4, 0.4, 0, 0}},
	}
	opt.Draws = campaign.Cases(t, 200000, 40000)
	opt.From = []*runtime.State{placed(t, first, places)}
	r := sample(t, m, opt)
	if b := &r.Chains[0].Blocks[0]; b.Sampling.Jumps < opt.Draws/20 {
		t.Errorf("%d jumps in %d draws", b.Sampling.Jumps, opt.Draws)
	}
	for i, name := range r.Names {
		for power := 1; power <= 2; power++ {
			mean, draws := 0.0, 0
			for c := range plain.Chains {
				for _, x := range plain.Chains[c].Draws[i] {
					mean += math.Pow(x, float64(power))
					draws++
				}
			}
			expects(t, fmt.Sprintf("%s to the power %d", name, power), r, func(x []float64) float64 { return math.Pow(x[i], float64(power)) }, mean/float64(draws))
		}
	}
}

// Chains that jump, interrupted anywhere, go on to the same draws and the same states, bit for bit, for any number of workers.
func TestGoOnWithJumps(t *testing.T) {
	m := newLandscape(2, mixture(mode{share: 0.4, mean: []float64{-30, 1}, sd: []float64{2, 1}}, mode{share: 0.6, mean: []float64{30, 0}, sd: []float64{1, 1}}))
	opt := runtime.DefaultOptions()
	opt.Chains, opt.Warmup, opt.Draws, opt.Seed, opt.Workers = 3, 60, 30, 1, 1
	opt.Init = []runtime.Point{{-28, 1}, {29, 1}, {-31, 2}}
	whole := sample(t, m, opt)
	if whole.Chains[0].Blocks[0].Places != 2 || whole.Chains[0].Blocks[0].Sampling.Jumps == 0 {
		t.Fatal("no jumps")
	}
	opt.Workers = 3
	for at := 0; at < 3*91; at++ {
		calls := 0
		end := func() error {
			if calls++; calls > at {
				return runtime.ErrStop
			}
			return nil
		}
		one := opt
		one.Workers = 1
		warmed := make([][]float64, opt.Chains)
		half, err := runtime.Sample(context.Background(), m, one, &runtime.Callbacks{
			OnWarmup: func(chain int, state func() *runtime.State) error {
				warmed[chain] = state().Q
				return end()
			},
			OnAdapted: func(int, []runtime.BlockRun) error { return end() },
			OnDraw:    func(int, []float64, func() *runtime.State) error { return end() },
		})
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		rest := opt
		for c := range half.Chains {
			text, err := json.Marshal(half.Chains[c].State)
			if err != nil {
				t.Fatal(err)
			}
			var s runtime.State
			if err := json.Unmarshal(text, &s); err != nil {
				t.Fatal(err)
			}
			if s.Drawn() == 0 && warmed[c] != nil && (!slices.Equal(s.Q, warmed[c]) || s.At != 0) {
				t.Fatalf("stopped at %d: chain %d without a draw is at %v, place %d, and not where its warm-up has ended, %v", at, c+1, s.Q, s.At, warmed[c])
			}
			rest.From = append(rest.From, &s)
		}
		r := sample(t, m, rest)
		for c := range r.Chains {
			made := half.Chains[c].Drawn()
			for j := range r.Names {
				if !slices.Equal(r.Chains[c].Draws[j], whole.Chains[c].Draws[j][made:]) {
					t.Fatalf("stopped at %d: chain %d, %d draws made, goes on otherwise", at, c+1, made)
				}
			}
			a, _ := json.Marshal(whole.Chains[c].State)
			b, _ := json.Marshal(r.Chains[c].State)
			if string(a) != string(b) {
				t.Fatalf("stopped at %d: chain %d ends as\n%s\nnot\n%s", at, c+1, b, a)
			}
		}
	}
}

// A state whose places are none is refused.
func TestPlacesThatDoNotFit(t *testing.T) {
	m := standardNormal(2)
	opt := runtime.DefaultOptions()
	opt.Chains, opt.Draws = 1, 1
	first := sample(t, m, opt).Chains[0].State
	opt.Draws = 3
	for name, place := range map[string]map[string]any{
		"centre":  {"inverse_metric": []float64{1, 1}, "centre": []float64{1}},
		"metric":  {"inverse_metric": []float64{1, -1}, "centre": []float64{1, 1}},
		"bend":    {"inverse_metric": []float64{1, 1}, "centre": []float64{1, 1}, "bends": []map[string]any{{"coordinate": 9}}},
		"step":    {"inverse_metric": []float64{1, 1}, "centre": []float64{1, 1}, "step_size": 0},
		"nothing": {"inverse_metric": []float64{}, "centre": []float64{}},
	} {
		opt.From = []*runtime.State{placed(t, first, []map[string]any{place})}
		if _, err := runtime.Sample(context.Background(), m, opt, nil); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	s := placed(t, first, []map[string]any{{"inverse_metric": []float64{1, 1}, "centre": []float64{0, 0}}})
	s.At = 3
	opt.From = []*runtime.State{s}
	if _, err := runtime.Sample(context.Background(), m, opt, nil); err == nil {
		t.Error("a place that is none: no error")
	}
}
