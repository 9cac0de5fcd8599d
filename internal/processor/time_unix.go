//go:build unix

package processor

import "syscall"

// Time returns the seconds of processor time that the process has taken.
func Time() float64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}
