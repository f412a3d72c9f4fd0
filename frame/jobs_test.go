package frame

import (
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
)

func TestJobsStarve(t *testing.T) {
	now := deadline.Now()
	d := deadline.At(now.Add(10 * milli))
	for _, c := range []struct {
		name        string
		starved     int
		overrunFits bool
		turns       bool
		want        time.Duration
	}{
		{"not yet", starvedFrames - 1, false, false, 10 * milli},
		{"long enough", starvedFrames, false, false, 20 * milli},
		{"the extra time doubles with each frame", starvedFrames + 2, false, false, 50 * milli},
		{"at most a second", 100, false, false, 1010 * milli},
		{"the last overrun was in time", 0, true, false, 16 * milli},
		{"a job has run", 100, true, true, 10 * milli},
	} {
		j := jobs{starved: c.starved, overrunFits: c.overrunFits}
		s := slice{begin: now, until: now.Add(10 * milli), turns: c.turns}
		if at, _ := j.until(&s, d, 8*milli).Instant(); at.Sub(now) != c.want {
			t.Errorf("%s: jobs until %v, want %v", c.name, at.Sub(now), c.want)
		}
	}
}
