package elementary

import (
	"math"
	"testing"
)

// BenchmarkFunctions times each function and that of package math, over arguments that models have.
func BenchmarkFunctions(b *testing.B) {
	var x, y [1024]float64
	for i := range x {
		t := math.Mod(float64(i)*math.Phi, 1)
		x[i], y[i] = 6*t-3, 0.2+4*t
	}
	cases := []struct {
		name      string
		own, math func(float64) float64
		args      *[1024]float64
	}{
		{"Exp", Exp, math.Exp, &x}, {"Expm1", Expm1, math.Expm1, &x}, {"Log", Log, math.Log, &y}, {"Log1p", Log1p, math.Log1p, &y},
		{"Log10", Log10, math.Log10, &y}, {"Sin", Sin, math.Sin, &x}, {"Cos", Cos, math.Cos, &x}, {"Tan", Tan, math.Tan, &x},
		{"Atan", Atan, math.Atan, &x}, {"Sinh", Sinh, math.Sinh, &x}, {"Cosh", Cosh, math.Cosh, &x}, {"Tanh", Tanh, math.Tanh, &x},
		{"Erfc", Erfc, math.Erfc, &x},
		{"Lgamma", Lgamma, func(v float64) float64 { l, _ := math.Lgamma(v); return l }, &y},
		{"Pow", func(v float64) float64 { return Pow(v, 1.7) }, func(v float64) float64 { return math.Pow(v, 1.7) }, &y},
		{"Hypot", func(v float64) float64 { return Hypot(v, 1.7) }, func(v float64) float64 { return math.Hypot(v, 1.7) }, &y},
	}
	for _, c := range cases {
		for _, by := range []struct {
			name string
			f    func(float64) float64
		}{{"own", c.own}, {"math", c.math}} {
			b.Run("of="+c.name+"/by="+by.name, func(b *testing.B) {
				sum := 0.0
				for i := range b.N {
					sum += by.f(c.args[i%1024])
				}
				if sum == 0.12345 {
					b.Log(sum) // the sum is used
				}
			})
		}
	}
}
