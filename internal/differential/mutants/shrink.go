package main

import (
	"slices"
	"strings"
)

// Limits on the texts that shrinking tries, of faults that take the whole time of a mutant and of
// others.
const (
	slowTrials = 40
	fastTrials = 600
)

// shrink takes lines, and then tokens, out of a mutant for as long as a fault of the same signature is left.
func shrink(c *crew, m mutant, f *fault) (string, error) {
	want := f.signature()
	trials := fastTrials
	if f.Kind == timeout || f.Kind == memory {
		trials = slowTrials
	}
	left := func(pieces []string) (bool, error) {
		if trials--; trials < 0 {
			return false, nil
		}
		m.Text = strings.Join(pieces, "")
		r, err := c.compile(&m)
		for i := range r.Faults {
			if r.Faults[i].signature() == want {
				return true, nil
			}
		}
		return false, err
	}
	text := m.Text
	for _, cut := range []func(string) []string{func(s string) []string { return strings.SplitAfter(s, "\n") }, tokens} {
		pieces := cut(text)
		for n := len(pieces) / 2; n >= 1; n /= 2 {
			for i := 0; i < len(pieces); {
				fewer := slices.Delete(slices.Clone(pieces), i, min(i+n, len(pieces)))
				ok, err := left(fewer)
				if err != nil {
					return "", err
				}
				if ok {
					pieces = fewer
				} else {
					i += n
				}
			}
		}
		text = strings.Join(pieces, "")
	}
	return text, nil
}
