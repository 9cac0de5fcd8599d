package runtime

import (
	"math"
	"math/rand/v2"
	"testing"
)

// halvedOrbit returns an orbit whose steps of half the size and less lead along permutations of their own, as if the dynamics were
// other ones, so that many a step could not be undone.
func halvedOrbit(rng *rand.Rand) *orbit {
	n := 4 + rng.IntN(12)
	o := newOrbit(n, 1, true)
	for i := range n {
		o.h[i] = math.Round(64*6*rng.Float64()) / 64
		o.z[i][0] = float64(rng.IntN(5) - 1)
		if rng.IntN(2*n) == 0 {
			o.energy[i] = NotPositiveDefinite
		}
	}
	for range 1 + rng.IntN(3) {
		var finer [2][]int
		finer[forward], finer[backward] = make([]int, n), make([]int, n)
		for i, j := range rng.Perm(n) {
			finer[forward][i], finer[backward][j] = j, i
			if rng.IntN(2*n) == 0 {
				finer[forward][i], finer[backward][j] = failed, failed
			}
		}
		o.finer = append(o.finer, finer)
	}
	return o
}

// halved says where a step from a state leads by the rule of halving.go, and in how many halvings; failed for nowhere.
func (o *orbit) halved(i, d int) (to, level int) {
	for level = range len(o.finer) + 1 {
		if to, within := o.path(i, d, level); within || level == len(o.finer) {
			return to, level
		}
	}
	panic("no level")
}

// path follows all steps of a level from a state, and tells whether the energies of what it visits are within the tolerance.
func (o *orbit) path(i, d, level int) (to int, within bool) {
	next := o.next
	if level > 0 {
		next = o.finer[level-1]
	}
	low, high := o.h[i], o.h[i]
	for range 1 << level {
		if i = next[d][i]; i == failed || o.energy[i] != OK {
			return failed, false
		}
		low, high = min(low, o.h[i]), max(high, o.h[i])
	}
	return i, high-low <= energyTolerance
}

// plain returns the orbit whose steps are those of o with its halvings, where they can be undone at the same level; the others fail. A kernel that
// does not halve is exact on it, by TestDynamicIsExact.
func (o *orbit) plain() (p *orbit, levels [2][]int, oneWay int) {
	p = newOrbit(len(o.h), 1, true)
	p.h, p.energy, p.z, p.l = o.h, o.energy, o.z, o.l
	for d := range p.next {
		levels[d] = make([]int, len(o.h))
		for i := range o.h {
			if o.energy[i] != OK {
				p.next[d][i] = failed // no trajectory is there
				continue
			}
			to, level := o.halved(i, d)
			if levels[d][i] = level; to != failed {
				if back, same := o.halved(to, 1-d); same != level {
					oneWay++
					to = failed
				} else if back != i {
					panic("the way back at the same level leads elsewhere")
				}
			}
			p.next[d][i] = to
		}
	}
	return p, levels, oneWay
}

// A kernel that halves its steps makes the transitions of one that does not, on the orbit of those steps that can be undone.
func TestHalvedStepsAreUndone(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 0))
	halved, oneWay, moved := 0, 0, 0
	for range 300 {
		o := halvedOrbit(rng)
		plain, levels, lost := o.plain()
		oneWay += lost
		for d := range plain.next {
			for i, j := range plain.next[d] {
				if j != failed && plain.next[1-d][j] != i {
					t.Fatalf("the step from %d to %d is not undone", i, j)
				}
				halved += min(1, levels[d][i])
			}
		}
		a, b := newBench(t, o, ReverseOff, 4), newBench(t, plain, ReverseOff, 4)
		for from := range o.h {
			if o.energy[from] != OK {
				continue
			}
			for range 20 {
				seed := rng.Uint64()
				a.source = numbers{draw: rand.New(rand.NewPCG(seed, 0))}
				b.source = numbers{draw: rand.New(rand.NewPCG(seed, 0))}
				got, x := a.run(from)
				want, y := b.run(from)
				if a.torn != nil {
					t.Fatalf("a position has the momentum of another: %v", a.torn)
				}
				if got != want || x.Energy != y.Energy || x.Depth != y.Depth {
					t.Fatalf("from %d to %d with energy %v at depth %d, not to %d with %v at %d", from, got, x.Energy, x.Depth, want, y.Energy, y.Depth)
				}
				if got != from {
					moved++
				}
			}
		}
	}
	if halved < 1000 || oneWay < 300 || moved < 10000 {
		t.Errorf("%d steps halved, %d not undone, %d transitions that move: too few to tell", halved, oneWay, moved)
	}
}
