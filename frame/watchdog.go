package frame

import (
	"fmt"
	"os"
	"runtime"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/atomic"
	"github.com/frameslice/frameslice/internal/carrier"
)

// watchdog reports a frame that does not end: Options.OnStuck. The frame goroutine notes when it begins and ends its
// part, two atomic stores a frame. While there are frames, a timer looks at the frame twice in each limit (10 s). A
// look that finds no frame under way lets the timer rest, and the next frame sets it again. So an idle program is not
// woken up.
//
//   - F51. A frame that is reported has been under way for the limit, and was seen by two looks, neither of them late.
//     A process that a debugger, a signal or a closed lid has stopped finds its timer overdue: that look counts as the
//     first one.
//   - F52. The timer is set, or a look runs, or calls is set, whenever since is not 0. The frame goroutine stores since
//     and then loads calls. A look stores calls and then loads since. armed decides which of the two sets the timer.
//   - F53. A frame is reported once. The timer then rests until the next frame begins.
//   - F54. When close has returned, at most one more look begins, and it tells nothing. Everything that sets the timer
//     loads closed before. That look tells nothing because a frame that it finds began after the frame that an earlier
//     look suspects.
//
// watchdog_explore_test.go runs F52 to F54 and, except for the times, F51.
//
// Rejected: a ticker, which wakes up an idle program, and in a testing/synctest bubble runs on beside a deadlock, which
// then is not found. A timer that each frame sets and stops, at several times the price. An atomic store of the
// scheduler for each task, to name the task that runs: the stack has the name.
type watchdog struct {
	limit time.Duration
	tell  func(report string)
	stuck func(age time.Duration, who carrier.Place) (report string) // reads the stacks

	since  atomic.Int64  // when the frame goroutine's part began; 0 while it is the host's turn
	calls  atomic.Bool   // the next begin must note its goroutine, and set the timer if that is not set
	armed  atomic.Bool   // the timer is set, or a look runs
	who    atomic.Uint64 // carrier.Place of the frame goroutine, as of the last look
	closed atomic.Bool

	line [128]byte // called's: the first line of a stack

	clock    func() deadline.Instant // deadline.Now, except in a program
	newTimer func(f func()) timer
	timer    timer // nil before the first frame, so that it is in the bubble of the frames

	// A look's.
	due     deadline.Instant // when the next one is
	suspect int64            // the since of a frame that was old at the last look; or 0
}

// A timer has the methods of time.Timer that the watchdog calls.
type timer interface {
	Reset(d time.Duration) bool
	Stop() bool
}

// newTimer returns a timer that is not set. It is made before it is set, because a look uses watchdog.timer.
func newTimer(f func()) timer {
	t := time.AfterFunc(time.Hour, f)
	t.Stop()
	return t
}

func newWatchdog(tell func(string), stuck func(age time.Duration, who carrier.Place) string) *watchdog {
	w := &watchdog{limit: stuckFrame, tell: tell, stuck: stuck, clock: deadline.Now, newTimer: newTimer}
	if tell == nil {
		w.tell = complain
	}
	w.calls.Store(true)
	return w
}

// begin notes that the frame goroutine, which calls it, has begun its part of a frame.
func (w *watchdog) begin(now deadline.Instant) {
	w.since.Store(int64(now) | 1) // never 0
	if w.calls.Load() {
		w.called()
	}
}

// end notes that the host continues, for as long as it likes. It may be called again.
func (w *watchdog) end() { w.since.Store(0) }

// called does what a look has left to the frame goroutine. 3 to 20 µs, twice in each limit.
func (w *watchdog) called() {
	if w.closed.Load() {
		return
	}
	w.calls.Store(false)
	w.who.Store(uint64(carrier.Of(w.line[:runtime.Stack(w.line[:], false)]))) // not carrier.Here, which allocates
	if w.timer == nil {
		w.timer = w.newTimer(w.look)
	}
	if w.armed.CompareAndSwap(false, true) {
		w.set(w.clock(), w.limit/2)
	}
}

// set has the next look after d, unless the loop has closed. Only for the caller that has set armed.
func (w *watchdog) set(now deadline.Instant, d time.Duration) {
	if w.closed.Load() {
		return
	}
	w.due = now.Add(d)
	w.timer.Reset(d)
}

// look is the timer's function.
func (w *watchdog) look() {
	now := w.clock()
	at, half := w.since.Load(), w.limit/2
	if at == 0 {
		w.rest(at)
		return
	}
	w.calls.Store(true) // the frames' goroutine may have changed
	onTime := now.Sub(w.due) <= w.limit/4
	age := now.Sub(deadline.Instant(at))
	switch {
	case age < half:
		w.suspect = 0
		w.set(now, half-age)
	case at != w.suspect || !onTime:
		w.suspect = at
		w.set(now, max(w.limit-age, half))
	default:
		w.suspect = 0
		s := w.stuck(age, carrier.Place(w.who.Load()))
		if w.since.Load() == at { // the stacks are of that frame
			w.tell(s)
		}
		w.rest(at)
	}
}

// rest lets the timer rest, unless another frame than the one that began at that time is under way.
func (w *watchdog) rest(at int64) {
	w.suspect = 0
	w.armed.Store(false)
	w.calls.Store(true)
	if is := w.since.Load(); is != 0 && is != at && w.armed.CompareAndSwap(false, true) {
		w.set(w.clock(), w.limit/2)
	}
}

// close ends it. It does not wait for a look.
func (w *watchdog) close() {
	w.closed.Store(true)
	w.since.Store(0)
	if w.timer != nil {
		w.timer.Stop()
	}
}

// complain prints a report that nobody handles.
func complain(report string) { fmt.Fprintln(os.Stderr, report) }
