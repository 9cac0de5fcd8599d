//go:build !amd64 || purego

package kernel

// best returns the best instruction set that there is assembly for.
func best() instructions { return portable }

// vectors and vectorProducts are not called.
func vectors(function, []float64, []float64) (done int)       { return 0 }
func vectorProducts(p, s *[8]float64, a []float64) (done int) { return 0 }
