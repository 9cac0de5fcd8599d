package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hamc-dev/hamc/runtime"
)

// exactly returns the check that a command has n arguments, what being the
// first's name.
func exactly(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < n:
			return usage{fmt.Errorf("%s needs %s: write %s", cmd.CommandPath(), what, strings.TrimSuffix(cmd.UseLine(), " [flags]"))}
		case len(args) > n:
			return usage{fmt.Errorf("%s takes one %s, and %d were given: %s%s", cmd.CommandPath(), what, len(args), strings.Join(args, " "), argumentHint(cmd, args[n:]))}
		}
		return nil
	}
}

// argumentHint says how data or a setting is given that stands where no argument does.
func argumentHint(cmd *cobra.Command, rest []string) string {
	has := func(flag string) bool { return cmd.Flags().Lookup(flag) != nil }
	name, _, setting := strings.Cut(rest[0], "=")
	switch x := foreignFlag(name); {
	case strings.HasSuffix(rest[0], ".json") && has("data"):
		return fmt.Sprintf("; data are given by --data %s", rest[0])
	case setting && has(strings.ReplaceAll(name, "_", "-")):
		return fmt.Sprintf("; a setting is a flag: --%s", strings.ReplaceAll(name, "_", "-"))
	case setting && x != nil && x.ours != "" && has(x.ours):
		return fmt.Sprintf("; a setting is a flag: --%s", x.ours)
	}
	return ""
}

// generateArgs checks the arguments of bare hamc, where a misspelt command
// looks like a model.
func generateArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 1 && strings.HasSuffix(args[0], ".ham") {
		for _, a := range args[1:] {
			if !strings.HasSuffix(a, ".ham") {
				return usage{fmt.Errorf("%q is no .ham file", a)}
			}
		}
		return nil
	}
	if len(args) > 0 && !strings.HasSuffix(args[0], ".ham") {
		err := fmt.Errorf("%q is neither a command nor a .ham file", args[0])
		var names []string
		for _, c := range cmd.Commands() {
			if c.IsAvailableCommand() {
				names = append(names, c.Name())
			}
		}
		if x := foreignRow(foreignCommands, args[0]); x != nil {
			err = fmt.Errorf("%w; here it is `hamc %s`", err, x.ours)
			if x.instead != "" {
				err = fmt.Errorf("%w, %s", err, x.instead)
			}
		} else if near := nearest(args[0], names); near != "" {
			err = fmt.Errorf("%w; did you mean `hamc %s`?", err, near)
		} else if isFile(args[0] + ".ham") {
			err = fmt.Errorf("%w; did you mean %s.ham?", err, args[0])
		}
		return usage{err}
	}
	return exactly(1, "MODEL.ham")(cmd, args)
}

func isFile(path string) bool {
	fi, err := os.Stat(path)
	return err == nil && !fi.IsDir()
}

// flagError adds a suggestion to the error about a flag that does not exist.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return usage{err}
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	name, dashes := unknown.GetSpecifiedName(), "--"
	if short := unknown.GetSpecifiedShortnames(); short != "" {
		name, dashes = short[:1], "-"
	}
	err = fmt.Errorf("%s has no flag %s%s", cmd.CommandPath(), dashes, name)
	if x := foreignFlag(name); x != nil && (x.ours == "" || slices.Contains(names, x.ours)) {
		if x.ours == "" {
			return usage{fmt.Errorf("%w; %s", err, x.instead)}
		}
		err = fmt.Errorf("%w; here it is --%s", err, x.ours)
		if x.instead != "" {
			err = fmt.Errorf("%w, %s", err, x.instead)
		}
		return usage{err}
	}
	if near := nearest(name, names); near != "" && dashes == "--" {
		err = fmt.Errorf("%w; did you mean --%s?", err, near)
	}
	return usage{err}
}

// A foreign row is of names that other systems have.
type foreign struct {
	names   string // separated by blanks, underscores as hyphens
	ours    string // "" where there is none
	instead string // what is said besides, or in its place
}

// foreignFlags are flags of other systems: CmdStan's, CmdStanR's and CmdStanPy's, PyMC's and nutpie's, brms's, and of tools at large. Underscores are hyphens.
var foreignFlags = []foreign{
	{"iter-sampling num-samples samples n-draws ndraws sampling-iters", "draws", "of each chain"},
	{"iter", "draws", "of each chain, without those of warm-up, which are --warmup"},
	{"iter-warmup num-warmup tune burn burnin burn-in warm-up warmup-iters n-tune num-tune", "warmup", ""},
	{"num-chains nchains n-chains", "chains", ""},
	{"cores jobs j threads num-threads parallel-chains threads-per-chain n-jobs nproc parallel", "workers", ""},
	{"adapt-delta delta", "target-accept", ""},
	{"max-treedepth max-tree-depth treedepth maxdepth", "max-depth", ""},
	{"stepsize", "step-size", ""},
	{"random-seed rng-seed rng", "seed", ""},
	{"inits initial initvals initial-values", "init", ""},
	{"out output outdir out-dir dir directory o output-file output-basename", "output-dir", ""},
	{"data-file datafile file input d", "data", ""},
	{"variables vars pars params parameters var-names", "keep", ""},
	{"force f replace", "overwrite", ""},
	{"thin thinning", "", "draws are not thinned: all of them tell more, and --keep writes those of some parameters only"},
	{"refresh verbose v", "progress", ""},
	{"metric-file inv-metric-file inv-metric", "", "warm-up adapts the metric, and a resumed run takes that of its checkpoint"},
	{"num-leapfrog leapfrog int-time", "steps", "of a fixed number"},
	{"algorithm engine", "integrator", ""},
	{"save-warmup discard-tuned-samples", "", "draws of warm-up are not written"},
	{"gpu cuda device opencl", "", "hamc runs on processors only"},
}

// foreignFlag is the row of a flag of another system, nil if it is none.
func foreignFlag(name string) *foreign { return foreignRow(foreignFlags, name) }

func foreignRow(rows []foreign, name string) *foreign {
	name = strings.ReplaceAll(strings.ToLower(name), "_", "-")
	for n := range rows {
		if x := &rows[n]; slices.Contains(strings.Fields(x.names), name) {
			return x
		}
	}
	return nil
}

// foreignCommands are words that others have for what hamc does.
var foreignCommands = []foreign{
	{"sample sampling fit mcmc nuts infer inference stan", "run MODEL.ham", ""},
	{"compile build generate gen codegen", "MODEL.ham", "which writes the sampler"},
	{"lint", "vet MODEL.ham", ""},
	{"validate parse syntax", "check MODEL.ham", ""},
	{"summarise summarize stansummary stan-summary print", "summary DIR", ""},
	{"plot plots trace browse view show html", "report DIR", ""},
}

// help prints a command's help with all its flags.
func help(cmd *cobra.Command) error {
	cmd.InitDefaultHelpFlag()
	cmd.InitDefaultVersionFlag()
	return cmd.Help()
}

// newHelp is cobra's help command, but an unknown topic is an error.
func newHelp(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Help about any command",
		RunE: func(cmd *cobra.Command, args []string) error {
			c, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return usage{fmt.Errorf("there is no command %q to help with", strings.Join(args, " "))}
			}
			return help(c)
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) (names []cobra.Completion, _ cobra.ShellCompDirective) {
			if len(args) == 0 {
				for _, c := range root.Commands() {
					if c.IsAvailableCommand() {
						names = append(names, cobra.CompletionWithDesc(c.Name(), c.Short))
					}
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
	}
}

// completeModel completes the one model of a command.
func completeModel(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return []cobra.Completion{"ham"}, cobra.ShellCompDirectiveFilterFileExt
}

// completeModels completes any number of models.
func completeModels(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return []cobra.Completion{"ham"}, cobra.ShellCompDirectiveFilterFileExt
}

// completeDirectory completes a directory.
func completeDirectory(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// completeFlags registers the completion of the flags that a command has. The
// errors that are left out are about flags that do not exist.
func completeFlags(cmd *cobra.Command) {
	fixed := func(values ...cobra.Completion) cobra.CompletionFunc {
		return cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)
	}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		switch f.Name {
		case "integrator":
			_ = cmd.RegisterFlagCompletionFunc(f.Name, fixed(integrators()...))
		case "progress":
			_ = cmd.RegisterFlagCompletionFunc(f.Name, fixed(progressModes...))
		case "reverse-check":
			_ = cmd.RegisterFlagCompletionFunc(f.Name, fixed(reverseChecks()...))
		case "solver":
			_ = cmd.RegisterFlagCompletionFunc(f.Name, fixed(runtime.FixedPoint.String(), runtime.Anderson.String(), runtime.Newton.String()))
		case "norm":
			_ = cmd.RegisterFlagCompletionFunc(f.Name, fixed(runtime.MetricNorm.String(), runtime.MaxNorm.String()))
		case "coordinates":
			_ = cmd.RegisterFlagCompletionFunc(f.Name, fixed(autoCoordinates, fisherCoordinates, declaredCoordinates))
		case "executor":
			_ = cmd.RegisterFlagCompletionFunc(f.Name, fixed("local", "slurm"))
		case "scale":
			var names []cobra.Completion // of a grid's own scales nothing is known
			if cmd.Name() == "paper" {
				names = []cobra.Completion{"quick", "paper"}
			}
			_ = cmd.RegisterFlagCompletionFunc(f.Name, fixed(names...))
		case "with":
			_ = cmd.MarkFlagFilename(f.Name, "go", "ham")
		case "files":
			_ = cmd.MarkFlagDirname(f.Name)
		case "metric":
			_ = cmd.RegisterFlagCompletionFunc(f.Name, fixed("low_rank", "diag_e", "dense_e", "unit_e"))
		case "output-dir", "resume":
			_ = cmd.MarkFlagDirname(f.Name)
		case "data", "init", "at":
			_ = cmd.MarkFlagFilename(f.Name, "json")
		case "format":
			_ = cmd.RegisterFlagCompletionFunc(f.Name, fixed(exportFormatNames()...))
		case "output":
			if cmd.Name() == "export" {
				return // the shell's own completion of files
			}
			_ = cmd.MarkFlagFilename(f.Name, "go")
		default:
			if f.Value.Type() != "bool" {
				_ = cmd.RegisterFlagCompletionFunc(f.Name, fixed())
			}
		}
	})
}

// integrators lists the names of the integrators.
func integrators() []string {
	var names []string
	for _, k := range []runtime.Integrator{runtime.GLFa, runtime.GLFb, runtime.IMa, runtime.IMb, runtime.Leapfrog} {
		names = append(names, k.String())
	}
	return names
}

// reverseChecks lists the names of the reversibility checks.
func reverseChecks() []string {
	var names []string
	for _, k := range []runtime.ReverseCheck{runtime.ReverseOff, runtime.ReverseSuspect, runtime.ReverseSampled, runtime.ReverseAll} {
		names = append(names, k.String())
	}
	return names
}

// nearest returns the candidate that a misspelt word is nearest to, or "" if at
// least a third of its letters would have to change.
func nearest(word string, candidates []string) string {
	best, least := "", max(1, len(word)/3)+1
	for _, c := range candidates {
		if d := edits(strings.ToLower(word), c); d < least && d < len(word) {
			best, least = c, d
		}
	}
	return best
}

// edits counts the insertions, deletions, substitutions and swaps of
// neighbours between a and b (Damerau–Levenshtein, restricted).
func edits(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		row[0] = i + 1
		for j := range len(b) {
			change := 1
			if a[i] == b[j] {
				change = 0
			}
			row[j+1] = min(last[j+1]+1, row[j]+1, last[j]+change)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}

// plural returns "1 noun" or "n nouns".
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
