package load_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame/load"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

// Requests have names, which Task.Why says of a coroutine that waits.
func TestNamesOfRequests(t *testing.T) {
	with(t, workers.Options{Workers: -1}, func(w *world) {
		ld := w.loader(load.Options{})
		door, boss := ld.Load(bg, "door", nothing), ld.Load(bg, "boss", nothing)
		level := load.New(w.l, load.Options{Label: "level"},
			func(context.Context, struct{}, *load.Meter) (int, error) { return 0, nil })
		one := level.Load(bg, struct{}{}, func(int, error) {})
		all := load.AllOf(door, boss, one)
		if got, want := fmt.Sprint(all, ". ", boss, ". ", one),
			"3 of 3 loads, such as door. the load of boss. the load by level"; got != want {
			t.Errorf("they are %q, want %q", got, want)
		}
		door.Cancel()
		if got, want := fmt.Sprint(all), "2 of 3 loads, such as boss"; got != want {
			t.Errorf("it is %s, want %s", got, want)
		}
		tiles := load.New(w.l, load.Options{}, func(context.Context, int, *load.Meter) (int, error) { return 0, nil })
		if got, want := fmt.Sprint(tiles.Load(bg, 5, func(int, error) {})), "the load of 5"; got != want {
			t.Errorf("it is %s, want %s", got, want)
		}
		w.frames(9)
		if got, want := fmt.Sprint(all), "0 of 3 loads"; got != want {
			t.Errorf("it is %s, want %s", got, want)
		}
	})
}

// A coroutine that awaits a request continues when its commit has returned, whatever becomes of it, or when it is
// canceled; and at once if it has ended already.
func TestAwaitARequest(t *testing.T) {
	inWorlds(t, func(w *world, n int) {
		ld := w.loader(load.Options{Label: "load"})
		said := map[string]string{}
		await := func(name string, r *load.Request) {
			w.l.Go(deadline.Normal, func(co *scheduler.Co) {
				s, err := scheduler.Await(co, r)
				said[name] = fmt.Sprint(s, " ", err)
			})
		}
		ctx, cancel := context.WithCancel(bg)
		committed := false
		good := ld.Load(bg, "good", func(string, error) { committed = true })
		requests := map[string]*load.Request{
			"good": good, "bad": ld.Load(bg, "goexit", nothing),
			"panic":   ld.Load(bg, "a", func(string, error) { panic("commit") }),
			"context": ld.Load(ctx, "c", nothing), "cancel": ld.Load(bg, "d", nothing),
		}
		good.Notify(func() {
			if !committed {
				t.Error("told before the commit")
			}
		})
		for name, r := range requests {
			await(name, r)
		}
		cancel()
		requests["cancel"].Cancel()
		w.frames(5)
		await("late", good)
		w.frames(1)
		canceled := "canceled " + scheduler.ErrCanceled.Error()
		for name, want := range map[string]string{
			"good": "loaded <nil>", "bad": "failed " + workers.ErrGoexit.Error(), "panic": "failed load: panic: commit",
			"context": canceled, "cancel": canceled, "late": "loaded <nil>",
		} {
			if said[name] != want {
				t.Errorf("%d workers: %s says %q, want %q", n, name, said[name], want)
			}
		}
	})
}

// All are awaited, those that have ended already too, and the first error is theirs that failed.
func TestAllOf(t *testing.T) {
	inWorlds(t, func(w *world, n int) {
		ld := w.loader(load.Options{})
		w.slow["slow"] = 30 * ms
		early := ld.Load(bg, "early", nothing)
		w.frames(3)
		gone, bad := ld.Load(bg, "gone", nothing), ld.Load(bg, "goexit", nothing)
		slow, two := ld.Load(bg, "slow", nothing), ld.Load(bg, "two", nothing)
		gone.Cancel()
		all, most := load.AllOf(gone, early, slow, bad, two), load.AllOf(early, gone, two)
		var p, q, none load.Progress
		var err, canceled, no error
		w.l.Go(deadline.Normal, func(co *scheduler.Co) {
			none, no = scheduler.Await(co, load.AllOf())
			q, canceled = scheduler.Await(co, most)
			p, err = scheduler.Await(co, all)
		})
		w.frames(10)
		want := load.Progress{Total: 5, Loaded: 3, Failed: 1, Canceled: 1}
		if p != want || !errors.Is(err, workers.ErrGoexit) {
			t.Errorf("%d workers: %+v, %v", n, p, err)
		}
		want = load.Progress{Total: 3, Loaded: 2, Canceled: 1}
		if q != want || canceled != scheduler.ErrCanceled {
			t.Errorf("%d workers: %+v, %v", n, q, canceled)
		}
		if none != (load.Progress{}) || no != nil {
			t.Errorf("none: %+v, %v", none, no)
		}
	})
}

// Close ends what is pending for who is told by Notify, and so it is where the request comes after it.
func TestNotifyOfCloseWithRequests(t *testing.T) {
	inWorld(t, func(w *world) {
		ld := w.loader(load.Options{})
		var told atomic.Int32
		before := ld.Load(bg, "a", nothing)
		before.Notify(func() { told.Add(1) })
		load.AllOf(before, ld.Load(bg, "b", nothing)).Notify(func() { told.Add(1) })
		late := ld.Load(bg, "c", nothing)
		w.l.Close()
		at := told.Load()
		late.Notify(func() { told.Add(1) })
		ld.Load(bg, "d", nothing).Notify(func() { told.Add(1) })
		if n := told.Load() - at; n < 2 {
			t.Errorf("%d of 2 were told at once, as their requests had been canceled", n)
		}
		time.Sleep(ms)
		if s, err := before.Result(); told.Load() != 4 || s != load.Canceled || err != scheduler.ErrCanceled {
			t.Errorf("%d of 4 were called; %v, %v", told.Load(), s, err)
		}
	})
}
