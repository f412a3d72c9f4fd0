package scheduler_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// The files conformance_*_test.go restate what other schedulers promise, for a frame loop: React's Scheduler,
// the web's postTask, idle callbacks, animation frames and event loop, Flutter's SchedulerBinding; each file is
// one of them. Where ours is meant to differ the test's name says so, and the package comment has the reason.

// turn runs one task, if any is ready: a slice without any time.
func (w *world) turn() scheduler.Result { return w.s.RunUntil(deadline.In(0)) }

// turns runs n tasks, each in a slice of its own.
func (w *world) turns(n int) {
	for range n {
		w.turn()
	}
}

// say adds a word at once.
func (l *log) say(format string, a ...any) { *l = append(*l, fmt.Sprintf(format, a...)) }

// cost is a function that adds a word and then takes d.
func (l *log) cost(word string, d time.Duration) func() {
	return func() {
		*l = append(*l, word)
		time.Sleep(d)
	}
}

// steps is a step function that adds words, one a step, and takes d for each.
func (l *log) steps(d time.Duration, words ...string) func() bool {
	next := 0
	return func() bool {
		*l = append(*l, words[next])
		time.Sleep(d)
		next++
		return next < len(words)
	}
}

// submit submits a task made of the parts that most tests want.
func (w *world) submit(p deadline.Priority, delay time.Duration, f func()) *scheduler.Task {
	t := &scheduler.Task{Priority: p, Delay: delay, Func: f}
	w.s.Submit(t)
	return t
}

// panics calls f and returns what it panicked with, "" if it did not.
func panics(f func()) (text string) {
	defer func() {
		if v := recover(); v != nil {
			text = fmt.Sprint(v)
		}
	}()
	f()
	return ""
}

// eq compares two values of a claim.
func eq[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}
