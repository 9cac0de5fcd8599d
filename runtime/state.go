package runtime

import (
	"errors"
	"fmt"
	"slices"
)

// State is where a chain stands between two transitions: everything that the rest of
// it depends on, beside the model and the options. As JSON it keeps every number
// exactly.
type State struct {
	Q      []float64    `json:"q"` // unconstrained coordinates; of latent vectors those of the map at Reference
	Blocks []BlockState `json:"blocks"`

	// End is the number of transitions of the warm-up where it is less than Options.Warmup, because the metrics have settled.
	End int `json:"end,omitempty"`

	// What the chain has come to before the first draw, and what the chains that were compared have come to.
	Level   massLevel `json:"level,omitzero"`
	Summits []*summit `json:"summits,omitempty"`

	// Of a chain that jumps: the places, and at which of them it is, from 1, where Q are the coordinates of that; 0 where it does not jump.
	Places []foothold `json:"places,omitempty"`
	At     int        `json:"at,omitempty"`

	// Of a model with latent vectors: the reference of their maps, and what warm-up has seen since it was set, in plain coordinates.
	Reference []float64 `json:"reference,omitempty"`
	Seen      *moments  `json:"seen,omitempty"`
}

// BlockState is what the updates of one block have learnt and come to.
type BlockState struct {
	BlockRun

	// Before the first draw:
	Averaging *dualAveraging `json:"averaging,omitempty"`
	Points    *fisher        `json:"points,omitempty"`
	Trial     *trial         `json:"trial,omitempty"`
	Ladder    *ladder        `json:"ladder,omitempty"`
}

// Drawn is the number of draws made.
func (s *State) Drawn() int { return s.Blocks[0].Sampling.Transitions }

// Warmed is the number of transitions of the warm-up made.
func (s *State) Warmed() int { return s.Blocks[0].Warmup.Transitions }

// from returns where chain c goes on from, nil for its beginning.
func (r *run) from(c int) *State {
	if len(r.opt.From) == 0 {
		return nil
	}
	return r.opt.From[c]
}

// snapshot returns the state of the chain.
func (w *walker) snapshot() *State {
	s := &State{Q: slices.Clone(w.q), Reference: slices.Clone(w.sweep.carrier.reference)}
	if w.end != w.opt.Warmup {
		s.End = w.end
	}
	s.Summits, s.Places = w.summits, w.places
	if j := w.jumper; j != nil {
		s.At = j.at + 1
		if w.out.Drawn() == 0 {
			s.Q, s.At = slices.Clone(j.origin), 0
		}
	}
	if w.out.Drawn() == 0 {
		s.Level = w.level
	}
	if len(w.anchors.ends) > 0 {
		seen := w.anchors.seen.clone()
		s.Seen = &seen
	}
	for i, a := range w.adapters {
		b := BlockState{BlockRun: w.out.Blocks[i]}
		b.StepSize, b.ExtraDoublings, b.Steps = a.k.StepSize, a.k.ExtraDoublings, a.k.Steps
		b.Split = a.k.split
		if e, ok := a.k.System.(*Euclidean); ok {
			b.InverseMetric, b.Rank, b.Bends = slices.Clone(e.Inverse()), e.rank(), slices.Clone(e.bends)
			b.Centre = slices.Clone(e.centre)
		}
		if w.out.Drawn() == 0 {
			if a.averaging != nil {
				d := *a.averaging
				b.Averaging = &d
			}
			if a.trial != nil {
				b.Trial = a.trial.clone()
			}
			if a.ladder != nil {
				b.Ladder = a.ladder.clone()
			}
			if a.points != nil {
				b.Points = a.points.clone()
			}
		}
		s.Blocks = append(s.Blocks, b)
	}
	return s
}

// restore makes the chain go on from a state.
func (w *walker) restore(s *State) error {
	wrong := func(what string, args ...any) error {
		return fmt.Errorf("the state to go on from does not fit the model: "+what, args...)
	}
	if n := w.model.Info().Dim(); len(s.Q) != n {
		return wrong("%d coordinates for %d", len(s.Q), n)
	}
	if !allFinite(s.Q) {
		return wrong("a coordinate is not finite")
	}
	if len(s.Blocks) != len(w.adapters) {
		return wrong("%d blocks for %d", len(s.Blocks), len(w.adapters))
	}
	if !w.sweep.carrier.restore(s.Reference) {
		return wrong("it has no reference of the maps of latent vectors")
	}
	if s.End < 0 || s.End > w.opt.Warmup || s.End > 0 && s.Warmed() > s.End {
		return wrong("%d transitions of a warm-up of %d", s.Warmed(), s.End)
	}
	if s.End > 0 {
		w.end, w.anchors.ends = s.End, nil
	}
	if slices.ContainsFunc(s.Summits, func(x *summit) bool { return !x.valid(len(s.Q)) }) {
		return wrong("the place of the highest chain is none of it")
	}
	if err := w.anchors.resume(s.Warmed(), s.Seen); err != nil {
		return wrong("%v", err)
	}
	w.level, w.anew, w.landed = s.Level, s.Blocks[0].Anew, s.At
	for i, a := range w.adapters {
		b := &s.Blocks[i]
		if b.Name != w.out.Blocks[i].Name {
			return wrong("block %q for %q", b.Name, w.out.Blocks[i].Name)
		}
		if s.Warmed() == 0 && s.Drawn() == 0 {
			w.out.Blocks[i].Climbed, w.out.Blocks[i].Anew = b.Climbed, b.Anew
			continue // the beginning
		}
		w.out.Blocks[i] = b.BlockRun
		if err := a.restore(s, b); err != nil {
			return wrong("%v", err)
		}
	}
	return nil
}

// adopt takes over the kernel and the metric of a block.
func (a *adapter) adopt(b *BlockRun) error {
	if !(b.StepSize > 0 && isFinite(b.StepSize)) {
		return fmt.Errorf("step size %v", b.StepSize)
	}
	if b.ExtraDoublings < 0 {
		return fmt.Errorf("%d extra doublings", b.ExtraDoublings)
	}
	if b.Split < 0 || b.Split > len(splittings) {
		return fmt.Errorf("steps of %d gradients", b.Split)
	}
	if b.Steps < 0 || b.Steps > 0 && a.k.Steps != b.Steps && !a.chooses {
		return fmt.Errorf("%d steps of a trajectory", b.Steps)
	}
	a.k.StepSize, a.k.ExtraDoublings = b.StepSize, b.ExtraDoublings
	if a.chooses && b.Steps > 0 {
		a.k.Steps, a.k.Jitter = b.Steps, quarterJitter
		a.k.setSplit(b.Split)
	}
	if e, ok := a.k.System.(*Euclidean); ok {
		for i := range b.Bends {
			if !b.Bends[i].valid(e.dim) {
				return fmt.Errorf("a coordinate is bent by %+v", b.Bends[i])
			}
		}
		if len(b.Centre) > 0 && (len(b.Centre) != e.dim || !allFinite(b.Centre)) || b.Split > 0 && len(b.Centre) == 0 {
			return errors.New("its metric has no centre")
		}
		e.SetCentre(b.Centre)
		e.setBends(b.Bends)
		if e.SetInverse(b.InverseMetric) != OK {
			return errors.New("its metric is not one")
		}
	}
	return nil
}

// restore takes over what the updates of a block have come to.
func (a *adapter) restore(s *State, b *BlockState) error {
	if err := a.adopt(&b.BlockRun); err != nil {
		return err
	}
	if s.End > 0 {
		a.ends, a.halve = nil, 0
	}
	a.enter(s.Warmed())
	for len(a.ends) > 0 && a.ends[0] <= s.Warmed() {
		a.ends = a.ends[1:]
	}
	if s.Drawn() > 0 {
		return nil
	}
	if a.averaging != nil {
		if b.Averaging == nil {
			return errors.New("it does not tell what the step size has learnt")
		}
		*a.averaging = *b.Averaging
	}
	if a.trial != nil && !a.trial.restore(b.Trial) {
		return errors.New("it does not tell how the trial of trajectories stands")
	}
	if a.points != nil && !a.points.restore(b.Points) {
		return errors.New("it does not tell what the metric has learnt")
	}
	if b.Ladder != nil {
		if !b.Ladder.valid() || !a.chooses || b.Split == 0 || b.Steps == 0 {
			return errors.New("it does not tell how trajectories of a fixed length stand")
		}
		a.ladder = b.Ladder.clone()
	}
	return nil
}
