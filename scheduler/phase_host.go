package scheduler

import (
	"sync/atomic"
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// stopping is the part of a Scheduler for hosts whose slices run on a goroutine of their own.
type stopping struct {
	stop *atomic.Bool // StopOn's; nil if nobody stops slices
}

// StopOn makes slices end when stop is true, too, as ShouldYield tells. A slice that begins then starts one task. nil
// ends this. It is for a host whose slices run on another goroutine than its frames. Frame goroutine, between slices.
func (s *Scheduler) StopOn(stop *atomic.Bool) {
	s.enter("StopOn")
	s.stop = stop
	s.leave()
}

// stopped reports whether the host wants the frame back.
func (s *Scheduler) stopped() bool { return s.stop != nil && s.stop.Load() }

// NotePhase ends requests to draw as RunPhase(p) would, and leaves the callbacks to RunUntil: for a host whose slices
// run on another goroutine than its phases. Frame goroutine, between slices.
func (s *Scheduler) NotePhase(p Phase) {
	mustBePhase(p)
	s.enter("NotePhase")
	defer s.leave()
	if s.closed.Load() {
		return
	}
	if s.isUnread() {
		s.now = s.clock()
		s.drain(s.now)
		s.arena.flush()
	}
	s.absorb(p)
}

// NoteHost tells how long the host's frame took: interval from its begin to the next, busy for its own work and its
// slice, of due that it should take. It is for hosts that draw and swap after the slice. Frame goroutine, before
// BeginFrame.
//
// The scheduler learns which kinds of tasks leave work to the host, such as uploads, and runs a new kind once a frame
// at first. Immediate tasks, tasks of less than 20 µs and tasks with a Cost are free.
// Stats.HostCause names the kind with the most late frames.
func (s *Scheduler) NoteHost(interval, busy, due time.Duration) {
	s.enter("NoteHost")
	defer s.leave()
	s.kinds.host.Frame(interval, busy, due)
}

// held reports whether the frame has run enough of the item's kind, as its tasks leave work to the host.
func (s *Scheduler) held(it *item) bool {
	return s.kinds.host.Exhausted() && !it.fatal && s.until != deadline.Never &&
		it.node.Priority() != deadline.Immediate && s.kinds.of(it).Extra.after.Exhausted()
}

// drawing is the part of a Scheduler that knows of the host's drawing. The frame goroutine's, except draw.
//
// S17. A drawing that begins after RequestDraw satisfies it. RunPhase(BeforeDraw) or NotePhase reads the inbox, and
// takes back the requests made until then. A host that never calls them with BeforeDraw does not say when it begins to
// draw. Then RunPhase(AfterDraw) or BeginFrame takes the requests back. For other hosts a frame without that call is
// not drawn, and takes back none. Co.AfterDraw is alike: the coroutines go on that came before the drawing began.
// drawLimit is the first of the others, as limit in S13. drawOwed says that those coroutines have yet to be woken, so
// the end of a frame that was not drawn wakes nobody.
type drawing struct {
	draws     list  // coroutines in Co.AfterDraw
	drawWaits int   // how many
	drawLimit *item // the first of them that came when the drawing had begun
	drawAsked bool
	drawBegun bool            // RunPhase(BeforeDraw) was called in this frame
	drawOwed  bool            // the coroutines that waited for that drawing have not been woken
	told      [numPhases]bool // the phases of which the host has told at least once

	// draw is what RequestDraw pushes. It never has a life: its word says only whether it is in the inbox.
	draw item
}

// RequestDraw asks the host to draw soon, and wakes it. The slice ends with the running task. Until drawing begins,
// DrawRequested is true, and each slice runs one task. Drawing begins with RunPhase(BeforeDraw); if the host never
// calls that, with RunPhase(AfterDraw) or BeginFrame.
//
// Any goroutine. It never blocks or allocates; some 10 ns. A game that always draws does not need it.
func (s *Scheduler) RequestDraw() {
	if s.draw.word.Or(flagInbox)&flagInbox == 0 {
		s.push(&s.draw)
	}
}

// DrawRequested reports whether to draw: after RequestDraw, or for a callback of Once, or a coroutine in AfterDraw or
// NextFrame. Frame goroutine.
func (s *Scheduler) DrawRequested() bool {
	// RequestDraw counts at once, and the rest of the inbox once RunUntil or RunPhase has read it.
	return s.drawAsked || s.draw.word.Load()&flagInbox != 0 || s.onces > 0 ||
		s.draws.head != nil || s.frames.head != nil
}

// absorb ends the request for the drawing that p is about. The inbox has been read.
func (s *Scheduler) absorb(p Phase) {
	s.told[p] = true
	switch p {
	case BeforeDraw:
		s.drawAsked, s.drawBegun, s.drawOwed, s.drawLimit = false, true, true, nil
	case AfterDraw:
		if !s.drawBegun && !s.told[BeforeDraw] { // otherwise what was asked since then has yet to be drawn
			s.drawAsked = false
		}
		s.drawBegun = false
	}
}

// AfterDraw suspends the coroutine until a frame has been drawn whose drawing began after the call. It asks for a
// frame: see [Scheduler.DrawRequested].
func (co *Co) AfterDraw() { co.begin().park(phaseHeld, (*coroutine).queueDraw) }

func (c *coroutine) queueDraw() {
	c.it.where = inDraw
	c.s.draws.push(c.it)
	c.s.drawWaits++
	if c.s.drawOwed && c.s.drawLimit == nil {
		c.s.drawLimit = c.it
	}
}

// drawn wakes the coroutines that wait for the drawing which has ended. There was no drawing if the host says when it
// draws, and has not.
func (s *Scheduler) drawn() {
	if s.told[BeforeDraw] && !s.drawOwed {
		return
	}
	for it := s.draws.head; it != s.drawLimit; it = s.draws.head {
		s.wakeUp(it, s.now)
	}
	s.drawBegun, s.drawOwed, s.drawLimit = false, false, nil
}

// undraw takes a coroutine out of the list.
func (s *Scheduler) undraw(it *item) {
	if it == s.drawLimit {
		s.drawLimit = it.fore
	}
	s.draws.remove(it)
	s.drawWaits--
}
