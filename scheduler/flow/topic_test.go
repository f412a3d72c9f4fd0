package flow_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/race"
	"github.com/frameslice/frameslice/internal/testkit"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/scheduler/flow"
)

// One hit is heard by the sound, at once, and by the log, when there is time.
func ExampleTopic() {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	hits := flow.NewTopic[int](s)
	hits.Subscribe(deadline.Idle, func(damage int) { fmt.Println("log", damage) })
	hits.Subscribe(deadline.UserBlocking, func(damage int) { fmt.Println("ouch", damage) })
	_ = hits.Publish(3)
	_ = hits.Publish(5)
	s.RunUntil(deadline.In(time.Second))
	// Output:
	// ouch 3
	// ouch 5
	// log 3
	// log 5
}

// A slow subscriber does not hold up another, and its queue drops the oldest values.
func TestTopicSlowSubscriber(t *testing.T) {
	s, now := virtual(t, scheduler.Options{})
	topic := flow.NewTopic[int](s)
	var quick, newest, others []int
	slow := func(into *[]int) func(int) {
		return func(v int) {
			*into = append(*into, v)
			*now = now.Add(10 * ms)
		}
	}
	topic.Subscribe(deadline.Normal, func(v int) { quick = append(quick, v) })
	a := flow.SubscribeOf(topic, deadline.Low, 2, slow(&newest))
	flow.SubscribeOf(topic, deadline.Low, 2, slow(&others))
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
}

// A delivery stands where a Post at the time of its Publish stands.
func TestTopicKeepsItsPlace(t *testing.T) {
	s, _ := virtual(t, scheduler.Options{})
	topic := flow.NewTopic[string](s)
	var l log
	flow.SubscribeOf(topic, deadline.Normal, 2, func(v string) { l.add(v)() })
	for _, v := range []string{"dropped", "b"} {
		_ = topic.Publish(v)
	}
	s.Post(deadline.Normal, l.add("post"))
	_ = topic.Publish("c") // in the place of the dropped one
	s.RunUntil(deadline.Deadline{})
	_ = topic.Publish("d")
	s.Post(deadline.Normal, l.add("post"))
	_ = topic.Publish("e")
	s.RunUntil(deadline.Deadline{})
	l.want(t, "b c post d post e")
}

func TestTopicCancel(t *testing.T) {
	s, _ := virtual(t, scheduler.Options{OnPanic: func(*scheduler.PanicError) {}})
	topic := flow.NewTopic[string](s)
	var l log
	var first, second *flow.Subscription[string]
	first = topic.Subscribe(deadline.Normal, func(v string) {
		l.add("first " + v)()
		if v == "b" {
			second.Cancel() // no delivery begins after that
			first.Cancel()
			first.Cancel()
		}
	})
	second = topic.Subscribe(deadline.Low, func(v string) { l.add("second " + v)() })
	topic.Subscribe(deadline.Low, func(v string) {
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
	for want, f := range map[string]func(){
		"flow: NewTopic with a nil Scheduler":     func() { flow.NewTopic[int](nil) },
		"flow: Topic.Subscribe of a nil function": func() { topic.Subscribe(deadline.Normal, nil) },
		"flow: invalid Priority(9)":               func() { topic.Subscribe(9, func(int) {}) },
	} {
		if got := testkit.PanicOf(f); !strings.HasPrefix(got, want) {
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
		limit := []int{1, 16, publishers * values}[i]
		u.sub = flow.SubscribeOf(topic, deadline.Normal, limit, func(v [2]int) {
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
					flow.SubscribeOf(topic, deadline.Normal, 1, func([2]int) {}).Cancel()
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
	topic.Subscribe(deadline.Normal, func(v int) { sum += v })
	flow.SubscribeOf(topic, deadline.Normal, 1, func(v int) { sum += v })
	if !race.Enabled {
		testkit.NoAllocs(t, func() {
			_ = topic.Publish(1)
			_ = topic.Publish(2)
			s.RunUntil(deadline.Deadline{})
		})
	}
}

func BenchmarkTopic(b *testing.B) {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	topic := flow.NewTopic[int](s)
	sum := 0
	for range 3 {
		topic.Subscribe(deadline.Normal, func(v int) { sum += v })
	}
	for i := range b.N {
		_ = topic.Publish(i)
		s.RunUntil(deadline.Deadline{})
	}
	if sum != 3*b.N*(b.N-1)/2 {
		b.Fatal(sum)
	}
}
