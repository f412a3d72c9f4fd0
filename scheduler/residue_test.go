package scheduler_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// heap returns the bytes of live objects.
func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestAMillionCancelsLeaveNothing posts a million functions with a kilobyte each, changes their priority, and
// cancels them, one by one and as a group. The residue is what the arena keeps for the next ones.
func TestAMillionCancelsLeaveNothing(t *testing.T) {
	n := 1_000_000
	if testing.Short() || scheduler.RaceEnabled {
		n = 20_000
	}
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	const each = 1000 // at a time, so that the memory of a small machine is enough
	handles := make([]scheduler.Handle, each)
	blocker := &scheduler.Task{Delay: time.Hour, Func: func() {}}
	s.Submit(blocker)
	delayed := make([]scheduler.Task, each)
	var group *scheduler.Group
	pass := func() {
		group = s.NewGroup("residue")
		for i := range handles {
			big := new([1024]byte)
			f := func() { runtime.KeepAlive(big); t.Error("a cancelled function ran") }
			handles[i] = s.Post(deadline.Idle, f)
			delayed[i].Func, delayed[i].Delay = f, time.Hour
			scheduler.SubmitTo(group, &delayed[i])
			delayed[i].SetPriority(deadline.Low)
			handles[i].SetPriority(deadline.Low)
		}
		for i := range handles {
			handles[i].Cancel()
		}
		group.SetPriority(deadline.UserBlocking)
		group.Cancel()
		s.RunUntil(deadline.Deadline{})
		clear(delayed) // what the caller itself keeps
	}
	pass()
	before := heap()
	for range n/each/2 - 1 {
		pass()
	}
	after := heap()
	size, free := scheduler.ArenaSize(s)
	if size != free || scheduler.Members(group) != 0 {
		t.Errorf("%d of %d items are free, the group has %d members", free, size, scheduler.Members(group))
	}
	if st := s.Stats(); st.Canceled != uint64(n) || st.Delayed[deadline.Normal.Lane()] != 1 {
		t.Errorf("%+v: want %d cancelled, and one task left", st, n)
	}
	if grown := after - before; grown > 256<<10 {
		t.Errorf("the heap has grown by %d bytes over %d cancellations", grown, n)
	} else {
		t.Logf("the heap has grown by %d bytes over %d cancellations", grown, n)
	}
}

// BenchmarkMoveOneByOne is linear if the time for one does not depend on how many there are.
func BenchmarkMoveOneByOne(b *testing.B) {
	for _, n := range []int{1000, 100_000, 1_000_000} {
		b.Run(map[int]string{1000: "1e3", 100_000: "1e5", 1_000_000: "1e6"}[n], func(b *testing.B) {
			s := scheduler.New(scheduler.Options{})
			defer s.Close()
			handles := make([]scheduler.Handle, n)
			for i := range handles {
				handles[i] = s.Post(deadline.Low, nop)
			}
			s.Post(deadline.Immediate, nop)
			s.RunUntil(deadline.In(-1))
			b.ResetTimer()
			for k := range b.N {
				for _, h := range handles {
					h.SetPriority(deadline.Priority(k%2) - 1)
				}
				for s.RunUntil(deadline.In(time.Hour)).Ran == 0 {
				}
				b.StopTimer()
				for i := range handles {
					handles[i] = s.Post(deadline.Low, nop)
				}
				s.Post(deadline.Immediate, nop)
				s.RunUntil(deadline.In(-1))
				b.StartTimer()
			}
			b.ReportMetric(float64(b.Elapsed())/float64(b.N)/float64(n), "ns/task")
		})
	}
}

// BenchmarkCancelAll is linear if the time for one does not depend on how many there are.
func BenchmarkCancelAll(b *testing.B) {
	for _, n := range []int{1000, 10_000, 100_000, 1_000_000} {
		name := map[int]string{1000: "1e3", 10_000: "1e4", 100_000: "1e5", 1_000_000: "1e6"}[n]
		for _, way := range []string{"one by one", "group"} {
			b.Run(name+"/"+way, func(b *testing.B) {
				s := scheduler.New(scheduler.Options{})
				defer s.Close()
				handles := make([]scheduler.Handle, n)
				cancel := func() {
					g := s.NewGroup("g")
					for i := range handles {
						if way == "group" {
							handles[i] = g.Post(deadline.Normal, nop)
						} else {
							handles[i] = s.Post(deadline.Normal, nop)
						}
					}
					s.Post(deadline.Immediate, nop)
					s.RunUntil(deadline.In(-1)) // reads them all
					b.StartTimer()
					if way == "group" {
						g.Cancel()
					} else {
						for _, h := range handles {
							h.Cancel()
						}
					}
					s.RunUntil(deadline.Deadline{})
					b.StopTimer()
				}
				cancel()
				b.ResetTimer()
				for range b.N {
					cancel()
				}
				b.ReportMetric(float64(b.Elapsed())/float64(b.N)/float64(n), "ns/task")
			})
		}
	}
}
