package flow_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/explore"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/scheduler/flow"
)

// One hit is heard by the sound, at once, and by the log, when there is time.
func ExampleTopic() {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	hits := flow.NewTopic[int](s)
	hits.Subscribe(flow.SubscribeOptions{Priority: deadline.Idle}, func(damage int) { fmt.Println("log", damage) })
	sound := flow.SubscribeOptions{Priority: deadline.UserBlocking}
	hits.Subscribe(sound, func(damage int) { fmt.Println("ouch", damage) })
	_ = hits.Publish(3)
	_ = hits.Publish(5)
	s.RunUntil(deadline.In(time.Second))
	// Output:
	// ouch 3
	// ouch 5
	// log 3
	// log 5
}

// A slow subscriber does not hold up another, and its queue drops what its policy says.
func TestTopicSlowSubscriber(t *testing.T) {
	s, now := virtual(t, scheduler.Options{})
	topic := flow.NewTopic[int](s)
	var quick, newest, oldest []int
	slow := func(into *[]int) func(int) {
		return func(v int) {
			*into = append(*into, v)
			*now = now.Add(10 * ms)
		}
	}
	topic.Subscribe(flow.SubscribeOptions{}, func(v int) { quick = append(quick, v) })
	a := topic.Subscribe(flow.SubscribeOptions{Priority: deadline.Low, Limit: 2}, slow(&newest))
	b := topic.Subscribe(flow.SubscribeOptions{Priority: deadline.Low, Limit: 2, KeepOldest: true}, slow(&oldest))
	for frame := range 5 {
		for i := range 10 {
			if err := topic.Publish(10*frame + i); err != nil {
				t.Fatal(err)
			}
		}
		s.RunUntil(deadline.At(now.Add(5 * ms)))
		if len(quick) != 10*(frame+1) {
			t.Fatalf("frame %d: the quick subscriber has %v", frame, quick)
		}
	}
	for range 5 {
		s.RunUntil(deadline.At(now.Add(5 * ms)))
	}
	for i, v := range quick {
		if v != i {
			t.Fatalf("out of order: %v", quick)
		}
	}
	if n := len(newest); n == 0 || newest[n-1] != 49 || uint64(n)+a.Dropped() != 50 {
		t.Errorf("the newest of 50 values were %v, %d dropped", newest, a.Dropped())
	}
	if n := len(oldest); n == 0 || oldest[0] != 0 || uint64(n)+b.Dropped() != 50 {
		t.Errorf("the oldest of 50 values were %v, %d dropped", oldest, b.Dropped())
	}
}

func TestTopicCancel(t *testing.T) {
	s, _ := virtual(t, scheduler.Options{OnPanic: func(*scheduler.PanicError) {}})
	topic := flow.NewTopic[string](s)
	var l log
	var first, second *flow.Subscription[string]
	first = topic.Subscribe(flow.SubscribeOptions{}, func(v string) {
		l.add("first " + v)()
		if v == "b" {
			second.Cancel() // no delivery begins after that
			first.Cancel()
			first.Cancel()
		}
	})
	second = topic.Subscribe(flow.SubscribeOptions{Priority: deadline.Low}, func(v string) { l.add("second " + v)() })
	topic.Subscribe(flow.SubscribeOptions{Priority: deadline.Low}, func(v string) {
		l.add("third " + v)()
		panic("a bug") // costs no value that comes later
	})
	for _, v := range []string{"a", "b", "c"} {
		_ = topic.Publish(v)
	}
	s.RunUntil(deadline.Deadline{})
	l.want(t, "first a first b third a third b third c")
	s.Close()
	if err := topic.Publish("d"); !errors.Is(err, scheduler.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

func TestTopicMisuse(t *testing.T) {
	s, _ := virtual(t, scheduler.Options{})
	topic := flow.NewTopic[int](s)
	subscribe := func(o flow.SubscribeOptions) func() {
		return func() { topic.Subscribe(o, func(int) {}) }
	}
	for want, f := range map[string]func(){
		"flow: NewTopic with a nil Scheduler":               func() { flow.NewTopic[int](nil) },
		"flow: Topic.Subscribe of a nil function":           func() { topic.Subscribe(flow.SubscribeOptions{}, nil) },
		"flow: invalid Priority(9)":                         subscribe(flow.SubscribeOptions{Priority: 9}),
		"flow: Topic.Subscribe with SubscribeOptions.Limit": subscribe(flow.SubscribeOptions{Limit: -1}),
	} {
		if got := panics(f); !strings.HasPrefix(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// Publishers beside frames: each subscriber has each publisher's values in order, and all that were not dropped.
func TestTopicStorm(t *testing.T) {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	topic := flow.NewTopic[[2]int](s)
	const publishers, values = 4, 2000
	type subscriber struct {
		last [publishers]int
		n    uint64
		sub  *flow.Subscription[[2]int]
	}
	var all [3]subscriber
	for i := range all {
		u := &all[i]
		o := flow.SubscribeOptions{Limit: []int{1, 16, publishers * values}[i], KeepOldest: i == 1}
		u.sub = topic.Subscribe(o, func(v [2]int) {
			if v[1] <= u.last[v[0]] {
				t.Errorf("publisher %d: %d after %d", v[0], v[1], u.last[v[0]])
			}
			u.last[v[0]] = v[1]
			u.n++
		})
	}
	var g sync.WaitGroup
	for p := range publishers {
		g.Go(func() {
			for i := 1; i <= values; i++ {
				_ = topic.Publish([2]int{p, i})
				if i%100 == 0 {
					topic.Subscribe(flow.SubscribeOptions{Limit: 1}, func([2]int) {}).Cancel()
				}
			}
		})
	}
	runWhile(s, &g, func() {})
	for i := range all {
		if u := &all[i]; u.n+u.sub.Dropped() != publishers*values || i == 2 && u.sub.Dropped() != 0 {
			t.Errorf("subscriber %d had %d values and dropped %d of %d", i, u.n, u.sub.Dropped(), publishers*values)
		}
	}
}

func TestTopicAllocatesNothing(t *testing.T) {
	s, _ := virtual(t, scheduler.Options{})
	topic := flow.NewTopic[int](s)
	sum := 0
	topic.Subscribe(flow.SubscribeOptions{}, func(v int) { sum += v })
	topic.Subscribe(flow.SubscribeOptions{Limit: 1}, func(v int) { sum += v })
	if n := testing.AllocsPerRun(100, func() {
		_ = topic.Publish(1)
		_ = topic.Publish(2)
		s.RunUntil(deadline.Deadline{})
	}); n > 0 && !raceEnabled {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkTopic(b *testing.B) {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	topic := flow.NewTopic[int](s)
	sum := 0
	for range 3 {
		topic.Subscribe(flow.SubscribeOptions{}, func(v int) { sum += v })
	}
	for i := range b.N {
		_ = topic.Publish(i)
		s.RunUntil(deadline.Deadline{})
	}
	if sum != 3*b.N*(b.N-1)/2 {
		b.Fatal(sum)
	}
}

// topicState: two publishers put one value each into a queue, and the task delivers (S43). The signal is that of S25:
// raised is one step, which submits the task.
type topicState struct {
	values, delivered int8
	signal, queued    bool
	running, again    bool
	p                 [2]int8
	frame             int8
}

func topicModel(mutant string) explore.Model[topicState] {
	raise := func(s *topicState) {
		if s.signal {
			return
		}
		s.signal = true
		if s.running {
			s.again = true
		} else {
			s.queued = true
		}
	}
	publisher := func(i int) explore.Thread[topicState] {
		put, tell := func(s *topicState) { s.values++ }, raise
		if mutant == "raise before the value" {
			put, tell = tell, put
		}
		return explore.Thread[topicState]{Name: fmt.Sprint("publisher", i), Step: func(s *topicState) bool {
			switch s.p[i] {
			case 0:
				put(s)
			case 1:
				tell(s)
			default:
				return false
			}
			s.p[i]++
			return true
		}}
	}
	frame := explore.Thread[topicState]{Name: "frame", Step: func(s *topicState) bool {
		answer, take, rest := int8(1), int8(2), int8(3)
		if mutant == "the answer last" {
			answer, take, rest = 3, 1, 2
		}
		switch s.frame {
		case 0:
			if !s.queued {
				return false
			}
			s.queued, s.running = false, true
			s.frame = 1
			return true
		case answer:
			s.signal = false
		case take:
			if s.values > 0 {
				s.values--
				s.delivered++
			}
		case rest:
			if s.values > 0 && mutant != "no raise for the rest" {
				raise(s)
			}
		case 4: // the end of the run
			s.running = false
			s.queued, s.again = s.again, false
			s.frame = 0
			return true
		}
		s.frame++
		return true
	}}
	return explore.Model[topicState]{
		Threads: []explore.Thread[topicState]{publisher(0), publisher(1), frame},
		Final: func(s topicState) error {
			if s.delivered != 2 {
				return errors.New("a value waits, and no task")
			}
			return nil
		},
	}
}

func TestS43_EachValueIsDelivered(t *testing.T) {
	try(t, topicModel, "raise before the value", "the answer last", "no raise for the rest")
}
