package frame_test

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/frameslice/frameslice/frame"
)

// Random scripts of requests, cancels and frames: whatever is done, nothing is left behind.

// loadStep is a step of a script: a request, a cancellation of the request n, or n frames.
type loadStep struct {
	what string
	key  string
	slot bool
	n    int
}

// Any script: each request commits once or was canceled, and nothing is left over.
func TestLoaderScripts(t *testing.T) {
	step := rapid.Custom(func(t *rapid.T) loadStep {
		return loadStep{
			rapid.SampledFrom([]string{"load", "load", "cancel", "frames", "frames"}).Draw(t, "what"),
			rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "key"),
			rapid.Bool().Draw(t, "slot"), rapid.IntRange(0, 29).Draw(t, "n"),
		}
	})
	crews := []int{-1}
	if runtime.GOOS != "js" {
		crews = []int{4, -1}
	}
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.SampledFrom(crews).Draw(rt, "workers")
		script := rapid.SliceOfN(step, 0, 30).Draw(rt, "script")
		inLoadingWith(t, n, func(w *loading) { w.play(rt.Errorf, script) })
	})
}

func (w *loading) play(errorf func(string, ...any), script []loadStep) {
	ld := w.loader(frame.LoadOptions{Attempts: 2, Backoff: 10 * time.Millisecond})
	var commits [30]int
	var requests []*frame.Request
	var slot frame.Slot
	canceled := map[int]bool{}
	w.fail["b"] = 3
	for _, s := range script {
		switch n := len(requests); {
		case s.what == "load":
			into := &slot
			if !s.slot {
				into = nil
			}
			requests = append(requests, ld.LoadInto(bg, into, s.key, func(v string, err error) {
				commits[n]++
				if canceled[n] || err == nil && v != strings.ToUpper(s.key) {
					errorf("%d got %q", n, v)
				}
			}))
		case s.what == "frames":
			w.frames(1 + s.n%3)
		case n > 0 && requests[s.n%n].Cancel():
			canceled[s.n%n] = true
		}
	}
	w.frames(12)
	for i, r := range requests {
		if want := 1 - b2i(r.State() == frame.LoadCanceled); commits[i] != want {
			errorf("request %d, %v: %d commits", i, r.State(), commits[i])
		}
	}
	if p := ld.Progress(); p.Done() != len(requests) || p.Total != p.Done() || p.Bytes != p.TotalBytes {
		errorf("%+v of %d", p, len(requests))
	}
	if n := frame.Flights(ld); n != 0 {
		errorf("%d flights left", n)
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
