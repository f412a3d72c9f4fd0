package workers_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/workers"
)

// nested runs f in the innermost of the places, each of which is within the one before.
func nested(p *workers.Pool, names []string, w *workers.Worker, f func(w *workers.Worker)) {
	if len(names) == 0 {
		f(w)
		return
	}
	places[names[0]](p, func(w *workers.Worker) { nested(p, names[1:], w, f) })
}

// The places may be within one another, at random, several of them at a time, beside a frame.
func TestVerbsWorkInPlacesWithinPlaces(t *testing.T) {
	rounds := 150
	if testing.Short() {
		rounds = 20
	}
	inner := slices.Sorted(maps.Keys(places))
	inner = slices.DeleteFunc(inner, func(name string) bool {
		// RunUntil must not be called within a job; and who waits for a goroutine of his own in a job, without
		// Blocking, keeps a worker that what runs there may wait for.
		return name == "job in RunUntil" || name == "notification"
	})
	names := slices.Sorted(maps.Keys(verbs))
	for shape, o := range map[string]workers.Options{
		"none":       {Workers: -1},
		"one":        {Workers: 1},
		"eight":      {Workers: 8},
		"background": {Workers: 1, Background: 2},
		"limit":      {Workers: 2, MaxWaiting: 2, Overflow: workers.OverflowRun, Insight: true},
	} {
		t.Run(shape, func(t *testing.T) {
			p := workers.New(o)
			defer mustClose(t, p)
			rng := rand.New(rand.NewPCG(1, uint64(len(shape))))
			for range rounds {
				var all sync.WaitGroup
				for range 3 {
					verb := names[rng.IntN(len(names))]
					var where []string
					for range 2 + rng.IntN(4) {
						where = append(where, inner[rng.IntN(len(inner))])
					}
					all.Go(func() {
						err := errors.New("did not run")
						within(t, fmt.Sprint(verb, " in ", where), func() {
							nested(p, where, nil, func(w *workers.Worker) { err = verbs[verb](p, w) })
						})
						if err != nil {
							t.Errorf("%s in %s: %v", verb, where, err)
						}
					})
				}
				p.BeginFrame()
				p.RunUntil(deadline.Deadline{})
				p.EndFrame()
				all.Wait()
			}
		})
	}
}
