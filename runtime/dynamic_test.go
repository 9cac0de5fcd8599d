package runtime

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/hamc-dev/hamc/internal/campaign"
)

// The tests here run the kernel on orbits made of tables. Nothing of them is about
// mechanics: NUTS leaves the weights exp(−H) of any states invariant that a
// reversible step leads along, whatever their energies and momenta. There are few
// enough states for the transition matrix to be computed exactly, by running the
// kernel through everything that its random numbers may come to.

// orbit is a System whose phase points are numbered. The state i has the position
// and momentum of place(i), and a step of ±ε leads where a table says.
type orbit struct {
	System // nil: the kernel asks for nothing but the methods below
	info   Info

	next       [2][]int   // by direction, forward first: where a step leads; failed for nowhere
	finer      [][2][]int // the same for steps of 1/2, 1/4, … the size
	iterations [2][]int   // of the solver in that step
	h          []float64
	l          []float64
	energy     []Status    // of Energy
	z          [][]float64 // nil where Whiten fails
	correction []float64   // nil for none

	drawn func()    // is told that the kernel has a momentum
	step  func()    // is told of a step, if not nil
	torn  []float64 // a q that came with a p of another state

	extra int // doublings after a turn
}

const (
	failed    = -1
	orbitStep = 0.5

	forward  = 0
	backward = 1
)

// newOrbit returns n states on a line or a ring, with equal energies and momenta.
func newOrbit(n, dim int, ring bool) *orbit {
	o := &orbit{info: Info{Name: "orbit", Params: []Param{{Name: "x", Shape: []int{dim}}}}}
	for i := range n {
		up, down := i+1, i-1
		switch {
		case ring:
			up, down = up%n, (down+n)%n
		case up == n:
			up = failed
		}
		o.next[forward] = append(o.next[forward], up)
		o.next[backward] = append(o.next[backward], down)
		z := make([]float64, dim)
		z[0] = 1
		o.z = append(o.z, z)
		o.l = append(o.l, -float64(i))
	}
	for d := range o.iterations {
		o.iterations[d] = make([]int, n)
	}
	o.h, o.energy = make([]float64, n), make([]Status, n)
	return o
}

func (o *orbit) Info() *Info { return &o.info }

// place writes the phase point of a state.
func place(q, p []float64, i int) {
	for c := range q {
		q[c], p[c] = positionOf(i, c), momentumOf(i, c)
	}
}

func positionOf(i, c int) float64 { return float64(i * (c + 1)) }
func momentumOf(i, c int) float64 { return float64(100 + i - c) }

// state returns the state at a phase point.
func (o *orbit) state(q, p []float64) int {
	i := int(q[0])
	for c := range q {
		if q[c] != positionOf(i, c) || p[c] != momentumOf(i, c) {
			o.torn = slices.Clone(q)
		}
	}
	return i
}

func (o *orbit) LogDensity(q []float64) float64 { return o.l[int(q[0])] }

func (o *orbit) DrawMomentum(p, q []float64) Status {
	for c := range p {
		p[c] = momentumOf(int(q[0]), c)
	}
	o.drawn()
	return OK
}

func (o *orbit) Energy(q, p []float64) (h, l float64, st Status) {
	i := o.state(q, p)
	if o.energy[i] != OK {
		return math.Inf(1), o.l[i], o.energy[i]
	}
	return o.h[i], o.l[i], OK
}

func (o *orbit) Whiten(z, q, p []float64) Status {
	i := o.state(q, p)
	if o.z[i] == nil {
		return NotPositiveDefinite
	}
	copy(z, o.z[i])
	return OK
}

func (o *orbit) StepIMb(q, p []float64, eps float64, _ *Solver) StepResult {
	if o.step != nil {
		o.step()
	}
	d := forward
	if eps < 0 {
		d = backward
	}
	i := o.state(q, p)
	r := StepResult{Iterations: o.iterations[d][i]}
	next := o.next
	if halvings := math.Round(math.Log2(orbitStep / math.Abs(eps))); halvings > 0 {
		next = o.finer[int(halvings)-1]
	}
	if next[d][i] == failed {
		// Nothing of what a step that failed leaves is to be used.
		for c := range q {
			q[c], p[c] = math.NaN(), math.NaN()
		}
		r.Status = IterationLimit
		return r
	}
	place(q, p, next[d][i])
	return r
}

// numbers is a source of random numbers that are given, or drawn and noted down. The
// normal variates of the momentum get zeros.
type numbers struct {
	given   []uint64
	used    int
	draw    *rand.Rand // nil where they are given
	started bool       // the momentum has been drawn
}

func (s *numbers) Uint64() uint64 {
	if !s.started {
		return 0
	}
	if s.draw != nil {
		s.given = append(s.given, s.draw.Uint64())
	}
	s.used++
	if s.used > len(s.given) {
		return 0 // the test sees that there were too many
	}
	return s.given[s.used-1]
}

// bench is a kernel on an orbit.
type bench struct {
	*orbit
	k      *HMC
	q      []float64
	source numbers
	rng    *rand.Rand
}

func newBench(t testing.TB, o *orbit, check ReverseCheck, maxDepth int) *bench {
	t.Helper()
	k, err := NewHMC(o, IMb, Solver{Tolerance: 1e-6, MaxIterations: 1000})
	if err != nil {
		t.Fatal(err)
	}
	k.StepSize, k.MaxDepth, k.Reverse, k.ExtraDoublings, k.MaxHalvings = orbitStep, maxDepth, check, o.extra, len(o.finer)
	if o.correction != nil {
		k.Correction = func(q []float64) float64 { return o.correction[int(q[0])] }
	}
	b := &bench{orbit: o, k: k, q: make([]float64, o.info.Dim())}
	o.drawn = func() { b.source.started = true }
	b.rng = rand.New(&b.source)
	return b
}

// run makes a transition from a state, and returns where it leads.
func (b *bench) run(from int) (to int, tr Transition) {
	b.source.used, b.source.started = 0, false
	for c := range b.q {
		b.q[c] = positionOf(from, c)
	}
	tr = b.k.Transition(b.q, b.rng)
	to = int(b.q[0])
	for c, x := range b.q {
		if x != positionOf(to, c) {
			b.torn = slices.Clone(b.q)
		}
	}
	return to, tr
}

// The reference: NUTS as Hoffman & Gelman (2014) and Betancourt (2017, A.2, A.3)
// describe it, with whole trajectories kept as lists of states. What the coins make
// of a trajectory does not depend on which states are proposed, so that the two are
// separate here: a plan is the trajectory, and end says where choices lead on it.

// plan is what a transition does, given its coins.
type plan struct {
	o     *orbit
	check ReverseCheck
	start int
	coin  func(draw int) (back bool)

	draws  []chance // in the order in which they are used up
	levels []level  // by doubling that was kept
	want   Transition
	ending string  // what ended the trajectory
	accept float64 // Σ min(1, exp(H₀ − H)), where no step of a half fails

	low, high float64 // energies seen
}

// chance is a random number: a coin, or a uniform variate that is compared with a
// probability.
type chance struct {
	coin   bool
	back   bool    // the outcome of a coin
	accept float64 // the probability to accept
}

// level is a doubling: the draw that accepts its proposal, and the proposals.
type level struct {
	draw int
	half *choice
}

// choice is a state, or a draw between two choices: the second one where it accepts.
type choice struct {
	state, draw   int
	first, second *choice
}

// newPlan works out the transition from a state, to a depth.
func newPlan(o *orbit, check ReverseCheck, maxDepth, start int, coin func(draw int) bool) *plan {
	pl := &plan{o: o, check: check, start: start, coin: coin, low: o.h[start], high: o.h[start]}
	pl.want = Transition{LogDensity: o.l[start], Energy: o.h[start], StepSize: 0.5, Failure: o.energy[start]}
	if pl.want.Failure != OK {
		pl.want.Energy = math.Inf(1)
		pl.ending = "start"
		return pl
	}
	if o.z[start] == nil {
		pl.want.Failure = NotPositiveDefinite
		pl.ending = "start"
		return pl
	}
	line := []int{start} // from the backward end to the forward end
	for pl.want.Depth < maxDepth {
		back := coin(len(pl.draws))
		pl.draws = append(pl.draws, chance{coin: true, back: back})
		end, d := line[len(line)-1], forward
		if back {
			end, d = line[0], backward
		}
		before := pl.accept
		half, tree, ok := pl.half(end, d, pl.want.Depth)
		if !ok {
			if !strings.HasPrefix(pl.ending, "half turn") {
				pl.accept = before
			}
			break
		}
		pl.want.Depth++
		pl.levels = append(pl.levels, level{len(pl.draws), tree})
		pl.uniform(min(1, math.Exp(pl.logWeight(half)-pl.logWeight(line))))
		if back {
			slices.Reverse(half)
			line = append(half, line...)
		} else {
			line = append(line, half...)
		}
		if !pl.straight(line) {
			pl.ending = "whole " + pl.ending
			break
		}
	}
	if pl.ending == "" {
		pl.want.saturated = true
		pl.ending = "depth"
	}
	pl.want.Accept = pl.accept / float64(max(1, pl.want.Steps))
	return pl
}

// half returns the 2^depth states beyond a state in a direction, and the choices
// among them, or not ok where they are to be dropped.
func (pl *plan) half(from, d, depth int) (states []int, tree *choice, ok bool) {
	if depth == 0 {
		to := pl.step(from, d)
		return []int{to}, &choice{state: to}, to != failed
	}
	a, first, ok := pl.half(from, d, depth-1)
	if !ok {
		return nil, nil, false
	}
	b, second, ok := pl.half(a[len(a)-1], d, depth-1)
	if !ok {
		return nil, nil, false
	}
	both := slices.Concat(a, b)
	tree = &choice{draw: len(pl.draws), first: first, second: second}
	pl.uniform(math.Exp(pl.logWeight(b) - pl.logWeight(both)))
	if !pl.straight(both) {
		pl.ending = "half " + pl.ending
		return nil, nil, false
	}
	return both, tree, true
}

// uniform notes a draw. Nothing is accepted that has no weight.
func (pl *plan) uniform(accept float64) {
	if math.IsNaN(accept) {
		accept = 0
	}
	pl.draws = append(pl.draws, chance{accept: accept})
}

// step returns the state one step on, or failed where the trajectory ends.
func (pl *plan) step(from, d int) int {
	o, want := pl.o, &pl.want
	to := o.next[d][from]
	iterations := o.iterations[d][from]
	want.Steps++
	want.Iterations += iterations
	if to == failed {
		want.Failure, pl.ending = IterationLimit, "step"
		return failed
	}
	if o.energy[to] != OK {
		want.Failure, pl.ending = o.energy[to], "energy"
		return failed
	}
	if o.z[to] == nil {
		want.Failure, pl.ending = NotPositiveDefinite, "frame"
		return failed
	}
	pl.low, pl.high = min(pl.low, o.h[to]), max(pl.high, o.h[to])
	if pl.high-pl.low > 1000 {
		want.Divergent, pl.ending = true, "divergence"
		return failed
	}
	gain := o.weigh(to) - o.weigh(pl.start)
	if math.IsNaN(gain) {
		want.Failure, pl.ending = NonFinite, "correction"
		return failed
	}
	if pl.check == ReverseAll || pl.check == ReverseSuspect && iterations >= 16 {
		want.Iterations += o.iterations[1-d][to]
		if o.next[1-d][to] != from {
			want.Irreversible, pl.ending = true, "irreversible"
			return failed
		}
	}
	pl.accept += math.Exp(min(0, gain))
	return to
}

// weigh returns the logarithm of the weight of a state.
func (o *orbit) weigh(i int) float64 {
	if o.correction != nil {
		return o.correction[i] - o.h[i]
	}
	return -o.h[i]
}

// logWeight returns the logarithm of the weight of states.
func (pl *plan) logWeight(states []int) float64 {
	highest := math.Inf(-1)
	for _, i := range states {
		highest = max(highest, pl.o.weigh(i))
	}
	if math.IsInf(highest, -1) {
		return highest
	}
	sum := 0.0
	for _, i := range states {
		sum += math.Exp(pl.o.weigh(i) - highest)
	}
	return highest + math.Log(sum)
}

// straight is the criterion for two halves put together: they do not turn back as a
// whole, nor does either with the nearest state of the other; or, if they do, they have
// not turned back more often than is allowed.
func (pl *plan) straight(states []int) bool {
	ending := pl.turn(states)
	if ending == "" || pl.turns(states) <= pl.o.extra {
		return true
	}
	pl.ending = ending
	return false
}

// turn says how two halves put together turn back, or nothing.
func (pl *plan) turn(states []int) string {
	n := len(states)
	switch {
	case !pl.onwards(states):
		return "turn"
	case !pl.onwards(states[:n/2+1]) || !pl.onwards(states[n/2-1:]):
		return "turn across"
	}
	return ""
}

// turns is the length of the longest chain of halves of halves, from the whole down, that
// all turn back.
func (pl *plan) turns(states []int) int {
	n := len(states)
	if n == 1 || pl.turn(states) == "" {
		return 0
	}
	return 1 + max(pl.turns(states[:n/2]), pl.turns(states[n/2:]))
}

// onwards tells whether the momenta at both ends point along the sum of all.
func (pl *plan) onwards(states []int) bool {
	z := pl.o.z
	first, last := 0.0, 0.0
	for _, i := range states {
		for c := range z[i] {
			first += z[i][c] * z[states[0]][c]
			last += z[i][c] * z[states[len(states)-1]][c]
		}
	}
	return first > 0 && last > 0
}

// end returns the state that a transition leads to, given which draws accept.
func (pl *plan) end(accepted []bool) (to int, moved bool) {
	to = pl.start
	for _, l := range pl.levels {
		if accepted[l.draw] {
			c := l.half
			for c.first != nil {
				if accepted[c.draw] {
					c = c.second
				} else {
					c = c.first
				}
			}
			to, moved = c.state, true
		}
	}
	return to, moved
}

// outcome returns the Transition to expect.
func (pl *plan) outcome(to int, moved bool) Transition {
	tr := pl.want
	if moved {
		tr.Accepted, tr.LogDensity, tr.Energy = true, pl.o.l[to], pl.o.h[to]
	}
	return tr
}

// allCoins calls visit with the plan of each sequence of coins and its probability.
func allCoins(o *orbit, check ReverseCheck, maxDepth, start int, visit func(pl *plan, probability float64)) {
	var coins []bool
	for {
		n := 0
		pl := newPlan(o, check, maxDepth, start, func(int) bool {
			n++
			if n > len(coins) {
				coins = append(coins, false)
			}
			return coins[n-1]
		})
		coins = coins[:n]
		visit(pl, math.Ldexp(1, -n))
		for n > 0 && coins[n-1] {
			n--
		}
		if n == 0 {
			return
		}
		coins = append(coins[:n-1], true)
	}
}

// sharp is how far off its probability, relatively, a uniform variate is that is to
// fall just short of it or just beyond.
const sharp = 1e-11

// number returns a random number for a draw to come out in the way given, as near to
// the other way as can be, and false where none is to be had.
func (c *chance) number(accepted bool, noise *rand.Rand) (x uint64, ok bool) {
	if c.coin {
		x = noise.Uint64() &^ 1
		if c.back {
			x |= 1
		}
		return x, true
	}
	// Float64 is the lowest 53 bits times 2⁻⁵³. The kernel compares 1 − Float64.
	const one = 1 << 53
	var k float64 // of 1 − Float64 = k/2⁵³
	if accepted {
		k = math.Floor(c.accept * (1 - sharp) * one)
	} else {
		k = max(1, math.Ceil(c.accept*(1+sharp)*one))
	}
	if k < 1 || k > one {
		return 0, false
	}
	return one - uint64(k) | noise.Uint64()<<53, true
}

// exhaustive is the number of uniform variates up to which every combination is
// tried.
const exhaustive = 7

// allChoices calls visit with what the draws of a plan may come to, and the
// probability: each combination where they are few, and else each proposal, with
// the draws that have no part in it left to chance.
func (pl *plan) allChoices(noise *rand.Rand, visit func(accepted []bool, probability float64)) {
	accepted := make([]bool, len(pl.draws))
	var uniforms []int
	for i := range pl.draws {
		if !pl.draws[i].coin {
			uniforms = append(uniforms, i)
		}
	}
	odds := func(draw int) float64 {
		if accepted[draw] {
			return pl.draws[draw].accept
		}
		return 1 - pl.draws[draw].accept
	}
	if len(uniforms) <= exhaustive {
		for bits := range 1 << len(uniforms) {
			probability := 1.0
			for j, draw := range uniforms {
				accepted[draw] = bits>>j&1 == 1
				probability *= odds(draw)
			}
			visit(accepted, probability)
		}
		return
	}
	var fixed []int
	leaf := func() {
		for _, draw := range uniforms {
			if !slices.Contains(fixed, draw) {
				accepted[draw] = noise.Float64() < pl.draws[draw].accept
			}
		}
		probability := 1.0
		for _, draw := range fixed {
			probability *= odds(draw)
		}
		visit(accepted, probability)
	}
	var within func(c *choice)
	within = func(c *choice) {
		if c.first == nil {
			leaf()
			return
		}
		fixed = append(fixed, c.draw)
		for _, x := range []bool{false, true} {
			accepted[c.draw] = x
			if x {
				within(c.second)
			} else {
				within(c.first)
			}
		}
		fixed = fixed[:len(fixed)-1]
	}
	for last := len(pl.levels) - 1; last >= -1; last-- {
		fixed = fixed[:0]
		for j := max(last, 0); j < len(pl.levels); j++ {
			accepted[pl.levels[j].draw] = j == last
			fixed = append(fixed, pl.levels[j].draw)
		}
		if last < 0 {
			leaf()
		} else {
			within(pl.levels[last].half)
		}
	}
}

// matrix is the transition matrix of a kernel, by start.
type matrix struct {
	p       [][]float64
	runs    int
	assumed float64        // the largest probability of a start's that no run stands for
	endings map[string]int // of the trajectories of all coins
}

// exact computes the transition matrix from runs of the kernel, through all coins and
// choices. Each uniform variate is just short of or just beyond the probability that
// the reference has for it, so that a run which leads where the reference says
// shows the kernel to have the same.
func exact(t *testing.T, b *bench) *matrix {
	t.Helper()
	n := len(b.h)
	m := &matrix{endings: map[string]int{}}
	noise := rand.New(rand.NewPCG(1, uint64(n)))
	for start := range n {
		row := make([]float64, n)
		m.p = append(m.p, row)
		if math.IsInf(b.weigh(start), -1) {
			row[start] = 1 // of no weight: where it leads makes no difference
			continue
		}
		assumed := 0.0
		allCoins(b.orbit, b.k.Reverse, b.k.MaxDepth, start, func(pl *plan, coins float64) {
			m.endings[pl.ending]++
			pl.allChoices(noise, func(accepted []bool, choices float64) {
				to, moved := pl.end(accepted)
				row[to] += coins * choices
				if coins*choices < 1e-20 {
					assumed += coins * choices
					return
				}
				b.source.given = b.source.given[:0]
				for i := range pl.draws {
					x, ok := pl.draws[i].number(accepted[i], noise)
					if !ok {
						assumed += coins * choices
						return
					}
					b.source.given = append(b.source.given, x)
				}
				got, tr := b.run(start)
				m.runs++
				want := pl.outcome(to, moved)
				if err := same(b, got, to, tr, want); err != nil {
					t.Fatalf("from %d, draws %+v, accepted %v: %v", start, pl.draws, accepted, err)
				}
			})
		})
		m.assumed = max(m.assumed, assumed)
	}
	return m
}

// same tells how the transition that a bench has made differs from the reference.
func same(b *bench, to, wantTo int, tr, want Transition) error {
	if b.torn != nil {
		return fmt.Errorf("a position has the momentum of another: %v", b.torn)
	}
	if to != wantTo {
		return fmt.Errorf("to %d, the reference to %d", to, wantTo)
	}
	if n := len(b.source.given); b.source.used != n {
		return fmt.Errorf("%d random numbers, the reference takes %d", b.source.used, n)
	}
	if !(math.Abs(tr.Accept-want.Accept) <= 1e-12) {
		return fmt.Errorf("accept %v, the reference has %v", tr.Accept, want.Accept)
	}
	if tr.whole != tr.Accept {
		return fmt.Errorf("the step size is adapted by %v, not by the acceptance %v, and nothing is halved", tr.whole, tr.Accept)
	}
	tr.Accept, tr.whole = want.Accept, want.whole
	if tr != want {
		return fmt.Errorf("%+v, the reference has %+v", tr, want)
	}
	return nil
}

// imbalance returns how far the weights of the states, which add up to 1, are from
// being invariant, and how far the rows of the matrix are from adding up to 1.
func (m *matrix) imbalance(o *orbit) (worst float64) {
	weights := make([]float64, len(m.p))
	highest, sum := math.Inf(-1), 0.0
	for i := range weights {
		if o.energy[i] == OK && !math.IsNaN(o.weigh(i)) {
			highest = max(highest, o.weigh(i))
		}
	}
	for i := range weights {
		if o.energy[i] == OK && !math.IsNaN(o.weigh(i)) {
			weights[i] = math.Exp(o.weigh(i) - highest)
			sum += weights[i]
		}
	}
	after := make([]float64, len(m.p))
	for i, row := range m.p {
		total := 0.0
		for j, p := range row {
			after[j] += weights[i] / sum * p
			total += p
		}
		worst = max(worst, math.Abs(total-1))
	}
	for j, w := range after {
		worst = max(worst, math.Abs(w-weights[j]/sum))
	}
	return worst
}

// high is what energies are above the others that may count as divergent: near the
// limit of 1000, where a rule that counts from the start alone would call a state
// divergent from some starts and not from others.
const high = 998

// randomOrbit returns an orbit of at most n states with anything that may happen to a
// trajectory. Numbers are such that the criterion is computed without rounding, ties
// included. Unless oneWay, whatever fails does so from both sides.
func randomOrbit(rng *rand.Rand, n int, oneWay bool) *orbit {
	n = 2 + rng.IntN(n-1)
	o := newOrbit(n, 1+rng.IntN(3), rng.IntN(3) == 0)
	chance := func(p float64) bool { return rng.Float64() < p }
	seldom := min(0.04, 1/float64(n))

	spread := []float64{0, 3, 60}[rng.IntN(3)]
	// Of a stream of its own, so that the orbits are those without it.
	if more := rand.New(rand.NewPCG(uint64(n), math.Float64bits(spread))); more.IntN(4) == 0 {
		o.extra = 1 + more.IntN(2)
	}
	for i := range n {
		o.h[i] = math.Round(64*spread*rng.Float64()) / 64
	}
	if chance(0.3) {
		for i := range n {
			if chance(4 * seldom) {
				o.h[i] += high * float64(1+rng.IntN(2))
			}
		}
	}

	o.randomMomenta(rng)
	for d := range o.iterations {
		for i := range n {
			o.iterations[d][i] = 1 + rng.IntN(30)
		}
	}
	if chance(0.4) {
		for i := range n {
			switch {
			case chance(seldom):
				o.energy[i] = NotPositiveDefinite
			case chance(seldom):
				o.z[i] = nil
			case chance(seldom):
				if j := o.next[forward][i]; j != failed {
					o.next[forward][i], o.next[backward][j] = failed, failed
				}
			}
		}
	}
	if chance(0.3) {
		for range n {
			c := math.Round(64*4*rng.Float64()) / 64
			if chance(seldom) {
				c = math.NaN()
			} else if chance(seldom) {
				c = math.Inf(-1)
			}
			o.correction = append(o.correction, c)
		}
	}
	if oneWay {
		o.astray(rng, 2*seldom)
	}
	return o
}

// randomMomenta makes momenta that turn back never, anywhere, now and then or round.
func (o *orbit) randomMomenta(rng *rand.Rand) {
	dim := o.info.Dim()
	kind, speed, phase := rng.IntN(4), 0.05+rng.Float64(), 7*rng.Float64()
	for i, z := range o.z {
		switch kind {
		case 0: // never back
			z[0] = 1 + float64(rng.IntN(3))
		case 1: // anywhere
			for c := range z {
				z[c] = float64(rng.IntN(5) - 2)
			}
		case 2: // now and then back
			for c := range z {
				z[c] = float64(rng.IntN(5) - 2)
			}
			z[0] += 2
		case 3: // round
			z[0] = math.Round(4 * math.Cos(speed*float64(i)+phase))
			z[dim-1] += math.Round(4 * math.Sin(speed*float64(i)+phase))
		}
	}
}

// astray leads steps elsewhere, each with probability p.
func (o *orbit) astray(rng *rand.Rand, p float64) {
	for i := range o.h {
		for d := range o.next {
			if rng.Float64() < p { // a step to anywhere, or nowhere
				o.next[d][i] = rng.IntN(len(o.h)+1) - 1
			}
		}
	}
	// A step that is not undone is one of many iterations.
	for d := range o.next {
		for i, j := range o.next[d] {
			if j != failed && o.next[1-d][j] != i {
				o.iterations[d][i] = 16 + rng.IntN(10)
			}
		}
	}
}

// The transition matrix of the kernel itself leaves the weights of the states
// invariant, whatever ends its trajectories. Steps that lead one way only are among
// those that the check of the way back looks at.
func TestDynamicIsExact(t *testing.T) {
	for _, c := range []struct {
		name                     string
		orbits, states, maxDepth int
		oneWay                   bool
		check                    ReverseCheck
		endings                  []string
	}{
		{"short", campaign.Cases(t, 300, 600), 9, 3, false, ReverseOff, nil},
		{"long", 100, 24, 5, false, ReverseOff, nil},
		{"short, checked", campaign.Cases(t, 300, 600), 9, 3, true, ReverseAll, []string{"irreversible"}},
		{"long, checked", 200, 24, 5, true, ReverseAll, []string{"irreversible"}},
		{"long, suspects checked", 200, 24, 5, true, ReverseSuspect, []string{"irreversible"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(uint64(c.states), uint64(c.check)))
			endings := map[string]int{}
			runs, worst, assumed := 0, 0.0, 0.0
			for i := range c.orbits {
				o := randomOrbit(rng, c.states, c.oneWay)
				m := exact(t, newBench(t, o, c.check, c.maxDepth))
				runs += m.runs
				assumed = max(assumed, m.assumed)
				for e, n := range m.endings {
					endings[e] += n
				}
				x := m.imbalance(o)
				worst = max(worst, x)
				if !(x <= 1e-12) {
					t.Errorf("orbit %d: the weights change by %.2g", i, x)
				}
			}
			// What has not been run is nearer to certain than sharp, or less
			// likely than any random number.
			if assumed > 20*sharp {
				t.Errorf("a probability of %.2g is the reference's only", assumed)
			}
			for _, e := range append(c.endings, "start", "step", "energy", "frame", "divergence", "correction",
				"depth", "whole turn", "half turn", "whole turn across", "half turn across") {
				if endings[e] < 10 {
					t.Errorf("only %d trajectories ended by %s", endings[e], e)
				}
			}
			t.Logf("%d runs, weights change by %.2g, %.2g assumed; trajectories ended by %v", runs, worst, assumed, endings)
		})
	}
}

// The check of the way back is what makes it exact: without it, steps that lead one
// way only change the weights, and so this test sees a kernel that is wrong.
func TestDynamicNeedsStepsBack(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 0))
	wrong := 0
	for range 100 {
		o := randomOrbit(rng, 9, true)
		if exact(t, newBench(t, o, ReverseOff, 3)).imbalance(o) > 1e-3 {
			wrong++
		}
	}
	if wrong < 20 {
		t.Errorf("weights change on %d of 100 orbits only", wrong)
	}
}

// On the same random numbers the kernel and the reference make the same
// transitions: trajectories too long for all their outcomes to be gone through, and
// one kernel for transitions of all lengths.
func TestDynamicIsTheReference(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 0))
	depths := make([]int, 10)
	for i := range 1000 {
		check := ReverseCheck(i % 3)
		o := randomOrbit(rng, []int{20, 100, 1000}[i%3], check != ReverseOff)
		b := newBench(t, o, check, 1+rng.IntN(9))
		b.source.draw = rand.New(rand.NewPCG(5, uint64(i)))
		for range 20 {
			start := rng.IntN(len(o.h))
			if math.IsInf(o.weigh(start), -1) {
				continue
			}
			b.source.given = b.source.given[:0]
			to, tr := b.run(start)
			given := b.source.given
			pl := newPlan(o, check, b.k.MaxDepth, start, func(draw int) bool {
				return draw < len(given) && given[draw]&1 == 1
			})
			if len(pl.draws) != len(given) {
				t.Fatalf("orbit %d: %d random numbers, the reference takes %d", i, len(given), len(pl.draws))
			}
			accepted := make([]bool, len(given))
			for d, x := range given {
				u := float64(x<<11>>11) / (1 << 53)
				accepted[d] = 1-u < pl.draws[d].accept
			}
			want, moved := pl.end(accepted)
			if err := same(b, to, want, tr, pl.outcome(want, moved)); err != nil {
				t.Fatalf("orbit %d, from %d: %v", i, start, err)
			}
			depths[tr.Depth]++
		}
	}
	for d, n := range depths {
		if n < 20 {
			t.Errorf("only %d transitions of depth %d", n, d)
		}
	}
	t.Logf("transitions by depth: %v", depths)
}

// A trajectory that never turns back has 2^MaxDepth − 1 steps, and counts as one that
// reached the limit. One that turns back there does not.
func TestDynamicSaturates(t *testing.T) {
	for depth := 1; depth <= 6; depth++ {
		o := newOrbit(1<<depth, 2, true)
		b := newBench(t, o, ReverseOff, depth)
		b.source.draw = rand.New(rand.NewPCG(6, 0))
		var n Totals
		for range 50 {
			_, tr := b.run(1)
			n.Add(&tr)
			if tr.Depth != depth || tr.Steps != 1<<depth-1 || tr.Accept != 1 {
				t.Fatalf("limit %d: %+v", depth, tr)
			}
		}
		if n.Saturated != 50 {
			t.Errorf("limit %d: %d of 50 saturated", depth, n.Saturated)
		}
		var all Totals
		all.Join(&n)
		all.Join(&n)
		if all.Saturated != 100 {
			t.Errorf("limit %d: %d of 100 saturated", depth, all.Saturated)
		}
	}
	o := newOrbit(2, 2, true)
	o.z[1][0] = -1
	b := newBench(t, o, ReverseOff, 1)
	b.source.draw = rand.New(rand.NewPCG(6, 1))
	if _, tr := b.run(0); tr.saturated || tr.Depth != 1 {
		t.Errorf("a trajectory that turns back at the limit: %+v", tr)
	}
}

// Nothing is allocated but work space at the first trajectory of a depth.
func TestDynamicAllocatesNothing(t *testing.T) {
	o := newOrbit(64, 3, true)
	for i := range o.h {
		o.h[i] = float64(i%7) / 7
	}
	b := newBench(t, o, ReverseAll, 0)
	b.source.draw = rand.New(rand.NewPCG(7, 0))
	b.source.given = make([]uint64, 0, 1<<10)
	for depth := range 8 {
		b.k.MaxDepth = depth
		if n := testing.AllocsPerRun(20, func() {
			b.source.given = b.source.given[:0]
			if _, tr := b.run(5); tr.Depth != depth {
				t.Fatalf("%+v", tr)
			}
		}); n != 0 {
			t.Errorf("depth %d: %v allocations per transition", depth, n)
		}
	}
}

// A transition that is interrupted, at whatever step, leaves its state as it was.
func TestDynamicStops(t *testing.T) {
	o := newOrbit(32, 2, true)
	b := newBench(t, o, ReverseOff, 5)
	b.source.draw = rand.New(rand.NewPCG(8, 0))
	b.k.stop = new(atomic.Bool)
	moved := 0
	for at := 1; at <= 32; at++ {
		b.k.stop.Store(false)
		steps := 0
		o.step = func() {
			steps++
			b.k.stop.Store(steps == at)
		}
		b.source.given = b.source.given[:0]
		to, tr := b.run(7)
		if at < 31 {
			if !tr.stopped || to != 7 || tr.Accepted || steps != at || tr.Steps != at {
				t.Errorf("stopped after step %d: %d steps, state %d, %+v", at, steps, to, tr)
			}
			continue
		}
		// The last step is made before anything looks whether to stop.
		if tr.stopped || steps != 31 {
			t.Errorf("stop at step %d of 31: %+v", at, tr)
		}
		if to != 7 {
			moved++
		}
	}
	if moved == 0 {
		t.Error("nothing ever moves, so this test shows nothing")
	}
}
