package runtime

import "math/rand/v2"

// This file is multinomial NUTS (Hoffman & Gelman 2014; Betancourt 2017, appendix
// A.3). A trajectory with the momenta p₁ … p_n goes on for as long as
//
//	ρ·z₁ > 0 and ρ·z_n > 0,  ρ = Σ z_i,  z = R(q)⁻¹p with G = R Rᵀ,
//
// where z are the components of p in an orthonormal frame of the metric. With a
// constant metric this is the usual criterion, ρ·z = (Σ p)ᵀG⁻¹p. Betancourt (2013)
// takes the latter on manifolds too, but there it adds momenta of different places: on
// a ridge that bends, the large component of p across the ridge here is one along
// the ridge there, and trajectories end long before they turn back.
//
// With ExtraDoublings a trajectory ends only where it has turned back for the second
// time: where it turns, and one of its halves does. A half is dropped by the same
// rule.
//
// A trajectory grows by doubling: a coin says forwards or backwards, and the new
// half, of as many states, is built of two halves in the same way. The new half is
// dropped, and the trajectory ends, where the criterion fails in any of its own
// halves, where the energies come to lie more than 1000 apart (Stan compares with the
// start's alone, which is not quite exact), and where a step fails or could not be undone. As long as a step
// back undoes a step forth, whether the new half is dropped depends on the trajectory
// so far but not on the state of it that the chain came from, which is what detailed
// balance asks. A step that fails in one direction only would break this: hence Reverse.

// branch is what is kept of a trajectory, or of a part of one, in the order of
// integration.
type branch struct {
	rho         []float64 // Σ z
	first, last []float64 // z of the first and the last state
	weight      weight    // Σ exp(H₀ − H), with the Correction
	proposal    state
	turned      int // 0 where it does not turn back; else 1 more than the half that has turned more
}

// state is a state that a trajectory proposes.
type state struct {
	q    []float64
	h, l float64
}

// tree is the work space of a dynamic trajectory.
type tree struct {
	ends   [2]phasePoint // forward and backward end
	all    branch        // the trajectory
	next   branch        // the half that is being built
	halves []branch      // by depth: the second half of a branch of 2^(depth+1) states
	sum    []float64
	strides
	builder
}

// phasePoint is a point of phase space, with the energy there.
type phasePoint struct {
	q, p []float64
	h    float64
}

// newTree allocates a tree for m coordinates. Space for a depth is added when it
// is first reached.
func newTree(m int) *tree {
	t := &tree{all: newBranch(m), next: newBranch(m), sum: make([]float64, m), strides: newStrides(m)}
	for i := range t.ends {
		t.ends[i] = phasePoint{q: make([]float64, m), p: make([]float64, m)}
	}
	return t
}

func newBranch(m int) branch {
	x := make([]float64, 4*m)
	cut := func(i int) []float64 { return x[i*m : i*m+m : i*m+m] }
	return branch{rho: cut(0), first: cut(1), last: cut(2), proposal: state{q: cut(3)}}
}

// dynamic is a transition by NUTS from q, with the momentum and the energies of
// the start in k.p, h0 and k.t.
func (k *HMC) dynamic(q []float64, h0 float64, rng *rand.Rand) {
	t := &k.t
	if k.tree == nil {
		k.tree = newTree(len(q))
	}
	tr := k.tree
	for i := range tr.ends {
		copy(tr.ends[i].q, q)
		copy(tr.ends[i].p, k.p)
		tr.ends[i].h = h0
	}
	all, next := &tr.all, &tr.next
	if t.Failure = k.System.Whiten(all.rho, q, k.p); t.Failure != OK {
		return
	}
	copy(all.first, all.rho)
	copy(all.last, all.rho)
	all.turned = 0
	copy(all.proposal.q, q)
	all.weight, all.proposal.h, all.proposal.l = weight{m: 1}, h0, t.LogDensity

	b := &tr.builder
	*b = builder{k: k, t: t, rng: rng, h0: h0, low: h0, high: h0}
	if k.Correction != nil {
		b.correction0 = k.Correction(q)
	}
	moved, forward := false, true
	for {
		if t.Depth == k.MaxDepth {
			t.saturated = true
			break
		}
		b.eps, b.at = k.StepSize, &tr.ends[0]
		back := rng.Uint64()&1 == 1
		if back {
			b.eps, b.at = -b.eps, &tr.ends[1]
		}
		accept, whole := b.accept, b.whole
		if !b.build(t.Depth, next) {
			if t.Failure != OK || t.Divergent || t.Irreversible {
				// A step that fails costs the whole half, so all of it
				// counts as refused: one step in many would hardly show in
				// the mean that the step size is adapted to.
				b.accept, b.whole = accept, whole
			}
			break
		}
		t.Depth++
		// The new half is favoured over the old one (biased progressive
		// sampling, Betancourt 2017, A.3.2).
		old, added, scale := all.weight.align(next.weight)
		if u := 1 - float64(rng.Float64()); added > 0 && u*old <= added {
			all.proposal, next.proposal = next.proposal, all.proposal
			moved = true
		}
		all.weight = weight{old + added, scale}
		if forward == back {
			all.reverse()
			forward = !back
		}
		if all.extend(next, tr.sum); all.turned > k.ExtraDoublings {
			break
		}
	}
	if t.stopped {
		return
	}
	t.Accept = b.accept / float64(max(1, b.states))
	t.whole = b.whole / float64(max(1, b.states))
	if moved {
		copy(q, all.proposal.q)
		t.Accepted, t.LogDensity, t.Energy = true, all.proposal.l, all.proposal.h
	}
}

// builder builds the branches of one transition.
type builder struct {
	k           *HMC
	t           *Transition
	rng         *rand.Rand
	h0          float64
	correction0 float64     // Correction at the start
	eps         float64     // signed
	at          *phasePoint // the end of the trajectory that grows
	low, high   float64     // of H so far
	states      int         // visited
	accept      float64     // Σ min(1, exp(H₀ − H)) over the states visited, but for halves lost to a failure
	whole       float64     // the same sum with the energies after steps that are not halved
}

// build makes a branch of 2^depth states beyond the end b.at, which it moves
// along, and reports whether the branch is to be kept.
func (b *builder) build(depth int, out *branch) bool {
	if depth == 0 {
		return b.leaf(out)
	}
	if !b.build(depth-1, out) {
		return false
	}
	tr := b.k.tree
	for len(tr.halves) < depth {
		tr.halves = append(tr.halves, newBranch(len(tr.sum)))
	}
	// Deeper calls use the halves before this one only, and the slice may
	// have been moved by them: hence the index.
	second := &tr.halves[depth-1]
	if !b.build(depth-1, second) {
		return false
	}
	x, y, scale := out.weight.align(second.weight)
	if u := 1 - float64(b.rng.Float64()); y > 0 && u*(x+y) <= y {
		out.proposal, second.proposal = second.proposal, out.proposal
	}
	out.weight = weight{x + y, scale}
	out.extend(second, tr.sum)
	return out.turned <= b.k.ExtraDoublings
}

// leaf makes a branch of one state, one step beyond the end.
func (b *builder) leaf(out *branch) bool {
	k, t := b.k, b.t
	if k.stop != nil && k.stop.Load() {
		t.stopped = true
		return false
	}
	q, p := b.at.q, b.at.p
	k.tried.set(q, p, b.eps)
	r := b.advance()
	b.states++
	t.Iterations += r.Iterations
	if t.Failure = r.Status; r.Status != OK {
		k.tried.over = r.over
		return false
	}
	h, l := r.h, r.l
	t.halved = t.halved || r.halved
	if r.oneWay {
		b.accept += acceptanceOf(b.h0, h)
		b.whole += acceptanceOf(b.h0, r.whole)
		return false
	}
	if t.Failure = k.System.Whiten(out.rho, q, p); t.Failure != OK {
		k.tried.over = true
		return false
	}
	b.at.h = h
	gain := b.h0 - h
	if b.low, b.high = min(b.low, h), max(b.high, h); b.high-b.low > maxEnergyError {
		t.Divergent = true
		return false
	}
	if k.Correction != nil {
		gain += k.Correction(q) - b.correction0
		if gain != gain {
			k.tried.over = true
			t.Failure = NonFinite
			return false
		}
	}
	if k.checks(r.Suspect || r.Iterations >= k.Solver.FirstCheck(), b.rng) && !k.undoes(q, p, b.eps) {
		t.Irreversible = true
		return false
	}
	out.weight = weigh(gain)
	accept := min(1, out.weight.value())
	b.accept += accept
	if r.halved {
		accept = acceptanceOf(b.h0, r.whole)
	}
	b.whole += accept
	out.proposal.h, out.proposal.l = h, l
	copy(out.proposal.q, q)
	copy(out.first, out.rho)
	copy(out.last, out.rho)
	out.turned = 0
	return true
}

// undoes tells whether a step back from (q, p) leads to where the step was tried from.
func (k *HMC) undoes(q, p []float64, eps float64) bool {
	copy(k.q2, q)
	copy(k.p2, p)
	r := k.Step(k.q2, k.p2, -eps, &k.Solver)
	k.t.Iterations += r.Iterations
	return r.Status == OK && k.Home(k.q2, k.tried.q)
}

// reverse turns the order of the states round. The momenta stay what they are, and
// so does the criterion.
func (b *branch) reverse() { b.first, b.last = b.last, b.first }

// extend appends next to b, proposals and weights aside. The whole turns back unless the
// criterion holds for it, and for each half with the state of the other that is next
// to it. The latter is Stan's: a trajectory that makes a full turn in each half
// meets the criterion as a whole.
func (b *branch) extend(next *branch, sum []float64) {
	for i, r := range b.rho {
		sum[i] = r + next.first[i]
	}
	straight := !turns(sum, b.first, next.first)
	for i, r := range next.rho {
		sum[i] = r + b.last[i]
		b.rho[i] += r
	}
	straight = straight && !turns(sum, b.last, next.last) && !turns(b.rho, b.first, next.last)
	b.last, next.last = next.last, b.last
	if b.turned = 1 + max(b.turned, next.turned); straight {
		b.turned = 0
	}
}

// turns reports whether a trajectory with the sum rho turns back at either end.
func turns(rho, first, last []float64) bool {
	a, b := 0.0, 0.0
	for i, r := range rho {
		a += float64(r * first[i])
		b += float64(r * last[i])
	}
	return !(a > 0 && b > 0)
}
