package experiment

import (
	"math"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/cmd/hamc/internal/document"
	"github.com/hamc-dev/hamc/runtime/grid"
)

// joinedGrid is a grid of 100 draws of which a table of 1000 draws is published, with results: a
// model that its file names and, with an integrator, one that has joined.
func joinedGrid(t *testing.T) (*Source, []Row, *Published) {
	t.Helper()
	spec, err := ParseSpec([]byte(`
title = "t"
draws = 1000
scale.quick = { draws = 100, replicates = 2 }
[[model]]
file = "a.ham"
[[cells]]
name       = "g"
table      = "tab"
integrator = ["imb", "glfb"]
step_size  = 0.1
steps      = 5
`), "g.toml")
	if err != nil {
		t.Fatal(err)
	}
	of := spec.Models[0]
	of.File, of.Name = "b.ham", "b"
	if err := spec.Join([]string{"mine"}, &of); err != nil {
		t.Fatal(err)
	}
	src := &Source{Spec: spec, Scale: "quick"}
	models := []*grid.Model{{Name: "a"}, {Name: "b"}}
	var rows []Row
	for i, m := range models {
		for k, name := range []string{"imb", "glfb", "mine"} {
			for replicate := range 2 {
				s := defaultSettings()
				s.Integrator, s.StepSize, s.Steps = name, 0.1, 5
				// 20 and 22, 30 and 32 … effective of 100.
				ess := float64(20 + 10*k + 2*replicate + 100*i)
				rows = append(rows, Row{m, &grid.Cell{Group: "g", Model: i, Replicate: replicate + 1, Settings: s, Length: grid.Length{Draws: 100}},
					&grid.Result{Transitions: 100, Accepted: 90, ESSMean: grid.Number(ess), ESSMin: grid.Number(ess), Volume: grid.Spread{Median: grid.Number(math.Pow(10, float64(-6-2*replicate)))},
						Times: grid.Times{CPU: 1}}})
			}
		}
	}
	row := func(integrator string, ess float64) map[string]any {
		return map[string]any{"step_size": 0.1, "steps": 5.0, "integrator": integrator, "ess_mean": ess, "ess_min": ess, "volume_error_median": 1e-7, "time_s": 1.0, "ess_min_per_s": ess}
	}
	return src, rows, &Published{Label: "tab", Rows: []map[string]any{row("imb", 210), row("glfb", 310)}}
}

// texts returns the cells of a table.
func texts(t *document.Table) [][]string {
	var out [][]string
	for _, row := range t.Rows {
		var line []string
		for _, c := range row {
			line = append(line, c.Text)
		}
		out = append(out, line)
	}
	return out
}

// TestJoinedModel: a model that has joined a grid has no published values: not in the tables, not in
// the count of those that are met, and not where it alone is left.
func TestJoinedModel(t *testing.T) {
	src, rows, p := joinedGrid(t)
	for _, x := range []struct {
		rows []Row
		want Tally
	}{
		{rows, Tally{Agree: 6, Wide: 2}},
		{rows[len(rows)/2:], Tally{Unmeasured: 6}}, // of the model that has joined
	} {
		compared, err := src.Compare(x.rows, []Published{*p})
		if err != nil {
			t.Fatal(err)
		}
		if got := Count(compared); got != x.want {
			t.Errorf("of %d rows: %+v, expected %+v", len(x.rows), got, x.want)
		}
		entries := Entries(x.rows)
		both := append(texts(src.comparedTable(entries, p, compared, 1000)), texts(src.timesTable(entries, entries, p))...)
		for _, line := range both {
			published := line[len(line)-1] != "–"
			if want := line[0] == "a" && line[1] != "mine"; published != want {
				t.Errorf("row %q has published values: %v", line, published)
			}
		}
	}
	ref := &Reference{Tables: []Published{*p}}
	if r := src.publishedRatio(rows[0].Model, ref); !(math.Abs(r-210.0/310) < 1e-12) {
		t.Errorf("the published ratio is %v", r)
	}
	if r := src.publishedRatio(rows[len(rows)-1].Model, ref); r == r {
		t.Errorf("the published ratio of a model that has joined is %v", r)
	}
}

// TestJoinedRows: rows that nothing is published of are of as many draws as those beside them, their
// factors are averaged like those, and tables of several models say which.
func TestJoinedRows(t *testing.T) {
	src, rows, p := joinedGrid(t)
	compared, err := src.Compare(rows, []Published{*p})
	if err != nil {
		t.Fatal(err)
	}
	entries := Entries(rows)
	table := src.comparedTable(entries, p, compared, 1000)
	if table.Head[0] != "model" || table.Head[1] != "integrator" || table.Left != 2 || len(table.Groups) != 5 {
		t.Errorf("the head is %q, %d columns on the left, groups %+v", table.Head, table.Left, table.Groups)
	}
	var got []string
	for _, line := range texts(table) {
		got = append(got, strings.Join(line, " | "))
	}
	want := []string{
		"a | I.M.(b) | 210 ± 10 | 210 | 210 ± 10 | 210 | 1.0·10⁻⁷ | 1.0·10⁻⁷",
		"a | G.L.F.(b) | 310 ± 10 | 310 | 310 ± 10 | 310 | 1.0·10⁻⁷ | 1.0·10⁻⁷",
		"a | mine | 410 ± 10 | – | 410 ± 10 | – | 1.0·10⁻⁷ | –",
		"b | I.M.(b) | 1210 ± 10 | – | 1210 ± 10 | – | 1.0·10⁻⁷ | –",
		"b | G.L.F.(b) | 1310 ± 10 | – | 1310 ± 10 | – | 1.0·10⁻⁷ | –",
		"b | mine | 1410 ± 10 | – | 1410 ± 10 | – | 1.0·10⁻⁷ | –",
	}
	if a, b := strings.Join(got, "\n"), strings.Join(want, "\n"); a != b {
		t.Errorf("the table is\n%s\nexpected\n%s", a, b)
	}
	if one := src.comparedTable(entries[:3], p, compared, 1000); one.Head[0] != "integrator" {
		t.Errorf("of one model, the head is %q", one.Head)
	}
}
