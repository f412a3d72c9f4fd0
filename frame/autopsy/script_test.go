package autopsy

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"golang.org/x/exp/trace"
)

// A script writes a trace by hand: times are in ms, P n runs thread n.
type script struct {
	t   testing.TB
	rec recording
	at  float64
	on  map[trace.GoID]trace.ProcID // goroutines on a P
	is  map[trace.GoID]trace.GoState
	by  []string // the stack of the event's own goroutine, if it differs from that of the transition
}

func newScript(t testing.TB) *script {
	return &script{t: t, on: map[trace.GoID]trace.ProcID{}, is: map[trace.GoID]trace.GoState{}}
}

func feed[T trace.EventDetails](s *script, k trace.EventKind, g trace.GoID, p trace.ProcID, details T) {
	s.t.Helper()
	c := trace.EventConfig[T]{
		Time: trace.Time(s.at * 1e6), Kind: k, Goroutine: g, Proc: p, Thread: trace.ThreadID(p), Details: details,
	}
	if to, ok := any(details).(trace.StateTransition); ok {
		if c.Stack = to.Stack; len(s.by) > 0 {
			c.Stack = stack(s.by...)
		}
	}
	e, err := trace.MakeEvent(c)
	if err != nil {
		s.t.Fatal(err)
	}
	s.rec.add(&e)
}

func stack(functions ...string) trace.Stack {
	frames := make([]trace.StackFrame, len(functions))
	for i, f := range functions {
		frames[i] = trace.StackFrame{PC: uint64(i + 1), Func: f, File: "x.go", Line: 1}
	}
	return trace.MakeStack(frames)
}

func (s *script) to(g, by trace.GoID, p trace.ProcID, to trace.GoState, why string, at trace.Stack) {
	s.t.Helper()
	tr := trace.MakeGoStateTransition(g, s.is[g], to)
	tr.Reason, tr.Stack = why, at
	feed(s, trace.EventStateTransition, by, p, tr)
	s.is[g] = to
}

// procs makes Ps busy or idle.
func (s *script) procs(from, to trace.ProcState, all ...trace.ProcID) {
	for _, p := range all {
		feed(s, trace.EventStateTransition, trace.NoGoroutine, p, trace.MakeProcStateTransition(p, from, to))
	}
}

// create makes goroutine g, which runs function on P p from now on. A goroutine with the stack by has begun it.
func (s *script) create(g trace.GoID, function string, p trace.ProcID, by ...string) {
	s.is[g] = trace.GoNotExist
	s.by = by
	s.to(g, trace.NoGoroutine, p, trace.GoRunnable, "", stack(function))
	s.by = nil
	s.run(g, p)
}

func (s *script) run(g trace.GoID, p trace.ProcID) {
	s.on[g] = p
	s.to(g, trace.NoGoroutine, p, trace.GoRunning, "", trace.NoStack)
}

func (s *script) block(g trace.GoID, why string) {
	s.to(g, g, s.on[g], trace.GoWaiting, why, stack("sync.f"))
}

// blockAt blocks g where those functions are, the innermost first.
func (s *script) blockAt(g trace.GoID, why string, functions ...string) {
	s.to(g, g, s.on[g], trace.GoWaiting, why, stack(functions...))
}

// looks has the runtime look n times at g, which runs those functions, in as many ms each.
func (s *script) looks(g trace.GoID, n int, each float64, functions ...string) {
	for range n {
		s.at += each
		s.to(g, g, s.on[g], trace.GoRunnable, "preempted", stack(functions...))
		s.run(g, s.on[g])
	}
}

// waits has the frame wait for goroutine by.
func (s *script) waits(ms float64, by trace.GoID) {
	s.block(1, "chan receive")
	s.at += ms
	s.wake(1, by)
	s.run(1, 0)
}

func (s *script) preempt(g trace.GoID) {
	s.to(g, g, s.on[g], trace.GoRunnable, "preempted", trace.NoStack)
}

func (s *script) call(g trace.GoID, functions ...string) {
	s.to(g, g, s.on[g], trace.GoSyscall, "", stack(functions...))
}

func (s *script) back(g trace.GoID) { s.to(g, g, s.on[g], trace.GoRunning, "", trace.NoStack) }

// wake makes g runnable; by is NoGoroutine for a timer.
func (s *script) wake(g, by trace.GoID) { s.to(g, by, s.on[g], trace.GoRunnable, "", trace.NoStack) }

func (s *script) begin(g trace.GoID, region string) {
	feed(s, trace.EventRegionBegin, g, s.on[g], trace.Region{Type: region})
}

func (s *script) end(g trace.GoID, region string) {
	feed(s, trace.EventRegionEnd, g, s.on[g], trace.Region{Type: region})
}

func (s *script) log(g trace.GoID, category string, numbers ...any) {
	message := strings.TrimSpace(fmt.Sprintln(numbers...))
	feed(s, trace.EventLog, g, s.on[g], trace.Log{Category: category, Message: message})
}

func (s *script) ranged(g trace.GoID, name string, begins bool) {
	k := trace.EventRangeEnd
	if begins {
		k = trace.EventRangeBegin
	}
	feed(s, k, g, s.on[g], trace.Range{Name: name, Scope: trace.MakeResourceID(g)})
}

// frames is a game: goroutine 1 on P 0 of two, with a frame at 0 and one at 10 ms, each with 2 ms of own work. Then it
// is at 20 ms in a third frame, of which the test tells. finish ends that frame.
func frames(t testing.TB) *script {
	s := newScript(t)
	s.procs(trace.ProcUndetermined, trace.ProcIdle, 0, 1)
	s.procs(trace.ProcIdle, trace.ProcRunning, 0)
	s.create(1, "main.main", 0)
	for n := range 2 {
		s.at = float64(10 * n)
		s.frame(n + 1)
		s.begin(1, "frameslice.frame")
		s.at += 2
		s.end(1, "frameslice.frame")
		s.call(1, "golang.org/x/sys/unix.Nanosleep", "example.com/driver.(*Window).Swap", "main.main")
		s.at += 8
		s.back(1)
	}
	s.at = 20
	s.frame(3)
	s.begin(1, "frameslice.frame")
	return s
}

func (s *script) frame(n int) {
	ms := int(s.at * 1e6)
	s.log(1, logThread, ms, 0, 0, 0, 0, 2*ms+1) // neither thread was ever off its processor
	s.log(1, logFrame, n)
}

// finish ends the frame in progress as the late one.
func (s *script) finish() Report {
	s.t.Helper()
	s.end(1, "frameslice.frame")
	s.frame(4)
	return s.report(0)
}

func (s *script) report(woke float64) Report {
	s.t.Helper()
	if woke > 0 {
		s.log(1, logWait, int((s.at-20)*1e6), int(woke*1e6))
	}
	interval := s.at - 20
	s.log(1, logLate, 4, 0, int(interval*1e6), 10_000_000, 4400)
	r, err := s.rec.report()
	if err != nil {
		s.t.Fatal(err)
	}
	sum := time.Duration(0)
	for _, p := range r.Parts {
		if sum += p.Time; p.Time <= 0 || p.Usual < 0 || p.Usual > p.Time {
			s.t.Errorf("a part of %v, usually %v", p.Time, p.Usual)
		}
	}
	if sum != r.Interval || r.Interval != time.Duration(interval*1e6) {
		s.t.Errorf("parts of %v are together %v: %v", r.Interval, sum, r)
	}
	return r
}
