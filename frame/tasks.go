package frame

import (
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/bridge"
	"github.com/frameslice/frameslice/internal/hostcost"
	"github.com/frameslice/frameslice/internal/timeline"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

// tasks are the loop's schedulers: that of the slice, and with PlaceShadow one more for the tasks on the host's
// goroutine.
type tasks struct {
	sched *scheduler.Scheduler
	host  *scheduler.Scheduler // sched itself, except with PlaceShadow
	both  [2]*scheduler.Scheduler
	n     int             // schedulers in both
	logs  []*timeline.Log // one for each of both, if Options.Profile asks for runs
}

// add adds a scheduler: first that of the slice. The last one is the host's. It keeps what Options.Profile asks for.
func (t *tasks) add(s *scheduler.Scheduler, profile int) {
	if t.n == 0 {
		t.sched = s
	}
	t.host = s
	t.both[t.n] = s
	t.n++
	switch {
	case profile < 0:
		bridge.Of(s).KeepTimes()
	case profile > 0:
		log := timeline.New(profile)
		t.logs = append(t.logs, log)
		bridge.Of(s).KeepRuns(log)
	}
}

// all returns the schedulers, that of the slice first.
func (t *tasks) all() []*scheduler.Scheduler { return t.both[:t.n] }

// beginFrame tells that a frame has begun.
func (t *tasks) beginFrame(now deadline.Instant) {
	for _, s := range t.all() {
		s.BeginFrame(now)
	}
}

// shift puts all timers off.
func (t *tasks) shift(d time.Duration) {
	for _, s := range t.all() {
		s.Shift(d)
	}
}

// runPhase runs the callbacks of p.
func (t *tasks) runPhase(p scheduler.Phase) {
	t.host.RunPhase(p)
	if t.host != t.sched {
		bridge.Of(t.sched).NotePhase(p) // its requests to draw are answered by this frame's drawing as well
	}
}

// noteHost takes a frame of the host, and reports whether no task has left work to it.
func (t *tasks) noteHost(f hostcost.Frame) (bare bool) {
	bare = true
	for _, s := range t.all() {
		bare = bridge.Of(s).NoteHost(f) && bare
	}
	return bare
}

// controlHost keeps tasks that may leave work to the host out of the next slice.
func (t *tasks) controlHost() {
	for _, s := range t.all() {
		bridge.Of(s).ControlHost()
	}
}

// hostCause returns the kind of task after which the host was late most often, and how often.
func (t *tasks) hostCause() (task string, late uint64) {
	for _, s := range t.all() {
		if st := s.Stats(); st.HostLate > late {
			task, late = st.HostCause, st.HostLate
		}
	}
	return task, late
}

// dropped returns how many tasks were dropped.
func (t *tasks) dropped() (n uint64) {
	for _, s := range t.all() {
		n += s.Stats().Dropped
	}
	return n
}

// readTimes adds the costs of tasks, and reports whether they are kept.
func (t *tasks) readTimes(to *scheduler.Times) (kept bool) {
	for _, s := range t.all() {
		var more scheduler.Times
		if s.ReadTimes(&more) {
			to.Add(&more)
			kept = true
		}
	}
	return kept
}

// readRuns adds the runs of tasks to those of jobs, and reports whether they are kept.
func (t *tasks) readRuns(to *workers.Profile) (kept bool) {
	for i, log := range t.logs {
		from := len(to.Runs)
		runs, dropped := log.Read(to.Runs)
		if t.n > 1 && i == 0 { // of the slice in the shadow
			for k := range runs[from:] {
				runs[from+k].Where = timeline.Shadow
			}
		}
		to.Runs, to.RunsDropped = runs, to.RunsDropped+dropped
	}
	return len(t.logs) > 0
}
