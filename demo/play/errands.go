package play

import (
	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// Errands is the work that only the frame goroutine can do: pixels that go to the graphics card piece by
// piece. With a slice they are a task, which stops when the slice ends. Without a slice they are done at once, as in a
// careful game without a scheduler. A frame then moves at most frameBytes, so a burst of images is no burst for the
// frame.
type Errands struct {
	upload func(maxBytes int) int // moves one piece, returns its bytes, 0 for nothing to move
	sched  *scheduler.Scheduler   // nil without a slice
	carry  scheduler.Task         // the uploads, a piece per step
	queued bool                   // carry is in the scheduler
}

const (
	pieceBytes = 64 << 10  // a terrain chunk: where all frames are late, the slice may move one in a frame
	frameBytes = 256 << 10 // of a frame without a slice: four chunks
)

// NewErrands returns errands whose pixels are moved by upload, piece by piece.
func NewErrands(upload func(maxBytes int) int) *Errands {
	e := &Errands{upload: upload}
	e.carry = scheduler.Task{Label: "upload", Priority: deadline.UserBlocking, Step: func() bool {
		if e.upload(pieceBytes) > 0 {
			return true
		}
		e.queued = false
		return false
	}}
	return e
}

// Direct sends what follows through s; nil means at once. Tasks in the scheduler of before have ended with it.
func (e *Errands) Direct(s *scheduler.Scheduler) {
	e.sched, e.queued = s, false
}

// Frame hands over the uploads that wait in a frame.
func (e *Errands) Frame(uploads int) {
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
