package workers_test

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/osthread"
	"github.com/frameslice/frameslice/internal/park"
	"github.com/frameslice/frameslice/internal/testkit"
	"github.com/frameslice/frameslice/workers"
	"golang.org/x/sys/unix"
)

// What the system says about the threads that jobs run on.
func TestBackgroundThreadsAreLowered(t *testing.T) {
	own, err := unix.SchedGetAttr(0, 0)
	if err != nil || own.Nice == 19 || own.Policy == unix.SCHED_IDLE {
		t.Skipf("this process is at the lowest priority itself: %+v, %v", own, err)
	}
	if _, err := os.Stat("/proc/self/task"); err != nil {
		t.Skipf("nobody says here what the threads are called: %v", err)
	}
	p := workers.New(workers.Options{Workers: 1, Background: 2})
	defer mustClose(t, p)
	var s workers.Stats
	if p.Stats(&s); s.Background != 2 {
		t.Skipf("refused here: %v", s.Notes)
	}
	var mu sync.Mutex
	seen := map[string]int{}
	var met sync.WaitGroup
	met.Add(2)
	for range 2 {
		p.Go(deadline.Low, func() {
			met.Done()
			met.Wait() // so both have one
			class, err := osthread.Lowered()
			stat, _ := os.ReadFile(fmt.Sprintf("/proc/self/task/%d/comm", osthread.ID()))
			mu.Lock()
			defer mu.Unlock()
			seen[fmt.Sprintf("low %v %v %s", class, err, strings.TrimSpace(string(stat)))]++
		})
	}
	testkit.Eventually(t, "two jobs", func() bool { mu.Lock(); defer mu.Unlock(); return len(seen) == 2 })
	for i := range 2 {
		want := fmt.Sprintf("low lowest <nil> fs-backgr-%d", i)
		nice := fmt.Sprintf("low nice <nil> fs-backgr-%d", i)
		if seen[want]+seen[nice] != 1 {
			t.Errorf("threads %v, want %q", seen, want)
		}
	}
	var a *unix.SchedAttr
	err = run(p, func(*workers.Worker) { a, _ = unix.SchedGetAttr(0, 0) })
	if err != nil || a.Nice != own.Nice || a.Policy != own.Policy {
		t.Errorf("an ordinary worker runs as %+v, %v", a, err)
	}
	testkit.Eventually(t, "the stats", func() bool {
		p.Stats(&s)
		return s.PerWorker[0].Class == "ordinary" && s.PerWorker[1].Low && s.PerWorker[1].Class != "ordinary"
	})
	mustClose(t, p)
	// No thread that is left was changed.
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Fatal(err)
	}
	testkit.Eventually(t, "lowered threads gone", func() bool {
		for _, task := range tasks {
			var id int
			fmt.Sscan(task.Name(), &id)
			if a, err := unix.SchedGetAttr(id, 0); err == nil && (a.Policy == unix.SCHED_IDLE || a.Nice == 19) {
				return false
			}
		}
		return true
	})
}

// A pinned worker that sleeps in a system call goes before who has woken it, and RaiseProcs has a P for it alone.
func TestPinnedWorkersInASystemCallAreWokenAtOnce(t *testing.T) {
	own, err := unix.SchedGetAttr(0, 0)
	if err != nil || own.Policy != unix.SCHED_NORMAL || own.Runtime == shortest {
		t.Skipf("this process has a policy, or a slice, of its own: %+v, %v", own, err)
	}
	granted := shortSlices()
	thread, cpu := workers.PinThread, workers.PinCPU
	for _, test := range []struct {
		o     workers.Options
		park  park.Kind
		procs int
		short bool
	}{
		{workers.Options{}, park.Poll, 0, false},
		{workers.Options{RaiseProcs: true}, park.Poll, 1, false},
		{workers.Options{Pin: thread}, park.Poll, 0, false},
		{workers.Options{RaiseProcs: true}.Parking(park.Syscall), park.Syscall, 1, false},
		{workers.Options{Pin: thread, RaiseProcs: true}, park.Syscall, 1, true},
		{workers.Options{Pin: cpu, RaiseProcs: true}, park.Syscall, 1, true},
	} {
		test.o.Workers = 1
		before := runtime.GOMAXPROCS(0)
		p := workers.New(test.o)
		var s workers.Stats
		p.Stats(&s)
		if p.Parks() != test.park || s.Procs != test.procs || runtime.GOMAXPROCS(0) != before+test.procs {
			t.Errorf("%+v: asleep in %v, GOMAXPROCS raised by %d", test.o, p.Parks(), s.Procs)
		}
		for _, when := range []string{"at first", "after a Goexit"} {
			var a *unix.SchedAttr
			var err error
			if e := run(p, func(*workers.Worker) { a, err = unix.SchedGetAttr(0, 0) }); e != nil || err != nil {
				t.Fatal(e, err)
			}
			if short := a.Runtime == shortest; short != (test.short && granted) {
				t.Errorf("%+v: a slice of %d ns %s", test.o, a.Runtime, when)
			}
			_ = run(p, func(*workers.Worker) { runtime.Goexit() })
		}
		mustClose(t, p)
		if n := runtime.GOMAXPROCS(0); n != before {
			t.Errorf("%+v: GOMAXPROCS is %d after Close, was %d", test.o, n, before)
		}
	}
}

const shortest = 100_000 // ns

// shortSlices reports whether the system grants them.
func shortSlices() bool {
	granted := make(chan bool)
	osthread.Go(func() {
		err := osthread.ShortSlice()
		granted <- err == nil
	})
	return <-granted
}

// A pool without work uses no processor time and is not woken, apart from what the Go runtime does by itself.
func TestIdlePoolIsIdle(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a second")
	}
	p := workers.New(workers.Options{Workers: 2, Background: 2})
	defer mustClose(t, p)
	var ran atomic.Int64
	for i := range 100 {
		p.Go(deadline.Priorities()[i%deadline.NumPriorities], func() { ran.Add(1) })
	}
	var before, after workers.Stats
	parked := func() (n uint64) { p.Stats(&before); return before.Parked }
	testkit.Eventually(t, "everybody asleep", func() bool {
		n := parked()
		time.Sleep(20 * time.Millisecond)
		return ran.Load() == 100 && parked() == n
	})
	// Where other programs keep every processor busy, a lowered thread may be on its way to sleep for seconds. So not
	// every second is a quiet one; in a pool that does something when idle, none is.
	for tries := 1; ; tries++ {
		p.Stats(&before)
		used := processTime(t)
		time.Sleep(time.Second)
		used = processTime(t) - used
		p.Stats(&after)
		woken, parked := after.Woken-before.Woken, after.Parked-before.Parked
		if woken == 0 && parked == 0 && used <= 100*time.Millisecond { // the test binary's own: about 1 ms
			return
		}
		if tries == 30 {
			t.Fatalf("in a second of idling: woken %d times, parked %d times, %v of CPU time", woken, parked, used)
		}
	}
}

func processTime(t *testing.T) time.Duration {
	var ru unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &ru); err != nil {
		t.Fatal(err)
	}
	return time.Duration(ru.Utime.Nano() + ru.Stime.Nano())
}

// A goroutine that a pinned job starts has the processors of the program, and so do the child processes that it starts.
func TestAGoroutineOfAPinnedJobIsNotPinned(t *testing.T) {
	whole, err := osthread.CPUs()
	if err != nil || len(whole) < 2 {
		t.Skip("one processor")
	}
	p := workers.New(workers.Options{Workers: 1, Pin: workers.PinCPU})
	defer mustClose(t, p)
	var job, goroutine []int
	j := &workers.Job{Func: func(w *workers.Worker) {
		job, _ = osthread.CPUs()
		done := make(chan struct{})
		go func() { goroutine, _ = osthread.CPUs(); close(done) }()
		w.Blocking(func() { <-done })
	}}
	p.Submit(j)
	for j.State() != workers.Finished { // Wait would run it here
		time.Sleep(time.Millisecond)
	}
	if len(job) != 1 || !slices.Equal(goroutine, whole) {
		t.Errorf("the job may use %v, its goroutine %v, want one and %v", job, goroutine, whole)
	}
}
