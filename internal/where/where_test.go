package where_test

import (
	"iter"
	"runtime"
	"sync"
	"testing"

	"github.com/frameslice/frameslice/internal/testkit"
	"github.com/frameslice/frameslice/internal/where"
)

func TestGoroutinesHaveDifferentNumbers(t *testing.T) {
	const n = 100
	ids := make([]uintptr, n)
	var all, done sync.WaitGroup
	all.Add(n)
	for i := range n {
		done.Go(func() {
			ids[i] = where.ID()
			all.Done()
			all.Wait() // all live at once
			runtime.Gosched()
			if again := where.ID(); again != ids[i] {
				t.Errorf("the number has become %d, was %d", again, ids[i])
			}
		})
	}
	done.Wait()
	seen := map[uintptr]bool{0: true}
	for _, id := range ids {
		if seen[id] {
			t.Errorf("the number %d is 0, or another one's too", id)
		}
		seen[id] = true
	}
}

func TestRecordsNestAndEnd(t *testing.T) {
	pool, loop := new(int), new(int)
	done := make(chan bool)
	go func() {
		defer close(done)
		a := &where.Record{Kind: where.Frame, Owner: loop}
		b := &where.Record{Kind: where.Job, Owner: pool}
		if where.Here() != nil {
			t.Error("in something at first")
		}
		a.Enter()
		testkit.Panics(t, "leaves too", func() {
			b.Enter()
			defer b.Leave()
			if where.Here() != b || b.Outer() != a ||
				!where.In(loop, where.Job, where.Frame) || where.In(loop, where.Job) ||
				!where.In(nil, where.Job) {
				t.Error("the inner record is not there, or not in the outer one")
			}
			if a.Enter() {
				t.Error("a record is entered twice")
			}
			panic("leaves too")
		})
		if where.Here() != a {
			t.Error("the outer record is not there again")
		}
		a.Leave()
		if where.Here() != nil {
			t.Error("in something at the end")
		}
	}()
	<-done
}

func TestACoroutineHasRecordsOfItsOwn(t *testing.T) {
	loop, s := new(int), new(int)
	frame := &where.Record{Kind: where.Frame, Owner: loop}
	frame.Enter()
	defer frame.Leave()
	next, stop := iter.Pull(func(yield func(bool) bool) {
		task := &where.Record{Kind: where.Task, Owner: s}
		task.Enter()
		defer task.Leave()
		for yield(where.Here() == task && task.Outer() == nil && where.In(s, where.Task)) {
		}
	})
	for range 3 {
		if ok, _ := next(); !ok {
			t.Error("the coroutine is not in its own record alone")
		}
		if where.Here() != frame {
			t.Error("its resumer is not in its own")
		}
	}
	stop()
	if where.Here() != frame {
		t.Error("the end of the coroutine has left the record of its resumer")
	}
}

func TestGoexitLeaves(t *testing.T) {
	r := &where.Record{Kind: where.Worker}
	for range 1000 { // the runtime uses goroutines again
		done := make(chan bool)
		go func() {
			defer close(done)
			if where.Here() != nil {
				t.Error("in what a goroutine before was in")
			}
			r.Enter()
			defer r.Leave()
			runtime.Goexit()
		}()
		<-done
	}
}

func TestManyGoroutines(t *testing.T) {
	const n = 3000
	var all, done sync.WaitGroup
	all.Add(n)
	for range n {
		done.Go(func() {
			r := &where.Record{Kind: where.Task}
			r.Enter()
			defer r.Leave()
			all.Done()
			all.Wait()
			if where.Here() != r {
				t.Error("its record is lost")
			}
		})
	}
	done.Wait()
}

func TestNothingAllocates(t *testing.T) {
	r := &where.Record{Kind: where.Frame}
	testkit.NoAllocs(t, func() {
		r.Enter()
		where.Here()
		r.Leave()
	})
}

func deep(n int, f func()) {
	if n == 0 {
		f()
		return
	}
	deep(n-1, f)
}

func BenchmarkHere(b *testing.B) {
	for _, depth := range []int{0, 200} {
		b.Run(map[int]string{0: "shallow", 200: "deep"}[depth], func(b *testing.B) {
			deep(depth, func() {
				for b.Loop() {
					where.Here()
				}
			})
		})
	}
}

func BenchmarkEnterLeave(b *testing.B) {
	r := &where.Record{Kind: where.Frame}
	for b.Loop() {
		r.Enter()
		r.Leave()
	}
}
