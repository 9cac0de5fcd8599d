package runtime

import (
	"fmt"
	"math"
	"slices"

	"github.com/hamc-dev/hamc/runtime/elementary"
)

// Solver holds the settings of the fixed-point solves of an implicit step
// (Algorithm 1 of the paper): iterate until the Norm of the change Δ is at most Tolerance.
type Solver struct {
	Tolerance     float64 // δ
	Norm          Norm    // of Δ
	MaxIterations int     // limit of one solve
	Method        Method

	// StopStalled ends a solve that MaxIterations would end as well if its
	// residual went on falling at the rate seen between iterations k and
	// 2k (k = 16, 32, 64, …). No stopping rule on iterates is symmetric in
	// time, so a transition that uses it checks the reversibility of what
	// it accepts.
	StopStalled bool
}

// Method is how the equations of an implicit step are solved. GLF(a) and IM(a) are the paper's
// plain algorithms and iterate plainly.
type Method uint8

// The methods.
const (
	// DefaultMethod stands for Anderson where there are more than two coordinates,
	// and for FixedPoint elsewhere: with one or two, the arithmetic of the acceleration
	// costs more than the iterations that it saves. A step takes it for FixedPoint.
	DefaultMethod Method = iota

	// FixedPoint is Algorithm 1 of the paper.
	FixedPoint

	// Anderson is FixedPoint with the iterates of Accelerator, for IM(b). GLF(b) takes it
	// for FixedPoint.
	Anderson

	// Newton is Newton's method with the exact Jacobian, for GLF(b) and IM(b). IM(b) needs a
	// model that is Curved, and takes it for FixedPoint without.
	Newton
)

var methodNames = [...]string{"default", "fixed-point", "anderson", "newton"}

// String returns the name that ParseMethod reads.
func (m Method) String() string {
	if int(m) < len(methodNames) {
		return methodNames[m]
	}
	return fmt.Sprintf("Method(%d)", uint8(m))
}

// ParseMethod reads default, fixed-point, anderson or newton.
func ParseMethod(name string) (Method, error) {
	if i := slices.Index(methodNames[:], name); i >= 0 {
		return Method(i), nil
	}
	return 0, fmt.Errorf("unknown solver %q: expected default, fixed-point, anderson or newton", name)
}

// MarshalText writes the name of m.
func (m Method) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalText reads a name as ParseMethod does.
func (m *Method) UnmarshalText(text []byte) (err error) {
	*m, err = ParseMethod(string(text))
	return err
}

// Resolve returns the method that m stands for with a number of coordinates.
func (m Method) Resolve(coordinates int) Method {
	switch {
	case m != DefaultMethod:
		return m
	case coordinates > 2:
		return Anderson
	}
	return FixedPoint
}

// firstCheck is the first iteration at which a solve is looked at more
// closely. Converging solves rarely get there, so the look costs nothing.
const firstCheck = 16

// FirstCheck returns the first iteration k at which a solve that has not yet
// converged must call Check.
func (s *Solver) FirstCheck() int {
	return max(1, min(firstCheck, s.MaxIterations))
}

// Check judges a solve that has not converged after k iterations, with the
// residual, the norm of Δ, of iteration k and the residual at the previous check (+Inf
// at the first). It returns OK and the iteration of the next check, or the
// reason to give up.
//
// Inlined into a step it would take registers from the loop that seldom calls
// it: 15 to 20 % of the time of a step of two dimensions.
//
//go:noinline
func (s *Solver) Check(k int, residual, previous float64) (next int, st Status) {
	switch {
	case math.IsNaN(residual) || math.IsInf(residual, 0):
		return k, NonFinite
	case k >= s.MaxIterations:
		return k, IterationLimit
	case s.StopStalled && !s.arrives(k, residual, previous):
		return k, Stalled
	}
	return min(2*k, s.MaxIterations), OK
}

// arrives tells whether a solve reaches δ within the limit if its residual r
// goes on falling as it has from r₀ since the previous check, at iteration k/2:
//
//	k + ½k log(r/δ)/log(r₀/r) ≤ MaxIterations.
//
// Solves that do not converge end in limit cycles as a rule. There the residual
// may fall for ever by less and less, or be the smaller of two samples by
// chance, so that any fall at all says little.
func (s *Solver) arrives(k int, residual, previous float64) bool {
	if math.IsInf(previous, 1) {
		return true // the first check
	}
	rate := elementary.Log(previous/residual) / float64(k-k/2)
	goal := elementary.Log(max(s.Tolerance, math.SmallestNonzeroFloat64))
	return rate*float64(s.MaxIterations-k) >= elementary.Log(residual)-goal
}
