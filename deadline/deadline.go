package deadline

import "time"

// Deadline is the instant at which granted time ends. The zero Deadline never expires. Copy Deadlines freely; == is
// equality. Methods but Instant read the clock, about 25 ns.
type Deadline struct {
	// x is the instant XOR Never: one word, and the zero value is Never.
	x Instant
}

// At returns the Deadline at instant i. At(Never) is the zero Deadline.
func At(i Instant) Deadline { return Deadline{i ^ Never} }

// In returns the Deadline d from now.
func In(d time.Duration) Deadline { return At(Now().Add(d)) }

func (d Deadline) at() Instant { return d.x ^ Never }

// Instant returns the instant at which d ends, or Never and false for no end.
func (d Deadline) Instant() (at Instant, ok bool) { return d.at(), d.x != 0 }

// Remaining returns the time left: zero or less from the instant of d on, and the greatest Duration for no end.
func (d Deadline) Remaining() time.Duration {
	if d.x == 0 {
		return never
	}
	return d.at().Sub(Now())
}
