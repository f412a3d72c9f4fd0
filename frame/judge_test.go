package frame_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/internal/race"
	"github.com/frameslice/frameslice/scheduler"
)

// A loop in a host with a display, in virtual time: reserve, pace, and who gets the time of a saturated game.

// window is a hosted loop in virtual time: own work, slice, flush, refresh.
type window struct {
	l                  *frame.Loop
	own, flush, period time.Duration
	does               func() // more of its own work
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
	if w.l.Placement() == frame.PlaceFirst {
		w.l.Slice()
		w.work()
	} else {
		w.work()
		w.l.Slice()
	}
	w.l.End()
	time.Sleep(w.flush)
	if w.period > 0 {
		time.Sleep(w.period - deadline.Now().Sub(w.epoch)%w.period)
	}
}

func (w *window) work() {
	if time.Sleep(w.own); w.does != nil {
		w.does()
	}
}

func (w *window) run(frames int) {
	for range frames {
		w.frame()
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
			for i := range 40 {
				w.frame()
				if short := l.Stats().Short; c.small(i) != (short == "the display's refresh rate is being measured") {
					t.Errorf("interval %v, rest %v: slice %d is short because of %q", c.o.Interval, c.rest, i, short)
				}
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
		w.run(200)
		from, to := w.starts[100], w.starts[199]
		if d := to.Sub(from) / 99; d.Round(10*time.Microsecond) != (time.Second / 60).Round(10*time.Microsecond) {
			t.Errorf("mean interval %v, want 1/60 s", d)
		}
		if s := l.Stats(); s.Paced {
			t.Errorf("stats say that the host is paced: %+v", s)
		}
		// The host begins to block: the loop's own waiting ends.
		w.period = time.Second / 72
		w.run(300)
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
					w.run(240)
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

func TestIdleTasksOfASaturatedGameDoNotStarve(t *testing.T) {
	everywhere(t, frame.Options{}, func(t *testing.T, l *frame.Loop) {
		w := &window{l: l, own: 30 * time.Millisecond, period: time.Second / 60}
		ran := 0
		for range 100 {
			l.Post(deadline.Idle, func() { ran++; time.Sleep(100 * time.Microsecond) })
		}
		w.run(50)
		end(l)
		if ran < 50 {
			t.Errorf("%d idle tasks in 50 frames without time to spare, want at least one each", ran)
		}
	})
}

// At every rate the period is found, hardly a frame is missed, and the tasks get their share: also of a game that needs
// more than half of every frame.
func TestHostedLoopAtEveryRate(t *testing.T) {
	for _, place := range placements() {
		for _, hz := range few(60, 360, 24, 30, 40, 48, 75, 90, 120, 144, 165, 170, 200, 240, 280, 500) {
			for _, own := range []time.Duration{20, 60} {
				if own > 20 && hz != 30 && hz != 60 && hz != 144 {
					continue // a busy game on a fast display leaves hardly anything
				}
				bubble(t, frame.Options{Placement: place}, func(t *testing.T, l *frame.Loop) {
					p := time.Second / hz
					cost := min(p/20, 300*time.Microsecond)
					w := &window{l: l, own: p * own / 100, flush: p / 10, period: p}
					if own > 20 {
						cost, w.flush = p/40, p/20
					}
					n := endless(l, cost)
					w.run(1000)
					end(l)
					if s := l.Stats(); s.Interval != p || !s.Paced {
						t.Errorf("%v at %d Hz: the period is taken for %v, paced %v", place, hz, s.Interval, s.Paced)
					}
					missed, most := w.missed(120), 0.015 // the worst of a hundred seeds: 0.9 %
					if hz == 30 && own > 20 {
						most = 0.025 // own work of 20 ms looks like a slow game at 60 Hz, which tries doses
					}
					perFrame, possible := time.Duration(*n)*cost/1000, p-w.own-w.flush
					if missed > most || perFrame < possible/4 {
						t.Errorf("%v at %d Hz, %d %% busy: %.2f %% missed, %v of tasks a frame where %v were possible",
							place, hz, own, 100*missed, perFrame, possible)
					}
				})
			}
		}
	}
}

// A hosted loop at every rate that displays have, in virtual time: the period, the budget, and what is missed.

// The first frames, of which the loop learns the period, miss nothing, whatever the rate, and most of them leave their
// tasks what a frame has left.
func TestHostedLoopBeginsAtEveryRate(t *testing.T) {
	for _, place := range placements() {
		for _, hz := range few(24, 360, 30, 40, 48, 60, 75, 90, 120, 144, 165, 170, 200, 240, 280, 500) {
			for _, own := range []time.Duration{5, 20, 40} {
				bubble(t, frame.Options{Placement: place}, func(t *testing.T, l *frame.Loop) {
					p := time.Second / hz
					cost := min(p/20, 300*time.Microsecond)
					w := &window{l: l, own: p * own / 100, flush: p / 20, period: p}
					n := endless(l, cost)
					w.run(60)
					end(l)
					if missed := w.missed(0); missed > 0 {
						t.Errorf("%v at %d Hz, %d %% busy: %.2f %% missed", place, hz, own, 100*missed)
					}
					possible := p - w.own - 4*time.Millisecond // the first reserve
					if perFrame := time.Duration(*n) * cost / 60; hz <= 75 && perFrame < possible/2 {
						t.Errorf("%v at %d Hz, %d %% busy: %v of tasks per frame where %v were possible",
							place, hz, own, perFrame, possible)
					}
				})
			}
		}
	}
}

// A loop that drives itself keeps its time on average, at every rate, and its slices make no frame late. Pressure rises
// only where a frame needs a fifth more than there is, also where nothing rounds that up to a whole frame.
func TestRunAtEveryRate(t *testing.T) {
	for _, hz := range few(1, 144, 24, 60, 240, 500, 1000) {
		for _, own := range []time.Duration{10, 60, 80, 95, 120} {
			p := time.Second / hz
			o := frame.Options{Interval: p, Recorder: record.Options{WarmUp: -1}}
			o.Budget.Reserve = p / 25
			bubble(t, o, func(t *testing.T, l *frame.Loop) {
				cost := min(p/40, 300*time.Microsecond)
				n := new(int)
				if own != 95 { // where the least slice of a late frame is more than what is left
					n = endless(l, cost)
				}
				start, last := deadline.Now(), deadline.Now()
				play(t, l, 301, func(int) {
					last = deadline.Now()
					time.Sleep(p * own / 100)
				})
				if own > 100 {
					if l.Pressure() != 4 {
						t.Errorf("%d Hz, %d %% busy: pressure %d", hz, own, l.Pressure())
					}
					return
				}
				x := l.Recorder().Snapshot().Totals
				if drift := last.Sub(start) - 300*p; x.Missed != 0 || x.N != 301 || drift < 0 || drift > p/4 {
					t.Errorf("%d Hz, %d %% busy: %d of %d missed, drift %v", hz, own, x.Missed, x.N, drift)
				}
				if perFrame := time.Duration(*n) * cost / 300; perFrame < p*(95-own)/100/2 || l.Pressure() != 0 {
					t.Errorf("%d Hz, %d %% busy: %v of tasks per frame, pressure %d", hz, own, perFrame, l.Pressure())
				}
			})
		}
	}
}

// A game that needs 20 ms for a frame on a display of 60 Hz is told so, although its slices then go by 30 Hz. Each
// frame is a miss, and the work makes hardly any frame miss a second refresh.
func TestOfAGameThatMissesEveryOtherRefresh(t *testing.T) {
	bubble(t, frame.Options{Placement: frame.PlaceAfterDraw}, func(t *testing.T, l *frame.Loop) {
		w := &window{l: l, own: 20 * time.Millisecond, flush: time.Millisecond, period: time.Second / 60}
		n := endless(l, 200*time.Microsecond)
		w.run(300)
		if s := l.Stats(); (s.Interval-time.Second/30).Abs() > time.Microsecond || l.Pressure() != 4 {
			t.Errorf("period %v, pressure %d; want that of 30 Hz and 4", s.Interval, l.Pressure())
		}
		if x := l.Recorder().Snapshot().Totals; x.N != 240 || x.Missed < 240 || x.Missed > 240+12 {
			t.Errorf("%d refreshes missed in %d frames, want hardly more than one in each", x.Missed, x.N)
		}
		if perFrame := time.Duration(*n) * 200 * time.Microsecond / 300; perFrame < 4*time.Millisecond {
			t.Errorf("%v of tasks per frame, 12 ms were possible", perFrame)
		}
	})
}

// few returns the rates, but only the first two where everything takes long and no rate has races of its own.
func few(rates ...time.Duration) []time.Duration {
	if race.Enabled {
		return rates[:2]
	}
	return rates
}
