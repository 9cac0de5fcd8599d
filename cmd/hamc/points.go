package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/driver"
)

// point is a point of phase space on the unconstrained scale.
type point struct {
	q, p []float64 // p is nil if not given
	from *object
}

// number is a float64 whose JSON form knows NaN and the infinities.
type number = driver.Number

func numbers(x []float64) []number { return driver.Numbers(x) }

// readPoints reads a JSON list of points, with q in the coordinates of in and p
// in those of own; - is standard input.
func (e *env) readPoints(path string, in, own *runtime.Info) ([]point, error) {
	var text []byte
	var err error
	if path == stdinName {
		text, err = io.ReadAll(e.stdin)
		path = "standard input"
	} else {
		var s string
		s, err = readText(path)
		text = []byte(s)
	}
	if err != nil {
		return nil, err
	}
	objects, err := readObjects(path, text, `a list of points [{"q": […], "p": […]}, …]`)
	if err != nil {
		return nil, err
	}
	points := make([]point, len(objects))
	for i, o := range objects {
		p := point{from: o}
		if p.q, err = o.coordinates("q", in, "model"); err == nil && o.set.Has("p") {
			what := "model"
			if own != in {
				what = "block"
			}
			p.p, err = o.coordinates("p", own, what)
		}
		if other := o.set.Unknown("q", "p"); err == nil && len(other) > 0 {
			err = o.errorf("a point has q and p, but no %s", other[0])
		}
		if err != nil {
			return nil, problem{err}
		}
		points[i] = p
	}
	return points, nil
}

// coordinates returns q or p of a point, with the coordinates of a model or a block.
func (o *object) coordinates(name string, in *runtime.Info, what string) ([]float64, error) {
	x, err := o.reals(name, in.Dim())
	if err != nil {
		return nil, o.because(err, fmt.Sprintf("the %s %s has %s", what, in.Name, plural(in.Dim(), "coordinate")))
	}
	for i, v := range x {
		if v-v != 0 {
			return nil, o.errorf("%s[%d] is %v: coordinates are finite numbers", name, i+1, v)
		}
	}
	return x, nil
}

// modelFlags are those of commands that evaluate a model at points.
type modelFlags struct {
	data, at, block string
	consts          []string
}

func (f *modelFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.data, "data", "", "`FILE` of data in CmdStan's JSON; default MODEL.data.json beside the model")
	cmd.Flags().StringVar(&f.at, "at", "", "`FILE` of points [{\"q\": […], \"p\": […]}], unconstrained; - for standard input")
	cmd.Flags().StringVar(&f.block, "block", "", "`NAME` of a block of a model of several: q has all coordinates, p and the results those of the block")
	constFlag(cmd, &f.consts)
	completeFlags(cmd)
}

// subject is what log-prob and trajectory evaluate: a model, or one block of it.
type subject struct {
	whole  runtime.Posterior
	system *runtime.GenericSystem // nil for a model of several blocks as a whole
	given  runtime.Conditional    // nil but for a block
}

// coordinates makes the system that of the point q of the whole model, and
// returns the coordinates of its own.
func (s *subject) coordinates(q []float64) ([]float64, runtime.Status) {
	if s.given == nil {
		return q, runtime.OK
	}
	st := s.given.Given(q)
	return runtime.Gather(s.whole.Info(), s.given.Info(), q), st
}

// choose returns the block of that name, or the whole model.
func choose(p runtime.Posterior, block string) (*subject, error) {
	if m, ok := p.(runtime.Model); ok {
		if block != "" {
			return nil, usage{fmt.Errorf("--block %s: model %s is sampled as a whole", block, p.Info().Name)}
		}
		return &subject{whole: p, system: runtime.Generic(m)}, nil
	}
	var names []string
	for _, b := range p.(runtime.Gibbs).Blocks() {
		names = append(names, b.Info().Name)
		if b.Info().Name == block {
			return &subject{whole: p, system: b.(*runtime.GenericConditional).GenericSystem, given: b}, nil
		}
	}
	if block != "" {
		return nil, usage{fmt.Errorf("--block %s: model %s has the blocks %s", block, p.Info().Name, strings.Join(names, ", "))}
	}
	return &subject{whole: p}, nil
}

// at returns the subject and the points that the flags name. Of a model of several
// blocks one must be named if the metric is needed.
func (e *env) at(args []string, f *modelFlags, metric bool) (*subject, []point, error) {
	if f.at == "" {
		return nil, nil, usage{errors.New(`--at POINTS.json is missing: a list of points {"q": […], "p": […]}`)}
	}
	m, err := e.load(args[0], f.consts, false)
	if err != nil {
		return nil, nil, err
	}
	im, err := m.plain().interpreted(f.data)
	if err != nil {
		return nil, nil, err
	}
	s, err := choose(im, f.block)
	if err != nil {
		return nil, nil, err
	}
	if metric && s.system == nil {
		return nil, nil, usage{fmt.Errorf("model %s is sampled in blocks: name one with --block", im.Info().Name)}
	}
	own := im.Info()
	if s.given != nil {
		own = s.given.Info()
	}
	points, err := e.readPoints(f.at, im.Info(), own)
	return s, points, err
}

func newLogProb(e *env) *cobra.Command {
	var f modelFlags
	var tensor, evaluator bool
	cmd := &cobra.Command{
		Use:   "log-prob MODEL.ham --at POINTS.json",
		Short: "Evaluate density, gradient, metric and Hamiltonian at points",
		Args:  exactly(1, "MODEL.ham"),

		ValidArgsFunction: completeModel,
		RunE: func(cmd *cobra.Command, args []string) error {
			if done, err := e.compiledAt(cmd.Context(), args[0], &f, tensor, evaluator); done || err != nil {
				return err
			}
			s, points, err := e.at(args, &f, false)
			if err != nil {
				return err
			}
			out := make([]driver.Evaluated, len(points))
			for i, p := range points {
				out[i] = evaluate(s, p, tensor)
			}
			return e.printJSON(out)
		},
	}
	cmd.Flags().BoolVar(&tensor, "tensor", false, "print the metric Jacobian beyond dimension 50 too")
	cmd.Flags().BoolVar(&evaluator, "evaluate", false, "use the evaluator for large data too, and no Go toolchain")
	f.register(cmd)
	return cmd
}

// evaluate is the answer of log-prob for one point.
func evaluate(sub *subject, p point, tensor bool) driver.Evaluated {
	q, st := sub.coordinates(p.q)
	if sub.system == nil {
		grad := make([]float64, len(q))
		return driver.Evaluated{LogDensity: number(sub.whole.Gradient(grad, q)), Gradient: numbers(grad)}
	}
	return driver.Evaluate(sub.system, driver.Point{Q: q, P: p.p}, st, tensor)
}

func (e *env) printJSON(v any) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return internal{err}
	}
	_, err = e.stdout.Write(append(b, '\n'))
	return wrap(err)
}

// stepped is the answer of trajectory.
type stepped struct {
	Q            []number `json:"q"`
	P            []number `json:"p"`
	EnergyChange number   `json:"energy_change"`
	Converged    bool     `json:"converged"`
	Iterations   int      `json:"iterations"`
	Failure      string   `json:"failure"`
}

func newTrajectory(e *env) *cobra.Command {
	var f modelFlags
	var integrator, normName string
	var eps, tol float64
	var steps, limit int
	var all bool
	cmd := &cobra.Command{
		Use:   "trajectory MODEL.ham --at POINTS.json",
		Short: "Integrate Hamilton's equations from points",
		Args:  exactly(1, "MODEL.ham"),

		ValidArgsFunction: completeModel,
		RunE: func(_ *cobra.Command, args []string) error {
			k, err := runtime.ParseIntegrator(integrator)
			if err != nil {
				return usage{err}
			}
			norm, err := runtime.ParseNorm(normName)
			if err != nil {
				return usage{fmt.Errorf("--norm: %w", err)}
			}
			switch {
			case !(math.Abs(eps) > 0) || math.IsInf(eps, 0):
				return usage{fmt.Errorf("--step-size %v: give a number that is not 0", eps)}
			case steps < 1:
				return usage{fmt.Errorf("--steps %d: give at least 1", steps)}
			case !(tol > 0) || math.IsInf(tol, 0):
				return usage{fmt.Errorf("--tol %v: give a positive number", tol)}
			case limit < 1:
				return usage{fmt.Errorf("--max-iterations %d: give at least 1", limit)}
			}
			s, points, err := e.at(args, &f, true)
			if err != nil {
				return err
			}
			for _, p := range points {
				if p.p == nil {
					return problem{p.from.errorf("a trajectory starts from points with a momentum p, and this one has none")}
				}
			}
			step, err := runtime.Stepper(s.system, k, runtime.DefaultMethod)
			if err != nil {
				return problem{err}
			}
			solver := runtime.Solver{Tolerance: tol, Norm: norm, MaxIterations: limit}
			paths := make([][]stepped, len(points))
			ends := make([]stepped, len(points))
			for i, p := range points {
				paths[i] = integrate(s, step, p, eps, steps, &solver)
				ends[i] = paths[i][len(paths[i])-1]
			}
			if all {
				return e.printJSON(paths)
			}
			return e.printJSON(ends)
		},
	}
	fl := cmd.Flags()
	normFlag(cmd, &normName)
	fl.StringVar(&integrator, "integrator", "imb", "`NAME`: glfa, glfb, ima, imb or leapfrog")
	fl.Float64Var(&eps, "step-size", 0.1, "step size ε")
	fl.IntVar(&steps, "steps", 1, "number of steps")
	fl.Float64Var(&tol, "tol", 1e-9, "tolerance δ of the fixed-point solves, on max|Δ|")
	fl.IntVar(&limit, "max-iterations", 1000, "limit of one fixed-point solve")
	fl.BoolVar(&all, "all", false, "print every step, not only the last")
	f.register(cmd)
	return cmd
}

// integrate returns the states after each step, up to the first failure.
func integrate(sub *subject, step runtime.StepFunc, p point, eps float64, steps int, solver *runtime.Solver) []stepped {
	own, st := sub.coordinates(p.q)
	q, m := append([]float64(nil), own...), append([]float64(nil), p.p...)
	// All coordinates are told, so that an end serves as a start.
	all := func() []number {
		whole := append([]float64(nil), p.q...)
		if sub.given == nil {
			copy(whole, q)
		} else {
			runtime.Scatter(sub.whole.Info(), sub.given.Info(), whole, q)
		}
		return numbers(whole)
	}
	s := sub.system
	h0 := math.NaN()
	if st == runtime.OK {
		h0, _, st = s.Energy(q, m)
	}
	if st != runtime.OK {
		return []stepped{{Q: all(), P: numbers(m), EnergyChange: number(math.NaN()), Failure: st.String()}}
	}
	var path []stepped
	total := 0
	for range steps {
		r := step(q, m, eps, solver)
		total += r.Iterations
		h, _, hst := s.Energy(q, m)
		out := stepped{Q: all(), P: numbers(m), EnergyChange: number(h - h0), Converged: r.Status == runtime.OK, Iterations: total}
		if r.Status == runtime.OK && hst != runtime.OK {
			r.Status = hst
		}
		if r.Status != runtime.OK {
			out.Failure = r.Status.String()
			return append(path, out)
		}
		path = append(path, out)
	}
	return path
}
