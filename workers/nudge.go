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
//	    ExpectFrame, and when the pool is gone, whoever sets a nudger's asked sends it a token; if it was set there is
//	    one, or one was just taken.
//	U2  A nudger waits for its token only after it has seen, rests times in a row, that no frame is expected, or that
//	    it is too late for this one. When it has taken it, it clears asked, and only then looks.
//
// So no frame is missed: who finds asked set has published the frame before the nudger clears it, which then looks. And
// nobody naps for ever: naps end when trail is over. (There are no nudgers in virtual time: bubble.go.) A frame that
// begins in time pays some short wake-ups on each processor.
//
// What it brings is in MEASUREMENTS.md. Rejected: nudges within the frame, too, and for some milliseconds after it,
// which made little difference; nudges at all times, by threads of real-time priority, which made much in a window, and
// cost a tenth of the jobs; real-time priority for these here, which made no difference to the frames.
type nudge struct {
	due   atomic.Int64 // a deadline.Instant, or 0
	trail atomic.Int64 // ns
	all   []*nudger
}

type nudger struct {
	asked atomic.Bool
	token chan struct{} // one sticky token
}

// startNudges begins the nudgers, on the processors that background jobs may run on.
func (p *Pool) startNudges() {
	for i, cpu := range p.nudged() {
		v := newNudger()
		p.nudge.all = append(p.nudge.all, v)
		p.startHelper(func() {
			if err := osthread.Pin(cpu); err != nil {
				p.note("no nudge: " + err.Error())
				return
			}
			_ = osthread.Name(fmt.Sprint("fs-nudge-", i)) // only for people
			_, _ = osthread.ShortSlice()                  // the sooner it runs, the better
			p.nudging(v)
		})
	}
}

// startHelper runs f on a thread of its own, which Close waits for, as for a worker.
func (p *Pool) startHelper(f func()) {
	p.live.Add(1)
	osthread.Go(func() {
		defer func() {
			if p.live.Add(-1) == 0 && p.state.Load() == gone {
				p.lastOut()
			}
		}()
		f()
	})
}

// nudged returns the processors to nudge: none in virtual time or where nothing is known to come of it, none without
// RaiseProcs, as each nudger wants a P when it wakes up, and none where a quota grants less than the processors.
func (p *Pool) nudged() []int {
	if p.virtual || !p.opt.RaiseProcs || !osthread.Nudges {
		return nil
	}
	cpus := p.site.mask
	if len(p.site.quiet) > 0 {
		cpus = p.site.quiet
	}
	if p.granted() < len(cpus) {
		return nil
	}
	return cpus[:min(len(cpus), MaxWorkers)]
}

// nudging is a nudger's life.
func (p *Pool) nudging(v *nudger) {
	for rested := 0; p.state.Load() != gone; {
		d := p.nudge.pause(deadline.Now())
		if rested++; d > 0 {
			rested = 0
		} else {
			d = maxNap
		}
		if rested < rests {
			osthread.Nap(min(d, maxNap))
			continue
		}
		v.rest()
		rested = 0
	}
}

// rests is how often a nudger that has nothing to do naps before it waits for its token: for a tenth of a second, so
// that the frame goroutine of a game that runs never has to wake it, which takes it some µs.
const rests = 20

// maxNap is for how long Close may have to wait for a nudger: less than its patience.
const maxNap = 5 * time.Millisecond

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
	for _, v := range n.all {
		v.tell()
	}
}

func newNudger() *nudger { return &nudger{token: make(chan struct{}, 1)} }

func (v *nudger) tell() {
	if !v.asked.Swap(true) { // then its token has been taken
		v.token <- struct{}{}
	}
}

// rest waits for a token.
func (v *nudger) rest() {
	<-v.token
	v.asked.Store(false)
}
