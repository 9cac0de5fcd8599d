package model

import (
	"fmt"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/symbolic/expr"
)

// Diagnosed collects the diagnostics of the calculus.
type Diagnosed struct {
	List []dsl.Diagnostic
}

// Add adds a diagnostic.
func (d *Diagnosed) Add(sev dsl.Severity, code dsl.Code, at dsl.Span, hint, format string, args ...any) {
	d.List = append(d.List, dsl.Diagnostic{Severity: sev, Code: code, Span: at, Hint: hint, Message: fmt.Sprintf(format, args...)})
}

// Errors reports whether one of them is an error.
func (d *Diagnosed) Errors() bool {
	for i := range d.List {
		if d.List[i].Severity == dsl.Error {
			return true
		}
	}
	return false
}

// Largest returns the statement to blame for a model that is too large: that which was being
// elaborated or, of all, the one with the most nodes behind it.
func (p *Posterior) Largest() dsl.Span {
	if p.at.Pos.Line > 0 {
		return p.at
	}
	at, most := dsl.Span{Pos: dsl.Pos{Line: 1, Col: 1}, Len: 1}, 0
	for _, t := range p.Terms {
		if n := nodesBehind(t.L); n > most {
			at, most = t.Term.At, n
		}
	}
	return at
}

// nodesBehind counts the nodes of e and of what it refers to.
func nodesBehind(e *expr.Expr) int {
	n := 0
	expr.Search(e, expr.StageConst, func(*expr.Expr) bool { n++; return false })
	return n
}

// Refuse is the message on a model that is too large.
func (d *Diagnosed) Refuse(p *Posterior) {
	hint := "write what repeats with vectors and sums"
	if len(p.Model.Lets) > 0 {
		hint = "shorten the chain of definitions, or " + hint
	}
	switch {
	case len(p.Model.Solves) > 0 && len(p.Model.Params) >= manyParams/2:
		hint = "a solution has sensitivities to each pair of the parameters that it depends on: give the equation fewer"
	case p.scalars() >= manyParams:
		hint = "make one vector parameter of the scalars"
	}
	if p.derivesMetric() {
		hint += ", or use a metric that needs fewer derivatives, as `metric identity`"
	}
	d.List = nil // warnings on what is not there
	d.Add(dsl.Error, dsl.TooLarge, p.Largest(), hint, "the derivatives of the model are too large to write out: this statement is the largest")
}

// scalars is the number of scalar parameters.
func (p *Posterior) scalars() (n int) {
	for _, x := range p.Model.Params {
		if len(x.Type.Shape) == 0 {
			n++
		}
	}
	return n
}

// derivesMetric reports whether a metric of the model is made of derivatives of the density.
func (p *Posterior) derivesMetric() bool {
	for _, b := range p.Model.Blocks {
		for _, t := range b.Metric {
			switch t.Kind {
			case dsl.MetricFisher, dsl.MetricHessian, dsl.MetricSoftAbs:
				return true
			}
		}
	}
	return false
}

// manyParams is the number of parameters from which on their number counts as the reason.
const manyParams = 12

// Spent is what a model has taken of the limits: nodes asked for, and the emission of what was derived.
type Spent struct {
	Work, Emission int
	Joint          bool // what is observed as a vector was looked into, which SmallMaps do not
}
