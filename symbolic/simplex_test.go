package symbolic

import (
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/symbolic/expr"
)

// TestSimplexCosts: a Dirichlet prior with counts takes time in proportion to the number of elements, the
// metric that comes of it is diagonal, and it is proved to be positive where there are no data.
func TestSimplexCosts(t *testing.T) {
	const head = "model m\ndata K int\ndata n int[K] >= 0\ndata alpha real[K] > 0\nparam theta simplex[K]\ntheta ~ dirichlet(alpha)\n"
	d, _ := load(t, head+"density sum(k in K) n[k]*log(theta[k])\nmetric hessian\n")
	if d.Metric.Structure != "diagonal" {
		t.Errorf("the metric is %s", d.Metric.Structure)
	}
	lists := append(append([]Output{d.LogDensity}, d.Gradient...), d.Matrix...)
	defs := map[*expr.Def]bool{}
	total := expr.NewCost()
	var walk func(e *expr.Expr)
	walk = func(e *expr.Expr) {
		expr.Refs(e, func(r *expr.Expr) {
			if def := r.Tensor.Def; def != nil && !defs[def] {
				defs[def] = true
				if def.Stage() >= expr.StagePosition {
					total.Add(def.Cost())
				}
				walk(def.Body)
			}
		})
	}
	for _, o := range lists {
		walk(o.E)
	}
	if s := total.String(); strings.Contains(s, "K²") {
		t.Errorf("definitions at a position: %s", s)
	}
	if _, list := load(t, head+"metric fisher\n"); len(list) != 1 || !strings.Contains(list[0].Message, "not used") && list[0].Code != "W201" {
		for _, x := range list {
			t.Errorf("a prior alone: %s %s", x.Code, x.Message)
		}
	}
}
