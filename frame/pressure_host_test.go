package frame_test

import (
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
)

// A backlog of tasks is a load. The tasks are so large that each slice leaves some of its time: that makes the backlog
// no smaller.
func TestPressureOfABacklog(t *testing.T) {
	for tasks, want := range map[int]int{100: 0, 2000: 4} {
		bubble(t, frame.Options{Interval: 10 * ms}, func(t *testing.T, l *frame.Loop) {
			for range tasks {
				l.Post(deadline.Normal, func() { time.Sleep(2 * ms) })
			}
			most, last := 0, 0
			play(t, l, 2000, func(int) { last = l.Pressure(); most = max(most, last) })
			if most != want || last != 0 {
				t.Errorf("%d tasks: level %d at most, want %d, and %d in the end", tasks, most, want, last)
			}
		})
	}
}

// overload drives a loop of 60 Hz to the highest level.
func overload(l *frame.Loop) {
	for range 60 {
		l.Begin()
		time.Sleep(30 * time.Millisecond)
		l.Slice()
		l.End()
	}
}

// A host that draws on demand has nothing to do while it sleeps, and one that leaves out the slice as nothing is
// queued has no more: its level falls.
func TestPressureFallsWhileTheHostSleeps(t *testing.T) {
	for _, c := range []struct {
		name  string
		calm  func(l *frame.Loop)
		times int
		want  int
	}{
		{"one long sleep", func(l *frame.Loop) { l.Rest(); time.Sleep(9 * time.Second) }, 1, 0},
		{"a short one", func(l *frame.Loop) { l.Rest(); time.Sleep(3 * time.Second) }, 1, 3},
		{"a frame now and then", func(l *frame.Loop) { l.Rest(); time.Sleep(100 * time.Millisecond) }, 41, 2},
		{"frames without a slice", func(l *frame.Loop) { time.Sleep(time.Second / 60) }, 60 * 5, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := frame.Options{Placement: frame.PlaceAfterDraw}
			o.Budget.Interval = time.Second / 60
			bubble(t, o, func(t *testing.T, l *frame.Loop) {
				overload(l)
				if p := l.Pressure(); p != 4 {
					t.Fatalf("level %d after an overload", p)
				}
				for range c.times {
					l.Begin()
					l.End()
					c.calm(l)
				}
				l.Begin()
				l.End()
				if p := l.Pressure(); p != c.want {
					t.Errorf("level %d, want %d", p, c.want)
				}
			})
		})
	}
}
