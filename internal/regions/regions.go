// Package regions writes into Go's execution trace (runtime/trace) what frames, tasks and jobs do. While no trace is
// taken, On costs one load, and nobody calls Begin.
//
// A region lies on the goroutine that began it. Regions of one goroutine nest: the one that began last ends first. A
// reader of traces refuses a trace in which they do not. So a region of ours never ends while a region of the program
// that began later may be open, with one exception. The region of a frame goes from Begin to End of the loop: a region
// of the program must lie within one frame, or around whole frames.
//
// A coroutine of the scheduler has a goroutine of its own, on which the program may keep a region open over a yield.
// So the region of a coroutine's turn lies on the goroutine that resumes the coroutine.
package regions

import (
	"context"
	"runtime"
	"runtime/trace"
	"strconv"
	"time"

	"github.com/frameslice/frameslice/internal/osthread"
	"github.com/frameslice/frameslice/internal/quota"
	"github.com/frameslice/frameslice/internal/where"
)

// A Kind is what a region is of. The type of the region is "frameslice." with the kind and, except for frames and
// slices, a space and a label.
type Kind string

const (
	// Frame is from Begin to End.
	Frame Kind = "frameslice.frame"
	// Slice is of the goroutine that runs the slice.
	Slice Kind = "frameslice.slice"
	// Phase is of the callbacks of a phase.
	Phase Kind = "frameslice.phase "
	// Section is of the frame's own work.
	Section Kind = "frameslice.section "
	// Task is a run of a task, a turn of a coroutine, or a row of short runs.
	Task Kind = "frameslice.task "
	// Job is a job, or the part that a worker takes in a ParallelFor.
	Job Kind = "frameslice.job "
)

// unnamed stands for a label that is empty, as of a fork.
const unnamed = "-"

// A Region is a part of the run of one goroutine. The zero Region is none.
type Region struct {
	region *trace.Region
	// goroutine is the number of the goroutine that began the region. A later goroutine may get the number when this
	// one has ended. But this one lives while the region is open: a region within one call is ended by that call, or by
	// a function that it defers, and the goroutine of a frame changes between frames only.
	goroutine uintptr
	outer     bool      // of a frame or a slice: after it there is time to open files
	meter     *Meter    // nil: the region's end logs nothing
	began     time.Time // with a meter
}

// On reports whether a trace is taken.
func On() bool { return trace.IsEnabled() }

// Names keeps the types of regions, and makes each once. The zero Names is empty, and nil keeps none. Names belongs to
// one goroutine at a time.
type Names struct{ made map[named]string }

type named struct {
	kind  Kind
	label string
}

const mostNames = 1024

// of returns the type of a region.
func (n *Names) of(k Kind, label string) string {
	if k == Frame || k == Slice {
		return string(k)
	}
	if label == "" {
		label = unnamed
	}
	if n == nil {
		return string(k) + label
	}
	by := named{k, label}
	name, ok := n.made[by]
	if !ok {
		if n.made == nil || len(n.made) == mostNames { // labels with a number in them
			n.made = map[named]string{}
		}
		name = string(k) + label
		n.made[by] = name
	}
	return name
}

// Begin is Meter.Begin without the logs of a Meter. It is for jobs: the thread of the frame seldom runs one.
func (n *Names) Begin(k Kind, label string) Region {
	return Region{region: trace.StartRegion(context.Background(), n.of(k, label)), goroutine: where.ID()}
}

// Begin begins a region on the calling goroutine. It takes about 300 ns while a trace is taken, and one allocation,
// which is the runtime's. At the end of a long region m logs what the thread has used up; m may be nil.
func (m *Meter) Begin(k Kind, label string) Region {
	if m == nil {
		return (*Names)(nil).Begin(k, label)
	}
	r := m.names.Begin(k, label)
	r.meter, r.outer, r.began = m, k == Frame || k == Slice, time.Now()
	return r
}

// BeginFrame begins the region of a frame, and logs the number of the frame and what the thread has used up.
func (m *Meter) BeginFrame(number uint64) Region {
	m.log(0)
	r := m.Begin(Frame, "")
	m.text = strconv.AppendUint(m.text[:0], number, 10)
	trace.Log(context.Background(), string(Frame), string(m.text))
	return r
}

// LogWait logs, after BeginFrame, that the loop itself has waited so long for the frame, and woke up so late.
func (m *Meter) LogWait(waited, woke time.Duration) { m.logNumbers(Wait, waited, woke) }

func (m *Meter) logNumbers(category string, all ...time.Duration) {
	m.text = m.text[:0]
	for _, d := range all {
		m.text = append(strconv.AppendInt(m.text, int64(d), 10), ' ')
	}
	trace.Log(context.Background(), category, string(m.text))
}

// These are categories of logs for package autopsy.
const (
	// A log of what a thread has used up: the numbers of osthread.Spent, of quota.Throttle, and of osthread.ProcessCPU.
	Thread = "frameslice.thread"
	Wait   = "frameslice.wait" // the two numbers of LogWait
)

// Between two logs of a thread are at least pause, except at the beginning of a frame. Only a region that took as long
// ends with a log: the log takes about 3 µs.
const pause = time.Millisecond

// A Meter logs what the thread has used up that runs a loop's frames, or the slices of a scheduler. It belongs to the
// loop or the scheduler. One goroutine at a time.
type Meter struct {
	thread   osthread.Meter
	throttle *quota.Throttle
	// goroutine is the number of the goroutine that logged last. If another one has got the number within a pause, one
	// log is left out.
	goroutine uintptr
	read      time.Time
	names     Names
	text      []byte
}

// NewMeter returns a Meter. It takes about 120 µs: call it outside of a frame. The garbage collector closes the files
// of a Meter that is no longer in use.
func NewMeter() *Meter {
	m := &Meter{throttle: &quota.Throttle{}}
	if runtime.GOOS == "linux" { // in a browser a look at files waits for the page
		m.throttle = quota.OpenThrottle()
	}
	return m
}

// log logs what the calling thread has used up, if this goroutine did not do so within the last pause.
func (m *Meter) log(pause time.Duration) {
	id, now := where.ID(), time.Now()
	if m.goroutine == id && now.Sub(m.read) < pause {
		return
	}
	if s, err := m.thread.Read(); err == nil {
		all, _ := osthread.ProcessCPU()
		m.logNumbers(Thread, s.CPU, s.Delay, time.Duration(s.Minor), time.Duration(s.Major), m.throttle.Read(), all)
		m.goroutine, m.read = id, now
	}
}

// Open reports whether the region has begun and not ended.
func (r *Region) Open() bool { return r.region != nil }

// End ends the region, if there is one and the calling goroutine has begun it. A region that another goroutine has
// begun stays open: the trace would be unreadable otherwise.
func (r *Region) End() {
	if r.region != nil {
		r.end()
	}
}

func (r *Region) end() {
	if where.ID() == r.goroutine {
		if r.meter != nil && time.Since(r.began) >= pause {
			r.meter.log(pause)
		}
		r.region.End()
		if r.meter != nil && r.outer {
			r.meter.thread.Open()
		}
	}
	*r = Region{}
}
