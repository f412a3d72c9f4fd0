package load_test

import (
	"context"
	"testing"

	"github.com/frameslice/frameslice/frame/load"
)

// A context that ends on the frame goroutine ends its requests there and then: what commits later in the same slice
// does not wait for the goroutine that watches the context, which may come any time, and in a browser after the slice.
func TestLoadHeedsItsContextInTheSameSlice(t *testing.T) {
	decode := func(_ context.Context, key string, _ *load.Meter) (string, error) { return key, nil }
	for range 50 {
		inLoadingWith(t, -1, func(w *loading) {
			before, cancel := context.WithCancel(bg)
			cancel()
			scene, leave := context.WithCancel(bg)
			ld := load.New(w.l, load.Options{}, decode)
			fail := func(string, error) { t.Error("committed to what has ended") }
			requests := []*load.Request{ld.Load(before, "early", fail)}
			ld.Load(scene, "door", func(string, error) { leave() })
			for _, key := range []string{"door", "tree", "early"} {
				requests = append(requests, ld.Load(scene, key, fail))
			}
			w.frames(3)
			for i, r := range requests {
				if r.State() != load.Canceled {
					t.Errorf("request %d is %v", i, r.State())
				}
			}
			if p := ld.Progress(); p.Loaded != 1 || p.Canceled != 4 {
				t.Errorf("%+v", p)
			}
		})
	}
}
