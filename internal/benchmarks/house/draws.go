package main

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Draws says how far the draws of both sides agree, of one example with one seed.
type Draws struct {
	Model    string `json:"model"`
	Settings string `json:"settings"`
	Draws    int    `json:"draws"`
	Moved    int    `json:"moved"`        // how many of them differ from the one before, on the old side
	Equal    int    `json:"equal"`        // how many of them are equal to the last bit, from the first on
	First    Digits `json:"first_digits"` // digits in which the first draw that differs agrees
	Least    Digits `json:"least_digits"` // digits in which all agree
	Failure  string `json:"failure,omitempty"`
}

// Digits is a number of decimal digits.
type Digits float64

// all digits agree: equality to the last bit.
var all = Digits(math.Inf(1))

// String returns the number with one decimal, or "all".
func (d Digits) String() string {
	if d == all {
		return "all"
	}
	return strconv.FormatFloat(float64(d), 'f', 1, 64)
}

// MarshalText returns what String does, as JSON has no infinity.
func (d Digits) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (d *Digits) UnmarshalText(text []byte) error {
	if string(text) == all.String() {
		*d = all
		return nil
	}
	v, err := strconv.ParseFloat(string(text), 64)
	*d = Digits(v)
	return err
}

// fixedFlags are the flags of trajectories without warm-up, from a point in the bulk. In them nothing adapts, and so a difference of rounding stays
// one for longer than with the settings of a user who sets none.
func fixedFlags(sizes map[string]float64, from string, draws int) []string {
	flags := []string{"--warmup", "0", "--draws", strconv.Itoa(draws), "--init", from}
	if size, ok := sizes[""]; ok {
		return append(flags, "--step-size", strconv.FormatFloat(size, 'g', 3, 64), "--steps", "3")
	}
	flags = append(flags, "--step-size", "1") // of no block, but without warm-up hamc asks for it
	for _, b := range slices.Sorted(maps.Keys(sizes)) {
		flags = append(flags, "--set", fmt.Sprintf("%s.step-size=%.3g", b, sizes[b]), "--set", b+".steps=3")
	}
	return flags
}

// compareDraws runs both compilers on all examples that both know.
func compareDraws(ctx context.Context, old, now *Side, examples []example, loads map[string]Workload, draws int, oldFlags, newFlags []string) []Draws {
	var out []Draws
	for _, e := range examples {
		load, ok := loads[e.Name]
		if !ok {
			continue
		}
		from, err := old.startFrom(e, &load)
		if err != nil {
			out = append(out, Draws{Model: e.Name, Settings: "fixed", Draws: draws, Failure: strings.ReplaceAll(err.Error(), "\n", " ")})
			continue
		}
		for _, s := range []struct {
			name  string
			flags []string
		}{
			{"default", []string{"--warmup", "50", "--draws", strconv.Itoa(draws)}},
			{"fixed", fixedFlags(load.Sizes, from, draws)},
		} {
			row := Draws{Model: e.Name, Settings: s.name, Draws: draws}
			a, err := old.run(ctx, e, s.name, append(oldFlags, s.flags...)...)
			if err == nil {
				var b *Chain
				if b, err = now.run(ctx, e, s.name, append(newFlags, s.flags...)...); err == nil {
					err = row.agree(a, b)
				}
			}
			if err != nil {
				row.Failure = strings.ReplaceAll(err.Error(), "\n", " ")
			}
			out = append(out, row)
		}
	}
	return out
}

// agree compares two chains: all columns but the sampler's statistics, by their names.
func (d *Draws) agree(a, b *Chain) error {
	if len(a.Draws) != len(b.Draws) {
		return fmt.Errorf("%d draws against %d", len(a.Draws), len(b.Draws))
	}
	at := map[string]int{}
	for i, name := range b.Columns {
		at[name] = i
	}
	d.Draws, d.First, d.Least = len(a.Draws), all, all
	same := true
	for i := range a.Draws {
		if i > 0 && a.moved(i) {
			d.Moved++
		}
		digits := all
		for k, name := range a.Columns {
			if strings.HasSuffix(name, "__") {
				continue
			}
			j, ok := at[name]
			if !ok {
				return fmt.Errorf("the new draws have no column %s", name)
			}
			n, err := agreement(a.Draws[i][k], b.Draws[i][j])
			if err != nil {
				return err
			}
			digits = min(digits, n)
		}
		if same && digits != all {
			same, d.First = false, digits
		}
		if same {
			d.Equal++
		}
		d.Least = min(d.Least, digits)
	}
	return nil
}

// moved reports whether a draw differs from the one before.
func (c *Chain) moved(i int) bool {
	for k, name := range c.Columns {
		if !strings.HasSuffix(name, "__") && c.Draws[i][k] != c.Draws[i-1][k] {
			return true
		}
	}
	return false
}

// agreement returns in how many decimal digits two numbers agree, −log10 of their difference relative to the larger;
// all of them if they are equal to the last bit.
func agreement(x, y string) (Digits, error) {
	if x == y {
		return all, nil
	}
	a, err := strconv.ParseFloat(x, 64)
	if err != nil {
		return 0, err
	}
	b, err := strconv.ParseFloat(y, 64)
	if err != nil {
		return 0, err
	}
	if math.Float64bits(a) == math.Float64bits(b) {
		return all, nil
	}
	digits := -math.Log10(math.Abs(a-b) / max(math.Abs(a), math.Abs(b)))
	if math.IsNaN(digits) { // of NaN and a number, of infinities, of 0 and −0
		return 0, nil
	}
	return Digits(max(0, digits)), nil
}
