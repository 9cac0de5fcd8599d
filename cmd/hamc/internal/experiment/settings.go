package experiment

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/grid"
)

// setting is one thing that the cells of a grid may differ in.
type setting struct {
	name  string // in files, and as a column of tables
	label string // on pages
	spec  func(*SettingsSpec) *any
	set   func(*grid.Settings, any) error
	get   func(*grid.Settings) string
}

// settings lists them in the order in which a grid is laid out: the last varies fastest.
var settings = []setting{
	{"step_size", "step size", func(s *SettingsSpec) *any { return &s.StepSize }, floating(func(s *grid.Settings) *float64 { return &s.StepSize }), func(s *grid.Settings) string { return number(s.StepSize) }},
	{"steps", "steps", func(s *SettingsSpec) *any { return &s.Steps }, whole(func(s *grid.Settings) *int { return &s.Steps }), func(s *grid.Settings) string { return strconv.Itoa(s.Steps) }},
	{"random_steps", "random steps", func(s *SettingsSpec) *any { return &s.RandomSteps }, flag(func(s *grid.Settings) *bool { return &s.RandomSteps }), func(s *grid.Settings) string { return strconv.FormatBool(s.RandomSteps) }},
	{"tolerance", "δ", func(s *SettingsSpec) *any { return &s.Tolerance }, floating(func(s *grid.Settings) *float64 { return &s.Tolerance }), func(s *grid.Settings) string { return number(s.Tolerance) }},
	{"norm", "norm", func(s *SettingsSpec) *any { return &s.Norm }, text(func(s *grid.Settings, v string) error { return s.Norm.UnmarshalText([]byte(v)) }), func(s *grid.Settings) string { return s.Norm.String() }},
	{"max_iterations", "limit of iterations", func(s *SettingsSpec) *any { return &s.MaxIterations }, whole(func(s *grid.Settings) *int { return &s.MaxIterations }), func(s *grid.Settings) string { return strconv.Itoa(s.MaxIterations) }},
	{"stop_stalled", "stops stalled solves", func(s *SettingsSpec) *any { return &s.StopStalled }, flag(func(s *grid.Settings) *bool { return &s.StopStalled }), func(s *grid.Settings) string { return strconv.FormatBool(s.StopStalled) }},
	{"solver", "solver", func(s *SettingsSpec) *any { return &s.Solver }, text(func(s *grid.Settings, v string) error { return s.Solver.UnmarshalText([]byte(v)) }), func(s *grid.Settings) string { return s.Solver.String() }},
	{"reverse_check", "reversibility check", func(s *SettingsSpec) *any { return &s.ReverseCheck }, text(func(s *grid.Settings, v string) error { return s.ReverseCheck.UnmarshalText([]byte(v)) }), func(s *grid.Settings) string { return s.ReverseCheck.String() }},
	{"code", "code", func(s *SettingsSpec) *any { return &s.Code }, text(setCode), func(s *grid.Settings) string { return string(s.Code) }},
	{"integrator", "integrator", func(s *SettingsSpec) *any { return &s.Integrator }, text(setIntegrator), func(s *grid.Settings) string { return s.Integrator }},
}

// defaultSettings are those of cells that say nothing else, as in runtime.DefaultOptions.
func defaultSettings() grid.Settings {
	o := runtime.DefaultOptions()
	return grid.Settings{
		Integrator: runtime.IMb.String(), Code: grid.Generated,
		Tolerance: o.Solver.Tolerance, Norm: o.Solver.Norm, MaxIterations: o.Solver.MaxIterations, StopStalled: o.Solver.StopStalled, Solver: o.Solver.Method,
		ReverseCheck: o.ReverseCheck,
	}
}

// settingNamed returns the setting of a name, nil if there is none.
func settingNamed(name string) *setting {
	if i := slices.IndexFunc(settings, func(s setting) bool { return s.name == name }); i >= 0 {
		return &settings[i]
	}
	return nil
}

func setCode(s *grid.Settings, v string) error {
	s.Code = grid.Code(v)
	if s.Code != grid.Generated && s.Code != grid.Generic {
		return fmt.Errorf("there is no code %q: expected generated or generic", v)
	}
	return nil
}

func setIntegrator(s *grid.Settings, v string) error {
	s.Integrator = v
	return nil
}

func floating(at func(*grid.Settings) *float64) func(*grid.Settings, any) error {
	return func(s *grid.Settings, v any) error {
		switch v := v.(type) {
		case float64:
			*at(s) = v
		case int64:
			*at(s) = float64(v)
		default:
			return fmt.Errorf("%v: expected a number", v)
		}
		if x := *at(s); x-x != 0 {
			return fmt.Errorf("%v: expected a finite number", v)
		}
		return nil
	}
}

func whole(at func(*grid.Settings) *int) func(*grid.Settings, any) error {
	return func(s *grid.Settings, v any) error {
		n, ok := v.(int64)
		if !ok || n < 0 || n > math.MaxInt32 {
			return fmt.Errorf("%v: expected a whole number", v)
		}
		*at(s) = int(n)
		return nil
	}
}

func flag(at func(*grid.Settings) *bool) func(*grid.Settings, any) error {
	return func(s *grid.Settings, v any) error {
		b, ok := v.(bool)
		if !ok {
			return fmt.Errorf("%v: expected true or false", v)
		}
		*at(s) = b
		return nil
	}
}

func text(set func(*grid.Settings, string) error) func(*grid.Settings, any) error {
	return func(s *grid.Settings, v any) error {
		t, ok := v.(string)
		if !ok {
			return fmt.Errorf("%v: expected a name in quotes", v)
		}
		return set(s, t)
	}
}

// number writes a floating-point number in the shortest way.
func number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// list returns the values of a setting in a file: those of a list, or the one that there is.
func list(v any) []any {
	switch v := v.(type) {
	case nil:
		return nil
	case []any:
		return v
	}
	return []any{v}
}

// over returns the settings with those of base where s says nothing.
func (s SettingsSpec) over(base *SettingsSpec) SettingsSpec {
	for i := range settings {
		if v := settings[i].spec(&s); *v == nil {
			*v = *settings[i].spec(base)
		}
	}
	return s
}

// product returns the settings of all combinations, the last setting varying fastest.
func (s *SettingsSpec) product() ([]grid.Settings, error) {
	out := []grid.Settings{defaultSettings()}
	for i := range settings {
		x := &settings[i]
		v := *x.spec(s)
		if v == nil {
			continue
		}
		values := list(v)
		if len(values) == 0 {
			return nil, fmt.Errorf("%s: the list is empty", x.name)
		}
		if len(values) > maxCells/len(out) {
			return nil, errTooMany
		}
		var next []grid.Settings
		for k, base := range out {
			for _, v := range values {
				c := base
				if err := x.set(&c, v); err != nil {
					return nil, fmt.Errorf("%s: %w", x.name, err)
				}
				if k == 0 && slices.Contains(next, c) { // it would pass for a replicate
					return nil, fmt.Errorf("%s: %v is in the list twice", x.name, v)
				}
				next = append(next, c)
			}
		}
		out = next
	}
	for i := range out {
		if err := check(&out[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// check returns what is wrong with the settings whatever the model.
func check(s *grid.Settings) error {
	if s.StepSize <= 0 {
		return fmt.Errorf("step_size %v: expected a positive number", s.StepSize)
	}
	if s.Steps < 1 {
		return fmt.Errorf("steps %v: expected at least 1", s.Steps)
	}
	o := runtime.DefaultOptions()
	o.Tuning = s.Tuning()
	return o.ValidateAlone()
}
