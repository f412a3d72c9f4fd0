package flow_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/testkit"
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
		l := flow.NewLatestOf(s, deadline.Normal, keys, func(k, v int) {
			got = append(got, fmt.Sprint(k, "=", v))
		})
		var order []int
		model := map[int]int{}
		for n := range rapid.IntRange(0, 60).Draw(t, "steps") {
			if rapid.IntRange(0, 4).Draw(t, "what") == 0 {
				s.RunUntil(deadline.Deadline{})
				for _, k := range order {
					want = append(want, fmt.Sprint(k, "=", model[k]))
				}
				order, model = nil, map[int]int{}
				continue
			}
			k := rapid.IntRange(0, 8).Draw(t, "key")
			_, there := model[k]
			err := l.Post(k, n)
			if full := !there && len(model) == keys; full != errors.Is(err, flow.ErrFull) {
				t.Fatalf("Post with %d of %d keys: %v", len(model), keys, err)
			} else if full {
				continue
			}
			if !there {
				order = append(order, k)
			}
			model[k] = n
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("ran %v, want %v", got, want)
		}
	})
}

// Many producers, one with a key of its own each, or all with one key: there is room for a key if no other key waits,
// values of a producer never go back, and the last value of a key runs.
func TestStressLatest(t *testing.T) {
	const producers, each = 4, 20_000
	for _, keys := range []int{producers, 1} {
		s := scheduler.New(scheduler.Options{})
		ran := [producers]int{}
		l := flow.NewLatestOf(s, deadline.Normal, keys, func(_ int, v [2]int) {
			if v[1] <= ran[v[0]] {
				t.Errorf("value %d of producer %d comes after %d", v[1], v[0], ran[v[0]])
			}
			ran[v[0]] = v[1]
		})
		var g sync.WaitGroup
		for p := range producers {
			g.Go(func() {
				for n := range each {
					if err := l.Post(p%keys, [2]int{p, n + 1}); err != nil {
						t.Errorf("post %d: %v", n, err)
						return
					}
				}
			})
		}
		runWhile(s, &g, func() {})
		if keys == 1 && slices.Max(ran[:]) != each || keys > 1 && slices.Min(ran[:]) != each {
			t.Errorf("%d keys: what ran last are %v", keys, ran)
		}
		s.Close()
	}
}

func TestLatestInItsOwnFunctionRunsAgain(t *testing.T) {
	s := scheduler.New(scheduler.Options{OnPanic: func(*scheduler.PanicError) {}})
	var l *flow.Latest[string, int]
	var got []int
	l = flow.NewLatestOf(s, deadline.Normal, 1, func(k string, v int) {
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
	if fmt.Sprint(got) != "[1 2 3]" {
		t.Error(got)
	}
	_ = l.Post("goal", 4)
	s.Close()
	if err := l.Post("goal", 5); !errors.Is(err, scheduler.ErrClosed) || len(got) != 3 {
		t.Error(err, got)
	}
}

func TestLatestRefusesKeysThatAreNone(t *testing.T) {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	l := flow.NewLatest(s, deadline.Normal, func(any, int) {})
	for want, key := range map[string]any{
		"flow: Latest with a key that does not equal itself":       math.NaN(),
		"flow: Latest with a key that cannot be compared, a []int": []int{1},
	} {
		if got := testkit.PanicOf(func() { _ = l.Post(key, 1) }); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if err := l.Post([1]int{1}, 1); err != nil {
		t.Error(err)
	}
}
