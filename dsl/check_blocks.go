package dsl

import "fmt"

// blocks checks the `block` and `metric` statements.
func (c *checker) blocks(f *File) {
	m := c.model
	named := map[string]*Block{}
	for _, s := range f.Stmts {
		if s, ok := s.(*BlockStmt); ok {
			c.declareBlock(s, named)
		}
	}
	c.inMetric = true
	if len(m.Blocks) == 0 {
		m.Blocks = []*Block{{Params: m.Params, lost: c.lostBlocks}}
		c.block = m.Blocks[0]
		for _, p := range m.Params {
			c.blockOf[p] = c.block
		}
		for _, s := range f.Stmts {
			if s, ok := s.(*MetricStmt); ok {
				c.metric(s)
			}
		}
		return
	}
	for _, p := range m.Params {
		if c.blockOf[p] == nil && !c.lostParams && !c.lostBlocks {
			c.err(BadBlock, p.At, fmt.Sprintf("name it in one, as in `block %s(…, %s)`", m.Blocks[len(m.Blocks)-1].Name, p.Name),
				"the parameter `%s` stands in no block, so nothing would move it", p.Name)
		}
	}
	at := 0
	for _, s := range f.Stmts {
		switch s := s.(type) {
		case *BlockStmt:
			c.block = m.Blocks[at]
			at++
			if s.Metric != nil {
				c.metric(s.Metric)
			}
		case *MetricStmt:
			c.metricOfBlock(s)
		}
	}
}

// declareBlock enters a block and its parameters, in the order of the block.
func (c *checker) declareBlock(s *BlockStmt, named map[string]*Block) {
	b := &Block{object: object{Name: s.Name.Name, At: s.Name.At, Doc: s.Doc}}
	if o := named[b.Name]; o != nil {
		c.err(Redeclared, b.At, "choose another name", "the block `%s` is declared twice", b.Name)
		c.note(o.At, "first declared here")
	} else {
		named[b.Name] = b
	}
	c.model.Blocks = append(c.model.Blocks, b)
	for _, id := range s.Params {
		o, declared := c.scope[id.Name]
		p, ok := o.(*Param)
		switch {
		case ok:
			switch other := c.blockOf[p]; other {
			case nil:
				c.blockOf[p] = b
				b.Params = append(b.Params, p)
			case b:
				b.lost = true
				c.err(BadBlock, id.At, "name it once", "the parameter `%s` stands twice in the block `%s`", p.Name, b.Name)
			default:
				b.lost = true
				c.err(BadBlock, id.At, "name it in one of them", "the parameter `%s` stands in two blocks, `%s` and `%s`", p.Name, other.Name, b.Name)
				c.note(other.At, "the block `%s` has it", other.Name)
			}
		case declared:
			c.err(BadBlock, id.At, "a block is a list of parameters", "`%s` is not a parameter", id.Name)
			c.note(o.Declared(), "declared here")
			b.lost, c.lostBlocks = true, true
		default:
			c.lookupAs(&Name{node: node{span: id.At}, Name: id.Name}, "declare it with `param`")
			b.lost, c.lostBlocks = true, true
		}
	}
}

// metricOfBlock checks a `metric` statement outside a block: in a model of
// blocks it gives an entry of the metric of one of them.
func (c *checker) metricOfBlock(s *MetricStmt) {
	if s.Entry == nil {
		c.err(BadBlock, s.At(), "write `block NAME(x, y) metric …`", "a model of blocks has one metric for each block, in its `block` statement")
		return
	}
	// If no side is a parameter, that is reported whatever the block.
	c.block = c.model.Blocks[0]
	for _, side := range s.Entry.Sides {
		if ix, ok := side.(*IndexExpr); ok {
			side = ix.Base
		}
		if n, ok := side.(*Name); ok {
			if p, ok := c.scope[n.Name].(*Param); ok && c.blockOf[p] != nil {
				c.block = c.blockOf[p]
				break
			}
		}
	}
	c.metric(s)
}

// inBlock reports whether a parameter that an entry of the metric names belongs
// to the block whose metric it is.
func (c *checker) inBlock(p *Param, at Span) bool {
	other := c.blockOf[p]
	switch other {
	case c.block:
		return true
	case nil: // which is reported, or due to an error
	default:
		c.err(BadBlock, at, "blocks are sampled in turn, and their parameters have no common metric",
			"the parameter `%s` stands in the block `%s`, not in `%s`", p.Name, other.Name, c.block.Name)
		c.note(other.At, "declared here")
	}
	return false
}

// owner names whose metric is being checked.
func (c *checker) owner() string {
	if c.block.Name == "" {
		return "the model"
	}
	return "the block `" + c.block.Name + "`"
}
