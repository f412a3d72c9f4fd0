// Package hostcost learns how much work the tasks of one kind leave to the host, and bounds how long a frame may run
// tasks of that kind.
//
// A task may leave work to the host that begins after the frame. An example is a new picture: the graphics library
// uploads the picture's pixels later, with the frame's drawing. No clock around the task sees that time. But the host's
// next frame is late. So the package gives each kind of task a window: the time that the tasks of the kind may use in
// one frame. The window follows the rules of a network sender's congestion window.
//
// # Start
//
// A new kind has a window of one task. The window doubles after a frame that used the window up, if that frame and the
// lag-1 frames after it were in time. So a frame never does more than twice the work of a frame that was in time. A
// window of half a frame is as good as no window: the kind becomes free. A kind with tasks of 0.5 ms and more starts
// free, as few of them fit into a frame.
//
// # A late frame
//
// A late frame is the fault of the kinds that have just tried a larger window. Each of them gets its former window
// back. The next try is 8 frames later, and each further failure in a row doubles that number, up to 64.
//
// Frames are late for other reasons, too. So a kind that tried nothing is accused by two late frames in a row only. The
// window of an accused kind is one task, for 2*lag frames. If a frame of the second half is late all the same, the kind
// is innocent: its former window comes back, and the kind cannot be accused for 64 frames. Each acquittal doubles that
// number, up to 1,024. Otherwise the kind is guilty. Its window becomes the time that the kind used in the late frame,
// divided by how many times too long that frame was.
//
// # When a frame is late
//
// A frame is late if it is longer than expected by a quarter, and its gap too. The gap is the part of a frame after
// the slice. A host that waits for no display has longer frames for longer slices, but no longer gaps. The expected
// length comes from recent frames with at most one task of each kind, and is never less than the display's period.
//
// # The cause
//
// A frame that is late compared with frames without tasks counts for each kind with a window that ran just before, even
// once. The kind with most such frames is the cause. An innocent kind and a free kind start at 0 again.
package hostcost

import "time"

const (
	// lag is the number of frames that may show what a task has left. The first one is the task's own. Ebitengine
	// executes the drawing of a frame during the next frame, and uploads from outside a frame come one frame later.
	lag = 3
	// long is the length of a task whose kind starts free.
	long = 500 * time.Microsecond
	// patience, doubled for each failure in a row, is the number of frames before the next try.
	patience = 4
	// immunity is the number of frames for which an innocent kind cannot be accused.
	immunity = 64
	// maxDoublings bounds how often patience and immunity double.
	maxDoublings = 4
)

// A Host knows how long the host's frames take. The zero Host is ready. It is not safe for concurrent use.
type Host struct {
	told      bool          // by Frame
	number    uint32        // of the frame; at least 2*lag, so that number 0 is long ago
	usual     time.Duration // the length of frames with at most one task of each kind; 0 before the first
	usualGap  time.Duration // the gap of such frames
	heavy     uint32        // the last frame with two tasks of one kind
	bare      time.Duration // the length of frames without a task that has a window; 0 before the first
	ran       uint32        // the last frame with such a task
	inTime    int           // frames in a row in time
	late      int           // frames in a row that were late
	exhausted int           // windows that this frame has used up
	kinds     []*Cost       // all that have run since Forget
	cause     *Cost         // the kind with the most late frames
}

// A Cost is what the Host knows about one kind of task. The zero Cost is a new kind.
type Cost struct {
	window, proven time.Duration          // of a frame, now and before the current try; 0 is one task
	used           [lag + 1]time.Duration // time in each of the last frames, by the frame's number
	number         uint32                 // the newest frame in used
	filled         uint32                 // the first frame that used this window up; 0 is none
	retry          uint32                 // the frame of the next try
	failures       uint8                  // tries in a row that failed, at most maxDoublings
	known          bool                   // it is in Host.kinds
	free           bool                   // it has no window
	exhausted      bool                   // it may not run in this frame any more
	accused        uint32                 // the frame that accused it; 0 is none
	guilty, before time.Duration          // the window after a verdict of guilty, and c.proven before
	wasFree        bool                   // before the accusation
	immune         uint32                 // the first frame that may accuse it again
	acquittals     uint8                  // at most maxDoublings
	late           uint64                 // frames that were late because of it
}

// Told reports whether Frame was ever called. Nothing has a window before.
func (h *Host) Told() bool { return h.told }

// Exhausted reports whether any kind may not run in this frame any more.
func (h *Host) Exhausted() bool { return h.exhausted > 0 }

// Exhausted reports whether the kind may not run in this frame any more.
func (c *Cost) Exhausted() bool { return c.exhausted }

// Late returns the number of late frames that were put down to the kind.
func (c *Cost) Late() uint64 { return c.late }

// Cause returns the kind with the most late frames, or nil if no kind has any.
func (h *Host) Cause() *Cost {
	if h.cause != nil && h.cause.late == 0 {
		h.cause = nil // found innocent
		for _, c := range h.kinds {
			if c.late > 0 && (h.cause == nil || c.late > h.cause.late) {
				h.cause = c
			}
		}
	}
	return h.cause
}

// Forget forgets all kinds. Their Costs must not be used any more.
func (h *Host) Forget() {
	clear(h.kinds)
	h.kinds, h.cause, h.exhausted = h.kinds[:0], nil, 0
}

// Frame ends a frame. The frame took interval from its begin to the next begin. For the time busy it did its own work
// and tasks. It should have taken due.
func (h *Host) Frame(interval, busy, due time.Duration) {
	h.told = true
	h.judge(interval, interval-busy, due)
	h.account(interval, due)
	if h.number-h.heavy >= lag {
		h.learn(interval, interval-busy, due)
	}
	h.number = max(h.number+1, 2*lag)
	h.exhausted = 0
	for _, c := range h.kinds {
		if c.exhausted = false; !c.free {
			h.widen(c, due)
		}
	}
}

// judge decides whether the frame was in time, late, or neither.
func (h *Host) judge(interval, gap, due time.Duration) {
	expected, expectedGap := max(due, h.usual), h.usualGap
	if h.usual == 0 {
		expectedGap = due
	}
	switch {
	case interval <= expected+expected/8 || gap <= expectedGap+expectedGap/8:
		h.inTime++
		h.late = 0
	case interval > expected+expected/4 && gap > expectedGap+expectedGap/4:
		h.inTime = 0
		h.late++
		h.blame(float64(expected)/float64(interval), due)
	default:
		h.inTime = 0
	}
}

// learn takes the frame into the average of usual frames. A single long frame moves the average little.
func (h *Host) learn(interval, gap, due time.Duration) {
	if h.usual == 0 {
		h.usual, h.usualGap = min(interval, 2*due), min(gap, 2*due)
	}
	h.usual += (min(interval, 2*h.usual) - h.usual) / 4
	h.usualGap += (min(gap, max(2*h.usualGap, due)) - h.usualGap) / 4
}

// account counts a late frame for each kind with a window that may be the reason.
func (h *Host) account(interval, due time.Duration) {
	if h.number-h.ran >= lag {
		if h.bare == 0 {
			h.bare = min(interval, 2*due)
		}
		h.bare += (min(interval, 2*h.bare) - h.bare) / 4
		return
	}
	if expected := max(due, h.bare); interval <= expected+expected/4 {
		return
	}
	for _, c := range h.kinds {
		if c.free || c.most(h.number) == 0 {
			continue
		}
		if c.late++; h.cause == nil || c.late > h.cause.late {
			h.cause = c
		}
	}
}

// widen gives the kind its next window, if it is time: a verdict is due, or the last window was used up in time.
func (h *Host) widen(c *Cost, due time.Duration) {
	if c.accused != 0 {
		if h.number-c.accused > 2*lag {
			c.window, c.proven, c.accused, c.filled = c.guilty, c.guilty/2, 0, 0
		}
		return
	}
	if c.filled == 0 || h.number-c.filled < lag || h.inTime < lag || int32(h.number-c.retry) < 0 {
		return
	}
	if c.window > c.proven {
		c.failures = 0
	}
	c.proven = max(c.window, c.used[c.filled%uint32(len(c.used))])
	c.window, c.filled = 2*c.proven, 0
	if c.window >= due/2 {
		c.free, c.late = true, 0
	}
}

// Spent adds a task of the kind to this frame. The task took the time spent.
func (h *Host) Spent(c *Cost, spent time.Duration) {
	c.turn(h.number)
	if !c.known {
		c.known, c.free = true, spent >= long
		h.kinds = append(h.kinds, c)
	}
	used := &c.used[h.number%uint32(len(c.used))]
	if *used > 0 {
		h.heavy = h.number
	}
	*used += spent
	if !c.free {
		h.ran = h.number
	}
	if c.free || c.exhausted || *used+spent/2 <= c.window {
		return
	}
	c.exhausted = true
	h.exhausted++
	if c.filled == 0 || h.number-c.filled > lag {
		c.filled = h.number
	}
}

// turn forgets the frames that are too old, so that used has room for frame number.
func (c *Cost) turn(number uint32) {
	for n := min(number-c.number, uint32(len(c.used))); n > 0; n-- {
		c.used[(number-n+1)%uint32(len(c.used))] = 0
	}
	c.number = number
}

// most returns the most time that a frame has used, of the frames that may be the reason for this one.
func (c *Cost) most(number uint32) time.Duration {
	c.turn(number)
	most := time.Duration(0)
	for i := range uint32(lag) {
		most = max(most, c.used[(number-i)%uint32(len(c.used))])
	}
	return most
}

// blame finds the kinds that made this frame late: those that tried a larger window, or all kinds that have run, if
// two frames in a row were late. The fraction part of the frame was expected.
func (h *Host) blame(part float64, due time.Duration) {
	tried := false
	for _, c := range h.kinds {
		switch {
		case c.free:
		case c.accused != 0:
			if h.number-c.accused >= lag {
				c.acquit(h.number)
			}
		default:
			c.filled = 0
			if used := c.most(h.number); used > c.proven {
				tried = true
				c.window = c.proven
				c.failures = min(c.failures+1, maxDoublings)
				c.retry = h.number + patience<<c.failures
			}
		}
	}
	if tried {
		return
	}
	for _, c := range h.kinds {
		if !c.free && c.accused == 0 {
			c.failures, c.retry = 0, h.number // the frame is late without the larger window
		}
	}
	if h.late < 2 {
		return
	}
	h.late = 0
	for _, c := range h.kinds {
		if used := c.most(h.number); used >= due/64 && c.accused == 0 && int32(h.number-c.immune) >= 0 {
			c.accuse(h.number, time.Duration(part*float64(used)))
		}
	}
}

// accuse takes the kind back to a window of one task. The window is guilty afterwards, unless an acquittal comes first.
func (c *Cost) accuse(number uint32, guilty time.Duration) {
	c.accused, c.guilty = number, guilty
	c.before, c.wasFree = c.proven, c.free
	c.window, c.proven, c.filled, c.free = 0, 0, 0, false
}

// acquit ends an accusation: the host is late without the kind, too.
func (c *Cost) acquit(number uint32) {
	c.window, c.proven, c.free = 2*c.before, c.before, c.wasFree
	c.accused = 0
	c.immune = number + immunity<<c.acquittals
	c.acquittals = min(c.acquittals+1, maxDoublings)
	c.late = 0
}
