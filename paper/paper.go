// Package paper holds the experiments of Brofos & Lederman, "Evaluating the Implicit Midpoint
// Integrator for Riemannian Manifold Hamiltonian Monte Carlo" (ICML 2021): a grid for each, in a file
// of its own, with what it is made of, and the published tables.
package paper

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"

	"github.com/hamc-dev/hamc"
)

//go:embed *.toml *.ham published.json data/*.json simulate/simulate.go
var files embed.FS

// Experiment is one of the paper's.
type Experiment struct {
	Name  string // on the command line
	Title string
	File  string // of the grid, below Files
}

// Experiments lists the experiments in the order of the paper.
var Experiments = []Experiment{
	{"banana", "Banana-shaped distribution", "banana.toml"},
	{"funnel", "Hierarchical Neal's funnel", "funnel.toml"},
	{"stochastic-volatility", "Stochastic volatility model", "stochastic_volatility.toml"},
	{"fitzhugh-nagumo", "FitzHugh–Nagumo differential equations", "fitzhugh_nagumo.toml"},
	{"gaussian", "Quadratic Hamiltonian", "gaussian.toml"},
	{"logistic", "Bayesian logistic regression", "logistic.toml"},
}

// ReadFile returns a file that an experiment is made of; a model that is not here is one of the
// examples.
func ReadFile(name string) ([]byte, error) {
	text, err := files.ReadFile(path.Clean(name))
	if errors.Is(err, fs.ErrNotExist) {
		return hamc.Examples.ReadFile(path.Join("examples", name))
	}
	return text, err
}

// Table is one of the paper's tables.
type Table struct {
	Label  string           `json:"label"`
	Random bool             `json:"randomized_steps"`
	Rows   []map[string]any `json:"rows"` // columns by name; X_pm is what stands after ± behind X
}

// Tables returns the published tables.
func Tables() ([]Table, error) {
	text, err := files.ReadFile("published.json")
	if err != nil {
		return nil, err
	}
	var p struct {
		Source string  `json:"source"`
		Tables []Table `json:"tables"`
	}
	if err := json.Unmarshal(text, &p); err != nil {
		return nil, fmt.Errorf("the published tables: %w", err)
	}
	return p.Tables, nil
}
