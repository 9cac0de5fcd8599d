// Command house weighs what the compiler makes of the examples against what it made of them at another revision, and
// prints Markdown tables: lines and machine code of the emitted packages, what they store, and the time that hamc
// takes; with -steps the time of their steps and densities; with -metric identity without the maps of latent
// vectors that hamc finds; with -draws how far draws with the same seed agree; with
// -moments how far means and standard deviations of whole runs do. With -plain the old side's code does without the roundings of products.
//
//	go run ./internal/benchmarks/house -old f2998e5 -steps -draws -moments
//	GOAMD64=v1 go run ./internal/benchmarks/house -old . -plain -steps -only banana,logistic,funnel
//
// -old is a revision of git, of which it makes a work tree and removes it again, or a path of another checkout, where
// it writes nothing. Each side's code is made by the side's hamc from the new side's examples, and built against the
// side's runtime. Points and step sizes are those of a short run of the old side.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"
)

// settings are what the command line says.
type settings struct {
	old, now           string
	only, metric       string
	json, steps, draws bool
	moments, plain     bool
	times, rounds, n   int
	window             time.Duration
	oldFlags, newFlags string
	momentFlags        []string // of a test, which has no time for whole runs
}

func main() {
	var s settings
	flag.StringVar(&s.old, "old", "", "revision, or path of a checkout, to compare with")
	flag.StringVar(&s.now, "new", ".", "the same of what is compared")
	flag.StringVar(&s.only, "only", "", "the examples of these names alone, separated by commas")
	flag.StringVar(&s.metric, "metric", "", "give examples that leave their metric to hamc this one, such as identity")
	flag.BoolVar(&s.json, "json", false, "print JSON")
	flag.BoolVar(&s.steps, "steps", false, "time steps and densities")
	flag.BoolVar(&s.draws, "draws", false, "compare draws")
	flag.BoolVar(&s.moments, "moments", false, "compare means and standard deviations of whole runs")
	flag.BoolVar(&s.plain, "plain", false, "take from the old side's code the conversions that round products, float64(a*b)")
	flag.IntVar(&s.times, "times", 5, "how often hamc makes the code of each example")
	flag.IntVar(&s.rounds, "rounds", 25, "how often everything is timed, twice on each side")
	flag.IntVar(&s.n, "n", 20, "number of draws")
	flag.DurationVar(&s.window, "window", 5*time.Millisecond, "least time of a window")
	flag.StringVar(&s.oldFlags, "old-flags", "", "flags of the old hamc run for -draws, such as '--norm max'")
	flag.StringVar(&s.newFlags, "new-flags", "", "flags of the new one")
	flag.Parse()
	if s.old == "" || flag.NArg() > 0 || s.times < 1 || s.rounds < 1 || s.n < 1 {
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := s.run(ctx, os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "house:", err)
		os.Exit(1)
	}
}

// run measures, and prints the report.
func (s *settings) run(ctx context.Context, out io.Writer) (err error) {
	text, err := output(ctx, ".", "go", "env", "GOMOD")
	if err != nil {
		return err
	}
	home := filepath.Dir(strings.TrimSpace(text))
	work, err := os.MkdirTemp("", "house-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	if s.now == "." {
		s.now = home
	}
	old, err := openSide(ctx, "old", s.old, home, work)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, old.Close()) }()
	now, err := openSide(ctx, "new", s.now, home, work)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, now.Close()) }()
	r, err := s.measure(ctx, old, now)
	if err != nil {
		return err
	}
	if s.json {
		enc := json.NewEncoder(out)
		enc.SetIndent("", "\t")
		return enc.Encode(r)
	}
	r.Markdown(out)
	return nil
}

// measure makes the tables that are asked for.
func (s *settings) measure(ctx context.Context, old, now *Side) (*Report, error) {
	r := &Report{}
	for _, side := range []struct {
		*Side
		other *Side
		says  *string
	}{{old, nil, &r.Old}, {now, old, &r.New}} {
		if err := side.buildCompiler(ctx, side.other); err != nil {
			return nil, err
		}
		text, err := output(ctx, side.Root, "git", "describe", "--always", "--dirty")
		if err != nil {
			return nil, err
		}
		*side.says = strings.TrimSpace(text)
	}
	if s.plain {
		if err := old.doWithoutRoundings(ctx); err != nil {
			return nil, err
		}
		r.Old += " without roundings of products"
	}
	examples, err := examplesOf(now.Root)
	if err != nil {
		return nil, err
	}
	if examples, err = choose(examples, s.only); err != nil {
		return nil, err
	}
	if s.metric != "" {
		if err := withMetric(examples, s.metric, now.Work); err != nil {
			return nil, err
		}
	}
	if r.Sizes, err = sizes(ctx, old, now, examples, s.times); err != nil || !s.steps && !s.draws && !s.moments {
		return r, err
	}
	loads := map[string]Workload{}
	for i, e := range examples {
		if r.Sizes[i].Old == nil {
			continue
		}
		if loads[e.Name], err = old.workload(ctx, e); err != nil {
			return nil, err
		}
	}
	if s.steps {
		if r.Steps, err = steps(ctx, old, now, r.Sizes, loads, s.rounds, s.window); err != nil {
			return nil, err
		}
	}
	if s.draws {
		r.Draws = compareDraws(ctx, old, now, examples, loads, s.n, strings.Fields(s.oldFlags), strings.Fields(s.newFlags))
	}
	if s.moments {
		r.Moments = compareMoments(ctx, old, now, examples, loads, s.momentFlags...)
	}
	return r, nil
}

// choose returns the examples of some names, or all where there are none.
func choose(examples []example, names string) ([]example, error) {
	if names == "" {
		return examples, nil
	}
	var out []example
	for name := range strings.SplitSeq(names, ",") {
		found := false
		for _, e := range examples {
			if e.Name == name {
				out, found = append(out, e), true
			}
		}
		if !found {
			return nil, fmt.Errorf("no example is called %q", name)
		}
	}
	return out, nil
}
