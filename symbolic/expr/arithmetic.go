package expr

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/hamc-dev/hamc/runtime/elementary"
)

// Numbers fold exactly where they can: a float64 stands for the decimal that it prints as,
// if that has at most 15 digits, or for the ratio or the square root that it was folded from. So (x/10)² is
// 0.01·x², 3·(x/3) is x, and (√2·x)² is 2·x². Other numbers, such as log(10), are what they are.

// arithmetic is the arithmetic of a context's numbers.
type arithmetic struct {
	ratios map[float64]*big.Rat // what numbers stand for; nil: for no ratio
	roots  map[float64]float64  // numbers that are square roots, of those
}

const (
	maxDigits = 15  // of a decimal that only one float64 is nearest to
	maxBits   = 128 // of the numerators and denominators that are kept
)

// ratio returns the rational number that v stands for, or nil. It is not to be changed.
func (n *arithmetic) ratio(v float64) *big.Rat {
	if r, ok := n.ratios[v]; ok {
		return r
	}
	if x := math.Abs(v); x != 0 && !(x > 1e-30 && x < 1e30) {
		return nil
	}
	var r *big.Rat
	text := strconv.FormatFloat(v, 'e', -1, 64)
	mantissa, _, _ := strings.Cut(strings.TrimPrefix(text, "-"), "e")
	if len(mantissa) <= maxDigits+1 { // and the point
		r, _ = new(big.Rat).SetString(text)
	}
	if n.ratios == nil {
		n.ratios = map[float64]*big.Rat{}
	}
	n.ratios[v] = r
	return r
}

// rounded returns the float64 that stands for r from now on; not ok if r is not to be
// kept.
func (n *arithmetic) rounded(r *big.Rat) (v float64, ok bool) {
	if r.Num().BitLen() > maxBits || r.Denom().BitLen() > maxBits {
		return 0, false
	}
	v, _ = r.Float64()
	switch old := n.ratio(v); {
	case old == nil:
		n.ratios[v] = r
	case old.Cmp(r) != 0:
		return 0, false // another number rounds to the same
	}
	return v, true
}

// whole reports whether v is an integer with which arithmetic is exact.
func whole(v float64) bool { return v == math.Trunc(v) && math.Abs(v) < 1<<26 }

// times returns a·b.
func (n *arithmetic) times(a, b float64) float64 {
	if whole(a) && whole(b) {
		return a * b
	}
	if x, y := n.ratio(a), n.ratio(b); x != nil && y != nil {
		if v, ok := n.rounded(new(big.Rat).Mul(x, y)); ok {
			return v
		}
	}
	return a * b
}

// plus returns a + b.
func (n *arithmetic) plus(a, b float64) float64 {
	if whole(a) && whole(b) {
		return a + b
	}
	if x, y := n.ratio(a), n.ratio(b); x != nil && y != nil {
		if v, ok := n.rounded(new(big.Rat).Add(x, y)); ok {
			return v
		}
	}
	return a + b
}

// over returns a/b.
func (n *arithmetic) over(a, b float64) float64 {
	if b == 1 || b == -1 {
		return a / b
	}
	if x, y := n.ratio(a), n.ratio(b); x != nil && y != nil && y.Sign() != 0 {
		if v, ok := n.rounded(new(big.Rat).Quo(x, y)); ok {
			return v
		}
	}
	return a / b
}

// root notes that v is the square root of a, and returns it.
func (n *arithmetic) root(a, v float64) float64 {
	of := n.ratio(a)
	if x := n.ratio(v); of != nil && (x == nil || new(big.Rat).Mul(x, x).Cmp(of) != 0) {
		if n.roots == nil {
			n.roots = map[float64]float64{}
		}
		n.roots[v] = a
	}
	return v
}

// power returns a^k.
func (n *arithmetic) power(a, k float64) float64 {
	if k == 1 || a == 1 {
		return a
	}
	if k == 0.5 {
		return n.root(a, elementary.Pow(a, k))
	}
	if of, ok := n.roots[a]; ok && math.Abs(k) <= 8 && k == math.Trunc(k) {
		if math.Mod(k, 2) == 0 {
			return n.power(of, k/2)
		}
		of = n.power(of, k)
		return n.root(of, math.Sqrt(of))
	}
	if k != math.Trunc(k) || math.Abs(k) > 8 || a == 0 {
		return elementary.Pow(a, k)
	}
	v := 1.0
	for range int(math.Abs(k)) {
		v = n.times(v, a)
	}
	if k < 0 {
		return n.over(1, v)
	}
	return v
}
