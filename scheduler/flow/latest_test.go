package flow_test

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/scheduler/flow"
)

// Latest against a list of keys and a map.
func TestLatestMatchesAList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		keys := rapid.IntRange(1, 6).Draw(t, "keys")
		s := scheduler.New(scheduler.Options{})
		defer s.Close()
		var got, want []string
		l := flow.NewLatest(s, flow.LatestOptions{Keys: keys}, func(k, v int) {
			got = append(got, fmt.Sprint(k, "=", v))
		})
		type entry struct {
			v        int
			canceled bool
		}
		var order []int
		model := map[int]entry{}
		for n := range rapid.IntRange(0, 60).Draw(t, "steps") {
			k := rapid.IntRange(0, 8).Draw(t, "key")
			old, there := model[k]
			switch rapid.IntRange(0, 4).Draw(t, "what") {
			case 0:
				s.RunUntil(deadline.Deadline{})
				for _, k := range order {
					if e := model[k]; !e.canceled {
						want = append(want, fmt.Sprint(k, "=", e.v))
					}
				}
				order, model = nil, map[int]entry{}
			case 1:
				if ok := l.Cancel(k); ok != (there && !old.canceled) {
					t.Fatalf("Cancel(%d) is %v", k, ok)
				}
				if there {
					model[k] = entry{canceled: true}
				}
			default:
				err := l.Post(k, n)
				if full := !there && len(model) == keys; full != errors.Is(err, flow.ErrFull) {
					t.Fatalf("Post with %d of %d keys: %v", len(model), keys, err)
				} else if full {
					continue
				}
				if !there {
					order = append(order, k)
				}
				model[k] = entry{v: n}
			}
			if l.Len() != len(model) {
				t.Fatalf("Len is %d, want %d", l.Len(), len(model))
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("ran %v, want %v", got, want)
		}
	})
}

// Many producers: what runs last for each key is the last value of the producer whose key it is, values never
// go back, and nothing is left.
func TestStressLatest(t *testing.T) {
	const producers, each = 8, 500
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	seen := map[int]int{}
	runs := 0
	l := flow.NewLatest(s, flow.LatestOptions{Keys: producers + 1}, func(k, v int) {
		runs++
		if v <= seen[k] {
			t.Errorf("key %d: %d after %d", k, v, seen[k])
		}
		seen[k] = v
	})
	var g sync.WaitGroup
	for p := range producers {
		g.Go(func() {
			for i := range each {
				if err := l.Post(p, i+1); err != nil {
					t.Error(err)
				}
				if i%7 == 0 && i < each-1 {
					l.Cancel(p)
				}
				if i%16 == 0 {
					runtime.Gosched()
				}
			}
		})
	}
	runWhile(s, &g, func() {})
	for p := range producers {
		if seen[p] != each {
			t.Errorf("key %d: the last value was %d", p, seen[p])
		}
	}
	if n := uint64(runs) + l.Replaced(); n > producers*each || l.Len() != 0 {
		t.Errorf("%d runs, %d replaced, %d left", runs, l.Replaced(), l.Len())
	}
}

func TestLatestInItsOwnFunctionRunsAgain(t *testing.T) {
	s := scheduler.New(scheduler.Options{OnPanic: func(*scheduler.PanicError) {}})
	var l *flow.Latest[string, int]
	var got []int
	l = flow.NewLatest(s, flow.LatestOptions{Keys: 1}, func(k string, v int) {
		got = append(got, v)
		if v < 3 {
			if err := l.Post(k, v+1); err != nil {
				t.Error(err)
			}
			panic("a panic keeps no place")
		}
	})
	_ = l.Post("goal", 1)
	s.RunUntil(deadline.Deadline{})
	if fmt.Sprint(got) != "[1 2 3]" || l.Len() != 0 {
		t.Error(got, l.Len())
	}
	_ = l.Post("goal", 4)
	s.Close()
	if err := l.Post("goal", 5); !errors.Is(err, scheduler.ErrClosed) || len(got) != 3 {
		t.Error(err, got)
	}
	if l.Len() != 0 || l.Cancel("goal") {
		t.Errorf("after Close %d wait, or can be canceled", l.Len())
	}
}

func TestLatestRefusesKeysThatAreNone(t *testing.T) {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	l := flow.NewLatest(s, flow.LatestOptions{}, func(any, int) {})
	for want, key := range map[string]any{
		"flow: Latest with a key that does not equal itself":       math.NaN(),
		"flow: Latest with a key that cannot be compared, a []int": []int{1},
	} {
		for _, got := range []string{panics(func() { _ = l.Post(key, 1) }), panics(func() { l.Cancel(key) })} {
			if got != want {
				t.Errorf("%q, want %q", got, want)
			}
		}
	}
	if err := l.Post([1]int{1}, 1); err != nil || l.Len() != 1 {
		t.Errorf("%v, %d keys wait, want 1", err, l.Len())
	}
}
