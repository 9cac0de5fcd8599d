package runtime

import "testing"

// TestTrialShare: what the longer trajectories of a trial cost beyond shorter ones is a tenth of the warm-up, however much longer they
// are, and each is tried at all.
func TestTrialShare(t *testing.T) {
	const n = 1000
	for _, ratio := range []int{1, 2, 3, 8} {
		tr := newTrial(2, n)
		spent, beyond, long := 0, 0, 0
		now := 0
		for i := range n {
			cost := 10
			if now == 1 {
				cost *= ratio
				long++
				beyond += cost - 10
			}
			spent += cost
			tr.add(i, &Transition{Steps: cost}, []float64{float64(i % 7), float64(i % 3)})
			if now = tr.candidate(i + 1); i+1 >= tr.end {
				now = 0
			}
		}
		// One run of transitions may be more than the share.
		if most := spent/10 + trialRun*10*(ratio-1); beyond > most || long == 0 {
			t.Errorf("trajectories %d times as long: %d of them cost %d beyond, of %d", ratio, long, beyond, spent)
		}
		if ratio == 1 && long < 200 {
			t.Errorf("trajectories of the same length: %d were tried", long)
		}
	}
}

// TestTrialJudges: the candidate that moves the slowest coordinate farther for its cost is taken; the noise of a coordinate that both
// move well has no say.
func TestTrialJudges(t *testing.T) {
	for _, row := range []struct {
		long float64 // how far longer trajectories move the slow coordinate, shorter ones 1
		cost int     // of longer ones, shorter ones 10
		want int
	}{{3, 20, 1}, {1, 20, 0}, {1.6, 40, 0}, {4, 40, 1}} {
		tr := newTrial(2, 1000)
		x, sign := 0.0, 1.0
		now := 0
		for i := range 1000 {
			step, cost := 1.0, 10
			if now == 1 {
				step, cost = row.long, row.cost
			}
			if x += sign * step; x > 20 || x < -20 { // there and back
				sign = -sign
			}
			tr.add(i, &Transition{Steps: cost}, []float64{x, float64(i%2) * 3})
			now = tr.candidate(i + 1)
		}
		if got := tr.best(); got != row.want {
			t.Errorf("%v times as far at %d: %d extra doublings, want %d", row.long, row.cost, got, row.want)
		}
	}
}
