package interpret

import (
	"strings"
	"testing"
)

// TestBoundsOfData: bounds that are functions of data, some of each element, are in order before a model is sampled, and say which values have no coordinates.
func TestBoundsOfData(t *testing.T) {
	d, _ := derivedOf(t, `
model m
data n int
data lo, hi, rt real[n]
param shift real in (0, min(rt))
param x real[n] in (lo, hi)
x ~ normal(0, 1)
rt - shift ~ lognormal(0, 1)
`)
	const rt = `"rt": [2, 1, 3]`
	for _, c := range []struct{ data, want string }{
		{`"n": 3, "lo": [0, 1, 2], "hi": [1, 2, 1.5], ` + rt, "the bounds of element 3 of the parameter x are 2 and 1.5: the lower must be below the upper"},
		{`"n": 3, "lo": [0, 1, 2], "hi": [1, 2, 3], "rt": [2, -1, 3]`, "the bounds of the parameter shift are 0 and -1"},
	} {
		if _, err := New(d, strings.NewReader("{"+c.data+"}"), "m.data.json"); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.data, err, c.want)
		}
	}
	p, err := New(d, strings.NewReader(`{"n": 3, "lo": [0, 1, 2], "hi": [1, 2, 3], `+rt+"}"), "m.data.json")
	if err != nil {
		t.Fatal(err)
	}
	q, x := make([]float64, 4), []float64{0.5, 0.5, 1.5, 2.5}
	if err := p.Unconstrain(q, x); err != nil || q[0] != 0 || q[3] != 0 {
		t.Errorf("the middle of all bounds has the coordinates %v (%v)", q, err)
	}
	for n, bad := range [][]float64{{1, 0.5, 1.5, 2.5}, {0.5, 0.5, 0.5, 2.5}} {
		if err := p.Unconstrain(q, bad); err == nil || !strings.Contains(err.Error(), []string{"parameter shift is 1", "parameter x is 0.5"}[n]) {
			t.Errorf("%v: %v", bad, err)
		}
	}
}
