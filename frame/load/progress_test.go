package load_test

import (
	"context"
	"testing"

	"github.com/frameslice/frameslice/frame/load"
)

// A loading screen whose Loader is still busy with the scene before: what that one leaves behind, be it canceled or
// committed, does not count for requests that have not ended.
func TestProgressSinceWhileTheSceneBeforeIsUnderWay(t *testing.T) {
	for _, cancel := range []bool{true, false} {
		inLoading(t, func(w *loading) {
			ld := w.loader(load.Options{})
			scene, leave := context.WithCancel(context.Background())
			defer leave()
			ask := func(names ...string) (pending []*load.Request) {
				for _, name := range names {
					pending = append(pending, ld.Load(scene, name, func(string, error) {}))
				}
				return pending
			}
			ask("a", "b", "c", "d")
			w.frames(1)
			before := ld.Progress()
			if cancel {
				leave()
				scene = bg
			}
			pending := ask("e", "f", "g")
			last := 0.0
			for range 10 {
				p := ld.Progress().Since(before)
				if f := p.Fraction(); f < last || f > 1 {
					t.Errorf("canceled %v: fraction %v after %v: %+v", cancel, f, last, p)
				} else if last = f; f == 1 {
					for _, r := range pending {
						if r.State() == load.Pending {
							t.Errorf("canceled %v: all done, and one is pending: %+v", cancel, p)
						}
					}
				}
				if p.Bytes < 0 || p.Bytes > p.TotalBytes {
					t.Errorf("canceled %v: bytes %+v", cancel, p)
				}
				w.frames(1)
			}
			if last != 1 {
				t.Errorf("canceled %v: ended at %v", cancel, last)
			}
		})
	}
}

// Bytes of attempts that were under way, and are taken back, do not make less than nothing of what came since.
func TestProgressSinceOfBytesThatAreTakenBack(t *testing.T) {
	before := load.Progress{Total: 1, Bytes: 400, TotalBytes: 1000}
	for _, c := range []struct{ now, want load.Progress }{
		{load.Progress{Total: 1, Loaded: 1, Bytes: 1000, TotalBytes: 1000},
			load.Progress{Total: 1, Loaded: 1, Bytes: 600, TotalBytes: 600}},
		{load.Progress{Total: 2, Canceled: 1, Bytes: 0, TotalBytes: 50},
			load.Progress{Total: 2, Canceled: 1, Bytes: 0, TotalBytes: 50}},
		{before, load.Progress{Total: 1, TotalBytes: 600}},
	} {
		if got := c.now.Since(before); got != c.want {
			t.Errorf("%+v since: %+v, want %+v", c.now, got, c.want)
		}
	}
}
