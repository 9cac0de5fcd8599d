package runtime

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Integrator names a numerical integrator of Hamilton's equations.
type Integrator uint8

// The integrators of Brofos & Lederman (2021), and the explicit leapfrog for
// metrics that do not depend on the position.
const (
	// DefaultIntegrator stands for Leapfrog where the metric is constant
	// and for IMb elsewhere.
	DefaultIntegrator Integrator = iota
	GLFa                         // generalized leapfrog, the plain algorithm
	GLFb                         // generalized leapfrog with cached quantities
	IMa                          // implicit midpoint, solved for the end point
	IMb                          // implicit midpoint, solved for the midpoint
	Leapfrog                     // explicit leapfrog, constant metrics only
)

var integratorNames = [...]string{"default", "glfa", "glfb", "ima", "imb", "leapfrog"}

// String returns the name that ParseIntegrator reads.
func (k Integrator) String() string {
	if int(k) < len(integratorNames) {
		return integratorNames[k]
	}
	return fmt.Sprintf("Integrator(%d)", uint8(k))
}

// ParseIntegrator reads the name of an integrator: default, glfa, glfb, ima,
// imb or leapfrog.
func ParseIntegrator(name string) (Integrator, error) {
	if i := slices.Index(integratorNames[:], name); i >= 0 {
		return Integrator(i), nil
	}
	return 0, fmt.Errorf("unknown integrator %q: expected default, glfa, glfb, ima, imb or leapfrog", name)
}

// MarshalText writes the name of k.
func (k Integrator) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText reads a name as ParseIntegrator does.
func (k *Integrator) UnmarshalText(text []byte) (err error) {
	*k, err = ParseIntegrator(string(text))
	return err
}

// Resolve returns the integrator that k stands for on a given metric, or an
// error where k does not apply to it.
func (k Integrator) Resolve(metric MetricInfo) (Integrator, error) {
	switch {
	case k == DefaultIntegrator && metric.Constant:
		return Leapfrog, nil
	case k == DefaultIntegrator:
		return IMb, nil
	case k > Leapfrog:
		return 0, fmt.Errorf("unknown integrator %v", k)
	case k == Leapfrog && !metric.Constant:
		return 0, fmt.Errorf("the leapfrog needs a metric that does not depend on the position, and this model's does: choose imb or glfb, or give the model a constant metric")
	}
	return k, nil
}

// StepFunc advances (q, p) in place by one step of size eps. After a failure q
// and p are unspecified.
type StepFunc func(q, p []float64, eps float64, s *Solver) StepResult

// AsSystem returns m itself where it is a System, and Generic(m) elsewhere.
func AsSystem(m Model) System {
	if s, ok := m.(System); ok {
		return s
	}
	return Generic(m)
}

// Stepper returns the step of the integrator k for m, to be given a Solver with the Method: the
// model's own where m is a System that has one, or for GLFa and IMa a Plain, and that of Generic elsewhere. Steps with
// Newton's method are always those of Generic. It is an
// error to ask for the leapfrog when the metric depends on the position, and for Newton's
// method where it does not apply.
func Stepper(m Model, k Integrator, method Method) (StepFunc, error) {
	step, _, err := stepper(m, k, method)
	return step, err
}

// stepper is Stepper, and returns the GenericSystem over another System that
// the step remembers positions in, if there is one.
func stepper(m Model, k Integrator, method Method) (StepFunc, *GenericSystem, error) {
	k, err := k.Resolve(m.Info().Metric)
	if err == nil && method == Newton {
		_, curved := AsCurved(m)
		err = solvesByNewton(m.Info(), curved, k)
	}
	if err != nil {
		return nil, nil, err
	}
	generic := func() (g, over *GenericSystem) {
		if g, ok := m.(*GenericSystem); ok {
			return g, nil
		}
		g = Generic(m)
		return g, g
	}
	plain, isPlain := m.(Plain)
	switch {
	case k == GLFa && isPlain:
		return plain.StepGLFa, nil, nil
	case k == IMa && isPlain:
		return plain.StepIMa, nil, nil
	case k == GLFa:
		g, over := generic()
		return g.StepGLFa, over, nil
	case k == IMa:
		g, over := generic()
		return g.StepIMa, over, nil
	case k == GLFb && method == Newton:
		g, over := generic()
		return g.StepGLFb, over, nil
	case k == IMb && method == Newton:
		g, over := generic()
		return g.StepIMb, over, nil
	}
	s := AsSystem(m)
	switch k {
	case GLFb:
		return s.StepGLFb, nil, nil
	case IMb:
		return s.StepIMb, nil, nil
	}
	return func(q, p []float64, eps float64, _ *Solver) StepResult {
		return s.StepLeapfrog(q, p, eps)
	}, nil, nil
}

// solvesByNewton returns why Newton's method does not solve the equations of an integrator,
// or nil.
func solvesByNewton(in *Info, curved bool, k Integrator) error {
	if n := in.Dim(); n > MaxNewton {
		return fmt.Errorf("solver newton: %d coordinates are more than %d, above which m³ derivatives and m⁴ operations for each correction take longer than they save: leave out the solver", n, MaxNewton)
	}
	switch k {
	case GLFb:
		return nil
	case IMb:
		if !curved && in.Metric.Constant {
			return errors.New("solver newton: the metric is constant, so that the leapfrog has nothing to solve: leave out the integrator and the solver")
		} else if !curved {
			return fmt.Errorf("solver newton: the implicit midpoint needs second derivatives that the code of model %s does not have: generate it with --curvature, or choose the integrator glfb", in.Name)
		}
		return nil
	case Leapfrog:
		return errors.New("solver newton: the leapfrog is explicit and has nothing to solve: choose imb or glfb, or leave out the solver")
	}
	return fmt.Errorf("solver newton: %v is the paper's plain algorithm: choose %vb", k, strings.TrimSuffix(k.String(), "a"))
}
