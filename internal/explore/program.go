// Package explore finds out in which interleavings a protocol between goroutines fails. A stress test meets such an
// interleaving once in an hour.
//
// Explore runs the real code, one atomic operation at a time, and prints the schedule of a fault. Programs does so for
// a package and its mutants, which are patches of its files. A program is worth having only if its mutants die.
//
// The effect of an operation is visible to all goroutines at once: sequential consistency, which sync/atomic promises.
package explore

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"

	"github.com/frameslice/frameslice/internal/race"
)

// # Programs of real code
//
// Explore runs two to four goroutines of the real code, one operation at a time. The operations are those on the words
// of internal/atomic, which is sync/atomic itself unless the build tag explore is set. Before each operation the
// explorer decides which goroutine makes its next one. It does so in every way, depth first, with at most so many
// preemptions. A schedule is a list of such decisions, and is repeated from its beginning to reach a later decision.
//
//	X1  One goroutine runs at a time, from one operation up to the next. Plain memory between the two is read and
//	    written with the first. That loses nothing where plain accesses do not race. Under the race detector a test
//	    shows that they do not: the explorer's own hand-over is hidden from the race detector, so only the
//	    operations of the protocol order the goroutines (go test -race).
//	X2  A decision is a preemption if another goroutine continues although the last one could have. Wherever the last
//	    one has ended or waits, all others are tried, however many preemptions have been made.
//	X3  Each goroutine has a history: a hash of its operations, and of the write that each of them found. The
//	    histories of all goroutines say what each has read, and in which order each object was written. So they
//	    determine the state. A state that was met before, with the same goroutine last and as many preemptions left,
//	    is not searched again.
//	X4  A goroutine that waits (Object.Await) cannot move until another has written the object. One that only spins
//	    (Yield) cannot move until another has written anything since its Yield before: until then it would read the
//	    same again. It must do nothing else between two Yields. A spin of n looks, after which the goroutine does
//	    something else, must not Yield: its looks are ordinary steps, so give it few.
//	X5  If no goroutine can move and one has not ended, that is a deadlock. If a schedule has more than maxSteps
//	    operations, a loop does not give way. Both are faults, as are a panic, Program.Fail, and an error at the end.
//
// X1 and X3 need goroutines that do the same whenever they read the same. One that does otherwise is a fault, too.

const (
	maxSteps     = 1 << 12 // operations of a schedule
	maxSchedules = 4 << 20 // of a search: one that was cut short has shown nothing
	maxThreads   = 4
)

// A Program is what the explorer runs once for each schedule.
type Program struct {
	search  *search
	end     func() error
	cleanup func()
}

// Go adds a goroutine. At most four, before any of them runs.
func (p *Program) Go(name string, run func()) {
	p.search.threads = append(p.search.threads, thread{name: name, run: run})
}

// End sets what looks at the state after all goroutines have ended.
func (p *Program) End(check func() error) { p.end = check }

// Cleanup sets what gives back what a schedule used, also one that was cut short. Goroutines that are left are a fault:
// a search has so many schedules that they would take all memory.
func (p *Program) Cleanup(f func()) { p.cleanup = f }

// Fail is for a goroutine that has seen a fault. It ends the goroutine, and the search.
func (p *Program) Fail(format string, args ...any) {
	p.search.fault = fmt.Sprintf(format, args...)
	p.search.abandon()
}

// Explore searches the schedules of a program, with first no and at last so many preemptions. prepare makes everything
// that a schedule uses. A fault ends the test with its schedule. Under the race detector, with which an operation takes
// five times as long, there are at most two preemptions.
func Explore(t testing.TB, preemptions int, prepare func(p *Program)) {
	t.Helper()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	if race.Enabled {
		preemptions = min(preemptions, 2)
	}
	goroutines := runtime.NumGoroutine()
	s := &search{path: make([]decision, 0, maxSteps), seen: newSeen(1 << 12)}
	for s.bound = 0; ; s.bound++ {
		s.withheld, s.path = false, s.path[:0]
		for more := true; more; more = s.another() {
			if s.play(prepare); s.fault != "" {
				fault := s.fault
				s.recorded = []string{}
				s.play(prepare)
				t.Fatalf("explore: fault in schedule %d, with %d preemptions: %s\n%s", s.schedules, s.used, fault,
					strings.Join(s.recorded, "\n"))
			}
			if s.schedules++; s.schedules > maxSchedules {
				t.Fatalf("explore: more than %d schedules", maxSchedules)
			}
		}
		if !s.withheld || s.bound == preemptions {
			break
		}
	}
	if left := runtime.NumGoroutine() - goroutines; left > maxThreads {
		t.Fatalf("explore: %d goroutines are left of %d schedules: end them in Program.Cleanup", left, s.schedules)
	}
	all := fmt.Sprintf("all with at most %d preemptions", s.bound)
	if !s.withheld {
		all = "all there are"
	}
	t.Logf("%d schedules, %s; %d operations, at most %d in a schedule", s.schedules, all, s.operations, s.longest)
}

// play runs the program once: by the decisions in path, and then by the first that comes.
func (s *search) play(prepare func(p *Program)) {
	p := &Program{search: s}
	s.threads, s.at, s.used, s.steps, s.fault, s.over, s.writes = s.threads[:0], 0, 0, 0, "", false, 0
	prepare(p)
	s.turn = -1
	var ended sync.WaitGroup
	for i := range s.threads {
		s.threads[i].history = uint64(i + 1)
		ended.Add(1)
		go func() {
			defer ended.Done()
			s.thread(i)
		}()
	}
	current = s
	s.turn = s.choose()
	ended.Wait()
	current = nil
	if p.cleanup != nil {
		defer p.cleanup()
	}
	s.operations += s.steps
	s.longest = max(s.longest, s.steps)
	if s.fault == "" && !s.over && p.end != nil {
		if err := p.end(); err != nil {
			s.fault = err.Error()
		}
	}
}

// thread runs one goroutine of the program.
func (s *search) thread(i int) {
	returned := false
	defer func() {
		if v := recover(); v != nil {
			s.fault = fmt.Sprintf("%s panics: %v\n%s", s.threads[i].name, v, debug.Stack())
			s.over = true
		} else if !returned && !s.over {
			s.fault, s.over = s.threads[i].name+" has called Goexit", true
		}
		s.exit(i)
	}()
	s.await(i)
	s.threads[i].run()
	returned = true
}

// record notes the operation that a goroutine is about to make.
//
//go:norace
func (s *search) record(i int) {
	var pc [16]uintptr
	frames := runtime.CallersFrames(pc[:runtime.Callers(2, pc[:])])
	what := ""
	for {
		f, more := frames.Next()
		own := strings.Contains(f.Function, "/internal/explore.") || strings.Contains(f.Function, "/internal/atomic.")
		if !own || !more {
			file := f.File[strings.LastIndexByte(f.File, '/')+1:]
			step := fmt.Sprintf("  %-10s %s:%d  %s", s.threads[i].name, file, f.Line, what)
			s.recorded = append(s.recorded, step)
			return
		}
		what = f.Function[strings.LastIndexByte(f.Function, '.')+1:]
	}
}
