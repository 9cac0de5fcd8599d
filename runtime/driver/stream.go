package driver

import (
	"errors"
	"sync"
	"time"

	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/draws"
)

const (
	// The time between two checkpoints of a chain is a tenth of the time that the
	// chain has run, within these limits. So much is to be computed again after
	// a crash.
	leastInterval = 20 * time.Millisecond
	mostInterval  = time.Second

	// batchValues is the number of values after which rows are handed over.
	batchValues = 1 << 13
)

// stream is the file of draws of one chain. The chain's goroutine collects rows, another
// one formats and writes them.
type stream struct {
	checkpoint string // its file
	width      int    // values of a row

	rows     []float64 // collected
	audits   []string  // all so far, of the chain's goroutine
	failures []string  // likewise
	began    time.Time
	next     time.Time // of the next checkpoint

	work  chan batch
	spare chan []float64 // buffers to collect into
	over  sync.WaitGroup

	mu   sync.Mutex
	err  error
	w    *draws.Writer
	took time.Duration // of the last checkpoint

	noted bool // what the warm-up came to is in the file; of the writer's goroutine
}

// batch is work for the writer of a stream.
type batch struct {
	rows     []float64
	note     func() error   // before the rows; may be nil
	state    *runtime.State // after the rows: makes a checkpoint; may be nil
	audits   []string       // up to there
	failures []string
	done     chan struct{} // closed once the work is done, or is not done after an error; may be nil
}

// newStream starts the goroutine that writes to w.
func newStream(checkpoint string, w *draws.Writer, width int, noted bool) *stream {
	s := &stream{checkpoint: checkpoint, width: width, w: w, noted: noted, began: time.Now(),
		work: make(chan batch), spare: make(chan []float64, 2)}
	s.next = s.began.Add(leastInterval)
	s.spare <- make([]float64, 0, batchValues+width)
	s.rows = make([]float64, 0, batchValues+width)
	s.over.Go(func() {
		for b := range s.work {
			s.write(b)
			if b.rows != nil {
				s.spare <- b.rows[:0]
			}
			if b.done != nil {
				close(b.done)
			}
		}
	})
	return s
}

// add takes a row.
func (s *stream) add(row []float64, state func() *runtime.State) error {
	s.rows = append(s.rows, row...)
	if s.due() {
		return s.hand(state())
	}
	if len(s.rows) >= batchValues {
		return s.hand(nil)
	}
	return nil
}

// tick makes a checkpoint where one is due.
func (s *stream) tick(state func() *runtime.State) error {
	if s.due() {
		return s.hand(state())
	}
	return nil
}

// due reports whether it is time for a checkpoint.
func (s *stream) due() bool {
	now := time.Now()
	if now.Before(s.next) {
		return false
	}
	s.mu.Lock()
	took := s.took
	s.mu.Unlock()
	// Of a huge model a checkpoint costs more than of a small one.
	s.next = now.Add(max(leastInterval, min(mostInterval, now.Sub(s.began)/10), 20*took))
	return true
}

// hand hands the rows over, and waits while two batches are under way.
func (s *stream) hand(state *runtime.State) error {
	n, m := len(s.audits), len(s.failures)
	s.work <- batch{rows: s.rows, state: state, audits: s.audits[:n:n], failures: s.failures[:m:m]}
	s.rows = <-s.spare
	return s.failed()
}

// adapted hands over what the warm-up came to, which goes before the rows.
func (s *stream) adapted(blocks []draws.Adaptation, params int) error {
	s.work <- batch{note: func() error {
		if s.noted {
			return nil
		}
		s.noted = true
		return s.w.Adapted(blocks, params)
	}}
	return s.failed()
}

// drain waits until all that was handed over is in the file.
func (s *stream) drain() error {
	done := make(chan struct{})
	s.work <- batch{done: done, note: func() error {
		_, err := s.w.Mark()
		return err
	}}
	<-done
	return s.failed()
}

// failed returns the first error of the writer.
func (s *stream) failed() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// close waits for the writer and ends the file. What the last Finish has not handed over
// is dropped: it is behind the last checkpoint.
func (s *stream) close(end func(*draws.Writer) error) error {
	close(s.work)
	s.over.Wait()
	if s.err != nil {
		return errors.Join(s.err, s.w.Abandon())
	}
	return end(s.w)
}

// write does the work of a batch, unless something failed before.
func (s *stream) write(b batch) {
	if s.failed() != nil {
		return
	}
	began := time.Now()
	err := s.try(b)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = err
	if b.state != nil {
		s.took = time.Since(began)
	}
}

func (s *stream) try(b batch) error {
	if b.note != nil {
		if err := b.note(); err != nil {
			return err
		}
	}
	for at := 0; at < len(b.rows); at += s.width {
		if err := s.w.Row(b.rows[at : at+s.width]); err != nil {
			return err
		}
	}
	if b.state == nil {
		return nil
	}
	mark, err := s.w.Mark()
	if err != nil {
		return err
	}
	return (&checkpoint{Mark: mark, Adapted: s.noted, Audits: b.audits, Failures: b.failures, State: b.state}).write(s.checkpoint)
}
