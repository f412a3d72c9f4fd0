//go:build explore

package flow

import (
	"fmt"
	"slices"
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/atomic"
	"github.com/frameslice/frameslice/internal/explore"
)

// A Latest has room for one key. Goroutines post a value each, for the keys in that order (S24, S42).
func TestExploreNoKeyIsRefusedBecauseOfItself(t *testing.T) {
	for _, keys := range [][]int{{0, 0}, {0, 0, 1}} {
		t.Run(fmt.Sprint("keys ", keys), func(t *testing.T) {
			explore.Explore(t, 2, func(p *explore.Program) {
				h := newHost(p)
				ran, refused := make([]int, len(keys)), make([]error, len(keys))
				l := newLatest(h.s, deadline.Normal, 1, func(key, value int) {
					if ran[value]++; keys[value] != key {
						p.Fail("value %d runs for key %d", value, key)
					}
				})
				var begun [2]atomic.Bool // a Post of the key
				for i, key := range keys {
					p.Go(fmt.Sprint("poster", i), func() {
						begun[key].Store(true)
						if refused[i] = l.Post(key, i); refused[i] != nil && !begun[1-key].Load() {
							p.Fail("value %d of key %d is refused, and there was no other key", i, key)
						}
					})
				}
				p.Go("host", func() {
					h.slice()
					h.slice()
				})
				p.End(func() error {
					h.slice()
					if n := l.used.Load(); n != 0 || l.buckets[0].Load() != nil {
						return fmt.Errorf("%d keys count", n)
					}
					for i, key := range keys {
						if refused[i] != nil && (ran[i] > 0 || !slices.Contains(keys, 1)) || ran[i] > 1 {
							return fmt.Errorf("value %d runs %d times: %w", i, ran[i], refused[i])
						}
						newest := func(k int) bool { return keys[k] == key && ran[k] > 0 }
						if refused[i] == nil && !newest(i) && !slices.ContainsFunc([]int{0, 1, 2}[:len(keys)], newest) {
							return fmt.Errorf("value %d does not run, nor does another one of its key", i)
						}
					}
					return nil
				})
			})
		})
	}
}
