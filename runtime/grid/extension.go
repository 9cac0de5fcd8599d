package grid

import (
	"fmt"
	"io"
	"math/rand/v2"
	"slices"

	"github.com/hamc-dev/hamc/runtime"
)

// Extension is what a Go file adds to a grid. The file is a package of its own that declares
//
//	var Extension = grid.Extension{…}
//
// and imports the runtime and the standard library only.
type Extension struct {
	Integrators []Integrator
	Simulators  []Simulator
	Corrections []Correction
}

// Integrator is an integrator that the runtime does not have.
type Integrator struct {
	Name  string // of one word, as a grid names it
	Label string // as tables show it, such as I.M.(a)

	// Solves is the number of fixed-point solves in a step.
	Solves int

	// New returns the step for a model. The system is the model, with work space of its
	// own and the vector field of the Hamiltonian.
	New func(s *runtime.GenericSystem) (runtime.StepFunc, error)
}

// Point holds values of parameters on their own scale by name, those of a vector in order.
type Point map[string][]float64

// Simulator makes data, the same for all cells of a replicate.
type Simulator struct {
	Name string

	// Simulate returns the data that a model reads, and the point that chains start at, which
	// may be nil. It uses the random numbers of rng only.
	Simulate func(rng *rand.Rand) (data map[string]any, start Point, err error)

	// Draw returns an exact draw of the posterior; nil where there is no way to make one.
	Draw func(rng *rand.Rand) Point
}

// Correction is a function of the unconstrained coordinates of one block that the accept step adds
// to the log density.
type Correction struct {
	Name string
	Add  func(q []float64) float64
}

// Load makes a model from its data in CmdStan's JSON; the name goes in front of errors.
type Load func(data io.Reader, name string) (runtime.Posterior, error)

// Program is what a worker is built of: the models by the names that plans know them by, and
// extensions.
type Program struct {
	Models     map[string]Load
	Extensions []Extension
}

// builtin are the integrators of the paper, and the explicit leapfrog, with the paper's labels.
var builtin = []struct {
	integrator runtime.Integrator
	label      string
}{
	{runtime.GLFa, "G.L.F.(a)"},
	{runtime.GLFb, "G.L.F.(b)"},
	{runtime.IMa, "I.M.(a)"},
	{runtime.IMb, "I.M.(b)"},
	{runtime.Leapfrog, "Leapfrog"},
}

// Label returns how tables show a builtin integrator, and the name itself of any other.
func Label(name string) string {
	for _, b := range builtin {
		if b.integrator.String() == name {
			return b.label
		}
	}
	return name
}

// Description tells the names in a Program's extensions.
type Description struct {
	Integrators []Described `json:"integrators"`
	Simulators  []Described `json:"simulators"`
	Corrections []Described `json:"corrections"`
}

// Described is one thing of an extension.
type Described struct {
	Extension int    `json:"extension"` // the index of the extension
	Name      string `json:"name"`
	Label     string `json:"label,omitempty"`
	Draws     bool   `json:"draws,omitempty"` // of a simulator: it has Draw
}

// Describe returns what the extensions of a program hold. An error is about a name that is missing,
// is taken, or has nothing behind it.
func (p *Program) Describe() (*Description, error) {
	d := &Description{}
	seen := map[string]bool{}
	for _, b := range builtin {
		seen["integrator "+b.integrator.String()] = true
	}
	add := func(list *[]Described, kind string, x Described, whole bool) error {
		switch {
		case x.Name == "":
			return fmt.Errorf("an extension holds something without a name among its %ss", kind)
		case seen[kind+" "+x.Name]:
			return fmt.Errorf("there are two %ss called %s", kind, x.Name)
		case !whole:
			return fmt.Errorf("the %s %s has no function", kind, x.Name)
		}
		seen[kind+" "+x.Name] = true
		*list = append(*list, x)
		return nil
	}
	for i, e := range p.Extensions {
		for _, x := range e.Integrators {
			label := x.Label
			if label == "" {
				label = x.Name
			}
			if err := add(&d.Integrators, "integrator", Described{Extension: i, Name: x.Name, Label: label}, x.New != nil); err != nil {
				return nil, err
			}
		}
		for _, x := range e.Simulators {
			if err := add(&d.Simulators, "simulator", Described{Extension: i, Name: x.Name, Draws: x.Draw != nil}, x.Simulate != nil); err != nil {
				return nil, err
			}
		}
		for _, x := range e.Corrections {
			if err := add(&d.Corrections, "correction", Described{Extension: i, Name: x.Name}, x.Add != nil); err != nil {
				return nil, err
			}
		}
	}
	return d, nil
}

func (p *Program) integrator(name string) *Integrator {
	for i := range p.Extensions {
		for j := range p.Extensions[i].Integrators {
			if x := &p.Extensions[i].Integrators[j]; x.Name == name {
				return x
			}
		}
	}
	return nil
}

func (p *Program) simulator(name string) *Simulator {
	for i := range p.Extensions {
		for j := range p.Extensions[i].Simulators {
			if x := &p.Extensions[i].Simulators[j]; x.Name == name {
				return x
			}
		}
	}
	return nil
}

func (p *Program) correction(name string) *Correction {
	for i := range p.Extensions {
		for j := range p.Extensions[i].Corrections {
			if x := &p.Extensions[i].Corrections[j]; x.Name == name {
				return x
			}
		}
	}
	return nil
}

// Builtin reports whether the runtime has the integrator of a name.
func Builtin(name string) bool { return slices.Contains(BuiltinNames(), name) }

// BuiltinNames returns the names of the runtime's integrators.
func BuiltinNames() []string {
	var names []string
	for _, b := range builtin {
		names = append(names, b.integrator.String())
	}
	return names
}
