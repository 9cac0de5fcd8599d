// Package pass turns loop programs into better ones. Each pass is a function from program to
// program that keeps what the program computes, to the last bit, and the rules of loop.Verify; All
// lists them in the order in which the compiler runs them.
package pass

import "github.com/hamc-dev/hamc/codegen/loop"

// Pass is a step from a program, which it may change, to a program.
type Pass struct {
	Name string
	Text string // what it does, in one line
	Run  func(*loop.Program)
}

// All are the passes in the order in which they run.
var All = []Pass{
	{"flatten", "steps of the runtime become straight-line functions of models of one or two parameters", flatten},
	{"multiples", "numbers that are literal multiples of others are not kept", multiples},
	{"derive", "numbers that are products or sums of others are computed where they are read", derive},
	{"kernels", "sums over whole arrays and functions of them become calls of the runtime's kernels", kernels},
	{"running", "sums that grow by a term from one turn of a loop to the next are kept", each(running)},
	{"scatter", "sums over what belongs to an element, for all elements, become one loop that adds each term where it belongs", each(scatter)},
	{"fuse", "loops over one range become one, as early as what they read allows", each(fuse)},
	{"join", "inner loops over one range become one", each(join)},
	{"contract", "arrays that one turn of a loop sets and reads become numbers", contract},
	{"split", "loops that ask where they stand are split into ends and interior", each(split)},
	{"drop", "numbers that nothing reads are not computed", drop},
	{"share", "what is computed twice in a block is computed once", each(Share)},
	{"hoist", "what is the same in all turns of a solve is computed before it, and stands in memory", hoist},
	{"divide", "functions that are too large call another one for the rest", divide},
}

// Lower is what comes before the passes: the program as the calculus leaves it.
const Lower = "lower"

// Names are the names of the stages of a program: Lower, and the passes in order.
func Names() []string {
	names := []string{Lower}
	for _, x := range All {
		names = append(names, x.Name)
	}
	return names
}

// Run runs all passes; after, if it is not nil, sees the program as it is lowered and after each pass.
func Run(p *loop.Program, after func(name string, p *loop.Program)) {
	if after != nil {
		after(Lower, p)
	}
	for _, x := range All {
		x.Run(p)
		if after != nil {
			after(x.Name, p)
		}
	}
}

// each makes a pass of a function of one function.
func each(f func(*loop.Func)) func(*loop.Program) {
	return func(p *loop.Program) {
		for _, fn := range p.Funcs {
			f(fn)
		}
	}
}
