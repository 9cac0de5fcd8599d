//go:build !unix

package main

import "time"

var begin = time.Now()

// processorTime returns the seconds that have passed, for want of those that the process has taken.
func processorTime() float64 { return time.Since(begin).Seconds() }
