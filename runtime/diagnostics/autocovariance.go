package diagnostics

import (
	"math/bits"
	"slices"
)

// directLags is the number of lags computed one by one. A chain that mixes
// needs no more; for the others all lags together come cheaper through a
// Fourier transform, which costs as much as 40 to 130 lags one by one.
const directLags = 64

// autocovariance yields the autocovariances of an array of draws, averaged
// over its chains,
//
//	γ_t = 1/M Σ_c 1/N Σ_i (x_ci − x̄_c)(x_c,i+t − x̄_c),
//
// computed as they are asked for, because Geyer's rule stops after a few.
type autocovariance struct {
	n, m  int
	x     []float64 // the draws, centred by chain, chain after chain
	means []float64 // x̄_c
	lags  []float64 // γ_0, γ_1, … as far as computed
	power []float64
	fft   transform
}

// reset makes ac the autocovariance of a.
func (ac *autocovariance) reset(a array) {
	ac.n, ac.m = a.n, a.m
	ac.lags = ac.lags[:0]
	ac.means = a.means(ac.means)
	ac.x = slices.Grow(ac.x[:0], len(a.x))[:len(a.x)]
	for c, mu := range ac.means {
		x := ac.x[c*a.n : (c+1)*a.n]
		for i, v := range a.chain(c) {
			x[i] = v - mu
		}
	}
}

// at returns γ_t, for 0 ≤ t < n.
func (ac *autocovariance) at(t int) float64 {
	for len(ac.lags) <= t {
		if len(ac.lags) == directLags {
			ac.transform()
			break
		}
		ac.lags = append(ac.lags, ac.direct(len(ac.lags)))
	}
	return ac.lags[t]
}

// direct returns γ_t by its definition.
func (ac *autocovariance) direct(t int) float64 {
	s := 0.0
	for c := range ac.m {
		x := ac.x[c*ac.n : (c+1)*ac.n]
		s += dot(x[:ac.n-t], x[t:])
	}
	return s / (float64(ac.n) * float64(ac.m))
}

// dot returns Σ x_i·y_i for slices of equal length, in four sums so that
// additions do not wait for each other.
func dot(x, y []float64) float64 {
	var s0, s1, s2, s3 float64
	y = y[:len(x)]
	i := 0
	for ; i+4 <= len(x); i += 4 {
		a, b := x[i:i+4:i+4], y[i:i+4:i+4]
		s0 += float64(a[0] * b[0])
		s1 += float64(a[1] * b[1])
		s2 += float64(a[2] * b[2])
		s3 += float64(a[3] * b[3])
	}
	for ; i < len(x); i++ {
		s0 += float64(x[i] * y[i])
	}
	return (s0 + s1) + (s2 + s3)
}

// transform computes all γ_t by the Wiener–Khinchin theorem: they are the
// inverse transform of the power spectrum Σ_c |F x_c|², the chains padded with
// zeros to twice their length. Two chains go through one complex transform as
// real and imaginary part; the cross terms of |F(x + iy)|² are odd and end up
// in the imaginary part of the result.
func (ac *autocovariance) transform() {
	size := 1 << bits.Len(uint(2*ac.n-1))
	ac.fft.resize(size)
	ac.power = slices.Grow(ac.power[:0], size)[:size]
	clear(ac.power)
	z := ac.fft.z
	for c := 0; c < ac.m; c += 2 {
		x := ac.x[c*ac.n : (c+1)*ac.n]
		clear(z)
		for i, v := range x {
			z[i] = complex(v, 0)
		}
		if c+1 < ac.m {
			for i, v := range ac.x[(c+1)*ac.n : (c+2)*ac.n] {
				z[i] = complex(x[i], v)
			}
		}
		ac.fft.forward()
		for k, v := range z {
			ac.power[k] += float64(real(v)*real(v)) + float64(imag(v)*imag(v))
		}
	}
	for k, v := range ac.power {
		z[k] = complex(v, 0)
	}
	ac.fft.backward()
	scale := 1 / (float64(size) * float64(ac.n) * float64(ac.m))
	for t := len(ac.lags); t < ac.n; t++ {
		ac.lags = append(ac.lags, float64(real(z[t])*scale))
	}
}
