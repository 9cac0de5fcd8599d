package grid

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/ode"
)

// change is one change of a plan with a single cell.
type change struct {
	field    string // of the type
	of       func(*Plan, *Cell)
	id, seed bool // whether the ID and the seed of the chain change
}

// changes says for each field of what a plan is made of whether it decides results, and chains.
var changes = map[reflect.Type][]change{
	reflect.TypeFor[Plan](): {
		{"Format", func(p *Plan, _ *Cell) { p.Format++ }, false, false}, // ReadPlan takes one value only
		{"Title", func(p *Plan, _ *Cell) { p.Title = "x" }, false, false},
		{"Seed", func(p *Plan, _ *Cell) { p.Seed++ }, true, true},
		{"Models", func(p *Plan, _ *Cell) { p.Models = append(p.Models, Model{Name: "x"}) }, false, false},
		{"Cells", func(p *Plan, c *Cell) { p.Cells = append(p.Cells, *c) }, false, false},
	},
	reflect.TypeFor[Model](): {
		{"Name", func(p *Plan, _ *Cell) { p.Models[0].Name = "x" }, true, true},
		{"Code", func(p *Plan, _ *Cell) { p.Models[0].Code = "x" }, true, false},
		{"Data", func(p *Plan, _ *Cell) { p.Models[0].Data = []string{"x"} }, true, false},
		{"Simulate", func(p *Plan, _ *Cell) { p.Models[0].Simulate = "x" }, true, false},
		{"Start", func(p *Plan, _ *Cell) { p.Models[0].Start = StartMode }, true, false},
		{"Init", func(p *Plan, _ *Cell) { p.Models[0].Init = Point{"t1": {1}} }, true, false},
		{"Block", func(p *Plan, _ *Cell) { p.Models[0].Block = "x" }, true, false},
		{"Blocks", func(p *Plan, _ *Cell) { p.Models[0].Blocks = []BlockSettings{{Name: "x"}} }, true, false},
		{"Correction", func(p *Plan, _ *Cell) { p.Models[0].Correction = "x" }, true, false},
		{"ODE", func(p *Plan, _ *Cell) { p.Models[0].ODE = ode.Options{RelTol: 1e-5} }, true, false},
		{"ESS", func(p *Plan, _ *Cell) { p.Models[0].ESS = []string{"t1"} }, true, false},
		{"Digest", func(p *Plan, _ *Cell) { p.Models[0].Digest = "x" }, true, false},
	},
	reflect.TypeFor[Settings](): {
		{"Integrator", func(_ *Plan, c *Cell) { c.Integrator = "glfb" }, true, true},
		{"Code", func(_ *Plan, c *Cell) { c.Code = Generic }, true, true},
		{"StepSize", func(_ *Plan, c *Cell) { c.StepSize = 0.2 }, true, true},
		{"Steps", func(_ *Plan, c *Cell) { c.Steps++ }, true, true},
		{"RandomSteps", func(_ *Plan, c *Cell) { c.RandomSteps = true }, true, true},
		{"Tolerance", func(_ *Plan, c *Cell) { c.Tolerance = 1e-9 }, true, true},
		{"Norm", func(_ *Plan, c *Cell) { c.Norm = runtime.MetricNorm }, true, true},
		{"MaxIterations", func(_ *Plan, c *Cell) { c.MaxIterations++ }, true, true},
		{"StopStalled", func(_ *Plan, c *Cell) { c.StopStalled = true }, true, true},
		{"Solver", func(_ *Plan, c *Cell) { c.Solver = runtime.Anderson }, true, true},
		{"ReverseCheck", func(_ *Plan, c *Cell) { c.ReverseCheck = runtime.ReverseAll }, true, true},
	},
	reflect.TypeFor[Length](): {
		{"Draws", func(_ *Plan, c *Cell) { c.Draws++ }, true, false},
		{"Warmup", func(_ *Plan, c *Cell) { c.Warmup++ }, true, true},
		{"Fresh", func(_ *Plan, c *Cell) { c.Fresh = true }, true, true},
		{"Checks", func(_ *Plan, c *Cell) { c.Checks++ }, true, false},
		{"Eta", func(_ *Plan, c *Cell) { c.Eta = 1e-4 }, true, false},
		{"Audit", func(_ *Plan, c *Cell) { c.Audit++ }, true, false},
	},
	reflect.TypeFor[Cell](): {
		{"Index", func(_ *Plan, c *Cell) { c.Index = 5 }, false, false},
		{"Group", func(_ *Plan, c *Cell) { c.Group = "x" }, false, false},
		{"Model", func(p *Plan, c *Cell) { // its place, not what it is
			p.Models = append([]Model{{Name: "x"}}, p.Models...)
			c.Model = 1
		}, false, false},
		{"Replicate", func(_ *Plan, c *Cell) { c.Replicate++ }, true, true},
		{"Settings", func(_ *Plan, c *Cell) { c.Settings = Settings{} }, true, true},
		{"Length", func(_ *Plan, c *Cell) { c.Length = Length{} }, true, true},
		{"Digest", func(_ *Plan, c *Cell) { c.Digest = "x" }, true, false},
	},
	reflect.TypeFor[BlockSettings](): {
		{"Name", func(p *Plan, _ *Cell) { p.Models[0].Blocks = []BlockSettings{{Name: "y"}} }, true, false},
		{"Settings", func(p *Plan, _ *Cell) { p.Models[0].Blocks = []BlockSettings{{Settings: Settings{Steps: 1}}} }, true, false},
	},
}

// TestIdentity: the ID of a cell changes with all that decides its result and with nothing else, and
// the seed of its chain with what decides the chain of another cell that measures something else;
// every field has its row.
func TestIdentity(t *testing.T) {
	base := planOf(1, paperSettings("imb"))
	ids := map[string]string{base.ID(&base.Cells[0]): "no change"}
	for of, rows := range changes {
		named := map[string]bool{}
		for _, x := range rows {
			name := of.Name() + "." + x.field
			named[x.field] = true
			p := planOf(1, paperSettings("imb"))
			c := p.Cells[0]
			x.of(p, &c)
			if got := p.ID(&c) != base.ID(&base.Cells[0]); got != x.id {
				t.Errorf("%s: the ID changes: %v", name, got)
			}
			if got := p.CellSeed(&c) != base.CellSeed(&base.Cells[0]); got != x.seed {
				t.Errorf("%s: the seed changes: %v", name, got)
			}
			if id := p.ID(&c); x.id && ids[id] != "" {
				t.Errorf("%s and %s have one ID", name, ids[id])
			} else if x.id {
				ids[id] = name
			}
		}
		for i := range of.NumField() {
			if name := of.Field(i).Name; !named[name] {
				t.Errorf("there is no row for %s.%s", of.Name(), name)
			}
		}
	}
}

// TestKept: IDs and seeds are as they were. They may change with PlanVersion only: results that people
// have would be lost, and chains would not be repeated.
func TestKept(t *testing.T) {
	p := planOf(1, paperSettings("imb"))
	got := fmt.Sprintf("%s %d", p.ID(&p.Cells[0]), p.CellSeed(&p.Cells[0]))
	if want := "32393d02287869e1f0adbefd 3285112914336625352"; PlanVersion == 1 && got != want {
		t.Errorf("the first cell is %s, and was %s", got, want)
	}
}
