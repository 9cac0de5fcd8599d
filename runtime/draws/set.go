package draws

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// FileName returns the name of the file of chain n, from 1.
func FileName(n int) string { return "chain_" + strconv.Itoa(n) + ".csv" }

// FileNumber returns the number of the chain whose file has a name, or 0 if it
// is not the name of such a file.
func FileNumber(name string) int {
	s, ok := strings.CutPrefix(name, "chain_")
	if !ok {
		return 0
	}
	n, err := strconv.Atoi(strings.TrimSuffix(s, ".csv"))
	if err != nil || n < 1 || FileName(n) != name {
		return 0
	}
	return n
}

// Files lists the files chain_1.csv, … of a directory, by number.
func Files(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var numbers []int
	for _, e := range entries {
		if n := FileNumber(e.Name()); n > 0 {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	files := make([]string, len(numbers))
	for i, n := range numbers {
		files[i] = filepath.Join(dir, FileName(n))
	}
	return files, nil
}

// Set is the draws of a run: the chains of one directory, which all have the
// same columns.
type Set struct {
	Model string

	// Settings are those that the headers of all chains have in common. What
	// the header holds for the sake of other readers only is left out.
	Settings []Setting

	// Columns are the names of all columns, Statistics the indices of those
	// of the sampler, and Parameters what the others hold.
	Columns    []string
	Statistics []int
	Parameters []Parameter

	Chains []*Chain // by number; there may be gaps
}

// Load reads the files chain_1.csv, … of a directory, as many at a time as there
// are processors. It is an error if there are none, if one of them cannot be
// read, has no parameters, or has other columns than the first. Files may differ
// in length, and be without draws.
func Load(dir string) (*Set, error) { return load(dir, 1) }

// openAll opens files, as many at a time as there are cores.
func openAll(files []string, every int) ([]*Chain, error) {
	chains, errs := make([]*Chain, len(files)), make([]error, len(files))
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(files)) {
		workers.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(files) {
					return
				}
				chains[i], errs[i] = open(files[i], every)
			}
		})
	}
	workers.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return chains, nil
}

// NewSet returns the set of chains that were read one by one. The errors are
// those of Load.
func NewSet(chains []*Chain) (*Set, error) {
	if len(chains) == 0 {
		return nil, fmt.Errorf("no chains")
	}
	first := chains[0]
	if len(first.Parameters) == 0 {
		return nil, fmt.Errorf("%s:%d: there are no columns of parameters", first.File, first.header)
	}
	for _, c := range chains[1:] {
		if err := sameColumns(c, first); err != nil {
			return nil, err
		}
	}
	s := &Set{
		Model:      first.Setting("model"),
		Columns:    first.Columns,
		Statistics: first.Statistics,
		Parameters: first.Parameters,
		Chains:     chains,
	}
	shared := make(map[Setting]int)
	for _, c := range chains {
		for _, x := range c.Settings {
			shared[x]++
		}
	}
	named := make(map[string]bool)
	for _, x := range first.Settings {
		if shared[x] == len(chains) && !named[x.Name] && !foreign(x.Name) {
			named[x.Name] = true
			s.Settings = append(s.Settings, x)
		}
	}
	return s, nil
}

// foreign reports whether a setting stands in a header for readers of other projects:
// what it says of the run, other settings say too.
func foreign(name string) bool {
	switch name {
	case "method", "algorithm", "engine", "max_depth", "metric":
		return true
	}
	return strings.HasPrefix(name, "stan_version_")
}

func sameColumns(c, first *Chain) error {
	if slices.Equal(c.Columns, first.Columns) {
		return nil
	}
	if len(c.Columns) != len(first.Columns) {
		return fmt.Errorf("%s:%d: %d columns, but %s has %d: they are not of one run",
			c.File, c.header, len(c.Columns), first.File, len(first.Columns))
	}
	i := 0
	for c.Columns[i] == first.Columns[i] {
		i++
	}
	return fmt.Errorf("%s:%d: column %d is %s, but in %s it is %s: they are not of one run",
		c.File, c.header, i+1, shorten(c.Columns[i]), first.File, shorten(first.Columns[i]))
}

// Aligned returns the chains that can be compared, and the number of draws after
// the warm-up that all of them have. A chain that has hardly begun would take the
// draws of all others with it, so those with less than half the draws of the
// longest are left out. There are no chains if there are no draws.
func (s *Set) Aligned() (chains []*Chain, draws int) {
	longest := 0
	for _, c := range s.Chains {
		longest = max(longest, c.Draws())
	}
	if longest == 0 {
		return nil, 0
	}
	draws = longest
	for _, c := range s.Chains {
		if 2*c.Draws() >= longest {
			chains = append(chains, c)
			draws = min(draws, c.Draws())
		}
	}
	return chains, draws
}

// Setting returns the value of a setting that all chains have in common, or "".
func (s *Set) Setting(name string) string {
	for i := range s.Settings {
		if s.Settings[i].Name == name {
			return s.Settings[i].Value
		}
	}
	return ""
}
