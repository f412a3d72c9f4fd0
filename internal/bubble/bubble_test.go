package bubble_test

import (
	"iter"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice/internal/bubble"
)

func TestABubbleIsSeen(t *testing.T) {
	if bubble.Here() {
		t.Fatal("here?")
	}
	outside, stop := iter.Pull(func(yield func(bool) bool) {
		for yield(bubble.Here()) {
		}
	})
	defer stop()
	if v, _ := outside(); v {
		t.Error("on a coroutine here?")
	}
	synctest.Test(t, func(t *testing.T) {
		for range 3 {
			if !bubble.Here() {
				t.Error("not in a bubble, at ", time.Now())
			}
			done := make(chan bool)
			go func() { done <- bubble.Here() }()
			if !<-done {
				t.Error("not on a goroutine of a bubble")
			}
			next, stop := iter.Pull(func(yield func(bool) bool) { yield(bubble.Here()) })
			if v, _ := next(); !v {
				t.Error("not on a coroutine of a bubble")
			}
			stop()
			time.Sleep(time.Until(time.Date(2026+time.Now().Year()-2000, 11, 1, 0, 0, 0, 0, time.UTC)))
		}
	})
}
