//go:build explore

package park

import (
	"time"

	"github.com/frameslice/frameslice/internal/atomic"
)

// An Event is a word in place of a channel.
type Event struct {
	there *atomic.Bool
	c     chan struct{}
}

// NewEvent returns an Event that has not come.
func NewEvent() Event { return Event{new(atomic.Bool), make(chan struct{})} }

// Set says that the event has come.
func (e Event) Set() {
	if e.there.Swap(true) {
		panic("park: an Event comes twice")
	}
	close(e.c)
}

// Done returns a channel, for which no program waits.
func (e Event) Done() <-chan struct{} { return e.c }

// IsSet reports whether the event has come.
func (e Event) IsSet() bool { return e.there != nil && e.there.Load() }

// Wait waits for the event.
func (e Event) Wait() {
	for !e.there.Load() {
		e.there.Await()
	}
}

// WaitFor waits for the event: no time passes in a program.
func (e Event) WaitFor(*time.Timer) bool {
	e.Wait()
	return true
}
