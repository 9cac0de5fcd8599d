package pass

import "github.com/hamc-dev/hamc/codegen/loop"

// flatten adds the steps of models of one or two parameters: those of the runtime, with what the model computes in the place of calls and
// with numbers in the place of arrays.
func flatten(p *loop.Program) {
	for _, make := range p.Steps {
		p.Funcs = append(p.Funcs, make())
	}
	p.Steps = nil
}
