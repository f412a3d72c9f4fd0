package live_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/live"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

// The host's scheduler is looked at, too, if the slice lies in the swap's shadow. Many look while frames continue.
func TestManyLookWhileFramesGoOn(t *testing.T) {
	for _, place := range []frame.Placement{frame.PlaceAfterDraw, frame.PlaceShadow} {
		l := frame.New(frame.Options{
			Interval: time.Millisecond, Placement: place, CloseTimeout: -1, Workers: workers.Options{Workers: 2},
			Recorder: record.Options{WarmUp: -1},
		})
		h := live.Handler(l)
		l.Host().Go(deadline.Normal, func(co *scheduler.Co) { co.Sleep(time.Hour) })
		for range 20 {
			l.Go(deadline.Normal, func(co *scheduler.Co) {
				for {
					co.NextFrame()
					co.Yield()
					l.Pool().Go(deadline.Low, func() {})
				}
			})
		}
		const lookers, looks = 3, 5
		done := make(chan struct{})
		for range lookers {
			go func() {
				defer func() { done <- struct{}{} }()
				for range looks {
					s := look(t, h)
					request(h, "/metrics", home, localhost)
					if c := s.Coroutines; s.Answered && (c == nil || c.Alive > 21 || c.Alive != len(c.List)) {
						t.Errorf("frame %d: %+v", s.Frame, c)
					}
				}
			}()
		}
		for n := 0; n < lookers; {
			select {
			case <-done:
				n++
			default:
				frameOf(l)
				time.Sleep(time.Millisecond / 2)
			}
		}
		_ = l.Close()
	}
}

// A request that is given up does not wait, and leaves nothing behind.
func TestGivenUp(t *testing.T) {
	inBubble(t, frame.Options{}, func(t *testing.T, l *frame.Loop, h http.Handler) {
		frameOf(l)
		begin := time.Now()
		w := given(h)
		if time.Since(begin) != 0 || !strings.Contains(w, "given up") {
			t.Errorf("%v: %s", time.Since(begin), w)
		}
		frameOf(l)
		if s := l.Host().Stats(); s.Done != 0 || s.Canceled != 1 {
			t.Errorf("%d callbacks ran, %d were cancelled", s.Done, s.Canceled)
		}
	})
}

// All requests of a frame are one question to the frame goroutine, which answers once, and get the same text. A request
// that is given up takes no answer from the others.
func TestOneAnswerAFrame(t *testing.T) {
	inBubble(t, frame.Options{}, func(t *testing.T, l *frame.Loop, h http.Handler) {
		frameOf(l)
		const each = 200
		for round := 1; round <= 3; round++ {
			texts := make(chan string, 2*each)
			for range each {
				go func() { texts <- request(h, "/json", home, localhost).Body.String() }()
				go func() { texts <- request(h, "/metrics", home, localhost).Body.String() }()
			}
			synctest.Wait()
			if w := given(h); !strings.Contains(w, "given up") {
				t.Errorf("given up: %s", w)
			}
			frameOf(l)
			synctest.Wait()
			if n := len(texts); n != 2*each {
				t.Fatalf("round %d: %d requests have an answer", round, n)
			}
			seen := map[string]int{}
			for range 2 * each {
				seen[<-texts]++
			}
			for text, n := range seen {
				if n != each || !strings.Contains(text, `"answered":true`) && !strings.Contains(text, "answered 1\n") {
					t.Errorf("round %d: %d times %s", round, n, text)
				}
			}
			if s := l.Host().Stats(); s.Done != uint64(round) || s.Canceled != 0 {
				t.Errorf("round %d: %d callbacks ran, %d were cancelled", round, s.Done, s.Canceled)
			}
			time.Sleep(time.Second / 60)
		}
		// If all give up, so does the question.
		gone := make(chan string, 2)
		go func() { gone <- given(h) }()
		go func() { gone <- given(h) }()
		_, _ = <-gone, <-gone
		frameOf(l)
		if s := l.Host().Stats(); s.Done != 3 || s.Canceled == 0 {
			t.Errorf("%d callbacks ran, %d were cancelled", s.Done, s.Canceled)
		}
	})
}
