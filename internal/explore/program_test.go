package explore_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
	"github.com/frameslice/frameslice/internal/race"
)

// A word is one as internal/atomic has them under the tag explore.
type word struct {
	explore.Object
	v atomic.Int64
}

func (w *word) Load() int {
	w.Ask()
	v := w.v.Load()
	w.Did(false)
	return int(v)
}

func (w *word) Store(v int) {
	w.Ask()
	w.v.Store(int64(v))
	w.Did(true)
}

// heard is a test whose end by Fatalf is noted.
type heard struct {
	testing.TB
	fatal, log string
}

func (h *heard) Helper()                           {}
func (h *heard) Logf(format string, args ...any)   { h.log = fmt.Sprintf(format, args...) }
func (h *heard) Fatalf(format string, args ...any) { h.fatal = fmt.Sprintf(format, args...); panic(h) }

// explored returns what Explore says of a program.
func explored(t *testing.T, preemptions int, prepare func(p *explore.Program)) (h *heard) {
	h = &heard{TB: t}
	defer func() {
		if v := recover(); v != nil && v != any(h) {
			panic(v)
		}
	}()
	explore.Explore(h, preemptions, prepare)
	return h
}

// adders is a program in which each of n goroutines adds one by a load and a store.
func adders(n int) func(p *explore.Program) {
	return func(p *explore.Program) {
		var w word
		for i := range n {
			p.Go(fmt.Sprint("adder", i), func() { w.Store(w.Load() + 1) })
		}
		p.End(func() error {
			if got := w.Load(); got != n {
				return fmt.Errorf("lost update: %d", got)
			}
			return nil
		})
	}
}

func TestExploreFindsALostUpdateAndPrintsTheSchedule(t *testing.T) {
	h := explored(t, 3, adders(2))
	for _, want := range []string{"with 1 preemptions", "lost update: 1"} {
		if !strings.Contains(h.fatal, want) {
			t.Errorf("%q is not in\n%s", want, h.fatal)
		}
	}
	var steps []string
	for _, line := range strings.Split(h.fatal, "\n")[1:] {
		f := strings.Fields(line)
		if !strings.HasPrefix(f[1], "program_test.go:") {
			t.Errorf("%q does not say where", line)
		}
		steps = append(steps, f[0]+" "+f[2])
	}
	if got, want := strings.Join(steps, ", "), "adder0 Ask, adder1 Ask, adder1 Ask, adder0 Ask"; got != want {
		t.Errorf("schedule %s, want %s", got, want)
	}
	if h = explored(t, 0, adders(2)); h.fatal != "" {
		t.Errorf("without preemptions: %s", h.fatal)
	}
}

func TestExploreFaults(t *testing.T) {
	two := func(a, b func(p *explore.Program, w *word)) func(p *explore.Program) {
		return func(p *explore.Program) {
			var w word
			p.Go("a", func() { a(p, &w) })
			p.Go("b", func() { b(p, &w) })
		}
	}
	set := func(_ *explore.Program, w *word) { w.Store(1) }
	wait := func(_ *explore.Program, w *word) {
		for w.Load() == 0 {
			w.Await()
		}
	}
	spin := func(_ *explore.Program, w *word) {
		for w.Load() == 0 {
			explore.Yield()
		}
	}
	for name, c := range map[string]struct {
		program func(p *explore.Program)
		want    string
	}{
		"a wait that ends":     {two(wait, set), ""},
		"a wait that does not": {two(wait, wait), "deadlock"},
		"a spin that ends":     {two(spin, set), ""},
		"a spin on two words": {func(p *explore.Program) {
			var v, w word
			p.Go("a", func() {
				for v.Load() == 0 && w.Load() == 0 {
					explore.Yield()
				}
			})
			p.Go("b", func() { v.Store(1) })
		}, ""},
		"a spin that does not": {two(spin, spin), "deadlock"},
		"a spin after a write, and then the other": {func(p *explore.Program) {
			var v, w word
			p.Go("a", func() {
				v.Store(1)
				spin(p, &w)
			})
			p.Go("b", func() {
				if v.Load() == 1 {
					p.Fail("b comes second")
				}
				w.Store(1)
			})
		}, "with 0 preemptions: b comes second"},
		"a spin that does not give": {two(set, func(_ *explore.Program, w *word) {
			for w.Load() != 2 {
			}
		}), "does not give way"},
		"a panic": {two(set, func(*explore.Program, *word) { panic("ouch") }), "b panics: ouch"},
		"a failure": {two(set, func(p *explore.Program, w *word) {
			if w.Load() == 1 {
				p.Fail("it is %d", 1)
			}
		}), "it is 1"},
		"an error at the end": {func(p *explore.Program) {
			p.Go("a", func() {})
			p.End(func() error { return errors.New("bad end") })
		}, "bad end"},
	} {
		if got := explored(t, 2, c.program).fatal; (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestExploreNoticesGoroutinesThatAreLeft(t *testing.T) {
	end := make(chan struct{})
	h := explored(t, 3, func(p *explore.Program) {
		adders(2)(p)
		p.End(func() error { return nil })
		go func() { <-end }()
	})
	close(end)
	if !strings.Contains(h.fatal, "goroutines are left") {
		t.Errorf("%q", h.fatal)
	}
}

func TestExploreNoticesAProgramThatDiffers(t *testing.T) {
	n := 0
	h := explored(t, 3, func(p *explore.Program) {
		var v, w word
		n++
		p.Go("a", func() {
			if w.Load(); n%2 == 0 {
				v.Store(1)
			}
			w.Load()
			w.Load()
		})
		p.Go("b", func() { w.Store(1); w.Store(2) })
	})
	if !strings.Contains(h.fatal, "does not do the same each time") {
		t.Errorf("%q", h.fatal)
	}
}

// An op is done on one of two words: a load into the goroutine's register, a store of the register plus one, or a load
// that waits until the word is not zero.
type op struct {
	kind, word int
}

const (
	load = iota
	store
	await
	spin
)

// an outcome is the words and the registers at the end.
type outcome [5]int

var dead = outcome{-1}

// naive adds all outcomes with at most so many preemptions. The outcome of a deadlock is dead.
func naive(all map[outcome]bool, ops [][]op, at []int, s outcome, last, preemptions int) {
	able := func(i int) bool {
		return i >= 0 && at[i] < len(ops[i]) && (ops[i][at[i]].kind < await || s[ops[i][at[i]].word] != 0)
	}
	moved := false
	for i := range ops {
		if !able(i) {
			continue
		}
		moved = true
		left := preemptions
		if i != last && able(last) {
			left--
		}
		if left < 0 {
			continue
		}
		next, o := s, ops[i][at[i]]
		if o.kind == store {
			next[o.word] = s[2+i] + 1
		} else {
			next[2+i] = s[o.word]
		}
		at[i]++
		naive(all, ops, at, next, i, left)
		at[i]--
	}
	if moved {
		return
	}
	for i := range ops {
		if at[i] < len(ops[i]) {
			s = dead
		}
	}
	all[s] = true
}

// What is not searched again (X3) would have led to no other outcome, for each number of preemptions.
func TestExploreMissesNoOutcome(t *testing.T) {
	if race.Enabled {
		t.Skip("under the race detector there are fewer schedules")
	}
	deadlocks := 0
	for seed := range uint64(300) {
		rnd := rand.New(rand.NewPCG(seed, 0))
		kinds, preemptions := 2, rnd.IntN(5)
		if seed%2 == 0 {
			kinds, preemptions = 4, 100 // a wait has more decisions than the naive one
		}
		ops := make([][]op, 3)
		for i := range ops {
			ops[i] = make([]op, 1+rnd.IntN(4))
			for j := range ops[i] {
				ops[i][j] = op{rnd.IntN(kinds), rnd.IntN(2)}
			}
		}
		want := map[outcome]bool{}
		naive(want, ops, make([]int, len(ops)), outcome{}, -1, preemptions)
		got := map[outcome]bool{}
		h := explored(t, preemptions, func(p *explore.Program) {
			var words [2]word
			var regs [3]int
			for i := range ops {
				p.Go(fmt.Sprint(i), func() {
					for _, o := range ops[i] {
						w := &words[o.word]
						if o.kind == store {
							w.Store(regs[i] + 1)
							continue
						}
						for regs[i] = w.Load(); o.kind >= await && regs[i] == 0; regs[i] = w.Load() {
							if o.kind == await {
								w.Await()
							} else {
								explore.Yield()
							}
						}
					}
				})
			}
			p.End(func() error {
				got[outcome{words[0].Load(), words[1].Load(), regs[0], regs[1], regs[2]}] = true
				return nil
			})
		})
		if want[dead] {
			if deadlocks++; !strings.Contains(h.fatal, "deadlock") {
				t.Fatalf("seed %d, %v: %q, want a deadlock", seed, ops, h.fatal)
			}
		} else if h.fatal != "" || !maps.Equal(got, want) {
			t.Fatalf("seed %d, %d preemptions, %v:\n%v, want\n%v\n%s", seed, preemptions, ops, got, want, h.fatal)
		}
	}
	t.Logf("%d with a deadlock", deadlocks)
}
