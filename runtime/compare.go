package runtime

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/hamc-dev/hamc/runtime/random"
)

// Difference is the worst disagreement found in one quantity.
type Difference struct {
	Quantity string
	Relative float64 // |A − B| relative to the largest entry of A and B at that point
	Point    int     // index into the points
	Entry    []int   // indices of the entry; empty for a scalar
	A, B     float64
}

// Report lists the worst difference of every quantity compared.
type Report []Difference

// Worst returns the largest relative difference.
func (r Report) Worst() float64 {
	worst := 0.0
	for _, d := range r {
		worst = max(worst, d.Relative)
	}
	return worst
}

// String returns a line per quantity.
func (r Report) String() string {
	var b strings.Builder
	for _, d := range r {
		fmt.Fprintf(&b, "%-15s %.2e", d.Quantity, d.Relative)
		if d.Relative > 0 {
			fmt.Fprintf(&b, "  at point %d", d.Point)
			if len(d.Entry) > 0 {
				fmt.Fprintf(&b, ", entry %v", d.Entry)
			}
			fmt.Fprintf(&b, ": %.17g against %.17g", d.A, d.B)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// Compare evaluates two models at unconstrained points and reports the worst
// relative difference of the log density, the gradient, the metric, the
// contraction with a symmetric matrix (drawn at random, the same for both
// models), the full derivative of the metric, and the constrained parameters.
// Log densities are compared as differences from the first point where both are
// finite, since models may drop constants. Equal infinities and two NaNs agree;
// a NaN against a number is an infinite difference.
//
// The error is about points or models that do not fit together.
func Compare(a, b Model, points [][]float64) (Report, error) {
	n := a.Info().Dim()
	if k := b.Info().Dim(); k != n {
		return nil, fmt.Errorf("%s has %d coordinates and %s has %d", a.Info().Name, n, b.Info().Name, k)
	}
	values := a.Info().Size()
	if k := b.Info().Size(); k != values {
		return nil, fmt.Errorf("%s has %d values and %s has %d", a.Info().Name, values, b.Info().Name, k)
	}
	if err := checkPoints(points, n); err != nil {
		return nil, err
	}
	sides := [2]evaluation{newEvaluation(n, values), newEvaluation(n, values)}
	r := newReport("log density", "gradient", "metric", "contraction", "metric jacobian", "parameters")
	var base [2]float64
	based := false
	w := make([]float64, n*n)
	for i, q := range points {
		symmetric(w, n, i)
		sides[0].at(a, q, w)
		sides[1].at(b, q, w)
		ea, eb := &sides[0], &sides[1]
		la, lb := ea.logp, eb.logp
		if !based && isFinite(la) && isFinite(lb) {
			base, based = [2]float64{la, lb}, true
		}
		// The differences carry the rounding of the values themselves.
		scale := max(math.Abs(la), math.Abs(base[0]))
		r[0].note(i, []float64{la - base[0]}, []float64{lb - base[1]}, scale, nil)
		r[1].note(i, ea.grad, eb.grad, 0, []int{n})
		r[2].note(i, ea.metric, eb.metric, 0, []int{n, n})
		r[3].note(i, ea.contraction, eb.contraction, 0, []int{n})
		r[4].note(i, ea.jacobian, eb.jacobian, 0, []int{n, n, n})
		r[5].note(i, ea.params, eb.params, 0, []int{values})
	}
	return r, nil
}

// CheckGradients compares the derivatives of a model with differences of its
// own functions: the gradient with that of LogDensity, the metric Jacobian with
// that of Metric, the contraction with the metric Jacobian contracted, and
// Unconstrain with the inverse of Constrain, where several coordinates have the same values with one of them. The finite differences are central
// and extrapolated (Ridders 1982); away from the edge of the domain they are
// good for some ten digits. A is the model's value, B the check's.
func CheckGradients(m Model, points [][]float64) (Report, error) {
	n := m.Info().Dim()
	if err := checkPoints(points, n); err != nil {
		return nil, err
	}
	r := newReport("gradient", "metric jacobian", "contraction", "unconstrain")
	e := newEvaluation(n, m.Info().Size())
	w := make([]float64, n*n)
	grad := make([]float64, n)
	jacobian := make([]float64, n*n*n)
	contraction := make([]float64, n)
	back := make([]float64, n)
	for i, q := range points {
		symmetric(w, n, i)
		e.at(m, q, w)
		differentiate(grad, q, 1, func(out, q []float64) { out[0] = m.LogDensity(q) })
		differentiate(jacobian, q, n*n, m.Metric)
		clear(contraction)
		for ij, wij := range w {
			for k := range contraction {
				contraction[k] += float64(wij * e.jacobian[ij*n+k])
			}
		}
		if err := m.Unconstrain(back, e.params); err != nil {
			return nil, fmt.Errorf("point %d: %w", i, err)
		}
		r[0].note(i, e.grad, grad, 0, []int{n})
		r[1].note(i, e.jacobian, jacobian, 0, []int{n, n, n})
		r[2].note(i, e.contraction, contraction, 0, []int{n})
		if again := make([]float64, len(e.params)); !roughly(back, q) {
			if m.Constrain(again, back); roughly(again, e.params) { // the direction of a vector of length 1 has coordinates of any length
				copy(back, q)
			}
		}
		r[3].note(i, back, q, 0, []int{n})
	}
	return r, nil
}

// roughly reports whether numbers agree but for rounding.
func roughly(a, b []float64) bool {
	for i := range a {
		if !(math.Abs(a[i]-b[i]) <= 1e-13*max(1, math.Abs(b[i]))) {
			return false
		}
	}
	return true
}

// CheckBlock is CheckGradients for one block of a Gibbs at points of the whole
// posterior p: each sets the other blocks' parameters, and the block's own
// coordinates are where its functions are compared.
func CheckBlock(p Posterior, b Conditional, points [][]float64) (Report, error) {
	if err := checkPoints(points, p.Info().Dim()); err != nil {
		return nil, err
	}
	var worst Report
	for i, q := range points {
		if st := b.Given(q); st != OK && st != NotPositiveDefinite {
			return nil, fmt.Errorf("point %d: the other parameters leave the block %s without a metric: %v", i, b.Info().Name, st)
		}
		r, err := CheckGradients(b, [][]float64{Gather(p.Info(), b.Info(), q)})
		if err != nil {
			return nil, err
		}
		for k := range r {
			r[k].Point = i
			if worst == nil {
				continue
			}
			if !(r[k].Relative > worst[k].Relative) {
				r[k] = worst[k]
			}
		}
		worst = r
	}
	return worst, nil
}

// Gather returns the coordinates of a block's parameters among those of the
// whole posterior. The block's names are the posterior's.
func Gather(whole, block *Info, q []float64) []float64 {
	var out []float64
	for i := range block.Params {
		at := 0
		for j := range whole.Params {
			if whole.Params[j].Name == block.Params[i].Name {
				out = append(out, q[at:at+whole.Params[j].Dim()]...)
			}
			at += whole.Params[j].Dim()
		}
	}
	return out
}

// Scatter writes the coordinates of a block's parameters to those of the whole
// posterior.
func Scatter(whole, block *Info, q, own []float64) {
	for i := range block.Params {
		at := 0
		for j := range whole.Params {
			if whole.Params[j].Name == block.Params[i].Name {
				own = own[copy(q[at:at+whole.Params[j].Dim()], own):]
			}
			at += whole.Params[j].Dim()
		}
	}
}

func checkPoints(points [][]float64, n int) error {
	if len(points) == 0 {
		return errors.New("no points to compare at")
	}
	for i, q := range points {
		if len(q) != n {
			return fmt.Errorf("point %d has %d coordinates, the model has %d", i, len(q), n)
		}
	}
	return nil
}

// evaluation holds everything a model says of one point.
type evaluation struct {
	logp                                        float64
	grad, metric, contraction, jacobian, params []float64
}

// newEvaluation has room for n coordinates and a number of values of the parameters.
func newEvaluation(n, values int) evaluation {
	return evaluation{
		grad:        make([]float64, n),
		metric:      make([]float64, n*n),
		contraction: make([]float64, n),
		jacobian:    make([]float64, n*n*n),
		params:      make([]float64, values),
	}
}

func (e *evaluation) at(m Model, q, w []float64) {
	e.logp = m.LogDensity(q)
	m.Gradient(e.grad, q)
	m.Metric(e.metric, q)
	m.Contract(e.contraction, q, w)
	m.MetricJacobian(e.jacobian, q)
	m.Constrain(e.params, q)
}

func newReport(quantities ...string) Report {
	r := make(Report, len(quantities))
	for i, name := range quantities {
		r[i].Quantity = name
	}
	return r
}

// note takes the difference of two arrays of the given shape at a point, if it
// is the worst so far. Differences are relative to the largest entry of either,
// or to scale if that is larger.
func (d *Difference) note(point int, a, b []float64, scale float64, shape []int) {
	for i := range a {
		for _, x := range [2]float64{a[i], b[i]} {
			if isFinite(x) {
				scale = max(scale, math.Abs(x))
			}
		}
	}
	for i := range a {
		relative := math.Abs(a[i]-b[i]) / scale
		switch {
		case a[i] == b[i] || math.IsNaN(a[i]) && math.IsNaN(b[i]):
			relative = 0
		case math.IsNaN(relative):
			relative = math.Inf(1)
		}
		if relative > d.Relative {
			d.Relative, d.Point, d.A, d.B = relative, point, a[i], b[i]
			d.Entry = unflatten(i, shape)
		}
	}
}

// unflatten returns the row-major indices of entry i.
func unflatten(i int, shape []int) []int {
	entry := make([]int, len(shape))
	for d := len(shape) - 1; d >= 0; d-- {
		entry[d] = i % shape[d]
		i /= shape[d]
	}
	return entry
}

// symmetric writes the symmetric matrix of standard normals that belongs to a
// point.
func symmetric(w []float64, n, point int) {
	stream := random.New(0, 0)
	stream.Seek(0, uint64(point))
	rng := rand.New(stream)
	for i := range n {
		for j := range i + 1 {
			x := random.StandardNormal(rng)
			w[i*n+j], w[j*n+i] = x, x
		}
	}
}

// differentiate writes ∂f_i/∂q_k to out[i·m+k] for f with size values, by
// Ridders' extrapolation of central differences with steps h, h/1.6, h/1.6², …,
// keeping for every entry the tableau value with the smallest error estimate.
func differentiate(out, q []float64, size int, f func(out, q []float64)) {
	const (
		levels = 17 // from 0.05 to 3e-5: scales differ much within one model
		shrink = 1.6
	)
	m := len(q)
	x := append([]float64(nil), q...)
	up, down := make([]float64, size), make([]float64, size)
	best := make([]float64, size)
	var rows [2][levels][]float64
	for i := range levels {
		rows[0][i], rows[1][i] = make([]float64, size), make([]float64, size)
	}
	for k := range m {
		for i := range best {
			best[i] = math.Inf(1)
			out[i*m+k] = math.NaN()
		}
		h := float64(0.05 * max(1, math.Abs(q[k])))
		for level := range levels {
			row, above := &rows[level%2], &rows[(level+1)%2]
			hi, lo := q[k]+h, q[k]-h
			x[k] = hi
			f(up, x)
			x[k] = lo
			f(down, x)
			x[k] = q[k]
			for i := range size {
				row[0][i] = (up[i] - down[i]) / (hi - lo)
			}
			factor := 1.0
			for j := 1; j <= level; j++ {
				factor = float64(factor * (shrink * shrink))
				for i := range size {
					row[j][i] = (float64(factor*row[j-1][i]) - above[j-1][i]) / (factor - 1)
					e := max(math.Abs(row[j][i]-row[j-1][i]), math.Abs(row[j][i]-above[j-1][i]))
					if e < best[i] {
						best[i] = e
						out[i*m+k] = row[j][i]
					}
				}
			}
			h /= shrink
		}
	}
}
