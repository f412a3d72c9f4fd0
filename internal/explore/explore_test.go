package explore_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

// counter is two threads that each add one to n, by a load and a store, or in one step.
type counter struct {
	n, pc, local [2]int // n[0] is the shared cell
}

func counterModel(atomicAdd bool) explore.Model[counter] {
	thread := func(i int) explore.Thread[counter] {
		return explore.Thread[counter]{Name: fmt.Sprint("t", i), Step: func(s *counter) bool {
			switch {
			case s.pc[i] == 0 && atomicAdd:
				s.n[0]++
				s.pc[i] = 2
			case s.pc[i] == 0:
				s.local[i] = s.n[0]
				s.pc[i] = 1
			case s.pc[i] == 1:
				s.n[0] = s.local[i] + 1
				s.pc[i] = 2
			default:
				return false
			}
			return true
		}}
	}
	return explore.Model[counter]{
		Threads: []explore.Thread[counter]{thread(0), thread(1)},
		Final: func(s counter) error {
			if s.n[0] != 2 {
				return fmt.Errorf("lost update: n = %d", s.n[0])
			}
			return nil
		},
	}
}

func TestRunFindsTheLostUpdateByAShortestSchedule(t *testing.T) {
	_, err := explore.Run(counterModel(false))
	var f *explore.Failure
	if !errors.As(err, &f) {
		t.Fatalf("err = %v, want a *Failure", err)
	}
	if len(f.Steps) != 4 {
		t.Errorf("schedule %v, want 4 steps", f.Steps)
	}
	if got := strings.Count(f.Trace, "\n"); got != 5 {
		t.Errorf("trace has %d lines, want the start and 4 steps:\n%s", got, f.Trace)
	}
	if !strings.Contains(err.Error(), "lost update: n = 1") {
		t.Errorf("error does not carry its cause: %v", err)
	}
}

func TestRunVisitsEveryStateOnce(t *testing.T) {
	stats, err := explore.Run(counterModel(true))
	if err != nil {
		t.Fatal(err)
	}
	// The diamond: start, either thread first, the end.
	if want := (explore.Stats{States: 4, Transitions: 4, Terminals: 1}); stats != want {
		t.Errorf("stats = %+v, want %+v", stats, want)
	}
	stats, err = explore.Run(explore.Model[counter]{Threads: counterModel(false).Threads})
	if err != nil {
		t.Fatal(err)
	}
	if stats.Terminals < 2 {
		t.Errorf("terminals = %d, want the good end and the lost update", stats.Terminals)
	}
}

func TestRunChecksTheInvariantInTheFirstState(t *testing.T) {
	m := counterModel(true)
	m.Invariant = func(s counter) error {
		if s.n[0] == 0 {
			return errors.New("zero")
		}
		return nil
	}
	_, err := explore.Run(m)
	var f *explore.Failure
	if !errors.As(err, &f) || len(f.Steps) != 0 {
		t.Fatalf("err = %v, want a failure with no steps", err)
	}
}

// A deadlock is a state in which nobody moves and which Final refuses: two locks taken in opposite order.
func TestRunFindsADeadlock(t *testing.T) {
	type state struct {
		lock [2]bool
		pc   [2]int
	}
	thread := func(i int) explore.Thread[state] {
		take := func(s *state, l int) bool {
			if s.lock[l] {
				return false
			}
			s.lock[l] = true
			s.pc[i]++
			return true
		}
		return explore.Thread[state]{Name: fmt.Sprint("t", i), Step: func(s *state) bool {
			switch s.pc[i] {
			case 0:
				return take(s, i)
			case 1:
				return take(s, 1-i)
			case 2:
				s.lock = [2]bool{}
				s.pc[i]++
				return true
			}
			return false
		}}
	}
	_, err := explore.Run(explore.Model[state]{
		Threads: []explore.Thread[state]{thread(0), thread(1)},
		Final: func(s state) error {
			if s.pc != [2]int{3, 3} {
				return errors.New("deadlock")
			}
			return nil
		},
	})
	var f *explore.Failure
	if !errors.As(err, &f) || len(f.Steps) != 2 {
		t.Fatalf("err = %v, want the deadlock after two steps", err)
	}
}

func TestRunSaysWhenItWasCutShort(t *testing.T) {
	type state struct{ n int }
	_, err := explore.Run(explore.Model[state]{
		Threads:   []explore.Thread[state]{{Name: "t", Step: func(s *state) bool { s.n++; return true }}},
		MaxStates: 100,
	})
	if !errors.Is(err, explore.ErrTooLarge) {
		t.Fatalf("err = %v, want ErrTooLarge", err)
	}
}

// told is a test that is tried: it notes what it is told.
type told struct {
	testing.TB
	fatal, errors int
}

func (t *told) Helper()               {}
func (t *told) Logf(string, ...any)   {}
func (t *told) Errorf(string, ...any) { t.errors++ }
func (t *told) Fatalf(string, ...any) { t.fatal++ }

// A protocol is to hold in all cases, a mutant to fail in one, and to be cut short is neither.
func TestTry(t *testing.T) {
	type state struct{ n int }
	// Variant v counts up to v, fails at odd numbers from c on, and never ends from 100 on.
	model := func(v, c int) explore.Model[state] {
		return explore.Model[state]{
			MaxStates: 50,
			Threads: []explore.Thread[state]{{Name: "t", Step: func(s *state) bool {
				s.n++
				return v >= 100 || s.n <= v
			}}},
			Final: func(s state) error {
				if s.n >= c && s.n%2 == 1 {
					return errors.New("odd")
				}
				return nil
			},
		}
	}
	one := func(v int) explore.Model[state] { return model(v, 0) }
	for name, c := range map[string]struct {
		try  func(t *told)
		want told
	}{
		"holds":                {func(t *told) { explore.Try(t, 2, []int{1, 3}, one) }, told{}},
		"fails":                {func(t *told) { explore.Try(t, 1, nil, one) }, told{fatal: 1}},
		"fails in one":         {func(t *told) { explore.TryIn(t, 3, nil, model, 4, 0) }, told{fatal: 1}},
		"is cut short":         {func(t *told) { explore.Try(t, 100, nil, one) }, told{fatal: 1}},
		"mutants hold":         {func(t *told) { explore.Try(t, 0, explore.Span(2, 4), one) }, told{errors: 2}},
		"a mutant is cut":      {func(t *told) { explore.Try(t, 0, []int{100}, one) }, told{errors: 1}},
		"a mutant fails later": {func(t *told) { explore.TryIn(t, 0, []int{3}, model, 4, 0) }, told{}},
	} {
		var got told
		if c.try(&got); got != c.want {
			t.Errorf("%s: %d fatal and %d other errors, want %d and %d", name, got.fatal, got.errors,
				c.want.fatal, c.want.errors)
		}
	}
}
