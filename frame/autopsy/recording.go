package autopsy

import (
	"strings"
	"time"

	"golang.org/x/exp/trace"

	"github.com/frameslice/frameslice/internal/regions"
)

// These stand in a trace: ours begins the types of regions and the categories of logs.
const (
	ours         = "frameslice."
	logFrame     = string(regions.Frame) // at Begin: the frame's number
	logThread    = regions.Thread        // at Begin, and after long regions: what the thread has used
	logWait      = regions.Wait          // at Begin: the loop's own wait
	logLate      = ours + "late"         // of Box.Late
	logFile      = ours + "file"         // of a Box: for which frame the file is
	logContinued = ours + "continued"    // of a Box, after SIGCONT
)

// A recording is a trace in the form that replay plays: what an account needs of the events, in the order of time.
type recording struct {
	events  list
	texts   table[string]      // regions, reasons
	stacks  table[trace.Stack] // where goroutines blocked
	threads table[trace.ThreadID]
	ids     table[trace.GoID]
	gs      []identity
	laters  []later
	ps      []processorState
	procs   int       // GOMAXPROCS so far; 0: unknown
	frames  []instant // the logs of Begin
	samples []sample
	resumed []int64   // the times of SIGCONT
	stopped worldStop // the latest stop of the world
	end     int64     // the time of the last event
	file    uint64    // the late frame for which a Box wrote the file; 0: none
	wanted  uint64    // the late frame that is asked for; 0: that of the Box's file, or the latest
}

// A table numbers values in the order in which they come.
type table[T comparable] struct {
	all []T
	nth map[T]int32
}

func (t *table[T]) number(v T) int32 {
	n, ok := t.nth[v]
	if !ok {
		if t.nth == nil {
			t.nth = map[T]int32{}
		}
		n = int32(len(t.all))
		t.nth[v], t.all = n, append(t.all, v)
	}
	return n
}

type kind uint8

const (
	toState     kind = iota // of a goroutine
	toProc                  // of a P: idle or running
	regionBegin             // what is the region's type
	regionEnd
	assistBegin
	assistEnd
	sweepBegin // of a P
	sweepEnd
	stopBegin // of the world
	stopEnd
	toProcs // GOMAXPROCS is what
	looked  // a CPU profile looked at the goroutine
)

// A processorState is that of a P while the trace is read. The numbers are those of events.
type processorState struct {
	idle  bool
	since int64 // the time when it became idle
	woke  int32 // when it last was no longer idle
	ran   int32 // when the latest goroutine began to run there; just before the P looked at its timers
}

// A worldStop is a stop of the world: the number of the event with which it began, and when the world continued.
type worldStop struct {
	since int32
	until int64
}

// An event is what happened to goroutine g or to a P.
type event struct {
	at    int64
	g     int32 // none: -1
	by    int32 // of a block: the goroutine that ends the block; unknown: -1; a timer: byNobody
	in    int32 // of a block: the region that goroutine is in then; none: -1
	m     int32 // the thread
	what  int32
	stack int32
	due   int32 // of a block that a timer ends: the event from which on the timer may have been late; none: 0
	proc  int16
	kind  kind
	to    trace.GoState // of a P: running or waiting
}

// byNobody ends a block without a goroutine: a timer does, or the network.
const byNobody = -2

const handing = int64(time.Millisecond) // a P that is idle for less is handed over to another thread

// An identity is what is known of a goroutine at all times.
type identity struct {
	name  string // of its function
	gc    bool   // it works for the garbage collection
	since int32  // the event of its latest block
	waits bool
	in    []int32 // its regions
	ended int64   // when the latest region ended
	was   int32   // and which one
	first int32   // the event after which its state at the beginning of the trace is known; none: 0
	older []int32 // the regions that were open when the trace began, the innermost first
}

// An instant is a Begin.
type instant struct {
	at           int64
	g            int32
	number       uint64
	sample       int // the one before; none: -1
	waited, woke int64
}

// near is how long after the log of a thread that of the frame comes at most.
const near = time.Millisecond

// A sample says what a thread had used up at one time. Begin logs one, a little after it has read the time.
type sample struct {
	at           int64
	g, m         int32
	cpu, delay   int64 // the delay is negative if it is unknown
	minor, major int64
	quota        int64 // for how long the CPU quota kept all threads off
	process      int64 // what all threads of the process have had of processors; 0: unknown
}

// A later is a late frame as Box.Late told.
type later struct {
	at, since, interval, target int64
	fault                       int64 // how long a page fault takes
	number                      uint64
	g                           int32
}

// goroutine returns the number of a goroutine, or -1.
func (r *recording) goroutine(id trace.GoID) int32 {
	if id == trace.NoGoroutine {
		return -1
	}
	g := r.ids.number(id)
	if int(g) == len(r.gs) {
		r.gs = append(r.gs, identity{})
	}
	return g
}

func (r *recording) add(e *trace.Event) {
	v := event{
		at: int64(e.Time()), g: r.goroutine(e.Goroutine()), by: -1, in: -1, m: r.threads.number(e.Thread()),
		stack: -1,
		proc:  processor(e.Proc()),
	}
	r.end = max(r.end, v.at)
	switch e.Kind() {
	case trace.EventStateTransition:
		switch s := e.StateTransition(); s.Resource.Kind {
		case trace.ResourceGoroutine:
			r.goroutineTo(v, s, e.Stack())
		case trace.ResourceProc:
			v.kind, v.proc, v.to = toProc, processor(s.Resource.Proc()), trace.GoWaiting
			if _, to := s.Proc(); to == trace.ProcRunning {
				v.to = trace.GoRunning
			}
			if v.proc >= 0 {
				r.push(v)
			}
		}
	case trace.EventRegionBegin, trace.EventRegionEnd:
		v.kind, v.what = regionBegin, r.texts.number(e.Region().Type)
		if e.Kind() == trace.EventRegionEnd {
			v.kind = regionEnd
		}
		if v.g >= 0 {
			r.gs[v.g].region(&v)
		}
		r.push(v)
	case trace.EventMetric:
		if m := e.Metric(); m.Name == "/sched/gomaxprocs:threads" && m.Value.Kind() == trace.ValueUint64 {
			v.kind, v.what = toProcs, int32(min(m.Value.Uint64(), mostPs))
			r.procs = int(v.what)
			r.push(v)
		}
	case trace.EventStackSample:
		if v.kind = looked; v.g >= 0 {
			v.stack = r.stacks.number(e.Stack())
			r.push(v)
		}
	case trace.EventRangeBegin, trace.EventRangeActive, trace.EventRangeEnd:
		r.ranged(v, e.Range(), e.Kind() != trace.EventRangeEnd)
	case trace.EventLabel:
		if g := r.goroutine(e.Label().Resource.Goroutine()); g >= 0 {
			r.gs[g].gc = true // only the workers of the garbage collection have labels
		}
	case trace.EventLog:
		if l := e.Log(); v.g >= 0 && strings.HasPrefix(l.Category, ours) {
			r.log(v, l.Category, l.Message)
		}
	}
}

// region notes a region of a goroutine.
func (id *identity) region(e *event) {
	if e.kind == regionEnd {
		if len(id.in) == 0 {
			id.older = append(id.older, e.what)
		}
		id.ended, id.was = e.at, e.what
	}
	id.in = nest(id.in, e)
}

// nest returns the open regions of a goroutine after one more has begun or ended.
func nest(open []int32, e *event) []int32 {
	n := len(open)
	switch {
	case e.kind == regionBegin:
		return append(open, e.what)
	case n > 0 && open[n-1] == e.what:
		return open[:n-1]
	}
	return open
}

// innermost returns the last of the open regions, or -1.
func innermost(open []int32) int32 {
	if n := len(open); n > 0 {
		return open[n-1]
	}
	return -1
}

// push adds v. The reader sorts events by cause, so now and then a time is a little earlier than the one before.
func (r *recording) push(v event) {
	v.at = max(v.at, r.last())
	if v.proc >= 0 {
		for int(v.proc) >= len(r.ps) {
			r.ps = append(r.ps, processorState{idle: true})
		}
		p, n := &r.ps[v.proc], int32(r.events.n)
		switch {
		case v.kind == toProc && v.to != trace.GoRunning:
			p.idle, p.since = true, v.at
		case v.kind == toProc, v.kind == toState && v.to == trace.GoRunning:
			if p.idle && v.at-p.since > handing {
				p.woke = n
			}
			p.idle = false
		}
	}
	r.events.add(v)
}

// due returns the event since which a timer that a P handles now may be late, as goroutines held all Ps, or because the
// world was stopped until just now. None: 0.
func (r *recording) due(proc int16, at int64) int32 {
	if r.stopped.until > 0 && at-r.stopped.until <= handing {
		return r.stopped.since
	}
	if proc < 0 || int(proc) >= len(r.ps) {
		return 0
	}
	n := r.ps[proc].ran
	for i, p := range r.ps {
		if r.procs > 0 && i >= r.procs { // it is gone
			break
		}
		if n = max(n, p.woke); p.idle && at-p.since > handing {
			return 0
		}
	}
	return n
}

// goroutineTo has the transition of a goroutine, and the stack of the one that made it so.
func (r *recording) goroutineTo(v event, s trace.StateTransition, at trace.Stack) {
	actor := v.g
	v.kind, v.g = toState, r.goroutine(s.Resource.Goroutine())
	if v.g < 0 {
		return
	}
	from, to := s.Goroutine()
	id := &r.gs[v.g]
	switch {
	case from == trace.GoNotExist:
		*id = identity{name: entry(s.Stack, at)}
	case id.name == "":
		id.name = entry(s.Stack, s.Stack)
	}
	if from == to {
		return // a new generation of the trace says all states again
	}
	v.to = to
	if id.waits && to != trace.GoWaiting {
		id.waits = false
		if from == trace.GoWaiting && actor != v.g {
			b := r.events.nth(id.since)
			if b.by = actor; actor < 0 {
				b.by, b.due = byNobody, r.due(v.proc, v.at)
			} else if by := &r.gs[actor]; by.name == finalizers {
				if _, f := foreign(at); f != "" {
					b.in = r.texts.number("the finalizer " + short(f))
				}
			} else if len(by.in) == 0 && by.ended > b.at {
				b.in = by.was // as of a job, whose waiters continue after its end
			} else {
				b.in = innermost(by.in)
			}
		}
	}
	if to != trace.GoRunning {
		reason := s.Reason
		if from == trace.GoUndetermined && reason == "" && to == trace.GoWaiting {
			reason = reasonOf(s.Stack) // it has waited since before the trace
		}
		v.what, v.stack = r.texts.number(reason), r.stacks.number(s.Stack)
		if from == trace.GoRunning && s.Reason == "" && to == trace.GoWaiting {
			v.what = r.texts.number(coroutine) // the goroutine switches to another one
		}
		if to == trace.GoWaiting {
			id.waits, id.since = true, int32(r.events.n)
		}
	}
	if r.push(v); from == trace.GoUndetermined {
		id.first = int32(r.events.n)
	}
	if from == trace.GoRunnable && to == trace.GoRunning && v.proc >= 0 {
		r.ps[v.proc].ran = int32(r.events.n - 1)
	}
}

func (r *recording) last() int64 {
	if r.events.n == 0 {
		return 0
	}
	return r.events.nth(int32(r.events.n - 1)).at
}

func (r *recording) ranged(v event, g trace.Range, begins bool) {
	kinds := [2]kind{assistEnd, assistBegin}
	switch {
	case g.Scope.Kind == trace.ResourceProc:
		kinds = [2]kind{sweepEnd, sweepBegin}
		v.proc = processor(g.Scope.Proc())
	case g.Scope.Kind != trace.ResourceGoroutine:
		return
	case strings.HasPrefix(g.Name, "stop-the-world"):
		kinds = [2]kind{stopEnd, stopBegin}
		why := strings.TrimSuffix(strings.TrimPrefix(g.Name, "stop-the-world ("), ")")
		if v.what = r.texts.number(why); begins {
			r.stopped = worldStop{since: int32(r.events.n)}
		} else {
			r.stopped.until = v.at
		}
	default:
		v.g = r.goroutine(g.Scope.Goroutine())
	}
	if v.kind = kinds[0]; begins {
		v.kind = kinds[1]
	}
	r.push(v)
}

// coroutine is the reason of a goroutine that waits until another one switches back to it.
const coroutine = "coroutine"
