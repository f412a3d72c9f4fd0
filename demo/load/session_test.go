package load

import (
	"context"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// The tests of the accounting run in virtual time: own work and jobs are sleeps, so a bubble has as many CPUs
// as there are goroutines, and every figure has one right value.

const tick = 20 * time.Millisecond

func virtual(c Config, own, cost time.Duration) *Session {
	c.Interval = tick
	c = c.WithDefaults()
	r := newRig(c)
	r.step = func(Executor) { time.Sleep(own) }
	r.offer.work = func(*job, func()) { time.Sleep(cost) }
	return newSession(c, r)
}

// find returns the figures of a mode, if it has run.
func find(r *Report, m Mode) (Result, bool) {
	for _, x := range r.Modes {
		if x.Mode == m && x.Frames > 0 {
			return x, true
		}
	}
	return Result{}, false
}

func TestIdleMissesNothingInVirtualTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := virtual(Config{Modes: []Mode{Idle}, Duration: 6 * time.Second}, 4*time.Millisecond, 0)
		headless(t.Context(), s, timerWait)
		r := s.Report()
		x, ok := find(r, Idle)
		if !ok || r.Partial {
			t.Fatalf("report %+v", r)
		}
		if x.Frames != 300 || x.Missed != 0 || x.Max != 0 || x.Hitch != 0 || x.Seconds != 6 || x.Slices != 2 {
			t.Errorf("frames %d missed %d max %v hitch %v seconds %v slices %d, want 300 0 0 0 6 2",
				x.Frames, x.Missed, x.Max, x.Hitch, x.Seconds, x.Slices)
		}
		if x.Offered != 0 || x.Jobs != 0 {
			t.Errorf("offered %v jobs %v, want none", x.Offered, x.Jobs)
		}
	})
}

// One frame's share of 10 ms jobs at 200 a second is four, so inline frames are busy for 44 ms and start
// every 60 ms.
func TestInlineMissesTwoOfThree(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := Config{Modes: []Mode{Inline}, Duration: 6 * time.Second, Slice: 6 * time.Second}
		c.Interval, c.Job = tick, 10*time.Millisecond
		c.Load = 200 / (c.WithDefaults().rate(cpus()) / DefaultLoad)
		s := virtual(c, 4*time.Millisecond, 10*time.Millisecond)
		if r := s.rig; math.Abs(r.offer.Rate(r.c.Load)-200) > 1e-6 {
			t.Fatalf("rate %v, want 200", r.offer.Rate(r.c.Load))
		}
		headless(t.Context(), s, timerWait)
		x, _ := find(s.Report(), Inline)
		if x.Frames != 100 || x.Missed != 200 || x.P50 != 40 || x.Max != 40 {
			t.Errorf("frames %d missed %d late p50 %v max %v, want 100 200 40 40",
				x.Frames, x.Missed, x.P50, x.Max)
		}
		if got := x.MissedPct; math.Abs(got-200.0/3) > 1e-9 {
			t.Errorf("missed %v %%, want 66.7", got)
		}
		if math.Abs(x.Jobs-4/0.060) > 0.5 || math.Abs(x.Offered-200) > 2 {
			t.Errorf("jobs/s %v offered %v, want 66.7 and 200", x.Jobs, x.Offered)
		}
	})
}

func TestBacklogIsBoundedAndEveryJobIsAccountedFor(t *testing.T) {
	for _, m := range []Mode{Inline, InlineBudget, Workers, Errgroup} {
		t.Run(string(m), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				// Twenty times what the goroutines of the mode can do.
				c := Config{Modes: []Mode{m}, Duration: 2 * time.Second, Load: 20, Job: 5 * time.Millisecond}
				s := virtual(c, time.Millisecond, 5*time.Millisecond)
				most := 0
				next := deadline.Now()
				for {
					next = nextTick(next, deadline.Now(), tick)
					timerWait(next)
					if !s.Begin() {
						break
					}
					s.Work()
					n, k := s.exec.Pending(), s.rig.offer.Counts
					most = max(most, n)
					if k.Due != k.Dropped+k.Finished+int64(n) {
						t.Fatalf("due %d is not dropped %d + finished %d + pending %d",
							k.Due, k.Dropped, k.Finished, n)
					}
					s.End()
				}
				if limit := s.rig.offer.Limit(20); most != limit {
					t.Errorf("at most %d jobs waited, want the bound %d", most, limit)
				}
				x, _ := find(s.Report(), m)
				off := math.Abs(x.Dropped+x.Jobs-x.Offered) * x.Seconds
				if x.Dropped <= 0 || x.Jobs <= 0 || off > float64(most) {
					t.Errorf("offered %v = dropped %v + finished %v?", x.Offered, x.Dropped, x.Jobs)
				}
			})
		})
	}
}

func TestGoroutinesFinishWhatIsOffered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := virtual(Config{Modes: []Mode{Goroutines}, Duration: 2 * time.Second}, 0, 2*time.Millisecond)
		headless(t.Context(), s, timerWait)
		x, _ := find(s.Report(), Goroutines)
		if x.Missed != 0 || x.Dropped != 0 || math.Abs(x.Jobs-x.Offered) > 0.03*x.Offered {
			t.Errorf("missed %d dropped %v jobs %v offered %v", x.Missed, x.Dropped, x.Jobs, x.Offered)
		}
	})
}

func TestCancelLeavesAPartialReport(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		c := Config{Modes: []Mode{Idle, Workers, Goroutines}, Duration: 10 * time.Second}
		s := virtual(c, time.Millisecond, time.Millisecond)
		headless(ctx, s, timerWait) // the bubble panics if a goroutine is left
		r := s.Report()
		if !r.Partial || r.Slices != [2]int{1, 9} {
			t.Fatalf("partial %v slices %v, want true [1 9]", r.Partial, r.Slices)
		}
		first, _ := find(r, s.plan[0])
		second, _ := find(r, s.plan[1])
		third, ran := find(r, s.plan[2])
		if first.Frames < 165 || second.Frames < 10 || second.Frames >= first.Frames || ran {
			t.Errorf("frames %d, %d, %d: want a whole slice, a part, none",
				first.Frames, second.Frames, third.Frames)
		}
		if s.Begin() {
			t.Error("Begin after the end")
		}
		s.Close()
		s.Interrupt()
	})
}

func TestCancelInTheFirstWarmUpCanBeSaved(t *testing.T) {
	dir := t.TempDir()
	var r *Report
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		s := virtual(Config{Modes: []Mode{Workers}, Duration: 3 * time.Second}, time.Millisecond, time.Millisecond)
		headless(ctx, s, timerWait)
		r = s.Report()
	})
	if err := r.Save(dir); err != nil || !r.Partial || r.Modes[0].Frames != 0 {
		t.Errorf("%v, partial %v, %+v", err, r.Partial, r.Modes)
	}
}

// What is used up of the frame counts, not how many jobs there are; one always runs.
func TestInlineBudgetStopsAtTwoThirds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := Config{Modes: []Mode{InlineBudget}, Duration: 4 * time.Second, Load: 20, Job: 3 * time.Millisecond}
		s := virtual(c, 4*time.Millisecond, 3*time.Millisecond)
		headless(t.Context(), s, timerWait)
		x, _ := find(s.Report(), InlineBudget)
		// 4 ms, then jobs begin before 13.3 ms: four of 3 ms, and the frame is 16 ms long.
		if x.Missed != 0 || math.Abs(x.Jobs-4/tick.Seconds()) > 1 {
			t.Errorf("missed %d, %v jobs/s; want 0, 200", x.Missed, x.Jobs)
		}
	})
}

func TestCancelInTheLastSliceIsPartialToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 1010*time.Millisecond)
		defer cancel()
		s := virtual(Config{Modes: []Mode{Workers}, Duration: 3 * time.Second}, time.Millisecond, time.Millisecond)
		headless(ctx, s, timerWait)
		if r := s.Report(); !r.Partial || r.Modes[0].Frames != 25 {
			t.Errorf("partial %v with %d frames, want 25", r.Partial, r.Modes[0].Frames)
		}
	})
}

func TestStatusTellsWhereTheSessionIs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := Config{Modes: []Mode{Idle}, Duration: 2 * time.Second, Slice: time.Second}
		s := virtual(c, 0, 0)
		var warm, measured int
		for next := deadline.Now(); ; {
			next = nextTick(next, deadline.Now(), tick)
			timerWait(next)
			if !s.Begin() {
				break
			}
			s.Work()
			s.End()
			if s.measuring() {
				measured++
			} else {
				warm++
			}
		}
		if warm != 50 || measured != 100 {
			t.Errorf("%d warm-up and %d measured frames, want 50 and 100", warm, measured)
		}
	})
}

func TestNextTickStaysOnTheGrid(t *testing.T) {
	for _, c := range []struct{ last, now, want deadline.Instant }{
		{0, 0, 20}, {0, -5, 20}, {0, 19, 20}, {0, 20, 40}, {0, 21, 40}, {100, 250, 260},
	} {
		if got := nextTick(c.last, c.now, 20); got != c.want {
			t.Errorf("nextTick(%d, %d) = %d, want %d", c.last, c.now, got, c.want)
		}
	}
}
