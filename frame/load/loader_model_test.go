package load_test

import (
	"runtime"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame/load"
	"github.com/frameslice/frameslice/workers"
)

// loadStep is a step of a script: a request, a cancellation of the request n, another priority for it, or n frames.
type loadStep struct {
	what string
	key  string
	rank deadline.Priority
	n    int
}

// Any script: each request commits once or was canceled, and nothing is left over.
func TestLoaderScripts(t *testing.T) {
	all := deadline.Priorities()
	step := rapid.Custom(func(t *rapid.T) loadStep {
		return loadStep{
			rapid.SampledFrom([]string{"load", "load", "cancel", "rank", "rank", "frames", "frames"}).Draw(t, "what"),
			rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "panic", "goexit"}).Draw(t, "key"),
			rapid.SampledFrom(all[:]).Draw(t, "rank"),
			rapid.IntRange(0, 29).Draw(t, "n"),
		}
	})
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.SampledFrom(sizes()).Draw(rt, "workers")
		ahead := rapid.SampledFrom([]int{0, 1, 2, -1}).Draw(rt, "ahead")
		script := rapid.SliceOfN(step, 0, 30).Draw(rt, "script")
		fetches := rapid.SampledFrom([]int{0, 1, 3, -1}).Draw(rt, "fetches; 0: one stage")
		with(t, workers.Options{Workers: n}, func(w *world) { w.play(rt.Errorf, ahead, fetches, script) })
	})
}

func (w *world) play(errorf func(string, ...any), most, fetches int, script []loadStep) {
	o := load.Options{Attempts: 2, Ahead: most, Fetches: fetches}
	ld := w.loader(o)
	if fetches != 0 {
		ld = w.fetcher(o)
	}
	var commits [30]int
	var requests []*load.Request
	ranked := false
	canceled := map[int]bool{}
	w.fail["b"] = 3
	for _, s := range script {
		switch n := len(requests); {
		case s.what == "load":
			requests = append(requests, ld.Load(bg, s.key, func(v string, err error) {
				commits[n]++
				if canceled[n] || err == nil && v != strings.ToUpper(s.key) {
					errorf("%d got %q", n, v)
				}
				w.fault(s.n)
			}))
		case s.what == "frames":
			w.frames(1 + s.n%3)
			if _, ahead, _ := load.Left(ld); most > 0 && ahead > most*(1+b2i(ranked)) {
				errorf("%d values ahead, of %d; %v", ahead, most, ranked)
			}
			running, _ := load.LeftOfSources(ld)
			if _, _, held := load.Left(ld); fetches != 0 && most > 0 && running+held > most*(1+b2i(ranked)) {
				errorf("%d ready or run, and %d values are held, of %d; %v", running, held, most, ranked)
			}
		case s.what == "rank" && n > 0:
			ranked = true
			r := requests[s.n%n]
			if pending := r.State() == load.Pending; r.SetPriority(s.rank) != pending {
				errorf("%d is %v", s.n%n, r.State())
			}
		case n > 0 && requests[s.n%n].Cancel():
			canceled[s.n%n] = true
		}
	}
	w.frames(60)
	if n := int(w.most.Load()); fetches > 0 && n > fetches {
		errorf("%d sources at once, of %d", n, fetches)
	}
	for i, r := range requests {
		if want := 1 - b2i(r.State() == load.Canceled); commits[i] != want {
			errorf("request %d, %v: %d commits", i, r.State(), commits[i])
		}
	}
	for i, r := range requests {
		if (r.State() == load.Canceled) != canceled[i] {
			errorf("request %d is %v; canceled: %v", i, r.State(), canceled[i])
		}
	}
	if p := ld.Progress(); p.Fraction() != 1 || p.Total != len(requests) || p.Bytes != p.TotalBytes {
		errorf("%+v of %d", p, len(requests))
	}
	clean(errorf, ld)
}

// fault ends some of the commits otherwise than by returning.
func (w *world) fault(n int) {
	switch n {
	case 0:
		panic("commit")
	case 1:
		runtime.Goexit()
	}
}
