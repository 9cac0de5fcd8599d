package runtime

import (
	"fmt"
	"math"
	"slices"
)

// Norm says how differences in phase space are measured: what a solve has left over, how far off a
// step back ends, how far an audited trajectory is from reversible.
type Norm uint8

// The norms of a difference Δ = (Δq, Δp).
const (
	// MaxNorm is the paper's max|Δ_i|, over coordinates and momenta as they are. It depends
	// on the units of the parameters: a tolerance of 1e-6 is coarse for a parameter of 1e-5, or
	// for the momentum of one of 1e6.
	MaxNorm Norm = iota

	// MetricNorm is the length √(ΔqᵀGΔq + ΔpᵀG⁻¹Δp) in the metric G where a solve evaluated it last. It is
	// free of units: 1 is a standard deviation of what the metric stands for, in any direction.
	MetricNorm
)

var normNames = [...]string{"max", "metric"}

// String returns the name that ParseNorm reads.
func (n Norm) String() string {
	if int(n) < len(normNames) {
		return normNames[n]
	}
	return fmt.Sprintf("Norm(%d)", uint8(n))
}

// ParseNorm reads max or metric.
func ParseNorm(name string) (Norm, error) {
	if i := slices.Index(normNames[:], name); i >= 0 {
		return Norm(i), nil
	}
	return 0, fmt.Errorf("unknown norm %q: expected metric or max", name)
}

// MarshalText writes the name of n.
func (n Norm) MarshalText() ([]byte, error) { return []byte(n.String()), nil }

// UnmarshalText reads a name as ParseNorm does.
func (n *Norm) UnmarshalText(text []byte) (err error) {
	*n, err = ParseNorm(string(text))
	return err
}

// Distance returns the norm n of the difference (dq, dp) at the position q of s, NaN if there is one, or a
// status that tells why there is no metric at q. Either part may be nil, which stands for zeros.
func (n Norm) Distance(s System, q, dq, dp []float64) (float64, Status) {
	if n == MaxNorm {
		return Largest(dq, dp), OK
	}
	return s.Length(q, dq, dp)
}

// Largest returns max|x_i| over all slices, NaN if there is one.
func Largest(xs ...[]float64) float64 {
	d := 0.0
	for _, x := range xs {
		for _, v := range x {
			d = max(d, math.Abs(v)) // which keeps a NaN
		}
	}
	return d
}

// Length returns √(dqᵀG(q)dq + dpᵀG(q)⁻¹dp).
func (s *GenericSystem) Length(q, dq, dp []float64) (float64, Status) {
	at := s.here.at(q)
	if st := s.factor(at); st != OK {
		return math.NaN(), st
	}
	sum := 0.0
	if dq != nil {
		sum += at.chol.Form(dq)
	}
	if dp != nil {
		sum += at.chol.Quad(dp)
	}
	return math.Sqrt(sum), OK
}

// Length returns √(dqᵀM dq + dpᵀM⁻¹dp).
func (e *Euclidean) Length(_, dq, dp []float64) (float64, Status) {
	if e.sparse != nil {
		return math.Sqrt(e.sparse.forms(dq, dp)), OK
	}
	sum := 0.0
	// The factor is that of M⁻¹.
	if dq != nil {
		sum += e.factor.Quad(dq)
	}
	if dp != nil {
		sum += e.factor.Form(dp)
	}
	return math.Sqrt(sum), OK
}
