package scheduler_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/race"
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
	if testing.Short() || race.Enabled {
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
