package workers

import (
	"reflect"
	"sync/atomic"
	"time"
	"unsafe" // the address of a job is its number in the timeline

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/costs"
	"github.com/frameslice/frameslice/internal/hist"
	"github.com/frameslice/frameslice/internal/timeline"
)

type (
	kind  = costs.Kind[struct{}]
	gauge = costs.Gauge[struct{}]
)

// kinds are the kinds of job that a pool has met, and what they cost.
type kinds struct {
	costs.Table[struct{}]
	loop kind // what workers say that they run when they help a ParallelFor
}

// nameOf returns the label of a kind, which may be nil, or its function's name without the folders.
func nameOf(k *kind) string {
	if k == nil {
		return ""
	}
	return k.Short()
}

// identify returns what stands for the kind of it: a label, or else the code of a function. Some ns.
func identify(it item) (label string, code uintptr) {
	switch j := it.job(); {
	case j == nil:
		return "", reflect.ValueOf(it.fn()).Pointer()
	case j.Label != "":
		return j.Label, 0
	case j.exec != nil:
		return "", j.exec.entry()
	default:
		return "", reflect.ValueOf(j.Func).Pointer()
	}
}

// kindOf returns the kind of it.
func (ks *kinds) kindOf(it item) *kind {
	k, _ := ks.Get(identify(it))
	return k
}

// known returns the kind of it, or nil if no such job has been met.
func (ks *kinds) known(it item) *kind { return ks.Find(costs.KeyOf(identify(it))) }

// nameOf returns the name of the kind of it.
func (ks *kinds) nameOf(it item) string { return nameOf(ks.kindOf(it)) }

// costOf returns the predicted cost of it, or 0 if that is not known.
func (ks *kinds) costOf(it item) time.Duration {
	if it.job() != nil && it.job().Cost > 0 {
		return it.job().Cost
	}
	if k := ks.known(it); k != nil {
		return k.Expected()
	}
	return 0
}

// lateWake is how long a wake-up takes at most if it is not late.
const lateWake = time.Millisecond

// A profiler records what Profile tells of one worker. All other goroutines share one more profiler. Without
// Options.Profile there is none, which costs one load and a branch for each job. Otherwise a clock is read at each
// submission, start and end, and functions passed to Go become Jobs. That costs about 200 ns for each job, and an
// allocation for each function.
type profiler struct {
	run    [numLanes]atomic.Uint64
	stolen [numLanes]atomic.Uint64
	delay  [numLanes]hist.Tally
	late   atomic.Uint64
	wake   hist.Tally
	log    *timeline.Log // nil unless Options.Profile is positive
	sentAt atomic.Int64  // when the first wake-up of the worker's present sleep was sent, or 0
}

func newProfiler(o Options) *profiler {
	if o.Profile == 0 {
		return nil
	}
	pr := new(profiler)
	if o.Profile > 0 {
		pr.log = timeline.New(o.Profile)
	}
	return pr
}

// keepRun keeps a run for the timeline.
func (pr *profiler) keepRun(w *Worker, g *gauge, it item, begin, end deadline.Instant) {
	if pr.log == nil {
		return
	}
	r := timeline.Run{
		Begin: begin, End: end, Label: nameOf(g.Kind), Worker: uint8(max(w.index, 0)), Where: timeline.Caller,
	}
	if w.lane != forkLane {
		r.Priority = deadline.Immediate - deadline.Priority(w.lane)
	}
	if j := it.job(); j != nil {
		r.ID, r.Ready = uint64(uintptr(unsafe.Pointer(j))), j.since
	}
	switch {
	case w.role == runnerRole || w.role == yielderRole:
		r.Where = timeline.Runner
	case w.role == ownRole && w.class.low:
		r.Where = timeline.Background
	case w.role == ownRole:
		r.Where = timeline.Worker
	}
	pr.log.Add(r)
}

// addRuns adds what the profiler has kept of the timeline.
func (pr *profiler) addRuns(s *Profile) {
	if pr.log != nil {
		var dropped uint64
		s.Runs, dropped = pr.log.Read(s.Runs)
		s.RunsDropped += dropped
	}
}

// noteBegin notes the start of an item of a lane.
func (pr *profiler) noteBegin(lane int, it item) {
	if pr == nil {
		return
	}
	pr.run[lane].Add(1)
	if j := it.job(); j != nil && j.since != 0 {
		pr.delay[lane].Record(deadline.Now().Sub(j.since))
	}
}

// wakeSent notes when a sleeping worker is first sent a wake-up in its present sleep.
func (pr *profiler) wakeSent() {
	if pr.sentAt.Load() == 0 {
		pr.sentAt.CompareAndSwap(0, int64(deadline.Now()))
	}
}

// sleepBegins is called before the worker sleeps. It forgets the time of an earlier wake-up, which found the worker
// awake. The token of that wake-up may still be there, and end the sleep at once. No time is recorded then.
func (pr *profiler) sleepBegins() { pr.sentAt.Store(0) }

// sleepEnds notes that the worker continues.
func (pr *profiler) sleepEnds() {
	at := pr.sentAt.Swap(0)
	if at == 0 {
		return // no wake-up was noted
	}
	d := deadline.Now().Sub(deadline.Instant(at))
	pr.wake.Record(d)
	if d > lateWake {
		pr.late.Add(1)
	}
}

// timed makes a function a Job, so that there is a place for the time of its submission.
func (p *Pool) timed(prio deadline.Priority, f func()) item {
	j := &function{f: f}
	j.Priority = prio
	j.Job.exec = j
	j.prepare(p)
	return jobItem(&j.Job)
}

// addTo adds what a worker's profiler has recorded to s.
func (pr *profiler) addTo(s *Profile) {
	for l := range s.Lanes {
		s.Lanes[l].Run += pr.run[l].Load()
		s.Lanes[l].Stolen += pr.stolen[l].Load()
		pr.delay[l].AddTo(&s.Lanes[l].Delay)
	}
	s.Late += pr.late.Load()
	pr.wake.AddTo(&s.Wake)
	pr.addRuns(s)
}

// While a trace is taken (runtime/trace), each job is a region with the job's label, and so is each part that a worker
// takes in a ParallelFor. A job of less than 20 µs is a region only when it is timed, now and then: a region takes
// longer than such a job.

// show says what kind of work the worker does from now on, nil for none.
func (w *Worker) show(k *kind) {
	if w.role == ownRole { // the goroutine of a caller keeps its own labels
		w.profiler.tag(k)
	}
	if w.shown != k {
		w.shown = k
		w.seen.kind.Store(k)
	}
}

// tag gives the calling goroutine the label of a job for CPU profiles, if runs are kept. Each run sets the label:
// functions of the program may have changed it.
func (pr *profiler) tag(k *kind) {
	if pr != nil && pr.log != nil {
		k.Tag("job")
	}
}

// A function is a Job for a function that was passed to Go, with Options.Profile. A panic of it has no
// owner: see failures.blame.
type function struct {
	Job
	f func()
}

func (j *function) exec(*Worker) { j.f() }

func (j *function) execEnded(error) { j.f = nil }

func (j *function) entry() uintptr { return reflect.ValueOf(j.f).Pointer() }
