package workers

import (
	"context"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/osthread"
)

// With what it has in its hands a worker goes on with a thread of ordinary priority, and lowers that when the others
// have done.
func TestWorkersChangeThreadsWhileOthersCrowd(t *testing.T) {
	p := lowPool(t, Options{})
	if !p.crowds {
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
	p.crowd.Until(deadline.Now().Add(time.Hour))
	class, system, thread := classes()
	if class != osthread.Ordinary || system != ordinary || thread == first {
		t.Errorf("while others crowd us: %v, %v, thread %d after %d", class, system, thread, first)
	}
	p.ParallelFor(1000, 1, func(int, int) {})
	p.crowd.Until(0)
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
		until := deadline.Instant(0)
		if i%3 > 0 {
			until = deadline.Now().Add(time.Hour)
		}
		p.crowd.Until(until)
		g.Go(func(context.Context) error { ran <- true; return nil })
	}
	if err := g.Wait(); err != nil || len(ran) != n {
		t.Errorf("%d of %d jobs ran: %v", len(ran), n, err)
	}
	if err := p.Close(context.Background()); err != nil {
		t.Error(err)
	}
}
