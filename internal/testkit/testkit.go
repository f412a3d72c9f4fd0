// Package testkit is what the tests of several packages need: no goroutine is left, nothing allocates, a call panics
// with its name, a call returns, and every number of an options struct is tried at its extremes.
package testkit

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// Main runs the tests of a package, and fails if goroutines are left. In a browser the runtime keeps one for events.
func Main(m *testing.M) { goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("runtime.handleEvent")) }

// NoAllocs fails the test if a call of f allocates, in the mean of 500.
func NoAllocs(t *testing.T, f func()) {
	t.Helper()
	if n := testing.AllocsPerRun(500, f); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// Allocs returns how often a call of f allocates, in the mean of so many calls. It is for an f beside which other
// goroutines may allocate, because testing.AllocsPerRun counts what the whole process allocates. But others do not
// happen to allocate in each of six attempts.
func Allocs(runs int, f func()) float64 {
	n := testing.AllocsPerRun(runs, f)
	for tries := 0; n > 0 && tries < 5; tries++ {
		n = min(n, testing.AllocsPerRun(runs, f))
	}
	return n
}

// Recovered returns what f panics with, or nil.
func Recovered(f func()) (v any) {
	defer func() { v = recover() }()
	f()
	return nil
}

// PanicOf returns what f panics with, as text, or "".
func PanicOf(f func()) string {
	if v := Recovered(f); v != nil {
		return fmt.Sprint(v)
	}
	return ""
}

// Panics fails the test if f does not panic with the text want.
func Panics(t *testing.T, want string, f func()) {
	t.Helper()
	if got := PanicOf(f); got != want {
		t.Errorf("panic %q, want %q", got, want)
	}
}

// Within ends the process, with everybody's stack, if f does not return in a time that no machine needs.
func Within(t testing.TB, what string, f func()) {
	t.Helper()
	stop := time.AfterFunc(2*time.Minute, func() {
		buf := make([]byte, 1<<18)
		panic(fmt.Sprintf("%s: %s hangs\n%s", t.Name(), what, buf[:runtime.Stack(buf, true)]))
	})
	defer stop.Stop()
	f()
}

// Eventually waits until f is true, and ends the process as Within does.
func Eventually(t testing.TB, what string, f func() bool) {
	t.Helper()
	Within(t, what, func() {
		for !f() {
			time.Sleep(100 * time.Microsecond)
		}
	})
}
