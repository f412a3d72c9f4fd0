package ticks_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/frameslice/frameslice/frame/ticks"
	"github.com/frameslice/frameslice/internal/testkit"
	"github.com/frameslice/frameslice/workers"
)

var (
	length = flag.Int64("ticks", 400, "how many ticks a game has")
	seeds  = flag.Uint64("seeds", 3, "how many seeds of delays are tried")
)

// A world is a small simulation in which all depends on all: what a tick submits depends on the state, and the state on
// each result, its tick and its place.
type world struct {
	state  uint64
	submit []func(in uint64)
}

// A kind of a world is a function and a delay.
var kinds = []struct {
	delay int
	f     func(in uint64) uint64
}{
	{1, func(in uint64) uint64 { return in*0x9E3779B97F4A7C15 + 1 }},
	{4, func(in uint64) uint64 { return in ^ in>>7 ^ 0xABCD }},
	{9, func(in uint64) uint64 { return in<<9 | in>>55 }},
}

func (w *world) deliver(kind int, in, out uint64) {
	w.state = w.state*31 + in
	w.state = w.state*31 + out + uint64(kind)
}

// step simulates a tick: it submits up to three pieces of work.
func (w *world) step(input uint64) {
	w.state = w.state*1_000_003 + input
	for n := w.state >> 40 % 4; n > 0; n-- {
		k := (w.state + n) % uint64(len(w.submit))
		w.submit[k](w.state >> (8 * n) % 1000)
	}
}

// reference returns the state after each tick, by a simulation which computes all work at its Submit.
func reference(inputs []uint64) (states []uint64) {
	type arrival struct {
		kind    int
		in, out uint64
	}
	due := make(map[int][]arrival)
	now := 0
	w := &world{}
	for i, k := range kinds {
		w.submit = append(w.submit, func(in uint64) {
			due[now+k.delay] = append(due[now+k.delay], arrival{i, in, k.f(in)})
		})
	}
	for _, input := range inputs {
		now++
		for _, a := range due[now] {
			w.deliver(a.kind, a.in, a.out)
		}
		w.step(input)
		states = append(states, w.state)
	}
	return states
}

// A game is a world on a Clock.
type game struct {
	world
	clock *ticks.Clock
	saved []uint64 // the state after each tick
}

// newGame returns a game whose work takes a random time, by the seed.
func newGame(p *workers.Pool, seed uint64) *game {
	g := &game{clock: ticks.New(p, 8), saved: []uint64{0}}
	for i, k := range kinds {
		f := func(in uint64) uint64 {
			switch mood := rand.New(rand.NewPCG(seed, in)); mood.IntN(8) {
			case 0:
				time.Sleep(time.Duration(mood.IntN(300)) * time.Microsecond)
			case 1, 2:
				for range mood.IntN(20) {
					runtime.Gosched()
				}
			}
			return k.f(in)
		}
		kind := ticks.NewKind(g.clock, "work", k.delay, f, func(in, out uint64) { g.deliver(i, in, out) })
		g.submit = append(g.submit, kind.Submit)
	}
	return g
}

func (g *game) tick(input uint64) {
	g.clock.Begin()
	g.step(input)
	g.clock.Mix(g.state)
	g.saved = append(g.saved[:g.clock.Tick()], g.state)
}

func (g *game) rewind(tick int64) {
	g.clock.Rewind(tick)
	g.state = g.saved[tick]
}

func inputs(seed uint64, n int64) []uint64 {
	source := rand.New(rand.NewPCG(seed, 1))
	list := make([]uint64, n)
	for i := range list {
		list[i] = source.Uint64N(4)
	}
	return list
}

// everywhere calls f on pools of no to four workers.
func everywhere(t *testing.T, f func(t *testing.T, p *workers.Pool)) {
	for _, n := range []int{-1, 1, 2, 4} {
		t.Run(fmt.Sprintf("%d workers", max(n, 0)), func(t *testing.T) {
			p := workers.New(workers.Options{Workers: n})
			defer p.Close(context.Background())
			f(t, p)
		})
	}
}

func TestEachTickHasTheSameResultsWhateverTheWorkers(t *testing.T) {
	in := inputs(1, *length)
	want := reference(in)
	var sum uint64
	everywhere(t, func(t *testing.T, p *workers.Pool) {
		for seed := range *seeds {
			g := newGame(p, seed)
			for i, input := range in {
				g.tick(input)
				if g.state != want[i] {
					t.Fatalf("seed %d: tick %d differs from the reference", seed, i+1)
				}
			}
			last, ok := g.clock.Sum(*length)
			if sum == 0 {
				sum = last
			}
			if !ok || last != sum {
				t.Fatalf("seed %d: checksum %x, %v; another pool had %x", seed, last, ok, sum)
			}
		}
	})
}

// Inputs of the latest eight ticks are guesses until a tick later, as in a game over a network.
func TestRewoundTicksAreThoseOfTheTrueInputs(t *testing.T) {
	in := inputs(2, *length)
	want := reference(in)
	everywhere(t, func(t *testing.T, p *workers.Pool) {
		plain := newGame(p, 0)
		for _, input := range in {
			plain.tick(input)
		}
		for seed := range *seeds {
			guess := rand.New(rand.NewPCG(seed, 2))
			g := newGame(p, seed)
			for known := int64(0); known < *length; {
				if now := g.clock.Tick(); now > known {
					g.rewind(known)
				}
				known += guess.Int64N(min(3, *length-known) + 1)
				for g.clock.Tick() < known {
					g.tick(in[g.clock.Tick()])
				}
				for g.clock.Tick() < min(known+8, *length) {
					g.tick(guess.Uint64N(4))
				}
			}
			g.rewind(max(0, g.clock.Tick()-8))
			for g.clock.Tick() < *length {
				g.tick(in[g.clock.Tick()])
			}
			if got := g.saved[1:]; !slices.Equal(got, want) {
				t.Fatalf("seed %d: the ticks differ from the reference", seed)
			}
			a, _ := g.clock.Sum(*length)
			b, _ := plain.clock.Sum(*length)
			if a != b {
				t.Fatalf("seed %d: checksum %x, and %x without rewinds", seed, a, b)
			}
			if s := g.clock.Stats(); s.Rewinds == 0 || s.Reused == 0 {
				t.Fatalf("seed %d: nothing was tried: %+v", seed, s)
			}
		}
	})
}

func TestARepeatedTickComputesNothingTwice(t *testing.T) {
	p := workers.New(workers.Options{Workers: -1})
	defer p.Close(context.Background())
	c := ticks.New(p, 8)
	runs, arrived := 0, []int{}
	double := ticks.NewKind(c, "double", 2, func(in int) int { runs++; return 2 * in },
		func(in, out int) { arrived = append(arrived, int(c.Tick()), out) })
	play := func(to int64, plus int) {
		for c.Tick() < to {
			c.Begin()
			double.Submit(int(c.Tick()) + plus)
		}
	}
	play(4, 0)
	c.Rewind(1)
	play(4, 0)
	if want := []int{3, 2, 4, 4, 3, 2, 4, 4}; !slices.Equal(arrived, want) || runs != 2 {
		t.Errorf("arrived %v with %d runs, not %v with 2", arrived, runs, want)
	}
	c.Rewind(2)
	arrived = nil
	play(5, 100)
	if want := []int{3, 2, 4, 4, 5, 206}; !slices.Equal(arrived, want) || runs != 3 {
		t.Errorf("with another argument arrived %v with %d runs, not %v with 3", arrived, runs, want)
	}
}

func TestAPanicIsRaisedInItsTick(t *testing.T) {
	everywhere(t, func(t *testing.T, p *workers.Pool) {
		c := ticks.New(p, 0)
		fault := errors.New("fault")
		kind := ticks.NewKind(c, "broken", 3, func(int) int { panic(fault) }, func(int, int) { t.Error("a result") })
		c.Begin()
		kind.Submit(1)
		c.Begin()
		c.Begin()
		e, ok := testkit.Recovered(c.Begin).(*workers.PanicError)
		if !ok || !errors.Is(e, fault) || e.Label != "broken" || c.Tick() != 4 {
			t.Errorf("tick %d raised %v", c.Tick(), e)
		}
	})
}

func TestAClosedPoolKeepsNoResultBack(t *testing.T) {
	in := inputs(3, 40)
	want := reference(in)
	everywhere(t, func(t *testing.T, p *workers.Pool) {
		g := newGame(p, 3)
		for i, input := range in {
			if i == 20 {
				gone, cancel := context.WithCancel(context.Background())
				cancel()
				p.Close(gone)
			}
			g.tick(input)
		}
		if got := g.saved[1:]; !slices.Equal(got, want) {
			t.Error("the ticks differ from the reference")
		}
	})
}

func TestSumKnowsTheKeptTicks(t *testing.T) {
	p := workers.New(workers.Options{Workers: -1})
	defer p.Close(context.Background())
	c := ticks.New(p, 3)
	for range 10 {
		c.Begin()
	}
	for tick := range int64(12) {
		if _, ok := c.Sum(tick); ok != (tick >= 7 && tick <= 10) {
			t.Errorf("Sum(%d) is known: %v", tick, ok)
		}
	}
	c.Rewind(7)
	c.Begin()
	if _, ok := c.Sum(6); ok {
		t.Error("a Rewind brings back a tick that is gone")
	}
	other := ticks.New(p, 0)
	ticks.NewKind(other, "", 8, func(int) int { return 0 }, func(int, int) {}).Submit(0)
	for range 8 {
		other.Begin()
	}
	before, _ := c.Sum(8)
	if with, _ := other.Sum(8); with == before {
		t.Error("a result changes nothing")
	}
	c.Mix(1)
	if after, _ := c.Sum(8); after == before {
		t.Error("Mix changes nothing")
	}
}
