//go:build !unix

package grid

// processorTime returns 0: this system does not tell how long the process has kept processors busy.
func processorTime() float64 { return 0 }
