package scheduler_test

import (
	"slices"
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

func TestProtocol(t *testing.T) {
	const inbox, arena, word, submit = "inbox.go", "core_arena.go", "core_word.go", "core_submit.go"
	const task, pace, member, await = "core_task.go", "group_clock.go", "group_member.go", "co_await.go"
	small := []explore.Patch{{File: "tuning.go", Old: "bundleSize = 256", New: "bundleSize = 2"}}
	core := explore.By(`TestExplore(CloseEnds|WhatIs|EachGeneration|OfSubmit|TheInbox|NoItem)\w*`,
		explore.Patch{Name: "S2: nobody is woken", File: inbox,
			Old: "old == nil && in.wake != nil", New: "false"},
		explore.Patch{Name: "S2: the host is woken before the push", File: inbox,
			Old: "		it.next = old\n		if !in.inbox.newest.CompareAndSwap(old, it) {\n" +
				"			continue\n		}\n" +
				"		if old",
			New: "		if it.next = old; old == nil && in.wake != nil {\n			in.wake()\n		}\n" +
				"		if !in.inbox.newest.CompareAndSwap(old, it) {\n" +
				"			continue\n		}\n		if false && old"},
		explore.Patch{Name: "S4: a push between the load and the store is lost", File: inbox,
			Old: "		return b.newest.Swap(nil)\n",
			New: "		list := b.newest.Load()\n		b.newest.Store(nil)\n		return list\n"},
		explore.Patch{Name: "S4: the newest message is read first", File: "core_inbox.go",
			Old: "turned(s.inbox.take())", New: "s.inbox.take()"},
		explore.Patch{Name: "S4: the list is taken before the bundles", File: inbox,
			Old: "	if b.first == len(b.bundles) {\n		return b.newest.Swap(nil)\n",
			New: "	if l := b.newest.Swap(nil); l != nil || b.first == len(b.bundles) {\n		return l\n"},
		explore.Patch{Name: "S4: a bundle is counted after it has left the list", File: inbox,
			Old: "	b.bundled.Add(1)\n	if list := b.newest.Swap(nil); list != nil {\n",
			New: "	if list := b.newest.Swap(nil); list != nil {\n		defer b.bundled.Add(1)\n"},
		explore.Patch{Name: "S2: a look at the inbox begins with the bundles", File: inbox,
			Old: "b.newest.Load() == nil && b.bundled.Load() == 0",
			New: "b.bundled.Load() == 0 && b.newest.Load() == nil"},
		explore.Patch{Name: "S4: two goroutines make a bundle at once", File: inbox,
			Old: "	if !b.TryLock() {\n		return\n	}\n	defer b.Unlock()\n", New: ""},
		explore.Patch{Name: "S7: an item of the arena is taken in two steps", File: arena,
			Old: "v != 0 && b.free.CompareAndSwap(v, v&(v-1)) {",
			New: "v != 0 {\n			b.free.Store(v & (v - 1))"},
		explore.Patch{Name: "S7: an item of the arena is taken in two steps by a goroutine that searches", File: arena,
			Old: "		if b.free.CompareAndSwap(v, v&(v-1)) {\n			a.point",
			New: "		if b.free.Store(v & (v - 1)); true {\n			a.point"},
		explore.Patch{Name: "S5: a generation is not counted", File: "core_submit.go",
			Old: "generation := generationOf(it.word.Load()) + 1\n",
			New: "generation := max(generationOf(it.word.Load()), 1)\n"},
		explore.Patch{Name: "S6: a Cancel lets go of the function", File: word,
			Old: "				in.canceled.Add(1)\n",
			New: "				in.canceled.Add(1)\n				it.fn = nil\n", Race: true},
		explore.Patch{Name: "S1: a Cancel pushes what is linked", File: word,
			Old: "			if w&flagInbox == 0 {\n				in.push(it)\n			}\n" +
				"			return true\n		}\n	}\n}\n\n" +
				"// setPriority",
			New: "			in.push(it)\n			return true\n		}\n	}\n}\n\n// setPriority"},
		explore.Patch{Name: "S1: a change of priority pushes what is linked", File: word,
			Old: "		if w&flagInbox == 0 {\n			in.push(it)\n		}\n		return true\n" +
				"	}\n}\n\n" +
				"// resume",
			New: "		in.push(it)\n		return true\n	}\n}\n\n// resume"},
		explore.Patch{Name: "S3: a run claims what was canceled", File: word,
			Old: "		if w&stateMask != stateReady || w&flagNew != 0 {\n			return false\n		}\n" +
				"		if it.word.CompareAndSwap(w, w&^stateMask|stateRun) {",
			New: "		if w&stateMask != stateReady || w&flagNew != 0 {\n			return false\n		}\n" +
				"		if it.word.Store(w&^stateMask | stateRun); true {"},
		explore.Patch{Name: "S3: a Cancel leaves the submission", File: word,
			Old: "next := w &^ flagAgain\n", New: "next := w\n"},
		explore.Patch{Name: "S3: a submission after a Cancel does not count", File: word,
			Old: "if w&flagAgain != 0 { // set", New: "if false { // set"},
		explore.Patch{Name: "S3: a Cancel says that it took back what it did not", File: word,
			Old: "if again := w&flagAgain != 0; !again && w",
			New: "if again := w&flagAgain != 0; !again && false && w"},
		explore.Patch{Name: "S8: a push does not look whether the scheduler is closed", File: inbox,
			Old: "if in.closed.Load() {", New: "if false {"},
		explore.Patch{Name: "S8: Close does not sweep the inbox once more", File: "core_close.go",
			Old: "	s.sweepInbox(s.watch)\n", New: ""},
		explore.Patch{Name: "S39: Close does not let go of the function", File: "core_close.go",
			Old: "		it.fn = nil\n", New: ""},
		explore.Patch{Name: "S39: Close ends a generation before it has let go of the function", File: "core_close.go",
			Old: "		it.fn = nil\n		it.markEnded(endClosed)\n",
			New: "		it.markEnded(endClosed)\n		it.fn = nil\n", Race: true},
		explore.Patch{Name: "S39: Close reports a function before it has claimed it", File: "core_close.go",
			Old: "	claimed := it.task == nil && it.claim()\n	if it.task == nil || it.task.id != 0 {",
			New: "	s.note(Canceled, it)\n	claimed := it.task == nil && it.claim()\n" +
				"	if it.task == nil && it.task != nil {",
			Race: true},
		explore.Patch{Name: "S8: who sweeps lets go of the item, and then of the function", File: "core_inbox.go",
			Old: "		if w&stateMask == stateIdle {\n			it.fn = nil\n		}\n" +
				"		if it.word.CompareAndSwap(w, w&^flagInbox) {\n",
			New: "		if it.word.CompareAndSwap(w, w&^flagInbox) {\n			it.fn = nil\n", Race: true},
		explore.Patch{Name: "S39: whatever is swept is let go of", File: "core_inbox.go",
			Old: "		if w&stateMask == stateIdle {\n			it.fn = nil\n		}\n		if",
			New: "		it.fn = nil\n		if", Race: true},
		explore.Patch{Name: "S3: a submission after the Cancel of a step does not count", File: word,
			Old: "if w&flagAgain != 0 { // set", New: "if w&flagAgain != 0 && w&flagCancel == 0 { // set"},
		explore.Patch{Name: "S3: a step is canceled once, whatever is submitted then", File: word,
			Old: "if again := w&flagAgain != 0; !again && w&(",
			New: "if again := w&flagAgain != 0 && w&flagSteps == 0; !again && w&("},
		explore.Patch{Name: "S39: Close ends a generation before it reports that", File: "core_close.go",
			Old: "	if it.task == nil || it.task.id != 0 { // otherwise its end",
			New: "	if claimed {\n		it.markEnded(endClosed)\n	}\n" +
				"	if it.task == nil || it.task.id != 0 { // otherwise its end",
			Race: true},
		explore.Patch{Name: "S39: Close looks at a function that another goroutine canceled", File: "trace_event.go",
			Old: "word&stateMask != stateIdle || !w.closed.Load()", New: "word != 0", Race: true},
		explore.Patch{Name: "S5: the end of a function's run does not see who has linked its item", File: "core_end.go",
			Old: "	if !it.word.CompareAndSwap(w, w&(generationMask|flagInbox)|endDone<<endShift) {\n" +
				"		_, w = it.markEnded(endDone)\n	}\n",
			New: "	it.word.Store(w&(generationMask|flagInbox) | endDone<<endShift)\n"},
		explore.Patch{Name: "S5: a function that has run gives back an item that is linked", File: "core_end.go",
			Old: "	if w&flagInbox == 0 {\n		s.arena.put(it)\n	}\n}\n\n// failures",
			New: "	s.arena.put(it)\n}\n\n// failures"},
	)
	ends := explore.By("TestExploreEachChannelOfDoneIsClosed|TestExploreEachChannelOfDoneIsClosedByRuns",
		explore.Patch{Name: "S37: what Done replaces stays open", File: task,
			Old: "		if old != nil {\n			close(old.c)",
			New: "		if false {\n			close(old.c)"},
		explore.Patch{Name: "S37: Done loads the word before the channel", File: task,
			Old: "		old := t.done.Load() // loaded before the word, so the word is of the same generation " +
				"or of a later one\n" +
				"		w := t.item.word.Load()\n",
			New: "		w := t.item.word.Load()\n		old := t.done.Load()\n"},
		explore.Patch{Name: "S37: Done does not look at the word again", File: task,
			Old: "generationOf(w) != generation || w&stateMask == stateIdle {\n			t.closeDone(generation)",
			New: "false && w == 0 {\n			t.closeDone(generation)"},
		explore.Patch{Name: "S37: Done puts a channel in by a store", File: task,
			Old: "		if !t.done.CompareAndSwap(old, d) {\n			continue\n		}\n",
			New: "		t.done.Store(d)\n"},
		explore.Patch{Name: "S37: an end takes a channel out by a store", File: word,
			Old: "d.generation == generation && t.done.CompareAndSwap(d, nil) {\n",
			New: "d.generation == generation {\n		t.done.Store(nil)\n"},
		explore.Patch{Name: "S37: an end closes the channel of any generation", File: word,
			Old: "d != nil && d.generation == generation && t", New: "d != nil && t"},
	)
	envelopes := explore.By("TestExploreAnEnvelopeCarriesOneSubmission",
		explore.Patch{Name: "S4: what is submitted while its link is in the inbox has no envelope", File: submit,
			Old: "			if w&flagInbox != 0 {\n				next |= flagEnvelope\n			}\n" +
				"			if !it.word.CompareAndSwap(w, next) {\n				continue\n			}\n" +
				"			if w&flagInbox != 0 {\n" +
				"				s.pushInEnvelope(t, generationOf(next))\n			} else {\n",
			New: "			if !it.word.CompareAndSwap(w, next) {\n				continue\n			}\n" +
				"			if w&flagInbox == 0 {\n"},
		explore.Patch{Name: "S4: what has an envelope is read with the older message", File: submit,
			Old: "next |= flagEnvelope", New: "next |= 0"},
		explore.Patch{Name: "S6: an envelope is of any generation", File: "core_inbox.go",
			Old: "if generationOf(w) != generation || w&stateMask != stateReady || w&flagEnvelope == 0 {",
			New: "if w&stateMask != stateReady || w&flagEnvelope == 0 {"},
		explore.Patch{Name: "S6: an envelope leaves the generation before in its list", File: "core_inbox.go",
			Old: "		if it.where != nowhere {\n			s.forget(it, w)\n		}\n", New: ""},
	)
	clocks := explore.By("TestExploreAReaderFindsOneClock",
		explore.Patch{Name: "S47: a reader does not look at the version again", File: pace,
			Old: "version&1 == 0 && v.version.Load() == version", New: "version&1 == 0"},
		explore.Patch{Name: "S47: a reader takes an odd version", File: pace,
			Old: "version&1 == 0 && v.version.Load() == version", New: "v.version.Load() == version"},
		explore.Patch{Name: "S47: a change begins without a step of the version", File: pace,
			Old: "	v.version.Add(1)\n	v.at.Store(int64(c.at))\n", New: "	v.at.Store(int64(c.at))\n"},
		explore.Patch{Name: "S47: a change ends without a step of the version", File: pace,
			Old: "	v.rate.Store(math.Float64bits(c.rate))\n	v.version.Add(1)\n",
			New: "	v.rate.Store(math.Float64bits(c.rate))\n"},
		explore.Patch{Name: "S47: the first value is written before the version is odd", File: pace,
			Old: "	v.version.Add(1)\n	v.at.Store(int64(c.at))\n",
			New: "	v.at.Store(int64(c.at))\n	v.version.Add(1)\n"},
		explore.Patch{Name: "S47: the last value is written when the version is even", File: pace,
			Old: "	v.rate.Store(math.Float64bits(c.rate))\n	v.version.Add(1)\n",
			New: "	v.version.Add(1)\n	v.rate.Store(math.Float64bits(c.rate))\n"},
	)
	joins := explore.By("TestExploreAGroupWaitsForWhoIsToJoin",
		explore.Patch{Name: "S41: a Submit into another group sends no request", File: submit,
			Old: "if joins {\n					s.sendGroup", New: "if false {\n					s.sendGroup"},
		explore.Patch{Name: "S41: a Submit into another group sends its request first", File: submit,
			Old: "				t.send(s)\n				if !it.word.CompareAndSwap(w, next) {\n" +
				"					continue\n				}\n				if joins {\n" +
				"					s.sendGroupRequest(it, requestExpect, generationOf(w), nil)\n				}\n",
			New: "				if joins {\n" +
				"					s.sendGroupRequest(it, requestExpect, generationOf(w), nil)\n" +
				"				}\n" +
				"				t.send(s)\n				if !it.word.CompareAndSwap(w, next) {\n" +
				"					continue\n				}\n"},
		explore.Patch{Name: "S41: who is to join is expected in any generation", File: member,
			Old: "generationOf(w) == generation && w&stateMask != stateIdle {", New: "w != 0 {"},
		explore.Patch{Name: "S41: who is to join is expected only while it is submitted again", File: member,
			Old: "generationOf(w) == generation && w&stateMask != stateIdle {",
			New: "generationOf(w) == generation && w&stateMask != stateIdle && w&flagAgain != 0 {"},
		explore.Patch{Name: "S41: a Cancel takes J back", File: word,
			Old: "next := w &^ flagAgain\n", New: "next := w &^ (flagAgain | flagJoins)\n"},
		explore.Patch{Name: "S21: the functions that wait for the end are called at once", File: member,
			Old: "		g.sendRequest(requestNotify, 0, f)\n", New: "		f()\n"},
	)
	waits := explore.By("TestExploreAWaitEndsByItsOwnNotice|TestExploreAWaitEndsOnceWhoeverEndsIt",
		explore.Patch{Name: "S9: the waker is parked before its coroutine is held", File: await,
			Old: "	c.release(stateHeld)\n	it.where = inAwait\n	s.waiting++\n" +
				"	if !w.state.CompareAndSwap(wakerArmed, wakerParked) {",
			New: "	parked := w.state.CompareAndSwap(wakerArmed, wakerParked)\n" +
				"	c.release(stateHeld)\n	it.where = inAwait\n	s.waiting++\n	if !parked {"},
		explore.Patch{Name: "S9: the waker is parked by a store", File: await,
			Old: "if !w.state.CompareAndSwap(wakerArmed, wakerParked) {",
			New: "if w.state.Store(wakerParked); false {"},
		explore.Patch{Name: "S9: a notice fires in two steps", File: await,
			Old: "	if w.state.Swap(wakerFired) == wakerParked {",
			New: "	old := w.state.Load()\n	if w.state.Store(wakerFired); old == wakerParked {"},
		explore.Patch{Name: "S9: a waker is used again, whatever its state", File: await,
			Old: "if w == nil || w.state.Load() != wakerIdle {", New: "if w == nil {"},
		explore.Patch{Name: "S9: a waker is used again after a cancellation", File: "co_coroutine.go",
			Old: "w.state.Load() != wakerIdle && w.state.Swap(wakerDead) != wakerFired {\n		c.waker = nil\n",
			New: "w.state.Swap(wakerIdle) == wakerDead {\n		c.waker = nil\n"},
		explore.Patch{Name: "S6: a notice resumes whoever waits", File: word,
			Old: "if generationOf(w) != generation || w&stateMask != stateHeld {",
			New: "if w&stateMask != stateHeld {"},
		explore.Patch{Name: "S18: a timeout ends a wait that has ended", File: await,
			Old: "if w.state.CompareAndSwap(wakerParked, wakerDead) {",
			New: "if w.state.Store(wakerDead); true {"},
		explore.Patch{Name: "S18: a waker is used again after a timeout", File: await,
			Old: "		return false // dropWaker has taken the waker away: it had not fired\n",
			New: "		c.waker = w\n		w.state.Store(wakerIdle)\n		return false\n"},
	)
	explore.Programs(t, small, slices.Concat(core, ends, envelopes, clocks, joins, waits)...)
}
