package frame

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/carrier"
	"github.com/frameslice/frameslice/internal/testkit"
	"github.com/frameslice/frameslice/workers"
)

// looked is a loop in virtual time, and counts of what the watchdog has done.
func looked(t *testing.T, f func(l *Loop, looks, told *int)) {
	t.Helper()
	synctest.Test(t, func(*testing.T) {
		var looks, told int
		l := New(Options{Workers: workers.Options{Workers: -1},
			OnStuck: func(string) { told++ }})
		defer l.Close()
		l.Begin() // makes the timer
		l.End()
		w := l.watch
		w.timer.Stop()
		w.timer = time.AfterFunc(w.limit/2, func() {
			looks++
			w.look()
		})
		f(l, &looks, &told)
	})
}

// Neither frames nor their absence are woken up for.
func TestTheWatchdogSleeps(t *testing.T) {
	looked(t, func(l *Loop, looks, told *int) {
		time.Sleep(time.Hour)
		synctest.Wait()
		if *looks != 1 || l.watch.timer.Stop() {
			t.Errorf("%d looks in an hour without frames", *looks)
		}
		*looks = 0
		for range 60 * 60 {
			l.Begin()
			time.Sleep(10 * time.Millisecond)
			l.End()
			time.Sleep(10 * time.Millisecond)
		}
		synctest.Wait()
		if *looks < 14 || *looks > 15 {
			t.Errorf("%d looks in 72 s of frames, want one in 5 s", *looks)
		}
		l.Begin()
		l.Close()
		l.End()
		if l.watch.timer.Stop() {
			t.Error("it continues after Close")
		}
		synctest.Wait()
		if *told != 0 {
			t.Errorf("reported %d hangs", *told)
		}
	})
}

// A process that was stopped in a frame finds the timer overdue. That is no hang, unless it continues.
func TestTheWatchdogDistrustsALateLook(t *testing.T) {
	for _, c := range []struct {
		stopped, more time.Duration // in the frame, the second after the program continues
		want          int
	}{
		{time.Hour, 0, 0}, {time.Hour, 4 * time.Second, 0}, {time.Hour, 6 * time.Second, 1},
		{9 * time.Second, 4 * time.Second, 0}, {9 * time.Second, 6 * time.Second, 1},
	} {
		for _, suspected := range []bool{false, true} {
			looked(t, func(l *Loop, _, told *int) {
				l.Begin()
				if suspected {
					time.Sleep(6 * time.Second) // one look
				}
				synctest.Wait()
				l.watch.timer.Stop()
				time.Sleep(c.stopped)
				l.watch.look()
				time.Sleep(c.more)
				l.End()
				time.Sleep(time.Minute)
				synctest.Wait()
				if *told != c.want {
					t.Errorf("%+v, suspected %v: reported %d", c, suspected, *told)
				}
			})
		}
	}
}

// What the frame goroutine does after a look is no garbage.
func TestAFrameAfterALookAllocatesNothing(t *testing.T) {
	l := New(Options{})
	defer l.Close()
	w := l.watch
	frame := func() {
		w.calls.Store(true)
		w.begin(deadline.Now())
		w.end()
	}
	frame()
	testkit.NoAllocs(t, frame)
	if got := carrier.Place(w.who.Load()); got != carrier.Here() {
		t.Errorf("the frame goroutine is %d, want %d", got, carrier.Here())
	}
}

// Of several coroutines that are not suspended, which another goroutine made, none is taken for the one that hangs.
func TestChainsOfStacks(t *testing.T) {
	const (
		waits  = "goroutine 1 [coroutine]:\niter.Pull[...].func2()\n\tx.go:1\nmain.main()\n\tx.go:2"
		parked = "goroutine 5 [coroutine]:\niter.Pull[...].func1.1()\n\tx.go:1\n" +
			"created by iter.Pull[...] in goroutine 1"
		runs  = "goroutine 6 [select]:\nmain.f()\n\tx.go:1\ncreated by iter.Pull[...] in goroutine 1"
		other = "goroutine 7 [select]:\nmain.f()\n\tx.go:1\ncreated by iter.Pull[...] in goroutine 2"
		third = "goroutine 8 [running]:\nmain.f()\n\tx.go:1\ncreated by iter.Pull[...] in goroutine 3"
		hangs = "goroutine 9 [select]:\nmain.main()\n\tx.go:2\ncreated by main.main in goroutine 1"
	)
	n := namesHere()
	for _, c := range []struct {
		dump []string
		want string
	}{
		{[]string{hangs, waits, parked, other, runs}, "1 6"},
		{[]string{hangs, waits, parked, other}, "1 7"},
		{[]string{hangs, waits, parked, other, third}, "1"},
		{[]string{hangs, waits}, "1"},
		{[]string{hangs, other}, ""},
	} {
		var got []string
		for _, g := range n.chain(n.goroutines(strings.Join(c.dump, "\n\n")+"\n"), carrier.Of([]byte(waits)), 0) {
			got = append(got, strings.Fields(g.text)[1])
		}
		if got := strings.Join(got, " "); got != c.want {
			t.Errorf("%q: %s, want %s", c.dump, got, c.want)
		}
	}
}

// BenchmarkWatchdog is what each frame pays.
func BenchmarkWatchdog(b *testing.B) {
	l := New(Options{})
	defer l.Close()
	now := deadline.Now()
	for b.Loop() {
		l.watch.begin(now)
		l.watch.end()
	}
}
