package deadline

import "time"

// Budget computes how much of a frame is left for tasks. The zero Budget is for frames of 1/60 s. Any goroutine may use
// it.
type Budget struct {
	// Interval is the time from frame to frame. Zero or less means 1/60 s.
	Interval time.Duration

	// Reserve stays free at the end of the frame. Zero means 1/16 of the Interval, 1.04 ms at 60 Hz. Negative means
	// none. A host that sees its own misses should control the Reserve: a frame.Loop does, and begins with 4 ms.
	Reserve time.Duration

	// Floor is the least slice, also in a late frame, so that a slow game still loads and saves. Zero means 500 µs, or
	// 1/8 of the Interval if that is less. Negative means no floor. A frame.Loop may leave out the slice of every other
	// frame that is late before its slice begins.
	Floor time.Duration

	// Max is the greatest slice, also if Floor is greater. Zero or less means the Interval. Set less to spare a
	// battery.
	Max time.Duration

	// Share is the least part of the time for tasks where the host's frames are late without any task, so that a
	// smaller slice would help nobody. Zero means 1/8, and 1/2 in frames marked Loading. Set more where loading matters
	// more than frames. Negative means none. It is for a frame.Loop, which knows its host, and Slice ignores it.
	Share float64
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

// Slice returns the deadline of a slice that starts at now, in a frame that began at begin. follows is the cost of the
// work after the slice, such as drawing.
//
//	slice = begin + Interval - now - follows - Reserve, at least Floor, at most Max
func (b Budget) Slice(begin, now Instant, follows time.Duration) Deadline {
	b = b.withDefaults()
	left := begin.Add(b.Interval).Add(-b.Reserve).Add(-max(follows, 0)).Sub(now)
	return At(now.Add(min(max(left, b.Floor), b.Max)))
}
