package workers

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/bridge"
	"github.com/frameslice/frameslice/internal/osthread"
)

// A background worker with a job in its hands does not begin the job while a frame is late, or until the time that
// StandBack has told. A bubble does not wait for an hour. The naps grow there, so a worker may begin a little later.
func TestBackgroundWorkersStandBack(t *testing.T) {
	NeedsWorkers(t)
	real := time.Now()
	synctest.Test(t, func(t *testing.T) {
		p := New(Options{Workers: 1, Background: 1})
		defer MustClose(t, p)
		if p.classes[background].want.Load() == 0 {
			t.Skip("no background workers on this system")
		}
		hold := bridge.Of(p)
		in := func(d time.Duration) deadline.Instant { return deadline.Now().Add(d) }
		var s Stats
		for _, c := range []struct {
			what          string
			begin         func()
			second, third func() // after a second, and after two
			least, most   time.Duration
		}{
			{"until a time", func() { hold.StandBack(in(time.Hour)) }, nil, nil, time.Hour, time.Hour},
			{"until told, whatever frames do", func() { hold.StandBack(in(time.Hour)) }, func() {
				p.BeginFrame()
				p.EndFrame()
				hold.ExpectFrame(0, 0)
			}, func() { hold.StandBack(0) }, 2 * time.Second, 2200 * time.Millisecond},
			{"for a frame that comes", func() { hold.ExpectFrame(in(0), time.Hour) }, p.BeginFrame, nil,
				time.Second, 1100 * time.Millisecond},
			{"for a frame that does not come", func() { hold.ExpectFrame(in(0), time.Minute) }, nil, nil,
				time.Minute, time.Minute},
			{"for a frame, longer than until a time", func() {
				hold.ExpectFrame(in(0), time.Hour)
				hold.StandBack(in(time.Millisecond))
			}, func() { hold.ExpectFrame(0, 0) }, nil, time.Second, 1100 * time.Millisecond},
		} {
			c.begin()
			p.Stats(&s)
			before, start, took := s.Held, time.Now(), time.Duration(0)
			j := Job{Priority: deadline.Low, Func: func(*Worker) { took = time.Since(start) }}
			p.Submit(&j)
			for _, f := range []func(){c.second, c.third} {
				time.Sleep(time.Second)
				if f != nil {
					f()
				}
			}
			_ = j.Wait(t.Context())
			if p.Stats(&s); took < c.least || took > c.most || s.Held-before != took {
				t.Errorf("%s: begun after %v, held for %v", c.what, took, s.Held-before)
			}
		}
		hold.StandBack(in(time.Hour))
		j := Job{Priority: deadline.Low, Func: func(*Worker) { t.Error("it began") }}
		p.Submit(&j)
		synctest.Wait()
		if start := time.Now(); !j.Cancel() || p.Close(context.Background()) != nil || time.Since(start) > time.Second {
			t.Errorf("what is held cannot be canceled, or Close has waited for %v", time.Since(start))
		}
	})
	if took := time.Since(real); took > 10*time.Second {
		t.Errorf("it took %v", took)
	}
}

// With what it has in its hands a worker continues with a thread of ordinary priority, and lowers that when the others
// have done.
func TestWorkersChangeThreadsWhileOthersCrowd(t *testing.T) {
	p := New(Options{Workers: -1, Background: 1})
	defer MustClose(t, p)
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
