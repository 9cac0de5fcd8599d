package ode

import (
	"math"

	"github.com/hamc-dev/hamc/runtime/kernel"
)

// stages are where the right-hand side is evaluated: stage i at t + c_i h and y + h Σ_j a_ij k_j. Stages 14 to 16 serve
// dense output only.
var stages = [17]struct {
	c float64
	a *kernel.Combination
}{
	2:  {c2, sum([]int{0}, []float64{a2_1})},
	3:  {c3, sum([]int{0, 1}, []float64{a3_1, a3_2})},
	4:  {c4, sum([]int{0, 2}, []float64{a4_1, a4_3})},
	5:  {c5, sum([]int{0, 2, 3}, []float64{a5_1, a5_3, a5_4})},
	6:  {c6, sum([]int{0, 3, 4}, []float64{a6_1, a6_4, a6_5})},
	7:  {c7, sum([]int{0, 3, 4, 5}, []float64{a7_1, a7_4, a7_5, a7_6})},
	8:  {c8, sum([]int{0, 3, 4, 5, 6}, []float64{a8_1, a8_4, a8_5, a8_6, a8_7})},
	9:  {c9, sum([]int{0, 3, 4, 5, 6, 7}, []float64{a9_1, a9_4, a9_5, a9_6, a9_7, a9_8})},
	10: {c10, sum([]int{0, 3, 4, 5, 6, 7, 8}, []float64{a10_1, a10_4, a10_5, a10_6, a10_7, a10_8, a10_9})},
	11: {c11, sum([]int{0, 3, 4, 5, 6, 7, 8, 9}, []float64{a11_1, a11_4, a11_5, a11_6, a11_7, a11_8, a11_9, a11_10})},
	12: {1, sum([]int{0, 3, 4, 5, 6, 7, 8, 9, 10}, []float64{a12_1, a12_4, a12_5, a12_6, a12_7, a12_8, a12_9, a12_10, a12_11})},
	14: {c14, sum([]int{0, 6, 7, 8, 9, 10, 11, 12}, []float64{a14_1, a14_7, a14_8, a14_9, a14_10, a14_11, a14_12, a14_13})},
	15: {c15, sum([]int{0, 5, 6, 7, 10, 11, 12, 13}, []float64{a15_1, a15_6, a15_7, a15_8, a15_11, a15_12, a15_13, a15_14})},
	16: {c16, sum([]int{0, 5, 6, 7, 8, 12, 13, 14}, []float64{a16_1, a16_6, a16_7, a16_8, a16_9, a16_13, a16_14, a16_15})},
}

// Those of the new state, of its difference from a solution of order 5, and, negative, of the solution of order 3.
var (
	newState = sum([]int{0, 5, 6, 7, 8, 9, 10, 11}, []float64{b1, b6, b7, b8, b9, b10, b11, b12})
	error5   = sum([]int{0, 5, 6, 7, 8, 9, 10, 11}, []float64{e1, e6, e7, e8, e9, e10, e11, e12})
	minusLow = sum([]int{0, 8, 11}, []float64{-low1, -low9, -low12})
	itself   = sum([]int{0}, []float64{1})
)

// sum is Σ_j w_j k_j over some j, which are given from 0 on.
func sum(j []int, w []float64) *kernel.Combination { return kernel.NewCombination(j, w) }

// stage computes k_i of a step from the state s.y at t, at the given time.
func (s *Solver) stage(i int, time, h float64, u []float64) {
	n := len(s.y)
	stages[i].a.AddTo(s.point, s.y, s.k, h)
	s.rhs(s.k[(i-1)*n:i*n:i*n], s.point, time, u)
	s.counts.Evaluations++
}

// step computes the stages 2 to 12 of a step from the state s.y at t with the
// derivative k_1 to target = t + h, and the new state. It returns an estimate of the
// error in units of what the options allow, or something not finite.
func (s *Solver) step(t, h, target float64, u []float64) float64 {
	for i := 2; i < 12; i++ {
		s.stage(i, t+float64(stages[i].c*h), h, u)
	}
	s.stage(12, target, h, u)
	s.finish(h)
	return s.estimate(h)
}

// complete computes what an accepted step needs besides: the derivative k_13 at
// its end, which is k_1 of the next step, and for dense output the stages 14 to
// 16. It reports whether they and the new state are finite.
func (s *Solver) complete(t, h, target float64, u []float64, dense bool) bool {
	n := len(s.y)
	if !finite(s.ynew) {
		return false
	}
	s.rhs(s.k[12*n:13*n:13*n], s.ynew, target, u)
	s.counts.Evaluations++
	if !dense {
		return finite(s.k[12*n : 13*n])
	}
	for i := 14; i <= 16; i++ {
		s.stage(i, t+float64(stages[i].c*h), h, u)
	}
	return finite(s.k[12*n : 16*n])
}

// finish computes the new state y + h Σ b_i k_i, and its difference e3 from a
// solution of order 3.
func (s *Solver) finish(h float64) {
	d := s.point
	newState.AddTo(d, s.zero, s.k, h)
	itself.AddTo(s.ynew, s.y, d, 1)
	minusLow.AddTo(s.e3, d, s.k, h)
}

// estimate returns the error of the step to s.ynew in units of the tolerance. Of two
// estimates, ε₅ = h Σ e_i k_i of order 5 and ε₃ of order 3, it makes
//
//	err = ‖ε₅‖² / √(‖ε₅‖² + 0.01 ‖ε₃‖²),
//
// which behaves like h⁸ (section II.10 of Hairer, Nørsett & Wanner). The norm
// is the largest of ε_j / (AbsTol + RelTol max(|y_j|, |ynew_j|)) instead of their
// root mean square: the promise is for every component then, whatever number of
// others are zero or easy. Sensitivities that are added to a system would
// dilute its mean, and the states would come out worse with them than without.
//
// The result is not finite if a component of the k_i is not.
func (s *Solver) estimate(h float64) float64 {
	error5.AddTo(s.point, s.zero, s.k, h)
	e5, low := kernel.LargestScaled(s.point, s.e3, s.y, s.ynew, s.atol, s.rtol)
	if e5 == 0 || !(e5 <= math.MaxFloat64) || !(low <= math.MaxFloat64) {
		return e5 + float64(0*low)
	}
	q := low / e5
	return e5 / math.Sqrt(1+float64(0.01*float64(q*q)))
}

// interpolate sets out[j*stride] to component j of dense output at t + θh,
//
//	y + h Σ_i k_i B_i(θ),  B_i = θ²(3−2θ) b_i + θ(1−θ)² [i=1] − θ²(1−θ) [i=13]
//	                         + θ²(1−θ)² (d_4i + θ (d_5i + (1−θ) (d_6i + θ d_7i))),
//
// a cubic Hermite interpolant with a correction to order 7. The weights B_i
// are computed for each θ rather than the polynomials for each component: most
// steps have few times in them.
func (s *Solver) interpolate(out []float64, stride int, h, theta float64) {
	back := 1 - theta
	w := float64(theta * theta)
	hermite := float64(h * (w * (3 - float64(2*theta))))
	w4 := float64(h * (w * float64(back*back)))
	w5 := float64(w4 * theta)
	w6 := float64(w5 * back)
	w7 := float64(w6 * theta)
	f, g := &s.first.Weights, &s.second.Weights
	weight := func(d *denseWeights) float64 {
		return float64(hermite*d.b) + ((float64(w4*d.d4) + float64(w5*d.d5)) + (float64(w6*d.d6) + float64(w7*d.d7)))
	}
	for i := range 6 {
		f[i], g[i] = weight(&dense[i]), weight(&dense[6+i])
	}
	f[0] += float64(h * (theta * float64(back*back)))
	g[2] -= float64(h * (w * back))
	s.first.AddTo(s.point, s.y, s.k, 1)
	s.second.AddTo(s.last, s.point, s.k, 1)
	at := 0
	for _, v := range s.last {
		out[at] = v
		at += stride
	}
}

// denseWeights are the numbers of one B_i.
type denseWeights struct{ b, d4, d5, d6, d7 float64 }

// denseSums returns the two sums that interpolate adds, over i = 1, 6, …, 10 and 11, …, 16.
func denseSums() (first, second *kernel.Combination) {
	return sum([]int{0, 5, 6, 7, 8, 9}, make([]float64, 6)), sum([]int{10, 11, 12, 13, 14, 15}, make([]float64, 6))
}

// dense are those of i = 1, 6, 7, …, 16.
var dense = [12]denseWeights{
	{b1, d4_1, d5_1, d6_1, d7_1},
	{b6, d4_6, d5_6, d6_6, d7_6},
	{b7, d4_7, d5_7, d6_7, d7_7},
	{b8, d4_8, d5_8, d6_8, d7_8},
	{b9, d4_9, d5_9, d6_9, d7_9},
	{b10, d4_10, d5_10, d6_10, d7_10},
	{b11, d4_11, d5_11, d6_11, d7_11},
	{b12, d4_12, d5_12, d6_12, d7_12},
	{0, d4_13, d5_13, d6_13, d7_13},
	{0, d4_14, d5_14, d6_14, d7_14},
	{0, d4_15, d5_15, d6_15, d7_15},
	{0, d4_16, d5_16, d6_16, d7_16},
}
