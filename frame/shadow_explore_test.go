//go:build explore

package frame

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/atomic"
	"github.com/frameslice/frameslice/internal/explore"
	"github.com/frameslice/frameslice/internal/park"
	"github.com/frameslice/frameslice/workers"
)

// A stage is a Loop that only has the gate, the baton and its end. Its slices continue until they are stopped, as if
// the tasks were endless and the deadline far away, so a stop that is lost is a deadlock. For the shadow they
// began long ago, so Begin leaves no time to them.
type stage struct {
	*Loop
	p     *explore.Program
	state atomic.Uint32 // what runs and what has ended, as follows
	tasks func(slice int)

	slices int
	anyway bool // somebody closes the loop in the middle of a frame, which may unwind the tasks beside the own work
}

// A state counts what runs, and how often what has ended.
const (
	oneSlice   uint32 = 1
	oneTask    uint32 = 1 << 4 // the unwinding of a task of the slices
	oneHosts   uint32 = 1 << 8 // the unwinding of the host's tasks
	oneDrained uint32 = 1 << 16
	oneUnwound uint32 = 1 << 24

	allEnded = oneDrained + oneUnwound
)

func newStage(p *explore.Program) *stage {
	s := &stage{Loop: &Loop{o: Options{Pool: new(workers.Pool)}, endWait: func() {}}, p: p, tasks: func(int) {}}
	s.watch = newWatchdog(func(string) {}, nil)
	s.watch.calls.Store(false)
	s.ends = newEnding(&s.home, func() {
		s.state.Add(oneHosts)
		s.state.Add(oneUnwound - oneHosts)
	})
	stop := new(atomic.Bool)
	s.shadow = &shadow{gate: &s.gate, give: park.NewToken(), back: park.NewToken(), stop: stop, asks: stop.Load}
	s.shadow.timer = time.NewTimer(time.Hour)
	s.shadow.drain = func(_, _ deadline.Instant, stop func() bool) {
		s.state.Add(oneSlice)
		defer s.state.Add(^(oneSlice - 1))
		s.slices++
		for s.tasks(s.slices); !stop(); {
			explore.Yield()
		}
	}
	s.shadow.closeDrain = func() {
		s.state.Add(oneTask)
		s.state.Add(oneDrained - oneTask)
	}
	s.shadow.closeAll = func() error { return s.close(true) }
	p.Cleanup(func() { s.shadow.timer.Stop() })
	return s
}

// frames does so many frames: what Begin, Slice and End do with the gate and the baton, and the host's own work.
func (s *stage) frames(n int) {
	for range n {
		switch {
		case !s.gate.enterCall("Begin", 1<<gateBetween, false):
			s.ends.over()
		case s.gate.isClosing():
			s.takeBack()
			s.leaveOrClose(gateBetween)
		default:
			s.shadow.take()
			s.leaveOrClose(gateOpen)
		}
		switch now := s.state.Load(); {
		case now&(oneTask-1) != 0:
			s.p.Fail("a slice runs beside the own work: %x", now)
		case now&(oneDrained-1) != 0 && !s.anyway:
			s.p.Fail("the unwinding of a task runs beside the own work: %x", now)
		}
		switch {
		case !s.gate.enterCall("Slice", 1<<gateOpen, false):
			s.ends.over()
		case s.gate.isClosing():
			s.leaveOrClose(gateOpen)
		default:
			s.shadow.hand(1, 2, 0)
			s.leaveOrClose(gateSliced)
		}
		if s.gate.enterCall("End", 1<<gateOpen|1<<gateSliced, false) {
			s.leaveOrClose(gateBetween)
		} else {
			s.ends.over()
		}
		if now := s.state.Load(); now&(oneDrained-oneHosts) != 0 && !s.anyway {
			s.p.Fail("the unwinding of a task of the host's runs beside the host: %x", now)
		}
	}
}

// closes calls Close when the frames are over, and returns an error if something has not ended.
func (s *stage) closes() error {
	err := s.Close()
	now := s.state.Load()
	switch {
	case errors.Is(err, errMoved):
		if now>>16&0xff != 1 || now&0xff != 0 {
			return fmt.Errorf("Close has returned, and not all tasks are unwound: %x", now)
		}
	case err != nil || now != allEnded:
		return fmt.Errorf("Close has returned %v, and not everything has ended: %x", err, now)
	}
	return nil
}

func (s *stage) ended() error {
	if now := s.state.Load(); now != allEnded || !s.ends.isDone() {
		return fmt.Errorf("not everything has ended, or twice: %x", now)
	}
	return nil
}

// The host makes two frames, and then closes the loop or just goes away. Beside it somebody stops the loop, or closes
// it, or a task stops it, or the task of the first slice panics (F12, F13, F21 to F26).
func TestExploreTheBatonComesBack(t *testing.T) {
	for name, c := range map[string]struct {
		tasks       func(s *stage, slice int)
		other       func(s *stage)
		leaves      bool
		preemptions int
	}{
		"nobody": {preemptions: 3},
		"a stop": {other: func(s *stage) { s.Stop() }, preemptions: 2},
		"a close": {other: func(s *stage) {
			if err := s.Close(); err != nil {
				s.p.Fail("%v", err)
			}
		}, leaves: true, preemptions: 2},
		"a task stops": {tasks: func(s *stage, slice int) { s.Stop() }, preemptions: 3},
		"a task panics": {tasks: func(s *stage, slice int) {
			if slice == 1 {
				panic(s)
			}
		}, preemptions: 3},
	} {
		t.Run(name, func(t *testing.T) {
			explore.Explore(t, c.preemptions, func(p *explore.Program) {
				s := newStage(p)
				s.anyway = c.leaves
				if c.tasks != nil {
					s.tasks = func(slice int) { c.tasks(s, slice) }
				}
				p.Go("host", func() {
					s.frames(2)
					if c.leaves {
						return
					}
					if err := s.closes(); err != nil {
						p.Fail("%v", err)
					}
				})
				p.Go("shadow", s.shadow.run)
				if c.other != nil {
					p.Go("other", func() { c.other(s) })
				}
				p.End(func() error {
					if c.leaves { // the host's tasks are left to a later call
						if err := s.closes(); err != nil {
							return err
						}
					}
					return s.ended()
				})
			})
		})
	}
}
