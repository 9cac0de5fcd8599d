package symbolic

import (
	"fmt"
	"math"
	"testing"

	"github.com/hamc-dev/hamc/symbolic/expr"
)

// TestCrossedRows: rows of effects that cross have maps for data of usual sizes, whether their covariance is written by its factor or as a whole: what data say of a row is summed
// over observations once for each reference.
func TestCrossedRows(t *testing.T) {
	for _, x := range []struct{ declared, prior, correlations string }{
		{"corr", "multi_normal(0, diag(t%[1]s)*R%[1]s*diag(t%[1]s))", "lkj_corr"},
		{"corr_cholesky", "multi_normal_cholesky(0, diag(t%[1]s)*R%[1]s)", "lkj_corr_cholesky"},
	} {
		t.Run(x.declared, func(t *testing.T) {
			text := fmt.Sprintf(`model crossed
data n, S, I int
data y real[n]
data subject int[n] in 1..S
data item int[n] in 1..I
data cond int[n] in 1..4
param u real[S, 4]
param w real[I, 4]
param tu, tw real[4] > 0
param Ru, Rw %s[4]
param s real > 0
u ~ %s
w ~ %s
tu, tw, s ~ half_normal(1)
Ru, Rw ~ %s(2)
y[i] ~ normal(u[subject[i], cond[i]] + w[item[i], cond[i]], s) for i in n
`, x.declared, fmt.Sprintf(x.prior, "u"), fmt.Sprintf(x.prior, "w"), x.correlations)
			d, _ := load(t, text)
			sizes := map[string]int{"n": 2000, "S": 40, "I": 24}
			fitted := d.Fit(sizes, nil)
			if len(fitted.Transports) != 2 {
				t.Fatalf("%d maps, want two", len(fitted.Transports))
			}
			of := *d.Model
			of.Sizes = sizes
			if work, plain := operations(fitted.Work(), &of), operations(d.Work(), &of); work > 15*plain {
				t.Errorf("the gradient takes %.0f operations with maps and %.0f without", work, plain)
			}
		})
	}
}

// TestTestlets: sums over the items of the testlet of another item are those of testlets, gathered. No operation is there for each pair of items.
func TestTestlets(t *testing.T) {
	d, _ := load(t, `model testlets
data P, J, G int
data grp int[J] in 1..G
data Y   int[P, J] in {0, 1}
param g    real[P]
param s    real[P, G]
param a, c real[J] > 0
param b    real[J]
let eta[p in P, j in J] = a[j]*g[p] + c[j]*s[p, grp[j]] - b[j]
g, s ~ normal(0, 1)
a, c ~ lognormal(0, 0.5)
b    ~ normal(0, 1.5)
Y    ~ bernoulli_logit(eta)
`)
	of := *d.Model
	work := func(items int) float64 {
		of.Sizes = map[string]int{"P": 200, "J": items, "G": 3}
		return operations(d.Work(), &of)
	}
	if twice := work(40) / work(20); twice > 2.1 {
		t.Errorf("twice as many items take %.2f times as many operations", twice)
	}
	of.Sizes = map[string]int{"P": 200, "J": 15, "G": 3}
	if fitted := d.Fit(of.Sizes, nil); len(fitted.Transports) != 2 {
		t.Errorf("%d maps, want those of the abilities", len(fitted.Transports))
	}
}

// TestCellsBesideGroups: what is left of effects of groups where those of their cells are eliminated takes no operation for each pair of observations, neither for a gradient nor for the reference.
func TestCellsBesideGroups(t *testing.T) {
	d, _ := load(t, `model cells
data N, P, I, G int
data person  int[N] in 1..P
data item    int[N] in 1..I
data testlet int[I] in 1..G
data y int[N] in {0, 1}
param theta real[P]
param b     real[I]
param gam   real[P, G]
param s_t, s_b, s_g real > 0
theta ~ normal(0, s_t)
b     ~ normal(0, s_b)
gam   ~ normal(0, s_g)
s_t, s_b, s_g ~ exponential(1)
y[n] ~ bernoulli_logit(theta[person[n]] + gam[person[n], testlet[item[n]]] - b[item[n]]) for n in N
`)
	if len(d.Transports) != 3 {
		t.Fatalf("%d maps, want three", len(d.Transports))
	}
	of := *d.Model
	for _, stage := range []expr.Stage{expr.StageGiven, expr.StagePosition} {
		work := func(answers int) float64 {
			of.Sizes = map[string]int{"P": 200, "I": 20, "G": 4, "N": answers}
			total := 0.0
			for _, def := range d.Prog.Defs {
				if def.Stage() == stage {
					total += operations(def.Cost().Ops, &of)
				}
			}
			return total
		}
		if twice := work(8000) / work(4000); twice > 2.1 {
			t.Errorf("twice as many answers take %.2f times as many operations, stage %d", twice, stage)
		}
	}
}

// TestGroupedDifferences: an exponential of a difference, as it keeps a sum of exponentials finite, is not split where such sums are taken for groups.
func TestGroupedDifferences(t *testing.T) {
	d, _ := load(t, `model soft
data n, J int
data g int[n] in 1..J
param a real[n]
a ~ normal(1000, 1)
density -sum(k in n) log(sum(l in n) delta(g[l], g[k])*exp(a[l] - a[k]))
`)
	q := []float64{1000, 1000.5, 999, 1001}
	want := 0.0
	for k, g := range []int{1, 1, 2, 2} {
		sum := 0.0
		for l, h := range []int{1, 1, 2, 2} {
			if g == h {
				sum += math.Exp(q[l] - q[k])
			}
		}
		want += -math.Log(sum) - 0.5*(q[k]-1000)*(q[k]-1000) - 0.5*math.Log(2*math.Pi)
	}
	if got := newBench(t, d, map[string][]float64{"n": {4}, "J": {2}, "g": {1, 1, 2, 2}}).logDensity(q); !(math.Abs(got-want) < 1e-12) {
		t.Errorf("log density %v, want %v", got, want)
	}
}
