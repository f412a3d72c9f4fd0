package flow

import (
	"slices"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/atomic"
	"github.com/frameslice/frameslice/internal/bridge"
	"github.com/frameslice/frameslice/scheduler"
)

// Topic passes each published value to all subscribers: damage to the sound, the score and the log. A delivery is a
// task of its own with the time of its Publish, so a slow subscriber does not hold up the others. If 1,024 values wait
// for a subscriber, the oldest is dropped. The zero Topic is not ready: see NewTopic.
type Topic[T any] struct {
	s    *scheduler.Scheduler
	mu   atomic.Mutex                       // of changes of subs
	subs atomic.Pointer[[]*Subscription[T]] // a list never changes
}

// Subscription is one subscriber of a Topic. Any goroutine may call its methods.
//
// S43. Each value in values has a message of its own, a task that delivers the oldest value. A put first puts the value
// in and then sends a message, unless as many messages as values can wait are on their way. sent counts the messages
// from before their Submit until their run. A run first counts its message as gone and then takes a value. So sent is
// never less than the values, except by a put or a run that is between its two steps.
//
// Proof. A put that sends raises both by one. A put that finds sent at the capacity of values or more sends nothing:
// values has room for no more, so there are enough messages. A run lowers sent by one, and then the values by one, or
// finds none. A dropped value leaves its message, for the value that follows. sent changes by one compare-and-swap:
// with a number that is added and taken back, two puts at once could both find enough messages where one is missing.
type Subscription[T any] struct {
	t        *Topic[T]
	prio     deadline.Priority
	f        func(T)
	values   atomic.Queue[T]
	sent     atomic.Int64
	messages atomic.Pool      // *topicMessage[T]
	last     *topicMessage[T] // the one that ran last; frame goroutine
	over     atomic.Bool
	dropped  atomic.Uint64
}

// topicMessage is a delivery on its way. See boundMessage.
type topicMessage[T any] struct {
	task scheduler.Task
	u    *Subscription[T]
}

// NewTopic returns a Topic without subscribers, whose deliveries run on s. It panics if s is nil.
func NewTopic[T any](s *scheduler.Scheduler) *Topic[T] {
	mustNotBeNil(s, "NewTopic")
	return &Topic[T]{s: s}
}

// Subscribe calls f with each value from now on, in a task of priority p for each. The values of one publisher come in
// order. f may publish, subscribe and cancel. Any goroutine. It takes 1,024 times the size of a value, and panics if f
// is nil or p is invalid.
func (t *Topic[T]) Subscribe(p deadline.Priority, f func(T)) *Subscription[T] {
	return t.subscribe(p, mostWaiting, f)
}

func (t *Topic[T]) subscribe(p deadline.Priority, limit int, f func(T)) *Subscription[T] {
	if f == nil {
		panic("flow: Topic.Subscribe of a nil function")
	}
	mustBeValid(p)
	u := &Subscription[T]{t: t, prio: p, f: f, values: atomic.NewQueue[T](limit)}
	t.change(func(subs []*Subscription[T]) []*Subscription[T] { return append(subs, u) })
	return u
}

// change replaces the list of subscribers by next of a copy of the list.
func (t *Topic[T]) change(next func([]*Subscription[T]) []*Subscription[T]) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var subs []*Subscription[T]
	if old := t.subs.Load(); old != nil {
		subs = slices.Clone(*old)
	}
	subs = next(subs)
	t.subs.Store(&subs)
}

// Publish passes v to the present subscribers. It returns scheduler.ErrClosed if the scheduler is closed. Any
// goroutine; it never blocks, and takes about 100 ns for each subscriber. Nothing allocates.
func (t *Topic[T]) Publish(v T) error {
	if t.s.Context().Err() != nil {
		return scheduler.ErrClosed
	}
	if subs := t.subs.Load(); subs != nil {
		for _, u := range *subs {
			u.put(v)
		}
	}
	return nil
}

// put queues v, and drops the oldest value if there is no room.
func (u *Subscription[T]) put(v T) {
	for {
		if u.values.Put(v) {
			u.send()
			return
		}
		if _, ok := u.values.Take(); ok { // otherwise the frame goroutine has made room
			u.dropped.Add(1)
		}
	}
}

// send sends a message, unless there are as many as there can be values.
func (u *Subscription[T]) send() {
	for {
		n := u.sent.Load()
		if n >= int64(u.values.Cap()) {
			return
		}
		if u.sent.CompareAndSwap(n, n+1) {
			break
		}
	}
	m, _ := u.messages.Get().(*topicMessage[T])
	if m == nil {
		m = &topicMessage[T]{u: u}
		m.task = scheduler.Task{Priority: u.prio, Func: m.run}
		bridge.Of(u.t.s).Wraps(&m.task, u.f)
	}
	u.t.s.Submit(&m.task)
}

// run delivers the oldest value.
func (m *topicMessage[T]) run() {
	u := m.u
	if u.last != nil {
		u.messages.Put(u.last)
	}
	u.last = m
	u.sent.Add(-1)
	v, ok := u.values.Take()
	if ok && !u.over.Load() { // otherwise it was dropped
		u.f(v)
	}
}

// Cancel ends the subscription. Values that wait are dropped. After a Cancel on the frame goroutine no delivery begins.
func (u *Subscription[T]) Cancel() {
	if u.over.Swap(true) {
		return
	}
	u.t.change(func(subs []*Subscription[T]) []*Subscription[T] {
		return slices.DeleteFunc(subs, func(other *Subscription[T]) bool { return other == u })
	})
	for ok := true; ok; {
		_, ok = u.values.Take()
	}
}

// Dropped returns how many values were dropped because too many waited.
func (u *Subscription[T]) Dropped() uint64 { return u.dropped.Load() }
