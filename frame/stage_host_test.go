package frame_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime/debug"
	"sync"
	"time"

	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/scheduler"
)

// errHosts is what the host's own function panics with.
var errHosts = errors.New("the host's own")

// call calls the loop on the host's goroutine.
func (s *stage) call(f func()) {
	defer func() {
		v := recover()
		if v == nil || v == any(errHosts) || s.o.Scheduler.Rethrow && isOnPurpose(v) {
			return
		}
		s.Fail("a call of the host's panics: %v\n%s", v, debug.Stack())
	}()
	f()
}

// some is a frame or some.
func (s *stage) some(r *rand.Rand) {
	if s.game != nil {
		s.ofGame(r)
		return
	}
	switch r.IntN(8) {
	case 0:
		s.ofRun(r)
	case 1: // frames of another goroutine
		var wg sync.WaitGroup
		if !s.locked {
			wg.Go(func() { s.one(r) })
		}
		wg.Wait()
	default:
		s.one(r)
	}
}

// one is a frame of a host that has its own loop.
func (s *stage) one(r *rand.Rand) {
	s.call(s.l.Begin)
	first := s.l.Placement() == frame.PlaceFirst
	if first && r.IntN(8) > 0 {
		s.call(s.l.Slice)
	}
	s.own(r, func() {
		switch r.IntN(3) {
		case 0:
			s.l.Step(time.Duration(r.IntN(2)) * time.Millisecond)
		case 1:
			s.l.Mark(record.Flags(r.Uint32()))
		}
	})
	for p := scheduler.BeforeDraw; p <= scheduler.AfterDraw; p++ {
		if r.IntN(3) == 0 {
			s.call(func() { s.l.RunPhase(p) })
			s.own(r, func() {})
		}
	}
	if !first && r.IntN(8) > 0 {
		s.call(s.l.Slice)
	}
	s.l.Stats()
	s.call(s.l.End)
	if r.IntN(10) == 0 {
		s.call(s.l.Rest)
	}
}

// ofRun is some frames of Run.
func (s *stage) ofRun(r *rand.Rand) {
	ctx, cancel := context.WithCancel(bg)
	defer cancel()
	n, how := r.IntN(5), r.IntN(4)
	s.call(func() {
		err := s.l.Run(ctx, func() error {
			s.own(r, func() {})
			if r.IntN(3) == 0 {
				s.l.RunPhase(scheduler.BeforeDraw)
			}
			if n--; n >= 0 {
				return nil
			}
			switch how {
			case 0:
				cancel()
				return nil
			case 1:
				return errOnPurpose
			case 2:
				panic(errHosts)
			}
			return frame.ErrStop
		})
		switch {
		case err == nil, err == scheduler.ErrClosed && s.closed.Load():
		case err == errOnPurpose && how == 1 && n < 0:
		default:
			s.Fail("Run returns %v", err)
		}
	})
}

// end closes the loop at some point of a frame.
func (s *stage) end(r *rand.Rand) {
	if s.game != nil {
		if r.IntN(2) == 0 {
			s.quit()
		}
	} else {
		s.endFrames(r)
	}
	s.shut()
	select {
	case <-s.l.Done():
	default:
		s.Fail("Close has returned, and the loop is not done: %+v", s.l.Stats())
	}
}

// shut calls Close.
func (s *stage) shut() {
	s.closed.Store(true)
	if err := s.l.Close(); err != nil {
		s.Fail("Close returns %v", err)
	}
}

// endFrames does so where the host has its own loop.
func (s *stage) endFrames(r *rand.Rand) {
	stop := func() {
		s.closed.Store(true)
		s.l.Stop()
	}
	var wg sync.WaitGroup
	switch r.IntN(6) {
	case 0:
		s.call(s.l.Begin)
		s.shut()
		s.call(s.l.Slice)
		s.call(s.l.End)
	case 1:
		s.call(s.l.Begin)
		s.call(s.l.Slice)
		s.shut()
		s.call(s.l.End)
	case 2:
		stop()
		s.call(s.l.Begin)
	case 3:
		s.call(s.l.Begin)
		stop()
		s.call(s.l.Slice)
		s.call(s.l.End)
	case 4: // the frames are over
		if s.locked { // then only their goroutine can unwind what they have begun, which it does below
			s.closed.Store(true)
			wg.Go(func() { _ = s.l.Close() })
			wg.Wait()
			return
		}
		for range 1 + r.IntN(2) {
			wg.Go(s.shut)
		}
		wg.Wait()
	}
}

// A stageGame is the game of a stage whose host is Ebitengine's, or something like it.
type stageGame struct {
	s    *stage
	r    *rand.Rand
	ends bool // the next Update returns an error
}

type stageFinal struct{ *stageGame }

func (g *stageGame) does() { g.s.own(g.r, func() {}) }

func (g *stageGame) Layout(w, h int) (int, int) {
	g.does()
	return w, h
}

func (g *stageGame) Update() error {
	g.does()
	if g.ends {
		g.s.closed.Store(true)
		return errOnPurpose
	}
	return nil
}

func (g *stageGame) Draw(*fakeImage) { g.does() }

func (g stageFinal) DrawFinalScreen(fakeFinal, *fakeImage, fakeGeoM) { g.does() }

// wrap makes the host one of a wrapped game.
func (s *stage) wrap(r *rand.Rand) {
	s.game = &stageGame{s: s, r: s.Rand()}
	if r.IntN(2) == 0 {
		s.wrapped = frame.Wrap[fakeFinal, fakeGeoM](hostGame(stageFinal{s.game}), s.l)
	} else {
		s.wrapped = frame.Wrap[fakeFinal, fakeGeoM](hostGame(s.game), s.l)
	}
}

// ofGame is a frame of Ebitengine's, which leaves out at times what it leaves out at times.
func (s *stage) ofGame(r *rand.Rand) {
	if r.IntN(8) > 0 {
		s.call(func() { s.wrapped.Layout(320, 240) })
	}
	for range r.IntN(3) {
		s.call(func() { _ = s.wrapped.Update() })
	}
	if r.IntN(8) > 0 {
		s.call(func() { s.wrapped.Draw(&fakeImage{}) })
	}
	if f, ok := s.wrapped.(hostFinalDrawer); ok && r.IntN(8) > 0 {
		s.call(func() { f.DrawFinalScreen(final{}, &fakeImage{}, fakeGeoM{}) })
	}
}

// quit has the game end, and with it the loop.
func (s *stage) quit() {
	s.game.ends = true
	var err error
	for err == nil { // a task's panic may come through before the game's Update is called
		s.call(func() { err = s.wrapped.Update() })
	}
	select {
	case <-s.l.Done():
	default:
		s.Fail("the game has ended, and the loop is not closed")
	}
}
