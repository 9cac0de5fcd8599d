package main

import (
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/symbolic/interpret"
)

// TestNest: where the classes of observations are a function of their pupils in the data at hand, the maps of both know of each other: coordinates given the other parameters are
// standard normal, ∂L/∂z = −z. The density is that of the model as it stands, and other data are refused.
func TestNest(t *testing.T) {
	const source = `model pupils
data n, P, C int
data pupil int[n] in 1..P
data class int[n] in 1..C
data y real[n]
param a real[P]
param b real[C]
param ta, tb, s real > 0
a ~ normal(0, ta)
b ~ normal(0, tb)
ta, tb, s ~ lognormal(-1, 0.3)
y ~ normal(a[pupil] + b[class], s)
`
	read := func(m *model, text string) *interpret.Data {
		d, err := interpret.Read(m.checked, strings.NewReader(text), "data")
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	const nested = `{"n": 5, "P": 4, "C": 2, "pupil": [1, 1, 2, 3, 3], "class": [2, 2, 2, 1, 1], "y": [0.3, 0.5, -0.1, 1, 0.8]}`
	const crossed = `{"n": 5, "P": 4, "C": 2, "pupil": [1, 1, 2, 3, 3], "class": [2, 1, 2, 1, 1], "y": [0.3, 0.5, -0.1, 1, 0.8]}`
	load := func(text string) (*model, interpret.Posterior) {
		m, ds := derive("pupils.ham", source, nil, false)
		if m == nil {
			t.Fatal(ds)
		}
		data := read(m, text)
		if fits := m.fit(data); fits != (text == nested) {
			t.Errorf("the data make a difference: %v\n%s", fits, text)
		}
		p, err := m.on(&modelData{data, ""})
		if err != nil {
			t.Fatal(err)
		}
		return m, p
	}
	m, p := load(nested)
	load(crossed)
	if _, err := m.on(&modelData{read(m, crossed), ""}); err == nil || !strings.Contains(err.Error(), "class as a function of pupil") {
		t.Errorf("data that are no function: %v", err)
	}
	plain, _ := derive("pupils.ham", source+"metric identity\n", nil, false)
	without, err := plain.on(&modelData{read(plain, nested), ""})
	if err != nil {
		t.Fatal(err)
	}
	moved := p.(runtime.Transported)
	q, grad := []float64{0.3, -0.2, 0.9, -1.1, 0.4, 0.6, -0.5, -0.3, -0.8}, make([]float64, 9)
	moved.Gradient(grad, q)
	for i := range 6 {
		if math.Abs(grad[i]+q[i]) > 1e-10 {
			t.Errorf("∂L/∂z[%d] is %v at %v", i, grad[i], q[i])
		}
	}
	got := moved.LogDensity(q) - moved.LogJacobian(q)
	moved.Push(q)
	if want := without.LogDensity(q); math.Abs(got-want) > 1e-11 {
		t.Errorf("the log density is %v, of the model as it stands %v", got, want)
	}
}

// TestFunctions: all functions among data are found, since a sampler may have been made for any of them, and of several that is taken whose groups are fewest.
func TestFunctions(t *testing.T) {
	m, ds := derive("groups.ham", `model groups
data n, P int
data pupil, class, school, all, other int[n] in 1..P
data id int[n] in 1..1000000000
param a real[P]
a ~ normal(0, 1)
density sum(a[pupil]) + sum(a[class]) + sum(a[school]) + sum(a[all]) + sum(a[other])
`, nil, false)
	if m == nil {
		t.Fatal(ds)
	}
	data, err := interpret.Read(m.checked, strings.NewReader(`{"n": 5, "P": 9, "pupil": [1, 2, 3, 9, 9], "class": [4, 4, 2, 5, 5], "school": [7, 7, 1, 1, 1], "all": [3, 3, 3, 3, 3], "other": [1, 2, 1, 1, 1], "id": [1, 2, 3, 4, 999999999]}`), "data")
	if err != nil {
		t.Fatal(err)
	}
	var groups []*dsl.Data
	for _, d := range m.checked.Data {
		if len(d.Type.Shape) == 1 {
			groups = append(groups, d)
		}
	}
	list := functions(groups, data)
	want := []function{{"class", "pupil", 4}, {"school", "pupil", 4}, {"school", "class", 3}, {"other", "pupil", 4}}
	if !slices.Equal(list, want) {
		t.Errorf("functions %v, want %v", list, want)
	}
	if got, want := coarsest(list), map[string]string{"class": "pupil", "school": "class", "other": "pupil"}; !maps.Equal(got, want) {
		t.Errorf("of them %v, want %v", got, want)
	}
}
