package bubble_test

import (
	"iter"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice/internal/bubble"
)

func TestABubbleIsSeen(t *testing.T) {
	here := func(t *testing.T, want bool) {
		on := map[string]bool{"this goroutine": bubble.Here()}
		next, stop := iter.Pull(func(yield func(bool) bool) { yield(bubble.Here()) })
		on["a coroutine"], _ = next()
		stop()
		done := make(chan bool)
		go func() { done <- bubble.Here() }()
		on["another goroutine"] = <-done
		for where, got := range on {
			if got != want {
				t.Errorf("on %s: %v, at %v", where, got, time.Now())
			}
		}
	}
	here(t, false)
	synctest.Test(t, func(t *testing.T) {
		here(t, true)
		time.Sleep(30 * 365 * 24 * time.Hour)
		here(t, true)
	})
}
