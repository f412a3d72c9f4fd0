package scheduler

import (
	"fmt"
	"path"
	"runtime"
	"strings"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/fault"
)

// A Coroutine is what [Scheduler.Coroutines] says about one coroutine.
type Coroutine struct {
	Label    string            // of its task, or the name of its function
	Place    string            // file and line where it was submitted, or where its function begins: see Coroutines
	Priority deadline.Priority // the present one
	Why      string            // why it does not run now: see Task.Why
	Waited   time.Duration     // how long: since it suspended itself, or since its Sleep ended
	Asleep   bool              // it waits on purpose: by Sleep, or because its group is paused
}

// Coroutines fills dst with the coroutines that have begun and have not ended, in no order, and returns how many there
// are. dst may be too short for all of them. Coroutines takes 1 to 3 µs for each that it fills in. Frame
// goroutine, or a task; not while a slice runs on another goroutine.
//
// From the first call on, the scheduler notes where coroutines are submitted, in about 0.5 µs each. Of an earlier one
// Place is where its function begins. For a function literal that is nearly the same.
func (s *Scheduler) Coroutines(dst []Coroutine) (n int) {
	if !s.notesPlaces.Load() {
		s.notesPlaces.Store(true)
	}
	now := s.clock()
	for i, c := range s.live[:min(len(s.live), len(dst))] {
		it := c.it
		one := &dst[i]
		*one = Coroutine{
			Label:    sentName(it),
			Place:    it.task.sent.place(),
			Priority: it.node.Priority(),
			Why:      s.why(it),
		}
		if stateOf(it.word.Load()) == Running {
			continue
		}
		since := c.since
		switch it.where {
		case inLater, inParked:
			one.Asleep = true
		case inQueue, inOverdue, inPassed:
			start := s.q.Start(&it.node)
			since, one.Asleep = max(since, min(start, now)), start > now
			if one.Asleep {
				since = c.since
			}
		}
		if s.isStopped(it) {
			one.Asleep = true
		}
		one.Waited = max(now.Sub(since), 0)
	}
	return len(s.live)
}

// place returns the file, with its folder, and the line of the submission, or where the function begins. The wrapper of
// a method value begins nowhere.
func (t *sent) place() string {
	if n := t.label.Load(); n != nil && n.from[0] != 0 {
		here := fault.PackageOf(fault.NameOf((*sent).place))
		beside := path.Dir(here) + "/frame."
		for frames := runtime.CallersFrames(n.from[:]); ; {
			f, more := frames.Next()
			if !strings.HasPrefix(f.Function, here) && !strings.HasPrefix(f.Function, beside) {
				return fileAndLine(f.File, f.Line)
			}
			if !more {
				break
			}
		}
	}
	f := runtime.FuncForPC(t.code.Load())
	if f == nil {
		return ""
	}
	if file, line := f.FileLine(f.Entry()); !strings.HasPrefix(file, "<") {
		return fileAndLine(file, line)
	}
	return ""
}

func fileAndLine(file string, line int) string {
	return fmt.Sprintf("%s/%s:%d", path.Base(path.Dir(file)), path.Base(file), line)
}
