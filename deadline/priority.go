package deadline

import (
	"strconv"
	"time"
)

// Priority says how urgent work is. The names are those of React's Scheduler. Each has a timeout: see [Timeouts]. A
// greater value is more urgent, and the zero value is Normal.
type Priority int8

// The priorities, least urgent first.
const (
	Idle         Priority = iota - 2 // when nothing else wants the frame; never overdue
	Low                              // wanted at some time: autosave, telemetry, prefetch
	Normal                           // the default: decoding, path-finding, streaming the world in
	UserBlocking                     // a user waits for it: the answer to a click, a menu that opens
	Immediate                        // wanted in this frame
)

// NumPriorities is the number of priorities.
const NumPriorities = 5

// Priorities returns all priorities, the most urgent first: the order of [Priority.Lane].
func Priorities() [NumPriorities]Priority {
	return [NumPriorities]Priority{Immediate, UserBlocking, Normal, Low, Idle}
}

// Valid reports whether p is one of the five priorities.
func (p Priority) Valid() bool { return Idle <= p && p <= Immediate }

// Lane returns p's index in [Priorities]: 0 for Immediate to 4 for Idle. For an invalid p it is out of that range.
func (p Priority) Lane() int { return int(Immediate) - int(p) }

// String returns the constant's name in lower case, "user-blocking" with a hyphen.
func (p Priority) String() string {
	if !p.Valid() {
		return "Priority(" + strconv.Itoa(int(p)) + ")"
	}
	return [...]string{"immediate", "user-blocking", "normal", "low", "idle"}[p.Lane()]
}

// Timeouts says how long work of each priority may wait before it is overdue. Work expires at its start (when it was
// posted, or when its delay ended) plus the timeout of its priority.
//
// A zero field means the default. Work with a negative timeout is overdue at birth, by that time. It sorts before
// Immediate work of the same instant. A timeout of 2^61 ns (73 years) or more means never.
type Timeouts struct {
	Immediate    time.Duration // zero means expired at birth: 0
	UserBlocking time.Duration // zero means 250 ms, until which a reaction feels like one
	Normal       time.Duration // zero means 5 s
	Low          time.Duration // zero means 10 s
	Idle         time.Duration // zero means never
}

const never time.Duration = 1<<63 - 1

// Of returns the timeout of p: the field, or its default. Never is the greatest Duration. Of panics if p is invalid.
func (t Timeouts) Of(p Priority) time.Duration {
	if !p.Valid() {
		panic("deadline: invalid " + p.String())
	}
	d := [...]time.Duration{t.Immediate, t.UserBlocking, t.Normal, t.Low, t.Idle}[p.Lane()]
	switch {
	case d == 0:
		return [...]time.Duration{0, 250 * time.Millisecond, 5 * time.Second, 10 * time.Second, never}[p.Lane()]
	case d >= 1<<61:
		return never
	}
	return d
}

// Policy is the order in which a scheduler runs ready work.
type Policy uint8

const (
	// ByExpiration runs the earliest expiration first, and equal ones in the order of submission. Old work of a low
	// priority overtakes fresh work of a high one, so work that expires cannot starve. Work that never expires comes
	// last, in the order of its starts. A continuation keeps its place. This is React's order.
	ByExpiration Policy = iota

	// ByPriority runs the highest priority first, also before overdue work. Within a priority continuations come first,
	// in the order in which they yielded, then the rest in the order of submission. Delayed work counts as submitted
	// when its delay ends. This is the order of the web's Prioritized Task Scheduling API.
	ByPriority
)

// String returns the constant's name.
func (p Policy) String() string {
	switch p {
	case ByExpiration:
		return "ByExpiration"
	case ByPriority:
		return "ByPriority"
	}
	return "Policy(" + strconv.Itoa(int(p)) + ")"
}
