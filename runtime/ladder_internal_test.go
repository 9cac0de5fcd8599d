package runtime

import "testing"

// TestLadder: whatever the acceptance of the rungs, which grows, a ladder comes to a rung of about the most merit, and stays there; where none accepts enough it says so.
func TestLadder(t *testing.T) {
	for start := range rungs {
		for first := range len(rungs) + 1 {
			for _, high := range []float64{0.85, 0.95, 0.999} {
				for _, draw := range []float64{0, 1, 100} {
					l := newLadder(0.8, 0, 1, draw, start)
					share := func(row int) float64 {
						if row < first {
							return 0.1 + 0.05*float64(row)
						}
						return 1 - (1-high)/float64(1+3*(row-first))
					}
					for range 200 {
						l.add(share(l.Now))
					}
					if ended := first == len(rungs); ended != l.ended() {
						t.Errorf("from %d, the first rung that accepts enough is %d of %d: ended %v", start, first, len(rungs), l.ended())
					}
					most, want := 0.0, 0
					for row := range rungs {
						if m := l.merit(row, share(row)); m > most && share(row) >= l.Accept {
							most, want = m, row
						}
					}
					// Few transitions tell of a rung that is not the best, and they count for less than they were.
					if got, _ := l.best(); first < len(rungs) && (l.merit(got, share(got)) < 0.75*most || l.Now != got) {
						t.Errorf("from %d, %d accepts %.3f, draws cost %v: at rung %d, the best is %d, want %d", start, first, high, draw, l.Now, got, want)
					}
				}
			}
		}
	}
	// Ten of ten are as many as can be asked for.
	l := newLadder(0.99, 0, 1, 1, 0)
	for range rungLeast {
		l.add(1)
	}
	if row, merit := l.best(); row != 0 || merit == 0 || l.ended() {
		t.Errorf("all of ten are accepted, and 0.99 are to be: rung %d of merit %v", row, merit)
	}
	if l := newLadder(0.8, 0.3, 1, 1, 0); l.Time != plainQuarter {
		t.Errorf("a departure of 0.3: %+v", l)
	}
	if l := newLadder(0.97, 0.8, 1, 1, 0); l.Time != carefulQuarter {
		t.Errorf("a departure of 0.8: %+v", l)
	}
}
