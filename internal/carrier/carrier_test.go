package carrier_test

import (
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/frameslice/frameslice/internal/carrier"
	"github.com/frameslice/frameslice/internal/fault"
	"github.com/frameslice/frameslice/internal/testkit"
)

func TestRunReportsHowTheFunctionEnded(t *testing.T) {
	for _, locked := range []bool{false, true} {
		if locked {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
		}
		var c carrier.Carrier
		boom := errors.New("boom")
		ran := 0
		for range 3 {
			if o := c.Run("ok", func() { ran++ }); o != carrier.Returned {
				t.Fatalf("outcome = %d, want Returned", o)
			}
			if o := c.Run("bad", func() { explode(boom) }); o != carrier.Panicked {
				t.Fatalf("outcome = %d, want Panicked", o)
			}
			if c.Panic.Label != "bad" || !errors.Is(c.Panic, boom) || !c.Own {
				t.Errorf("panic = %v, own: %v", c.Panic, c.Own)
			}
			first := c.Panic
			if c.Run("again", func() { panic(first) }); c.Panic != first || c.Own {
				t.Errorf("raised again = %v, own: %v", c.Panic, c.Own)
			}
			_, stack, _ := strings.Cut(string(c.Panic.Stack), "\n")
			if !strings.HasPrefix(stack, fault.NameOf(explode)+"(") {
				t.Errorf("the stack does not begin with the function that panicked:\n%s", c.Panic.Stack)
			}
			if o := c.Run("exit", runtime.Goexit); o != carrier.Exited {
				t.Fatalf("outcome = %d, want Exited", o)
			}
		}
		if ran != 3 {
			t.Errorf("ran %d, want 3", ran)
		}
		c.Close()
	}
}

//go:noinline
func explode(err error) { panic(err) }

type job func()

func (f job) Do() { f() }

func TestYieldGivesTheTurnBack(t *testing.T) {
	var c carrier.Coroutine
	var log []string
	c.Start(job(func() {
		for _, what := range []string{"a", "b", "c"} {
			log = append(log, what)
			if what != "c" {
				c.Yield()
			}
		}
	}))
	for range 4 {
		if c.Turn() {
			t.Fatal("ended by a Goexit")
		}
		log = append(log, "|")
	}
	if got := strings.Join(log, ""); got != "a|b|c|a|" || !c.Alive() {
		t.Errorf("log %q, alive: %v", got, c.Alive())
	}
	c.Turn()
	c.Turn()
	if c.Stop(); c.Alive() {
		t.Error("alive after Stop")
	}
}

func TestCloseEndsTheCoroutine(t *testing.T) {
	before := runtime.NumGoroutine()
	for range 100 {
		var c carrier.Carrier
		for range 2 {
			if o := c.Run("", func() {}); o != carrier.Returned {
				t.Fatalf("outcome = %d", o)
			}
			c.Close()
			c.Close()
		}
	}
	for range 60_000 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
}

func TestCarriersNest(t *testing.T) {
	var outer, inner carrier.Carrier
	o := outer.Run("outer", func() {
		if o := inner.Run("inner", runtime.Goexit); o != carrier.Exited {
			t.Errorf("inner = %d, want Exited", o)
		}
		inner.Close()
		runtime.Goexit()
	})
	if o != carrier.Exited {
		t.Errorf("outer = %d, want Exited", o)
	}
	outer.Close()
}

func TestRunDoesNotAllocate(t *testing.T) {
	var c carrier.Carrier
	f := func() {}
	c.Run("", f)
	testkit.NoAllocs(t, func() { c.Run("", f) })
	c.Close()
}

func BenchmarkRun(b *testing.B) {
	b.Run("kept", func(b *testing.B) {
		var c carrier.Carrier
		b.ReportAllocs()
		for b.Loop() {
			c.Run("", func() {})
		}
		c.Close()
	})
	b.Run("fresh", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var c carrier.Carrier
			c.Run("", func() {})
			c.Close()
		}
	})
}

// What a deferred call does while a Goexit unwinds does not let the Goexit out.
func TestGoexitThatADeferredCallInterferesWith(t *testing.T) {
	for name, f := range map[string]func(){
		"panics": func() { defer panic("late"); runtime.Goexit() },
		"panics, recovers": func() {
			defer func() {
				defer func() { _ = recover() }()
				panic("late")
			}()
			runtime.Goexit()
		},
		"exits again":      func() { defer runtime.Goexit(); runtime.Goexit() },
		"exits in a panic": func() { defer runtime.Goexit(); panic("early") },
	} {
		ended := make(chan carrier.Outcome, 1)
		go func() {
			defer close(ended) // also by a Goexit that got out
			var c carrier.Carrier
			o := c.Run(name, f)
			if again := c.Run("ok", func() {}); again != carrier.Returned {
				t.Errorf("%s: the next function ended with %d, want Returned", name, again)
			}
			c.Close()
			ended <- o
		}()
		if o, ok := <-ended; !ok || o != carrier.Exited {
			t.Errorf("%s: outcome %d, reported %v; want Exited", name, o, ok)
		}
	}
}
