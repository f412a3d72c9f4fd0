package replay_test

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/extreme"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/scheduler/flow"
	"github.com/frameslice/frameslice/scheduler/replay"
)

func TestMain(m *testing.M) {
	if runtime.GOARCH == "wasm" {
		m.Run()
		return
	}
	goleak.VerifyTestMain(m)
}

const ms = time.Millisecond

// crowd is a game with some of everything.
func crowd(w *replay.World) {
	s := w.Scheduler()
	work := func() { w.Spend(between(w, 0, 3*ms)) }
	for i := range 3 {
		name := fmt.Sprint("producer ", i)
		w.Go(name, func(sleep func(time.Duration)) {
			for range 8 {
				sleep(between(w, 0, 20*ms))
				prio := deadline.Priorities()[w.Rand().IntN(deadline.NumPriorities)]
				s.Submit(&scheduler.Task{Label: name, Priority: prio, Func: work})
			}
		})
	}
	s.Every(deadline.UserBlocking, 10*ms, work)
	debounced := flow.NewDebounce(s, flow.DebounceOptions{Wait: 15 * ms}, work)
	s.Go(deadline.Low, func(co *scheduler.Co) {
		for {
			work()
			debounced.Call()
			job := &scheduler.Task{Priority: deadline.Low, Co: func(co *scheduler.Co) {
				co.Sleep(between(w, 0, 30*ms))
			}}
			s.Submit(job)
			_ = co.Wait(job)
			co.NextFrame()
		}
	})
	s.WhenIdle(30*ms, func(deadline.Deadline, bool) { work() })
	for range 12 {
		w.Frame(work)
	}
}

func TestARunIsAFunctionOfItsSeed(t *testing.T) {
	seeds := uint64(1000)
	if testing.Short() {
		seeds = 100
	}
	o := replay.Options{}
	o.Scheduler.ByPriority = true
	seen := map[string]bool{}
	for seed := range seeds {
		first, again := replay.Play(seed, o, crowd), replay.Play(seed, o, crowd)
		if first.String() != again.String() {
			t.Fatalf("seed %d:\n%s\nand then:\n%s", seed, first, again)
		}
		seen[first.String()] = true
	}
	if len(seen) != int(seeds) {
		t.Errorf("%d seeds gave %d transcripts", seeds, len(seen))
	}
}

// The seed draws the order of several events at one moment; all orders come up.
func TestTiesAreDrawn(t *testing.T) {
	seen := map[string]int{}
	for seed := range uint64(300) {
		var order []string
		replay.Play(seed, replay.Options{}, func(w *replay.World) {
			for _, name := range []string{"a", "b", "c"} {
				w.Go(name, func(sleep func(time.Duration)) {
					sleep(ms)
					w.Scheduler().Post(deadline.Normal, func() { order = append(order, name) })
				})
			}
			w.Frame(nil)
			w.Frame(nil)
		})
		seen[strings.Join(order, "")]++
	}
	for _, order := range []string{"abc", "acb", "bac", "bca", "cab", "cba"} {
		if seen[order] < 20 {
			t.Errorf("order %s came up %d times of 300", order, seen[order])
		}
	}
}

// A task that spends time sees the work that arrives meanwhile, and so does the scheduler after it.
func TestProducersActWhileATaskSpends(t *testing.T) {
	r := replay.Play(1, replay.Options{Interval: 10 * ms}, func(w *replay.World) {
		s := w.Scheduler()
		w.Go("input", func(sleep func(time.Duration)) {
			sleep(3 * ms)
			s.Submit(&scheduler.Task{Label: "click", Priority: deadline.UserBlocking, Func: func() { w.Spend(ms) }})
		})
		s.Submit(&scheduler.Task{Label: "build", Step: func() bool {
			for !s.ShouldYield() {
				w.Spend(ms)
			}
			w.Logf("yields")
			return w.Scheduler().Now() < deadline.Instant(time.Hour).Add(6*ms)
		}})
		w.Frame(func() { w.Spend(ms) })
		w.Frame(nil)
	})
	const want = `
     0.000  frame 1
     0.000  queued build (normal)
     1.000  running build (normal) waited 1ms
     3.000  queued click (user-blocking)
     3.000  yields
     3.000  queued build (normal) ran 2ms
     3.000  running click (user-blocking) waited 0s
     4.000  done click (user-blocking) ran 1ms
     4.000  running build (normal) waited 1ms
     8.000  yields
     8.000  done build (normal) ran 4ms
    10.000  frame 2
`
	if got := "\n" + r.String(); got != want {
		t.Errorf("transcript:%swant:%s", got, want)
	}
}

// The cost of a run passes before the run, and counts for its frame. A Sleep of less than nothing takes no time.
func TestCosts(t *testing.T) {
	o := replay.Options{
		Interval: 10 * ms,
		Cost: func(w *replay.World, e scheduler.Event) time.Duration {
			if e.Label == "dear" {
				return 25 * ms
			}
			return 0
		},
	}
	r := replay.Play(7, o, func(w *replay.World) {
		now := w.Scheduler().Now
		began := now()
		w.Go("hasty", func(sleep func(time.Duration)) {
			sleep(-ms)
			if now() != began {
				t.Errorf("Sleep took %v", now().Sub(began))
			}
		})
		w.Scheduler().Submit(&scheduler.Task{Label: "dear", Func: func() {}})
		w.Frame(nil)
		if d := now().Sub(began); d != 30*ms {
			t.Errorf("the frame ended %v after the run began", d)
		}
		w.Frame(nil)
	})
	if r.Frames != 2 || r.Missed != 2 || r.Wait != 0 || !strings.Contains(r.String(), "frame 1 took 25ms") {
		t.Errorf("%d frames, %d missed, waited %v\n%s", r.Frames, r.Missed, r.Wait, r)
	}
}

// A run ends with all that began in it, whatever the game does.
func TestTheEndOfARun(t *testing.T) {
	for _, c := range []struct {
		name string
		fail func(w *replay.World)
		want any
	}{
		{"return", func(*replay.World) {}, nil},
		{"panic", func(*replay.World) { panic("game") }, "game"},
		{"producer", func(w *replay.World) {
			w.Go("bad", func(func(time.Duration)) { panic("producer") })
			w.Frame(nil)
		}, "bad: panic: producer"},
		{"unwinding", func(w *replay.World) {
			w.Go("bad", func(sleep func(time.Duration)) {
				defer func() { panic("in the end") }()
				sleep(time.Hour)
			})
			w.Go("worse", func(sleep func(time.Duration)) {
				defer func() { panic("behind it") }()
				sleep(time.Hour)
			})
			w.Frame(nil)
		}, "bad: panic: in the end"},
		{"both", func(w *replay.World) {
			w.Go("bad", func(func(time.Duration)) { panic("producer") })
			w.Frame(nil)
			panic("game")
		}, "game"},
		{"clock", func(w *replay.World) {
			replay.Play(1, replay.Options{Scheduler: scheduler.Options{Clock: deadline.Now}}, crowd)
		}, "replay: Options.Scheduler with a Clock"},
		{"misuse", func(w *replay.World) {
			w.Go("p", func(sleep func(time.Duration)) { w.Spend(ms) })
			w.Frame(nil)
		}, "p: panic: replay: Spend in a producer, whose time is its sleep"},
		{"elsewhere", func(w *replay.World) {
			var q func(time.Duration)
			w.Go("q", func(sleep func(time.Duration)) { q = sleep; sleep(ms) })
			w.Frame(nil)
			q(ms)
		}, "replay: sleep elsewhere than in the function of its producer"},
		{"no step", func(*replay.World) { new(replay.Run).Timeline(0) },
			"replay: Timeline with a step that is not positive: 0s"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var unwound []string
			var got any
			func() {
				defer func() { got = recover() }()
				r := replay.Play(1, replay.Options{}, func(w *replay.World) {
					w.Go("loader", func(sleep func(time.Duration)) {
						defer func() { unwound = append(unwound, "producer") }()
						defer sleep(ms) // also while it is unwound
						sleep(time.Hour)
					})
					w.Go("quits", func(func(time.Duration)) { runtime.Goexit() })
					w.Scheduler().Go(deadline.Normal, func(co *scheduler.Co) {
						defer func() { unwound = append(unwound, "task") }()
						co.Sleep(time.Hour)
					})
					w.Frame(nil)
					c.fail(w)
				})
				if e := r.Events[len(r.Events)-1]; e.State != scheduler.Queued {
					t.Errorf("the last event is %v", e)
				}
			}()
			if err, ok := got.(error); ok {
				got = err.Error()
			}
			if got != c.want {
				t.Errorf("panic: %v, want %v", got, c.want)
			}
			if !slices.Equal(unwound, []string{"producer", "task"}) {
				t.Errorf("unwound: %v", unwound)
			}
		})
	}
}

// Producers are resumed by tasks, whose goroutine is another one than the game's; also on a locked thread.
func TestOnALockedThread(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	unlocked := make(chan string)
	go func() { unlocked <- replay.Play(3, replay.Options{}, crowd).String() }()
	if got, want := replay.Play(3, replay.Options{}, crowd).String(), <-unlocked; got != want {
		t.Errorf("on a locked thread:\n%s\nelsewhere:\n%s", got, want)
	}
}

func TestTheCallersOnEventIsCalledToo(t *testing.T) {
	n := 0
	o := replay.Options{Scheduler: scheduler.Options{OnEvent: func(scheduler.Event) { n++ }}}
	if r := replay.Search(o, 3, crowd, func(r *replay.Run) bool { return r.Frames < 0 }); r != nil || n < 3*24 {
		t.Errorf("%v found, %d done", r, n)
	}
}

// Every number of every option is taken, bounded, or refused by its name.
func TestNumbersOfOptions(t *testing.T) {
	extreme.Try(t, func(o replay.Options) error {
		n := 0
		replay.Play(1, o, func(w *replay.World) {
			w.Go("producer", func(sleep func(time.Duration)) {
				sleep(time.Microsecond)
				w.Scheduler().Post(deadline.Normal, func() { n++ })
			})
			for i := 0; i < 5000 && n == 0; i++ {
				w.Frame(nil)
			}
		})
		if n != 1 {
			return errors.New("nothing ran")
		}
		return nil
	}, "Scheduler")
}
