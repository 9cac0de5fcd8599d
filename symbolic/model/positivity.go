package model

import (
	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/symbolic/expr"
)

// positivity proves that a derived metric is positive definite, or says where
// it may fail. A metric is a sum of contributions, each of which is
//
//   - positive semidefinite: expected information of data terms, or the
//     negative Hessian of a log-concave term in an affine predictor;
//   - positive definite on the coordinates of one parameter: the negative
//     Hessian of its prior and Jacobian, or the information of a data term about
//     it, where the sign of the diagonal is plain;
//   - of unknown sign.
//
// A scalar that no entry of the metric couples to others is covered where its entry
// is positive. The sum is positive definite if none is of the third kind and every block is
// covered by one of the second.
type positivity struct {
	p        *Posterior
	covered  []bool
	explicit bool // the user gave (part of) the metric: nothing to prove
	unknown  []finding
	term     *dsl.MetricTerm
}

type finding struct {
	at   dsl.Span
	what string
}

func newPositivity(p *Posterior) *positivity {
	return &positivity{p: p, covered: make([]bool, len(p.Params))}
}

func (v *positivity) coverAll() {
	for i := range v.covered {
		v.covered[i] = true
	}
}

func (v *positivity) given() { v.explicit = true }

// isolated marks the scalars that are parts of their own with a positive entry.
func (v *positivity) isolated(m *Metric) {
	for _, part := range m.Parts {
		if part.Spine >= 0 || len(part.Border) != 1 {
			continue
		}
		n := part.Border[0]
		for _, b := range m.Blocks {
			if b.Row == n && b.Col == n && b.A == nil && v.p.C.Sign(b.E) == expr.Positive {
				v.covered[n] = true
			}
		}
	}
	if v.term != nil && v.term.Expected {
		v.pin()
	}
}

// logConcave lists the distributions whose log density is concave in an affine
// argument, with that argument's position.
var logConcave = map[string]int{
	"normal": 0, "multi_normal": 0, "bernoulli_logit": 0, "binomial_logit": 1, "poisson_log": 0,
	"binomial": 1, "neg_binomial_2_log": 0, "logistic": 0, "gumbel": 0,
	"double_exponential": 0, "skew_double_exponential": 0, "skew_normal": 0, "exp_mod_normal": 0, "geometric": 0,
}

// derived examines the terms of `fisher` or `hessian`.
func (v *positivity) derived(t *dsl.MetricTerm, hessian bool) {
	v.term = t
	p, c := v.p, v.p.C
	if t.Expected {
		v.expected()
		return
	}
	own := make([]*expr.Expr, len(p.Params))
	for n, b := range p.Params {
		own[n] = b.logJacobian(c)
	}
	for _, term := range p.Terms {
		dist := term.Term.Dist
		block, several := v.soleBlock(term)
		switch {
		case block < 0:
			// Free of the coordinates.
		case dist != nil && !p.leftIsParam(term) && !hessian:
			// Expected information is positive semidefinite.
			v.coverByData(t, term)
		case dist == nil && !hessian && p.mentionsData(term.L):
			// So are the squares of scores.
		case dist != nil && p.leftIsParam(term) && v.concaveResidual(term) && (several || !v.onDiagonal(term, block)):
			// So is the negative Hessian of a log-concave density in an
			// affine residual.
		case dist != nil && !p.leftIsParam(term) && v.concave(term):
		case block >= 0 && !several && (dist == nil && !p.mentionsData(term.L) || dist != nil && p.leftIsParam(term)):
			own[block] = c.Add(own[block], term.L)
		default:
			v.unknown = append(v.unknown, finding{term.Term.At, "the Hessian of this term may have negative eigenvalues"})
		}
	}
	for n, b := range p.Params {
		ai, a := b.Index(c, "j")
		bi, s := b.Index(c, "l")
		h := c.Neg(p.secondDerivative(own[n], n, n, a, s))
		if ai != nil && !h.IsNum(0) {
			if d := c.StripDelta(h, ai, bi); d != nil {
				h = d
			} else if len(b.Decl.Type.Shape) > 0 && v.multiNormal(n) {
				v.covered[n] = true
				continue
			} else {
				v.unknown = append(v.unknown, finding{b.Decl.Declared(), "the prior of `" + b.Decl.ObjectName() + "` has a Hessian that is not diagonal"})
				continue
			}
		}
		switch {
		case c.Sign(h) == expr.Positive:
			v.covered[n] = true
		case c.Sign(h) == expr.UnknownSign:
			v.unknown = append(v.unknown, finding{b.Decl.Declared(), "the negative Hessian of the prior of `" + b.Decl.ObjectName() + "`" + told(h) + " is negative somewhere"})
		}
	}
}

// coverByData marks the vector parameters about whose elements a data term has
// positive information of each alone.
func (v *positivity) coverByData(t *dsl.MetricTerm, term *PosteriorTerm) {
	p, c := v.p, v.p.C
	info := p.information(&Diagnosed{}, t, term)
	if info == nil {
		return
	}
	for n, b := range p.Params {
		ai, a := b.Index(c, "j")
		bi, s := b.Index(c, "l")
		if ai == nil {
			continue
		}
		if d := c.StripDelta(info(n, n, a, s), ai, bi); d != nil && c.Sign(d) == expr.Positive {
			v.covered[n] = true
		}
	}
}

// concaveResidual reports whether a prior term is that of a normal residual that
// is affine in the coordinates, with a scale free of them.
func (v *positivity) concaveResidual(t *PosteriorTerm) bool {
	if t.Term.Dist.Name != "normal" || v.p.argDepends(t.Args[1]) {
		return false
	}
	p, c := v.p, v.p.C
	residual := c.Sub(t.Left.At(), t.Args[0].At())
	held := expr.Coordinates(residual)
	for r := range p.Params {
		for q := 0; q <= r && held[p.Params[r].Coord]; q++ {
			if !held[p.Params[q].Coord] {
				continue
			}
			_, x := p.Params[r].Index(c, "j")
			_, y := p.Params[q].Index(c, "l")
			if !p.secondDerivative(residual, r, q, x, y).IsNum(0) {
				return false
			}
		}
	}
	return true
}

// onDiagonal reports whether the Hessian of a term about its one parameter is
// diagonal.
func (v *positivity) onDiagonal(t *PosteriorTerm, n int) bool {
	p, c := v.p, v.p.C
	ai, a := p.Params[n].Index(c, "j")
	bi, s := p.Params[n].Index(c, "l")
	return ai == nil || c.StripDelta(p.secondDerivative(t.L, n, n, a, s), ai, bi) != nil
}

// multiNormal reports whether a block's only prior is a multi_normal of its
// coordinates with a fixed mean.
func (v *positivity) multiNormal(block int) bool {
	n := 0
	for _, t := range v.p.Terms {
		if t.Term.Dist != nil && v.p.leftIsParam(t) && v.p.ownBlock(t) == block {
			if t.Term.Dist.Name != "multi_normal" || v.p.argDepends(t.Args[0]) {
				return false
			}
			n++
		}
	}
	return n == 1
}

// soleBlock returns the block that a term depends on, and whether there are
// several.
func (v *positivity) soleBlock(t *PosteriorTerm) (block int, several bool) {
	block = -1
	for n, b := range v.p.Params {
		if expr.Mentions(t.L, b.Coord) {
			if block >= 0 {
				return block, true
			}
			block = n
		}
	}
	return block, false
}

// concave reports whether a data term is concave: its distribution is in the
// list and depends on the coordinates through an affine argument only.
func (v *positivity) concave(t *PosteriorTerm) bool {
	pos, ok := logConcave[t.Term.Dist.Name]
	if !ok {
		return false
	}
	p, c := v.p, v.p.C
	for n, a := range t.Args {
		if n != pos {
			if p.argDepends(a) {
				return false
			}
			continue
		}
		subs := make([]expr.Sub, len(a.Shape))
		for m := range subs {
			subs[m] = expr.Sub{Index: c.NewIndex("i", expr.UpTo(a.Shape[m]))}
		}
		e := a.At(subs...)
		for r := range p.Params {
			for q := 0; q <= r; q++ {
				_, x := p.Params[r].Index(c, "j")
				_, y := p.Params[q].Index(c, "l")
				if !p.secondDerivative(e, r, q, x, y).IsNum(0) {
					return false
				}
			}
		}
	}
	return true
}

// expected proves fisher(prior = expected).
func (v *positivity) expected() {
	p := v.p
	for _, t := range p.Terms {
		if t.Term.Dist == nil && !p.mentionsData(t.L) {
			v.unknown = append(v.unknown, finding{t.Term.At, "the Hessian of this term may have negative eigenvalues"})
		}
	}
	v.pin()
}

// pin marks the blocks that their priors pin: in an order in which the arguments
// of a block's prior depend on earlier blocks only.
func (v *positivity) pin() {
	p := v.p
	for changed := true; changed; {
		changed = false
		for _, t := range p.Terms {
			if t.Term.Dist == nil || !p.leftIsParam(t) {
				continue
			}
			own := p.ownBlock(t)
			if own < 0 || v.covered[own] || !v.wholeBlock(t, own) {
				continue
			}
			ready := true
			for n, b := range p.Params {
				ready = ready && (n != own && v.covered[n] || !v.argsMention(t, b.Coord))
			}
			if ready {
				v.covered[own], changed = true, true
			}
		}
	}
}

// wholeBlock reports whether a term's left side runs over all of a block.
func (v *positivity) wholeBlock(t *PosteriorTerm, block int) bool {
	if t.Term.Dist.Support.Vector() || v.p.Params[block].Scalar() {
		return true
	}
	return len(t.Indices) == 1 && t.Indices[0].Range == expr.UpTo(v.p.Params[block].Length())
}

func (v *positivity) argsMention(t *PosteriorTerm, coord *expr.Tensor) bool {
	for _, a := range t.Args {
		subs := make([]expr.Sub, len(a.Shape))
		for n := range subs {
			subs[n] = expr.Sub{Index: v.p.C.NewIndex("i", expr.UpTo(a.Shape[n]))}
		}
		if expr.Mentions(a.At(subs...), coord) {
			return true
		}
	}
	return false
}

// report turns what could not be proved into warnings.
func (v *positivity) report(d *Diagnosed) {
	if v.explicit || v.term == nil || d.Errors() { // there is no metric whose sign would matter
		return
	}
	remedy := v.remedy() + "; where this one fails, proposals are rejected and counted"
	for _, f := range v.unknown {
		d.Add(dsl.Warning, dsl.MaybeIndefinite, f.at, remedy, "the metric may not be positive definite everywhere: %s", f.what)
	}
	if len(v.unknown) > 0 {
		return
	}
	for n, ok := range v.covered {
		if !ok {
			name := v.p.Params[n].Decl.ObjectName()
			d.Add(dsl.Warning, dsl.MaybeIndefinite, v.p.Params[n].Decl.Declared(),
				"give it a proper prior, or add to the metric, as in `+ 1e-6*identity`",
				"the metric may be singular in `%s`: only the data inform it", name)
		}
	}
}

// remedy is what works in place of the metric: the expected information, if it can be derived for
// all terms and is proved to be positive definite, or no metric of the model's own. It does not name
// SoftAbs, whose derivatives are costly, and which fails near what makes this metric fail.
func (v *positivity) remedy() string {
	if !v.term.Expected && v.p.expectedWorks() {
		return "use `fisher(prior = expected)`, which is positive definite everywhere"
	}
	return "leave `metric` out, and `hamc run` adapts a Euclidean metric"
}

// expectedWorks reports whether fisher(prior = expected) exists and is proved to be positive
// definite.
func (p *Posterior) expectedWorks() bool {
	for _, t := range p.Terms {
		if t.Term.Dist != nil && p.leftIsParam(t) && p.withoutJointInformation(t) != "" {
			return false // without deriving anything
		}
	}
	block, other := *p.Block, *p
	block.Metric = []*dsl.MetricTerm{{At: p.Block.Metric[0].At, Kind: dsl.MetricFisher, Expected: true}}
	other.Block = &block
	var d Diagnosed
	other.DeriveMetric(&d)
	return len(d.List) == 0
}

// maxTold is the length of the longest formula that a message holds.
const maxTold = 500

// told is a formula set off by commas, or nothing if nobody would read it.
func told(e *expr.Expr) string {
	text := expr.Format(e)
	if len(text) > maxTold {
		return ""
	}
	return ", " + text + ","
}
