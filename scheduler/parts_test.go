package scheduler

import (
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// The parts of a Scheduler, each without one. What they do together is the reference model's.

const ms = time.Millisecond

// partItem returns an item that waits for its turn, as the part finds it.
func partItem(t *Task, flags word) *item {
	it := &item{index: 1, fn: func() {}}
	if t != nil {
		it = &t.item
		it.task = t
	}
	it.node.Value = it
	it.word.Store(generationOne | stateReady | flags)
	return it
}

// S34: what does not fit is passed over in patience frames, and is first in the next.
func TestOrderAlone(t *testing.T) {
	now := deadline.Instant(time.Hour)
	o := &order{patience: patience, share: overdueShare}
	o.read, o.fell = func() deadline.Instant { return now }, o.takeBack
	long, short := partItem(new(Task), 0), partItem(nil, 0)
	long.task.sent.cost.Store(int64(10 * ms))
	o.queue(long, deadline.Normal, now, 0, 0)
	o.queue(short, deadline.Normal, now, 0, 0)
	for frame := range patience + 1 {
		o.newSlice(deadline.At(now.Add(5*ms)), true)
		want := short
		if frame == patience {
			want = long
		}
		if n := o.nextRunnable(); n != &want.node {
			t.Errorf("frame %d: the wrong task is first", frame)
		}
		if r := o.oldSlice(); r.Deferred != 1-frame/patience {
			t.Errorf("frame %d: %d were passed over", frame, r.Deferred)
		}
	}
}

// S44, S45: a member waits in its group's queue until it is due, and in its group's list while the group is paused.
func TestPacingAlone(t *testing.T) {
	now := deadline.Instant(time.Hour)
	g := newGroup(nil, nil, "level")
	p := &pacing{alarmAt: deadline.Never}
	p.posted = []member{{g: g}}
	it := partItem(nil, flagMember)
	p.place(it, deadline.Normal, now, 10*ms, 0)
	if it.where != inLater || p.alarmAt != now.Add(10*ms) || p.delayedBy(deadline.Normal) != 1 {
		t.Errorf("delayed: place %d, alarm after %v", it.where, p.alarmAt.Sub(now))
	}
	p.releaseDue(now.Add(10*ms - 1))
	if it.where != inLater {
		t.Error("released too early")
	}
	p.releaseDue(now.Add(10 * ms))
	if it.where != inQueue || p.alarmAt != deadline.Never || len(p.kept) != 0 {
		t.Errorf("due: place %d, alarm after %v, %d groups kept", it.where, p.alarmAt.Sub(now), len(p.kept))
	}
	g.paused = true
	p.parkIfStopped(it, now.Add(15*ms))
	if it.where != inParked || p.q.Len() != 0 || p.parked != 1 {
		t.Errorf("paused: place %d, %d in the queue, %d parked", it.where, p.q.Len(), p.parked)
	}
	g.paused = false
	p.giveBack(g, now.Add(25*ms))
	if start := p.q.Start(&it.node); it.where != inQueue || start != now.Add(20*ms) {
		t.Errorf("resumed: place %d, started %v after the beginning, want 20ms", it.where, start.Sub(now))
	}
}

// S48: a group with a member is a child of its parent, until the member leaves.
func TestMembershipsAlone(t *testing.T) {
	outer := newGroup(nil, nil, "outer")
	inner := newGroup(nil, outer, "inner")
	var ms memberships
	it := partItem(nil, flagMember)
	it.fore = &inner.groupEntry.item
	ms.join(it, 1)
	if ms.groupOf(it) != inner || len(inner.members) != 1 || len(outer.children) != 1 || outer.isEmpty() {
		t.Errorf("joined: %d members, %d children", len(inner.members), len(outer.children))
	}
	ms.leaveGroup(it)
	if len(inner.members) != 0 || len(outer.children) != 0 || !outer.isEmpty() {
		t.Errorf("left: %d members, %d children", len(inner.members), len(outer.children))
	}
}

// A coroutine that waits for a frame is ready when the frame begins.
func TestWaitsAlone(t *testing.T) {
	ws := new(waits)
	ws.takeOut[inFrame] = ws.frames.remove
	it := partItem(new(Task), 0)
	ws.queue(it, deadline.Low, 0, 0, 0)
	ws.unlink(it)
	it.forceState(stateHeld)
	it.where = inFrame
	ws.frames.push(it)
	ws.releaseFrames(5)
	state := stateOf(it.word.Load())
	if ws.q.Peek(5) != &it.node || it.where != inQueue || ws.frames.n != 0 || state != Queued {
		t.Errorf("place %d, %d wait for the frame, %v", it.where, ws.frames.n, state)
	}
}

// S2, S8: the push into the empty inbox wakes the host, and after Close a push ends what it has pushed.
func TestIntakeAlone(t *testing.T) {
	wakes, ends := 0, 0
	in := &intake{wake: func() { wakes++ }}
	in.inbox.endAfterClose = func() { ends++; in.sweepInbox(nil) }
	for want := 1; want <= 2; want++ {
		in.push(in.arena.get(noLane))
		in.push(in.arena.get(noLane))
		if !in.isUnread() || wakes != want {
			t.Errorf("%d wake-ups, want %d", wakes, want)
		}
		if in.inbox.take(); in.isUnread() {
			t.Error("not empty after all was taken")
		}
	}
	in.closed.Store(true)
	it := partItem(nil, flagNew|flagInbox)
	in.push(it)
	if ends != 1 || in.isUnread() || in.dropped.Load() != 1 || it.fn != nil || stateOf(it.word.Load()) != Canceled {
		t.Errorf("after Close: %d ends, %d dropped, %v", ends, in.dropped.Load(), stateOf(it.word.Load()))
	}
}

// S14: a frame runs at most microLimit microtasks.
func TestMicrotasksAlone(t *testing.T) {
	m, r := &microtasks{microLimit: 2}, new(runs)
	for range 3 {
		m.micros.push(partItem(nil, flagMicro))
	}
	for _, want := range []bool{true, true, false} {
		if it := m.claimMicro(r); (it != nil) != want || want && r.current != it {
			t.Errorf("after %d: %v", m.microRan, it)
		}
	}
	if m.newMicroFrame(); m.claimMicro(r) == nil || m.micros.n != 0 {
		t.Error("the next frame does not run the rest")
	}
}
