package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/hamc-dev/hamc/cmd/hamc/internal/terminal"
	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/driver"
	"github.com/hamc-dev/hamc/runtime/ode"
	"github.com/hamc-dev/hamc/symbolic/interpret"
)

// culprit is a part of a model that is to blame for points at which the model failed.
type culprit struct {
	span  dsl.Span
	what  string // is wrong at the first of the points
	first int    // of the points, counted from 0
	times int    // how many of them
}

// culprits returns the parts of a model to blame for points of unconstrained coordinates, in the
// order in which they are met, and how many of the points none is to blame for. Faults of
// the metric of another block than the one named are left out; "" stands for all blocks.
func culprits(im interpret.Posterior, points [][]float64, block string) (list []culprit, innocent int) {
	for k, q := range points {
		blamed := false
		for _, f := range im.Faults(q) {
			if f.Metric != nil && block != "" && f.Metric.ObjectName() != block {
				continue
			}
			blamed = true
			span, what := explain(&f, " there")
			i := slices.IndexFunc(list, func(c culprit) bool { return c.span == span })
			if i < 0 {
				i, list = len(list), append(list, culprit{span: span, what: what, first: k})
			}
			list[i].times++
		}
		if !blamed {
			innocent++
		}
	}
	return list, innocent
}

// write writes a culprit as compilers do, with its line of the model below: when says at which
// points, "" if at all.
func (c *culprit) write(w io.Writer, m *model, when string) {
	if when != "" {
		when = " (" + when + ")"
	}
	path, text := m.diagnostics().Place(c.span.Pos)
	fmt.Fprintf(w, "%s:%d:%d: %s%s\n%s", path, c.span.Pos.Line, c.span.Pos.Col, c.what, when, dsl.Snippet(text, c.span))
}

// blame says which statements of the model are at fault at the points where chains cannot
// start, each with its place and its text. A statement is named once, for the first
// chain that it keeps from starting.
func (p *plan) blame(points []driver.Refused) string {
	im, err := p.of.evaluator()
	if err != nil {
		return "" // it cannot be told
	}
	if s, ok := im.(solvesODE); ok && p.request.Options.ODE != (ode.Options{}) {
		s.SetODE(p.request.Options.ODE)
	}
	var at [][]float64
	var chains []int
	for _, r := range points {
		if len(r.Q) == im.Info().Dim() {
			at, chains = append(at, r.Q), append(chains, r.Chain)
		}
	}
	var b strings.Builder
	list, _ := culprits(im, at, "")
	for i := range list {
		list[i].write(&b, p.of.model, fmt.Sprintf("chain %d", chains[list[i].first]))
	}
	return strings.TrimRight(b.String(), "\n")
}

// blameMetric says what is wrong with a metric that is the same everywhere, with its place and its
// text. It is "" if nothing is.
func (p *plan) blameMetric() string {
	im, err := p.of.evaluator()
	if err != nil {
		return ""
	}
	var b strings.Builder
	for _, f := range im.ConstantMetricFaults() {
		c := &culprit{}
		c.span, c.what = explain(&f, "")
		c.write(&b, p.of.model, "")
	}
	return strings.TrimRight(b.String(), "\n")
}

// solvesODE is a model with differential equations.
type solvesODE interface{ SetODE(ode.Options) }

// explain returns the place of a fault, and says what is wrong there. The word point follows
// what a metric is: " there", or nothing if it is the same everywhere.
func explain(f *interpret.Fault, point string) (dsl.Span, string) {
	number := func(v float64) string { return terminal.Significant(4)(v + 0) } // without −0
	if f.Metric != nil {
		span := f.Metric.Metric[0].At
		if f.Row >= 0 {
			return span, fmt.Sprintf("the metric's entry of %s and %s is %s%s", f.Names[f.Row], f.Names[f.Col], number(f.Entry), point)
		}
		return span, fmt.Sprintf("the metric's least eigenvalue is %s%s, with %s the largest part of its eigenvector", number(f.Eigenvalue), point, f.Names[f.Col])
	}
	t := f.Term
	if f.Solved != runtime.OK {
		return t.At, fmt.Sprintf("the log density of this statement is %s there, because a differential equation has no solution (%s)", number(f.LogDensity), inPlainWords(f.Solved))
	}
	if f.LogDensity-f.LogDensity == 0 {
		return t.At, fmt.Sprintf("the log density of this statement is %s there, but its gradient is not finite", number(f.LogDensity))
	}
	what := fmt.Sprintf("the log density of this statement is %s there", number(f.LogDensity))
	if f.Args == nil {
		return t.At, what
	}
	own := f.Element
	var where []string
	if t.For != nil {
		own = own[:len(own)-1]
	}
	if len(own) > 0 {
		where = append(where, "element "+strings.Trim(strings.ReplaceAll(fmt.Sprint(own), " ", ","), "[]"))
	}
	if t.For != nil {
		where = append(where, fmt.Sprintf("%s = %d", t.For.ObjectName(), f.Element[len(own)]))
	}
	place := ""
	if len(where) > 0 {
		place = ", first at " + strings.Join(where, " for ")
	}
	values := []string{"the left side is " + number(f.Left)}
	for n, v := range f.Args {
		values = append(values, fmt.Sprintf("%s = %s", t.Dist.Args[n].Name, number(v)))
	}
	return t.At, fmt.Sprintf("%s%s, where %s", what, place, strings.Join(values, ", "))
}
