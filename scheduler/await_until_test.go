package scheduler_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/explore"
	"github.com/frameslice/frameslice/scheduler"
)

func TestAwaitWithAnEnd(t *testing.T) {
	boom := errors.New("boom")
	ways := map[string]func(co *scheduler.Co, a scheduler.Awaitable[int]) (int, error){
		"timeout": func(co *scheduler.Co, a scheduler.Awaitable[int]) (int, error) {
			return scheduler.AwaitTimeout(co, a, 5*ms)
		},
		"context": func(co *scheduler.Co, a scheduler.Awaitable[int]) (int, error) {
			ctx, cancel := context.WithTimeoutCause(context.Background(), 5*ms, boom)
			defer cancel()
			return scheduler.AwaitContext(ctx, co, a)
		},
	}
	for name, await := range ways {
		t.Run(name, func(t *testing.T) {
			inWorld(t, scheduler.Options{}, func(w *world) {
				var l log
				late, soon, there := &future{}, &future{}, &future{done: true, value: 3}
				w.s.Go(deadline.Normal, func(co *scheduler.Co) {
					for range 3 { // the same coroutine, so that nothing is left of a wait that ended
						v, err := await(co, late)
						if v != 0 || !errors.Is(err, scheduler.ErrTimeout) && !errors.Is(err, boom) {
							t.Errorf("late: %d, %v", v, err)
						}
						l.add("late")()
						notice := late.f[len(late.f)-1]
						notice() // it comes now, and again
						go notice()
						v, err = await(co, soon)
						if v != 7 || err != nil {
							t.Errorf("soon: %d, %v", v, err)
						}
						l.add("soon")()
						soon.done = false
						v, err = await(co, there)
						if v != 3 || err != nil {
							t.Errorf("there: %d, %v", v, err)
						}
					}
				})
				w.drain()
				for range 3 {
					time.Sleep(5*ms + 10*time.Microsecond)
					w.drain()
					time.Sleep(4 * ms)
					go soon.finish(7, nil)
					time.Sleep(10 * time.Microsecond)
					w.drain()
				}
				l.want(t, "late soon late soon late soon")
				if st := w.s.Stats(); st.Waiting != 0 || st.Delayed != [5]int{} {
					t.Errorf("%+v: a timer or a wait is left", st)
				}
			})
		})
	}
}

func TestCancelEndsAWaitAndItsTimer(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		late := &future{}
		co := w.s.Go(deadline.Normal, func(co *scheduler.Co) { scheduler.AwaitTimeout(co, late, time.Hour) })
		w.drain()
		co.Cancel()
		w.drain()
		late.finish(1, nil)
		w.drain()
		canceled(t, co)
		if st := w.s.Stats(); st.Delayed != [5]int{} || st.Waiting != 0 {
			t.Errorf("%+v: the timer is left", st)
		}
	})
}

func TestAwaitTimeoutAllocatesNothing(t *testing.T) {
	if scheduler.RaceEnabled {
		t.Skip("the race detector allocates")
	}
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	h := &handoff{}
	co := s.Go(deadline.Normal, func(co *scheduler.Co) {
		for {
			scheduler.AwaitTimeout(co, h, time.Hour)
		}
	})
	frame := func() { s.RunUntil(deadline.In(time.Second)) }
	frame()
	for range 10 {
		h.f()
		frame()
	}
	if n := testing.AllocsPerRun(100, func() { h.f(); frame() }); n > 0 {
		t.Errorf("%v allocations", n)
	}
	co.Cancel()
	frame()
}

// untilState: a coroutine parks while what it awaits finishes and while something else ends the wait (S18).
type untilState struct {
	waker            int8 // as in the code
	held             bool
	messages         int8
	co               int8
	fire, give       int8
	old, seen        int8
	resumed          int8
	result, reusable bool // what the coroutine took away: the result, and the waker for another wait
}

func untilModel(mutant string) explore.Model[untilState] {
	const idle, armed, parked, fired, dead = 0, 1, 2, 3, 4
	awaited := func(s *untilState) { // awaited: CompareAndSwap(wakerFired, wakerIdle)
		s.resumed++
		s.result = s.waker == fired
		s.reusable = s.result || mutant == "reuse"
		s.co = 9
	}
	return explore.Model[untilState]{
		Threads: []explore.Thread[untilState]{
			{Name: "coroutine", Step: func(s *untilState) bool {
				switch s.co {
				case 0: // arm
					s.waker = armed
				case 1: // a look
					if s.waker >= fired {
						s.co = 8
						return true
					}
				case 2: // release(phaseHeld)
					s.held = true
				case 3: // CompareAndSwap(wakerArmed, wakerParked)
					if s.waker != armed {
						s.held = false
						s.co = 8
						return true
					}
					s.waker = parked
				case 4: // suspend; unlink, which swaps in wakerDead
					if s.messages == 0 {
						return false
					}
					s.held = false
					s.messages--
					s.resumed++
					s.result = s.waker == fired
					s.reusable = s.result || mutant == "reuse"
					s.waker = dead
					s.co = 8
				case 8:
					if s.resumed == 0 {
						awaited(s)
						return true
					}
				default:
					return false
				}
				s.co++
				return true
			}},
			{Name: "finisher", Step: func(s *untilState) bool {
				switch {
				case s.fire == 0 && s.waker != idle: // Swap(wakerFired)
					s.old = s.waker
					s.waker = fired
				case s.fire == 1:
					if s.old == parked && s.held { // resume
						s.messages++
					}
				default:
					return false
				}
				s.fire++
				return true
			}},
			{Name: "giver", Step: func(s *untilState) bool {
				switch s.give {
				case 0:
					if s.waker == idle {
						return false
					}
					s.seen = s.waker
					if s.seen != armed && s.seen != parked {
						s.give = 9
						return true
					}
				case 1: // CompareAndSwap(old, wakerDead)
					if s.waker != s.seen && mutant != "store" {
						s.give = 0
						return true
					}
					s.waker = dead
				case 2:
					if s.seen == parked && s.held {
						s.messages++
					}
				default:
					return false
				}
				s.give++
				return true
			}},
		},
		Invariant: func(s untilState) error {
			if s.resumed > 1 || s.messages > 1 {
				return errors.New("resumed twice")
			}
			if s.reusable && s.fire == 0 {
				return errors.New("the waker is used again, and fn is still to be called")
			}
			return nil
		},
		Final: func(s untilState) error {
			if s.resumed != 1 {
				return errors.New("never resumed")
			}
			return nil
		},
	}
}

func TestS18_AWaitEndsOnceWhoeverEndsIt(t *testing.T) { try(t, untilModel, "store", "reuse") }
