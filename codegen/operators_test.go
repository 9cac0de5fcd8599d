package codegen

import (
	"slices"
	"testing"

	"github.com/hamc-dev/hamc/codegen/loop"
	"github.com/hamc-dev/hamc/symbolic/expr"
)

// TestOperatorKernels: the kernel of each operator is a row of the loop program's table, and a family has a row of its own.
func TestOperatorKernels(t *testing.T) {
	for _, o := range expr.Operators {
		if o.Joint != nil {
			if families[o.Name].part == nil {
				t.Errorf("%s is a family of arrays, and no row of families says how it is emitted", o.Name)
			}
		} else if !slices.Contains(loop.Kernels(), o.Kernel) {
			t.Errorf("%s has the kernel %s, which the table of codegen/loop does not have", o.Name, o.Kernel)
		}
	}
}
