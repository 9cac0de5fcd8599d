// Package grid runs the cells of a grid of experiments: one chain, or many trajectories, of one model
// under one combination of settings, with what Brofos & Lederman (2021) measure of it. A worker is a
// program that holds the models and the integrators of a grid; it reads the Plan of a directory and
// leaves a Result there for each cell that it runs. A result depends on the plan alone, not on who
// ran the cell, where, or when; but for its times.
package grid

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/files"
	"github.com/hamc-dev/hamc/runtime/ode"
)

// The names in the directory of a grid.
const (
	PlanName   = "grid.json" // the Plan
	CellsName  = "cells"     // directory of results
	DataName   = "data"      // directory of data files
	WorkerName = "worker"    // the program that runs cells
)

// PlanVersion is the version of the format of a Plan and its Results.
const PlanVersion = 1

// Plan is all that workers know of a grid.
type Plan struct {
	Format int     `json:"format"` // PlanVersion
	Title  string  `json:"title"`
	Seed   uint64  `json:"seed"`
	Models []Model `json:"models"`
	Cells  []Cell  `json:"cells"`
}

// Model is a model of a grid with its data.
type Model struct {
	Name string `json:"name"`
	Code string `json:"code"` // the name of its code in the worker

	// Data are files of data relative to the directory of the plan: one for all
	// replicates, or one for each, in turn. Without files, Simulate names a Simulator;
	// without either the model has no data.
	Data     []string `json:"data,omitempty"`
	Simulate string   `json:"simulate,omitempty"`

	// Start says where chains start: StartSimulated, StartMode or StartGiven.
	Start Start `json:"start"`

	// Init is the point of StartGiven, and the one that the search for the mode begins at.
	Init Point `json:"init,omitempty"`

	// Block is the block of a Gibbs whose settings the cells vary, "" of a model without blocks.
	// Blocks are the settings of the others.
	Block  string          `json:"block,omitempty"`
	Blocks []BlockSettings `json:"blocks,omitempty"`

	// Correction names what is added to the log density of Block in the accept step only; see
	// runtime.HMC.Correction.
	Correction string `json:"correction,omitempty"`

	// ODE are the tolerances of a model's differential equations; what is 0 has its default.
	ODE ode.Options `json:"ode,omitzero"`

	// ESS names the parameters whose effective sample sizes count; all if it is empty.
	ESS []string `json:"ess,omitempty"`

	// Digest stands for all that decides results and is not in the plan: the code of the
	// model, its simulator and correction, the data, the runtime, the compiler.
	Digest string `json:"digest"`
}

// BlockSettings are the settings of one block.
type BlockSettings struct {
	Name string `json:"name"`
	Settings
}

// Start is a way to choose where a chain starts.
type Start string

// The ways to start.
const (
	StartSimulated Start = "simulated" // where the Simulator says
	StartMode      Start = "mode"      // at a mode of the density on the unconstrained scale
	StartGiven     Start = "given"     // at a given point
)

// Code says what code makes the steps of an integrator.
type Code string

// The kinds of code.
const (
	Generated Code = "generated" // that of the model, where it has a step of its own
	Generic   Code = "generic"   // runtime.GenericSystem, for any model and integrator
)

// Settings are what may differ between the cells of a grid for one model. Their JSON, in this
// order, is what the seed of a cell is made of.
type Settings struct {
	Integrator    string               `json:"integrator"` // of the runtime, or of an Extension
	Code          Code                 `json:"code"`
	StepSize      float64              `json:"step_size"`
	Steps         int                  `json:"steps"`
	RandomSteps   bool                 `json:"random_steps"`
	Tolerance     float64              `json:"tolerance"`
	MaxIterations int                  `json:"max_iterations"`
	StopStalled   bool                 `json:"stop_stalled"`
	Solver        runtime.Method       `json:"solver"`
	ReverseCheck  runtime.ReverseCheck `json:"reverse_check"`
	Norm          runtime.Norm         `json:"norm,omitzero"` // last, and left out where it is the paper's: seeds of the paper's cells are older than it
}

// Tuning returns the settings as the runtime has them. The integrator stays
// runtime.DefaultIntegrator where it is none of the runtime's.
func (s *Settings) Tuning() runtime.Tuning {
	k, err := runtime.ParseIntegrator(s.Integrator)
	if err != nil {
		k = runtime.DefaultIntegrator
	}
	return runtime.Tuning{
		Integrator:   k,
		StepSize:     s.StepSize,
		Steps:        s.Steps,
		Trajectories: runtime.DynamicTrajectories,
		RandomSteps:  s.RandomSteps,
		Solver:       runtime.Solver{Tolerance: s.Tolerance, Norm: s.Norm, MaxIterations: s.MaxIterations, StopStalled: s.StopStalled, Method: s.Solver},
		ReverseCheck: s.ReverseCheck,
	}
}

// Length says how long a cell runs and how much of it is measured.
type Length struct {
	Draws  int `json:"draws"`
	Warmup int `json:"warmup"` // transitions before the first draw; nothing is adapted in them

	// Fresh starts each transition at a new draw of the Simulator's Draw instead of the end of
	// the one before: the trajectories are independent then, and there is no chain.
	Fresh bool `json:"fresh"`

	// Checks is the number of draws at which the violations of reversibility and of volume
	// preservation are measured, with the increment Eta of runtime.VolumeError.
	Checks int     `json:"checks"`
	Eta    float64 `json:"eta"`

	// Audit is the number of transitions, evenly spread, whose accepted proposals are
	// integrated back to see whether they return.
	Audit int `json:"audit"`
}

// Cell is one chain of one model.
type Cell struct {
	Index     int    `json:"index"`     // in the plan
	Group     string `json:"group"`     // the part of the grid it belongs to
	Model     int    `json:"model"`     // index into the plan's
	Replicate int    `json:"replicate"` // from 1
	Settings
	Length

	// Digest stands for the source of an integrator that is not of the runtime.
	Digest string `json:"digest,omitempty"`
}

// Replicates of one plan share their random numbers for data; each cell has its own for the chain.
// These are the phases of the streams of random.Philox.
const (
	phaseData uint64 = iota
	phaseDraw
	phaseWarmup
	phaseSampling
	phaseChoice
	phaseCheck
)

// key is what a cell is, apart from its place in the plan and what it measures: the chain of cells
// with one key is the same.
func (p *Plan) key(c *Cell) []byte {
	text, err := json.Marshal(struct {
		Model     string   `json:"model"`
		Replicate int      `json:"replicate"`
		Settings  Settings `json:"settings"`
		Warmup    int      `json:"warmup"`
		Fresh     bool     `json:"fresh"`
	}{p.Models[c.Model].Name, c.Replicate, c.Settings, c.Warmup, c.Fresh})
	if err != nil {
		panic(err) // a plan has come out of JSON, and so has none of the values that cannot go in
	}
	return text
}

// CellSeed returns the seed of a cell's chain. It depends on the seed of the plan and on what the cell
// is, not on its index: a cell that joins a plan changes no other.
func (p *Plan) CellSeed(c *Cell) uint64 {
	h := sha256.New()
	var seed [8]byte
	binary.LittleEndian.PutUint64(seed[:], p.Seed)
	h.Write(seed[:])
	h.Write(p.key(c))
	return binary.LittleEndian.Uint64(h.Sum(nil))
}

// ID names the result of a cell by all that decides it: two cells with one ID have the same
// result.
func (p *Plan) ID(c *Cell) string {
	h := sha256.New()
	text, err := json.Marshal(struct {
		Format int
		Seed   uint64
		Model  Model
		Length Length
		Digest string
	}{PlanVersion, p.Seed, p.Models[c.Model], c.Length, c.Digest})
	if err != nil {
		panic(err) // as in key
	}
	h.Write(text)
	h.Write(p.key(c))
	return fmt.Sprintf("%x", h.Sum(nil)[:12])
}

// ResultPath returns where the result of a cell is, below the directory of the plan.
func (p *Plan) ResultPath(dir string, c *Cell) string {
	return filepath.Join(dir, CellsName, p.ID(c)+".json")
}

// Digest stands for the cells of the plan, in their order, and all that decides their results.
func (p *Plan) Digest() string {
	h := sha256.New()
	if err := json.NewEncoder(h).Encode(struct {
		Seed   uint64
		Models []Model
		Cells  []Cell
	}{p.Seed, p.Models, p.Cells}); err != nil {
		panic(err) // as in key
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:12])
}

// ReadPlan reads the plan of a directory.
func ReadPlan(dir string) (*Plan, error) {
	path := filepath.Join(dir, PlanName)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: there is no %s: is this the directory of a grid?", dir, PlanName)
	}
	if err != nil {
		return nil, err
	}
	p := &Plan{}
	in := json.NewDecoder(bytes.NewReader(text))
	in.DisallowUnknownFields()
	if err := in.Decode(p); err != nil {
		return nil, fmt.Errorf("%s: the file is damaged, or of another version of hamc: %w", path, err)
	}
	if p.Format != PlanVersion {
		return nil, fmt.Errorf("%s: format %d of a grid; this version of hamc has format %d", path, p.Format, PlanVersion)
	}
	for i := range p.Cells {
		if c := &p.Cells[i]; c.Index != i || c.Model < 0 || c.Model >= len(p.Models) || c.Replicate < 1 || c.Draws < 1 || c.Warmup < 0 {
			return nil, fmt.Errorf("%s: the file is damaged: cell %d", path, i)
		}
	}
	return p, nil
}

// Write writes the plan to a directory, all of it or nothing.
func (p *Plan) Write(dir string) error {
	text, err := json.MarshalIndent(p, "", "\t")
	if err != nil {
		return err
	}
	return files.Replace(filepath.Join(dir, PlanName), append(text, '\n'))
}
