package conformance

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hamc-dev/hamc/internal/campaign"
	"github.com/hamc-dev/hamc/runtime"
)

// TestLength compares what the samplers say of lengths in the metric with quadratic forms of G and of G⁻¹ by gonum,
// and a difference in each part alone with both together.
func TestLength(t *testing.T) {
	each(t, subjects(t), func(t *testing.T, s *subject) {
		m, n := s.fresh(), s.dim()
		rng := rand.New(rand.NewPCG(11, 11))
		for _, sys := range []runtime.System{m, runtime.Generic(s.fresh())} {
			for _, z := range s.states(t, 4, 0.3, 11) {
				g := make([]float64, n*n)
				m.Metric(g, z.q)
				var chol mat.Cholesky
				if !chol.Factorize(mat.NewSymDense(n, g)) {
					t.Fatal("the metric is not positive definite")
				}
				dq, dp := mat.NewVecDense(n, nil), mat.NewVecDense(n, nil)
				for i := range n {
					dq.SetVec(i, rng.NormFloat64())
					dp.SetVec(i, rng.NormFloat64())
				}
				var solved mat.VecDense
				if err := chol.SolveVecTo(&solved, dp); err != nil {
					t.Fatal(err)
				}
				q, p := mat.Inner(dq, mat.NewSymDense(n, g), dq), mat.Dot(dp, &solved)
				for _, row := range []struct {
					dq, dp []float64
					want   float64
				}{{dq.RawVector().Data, nil, q}, {nil, dp.RawVector().Data, p}, {dq.RawVector().Data, dp.RawVector().Data, q + p}} {
					got, st := sys.Length(z.q, row.dq, row.dp)
					if st != runtime.OK || !(math.Abs(got/math.Sqrt(row.want)-1) < 1e-9) {
						t.Errorf("%v, %v: %v, %v, want %v", row.dq, row.dp, st, got, math.Sqrt(row.want))
					}
				}
			}
		}
	})
}

// rescaled is a model in other units: its coordinates are c_i times those of the model within. With powers
// of two for c, all arithmetic is that of the model within but for the exponents of its numbers.
type rescaled struct {
	runtime.Model
	c    []float64
	q, w []float64
}

func rescale(m runtime.Model, c []float64) *rescaled {
	n := len(c)
	return &rescaled{Model: m, c: c, q: make([]float64, n), w: make([]float64, n*n)}
}

func (r *rescaled) inside(q []float64) []float64 {
	for i, c := range r.c {
		r.q[i] = q[i] / c
	}
	return r.q
}

func (r *rescaled) Clone() runtime.Model { return rescale(r.Model.Clone(), r.c) }

func (r *rescaled) LogDensity(q []float64) float64 { return r.Model.LogDensity(r.inside(q)) }

func (r *rescaled) Gradient(grad, q []float64) float64 {
	l := r.Model.Gradient(grad, r.inside(q))
	for i, c := range r.c {
		grad[i] /= c
	}
	return l
}

func (r *rescaled) Metric(g, q []float64) {
	r.Model.Metric(g, r.inside(q))
	r.divide(g, g)
}

func (r *rescaled) Contract(out, q, w []float64) {
	r.divide(r.w, w)
	r.Model.Contract(out, r.inside(q), r.w)
	for i, c := range r.c {
		out[i] /= c
	}
}

func (r *rescaled) MetricJacobian(out, q []float64) {
	r.Model.MetricJacobian(out, r.inside(q))
	n := len(r.c)
	for i := range n {
		for j := range n {
			for k := range n {
				out[(i*n+j)*n+k] /= r.c[i] * r.c[j] * r.c[k]
			}
		}
	}
}

// divide writes w_ij/(c_i c_j) to dst.
func (r *rescaled) divide(dst, w []float64) {
	n := len(r.c)
	for i := range n {
		for j := range n {
			dst[i*n+j] = w[i*n+j] / (r.c[i] * r.c[j])
		}
	}
}

func (r *rescaled) Constrain(x, q []float64) { copy(x, q) }

func (r *rescaled) Unconstrain(q, x []float64) error {
	copy(q, x)
	return nil
}

// changesOfUnits are factors from 1e-9 to 1e9: one for all coordinates, or one for each.
func changesOfUnits(n int) map[string][]float64 {
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	out := map[string][]float64{}
	for _, e := range []int{-30, -23, 23, 30} {
		out[fmt.Sprintf("2^%d", e)] = make([]float64, n)
		for i := range n {
			out[fmt.Sprintf("2^%d", e)][i] = math.Ldexp(1, e)
		}
	}
	each := make([]float64, n)
	for i := range each {
		each[i] = math.Ldexp(1, rng.IntN(61)-30)
	}
	out["one for each"] = each
	return out
}

// TestStepsHaveNoUnits takes steps in other units of the parameters. In the norm of the metric
// they are the same ones, to the last bit and with the same iterations; in the norm of the paper they
// are not, or the test would see nothing.
func TestStepsHaveNoUnits(t *testing.T) {
	differ := 0
	each(t, small(t), func(t *testing.T, s *subject) {
		n := s.dim()
		for name, c := range changesOfUnits(n) {
			for _, k := range []runtime.Integrator{runtime.GLFa, runtime.GLFb, runtime.IMa, runtime.IMb} {
				for _, method := range []runtime.Method{runtime.FixedPoint, runtime.Anderson} {
					if s.constant() && k != runtime.IMb || method == runtime.Anderson && k != runtime.IMb {
						continue
					}
					for i, z := range s.states(t, s.some(t, 3), 0.3, 12) {
						for _, norm := range []runtime.Norm{runtime.MetricNorm, runtime.MaxNorm} {
							sol := plain(1e-6)
							sol.Norm, sol.Method = norm, method
							q, p := clone(z.q), clone(z.p)
							want := stepper(t, runtime.Generic(s.fresh()), k)(q, p, s.eps, sol)
							qc, pc := clone(z.q), clone(z.p)
							for j := range c {
								qc[j] *= c[j]
								pc[j] /= c[j]
							}
							got := stepper(t, runtime.Generic(rescale(s.fresh(), c)), k)(qc, pc, s.eps, sol)
							for j := range c {
								qc[j] /= c[j]
								pc[j] *= c[j]
							}
							same := got == want && slices.Equal(qc, q) && slices.Equal(pc, p)
							if norm == runtime.MaxNorm && !same {
								differ++
							}
							if norm == runtime.MetricNorm && !same {
								t.Fatalf("%v %v, units %s, state %d: %+v to %v, want %+v to %v", k, method, name, i, got, join(qc, pc), want, join(q, p))
							}
						}
					}
				}
			}
		}
	})
	if differ < 100 {
		t.Errorf("only %d steps differ in the norm of the paper", differ)
	}
}

// TestChainsHaveNoUnits samples in other units, with all that adapts and all that checks, and an audit: draws and
// audits are the same ones but for the rounding of log det G, which other units move by a constant. That of the first
// energies reaches the step sizes, and trajectories amplify it.
func TestChainsHaveNoUnits(t *testing.T) {
	const rounding = 1e-6
	var two []*subject
	for _, s := range small(t) {
		if s.name == "banana" || s.name == "funnel" && campaign.Long(t) {
			two = append(two, s)
		}
	}
	each(t, two, func(t *testing.T, s *subject) {
		for name, c := range changesOfUnits(s.dim()) {
			if s.name == "funnel" && name != "one for each" {
				continue // it takes long
			}
			for _, k := range []runtime.Integrator{runtime.GLFb, runtime.IMb} {
				opt := runtime.DefaultOptions()
				opt.Integrator, opt.Chains, opt.Warmup, opt.Draws = k, 1, 40, 40
				if s.name == "funnel" {
					// Its trajectories are long enough to make another step size, in the last
					// digit, another chain.
					opt.StepSize = s.eps
				}
				opt.ReverseCheck = runtime.ReverseSampled
				opt.Audit = runtime.NewAuditRate(4, opt.Draws)
				run := func(c []float64) *runtime.Chain {
					x := clone(s.points[0].Q)
					for j := range x {
						x[j] *= c[j]
					}
					o := opt
					o.Init = []runtime.Point{x}
					r, err := runtime.Sample(context.Background(), rescale(s.fresh(), c), o, nil)
					if err != nil {
						t.Fatal(err)
					}
					return &r.Chains[0]
				}
				ones := make([]float64, len(c))
				for j := range ones {
					ones[j] = 1
				}
				want, got := run(ones), run(c)
				for j := range c {
					for i, x := range got.Draws[j] {
						if !(math.Abs(x/c[j]-want.Draws[j][i]) <= rounding) {
							t.Fatalf("%v, units %s: draw %d of coordinate %d is %v, want %v", k, name, i+1, j, x/c[j], want.Draws[j][i])
						}
					}
				}
				for i, a := range got.Audits {
					if b := want.Audits[i]; !(math.Abs(a.Step.Reversibility-b.Step.Reversibility) <= rounding) || !(math.Abs(a.Step.Volume-b.Step.Volume) <= 0.01) {
						t.Errorf("%v, units %s: audit %+v, want %+v", k, name, a, b)
					}
				}
			}
		}
	})
}
