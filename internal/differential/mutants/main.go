// Program mutants mutates the models of the repository and looks at what the compiler makes
// of them: it must not panic, take long or much memory, emit code that Go refuses, accept a name that is not
// declared, or say anything without a code and a place; and the evaluator must not panic on small
// data. A mutant is made of a seed, and compiled in a process that is limited to 1 GB and 2 s of processor time,
// or what 65 compilations of an example take on a slower machine. It prints counts, and a smallest model for
// each cause that it tells apart.
//
//	go run ./internal/differential/mutants -n 5000
//	go run ./internal/differential/mutants -seed 4711 -n 1 -v
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

func main() {
	if os.Getenv(asWorker) != "" {
		if err := work(); err != nil {
			fmt.Fprintln(os.Stderr, "mutants:", err)
			os.Exit(1)
		}
		return
	}
	o := options{out: os.Stdout}
	flag.StringVar(&o.root, "root", ".", "directory of the repository")
	flag.Uint64Var(&o.seed, "seed", 1, "seed of the first mutant; the others follow")
	flag.IntVar(&o.n, "n", 5000, "mutants")
	flag.BoolVar(&o.shrink, "shrink", true, "look for the smallest model with each fault")
	flag.BoolVar(&o.verbose, "v", false, "print each mutant, and faults in full")
	flag.Parse()
	if flag.NArg() > 0 || o.n < 1 {
		flag.Usage()
		os.Exit(2)
	}
	causes, err := run(&o)
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
	if len(causes) > 0 {
		os.Exit(1)
	}
}

// options of a run.
type options struct {
	out             io.Writer
	root            string
	seed            uint64
	n               int
	shrink, verbose bool
}

// A cause is a fault with the mutants that have it.
type cause struct {
	signature string
	first     mutant
	fault     fault
	seeds     []uint64
}

// run compiles the mutants, prints what became of them, and returns the causes of faults.
func run(o *options) ([]*cause, error) {
	origins, err := corpus(o.root)
	if err != nil {
		return nil, err
	}
	c := &crew{root: o.root, limits: usual}
	defer c.stop()
	if err := c.measure(); err != nil {
		return nil, err
	}
	became, faults := map[string]int{}, map[string]int{}
	var causes []*cause
	for seed := o.seed; seed < o.seed+uint64(o.n); seed++ {
		r, err := c.compile(&mutant{Seed: seed})
		if err == nil && r.timedOut() {
			// Others may have come to the machine since its pace was measured.
			if err = c.measure(); err == nil {
				r, err = c.compile(&mutant{Seed: seed})
			}
		}
		if err != nil {
			return nil, fmt.Errorf("seed %d: %w", seed, err)
		}
		if m := &r.Mutant; o.verbose {
			fmt.Fprintf(o.out, "seed %d, %s: %s\n%s\n%s\n", seed, m.Origin, strings.Join(m.Mutations, ", "), m.Text, r.Outcome)
		}
		became[r.Outcome]++
		for _, f := range r.Faults {
			faults[f.Kind]++
			if o.verbose {
				fmt.Fprintf(o.out, "FAULT %s\n%s\n", f.signature(), f.Detail)
			}
			i := slices.IndexFunc(causes, func(c *cause) bool { return c.signature == f.signature() })
			if i < 0 {
				i = len(causes)
				causes = append(causes, &cause{signature: f.signature(), first: r.Mutant, fault: f})
			}
			causes[i].seeds = append(causes[i].seeds, seed)
		}
	}
	fmt.Fprintf(o.out, "%d mutants of %d models\n\n| what became of them | mutants |\n|---|---|\n", o.n, len(origins))
	for _, k := range outcomes {
		fmt.Fprintf(o.out, "| %s | %d |\n", k, became[k])
	}
	fmt.Fprintf(o.out, "\n| fault | mutants |\n|---|---|\n")
	for _, k := range kinds {
		fmt.Fprintf(o.out, "| %s | %d |\n", k, faults[k])
	}
	return causes, o.tell(c, causes)
}

// tell prints each cause with its smallest model.
func (o *options) tell(c *crew, causes []*cause) error {
	for _, x := range causes {
		fmt.Fprintf(o.out, "\n%s\nseeds %v; %s: %s\n", x.signature, x.seeds[:min(len(x.seeds), 10)], x.first.Origin, strings.Join(x.first.Mutations, ", "))
		text := x.first.Text
		if o.shrink {
			var err error
			if text, err = shrink(c, x.first, &x.fault); err != nil {
				return err
			}
		}
		fmt.Fprintln(o.out, text)
	}
	return nil
}
