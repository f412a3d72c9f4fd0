package load

import (
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/demo/sim"
)

// held is a Runner that keeps its jobs.
type held struct {
	sim.Inline
	jobs []sim.Job
}

func (x *held) Submit(_ string, _ deadline.Priority, j sim.Job) { x.jobs = append(x.jobs, j) }

func TestOfferKeepsItsSchedule(t *testing.T) {
	o := newOffer(Config{})
	o.CPUs, o.detail = 2, 1
	x := &held{}
	want := o.Rate(1)
	if want < 870 || want > 890 { // (2 - 0.24) / 2 ms
		t.Fatalf("rate: %v", want)
	}
	o.Reset(1)
	for range 60 {
		o.Frame(time.Second/60, 1, x)
	}
	if got := float64(o.Due); got < want-2 || got > want+2 {
		t.Errorf("in a second: got %v, want %v", got, want)
	}
	if limit := o.Limit(1); len(x.jobs) != limit || o.Dropped != o.Due-int64(limit) {
		t.Errorf("%d waiting, %d dropped of %d; the bound is %d", len(x.jobs), o.Dropped, o.Due, limit)
	}
	for _, j := range x.jobs {
		j.Commit()
	}
	if o.pending != 0 || o.Finished != int64(len(x.jobs)) {
		t.Errorf("%d pending, %d done", o.pending, o.Finished)
	}
	before := o.Due
	o.Frame(2*time.Second, 1, x) // a long frame owes its jobs
	if got := float64(o.Due - before); got < 2*want-2 || got > 2*want+2 {
		t.Errorf("in two seconds: got %v, want %v", got, 2*want)
	}
	before = o.Due
	o.Frame(time.Hour, 1, x) // a suspended laptop: an hour of jobs is not made up for
	if got := o.Due - before; got > int64(want*longestGap.Seconds())+1 {
		t.Errorf("after an hour: %d jobs came due at once", got)
	}
	o.Frame(time.Second, 0, x)
	if o.Reset(1); o.Counts != (Counts{}) || len(o.free) != len(o.all) {
		t.Errorf("after Reset: %+v, %d of %d jobs are free", o.Counts, len(o.free), len(o.all))
	}
}

// The load is the mean over the time in which jobs were offered, also of two stretches together.
func TestOfferKnowsItsLoad(t *testing.T) {
	o, x := newOffer(Config{}), &held{}
	o.CPUs, o.detail = 2, 1
	o.Reset(3)
	play := func(frames int, load float64) Counts {
		before := o.Counts
		for range frames {
			o.Frame(time.Second/60, load, x)
		}
		return o.Counts.Minus(before)
	}
	whole, half, none := play(60, 1.3), play(120, 0.4), play(60, 0)
	if whole.Load() != 1.3 || half.Load() != 0.4 || none.Load() != 0 || (Counts{}).Load() != 0 {
		t.Errorf("loads of %v, %v, %v and %v", whole.Load(), half.Load(), none.Load(), Counts{}.Load())
	}
	if got := whole.Plus(half).Load(); got != 0.7 {
		t.Errorf("one second of 1.3 and two of 0.4 are %v", got)
	}
}
