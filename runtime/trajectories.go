package runtime

import (
	"fmt"
	"slices"
)

// Trajectories says what ends trajectories where Tuning.Steps does not.
type Trajectories uint8

// The kinds of trajectories.
const (
	// AutoTrajectories are dynamic, but where the leapfrog with an adapted metric finds a nearly normal posterior: there they are quarters of a turn of split steps,
	// see quarter and Euclidean.StepSplit.
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
