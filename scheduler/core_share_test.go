package scheduler_test

import (
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// A lab has tasks that take virtual time, with a clock whose readings it counts.
type lab struct {
	s        *scheduler.Scheduler
	now      deadline.Instant
	readings int
	ran      int
	cost     func(run int) time.Duration
}

func newLab(t *testing.T) *lab {
	l := &lab{s: scheduler.New(scheduler.Options{}), now: 1}
	t.Cleanup(l.s.Close)
	scheduler.SetClock(l.s, func() deadline.Instant { l.readings++; return l.now })
	scheduler.ShareReadings(l.s)
	return l
}

// run is what each task does.
func (l *lab) run() {
	l.ran++
	l.now = l.now.Add(l.cost(l.ran))
}

func (l *lab) slice(d time.Duration) scheduler.Result {
	return l.s.RunUntil(deadline.At(l.now.Add(d)))
}

// labWork submits n runs, in every way in which brief runs come one after the other.
var labWork = map[string]func(l *lab, n int){
	"functions": func(l *lab, n int) {
		for range n {
			l.s.Post(deadline.Normal, l.run)
		}
	},
	"two kinds": func(l *lab, n int) {
		for range n / 2 {
			l.s.Post(deadline.Normal, func() { l.run() })
			l.s.Post(deadline.Normal, func() { l.run() })
		}
	},
	"delayed functions": func(l *lab, n int) {
		for range n {
			l.s.After(deadline.Normal, 1, l.run)
		}
		l.now++
	},
	"tasks": func(l *lab, n int) {
		tasks := make([]scheduler.Task, n)
		for i := range tasks {
			tasks[i].Func = l.run
			l.s.Submit(&tasks[i])
		}
	},
	"steps": func(l *lab, n int) {
		l.s.Submit(&scheduler.Task{Step: func() bool { l.run(); n--; return n > 0 }})
	},
	"yields": func(l *lab, n int) {
		l.s.Go(deadline.Normal, func(co *scheduler.Co) {
			for range n - 1 {
				l.run()
				co.Yield()
			}
			l.run()
		})
	},
}

func eachLabWork(t *testing.T, f func(t *testing.T, l *lab, submit func(n int))) {
	for name, work := range labWork {
		t.Run(name, func(t *testing.T) {
			l := newLab(t)
			f(t, l, func(n int) { work(l, n) })
		})
	}
}

// Brief runs share readings of the clock, and the slice still knows how long they took.
func TestBriefRunsShareReadings(t *testing.T) {
	eachLabWork(t, func(t *testing.T, l *lab, submit func(n int)) {
		l.cost = func(int) time.Duration { return 100 }
		submit(1000)
		l.readings = 0
		r := l.slice(time.Second)
		if r.Ran != 1000 || r.Used != 100*time.Microsecond || r.Worst.Cost != 100 {
			t.Errorf("%+v, want 1000 runs of 100 ns", r)
		}
		if l.readings > 250 {
			t.Errorf("%d readings of the clock", l.readings)
		}
	})
}

// A kind that becomes long within a slice overruns by ShareRuns runs at most, and once.
func TestBriefKindBecomesLong(t *testing.T) {
	const long, length = 5 * time.Millisecond, time.Millisecond
	eachLabWork(t, func(t *testing.T, l *lab, submit func(n int)) {
		for from := 500; from < 500+scheduler.ShareRuns; from++ {
			ran := l.ran
			l.cost = func(run int) time.Duration {
				if run-ran < from {
					return 100
				}
				return long
			}
			submit(1000)
			r := l.slice(length)
			late := l.ran - ran - from + 1
			if late < 1 || late > scheduler.ShareRuns {
				t.Errorf("%d long runs in the slice in which the kind becomes long", late)
			}
			if r.Worst.Cost < long {
				t.Errorf("the longest run took %v", r.Worst.Cost)
			}
			if r = l.slice(length); r.Ran > 1 {
				t.Errorf("%d long runs in the next slice", r.Ran)
			}
			l.cost = func(int) time.Duration { return 100 }
			for l.slice(time.Second).Ready > 0 { // the kind becomes brief again
			}
		}
	})
}

// A kind that has become long since the last slice is noticed after one run.
func TestBriefKindIsLongInTheNextSlice(t *testing.T) {
	eachLabWork(t, func(t *testing.T, l *lab, submit func(n int)) {
		l.cost = func(int) time.Duration { return 100 }
		submit(1000)
		l.slice(50 * time.Microsecond)
		if l.ran < 400 || l.ran > 600 {
			t.Fatalf("%d runs", l.ran)
		}
		l.cost = func(int) time.Duration { return 5 * time.Millisecond }
		if r := l.slice(time.Millisecond); r.Ran != 1 || r.Worst.Cost != 5*time.Millisecond {
			t.Errorf("%+v, want one run", r)
		}
	})
}

// The same holds for a kind behind another kind that is still brief.
func TestBriefKindIsLongBehindAnother(t *testing.T) {
	l := newLab(t)
	brief, other := func() { l.now += 100 }, time.Duration(100)
	for range 2 {
		for range 500 {
			l.s.Post(deadline.Normal, brief)
		}
		for range 500 {
			l.s.Post(deadline.Normal, func() { l.now = l.now.Add(other) })
		}
		if r := l.slice(time.Millisecond); other == 100 && r.Ran != 1000 || other > 100 && r.Ran != 501 {
			t.Errorf("%+v with runs of %v", r, other)
		}
		other = 5 * time.Millisecond
	}
}

// Runs that stay brief end a slice as late as if each were timed: with the run in which it ends.
func TestBriefRunsEndInTime(t *testing.T) {
	const cost = 990 * time.Nanosecond
	eachLabWork(t, func(t *testing.T, l *lab, submit func(n int)) {
		l.cost = func(int) time.Duration { return cost }
		submit(4000)
		for length := 100 * time.Microsecond; length < 120*time.Microsecond; length += 700 {
			if r := l.slice(length); r.Used >= length+cost || r.Used < length {
				t.Errorf("a slice of %v took %v", length, r.Used)
			}
		}
	})
}
