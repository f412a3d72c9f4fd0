package par_test

import (
	"errors"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"weak"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/testkit"
	"github.com/frameslice/frameslice/workers"
	"github.com/frameslice/frameslice/workers/par"
)

// Functions run one at a time and in order, whatever their priorities, while several goroutines call Go, and though
// some functions panic and some call Goexit. Close runs those that are left.
func TestStrandStorm(t *testing.T) {
	each(t, func(t *testing.T, o workers.Options) {
		const producers, many = 3, 1000
		var running, ran, told atomic.Int32
		o.OnPanic = func(*workers.PanicError) { told.Add(1) }
		p := workers.New(o)
		s := par.NewStrand(p)
		var last [producers]int // needs no lock: that is what a strand is for
		var all sync.WaitGroup
		for who := range producers {
			all.Go(func() {
				for i := 1; i <= many; i++ {
					s.Go(deadline.Priorities()[(who+i*i)%deadline.NumPriorities], func() {
						defer running.Add(-1)
						if running.Add(1) != 1 || last[who] != i-1 {
							t.Errorf("producer %d: %d after %d, or two at a time", who, i, last[who])
						}
						last[who] = i
						ran.Add(1)
						switch i % 100 {
						case 7:
							panic(i)
						case 8:
							runtime.Goexit()
						}
					})
				}
			})
		}
		until(t, p, func() bool { return ran.Load() > many })
		testkit.Within(t, "a producer", all.Wait)
		testkit.Within(t, "Close", func() { must(p.Close(background)) })
		if ran.Load() != producers*many || told.Load() != producers*many/100 {
			t.Errorf("%d ran of %d, %d panics", ran.Load(), producers*many, told.Load())
		}
	})
}

// A strand whose function waits does not hold up another strand.
func TestStrandsRunAtTheSameTime(t *testing.T) {
	p, gate, met := open(t, two), make(chan struct{}), make(chan struct{})
	par.NewStrand(p).Go(deadline.Normal, func() { <-gate; close(met) })
	par.NewStrand(p).Go(deadline.Normal, func() { close(gate) })
	testkit.Within(t, "a strand", func() { <-met })
}

// OnPanic gets the panic with the function's name and stack. It may close the pool and end its goroutine: the function
// behind runs.
func TestStrandAndOnPanic(t *testing.T) {
	each(t, func(t *testing.T, o workers.Options) {
		var p *workers.Pool
		var ran atomic.Bool
		boom, told := errors.New("boom"), make(chan *workers.PanicError, 2)
		o.OnPanic = func(pe *workers.PanicError) {
			told <- pe
			must(p.Close(background))
			runtime.Goexit()
		}
		p = workers.New(o)
		s, gate := par.NewStrand(p), make(chan struct{})
		s.Go(deadline.Normal, func() { <-gate; explode(boom) })
		s.Go(deadline.Normal, func() { ran.Store(true) })
		close(gate)
		go p.RunUntil(deadline.Deadline{}) // which Goexit may end
		testkit.Within(t, "OnPanic", func() {
			pe := <-told
			if pe.Value != boom || !strings.HasPrefix(pe.Label, "par_test.TestStrandAndOnPanic.") ||
				!strings.Contains(string(pe.Stack), "explode") {
				t.Errorf("%v, by %s", pe, pe.Stack)
			}
			must(p.Close(background))
		})
		if !ran.Load() || len(told) > 0 {
			t.Errorf("the function behind ran: %v; %d more panics", ran.Load(), len(told))
		}
	})
}

//go:noinline
func explode(v any) { panic(v) }

// keeps reports whether s keeps a function that was passed to Go, when the pool has nothing to do.
func keeps(p *workers.Pool, s *par.Strand) bool {
	big := new([1 << 16]byte)
	last := weak.Make(big)
	s.Go(deadline.Normal, func() { big[0]++ })
	p.RunUntil(deadline.Deadline{})
	p.Go(deadline.Normal, func() {}) // the pool may know the last function that it has run
	p.RunUntil(deadline.Deadline{})
	runtime.GC()
	defer runtime.KeepAlive(s)
	return last.Value() != nil
}

// When Close gives up, the function that waits for a worker is dropped with those behind it. An idle strand drops what
// comes later. It keeps no function, before and after.
func TestStrandOfAClosedPool(t *testing.T) {
	p := workers.New(none)
	s, idle := par.NewStrand(p), par.NewStrand(p)
	before := keeps(p, idle)
	for range 3 {
		s.Go(deadline.Normal, func() { t.Error("ran after Close") })
	}
	if err := p.Close(ended()); err == nil || !strings.Contains(err.Error(), "1 job dropped") {
		t.Error(err)
	}
	var st workers.Stats
	if after, later := keeps(p, idle), keeps(p, idle); before || after || later {
		t.Error("a function is kept:", before, after, later)
	}
	if p.Stats(&st); st.Dropped != 1+2+2 { // keeps calls Pool.Go too
		t.Errorf("%d dropped, want 5", st.Dropped)
	}
}
