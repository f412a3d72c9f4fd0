package mpmc

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/frameslice/frameslice/internal/explore"
)

// A place is there or not, whatever other goroutines are in the middle of: with fewer users than places no try fails.
func TestPlacesAreExact(t *testing.T) {
	const users, rounds = 8, 20_000
	l := NewPlaces(users)
	var g sync.WaitGroup
	for range users {
		g.Go(func() {
			for range rounds {
				if err := l.TryAcquire(); err != nil {
					t.Error(err)
					return
				}
				l.Release()
			}
		})
	}
	g.Wait()
	for range users {
		if err := l.TryAcquire(); err != nil {
			t.Errorf("a place is lost: %v", err)
		}
	}
	if err := l.TryAcquire(); err != ErrFull {
		t.Errorf("one too many: %v", err)
	}
}

// Goroutines that wait get the places, one each, and none when their context ends or the places are closed.
func TestPlacesAreWaitedFor(t *testing.T) {
	const limit, users, rounds = 3, 12, 2000
	l := NewPlaces(limit)
	var within atomic.Int32
	var g sync.WaitGroup
	for range users {
		g.Go(func() {
			for range rounds {
				if err := l.Acquire(Wait{}); err != nil {
					t.Error(err)
					return
				}
				if n := within.Add(1); n > limit {
					t.Errorf("%d within, of %d", n, limit)
				}
				within.Add(-1)
				l.Release()
			}
		})
	}
	g.Wait()
	synctest.Test(t, func(t *testing.T) {
		l := NewPlaces(1)
		if err := l.Acquire(Wait{}); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		stop := make(chan struct{})
		got := make(chan error, 3)
		why := errors.New("why")
		wait := func(w Wait) {
			go func() { got <- l.Acquire(w) }()
			synctest.Wait()
		}
		wait(Wait{Ctx: ctx})
		cancel(why)
		wait(Wait{Stop: stop})
		close(stop)
		wait(Wait{})
		l.Close()
		for _, want := range []error{why, ErrStopped, ErrClosed} {
			if err := <-got; err != want {
				t.Errorf("got %v, want %v", err, want)
			}
		}
		l.Release()
		if err := l.TryAcquire(); err != ErrClosed {
			t.Errorf("after Close: %v", err)
		}
	})
}

// The model of B2: two goroutines hold the two places and give them back, while others wait for one and keep it. The
// last may give up. The lists and locks are those of Q4 to Q7, which have models of their own: here each is one step.

type placesMutant int

const (
	placesSound     placesMutant = iota
	lookFirst                    // Release looks for sleepers before it gives the place back
	noSecondTry                  // a sleeper does not try once more when it has entered the list
	giveUpKeepsWake              // a sleeper that gives up does not hand its wake-up on
	winnerKeepsWake              // nor does one that had taken a place by itself
)

const (
	placesLimit   = 2
	placesThreads = 5
)

type placesProc struct {
	pc, then int8
	asleep   bool // it has seen a sleeper
	again    bool // it enters the list in front
}

type placesState struct {
	used  int8
	list  [placesThreads]int8 // who sleeps, plus one, the first to be woken first
	token [placesThreads]bool
	quit  bool // the last goroutine is to give up
	p     [placesThreads]placesProc
}

// unlink takes goroutine i off the list, and reports whether it was there.
func (s *placesState) unlink(i int8) bool {
	for k, who := range s.list {
		if who == i+1 {
			copy(s.list[k:], s.list[k+1:])
			s.list[placesThreads-1] = 0
			return true
		}
	}
	return false
}

// enter puts goroutine i into the list.
func (s *placesState) enter(i int8, front bool) {
	k := 0
	if front {
		copy(s.list[1:], s.list[:placesThreads-1])
	} else {
		for s.list[k] != 0 {
			k++
		}
	}
	s.list[k] = i + 1
}

// wake takes the first off the list.
func (s *placesState) wake() {
	if i := s.list[0] - 1; i >= 0 {
		s.unlink(i)
		s.token[i] = true
	}
}

const (
	pHold int8 = iota // a place is the goroutine's, which is to give it back
	pGive
	pLook
	pNews
	pWake
	pTry
	pEnter
	pSecond
	pSleep
	pWoken
	pWon
	pGiveUp
	pDone
)

// step is one step of goroutine i.
func (s *placesState) step(i int8, m placesMutant) bool {
	p := &s.p[i]
	try := func(won, lost int8) {
		p.pc = lost
		if s.used < placesLimit {
			s.used++
			p.pc = won
		}
	}
	// leave ends a wait. Whoever was woken, and has not taken the token, does as after a Release.
	leave := func(keeps bool, next int8) {
		p.pc = next
		if !s.unlink(i) && s.token[i] {
			s.token[i] = false
			if !keeps {
				p.pc, p.then = pLook, next
			}
		}
	}
	switch p.pc {
	case pHold:
		p.pc, p.then = pGive, pDone
		p.asleep = s.list[0] != 0
	case pGive:
		s.used--
		p.pc = pLook
		if m == lookFirst {
			p.pc = pNews
		}
	case pLook:
		p.asleep = s.list[0] != 0
		p.pc = pNews
	case pNews:
		p.pc = p.then
		if p.asleep && s.used < placesLimit {
			p.pc = pWake
		}
		p.asleep = false
	case pWake:
		s.wake()
		p.pc = p.then
	case pTry:
		try(pDone, pEnter)
	case pEnter:
		s.enter(i, p.again)
		p.again = true
		p.pc = pSecond
		if m == noSecondTry {
			p.pc = pSleep
		}
	case pSecond:
		try(pWon, pSleep)
	case pSleep:
		switch {
		case i == placesThreads-1 && s.quit:
			p.pc = pGiveUp
		case s.token[i]:
			s.token[i] = false
			p.pc = pWoken
		default:
			return false
		}
	case pWoken:
		try(pDone, pEnter)
	case pWon:
		leave(m == winnerKeepsWake, pDone)
	case pGiveUp:
		leave(m == giveUpKeepsWake, pDone)
	default:
		return false
	}
	return true
}

func placesModel(m placesMutant) explore.Model[placesState] {
	init := placesState{used: placesLimit}
	for i := placesLimit; i < placesThreads; i++ {
		init.p[i].pc = pTry
	}
	threads := []explore.Thread[placesState]{{Name: "context", Step: func(s *placesState) bool {
		done := s.quit
		s.quit = true
		return !done
	}}}
	for i := range int8(placesThreads) {
		threads = append(threads, explore.Thread[placesState]{Name: fmt.Sprint("t", i),
			Step: func(s *placesState) bool { return s.step(i, m) }})
	}
	return explore.Model[placesState]{
		Init: init, Threads: threads,
		Invariant: func(s placesState) error {
			if s.used < 0 || s.used > placesLimit {
				return fmt.Errorf("%d places taken, of %d", s.used, placesLimit)
			}
			return nil
		},
		Final: func(s placesState) error {
			for i := range s.p {
				if s.p[i].pc != pDone && s.used < placesLimit {
					return fmt.Errorf("goroutine %d waits for a place, and %d are taken", i, s.used)
				}
			}
			return nil
		},
	}
}

func TestB2_NoWakeUpForAPlaceIsLost(t *testing.T) {
	explore.Try(t, placesSound, explore.Span(lookFirst, winnerKeepsWake), placesModel)
}
