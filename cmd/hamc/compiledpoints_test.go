package main

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

// answered are the numbers of an answer of log-prob, in the order of the points and of a point's quantities.
func answered(t *testing.T, answer string) (out []float64) {
	t.Helper()
	var list any
	if err := json.Unmarshal([]byte(answer), &list); err != nil {
		t.Fatal(err)
	}
	var walk func(x any)
	walk = func(x any) {
		switch x := x.(type) {
		case []any:
			for _, v := range x {
				walk(v)
			}
		case map[string]any:
			for _, k := range []string{"log_density", "gradient", "metric", "metric_jacobian", "log_det_metric", "hamiltonian", "grad_q_hamiltonian", "grad_p_hamiltonian"} {
				if v, ok := x[k]; ok {
					walk(v)
				}
			}
		case float64:
			out = append(out, x)
		default:
			t.Fatalf("%v", x)
		}
	}
	walk(list)
	return out
}

// On large data log-prob asks compiled code, which answers as the evaluator does: the same numbers up to
// rounding, the same errors.
func TestLogProbOfLargeData(t *testing.T) {
	t.Chdir(t.TempDir())
	const n = 60_000
	rng := rand.New(rand.NewPCG(3, 4))
	var y []float64
	for range n {
		y = append(y, rng.NormFloat64())
	}
	data, err := json.Marshal(map[string]any{"n": n, "y": y})
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if len(data) < largeData {
		t.Fatalf("%d bytes", len(data))
	}
	write("m.data.json", string(data))
	write("m.ham", "model m\ndata n int\ndata y real[n]\nparam mu real\nparam s real > 0\nmu ~ normal(0, 1)\ns ~ lognormal(0, 1)\ny ~ student_t(4, mu, s)\nmetric diag(1 + mu^2, 2)\n")
	write("at.json", `[{"q": [0.1, -0.2]}, {"q": [-1.5, 0.3], "p": [1, 2]}]`)
	answer := func(args ...string) []float64 {
		t.Helper()
		r := fine(t, append([]string{"log-prob", "m.ham", "--at", "at.json"}, args...)...)
		return answered(t, r.stdout)
	}
	compiled, evaluated := answer(), answer("--evaluate")
	if len(compiled) != 2*(1+2+4+8+1)+5 || len(evaluated) != len(compiled) {
		t.Fatalf("%d and %d numbers", len(compiled), len(evaluated))
	}
	same := true
	for i, want := range evaluated {
		// A sum of n terms, in another order.
		if d := math.Abs(compiled[i]-want) / math.Max(1, math.Abs(want)); !(d < n*0x1p-52) {
			t.Errorf("number %d: %v, and %v by the evaluator", i, compiled[i], want)
		}
		same = same && compiled[i] == want
	}
	if same {
		t.Error("the same bits: was it the evaluator that answered?")
	}
	refused := func(name, text string, args ...string) {
		t.Helper()
		write(name, text)
		a := hamc(append([]string{"log-prob", "m.ham", "--at", "at.json"}, args...)...)
		b := hamc(append([]string{"log-prob", "m.ham", "--at", "at.json", "--evaluate"}, args...)...)
		if a.code != exitProblem || a.stdout != "" || strings.ReplaceAll(a.stderr, mustGetwd(t)+"/", "") != b.stderr {
			t.Errorf("%s: exit code %d, %s, and by the evaluator %s", name, a.code, a.stderr, b.stderr)
		}
	}
	refused("at.json", `[{"q": [0.1]}]`)
	refused("at.json", `[{"q": [0.1, "x"]}]`)
	refused("at.json", `[`)
	write("at.json", `[{"q": [0.1, 0.2]}]`)
	refused("bad.json", fmt.Sprintf(`{"n": %d, "y": [1, %s]}`, n, strings.Repeat("1.5, ", n)+strings.Repeat(" ", largeData)+"x"), "--data", "bad.json")
}

func mustGetwd(t *testing.T) string {
	wd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	return wd
}
