package main

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestDense: the sizes of the data decide whether a regression with a prior of unknown scales has a dense map that has to be factorised, in a run and where it goes on;
// its draws are the same whether they were made in one go.
func TestDense(t *testing.T) {
	const model = `model shrunk
data n, K int
data x real[n, K]
data y real[n]
param b real[K]
param tau, s real > 0
b[j] ~ normal(0, tau*j) for j in K
tau, s ~ normal(0, 1)
y ~ normal(x*b, s)
`
	t.Chdir(t.TempDir())
	put := func(name string, content []byte) {
		if err := os.WriteFile(name, content, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	data := func(name string, n, k int) {
		x, y := make([][]float64, n), make([]float64, n)
		for i := range x {
			y[i] = float64(i%3) - 0.5
			for j := range k {
				x[i] = append(x[i], float64((i+2*j)%5)-2)
			}
		}
		text, err := json.Marshal(map[string]any{"n": n, "K": k, "x": x, "y": y})
		if err != nil {
			t.Fatal(err)
		}
		put(name, text)
	}
	put("shrunk.ham", []byte(model))
	data("few.json", 6, 3)
	data("many.json", 2, 300)
	for _, c := range []struct {
		data string
		want bool
	}{{"few.json", true}, {"many.json", false}} {
		said := fine(t, "run", "shrunk.ham", "--data", c.data, "--evaluate", "--chains", "1", "--warmup", "0", "--draws", "1", "--steps", "1", "--step-size", "0.1", "--output-dir", "one"+c.data).stderr
		if got := strings.Contains(said, "transport of b (dense)"); got != c.want {
			t.Errorf("%s: dense %v, want %v:\n%s", c.data, got, c.want, said)
		}
	}
	args := []string{"run", "shrunk.ham", "--data", "few.json", "--evaluate", "--quiet", "--chains", "2", "--warmup", "30"}
	fine(t, append(args, "--draws", "40", "--output-dir", "whole")...)
	fine(t, append(args, "--draws", "15", "--output-dir", "parts")...)
	fine(t, "run", "--resume", "parts", "--draws", "40", "--quiet")
	whole, parts := chainsIn(t, "whole"), chainsIn(t, "parts")
	for k := range whole {
		for j, v := range whole[k].Values {
			if !slices.Equal(v, parts[k].Values[j]) {
				t.Errorf("chain %d, %s: %v in one go, %v in parts", k+1, whole[k].Columns[j], v, parts[k].Values[j])
			}
		}
	}
}

// TestSteered: the sizes of the data decide which of vectors that all have a map without them keep it: loadings and scales of what is measured stand for themselves, for the sake of the
// scores of many more persons, whose map depends on them.
func TestSteered(t *testing.T) {
	const model = `model scores
data N, K int
data y real[N, K]
data f int[K] in 1..2
param lam real[K] > 0
param psi real[K] > 0
param eta real[N, 2]
param R corr_cholesky[2]
lam ~ normal(0.7, 0.5)
psi ~ half_normal(1)
R ~ lkj_corr_cholesky(1)
eta ~ multi_normal_cholesky(0, R)
y[i, k] ~ normal(lam[k]*eta[i, f[k]], psi[k]) for i in N, k in K
`
	t.Chdir(t.TempDir())
	y := make([][]float64, 12)
	for i := range y {
		y[i] = []float64{float64(i%3) - 1, float64(i%4) - 2, float64(i%5) - 2}
	}
	text, err := json.Marshal(map[string]any{"N": len(y), "K": 3, "y": y, "f": []int{1, 1, 2}})
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{"scores.ham": []byte(model), "scores.json": text} {
		if err := os.WriteFile(name, content, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	said := fine(t, "run", "scores.ham", "--data", "scores.json", "--evaluate", "--chains", "1", "--warmup", "0", "--draws", "1", "--steps", "1", "--step-size", "0.1", "--output-dir", "one").stderr
	if !strings.Contains(said, "transport of eta,") {
		t.Errorf("not eta alone has a map:\n%s", said)
	}
}
