package fast

import "fmt"

// Banana is the posterior
//
//	y_i ~ N(μ, σ_y), μ = θ₁ + θ₂², i = 1 … n;  θ_j ~ N(0, σ_θ)
//
// with q = θ. The data enter by n and their mean ȳ alone. With a = n/σ_y²,
// c = 1/σ_θ², s = 2θ₂ and u = (1, s),
//
//	−∂L/∂θ = a(μ − ȳ) u + cθ
//	G      = a u uᵀ + c I
//	G⁻¹    = (I − R u uᵀ)/c, R = 1/(s² + E), E = (a + c)/a
//	½ tr(G⁻¹ ∂G/∂θ₂) = 2sR
//
// and with w = uᵀp, t = Rw and v = G⁻¹p = (p − tu)/c,
//
//	½ vᵀ(∂G/∂θ₂)v = 2 v₂ t
//
// ∂G/∂θ₁ is zero. A value serves one goroutine.
type Banana struct {
	a, c, e float64 // a, c, E
	mean    float64 // ȳ
	at      bananaPosition
}

// bananaPosition is what GLF(b) keeps of a position.
type bananaPosition struct {
	ok     bool
	q1, q2 float64
	s, r   float64 // s, R
	f1, f2 float64 // ∂H/∂q at p = 0
}

// NewBanana returns the banana for observations y[n], n ≥ 1, with the standard
// deviations σ_y and σ_θ. It returns an error if one of these is not positive,
// if there are no observations, or if a value is not finite.
func NewBanana(y []float64, sigmaY, sigmaT float64) (*Banana, error) {
	if !(sigmaY > 0 && sigmaT > 0 && finite(sigmaY) && finite(sigmaT)) {
		return nil, fmt.Errorf("banana: standard deviations %v and %v", sigmaY, sigmaT)
	}
	n, sum := float64(len(y)), 0.0
	for _, v := range y {
		sum += v
	}
	if n == 0 || !finite(sum) {
		return nil, fmt.Errorf("banana: %v observations with the sum %v", n, sum)
	}
	a, c := n/(sigmaY*sigmaY), 1/(sigmaT*sigmaT)
	return &Banana{a: a, c: c, e: (a + c) / a, mean: sum / n}, nil
}

// StepIMb advances (q, p) in place by one step of IM(b). It returns the number
// of iterations, the predictor not counted, and whether the step succeeded.
func (b *Banana) StepIMb(q, p *[2]float64, eps, tol float64) (iterations int, ok bool) {
	startQ1, startQ2, startP1, startP2 := q[0], q[1], p[0], p[1]
	q1, q2, p1, p2 := startQ1, startQ2, startP1, startP2

	// The chain of dependent operations from one iterate to the next sets the
	// speed, above all that from θ₂ to r = 1/(4aθ₂² + a + c). So everything
	// else is ready before the division is, with ½ε in the constants:
	//	q̄₂ = q₂ + ½ε p̄₂/c − r s·(½ε a/c · w)
	//	p̄₂ = p₂ − ½ε(c q̄₂ + s a(μ−ȳ)) + r·(ε a/c · w p̄₂ − 2ε a q̄₂ − r·(ε a²/c · s w²))
	// Explicit fused multiply-adds, other groupings of these sums and a form
	// with scaled variables and fewer constants were no faster.
	a, mean := b.a, b.mean
	h := eps / 2
	ha, hc := h*a, h*b.c
	hOverC := h / b.c
	haOverC := a * hOverC
	a4, ac := 4*a, a*b.e
	w1, q21, w2 := 2*haOverC, 4*ha, 2*haOverC*a

	for it := 0; it <= maxIterations; it++ {
		square := q2 * q2
		s := q2 + q2
		r := 1 / (a4*square + ac)
		w := p1 + s*p2
		g := ha * ((q1 - mean) + square)
		first := w1*(w*p2) - q21*q2
		second := w2 * (s * w) * w
		nextP1 := (startP1 - hc*q1) - g
		rw := r * (haOverC * w)
		nextQ1 := (startQ1 + hOverC*p1) - rw
		nextQ2 := (startQ2 + hOverC*p2) - s*rw
		nextP2 := ((startP2 - hc*q2) - s*g) + r*(first-r*second)

		dq1, dq2, dp1, dp2 := nextQ1-q1, nextQ2-q2, nextP1-p1, nextP2-p2
		q1, q2, p1, p2 = nextQ1, nextQ2, nextP1, nextP2

		// p₂ is the last to settle as a rule, so one test rejects.
		if dp2 <= tol && dp2 >= -tol && dp1 <= tol && dp1 >= -tol &&
			dq1 <= tol && dq1 >= -tol && dq2 <= tol && dq2 >= -tol && it > 0 {
			q[0], q[1] = 2*q1-startQ1, 2*q2-startQ2
			p[0], p[1] = 2*p1-startP1, 2*p2-startP2
			return it, true
		}
		if it%checkEvery == checkEvery-1 && !finite(dq1+dq2+dp1+dp2) {
			return it, false
		}
	}
	return maxIterations, false
}

// position returns what GLF(b) keeps of (q1, q2).
func (b *Banana) position(q1, q2 float64) bananaPosition {
	s := q2 + q2
	r := 1 / (s*s + b.e)
	g := b.a * ((q1 - b.mean) + q2*q2)
	return bananaPosition{
		ok: true, q1: q1, q2: q2, s: s, r: r,
		f1: g + b.c*q1,
		f2: s*g + b.c*q2 + 2*(s*r),
	}
}

// StepGLFb advances (q, p) in place by one step of GLF(b). It returns the
// number of iterations of both solves together and whether the step succeeded.
//
// ∂H/∂q₁ does not depend on p, so p̄₁ is known after one iteration and the rest
// of the momentum solve iterates a quadratic polynomial in p̄₂.
func (b *Banana) StepGLFb(q, p *[2]float64, eps, tol float64) (iterations int, ok bool) {
	if !b.at.ok || b.at.q1 != q[0] || b.at.q2 != q[1] {
		b.at = b.position(q[0], q[1])
	}
	s, r := b.at.s, b.at.r
	h := eps / 2
	k := eps / b.c // 2 v₂ t · ½ε = (p₂ − st)·kt

	p1, base := p[0]-h*b.at.f1, p[1]-h*b.at.f2
	t := r * (p[0] + s*p[1])
	p2 := base + (p[1]-s*t)*(k*t)
	it := 1
	d1, d2 := p1-p[0], p2-p[1]
	if !(d2 <= tol && d2 >= -tol && d1 <= tol && d1 >= -tol) {
		// t = t₀ + t₁p̄₂ and p̄₂ − st = (1 − R s²)p̄₂ − st₀, 1 − R s² = ER.
		t0, t1, er := r*p1, r*s, b.e*r
		c0, c1, c2 := base-k*s*t0*t0, k*t0*(er-s*t1), k*er*t1
		for {
			it++
			next := (c0 + c1*p2) + c2*(p2*p2)
			d := next - p2
			p2 = next
			if d <= tol && d >= -tol {
				break
			}
			if it%checkEvery == 0 && !finite(d) || it == maxIterations {
				return it, false
			}
		}
	}

	// The position solve runs on 2q' = 2q + ε/c [p̄ − tu + p̄ − R(q') w u],
	// since s = 2q₂ is what it needs.
	t = r * (p1 + s*p2)
	k1, k2 := k*p1, k*p2
	x1, x2 := 2*q[0], s
	base1, base2 := x1+2*k1-k*t, x2+2*k2-s*(k*t)
	e, tol2 := b.e, 2*tol
	for pos := 1; ; pos++ {
		it++
		r := 1 / (x2*x2 + e)
		w := k1 + x2*k2
		next1, next2 := base1-r*w, base2-r*(x2*w)
		d1, d2 := next1-x1, next2-x2
		x1, x2 = next1, next2
		if d2 <= tol2 && d2 >= -tol2 && d1 <= tol2 && d1 >= -tol2 {
			break
		}
		if pos%checkEvery == 0 && !finite(d1+d2) || pos == maxIterations {
			return it, false
		}
	}

	next := b.position(x1/2, x2/2)
	t = next.r * (p1 + next.s*p2)
	p1 -= h * next.f1
	p2 += (p2-next.s*t)*(k*t) - h*next.f2
	if !finite(p1 + p2) {
		return it, false
	}
	b.at = next
	q[0], q[1], p[0], p[1] = next.q1, next.q2, p1, p2
	return it, true
}
