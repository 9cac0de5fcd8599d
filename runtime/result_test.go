package runtime_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/runtime"
)

// counted is a result of chains of the given lengths: of the columns a, b and the
// statistic lp__, draw i of chain c is 100c + i, its double and its negative.
func counted(lengths ...int) *runtime.Result {
	r := &runtime.Result{Names: []string{"a", "b"}, StatNames: []string{"lp__"}}
	for c, n := range lengths {
		chain := runtime.Chain{Draws: make([][]float64, 2), Stats: make([][]float64, 1)}
		for i := range n {
			x := float64(100*c + i)
			chain.Draws[0] = append(chain.Draws[0], x)
			chain.Draws[1] = append(chain.Draws[1], 2*x)
			chain.Stats[0] = append(chain.Stats[0], -x)
		}
		r.Chains = append(r.Chains, chain)
	}
	return r
}

func TestColumn(t *testing.T) {
	equal := func(a, b [][]float64) bool { return slices.EqualFunc(a, b, slices.Equal) }
	r := counted(3, 3)
	for name, want := range map[string][][]float64{
		"a":    {{0, 1, 2}, {100, 101, 102}},
		"b":    {{0, 2, 4}, {200, 202, 204}},
		"lp__": {{0, -1, -2}, {-100, -101, -102}},
		"c":    nil,
	} {
		if got := r.Column(name); !equal(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	if all := r.Columns(); len(all) != 2 || !equal(all[0], r.Column("a")) || !equal(all[1], r.Column("b")) {
		t.Errorf("columns %v", all)
	}

	// Chains are cut to the shortest; one with less than half the draws is left out.
	for _, c := range []struct {
		lengths []int
		want    [][]float64
	}{
		{[]int{4, 2, 3}, [][]float64{{0, 1}, {100, 101}, {200, 201}}},
		{[]int{5, 2, 3}, [][]float64{{0, 1, 2}, {200, 201, 202}}},
		{[]int{0, 2, 0}, [][]float64{{100, 101}}},
		{[]int{0, 0}, nil},
		{nil, nil},
	} {
		if got := counted(c.lengths...).Column("a"); !equal(got, c.want) {
			t.Errorf("%v: %v, want %v", c.lengths, got, c.want)
		}
	}
	// To append to a column does not write into the result.
	r = counted(4, 3)
	_ = append(r.Column("a")[0], -1)
	if got := r.Chains[0].Draws[0][3]; got != 3 {
		t.Errorf("the draw behind a column is %v now", got)
	}
}

// A run in three rounds is the run in one, and rounds that do not follow are refused.
func TestAppend(t *testing.T) {
	m, _ := fixtureBanana(t)
	opt := runtime.DefaultOptions()
	opt.Chains, opt.Warmup, opt.Draws = 2, 50, 60
	whole := sample(t, m, opt)

	opt.Draws = 10
	r := sample(t, m, opt)
	first := r.States()
	var second *runtime.Result
	for _, n := range []int{35, 60} {
		opt.Draws, opt.From = n, r.States()
		second = sample(t, m, opt)
		if err := r.Append(second); err != nil {
			t.Fatal(err)
		}
	}
	for c := range r.Chains {
		if !slices.Equal(bits(&r.Chains[c]), bits(&whole.Chains[c])) {
			t.Errorf("chain %d: three rounds and one differ", c)
		}
		if r.Chains[c].Sampling() != whole.Chains[c].Sampling() || !slices.Equal(r.Chains[c].State.Q, whole.Chains[c].State.Q) {
			t.Errorf("chain %d: %+v, want %+v", c, r.Chains[c].Sampling(), whole.Chains[c].Sampling())
		}
	}

	before := r.Chains[0].Drawn()
	opt.From, opt.Draws = first, 20
	again := sample(t, m, opt)
	if err := r.Append(again); err == nil || !strings.Contains(err.Error(), "begin after draw 10, but 60 were drawn") {
		t.Errorf("a round twice: %v", err)
	}
	opt.From, opt.Draws = r.States(), 70
	opt.Keep = []string{m.Info().Params[0].Name}
	if err := r.Append(sample(t, m, opt)); err == nil || !strings.Contains(err.Error(), "another run") {
		t.Errorf("other columns: %v", err)
	}
	opt.Keep, opt.Chains, opt.From = nil, 1, r.States()[:1]
	if err := r.Append(sample(t, m, opt)); err == nil || !strings.Contains(err.Error(), "another run") {
		t.Errorf("fewer chains: %v", err)
	}
	if r.Chains[0].Drawn() != before || len(r.Chains[0].Draws[0]) != before {
		t.Errorf("what was refused was appended")
	}
}

// named is what TestTypedDraws makes of a draw.
type named struct {
	x, y float64
	rest []float64
}

// Typed draws hold the values in the order of the model, where columns of a matrix have
// the first index fastest, and whatever else is kept.
func TestTypedDraws(t *testing.T) {
	plain := newGaussian([]float64{1, -2}, [][]float64{{1, 0.3}, {0.3, 4}})
	m := generating{plain}
	opt := runtime.DefaultOptions()
	opt.Chains, opt.Warmup, opt.Draws, opt.Seed = 2, 50, 20, 3
	r := sample(t, m, opt)
	of := func(values []float64) named { return named{values[0], values[1], values[2:]} }
	params, err := runtime.ParamDraws(r, m, of)
	if err != nil {
		t.Fatal(err)
	}
	quantities, err := runtime.QuantityDraws(r, m, of)
	if err != nil {
		t.Fatal(err)
	}
	for c := range r.Chains {
		d := r.Chains[c].Draws
		if len(params[c]) != opt.Draws || len(quantities[c]) != opt.Draws {
			t.Fatalf("chain %d: %d and %d draws", c, len(params[c]), len(quantities[c]))
		}
		for i := range opt.Draws {
			p, q := params[c][i], quantities[c][i]
			if p.x != d[0][i] || p.y != d[1][i] || len(p.rest) != 0 {
				t.Errorf("chain %d, draw %d: parameters %v", c, i, p)
			}
			// Element (i, j) of the matrix adds 0.ij to the first parameter.
			want := []float64{0.13, 0.21, 0.22, 0.23}
			if q.x != d[0][i]+0.11 || q.y != d[0][i]+0.12 || len(q.rest) != 5 || q.rest[4] != d[8][i] {
				t.Errorf("chain %d, draw %d: quantities %v", c, i, q)
			}
			for k, add := range want {
				if q.rest[k] != d[0][i]+add {
					t.Errorf("chain %d, draw %d: value %d of the quantities is %v", c, i, k+2, q.rest[k])
				}
			}
			// A caller that appends to a draw does not write into the next.
			_ = append(q.rest, -1)
		}
		if quantities[c][1].x != d[0][1]+0.11 {
			t.Errorf("chain %d: appending to a draw changed the next", c)
		}
	}

	opt.Keep = []string{"u", "x"}
	r = sample(t, m, opt)
	if kept, err := runtime.ParamDraws(r, m, of); err != nil || kept[1][3].y != params[1][3].y {
		t.Errorf("all parameters kept: %v", err)
	}
	_, err = runtime.QuantityDraws(r, m, of)
	wantError(t, "a quantity not kept", err, "no draws of a.1.1: add it to Options.Keep")
	_, err = runtime.ParamDraws(r, plain, of)
	wantError(t, "another model", err, "the result is not of model")
	opt.Keep, opt.Discard = nil, true
	_, err = runtime.ParamDraws(sample(t, m, opt), m, of)
	wantError(t, "no draws", err, "Options.Discard")

	// A run that was stopped at once has none, and that is no error.
	opt.Discard = false
	r, err = runtime.Sample(context.Background(), m, opt, &runtime.Callbacks{
		OnStart: func([]string, *runtime.Progress) error { return runtime.ErrStop },
	})
	if err != nil {
		t.Fatal(err)
	}
	if none, err := runtime.ParamDraws(r, m, of); err != nil || len(none) != 0 {
		t.Errorf("draws of a run without: %v, %v", none, err)
	}
}

func wantError(t *testing.T, what string, err error, text string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), text) {
		t.Errorf("%s: %v", what, err)
	}
}
