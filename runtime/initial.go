package runtime

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

// maxInitTries is how many random starting points a chain tries, as in Stan.
const maxInitTries = 100

// initialRadius bounds the coordinates of random starting points, as in Stan.
const initialRadius = 2

// Point holds values of all parameters on their own scale. One that is NaN is not
// given: null in JSON.
type Point []float64

// MarshalJSON writes the values, null for NaN.
func (p Point) MarshalJSON() ([]byte, error) {
	values := make([]*float64, len(p))
	for i := range p {
		if p[i] == p[i] {
			values[i] = &p[i]
		}
	}
	return json.Marshal(values)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (p *Point) UnmarshalJSON(text []byte) error {
	var values []*float64
	if err := json.Unmarshal(text, &values); err != nil {
		return err
	}
	*p = make(Point, len(values))
	for i, v := range values {
		(*p)[i] = math.NaN()
		if v != nil {
			(*p)[i] = *v
		}
	}
	return nil
}

// complete reports whether all values are given.
func (p Point) complete() bool {
	for _, v := range p {
		if v != v {
			return false
		}
	}
	return true
}

// StartError tells that a chain has no starting point.
type StartError struct {
	Chain int // from 1

	// Q holds the unconstrained coordinates of the point: of one that was given, or of
	// the first that was drawn and refused for the most frequent reason. It is nil where the
	// parameters themselves are out of range.
	Q []float64

	Err error // the reason
}

// Error tells the chain and the reason.
func (e *StartError) Error() string { return fmt.Sprintf("chain %d: %v", e.Chain, e.Err) }

// Unwrap returns the reason.
func (e *StartError) Unwrap() error { return e.Err }

// StartErrors are those of all chains that have no starting point, as one error of several
// lines.
type StartErrors []*StartError

// Error tells each chain and its reason on a line.
func (e StartErrors) Error() string {
	var lines []string
	for _, x := range e {
		lines = append(lines, x.Error())
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns the errors of the chains.
func (e StartErrors) Unwrap() []error {
	var list []error
	for _, x := range e {
		list = append(list, x)
	}
	return list
}

// start writes the starting point of a chain to q: x on the parameters' own
// scale where given, else uniform on (−2, 2) of the unconstrained scale. Log
// density, gradient, and metric must be finite there and the metric positive
// definite. The error, which does not know the chain, has the point that is to blame.
func start(s *Sweep, q []float64, x Point, rng *rand.Rand) *StartError {
	if x != nil && x.complete() {
		if err := s.Posterior.Unconstrain(q, x); err != nil {
			return &StartError{Err: fmt.Errorf("starting point: %w", err)}
		}
		if reason := unusable(s, q); reason != "" {
			return &StartError{Q: slices.Clone(q), Err: fmt.Errorf("starting point: %s there: give another, or none to have one drawn", reason)}
		}
		return nil
	}
	// A slice, not a map, so that the message is the same in every run.
	var reasons []string
	var counts []int
	var points [][]float64 // the first for each reason
	drawn := make([]float64, len(q))
	for range maxInitTries {
		for i := range q {
			q[i] = initialRadius * (2*rng.Float64() - 1)
		}
		if x != nil {
			s.Posterior.Constrain(drawn, q)
			for i, v := range x {
				if v == v {
					drawn[i] = v
				}
			}
			if err := s.Posterior.Unconstrain(q, drawn); err != nil {
				return &StartError{Err: fmt.Errorf("starting point: %w", err)}
			}
		}
		reason := unusable(s, q)
		if reason == "" {
			return nil
		}
		i := 0
		for i < len(reasons) && reasons[i] != reason {
			i++
		}
		if i == len(reasons) {
			reasons, counts, points = append(reasons, reason), append(counts, 0), append(points, slices.Clone(q))
		}
		counts[i]++
	}
	parts := make([]string, len(reasons))
	most := 0
	for i, reason := range reasons {
		parts[i] = fmt.Sprintf("%s in %d", reason, counts[i])
		if counts[i] > counts[most] {
			most = i
		}
	}
	return &StartError{Q: points[most], Err: fmt.Errorf("no starting point: of %d drawn uniformly on (−%d, %d) of the unconstrained scale, %s: give starting values, or check the model and its data",
		maxInitTries, initialRadius, initialRadius, strings.Join(parts, ", "))}
}

// unusable says why a chain cannot start at q, or nothing.
func unusable(s *Sweep, q []float64) string {
	grad := make([]float64, len(q))
	if l := s.Posterior.Gradient(grad, q); !isFinite(l) {
		return fmt.Sprintf("the log density is %v", l)
	}
	if !allFinite(grad) {
		return "the gradient of the log density is not finite"
	}
	for i := range s.blocks {
		b := &s.blocks[i]
		st := s.enter(i, q)
		if st == OK {
			_, _, st = b.system.Energy(b.q, make([]float64, len(b.q)))
		}
		of := ""
		if b.given != nil {
			of = " of the block " + s.Names[i]
		}
		switch st {
		case OK:
		case NotPositiveDefinite:
			return "the metric" + of + " is not positive definite"
		case NonFinite:
			return "the metric" + of + " is not finite"
		default:
			return fmt.Sprintf("the metric%s cannot be computed (%v)", of, st)
		}
	}
	return ""
}
