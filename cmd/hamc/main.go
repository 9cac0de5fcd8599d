// Command hamc compiles models written in the .ham language to Go samplers and
// runs them.
//
// Exit codes: 0 fine, 1 diagnostics or differences, 2 usage, 3 internal error.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"

	"github.com/spf13/cobra"
)

// The exit codes.
const (
	exitFine     = 0
	exitProblem  = 1
	exitUsage    = 2
	exitInternal = 3
)

// problem is an error whose message stands alone: a diagnostic of the user's
// input.
type problem struct{ error }

// reported is a problem whose message has been printed already.
var errReported = errors.New("reported")

// internal is a bug of hamc.
type internal struct{ error }

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run executes one command line.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) (code int) {
	defer func() {
		// The last line of defence: a bug is reported as one, with its
		// place, and never as a stack trace alone.
		if r := recover(); r != nil {
			fmt.Fprintf(stderr, "hamc: internal error: %v\nThis is a bug of hamc; please report it with the model that shows it.\n", r)
			code = exitInternal
		}
	}()
	root := newRoot(&env{stdin: stdin, stdout: stdout, stderr: stderr})
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	var p problem
	var in internal
	switch {
	case err == nil:
		return exitFine
	case errors.Is(err, errReported):
		return exitProblem
	case errors.As(err, &p):
		fmt.Fprintf(stderr, "hamc: %s\n", strings.TrimRight(p.Error(), "\n"))
		return exitProblem
	case errors.As(err, &in):
		fmt.Fprintf(stderr, "hamc: internal error: %v\nThis is a bug of hamc; please report it with the model that shows it.\n", in.error)
		return exitInternal
	}
	fmt.Fprintf(stderr, "hamc: %v\nRun `hamc --help` for usage.\n", err)
	return exitUsage
}

// env is what a command sees of the world.
type env struct {
	stdin          io.Reader
	stdout, stderr io.Writer
}

func newRoot(e *env) *cobra.Command {
	var g generateFlags
	root := &cobra.Command{
		Use:   "hamc MODEL.ham",
		Short: "Riemannian-manifold Hamiltonian Monte Carlo, compiled",
		Long: `hamc compiles a Bayesian posterior and its metric, written in the .ham language,
to a specialised Go sampler, and runs it.

  hamc run MODEL.ham        sample: draws, diagnostics, summary
  hamc MODEL.ham            generate Go code
  hamc check MODEL.ham      report the errors of a model
  hamc explain MODEL.ham    show the derived formulas and their costs`,
		Args:          cobra.ArbitraryArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Help()
			}
			return e.generate(args, &g)
		},
	}
	g.register(root)
	root.AddCommand(
		newCheck(e), newExplain(e), newDiff(e), newVerify(e),
		newLogProb(e), newTrajectory(e), newRun(e), newSummary(e),
	)
	return root
}
