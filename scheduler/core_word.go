package scheduler

import (
	"github.com/frameslice/frameslice/deadline"
)

// An item's word is one atomic uint64 that says where its current generation stands. Every goroutine reads the word.
// The rules for changing it are the heart of the protocol (see doc.go, S1 to S8):
//
//	 63          32 31 24 23  21 20  19  18  17  16  15  14  13  12  11 10  9  8  7  6 5    3 2     0
//	+--------------+-----+------+---+---+---+---+---+---+---+---+---+--+--+--+--+--+--+------+-------+
//	|  generation  |  0  | lane | J | D | O | U | G | M | V | S | A |L |P |R |C |N |I | end  | state |
//	+--------------+-----+------+---+---+---+---+---+---+---+---+---+--+--+--+--+--+--+------+-------+
//
// generation counts submissions. A generation of an item begins with its submission and ends once. A Handle, or a
// request that comes late, names the generation that it means. end: how the generation ended. I: the item is linked in
// the inbox. N: this generation's submission has not been drained. C: a cancel is requested, or has ended the
// generation and the frame goroutine must still unlink the item. R: the Awaitable of a coroutine has finished. P: a
// change of priority to lane is requested. L: the task has a stack to unwind. A: submit again when the run ends. S: the
// task can be stopped between steps. V: the submission travels in another item, an envelope. M: this generation is a
// member of a group. G: not a generation, but a request to a group. U: a microtask. O: the task has a cost of its own,
// or is an idle callback. D: a posted function has a delay, and its node has the instant at which the delay ends. J: in
// this generation the task was submitted again, into another group. A Cancel may have taken that submission back.
type word = uint64

const (
	stateMask  word = 7
	stateIdle  word = 0 // never submitted, or ended
	stateReady word = 1 // submitted, waiting for its turn or for its start
	stateRun   word = 2
	stateHeld  word = 3 // a coroutine that waits for something other than its turn

	endShift      = 3
	endMask  word = 7 << endShift

	flagInbox        word = 1 << 6
	flagNew          word = 1 << 7
	flagCancel       word = 1 << 8
	flagResume       word = 1 << 9
	flagPrio         word = 1 << 10
	flagLive         word = 1 << 11
	flagAgain        word = 1 << 12
	flagSteps        word = 1 << 13
	flagEnvelope     word = 1 << 14
	flagMember       word = 1 << 15
	flagGroupRequest word = 1 << 16
	flagMicro        word = 1 << 17
	flagOwnCost      word = 1 << 18
	flagDelay        word = 1 << 19
	flagJoins        word = 1 << 20

	laneShift      = 21
	laneBits       = 3
	laneMask  word = (1<<laneBits - 1) << laneShift

	generationShift      = 32
	generationOne   word = 1 << generationShift
	generationMask  word = (1<<32 - 1) << generationShift
)

// The lane bits number the priorities, and behind them the phases of a frame. Five priorities and three phases fill
// three bits. With one more of either the first constant does not compile: then raise laneBits, for which eight bits
// above them are free.
const (
	_ = uint(1<<laneBits - deadline.NumPriorities - numPhases)
	_ = uint(generationShift - laneShift - laneBits)
)

// How a generation ended.
const (
	endNone word = iota
	endDone
	endFailed
	endCanceled
	endClosed // cancelled by Scheduler.Close
)

func generationOf(w word) uint32 { return uint32(w >> generationShift) }

func ended(w word) word { return w & endMask >> endShift }

func lanePriority(w word) deadline.Priority {
	return deadline.Immediate - deadline.Priority(w&laneMask>>laneShift)
}

// cancel asks for the end of the given generation, and reports whether this call ends it. Any goroutine. end is
// endCanceled or endClosed.
//
// A generation without a stack ends here and now. The winner of the compare-and-swap takes the task away from the frame
// goroutine, which can no longer claim it (S3). The item must still be unlinked, and the function let go. The frame
// goroutine may be looking at both, so a message leaves that to the frame goroutine.
func (it *item) cancel(in *intake, generation uint32, end word) bool {
	for {
		w := it.word.Load()
		if generationOf(w) != generation {
			return false
		}
		switch w & stateMask {
		case stateIdle:
			return false

		case stateRun:
			if again := w&flagAgain != 0; !again && w&(flagCancel|flagSteps) != flagSteps {
				return false // a function runs to its end
			}
			next := w &^ flagAgain
			if w&flagSteps != 0 {
				next |= flagCancel // seen when the step ends
			}
			if it.word.CompareAndSwap(w, next) {
				return true
			}

		default:
			if w&flagCancel != 0 {
				return false
			}
			next := w&^flagAgain | flagCancel | flagInbox
			endsHere := w&flagLive == 0
			if endsHere {
				next &^= stateMask | endMask | flagPrio | flagNew | flagEnvelope | flagDelay
				next |= stateIdle | end<<endShift
			}
			if !it.word.CompareAndSwap(w, next) {
				continue
			}
			if endsHere {
				in.canceled.Add(1)
				if t := it.task; t != nil {
					t.closeDone(generation)
				}
			}
			if w&flagInbox == 0 {
				in.push(it)
			}
			return true
		}
	}
}

// setPriority asks for another priority, and reports whether the generation has not ended. Any goroutine.
func (it *item) setPriority(in *intake, generation uint32, p deadline.Priority) bool {
	for {
		w := it.word.Load()
		if generationOf(w) != generation || w&stateMask == stateIdle || w&laneMask >= phaseLane<<laneShift {
			return false // callbacks have no priority
		}
		next := w&^laneMask | flagPrio | flagInbox | word(p.Lane())<<laneShift
		if !it.word.CompareAndSwap(w, next) {
			continue
		}
		if w&flagInbox == 0 {
			in.push(it)
		}
		return true
	}
}

// resume says that the Awaitable of the generation has finished. Any goroutine; late and wrong calls are harmless.
func (it *item) resume(in *intake, generation uint32) {
	for {
		w := it.word.Load()
		if generationOf(w) != generation || w&stateMask != stateHeld {
			return
		}
		if !it.word.CompareAndSwap(w, w|flagResume|flagInbox) {
			continue
		}
		if w&flagInbox == 0 {
			in.push(it)
		}
		return
	}
}

// claim takes the item for a run, and reports false if its generation has ended, or if its submission has not been
// drained. Frame goroutine.
func (it *item) claim() bool {
	for {
		w := it.word.Load()
		if w&stateMask != stateReady || w&flagNew != 0 {
			return false
		}
		if it.word.CompareAndSwap(w, w&^stateMask|stateRun) {
			return true
		}
	}
}

// release ends a run without ending the generation: the item waits for its turn (stateReady) or for something else
// (stateHeld). It reports false, and changes nothing, if the generation is to end. Frame goroutine.
func (it *item) release(state word) bool {
	for {
		w := it.word.Load()
		if w&flagCancel != 0 {
			return false
		}
		if it.word.CompareAndSwap(w, w&^stateMask|state) {
			return true
		}
	}
}

// markEnded ends the generation in the word. It reports whether the task is to be submitted again: then the next
// generation has begun, and is the frame goroutine's to queue. Frame goroutine.
func (it *item) markEnded(end word) (again bool, last word) {
	for {
		w := it.word.Load()
		if w&flagAgain != 0 { // set after any Cancel of this generation: a later Cancel would have cleared it
			next := w&(generationMask|flagInbox) + generationOne | stateReady | it.task.shape()
			if it.word.CompareAndSwap(w, next) {
				return true, w
			}
			continue
		}
		// A request that is still in the inbox keeps its bit there; the drain finds nothing left to do.
		if it.word.CompareAndSwap(w, w&(generationMask|flagInbox)|end<<endShift) {
			return false, w
		}
	}
}

// endNew ends a generation whose submission nobody will read any more, because of Close. It reports whether this call
// ended the generation. Any goroutine. flagInbox stays: if the submission came in an envelope, the item's own link is
// still in use.
func (it *item) endNew(generation uint32) bool {
	for {
		w := it.word.Load()
		if generationOf(w) != generation || w&stateMask != stateReady || w&flagNew == 0 {
			return false
		}
		if it.word.CompareAndSwap(w, w&(generationMask|flagInbox)|stateIdle|endClosed<<endShift) {
			return true
		}
	}
}

// claimNew claims a new item, as for a run, for a caller that ends the generation afterwards. Meanwhile nobody else
// ends the generation or begins another.
func (it *item) claimNew(generation uint32) bool {
	for {
		w := it.word.Load()
		if generationOf(w) != generation || w&stateMask != stateReady || w&flagNew == 0 {
			return false
		}
		if it.word.CompareAndSwap(w, w&^(stateMask|flagNew)|stateRun) {
			return true
		}
	}
}

// forceState moves a generation that has not ended to another state, whatever is requested. Frame goroutine.
func (it *item) forceState(state word) {
	for {
		w := it.word.Load()
		if it.word.CompareAndSwap(w, w&^stateMask|state) {
			return
		}
	}
}

// doneChan is the channel of one generation.
type doneChan struct {
	generation uint32
	c          chan struct{}
}

// closeDone closes the channel of a generation that has ended. Any goroutine, any number of times.
//
// S37. Each channel of Done is closed. The goroutine that takes a channel out of done closes it, and its generation has
// ended then. The goroutine that ends a generation looks for its channel afterwards. The goroutine that puts a channel
// in looks afterwards whether the generation has ended. The later of the two looks finds the other's work. The next
// generation may begin before the end of this one has looked, so Done closes what it replaces. Done loads the channel
// before the word, so that it does not replace the channel of a later generation.
func (t *Task) closeDone(generation uint32) {
	if d := t.done.Load(); d != nil && d.generation == generation && t.done.CompareAndSwap(d, nil) {
		close(d.c)
	}
}

// shape returns the flags of the word that describe the functions, the group and the cost. send has copied these
// before.
func (t *Task) shape() word {
	var w word
	if t.Step != nil || t.Co != nil || t.Period > 0 {
		w = flagSteps
	}
	if t.sent.group.Load() != nil { // not t.Group: the task's own function may have written it since
		w |= flagMember
	}
	if t.sent.cost.Load() > 0 || t.sentWork() == workIdle {
		w |= flagOwnCost
	}
	return w
}

func stateOf(w word) State {
	switch w & stateMask {
	case stateReady:
		return Queued
	case stateRun:
		return Running
	case stateHeld:
		return Suspended
	}
	switch ended(w) {
	case endDone:
		return Done
	case endFailed:
		return Failed
	case endCanceled, endClosed:
		return Canceled
	}
	return Unsubmitted
}

// State returns where the task stands. Any goroutine.
func (t *Task) State() State { return stateOf(t.item.word.Load()) }

// work returns what kind of work the exported fields describe.
func (t *Task) work() work {
	switch {
	case t.Step != nil:
		return workStep
	case t.Co != nil:
		return workCo
	case t.Idle != nil:
		return workIdle
	case t.Period > 0:
		return workPeriodic
	}
	return workFunc
}

// sentWork returns the work that the last Submit has sent.
func (t *Task) sentWork() work { return work(t.sent.work.Load()) }
