package terminal

import (
	"fmt"
	"io"
	"time"
)

// Wait shows a text and the seconds that pass until stop is called, which
// erases the line. Where w is no terminal it shows nothing.
func Wait(w io.Writer, text string) (stop func()) {
	if !isTerminal(w) {
		return func() {}
	}
	ticker := time.NewTicker(redrawInterval)
	began := time.Now()
	end := wait(w, text, ticker.C, func() time.Duration { return time.Since(began) })
	return func() {
		ticker.Stop()
		end()
	}
}

// wait is Wait with a clock of its own.
func wait(w io.Writer, text string, tick <-chan time.Time, elapsed func() time.Duration) (stop func()) {
	quit, ended := make(chan struct{}), make(chan struct{})
	show := func() bool {
		_, err := fmt.Fprintf(w, "\r%s … %.1f s\x1b[K", text, elapsed().Seconds())
		return err == nil
	}
	go func() {
		defer close(ended)
		for showing := show(); showing; {
			select {
			case <-tick:
				showing = show()
			case <-quit:
				_, _ = io.WriteString(w, "\r\x1b[K") // the last word on this line
				return
			}
		}
	}()
	return func() {
		close(quit)
		<-ended
	}
}
