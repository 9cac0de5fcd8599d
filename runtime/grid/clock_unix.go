//go:build unix

package grid

import "syscall"

// processorTime returns the time in seconds that this process has kept processors busy.
func processorTime() float64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	seconds := func(t syscall.Timeval) float64 { return float64(t.Sec) + float64(1e-6*float64(t.Usec)) }
	return seconds(u.Utime) + seconds(u.Stime)
}
