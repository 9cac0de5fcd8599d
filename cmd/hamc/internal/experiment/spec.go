// Package experiment turns a file that describes a grid of experiments into cells, has them run,
// and gathers what was measured.
package experiment

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/pelletier/go-toml/v2"
)

// Spec is a grid as its file has it.
type Spec struct {
	Title string   `toml:"title"`
	About string   `toml:"about"` // a paragraph for the page
	Seed  uint64   `toml:"seed"`
	With  []string `toml:"with"` // Go files with extensions
	LengthSpec

	Settings SettingsSpec          `toml:"settings"` // of groups that say nothing else
	Scale    map[string]LengthSpec `toml:"scale"`
	Models   []ModelSpec           `toml:"model"`
	Groups   []GroupSpec           `toml:"cells"`
	Plots    []PlotSpec            `toml:"figure"`
	Notes    []NoteSpec            `toml:"note"`
}

// LengthSpec says how long cells run; what is nil is left to the level above, and in the end to
// defaultLength.
type LengthSpec struct {
	Replicates *int     `toml:"replicates"`
	Draws      *int     `toml:"draws"`
	Warmup     *int     `toml:"warmup"`
	Fresh      *bool    `toml:"fresh"`
	Checks     *int     `toml:"checks"`
	Eta        *float64 `toml:"eta"`
	Audit      *int     `toml:"audit"`
}

// ModelSpec is a model of a grid.
type ModelSpec struct {
	Name   string   `toml:"name"` // default: the file's
	File   string   `toml:"file"`
	Consts []string `toml:"const"`

	Data     any    `toml:"data"` // a file, or a list with one for each replicate in turn
	Simulate string `toml:"simulate"`

	Start string         `toml:"start"`
	Init  map[string]any `toml:"init"` // numbers, or lists of them, by parameter

	Block      string                  `toml:"block"`
	Blocks     map[string]SettingsSpec `toml:"blocks"`
	Correction string                  `toml:"correction"`
	ODE        ODESpec                 `toml:"ode"`
	ESS        []string                `toml:"ess"`

	joined bool // by Spec.Join: the file does not name it
}

// ODESpec are the tolerances of a model's differential equations.
type ODESpec struct {
	RelTol float64 `toml:"rel_tol"`
	AbsTol float64 `toml:"abs_tol"`
}

// SettingsSpec holds settings; where a list is allowed, each value makes cells of its own.
type SettingsSpec struct {
	Integrator    any `toml:"integrator"`
	Code          any `toml:"code"`
	StepSize      any `toml:"step_size"`
	Steps         any `toml:"steps"`
	RandomSteps   any `toml:"random_steps"`
	Tolerance     any `toml:"tolerance"`
	Norm          any `toml:"norm"`
	MaxIterations any `toml:"max_iterations"`
	StopStalled   any `toml:"stop_stalled"`
	Solver        any `toml:"solver"`
	ReverseCheck  any `toml:"reverse_check"`
}

// GroupSpec is a part of a grid: the product of all its lists.
type GroupSpec struct {
	Name  string                `toml:"name"`
	About string                `toml:"about"`
	Model any                   `toml:"model"` // names; default all
	Table string                `toml:"table"` // label of the published table that its rows belong to
	Scale map[string]LengthSpec `toml:"scale"`
	SettingsSpec
	LengthSpec
}

// PlotSpec is a figure of the page.
type PlotSpec struct {
	Name    string   `toml:"name"`
	Kind    string   `toml:"kind"` // one of plotKinds
	Caption string   `toml:"caption"`
	Groups  []string `toml:"cells"`  // names of groups; default all
	Panels  string   `toml:"panels"` // the setting that the panels differ in, or model
	Paper   string   `toml:"paper"`  // label of the published figure

	Integrators []string `toml:"integrators"` // default all
}

// NoteSpec explains why a published value is not met.
type NoteSpec struct {
	Table  any            `toml:"table"` // label, or a list of such; default all
	Column any            `toml:"column"`
	Where  map[string]any `toml:"where"` // columns of the row and their values, or lists of such
	Scale  string         `toml:"scale"` // default all
	Text   string         `toml:"text"`

	// Unknown says that the text is what is known, and not a reason: the values count among those of
	// which it is not known why.
	Unknown bool `toml:"unknown"`
}

// word is what names of models and groups look like: they are parts of file names.
var word = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.+-]*$`) })

// CheckName returns an error if a model may not have a name.
func CheckName(name string) error {
	if !word().MatchString(name) {
		return fmt.Errorf("model %q: expected a name of letters, digits, _, ., + and -", name)
	}
	return nil
}

// ParseSpec reads a grid. The name goes in front of errors.
func ParseSpec(text []byte, name string) (*Spec, error) {
	s := &Spec{}
	in := toml.NewDecoder(strings.NewReader(string(text)))
	in.DisallowUnknownFields()
	if err := in.Decode(s); err != nil {
		return nil, positioned(name, err)
	}
	wrong := func(format string, args ...any) error {
		return fmt.Errorf("%s: %w", name, fmt.Errorf(format, args...))
	}
	if s.Title == "" {
		s.Title = baseName(name)
	}
	if len(s.Models) == 0 {
		return nil, wrong("there is no [[model]]")
	}
	if len(s.Groups) == 0 {
		return nil, wrong("there is no [[cells]]")
	}
	for i := range s.Models {
		m := &s.Models[i]
		if m.File == "" {
			return nil, wrong("[[model]] %d has no file", i+1)
		}
		if m.Name == "" {
			m.Name = baseName(m.File)
		}
		if err := CheckName(m.Name); err != nil {
			return nil, wrong("%w", err)
		}
		if slices.ContainsFunc(s.Models[:i], func(o ModelSpec) bool { return o.Name == m.Name }) {
			return nil, wrong("there are two models called %s: give them names", m.Name)
		}
	}
	for i := range s.Groups {
		g := &s.Groups[i]
		if g.Name == "" {
			g.Name = fmt.Sprintf("cells%d", i+1)
		}
		if !word().MatchString(g.Name) {
			return nil, wrong("[[cells]] %q: expected a name of letters, digits, _, ., + and -", g.Name)
		}
		if slices.ContainsFunc(s.Groups[:i], func(o GroupSpec) bool { return o.Name == g.Name }) {
			return nil, wrong("there are two [[cells]] called %s", g.Name)
		}
	}
	for i := range s.Plots {
		p := &s.Plots[i]
		if p.Name == "" {
			p.Name = fmt.Sprintf("figure%d", i+1)
		}
		if !word().MatchString(p.Name) {
			return nil, wrong("[[figure]] %q: expected a name of letters, digits, _, ., + and -", p.Name)
		}
		if !slices.Contains(plotKinds, p.Kind) {
			return nil, wrong("figure %s: there is no kind %q; expected %s", p.Name, p.Kind, strings.Join(plotKinds, ", "))
		}
		if slices.ContainsFunc(s.Plots[:i], func(o PlotSpec) bool { return o.Name == p.Name }) {
			return nil, wrong("there are two figures called %s: give them names", p.Name)
		}
		if p.Panels != "" && settingNamed(p.Panels) == nil && p.Panels != "model" {
			return nil, wrong("figure %s: there is no setting %q to have panels for", p.Name, p.Panels)
		}
		for _, g := range p.Groups {
			if !slices.ContainsFunc(s.Groups, func(o GroupSpec) bool { return o.Name == g }) {
				return nil, wrong("figure %s: there are no cells %q", p.Name, g)
			}
		}
	}
	return s, nil
}

// The kinds of figures.
const (
	plotViolations = "violations" // of symmetry against those of volume, a point per cell
	plotIterations = "iterations" // frequencies of the iterations of a step
	plotEnergy     = "energy"     // frequencies of the energy error of a trajectory
)

var plotKinds = []string{plotViolations, plotIterations, plotEnergy}

// positioned turns an error of the decoder into one line that says where.
func positioned(name string, err error) error {
	var strict *toml.StrictMissingError
	if errors.As(err, &strict) && len(strict.Errors) > 0 {
		var lines []error
		for i := range strict.Errors {
			row, col := strict.Errors[i].Position()
			lines = append(lines, fmt.Errorf("%s:%d:%d: there is no setting %q here", name, row, col, strings.Join(strict.Errors[i].Key(), ".")))
		}
		return errors.Join(lines...)
	}
	var decode *toml.DecodeError
	if errors.As(err, &decode) {
		row, col := decode.Position()
		text := strings.TrimPrefix(decode.Error(), "toml: ")
		key := decode.Key()
		if m := mistyped().FindStringSubmatch(text); m != nil && len(key) > 0 {
			text = fmt.Sprintf("%s: expected %s, found %s", key[len(key)-1], kindInWords(m[2]), m[1])
		} else if strings.HasPrefix(text, "cannot store a") {
			text = "a table has no place here"
		}
		return fmt.Errorf("%s:%d:%d: %s", name, row, col, text)
	}
	return fmt.Errorf("%s: %w", name, err)
}

// mistyped is how the decoder says that a value has another type than is expected of it.
var mistyped = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^cannot decode TOML (\S+) into .*of type (.*)$`) })

// kindInWords says what values a type of Go takes in a file.
func kindInWords(kind string) string {
	switch kind {
	case "int", "*int":
		return "a whole number"
	case "uint64":
		return "a whole number that is not negative"
	case "float64", "*float64":
		return "a number"
	case "bool", "*bool":
		return "true or false"
	case "string":
		return "text in quotes"
	case "[]string":
		return "a list of texts in quotes"
	}
	return "a table" // of one of the types above
}

// baseName is the name of a file without its directory and ending.
func baseName(path string) string {
	path = path[strings.LastIndexAny(path, `/\`)+1:]
	name, _, _ := strings.Cut(path, ".")
	return name
}
