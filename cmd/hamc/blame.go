package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hamc-dev/hamc/cmd/hamc/internal/terminal"
	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/driver"
	"github.com/hamc-dev/hamc/runtime/ode"
	"github.com/hamc-dev/hamc/symbolic/interpret"
)

// blame says which statements of the model are at fault at the points where chains cannot
// start, each with its place and its text. A statement is named once, for the first
// chain that it keeps from starting.
func (p *plan) blame(points []driver.Refused) string {
	if s, ok := p.im.(interface{ SetODE(ode.Options) }); ok && p.request.Options.ODE != (ode.Options{}) {
		s.SetODE(p.request.Options.ODE)
	}
	var b strings.Builder
	var named []dsl.Span
	for _, at := range points {
		if len(at.Q) != p.im.Info().Dim() {
			continue
		}
		for _, f := range p.im.Faults(at.Q) {
			span, what := explain(&f, " there")
			if slices.Contains(named, span) {
				continue
			}
			named = append(named, span)
			b.WriteString(p.placed(span, fmt.Sprintf("%s (chain %d)", what, at.Chain)))
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

// blameMetric says what is wrong with a metric that is the same everywhere, with its place and its
// text. It is "" if nothing is.
func (p *plan) blameMetric() string {
	var b strings.Builder
	for _, f := range p.im.ConstantMetricFaults() {
		b.WriteString(p.placed(explain(&f, "")))
	}
	return strings.TrimRight(b.String(), "\n")
}

// placed is a message about a place in the model, with the text there.
func (p *plan) placed(at dsl.Span, what string) string {
	return fmt.Sprintf("%s:%d:%d: %s\n%s", p.model.shown(), at.Pos.Line, at.Pos.Col, what, dsl.Snippet(p.model.text, at))
}

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
