package deadline_test

import (
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice/deadline"
)

func TestDeadline(t *testing.T) {
	var zero deadline.Deadline
	if deadline.At(deadline.Never) != zero {
		t.Error("At(Never) is not the zero Deadline")
	}
	if zero.Remaining() != math.MaxInt64 {
		t.Error("the zero Deadline expires")
	}
	if at, ok := zero.Instant(); ok || at != deadline.Never {
		t.Errorf("Instant of the zero Deadline = %d, %v", at, ok)
	}
	d := deadline.At(100)
	if at, ok := d.Instant(); !ok || at != 100 {
		t.Errorf("Instant = %d, %v, want 100, true", at, ok)
	}
}

func TestNowFollowsTheBubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := deadline.Now()
		d := deadline.In(3 * ms)
		time.Sleep(2 * ms)
		if got := deadline.Now().Sub(begin); got != 2*ms {
			t.Errorf("Now moved by %v in a bubble that slept 2 ms", got)
		}
		if d.Remaining() != ms {
			t.Errorf("a deadline of 3 ms after 2: remaining %v", d.Remaining())
		}
		time.Sleep(ms)
		if d.Remaining() != 0 {
			t.Errorf("a deadline of 3 ms after 3: remaining %v", d.Remaining())
		}
		time.Sleep(ms)
		if d.Remaining() != -ms {
			t.Errorf("a deadline of 3 ms after 4: remaining %v", d.Remaining())
		}
	})
}
