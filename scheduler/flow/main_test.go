package flow_test

import (
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/testkit"
	"github.com/frameslice/frameslice/scheduler"
)

func TestMain(m *testing.M) { testkit.Main(m) }

const ms = time.Millisecond

// virtual returns a scheduler whose clock is now.
func virtual(t *testing.T, o scheduler.Options) (s *scheduler.Scheduler, now *deadline.Instant) {
	now = new(deadline.Instant)
	*now = 1
	o.Clock = func() deadline.Instant { return *now }
	s = scheduler.New(o)
	t.Cleanup(s.Close)
	return s, now
}

// inBubble runs f in a bubble of virtual time.
func inBubble(t *testing.T, o scheduler.Options, f func(s *scheduler.Scheduler)) {
	t.Helper()
	synctest.Test(t, func(*testing.T) {
		s := scheduler.New(o)
		f(s)
		s.Close()
	})
}

// frame is a frame of 8 ms.
func frame(s *scheduler.Scheduler) {
	begin := time.Now()
	s.BeginFrame(deadline.Now())
	s.RunUntil(deadline.In(8 * ms))
	time.Sleep(8*ms - time.Since(begin))
}

// log collects words, for tests of order.
type log []string

func (l *log) add(word string) func() { return func() { *l = append(*l, word) } }

func (l *log) want(t *testing.T, words string) {
	t.Helper()
	if got := strings.Join(*l, " "); got != words {
		t.Errorf("order: %s\n want: %s", got, words)
	}
	*l = nil
}

// runWhile runs slices until the goroutines of g have ended, and what they have left; before each it calls look.
func runWhile(s *scheduler.Scheduler, g *sync.WaitGroup, look func()) {
	done := make(chan struct{})
	go func() { g.Wait(); close(done) }()
	for end := false; !end; {
		select {
		case <-done:
			end = true
		default:
		}
		look()
		s.RunUntil(deadline.Deadline{})
		runtime.Gosched() // where there is one thread, and nothing pre-empts, the goroutines have no other chance
	}
	s.RunUntil(deadline.Deadline{})
}
