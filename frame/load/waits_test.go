package load_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/load"
	"github.com/frameslice/frameslice/workers"
)

// playing runs f beside 60 frames a second of a loop whose slices run jobs, and returns the longest slice and how many
// jobs the slices ran.
func playing(
	t *testing.T, o workers.Options, f func(l *frame.Loop), until func() bool,
) (longest time.Duration, jobs int) {
	t.Helper()
	needsWorkers(t)
	synctest.Test(t, func(t *testing.T) {
		l := frame.New(frame.Options{
			Workers: o, Placement: frame.PlaceAfterDraw, Budget: deadline.Budget{Interval: 16 * ms},
		})
		defer l.Close()
		f(l)
		for n := 0; !until(); n++ {
			if n > 10_000 {
				t.Fatal("not loaded after 10,000 frames")
			}
			begin := time.Now()
			l.Begin()
			l.Slice()
			longest = max(longest, time.Since(begin))
			l.End()
			time.Sleep(16*ms - time.Since(begin)%(16*ms))
			synctest.Wait()
		}
		jobs = int(l.Recorder().Snapshot().Totals.JobsInSlice)
	})
	return longest, jobs
}

// Beside workers no slice runs a decode, however brief the decodes are mostly, and none is long.
func TestNoSliceDecodesBesideWorkers(t *testing.T) {
	for _, one := range []int{10, 30, 1000, 5000} {
		got := 0
		longest, jobs := playing(t, workers.Options{Workers: 1}, func(l *frame.Loop) {
			decode := func(_ context.Context, key int, _ *load.Meter) (int, error) {
				time.Sleep(300 * time.Microsecond)
				if key%one == one-1 {
					time.Sleep(700 * ms)
				}
				return key, nil
			}
			ld := load.New(l, load.Options{}, decode)
			for key := range min(40*one, 2000) {
				ld.Load(bg, key, func(int, error) { got++ })
			}
		}, func() bool { return got == min(40*one, 2000) })
		if jobs != 0 || longest > 16*ms {
			t.Errorf("1 long one in %d: the slices ran %d decodes, and one took %v", one, jobs, longest)
		}
	}
}

// Decodes that wait keep no others back.
func TestSlowDownloadsKeepNoFilesBack(t *testing.T) {
	for name, o := range map[string]workers.Options{
		"one": {Workers: 1}, "three": {Workers: 3}, "background": {Workers: 1, Background: 2},
	} {
		for _, prio := range deadline.Priorities() {
			begin, files := time.Time{}, 0
			playing(t, o, func(l *frame.Loop) {
				begin = time.Now()
				decode := func(_ context.Context, key int, _ *load.Meter) (int, error) {
					if key < 4 {
						time.Sleep(time.Second)
					}
					return key, nil
				}
				ld := load.New(l, load.Options{Priority: prio}, decode)
				for key := range 14 {
					ld.Load(bg, key, func(v int, err error) {
						if files++; v >= 4 && time.Since(begin) > 100*ms {
							t.Errorf("%s, %v: file %d came after %v", name, prio, v, time.Since(begin))
						}
					})
				}
			}, func() bool { return files == 14 })
		}
	}
}
