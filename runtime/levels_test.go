package runtime_test

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/hamc-dev/hamc/runtime"
)

// twoModes is a normal density about 3 in each coordinate and one about −3, which is so much lower.
func twoModes(lower float64) func(grad, q []float64) float64 {
	return func(grad, q []float64) float64 {
		const sd = 0.2
		at := func(centre float64) (l float64) {
			for _, x := range q {
				l -= (x - centre) * (x - centre) / (2 * sd * sd)
			}
			return l
		}
		up, down := at(3), at(-3)-lower
		top := max(up, down)
		sum := math.Exp(up-top) + math.Exp(down-top)
		for i, x := range q {
			grad[i] = (math.Exp(up-top)*(3-x) + math.Exp(down-top)*(-3-x)) / sum / (sd * sd)
		}
		return top + math.Log(sum)
	}
}

// counts tells how many chains ended in the higher mode, and how many began anew.
func counts(r *runtime.Result) (high, anew int) {
	for i := range r.Chains {
		c := &r.Chains[i]
		if slices.Min(c.Draws[0]) > 0 {
			high++
		}
		if c.Blocks[0].Anew > 0 {
			anew++
		}
	}
	return high, anew
}

// A chain whose warm-up leads to a mode that holds e⁻⁴⁰ of the posterior begins anew, until it is in the other, whatever the workers. One that is low by what may
// be chance stays, as does one whose start is given.
func TestChainsLeaveLowModes(t *testing.T) {
	opt := runtime.DefaultOptions()
	opt.Chains, opt.Draws, opt.Seed, opt.Jumps = 8, 50, 2, false
	low := newLandscape(2, twoModes(40))
	first := sample(t, low, opt)
	if high, anew := counts(first); high != opt.Chains || anew == 0 || anew == opt.Chains {
		t.Errorf("%d of %d chains in the higher mode, %d of them began anew", high, opt.Chains, anew)
	}
	opt.Workers = 1
	second := sample(t, low, opt)
	for c := range first.Chains {
		if !slices.Equal(bits(&first.Chains[c]), bits(&second.Chains[c])) {
			t.Errorf("chain %d depends on the number of workers", c+1)
		}
	}
	if high, anew := counts(sample(t, newLandscape(2, twoModes(5)), opt)); high == 0 || high == opt.Chains || anew > 0 {
		t.Errorf("of modes that both hold something: %d chains in the higher one, %d began anew", high, anew)
	}
	given := opt
	for c := range opt.Chains {
		x := 3 - 6*float64(c%2)
		given.Init = append(given.Init, runtime.Point{x, x})
	}
	if high, anew := counts(sample(t, low, given)); high != opt.Chains/2 || anew > 0 {
		t.Errorf("%d chains in the higher mode of starts that are given, %d began anew", high, anew)
	}
}

// Where no start leads to the higher mode but one that is given, the other chains begin there in the end.
func TestChainsFollowTheHighest(t *testing.T) {
	opt := runtime.DefaultOptions()
	opt.Chains, opt.Draws, opt.Seed, opt.Start.Radius = 2, 50, 1, 0.5
	away := twoModes(40)
	m := newLandscape(2, func(grad, q []float64) float64 {
		l := away(grad, []float64{q[0] - 2, q[1] - 2})
		return l
	})
	opt.Init = []runtime.Point{{5, 5}, {math.NaN(), math.NaN()}}
	if high, anew := counts(sample(t, m, opt)); high != 2 || anew != 1 {
		t.Errorf("%d chains in the higher mode, %d began anew", high, anew)
	}
}

// A chain that is low after all its beginnings draws from where the highest one stood at the end of its warm-up, with what that had learnt.
func TestChainsFollowInTheEnd(t *testing.T) {
	opt := runtime.DefaultOptions()
	opt.Chains, opt.Draws, opt.Seed, opt.Workers = 2, 50, 1, 1
	opt.Init = []runtime.Point{{2.9, math.NaN()}, {2.9, math.NaN()}}
	m := newLandscape(2, twoModes(40))
	warmed, err := runtime.Sample(context.Background(), m, opt, &breaker{chain: 1, at: sample(t, m, opt).Chains[1].Warmed()})
	if err != nil {
		t.Fatal(err)
	}
	next := opt
	for c, s := range warmed.States() {
		text, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		if c == 1 { // as if it were in the low mode after five beginnings
			var low map[string]any
			if err := json.Unmarshal(text, &low); err != nil {
				t.Fatal(err)
			}
			low["q"], low["level"] = []float64{-3, -3}, map[string]float64{"sum": -1000, "count": 25}
			low["blocks"].([]any)[0].(map[string]any)["anew"] = 5
			if text, err = json.Marshal(low); err != nil {
				t.Fatal(err)
			}
		}
		next.From = append(next.From, reread(t, text))
	}
	r := sample(t, m, next)
	if high, _ := counts(r); high != 2 {
		t.Errorf("%d of 2 chains in the higher mode", high)
	}
	first, b := &r.Chains[0].Blocks[0], &r.Chains[1].Blocks[0]
	if !b.Follows || b.Anew != 6 || first.Follows {
		t.Errorf("follows %v and %v, began anew %d times", first.Follows, b.Follows, b.Anew)
	}
	if b.StepSize != first.StepSize || !slices.Equal(b.InverseMetric, first.InverseMetric) {
		t.Errorf("step size %v for %v, metric %v for %v", b.StepSize, first.StepSize, b.InverseMetric, first.InverseMetric)
	}
	if slices.Equal(bits(&r.Chains[0]), bits(&r.Chains[1])) {
		t.Error("both chains have the same draws")
	}
}

// reread is the state that a text tells of.
func reread(t *testing.T, text []byte) *runtime.State {
	t.Helper()
	s := new(runtime.State)
	if err := json.Unmarshal(text, s); err != nil {
		t.Fatal(err)
	}
	return s
}

// breaker stops a run when a chain has made so many transitions, those of all its beginnings counted.
type breaker struct {
	witness
	at, chain int
	made      int
	lock      sync.Mutex
}

func (b *breaker) Warmup(chain int, _ func() *runtime.State) error {
	b.lock.Lock()
	defer b.lock.Unlock()
	if chain == b.chain {
		if b.made++; b.made == b.at {
			return runtime.ErrStop
		}
	}
	return nil
}

// A run that is interrupted while its chains are compared, or begin anew, comes to the draws that it would have come to without a break.
func TestGoOnFromComparisons(t *testing.T) {
	opt := runtime.DefaultOptions()
	opt.Chains, opt.Draws, opt.Seed, opt.Workers = 4, 20, 2, 1
	m := newLandscape(2, twoModes(40))
	want := sample(t, m, opt)
	anew := slices.IndexFunc(want.Chains, func(c runtime.Chain) bool { return c.Blocks[0].Anew > 0 })
	if anew < 0 {
		t.Fatal("no chain begins anew")
	}
	for _, at := range []int{1, 79, 80, 81, 100, 160, 161, 250, 300} {
		b := &breaker{at: at, chain: anew}
		part, err := runtime.Sample(context.Background(), m, opt, b)
		if err != nil {
			t.Fatal(err)
		}
		begun := 0
		for c := range part.Chains {
			if part.Chains[c].Warmed() > 0 {
				begun++
			}
		}
		if b.finished != begun {
			t.Errorf("a break after %d transitions: %d of the %d chains that had begun are told of as finished", at, b.finished, begun)
		}
		next := opt
		for _, s := range part.States() {
			text, err := json.Marshal(s)
			if err != nil {
				t.Fatal(err)
			}
			next.From = append(next.From, reread(t, text))
		}
		rest := sample(t, m, next)
		if err := part.Append(rest); err != nil {
			t.Fatal(err)
		}
		for c := range want.Chains {
			if !slices.Equal(bits(&want.Chains[c]), bits(&part.Chains[c])) {
				t.Errorf("a break after %d transitions of chain %d: chain %d comes to other draws", at, anew+1, c+1)
			}
			if x, y := want.Chains[c].Blocks[0].Anew, part.Chains[c].Blocks[0].Anew; x != y {
				t.Errorf("a break after %d transitions: chain %d began anew %d times for %d", at, c+1, y, x)
			}
		}
	}
}
