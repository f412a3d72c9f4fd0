package quota

import (
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// usual is the kernel's period if nobody has set another one.
const usual = 100 * time.Millisecond

// In every period, wherever it begins, jobs and frames together use no more than the quota, and jobs get much of what
// the frames leave. Where the frames need all, one job begins in a second.
func TestJobsAndFramesStayWithinTheQuota(t *testing.T) {
	const step = 100 * time.Microsecond
	for _, c := range []struct {
		grant
		frame, job time.Duration
		least      int // jobs in 10 s
	}{
		{grant{0.5, usual}, 4 * time.Millisecond, 2 * time.Millisecond, 600},
		{grant{0.5, usual}, 4 * time.Millisecond, 500 * time.Microsecond, 2400},
		{grant{0.3, usual}, 2 * time.Millisecond, time.Millisecond, 700},
		{grant{0.9, usual}, 8 * time.Millisecond, 8 * time.Millisecond, 200},
		{grant{0.25, usual}, 4 * time.Millisecond, 2 * time.Millisecond, 9},
		{grant{0.5, usual / 2}, 4 * time.Millisecond, 2 * time.Millisecond, 500},
		{grant{0.5, 4 * usual}, 4 * time.Millisecond, 15 * time.Millisecond, 80},
	} {
		var a Bucket
		var busy []time.Duration // processor time used before each step
		var used, frameLeft, jobLeft time.Duration
		next, began := deadline.Instant(1), 0
		for i := range int(10 * time.Second / step) {
			now := deadline.Instant(1).Add(time.Duration(i) * step)
			busy = append(busy, used)
			if i%167 == 0 {
				frameLeft += c.frame
			}
			if jobLeft <= 0 && now >= next {
				a.refill(&c.grant, now, used)
				wait := a.look(&c.grant, now, c.job)
				if next = now.Add(wait); wait == 0 {
					a.charge(&c.grant, c.job)
					began++
					jobLeft = c.job
				}
			}
			switch { // one processor: a frame interrupts a job
			case frameLeft > 0:
				frameLeft -= step
				used += step
			case jobLeft > 0:
				jobLeft -= step
				used += step
			}
		}
		if began < c.least {
			t.Errorf("%+v: %d jobs began", c, began)
		}
		if c.least < 10 {
			if began > 12 {
				t.Errorf("%+v: %d jobs began, though the frames need all", c, began)
			}
			continue
		}
		period := int(c.period / step)
		for i := period; i < len(busy); i++ {
			if d := busy[i] - busy[i-period]; d > c.whole() {
				t.Fatalf("%+v: %v used in a period that ends at step %d", c, d, i)
			}
		}
	}
}

// Jobs that begin at the same time, before the processor time shows any of them, share the burst.
func TestJobsThatBeginTogetherShareTheBurst(t *testing.T) {
	const job = 2 * time.Millisecond
	var a Bucket
	now := deadline.Instant(1)
	half := &grant{0.5, usual}
	a.refill(half, now, 0) // a burst of 5 ms
	began := 0
	for a.look(half, now, job) == 0 {
		a.charge(half, job)
		if began++; began > 2 {
			break
		}
	}
	if began != 2 {
		t.Errorf("%d jobs of %v began", began, job)
	}
	now = now.Add(20 * time.Millisecond)
	if a.refill(half, now, 2*job); a.look(half, now, job) != 0 {
		t.Error("denied when the jobs had ended, and the time was saved up")
	}
}
