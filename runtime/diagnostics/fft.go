package diagnostics

import (
	"math"
	"slices"

	"github.com/hamc-dev/hamc/runtime/elementary"
)

// transform is a discrete Fourier transform whose length is a power of two, in
// place on z. The forward transform (Gentleman–Sande) leaves the frequencies
// in bit-reversed order and the backward transform (Cooley–Tukey) takes them
// so: a power spectrum needs no reordering between the two.
type transform struct {
	z []complex128
	w []complex128 // w[k] = exp(−2πik/len z), k < len(z)/2
}

// resize makes the length of z n, a power of two.
func (f *transform) resize(n int) {
	if len(f.z) == n {
		return
	}
	f.z = slices.Grow(f.z[:0], n)[:n]
	f.w = slices.Grow(f.w[:0], n/2)[:n/2]
	for k := range f.w {
		s, c := elementary.Sincos(-2 * math.Pi * float64(k) / float64(n))
		f.w[k] = complex(c, s)
	}
}

// forward replaces z_j by Σ_j z_j·exp(−2πijk/n), in bit-reversed order of k.
func (f *transform) forward() {
	n := len(f.z)
	for half, stride := n/2, 1; half > 0; half, stride = half/2, stride*2 {
		for start := 0; start < n; start += 2 * half {
			lo, hi := f.z[start:start+half], f.z[start+half:start+2*half]
			for j := range lo {
				a, b := lo[j], hi[j]
				lo[j], hi[j] = a+b, times(a-b, f.w[j*stride])
			}
		}
	}
}

// backward is the inverse of forward times n.
func (f *transform) backward() {
	n := len(f.z)
	for half, stride := 1, n/2; half < n; half, stride = half*2, stride/2 {
		for start := 0; start < n; start += 2 * half {
			lo, hi := f.z[start:start+half], f.z[start+half:start+2*half]
			for j := range lo {
				w := f.w[j*stride]
				a, b := lo[j], times(hi[j], complex(real(w), -imag(w)))
				lo[j], hi[j] = a+b, a-b
			}
		}
	}
}

// times returns x y, of which every product is rounded: the compiler may fuse those
// of a complex product with its sums.
func times(x, y complex128) complex128 {
	a, b, c, d := real(x), imag(x), real(y), imag(y)
	return complex(float64(a*c)-float64(b*d), float64(a*d)+float64(b*c))
}
