//go:build !unix

package processor

import "time"

var begin = time.Now()

// Time returns the seconds that have passed, for want of those that the process has taken.
func Time() float64 { return time.Since(begin).Seconds() }
