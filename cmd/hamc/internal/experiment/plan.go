package experiment

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/hamc-dev/hamc/runtime/grid"
	"github.com/hamc-dev/hamc/runtime/ode"
)

// A Source is all that a grid is made of, read and compiled.
type Source struct {
	Spec   *Spec
	Scale  string // "" for none
	Models []CompiledModel
	Data   map[string][]byte // files of data by the names in the spec
	With   []Extension

	labels map[string]string // of the extensions' integrators
}

// CompiledModel is the code of one model of the spec.
type CompiledModel struct {
	Package string // of the code in the worker
	Code    []byte // Go
}

// Extension is a Go file that a grid has an extension from.
type Extension struct {
	Name string // base name
	Text []byte
}

// defaultLength is what a grid has that says nothing else.
var defaultLength = grid.Length{Draws: 1000, Checks: 100, Eta: 1e-5, Audit: 1000}

// over takes what l says over a length and a number of replicates.
func (l *LengthSpec) over(x *grid.Length, replicates *int) {
	set(replicates, l.Replicates)
	set(&x.Draws, l.Draws)
	set(&x.Warmup, l.Warmup)
	set(&x.Fresh, l.Fresh)
	set(&x.Checks, l.Checks)
	set(&x.Eta, l.Eta)
	set(&x.Audit, l.Audit)
}

func set[T any](to, from *T) {
	if from != nil {
		*to = *from
	}
}

// scales returns the names of the scales that a spec has, in order.
func (s *Spec) scales() []string {
	names := map[string]bool{}
	for name := range s.Scale {
		names[name] = true
	}
	for i := range s.Groups {
		for name := range s.Groups[i].Scale {
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// CheckScale returns an error if a spec does not have a scale.
func (s *Spec) CheckScale(scale string) error {
	if scale == "" || slices.Contains(s.scales(), scale) {
		return nil
	}
	if len(s.scales()) == 0 {
		return fmt.Errorf("scale %s: the grid has none; it is always whole", scale)
	}
	return fmt.Errorf("scale %s: the grid has %s", scale, strings.Join(s.scales(), ", "))
}

// length returns how long the cells of a group run, and how many replicates there are.
func (s *Spec) length(g *GroupSpec, scale string) (grid.Length, int, error) {
	x, replicates := defaultLength, 1
	s.LengthSpec.over(&x, &replicates)
	if l, ok := s.Scale[scale]; ok {
		l.over(&x, &replicates)
	}
	g.LengthSpec.over(&x, &replicates)
	if l, ok := g.Scale[scale]; ok {
		l.over(&x, &replicates)
	}
	const most = math.MaxInt32
	for _, n := range []struct {
		name         string
		value, least int
	}{{"draws", x.Draws, 1}, {"warmup", x.Warmup, 0}, {"checks", x.Checks, 0}, {"audit", x.Audit, 0}, {"replicates", replicates, 1}} {
		if n.value < n.least {
			return x, 0, fmt.Errorf("%s = %d: expected at least %d", n.name, n.value, n.least)
		}
		if n.value > most {
			return x, 0, fmt.Errorf("%s = %d: expected at most %d", n.name, n.value, most)
		}
	}
	if !(x.Eta > 0 && x.Eta <= 0.1) {
		return x, 0, fmt.Errorf("eta = %v: expected a positive number of at most 0.1", x.Eta)
	}
	x.Checks = min(x.Checks, x.Draws)
	x.Audit = min(x.Audit, x.Draws)
	return x, replicates, nil
}

// maxCells is the largest number of cells of a grid.
const maxCells = 1_000_000

var errTooMany = fmt.Errorf("the grid has more than %d cells: make a list shorter", maxCells)

// Plan lays out the cells of a grid. The description is that of the worker's extensions, the
// runtime identifies the runtime and the toolchain that the worker is built with.
func (src *Source) Plan(d *grid.Description, runtime string) (*grid.Plan, error) {
	s := src.Spec
	p := &grid.Plan{Format: grid.PlanVersion, Title: s.Title, Seed: s.Seed}
	for i := range s.Models {
		m, err := src.model(i, d, runtime)
		if err != nil {
			return nil, fmt.Errorf("model %s: %w", s.Models[i].Name, err)
		}
		p.Models = append(p.Models, m)
	}
	for i := range s.Groups {
		if err := src.group(p, &s.Groups[i], d); err != nil {
			return nil, fmt.Errorf("cells %s: %w", s.Groups[i].Name, err)
		}
	}
	return p, nil
}

// model makes a model of the plan.
func (src *Source) model(i int, d *grid.Description, runtime string) (grid.Model, error) {
	spec := &src.Spec.Models[i]
	m := grid.Model{
		Name: spec.Name, Code: src.Models[i].Package, Simulate: spec.Simulate, Start: grid.Start(spec.Start),
		Block: spec.Block, Correction: spec.Correction, ESS: spec.ESS,
		ODE: ode.Options{RelTol: spec.ODE.RelTol, AbsTol: spec.ODE.AbsTol},
	}
	if o := m.ODE; !(o.RelTol >= 0 && o.RelTol <= 0.1 && o.AbsTol >= 0 && o.AbsTol <= 0.1) {
		return m, fmt.Errorf("ode: expected tolerances between 0 and 0.1")
	}
	h := sha256.New()
	fmt.Fprintf(h, "%s\n", runtime)
	h.Write(src.Models[i].Code)

	if v := list(spec.Data); v != nil && len(v) == 0 {
		return m, fmt.Errorf("data: the list is empty")
	}
	for _, v := range list(spec.Data) {
		name, ok := v.(string)
		if !ok {
			return m, fmt.Errorf("data %v: expected the name of a file, or a list of such", v)
		}
		m.Data = append(m.Data, path.Join(grid.DataName, dataName(name, src.Data[name])))
		h.Write(src.Data[name])
	}
	used := func(kind, name string, list []grid.Described) error {
		if name == "" {
			return nil
		}
		k := slices.IndexFunc(list, func(x grid.Described) bool { return x.Name == name })
		if k < 0 {
			return fmt.Errorf("there is no %s %q: name the Go file that has it in `with`", kind, name)
		}
		h.Write(src.With[list[k].Extension].Text)
		return nil
	}
	if err := used("simulator", spec.Simulate, d.Simulators); err != nil {
		return m, err
	}
	if err := used("correction", spec.Correction, d.Corrections); err != nil {
		return m, err
	}
	if len(m.Data) > 0 && m.Simulate != "" {
		return m, fmt.Errorf("there are both data and a simulator: expected one")
	}
	if err := startOf(&m, spec); err != nil {
		return m, err
	}
	if err := blocksOf(&m, spec); err != nil {
		return m, err
	}
	m.Digest = hex.EncodeToString(h.Sum(nil))
	return m, nil
}

// startOf sets where the cells of a model start.
func startOf(m *grid.Model, spec *ModelSpec) error {
	for _, name := range slices.Sorted(maps.Keys(spec.Init)) {
		var values []float64
		for _, v := range list(spec.Init[name]) {
			switch v := v.(type) {
			case float64:
				values = append(values, v)
			case int64:
				values = append(values, float64(v))
			default:
				return fmt.Errorf("init.%s: expected a number or a list of numbers", name)
			}
			if x := values[len(values)-1]; x-x != 0 {
				return fmt.Errorf("init.%s: %v: expected finite numbers", name, x)
			}
		}
		if m.Init == nil {
			m.Init = grid.Point{}
		}
		m.Init[name] = values
	}
	switch {
	case m.Start == "" && m.Simulate != "":
		m.Start = grid.StartSimulated
	case m.Start == "" && m.Init != nil:
		m.Start = grid.StartGiven
	case m.Start == "":
		m.Start = grid.StartMode
	}
	switch {
	case !slices.Contains([]grid.Start{grid.StartSimulated, grid.StartGiven, grid.StartMode}, m.Start):
		return fmt.Errorf("there is no start %q: expected simulated, mode or given", m.Start)
	case m.Start == grid.StartSimulated && m.Simulate == "":
		return fmt.Errorf("start = \"simulated\" needs a simulator")
	case m.Start == grid.StartGiven && m.Init == nil:
		return fmt.Errorf("start = \"given\" needs init")
	}
	return nil
}

// blocksOf sets the settings of the blocks that the cells do not vary.
func blocksOf(m *grid.Model, spec *ModelSpec) error {
	if m.Block == "" && len(spec.Blocks) > 0 {
		return fmt.Errorf("there are settings of blocks: say which block the cells vary, as block = \"NAME\"")
	}
	for _, name := range slices.Sorted(maps.Keys(spec.Blocks)) {
		of := spec.Blocks[name]
		all, err := of.product() // the defaults of the grid are not for them
		switch {
		case err != nil:
			return fmt.Errorf("blocks.%s: %w", name, err)
		case len(all) != 1:
			return fmt.Errorf("blocks.%s: lists have no place here: the cells vary the block %s", name, m.Block)
		case name == m.Block:
			return fmt.Errorf("blocks.%s: that is the block that the cells vary", name)
		}
		if err := knownIntegrator(all[0].Integrator, &grid.Description{}); err != nil {
			return fmt.Errorf("blocks.%s: %w", name, err)
		}
		m.Blocks = append(m.Blocks, grid.BlockSettings{Name: name, Settings: all[0]})
	}
	return nil
}

// dataName is the name of a file of data in the directory of a grid: those of different content
// differ.
func dataName(name string, text []byte) string {
	h := sha256.Sum256(text)
	return fmt.Sprintf("%s-%x%s", baseName(name), h[:4], path.Ext(name))
}

// group appends the cells of a group.
func (src *Source) group(p *grid.Plan, g *GroupSpec, d *grid.Description) error {
	length, replicates, err := src.Spec.length(g, src.Scale)
	if err != nil {
		return err
	}
	var models []int
	for _, v := range list(g.Model) {
		name, ok := v.(string)
		i := slices.IndexFunc(p.Models, func(m grid.Model) bool { return m.Name == name })
		if !ok || i < 0 {
			return fmt.Errorf("there is no model %v", v)
		}
		if slices.Contains(models, i) {
			return fmt.Errorf("model: %s is in the list twice", name)
		}
		models = append(models, i)
	}
	if g.Model != nil && len(models) == 0 {
		return fmt.Errorf("model: the list is empty")
	}
	if g.Model == nil {
		for i := range p.Models {
			models = append(models, i)
		}
	}
	of := g.SettingsSpec.over(&src.Spec.Settings)
	all, err := of.product()
	if err != nil {
		return err
	}
	if len(models)*len(all) > (maxCells-len(p.Cells))/replicates { // the product with replicates may be too large to compute
		return errTooMany
	}
	for _, m := range models {
		for i := range all {
			if err := knownIntegrator(all[i].Integrator, d); err != nil {
				return err
			}
			digest := ""
			if k := slices.IndexFunc(d.Integrators, func(x grid.Described) bool { return x.Name == all[i].Integrator }); k >= 0 {
				h := sha256.Sum256(src.With[d.Integrators[k].Extension].Text)
				digest = hex.EncodeToString(h[:])
			}
			for r := range replicates {
				p.Cells = append(p.Cells, grid.Cell{
					Index: len(p.Cells), Group: g.Name, Model: m, Replicate: r + 1,
					Settings: all[i], Length: length, Digest: digest,
				})
			}
		}
	}
	return nil
}

// knownIntegrator returns an error if neither the runtime nor an extension has an integrator.
func knownIntegrator(name string, d *grid.Description) error {
	if grid.Builtin(name) {
		return nil
	}
	names := grid.BuiltinNames()
	for _, x := range d.Integrators {
		if x.Name == name {
			return nil
		}
		names = append(names, x.Name)
	}
	return fmt.Errorf("there is no integrator %q: expected one of %s", name, strings.Join(names, ", "))
}

// Join adds what a file brings: the integrators of an extension, to each group that has a list of
// integrators, or a model, with the data of the first one, to each group. It is how one file joins a
// grid that does not name it. It returns an error if an integrator finds no group to join.
func (s *Spec) Join(integrators []string, model *ModelSpec) error {
	join := func(of *SettingsSpec) {
		v, ok := of.Integrator.([]any)
		if !ok {
			return
		}
		for _, name := range integrators {
			if !slices.Contains(v, any(name)) {
				v = append(slices.Clone(v), name)
			}
		}
		of.Integrator = v
	}
	join(&s.Settings)
	for i := range s.Groups {
		g := &s.Groups[i]
		join(&g.SettingsSpec)
		if v := list(g.Model); model != nil && v != nil {
			g.Model = append(slices.Clone(v), model.Name)
		}
	}
	if model != nil {
		m := *model
		m.joined = true
		s.Models = append(s.Models, m)
	}
	for _, name := range integrators {
		if !slices.ContainsFunc(s.Groups, func(g GroupSpec) bool {
			of := g.SettingsSpec.over(&s.Settings)
			return slices.Contains(list(of.Integrator), any(name))
		}) {
			return fmt.Errorf("the integrator %s joins no cells: none of the grid has a list of integrators, such as integrator = [\"imb\"]", name)
		}
	}
	return nil
}
