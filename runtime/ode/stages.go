package ode

import "math"

// The loops of a step over the components. k holds the derivatives of the
// stages one after the other; n = len(dst) is the dimension. There is one loop
// for each stage, so that the compiler keeps weights and pointers in registers
// and checks no bounds within it. Slicing k there rather than passing its parts
// saves a quarter of the time of stage 12 for 20 equations, and half for 2.

// step computes the stages 2 to 12 of a step from the state s.y at t with the
// derivative k_1 to target = t + h, and the new state. It returns an estimate of the
// error in units of what the options allow, or something not finite.
func (s *Solver) step(t, h, target float64, u []float64) float64 {
	n, f := len(s.y), s.rhs
	y, p, k := s.y, s.point, s.k
	stage2(p, y, k, h)
	f(k[n:2*n:2*n], p, t+float64(c2*h), u)
	stage3(p, y, k, h)
	f(k[2*n:3*n:3*n], p, t+float64(c3*h), u)
	stage4(p, y, k, h)
	f(k[3*n:4*n:4*n], p, t+float64(c4*h), u)
	stage5(p, y, k, h)
	f(k[4*n:5*n:5*n], p, t+float64(c5*h), u)
	stage6(p, y, k, h)
	f(k[5*n:6*n:6*n], p, t+float64(c6*h), u)
	stage7(p, y, k, h)
	f(k[6*n:7*n:7*n], p, t+float64(c7*h), u)
	stage8(p, y, k, h)
	f(k[7*n:8*n:8*n], p, t+float64(c8*h), u)
	stage9(p, y, k, h)
	f(k[8*n:9*n:9*n], p, t+float64(c9*h), u)
	stage10(p, y, k, h)
	f(k[9*n:10*n:10*n], p, t+float64(c10*h), u)
	stage11(p, y, k, h)
	f(k[10*n:11*n:11*n], p, t+float64(c11*h), u)
	stage12(p, y, k, h)
	f(k[11*n:12*n:12*n], p, target, u)
	s.counts.Evaluations += 11
	finish(s.ynew, y, s.e3, k, h)
	return s.estimate(h)
}

// complete computes what an accepted step needs besides: the derivative k_13 at
// its end, which is k_1 of the next step, and for dense output the stages 14 to
// 16. It reports whether they and the new state are finite.
func (s *Solver) complete(t, h, target float64, u []float64, dense bool) bool {
	n, f := len(s.y), s.rhs
	y, p, k := s.y, s.point, s.k
	if !finite(s.ynew) {
		return false
	}
	f(k[12*n:13*n:13*n], s.ynew, target, u)
	s.counts.Evaluations++
	if !dense {
		return finite(k[12*n : 13*n])
	}
	stage14(p, y, k, h)
	f(k[13*n:14*n:14*n], p, t+float64(c14*h), u)
	stage15(p, y, k, h)
	f(k[14*n:15*n:15*n], p, t+float64(c15*h), u)
	stage16(p, y, k, h)
	f(k[15*n:16*n:16*n], p, t+float64(c16*h), u)
	s.counts.Evaluations += 3
	return finite(k[12*n : 16*n])
}

// finish sets dst to the new state y + h Σ b_i k_i, and e3 to its difference from a
// solution of order 3.
func finish(dst, y, e3, k []float64, h float64) {
	n := len(dst)
	y, e3 = y[:n], e3[:n]
	k1, k6, k7, k8 := k[:n], k[5*n:][:n], k[6*n:][:n], k[7*n:][:n]
	k9, k10, k11, k12 := k[8*n:][:n], k[9*n:][:n], k[10*n:][:n], k[11*n:][:n]
	f1, f6, f7, f8 := float64(h*b1), float64(h*b6), float64(h*b7), float64(h*b8)
	f9, f10, f11, f12 := float64(h*b9), float64(h*b10), float64(h*b11), float64(h*b12)
	g1, g9, g12 := float64(h*low1), float64(h*low9), float64(h*low12)
	for i := range dst {
		d := ((float64(f1*k1[i]) + float64(f6*k6[i])) + (float64(f7*k7[i]) + float64(f8*k8[i]))) +
			((float64(f9*k9[i]) + float64(f10*k10[i])) + (float64(f11*k11[i]) + float64(f12*k12[i])))
		dst[i] = y[i] + d
		e3[i] = d - ((float64(g1*k1[i]) + float64(g9*k9[i])) + float64(g12*k12[i]))
	}
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
	n := len(s.ynew)
	k, y1, y, e3 := s.k, s.ynew[:n], s.y[:n], s.e3[:n]
	k1, k6, k7, k8 := k[:n], k[5*n:][:n], k[6*n:][:n], k[7*n:][:n]
	k9, k10, k11, k12 := k[8*n:][:n], k[9*n:][:n], k[10*n:][:n], k[11*n:][:n]
	f1, f6, f7, f8 := float64(h*e1), float64(h*e6), float64(h*e7), float64(h*e8)
	f9, f10, f11, f12 := float64(h*e9), float64(h*e10), float64(h*e11), float64(h*e12)
	atol, rtol := s.atol, s.rtol
	m5, m3 := uint64(0), uint64(0)
	for i, v := range y1 {
		e := ((float64(f1*k1[i]) + float64(f6*k6[i])) + (float64(f7*k7[i]) + float64(f8*k8[i]))) +
			((float64(f9*k9[i]) + float64(f10*k10[i])) + (float64(f11*k11[i]) + float64(f12*k12[i])))
		size := math.Float64frombits(max(magnitude(v), magnitude(y[i])))
		r := 1 / (atol + float64(rtol*size))
		m5 = max(m5, magnitude(float64(e*r)))
		m3 = max(m3, magnitude(float64(e3[i]*r)))
	}
	e5, low := math.Float64frombits(m5), math.Float64frombits(m3)
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
	n := len(s.y)
	k, y := s.k, s.y[:n]
	k1, k6, k7, k8 := k[:n], k[5*n:][:n], k[6*n:][:n], k[7*n:][:n]
	k9, k10, k11, k12 := k[8*n:][:n], k[9*n:][:n], k[10*n:][:n], k[11*n:][:n]
	k13, k14, k15, k16 := k[12*n:][:n], k[13*n:][:n], k[14*n:][:n], k[15*n:][:n]
	back := 1 - theta
	w := float64(theta * theta)
	hermite := float64(h * (w * (3 - float64(2*theta))))
	w4 := float64(h * (w * float64(back*back)))
	w5 := float64(w4 * theta)
	w6 := float64(w5 * back)
	w7 := float64(w6 * theta)
	f1 := float64(hermite*b1) + ((float64(w4*d4_1) + float64(w5*d5_1)) + (float64(w6*d6_1) + float64(w7*d7_1))) + float64(h*(theta*float64(back*back)))
	f6 := float64(hermite*b6) + ((float64(w4*d4_6) + float64(w5*d5_6)) + (float64(w6*d6_6) + float64(w7*d7_6)))
	f7 := float64(hermite*b7) + ((float64(w4*d4_7) + float64(w5*d5_7)) + (float64(w6*d6_7) + float64(w7*d7_7)))
	f8 := float64(hermite*b8) + ((float64(w4*d4_8) + float64(w5*d5_8)) + (float64(w6*d6_8) + float64(w7*d7_8)))
	f9 := float64(hermite*b9) + ((float64(w4*d4_9) + float64(w5*d5_9)) + (float64(w6*d6_9) + float64(w7*d7_9)))
	f10 := float64(hermite*b10) + ((float64(w4*d4_10) + float64(w5*d5_10)) + (float64(w6*d6_10) + float64(w7*d7_10)))
	f11 := float64(hermite*b11) + ((float64(w4*d4_11) + float64(w5*d5_11)) + (float64(w6*d6_11) + float64(w7*d7_11)))
	f12 := float64(hermite*b12) + ((float64(w4*d4_12) + float64(w5*d5_12)) + (float64(w6*d6_12) + float64(w7*d7_12)))
	f13 := (float64(w4*d4_13) + float64(w5*d5_13)) + (float64(w6*d6_13) + float64(w7*d7_13)) - float64(h*(w*back))
	f14 := (float64(w4*d4_14) + float64(w5*d5_14)) + (float64(w6*d6_14) + float64(w7*d7_14))
	f15 := (float64(w4*d4_15) + float64(w5*d5_15)) + (float64(w6*d6_15) + float64(w7*d7_15))
	f16 := (float64(w4*d4_16) + float64(w5*d5_16)) + (float64(w6*d6_16) + float64(w7*d7_16))
	// Two loops, as one of twelve terms runs out of registers.
	p := s.point[:n]
	for i := range p {
		p[i] = y[i] + (((float64(f1*k1[i]) + float64(f6*k6[i])) + (float64(f7*k7[i]) + float64(f8*k8[i]))) +
			(float64(f9*k9[i]) + float64(f10*k10[i])))
	}
	at := 0
	for i, v := range p {
		out[at] = v + (((float64(f11*k11[i]) + float64(f12*k12[i])) + (float64(f13*k13[i]) + float64(f14*k14[i]))) +
			(float64(f15*k15[i]) + float64(f16*k16[i])))
		at += stride
	}
}

// The points y + h Σ_j a_ij k_j where the stages evaluate.

func stage2(dst, y, k []float64, h float64) {
	n := len(dst)
	y = y[:n]
	k1 := k[:n]
	f1 := float64(h * a2_1)
	for i := range dst {
		dst[i] = y[i] + float64(f1*k1[i])
	}
}

func stage3(dst, y, k []float64, h float64) {
	n := len(dst)
	y = y[:n]
	k1, k2 := k[:n], k[n:][:n]
	f1, f2 := float64(h*a3_1), float64(h*a3_2)
	for i := range dst {
		dst[i] = y[i] + (float64(f1*k1[i]) + float64(f2*k2[i]))
	}
}

func stage4(dst, y, k []float64, h float64) {
	n := len(dst)
	y = y[:n]
	k1, k3 := k[:n], k[2*n:][:n]
	f1, f3 := float64(h*a4_1), float64(h*a4_3)
	for i := range dst {
		dst[i] = y[i] + (float64(f1*k1[i]) + float64(f3*k3[i]))
	}
}

func stage5(dst, y, k []float64, h float64) {
	n := len(dst)
	y = y[:n]
	k1, k3, k4 := k[:n], k[2*n:][:n], k[3*n:][:n]
	f1, f3, f4 := float64(h*a5_1), float64(h*a5_3), float64(h*a5_4)
	for i := range dst {
		dst[i] = y[i] + ((float64(f1*k1[i]) + float64(f3*k3[i])) + float64(f4*k4[i]))
	}
}

func stage6(dst, y, k []float64, h float64) {
	n := len(dst)
	y = y[:n]
	k1, k4, k5 := k[:n], k[3*n:][:n], k[4*n:][:n]
	f1, f4, f5 := float64(h*a6_1), float64(h*a6_4), float64(h*a6_5)
	for i := range dst {
		dst[i] = y[i] + ((float64(f1*k1[i]) + float64(f4*k4[i])) + float64(f5*k5[i]))
	}
}

func stage7(dst, y, k []float64, h float64) {
	n := len(dst)
	y = y[:n]
	k1, k4, k5, k6 := k[:n], k[3*n:][:n], k[4*n:][:n], k[5*n:][:n]
	f1, f4, f5, f6 := float64(h*a7_1), float64(h*a7_4), float64(h*a7_5), float64(h*a7_6)
	for i := range dst {
		dst[i] = y[i] + ((float64(f1*k1[i]) + float64(f4*k4[i])) + (float64(f5*k5[i]) + float64(f6*k6[i])))
	}
}

func stage8(dst, y, k []float64, h float64) {
	n := len(dst)
	y = y[:n]
	k1, k4, k5, k6, k7 := k[:n], k[3*n:][:n], k[4*n:][:n], k[5*n:][:n], k[6*n:][:n]
	f1, f4, f5, f6, f7 := float64(h*a8_1), float64(h*a8_4), float64(h*a8_5), float64(h*a8_6), float64(h*a8_7)
	for i := range dst {
		dst[i] = y[i] + (((float64(f1*k1[i]) + float64(f4*k4[i])) + (float64(f5*k5[i]) + float64(f6*k6[i]))) + float64(f7*k7[i]))
	}
}

func stage9(dst, y, k []float64, h float64) {
	n := len(dst)
	y = y[:n]
	k1, k4, k5 := k[:n], k[3*n:][:n], k[4*n:][:n]
	k6, k7, k8 := k[5*n:][:n], k[6*n:][:n], k[7*n:][:n]
	f1, f4, f5 := float64(h*a9_1), float64(h*a9_4), float64(h*a9_5)
	f6, f7, f8 := float64(h*a9_6), float64(h*a9_7), float64(h*a9_8)
	for i := range dst {
		dst[i] = y[i] + (((float64(f1*k1[i]) + float64(f4*k4[i])) + (float64(f5*k5[i]) + float64(f6*k6[i]))) + (float64(f7*k7[i]) + float64(f8*k8[i])))
	}
}

func stage10(dst, y, k []float64, h float64) {
	n := len(dst)
	y = y[:n]
	k1, k4, k5, k6 := k[:n], k[3*n:][:n], k[4*n:][:n], k[5*n:][:n]
	k7, k8, k9 := k[6*n:][:n], k[7*n:][:n], k[8*n:][:n]
	f1, f4, f5, f6 := float64(h*a10_1), float64(h*a10_4), float64(h*a10_5), float64(h*a10_6)
	f7, f8, f9 := float64(h*a10_7), float64(h*a10_8), float64(h*a10_9)
	for i := range dst {
		dst[i] = y[i] + (((float64(f1*k1[i]) + float64(f4*k4[i])) + (float64(f5*k5[i]) + float64(f6*k6[i]))) +
			((float64(f7*k7[i]) + float64(f8*k8[i])) + float64(f9*k9[i])))
	}
}

func stage11(dst, y, k []float64, h float64) {
	n := len(dst)
	y = y[:n]
	k1, k4, k5, k6 := k[:n], k[3*n:][:n], k[4*n:][:n], k[5*n:][:n]
	k7, k8, k9, k10 := k[6*n:][:n], k[7*n:][:n], k[8*n:][:n], k[9*n:][:n]
	f1, f4, f5, f6 := float64(h*a11_1), float64(h*a11_4), float64(h*a11_5), float64(h*a11_6)
	f7, f8, f9, f10 := float64(h*a11_7), float64(h*a11_8), float64(h*a11_9), float64(h*a11_10)
	for i := range dst {
		dst[i] = y[i] + (((float64(f1*k1[i]) + float64(f4*k4[i])) + (float64(f5*k5[i]) + float64(f6*k6[i]))) +
			((float64(f7*k7[i]) + float64(f8*k8[i])) + (float64(f9*k9[i]) + float64(f10*k10[i]))))
	}
}

func stage12(dst, y, k []float64, h float64) {
	n := len(dst)
	y = y[:n]
	k1, k4, k5 := k[:n], k[3*n:][:n], k[4*n:][:n]
	k6, k7, k8 := k[5*n:][:n], k[6*n:][:n], k[7*n:][:n]
	k9, k10, k11 := k[8*n:][:n], k[9*n:][:n], k[10*n:][:n]
	f1, f4, f5 := float64(h*a12_1), float64(h*a12_4), float64(h*a12_5)
	f6, f7, f8 := float64(h*a12_6), float64(h*a12_7), float64(h*a12_8)
	f9, f10, f11 := float64(h*a12_9), float64(h*a12_10), float64(h*a12_11)
	for i := range dst {
		dst[i] = y[i] + ((((float64(f1*k1[i]) + float64(f4*k4[i])) + (float64(f5*k5[i]) + float64(f6*k6[i]))) +
			(float64(f7*k7[i]) + float64(f8*k8[i]))) + ((float64(f9*k9[i]) + float64(f10*k10[i])) +
			float64(f11*k11[i])))
	}
}

func stage14(dst, y, k []float64, h float64) {
	n := len(dst)
	y = y[:n]
	k1, k7, k8, k9 := k[:n], k[6*n:][:n], k[7*n:][:n], k[8*n:][:n]
	k10, k11, k12, k13 := k[9*n:][:n], k[10*n:][:n], k[11*n:][:n], k[12*n:][:n]
	f1, f7, f8, f9 := float64(h*a14_1), float64(h*a14_7), float64(h*a14_8), float64(h*a14_9)
	f10, f11, f12, f13 := float64(h*a14_10), float64(h*a14_11), float64(h*a14_12), float64(h*a14_13)
	for i := range dst {
		dst[i] = y[i] + (((float64(f1*k1[i]) + float64(f7*k7[i])) + (float64(f8*k8[i]) + float64(f9*k9[i]))) +
			((float64(f10*k10[i]) + float64(f11*k11[i])) + (float64(f12*k12[i]) + float64(f13*k13[i]))))
	}
}

func stage15(dst, y, k []float64, h float64) {
	n := len(dst)
	y = y[:n]
	k1, k6, k7, k8 := k[:n], k[5*n:][:n], k[6*n:][:n], k[7*n:][:n]
	k11, k12, k13, k14 := k[10*n:][:n], k[11*n:][:n], k[12*n:][:n], k[13*n:][:n]
	f1, f6, f7, f8 := float64(h*a15_1), float64(h*a15_6), float64(h*a15_7), float64(h*a15_8)
	f11, f12, f13, f14 := float64(h*a15_11), float64(h*a15_12), float64(h*a15_13), float64(h*a15_14)
	for i := range dst {
		dst[i] = y[i] + (((float64(f1*k1[i]) + float64(f6*k6[i])) + (float64(f7*k7[i]) + float64(f8*k8[i]))) +
			((float64(f11*k11[i]) + float64(f12*k12[i])) + (float64(f13*k13[i]) + float64(f14*k14[i]))))
	}
}

func stage16(dst, y, k []float64, h float64) {
	n := len(dst)
	y = y[:n]
	k1, k6, k7, k8 := k[:n], k[5*n:][:n], k[6*n:][:n], k[7*n:][:n]
	k9, k13, k14, k15 := k[8*n:][:n], k[12*n:][:n], k[13*n:][:n], k[14*n:][:n]
	f1, f6, f7, f8 := float64(h*a16_1), float64(h*a16_6), float64(h*a16_7), float64(h*a16_8)
	f9, f13, f14, f15 := float64(h*a16_9), float64(h*a16_13), float64(h*a16_14), float64(h*a16_15)
	for i := range dst {
		dst[i] = y[i] + (((float64(f1*k1[i]) + float64(f6*k6[i])) + (float64(f7*k7[i]) + float64(f8*k8[i]))) +
			((float64(f9*k9[i]) + float64(f13*k13[i])) + (float64(f14*k14[i]) + float64(f15*k15[i]))))
	}
}
