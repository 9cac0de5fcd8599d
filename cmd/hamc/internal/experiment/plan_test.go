package experiment

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/runtime/grid"
)

// two is a grid of two models and two groups.
const two = `
seed = 9
replicates = 2
[settings]
step_size = 0.5
steps = [7, 8]
[[model]]
file = "a.ham"
[[model]]
name = "b"
file = "x/y.ham"
[[cells]]
name = "first"
integrator = ["imb", "mine", "glfb"]
random_steps = [true, false]
tolerance = [1e-7, 1e-5]
[[cells]]
name = "second"
model = "b"
steps = 2
step_size = [0.1, 1, 0.01]
`

// laid says what the cells of a plan are.
func laid(p *grid.Plan) []string {
	var out []string
	for i := range p.Cells {
		c := &p.Cells[i]
		out = append(out, fmt.Sprintf("%s %s %v %d %v %v %s %d", c.Group, p.Models[c.Model].Name, c.StepSize, c.Steps, c.RandomSteps, c.Tolerance, c.Integrator, c.Replicate))
	}
	return out
}

// Cells are in the order of the groups, the models, the settings as tables have them, the values of lists,
// and the replicates, the last varying fastest.
func TestOrder(t *testing.T) {
	p := mustPlan(t, two, "")
	var want []string
	for _, model := range []string{"a", "b"} {
		for _, steps := range []int{7, 8} {
			for _, random := range []bool{true, false} {
				for _, tol := range []float64{1e-7, 1e-5} {
					for _, k := range []string{"imb", "mine", "glfb"} {
						for r := range 2 {
							want = append(want, fmt.Sprintf("first %s 0.5 %d %v %v %s %d", model, steps, random, tol, k, r+1))
						}
					}
				}
			}
		}
	}
	for _, eps := range []float64{0.1, 1, 0.01} {
		for r := range 2 {
			want = append(want, fmt.Sprintf("second b %v 2 false 1e-06 imb %d", eps, r+1))
		}
	}
	if got := laid(p); !slices.Equal(got, want) {
		t.Errorf("%s", strings.Join(got, "\n"))
	}
	for i := range p.Cells {
		if p.Cells[i].Index != i {
			t.Errorf("cell %d has the index %d", i, p.Cells[i].Index)
		}
		if own := p.Cells[i].Integrator == "mine"; own != (p.Cells[i].Digest != "") {
			t.Errorf("cell %d: digest %q", i, p.Cells[i].Digest)
		}
	}
}

// A length is that of the group at the scale, of the group, of the grid at the scale, of the grid, or the
// default.
func TestScales(t *testing.T) {
	const text = `
draws = 100
warmup = 10
checks = 1000
scale.quick = { draws = 50, replicates = 3 }
scale.slow.audit = 7
` + aModel + `
[[cells]]
name = "plain"
step_size = 1
steps = 1
[[cells]]
name = "own"
step_size = 1
steps = 1
draws = 20
scale.quick.warmup = 0
[[cells]]
name = "both"
step_size = 1
steps = 1
draws = 20
fresh = true
scale.quick = { draws = 5, fresh = false, eta = 1e-3 }
scale.only.draws = 2
`
	for scale, want := range map[string][]string{
		"":      {"plain 100 10 false 100 1e-05 100 ×1", "own 20 10 false 20 1e-05 20 ×1", "both 20 10 true 20 1e-05 20 ×1"},
		"quick": {"plain 50 10 false 50 1e-05 50 ×3", "own 20 0 false 20 1e-05 20 ×3", "both 5 10 false 5 0.001 5 ×3"},
		"slow":  {"plain 100 10 false 100 1e-05 7 ×1", "own 20 10 false 20 1e-05 7 ×1", "both 20 10 true 20 1e-05 7 ×1"},
		"only":  {"plain 100 10 false 100 1e-05 100 ×1", "own 20 10 false 20 1e-05 20 ×1", "both 2 10 true 2 1e-05 2 ×1"},
	} {
		p := mustPlan(t, text, scale)
		var got []string
		for i := range p.Cells {
			c := &p.Cells[i]
			if c.Replicate > 1 {
				continue
			}
			n := 0
			for k := range p.Cells {
				if p.Cells[k].Group == c.Group {
					n++
				}
			}
			got = append(got, fmt.Sprintf("%s %d %d %v %d %v %d ×%d", c.Group, c.Draws, c.Warmup, c.Fresh, c.Checks, c.Eta, c.Audit, n))
		}
		if !slices.Equal(got, want) {
			t.Errorf("scale %q:\n%s\nwant\n%s", scale, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	if _, err := planOf(text, "huge"); err == nil || err.Error() != "scale huge: the grid has only, quick, slow" {
		t.Errorf("%v", err)
	}
	if _, err := planOf(aModel+aGroup, "quick"); err == nil || err.Error() != "scale quick: the grid has none; it is always whole" {
		t.Errorf("%v", err)
	}
}

// Filters keep what all of them hold for, with its numbers.
func TestOnly(t *testing.T) {
	whole := mustPlan(t, two, "")
	ids := map[string]bool{}
	for i := range whole.Cells {
		ids[whole.ID(&whole.Cells[i])] = true
	}
	for _, c := range []struct {
		filters string
		cells   int
	}{
		{"", 102},
		{"cells=second", 6},
		{"cells=second,first", 102},
		{"model=b replicate=2", 27},
		{"integrator=mine steps=7 random_steps=true", 8},
		{"tolerance=0.0000001 step_size=5e-1", 48},
		{"step_size=.1,1.0", 4},
		{"steps=2.0", 6},
		{"integrator=imb,nobody cells=second", 6},
		{"max_iterations=1000 code=generated solver=default reverse_check=suspect stop_stalled=true", 102},
	} {
		p := mustPlan(t, two, "")
		if err := Only(p, strings.Fields(c.filters)); err != nil {
			t.Errorf("%s: %v", c.filters, err)
			continue
		}
		if len(p.Cells) != c.cells {
			t.Errorf("%s: %d cells, want %d", c.filters, len(p.Cells), c.cells)
		}
		for i := range p.Cells {
			if p.Cells[i].Index != i || !ids[p.ID(&p.Cells[i])] {
				t.Errorf("%s: cell %d: index %d, or another cell than in the whole", c.filters, i, p.Cells[i].Index)
			}
		}
	}
	for filter, want := range map[string]string{
		"steps":   "--only steps: expected NAME=VALUE,…, such as steps=5,10",
		"steps=":  "--only steps=: expected NAME=VALUE,…",
		"=5":      "--only =5: there is no setting ; expected cells, model, replicate, step_size, ",
		"group=x": "--only group=x: there is no setting group; expected cells, model, replicate, step_size, steps, ",
		"steps=3": "--only steps=3 leaves no cell of the grid",
		"model=c": "--only model=c leaves no cell of the grid",
	} {
		if err := Only(mustPlan(t, two, ""), []string{filter}); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v", filter, err)
		}
	}
	spaced := mustPlan(t, two, "")
	if err := Only(spaced, []string{"steps=7, 8"}); err != nil || len(spaced.Cells) != 96 {
		t.Errorf("%d cells, %v", len(spaced.Cells), err)
	}
	// Numbers that are written in another way than they are shown, and names that look like numbers.
	odd := "max_iterations"
	p := mustPlan(t, aModel+"[[cells]]\nname = \"007\"\nstep_size = 1\nsteps = 1\n"+odd+" = [1000000, 2000000]\n", "")
	if err := Only(p, []string{odd + "=1000000", "cells=007"}); err != nil || len(p.Cells) != 1 {
		t.Errorf("%d cells, %v", len(p.Cells), err)
	}
}

// What joins a grid is in every group that has a list, and changes no cell that was there.
func TestJoin(t *testing.T) {
	src, err := sourceOf(two, "")
	if err != nil {
		t.Fatal(err)
	}
	before, err := src.Plan(described, "runtime")
	if err != nil {
		t.Fatal(err)
	}
	if err := src.Spec.Join([]string{"mine", "new"}, nil); err != nil {
		t.Fatal(err)
	}
	if err := src.Spec.Join(nil, &ModelSpec{Name: "c", File: "c.ham"}); err != nil {
		t.Fatal(err)
	}
	src.Models = append(src.Models, CompiledModel{"m_c", []byte("c")})
	more := *described
	more.Integrators = append(slices.Clone(more.Integrators), grid.Described{Extension: 1, Name: "new"})
	after, err := src.Plan(&more, "runtime")
	if err != nil {
		t.Fatal(err)
	}
	// first: three models, 8 combinations of the other settings, four integrators, two replicates; second
	// names a model, and so gets the new one, but has no list of integrators.
	if got, want := len(after.Cells), 3*8*4*2+2*3*2; got != want {
		t.Errorf("%d cells, want %d", got, want)
	}
	ids := map[string]uint64{}
	for i := range after.Cells {
		ids[after.ID(&after.Cells[i])] = after.CellSeed(&after.Cells[i])
	}
	for i := range before.Cells {
		c := &before.Cells[i]
		if seed, ok := ids[before.ID(c)]; !ok || seed != before.CellSeed(c) {
			t.Errorf("%s is another cell", laid(before)[i])
		}
	}
	if got := list(src.Spec.Groups[0].Integrator); !reflect.DeepEqual(got, []any{"imb", "mine", "glfb", "new"}) {
		t.Errorf("%v", got)
	}
}

// An integrator that no group has a place for does not go missing.
func TestJoinNothing(t *testing.T) {
	for _, integrators := range []string{"", "integrator = \"imb\"\n"} {
		src, err := sourceOf(aModel+"[[cells]]\nstep_size = 1\nsteps = 1\n"+integrators, "")
		if err != nil {
			t.Fatal(err)
		}
		if err := src.Spec.Join([]string{"new"}, nil); err == nil || !strings.Contains(err.Error(), "the integrator new joins no cells") {
			t.Errorf("%q: %v", integrators, err)
		}
	}
}

// Everything that decides a result is in the name of the result, and nothing else.
func TestDigests(t *testing.T) {
	const text = aModel + "data = \"d.json\"\nsimulate = \"\"\ncorrection = \"fix\"\n[[cells]]\nstep_size = 1\nsteps = 1\nintegrator = [\"imb\", \"mine\"]\n"
	ids := func(change func(*Source), runtime string) [2]string {
		src, err := sourceOf(text, "")
		if err != nil {
			t.Fatal(err)
		}
		if change != nil {
			change(src)
		}
		p, err := src.Plan(described, runtime)
		if err != nil {
			t.Fatal(err)
		}
		return [2]string{p.ID(&p.Cells[0]), p.ID(&p.Cells[1])}
	}
	base := ids(nil, "runtime")
	for _, c := range []struct {
		name    string
		change  func(*Source)
		runtime string
		changed [2]bool // imb, mine
	}{
		{"nothing", nil, "runtime", [2]bool{}},
		{"the runtime", nil, "other", [2]bool{true, true}},
		{"the model", func(s *Source) { s.Models[0].Code = []byte("other") }, "runtime", [2]bool{true, true}},
		{"the data", func(s *Source) { s.Data["d.json"] = []byte("{}") }, "runtime", [2]bool{true, true}},
		{"the extension of the integrator", func(s *Source) { s.With[0].Text = []byte("package x") }, "runtime", [2]bool{false, true}},
		{"the extension of the correction", func(s *Source) { s.With[1].Text = []byte("package x") }, "runtime", [2]bool{true, true}},
		{"an extension that is not used", func(s *Source) { s.With = append(s.With, Extension{"c.go", nil}) }, "runtime", [2]bool{}},
		{"the seed", func(s *Source) { s.Spec.Seed++ }, "runtime", [2]bool{true, true}},
		{"the title", func(s *Source) { s.Spec.Title = "x" }, "runtime", [2]bool{}},
		{"the name of the group", func(s *Source) { s.Spec.Groups[0].Name = "x" }, "runtime", [2]bool{}},
		{"the file of the model", func(s *Source) { s.Spec.Models[0].File = "elsewhere/m.ham" }, "runtime", [2]bool{}},
	} {
		got := ids(c.change, c.runtime)
		if now := [2]bool{got[0] != base[0], got[1] != base[1]}; now != c.changed {
			t.Errorf("%s: changed %v, want %v", c.name, now, c.changed)
		}
	}
	p := mustPlan(t, aModel+"data = [\"x/my data (1).json\", \"../y.b.json\"]\n"+aGroup, "")
	for i, want := range []string{"data/my data (1)-", "data/y-"} {
		if got := p.Models[0].Data[i]; !strings.HasPrefix(got, want) || filepath.Ext(got) != ".json" {
			t.Errorf("data %s", got)
		}
	}
}

// A cell of unknown cost has a task of its own.
func TestPackUnknown(t *testing.T) {
	tasks := &Tasks{Path: "t"}
	tasks.pack([]float64{1, math.Inf(1), 1, 1, math.Inf(1), math.Inf(1), 1}, 60)
	if got, want := fmt.Sprint(tasks.Cells), "[[0] [1] [2 3] [4] [5] [6]]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// Tasks hold every cell once, in order, and last about as long as they are to.
func TestPack(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		costs := make([]float64, 1+rng.IntN(60))
		least := 1.0
		for i := range costs {
			switch rng.IntN(5) {
			case 0: // a cell that cannot be run
			case 1:
				costs[i] = 50 * rng.Float64()
			default:
				costs[i] = rng.Float64()
			}
			least = max(least, costs[i])
		}
		const seconds = 4.0
		tasks := &Tasks{Path: "t"}
		tasks.pack(costs, seconds)
		next := 0
		text := ""
		for _, cells := range tasks.Cells {
			sum := 0.0
			for _, c := range cells {
				if c != next {
					t.Fatalf("%v", tasks.Cells)
				}
				next++
				sum += costs[c]
				text += fmt.Sprint(c, " ")
			}
			text += "\n"
			// The last of several cells may end half of itself too late.
			if last := costs[cells[len(cells)-1]]; len(cells) > 1 && sum > seconds+last/2 {
				t.Fatalf("a task of %v: %v", sum, cells)
			}
			if len(cells) == 0 {
				t.Fatal("an empty task")
			}
		}
		if next != len(costs) {
			t.Fatalf("%d cells of %d", next, len(costs))
		}
		// Two tasks in a row are not both short.
		for i := range len(tasks.Cells) - 2 {
			sum := 0.0
			for _, c := range append(slices.Clone(tasks.Cells[i]), tasks.Cells[i+1]...) {
				sum += costs[c]
			}
			if sum < seconds/2 {
				t.Fatalf("two tasks of %v together", sum)
			}
		}
		again := &Tasks{Path: "t"}
		if err := again.parse(text, len(costs)); err != nil || !reflect.DeepEqual(again.Cells, tasks.Cells) {
			t.Fatalf("%v, %v", err, again.Cells)
		}
	}
}

// A file of tasks that is not whole is told.
func TestParseTasks(t *testing.T) {
	for _, text := range []string{"", "0\n1\n", "0 1 2 3\n", "0 1\n3 2\n", "0 1\n\n2\n", "0 x 2\n", "0 1 1 2\n", "00 1 2", "-0 1 2"} {
		if err := (&Tasks{Path: "dir/tasks.txt"}).parse(text, 3); err == nil || err.Error() != "dir/tasks.txt: the file is damaged: remove it" {
			t.Errorf("%q: %v", text, err)
		}
	}
	for _, text := range []string{"0 1 2\n", "0\n1\n2\n", "0 1\n2"} {
		if err := (&Tasks{}).parse(text, 3); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}
