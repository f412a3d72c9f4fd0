package scheduler

import (
	"fmt"
	"path"
	"runtime"
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// A Coroutine is what [Scheduler.Coroutines] tells of one coroutine.
type Coroutine struct {
	Label    string            // of its task, or the name of its function
	Place    string            // file and line where its function begins: of a function literal the place of Go
	Priority deadline.Priority // the present one
	Why      string            // why it does not run now: see Task.Why
	Waited   time.Duration     // how long: since it suspended itself, or since its Sleep ended
	Asleep   bool              // it waits on purpose: by Sleep, or because its group is paused
}

// Coroutines fills dst with the coroutines that have begun and have not ended, in no order, and returns how many there
// are. dst may be too short for all of them. Coroutines takes 1 to 3 µs for each that it fills in. Frame
// goroutine, or a task; not while a slice runs on another goroutine.
func (s *Scheduler) Coroutines(dst []Coroutine) (n int) {
	now := s.clock()
	for i, c := range s.live[:min(len(s.live), len(dst))] {
		it := c.it
		one := &dst[i]
		*one = Coroutine{
			Label:    sentName(it),
			Place:    placeOf(it.task.sent.code.Load()),
			Priority: s.priorityOf(it),
			Why:      s.why(it),
		}
		if stateOf(it.word.Load()) == Running {
			continue
		}
		since := c.since
		switch it.where {
		case inLater, inParked:
			one.Asleep = true
		case inQueue, inLate, inPassed:
			start := s.q.Start(&it.node)
			since, one.Asleep = max(since, min(start, now)), start > now
			if one.Asleep {
				since = c.since
			}
		}
		if m := s.memberOf(it); m != nil && m.g != nil && m.g.stopped() != nil {
			one.Asleep = true
		}
		one.Waited = max(now.Sub(since), 0)
	}
	return len(s.live)
}

// placeOf returns the file, with its folder, and the line where the function with that code begins.
func placeOf(code uintptr) string {
	f := runtime.FuncForPC(code)
	if f == nil {
		return ""
	}
	file, line := f.FileLine(code)
	return fmt.Sprintf("%s/%s:%d", path.Base(path.Dir(file)), path.Base(file), line)
}
