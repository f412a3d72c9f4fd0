//go:build !explore

package park

import "time"

// An Event comes once. Any number of goroutines wait for it. The zero Event never comes.
type Event struct{ c chan struct{} }

// NewEvent returns an Event that has not come.
func NewEvent() Event { return Event{make(chan struct{})} }

// Set says that the event has come. Only one goroutine does so, once.
func (e Event) Set() { close(e.c) }

// Done returns a channel that is closed when the event has come.
func (e Event) Done() <-chan struct{} { return e.c }

// IsSet reports whether the event has come.
func (e Event) IsSet() bool {
	select {
	case <-e.c:
		return true
	default:
		return false
	}
}

// Wait waits for the event.
func (e Event) Wait() { <-e.c }

// WaitFor waits for the event, or for the timer, and reports whether the event has come.
func (e Event) WaitFor(timer *time.Timer) bool {
	select {
	case <-e.c:
		return true
	case <-timer.C:
		return false
	}
}
