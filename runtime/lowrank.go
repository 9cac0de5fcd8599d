package runtime

import (
	"math"

	"github.com/hamc-dev/hamc/runtime/elementary"
)

// lowRank is a matrix C = S (I + Σ_k (λ_k − 1) u_k u_kᵀ) S with a diagonal S and orthonormal u_k: a diagonal matrix but for a few
// directions. It is written as one list: the squares of S, then λ and the elements of u of each direction.
type lowRank struct {
	n       int
	list    []float64
	scale   []float64 // S
	values  []float64 // λ
	vectors []direction
	logDet  float64   // log det C⁻¹
	product []float64 // C as a matrix, where that is faster; nil where it is not
	weights []float64 // C⁻¹ likewise, once it was asked for
	root    []float64 // C^½ likewise, up to a rotation: what whitens
	y       []float64
}

// direction is a unit vector. Of one that has few elements these are kept apart.
type direction struct {
	whole []float64
	at    []int     // where its elements are, where they are few
	few   []float64 // these
}

// sparseShare is the share of elements that are not 0 up to which they are few.
const sparseShare = 0.25

func newDirection(u []float64) direction {
	d := direction{whole: u}
	for i, x := range u {
		if x != 0 {
			d.at, d.few = append(d.at, i), append(d.few, x)
		}
	}
	if float64(len(d.at)) > float64(sparseShare*float64(len(u))) {
		d.at, d.few = nil, nil
	}
	return d
}

// dot is the inner product with y.
func (d *direction) dot(y []float64) float64 {
	if d.at == nil {
		return innerProduct(d.whole, y)
	}
	sum := 0.0
	for k, i := range d.at {
		sum += float64(d.few[k] * y[i])
	}
	return sum
}

// add adds f times the vector to y.
func (d *direction) add(y []float64, f float64) {
	if d.at == nil {
		for i, x := range d.whole {
			y[i] += float64(f * x)
		}
		return
	}
	for k, i := range d.at {
		y[i] += float64(f * d.few[k])
	}
}

// newLowRank reads a list; nil where it is none, or not that of a positive definite matrix.
func newLowRank(n int, list []float64) *lowRank {
	if len(list) < n || (len(list)-n)%(n+1) != 0 {
		return nil
	}
	c := &lowRank{n: n, list: append([]float64(nil), list...), scale: make([]float64, n), y: make([]float64, n)}
	for i, v := range list[:n] {
		if !(v > 0 && isFinite(v)) {
			return nil
		}
		c.scale[i] = math.Sqrt(v)
		c.logDet -= elementary.Log(v)
	}
	for rest := c.list[n:]; len(rest) > 0; rest = rest[n+1:] {
		if v := rest[0]; !(v > 0 && isFinite(v)) || !allFinite(rest[:n+1]) {
			return nil
		}
		c.values, c.vectors = append(c.values, rest[0]), append(c.vectors, newDirection(rest[1:n+1]))
		c.logDet -= elementary.Log(rest[0])
	}
	// A product with a direction is two passes over n elements.
	if 3*len(c.values) > n && n <= 512 {
		c.product, c.root = c.matrix(), c.frame()
	}
	return c
}

// scaled adds to y its parts along the directions, each times weight(λ).
func (c *lowRank) scaled(y []float64, weight func(v float64) float64) {
	// The directions are orthogonal, so that none changes what is along another.
	for k := range c.vectors {
		u := &c.vectors[k]
		u.add(y, float64(weight(c.values[k])*u.dot(y)))
	}
}

// mul writes C p to v.
func (c *lowRank) mul(v, p []float64) {
	if c.product != nil {
		for i := range v {
			v[i] = innerProduct(c.product[i*c.n:][:c.n], p)
		}
		return
	}
	if len(c.values) == 0 {
		for i, x := range c.list[:c.n] {
			v[i] = float64(x * p[i])
		}
		return
	}
	for i, s := range c.scale {
		v[i] = float64(s * p[i])
	}
	for k := range c.vectors {
		u := &c.vectors[k]
		u.add(v, float64((c.values[k]-1)*u.dot(v)))
	}
	for i, s := range c.scale {
		v[i] = float64(s * v[i])
	}
}

// weigh writes C⁻¹ d to w.
func (c *lowRank) weigh(w, d []float64) {
	if c.product != nil {
		if c.weights == nil {
			c.weights = c.inverse()
		}
		for i := range w {
			w[i] = innerProduct(c.weights[i*c.n:][:c.n], d)
		}
		return
	}
	if len(c.values) == 0 {
		for i, x := range c.list[:c.n] {
			w[i] = d[i] / x
		}
		return
	}
	for i, s := range c.scale {
		w[i] = d[i] / s
	}
	c.scaled(w, func(v float64) float64 { return 1/v - 1 })
	for i, s := range c.scale {
		w[i] /= s
	}
}

// whiten writes C^½ p to z, up to a rotation.
func (c *lowRank) whiten(z, p []float64) {
	if c.root != nil {
		for i := range z {
			z[i] = innerProduct(c.root[i*c.n:][:c.n], p)
		}
		return
	}
	for i, s := range c.scale {
		z[i] = float64(p[i] * s)
	}
	c.scaled(z, func(v float64) float64 { return math.Sqrt(v) - 1 })
}

// draw makes standard normal variates in p a draw from N(0, C⁻¹).
func (c *lowRank) draw(p []float64) {
	c.scaled(p, func(v float64) float64 { return 1/math.Sqrt(v) - 1 })
	for i, s := range c.scale {
		p[i] /= s
	}
}

// forms returns dqᵀC⁻¹dq and dpᵀC dp; a vector that is nil counts as 0.
func (c *lowRank) forms(dq, dp []float64) float64 {
	sum := 0.0
	add := func(x []float64, scale func(x, s float64) float64, weight func(v float64) float64) {
		if x == nil {
			return
		}
		for i, s := range c.scale {
			c.y[i] = scale(x[i], s)
			sum += float64(c.y[i] * c.y[i])
		}
		for k := range c.vectors {
			d := c.vectors[k].dot(c.y)
			sum += float64(float64(weight(c.values[k])*d) * d)
		}
	}
	add(dq, func(x, s float64) float64 { return x / s }, func(v float64) float64 { return 1/v - 1 })
	add(dp, func(x, s float64) float64 { return float64(x * s) }, func(v float64) float64 { return v - 1 })
	return sum
}

// matrix is C, row by row.
func (c *lowRank) matrix() []float64 { return c.full(false) }

// frame is (I + Σ (√λ − 1) u uᵀ) S, row by row.
func (c *lowRank) frame() []float64 {
	n := c.n
	out := make([]float64, n*n)
	e := make([]float64, n)
	for j := range n { // column by column
		clear(e)
		e[j] = c.scale[j]
		c.scaled(e, func(v float64) float64 { return math.Sqrt(v) - 1 })
		for i, x := range e {
			out[i*n+j] = x
		}
	}
	return out
}

// inverse is C⁻¹, row by row.
func (c *lowRank) inverse() []float64 { return c.full(true) }

func (c *lowRank) full(inverse bool) []float64 {
	n := c.n
	out := make([]float64, n*n)
	for i := range n {
		out[i*n+i] = 1
	}
	for k, u := range c.vectors {
		w := c.values[k] - 1
		if inverse {
			w = 1/c.values[k] - 1
		}
		for i, x := range u.whole {
			f := float64(w * x)
			for j, y := range u.whole {
				out[i*n+j] += float64(f * y)
			}
		}
	}
	for i, s := range c.scale {
		for j, t := range c.scale {
			if inverse {
				out[i*n+j] /= float64(s * t)
			} else {
				out[i*n+j] = float64(out[i*n+j] * float64(s*t))
			}
		}
	}
	return out
}

// diagonal are the elements C_ii.
func (c *lowRank) diagonal() []float64 {
	out := append([]float64(nil), c.list[:c.n]...)
	for k, u := range c.vectors {
		for i, x := range u.whole {
			out[i] += float64(c.list[i] * float64(float64((c.values[k]-1)*x)*x))
		}
	}
	return out
}

// innerProduct is the inner product, as four sums that do not wait for each other.
func innerProduct(x, y []float64) float64 {
	y = y[:len(x)]
	var a, b, c, d float64
	i := 0
	for ; i+4 <= len(x); i += 4 {
		a += float64(x[i] * y[i])
		b += float64(x[i+1] * y[i+1])
		c += float64(x[i+2] * y[i+2])
		d += float64(x[i+3] * y[i+3])
	}
	for ; i < len(x); i++ {
		a += float64(x[i] * y[i])
	}
	return a + b + (c + d)
}
