package processor

import (
	"testing"
	"time"
)

// TestWatch: what is busy is noticed, and what sleeps, or has been stopped, is not.
func TestWatch(t *testing.T) {
	hung := make(chan struct{})
	stop := Watch(0.05, func() { close(hung) })
	for busy := true; busy; {
		select {
		case <-hung:
			busy = false
		default:
		}
	}
	stop()
	stop = Watch(60, func() { t.Error("a process that sleeps is busy") })
	time.Sleep(300 * time.Millisecond)
	stop()
}
