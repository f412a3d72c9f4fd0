package frame_test

import (
	"math/rand/v2"

	"github.com/frameslice/frameslice/frame"
)

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
	if g.r.IntN(16) == 0 {
		g.s.nest(g.r, 1)
	}
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
	s.game = &stageGame{s: s, r: s.rng()}
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
		s.fail("the game has ended, and the loop is not closed")
	}
}
