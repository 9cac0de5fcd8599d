package grid

import "github.com/hamc-dev/hamc/runtime"

// clone returns a posterior on the same data with work space of its own.
func clone(p runtime.Posterior) runtime.Posterior {
	if g, ok := p.(runtime.Gibbs); ok {
		return g.Clone()
	}
	return p.(runtime.Model).Clone() // a Posterior is one or the other
}

// generic returns a posterior whose steps, in one block if it has some, are those of
// runtime.GenericSystem.
func generic(p runtime.Posterior, block string) runtime.Posterior {
	if g, ok := p.(runtime.Gibbs); ok {
		return plainGibbs{g, block}
	}
	return runtime.Generic(p.(runtime.Model))
}

// plainGibbs is a Gibbs with one block of plain code.
type plainGibbs struct {
	runtime.Gibbs
	block string
}

func (g plainGibbs) Clone() runtime.Gibbs { return plainGibbs{g.Gibbs.Clone(), g.block} }

func (g plainGibbs) Blocks() []runtime.Conditional {
	blocks := g.Gibbs.Blocks()
	for i, b := range blocks {
		if b.Info().Name == g.block {
			blocks[i] = runtime.GenericBlock(b, b.Given)
		}
	}
	return blocks
}
