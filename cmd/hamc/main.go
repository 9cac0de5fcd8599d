// Command hamc compiles models written in the .ham language to Go samplers and
// runs them.
//
// The exit codes are the table exitCodes.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	goruntime "runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hamc-dev/hamc/cmd/hamc/internal/sampler"
	"github.com/hamc-dev/hamc/cmd/hamc/internal/terminal"
	"github.com/hamc-dev/hamc/codegen"
)

// The exit codes.
const (
	exitFine     = 0
	exitProblem  = 1
	exitUsage    = 2
	exitInternal = 3
	exitSignal   = 128 // and the number of the signal
)

// exitCodes says what they mean, in brief and as docs/output.md has it.
var exitCodes = []struct{ code, brief, meaning string }{
	{"0", "fine", "fine"},
	{"1", "a problem, a difference, or draws that are not to be trusted", "errors in a model, its data, its starting points or the files of a run; something that the machine lacks: memory, space, permission; " +
		"`hamc run`, `hamc summary` and `hamc diagnose`: [something speaks against the draws](#warnings), or a run ended short of `--min-ess`; `hamc diff` found a difference; `hamc verify` found a derivative that is off; `hamc vet` found something"},
	{"2", "usage", "a mistake in the command line"},
	{"3", "a bug of hamc", "a bug of hamc"},
	{"128 + n", "ended by signal n: 130 after an interrupt", "ended by signal n: 130 after an interrupt"},
}

// exitCodesInBrief is the table in a few lines of help.
func exitCodesInBrief() string {
	var parts []string
	for _, c := range exitCodes {
		parts = append(parts, c.code+" "+c.brief)
	}
	return "Exit codes:\n  " + strings.Join(parts, "\n  ")
}

// usage is a mistake in the command line.
type usage struct{ error }

// problem is an error whose message stands alone: a diagnostic of the user's
// input.
type problem struct{ error }

// errReported is a problem whose message has been printed already.
var errReported = errors.New("reported")

// internal is a bug of hamc.
type internal struct{ error }

// leastAddress is the address space without which programs in Go, hamc, the go command and samplers
// alike, may not start, or may end at any moment: measured with Go 1.26 on linux/amd64, with some to spare.
const leastAddress = 1_500_000_000

func main() {
	if limit, ok := sampler.AddressLimit(); ok && limit < leastAddress {
		fmt.Fprintf(os.Stderr, "hamc: `ulimit -v` allows %s of address space, and hamc needs %s: raise it with `ulimit -v %d`\n",
			sampler.Size(int64(limit)), sampler.Size(leastAddress), leastAddress/1024+1)
		os.Exit(exitProblem)
	}
	// A compiler's heap is small, and it ends soon: a collection at every doubling would take a third of its time.
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	os.Exit(run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run executes one command line.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) (code int) {
	defer func() {
		// The last line of defence: a bug is reported as one, with its
		// place, and never as a stack trace alone.
		if r := recover(); r != nil {
			code = reportBug(stderr, fmt.Sprintf("%v (%s)", r, panicPlace()))
		}
	}()
	stderr = terminal.Messages(stderr)
	e := &env{stdin: stdin, stdout: stdout, stderr: stderr}
	root := newRoot(e)
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	var u usage
	var in internal
	var sig interrupted
	switch {
	case err == nil:
		return exitFine
	case errors.Is(err, errReported):
		return exitProblem
	case errors.As(err, &sig):
		fmt.Fprintf(stderr, "hamc: %v\n", sig)
		return sig.exitCode()
	case errors.As(err, &in):
		return reportBug(stderr, in.Error())
	case errors.As(err, &u) || !e.running:
		fmt.Fprintf(stderr, "hamc: %s\nRun `hamc --help` for usage.\n", message(err))
		return exitUsage
	}
	fmt.Fprintf(stderr, "hamc: %s\n", message(err))
	return exitProblem
}

// message returns the text of an error, with its further lines below the first.
func message(err error) string {
	return strings.ReplaceAll(strings.TrimRight(err.Error(), "\n"), "\n", "\n      ")
}

func reportBug(stderr io.Writer, what string) int {
	fmt.Fprintf(stderr, "hamc: internal error: %s\nThis is a bug of hamc %s; please report it with the model that shows it.\n",
		strings.TrimRight(what, "\n"), codegen.Version)
	return exitInternal
}

// panicPlace returns the function and line that panicked: the first frame below
// the runtime's own, called while the panic is being recovered.
func panicPlace() string {
	pc := make([]uintptr, 32)
	frames := goruntime.CallersFrames(pc[:goruntime.Callers(1, pc)])
	panicking := false
	for {
		f, more := frames.Next()
		system := strings.HasPrefix(f.Function, "runtime.")
		if panicking && !system {
			return fmt.Sprintf("%s, %s:%d", f.Function, filepath.Base(f.File), f.Line)
		}
		panicking = panicking || f.Function == "runtime.gopanic"
		if !more {
			return "place unknown"
		}
	}
}

// env is what a command sees of the world.
type env struct {
	stdin          io.Reader
	stdout, stderr io.Writer

	// events is where lines of JSON go in place of messages for people, or nil.
	events io.Writer

	// running is set once the command line has been understood and the
	// command has begun.
	running bool
}

func newRoot(e *env) *cobra.Command {
	var g generateFlags
	root := &cobra.Command{
		Use:   "hamc MODEL.ham...",
		Short: "Riemannian-manifold Hamiltonian Monte Carlo, compiled",
		Long: `hamc compiles a Bayesian posterior and its metric, written in the .ham language,
to a specialised Go sampler, and runs it.

  hamc run MODEL.ham        sample: draws, diagnostics, summary
  hamc diagnose DIR         say what speaks against the draws of a run
  hamc export DIR           write the draws of a run for ArviZ, NumPy or R
  hamc grid GRID.toml       run a grid of experiments: integrators × settings × replicates
  hamc paper NAME           rerun an experiment of Brofos & Lederman (2021)
  hamc MODEL.ham...         generate Go code, of several models in one package
  hamc check MODEL.ham      report the errors of a model
  hamc explain MODEL.ham    show the derived formulas and their costs

` + exitCodesInBrief(),
		Version:           version(),
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: completeModels,
		SilenceErrors:     true,
		SilenceUsage:      true,
		PersistentPreRun:  func(*cobra.Command, []string) { e.running = true },
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 && cmd.Flags().NFlag() == 0 {
				return help(cmd)
			}
			if err := generateArgs(cmd, args); err != nil {
				return err
			}
			return e.generate(args, &g)
		},
	}
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetFlagErrorFunc(flagError)
	g.register(root)
	completeFlags(root)
	root.AddCommand(
		newCheck(e), newVet(e), newExplain(e), newDiff(e), newVerify(e),
		newLogProb(e), newTrajectory(e), newRun(e), newSummary(e), newDiagnose(e), newReport(e), newExport(e), newGrid(e), newPaper(e), newCache(e),
	)
	root.SetHelpCommand(newHelp(root))
	return root
}

// version says what this binary is.
func version() string {
	s := "hamc " + codegen.Version
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		s += " " + info.Main.Version
	}
	return fmt.Sprintf("%s, %s %s/%s", s, goruntime.Version(), goruntime.GOOS, goruntime.GOARCH)
}
