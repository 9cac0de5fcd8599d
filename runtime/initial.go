package runtime

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// maxInitTries is how many random starting points a chain tries, as in Stan.
const maxInitTries = 100

// nearerTries is how many more it tries where these are drawn uniformly and none is of use, each from half the
// radius of the one before: of a model whose log density overflows all over the default range, which
// depends on the unit of the data.
const nearerTries = 50

// initialRadius is the default of Start.Radius, as in Stan.
const initialRadius = 2

// maxRadius is the largest Start.Radius.
const maxRadius = 100

// Start is the distribution of starting points: uniform on (−r, r) in each coordinate of
// the unconstrained scale or, of the parameters that have one, the prior. The zero Start is uniform, but for coordinates
// whose prior lies elsewhere, which are drawn from it.
type Start struct {
	// Prior draws the parameters that a PriorDrawer names from the prior. Those of a
	// point come one given the other, and given the rest, which are uniform.
	Prior bool `json:"prior,omitempty"`

	// Radius is r; 0 stands for 2.
	Radius float64 `json:"radius,omitempty"`
}

// String returns the text that ParseStart reads: uniform, uniform:RADIUS, prior or
// prior:RADIUS.
func (s Start) String() string {
	name := "uniform"
	if s.Prior {
		name = "prior"
	}
	if s.Radius != 0 {
		name += ":" + strconv.FormatFloat(s.Radius, 'g', -1, 64)
	}
	return name
}

// ParseStart returns the distribution of starting points that a text names: uniform or
// prior, for Prior, with ":RADIUS" behind it for a Radius other than the default.
func ParseStart(text string) (Start, error) {
	name, radius, ok := strings.Cut(text, ":")
	s := Start{Prior: name == "prior"}
	if !s.Prior && name != "uniform" {
		return s, fmt.Errorf("starting points from %s: expected uniform, uniform:RADIUS or prior", name)
	}
	if !ok {
		return s, nil
	}
	r, err := strconv.ParseFloat(radius, 64)
	if err != nil || !(r > 0 && r <= maxRadius) {
		return s, fmt.Errorf("radius %q of the starting points: expected a positive number of at most %d", radius, maxRadius)
	}
	s.Radius = r
	return s, nil
}

// validate returns what is wrong with s, or nil.
func (s Start) validate() error {
	if !(s.Radius >= 0 && s.Radius <= maxRadius) {
		return fmt.Errorf("radius %v of the starting points: expected a positive number of at most %d, or 0 for the default", s.Radius, maxRadius)
	}
	return nil
}

// radius returns the radius with its default.
func (s Start) radius() float64 {
	if s.Radius == 0 {
		return initialRadius
	}
	return s.Radius
}

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
	// the first that was drawn and refused for the most frequent reason; of latent vectors the values, see
	// Transported. It is nil where the parameters themselves are out of range, or could not be drawn.
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

// start writes the starting point of a chain to q, in plain coordinates: x on the parameters' own
// scale where given, else drawn from a distribution. Log density, gradient, and metric must be finite there and the metric positive
// definite. Where none of the points drawn at first is of use, draws from the prior are tried, if there are some, and then points
// nearer to the origin. The error, which does not know the chain, has the point that is to blame.
func start(s *Sweep, q []float64, x Point, from Start, rng *rand.Rand) *StartError {
	if x != nil && x.complete() {
		if err := s.carrier.unconstrain(q, x); err != nil {
			return &StartError{Err: fmt.Errorf("starting point: %w", err)}
		}
		if reason := unusable(s, s.carrier.settled(q)); reason != "" {
			return &StartError{Q: slices.Clone(q), Err: fmt.Errorf("starting point: %s there: give another, or none to have one drawn", reason)}
		}
		return nil
	}
	var refused refusals
	drawn := make([]float64, s.Posterior.Info().Size())
	radius := from.radius()
	drawer, canDraw := s.Posterior.(PriorDrawer)
	kinds := drawings(from.Prior, canDraw && len(drawer.Priors()) > 0)
	for _, kind := range kinds {
		prior := kind == drawnFromPrior
		if kind == drawnNearer {
			radius = float64(radius / (2))
		}
		for i := range q {
			q[i] = float64(radius * (float64(2*float64(rng.Float64())) - 1))
		}
		reason := ""
		switch {
		case prior:
			if reason = fromPrior(s, q, drawn, rng); reason == "" && cutOff(q, endsOf(s.Posterior.Info())) {
				reason = "a draw is where numbers end"
			}
		case from == Start{} && kind == drawnUniformly:
			s.toPrior(q, drawn, rng)
		}
		if x != nil {
			given := func() {
				for i, v := range x {
					if v == v {
						drawn[i] = v
					}
				}
			}
			s.carrier.constrain(drawn, q)
			if given(); canDraw && !allFinite(drawn) { // where the point drawn has no map
				drawer.DrawPrior(drawn, rng)
				given()
			}
			if err := s.carrier.unconstrain(q, drawn); err != nil {
				return &StartError{Err: fmt.Errorf("starting point: %w", err)}
			}
		}
		at := q
		if reason != "" {
			at = nil
		} else if reason = unusable(s, s.carrier.settled(q)); reason == "" {
			return nil
		}
		if kind == kinds[0] {
			refused.add(reason, at)
		}
	}
	how := fmt.Sprintf("uniformly on (−%v, %v) of the unconstrained scale", from.radius(), from.radius())
	nearer := fmt.Sprintf(", nor was any of %d nearer and nearer to the origin of use", nearerTries)
	switch {
	case from.Prior:
		how, nearer = "from the prior", ""
	case slices.Contains(kinds, drawnFromPrior):
		nearer = fmt.Sprintf(", nor was any of %d from the prior, and of %d nearer and nearer to the origin, of use", maxInitTries, nearerTries)
	}
	at, reasons := refused.tell()
	return &StartError{Q: at, Err: fmt.Errorf("no starting point: of %d drawn %s, %s%s: give starting values, or check the model and its data",
		maxInitTries, how, reasons, nearer)}
}

// drawing is a way to draw a starting point.
type drawing uint8

const (
	drawnUniformly drawing = iota
	drawnNearer            // uniformly, from half the interval of the last of these
	drawnFromPrior
)

// soon is how many points are drawn uniformly before the prior is asked: where none of these is of use, the scales are others, and the density may take
// long where it fails.
const soon = 20

// drawings are those of the tries, in order.
func drawings(prior, canDraw bool) (out []drawing) {
	add := func(kind drawing, n int) { out = append(out, slices.Repeat([]drawing{kind}, n)...) }
	switch {
	case prior:
		add(drawnFromPrior, maxInitTries)
		return out
	case canDraw:
		add(drawnUniformly, soon)
		add(drawnFromPrior, maxInitTries)
		add(drawnUniformly, maxInitTries-soon)
	default:
		add(drawnUniformly, maxInitTries)
	}
	add(drawnNearer, nearerTries)
	return out
}

// refusals are the reasons why points were refused. Slices, not a map, so that the message is the same in every run.
type refusals struct {
	reasons []string
	counts  []int
	points  [][]float64 // the first for each reason
}

// add counts a reason; the point is nil where there is none.
func (r *refusals) add(reason string, at []float64) {
	i := slices.Index(r.reasons, reason)
	if i < 0 {
		i = len(r.reasons)
		r.reasons, r.counts, r.points = append(r.reasons, reason), append(r.counts, 0), append(r.points, slices.Clone(at))
	}
	r.counts[i]++
}

// tell returns the first point that was refused for the most frequent reason, and the reasons with their counts.
func (r *refusals) tell() ([]float64, string) {
	parts := make([]string, len(r.reasons))
	most := 0
	for i, reason := range r.reasons {
		parts[i] = fmt.Sprintf("%s in %d", reason, r.counts[i])
		if r.counts[i] > r.counts[most] {
			most = i
		}
	}
	return r.points[most], strings.Join(parts, ", ")
}

// fromPrior draws the parameters that have a prior anew, given those at q that have none. It
// says what is wrong with the draw, or nothing; values is work space.
func fromPrior(s *Sweep, q, values []float64, rng *rand.Rand) string {
	d := s.Posterior.(PriorDrawer)
	s.carrier.constrain(values, q)
	d.DrawPrior(values, rng)
	if !allFinite(values) {
		return undrawn(d, values) + " cannot be drawn (an argument out of range, or bounds out of reach)"
	}
	if err := s.carrier.unconstrain(q, values); err != nil || !allFinite(q) {
		return "a draw has no place on the unconstrained scale"
	}
	return ""
}

// undrawn names the component whose value, in the order in which they came about, is the first that is not
// finite: others may not be so on its account.
func undrawn(d PriorDrawer, values []float64) string {
	in := d.Info()
	names := ComponentNames(in)
	for _, name := range append(WithoutPrior(d), d.Priors()...) {
		at := 0
		for i := range in.Params {
			p := &in.Params[i]
			for range p.Size() {
				if p.Name == name && !isFinite(values[at]) {
					return names[at]
				}
				at++
			}
		}
	}
	return "a parameter" // not reached: every parameter is one of those
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
