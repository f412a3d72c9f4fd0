package frame

import (
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/bridge"
	"github.com/frameslice/frameslice/workers"
)

// jobs runs jobs of the pool in slices, and knows whether they have anywhere else to run. The baton's holder only.
type jobs struct {
	pool        *workers.Pool
	runner      bridge.Runner
	stats       workers.Stats // as of at most statsEvery frames ago
	noWorkers   bool          // of the ordinary kind: urgent jobs run in the slice or nowhere
	overrunFits bool          // the last frame with a job that did not fit its slice was in time all the same
	starved     int           // frames in which jobs waited for the slice and none ran
}

// look looks at the pool.
func (j *jobs) look() {
	j.pool.Stats(&j.stats)
	j.noWorkers = j.stats.Workers == 0
}

// run runs jobs that fit until the deadline, and returns how many have ended.
func (j *jobs) run(s *slice, until deadline.Deadline) (n int) {
	n = j.runner.RunUntil(until)
	s.jobs += n
	name, d := j.runner.Longest()
	if name != "" {
		end, _ := until.Instant()
		s.turns, s.ranTooLong = true, s.ranTooLong || end > s.until
	}
	if d > s.worstJobCost {
		s.worstJob, s.worstJobCost = name, d
	}
	return n
}

// until returns the deadline of jobs in s, which ends at d: usually d. If there is no worker, and no job has fitted for
// starvedFrames frames, the deadline of jobs is later than d, and the extra time doubles with each frame. So even a job
// that is longer than any slice runs in the end, and makes one late frame. RunUntil also begins such a job after 100
// ms, but not in a slice without any time, and a host that draws on demand would draw frame after frame meanwhile. If
// the last frame with such a job was in time, the reserve is larger than the host needs, and jobs that overrun the
// slice show that. So the next job need not wait for so many frames.
func (j *jobs) until(s *slice, d deadline.Deadline, reserve time.Duration) deadline.Deadline {
	length := max(s.until.Sub(s.begin), leastRoom)
	switch {
	case s.turns:
		return d
	case j.starved >= starvedFrames:
		length <<= min(j.starved-starvedFrames, 16)
	case j.overrunFits:
		length = max(length/2, reserve*3/4)
	default:
		return d
	}
	return deadline.At(s.until.Add(min(length, time.Second)))
}

// feed counts the frames in which jobs waited for the slice and none ran in it. small says that the slice was small on
// purpose, which is no lack of time.
func (j *jobs) feed(s *slice, small bool) {
	forced := j.stats.Forced
	j.pool.Stats(&j.stats)
	s.ranTooLong = s.ranTooLong || j.stats.Forced != forced
	if !small {
		j.starved++
	}
	if s.turns || !j.unserved() {
		j.starved = 0
	}
}

// unserved reports whether, as of the last look at a pool without ordinary workers, jobs waited that only the slice
// runs. Background workers take all but the urgent jobs.
func (j *jobs) unserved() bool {
	q := &j.stats.Queued
	if j.stats.Background > 0 {
		return q[deadline.Immediate.Lane()]+q[deadline.UserBlocking.Lane()] > 0
	}
	return *q != [deadline.NumPriorities]int{}
}
