package system

import (
	"math"
	"testing"
)

// affine has coordinates z of x = 2 + 3z in places 1 to 6, and a number in place 0.
type affine struct{}

func (affine) Push(q []float64) {
	for k := 1; k < len(q); k++ {
		q[k] = 2 + 3*q[k]
	}
}

func (affine) Pull(q []float64) {
	for k := 1; k < len(q); k++ {
		q[k] = (q[k] - 2) / 3
	}
}

// ofValues is the log density at coordinates of a function of the values x.
func ofValues(l func(x []float64) float64) func(q []float64) float64 {
	return func(q []float64) float64 {
		x := append([]float64(nil), q...)
		affine{}.Push(x)
		return l(x)
	}
}

// measuredPair are two vectors of n elements, the first in every other place, and a number.
func measuredPair(n int) Measured {
	array := func() []float64 { return make([]float64, n) }
	return Measured{N: n, Places: []Place{{From: 1, Step: 2}, {From: 2, Step: 2}}, Numbers: []int{0},
		Root: [][]float64{array(), array(), array()}, Score: [][]float64{array(), array()}, Slope: [][]float64{array(), array()}}
}

// TestMeasure: of terms whose derivatives are known the information, the score and how it follows a number are found, of each pair of elements.
func TestMeasure(t *testing.T) {
	plain := []float64{0.4, 1.2, -0.3, 2.5, 0.7, 0.1, 3.1}
	unseen := ofValues(func(x []float64) float64 {
		sum := 0.0
		for i := range 3 {
			a, b := x[1+2*i], x[2+2*i]
			k := float64(i + 1)
			sum -= 0.5*k*k*a*a + k*a*b + 2*b*b - k*x[0]*a + math.Sin(x[0])
		}
		return sum
	})
	v, prepared := measuredPair(3), 0
	NewMeasures(affine{}, unseen, func() { prepared++ }, len(plain), 1, v).At(plain)
	if prepared != 2 {
		t.Errorf("prepared %d times, not before and after", prepared)
	}
	near := func(what string, i int, got, want float64) {
		if math.Abs(got-want) > 2e-3*(1+math.Abs(want)) {
			t.Errorf("%s of element %d is %v, want %v", what, i, got, want)
		}
	}
	for i := range 3 {
		k, a, b := float64(i+1), plain[1+2*i], plain[2+2*i]
		r11, r21, r22 := v.Root[0][i], v.Root[1][i], v.Root[2][i]
		near("the information", i, r11*r11, k*k)
		near("the information of both", i, r21*r11, k)
		near("the information of the other", i, r21*r21+r22*r22, 4)
		near("the score", i, v.Score[0][i], k*plain[0]-k*k*a-k*b)
		near("the score of the other", i, v.Score[1][i], -k*a-4*b)
		near("the slope", i, v.Slope[0][i], k)
		near("the slope of the other", i, v.Slope[1][i], 0)
	}
}

// TestMeasureNothing: where terms are not concave nothing is known in that direction, where they have no value nothing is at all, and what vanishes in the digits of the
// log density is nothing.
func TestMeasureNothing(t *testing.T) {
	plain := []float64{0, 1, 1, 1, 1, 1, 1}
	for _, c := range []struct {
		name   string
		unseen func(x []float64) float64
		want   [3]float64 // information of the first, of both, of the second
	}{
		{"a saddle", func(x []float64) float64 { return x[1]*x[1]/2 - x[2]*x[2] }, [3]float64{0, 0, 2}},
		{"a ridge across", func(x []float64) float64 { d := x[1] - x[2]; return -d * d }, [3]float64{2, -2, 2}},
		{"a saddle across", func(x []float64) float64 { return 2 * x[1] * x[2] }, [3]float64{0, 0, 0}},
		{"no value", func(x []float64) float64 { return math.NaN() }, [3]float64{}},
		{"a value at the point alone", func(x []float64) float64 { return math.Log(1 - math.Abs(x[1]-1)*1e12) }, [3]float64{}},
		{"what rounds off", func(x []float64) float64 { return 1e9 + 1e-7*math.Sin(7*x[1]+0.4) }, [3]float64{}},
	} {
		v := measuredPair(1)
		for _, x := range append(append([][]float64{}, v.Root...), v.Score...) {
			x[0] = 7 // of another point
		}
		NewMeasures(affine{}, ofValues(func(x []float64) float64 {
			return c.unseen(x)
		}), func() {}, len(plain), 1, v).At(plain)
		r11, r21, r22 := v.Root[0][0], v.Root[1][0], v.Root[2][0]
		for k, got := range []float64{r11 * r11, r11 * r21, r21*r21 + r22*r22} {
			if !(math.Abs(got-c.want[k]) <= 2e-3*math.Abs(c.want[k])) {
				t.Errorf("%s: element %d of the information is %v, want %v", c.name, k, got, c.want[k])
			}
		}
	}
}

// TestMeasureBits: the last digits of a log density show in no measure.
func TestMeasureBits(t *testing.T) {
	plain := []float64{0.4, 1.2, -0.3}
	measures := func(noise float64) []float64 {
		v := measuredPair(1)
		calls := 0.0
		NewMeasures(affine{}, ofValues(func(x []float64) float64 {
			calls++
			return (-math.Cosh(x[1]-0.7*x[2]) - x[2]*x[2] + x[0]*x[1]) * (1 + noise*math.Sin(calls))
		}), func() {}, len(plain), 1, v).At(plain)
		return []float64{v.Root[0][0], v.Root[1][0], v.Root[2][0], v.Score[0][0], v.Score[1][0], v.Slope[0][0], v.Slope[1][0]}
	}
	a, b := measures(0), measures(1e-15)
	for k := range a {
		if a[k] != b[k] {
			t.Errorf("measure %d is %v, and %v where the log density is rounded otherwise", k, a[k], b[k])
		}
	}
}

// scaled is a map of vectors whose scale is the exponential of the first coordinate.
type scaled struct{}

func (scaled) Push(q []float64) { scaled{}.by(q, math.Exp(q[0])) }
func (scaled) Pull(q []float64) { scaled{}.by(q, math.Exp(-q[0])) }

func (scaled) by(q []float64, factor float64) {
	for k := range q[1:] {
		q[1+k] *= factor
	}
}

// TestMeasureScales: what is not measured has the information of the others wherever it stands. Where the scale of the prior depends on a coordinate, an element would
// stay where it is if that were moved together with it.
func TestMeasureScales(t *testing.T) {
	const n = 20
	plain := []float64{0.3}
	for k := range 2 * n {
		plain = append(plain, math.Exp(0.3)*(-1.6+0.002*float64(k%20))) // about −e/(e−1) times the scale
	}
	v := measuredPair(n)
	NewMeasures(scaled{}, func(q []float64) float64 {
		x := append([]float64(nil), q...)
		scaled{}.Push(x)
		sum := 0.0
		for _, x := range x[1:] {
			sum -= 0.5 * x * x
		}
		return sum
	}, func() {}, len(plain), 1e9, v).At(plain)
	for i := range n {
		r11, r21, r22 := v.Root[0][i], v.Root[1][i], v.Root[2][i]
		for k, x := range [][2]float64{{r11 * r11, 1}, {r11 * r21, 0}, {r21*r21 + r22*r22, 1}} {
			if math.Abs(x[0]-x[1]) > 5e-3 {
				t.Errorf("information %d of element %d is %v, want %v", k, i, x[0], x[1])
			}
		}
	}
}

// scattered is a point of a number and two vectors of n elements.
func scattered(n int, shift float64) []float64 {
	plain := make([]float64, 1+2*n)
	for k := range plain {
		plain[k] = math.Sin(float64(3*k)) + shift
	}
	return plain
}

// TestMeasureTogether: of a vector whose elements are seen together, each less than its prior says, nothing counts as known, and of others all is.
func TestMeasureTogether(t *testing.T) {
	const n = 20
	plain, v := scattered(n, 0), measuredPair(n)
	NewMeasures(affine{}, ofValues(func(x []float64) float64 {
		sum, l := 0.0, 0.0
		for i := range n {
			sum += x[2+2*i]
			l -= 2*x[1+2*i]*x[1+2*i] + 0.02*sum*sum - x[0]*sum
		}
		return l
	}), func() {}, len(plain), 1, v).At(plain)
	for i := range n {
		if r := v.Root[0][i]; math.Abs(r*r-4) > 5e-3 {
			t.Errorf("the information of element %d alone is %v, want 4", i, r*r)
		}
		for k, x := range []float64{v.Root[1][i], v.Root[2][i], v.Score[1][i], v.Slope[1][i]} {
			if x != 0 {
				t.Errorf("number %d of element %d that is seen with others is %v, not 0", k, i, x)
			}
		}
	}
}

// TestMeasureTogetherInNoise: what elements that are seen together have in common tells, where of most of them the curvature is negative, as it is where data are few; neighbours that know of one another do not
// count as such.
func TestMeasureTogetherInNoise(t *testing.T) {
	const n = 20
	plain, v := scattered(n, 0), measuredPair(n)
	NewMeasures(affine{}, ofValues(func(x []float64) float64 {
		sum, l := 0.0, 0.0
		for i := range n {
			a, b := x[1+2*i], x[2+2*i]
			sum += b
			l -= 0.02 * sum * sum
			if i%4 != 0 {
				l += 0.03 * float64(n-i) * b * b // more than it has of its own
			}
			if l -= a * a; i > 0 {
				l -= 0.9 * a * x[2*i-1]
			}
		}
		return l
	}), func() {}, len(plain), 1, v).At(plain)
	for i := range n {
		if r := v.Root[0][i]; math.Abs(r*r-2) > 5e-3 {
			t.Errorf("the information of element %d, which knows of its neighbours, is %v, want 2", i, r*r)
		}
		if r := v.Root[2][i]; r != 0 {
			t.Errorf("the root of element %d that is seen with others is %v, not 0", i, r)
		}
	}
}

// TestMeasureDetermined: elements that are seen together, of each of which data say much more than the prior, have a root of many times their prior's and a power of 4, whatever the point, and nothing
// else; of others beside them as much is known as before.
func TestMeasureDetermined(t *testing.T) {
	const n = 20
	for _, shift := range []float64{0, 0.1} {
		plain, v := scattered(n, shift), measuredPair(n)
		NewMeasures(affine{}, ofValues(func(x []float64) float64 {
			sum, l := 0.0, 0.0
			for i := range n {
				sum += x[1+2*i]
				l -= 500*sum*sum + x[1+2*i]*x[2+2*i] + 2*x[2+2*i]*x[2+2*i] - x[0]*sum
			}
			return l
		}), func() {}, len(plain), 1, v).At(plain)
		for i := range n {
			if r := v.Root[0][i]; r != 4 { // 16 times the prior's, of a scale of 3
				t.Errorf("the root of element %d is %v, want 4", i, r)
			}
			for k, x := range []float64{v.Root[1][i], v.Score[0][i], v.Slope[0][i]} {
				if x != 0 {
					t.Errorf("number %d of element %d that is seen with others is %v, not 0", k, i, x)
				}
			}
			if r := v.Root[2][i]; math.Abs(r*r-4) > 5e-3 {
				t.Errorf("the information of element %d beside it is %v, want 4", i, r*r)
			}
		}
	}
}

// TestMeasureSome: where an evaluation takes long, some of the indices are measured, and the others have the same information in units of their prior, and a score that balances
// that: here the information is the same of all.
func TestMeasureSome(t *testing.T) {
	const n = 20
	plain, calls := scattered(n, 0), 0
	unseen := ofValues(func(x []float64) float64 {
		calls++
		sum := 0.0
		for i := range n {
			a, b := x[1+2*i], x[2+2*i]
			sum -= 2*a*a + a*b + 0.5*b*b - 1.5*x[0]*a
		}
		return sum
	})
	v := measuredPair(n)
	NewMeasures(affine{}, unseen, func() {}, len(plain), 1e9, v).At(plain)
	if most := 8*2*(2*measuredTries+2) + 2*measuredTries + 1; calls > most {
		t.Errorf("%d evaluations, more than %d", calls, most)
	}
	others := 0
	for i := range n {
		r11, r21, r22 := v.Root[0][i], v.Root[1][i], v.Root[2][i]
		for k, x := range [][2]float64{{r11 * r11, 4}, {r11 * r21, 1}, {r21*r21 + r22*r22, 1}, {v.Slope[0][i], 1.5}} {
			if math.Abs(x[0]-x[1]) > 5e-3*(1+x[1]) {
				t.Errorf("number %d of element %d is %v, want %v", k, i, x[0], x[1])
			}
		}
		if balance := (plain[1+2*i] - 2) / 9; math.Abs(v.Score[0][i]-balance) < 1e-3 {
			others++
		}
	}
	if others != n-8 {
		t.Errorf("%d of %d scores balance the prior, want %d", others, n, n-8)
	}
}
