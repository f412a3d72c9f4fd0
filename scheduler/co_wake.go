package scheduler

import (
	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/dice"
)

// waits is the part of a Scheduler that knows the coroutines that wait for a frame, a drawing, a task or an Awaitable,
// and makes them ready. It stands on pacing, where a coroutine that is ready waits for its turn. The frame goroutine's.
type waits struct {
	pacing             // see group_clock.go
	drawing            // see phase_draw.go
	frames  round      // coroutines that wait for BeginFrame
	waiting int        // coroutines in Wait or Await
	dice    *dice.Dice // nil without a seed
}

// wakeUp makes a waiting coroutine ready.
func (ws *waits) wakeUp(it *item, now deadline.Instant) {
	ws.unlink(it)
	it.forceState(stateReady)
	ws.resubmit(it, now, 0)
}

// nextToWake returns which of the coroutines from first to the one before limit wakes next: the first, but any of them
// in a test with a seed.
func (ws *waits) nextToWake(first, limit *item) *item {
	if ws.dice == nil || first == limit || first.fore == limit {
		return first
	}
	n := 0
	for it := first; it != limit; it = it.fore {
		n++
	}
	it := first
	for range ws.dice.Wake(n) {
		it = it.fore
	}
	if it != first {
		ws.dice.NoteWake(ws.kinds.of(it).Short())
	}
	return it
}

// releaseWaiters wakes the coroutines that wait for t.
func (ws *waits) releaseWaiters(t *Task, err error) {
	for it := ws.nextToWake(t.waiters.head, nil); it != nil; it = ws.nextToWake(t.waiters.head, nil) {
		c := it.task.c
		c.waitErr = err
		ws.wakeUp(it, ws.now)
	}
}

// lift gives t at least the priority p of a coroutine that waits for t. It continues with the task that t waits for,
// and so on. A circle of waits ends, because nothing is lifted twice. A lift is never undone: t may have other waiters,
// and ends soon.
func (ws *waits) lift(t *Task, p deadline.Priority) {
	for t != nil {
		it := &t.item
		w := it.word.Load()
		switch {
		case w&stateMask == stateIdle || it.fatal:
			return
		case w&flagNew != 0: // it has not been read from the inbox yet
			if lanePriority(w) < p {
				it.setPriority(&t.s.Load().intake, generationOf(w), p)
			}
			return
		case it.node.Priority() >= p || ws.soonEnough(it, p):
			return
		}
		ws.moveTo(it, p, ws.now)
		t = nil
		if it.where == inWait {
			t = it.task.c.waitsFor
		}
	}
}

func (ws *waits) releaseFrames(now deadline.Instant) {
	for it := ws.nextToWake(ws.frames.head, nil); it != nil; it = ws.nextToWake(ws.frames.head, nil) {
		ws.wakeUp(it, now)
	}
}

// reprioritise gives another priority to an item that waits, and lifts the task that the item waits for.
func (ws *waits) reprioritise(it *item, p deadline.Priority, now deadline.Instant) {
	ws.moveTo(it, p, now)
	if it.where == inWait {
		ws.lift(it.task.c.waitsFor, p)
	}
}

// takeWait takes a coroutine out that waits for a task.
func (ws *waits) takeWait(it *item) {
	it.task.c.waitsFor.waiters.remove(it)
	it.task.c.waitsFor = nil
	ws.waiting--
}

// takeAwait ends the wait of a coroutine for an Awaitable.
func (ws *waits) takeAwait(it *item) {
	it.task.c.dropWaker()
	ws.waiting--
}
