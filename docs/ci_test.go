package docs_test

import (
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice"
	"github.com/frameslice/frameslice/frame/record"
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

// build is the work under test: 40 rooms of some 2 ms.
func build(loop *frameslice.Loop) {
	loop.Go(frameslice.Normal, func(co *frameslice.Co) {
		for range 40 {
			spin(2 * time.Millisecond)
			co.Yield()
		}
	})
}

// spin keeps a processor busy.
func spin(d time.Duration) {
	for begun := time.Now(); time.Since(begun) < d; {
	}
}

func TestFramesWhileBuilding(t *testing.T) {
	if os.Getenv("FRAMES") == "" {
		t.Skip("it measures: FRAMES=1 go test -p 1 -count 1")
	}
	var control, work record.Intervals
	for range 5 { // in turns: both have the same neighbours
		control = append(control, play(t, func(*frameslice.Loop) {})...)
		work = append(work, play(t, build)...)
	}
	switch verdict(control, work) {
	case "busy":
		t.Skip("no verdict: the loop misses frames even without the work")
	case "late":
		t.Errorf("late frames: %+v", work.Measure(time.Second/60))
	}
}

// verdict compares the frames with the work with those of the same loop without the work.
func verdict(control, work record.Intervals) string {
	c, w := control.Measure(time.Second/60), work.Measure(time.Second/60)
	switch {
	case c.MissedPercent > 2:
		return "busy"
	case w.HitchRatioConfidence.Low > c.HitchRatioConfidence.High+5: // ms of lateness in a second
		return "late"
	}
	return "good"
}

func TestVerdict(t *testing.T) {
	frames := func(every int, late time.Duration) record.Intervals {
		d := make(record.Intervals, 300)
		for i := range d {
			if d[i] = time.Second / 60; i%every == every-1 {
				d[i] += late
			}
		}
		return d
	}
	quiet, busy := frames(100, 10*time.Millisecond), frames(10, 50*time.Millisecond)
	for _, c := range []struct {
		control, work record.Intervals
		want          string
	}{
		{quiet, quiet, "good"},
		{quiet, frames(60, 100*time.Millisecond), "late"},
		{quiet, frames(2, 3*time.Millisecond), "late"},
		{busy, busy, "busy"},
		{busy, frames(60, 100*time.Millisecond), "busy"},
	} {
		if got := verdict(c.control, c.work); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}

// play runs a second of the game, and returns the times between its frames.
func play(t *testing.T, work func(*frameslice.Loop)) record.Intervals {
	o := frameslice.LeaveOne.Options()
	o.Interval = time.Second / 60
	o.JumpAfter = -1           // a freeze counts, however long
	o.Recorder.WarmUp = -1     // the first frames count, too
	o.Scheduler.Rethrow = true // a task's panic fails the test
	loop := frameslice.NewWith(o)
	defer loop.Close()
	work(loop)
	frames := 0
	if err := loop.Run(t.Context(), func() error {
		spin(2 * time.Millisecond) // update and draw
		if frames++; frames > 60 {
			return frameslice.ErrStop
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return loop.Recorder().Snapshot().Intervals()
}
