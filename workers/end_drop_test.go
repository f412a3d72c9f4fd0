package workers

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// A Close within a job waits for the other jobs, also when another Close has given up; and two of them do not wait for
// one another.
func TestCloseInAJobOutlastsAnotherThatGivesUp(t *testing.T) {
	needsWorkers(t)
	p := New(Options{Workers: 3})
	gate, given := make(chan struct{}), make(chan struct{})
	var over atomic.Bool
	var begun atomic.Int32
	p.Submit(&Job{Func: func(*Worker) {
		begun.Add(1)
		<-gate
		over.Store(true)
	}})
	returned := make(chan error, 2)
	other := []chan struct{}{make(chan struct{}), make(chan struct{})}
	for i := range other {
		p.Submit(&Job{Func: func(w *Worker) {
			begun.Add(1)
			<-given
			w.Submit(&Job{Func: func(*Worker) { t.Error("it began when Close had given up") }})
			err := p.Close(context.Background())
			if !over.Load() {
				t.Error("Close has returned while another job runs")
			}
			returned <- err
			close(other[i])
			<-other[1-i]
		}})
	}
	wait(t, "all have begun", func() bool { return begun.Load() == 3 })
	if p.Close(doneContext()) == nil {
		t.Error("a Close that has given up says nothing")
	}
	close(given)
	time.Sleep(10 * time.Millisecond) // they are in Close, most often
	close(gate)
	for range other {
		if err := <-returned; err != nil {
			t.Error(err)
		}
	}
	closeNow(t, p)
}

// A slowContext makes who cancels what is derived from it wait.
type slowContext struct {
	context.Context
	in, out chan struct{}
	slow    atomic.Bool
}

func (c *slowContext) Value(key any) any {
	if c.slow.CompareAndSwap(true, false) {
		close(c.in)
		<-c.out
	}
	return c.Context.Value(key)
}

// mustOutlast fails the test if Close returns before what somebody else has in hand is dropped.
func (c *slowContext) mustOutlast(t *testing.T, p *Pool) {
	t.Helper()
	<-c.in
	var dropped atomic.Bool
	closed := make(chan error)
	go func() {
		err := p.Close(context.Background())
		if !dropped.Load() {
			t.Error("Close has returned before a job was dropped")
		}
		closed <- err
	}()
	time.Sleep(10 * time.Millisecond) // it is in Close, most often
	dropped.Store(true)
	close(c.out)
	if err := <-closed; err != nil {
		t.Error(err)
	}
}

func newSlowContext(t *testing.T) *slowContext {
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	return &slowContext{Context: ctx, in: make(chan struct{}), out: make(chan struct{})}
}

// Of two calls of Close none returns while the other is about to drop a job.
func TestCloseWaitsForAnotherThatDrops(t *testing.T) {
	p := New(Options{Workers: -1})
	ctx := newSlowContext(t)
	g := p.NewGroup(ctx, deadline.Normal)
	g.Go(func(context.Context) error { return nil })
	ctx.slow.Store(true)
	first := make(chan error)
	go func() { first <- p.Close(doneContext()) }()
	ctx.mustOutlast(t, p)
	if <-first == nil {
		t.Error("nothing was said of the job that was dropped")
	}
	if err := g.Wait(); err != ErrClosed {
		t.Error(err)
	}
}

// Nor does it while a submission that has come late is about to drop what it has found.
func TestCloseWaitsForASubmissionThatDrops(t *testing.T) {
	p := New(Options{Workers: -1})
	ctx := newSlowContext(t)
	g := p.NewGroup(ctx, deadline.Normal)
	closeNow(t, p)
	g.Go(func(context.Context) error { return nil })
	ctx.slow.Store(true)
	late := make(chan struct{})
	go func() { // what Go would have done, had it looked before
		defer close(late)
		p.lanes[g.prio.Lane()].inject(jobItem(&g.stack.Load().job), false)
	}()
	ctx.mustOutlast(t, p)
	<-late
	if err := g.Wait(); err != ErrClosed {
		t.Error(err)
	}
}
