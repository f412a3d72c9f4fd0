package workers

import (
	"context"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/osthread"
)

func TestACrowdBeginsWhenOthersKeepAJobOff(t *testing.T) {
	const now = deadline.Instant(time.Hour)
	quiet := used{part: 100 * time.Millisecond, of: time.Second}
	for _, c := range []struct {
		what    string
		d, lost time.Duration
		own     used
		begins  bool
	}{
		{"a job of 3 ms took a second", time.Second, 997 * time.Millisecond, quiet, true},
		{"a frame came between", 20 * time.Millisecond, 17 * time.Millisecond, quiet, false},
		{"a long job had half of the time", 4 * time.Second, 2 * time.Second, quiet, false},
		{
			"this process had both processors", time.Second, 997 * time.Millisecond,
			used{part: 1900 * time.Millisecond, of: time.Second}, false,
		},
	} {
		var k crowd
		if k.begin(now, c.d, c.lost, c.own, 2); k.on() != c.begins {
			t.Errorf("%s: %v", c.what, k.on())
		}
	}
}

func TestACrowdEndsWhenJobsAreNotKeptOff(t *testing.T) {
	if _, err := osthread.ProcessTime(); err != nil {
		t.Skip(err)
	}
	var k crowd
	now := deadline.Instant(time.Hour)
	k.begin(now, time.Second, 999*time.Millisecond, used{total: time.Hour, of: time.Second}, 2)
	window := func(ran, lost time.Duration) bool {
		now = now.Add(2 * crowdWindow)
		k.add(ran, lost)
		k.judge(now, 2)
		return k.on()
	}
	k.add(time.Second, 0)
	if k.judge(now.Add(crowdWindow-1), 2); !k.on() {
		t.Error("judged before the window was over")
	}
	if !window(2*time.Second, 2*time.Second) {
		t.Error("over although jobs were kept off")
	}
	if !window(crowdLeast/2, 0) {
		t.Error("over after next to no jobs")
	}
	if window(time.Second, 0) {
		t.Error("not over although none was kept off")
	}
	if k.add(time.Second, time.Second); window(0, 0) {
		t.Error("judged when it is over")
	}
}

// With what it has in its hands a worker goes on with a thread of ordinary priority, and lowers that when the others
// have done.
func TestWorkersChangeThreadsWhileOthersCrowd(t *testing.T) {
	p := lowPool(t, Options{})
	if !p.crowd.able {
		t.Skip("threads are not lowered so far here, or it is not known what a process uses")
	}
	classes := func() (class, system osthread.Class, thread int) {
		done := make(chan struct{})
		p.Go(deadline.Low, func() {
			w := p.classes[background].slots[0].Load()
			class, thread = osthread.Class(w.osClass.Load()), osthread.ID()
			system, _ = osthread.Lowered()
			close(done)
		})
		<-done
		return class, system, thread
	}
	ordinary, _ := osthread.Lowered() // a nice program's threads are nice
	_, was, first := classes()
	if was != osthread.Batch {
		t.Fatalf("%v to begin with", was)
	}
	p.crowd.until.Store(int64(deadline.Now().Add(time.Hour)))
	class, system, thread := classes()
	if class != osthread.Ordinary || system != ordinary || thread == first {
		t.Errorf("while others crowd us: %v, %v, thread %d after %d", class, system, thread, first)
	}
	p.ParallelFor(1000, 1, func(int, int) {})
	p.crowd.until.Store(0)
	if class, system, _ := classes(); class != osthread.Batch || system != osthread.Batch {
		t.Errorf("when they have done: %v, %v", class, system)
	}
}

// Nothing is lost by who changes threads.
func TestWhoChangesThreadsLosesNothing(t *testing.T) {
	p := New(Options{Background: 2})
	const n = 500
	g := p.NewGroup(context.Background(), GroupOptions{Priority: deadline.Low})
	ran := make(chan bool, n)
	for i := range n {
		until := int64(0)
		if i%3 > 0 {
			until = int64(deadline.Now().Add(time.Hour))
		}
		p.crowd.until.Store(until)
		g.Go(func(context.Context) error { ran <- true; return nil })
	}
	if err := g.Wait(); err != nil || len(ran) != n {
		t.Errorf("%d of %d jobs ran: %v", len(ran), n, err)
	}
	if err := p.Close(context.Background()); err != nil {
		t.Error(err)
	}
}
