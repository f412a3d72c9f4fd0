package scheduler

// drawing is the part of a Scheduler that knows of the host's drawing. The frame goroutine's, except draw.
//
// S17. A drawing that begins after RequestDraw satisfies it. RunPhase(BeforeDraw) or NotePhase(BeforeDraw) reads the
// inbox, and clears the requests made until then. A host that has ever made one of the two calls draws only in frames
// in which it makes one, so a frame without them keeps the requests. A host that has made neither does not say when it
// begins to draw, so RunPhase(AfterDraw) or BeginFrame clears the requests. Co.AfterDraw follows the same rule: when a
// drawing has ended, the coroutines continue that called AfterDraw before the drawing began. A pass over draws begins
// with the drawing and wakes them at its end, so the end of a frame that was not drawn wakes nobody.
type drawing struct {
	draws      round // coroutines in Co.AfterDraw
	drawAsked  bool
	toldPhases [numPhases]bool // RunPhase or NotePhase was called with the phase, ever

	// draw is what RequestDraw pushes. It never has a generation: its word says only whether it is in the inbox.
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

// DrawRequested reports whether to draw: after RequestDraw, or for a callback of Once, or a coroutine in
// Co.AfterDraw or Co.NextFrame. Frame goroutine.
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
		d.drawAsked = false
		d.draws.beginPass()
	case AfterDraw:
		// Otherwise a request since BeforeDraw waits for the next drawing.
		if !d.toldPhases[BeforeDraw] {
			d.drawAsked = false
		}
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
	ws.draws.endPass()
}
