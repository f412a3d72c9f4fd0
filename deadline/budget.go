package deadline

import "time"

// Budget computes how much of a frame is left for tasks. The zero Budget is ready to use: that of a 60 Hz
// frame.
//
// It is a formula and holds no state, so any goroutine may share one. What changes from frame to frame (when
// the frame began, what must still follow the slice, what an overrun of an earlier frame owes) is the
// caller's, and goes into the arguments.
type Budget struct {
	// Interval is the time from the start of one frame to the start of the next.
	// Zero or less means a sixtieth of a second.
	Interval time.Duration

	// Reserve is kept free at the end of the frame for what nobody predicts: a late timer, a garbage
	// collector's phase change, the last task's cost being a little more than its estimate. Zero means a
	// sixteenth of the Interval, 1.04 ms at 60 Hz: a little above the 0.8 ms by which a goroutine wakes late
	// at the 99th percentile on a loaded machine, and small enough to leave a 144 Hz frame usable. Negative
	// means none. A host which sees its own misses should control this value rather than trust any constant.
	Reserve time.Duration

	// Floor is the least slice, granted even in a frame that is already late: if the slice could be zero, a
	// game that is a little too slow would stop streaming, saving and loading altogether, and freeze where
	// it only stuttered. Zero means 500 µs: 3 % of a 60 Hz frame, and room for a few hundred small tasks; or an
	// eighth of the Interval where that is less, from 250 Hz on. Negative means no floor.
	Floor time.Duration

	// Max is the greatest slice; a Floor above it counts as Max. Zero or less means the Interval: a frame
	// with nothing else to do may be all slice but for the Reserve. A smaller Max keeps a busy backlog from
	// using all the time that the frame has, for instance to save a laptop's battery.
	Max time.Duration
}

// frameInterval is 1/60 s.
const frameInterval = time.Second / 60

// withDefaults returns b with every default filled in.
func (b Budget) withDefaults() Budget {
	if b.Interval <= 0 {
		b.Interval = frameInterval
	}
	if b.Reserve == 0 {
		b.Reserve = b.Interval / 16
	}
	b.Reserve = max(b.Reserve, 0)
	if b.Floor == 0 {
		b.Floor = min(500*time.Microsecond, b.Interval/8)
	}
	b.Floor = max(b.Floor, 0)
	if b.Max <= 0 {
		b.Max = b.Interval
	}
	return b
}

// Slice returns the deadline of a slice that starts at now, in a frame that began at begin and in which work
// of cost follows (drawing, presenting) comes after the slice:
//
//	slice = begin + Interval - now - follows - Reserve, at least Floor, at most Max
func (b Budget) Slice(begin, now Instant, follows time.Duration) Deadline {
	b = b.withDefaults()
	left := begin.Add(b.Interval).Add(-b.Reserve).Add(-max(follows, 0)).Sub(now)
	return At(now.Add(min(max(left, b.Floor), b.Max)))
}
