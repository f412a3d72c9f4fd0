package frame_test

import (
	"strings"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/scheduler"
)

// enders end a Run from another goroutine.
var enders = map[string]func(l *frame.Loop){
	"Stop":  (*frame.Loop).Stop,
	"Close": func(l *frame.Loop) { _ = l.Close() },
}

func TestStopEndsRunsWait(t *testing.T) {
	for name, end := range enders {
		l := frame.New(frame.Options{Interval: time.Minute})
		waits, ended := make(chan struct{}, 1), make(chan error)
		go func() { ended <- l.Run(t.Context(), func() error { waits <- struct{}{}; return nil }) }()
		<-waits
		time.Sleep(30 * time.Millisecond) // most likely the wait has begun
		end(l)
		select {
		case err := <-ended:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(5 * time.Second):
			t.Fatalf("Run waits on after %s", name)
		}
		<-l.Done()
	}
}

func TestStopEndsRunsWaitAtOnceInVirtualTime(t *testing.T) {
	for name, end := range enders {
		bubble(t, frame.Options{Interval: time.Hour}, func(t *testing.T, l *frame.Loop) {
			begin := time.Now()
			time.AfterFunc(time.Second, func() { end(l) })
			if err := l.Run(t.Context(), func() error { return nil }); err != nil || time.Since(begin) != time.Second {
				t.Errorf("%s after a second: Run returned %v after %v", name, err, time.Since(begin))
			}
		})
	}
}

// So it is where End waits for the next tick.
func TestStopEndsTheWaitOfPace(t *testing.T) {
	bubble(t, frame.Options{Interval: time.Second, Pace: true}, func(t *testing.T, l *frame.Loop) {
		begin, at, frames := time.Now(), 100*time.Second+100*ms, 0
		time.AfterFunc(at, l.Stop)
		for ; !l.Closing(); frames++ {
			l.Begin()
			time.Sleep(ms)
			l.Slice()
			l.End()
		}
		if d := time.Since(begin); d > at+ms || frames > 1000 {
			t.Errorf("End waited until %v after Stop; %d frames", d-at, frames)
		}
	})
}

// A slice of Run ends with the task in progress, however long the slice might be.
func TestStopEndsRunsSlice(t *testing.T) {
	for _, place := range placements() {
		bubble(t, frame.Options{Interval: time.Hour, Placement: place}, func(t *testing.T, l *frame.Loop) {
			l.Go(deadline.Normal, func(co *scheduler.Co) {
				for {
					time.Sleep(ms)
					co.Yield()
				}
			})
			begin := time.Now()
			time.AfterFunc(time.Second, l.Stop)
			err := l.Run(t.Context(), func() error { return nil })
			if err != nil || time.Since(begin) > time.Second+ms {
				t.Errorf("%v: Stop after a second: Run returned %v after %v", place, err, time.Since(begin))
			}
		})
	}
}

func TestAReportTellsWhatTheLoopsEndDropped(t *testing.T) {
	for _, place := range placements() {
		bubble(t, frame.Options{Placement: place}, func(t *testing.T, l *frame.Loop) {
			l.Post(deadline.Normal, func() {})
			frameOf(l)
			l.Begin() // the first function has run
			if r := l.Report("before"); r.Dropped != 0 || strings.Contains(r.String(), "dropped") {
				t.Errorf("%v: %d dropped before the end", place, r.Dropped)
			}
			for range 3 {
				l.Post(deadline.Normal, func() {})
			}
			l.Host().Post(deadline.Normal, func() {})
			l.Stop()
			l.Post(deadline.Normal, func() {})
			_ = l.Close()
			l.Post(deadline.Normal, func() {})
			if r := l.Report("after"); r.Dropped != 6 || !strings.Contains(r.String(), "dropped when the loop closed") {
				t.Errorf("%v: %d dropped, want 6:\n%s", place, r.Dropped, r)
			}
		})
	}
}
