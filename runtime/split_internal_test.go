package runtime

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestDepartures: points of a normal density depart from the metric that is its covariance by nothing, from another by what that is off, and no
// points from any.
func TestDepartures(t *testing.T) {
	e := NewEuclidean(&slope{m: 2, gradient: func(grad, q []float64) float64 { return 0 }}, false)
	if e.SetInverse([]float64{4, 9}) != OK {
		t.Fatal("no metric")
	}
	f := newFisher(2, true)
	if d := f.departures(e); !math.IsInf(d[0], 1) || !math.IsInf(d[1], 1) || f.settles(e, d[0]) {
		t.Errorf("without points: %v", d)
	}
	for k := range 40 {
		x, y := 2*math.Sqrt2*math.Sin(float64(k)*math.Pi/20), 3*math.Cos(float64(k)*math.Pi/10)
		f.add([]float64{5 + x, y - 7}, []float64{1 - x/4, 2 - 2*y/9})
	}
	// The second coordinate has the variance 4.5, and half the metric's curvature: x + Cg = −y.
	d := f.departures(e)
	if math.Abs(d[0]) > 1e-12 || math.Abs(d[1]-0.5) > 1e-9 {
		t.Errorf("departures %v, want 0 and ½", d)
	}
}

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

// TestWeigh: C⁻¹ undoes C, in every form of it.
func TestWeigh(t *testing.T) {
	for name, e := range splitSystems(t, quartic) {
		d, v, w := []float64{0.7, -1.1, 2.5}, make([]float64, 3), make([]float64, 3)
		s := (*separable)(e)
		s.Solve(v, d)
		if s.weigh(w, v); !near(w, d) {
			t.Errorf("%s: C⁻¹C d is %v, want %v", name, w, d)
		}
	}
}

// TestFewElements: a direction of few elements, which are kept apart, does what it does whole.
func TestFewElements(t *testing.T) {
	list := append([]float64{4, 0.25, 1, 2, 3, 0.5, 1.5, 9}, 3, 0, 0.6, 0, 0, 0, 0, -0.8, 0)
	few, whole := newLowRank(8, list), newLowRank(8, list)
	if len(few.vectors[0].few) != 2 {
		t.Fatalf("%v is not sparse", few.vectors[0])
	}
	whole.vectors[0].at = nil
	p := []float64{0.7, -1.1, 2.5, 0.1, -0.3, 1.9, 0.4, -2}
	for name, do := range map[string]func(c *lowRank, out []float64){
		"mul":    func(c *lowRank, out []float64) { c.mul(out, p) },
		"weigh":  func(c *lowRank, out []float64) { c.weigh(out, p) },
		"whiten": func(c *lowRank, out []float64) { c.whiten(out, p) },
		"draw":   func(c *lowRank, out []float64) { copy(out, p); c.draw(out) },
		"forms":  func(c *lowRank, out []float64) { out[0] = c.forms(p, p) },
	} {
		a, b := make([]float64, 8), make([]float64, 8)
		do(few, a)
		do(whole, b)
		if distance(a, b) > 1e-14 {
			t.Errorf("%s: %v, whole %v", name, a, b)
		}
	}
}

// TestLadder: whatever the acceptance of the rungs, which grows, a ladder comes to a rung of about the most merit, and stays there; where none accepts enough it says so.
func TestLadder(t *testing.T) {
	for start := range rungs {
		for first := range len(rungs) + 1 {
			for _, high := range []float64{0.85, 0.95, 0.999} {
				for _, draw := range []float64{0, 1, 100} {
					l := newLadder(0.8, 0, 1, draw, start)
					share := func(row int) float64 {
						if row < first {
							return 0.1 + 0.05*float64(row)
						}
						return 1 - (1-high)/float64(1+3*(row-first))
					}
					for range 200 {
						l.add(share(l.Now))
					}
					if ended := first == len(rungs); ended != l.ended() {
						t.Errorf("from %d, the first rung that accepts enough is %d of %d: ended %v", start, first, len(rungs), l.ended())
					}
					most, want := 0.0, 0
					for row := range rungs {
						if m := l.merit(row, share(row)); m > most && share(row) >= l.Accept {
							most, want = m, row
						}
					}
					// Few transitions tell of a rung that is not the best, and they count for less than they were.
					if got, _ := l.best(); first < len(rungs) && (l.merit(got, share(got)) < 0.75*most || l.Now != got) {
						t.Errorf("from %d, %d accepts %.3f, draws cost %v: at rung %d, the best is %d, want %d", start, first, high, draw, l.Now, got, want)
					}
				}
			}
		}
	}
	// Ten of ten are as many as can be asked for.
	l := newLadder(0.99, 0, 1, 1, 0)
	for range rungLeast {
		l.add(1)
	}
	if row, merit := l.best(); row != 0 || merit == 0 || l.ended() {
		t.Errorf("all of ten are accepted, and 0.99 are to be: rung %d of merit %v", row, merit)
	}
	if l := newLadder(0.8, 0.3, 1, 1, 0); l.Time != plainQuarter {
		t.Errorf("a departure of 0.3: %+v", l)
	}
	if l := newLadder(0.97, 0.8, 1, 1, 0); l.Time != carefulQuarter {
		t.Errorf("a departure of 0.8: %+v", l)
	}
}

func near(a, b []float64) bool { return distance(a, b) < 1e-10 }

func distance(a, b []float64) (d float64) {
	for i, x := range a {
		d = max(d, math.Abs(x-b[i]))
	}
	return d
}

// TestJitterIsUndone: the way back of a trajectory has the step size of the way there.
func TestJitterIsUndone(t *testing.T) {
	normal := func(grad, q []float64) (l float64) {
		for i, x := range q {
			grad[i] = -x
			l -= x * x / 2
		}
		return l
	}
	k, err := NewHMC(NewEuclidean(&slope{m: 3, gradient: normal}, false), Leapfrog, DefaultOptions().Solver)
	if err != nil {
		t.Fatal(err)
	}
	k.StepSize, k.Steps, k.Jitter, k.Reverse = 0.5, 3, 0.5, ReverseAll
	q, rng, sizes := make([]float64, 3), rand.New(rand.NewPCG(1, 1)), map[float64]bool{}
	for range 50 {
		tr := k.Transition(q, rng)
		if sizes[tr.StepSize] = true; tr.Irreversible || tr.StepSize < 0.25 || tr.StepSize > 0.75 {
			t.Fatalf("step size %v, irreversible: %v", tr.StepSize, tr.Irreversible)
		}
	}
	if len(sizes) != 50 {
		t.Errorf("%d step sizes", len(sizes))
	}
}
