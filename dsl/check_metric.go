package dsl

import (
	"fmt"
	"sort"
	"strings"
)

// dims is the number of coordinates of a block: a constant plus symbolic
// sizes.
type dims struct {
	fixed int
	names []string
	// unknown marks a count that an earlier error spoils; it agrees with
	// everything.
	unknown bool
}

func (c *checker) dims() dims {
	d := dims{unknown: c.lostParams || c.block.lost || len(c.block.Params) == 0}
	for _, p := range c.block.Params {
		d.unknown = d.unknown || p.Type.Base == Invalid
		shape := p.Coordinates()
		if len(shape) == 0 {
			d.fixed++
			continue
		}
		e := ProductOf(shape)
		d.fixed += e.Offset
		if e.Name != "" {
			d.names = append(d.names, e.Name)
		}
	}
	sort.Strings(d.names)
	return d
}

func (d dims) equals(e Extent) bool {
	if d.unknown {
		return true
	}
	if e.Name == "" {
		return len(d.names) == 0 && d.fixed == e.Offset
	}
	return len(d.names) == 1 && d.names[0] == e.Name && d.fixed == e.Offset
}

// String is a count, as in "1 coordinate" and "n + 2 coordinates".
func (d dims) String() string {
	if len(d.names) == 0 {
		return count(d.fixed, "coordinate")
	}
	text := strings.Join(d.names, " + ")
	switch {
	case d.fixed > 0:
		text += fmt.Sprintf(" + %d", d.fixed)
	case d.fixed < 0:
		text += fmt.Sprintf(" - %d", -d.fixed)
	}
	return text + " coordinates"
}

// metricCall checks softabs(…), fisher(…), diag(…) and inverse(…) where they
// stand for metrics; it reports whether e was one.
func (c *checker) metricCall(e *CallExpr) bool {
	switch e.Func {
	case "fisher", "softabs", "monge":
	case "hessian", "identity", "auto":
		hint := fmt.Sprintf("write `metric %s`", e.Func)
		if args := textsOf(e.Args); e.Func == "identity" && len(args) == 1 {
			hint += fmt.Sprintf("; the identity matrix is `let I[i in %s, j in %[1]s] = delta(i, j)`", args[0])
		}
		c.err(MetricOption, e.At, hint, "the metric `%s` has no options", e.Func)
		bad(e)
		return true
	default:
		return false
	}
	if e.Func == "monge" {
		c.err(NotYet, e.At, "", "the metric `monge` is not in this version of the language")
		bad(e)
		return true
	}
	e.setType(Type{Base: MetricBase})
	given := map[string]bool{}
	for _, a := range e.Args {
		if a.Name != "" && given[a.Name] {
			c.err(MetricOption, a.At, "", "the option `%s` is given twice", a.Name)
			continue
		}
		given[a.Name] = true
		switch {
		case e.Func == "softabs" && a.Name == "alpha":
			c.expr(a.Expr)
			c.wantScalar(a.Expr, "alpha")
			if p := c.dependsOnParam(a.Expr); p != nil {
				c.err(NotData, a.Expr.Span(), "", "alpha may not depend on a parameter (`%s`)", p.Name)
			}
			if v, ok := c.constant(a.Expr); ok && !(v > 0) {
				c.err(MetricOption, a.Expr.Span(), "values from 1 to 1e6 are usual", "alpha is positive, not %v", v)
			}
		case e.Func == "fisher" && a.Name == "prior":
			if n, ok := a.Expr.(*Name); !ok || n.Name != "expected" {
				c.err(MetricOption, a.Expr.Span(), "write fisher(prior = expected)", "the option `prior` has the one value `expected`")
			}
		case a.Name == "":
			want := map[string]string{"softabs": "softabs(alpha = 1e6)", "fisher": "fisher(prior = expected)"}[e.Func]
			c.err(MetricOption, a.Expr.Span(), "write "+want, "the options of `%s` have names", e.Func)
		default:
			c.err(MetricOption, a.At, "", "the metric `%s` has no option `%s`", e.Func, a.Name)
		}
	}
	if e.Func == "softabs" && len(e.Args) == 0 {
		c.err(MetricOption, e.At, "write softabs(alpha = 1e6)", "softabs needs its option alpha")
	}
	return true
}

// metricBinary checks a sum of metrics, or a metric times a factor.
func (c *checker) metricBinary(e *BinaryExpr) {
	x, y := e.X.Type(), e.Y.Type()
	metricLike := func(t Type) bool { return t.Base == MetricBase || len(t.Shape) == 2 }
	switch {
	case e.Op == "+" && metricLike(x) && metricLike(y),
		e.Op == "*" && x.IsScalar() && x.Base != MetricBase && y.Base == MetricBase,
		(e.Op == "*" || e.Op == "/") && y.IsScalar() && y.Base != MetricBase && x.Base == MetricBase:
		e.setType(Type{Base: MetricBase})
	default:
		c.metricMix(e)
		bad(e)
	}
}

func (c *checker) metricMix(e *BinaryExpr) {
	c.err(MetricMix, e.At, "as in `fisher + 1e-3*identity`", "metrics are added to metrics and multiplied by positive numbers, nothing else")
}

// metric checks a metric statement and adds its terms to the block.
func (c *checker) metric(s *MetricStmt) {
	m := c.block
	switch {
	case s.Entry != nil:
		if len(m.Metric) > 0 && m.Metric[0].Kind != MetricBlocks {
			c.err(MetricMix, s.At(), "", "the metric is given whole and by blocks")
			c.note(m.Metric[0].At, "given here")
			return
		}
		if len(m.Metric) == 0 {
			m.Metric = []*MetricTerm{{At: s.At(), Kind: MetricBlocks}}
		}
		c.metricBlock(s, m.Metric[0])
		return
	case len(m.Metric) > 0:
		code, what := MetricTwice, "the metric is given twice"
		hint := "metrics are added in one statement: `metric fisher + 1e-3*identity`"
		if m.Metric[0].Kind == MetricBlocks {
			code, what, hint = MetricMix, "the metric is given whole and by blocks", ""
		}
		c.err(code, s.At(), hint, "%s", what)
		c.note(m.Metric[0].At, "given here")
		return
	case s.Indices != nil:
		c.metricIndexed(s)
		return
	}
	c.metricTerms(s.Value, nil)
	for _, t := range m.Metric {
		if t.Kind == MetricAuto && (len(m.Metric) > 1 || t.Scale != nil) {
			c.err(MetricShape, t.At, "write `metric auto`, or a sum of others", "`auto` leaves the geometry to hamc, and stands alone")
		}
	}
	if len(m.Metric) == 0 {
		// After an error: what follows is not "no metric".
		m.Metric = []*MetricTerm{{At: s.At(), Kind: MetricIdentity}}
	}
}

func (c *checker) metricIndexed(s *MetricStmt) {
	t := &MetricTerm{At: s.At(), Kind: MetricIndexed, Value: s.Value}
	c.block.Metric = append(c.block.Metric, t)
	indices, shut := c.open(s.Indices)
	defer shut()
	t.Indices = indices
	c.expr(s.Value)
	c.wantScalar(s.Value, "an entry of the metric")
	if len(indices) != 2 {
		c.err(IndexCount, s.At(), "write metric[i in k, j in k] = …", "a metric has two indices, not %d", len(indices))
		return
	}
	d := c.dims()
	if len(c.block.Params) > 1 && !c.block.lost {
		c.err(MetricShape, s.At(), "write metric[x[i], x[j]] = …, metric[x[i], v] = … and so on", "an indexed metric covers one vector parameter; %s has %d parameters", c.owner(), len(c.block.Params))
		return
	}
	for _, ix := range indices {
		if ix.Range.Hi == unknownExtent {
			continue
		}
		if ix.Range.Lo != Fixed(1) || !d.equals(ix.Range.Hi) {
			c.err(MetricShape, ix.At, "", "the index `%s` runs over %s, but %s has %s", ix.Name, ix.Range, c.owner(), d)
			return
		}
	}
}

// metricCovers reports a metric by blocks that leaves out a parameter.
func (c *checker) metricCovers(block *Block) {
	for _, t := range block.Metric {
		for _, p := range block.Params {
			if (t.Kind != MetricIdentity && t.Kind != MetricAuto || block.Name != "") && p.BoundByParams() {
				c.err(NotYet, t.At, "leave `metric` and `block` out, and `hamc run` adapts a Euclidean metric", "the metric of parameters with bounds, offsets or multipliers that depend on parameters is `identity`, and they stand in no block, in this version of the language")
				c.note(p.At, "`%s` is one", p.Name)
				return
			}
			if len(p.Type.Shape) > 1 && t.Kind != MetricIdentity && t.Kind != MetricAuto {
				c.err(NotYet, t.At, "leave `metric` out, and `hamc run` adapts a Euclidean metric", "the metric of matrices of parameters is `identity` in this version of the language")
				c.note(p.At, "`%s` is one", p.Name)
				return
			}
		}
		if t.Kind != MetricBlocks {
			continue
		}
		for _, p := range block.Params {
			covered := false
			for _, b := range t.Blocks {
				covered = covered || b.Row == p && b.Col == p
			}
			if covered {
				continue
			}
			side := p.Name
			other := p.Name
			if len(p.Type.Shape) > 0 {
				side, other = p.Name+"[i]", p.Name+"[j]"
			}
			c.err(BadMetricBlock, t.At, fmt.Sprintf("add metric[%s, %s] = …", side, other), "the metric is singular: it has no block of the parameter `%s` with itself", p.Name)
			c.note(p.At, "declared here")
		}
	}
}

func (c *checker) metricBlock(s *MetricStmt, t *MetricTerm) {
	if len(s.Entry.Sides) != 2 {
		c.err(BadMetricBlock, s.At(), "write metric[x[i], v] = …", "a block of the metric is named by two parameters, not %d", len(s.Entry.Sides))
		return
	}
	n := len(c.indices)
	defer func() { c.shut(n) }()
	b := MetricBlock{At: s.At(), Value: s.Value}
	var ok1, ok2 bool
	if b.Row, b.RowIndex, ok1 = c.blockSide(s.Entry.Sides[0]); !ok1 {
		return
	}
	if b.Col, b.ColIndex, ok2 = c.blockSide(s.Entry.Sides[1]); !ok2 {
		return
	}
	for _, old := range t.Blocks {
		if old.Row == b.Row && old.Col == b.Col || old.Row == b.Col && old.Col == b.Row {
			hint := ""
			if old.Row != b.Row {
				hint = "the transposed block is filled in"
			}
			c.err(MetricTwice, s.At(), hint, "the block of `%s` and `%s` is given twice", b.Row.Name, b.Col.Name)
			c.note(old.At, "given here")
			return
		}
	}
	c.expr(s.Value)
	c.wantScalar(s.Value, "an entry of the metric")
	t.Blocks = append(t.Blocks, b)
}

// blockSide resolves `x[i]` or `v`, and opens the index.
func (c *checker) blockSide(e Expr) (*Param, *Index, bool) {
	name, _ := e.(*Name)
	ix, _ := e.(*IndexExpr)
	if ix != nil {
		name, _ = ix.Base.(*Name)
	}
	if name == nil {
		c.err(BadMetricBlock, e.Span(), "", "a side of a metric block is a parameter, as x[i] or v")
		return nil, nil, false
	}
	o := c.lookup(name)
	if o == nil {
		return nil, nil, false
	}
	p, ok := o.(*Param)
	if !ok {
		c.err(BadMetricBlock, e.Span(), "", "`%s` is not a parameter", name.Name)
		return nil, nil, false
	}
	if len(p.Type.Shape) > 1 {
		c.err(NotYet, e.Span(), "leave `metric` out, and `hamc run` adapts a Euclidean metric", "the metric of matrices of parameters is `identity` in this version of the language")
		return nil, nil, false
	}
	if p.Type.Base == Invalid || !c.inBlock(p, name.Span()) {
		return nil, nil, false
	}
	if len(p.Type.Shape) == 0 {
		if ix != nil {
			c.err(NotIndexed, e.Span(), "leave the brackets out", "`%s` is a scalar", p.Name)
			return nil, nil, false
		}
		return p, nil, true
	}
	if ix == nil || len(ix.Args) != 1 {
		c.err(BadMetricBlock, e.Span(), fmt.Sprintf("write %s[i]", p.Name), "the vector `%s` needs an index here", p.Name)
		return nil, nil, false
	}
	in, ok := ix.Args[0].(*Name)
	if !ok || c.scope[in.Name] != nil || c.index(in.Name) != nil {
		c.err(BadMetricBlock, ix.Args[0].Span(), "", "the index of a metric block is a new name")
		return nil, nil, false
	}
	index := &Index{object: object{Name: in.Name, At: in.Span()}, Range: Range{Fixed(1), p.Coordinates()[0]}}
	c.push(index)
	return p, index, true
}

// metricTerms splits a sum of metrics into terms.
func (c *checker) metricTerms(e Expr, scale Expr) {
	switch e := e.(type) {
	case *BinaryExpr:
		if e.Op == "+" {
			c.metricTerms(e.X, scale)
			c.metricTerms(e.Y, scale)
			return
		}
		if (e.Op == "*" || e.Op == "/") && c.scaledMetric(e, scale) {
			return
		}
		if c.isMetric(e.X) || c.isMetric(e.Y) {
			c.metricMix(e)
			return
		}
	case *UnaryExpr:
		if e.Op == "-" {
			c.err(MetricScale, e.Span(), "", "a metric is not negated")
			return
		}
	case *Name:
		c.namedMetric(e, scale)
		return
	case *CallExpr:
		c.calledMetric(e, scale)
		return
	case *MatrixExpr:
		c.writtenMetric(e, scale)
		return
	}
	c.expr(e)
	if t := e.Type(); t.Base != Invalid && t.Base != MetricBase {
		hint := "a metric is fisher, softabs(alpha = …), a matrix [a, b ; b, c], or metric[i in k, j in k] = …"
		if t.IsScalar() {
			hint = fmt.Sprintf("a multiple of the identity is %s*identity", Text(e))
		}
		c.err(MetricShape, e.Span(), hint, "this is not a metric but %s", t)
	}
}

// scaledMetric is metricTerms for a product or quotient; it reports whether that is one of a
// metric and a number.
func (c *checker) scaledMetric(e *BinaryExpr, scale Expr) bool {
	factor, metric := e.X, e.Y
	if e.Op == "/" || c.isMetric(e.X) {
		factor, metric = e.Y, e.X
	}
	if !c.isMetric(metric) {
		return false
	}
	c.expr(factor)
	c.wantScalar(factor, "the factor of a metric")
	if factor.Type().Base == Invalid {
		return true
	}
	if p := c.dependsOnParam(factor); p != nil {
		c.err(MetricScale, factor.Span(), "a metric that depends on parameters is given by its entries: `metric diag(…)`, or a matrix", "the factor of a metric may not depend on a parameter (`%s`)", p.Name)
	} else if v, ok := c.constant(factor); ok && !(v > 0) {
		c.err(MetricScale, factor.Span(), "", "the factor of a metric is positive, not %v", v)
	}
	real := node{span: e.Span(), typ: Type{Base: Real}}
	if e.Op == "/" {
		one := &Number{node: real, Value: 1, Text: "1"}
		factor = &BinaryExpr{node: real, Op: "/", At: e.At, X: one, Y: factor}
	}
	if scale != nil {
		factor = &BinaryExpr{node: real, Op: "*", At: e.At, X: scale, Y: factor}
	}
	c.metricTerms(metric, factor)
	return true
}

// namedMetric is metricTerms for a name.
func (c *checker) namedMetric(e *Name, scale Expr) {
	t := &MetricTerm{At: e.Span(), Scale: scale}
	switch e.Name {
	case "fisher":
		t.Kind = MetricFisher
	case "hessian":
		t.Kind = MetricHessian
	case "identity":
		t.Kind = MetricIdentity
	case "auto":
		t.Kind = MetricAuto
	case "softabs":
		c.err(MetricOption, e.Span(), "write softabs(alpha = 1e6)", "softabs needs its option alpha")
		return
	case "diag", "inverse":
		c.err(MetricOption, e.Span(), fmt.Sprintf("write %s(…)", e.Name), "`%s` needs an argument", e.Name)
		return
	case "monge":
		c.expr(e)
		return
	default:
		if o, ok := c.scope[e.Name]; ok {
			if c.expr(e); e.Type().Base == Invalid {
				return
			}
			c.err(MetricShape, e.Span(), "the inverse of a covariance is inverse(Sigma)", "`%s` is not a metric", e.Name)
			c.note(o.Declared(), "declared here")
			return
		}
		hint := "the metrics are auto, fisher, softabs(alpha = …), hessian, identity, diag(…), inverse(…), a matrix [a, b ; b, c] and metric[i in k, j in k] = …"
		if f := LookupForeign(ForeignMetric, e.Name); f != nil {
			hint = f.Hint()
		} else if s := suggest(e.Name, metricNames); s != "" {
			hint = fmt.Sprintf("did you mean `%s`?", s)
		}
		c.err(UnknownMetric, e.Span(), hint, "there is no metric `%s`", e.Name)
		return
	}
	c.block.Metric = append(c.block.Metric, t)
}

// calledMetric is metricTerms for a call.
func (c *checker) calledMetric(e *CallExpr, scale Expr) {
	t := &MetricTerm{At: e.Span(), Scale: scale}
	switch e.Func {
	case "fisher", "softabs", "hessian", "identity", "auto", "monge":
		n := len(c.ds.List)
		c.metricCall(e)
		if c.errors(n) > 0 {
			return
		}
		t.Kind = MetricFisher
		t.Expected = len(e.Args) > 0
		if e.Func == "softabs" {
			t.Kind, t.Expected = MetricSoftAbs, false
			t.Alpha = e.Args[0].Expr
		}
	case "diag":
		t.Kind = MetricDiag
		c.metricDiag(e, t)
	case "inverse":
		t.Kind = MetricInverse
		c.expr(e)
		if ty := e.Type(); ty.Base != Invalid && !c.dims().equals(ty.Shape[0]) {
			c.err(MetricShape, e.Span(), "", "this metric is %s by %s, %s has %s", ty.Shape[0], ty.Shape[0], c.owner(), c.dims())
		}
		if len(e.Args) > 0 {
			t.Args = []Expr{e}
		}
	default:
		if s := suggest(e.Func, metricNames); s != "" && LookupFunction(e.Func) == nil {
			c.err(UnknownMetric, e.At, fmt.Sprintf("did you mean `%s`?", s), "there is no metric `%s`", e.Func)
			return
		}
		c.expr(e)
		if e.Type().Base != Invalid {
			c.err(MetricShape, e.Span(), "", "this is not a metric but %s", e.Type())
		}
		return
	}
	c.block.Metric = append(c.block.Metric, t)
}

// writtenMetric is metricTerms for a matrix.
func (c *checker) writtenMetric(e *MatrixExpr, scale Expr) {
	c.expr(e)
	t := &MetricTerm{At: e.Span(), Scale: scale, Kind: MetricMatrix, Matrix: e}
	c.block.Metric = append(c.block.Metric, t)
	d := c.dims()
	rows, cols := Fixed(len(e.Rows)), Fixed(len(e.Rows[0]))
	if e.Type().Base == Invalid {
		return
	}
	if rows != cols {
		c.err(MetricShape, e.Span(), "", "a metric is square; this matrix is %s by %s", rows, cols)
	} else if !d.equals(rows) {
		c.err(MetricShape, e.Span(), "", "this matrix is %s by %s, %s has %s", rows, rows, c.owner(), d)
	}
}

// isMetric reports whether an expression says a metric rather than a number.
func (c *checker) isMetric(e Expr) bool {
	switch e := e.(type) {
	case *Name:
		switch e.Name {
		case "fisher", "hessian", "identity", "auto", "softabs", "monge":
			return true
		}
	case *CallExpr:
		switch e.Func {
		case "fisher", "softabs", "diag", "inverse", "monge":
			return true
		}
	case *MatrixExpr:
		return true
	case *BinaryExpr:
		is, ok := c.metrical[e]
		if !ok {
			is = c.isMetric(e.X) || c.isMetric(e.Y)
			c.metrical[e] = is
		}
		return is
	}
	return false
}

// metricDiag checks diag(v) with one vector, or diag(a, b, …) with scalars.
func (c *checker) metricDiag(e *CallExpr, t *MetricTerm) {
	d := c.dims()
	for _, a := range e.Args {
		if a.Name != "" {
			c.err(BadNamedArgument, a.At, "leave the name out", "the arguments of diag have no names")
		}
		c.expr(a.Expr)
		t.Args = append(t.Args, a.Expr)
		if a.Expr.Type().Base == Invalid {
			return
		}
	}
	if len(e.Args) == 1 && len(e.Args[0].Expr.Type().Shape) == 1 {
		if n := e.Args[0].Expr.Type().Shape[0]; !d.equals(n) {
			c.err(MetricShape, e.Span(), "", "this diagonal has length %s, %s has %s", n, c.owner(), d)
		} else if len(c.block.Params) > 1 {
			c.err(MetricShape, e.Span(), "write metric[x[i], x[j]] = …*delta(i, j) and so on", "the diagonal of several parameters is given by blocks")
		}
		return
	}
	n := len(c.ds.List)
	for _, a := range e.Args {
		c.wantScalar(a.Expr, "an entry of the diagonal")
	}
	if c.errors(n) > 0 {
		return
	}
	if !d.equals(Fixed(len(e.Args))) {
		c.err(MetricShape, e.Span(), "", "this diagonal has length %d, %s has %s", len(e.Args), c.owner(), d)
	}
}
