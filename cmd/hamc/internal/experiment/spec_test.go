package experiment

import (
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/runtime/grid"
)

// described are the extensions that tests have.
var described = &grid.Description{
	Integrators: []grid.Described{{Extension: 0, Name: "mine", Label: "M.I."}},
	Simulators:  []grid.Described{{Extension: 0, Name: "sim"}},
	Corrections: []grid.Described{{Extension: 1, Name: "fix"}},
}

// sourceOf makes a Source of the text of a grid, with code and data that say nothing.
func sourceOf(text, scale string) (*Source, error) {
	spec, err := ParseSpec([]byte(text), "g.toml")
	if err != nil {
		return nil, err
	}
	if err := spec.CheckScale(scale); err != nil {
		return nil, err
	}
	src := &Source{
		Spec: spec, Scale: scale, Data: map[string][]byte{},
		With: []Extension{{"a.go", []byte("package a")}, {"b.go", []byte("package b")}},
	}
	for i := range spec.Models {
		m := &spec.Models[i]
		src.Models = append(src.Models, CompiledModel{Package: "m_" + m.Name, Code: []byte(m.Name)})
		for _, name := range m.DataFiles() {
			src.Data[name] = []byte("{} " + name)
		}
	}
	return src, nil
}

func planOf(text, scale string) (*grid.Plan, error) {
	src, err := sourceOf(text, scale)
	if err != nil {
		return nil, err
	}
	return src.Plan(described, "runtime")
}

func mustPlan(t *testing.T, text, scale string) *grid.Plan {
	t.Helper()
	p, err := planOf(text, scale)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Parts of grids that have nothing wrong.
const (
	aModel = "[[model]]\nfile = \"m.ham\"\n"
	aGroup = "[[cells]]\nstep_size = 0.1\nsteps = 5\n"
)

// inCells, inModel and onTop are grid files with a line more, in their one group of cells, in their one model, or before both.
func inCells(line string) string { return aModel + aGroup + line + "\n" }
func inModel(line string) string { return aModel + line + "\n" + aGroup }
func onTop(line string) string   { return line + "\n" + aModel + aGroup }

// mistakes are grid files, and how their messages begin.
var mistakes = []struct{ name, text, want string }{
	{"nothing", "", "g.toml: there is no [[model]]"},
	{"no cells", aModel, "g.toml: there is no [[cells]]"},
	{"no models", aGroup, "g.toml: there is no [[model]]"},

	// The syntax, and what is no key.
	{"syntax", "seed = \n", "g.toml:1:8: "},
	{"a key twice", onTop("seed = 1\nseed = 2"), "g.toml:2:1: "},
	{"unknown", onTop("sed = 1"), "g.toml:1:1: there is no setting \"sed\" here"},
	{"unknown in a model", inModel("dat = \"x\""), "g.toml:3:1: there is no setting \"model.dat\" here"},
	{"unknown in cells, twice", inCells("stepsize = 1\nstep = 2"), "g.toml:6:1: there is no setting \"cells.stepsize\" here\ng.toml:7:1: there is no setting \"cells.step\" here"},
	{"unknown in settings", onTop("[settings]\ndraws = 5"), "g.toml:2:1: there is no setting \"settings.draws\" here"},
	{"unknown in a scale", onTop("scale.quick = { drows = 5 }"), "g.toml:1:17: there is no setting \"drows\" here"},
	{"unknown in a figure", inCells("[[figure]]\nsort = 1"), "g.toml:7:1: there is no setting \"figure.sort\" here"},
	{"unknown in a note", inCells("[[note]]\nscales = 1"), "g.toml:7:1: there is no setting \"note.scales\" here"},

	// Values of another type.
	{"text for a number", onTop("draws = \"many\""), "g.toml:1:9: draws: expected a whole number, found string"},
	{"a fraction for a number", onTop("draws = 1e3"), "g.toml:1:9: draws: expected a whole number, found float"},
	{"negative seed", onTop("seed = -1"), "g.toml:1:8: negative integer value -1"},
	{"text for a seed", onTop("seed = \"x\""), "g.toml:1:8: seed: expected a whole number that is not negative, found string"},
	{"a number for a flag", onTop("fresh = 1"), "g.toml:1:9: fresh: expected true or false, found integer"},
	{"a number for a title", onTop("title = 1"), "g.toml:1:9: title: expected text in quotes, found integer"},
	{"text for eta", onTop("eta = \"x\""), "g.toml:1:7: eta: expected a number, found string"},
	{"one file for with", onTop("with = \"a.go\""), "g.toml:1:8: with: expected a list of texts in quotes, found string"},
	{"a number for a table", inModel("init = 3"), "g.toml:3:8: init: expected a table, found integer"},
	{"a table for a number", "[draws]\nx = 1\n" + aModel + aGroup, "g.toml:1:2: a table has no place here"},
	{"a list of tables for text", "[[title]]\nx = 1\n" + aModel + aGroup, "g.toml:1:3: a table has no place here"},
	{"text for rel_tol", inModel("ode.rel_tol = \"x\""), "g.toml:3:15: rel_tol: expected a number, found string"},

	// Models.
	{"no file", "[[model]]\nname = \"a\"\n" + aGroup, "g.toml: [[model]] 1 has no file"},
	{"odd name", "[[model]]\nfile = \"a b.ham\"\n" + aGroup, "g.toml: model \"a b\": expected a name of letters, digits, _, ., + and -"},
	{"no name", "[[model]]\nfile = \".ham\"\n" + aGroup, "g.toml: model \"\": expected a name"},
	{"two of a name", aModel + "[[model]]\nfile = \"b/m.ham\"\n" + aGroup, "g.toml: there are two models called m: give them names"},
	{"numbers for data", inModel("data = [1]"), "model m: data 1: expected the name of a file, or a list of such"},
	{"no data", inModel("data = []"), "model m: data: the list is empty"},
	{"data and a simulator", inModel("data = \"a.json\"\nsimulate = \"sim\""), "model m: there are both data and a simulator: expected one"},
	{"no such simulator", inModel("simulate = \"sin\""), "model m: there is no simulator \"sin\": name the Go file that has it in `with`"},
	{"no such correction", inModel("correction = \"fax\""), "model m: there is no correction \"fax\": name the Go file that has it in `with`"},
	{"no such start", inModel("start = \"here\""), "model m: there is no start \"here\": expected simulated, mode or given"},
	{"start of no simulator", inModel("start = \"simulated\""), "model m: start = \"simulated\" needs a simulator"},
	{"start of no point", inModel("start = \"given\""), "model m: start = \"given\" needs init"},
	{"text for init", inModel("init.x = \"1\""), "model m: init.x: expected a number or a list of numbers"},
	{"lists of lists for init", inModel("init.x = [[1]]"), "model m: init.x: expected a number or a list of numbers"},
	{"NaN for init", inModel("init.x = nan"), "model m: init.x: NaN: expected finite numbers"},
	{"infinity for init", inModel("init.x = [1, -inf]"), "model m: init.x: -Inf: expected finite numbers"},
	{"tolerances", inModel("ode.rel_tol = 1"), "model m: ode: expected tolerances between 0 and 0.1"},
	{"NaN tolerances", inModel("ode.abs_tol = nan"), "model m: ode: expected tolerances between 0 and 0.1"},
	{"blocks of no block", inModel("blocks.b.steps = 3"), "model m: there are settings of blocks: say which block the cells vary, as block = \"NAME\""},
	{"a list for a block", inModel("block = \"a\"\nblocks.b = { steps = [1, 2], step_size = 0.1 }"), "model m: blocks.b: lists have no place here: the cells vary the block a"},
	{"the block itself", inModel("block = \"a\"\nblocks.a = { steps = 1, step_size = 0.1 }"), "model m: blocks.a: that is the block that the cells vary"},
	{"no step size for a block", inModel("block = \"a\"\nblocks.b = { steps = 1 }"), "model m: blocks.b: step_size 0: expected a positive number"},
	{"an extension's integrator for a block", inModel("block = \"a\"\nblocks.b = { steps = 1, step_size = 0.1, integrator = \"mine\" }"), "model m: blocks.b: there is no integrator \"mine\": expected one of glfa, glfb, ima, imb, leapfrog"},

	// Cells.
	{"odd group", inCells("name = \"a/b\""), "g.toml: [[cells]] \"a/b\": expected a name of letters"},
	{"two groups of a name", inCells("name = \"a\"\n[[cells]]\nname = \"a\""), "g.toml: there are two [[cells]] called a"},
	{"two groups, one by its number", inCells("name = \"cells2\"\n[[cells]]"), "g.toml: there are two [[cells]] called cells2"},
	{"no such model", inCells("model = \"n\""), "cells cells1: there is no model n"},
	{"a number for a model", inCells("model = 1"), "cells cells1: there is no model 1"},
	{"no models of cells", inCells("model = []"), "cells cells1: model: the list is empty"},
	{"a model twice", inCells("model = [\"m\", \"m\"]"), "cells cells1: model: m is in the list twice"},
	{"no step size", aModel + "[[cells]]\nsteps = 1\n", "cells cells1: step_size 0: expected a positive number"},
	{"negative step size", aModel + "[[cells]]\nsteps = 1\nstep_size = -0.1\n", "cells cells1: step_size -0.1: expected a positive number"},
	{"text for a step size", aModel + "[[cells]]\nsteps = 1\nstep_size = \"big\"\n", "cells cells1: step_size: big: expected a number"},
	{"infinite step size", aModel + "[[cells]]\nsteps = 1\nstep_size = inf\n", "cells cells1: step_size: +Inf: expected a finite number"},
	{"no steps", aModel + "[[cells]]\nstep_size = 1\n", "cells cells1: steps 0: expected at least 1"},
	{"negative steps", aModel + "[[cells]]\nstep_size = 1\nsteps = -3\n", "cells cells1: steps: -3: expected a whole number"},
	{"half a step", aModel + "[[cells]]\nstep_size = 1\nsteps = [1, 1.5]\n", "cells cells1: steps: 1.5: expected a whole number"},
	{"a list in a list", aModel + "[[cells]]\nstep_size = 1\nsteps = [[1]]\n", "cells cells1: steps: [1]: expected a whole number"},
	{"an empty list", inCells("integrator = []"), "cells cells1: integrator: the list is empty"},
	{"a value twice", inCells("tolerance = [1e-6, 1e-7, 0.000001]"), "cells cells1: tolerance: 1e-06 is in the list twice"},
	{"a whole number twice", aModel + "[[cells]]\nsteps = 1\nstep_size = [1, 1.0]\n", "cells cells1: step_size: 1 is in the list twice"},
	{"no such integrator", inCells("integrator = \"euler\""), "cells cells1: there is no integrator \"euler\": expected one of glfa, glfb, ima, imb, leapfrog, mine"},
	{"a number for an integrator", inCells("integrator = 3"), "cells cells1: integrator: 3: expected a name in quotes"},
	{"no such code", inCells("code = \"fast\""), "cells cells1: code: there is no code \"fast\": expected generated or generic"},
	{"no such solver", inCells("solver = \"guess\""), "cells cells1: solver: "},
	{"no such check", inCells("reverse_check = \"maybe\""), "cells cells1: reverse_check: "},
	{"text for a flag", inCells("stop_stalled = \"yes\""), "cells cells1: stop_stalled: yes: expected true or false"},
	{"a whole tolerance", inCells("tolerance = 1"), "cells cells1: solver tolerance 1: expected a positive number of at most 0.1"},
	{"negative tolerance", inCells("tolerance = -1e-6"), "cells cells1: solver tolerance -1e-06: expected a positive number"},
	{"no iterations", inCells("max_iterations = 0"), "cells cells1: "},
	{"no draws", inCells("draws = 0"), "cells cells1: draws = 0: expected at least 1"},
	{"negative warm-up", onTop("warmup = -1"), "cells cells1: warmup = -1: expected at least 0"},
	{"no replicates", inCells("replicates = 0"), "cells cells1: replicates = 0: expected at least 1"},
	{"too many replicates", inCells("replicates = 3000000000"), "cells cells1: replicates = 3000000000: expected at most 2147483647"},
	{"negative checks", inCells("checks = -1"), "cells cells1: checks = -1: expected at least 0"},
	{"negative audit", inCells("audit = -1"), "cells cells1: audit = -1: expected at least 0"},
	{"eta", inCells("eta = 1"), "cells cells1: eta = 1: expected a positive number of at most 0.1"},
	{"NaN eta", inCells("eta = nan"), "cells cells1: eta = NaN: expected a positive number of at most 0.1"},
	{"too many cells", inCells("replicates = 1000001"), "cells cells1: the grid has more than 1000000 cells: make a list shorter"},
	{"far too many cells", inCells("replicates = 2000000000"), "cells cells1: the grid has more than 1000000 cells"},
	{"together too many cells", inCells("replicates = 600000\n" + strings.ReplaceAll(aGroup, "cells1", "b") + "replicates = 600000"), "cells cells2: the grid has more than 1000000 cells"},

	// Figures.
	{"odd figure", inCells("[[figure]]\nname = \"../x\""), "g.toml: [[figure]] \"../x\": expected a name of letters"},
	{"no kind", inCells("[[figure]]\n"), "g.toml: figure figure1: there is no kind \"\"; expected violations, iterations, energy"},
	{"two figures", inCells("[[figure]]\nname = \"a\"\nkind = \"energy\"\n[[figure]]\nname = \"a\"\nkind = \"energy\""), "g.toml: there are two figures called a: give them names"},
	{"no such panels", inCells("[[figure]]\nkind = \"energy\"\npanels = \"x\""), "g.toml: figure figure1: there is no setting \"x\" to have panels for"},
	{"no such cells", inCells("[[figure]]\nkind = \"energy\"\ncells = [\"x\"]"), "g.toml: figure figure1: there are no cells \"x\""},
}

// Every mistake has a message with its place.
func TestMistakes(t *testing.T) {
	for _, c := range mistakes {
		_, err := planOf(c.text, "")
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		} else if strings.Contains(err.Error(), "experiment.") || strings.Contains(err.Error(), "interface") {
			t.Errorf("%s: words of Go in %v", c.name, err)
		}
	}
}

// Lists so long that their product would fill the memory are counted first.
func TestManyCells(t *testing.T) {
	list := make([]string, 1000)
	for i := range list {
		list[i] = number(float64(i + 1))
	}
	all := "[" + strings.Join(list, ", ") + "]"
	text := aModel + "[[cells]]\nstep_size = " + all + "\nsteps = " + all + "\nmax_iterations = " + all + "\n"
	if _, err := planOf(text, ""); err == nil || !strings.Contains(err.Error(), "more than 1000000 cells") {
		t.Errorf("%v", err)
	}
	few := "[" + strings.Join(list[:50], ", ") + "]"
	if p := mustPlan(t, aModel+"[[cells]]\nstep_size = "+few+"\nsteps = "+few+"\n", ""); len(p.Cells) != 2500 {
		t.Errorf("%d cells", len(p.Cells))
	}
}

// What a file does not say has its default.
func TestDefaults(t *testing.T) {
	spec, err := ParseSpec([]byte(aModel+aGroup+"[[cells]]\n[[figure]]\nkind = \"energy\"\n"), "dir/some.grid.toml")
	if err != nil {
		t.Fatal(err)
	}
	if spec.Title != "some" || spec.Models[0].Name != "m" || spec.Groups[0].Name != "cells1" || spec.Groups[1].Name != "cells2" || spec.Plots[0].Name != "figure1" {
		t.Errorf("%+v", spec)
	}
	p := mustPlan(t, aModel+aGroup, "")
	c := p.Cells[0]
	if len(p.Cells) != 1 || c.Replicate != 1 || c.Length != defaultLength || p.Models[0].Start != grid.StartMode {
		t.Errorf("%+v", p)
	}
	if c.Integrator != "imb" || c.Code != grid.Generated || c.RandomSteps || c.Tolerance != 1e-6 || !c.StopStalled {
		t.Errorf("%+v", c.Settings)
	}
	for _, x := range []struct{ line, start string }{{"init.x = 1", "given"}, {"simulate = \"sim\"", "simulated"}, {"init.x = 1\nsimulate = \"sim\"", "simulated"}, {"init.x = 1\nstart = \"mode\"", "mode"}, {"init = {}", "mode"}} {
		if p := mustPlan(t, aModel+x.line+"\n"+aGroup, ""); string(p.Models[0].Start) != x.start {
			t.Errorf("%s: start %s", x.line, p.Models[0].Start)
		}
	}
}
