package autopsy

import (
	"slices"
	"strings"

	"golang.org/x/exp/trace"

	"github.com/frameslice/frameslice/internal/regions"
)

// A key is the kind of a part of a frame, where the frame was, and what made it so, by their numbers in texts.
type key struct {
	kind   string
	in, by int32
}

// A wait is a part in which the frame was blocked, or in a system call: where in the program, by the number of the
// stack, and what the goroutine did that ends the block, by its number in texts. -1 is unknown.
type wait struct {
	key
	further, stack int32
}

// A tally is the account of one interval, in ns.
type tally struct {
	from, to  int64
	parts     map[key]int64
	further   map[wait]int64
	looks     map[look]int64  // how many
	holders   map[int32]int64 // who ran on the Ps while the frame was runnable
	procs     int             // and how many there were
	stoppers  map[int32]int64 // who ran on while the world was to stop
	threads   map[int32]int64 // how long goroutines ran on each thread
	moved     bool            // the frame ran on more than one thread
	m         int32           // its thread
	first     *sample         // what its thread had used up at the beginning
	last      *sample         // and at the end
	planned   [2]int64        // when the loop's own wait began, and when it was to end
	overdue   bool            // after that time the frame should have run
	stoppedAt [2]int64        // when the process was stopped, and continued
	due       int64           // when a sleep that paces the frames should have ended; 0: no sleep does
	either    int64           // of the work: the system may have taken that, too
}

// live is the state of a goroutine during a replay.
type live struct {
	state   trace.GoState
	by      int32 // who will end the wait
	in      int32 // and in which region
	why     int32
	stack   int32
	due     int32
	m       int32
	cause   int32 // what it is blocked on, and what that means for others, once that has been asked for; before: -1
	further int32
	proc    int16
	assist  bool
	regions []int32
}

// A replay plays a recording and adds the time of one goroutine up.
type replay struct {
	*recording
	g      int32
	live   []live
	runs   []int32 // by P: the goroutine on it, or -1
	idle   []bool  // by P
	sweeps []bool  // by P
	alone  []bool  // by P: without a goroutine the scheduler makes others runnable, as timers do
	procs  int     // GOMAXPROCS; 0: unknown
	halt   bool    // the world is stopped, or to stop
	stops  int32   // the goroutine that stops it
	why    int32   // and for what

	all  []*tally // in the order of time, no two at once
	next int
}

func newReplay(r *recording, g int32) *replay {
	p := &replay{recording: r, g: g, live: make([]live, len(r.gs))}
	n := len(r.ps)
	p.runs, p.idle, p.sweeps, p.alone = make([]int32, n), make([]bool, n), make([]bool, n), make([]bool, n)
	for i := range p.runs {
		p.runs[i], p.idle[i] = -1, true
	}
	turn := turns{}
	for i := range p.live {
		turn.yield()
		p.live[i] = absent
		p.live[i].regions = slices.Clone(r.gs[i].older)
		slices.Reverse(p.live[i].regions)
		if n := r.gs[i].first; n > 0 { // it was in this state since the beginning
			p.to(r.events.nth(n - 1))
		}
	}
	clear(p.alone)
	return p
}

// absent is the state of a goroutine of which nothing is known.
var absent = live{by: -1, in: -1, m: -1, proc: -1, stack: -1, cause: -1, further: -1}

const mostPs = 4096

// processor returns the number of a P. It is -1 without one, and for numbers that only a damaged file has.
func processor(p trace.ProcID) int16 {
	if p < 0 || p >= mostPs {
		return -1
	}
	return int16(p)
}

// play fills the tallies in.
func (p *replay) play(all []*tally) {
	p.all = all
	if p.events.n == 0 {
		return
	}
	from := p.events.nth(0).at
	for i, t := 0, (turns{}); i < p.events.n; i++ {
		t.yield()
		e := p.events.nth(int32(i))
		if e.at > from {
			p.pass(from, e.at)
			from = e.at
		}
		p.look(e)
		p.apply(e)
	}
	p.pass(from, p.end)
}

// pass adds the time from a to b, in which nothing happens, to the tallies.
func (p *replay) pass(a, b int64) {
	for p.next < len(p.all) && p.all[p.next].to <= a {
		p.next++
	}
	for _, t := range p.all[p.next:] {
		if t.from >= b {
			return
		}
		// Cut where what the time is called may change.
		from, to := max(a, t.from), min(b, t.to)
		cuts := [...]int64{t.planned[0], t.planned[1], t.stoppedAt[0], t.stoppedAt[1], t.due, to}
		for from < to {
			until := to
			for _, c := range cuts {
				if c > from && c < until {
					until = c
				}
			}
			p.count(t, from, until-from)
			from = until
		}
	}
}

// count adds d from at on, where nothing changes.
func (p *replay) count(t *tally, at, d int64) {
	k := p.now(t, at, d)
	t.parts[k] += d
	if l := &p.live[p.carrier()]; l.state == trace.GoRunning {
		t.moved = t.moved || t.m >= 0 && t.m != l.m
		t.m = l.m
	}
	for i, g := range p.runs {
		if g >= 0 && !p.idle[i] && p.live[g].state == trace.GoRunning {
			t.threads[p.live[g].m] += d
		}
	}
}

// now says what the frame does at a time. It also notes for how long others are the reason.
func (p *replay) now(t *tally, at, d int64) key {
	g := p.carrier()
	l := &p.live[g]
	k := key{kindUnknown, p.place(g), -1}
	if g != p.g && k.in < 0 {
		k.in = p.place(p.g)
	}
	planned := at >= t.planned[0] && at < t.planned[1]
	overdue := t.overdue && at >= t.planned[1]
	if at >= t.stoppedAt[0] && at < t.stoppedAt[1] && !planned {
		k.kind = kindSuspended
		return k
	}
	switch l.state {
	case trace.GoRunning:
		switch {
		case p.halt && p.stops == g:
			k.kind, k.by = kindStopped, p.why
			p.noteStoppers(t, d)
		case l.assist, l.proc >= 0 && p.sweeps[l.proc]:
			k.kind = kindAssist
		default:
			k.kind = kindWork
		}
	case trace.GoRunnable:
		if k.kind, k.by = p.held(t, d); k.kind == kindSystem && strings.Contains(p.texts.all[l.why], "Gosched") {
			if k.kind, k.by = kindBlocked, p.cause(l); l.assist {
				k.kind, k.by = kindAssist, -1
			} else {
				t.further[wait{k, -1, l.stack}] += d
			}
		}
	case trace.GoSyscall:
		switch {
		case planned:
			k.kind = kindWait
		case overdue && g == p.g && !p.inside():
			k.kind, k.by = kindSystem, p.texts.number(lateWake)
		default:
			k.kind, k.by = kindSyscall, p.cause(l)
			t.further[wait{k, -1, l.stack}] += d
		}
	case trace.GoWaiting:
		why := p.texts.all[l.why]
		timer := l.by < 0 && byTimer(why)
		switch {
		case timer && t.due > 0 && g == p.g && !p.inside():
			if k.kind = kindWait; at >= t.due {
				k.kind, k.by = p.held(t, d)
			}
		case strings.Contains(why, "GC mark"), why == "preempted":
			k.kind = kindAssist
		case timer && (overdue && !p.inside() || !planned && l.due > 0 && at >= p.events.nth(l.due).at):
			k.kind, k.by = p.held(t, d)
		case planned:
			k.kind = kindWait
		case p.halt && l.by >= 0 && p.live[l.by].state == trace.GoRunnable: // it would end the wait
			k.kind, k.by = p.held(t, d)
		default:
			k.kind, k.by = kindBlocked, p.cause(l)
			t.further[wait{k, p.further(l), l.stack}] += d
		}
	}
	return k
}

// byTimer reports whether a timer may end a block that no goroutine ends.
func byTimer(why string) bool {
	return why == "sleep" || why == "select" || why == "chan receive" || why == "sync"
}

// carrier is the goroutine on which the frame's time depends: the frame's own, or the coroutine to which it has
// switched. While the frame waits for the slice, that is the slice's goroutine. While the host waits for a goroutine in
// a system call, it is that goroutine.
func (p *replay) carrier() int32 {
	g := p.g
	for range 4 {
		l := &p.live[g]
		if l.state != trace.GoWaiting || l.by < 0 {
			break
		}
		next := &p.live[l.by]
		shows := next.state == trace.GoSyscall && !p.inside() // on the thread of a window
		if p.texts.all[l.why] != coroutine && !shows && !p.slices(next) {
			break
		}
		g = l.by
	}
	return g
}

func (p *replay) slices(l *live) bool {
	for _, r := range l.regions {
		if p.texts.all[r] == string(regions.Slice) {
			return true
		}
	}
	return false
}

// inside reports whether the frame's goroutine is in a frame. Outside, it waits for the next one.
func (p *replay) inside() bool {
	for _, r := range p.live[p.g].regions {
		if strings.HasPrefix(p.texts.all[r], ours) {
			return true
		}
	}
	return false
}

// place returns where a goroutine is, by its innermost region.
func (p *replay) place(g int32) int32 { return innermost(p.live[g].regions) }

// apply makes an event part of the state.
func (p *replay) apply(e *event) {
	switch e.kind {
	case toState:
		p.to(e)
	case toProc:
		p.idle[e.proc], p.alone[e.proc] = e.to != trace.GoRunning, false
		if p.idle[e.proc] {
			p.runs[e.proc] = -1
		}
	case sweepBegin, sweepEnd:
		if e.proc >= 0 {
			p.sweeps[e.proc] = e.kind == sweepBegin
		}
	case stopBegin:
		p.halt, p.stops, p.why = true, e.g, e.what
	case stopEnd:
		p.halt = false
	case toProcs:
		p.procs = int(e.what)
	}
	if e.g < 0 {
		return
	}
	l := &p.live[e.g]
	switch e.kind {
	case assistBegin, assistEnd:
		l.assist = e.kind == assistBegin
	case regionBegin, regionEnd:
		l.regions = nest(l.regions, e)
	}
}

func (p *replay) to(e *event) {
	l := &p.live[e.g]
	if q := e.proc; q >= 0 && e.to == trace.GoRunnable && p.runs[q] < 0 {
		p.alone[q] = true
	}
	if q := l.proc; q >= 0 && e.to != trace.GoSyscall && p.runs[q] == e.g {
		p.runs[q] = -1
	}
	l.state, l.by, l.in, l.why, l.stack, l.due = e.to, e.by, e.in, e.what, e.stack, e.due
	l.cause, l.further = -1, -1
	switch e.to {
	case trace.GoRunning:
		l.m, l.proc = e.m, e.proc
		if e.proc >= 0 {
			p.runs[e.proc], p.idle[e.proc], p.alone[e.proc] = e.g, false, false
		}
	case trace.GoSyscall:
		if l.m < 0 {
			l.m = e.m
		}
	case trace.GoNotExist:
		regions := l.regions[:0]
		*l = absent
		l.regions = regions
	default:
		l.proc = -1
	}
}
