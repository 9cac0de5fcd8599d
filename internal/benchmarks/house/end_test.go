package main

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/internal/campaign"
)

// A checkout weighed against itself: the same code, the same draws. In full that is the largest model and one with
// blocks too; otherwise code alone, and the compiler sees that the program that times fits the runtime.
func TestAgainstItself(t *testing.T) {
	names := campaign.Sample(t, []string{"gaussian", "stochastic_volatility", "lotka_volterra"}, 3)
	long := campaign.Long(t)
	s := settings{old: "../../..", now: ".", only: strings.Join(names, ","), json: true, steps: long, draws: long, moments: long, times: 1, rounds: 1, n: 3, momentFlags: []string{"--warmup", "60", "--draws", "40"}}
	var b strings.Builder
	if err := s.run(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	var r Report
	if err := json.Unmarshal([]byte(b.String()), &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Sizes) != len(names) || long && len(r.Draws) != 2*len(names) {
		t.Fatalf("%d sizes, %d comparisons of draws", len(r.Sizes), len(r.Draws))
	}
	for _, p := range r.Sizes {
		p.Old.Milliseconds, p.New.Milliseconds = 0, 0
		if *p.Old != *p.New || p.New.Lines < 100 || p.New.Fields < 5 || p.New.Largest >= p.New.Code {
			t.Errorf("%s: %+v against %+v", p.Model, p.Old, p.New)
		}
	}
	for _, d := range r.Draws {
		if d.Failure != "" || d.Draws != 3 || d.Equal != 3 || d.Settings == "fixed" && d.Moved == 0 {
			t.Errorf("draws: %+v", d)
		}
	}
	if long && len(r.Moments) != len(names) {
		t.Errorf("moments of %d models", len(r.Moments))
	}
	for _, m := range r.Moments {
		if m.Failure != "" || m.Numbers < 2 || m.Worst != 0 {
			t.Errorf("moments: %+v", m)
		}
	}
	timed := map[string]bool{}
	for _, st := range r.Steps {
		timed[st.Model+" "+st.Part+" "+st.Method] = true
		if st.OldIterations != st.NewIterations || st.OldFailed != 0 || st.NewFailed != 0 || st.Old <= 0 || st.New <= 0 {
			t.Errorf("%+v", st)
		}
	}
	if !long {
		return
	}
	for _, what := range []string{"gaussian  density", "gaussian  gradient", "gaussian  imb", "gaussian  glfb", "gaussian  leapfrog",
		"stochastic_volatility volatility given", "stochastic_volatility latent imb", "lotka_volterra  imb"} {
		if !timed[what] {
			t.Errorf("not timed: %s", what)
		}
	}
}

// TestWithoutRoundings: the old side's code without the roundings of products builds, and its steps solve their equations in as many iterations. A
// short campaign has TestStrip.
func TestWithoutRoundings(t *testing.T) {
	if !campaign.Long(t) {
		return
	}
	s := settings{old: "../../..", now: ".", only: "banana", json: true, steps: true, plain: true, times: 1, rounds: 1}
	var b strings.Builder
	if err := s.run(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	var r Report
	if err := json.Unmarshal([]byte(b.String()), &r); err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(r.Old, " without roundings of products") || r.New != strings.TrimSuffix(r.Old, " without roundings of products") {
		t.Errorf("old %q, new %q", r.Old, r.New)
	}
	if len(r.Steps) == 0 {
		t.Error("nothing is timed")
	}
	for _, st := range r.Steps {
		if math.Abs(st.OldIterations-st.NewIterations) > 0.1 {
			t.Errorf("%+v", st)
		}
	}
}
