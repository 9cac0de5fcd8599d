package runtime

import (
	"math"
	"slices"
	"testing"
)

// lowRankList is a metric of 3 coordinates as Euclidean.Inverse has it: a diagonal, and one direction.
var lowRankList = []float64{4, 0.25, 1, 3, 0.6, 0, 0.8}

// splitSystems are Euclideans of every form of a metric over a density, with a centre that is not 0.
func splitSystems(t *testing.T, gradient func(grad, q []float64) float64) map[string]*Euclidean {
	out := map[string]*Euclidean{}
	full := NewEuclidean(&slope{m: 3, gradient: gradient}, false)
	set := func(name string, dense bool, c []float64) *Euclidean {
		e := NewEuclidean(&slope{m: 3, gradient: gradient}, dense)
		if e.SetInverse(c) != OK {
			t.Fatalf("%s: no metric", name)
		}
		e.SetCentre([]float64{1, -2, 0.5})
		out[name] = e
		return e
	}
	set("diagonal", false, []float64{4, 0.25, 1})
	low := set("low rank", false, lowRankList)
	if full.SetInverse(lowRankList) != OK {
		t.Fatal("no metric")
	}
	if low.sparse.product != nil {
		t.Fatal("a product of one direction in three")
	}
	many := append(slices.Clone(lowRankList), 0.5, 0, 1, 0)
	if set("a product", false, many).sparse.product == nil {
		t.Fatal("no product of two directions in three")
	}
	set("dense", true, full.sparse.matrix())
	return out
}

// quartic is a density that is not normal.
func quartic(grad, q []float64) (l float64) {
	for i, x := range q {
		d := x - float64(i)
		grad[i] = -d - 0.1*d*d*d
		l -= d*d/2 + 0.1*d*d*d*d/4
	}
	grad[0] -= 0.3 * q[1]
	grad[1] -= 0.3 * q[0]
	return l - 0.3*q[0]*q[1]
}

// TestStepSplit: a step back undoes a step of whatever gradients, a step is symplectic, and its error is one of third order.
func TestStepSplit(t *testing.T) {
	for name, e := range splitSystems(t, quartic) {
		for gradients := 1; gradients <= len(splittings); gradients++ {
			q0, p0 := []float64{0.3, -0.4, 1.2}, []float64{0.5, -1.5, 0.2}
			end := func(q0, p0 []float64, eps float64, steps int) []float64 {
				q, p := slices.Clone(q0), slices.Clone(p0)
				for range steps {
					if r := e.StepSplit(q, p, eps, gradients); r.Status != OK {
						t.Fatal(r.Status)
					}
				}
				return append(q, p...)
			}
			there := end(q0, p0, 0.9, 1)
			q, p := slices.Clone(q0), slices.Clone(p0)
			if c := e.Clone().(*Euclidean); c.StepSplit(q, p, 0.9, gradients).Status != OK || !near(q, there[:3]) || !near(p, there[3:]) {
				t.Errorf("%s, %d gradients: a clone's step leads to %v, %v", name, gradients, q, p)
			}
			if back := end(there[:3], there[3:], -0.9, 1); !near(back[:3], q0) || !near(back[3:], p0) {
				t.Errorf("%s, %d gradients: a step back leads to %v", name, gradients, back)
			}
			coarse, fine, finer := end(q0, p0, 0.02, 1), end(q0, p0, 0.01, 2), end(q0, p0, 0.005, 4)
			if ratio := distance(coarse, fine) / distance(fine, finer); math.Abs(ratio-4) > 0.2 {
				t.Errorf("%s, %d gradients: errors fall by %.2f with the step size halved, want 4", name, gradients, ratio)
			}
			// Jᵀ Ω J = Ω, with Ω of the pairs (q_i, p_i).
			var jacobian [6][]float64
			for k := range jacobian {
				const h = 1e-5
				x := append(slices.Clone(q0), p0...)
				x[k] += h
				up := end(x[:3], x[3:], 0.9, 1)
				x[k] -= 2 * h
				down := end(x[:3], x[3:], 0.9, 1)
				for i := range up {
					up[i] = (up[i] - down[i]) / (2 * h)
				}
				jacobian[k] = up
			}
			for k, a := range jacobian {
				for l, b := range jacobian {
					form, want := 0.0, 0.0
					for i := range 3 {
						form += a[i]*b[3+i] - a[3+i]*b[i]
					}
					if l == k+3 {
						want = 1
					} else if k == l+3 {
						want = -1
					}
					if math.Abs(form-want) > 1e-7 {
						t.Errorf("%s, %d gradients: the symplectic form of %d and %d is %v", name, gradients, k, l, form)
					}
				}
			}
		}
	}
}

// TestStepSplitOfANormal: on the normal posterior with the centre and the metric a step of any size is exact: energy is kept, and four quarters of a turn lead back.
func TestStepSplitOfANormal(t *testing.T) {
	var precision []float64
	mu := []float64{1, -2, 0.5}
	normal := func(grad, q []float64) (l float64) {
		for i := range q {
			grad[i] = 0
			for j := range q {
				grad[i] -= precision[3*i+j] * (q[j] - mu[j])
			}
			l += grad[i] * (q[i] - mu[i]) / 2
		}
		return l
	}
	precision = make([]float64, 9)
	for name, e := range splitSystems(t, normal) {
		e.Metric(precision, nil)
		e.Forget()
		for gradients := 1; gradients <= len(splittings); gradients++ {
			q, p := []float64{0.3, -0.4, 1.2}, []float64{0.5, -1.5, 0.2}
			start := slices.Clone(q)
			before, _, _ := e.Energy(q, p)
			for k := range 4 {
				if r := e.StepSplit(q, p, math.Pi/2, gradients); r.Status != OK {
					t.Fatal(r.Status)
				}
				if after, _, _ := e.Energy(q, p); math.Abs(after-before) > 1e-12*(1+math.Abs(before)) {
					t.Errorf("%s, %d gradients: the energy is %v, and was %v", name, gradients, after, before)
				}
				if k == 1 {
					for i, x := range q {
						if math.Abs(x+start[i]-2*mu[i]) > 1e-12 {
							t.Errorf("%s, %d gradients: half a turn leads from %v to %v, about %v", name, gradients, start, q, mu)
						}
					}
				}
			}
			if distance(q, start) > 1e-12 {
				t.Errorf("%s, %d gradients: a turn leads from %v to %v", name, gradients, start, q)
			}
		}
	}
}

func near(a, b []float64) bool { return distance(a, b) < 1e-10 }

func distance(a, b []float64) (d float64) {
	for i, x := range a {
		d = max(d, math.Abs(x-b[i]))
	}
	return d
}
