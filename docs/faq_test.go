package docs_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice"
)

// stepsByFrame returns how many of 400 steps of 0.2 ms a coroutine makes in each frame, if its first stretch takes
// 23.7 ms.
func stepsByFrame(next func(*frameslice.Co)) (frames []int) {
	loop := frameslice.New(frameslice.Testing)
	defer loop.Close()
	steps := 0
	boot := loop.Go(frameslice.Normal, func(co *frameslice.Co) {
		time.Sleep(23700 * time.Microsecond)
		for ; steps < 400; steps++ {
			next(co)
			time.Sleep(200 * time.Microsecond)
		}
	})
	for begun := time.Now(); boot.State() != done; {
		before := steps
		loop.Begin()
		time.Sleep(3 * time.Millisecond) // update and draw
		loop.Slice()
		loop.End()
		frames = append(frames, steps-before)
		time.Sleep(time.Second/60 - time.Since(begun)%(time.Second/60)) // the display
	}
	return frames
}

// After a long first stretch a coroutine is back at full speed within some frames, and sooner if it asks ShouldYield.
func TestStepsAfterALongFirstStretch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		yields := stepsByFrame((*frameslice.Co).Yield)
		asks := stepsByFrame(func(co *frameslice.Co) {
			if co.ShouldYield() {
				co.Yield()
			}
		})
		t.Log(yields)
		t.Log(asks)
		if len(yields) > 30 || len(asks) > 15 {
			t.Errorf("%d and %d frames", len(yields), len(asks))
		}
	})
}
