package codegen

import (
	"testing"

	"github.com/hamc-dev/hamc/runtime"
	rts "github.com/hamc-dev/hamc/runtime/system"
)

// TestRuntimeAgrees: the numbers that emitted code and the runtime have to agree on are the same on both sides.
func TestRuntimeAgrees(t *testing.T) {
	for name, pair := range map[string][2]int{
		"order of the density":   {orderDensity, rts.OrderDensity},
		"order of the force":     {orderForce, rts.OrderForce},
		"order of the curvature": {orderCurvature, rts.OrderCurvature},
		"interface":              {apiVersion, runtime.APIVersion},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s: %d here, %d in the runtime", name, pair[0], pair[1])
		}
	}
}
