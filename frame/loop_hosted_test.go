package frame_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/scheduler"
)

// A loop in a host with a display, in virtual time: reserve, pace, and who gets the time of a saturated game.

// window is a hosted loop in virtual time: own work, slice, flush, refresh.
type window struct {
	l                  *frame.Loop
	own, flush, period time.Duration
	epoch              deadline.Instant
	starts             []deadline.Instant
	reserves           time.Duration // of all frames together
}

func (w *window) frame() {
	if w.epoch == 0 {
		w.epoch = deadline.Now()
	}
	w.starts = append(w.starts, deadline.Now())
	w.l.Begin()
	w.reserves += w.l.Stats().Reserve
	time.Sleep(w.own)
	w.l.Slice()
	w.l.End()
	time.Sleep(w.flush)
	if w.period > 0 {
		time.Sleep(w.period - deadline.Now().Sub(w.epoch)%w.period)
	}
}

// missed counts the refreshes without a frame among those since the frame with index from.
func (w *window) missed(from int) float64 {
	n, miss := 0, 0
	for i := from + 1; i < len(w.starts); i++ {
		k := int((w.starts[i].Sub(w.starts[i-1]) + w.period/2) / w.period)
		n += k
		miss += k - 1
	}
	return float64(miss) / float64(n)
}

// reserve is the mean of all frames: at any one of them a miss, which raises it, may have just been.
func (w *window) reserve() time.Duration { return w.reserves / time.Duration(len(w.starts)) }

// endless keeps a backlog of tasks of the given cost, and counts them.
func endless(l *frame.Loop, cost time.Duration) *int {
	n := new(int)
	rng := rand.New(rand.NewPCG(1, 2))
	l.Scheduler().Submit(&scheduler.Task{Label: "endless", Step: func() bool {
		*n++
		time.Sleep(cost*3/4 + time.Duration(rng.Int64N(int64(cost/2))))
		return true
	}})
	return n
}

func TestHostedLoopFindsItsReserveUnderABacklog(t *testing.T) {
	for _, place := range placements() {
		for _, hz := range []time.Duration{60, 144} {
			bubble(t, frame.Options{Placement: place}, func(t *testing.T, l *frame.Loop) {
				w := &window{l: l, own: time.Millisecond, flush: 2 * time.Millisecond, period: time.Second / hz}
				n := endless(l, 300*time.Microsecond)
				for range 3600 {
					w.frame()
				}
				l.Close()
				<-l.Done()
				missed := w.missed(60)
				perFrame := time.Duration(*n) * 300 * time.Microsecond / 3600
				t.Logf("%v at %d Hz: %.2f %% missed, %v of tasks per frame, reserve %v",
					place, hz, 100*missed, perFrame, l.Stats().Reserve)
				if missed > 0.03 {
					t.Errorf("%v at %d Hz: %.2f %% missed, want at most 3 %%", place, hz, 100*missed)
				}
				if s := l.Stats(); s.Interval != time.Second/hz {
					t.Errorf("%v at %d Hz: the period is taken for %v", place, hz, s.Interval)
				}
				if possible := w.period - w.own - w.flush; perFrame < possible/2 {
					t.Errorf("%v at %d Hz: %v of tasks per frame where %v were possible", place, hz, perFrame, possible)
				}
			})
		}
	}
}

// The first slices of a host whose period is to be measured are small: four, and of the next twenty each fourth. Who
// gives the interval gets what that leaves, from the first frame on, also where each frame is followed by a Rest and
// nothing is ever measured.
func TestFirstSlicesOfAHostedLoop(t *testing.T) {
	none := func(int) bool { return false }
	all := func(int) bool { return true }
	some := func(i int) bool { return i < 24 && (i < 4 || i%4 == 3) }
	given := frame.Options{Interval: 20 * time.Millisecond}
	for _, c := range []struct {
		o     frame.Options
		rest  bool
		small func(i int) bool
	}{{frame.Options{}, false, some}, {frame.Options{}, true, all}, {given, false, none}, {given, true, none}} {
		c.o.Placement = frame.PlaceAfterDraw
		bubble(t, c.o, func(t *testing.T, l *frame.Loop) {
			w := &window{l: l, own: time.Millisecond, flush: time.Millisecond, period: 20 * time.Millisecond}
			endless(l, 100*time.Microsecond)
			for range 40 {
				w.frame()
				if c.rest {
					l.Rest()
				}
			}
			for i, r := range l.Recorder().Recent(make([]record.Record, 40)) {
				b := r.Budget()
				if c.small(i) && b != 500*time.Microsecond || !c.small(i) && b < 10*time.Millisecond {
					t.Errorf("interval %v, rest %v: slice %d may take %v", c.o.Interval, c.rest, i, b)
				}
			}
		})
	}
}

func TestPaceSlowsAFreeHostDown(t *testing.T) {
	bubble(t, frame.Options{Pace: true}, func(t *testing.T, l *frame.Loop) {
		w := &window{l: l, own: time.Millisecond, flush: 2 * time.Millisecond}
		for range 200 {
			w.frame()
		}
		from, to := w.starts[100], w.starts[199]
		if d := to.Sub(from) / 99; d.Round(10*time.Microsecond) != (time.Second / 60).Round(10*time.Microsecond) {
			t.Errorf("mean interval %v, want 1/60 s", d)
		}
		if s := l.Stats(); s.Paced {
			t.Errorf("stats say that the host is paced: %+v", s)
		}
		// The host begins to block: the loop's own waiting ends.
		w.period = time.Second / 72
		for range 300 {
			w.frame()
		}
		if s := l.Stats(); !s.Paced || s.Interval != time.Second/72 {
			t.Errorf("stats %+v, want a host paced at 72 Hz", s)
		}
	})
}

// Who gives an interval and Pace has frames at that interval, whatever makes the host's own shorter and as regular: a
// renderer in software, a display that is faster. Without an interval it is the display's.
func TestPaceKeepsToAnIntervalThatIsGiven(t *testing.T) {
	const ms = time.Millisecond
	for _, c := range []struct {
		given, flush, period, want time.Duration
		paced                      bool
	}{
		{66667 * time.Microsecond, 31 * ms, 0, 66667 * time.Microsecond, false},
		{66667 * time.Microsecond, 54 * ms, 0, 66667 * time.Microsecond, false},
		{66667 * time.Microsecond, 80 * ms, 0, 81 * ms, true}, // it cannot
		{time.Second / 60, 2 * ms, 0, time.Second / 60, false},
		{time.Second / 60, 2 * ms, time.Second / 144, time.Second / 60, false},
		{time.Second / 60, 2 * ms, time.Second / 60, time.Second / 60, true},
		{time.Second / 60, 2 * ms, time.Second / 59, time.Second / 59, true},
		{0, 2 * ms, time.Second / 144, time.Second / 144, true},
		{0, 31 * ms, 0, 32 * ms, true}, // as long as nobody says what it should be
	} {
		for _, place := range placements() {
			for _, tasks := range []bool{false, true} {
				o := frame.Options{Interval: c.given, Pace: true, Placement: place}
				bubble(t, o, func(t *testing.T, l *frame.Loop) {
					w := &window{l: l, own: ms, flush: c.flush, period: c.period}
					if tasks {
						endless(l, 200*time.Microsecond)
					}
					for range 240 {
						w.frame()
					}
					s, mean := l.Stats(), w.starts[239].Sub(w.starts[60])/179
					most := c.want / 100
					if tasks && c.paced {
						most = c.want / 2 // a slow host has slices, too, and the reserve is learned by missing
					}
					if (mean-c.want).Abs() > most || s.Paced != c.paced {
						t.Errorf("%v, tasks %v, %+v: frames every %v, paced %v", place, tasks, c, mean, s.Paced)
					}
					if !c.paced && s.Interval != c.given {
						t.Errorf("%v, tasks %v, %+v: slices go by %v", place, tasks, c, s.Interval)
					}
				})
			}
		}
	}
}

func TestWithoutPaceAFreeHostIsLeftAlone(t *testing.T) {
	bubble(t, frame.Options{}, func(t *testing.T, l *frame.Loop) {
		w := &window{l: l, own: time.Millisecond, flush: 2 * time.Millisecond}
		for range 100 {
			w.frame()
		}
		if d := w.starts[99].Sub(w.starts[50]) / 49; d != 3*time.Millisecond {
			t.Errorf("mean interval %v, want the host's own 3 ms", d)
		}
	})
}

func TestIdleTasksOfASaturatedGameDoNotStarve(t *testing.T) {
	for _, place := range placements() {
		bubble(t, frame.Options{Placement: place}, func(t *testing.T, l *frame.Loop) {
			w := &window{l: l, own: 30 * time.Millisecond, period: time.Second / 60}
			ran := 0
			for range 100 {
				l.Post(deadline.Idle, func() { ran++; time.Sleep(100 * time.Microsecond) })
			}
			for range 50 {
				w.frame()
			}
			l.Close()
			<-l.Done()
			if ran < 50 {
				t.Errorf("%v: %d idle tasks in 50 frames without time to spare, want at least one each", place, ran)
			}
		})
	}
}
