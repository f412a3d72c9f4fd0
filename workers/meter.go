package workers

import (
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/costs"
	"github.com/frameslice/frameslice/internal/osthread"
)

// A meter tells how long the runs of jobs on one goroutine would have taken without others in their way, and whether a
// run has waited. It compares two looks at the thread, one of them before the run. A look takes about half a
// microsecond, so a meter looks again only when its look is a millisecond old. Then a run seems to have had up to a
// millisecond more of the processor than it had, which errs on the safe side.
//
// A thread that had no processor without giving it up was kept off by other threads. That says nothing about the run.
// A thread that gave the processor up has waited, and so has a goroutine that ends its run on another thread: all the
// time counts. But Go's scheduler interrupts a run after 10 ms, and may continue it on another thread a time slice
// later. So a run that has changed threads and took less than goPreempts says nothing.
type meter struct {
	at     deadline.Instant // of the look before, or 0
	was    osthread.Usage
	thread int
}

// freshen looks unless there is a fresh look. The calling goroutine is about to run something.
func (m *meter) freshen(now deadline.Instant) {
	if m.at == 0 || now.Sub(m.at) > staleLook {
		m.look(now)
	}
}

func (m *meter) look(now deadline.Instant) {
	m.at = 0
	was, err := osthread.ReadUsage()
	if err == nil {
		m.at, m.was, m.thread = now, was, osthread.ID()
	}
}

// forget makes the meter look before the next run. The goroutine is going to wait between two runs.
func (m *meter) forget() { m.at = 0 }

// judge returns what a run of d, which has ended at end, cost, and for how long it counts among the latest runs of its
// kind. A run that is short needs no look.
func (m *meter) judge(d time.Duration, end deadline.Instant) (cost, latest time.Duration) {
	if m.at == 0 || d < shortRun {
		return d, d
	}
	was, thread := m.was, m.thread
	if m.look(end); m.at == 0 {
		return d, d
	}
	switch {
	case thread != m.thread && d < goPreempts:
		return d, 0
	case thread == m.thread && m.was.Waits == was.Waits:
		used := m.usedSince(was, d)
		return used, used
	}
	return d, d
}

// judgeLow judges a run of a background worker, which looks before the run. The cost is the time on the processor, also
// of a short run. Wall time would be wrong, because a background thread is often off its processor while others are
// busy, and that time is no cost to the frame. If the job seems to have waited for something, the cost is d. The Go
// runtime preempts every 10 ms, which looks like a wait of a locked thread, too.
func (m *meter) judgeLow(d time.Duration, end deadline.Instant, virtual bool) (cost, latest time.Duration) {
	if m.at == 0 {
		return d, d
	}
	was := m.was
	if m.look(end); m.at == 0 {
		return d, d
	}
	used, waits := m.usedSince(was, d), m.was.Waits-was.Waits
	if cost = used; waits > 2+int64(d/(5*time.Millisecond)) {
		cost = d
	}
	switch {
	case virtual:
		return cost, d
	case waits == 0:
		return cost, used
	case d-used >= longWait:
		return cost, costs.Forever
	}
	return cost, d
}

// usedSince returns the time on the processor since was, of a run of d.
func (m *meter) usedSince(was osthread.Usage, d time.Duration) time.Duration {
	return min(max(m.was.CPU-was.CPU, 1), d)
}
