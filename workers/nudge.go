package workers

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/osthread"
)

// A nudge has the system look again who is to run, on every processor, while a frame is late.
//
// A thread that wakes up on a processor with a background job displaces it at once, nearly always: one in some hundreds
// stands there until the job sleeps, or until the next tick of the kernel's clock, up to 4 ms. It happens to threads
// that wake one another to and fro, as those of a window's frame do, or of a Go timer's. We take it that Linux's fair
// scheduler (EEVDF) finds them not eligible yet, as they have run a little ahead of their share: they are so some
// microseconds later, but it has no cause to look. Any thread that wakes up there is a cause. So there is one for each
// processor, of ordinary priority, which naps and wakes up again, from when the frame is late until it has begun.
//
//	U1  due and trail are written by the frame goroutine only: set by ExpectFrame, cleared by BeginFrame. After each
//	    ExpectFrame, and when the pool is gone, there is a token for every nudger, if there was none.
//	U2  A nudger waits for its token only after it has seen that no frame is expected, or that it is too late for this
//	    one, and looks again when it has taken it.
//
// So no frame is missed: a nudger that has not seen it has not taken its token yet, or looks again. And nobody naps for
// ever: each nap ends at due, or before trail is over. A frame that begins in time pays one short wake-up on each
// processor, after it has begun.
//
// What it brings is in ARCHITECTURE.md. Rejected: nudges within the frame, too, and for some milliseconds after it,
// which made little difference; nudges at all times, by threads of real-time priority, which made much in a window, and
// cost a tenth of the jobs; real-time priority for these here: no difference, and such a thread may spin when it comes
// back from a system call while its stack is scanned.
type nudge struct {
	due    atomic.Int64 // a deadline.Instant, or 0
	trail  atomic.Int64 // ns
	tokens []chan struct{}
}

// startNudges begins the nudgers, on the processors that background jobs may run on.
func (p *Pool) startNudges() {
	for i, cpu := range p.nudged() {
		token := make(chan struct{}, 1)
		p.nudge.tokens = append(p.nudge.tokens, token)
		p.live.Add(1) // Close waits for it, as for a worker
		osthread.Go(func() {
			defer func() {
				if p.live.Add(-1) == 0 && p.state.Load() == gone {
					p.lastOut()
				}
			}()
			if osthread.Pin(cpu) != nil {
				return
			}
			_ = osthread.Name(fmt.Sprint("fs-nudge-", i)) // only for people
			_, _ = osthread.ShortSlice()                  // the sooner it runs, the better
			p.nudging(token)
		})
	}
}

// nudged returns the processors to nudge: none where nothing is known to come of it, and none without RaiseProcs, as
// each nudger wants a P when it wakes up.
func (p *Pool) nudged() []int {
	if p.opt.NoNudge || !p.opt.RaiseProcs || !osthread.Nudges {
		return nil
	}
	cpus := p.site.mask
	if len(p.site.quiet) > 0 {
		cpus = p.site.quiet
	}
	return cpus[:min(len(cpus), MaxWorkers)]
}

// nudging is a nudger's life.
func (p *Pool) nudging(token <-chan struct{}) {
	for p.state.Load() != gone {
		switch d := p.nudge.pause(deadline.Now()); {
		case d > 0:
			osthread.Nap(min(d, maxNap))
		default:
			<-token
		}
	}
}

// maxNap is for how long Close may have to wait for a nudger.
const maxNap = 20 * time.Millisecond

// pause returns for how long a nudger naps: until a frame is late, or until the next nudge; or 0 if none is expected.
func (n *nudge) pause(now deadline.Instant) time.Duration {
	due := deadline.Instant(n.due.Load())
	if due == 0 {
		return 0
	}
	late := now.Sub(due)
	switch {
	case late < 0:
		return -late
	case late < time.Duration(n.trail.Load()):
		return nap
	}
	return 0
}

// expect is U1 for ExpectFrame.
func (n *nudge) expect(due deadline.Instant, trail time.Duration) {
	n.trail.Store(int64(trail))
	n.due.Store(int64(due))
	n.tell()
}

// tell gives every nudger a token.
func (n *nudge) tell() {
	for _, c := range n.tokens {
		select {
		case c <- struct{}{}:
		default:
		}
	}
}
