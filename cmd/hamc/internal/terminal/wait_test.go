package terminal

import (
	"bytes"
	"testing"
	"time"
)

// frames is a writer that hands each write to a reader.
type frames chan []byte

func (f frames) Write(p []byte) (int, error) {
	f <- bytes.Clone(p)
	return len(p), nil
}

// Waiting shows one line that changes, and leaves nothing behind.
func TestWait(t *testing.T) {
	s := &screen{width: 80}
	out := make(frames, 1) // one: the last frame needs no reader
	tick := make(chan time.Time)
	elapsed := 0 * time.Second
	stop := wait(out, "building", tick, func() time.Duration { elapsed += 1250 * time.Millisecond; return elapsed })
	for _, want := range []string{"building … 1.2 s\n", "building … 2.5 s\n"} {
		s.Write(<-out)
		if got := s.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		tick <- time.Time{}
	}
	s.Write(<-out)
	stop()
	s.Write(<-out)
	if got := s.String(); got != "\n" {
		t.Errorf("after stop: %q", got)
	}
}

// Nothing is written where there is no line to come back to.
func TestWaitPlain(t *testing.T) {
	var b bytes.Buffer
	Wait(&b, "building")()
	if b.Len() > 0 {
		t.Errorf("wrote %q", b.String())
	}
}
