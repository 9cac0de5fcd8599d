//go:build !amd64 || purego

package kernel

// best returns the best instruction set that there is assembly for.
func best() instructions { return portable }

// None of these is called.
func vectors(function, []float64, []float64) (done int)            { return 0 }
func vectorProducts(p, s *[8]float64, a []float64) (done int)      { return 0 }
func vectorForms(form, []float64, []column, []float64, int)        {}
func vectorMoments(moment, []float64, []column, []float64, int)    {}
func vectorCombine(c *Combination, dst, y, x []float64, h float64) {}

func vectorAddRows(dst []float64, f *float64, fStep int, b *float64, bStep, k int)      {}
func vectorSubtractRows(dst []float64, f *float64, fStep int, b *float64, bStep, k int) {}

func vectorLargestScaled(a, b, y, z []float64, atol, rtol float64) (p, q float64) { return 0, 0 }
