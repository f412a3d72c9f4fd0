package deadline

import (
	"strconv"
	"time"
)

// Priority says why work is urgent. The names are those of React's Scheduler; each stands for a timeout,
// after which work that still waits sorts ahead of fresher work of a higher priority (see [Timeouts]). A
// greater value is more urgent, and the zero value is Normal.
type Priority int8

// The priorities, least urgent first.
const (
	Idle         Priority = iota - 2 // whenever nothing else wants the frame; never overdue
	Low                              // wanted some time: autosave, telemetry, prefetch
	Normal                           // the default: decoding, path-finding, streaming the world in
	UserBlocking                     // a user waits for it: the answer to a click, the menu that opens
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

// Lane returns p's position when the most urgent comes first: 0 for Immediate to 4 for Idle. It is meant for
// indexing arrays of NumPriorities elements; for an invalid p it is out of their range.
func (p Priority) Lane() int { return int(Immediate) - int(p) }

// String returns the constant's name in lower case, "user-blocking" with a hyphen.
func (p Priority) String() string {
	switch p {
	case Immediate:
		return "immediate"
	case UserBlocking:
		return "user-blocking"
	case Normal:
		return "normal"
	case Low:
		return "low"
	case Idle:
		return "idle"
	}
	return "Priority(" + strconv.Itoa(int(p)) + ")"
}

// Timeouts says how long work of each priority may wait before it is overdue. The expiration of a piece of
// work is its start (when it was posted, or when its delay ended) plus the timeout of its priority.
//
// A zero field means the default. A negative one makes work overdue at birth by that much, so that it sorts
// ahead of Immediate work posted at the same instant. A timeout of 2^61 ns (73 years) or more means never.
type Timeouts struct {
	Immediate    time.Duration // zero means expired at birth: 0
	UserBlocking time.Duration // zero means 250 ms: the limit at which a reaction is felt to be one
	Normal       time.Duration // zero means 5 s
	Low          time.Duration // zero means 10 s
	Idle         time.Duration // zero means never
}

const never time.Duration = 1<<63 - 1

// Of returns the timeout of p: the field, or its default. Never is the greatest Duration. It panics if p is
// invalid.
func (t Timeouts) Of(p Priority) time.Duration {
	var d, def time.Duration
	switch p {
	case Immediate:
		d, def = t.Immediate, 0
	case UserBlocking:
		d, def = t.UserBlocking, 250*time.Millisecond
	case Normal:
		d, def = t.Normal, 5*time.Second
	case Low:
		d, def = t.Low, 10*time.Second
	case Idle:
		d, def = t.Idle, never
	default:
		panic("deadline: invalid " + p.String())
	}
	switch {
	case d == 0:
		return def
	case d >= 1<<61:
		return never
	}
	return d
}
