// Package hostcost learns how much work the tasks of one kind leave to the host, and bounds how long a frame may run
// tasks of that kind.
//
// A task may leave work to the host that begins after the frame. An example is a new picture: the graphics library
// uploads the picture's pixels later, with the frame's drawing. No clock around the task sees that time, but the host's
// next frame is late. So the package gives each kind of task a window: the time that the tasks of the kind may use in
// one frame. The window follows the rules of a network sender's congestion window.
//
// # Start
//
// A new kind has a window of one task. The window doubles after a frame that used the window up, if that frame and the
// lag-1 frames after it were in time. So a frame never does more than twice the work of a frame that was in time. A
// window of half a frame that was in time is as good as no window: the kind becomes free. A kind of long tasks starts
// with a quarter of the display's period, as a window of one such task would cost the work many frames. It starts free
// if one task takes longer than that, or beside a host that is late now and then by itself: see steady.
//
// # When a frame is late
//
// A host may be uneven by itself, so the package compares, and does not accuse. A frame is late if both its length and
// its gap exceed, by a quarter, what all but one of the latest 32 usual frames took. Usual frames have at most one task
// of each kind. The gap is the part of a frame after the slice: a host that waits for no display has longer frames for
// longer slices, but no longer gaps. No frame shorter than the display's period is late, and no frame counts whose
// tasks took longer than it had time.
//
// # A late frame
//
// A late frame is the fault of the kinds that have just tried a larger window. Each of them gets its former window
// back. The next try is 8 frames later, and each further failure in a row doubles that number, up to half a second. The
// next window lies in the middle between the one that was in time and the one that was late. Beside a host whose usual
// frames are late now and then, a window fails by two late frames within eight.
//
// A kind that tried nothing is accused by two late frames in a row only. The window of an accused kind is one task, for
// 2*lag frames. If a frame of the second half is late all the same, the kind is innocent: its former window comes back,
// and the kind cannot be accused for 64 frames. Each acquittal doubles that number, up to 1,024. Otherwise the kind is
// guilty. Its window becomes the time that the kind used in the late frame, divided by how many times too long that
// frame was, and grows again as at the start.
//
// # The share of work, and the control
//
// The caller knows whether the host is late without any work. Then work has a share of the time all the same, and no
// window is less than this share (see Frame). To find that out, the caller asks for a control: frames in which no kind
// runs that has a window. Bare reports that the frame shows the host without such kinds.
//
// # The cause
//
// A frame that is late compared with bare frames counts for each kind with a window that ran just before, even once. As
// many frames are taken off as would have been late without the kind. The kind with most such frames is the cause. An
// innocent kind and a free kind start at 0 again.
package hostcost

import (
	"math"
	"time"
)

const (
	// lag is the number of frames that may show what a task has left. The first one is the task's own. Ebitengine
	// executes the drawing of a frame during the next frame, and uploads from outside a frame come one frame later.
	lag = 3
	// long is the length of a task whose kind starts with more than one task.
	long = 500 * time.Microsecond
	// patience, doubled for each failure in a row, is the number of frames before the next try.
	patience = 4
	// longestPatience bounds the time before the next try, because the host may have become faster.
	longestPatience = 500 * time.Millisecond
	// doubtful is the number of frames within which a second late frame confirms the first, beside an uneven host.
	doubtful = 8
	// immunity is the number of frames for which an innocent kind cannot be accused.
	immunity = 64
	// maxDoublings bounds how often patience and immunity double.
	maxDoublings = 4
)

// A Host knows how long the host's frames take. The zero Host is ready. It is not safe for concurrent use.
type Host struct {
	told      bool          // by Frame
	control   bool          // no kind with a window runs in this frame
	number    uint32        // of the frame; at least 2*lag, so that number 0 is long ago
	due       time.Duration // the display's period
	slow      bool          // the host is late without any work
	share     time.Duration // what no window is less than
	usual     typical       // the lengths of frames with at most one task of each kind
	usualGap  typical       // the gaps of such frames
	heavy     uint32        // the last frame with two tasks of one kind
	bare      typical       // the lengths of frames without a task that has a window
	bareLate  float64       // the part of the bare frames that are late compared with the others
	ran       uint32        // the last frame with a task that has a window
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
	failed         time.Duration          // the least window that failed; 0 is none
	doubted        uint32                 // the frame that was late with the window, beside an uneven host
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
	late           float64                // frames that were late after it
	expected       float64                // frames that would have been late without it
}

// Told reports whether Frame was ever called. Nothing has a window before.
func (h *Host) Told() bool { return h.told }

// Exhausted reports whether any kind may not run in this frame any more.
func (h *Host) Exhausted() bool { return h.exhausted > 0 || h.control }

// Controls reports whether this frame is a control.
func (h *Host) Controls() bool { return h.control }

// Control makes the frame that begins now a control, in which no kind with a window runs.
func (h *Host) Control() { h.control = h.told }

// Bare reports whether the frame that has just ended shows the host without the kinds that have a window. Call it after
// Frame.
func (h *Host) Bare() bool { return h.number-1-h.ran >= lag }

// Holds reports whether the kind may not run in this frame any more.
func (h *Host) Holds(c *Cost) bool { return c.exhausted || h.control && c.known && !c.free }

// Late returns the number of late frames that are put down to the kind: more than what chance explains.
func (c *Cost) Late() uint64 {
	return uint64(max(c.late-c.expected-2*math.Sqrt(c.expected), 0))
}

// Cause returns the kind with the most late frames, or nil if no kind has any.
func (h *Host) Cause() *Cost {
	if h.cause != nil && h.cause.Late() == 0 {
		h.cause = nil // found innocent
		for _, c := range h.kinds {
			if n := c.Late(); n > 0 && (h.cause == nil || n > h.cause.Late()) {
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

// A Frame is what the caller knows of one frame of the host.
type Frame struct {
	Interval time.Duration // from its begin to the next one
	Busy     time.Duration // its own work and its tasks
	Due      time.Duration // how long it should have taken
	Overran  bool          // its tasks took longer than it had time, so it says nothing of what they have left
	Slow     bool          // the host is late without any work
	Share    time.Duration // what each kind may use in the next frame, whatever its window is, if Slow
}

// Frame ends a frame.
func (h *Host) Frame(f Frame) {
	h.told, h.control = true, false
	h.due, h.slow, h.share = f.Due, f.Slow, f.Share
	gap := f.Interval - f.Busy
	if f.Overran {
		h.inTime, h.late = 0, 0
	} else {
		h.judge(f.Interval, gap)
		h.account(f.Interval)
	}
	if h.number-h.heavy >= lag && !f.Overran {
		h.usual.add(f.Interval)
		h.usualGap.add(gap)
	}
	h.number = max(h.number+1, 2*lag)
	h.exhausted = 0
	for _, c := range h.kinds {
		if c.exhausted = false; !c.free {
			h.widen(c)
		}
	}
}

// judge decides whether the frame was in time, late, or neither.
func (h *Host) judge(interval, gap time.Duration) {
	expected, expectedGap := max(h.due, h.usual.high), h.usualGap.high
	if h.usual.n == 0 {
		expectedGap = h.due
	}
	if h.slow { // the slice itself, which is not small there, may cost a refresh
		expected, expectedGap = expected+h.due, expectedGap+h.due
	}
	switch {
	case interval <= expected+expected/8 || gap <= expectedGap+expectedGap/8:
		h.inTime++
		h.late = 0
	case interval > expected+expected/4 && gap > expectedGap+expectedGap/4:
		h.inTime = 0
		h.late++
		h.blame(float64(expected) / float64(interval))
	default:
		h.inTime = 0
	}
}

// account counts a late frame for each kind with a window that may be the reason. Nothing is late without a bare frame
// to compare with.
func (h *Host) account(interval time.Duration) {
	if h.bare.n == 0 && h.number-h.ran < lag {
		return
	}
	late := 0.0
	if expected := max(h.due, h.bare.high); interval > expected+expected/4 {
		late = 1
	}
	if h.number-h.ran >= lag {
		if h.bare.n > 0 {
			h.bareLate += (late - h.bareLate) / 32
		}
		h.bare.add(interval)
		return
	}
	for _, c := range h.kinds {
		if c.free || c.most(h.number) == 0 {
			continue
		}
		c.late += late
		c.expected += h.bareLate
		if late > 0 && (h.cause == nil || c.Late() > h.cause.Late()) {
			h.cause = c
		}
	}
}

// widen gives the kind its next window, if it is time: a verdict is due, or the last window was used up in time.
func (h *Host) widen(c *Cost) {
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
	if between := (c.proven + c.failed) / 2; c.failed > c.proven+c.proven/4 {
		c.window = between
	} else {
		c.failed = 0 // the host may have become faster
	}
	if c.proven >= h.due/2 {
		c.free, c.late, c.expected = true, 0, 0
	}
}

// Spent adds a task of the kind to this frame. The task took the time spent.
func (h *Host) Spent(c *Cost, spent time.Duration) {
	c.turn(h.number)
	if !c.known {
		if c.known = true; spent >= long {
			c.free, c.window, c.proven = !h.steady() || spent > h.due/4, h.due/4, h.due/8
		}
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
	if c.free || c.exhausted || *used+spent/2 <= max(c.window, h.share) {
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
func (h *Host) blame(part float64) {
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
				if h.uneven() && h.number-c.doubted > doubtful {
					c.doubted = h.number
					break
				}
				c.window, c.failed = c.proven, used
				c.failures = min(c.failures+1, maxDoublings)
				c.retry = h.number + min(patience<<c.failures, h.frames(longestPatience))
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
		if used := c.most(h.number); used >= h.due/64 && c.accused == 0 && int32(h.number-c.immune) >= 0 {
			c.accuse(h.number, time.Duration(part*float64(used)))
		}
	}
}

// steady reports whether none of the usual frames was late, nor shorter than the display's period, so that a late frame
// says much.
func (h *Host) steady() bool {
	return h.usual.n == latest && h.usual.high >= h.due-h.due/8 && h.usual.longest() <= h.due+h.due/4
}

// uneven reports whether usual frames are late now and then, so that a single late frame says little.
func (h *Host) uneven() bool { return h.usual.high > h.due+h.due/4 }

// frames returns the number of the host's frames in d, at least one.
func (h *Host) frames(d time.Duration) uint32 {
	return uint32(max(d/max(h.due, h.usual.high, time.Millisecond), 1))
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
	c.late, c.expected = 0, 0
}
