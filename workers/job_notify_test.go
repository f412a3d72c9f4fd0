package workers

import (
	"context"
	"sync/atomic"
	"testing"
)

// What Notify has arranged outlives the end of an earlier run that comes late, and does not wait for a later run.
func TestNotifyIsOfItsRun(t *testing.T) {
	p := New(Options{Workers: -1})
	defer func() { _ = p.Close(context.Background()) }()
	var calls atomic.Int32
	note := func() { calls.Add(1) }
	want := func(when string, n int32) {
		t.Helper()
		if calls.Load() != n {
			t.Errorf("%s: %d calls, not %d", when, calls.Load(), n)
		}
	}
	var j Job
	j.Func = func(*Worker) {
		n := calls.Load()
		j.Notify(note)
		j.wake(nil) // as the end of an earlier run does that comes late
		j.wake(nil)
		want("before the end", n)
	}
	for n := range int32(3) {
		p.Submit(&j)
		_ = j.Wait(context.Background())
		want("after it", n+1)
	}
	j.Notify(note)
	want("of a job that has finished", 4)

	// Its end takes the notice off the list, and calls it when the job has been submitted again.
	var late *waiter
	j.Func = func(*Worker) { j.Notify(note); late, _ = j.takeWaiters() }
	p.Submit(&j)
	_ = j.Wait(context.Background())
	p.Submit(&j)
	late.then.follow(false)
	want("late", 5)
	_ = j.Wait(context.Background())

	var k Job
	k.Func = func(*Worker) { k.wake(nil); want("in the first run", 5) }
	k.Notify(note)
	p.Submit(&k)
	_ = k.Wait(context.Background())
	want("after it", 6)
}
