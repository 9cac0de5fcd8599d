package conformance

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/generated/banana"
	"github.com/hamc-dev/hamc/generated/banana_explicit"
	"github.com/hamc-dev/hamc/generated/funnel"
	"github.com/hamc-dev/hamc/generated/gaussian"
	"github.com/hamc-dev/hamc/generated/logistic"
	"github.com/hamc-dev/hamc/generated/logistic_indexed"
	"github.com/hamc-dev/hamc/runtime"
)

// TestBadData: a constructor refuses data that do not fit, and its error names
// the model and the datum.
func TestBadData(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	refused := func(model, datum string, err error) {
		t.Helper()
		if err == nil {
			t.Errorf("%s: bad %s accepted", model, datum)
		} else if s := err.Error(); !strings.HasPrefix(s, model+": ") || !strings.Contains(s, datum) {
			t.Errorf("%s: the error does not name %s: %v", model, datum, err)
		}
	}

	for _, c := range []struct {
		datum string
		d     banana.Data
	}{
		{"n", banana.Data{N: 0, SigmaY: 1, SigmaT: 1}},
		{"n", banana.Data{N: -1, Y: []float64{1}, SigmaY: 1, SigmaT: 1}},
		{"y", banana.Data{N: 2, Y: []float64{1}, SigmaY: 1, SigmaT: 1}},
		{"y", banana.Data{N: 1, Y: []float64{1, 2}, SigmaY: 1, SigmaT: 1}},
		{"y[2]", banana.Data{N: 2, Y: []float64{1, nan}, SigmaY: 1, SigmaT: 1}},
		{"y[1]", banana.Data{N: 2, Y: []float64{-inf, 1}, SigmaY: 1, SigmaT: 1}},
		{"sigma_y", banana.Data{N: 1, Y: []float64{1}, SigmaY: 0, SigmaT: 1}},
		{"sigma_y", banana.Data{N: 1, Y: []float64{1}, SigmaY: nan, SigmaT: 1}},
		{"sigma_t", banana.Data{N: 1, Y: []float64{1}, SigmaY: 1, SigmaT: -1}},
		{"sigma_t", banana.Data{N: 1, Y: []float64{1}, SigmaY: 1, SigmaT: inf}},
	} {
		_, err := banana.New(c.d)
		refused("banana", c.datum, err)
		_, err = banana_explicit.New(banana_explicit.Data(c.d))
		refused("banana_explicit", c.datum, err)
	}

	for _, c := range []struct {
		datum string
		d     gaussian.Data
	}{
		{"mu", gaussian.Data{Mu: []float64{1}, Sigma: []float64{1, 0, 0, 1}}},
		{"mu[2]", gaussian.Data{Mu: []float64{1, nan}, Sigma: []float64{1, 0, 0, 1}}},
		{"Sigma", gaussian.Data{Mu: []float64{1, 2}, Sigma: []float64{1, 0, 0}}},
		{"Sigma", gaussian.Data{Mu: []float64{1, 2}, Sigma: []float64{1, 0.5, 0.4, 1}}},
		{"Sigma", gaussian.Data{Mu: []float64{1, 2}, Sigma: []float64{1, 2, 2, 1}}},
		{"Sigma", gaussian.Data{Mu: []float64{1, 2}, Sigma: []float64{0, 0, 0, 0}}},
		{"Sigma", gaussian.Data{Mu: []float64{1, 2}, Sigma: []float64{1, nan, nan, 1}}},
		{"Sigma", gaussian.Data{Mu: []float64{1, 2}, Sigma: []float64{nan, 0, 0, 1}}},
		{"Sigma", gaussian.Data{Mu: []float64{1, 2}, Sigma: []float64{1, 0, 0, inf}}},
		{"Sigma", gaussian.Data{Mu: []float64{1, 2}, Sigma: []float64{-1, 0, 0, 1}}},
	} {
		_, err := gaussian.New(c.d)
		refused("gaussian", c.datum, err)
	}

	for _, c := range []struct {
		datum string
		d     logistic.Data
	}{
		{"n", logistic.Data{N: 0, K: 1}},
		{"k", logistic.Data{N: 1, K: 0, Y: []int{1}}},
		{"n", logistic.Data{N: -2, K: -2, X: []float64{1, 2, 3, 4}}},
		{"x", logistic.Data{N: 2, K: 2, X: []float64{1, 2, 3}, Y: []int{0, 1}}},
		{"x[2,2]", logistic.Data{N: 2, K: 2, X: []float64{1, 2, 3, inf}, Y: []int{0, 1}}},
		{"y", logistic.Data{N: 2, K: 1, X: []float64{1, 2}, Y: []int{0}}},
		{"y[2]", logistic.Data{N: 2, K: 1, X: []float64{1, 2}, Y: []int{0, 2}}},
		{"y[1]", logistic.Data{N: 2, K: 1, X: []float64{1, 2}, Y: []int{-1, 0}}},
	} {
		_, err := logistic.New(c.d)
		refused("logistic", c.datum, err)
		_, err = logistic_indexed.New(logistic_indexed.Data(c.d))
		refused("logistic_indexed", c.datum, err)
	}
}

// TestBadFiles: the same from a file, where the error names the file too.
func TestBadFiles(t *testing.T) {
	refused := func(read func(text string) error, text string, words ...string) {
		t.Helper()
		err := read(text)
		if err == nil {
			t.Errorf("%s: accepted", text)
			return
		}
		for _, w := range append(words, "some.json") {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s: the error does not say %q: %v", text, w, err)
			}
		}
	}
	readBanana := func(text string) error {
		_, err := banana.ReadData(strings.NewReader(text), "some.json")
		return err
	}
	readGaussian := func(text string) error {
		_, err := gaussian.ReadData(strings.NewReader(text), "some.json")
		return err
	}
	readLogistic := func(text string) error {
		_, err := logistic.ReadData(strings.NewReader(text), "some.json")
		return err
	}
	readFunnel := func(text string) error {
		_, err := funnel.ReadData(strings.NewReader(text), "some.json")
		return err
	}
	refused(readBanana, `{"y": [1]}`, "n")
	refused(readBanana, `{"n": 1}`, "y")
	refused(readBanana, `{"n": 1.5, "y": [1]}`, "n")
	refused(readBanana, `{"n": 2, "y": [1]}`, "y")
	refused(readBanana, `{"n": 1, "y": [[1]]}`, "y")
	refused(readBanana, `{"n": 1, "y": [1], "sigma_y": [2]}`, "sigma_y")
	refused(readBanana, `{"n": 1, "y": [1], "sigma_t": "two"}`)
	refused(readBanana, `{"n": 1, "y": [1]`)
	refused(readGaussian, `{"mu": [1, 2]}`, "Sigma")
	refused(readGaussian, `{"mu": [1, 2, 3], "Sigma": [[1, 0], [0, 1]]}`, "mu")
	refused(readGaussian, `{"mu": [1, 2], "Sigma": [1, 0, 0, 1]}`, "Sigma")
	refused(readGaussian, `{"mu": [1, 2], "Sigma": [[1, 0], [0]]}`)
	refused(readLogistic, `{"n": 2, "k": 1, "x": [[1, 2]], "y": [0, 1]}`, "x")
	refused(readLogistic, `{"n": 2, "k": 1, "x": [[1], [2]], "y": [0, 1.5]}`, "y")
	refused(readLogistic, `{"n": -2, "k": 1, "x": [[1], [2]], "y": [0, 1]}`)
	refused(readFunnel, `[]`)

	// A negative size must be refused somewhere, and never be a panic.
	d, err := logistic.ReadData(strings.NewReader(`{"n": 0, "k": 0, "x": [], "y": []}`), "some.json")
	if err == nil {
		_, err = logistic.New(d)
	}
	if err == nil {
		t.Error("a regression without data accepted")
	}
}

// TestFilesAndDefaults: data with defaults may be left out, and a file says the
// same as the struct.
func TestFilesAndDefaults(t *testing.T) {
	d := must[banana.Data](t)(banana.ReadData(strings.NewReader(`{"n": 3, "y": [1, 2, 4.5]}`), "f"))
	if got, want := fmt.Sprint(d), fmt.Sprint(banana.Data{N: 3, Y: []float64{1, 2, 4.5}, SigmaY: 2, SigmaT: 2}); got != want {
		t.Errorf("read %v, want %v", got, want)
	}
	d = must[banana.Data](t)(banana.ReadData(strings.NewReader(`{"sigma_t": 3, "n": 1, "y": [1], "sigma_y": 0.5}`), "f"))
	if d.SigmaY != 0.5 || d.SigmaT != 3 {
		t.Errorf("read %v", d)
	}
	g := must[gaussian.Data](t)(gaussian.ReadData(strings.NewReader(`{"mu": [1, 2], "Sigma": [[1, 0.25], [0.5, 2]]}`), "f"))
	if fmt.Sprint(g.Sigma) != "[1 0.25 0.5 2]" {
		t.Errorf("rows of Sigma: %v", g.Sigma)
	}
	l := must[logistic.Data](t)(logistic.ReadData(strings.NewReader(`{"n": 2, "k": 3, "x": [[1, 2, 3], [4, 5, 6]], "y": [0, 1]}`), "f"))
	if fmt.Sprint(l.X, l.Y) != "[1 2 3 4 5 6] [0 1]" {
		t.Errorf("read %v", l)
	}
}

// TestDataAreCopied: what happens to the data after New is no concern of the
// model, nor of its clones.
func TestDataAreCopied(t *testing.T) {
	y, mu, sigma := []float64{1, 2}, []float64{1, 2}, []float64{2, 1, 1, 3}
	x, outcomes := []float64{1, 2, 3, 4}, []int{0, 1}
	models := []runtime.System{
		must[*banana.Model](t)(banana.New(banana.Data{N: 2, Y: y, SigmaY: 1, SigmaT: 1})),
		must[*gaussian.Model](t)(gaussian.New(gaussian.Data{Mu: mu, Sigma: sigma})),
		must[*logistic.Model](t)(logistic.New(logistic.Data{N: 2, K: 2, X: x, Y: outcomes})),
	}
	q, p := []float64{0.3, -0.4}, []float64{1, 2}
	all := func(m runtime.System) []float64 {
		h, l, _ := m.Energy(q, p)
		return append(append(gradient(m, q), h, l), append(metric(m, q), metricJacobian(m, q)...)...)
	}
	var before [][]float64
	for _, m := range models {
		before = append(before, all(m.Clone().(runtime.System)))
	}
	for _, data := range [][]float64{y, mu, sigma, x} {
		for i := range data {
			data[i] = -7
		}
	}
	outcomes[0], outcomes[1] = 1, 0
	for i, m := range models {
		name := m.Info().Name
		if !same(all(m.Clone().(runtime.System)), before[i]) || !same(all(m), before[i]) {
			t.Errorf("%s changed with the data it was made of", name)
		}
	}
}

// TestUnconstrain: a parameter that is no number is named.
func TestUnconstrain(t *testing.T) {
	each(t, small(t), func(t *testing.T, s *subject) {
		m := s.fresh()
		info := m.Info()
		if info.Dim() != s.dim() {
			t.Fatalf("dimension %d, want %d", info.Dim(), s.dim())
		}
		i := 0
		for k := range info.Params {
			for range info.Params[k].Size() {
				x, q := make([]float64, s.dim()), make([]float64, s.dim())
				m.Constrain(x, q)
				x[i] = math.NaN()
				if err := m.Unconstrain(q, x); err == nil || !strings.Contains(err.Error(), "parameter "+info.Params[k].Name+" ") {
					t.Errorf("value %d is NaN: error %v", i, err)
				}
				i++
			}
		}
	})
}
