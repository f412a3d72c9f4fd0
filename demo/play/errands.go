package play

import (
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// Errands is the work that only the frame goroutine can do: pixels that go to the graphics card piece by piece, and
// the further tasks of -tasks. With a slice they are tasks, and stop when the slice ends. Without a slice they are
// done at once, as in a careful game without a scheduler. A frame then moves at most frameBytes, so a burst of images
// is no burst for the frame.
type Errands struct {
	upload  func(maxBytes int) int // moves one piece, returns its bytes, 0 for nothing to move
	rate    int                    // of further tasks, per second
	due     float64
	waiting int // of them
	Ran     uint64

	sched   *scheduler.Scheduler // nil without a slice
	carry   scheduler.Task       // the uploads, a piece per step
	queued  bool                 // carry is in the scheduler
	oneTask func()
}

const (
	pieceBytes = 64 << 10               // a terrain chunk: where all frames are late, the slice may move one in a frame
	frameBytes = 256 << 10              // of a frame without a slice: four chunks
	taskCost   = 500 * time.Microsecond // of a further task
	maxWaiting = 2000                   // further tasks that wait; beyond it none are added
)

// NewErrands returns errands with rate further tasks a second, whose pixels are moved by upload, piece by piece.
func NewErrands(upload func(maxBytes int) int, rate int) *Errands {
	e := &Errands{upload: upload, rate: rate}
	e.carry = scheduler.Task{Label: "upload", Priority: deadline.UserBlocking, Step: func() bool {
		if e.upload(pieceBytes) > 0 {
			return true
		}
		e.queued = false
		return false
	}}
	e.oneTask = func() {
		spin(taskCost)
		e.waiting--
		e.Ran++
	}
	return e
}

// Direct sends what follows through s; nil means at once. Tasks in the scheduler of before have ended with it.
func (e *Errands) Direct(s *scheduler.Scheduler) {
	e.sched, e.queued, e.waiting = s, false, 0
}

// Frame hands over the errands of a frame that is dt seconds after the last one.
func (e *Errands) Frame(dt float64, uploads int) {
	e.due = min(e.due+dt*float64(e.rate), maxWaiting)
	for ; e.due >= 1; e.due-- {
		switch {
		case e.sched == nil:
			e.waiting++
			e.oneTask()
		case e.waiting < maxWaiting:
			e.waiting++
			e.sched.Post(deadline.Low, e.oneTask)
		}
	}
	if e.sched == nil {
		for left := frameBytes; left > 0; {
			n := e.upload(min(left, pieceBytes))
			if n <= 0 {
				break
			}
			left -= n
		}
		return
	}
	if uploads > 0 && !e.queued {
		e.queued = true
		e.sched.Submit(&e.carry)
	}
}

// spin computes for d on the clock.
func spin(d time.Duration) {
	for end := deadline.Now().Add(d); deadline.Now() < end; {
	}
}
