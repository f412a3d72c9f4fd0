package workers

import (
	"context"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/bridge"
	"github.com/frameslice/frameslice/internal/osthread"
)

// lowPool returns a pool with one background worker, which has run a job: its thread is as it will be.
func lowPool(t *testing.T, o Options) *Pool {
	t.Helper()
	o.Workers, o.Background = -1, 1
	p := New(o)
	t.Cleanup(func() { _ = p.Close(context.Background()) })
	var s Stats
	if p.Stats(&s); s.Background == 0 {
		t.Skip("no background workers on this system:", s.Notes)
	}
	var j Job
	j.Priority, j.Func = deadline.Normal, func(*Worker) {}
	p.Submit(&j)
	until(t, func() bool { return j.State() == Finished })
	return p
}

// inHand submits a job and waits until the background worker has taken it out of its queue and not begun it.
func inHand(t *testing.T, p *Pool, j *Job) {
	t.Helper()
	j.Priority, j.Func = deadline.Normal, func(*Worker) {}
	p.Submit(j)
	var s Stats
	until(t, func() bool { p.Stats(&s); return s.Queued[deadline.Normal.Lane()] == 0 })
	if j.State() != Queued {
		t.Fatalf("the job is %v while a frame is late", j.State())
	}
}

func until(t *testing.T, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); !ok(); time.Sleep(100 * time.Microsecond) {
		if time.Now().After(end) {
			t.Fatal("waited in vain")
		}
	}
}

func TestBackgroundWorkersStandBackForALateFrame(t *testing.T) {
	p := lowPool(t, Options{})
	var s Stats
	for n := 0; s.Held <= 0; n++ { // the frame may begin before a worker with a job in hand looks for it
		if n == 100 {
			t.Fatal("nothing was held")
		}
		bridge.Of(p).ExpectFrame(deadline.Now(), time.Hour)
		var j Job
		inHand(t, p, &j)
		p.BeginFrame()
		until(t, func() bool { return j.State() == Finished })
		p.Stats(&s)
	}
}

func TestAFrameThatDoesNotComeHoldsNobodyForLong(t *testing.T) {
	p := lowPool(t, Options{})
	bridge.Of(p).ExpectFrame(deadline.Now(), time.Millisecond)
	var j Job
	j.Priority, j.Func = deadline.Low, func(*Worker) {}
	p.Submit(&j)
	until(t, func() bool { return j.State() == Finished })
}

// StandBack ends when it is told to, and otherwise at the time that was said.
func TestBackgroundWorkersStandBackUntilTold(t *testing.T) {
	p := lowPool(t, Options{})
	bridge.Of(p).StandBack(deadline.Now().Add(time.Hour))
	var j Job
	inHand(t, p, &j)
	p.BeginFrame() // that is another matter
	p.EndFrame()
	bridge.Of(p).ExpectFrame(0, 0)
	time.Sleep(20 * time.Millisecond) // a hundred looks
	if j.State() != Queued {
		t.Fatalf("the job is %v after a frame", j.State())
	}
	bridge.Of(p).StandBack(0)
	until(t, func() bool { return j.State() == Finished })

	bridge.Of(p).ExpectFrame(deadline.Now(), time.Hour)
	bridge.Of(p).StandBack(deadline.Now().Add(time.Millisecond))
	inHand(t, p, &j)
	time.Sleep(20 * time.Millisecond)
	if j.State() != Queued { // the longer of the two counts
		t.Fatalf("the job is %v while a frame is late", j.State())
	}
	bridge.Of(p).ExpectFrame(0, 0)
	until(t, func() bool { return j.State() == Finished })
}

// What is held can be canceled, and Close does not wait for a frame.
func TestWhatIsHeldCanBeCanceledAndClosed(t *testing.T) {
	p := lowPool(t, Options{})
	bridge.Of(p).ExpectFrame(deadline.Now(), time.Hour)
	var j Job
	inHand(t, p, &j)
	if !j.Cancel() {
		t.Error("not canceled")
	}
	closeNow(t, p)
}

// With what it has in its hands a worker continues with a thread of ordinary priority, and lowers that when the others
// have done.
func TestWorkersChangeThreadsWhileOthersCrowd(t *testing.T) {
	p := lowPool(t, Options{})
	if !p.machine.crowds {
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
	if was != osthread.Lowest {
		t.Fatalf("%v to begin with", was)
	}
	p.machine.crowd.Until(deadline.Now().Add(time.Hour))
	class, system, thread := classes()
	if class != osthread.Ordinary || system != ordinary || thread == first {
		t.Errorf("while others crowd us: %v, %v, thread %d after %d", class, system, thread, first)
	}
	p.ParallelFor(1000, 1, func(int, int) {})
	p.machine.crowd.Until(0)
	if class, system, _ := classes(); class != osthread.Lowest || system != osthread.Lowest {
		t.Errorf("when they have done: %v, %v", class, system)
	}
}

// Nothing is lost by who changes threads.
func TestWhoChangesThreadsLosesNothing(t *testing.T) {
	p := New(Options{Background: 2})
	const n = 500
	g := p.NewGroup(context.Background(), deadline.Low)
	ran := make(chan bool, n)
	for i := range n {
		until := deadline.Instant(0)
		if i%3 > 0 {
			until = deadline.Now().Add(time.Hour)
		}
		p.machine.crowd.Until(until)
		g.Go(func(context.Context) error { ran <- true; return nil })
	}
	if err := g.Wait(); err != nil || len(ran) != n {
		t.Errorf("%d of %d jobs ran: %v", len(ran), n, err)
	}
	if err := p.Close(context.Background()); err != nil {
		t.Error(err)
	}
}
