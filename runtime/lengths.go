package runtime

import (
	"fmt"
	"slices"
)

// Trajectories says what ends trajectories where Tuning.Steps does not.
type Trajectories uint8

// The kinds of trajectories.
const (
	// AutoTrajectories are dynamic in warm-up. With an adapted metric and the leapfrog, draws are then made with trajectories of a fixed number of
	// steps where a measurement in warm-up says that this pays: see lengths.
	AutoTrajectories Trajectories = iota

	// DynamicTrajectories are those of NUTS.
	DynamicTrajectories
)

var trajectoriesNames = [...]string{"auto", "dynamic"}

// String returns the name that ParseTrajectories reads.
func (t Trajectories) String() string {
	if int(t) < len(trajectoriesNames) {
		return trajectoriesNames[t]
	}
	return fmt.Sprintf("Trajectories(%d)", uint8(t))
}

// ParseTrajectories reads auto or dynamic.
func ParseTrajectories(name string) (Trajectories, error) {
	if i := slices.Index(trajectoriesNames[:], name); i >= 0 {
		return Trajectories(i), nil
	}
	return 0, fmt.Errorf("unknown trajectories %q: expected auto or dynamic", name)
}

// MarshalText writes the name of t.
func (t Trajectories) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText reads a name as ParseTrajectories does.
func (t *Trajectories) UnmarshalText(text []byte) (err error) {
	*t, err = ParseTrajectories(string(text))
	return err
}

// lengths measures on the dynamic trajectories of a part of the warm-up how far k steps lead, for each k that they come to. The
// states on both sides of the start are where static trajectories of as many steps would have ended, and would have been
// accepted with a = min(1, exp(H₀ − H)), so that nothing has to be integrated for it. With
//
//	d = E[a (f(x_k) − f(x_0))²]/(2 Var f)
//
// 1 − d is the autocorrelation of f at lag one under transitions of k steps, and a draw is worth about d/(2 − d) independent ones. The functions f are
// the coordinates, their squares about the mean, in which the tails show, and the log density; what counts is the harmonic mean of what draws are worth for them, in which the
// slow ones weigh most, for each operation that a draw takes. The slowest alone would be the noisiest.
//
// On a posterior that the metric makes nearly normal a quarter of a turn leads to a draw that is nearly independent, for all
// directions at once; a dynamic trajectory goes on until it turns back, and beyond. Elsewhere slow directions are more than lag one tells, and no
// length fits all places: with a coordinate that departs too far from a normal one (fisher.departures), or a step that had to be halved, trajectories stay dynamic.
//
// Hoffman, Radul & Sountsov (2021), "An adaptive-MCMC scheme for setting trajectory lengths in Hamiltonian Monte Carlo", find lengths by stochastic
// optimisation to the same end.
type lengths struct {
	Mean    []float64 `json:"mean"`    // of the coordinates, about which squares are taken
	Seen    float64   `json:"seen"`    // states of the chain, from the end of the last window of the metric on
	Means   []float64 `json:"means"`   // of the functions there
	Squares []float64 `json:"squares"` // Σ (f − mean)²
	Count   float64   `json:"count"`   // transitions that are measured
	Dynamic moves     `json:"dynamic"`
	Fixed   []moves   `json:"fixed"`  // by the number of steps less one
	Spoilt  float64   `json:"spoilt"` // transitions with a step that was halved, or a failure

	coordinates []int     // that are looked at
	from, to    []float64 // the functions at the start of a trajectory, and somewhere else
	passed      [2]int    // states forwards and backwards
	visits      []visit   // of the trajectory under way, which an interrupt may undo
}

// visit is a state of a trajectory.
type visit struct {
	steps  int // from the start
	accept float64
	at     []float64
}

// moves is how far trajectories of one kind lead.
type moves struct {
	Count float64   `json:"count"`
	Steps float64   `json:"steps"` // of all together
	Sum   []float64 `json:"sum"`   // Σ a (f' − f)²
}

const (
	// What is set aside of a warm-up, at its end: transitions for the step size to settle with the last metric, those that are measured, with a step size that
	// stays as it is, and lastBuffer.
	lengthsSettle   = 30
	lengthsMeasured = 60
	lengthsLeast    = 250 // transitions of a warm-up below which nothing is measured

	mostFixed   = 64  // steps
	fixedShare  = 0.5 // of the transitions that have to come to a number of steps, for it to be looked at
	fixedMargin = 1.2 // of the merit of dynamic trajectories, above which fixed ones are taken

	// mostDeparture is the departure of a coordinate from a normal one above which no fixed trajectory is taken. On 49 posteriors, those with up to 0.6
	// had 1.3 to 3.3 times the effective draws for a step, those with 0.8 and more 0.6 to 1.6 times.
	mostDeparture = 0.5

	// lengthJitter is the range of the step sizes of fixed trajectories: without, a direction in which they go round once would not be explored.
	lengthJitter = 0.1

	// stretch is how much longer than adapted the steps may be that take a trajectory to its end.
	stretch = 1.15

	// leastStaged is the number of leapfrogs of a trajectory from which on steps of two stages are tried, which begin with stagedGain times the step size.
	leastStaged = 3
	stagedGain  = 4

	// drawWork counts what a draw takes beside its steps, in operations for each coordinate: it is written, read and summarised.
	drawWork = 300

	mostLooked = 64 // coordinates of a vector, of a posterior of more than mostWhole
	mostWhole  = 512
)

// newLengths returns a measurement for a system, about the mean of the coordinates.
func newLengths(in *Info, mean []float64) *lengths {
	l := &lengths{}
	at := 0
	for i := range in.Params {
		n := in.Params[i].Dim()
		look := n
		if in.Dim() > mostWhole {
			look = min(n, mostLooked)
		}
		for k := range look {
			l.coordinates = append(l.coordinates, at+k*n/look)
		}
		at += n
	}
	l.Mean = make([]float64, len(l.coordinates))
	for k, i := range l.coordinates {
		l.Mean[k] = mean[i]
	}
	n := 2*len(l.coordinates) + 1
	l.Means, l.Squares, l.from, l.to = make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	l.Dynamic.Sum = make([]float64, n)
	return l
}

// functions writes the functions at q to out.
func (l *lengths) functions(out, q []float64, logDensity float64) {
	m := len(l.coordinates)
	for k, i := range l.coordinates {
		d := q[i] - l.Mean[k]
		out[k], out[m+k] = d, float64(d*d)
	}
	out[2*m] = logDensity
}

// start takes the start of a trajectory.
func (l *lengths) start(q []float64, logDensity float64) {
	l.functions(l.from, q, logDensity)
	l.passed, l.visits = [2]int{}, l.visits[:0]
}

// visit takes the next state backwards or forwards, which is accepted as accept says.
func (l *lengths) visit(back bool, q []float64, logDensity, accept float64) {
	side := &l.passed[0]
	if back {
		side = &l.passed[1]
	}
	if *side++; *side > mostFixed {
		return
	}
	n := len(l.visits)
	if l.visits = slices.Grow(l.visits, 1)[:n+1]; l.visits[n].at == nil {
		l.visits[n].at = make([]float64, len(l.to))
	}
	v := &l.visits[n]
	v.steps, v.accept = *side, accept
	l.functions(v.at, q, logDensity)
}

// add takes a trajectory.
func (s *moves) add(from, to []float64, accept float64, steps int) {
	s.Count++
	s.Steps += float64(steps)
	for i, v := range to {
		d := v - from[i]
		s.Sum[i] += float64(accept * float64(d*d))
	}
}

// end takes a transition, which led to q. The trajectory was one of those that are measured if measured is set.
func (l *lengths) end(t *Transition, q []float64, measured bool) {
	l.functions(l.to, q, t.LogDensity)
	l.Seen++
	for i, v := range l.to {
		d := v - l.Means[i]
		l.Means[i] += d / l.Seen
		l.Squares[i] += float64(d * (v - l.Means[i]))
	}
	if !measured {
		return
	}
	l.Count++
	l.Dynamic.add(l.from, l.to, 1, t.Steps)
	for i := range l.visits {
		v := &l.visits[i]
		for len(l.Fixed) < v.steps {
			l.Fixed = append(l.Fixed, moves{Sum: make([]float64, len(l.to))})
		}
		l.Fixed[v.steps-1].add(l.from, v.at, v.accept, v.steps)
	}
	l.visits = l.visits[:0]
	if t.halved || t.Divergent || t.Failure != OK {
		l.Spoilt++
	}
}

// merit is what draws are worth for each operation: of a step, and of a draw beside its steps.
func (l *lengths) merit(s *moves, step, draw float64) float64 {
	times, n := 0.0, 0.0
	for i, v := range l.Squares {
		if v > 0 {
			times += 1 / worth(s.Sum[i]/s.Count/(2*v/l.Seen))
			n++
		}
	}
	return n / times / (float64(s.Steps/s.Count*step) + draw)
}

// best returns the number of steps of fixed trajectories where they pay, and 0 else. A number that few trajectories come to is not looked at, nor are numbers beyond.
func (l *lengths) best(step, draw float64) int {
	if l.Spoilt > 0 {
		return 0
	}
	best, at := float64(fixedMargin*l.merit(&l.Dynamic, step, draw)), 0
	for k := range l.Fixed {
		s := &l.Fixed[k]
		if s.Count < float64(fixedShare*l.Count) {
			break
		}
		if m := l.merit(s, step, draw); m > best {
			best, at = m, k+1
		}
	}
	return at
}

// clone returns a copy of what was measured.
func (l *lengths) clone() *lengths {
	c := *l
	c.Mean, c.Means, c.Squares = slices.Clone(l.Mean), slices.Clone(l.Means), slices.Clone(l.Squares)
	c.Dynamic.Sum = slices.Clone(l.Dynamic.Sum)
	c.Fixed = slices.Clone(l.Fixed)
	for i := range c.Fixed {
		c.Fixed[i].Sum = slices.Clone(c.Fixed[i].Sum)
	}
	return &c
}

// restore takes over what another has measured, if it fits.
func (l *lengths) restore(s *lengths) bool {
	n := len(l.to)
	if s == nil || len(s.Mean) != len(l.Mean) || len(s.Means) != n || len(s.Squares) != n || len(s.Dynamic.Sum) != n || len(s.Fixed) > mostFixed ||
		slices.ContainsFunc(s.Fixed, func(m moves) bool { return len(m.Sum) != n }) {
		return false
	}
	c := s.clone()
	l.Mean, l.Seen, l.Means, l.Squares = c.Mean, c.Seen, c.Means, c.Squares
	l.Count, l.Dynamic, l.Fixed, l.Spoilt = c.Count, c.Dynamic, c.Fixed, c.Spoilt
	return true
}
