package frame

import "github.com/frameslice/frameslice/internal/atomic"

// gate is the token that makes misuse visible. One of the loop's calls holds it while it runs. So a second goroutine,
// or a task that calls its own loop, finds it taken. The gate also knows how far the frame has come, so a call out of
// order finds the wrong state. It costs two compare-and-swaps per call, about 10 ns. Calls from several goroutines in a
// proper order are legal: a host may move its frames between goroutines as long as it synchronizes them.
//
// The word:
//
//	bits 0-1  state: between frames, open (Begin was called), sliced
//	bit  2    busy: a call is running
//	bit  3    running: Run drives the loop
//	bit  4    away: the slice in the shadow is running
//	bit  5    closing: Close or Stop was called
//	bit  6    closed: a goroutine closes the loop, or has closed it
//
// Invariants:
//
//	F11. Only the goroutine that set busy changes the state and clears busy.
//	F12. closing is never cleared. closed is set once, in the step in which closing meets none of busy, running
//	     and away. The goroutine that made this step, and no other, closes the loop. Every call that gives back one
//	     of the three may make the step, and so may Close. Stop does not.
//	F13. A call that finds closed does nothing. So by F12 the closing goroutine has the loop to itself.
//
// gate_explore_test.go runs F12 and F13.
type gate struct{ word atomic.Uint32 }

const (
	gateBetween uint32 = iota
	gateOpen
	gateSliced

	gateMask    uint32 = 3
	gateBusy    uint32 = 1 << 2
	gateRunning uint32 = 1 << 3
	gateAway    uint32 = 1 << 4
	gateClosing uint32 = 1 << 5
	gateClosed  uint32 = 1 << 6

	gateUnderWay = gateBusy | gateRunning | gateAway
)

// enterCall takes the token for a call that is legal in the given states (a set of 1<<state). own says that Run makes
// the call. It returns false if the loop is closed, and panics on misuse.
func (g *gate) enterCall(call string, states uint32, own bool) bool {
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
		case states&(1<<(w&gateMask)) == 0:
			panic("frame: " + call + misuse(call, w&gateMask))
		}
		if g.word.CompareAndSwap(w, w|gateBusy) {
			return true
		}
	}
}

// modal is the advice for a modal loop, which would drive frames in the middle of a frame.
const modal = ": show a modal dialog in frames, and await its end in a coroutine"

// misuse says what is wrong with a call in a state.
func misuse(call string, state uint32) string {
	switch {
	case state == gateBetween:
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

// leaveCall gives the token back and moves to state.
func (g *gate) leaveCall(state uint32) (closeNow bool) { return g.change(gateBusy|gateMask, state) }

// advance moves on to state while the call that holds the token continues.
func (g *gate) advance(state uint32) { g.change(gateMask, state) }

// startRun marks the loop as driven by Run. It returns false if the loop is closed, and panics on misuse.
func (g *gate) startRun() bool {
	if !g.enterCall("Run", 1<<gateBetween, false) {
		return false
	}
	g.change(gateBusy, gateRunning)
	return true
}

// stopRun ends what startRun began, in whatever state a panic has left the frame.
func (g *gate) stopRun() (closeNow bool) {
	return g.change(gateRunning|gateBusy|gateMask, gateBetween)
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
func (g *gate) unfinished() (state uint32) { return g.word.And(^gateMask) & gateMask }

// others reports whether only a slice in the shadow or another closer keeps the loop from being closed.
func (g *gate) others() bool {
	w := g.word.Load()
	return w&gateClosed != 0 || w&gateUnderWay == gateAway
}

// state returns how far the frame has come. Only for the goroutine that calls the loop.
func (g *gate) state() uint32 { return g.word.Load() & gateMask }

// isClosing reports whether the loop is closed, or will be when nothing is under way.
func (g *gate) isClosing() bool { return g.word.Load()&(gateClosing|gateClosed) != 0 }

// isBusy reports whether a call is running.
func (g *gate) isBusy() bool { return g.word.Load()&gateBusy != 0 }

// refuseTask panics in a task of the slice in the shadow, which the gate cannot notice.
func (g *gate) refuseTask(call string, home *home) {
	if g.isAway() && home.elsewhere() {
		panic("frame: " + call + " in a task")
	}
}
