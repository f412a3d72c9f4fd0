package frame

import (
	"runtime"
	"sync/atomic"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/carrier"
)

// watchdog tells of a frame that does not end: Options.Watchdog. The frame goroutine notes when it begins and ends its
// part, two atomic stores a frame, and a timer looks at that twice in each limit while there are frames. A look that
// finds none under way lets the timer rest, and the next frame sets it again: so neither frames nor their absence are
// woken up for.
//
//   - K1. What is told of has been under way for the limit, and was at two looks, of which neither came late. A process
//     that a debugger, a signal or a closed lid has stopped finds its timer overdue when it goes on: that look counts
//     as the first one.
//   - K2. The timer is set, or a look runs, or calls is set, whenever since is not 0. The frame goroutine stores since
//     and then loads calls, a look stores calls and then loads since, and armed decides between the two.
//   - K3. What is told of once is not told of again: the timer then rests until the next frame begins.
//   - K4. When close has returned one more look may begin, and tells nothing: nothing else sets the timer, as whoever
//     does asks closed before, and that look finds a frame that began later than what another one suspected.
//
// watchdog_model_test.go explores K2 to K4, with seven mutants. (The model found that a look beside close set the timer
// again, so that of a wrapped game, which goes on, frames were watched, and told of.)
//
// Rejected: a ticker (it wakes up an idle program, and in a bubble of testing/synctest it goes on for
// ever beside a deadlock, which then is not found); a timer that each frame sets and stops (several times the price);
// the scheduler telling which task runs, by an atomic store each, for a name that the stack has.
type watchdog struct {
	l     *Loop
	limit time.Duration
	tell  func(Stuck)

	since  atomic.Int64  // when the frame goroutine's part began; 0 while it is the host's turn
	calls  atomic.Bool   // the next begin is to say who it is, and to set the timer if it is not
	armed  atomic.Bool   // the timer is set, or a look runs
	who    atomic.Uint64 // carrier.Place of the frame goroutine, as of the last look
	closed atomic.Bool

	line [128]byte // called's: the first line of a stack

	timer *time.Timer // nil before the first frame, so that it is in the bubble of the frames

	// A look's.
	due     deadline.Instant // when the next one is
	suspect int64            // since, as of the last one, if that was long ago even then
}

// defaultWatchdog is the default of Options.Watchdog.
const defaultWatchdog = 10 * time.Second

// newWatchdog returns nil if nobody is to watch.
func newWatchdog(l *Loop) *watchdog {
	w := &watchdog{l: l, limit: l.o.Watchdog, tell: l.o.OnStuck}
	if w.limit < 0 {
		return nil
	}
	if w.limit == 0 {
		w.limit = defaultWatchdog
	}
	w.limit = max(w.limit, time.Millisecond)
	if w.tell == nil {
		w.tell = complain
	}
	w.calls.Store(true)
	return w
}

// begin notes that the frame goroutine, which calls it, has begun its part of a frame.
func (w *watchdog) begin(now deadline.Instant) {
	if w == nil {
		return
	}
	w.since.Store(int64(now) | 1) // never 0
	if w.calls.Load() {
		w.called()
	}
}

// end notes that what comes next is the host's, for as long as it likes. Any number of times.
func (w *watchdog) end() {
	if w != nil {
		w.since.Store(0)
	}
}

// moves notes that the frames may go on, on another goroutine. Frame goroutine.
func (w *watchdog) moves() {
	if w != nil {
		w.calls.Store(true)
	}
}

// called does what a look has left to the frame goroutine. 3 to 20 µs, twice in each limit.
func (w *watchdog) called() {
	if w.closed.Load() {
		return
	}
	w.calls.Store(false)
	w.who.Store(uint64(carrier.Of(w.line[:runtime.Stack(w.line[:], false)]))) // Here, which allocates
	if w.timer == nil {
		w.timer = time.AfterFunc(time.Hour, w.look)
		w.timer.Stop() // a look reads it
	}
	if w.armed.CompareAndSwap(false, true) {
		w.set(deadline.Now(), w.limit/2)
	}
}

// set has the next look after d, unless the loop has closed. Only for who has set armed.
func (w *watchdog) set(now deadline.Instant, d time.Duration) {
	if w.closed.Load() {
		return
	}
	w.due = now.Add(d)
	w.timer.Reset(d)
}

// look is the timer's.
func (w *watchdog) look() {
	now := deadline.Now()
	at, half := w.since.Load(), w.limit/2
	if at == 0 {
		w.rest(at)
		return
	}
	w.calls.Store(true) // who it is may have changed
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
		s := w.stuck(age)
		if w.since.Load() == at { // the stacks are of it
			w.tell(s)
		}
		w.rest(at)
	}
}

// rest lets the timer rest, unless something other than what began at that time has begun.
func (w *watchdog) rest(at int64) {
	w.suspect = 0
	w.armed.Store(false)
	w.calls.Store(true)
	if is := w.since.Load(); is != 0 && is != at && w.armed.CompareAndSwap(false, true) {
		w.set(deadline.Now(), w.limit/2)
	}
}

// close ends it. It does not wait for a look.
func (w *watchdog) close() {
	if w == nil {
		return
	}
	w.closed.Store(true)
	w.since.Store(0)
	if w.timer != nil {
		w.timer.Stop()
	}
}
