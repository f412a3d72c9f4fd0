package frame

import (
	"math"
	"math/bits"
	"time"
)

// baseline knows the host's frames without the loop's work: how long they take, and whether they reach the rate that
// the display has, or the interval that the program wants.
//
// The question decides what a late frame means. Where the frames without work are in time, late frames are the work's
// fault, and the budget gets smaller. Where the frames without work are late, a smaller budget helps nobody, and the
// work gets its share of the time.
//
// A frame shows the host without work if its slice was small. Besides, no kind of task that may leave work to the host
// has run in it or just before (see internal/hostcost). A program that always has work to do has no such frames. So the
// baseline asks for a control, which is a few frames with the least slice:
//
//   - when half of the latest frames were late although the host was in time before, at most once a second
//   - once a second while the host is late, because it may have become faster
//
// The latest 16 verdicts count. The host is late if three in 16 are. It is late, too, if four frames in a row took so
// long that their slices cannot be the reason, or two frames that were longer still.
type baseline struct {
	seen    uint8         // frames, at most restFrames
	due     time.Duration // how long a frame should take
	slow    bool          // the frames without work do not reach the rate
	rest    time.Duration // the mean time that a frame takes without its slice
	alone   time.Duration // the same of frames that show the host without work
	bare    tally         // the frames without work
	loaded  tally         // the other frames
	certain uint8         // of the latest frames, those that were late whatever their slices did: a bit each
	offGrid float64       // by which part of a refresh frames end off the display's refreshes, in the mean
	control uint8         // frames to go with the least slice
	wait    time.Duration // until the next control may begin
	frames  uint8         // since the last control
}

// observe takes a frame. It took interval, without the time that the loop itself waited, and its slice used a part of
// that. due is how long it should have taken. bare says that no task has left work to it. exact says that no display
// held the frame up: then its length without the slice is known, however long the slice was.
func (b *baseline) observe(interval, used, due time.Duration, bare, exact bool) {
	if b.due == 0 || (due-b.due).Abs() > b.due/8 {
		*b = baseline{due: due, rest: b.rest, seen: b.seen} // another display
	}
	without := max(interval-used, 0)
	lateAt := due + max(due/8, time.Millisecond)
	b.frames += min(1, 255-b.frames)
	off := math.Abs(math.Mod(float64(interval)/float64(due)+0.5, 1) - 0.5)
	b.offGrid += (off - b.offGrid) / 8
	b.wait = max(b.wait-interval, 0)
	shown := bare && (exact || used <= due/8 || b.control > 0 && without > 2*due)
	b.learnRest(without, shown)
	b.certain <<= 1
	if (bare || b.unknown()) && without > 2*due {
		b.certain |= 1
	}
	if shown {
		b.bare.add(without > lateAt)
		b.decide()
	} else {
		b.loaded.add(interval > lateAt)
	}
	switch {
	case !b.slow && (b.certain&0xf == 0xf || b.certain&3 == 3 && interval > 10*due):
		b.become(true)
	case b.slow && b.loaded.n == tallied && b.loaded.late() <= 1:
		b.become(false) // in time with all that work
	}
	b.control -= min(b.control, 1)
	if b.slow && b.control > 0 && b.control <= controlFrames-controlBrief && b.bare.n == 0 {
		b.control = 0 // tasks that cannot wait leave no frame bare
	}
	if b.control == 0 && b.wait == 0 && b.doubts() {
		b.control, b.wait, b.frames = controlFrames, controlEvery, 0
		b.bare = tally{}
	}
}

// learnRest takes what the frame took without its slice into the means. shown says that the frame shows the host
// without work. In other frames tasks may have left work to the host, of which the share must not grow: there a frame
// counts for at most twice the mean.
func (b *baseline) learnRest(without time.Duration, shown bool) {
	b.seen += min(1, restFrames-b.seen)
	by := time.Duration(b.seen) // the plain mean at first, as a program's first frame is longer than all others
	if b.rest == 0 {
		b.rest, b.alone = without, without
	}
	if shown {
		b.alone += (min(without, restMost) - b.alone) / by
	} else {
		without = min(without, 2*b.rest)
	}
	b.rest += (min(without, restMost) - b.rest) / by
}

// kindShare returns the part of the share that each kind of task may use, whatever it leaves to the host. The work that
// tasks leave to the host counts: frames are longer by that than bare ones, as far as waiting for one more refresh does
// not explain it.
func (b *baseline) kindShare(part float64, loading bool) time.Duration {
	if !b.lags(loading) {
		return 0
	}
	return max(b.share(part)-max(b.rest-b.alone-b.due, 0), 0)
}

// decide takes a verdict of the bare frames.
func (b *baseline) decide() {
	n, late := b.bare.n, b.bare.late()
	switch {
	case b.control > 0 && b.slow:
		if late > 0 {
			b.control = 0 // it is as slow as it was
		} else if n >= controlClean {
			b.become(false)
		}
	case b.control > 0 && (n == 2 && late == 2 || n == tallied/2 && late >= 2):
		b.become(true)
	case b.control > 0:
		if n >= 4 && late == 0 || n >= tallied/2 {
			b.control = 0
		}
	case !b.slow && n >= 4 && late >= 2 && late*16 >= 3*n:
		b.become(true)
	case b.slow && n == tallied && late*16 < 2*n:
		b.become(false)
	}
}

// become changes the verdict. The frames before do not count for the next one.
func (b *baseline) become(slow bool) {
	b.slow, b.control, b.certain, b.frames = slow, 0, 0, 0
	b.loaded = tally{}
	b.wait = controlEvery
}

// doubts reports whether a control is due.
func (b *baseline) doubts() bool {
	if b.slow {
		return b.frames >= controlApart && b.loaded.late() >= 2
	}
	n := tallied / 2
	if b.unknown() {
		n = tallied / 4
	}
	return b.loaded.n >= n && 2*b.loaded.lateOf(n) >= n
}

// unknown reports whether no frame without work was seen in time. Then nothing speaks for the host.
func (b *baseline) unknown() bool { return b.bare.late() == b.bare.n }

// lags reports whether the host is late without work, so that the work has its share. In frames that are marked Loading
// two late frames of the latest 16 are enough, or two in a row that their slices cannot have made so long. A loading
// screen wants progress, and the host's frames are not smooth anyway.
func (b *baseline) lags(loading bool) bool {
	return b.slow || loading && (b.bare.late() > 1 || b.certain&3 == 3)
}

// share returns the time that a slice must have so that the work gets the given part of the time that passes.
func (b *baseline) share(part float64) time.Duration {
	if part <= 0 {
		return 0
	}
	part = min(part*shareMargin, 0.9)
	return time.Duration(float64(b.rest) * part / (1 - part))
}

// free reports whether no display holds the frames up, so that each ms of work makes a frame longer by a ms.
func (b *baseline) free() bool { return b.offGrid > 1./8 }

// tallied is how many frames a tally keeps.
const tallied = 16

// tally keeps which of the latest frames were late.
type tally struct {
	bits uint16 // the newest lowest; 1 is late
	n    int
}

func (t *tally) add(late bool) {
	t.bits <<= 1
	if late {
		t.bits |= 1
	}
	t.n = min(t.n+1, tallied)
}

// late returns how many frames were late.
func (t *tally) late() int { return bits.OnesCount16(t.bits) }

// lateOf returns how many of the newest n frames were late.
func (t *tally) lateOf(n int) int { return bits.OnesCount16(t.bits & (1<<n - 1)) }
