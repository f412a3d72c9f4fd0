package scheduler_test

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/explore"
	"github.com/frameslice/frameslice/scheduler"
)

// doneState: a task has three lives, which others begin as soon as the word allows it; one goroutine calls Done twice,
// and another once (S37). Each call may make a channel.
type doneState struct {
	life        int8
	busy, again bool
	asked       bool        // flagAgain has been set once
	done        int8        // Task.done
	of, closed  [4]int8     // of each channel: its life, and how often it was closed
	end         [3]doneTell // who ends each life
	c           [2]doneCall
}

type doneTell struct{ pc, d int8 }

type doneCall struct{ pc, n, old, life, d int8 }

// The steps of closeDone, behind those of who calls it.
const (
	doneLoad = 10 + iota
	doneTake
	doneClose
	doneOver
)

func (s *doneState) over(life int8) bool { return s.life > life || s.life == life && !s.busy }

func (s *doneState) closeDone(pc, d *int8, life int8, mutant string) bool {
	switch *pc {
	case doneLoad:
		*d, *pc = s.done, doneTake
		if s.done == 0 || s.of[s.done] != life {
			*pc = doneOver
		}
	case doneTake: // CompareAndSwap(d, nil)
		*pc = doneOver
		if s.done == *d || mutant == "taken by a store" {
			s.done, *pc = 0, doneClose
		}
	case doneClose:
		s.closed[*d]++
		*pc = doneOver
	default:
		return false
	}
	if *pc == doneOver {
		*d = 0
	}
	return true
}

func (s *doneState) call(i int8, mutant string) bool {
	const channel, word, put, replaced, again = 0, 1, 2, 3, 4
	c := &s.c[i]
	first, second := int8(channel), int8(word)
	if mutant == "the word before the channel" {
		first, second = word, channel
	}
	switch c.pc {
	case channel, word:
		if c.pc == channel {
			c.old = s.done
		} else if c.life = s.life; !s.busy {
			c.life = 0
		}
		if c.pc == first {
			c.pc = second
			break
		}
		c.d = 1 + 2*i + c.n
		switch c.pc = put; {
		case c.life == 0: // closedChan
			c.pc = doneOver
		case c.old != 0 && s.of[c.old] == c.life: // what somebody else has put in
			c.pc = doneOver
		}
	case put: // CompareAndSwap(old, d)
		if s.done != c.old {
			c.pc = first
			break
		}
		s.done, s.of[c.d] = c.d, c.life
		c.pc = again
		if c.old != 0 && mutant != "what is replaced stays open" {
			c.pc = replaced
		}
	case replaced:
		s.closed[c.old]++
		c.pc = again
	case again:
		c.pc = doneOver
		if s.over(c.life) && mutant != "no second look" {
			c.pc = doneLoad
		}
	case doneOver:
		if c.n == 1 || i == 1 {
			if *c == (doneCall{n: c.n, pc: doneOver}) {
				return false
			}
			*c = doneCall{n: c.n, pc: doneOver}
			break
		}
		*c = doneCall{n: 1, pc: first}
	default:
		return s.closeDone(&c.pc, &c.d, c.life, mutant)
	}
	return true
}

func doneModel(mutant string) explore.Model[doneState] {
	threads := []explore.Thread[doneState]{
		{Name: "submit", Step: func(s *doneState) bool {
			if s.busy || s.life == 3 {
				return false
			}
			s.life, s.busy = s.life+1, true
			return true
		}},
		{Name: "again", Step: func(s *doneState) bool { // Submit within the first or the second run
			if !s.busy || s.asked || s.life == 3 {
				return false
			}
			s.again, s.asked = true, true
			return true
		}},
	}
	for i := range int8(3) {
		name := fmt.Sprint("end", i+1)
		threads = append(threads, explore.Thread[doneState]{Name: name, Step: func(s *doneState) bool {
			e := &s.end[i]
			if e.pc != 0 {
				return s.closeDone(&e.pc, &e.d, i+1, mutant)
			}
			if s.life != i+1 || !s.busy {
				return false
			}
			s.busy = s.again
			if s.again {
				s.life, s.again = s.life+1, false
			}
			e.pc = doneLoad
			return true
		}})
	}
	for i := range int8(2) {
		name := fmt.Sprint("caller", i)
		threads = append(threads, explore.Thread[doneState]{Name: name, Step: func(s *doneState) bool {
			return s.call(i, mutant)
		}})
	}
	init := doneState{}
	if mutant == "the word before the channel" {
		init.c[0].pc, init.c[1].pc = 1, 1
	}
	return explore.Model[doneState]{
		Init:    init,
		Threads: threads,
		Invariant: func(s doneState) error {
			for d, n := range s.closed {
				if n > 1 || n > 0 && !s.over(s.of[d]) {
					return errors.New("a channel is closed twice, or before the end of its life")
				}
			}
			return nil
		},
		Final: func(s doneState) error {
			for d, life := range s.of {
				if life != 0 && s.closed[d] == 0 {
					return fmt.Errorf("the channel of life %d is never closed", life)
				}
			}
			return nil
		},
	}
}

func TestS37_EachChannelOfDoneIsClosed(t *testing.T) {
	if testing.Short() {
		t.Skip("a large model, and the same everywhere")
	}
	try(t, doneModel, "what is replaced stays open", "the word before the channel", "no second look",
		"taken by a store")
}

// Who ended the life has yet to close its channel, and the next one has a channel already.
func TestDoneOfTheNextLifeComesFirst(t *testing.T) {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	task := &scheduler.Task{Func: func() {}}
	s.Submit(task)
	first := task.Done()
	tell := scheduler.EndLate(task)
	s.Submit(task)
	second := task.Done()
	tell()
	if !isDone(first) || isDone(second) {
		t.Errorf("of the life that has ended: %v, of the one that waits: %v", isDone(first), isDone(second))
	}
	s.RunUntil(deadline.Deadline{})
	if !isDone(second) {
		t.Error("the channel of the second life is open after its end")
	}
}

func TestStressDoneOfManyLives(t *testing.T) {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	lives := 20_000
	if testing.Short() {
		lives = 2_000
	}
	left := lives
	task := &scheduler.Task{}
	task.Func = func() {
		if left--; left > 0 {
			s.Submit(task)
		}
	}
	s.Submit(task)
	var wg sync.WaitGroup
	var channels [4][]<-chan struct{}
	for i := range channels {
		wg.Go(func() {
			for task.State() != scheduler.Done {
				if n := len(channels[i]); n == 0 || isDone(channels[i][n-1]) {
					channels[i] = append(channels[i], task.Done())
				} else {
					task.Done()
				}
				runtime.Gosched()
			}
		})
	}
	for task.State() != scheduler.Done {
		s.RunUntil(deadline.Deadline{})
	}
	wg.Wait()
	for _, all := range channels {
		for n, c := range all {
			if !isDone(c) {
				t.Fatalf("channel %d of %d is never closed", n, len(all))
			}
		}
	}
}
