package lowprio

import (
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/osthread"
)

func TestACrowdBeginsWhenOthersKeepAJobOff(t *testing.T) {
	const now = deadline.Instant(time.Hour)
	quiet := used{part: 100 * time.Millisecond, of: time.Second}
	for _, c := range []struct {
		what    string
		d, lost time.Duration
		own     used
		begins  bool
	}{
		{"a job of 3 ms took a second", time.Second, 997 * time.Millisecond, quiet, true},
		{"a frame came between", 20 * time.Millisecond, 17 * time.Millisecond, quiet, false},
		{"a long job had half of the time", 4 * time.Second, 2 * time.Second, quiet, false},
		{
			"this process had both processors", time.Second, 997 * time.Millisecond,
			used{part: 1900 * time.Millisecond, of: time.Second}, false,
		},
	} {
		var k Crowd
		if k.begin(now, c.d, c.lost, c.own, 2); k.On() != c.begins {
			t.Errorf("%s: %v", c.what, k.On())
		}
	}
}

func TestACrowdEndsWhenJobsAreNotKeptOff(t *testing.T) {
	if _, err := osthread.ProcessTime(); err != nil {
		t.Skip(err)
	}
	var k Crowd
	now := deadline.Instant(time.Hour)
	k.begin(now, time.Second, 999*time.Millisecond, used{total: time.Hour, of: time.Second}, 2)
	next := func(ran, lost time.Duration) bool {
		now = now.Add(2 * window)
		k.add(ran, lost)
		k.judge(now, 2)
		return k.On()
	}
	k.add(time.Second, 0)
	if k.judge(now.Add(window-1), 2); !k.On() {
		t.Error("judged before the window was over")
	}
	if !next(2*time.Second, 2*time.Second) {
		t.Error("over although jobs were kept off")
	}
	if !next(least/2, 0) {
		t.Error("over after next to no jobs")
	}
	if next(time.Second, 0) {
		t.Error("not over although none was kept off")
	}
	if k.add(time.Second, time.Second); next(0, 0) {
		t.Error("judged when it is over")
	}
}

// In virtual time the clock stands 26 years before zero, and zero is no time to stand back until.
func TestNobodyStandsBackForNothing(t *testing.T) {
	var s Hold
	const now = -1 << 60
	s.due.Store(now + 1)
	s.trail.Store(1000)
	if left := s.holdLeft(now); left > 0 {
		t.Errorf("%v left before a frame is due", left)
	}
	if left := s.holdLeft(now + 1); left != 1000 {
		t.Errorf("%v left of 1 µs", left)
	}
	s.until.Store(now + 5000)
	if left := s.holdLeft(now + 1); left != 4999 {
		t.Errorf("%v left of 5 µs", left)
	}
}
