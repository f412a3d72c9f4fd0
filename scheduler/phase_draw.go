package scheduler

// drawing is the part of a Scheduler that knows of the host's drawing. The frame goroutine's, except draw.
//
// S17. A drawing that begins after RequestDraw satisfies it. RunPhase(BeforeDraw) or NotePhase(BeforeDraw) reads the
// inbox, and clears the requests made until then. A host that never makes either call does not say when it begins to
// draw. Then RunPhase(AfterDraw) or BeginFrame clears the requests. For other hosts a frame without such a call is not
// drawn, and clears none. Co.AfterDraw is alike: the coroutines that called it before the drawing began go on.
// A pass over draws begins with the drawing, and ends when it has woken them. So the end of a frame that was not drawn
// wakes nobody.
type drawing struct {
	draws      round // coroutines in Co.AfterDraw
	drawAsked  bool
	drawBegun  bool            // RunPhase(BeforeDraw) was called in this frame
	toldPhases [NumPhases]bool // the phases of which the host has told at least once

	// draw is what RequestDraw pushes. It never has a life: its word says only whether it is in the inbox.
	draw item
}

// RequestDraw asks the host to draw soon, and wakes it. The slice ends with the running task. Until drawing begins,
// DrawRequested is true, and each slice runs one task. Drawing begins with RunPhase(BeforeDraw); if the host never
// calls that, with RunPhase(AfterDraw) or BeginFrame.
//
// Any goroutine. It never blocks or allocates; about 10 ns. A game that always draws does not need it.
func (s *Scheduler) RequestDraw() {
	if s.draw.word.Or(flagInbox)&flagInbox == 0 {
		s.push(&s.draw)
	}
}

// DrawRequested reports whether to draw: after RequestDraw, or for a callback of Once, or a coroutine in AfterDraw or
// NextFrame. Frame goroutine.
func (s *Scheduler) DrawRequested() bool {
	// RequestDraw counts at once, and the rest of the inbox once RunUntil or RunPhase has read it.
	return s.drawAsked || s.draw.word.Load()&flagInbox != 0 || s.awaitsOnce(&s.memberships) ||
		s.draws.head != nil || s.frames.head != nil
}

// absorb clears the request to draw, if phase p answers it. The inbox has been read.
func (d *drawing) absorb(p Phase) {
	d.toldPhases[p] = true
	switch p {
	case BeforeDraw:
		d.drawAsked, d.drawBegun = false, true
		d.draws.begin()
	case AfterDraw:
		// Otherwise a request since BeforeDraw waits for the next drawing.
		if !d.drawBegun && !d.toldPhases[BeforeDraw] {
			d.drawAsked = false
		}
		d.drawBegun = false
	}
}

// drawn wakes the coroutines that wait for the drawing which has ended. There was none if the host calls BeforeDraw in
// other frames only.
func (ws *waits) drawn() {
	if ws.toldPhases[BeforeDraw] && !ws.draws.open {
		return
	}
	for ws.draws.head != ws.draws.limit {
		it := ws.nextToWake(ws.draws.head, ws.draws.limit)
		ws.wakeUp(it, ws.now)
	}
	ws.drawBegun = false
	ws.draws.end()
}
