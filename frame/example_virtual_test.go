package frame_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/scheduler/flow"
)

// A test of a search that asks its server when nobody has typed for 300 ms. It needs no options of its own, takes some
// milliseconds, and what it says of the time is exact. What computes takes no time there: where a test wants a task, a
// job or a frame's own work to take some, it sleeps in it.
func ExampleOptions_virtualTime() {
	var _ func(*testing.T) = testSearch // go test finds it if it is called TestSearch
}

func testSearch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		loop := frame.New(frame.Options{Interval: 10 * time.Millisecond})
		defer loop.Close() // within the bubble, which waits for the workers to end
		start, asked := time.Now(), []time.Duration{}
		ask := func() { asked = append(asked, time.Since(start)) }
		search := flow.NewDebounce(loop.Scheduler(), flow.DebounceOptions{Wait: 300 * time.Millisecond}, ask)
		keys := 0
		if err := loop.Run(t.Context(), func() error {
			if now := time.Since(start); now%(200*time.Millisecond) == 0 && keys < 3 { // a key at 0, 200 and 400 ms
				keys++
				search.Call()
			} else if now >= time.Minute {
				return frame.ErrStop
			}
			return nil
		}); err != nil {
			t.Error(err)
		}
		if len(asked) != 1 || asked[0] != 700*time.Millisecond {
			t.Errorf("asked at %v, want once, at 700 ms", asked)
		}
	})
}
