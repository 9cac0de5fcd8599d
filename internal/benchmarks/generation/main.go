// Command generation measures the compiler on every model of a tree: the time of a check,
// from text to what `hamc check` says, and of a generation, from text to formatted Go. It prints
// the slowest and how many exceed the limits:
//
//	go run ./internal/benchmarks/generation
//	go run ./internal/benchmarks/generation -only dogs -cpuprofile dogs.prof
package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"runtime/pprof"
	"slices"
	"strings"
	"time"

	"github.com/hamc-dev/hamc/codegen"
	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/symbolic"
)

// The limits of a check and of a generation.
const (
	checkLimit    = 50 * time.Millisecond
	generateLimit = 200 * time.Millisecond
)

func main() {
	root := flag.String("root", ".", "the directory below which models are looked for; not in directories named testdata")
	only := flag.String("only", "", "measure the models alone whose path matches this regular expression")
	rounds := flag.Int("rounds", 3, "measurements of each, of which the shortest counts")
	shown := flag.Int("shown", 15, "how many of the slowest to print")
	profile := flag.String("cpuprofile", "", "write a profile of the processor's time to this file")
	flag.Parse()
	debug.SetGCPercent(400) // as hamc does
	if err := run(*root, *only, *rounds, *shown, *profile); err != nil {
		fmt.Fprintln(os.Stderr, "generation:", err)
		os.Exit(1)
	}
}

// cost is what the compiler takes for a model.
type cost struct {
	path            string
	check, generate time.Duration
}

func run(root, only string, rounds, shown int, profile string) error {
	wanted, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	paths, err := models(root, wanted)
	if err != nil {
		return err
	}
	if len(paths) == 0 {
		return errors.New("no models")
	}
	if profile != "" {
		f, err := os.Create(profile)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	var all []cost
	for _, path := range paths {
		c, err := measure(path, rounds)
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: left out: %v\n", path, err)
			continue
		}
		all = append(all, c)
	}
	report("check", all, shown, checkLimit, func(c cost) time.Duration { return c.check })
	report("generation", all, shown, generateLimit, func(c cost) time.Duration { return c.generate })
	return nil
}

// models returns the paths of the models below root that are wanted, in order.
func models(root string, wanted *regexp.Regexp) (paths []string, err error) {
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && d.Name() == "testdata" {
			return filepath.SkipDir
		}
		if strings.HasSuffix(path, ".ham") && wanted.MatchString(filepath.ToSlash(path)) {
			paths = append(paths, path)
		}
		return nil
	})
	return paths, err
}

// measure returns the shortest times of a model in several rounds.
func measure(path string, rounds int) (cost, error) {
	c := cost{path: path}
	text, err := bundle(path)
	if err != nil {
		return c, err
	}
	least := func(to *time.Duration, since time.Time) {
		if d := time.Since(since); *to == 0 || d < *to {
			*to = d
		}
	}
	for range rounds {
		start := time.Now()
		m, ds := dsl.Load(path, text, dsl.Options{})
		if m == nil {
			return c, ds
		}
		symbolic.Check(m)
		least(&c.check, start)
		start = time.Now()
		if m, ds = dsl.Load(path, text, dsl.Options{}); m == nil {
			return c, ds
		}
		d, list := symbolic.Derive(m)
		if d == nil {
			return c, fmt.Errorf("%v", list)
		}
		if _, err := codegen.Generate(d, codegen.Options{Package: "model", Source: filepath.Base(path), Text: text}); err != nil {
			return c, err
		}
		least(&c.generate, start)
	}
	return c, nil
}

// bundle returns the text of a model with those of the files that it imports.
func bundle(path string) (string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	return dsl.WithImports(string(text), func(name string) (string, bool) {
		b, err := os.ReadFile(filepath.Join(filepath.Dir(path), name))
		return string(b), err == nil
	}), nil
}

// report prints the slowest of all, and how many exceed the limit.
func report(what string, all []cost, shown int, limit time.Duration, of func(cost) time.Duration) {
	slices.SortStableFunc(all, func(a, b cost) int { return cmp.Compare(of(b), of(a)) })
	above := 0
	var sum time.Duration
	for _, c := range all {
		sum += of(c)
		if of(c) > limit {
			above++
		}
	}
	fmt.Printf("%s: %d models, %v in all, median %v, %d above %v\n", what, len(all), sum.Round(time.Millisecond), of(all[len(all)/2]).Round(100*time.Microsecond), above, limit)
	for _, c := range all[:min(shown, len(all))] {
		fmt.Printf("  %8.1f ms  %s\n", float64(of(c).Microseconds())/1000, filepath.ToSlash(c.path))
	}
}
