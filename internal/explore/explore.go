// Package explore finds out in which interleavings a protocol between goroutines fails. A stress test meets such an
// interleaving once in an hour.
//
// Explore runs the real code, one atomic operation at a time, and prints the schedule of a fault. Programs does so for
// a package and its mutants, which are patches of its files. How that works is in program.go.
//
// Run is for the protocols that Explore does not run yet. Such a protocol is written down a second time as a Model. One
// comparable struct holds everything shared, and every thread's locals and program counters. One function per thread
// makes exactly one atomic step. Run visits each distinct state once. So the astronomical number of schedules does not
// matter, only the number of states: thousands to a few millions.
//
// # What a model proves, and what not
//
// Steps are atomic and their effects visible at once: sequential consistency, which sync/atomic promises. A plain
// memory access may be modelled as a step too, but only the race detector finds that two of them race. The proof is of
// the model. Nothing checks that the code does the same. So its author names the invariants in both. A model is worth
// having only if its mutants die: build it with a parameter that leaves a step out, and test that Run finds the
// failure.
//
// The search is breadth first, because then the printed trace is a shortest one. The price is the memory for the
// frontier, beside the visited set, which keeps every state anyway.
package explore

import (
	"errors"
	"fmt"
	"strings"
)

// A Thread is one step machine.
type Thread[S comparable] struct {
	// Name is printed in traces.
	Name string
	// Step makes the thread's next atomic step on s and reports true. It reports false when the thread cannot move now:
	// it is blocked, or it has ended. Then its changes to s are thrown away.
	Step func(s *S) bool
}

// A Model is a closed system: nothing but its threads moves it.
// Nondeterminism inside a thread is modelled as one more thread.
type Model[S comparable] struct {
	Init    S
	Threads []Thread[S]
	// Invariant, if not nil, is asked in every reachable state, Init included.
	Invariant func(s S) error
	// Final, if not nil, is asked in every state in which no thread can move: it tells a good end from a
	// deadlock.
	Final func(s S) error
	// Show, if not nil, renders a state in traces; the default is %+v.
	Show func(s S) string
	// MaxStates bounds the visited set; the default (zero) value is 4 million states. Reaching it is a
	// failure, because a search that was cut short has proved nothing.
	MaxStates int
}

// Stats counts what a search visited.
type Stats struct {
	States      int // distinct reachable states
	Transitions int // steps made, into new states or known ones
	Terminals   int // distinct states in which no thread can move
}

// ErrTooLarge is the cause of the Failure when MaxStates was reached.
var ErrTooLarge = errors.New("explore: more states than MaxStates")

// A Failure says what failed and how to get there.
type Failure struct {
	Err   error
	Steps []string // thread names, in order: the schedule
	Trace string   // the schedule with the state after every step, one line each
}

// Error returns the cause, the number of steps, and the trace.
func (f *Failure) Error() string {
	return fmt.Sprintf("explore: %v, after %d steps:\n%s", f.Err, len(f.Steps), f.Trace)
}

// Unwrap returns the cause.
func (f *Failure) Unwrap() error { return f.Err }

// visit is how a state was first reached.
type visit struct {
	from   int32 // index of the state before, -1 for Init
	thread int32
}

// Run enumerates m. The error is nil or a *Failure.
func Run[S comparable](m Model[S]) (Stats, error) {
	if m.MaxStates == 0 {
		m.MaxStates = 4 << 20
	}
	var (
		stats  Stats
		states = []S{m.Init}
		visits = []visit{{from: -1, thread: -1}}
		known  = map[S]struct{}{m.Init: {}}
	)
	for at := 0; at < len(states); at++ {
		s := states[at]
		if m.Invariant != nil {
			if err := m.Invariant(s); err != nil {
				stats.States = len(states)
				return stats, m.fail(states, visits, at, err)
			}
		}
		moved := false
		for i := range m.Threads {
			next := s
			if !m.Threads[i].Step(&next) {
				continue
			}
			moved = true
			stats.Transitions++
			if _, ok := known[next]; ok {
				continue
			}
			if len(states) >= m.MaxStates {
				stats.States = len(states)
				return stats, m.fail(states, visits, at, ErrTooLarge)
			}
			known[next] = struct{}{}
			states = append(states, next)
			visits = append(visits, visit{from: int32(at), thread: int32(i)})
		}
		if moved {
			continue
		}
		stats.Terminals++
		if m.Final != nil {
			if err := m.Final(s); err != nil {
				stats.States = len(states)
				return stats, m.fail(states, visits, at, err)
			}
		}
	}
	stats.States = len(states)
	return stats, nil
}

// fail walks back from the state at index at and renders the schedule.
func (m *Model[S]) fail(states []S, visits []visit, at int, err error) *Failure {
	show := m.Show
	if show == nil {
		show = func(s S) string { return fmt.Sprintf("%+v", s) }
	}
	var path []int
	for i := at; i >= 0; i = int(visits[i].from) {
		path = append(path, i)
	}
	f := &Failure{Err: err}
	var b strings.Builder
	for k := len(path) - 1; k >= 0; k-- {
		i := path[k]
		name := "(start)"
		if t := visits[i].thread; t >= 0 {
			name = m.Threads[t].Name
			f.Steps = append(f.Steps, name)
		}
		fmt.Fprintf(&b, "  %-12s %s\n", name, show(states[i]))
	}
	f.Trace = b.String()
	return f
}
