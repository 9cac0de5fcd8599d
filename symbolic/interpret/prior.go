package interpret

import (
	"math/rand/v2"

	"github.com/hamc-dev/hamc/symbolic"
	"github.com/hamc-dev/hamc/symbolic/expr"
)

// Priors implements runtime.PriorDrawer.
func (m *Model) Priors() []string {
	var names []string
	for _, x := range m.d.Priors {
		names = append(names, x.Param.Decl.ObjectName())
	}
	return names
}

// DrawPrior implements runtime.PriorDrawer.
func (m *Model) DrawPrior(values []float64, rng *rand.Rand) {
	for _, t := range m.d.Tensors(expr.PriorTensor) {
		if t.Def == nil {
			copy(m.m.Values(t), values[m.values[t.Row]:])
		}
	}
	m.drawFrom(rng)
	m.m.Run(m.d.Prior, func(o *symbolic.Output, idx []int, v float64) {
		values[m.value(o.Row, idx)] = v
	})
}
