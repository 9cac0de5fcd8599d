package draws

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Bounds say how many draws LoadWithin holds at a time.
type Bounds struct {
	Draws  int // of all chains together
	Values int // of all chains and columns together
	Least  int // draws of all chains that are held in any case, however many values they have
}

// A Tally is what all draws of a column come to, where only some of them are held.
type Tally struct {
	N       int
	Sum     float64
	NonZero int
	Small   [64]int // how many are 0, 1, …, 63
	Other   int     // how many are none of these

	last         float64
	mean, spread float64 // by Welford's method
	steps        float64
}

// Add takes one draw.
func (t *Tally) Add(x float64) {
	t.N++
	t.Sum += x
	if x != 0 {
		t.NonZero++
	}
	if k := int(x); x >= 0 && x < float64(len(t.Small)) && float64(k) == x {
		t.Small[k]++
	} else {
		t.Other++
	}
	if t.N > 1 {
		t.steps += float64((x - t.last) * (x - t.last))
	}
	t.last = x
	d := x - t.mean
	t.mean += d / float64(t.N)
	t.spread += float64(d * (x - t.mean))
}

// EBFMI is diagnostics.EBFMI of the draws, up to rounding.
func (t *Tally) EBFMI() float64 {
	if t.N < 2 || t.spread == 0 || math.IsInf(t.spread, 0) || math.IsInf(t.steps, 0) {
		return math.NaN()
	}
	return t.steps / t.spread
}

// LoadWithin is Load where the files have no more draws than the bounds allow, as their headers tell. Of
// more, each chain holds every k-th draw from its first on, with k in Every; all draws of the
// statistics are counted in Tallies. So the memory that it takes has a bound, whatever the length of the
// chains.
func LoadWithin(dir string, b Bounds) (*Set, error) {
	files, err := Files(dir)
	if err != nil {
		return nil, err
	}
	every := 1
	draws, values := 0.0, 0.0
	for _, f := range files {
		n, columns, err := announced(f)
		if err != nil {
			return nil, err
		}
		draws, values = draws+n, values+float64(n*columns)
	}
	if draws > float64(b.Draws) {
		every = int(math.Ceil(draws / float64(b.Draws)))
	}
	if values > float64(b.Values) {
		wide := min(math.Ceil(values/float64(b.Values)), math.Floor(draws/float64(b.Least)))
		every = max(every, int(wide))
	}
	return load(dir, every)
}

// announced returns the number of draws that the header of a file announces, but no more than the file can
// hold, and its columns. They are 0 where the header tells none, or not all is draws of the sampling phase.
func announced(path string) (draws, columns float64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, 0, err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return 0, 0, err
	}
	head := bufio.NewReader(io.LimitReader(f, 1<<20))
	for {
		line, err := head.ReadString('\n')
		if err != nil && line == "" {
			break // what is wrong with the file, reading it tells
		}
		text, comment := strings.CutPrefix(line, "#")
		if !comment {
			columns = float64(1 + strings.Count(line, ","))
			break
		}
		key, value, _ := strings.Cut(text, "=")
		value = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "(Default)"))
		switch strings.TrimSpace(key) {
		case "num_samples":
			if k, err := strconv.Atoi(value); err == nil && k > 0 {
				draws = float64(k)
			}
		case "save_warmup":
			if value == "1" || value == "true" {
				return 0, 0, nil
			}
		}
	}
	if columns == 0 {
		return 0, 0, nil
	}
	return min(draws, float64(fi.Size())/(2*columns)), columns, nil
}

// thin counts a row that was read, and reports whether it is to be held.
func (r *reader) thin(row []float64) bool {
	c := r.c
	if c.Every <= 1 {
		return true
	}
	if c.Tallies == nil {
		c.Tallies = make([]Tally, len(c.Columns))
	}
	for _, k := range c.Statistics {
		c.Tallies[k].Add(row[k])
	}
	c.all++
	return (c.all-1)%c.Every == 0
}

// Tally returns what all draws of the statistic with a name come to; nil where not all are counted, or the
// chain has no such statistic.
func (c *Chain) Tally(name string) *Tally {
	if i := slices.Index(c.Columns, name); i >= 0 && c.Tallies != nil && IsStatistic(name) {
		return &c.Tallies[i]
	}
	return nil
}

// All is the number of draws after the warm-up that the file has, held or not.
func (c *Chain) All() int {
	if c.Every <= 1 {
		return c.Draws()
	}
	return c.all
}

// load reads the files of a directory, holding every so manieth draw.
func load(dir string, every int) (*Set, error) {
	files, err := Files(dir)
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s: there are no files chain_1.csv, … of draws", dir)
	}
	chains, err := openAll(files, every)
	if err != nil {
		return nil, err
	}
	for i, c := range chains {
		c.Number = FileNumber(filepath.Base(files[i]))
	}
	return NewSet(chains)
}
