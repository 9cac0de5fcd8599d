package codegen

import (
	"slices"
	"testing"

	"github.com/hamc-dev/hamc/codegen/loop"
	"github.com/hamc-dev/hamc/symbolic/expr"
)

// TestOperatorKernels: the kernel of each operator is a row of the loop program's table.
func TestOperatorKernels(t *testing.T) {
	for _, o := range expr.Operators {
		if !slices.Contains(loop.Kernels(), o.Kernel) {
			t.Errorf("%s has the kernel %s, which the table of codegen/loop does not have", o.Name, o.Kernel)
		}
	}
}
