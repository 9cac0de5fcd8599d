package interpret

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/dsl"
)

func TestReadData(t *testing.T) {
	m, ds := dsl.Load("m.ham", `model m
data n, k int
data A real[n, k]
data g int[n, 2]
data s real = 0.5
data y real[n]
param mu real
y ~ normal(mu, s)
metric identity
`, dsl.Options{Consts: []dsl.ConstBinding{{Name: "k", Value: 3}}})
	if m == nil {
		t.Fatal(ds)
	}
	read := func(text string) (string, error) {
		data, err := ReadData(m, strings.NewReader(text), "d.json")
		return fmt.Sprint(data), err
	}
	const want = "[{n true [] [2]} {A false [2 3] [1 2 3 4 5 6]} {g true [2 2] [1 2 3 4]} {s false [] [0.5]} {y false [2] [7 8]} {k true [] [3]}]"
	got, err := read(`{"n": 2, "y": [7, 8], "A": [[1, 2, 3], [4, 5, 6]], "g": [[1, 2], [3, 4]], "more": 1}`)
	if err != nil || got != want {
		t.Errorf("got %s (%v)\nwant %s", got, err, want)
	}
	if _, err := read(`{"n": 2, "y": [7], "A": [[1, 2, 3], [4, 5, 6]], "g": [[1, 2], [3, 4]]}`); err == nil || !strings.Contains(err.Error(), "d.json:1:15: y: expected an array of 2 numbers") {
		t.Errorf("a datum of another size: %v", err)
	}
	if _, err := read(`{`); err == nil || !strings.HasPrefix(err.Error(), "d.json:1:2") {
		t.Errorf("no JSON: %v", err)
	}
}
