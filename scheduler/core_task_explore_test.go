//go:build explore

package scheduler

import (
	"errors"
	"fmt"
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/explore"
)

// A doneCaller has what one goroutine got of Task.Done, and the generation in which it asked. The answer may be of a
// later generation.
type doneCaller struct {
	generations []uint32
	channels    []<-chan struct{}
}

func (c *doneCaller) ask(t *Task) {
	c.generations = append(c.generations, generationOf(t.item.word.Load()))
	c.channels = append(c.channels, t.Done())
}

// check returns an error if a channel of the present generation is closed, or, when all generations are over, if one is
// open.
func (c *doneCaller) check(present uint32, over bool) error {
	for i, d := range c.channels {
		if closed := isClosed(d); over && !closed {
			return errors.New("a channel is never closed")
		} else if closed && !over && c.generations[i] == present {
			return errors.New("a channel is closed before the end of its generation")
		}
	}
	return nil
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// A task is canceled, and submitted again as soon as it may be, while goroutines call Done (S37).
func TestExploreEachChannelOfDoneIsClosed(t *testing.T) {
	explore.Explore(t, 2, func(p *explore.Program) {
		s := still(p, nil)
		task := &Task{Func: func() {}}
		s.Submit(task)
		var callers [2]doneCaller
		p.Go("canceler", func() { task.Cancel() })
		p.Go("submitter", func() {
			for task.State() == Queued {
				task.item.word.Await()
			}
			s.Submit(task)
		})
		p.Go("caller0", func() {
			callers[0].ask(task)
			callers[0].ask(task)
		})
		p.Go("caller1", func() { callers[1].ask(task) })
		p.End(func() error {
			err := errors.Join(callers[0].check(2, false), callers[1].check(2, false))
			task.Cancel()
			return errors.Join(err, callers[0].check(2, true), callers[1].check(2, true))
		})
	})
}

// A task submits itself again in its first run, while goroutines call Done (S37).
func TestExploreEachChannelOfDoneIsClosedByRuns(t *testing.T) {
	explore.Explore(t, 2, func(p *explore.Program) {
		s := still(p, nil)
		task, runs := &Task{}, 0
		task.Func = func() {
			if runs++; runs == 1 {
				s.Submit(task)
			}
		}
		s.Submit(task)
		var callers [2]doneCaller
		p.Go("host", func() { s.RunUntil(deadline.Deadline{}) })
		p.Go("caller0", func() {
			callers[0].ask(task)
			callers[0].ask(task)
		})
		p.Go("caller1", func() { callers[1].ask(task) })
		p.End(func() error {
			if runs != 2 {
				return fmt.Errorf("%d runs", runs)
			}
			return errors.Join(callers[0].check(2, true), callers[1].check(2, true))
		})
	})
}
