package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hamc-dev/hamc/cmd/hamc/internal/experiment"
	"github.com/hamc-dev/hamc/cmd/hamc/internal/sampler"
	"github.com/hamc-dev/hamc/cmd/hamc/internal/terminal"
	"github.com/hamc-dev/hamc/runtime/grid"
)

// gridFlags are the settings of `hamc grid` and `hamc paper`.
type gridFlags struct {
	output, scale, executor, progress string

	with, only, slurm []string
	workers, atOnce   int
	taskSeconds       float64
	poll              time.Duration
	dry, quiet        bool
}

func (f *gridFlags) register(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringArrayVar(&f.with, "with", nil, "`FILE` that joins the grid: a Go file with integrators, or a model (.ham) on the same data")
	fl.StringArrayVar(&f.only, "only", nil, "run the cells of some settings only: `NAME=VALUE,…`, such as integrator=imb or cells=fixed")
	fl.StringVar(&f.executor, "executor", "local", "`WHERE` cells run: local, or slurm")
	fl.IntVar(&f.workers, "workers", 0, "cells that run at the same time on this machine; default: the number of cores")
	fl.IntVar(&f.atOnce, "at-once", 0, "with slurm: tasks that run at the same time; default: no limit")
	fl.Float64Var(&f.taskSeconds, "task-seconds", 60, "with slurm: how long a task is to last, which decides how many cells it has")
	fl.StringArrayVar(&f.slurm, "slurm", nil, "with slurm: an `OPTION` of sbatch, such as --partition=day")
	fl.DurationVar(&f.poll, "poll", 10*time.Second, "with slurm: how often to look at the queue")
	fl.BoolVar(&f.dry, "dry-run", false, "say what cells there are, and run none")
	fl.BoolVar(&f.quiet, "quiet", false, "nothing on standard error but errors and warnings: --progress none")
	fl.StringVar(&f.progress, "progress", "auto", "`HOW` progress is shown on standard error: auto (live on a terminal), plain (lines), json (a line of JSON for each event, for programs) or none")
}

// check completes and checks the flags.
func (f *gridFlags) check(cmd *cobra.Command) error {
	if f.quiet {
		if cmd.Flags().Changed("progress") && f.progress != "none" {
			return usage{fmt.Errorf("--quiet and --progress %s contradict each other: --quiet stands for --progress none", f.progress)}
		}
		f.progress = "none"
	}
	switch {
	case !slices.Contains(progressModes, f.progress):
		return usage{fmt.Errorf("--progress %s: expected auto, plain, json or none", f.progress)}
	case f.executor != "local" && f.executor != "slurm":
		return usage{fmt.Errorf("--executor %s: expected local or slurm", f.executor)}
	case f.workers < 0:
		return usage{fmt.Errorf("--workers %d: expected a positive number, or 0 for one per core", f.workers)}
	case f.atOnce < 0:
		return usage{fmt.Errorf("--at-once %d: expected a positive number, or 0 for no limit", f.atOnce)}
	case f.poll <= 0:
		return usage{fmt.Errorf("--poll %v: expected a positive duration, such as 10s", f.poll)}
	case !(f.taskSeconds > 0):
		return usage{fmt.Errorf("--task-seconds %v: expected a positive number", f.taskSeconds)}
	}
	if f.executor != "slurm" {
		for _, name := range []string{"at-once", "task-seconds", "slurm", "poll"} {
			if cmd.Flags().Changed(name) {
				return usage{fmt.Errorf("--%s is for --executor slurm", name)}
			}
		}
	} else if cmd.Flags().Changed("workers") {
		return usage{errors.New("--workers is for --executor local; with slurm it is --at-once")}
	}
	if f.workers == 0 {
		f.workers = goruntime.NumCPU()
	}
	f.quiet = f.progress == "none" || f.progress == "json"
	return nil
}

func newGrid(e *env) *cobra.Command {
	var f gridFlags
	cmd := &cobra.Command{
		Use:   "grid GRID.toml",
		Short: "Run a grid of experiments: models × integrators × settings × replicates",
		Long: `Run a grid of experiments that a file describes: models × integrators × step sizes ×
steps × tolerances × replicates. Each cell is a chain, or many trajectories, of
which acceptance, effective sample sizes, and the violations of reversibility
and of volume preservation are measured.

Results of cells are kept in the directory of the grid: the same command goes on
where it was stopped, and runs only what is new after a change of the file.`,
		Args: exactly(1, "GRID.toml"),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return []cobra.Completion{"toml"}, cobra.ShellCompDirectiveFilterFileExt
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(cmd); err != nil {
				return err
			}
			return e.userGrid(cmd.Context(), args[0], &f)
		},
	}
	f.register(cmd)
	cmd.Flags().StringVar(&f.output, "output-dir", "", "`DIR` for the results; default GRID-results")
	cmd.Flags().StringVar(&f.scale, "scale", "", "`NAME` of one of the grid's scales")
	completeFlags(cmd)
	return cmd
}

// userGrid runs the grid of a file.
func (e *env) userGrid(parent context.Context, path string, f *gridFlags) error {
	text, err := readText(path)
	if err != nil {
		return err
	}
	dir := filepath.Dir(path)
	files := func(name string) ([]byte, error) {
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, filepath.FromSlash(name))
		}
		return os.ReadFile(name)
	}
	out := f.output
	if out == "" {
		out = strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)) + "-results"
	}
	var guard guard
	ctx, stop := guard.watch(parent)
	defer stop()
	g, err := e.prepare(ctx, []byte(text), shownPath(path), files, out, f)
	if err != nil || f.dry {
		return err
	}
	rows, err := e.runGrid(ctx, g, f)
	if err != nil {
		return err
	}
	if _, err := experiment.WritePage(g.dir, g.source, g.plan, rows, nil); err != nil {
		return problem{err}
	}
	fmt.Fprintf(e.stdout, "%s of %s in %s: page.html, page.md, %s\n", plural(len(rows), "cell"), g.plan.Title, g.dir, experiment.ResultsName)
	return g.shortfall(rows)
}

// preparedGrid is a grid that is compiled and laid out.
type preparedGrid struct {
	source *experiment.Source
	plan   *grid.Plan
	dir    string
	worker string
	bin    *sampler.Binary
}

// prepare reads, checks and compiles a grid, and lays it out in a directory. Names of files are the
// grid's; the name of the grid goes in front of errors.
func (e *env) prepare(ctx context.Context, text []byte, name string, files func(string) ([]byte, error), dir string, f *gridFlags) (prepared *preparedGrid, err error) {
	began := time.Now()
	spec, err := experiment.ParseSpec(text, name)
	if err != nil {
		return nil, problem{err}
	}
	if err := spec.CheckScale(f.scale); err != nil {
		return nil, usage{fmt.Errorf("%s: %w", name, err)}
	}
	src := &experiment.Source{Spec: spec, Scale: f.scale, Data: map[string][]byte{}}
	for _, with := range spec.With {
		text, err := files(with)
		if err == nil {
			err = extend(src, with, text)
		}
		if err != nil {
			return nil, problem{fmt.Errorf("%s: with: %w", name, inWords(with, err))}
		}
	}
	named := len(src.With)
	joined, err := join(src, f.with)
	if err != nil {
		return nil, err
	}
	for i := range spec.Models {
		m := &spec.Models[i]
		read := files
		if joined[m.Name] {
			read = os.ReadFile
		}
		if err := e.compileForGrid(src, m, read); err != nil {
			return nil, err
		}
		for _, file := range m.DataFiles() {
			if src.Data[file], err = files(file); err != nil {
				return nil, problem{fmt.Errorf("%s: model %s: %w", name, m.Name, inWords(file, err))}
			}
		}
	}
	g := &preparedGrid{source: src, dir: dir}
	if err := e.buildGrid(ctx, g, f.quiet, began); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil || f.dry {
			g.bin.Remove() // else when it has run
		}
	}()
	if err := g.makePlan(ctx, name, named, f.only); err != nil {
		return nil, err
	}
	if f.dry {
		return g, e.tellCells(g)
	}
	if err := mayLay(dir); err != nil {
		return nil, err
	}
	g.worker = g.bin.Path
	copied := ""
	if f.executor == "slurm" { // whose machines see the directory, and not this one's cache
		copied = g.bin.Path
	}
	if err := src.Lay(dir, g.plan, copied); err != nil {
		return nil, problem{err}
	}
	return g, nil
}

// extend adds an extension.
func extend(src *experiment.Source, name string, text []byte) error {
	x, err := experiment.ReadExtension(name, text)
	if err == nil {
		src.With = append(src.With, x)
	}
	return err
}

// join adds the extensions and models that the command line brings, and returns the names of the models.
func join(src *experiment.Source, paths []string) (joined map[string]bool, err error) {
	joined = map[string]bool{}
	for _, path := range paths {
		text, err := readText(path)
		switch {
		case err != nil:
		case strings.HasSuffix(path, ".ham"):
			m := src.Spec.Models[0]
			m.File, m.Name = path, strings.TrimSuffix(filepath.Base(path), ".ham")
			if slices.ContainsFunc(src.Spec.Models, func(o experiment.ModelSpec) bool { return o.Name == m.Name }) {
				return nil, usage{fmt.Errorf("--with %s: the grid has a model of that name: rename the file", path)}
			}
			if err := experiment.CheckName(m.Name); err != nil {
				return nil, usage{fmt.Errorf("--with %s: %w: rename the file", path, err)}
			}
			joined[m.Name] = true
			if err := src.Spec.Join(nil, &m); err != nil {
				return nil, usage{fmt.Errorf("--with %s: %w", path, err)}
			}
		case strings.HasSuffix(path, ".go"):
			err = extend(src, path, []byte(text))
		default:
			return nil, usage{fmt.Errorf("--with %s: expected a Go file or a model, .go or .ham", path)}
		}
		if err != nil {
			return nil, problem{err}
		}
	}
	return joined, nil
}

// makePlan plans the cells, with what the worker says of its extensions, of which the first are named in the grid's file.
func (g *preparedGrid) makePlan(ctx context.Context, name string, named int, only []string) error {
	src := g.source
	d, err := experiment.Describe(ctx, g.bin.Path)
	if ctx.Err() != nil {
		return interruption(ctx)
	}
	if err != nil {
		return problem{err}
	}
	var integrators []string
	for _, x := range d.Integrators {
		if x.Extension >= named {
			integrators = append(integrators, x.Name)
		}
	}
	if err := src.Spec.Join(integrators, nil); err != nil {
		return usage{fmt.Errorf("--with: %w", err)}
	}
	if g.plan, err = src.Plan(d, g.bin.Runtime); err != nil {
		return problem{fmt.Errorf("%s: %w", name, err)}
	}
	src.Labels(d)
	if err := experiment.Only(g.plan, only); err != nil {
		return usage{err}
	}
	return nil
}

// mayLay returns an error if a directory holds something else than a grid.
func mayLay(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return problem{inWords(dir, err)}
	}
	// Without its plan it is one that is being laid out at this moment, or whose run was ended then.
	foreign := slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		name := e.Name()
		return name != grid.CellsName && name != grid.DataName && !strings.HasPrefix(name, "."+grid.PlanName)
	})
	if foreign && !isFile(filepath.Join(dir, grid.PlanName)) {
		return usage{fmt.Errorf("%s holds files that are not of a grid: choose another --output-dir", dir)}
	}
	return nil
}

// compileForGrid compiles a model of a grid.
func (e *env) compileForGrid(src *experiment.Source, m *experiment.ModelSpec, read func(string) ([]byte, error)) error {
	text, err := read(m.File)
	if err != nil {
		return problem{fmt.Errorf("model %s: %w", m.Name, inWords(m.File, err))}
	}
	bundle, err := withImports(filepath.Dir(m.File), string(text), read)
	if err != nil {
		return err
	}
	consts, err := parseConsts(m.Consts)
	if err != nil {
		return err
	}
	model, ds := derive(m.File, bundle, consts, src.Spec.ByNewton())
	if len(ds.List) > 0 {
		e.tell(ds)
	}
	if model == nil {
		return errReported
	}
	pkg := "m_" + strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, m.Name)
	for slices.ContainsFunc(src.Models, func(o experiment.CompiledModel) bool { return o.Package == pkg }) {
		pkg += "_"
	}
	code, err := model.generate(pkg)
	if err != nil {
		return err
	}
	src.Models = append(src.Models, experiment.CompiledModel{Package: pkg, Code: code})
	return nil
}

// buildGrid builds the worker of a grid.
func (e *env) buildGrid(ctx context.Context, g *preparedGrid, quiet bool, began time.Time) error {
	finish := func() {}
	if !quiet {
		fmt.Fprintf(e.stderr, "compiled %s in %s\n", plural(len(g.source.Models), "model"), milliseconds(time.Since(began)))
		finish = terminal.Wait(e.stderr, "building")
	}
	start := time.Now()
	bin, err := g.source.Build(ctx)
	finish()
	var failed *sampler.BuildError
	var toolchain *sampler.ToolchainError
	switch {
	case err == nil:
		g.bin = bin
		if !quiet && bin.Note != "" {
			fmt.Fprintln(e.stderr, bin.Note)
		}
		if !quiet && bin.Cached {
			fmt.Fprintln(e.stderr, "built    earlier, from the same source")
		} else if !quiet {
			fmt.Fprintf(e.stderr, "built    in %.1f s\n", time.Since(start).Seconds())
		}
		return nil
	case ctx.Err() != nil:
		return interruption(ctx)
	case errors.As(err, &toolchain):
		return problem{fmt.Errorf("%w; a grid needs one, to compile its worker", err)}
	case errors.As(err, &failed) && failed.Code:
		return internal{err}
	}
	return problem{err}
}

// tellCells writes what cells a grid has, by group.
func (e *env) tellCells(g *preparedGrid) error {
	missing, err := experiment.Missing(g.dir, g.plan)
	if err != nil {
		return problem{err}
	}
	fmt.Fprintf(e.stdout, "%s: %s, %d to run\n", g.plan.Title, plural(len(g.plan.Cells), "cell"), len(missing))
	for i := range g.source.Spec.Groups {
		name := g.source.Spec.Groups[i].Name
		n := 0
		for k := range g.plan.Cells {
			if g.plan.Cells[k].Group == name {
				n++
			}
		}
		if n > 0 {
			fmt.Fprintf(e.stdout, "  %-14s %d\n", name, n)
		}
	}
	return nil
}

// runGrid runs what is missing of a grid, and writes its tables.
func (e *env) runGrid(ctx context.Context, g *preparedGrid, f *gridFlags) ([]experiment.Row, error) {
	defer g.bin.Remove()
	missing, err := experiment.Missing(g.dir, g.plan)
	if err != nil {
		return nil, problem{err}
	}
	if !f.quiet {
		switch n := len(g.plan.Cells); {
		case len(missing) == 0:
			fmt.Fprintf(e.stderr, "%s: all results are in %s\n", plural(n, "cell"), g.dir)
		case len(missing) < n:
			fmt.Fprintf(e.stderr, "%s, of which %d are to be run: results of the others are in %s\n", plural(n, "cell"), len(missing), g.dir)
		default:
			fmt.Fprintf(e.stderr, "%s to run\n", plural(n, "cell"))
		}
	}
	if len(missing) > 0 {
		show := newCellProgress(e.stderr, f.progress, len(missing))
		if f.executor == "slurm" {
			err = e.runSlurm(ctx, g, missing, f, show)
		} else {
			err = experiment.RunLocal(ctx, g.worker, g.dir, g.plan, missing, f.workers, show.done)
		}
		show.finish()
		if ctx.Err() != nil {
			fmt.Fprintf(e.stderr, "stopped with %d of %s done; the same command goes on from there\n", show.finished, plural(len(missing), "cell"))
			return nil, interruption(ctx)
		}
		if err != nil {
			return nil, problem{err}
		}
	}
	rows, err := experiment.Gather(g.dir, g.plan)
	if err == nil {
		err = experiment.WriteTables(g.dir, rows)
	}
	if err != nil {
		return nil, problem{err}
	}
	return rows, nil
}

// shortfall returns an error if cells have no result, or none but a problem.
func (g *preparedGrid) shortfall(rows []experiment.Row) error {
	if n := len(g.plan.Cells) - len(rows); n > 0 {
		return problem{fmt.Errorf("%s of %d have no result, for the reasons above; the same command tries them again", plural(n, "cell"), len(g.plan.Cells))}
	}
	n, first := 0, ""
	for i := range rows {
		if p := rows[i].Result.Problem; p != "" {
			if n++; n == 1 {
				first = fmt.Sprintf("cell %d (%s): %s", rows[i].Cell.Index, experiment.Describes(&rows[i]), p)
			}
		}
	}
	if n > 0 {
		return problem{fmt.Errorf("%s could not be run, see the column problem of %s; the first is %s", plural(n, "cell"), filepath.Join(g.dir, experiment.ResultsName), first)}
	}
	return nil
}
