package frame_test

import (
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

// A loop in a host with a display where the slice is all that there is for jobs, as in a browser, in virtual time.

// minute is how many frames the hosts have. In a third of that, what gets done where there is hardly time for it all
// depends on the numbers drawn more than on the loop.
const minute = 3600

// offer makes up jobs, 190 a second with about 370 ms of work, of three kinds: searches, which can pause, chunks of
// 3 ms, which cannot, and a few that take long.
type offer struct {
	l       *frame.Loop
	rng     *rand.Rand
	long    time.Duration
	credit  float64
	offered int
	pending atomic.Int32 // and done: a slice in the shadow counts beside the host
	done    atomic.Int32
}

func (o *offer) frame(run func(kind string, cost time.Duration)) {
	for o.credit += 190.0 / 60; o.credit >= 1; o.credit-- {
		o.offered++
		if o.pending.Load() >= 90 {
			continue // so many may wait
		}
		switch k := o.rng.IntN(100); {
		case k < 3 && o.long > 0:
			run("long", o.long)
		case k < 20:
			run("chunk", 3*time.Millisecond)
		default:
			run("search", time.Duration(o.rng.ExpFloat64()*1.5e6))
		}
	}
}

// submit gives a job to the loop's pool.
func (o *offer) submit(kind string, cost time.Duration) {
	const piece = 300 * time.Microsecond
	o.pending.Add(1)
	o.l.Pool().Submit(&workers.Job{Label: kind, Func: func(w *workers.Worker) {
		for ; kind == "search" && cost > piece; cost -= piece {
			time.Sleep(piece)
			if w.ShouldYield() {
				w.Yield()
			}
		}
		time.Sleep(cost)
		o.l.Post(deadline.Normal, func() { o.pending.Add(-1); o.done.Add(1) })
	}})
}

// Overruns that are nobody's fault, of jobs that do not fit into any slice, must not make the slices smaller: then less
// fits, and still more has to overrun. What the work leaves is used, and jobs that can pause take what others leave.
// The limits hold for any seed: of sixty, the worst misses 0.6 % and 6.8 % in the last two cases, does 97 and 77 %, and
// has a mean reserve of 6.8 ms.
func TestALoopWithoutWorkersKeepsUpWithItsJobs(t *testing.T) {
	for _, tc := range []struct {
		flush, long time.Duration
		missed      float64 // at most
		done        float64 // of what is offered, at least
	}{
		{2 * time.Millisecond, 0, 0.002, 0.98},
		{2 * time.Millisecond, 8 * time.Millisecond, 0.005, 0.98}, // fits into an empty slice
		{2 * time.Millisecond, 25 * time.Millisecond, 0.12, 0.95}, // costs one or two frames each
		{6 * time.Millisecond, 0, 0.01, 0.95},                     // 93 % of what there is
		{6 * time.Millisecond, 8 * time.Millisecond, 0.09, 0.7},   // more than there is
	} {
		bubble(t, frame.Options{}, func(t *testing.T, l *frame.Loop) {
			w := &window{l: l, own: 4 * time.Millisecond, flush: tc.flush, period: time.Second / 60}
			o := &offer{l: l, rng: rand.New(rand.NewPCG(1, 2)), long: tc.long}
			for range minute {
				o.frame(o.submit)
				w.frame()
			}
			missed, done := w.missed(60), float64(o.done.Load())/float64(o.offered)
			t.Logf("flush %v, long jobs of %v: %.2f %% missed, %.1f %% of the jobs, mean reserve %v",
				tc.flush, tc.long, 100*missed, 100*done, w.reserve())
			if missed > tc.missed || done < tc.done {
				t.Errorf("want at most %.2f and at least %.0f %%", 100*tc.missed, 100*tc.done)
			}
			if r := w.reserve(); r > max(tc.flush+time.Millisecond, 4*time.Millisecond) {
				t.Errorf("reserve %v where %v is to be left, and it begins with 4ms", r, tc.flush)
			}
		})
	}
}

// Nor those of tasks. In the shadow of the swap the reserve is for overruns, but not for such.
func TestTasksThatFitNowhereDoNotMakeTheSliceSmaller(t *testing.T) {
	needsThreads(t)
	bubble(t, frame.Options{Placement: frame.PlaceShadow}, func(t *testing.T, l *frame.Loop) {
		w := &window{l: l, own: 4 * time.Millisecond, flush: 2 * time.Millisecond, period: time.Second / 60}
		o := &offer{l: l, rng: rand.New(rand.NewPCG(1, 2)), long: 25 * time.Millisecond}
		for range minute {
			o.frame(func(kind string, cost time.Duration) {
				o.pending.Add(1)
				l.Scheduler().Submit(&scheduler.Task{Label: kind, Func: func() {
					time.Sleep(cost)
					o.pending.Add(-1)
					o.done.Add(1)
				}})
			})
			w.frame()
		}
		end(l)
		missed, done, reserve := w.missed(60), float64(o.done.Load())/float64(o.offered), w.reserve()
		t.Logf("%.2f %% missed, %.1f %% of the tasks, mean reserve %v", 100*missed, 100*done, reserve)
		// The worst of sixty seeds: 8.5 %, 88.8 %, 4.02 ms.
		if missed > 0.12 || done < 0.8 || reserve > 5*time.Millisecond {
			t.Error("want at most 12 %, at least 80 %, and at most 5ms")
		}
	})
}

// Nor those of jobs, if there are no others: then the loop gives them more time than the slice has.
func TestJobsThatFitNowhereDoNotMakeTheSliceSmaller(t *testing.T) {
	bubble(t, frame.Options{}, func(t *testing.T, l *frame.Loop) {
		w := &window{l: l, own: 4 * time.Millisecond, flush: 6 * time.Millisecond, period: time.Second / 60}
		o := &offer{l: l}
		for i := range 600 {
			if i%10 == 0 {
				o.submit("long", 25*time.Millisecond)
			}
			w.frame()
		}
		if r := l.Stats().Reserve; r > 4*time.Millisecond {
			t.Errorf("reserve %v, want the 4 ms that it begins with", r)
		}
		if o.done.Load() < 55 {
			t.Errorf("%d of 60 jobs ran", o.done.Load())
		}
	})
}

// uploads runs frames of a host until n pictures are there, and returns the longest frame and the number of frames. The
// task of a picture takes 240 µs, and upload of the host's time in the frame's drawing.
func uploads(t *testing.T, place frame.Placement, n int, upload time.Duration) (longest time.Duration, frames int,
	report string) {
	t.Helper()
	bubble(t, frame.Options{Placement: place}, func(t *testing.T, l *frame.Loop) {
		var left, done atomic.Int64
		w := &window{l: l, own: ms, flush: ms, period: time.Second / 60}
		next := func() {
			w.flush = ms + time.Duration(left.Swap(0))
			w.frame()
		}
		for range 60 {
			next()
		}
		for range n {
			l.Scheduler().Submit(&scheduler.Task{Label: "picture", Func: func() {
				time.Sleep(240 * time.Microsecond)
				left.Add(int64(upload))
				done.Add(1)
			}})
		}
		for ; done.Load() < int64(n) || left.Load() > 0; frames++ {
			next()
		}
		next()
		next()
		for i := 61; i < len(w.starts); i++ {
			longest = max(longest, w.starts[i].Sub(w.starts[i-1]))
		}
		report = l.Report("uploads").Text()
	})
	return longest, frames, report
}

// A load of fifty pictures, which the host uploads after its frame, makes no frame longer than twice the frame of a
// single picture. The report names the cause.
func TestUploadsOfALoad(t *testing.T) {
	for _, place := range placements() {
		for _, upload := range []time.Duration{200, 1000, 5000, 20_000, 60_000} {
			upload *= time.Microsecond
			one, _, _ := uploads(t, place, 1, upload)
			longest, frames, report := uploads(t, place, 50, upload)
			t.Logf("%v, %v: one %v, fifty %v in %d frames", place, upload, one, longest, frames)
			if longest > 2*one || frames > 75 || frames > 45 && !strings.Contains(report, "left by picture") {
				t.Errorf("%v, %v: one picture %v, fifty %v in %d frames\n%s",
					place, upload, one, longest, frames, report)
			}
		}
	}
}
