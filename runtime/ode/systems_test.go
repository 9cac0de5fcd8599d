package ode

// fitzhugh is the FitzHugh–Nagumo system
//
//	v′ = c (v − v³/3 + r),  r′ = −(v − a + b r)/c
//
// with its first and second order sensitivities to a, b and c, in the order
// v, r, then v_p and r_p for p = a, b, c, then v_pq and r_pq for pq = aa, ab,
// ac, bb, bc, cc. It writes the first 2, 8 or 20 equations.
func fitzhugh(dy, y []float64, _ float64, u []float64) {
	a, b, c := u[0], u[1], u[2]
	v, r := y[0], y[1]
	ci := 1 / c
	g := v - v*v*v/3 + r
	e := v - a + b*r
	dy[0] = c * g
	dy[1] = -e * ci
	if len(dy) < 8 {
		return
	}
	w := 1 - v*v
	jvv, jvr := c*w, c
	jrv, jrr := -ci, -b*ci
	va, ra, vb, rb, vc, rc := y[2], y[3], y[4], y[5], y[6], y[7]
	dy[2] = jvv*va + jvr*ra
	dy[3] = jrv*va + jrr*ra + ci
	dy[4] = jvv*vb + jvr*rb
	dy[5] = jrv*vb + jrr*rb - r*ci
	dy[6] = jvv*vc + jvr*rc + g
	dy[7] = jrv*vc + jrr*rc + e*ci*ci
	if len(dy) < 20 {
		return
	}
	s := -2 * c * v
	ca, cb, cc := w*va+ra, w*vb+rb, w*vc+rc // ∂²v′/∂c∂y · y_p
	ea, eb, ec := (va+b*ra)*ci*ci, (vb+b*rb)*ci*ci, (vc+b*rc)*ci*ci
	y = y[:20]
	dy[8] = jvv*y[8] + jvr*y[9] + s*va*va
	dy[9] = jrv*y[8] + jrr*y[9]
	dy[10] = jvv*y[10] + jvr*y[11] + s*va*vb
	dy[11] = jrv*y[10] + jrr*y[11] - ra*ci
	dy[12] = jvv*y[12] + jvr*y[13] + s*va*vc + ca
	dy[13] = jrv*y[12] + jrr*y[13] + ea - ci*ci
	dy[14] = jvv*y[14] + jvr*y[15] + s*vb*vb
	dy[15] = jrv*y[14] + jrr*y[15] - 2*rb*ci
	dy[16] = jvv*y[16] + jvr*y[17] + s*vb*vc + cb
	dy[17] = jrv*y[16] + jrr*y[17] + eb - rc*ci + r*ci*ci
	dy[18] = jvv*y[18] + jvr*y[19] + s*vc*vc + 2*cc
	dy[19] = jrv*y[18] + jrr*y[19] + 2*ec - 2*e*ci*ci*ci
}

// lotka is the Lotka–Volterra system
//
//	x′ = α x − β x y,  y′ = −γ y + δ x y
//
// with its first and second order sensitivities to α, β, γ and δ, in an order
// like that of fitzhugh: 2, 10 or 30 equations.
func lotka(dy, y []float64, _ float64, u []float64) {
	a, b, c, d := u[0], u[1], u[2], u[3]
	p, q := y[0], y[1]
	pq := p * q
	dy[0] = a*p - b*pq
	dy[1] = d*pq - c*q
	if len(dy) < 10 {
		return
	}
	j00, j01, j10, j11 := a-b*q, -b*p, d*q, d*p-c
	for i := 2; i < len(dy); i += 2 {
		dy[i] = j00*y[i] + j01*y[i+1]
		dy[i+1] = j10*y[i] + j11*y[i+1]
	}
	dy[2] += p
	dy[4] -= pq
	dy[7] -= q
	dy[9] += pq
	if len(dy) < 30 {
		return
	}
	// Second order: f_yy[y_i, y_j], and the mixed terms of the parameters.
	k := 10
	for i := range 4 {
		pi, qi := y[2+2*i], y[3+2*i]
		for j := i; j < 4; j++ {
			pj, qj := y[2+2*j], y[3+2*j]
			m := pi*qj + pj*qi
			dy[k] -= b * m
			dy[k+1] += d * m
			// ∂²f/∂θ_i∂y · y_j and with i and j exchanged
			for _, e := range [2][3]float64{{float64(i), pj, qj}, {float64(j), pi, qi}} {
				w := e[1]*q + p*e[2]
				switch e[0] {
				case 0:
					dy[k] += e[1]
				case 1:
					dy[k] -= w
				case 2:
					dy[k+1] -= e[2]
				case 3:
					dy[k+1] += w
				}
			}
			k += 2
		}
	}
}
