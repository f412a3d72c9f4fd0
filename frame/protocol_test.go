package frame_test

import (
	"slices"
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

func TestProtocol(t *testing.T) {
	const watchdog, gate, shadow, ending, end = "watchdog.go", "gate.go", "shadow.go", "ending.go", "close.go"
	watch := explore.By("TestExploreTheWatchdogTellsOfEachHangOnce",
		explore.Patch{Name: "F52: the timer rests without a look at what has begun meanwhile", File: watchdog,
			Old: "is != 0 && is != at && w", New: "is != 0 && is != at && false && w"},
		explore.Patch{Name: "F52: a timer that rests does not ask the next frame to set it", File: watchdog,
			Old: "	w.armed.Store(false)\n	w.calls.Store(true)\n", New: "	w.armed.Store(false)\n"},
		explore.Patch{Name: "F52: a timer that rests asks the next frame before it counts as not set", File: watchdog,
			Old: "	w.armed.Store(false)\n	w.calls.Store(true)\n	if is := w.since.Load(); is",
			New: "	w.calls.Store(true)\n	is := w.since.Load()\n	w.armed.Store(false)\n	if is"},
		explore.Patch{Name: "F52: a frame looks whether it is to set the timer before it says that it has begun",
			File: watchdog,
			Old:  "	w.since.Store(int64(now) | 1) // never 0\n	if w.calls.Load() {\n",
			New: "	calls := w.calls.Load()\n	w.since.Store(int64(now) | 1) // never 0\n" +
				"	if calls {\n"},
		explore.Patch{Name: "F52: a timer that rests counts as set", File: watchdog,
			Old: "	w.armed.Store(false)\n", New: ""},
		explore.Patch{Name: "F53: a timer that rests looks again at a frame that was reported", File: watchdog,
			Old: "is != 0 && is != at", New: "is != 0"},
		explore.Patch{Name: "F53: a look that tells sets the timer", File: watchdog,
			Old: "			w.tell(s)\n		}\n		w.rest(at)\n",
			New: "			w.tell(s)\n		}\n		w.set(now, half)\n"},
		explore.Patch{Name: "F51: a look reports a frame that has ended while it read the stacks", File: watchdog,
			Old: "if w.since.Load() == at { //", New: "if true { //"},
		explore.Patch{Name: "F51: a look reports what it sees for the first time", File: watchdog,
			Old: "case at != w.suspect || !onTime:", New: "case !onTime:"},
		explore.Patch{Name: "F54: set does not ask whether the loop has closed", File: watchdog,
			Old: "	if w.closed.Load() {\n		return\n	}\n	w.due", New: "	w.due"},
		explore.Patch{Name: "F54: close does not say that the loop has closed", File: watchdog,
			Old: "	w.closed.Store(true)\n", New: ""},
		explore.Patch{Name: "F54: close stops the timer, and then says so", File: watchdog,
			Old: "	w.closed.Store(true)\n	w.since.Store(0)\n	if w.timer != nil {\n" +
				"		w.timer.Stop()\n	}\n",
			New: "	w.since.Store(0)\n	if w.timer != nil {\n		w.timer.Stop()\n	}\n" +
				"	w.closed.Store(true)\n"},
		explore.Patch{Name: "F54: close leaves the frame that was under way", File: watchdog,
			Old: "	w.since.Store(0)\n	if w.timer != nil {", New: "	if w.timer != nil {"},
	)
	baton := explore.By("TestExploreTheBatonComesBack|TestExploreTheGateClosesOnce",
		explore.Patch{Name: "F12: two make the step", File: gate,
			Old: "		if g.word.CompareAndSwap(w, next) {\n			return last",
			New: "		if g.word.Store(next); true {\n			return last"},
		explore.Patch{Name: "F12: leaveCall does not look whether the loop is closing", File: gate,
			Old: "{ return g.change(gateBusy|gateMask, state) }",
			New: "{\n	g.word.And(^(gateBusy | gateMask))\n	g.word.Or(state)\n	return false\n}"},
		explore.Patch{Name: "F12: the shadow clears away without a look at closing", File: gate,
			Old: "{ return g.change(gateAway, 0) }",
			New: "{\n	g.word.And(^gateAway)\n	return false\n}"},
		explore.Patch{Name: "F12: a slice in the shadow does not keep the loop from being closed", File: gate,
			Old: "gateBusy | gateRunning | gateAway", New: "gateBusy | gateRunning"},
		explore.Patch{Name: "F12: Run does not keep the loop from being closed", File: gate,
			Old: "gateBusy | gateRunning | gateAway", New: "gateBusy | gateAway"},
		explore.Patch{Name: "F12: Run ends without a look at closing", File: gate,
			Old: "	return g.change(gateRunning|gateBusy|gateMask, gateBetween)\n",
			New: "	g.word.And(^(gateRunning | gateBusy | gateMask))\n	return false\n"},
		explore.Patch{Name: "F13: a call does not look whether the loop is closed", File: gate,
			Old: "		case w&gateClosed != 0:\n			return false\n", New: ""},
		explore.Patch{Name: "F21: Begin does not wait for the baton", File: shadow,
			Old: "	if !s.out {\n", New: "	if s.out = false; true {\n"},
		explore.Patch{Name: "F23: a panic's way out does not send the baton back", File: shadow,
			Old: "	defer func() { end = s.finish() }()\n",
			New: "	defer func() {\n		if s.fault == nil {\n			end = s.finish()\n		}\n" +
				"	}()\n"},
		explore.Patch{Name: "F24: the shadow looks at quit after it has given the baton", File: shadow, Race: true,
			Old: "	end = s.quit\n	s.back.Post()\n	return end\n",
			New: "	s.back.Post()\n	return s.quit\n"},
		explore.Patch{Name: "F24: Close says quit before it has the baton", File: shadow, Race: true,
			Old: "	_, late = s.take()\n	s.quit = true\n", New: "	s.quit = true\n	_, late = s.take()\n"},
		explore.Patch{Name: "F25: Begin does not set stop", File: shadow,
			Old: "			s.interrupt()\n			s.wait()\n", New: "			s.wait()\n"},
		explore.Patch{Name: "F25: the shadow clears stop when it begins", File: shadow,
			Old: "	s.drain(s.begin, s.until, s.asks)\n",
			New: "	s.stop.Store(false)\n	s.drain(s.begin, s.until, s.asks)\n"},
		explore.Patch{Name: "F25: the host does not look at closing after it has cleared stop", File: shadow,
			Old: "	if s.gate.isClosing() {\n		s.stop.Store(true) //",
			New: "	if false {\n		s.stop.Store(true) //"},
		explore.Patch{Name: "F25: Close sets stop, and then closing", File: end,
			Old: "	if l.gate.requestClose() {\n		return l.close(false)\n	}\n	l.endWait()\n" +
				"	l.interrupt()\n",
			New: "	l.interrupt()\n	if l.gate.requestClose() {\n		return l.close(false)\n	}\n"},
		explore.Patch{Name: "F26: the shadow sends the baton back, and then clears away", File: shadow,
			Old: "	if !s.quit && s.gate.home() {\n		_ = s.closeAll()\n	}\n	end = s.quit\n" +
				"	s.back.Post()\n",
			New: "	end = s.quit\n	s.back.Post()\n	if !s.quit && s.gate.home() {\n" +
				"		_ = s.closeAll()\n	}\n"},
		explore.Patch{Name: "F26: away is set when the baton is given away already", File: shadow,
			Old: "	s.gate.away()\n	if s.gate.isClosing() {\n" +
				"		s.stop.Store(true) // a Close that came before may have " +
				"set it before we cleared it\n	}\n	s.send()\n",
			New: "	if s.gate.isClosing() {\n		s.stop.Store(true)\n	}\n	s.send()\n	s.gate.away()\n"},
	)
	ends := explore.By("TestExploreCloseReturnsWhenEverythingHasEnded|TestExploreTheBatonComesBack",
		explore.Patch{Name: "F31: two take hostOpen", File: ending,
			Old: "!e.hostOpen.CompareAndSwap(true, false)", New: "e.hostOpen.Swap(false) && false"},
		explore.Patch{Name: "F31: hostOpen is set when drained is set already", File: end,
			Old: "	l.ends.hostOpen.Store(true)\n	if !onShadow {\n		err = l.ends.closeHost()\n	}\n" +
				"	l.ends.drained.Set()\n",
			New: "	l.ends.drained.Set()\n	l.ends.hostOpen.Store(true)\n	if !onShadow {\n" +
				"		err = l.ends.closeHost()\n	}\n"},
		explore.Patch{Name: "F31: the shadow unwinds what is the host's", File: end,
			Old: "	if !onShadow {\n", New: "	if true {\n"},
		explore.Patch{Name: "F31: unwound is set, and then the host's tasks are unwound", File: ending,
			Old: "	defer e.unwound.Set()\n", New: "	e.unwound.Set()\n"},
		explore.Patch{Name: "F31: a caller with the wrong thread lock takes hostOpen", File: ending,
			Old: "		return errMoved\n", New: "		e.hostOpen.Store(false)\n		return errMoved\n"},
		explore.Patch{Name: "F32: a caller that finds another one unwinding does not wait", File: ending,
			Old: "		e.unwound.Wait()\n", New: ""},
		explore.Patch{Name: "F32: a call of the frame goroutine does not wait for drained", File: ending,
			Old: "		e.drained.Wait()\n", New: ""},
		explore.Patch{Name: "F32: Close does not wait for done", File: end,
			Old: "		if !l.ends.done.WaitFor(t) {", New: "		if false {"},
	)
	explore.Programs(t, nil, slices.Concat(watch, baton, ends)...)
}
