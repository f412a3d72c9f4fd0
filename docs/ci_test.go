package docs_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice"
	"github.com/frameslice/frameslice/frame/frametest"
)

func TestLevelIsBuiltWithoutALateFrame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		loop := frameslice.New(frameslice.Testing)
		defer loop.Close() // in the bubble
		rooms := 0
		loop.Go(frameslice.Normal, func(co *frameslice.Co) {
			for rooms < 100 {
				time.Sleep(2 * time.Millisecond) // building a room: only sleeping takes time here
				rooms++
				co.Yield()
			}
		})
		begun := time.Now()
		err := loop.Run(t.Context(), func() error {
			time.Sleep(4 * time.Millisecond) // update and draw
			if rooms == 100 {
				return frameslice.ErrStop
			}
			return nil
		})
		run := loop.Report("level").Run
		if took := time.Since(begun); err != nil || took > time.Second || run.Missed > 0 {
			t.Errorf("built in %v, %d frames missed, error: %v", took, run.Missed, err)
		}
	})
}

type game struct{ rooms int }

func newGame(loop *frameslice.Loop) *game {
	g := new(game)
	loop.Go(frameslice.Low, func(co *frameslice.Co) {
		for {
			g.rooms++
			co.NextFrame()
		}
	})
	return g
}

func (g *game) frame() error { return nil }

// A town shows one level.
type town struct {
	loop         *frameslice.Loop
	level, tiles int
}

func (g *town) enter(level int) {
	g.level, g.tiles = level, 0
	g.loop.Go(frameslice.Normal, func(co *frameslice.Co) {
		tiles, err := frameslice.Background(co, g.loop, func(context.Context) (int, error) { return level, nil })
		if err == nil && g.level == level { // the game may have gone on to another level
			g.tiles = tiles
		}
	})
}

func (g *town) frame() error {
	switch g.loop.Frame() {
	case 30:
		g.enter(2)
	case 150:
		return frameslice.ErrStop
	}
	if g.tiles != 0 && g.tiles != g.level {
		return fmt.Errorf("level %d shows the tiles of level %d", g.level, g.tiles)
	}
	return nil
}

func TestOrders(t *testing.T) {
	frametest.Search(t, 300, func(loop *frameslice.Loop) func() error {
		g := &town{loop: loop}
		g.enter(1)
		return g.frame
	})
}

func TestFrames(t *testing.T) {
	frametest.Run(t, frametest.Options{}, func(loop *frameslice.Loop) func() error {
		return newGame(loop).frame
	})
}

func TestFramesKeepLimits(t *testing.T) {
	frametest.Run(t, frametest.Options{Limits: frametest.Limits{
		P99:    20 * time.Millisecond, // at most 1 % of the frames are longer
		Missed: 1,                     // percent
		Allocs: 100,                   // objects per frame
	}}, func(loop *frameslice.Loop) func() error { return newGame(loop).frame })
}
