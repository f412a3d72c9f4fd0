package frame

import "sync/atomic"

// gate is the token that makes misuse visible. One of the loop's calls holds it while it runs. So a second goroutine,
// or a task that calls its own loop, finds it taken. The gate also knows how far the frame has come, so a call out of
// order finds the wrong phase. It costs two compare-and-swaps per call, some 10 ns. Calls from several goroutines in a
// proper order are legal: a host may move its frames between goroutines as long as it synchronizes them.
//
// The word:
//
//	bits 0-1  phase: between frames, open (Begin was called), sliced
//	bit  2    busy: a call is running
//	bit  3    running: Run drives the loop
//	bit  4    away: the slice in the shadow is running
//	bit  5    closing: Close or Stop was called
//	bit  6    closed: a goroutine closes the loop, or has closed it
//	bit  7    nested: a Nest is in progress; its end brings back phase, busy and running
//
// Invariants:
//
//	F11. Only the goroutine that set busy changes the phase and clears busy.
//	F12. closing is never cleared. closed is set once, in the step in which closing meets none of busy, running,
//	     away and nested. The goroutine that made this step, and no other, closes the loop. Every call that gives
//	     back one of the four may make the step, and so may Close. Stop does not.
//	F13. A call that finds closed does nothing. So by F12 the closing goroutine has the loop to itself.
//
// Models: shadow_model_test.go for a slice in the shadow, nest_model_test.go for a Nest.
type gate struct{ word atomic.Uint32 }

const (
	phaseBetween uint32 = iota
	phaseOpen
	phaseSliced

	phaseMask   uint32 = 3
	gateBusy    uint32 = 1 << 2
	gateRunning uint32 = 1 << 3
	gateAway    uint32 = 1 << 4
	gateClosing uint32 = 1 << 5
	gateClosed  uint32 = 1 << 6
	gateNested  uint32 = 1 << 7

	gateUnderWay = gateBusy | gateRunning | gateAway | gateNested
)

// enter takes the token for a call that is legal in the given phases (a set of 1<<phase). own says that Run makes the
// call. It returns false if the loop is closed, and panics on misuse.
func (g *gate) enter(call string, phases uint32, own bool) bool {
	for {
		w := g.word.Load()
		switch {
		case w&gateClosed != 0:
			return false
		case w&gateBusy != 0:
			panic("frame: " + call + " while another call of the loop runs: from a task or from a second goroutine" +
				modal)
		case w&gateRunning != 0 && !own:
			panic("frame: " + call + " while Run drives the loop" + modal)
		case phases&(1<<(w&phaseMask)) == 0:
			panic("frame: " + call + misuse(call, w&phaseMask))
		}
		if g.word.CompareAndSwap(w, w|gateBusy) {
			return true
		}
	}
}

// modal is the advice for a modal loop, which gives frames in the middle of a frame.
const modal = ": a modal loop calls Nest first"

// misuse says what is wrong with a call in a phase.
func misuse(call string, phase uint32) string {
	switch {
	case phase == phaseBetween:
		return " without Begin"
	case call == "Begin":
		return " again before End: a loop has one frame at a time, and one wrapped game in it" + modal
	case call == "RunPhase" || call == "Report" || call == "Step" || call == "Section":
		return " after Slice"
	case call == "Run" || call == "Rest":
		return " in a frame that the host has begun"
	}
	return " twice in one frame"
}

// change clears and sets bits. It reports whether the caller must now close the loop (F12).
func (g *gate) change(off, on uint32) (closeNow bool) {
	for {
		w := g.word.Load()
		next := w&^off | on
		last := next&(gateClosing|gateClosed) == gateClosing && next&gateUnderWay == 0
		if last {
			next |= gateClosed
		}
		if g.word.CompareAndSwap(w, next) {
			return last
		}
	}
}

// leave gives the token back and moves to phase.
func (g *gate) leave(phase uint32) (closeNow bool) { return g.change(gateBusy|phaseMask, phase) }

// advance moves on to phase while the call that holds the token goes on.
func (g *gate) advance(phase uint32) { g.change(phaseMask, phase) }

// startRun marks the loop as driven by Run. It returns false if the loop is closed, and panics on misuse.
func (g *gate) startRun() bool {
	if !g.enter("Run", 1<<phaseBetween, false) {
		return false
	}
	g.change(gateBusy, gateRunning)
	return true
}

// stopRun ends what startRun began, in whatever phase a panic has left the frame.
func (g *gate) stopRun() (closeNow bool) {
	return g.change(gateRunning|gateBusy|phaseMask, phaseBetween)
}

// away and home enclose the slice in the shadow.
func (g *gate) away()                 { g.change(0, gateAway) }
func (g *gate) home() (closeNow bool) { return g.change(gateAway, 0) }

// requestClose marks the loop as closing, and reports whether the caller must now close the loop (F12).
func (g *gate) requestClose() (closeNow bool) { return g.change(0, gateClosing) }

// requestStop marks the loop as closing, and leaves the closing to a later call.
func (g *gate) requestStop() { g.word.Or(gateClosing) }

// isAway reports whether the slice in the shadow is running.
func (g *gate) isAway() bool { return g.word.Load()&gateAway != 0 }

// unfinished ends the frame in which the loop was closed, and returns how far the frame had come. Frame goroutine,
// after the loop has closed.
func (g *gate) unfinished() (phase uint32) { return g.word.And(^phaseMask) & phaseMask }

// others reports whether only a slice in the shadow or another closer keeps the loop from being closed.
func (g *gate) others() bool {
	w := g.word.Load()
	return w&gateClosed != 0 || w&gateUnderWay == gateAway
}

// phase returns how far the frame has come. Only for the goroutine that calls the loop.
func (g *gate) phase() uint32 { return g.word.Load() & phaseMask }

// isClosing reports whether the loop is closed, or will be when nothing is under way.
func (g *gate) isClosing() bool { return g.word.Load()&(gateClosing|gateClosed) != 0 }

// isBusy reports whether a call is running.
func (g *gate) isBusy() bool { return g.word.Load()&gateBusy != 0 }

// isNested reports whether the loop is in a Nest.
func (g *gate) isNested() bool { return g.word.Load()&gateNested != 0 }

// nestIn sets the word as it is between two frames, and returns the old one. It returns false if the loop is closed,
// and panics on misuse.
func (g *gate) nestIn() (was uint32, ok bool) {
	for {
		w := g.word.Load()
		switch {
		case w&gateClosed != 0:
			return 0, false
		case w&gateAway != 0:
			panic("frame: Nest in the slice in the swap's shadow: such work belongs to Loop.Host")
		case w&gateBusy == 0 && w&phaseMask != phaseOpen:
			panic("frame: Nest outside of a frame, or after Slice")
		}
		if g.word.CompareAndSwap(w, w&^(gateBusy|gateRunning|phaseMask)|gateNested) {
			return w, true
		}
	}
}

// nestOut restores what nestIn has returned, and reports whether the caller must now close the loop (F12). F11 holds,
// as f has ended and its frame with it.
func (g *gate) nestOut(was uint32) (closeNow bool) {
	const mine = gateBusy | gateRunning | gateNested | phaseMask
	return g.change(mine&^was, mine&was)
}
