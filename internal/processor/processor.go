// Package processor measures the time that this process has had of the machine's processors. What must
// not take long is held to it rather than to the clock, by which anything takes long on a busy machine.
package processor

import "time"

// Watch calls hung, in another goroutine, if the process takes more than so many seconds of processor time before
// stop is called.
func Watch(seconds float64, hung func()) (stop func()) {
	done := make(chan struct{})
	end := Time() + seconds
	go func() {
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				if Time() > end {
					hung()
					return
				}
			}
		}
	}()
	return func() { close(done) }
}
