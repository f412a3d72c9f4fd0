package load_test

import (
	"context"
	"errors"
	"math"
	"runtime"
	"testing"
	"time"

	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/load"
	"github.com/frameslice/frameslice/internal/extreme"
	"github.com/frameslice/frameslice/workers"
)

// Bad arguments: a panic in the caller that names what is wrong, and nothing is decided for the loop.
func TestMisuseOfLoaders(t *testing.T) {
	l := frame.New(frame.Options{Workers: workers.Options{Workers: -1}})
	defer l.Close()
	decode := func(context.Context, int, *load.Meter) (int, error) { return 0, nil }
	thing := func(context.Context, *load.Meter) (int, error) { return 0, nil }
	commit := func(int, error) {}
	host := load.Options{OnHost: true}
	for want, f := range map[string]func(){
		"load: New with a nil Loop":            func() { load.New(nil, host, decode) },
		"load: One with a nil commit function": func() { load.One(bg, l, host, thing, nil) },
		"load: One with a nil function":        func() { load.One[int](bg, l, host, nil, commit) },
		"load: Options.Decode is an invalid Priority(17)": func() {
			load.New(l, load.Options{OnHost: true, Decode: 17}, decode)
		},
		"load: Options.Commit is an invalid Priority(-3)": func() {
			load.One(bg, l, load.Options{OnHost: true, Label: "x", Commit: -3}, thing, commit)
		},
	} {
		wantPanic(t, want, f)
		if runtime.GOOS != "js" && l.Placement() != frame.PlaceAuto {
			t.Fatalf("%s: the slice lies %v", want, l.Placement())
		}
	}
}

// A key that no map finds again would keep its decode for ever, and one that no map takes would panic in a task, with
// a request that never ends.
func TestKeysThatAreNone(t *testing.T) {
	l := frame.New(frame.Options{Workers: workers.Options{Workers: -1}})
	defer l.Close()
	numbers := load.New(l, load.Options{},
		func(context.Context, float64, *load.Meter) (int, error) { return 0, nil })
	anything := load.New(l, load.Options{},
		func(context.Context, any, *load.Meter) (int, error) { return 0, nil })
	commit := func(int, error) {}
	wantPanic(t, "load: Load of a key that does not equal itself", func() { numbers.Load(bg, math.NaN(), commit) })
	if panicOf(func() { anything.Load(bg, []int{1}, commit) }) == "" {
		t.Error("a slice is a key")
	}
	anything.Load(bg, [1]int{1}, commit)
	if n := numbers.Progress().Total + anything.Progress().Total; n != 1 {
		t.Errorf("%d requests, want 1", n)
	}
}

// What Close has canceled nobody cancels again.
func TestCancelARequestAfterClose(t *testing.T) {
	l := frame.New(frame.Options{Interval: 5 * ms, Workers: workers.Options{Workers: -1}})
	decode := func(context.Context, int, *load.Meter) (int, error) { return 1, nil }
	ld := load.New(l, load.Options{}, decode)
	r := ld.Load(bg, 1, func(int, error) { t.Error("committed") })
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if state, did := r.State(), r.Cancel(); state != load.Canceled || did || ld.Progress().Canceled != 0 {
		t.Errorf("%v, Cancel says %v, %+v", state, did, ld.Progress())
	}
}

func TestNamesOfLoadStates(t *testing.T) {
	for state, want := range map[load.State]string{
		load.Pending: "pending", load.Loaded: "loaded", load.Failed: "failed", load.Canceled: "canceled",
	} {
		if got := state.String(); got != want {
			t.Errorf("%d is %q, want %q", uint32(state), got, want)
		}
	}
}

// Every number of every option is taken, bounded, or refused by its name.
func TestNumbersOfLoadOptions(t *testing.T) {
	lost := errors.New("a task was lost")
	one := workers.Options{Workers: 1}
	drive := func(l *frame.Loop, done func() bool) error {
		defer l.Close()
		for range 200 {
			l.Begin()
			l.Slice()
			l.End()
			if done() {
				return nil
			}
			time.Sleep(100 * time.Microsecond)
		}
		return lost
	}
	extreme.Try(t, func(o load.Options) error {
		n := 0
		l := frame.New(frame.Options{Workers: one})
		defer l.Close()
		ld := load.New(l, o, func(_ context.Context, k int, _ *load.Meter) (int, error) {
			if n++; n == 1 && o.Attempts > 1 {
				return 0, errors.New("again")
			}
			return k, nil
		})
		nothing := func(int, error) {}
		rs := []*load.Request{ld.Load(t.Context(), 1, nothing), ld.Load(t.Context(), 2, nothing)}
		return drive(l, func() bool {
			p, _ := load.AllOf(rs...).Result()
			return p.Loaded == 2 || o.Attempts > 1 && p.Loaded >= 1
		})
	})
}
