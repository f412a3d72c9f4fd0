package frame_test

import (
	"strings"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
)

// Any goroutine is told where a frame that is under way has got to, and nothing between two frames.
func TestStuck(t *testing.T) {
	bubble(t, frame.Options{}, func(t *testing.T, l *frame.Loop) {
		report := make(chan string)
		ask := func(after, d time.Duration) {
			go func() {
				time.Sleep(after)
				report <- l.Stuck(d)
			}()
		}
		frameOf(l)
		hang := func() {
			l.Post(deadline.Normal, func() { time.Sleep(3 * time.Second) })
			ask(time.Second+time.Millisecond, time.Second)
			ask(2*time.Second, 3*time.Second)
			frameOf(l)
		}
		go hang() // on another goroutine than the watchdog knows
		got := <-report
		const want = "frame: a frame has not ended for 1.001s, in a call of the loop: the last of these goroutines"
		last := got[strings.LastIndex(got, "\n\ngoroutine ")+1:]
		if !strings.HasPrefix(got, want) || !strings.Contains(last, "time.Sleep(") || !strings.Contains(last, "Stuck") {
			t.Errorf("want the stack that sleeps:\n%s", got)
		}
		if got := <-report; got != "" {
			t.Errorf("a frame of two seconds is called stuck for three:\n%s", got)
		}
		time.Sleep(2 * time.Second)
		if got := l.Stuck(0); got != "" {
			t.Errorf("between two frames:\n%s", got)
		}
	})
}
