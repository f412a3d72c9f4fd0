package frametest_test

import (
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/frametest"
	"github.com/frameslice/frameslice/scheduler"
)

type game struct{ rooms int }

func newGame(loop *frame.Loop) *game {
	g := new(game)
	loop.Go(deadline.Normal, func(co *scheduler.Co) {
		for {
			g.rooms++
			co.NextFrame()
		}
	})
	return g
}

func (g *game) Frame() error { return nil }

func TestFrames(t *testing.T) {
	frametest.Run(t, frametest.Options{}, func(loop *frame.Loop) func() error {
		return newGame(loop).Frame
	})
}

// In a test: go test -run TestFrames -v
func ExampleRun() {
	_ = TestFrames
}
