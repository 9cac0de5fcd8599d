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

	// MetricNorm is max(max_i √G_ii |Δq_i|, max_i √(G⁻¹)_ii |Δp_i|), with the metric G where the
	// step starts. 1/√G_ii is the standard deviation of q_i given the other coordinates that
	// the metric stands for, 1/√(G⁻¹)_ii that of p_i given the other momenta. The norm is free of units,
	// and bounds the lengths of both parts in the metric:
	//
	//	√(ΔqᵀGΔq) ≤ m|Δ|,  √(ΔpᵀG⁻¹Δp) ≤ m|Δ|.
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

// Units writes the reciprocal units of a norm at the position q to u[2m], so that the norm of Δ is
// max u_i|Δ_i|: ones for MaxNorm, and √G_ii, then √(G⁻¹)_ii, for MetricNorm. A status other than
// OK tells that there is no metric at q.
func Units(s System, n Norm, u, q []float64) Status {
	if n == MaxNorm {
		Ones(u)
		return OK
	}
	m := len(u) / 2
	return s.Units(u[:m], u[m:], q)
}

// Ones sets all elements of u to 1.
func Ones(u []float64) {
	for i := range u {
		u[i] = 1
	}
}

// distance returns max_i u_i|a_i − b_i|, NaN if there is one.
func distance(a, b, u []float64) float64 {
	d := 0.0
	for i, x := range a {
		d = max(d, u[i]*math.Abs(x-b[i]))
	}
	return d
}

// Units writes √G_ii to uq and √(G⁻¹)_ii to up.
func (s *GenericSystem) Units(uq, up, q []float64) Status {
	at := s.here.at(q)
	if st := s.factor(at); st != OK {
		return st
	}
	at.chol.Units(uq, up)
	return OK
}

// Units writes √M_ii to uq and √(M⁻¹)_ii to up.
func (e *Euclidean) Units(uq, up, _ []float64) Status {
	if e.variance != nil {
		for i, x := range e.variance {
			up[i] = math.Sqrt(x)
			uq[i] = 1 / up[i]
		}
		return OK
	}
	// The factor is that of M⁻¹.
	e.factor.Units(up, uq)
	return OK
}
