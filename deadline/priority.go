package deadline

import (
	"strconv"
	"time"
)

// Priority says how urgent work is, with the names of React's Scheduler. A greater value is more urgent, and the zero
// value is Normal.
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

// Priorities returns all priorities, the most urgent first.
func Priorities() [NumPriorities]Priority {
	return [NumPriorities]Priority{Immediate, UserBlocking, Normal, Low, Idle}
}

// Valid reports whether p is one of the five priorities.
func (p Priority) Valid() bool { return Idle <= p && p <= Immediate }

// Lane returns p's index in Priorities, out of range for an invalid p.
func (p Priority) Lane() int { return int(Immediate) - int(p) }

// String returns the name in lower case, such as "user-blocking".
func (p Priority) String() string {
	if !p.Valid() {
		return "Priority(" + strconv.Itoa(int(p)) + ")"
	}
	return [...]string{"immediate", "user-blocking", "normal", "low", "idle"}[p.Lane()]
}

// Timeouts says how long work of each priority may wait until it is overdue. The wait begins when the work was posted,
// or when its delay ended. A zero field means the default. With a negative timeout, work is overdue at birth, and
// before Immediate work of the same instant. A timeout of 2^61 ns (73 years) or more means never.
// The defaults are also how soon the pool of package workers serves a lane that others keep waiting.
type Timeouts struct {
	Immediate    time.Duration // zero means overdue at once
	UserBlocking time.Duration // zero means 250 ms
	Normal       time.Duration // zero means 5 s
	Low          time.Duration // zero means 10 s
	Idle         time.Duration // zero means never
}

const never time.Duration = 1<<63 - 1

// Of returns the timeout of p: the greatest Duration for never. It panics if p is invalid.
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
