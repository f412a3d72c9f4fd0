package zoo_test

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice"
	"github.com/frameslice/frameslice/internal/refresh"
	"github.com/frameslice/frameslice/internal/words"
)

const (
	settling = time.Second      // before the load begins
	window   = 10 * time.Second // in which frames are compared, from there
	patience = 60 * time.Second // how long a load may take
)

// A score is how one play went.
type score struct {
	missed  int           // in the window
	longest time.Duration // frame, in the window
	until   int           // frames missed until the load was done
	took    time.Duration // by the load; for a load that comes one by one, the window
	share   float64       // of the time took that work got
	starts  []time.Duration
	busy    []time.Duration // each frame's own work and tail, without the load
	frames  int             // in the window
}

// A play is one host with one load.
type play struct {
	host *host
	load *load
	seed uint64
	room time.Duration // what the host leaves of an interval
	log  io.Writer     // a line for each frame; nil for none
}

// run plays with a rival.
func (p play) run(t *testing.T, c contender) (s score) {
	if c.more != nil {
		return p.rival(&sum{}, c)
	}
	synctest.Test(t, func(t *testing.T) {
		s = p.rival(&processors{bubble: bubble{time.Now()}, free: p.host.workers + 1}, c)
		synctest.Wait()
	})
	return s
}

func (p play) rival(c clock, with contender) score {
	g := p.ledger(c)
	r := rival{ledger: g, ticks: newTicks(p.host)}
	if with.more == nil {
		return p.frames(g, &goroutines{r}, nil)
	}
	r.more = with.more(p.host)
	return p.frames(g, &r, nil)
}

// ours plays with the loop.
func (p play) ours(t *testing.T) (s score) {
	synctest.Test(t, func(t *testing.T) {
		g := p.ledger(bubble{time.Now()})
		o := newOurs(p.host, g)
		defer o.loop.Close()
		var drive func(func() bool)
		if p.host.runs {
			drive = func(f func() bool) {
				if err := o.loop.Run(context.Background(), func() error {
					if !f() {
						return frameslice.ErrStop
					}
					return nil
				}); err != nil {
					t.Error(err)
				}
			}
		}
		s = p.frames(g, o, drive)
	})
	return s
}

func (p play) ledger(c clock) *ledger { return &ledger{clock: c, load: p.load, until: math.MaxInt64} }

// frames plays frame after frame. drive, if not nil, calls the function for each, until the function returns false.
func (p play) frames(g *ledger, w way, drive func(func() bool)) score {
	s := stage{play: p, g: g, w: w, items: supply{load: p.load, seed: p.seed}, last: -1}
	s.m = moment{n: -1, seed: p.seed, t: -1}
	if p.host.display != nil {
		s.d = p.host.display()
	}
	if drive == nil {
		drive = func(f func() bool) {
			for f() {
			}
		}
	}
	drive(func() bool {
		if !s.start() {
			return false
		}
		loading := p.load.loading && s.started
		if o, ok := w.(*ours); ok && p.host.runs {
			o.mark(loading)
			s.work()
			return true // the slice is Run's
		}
		w.begin(loading)
		s.work()
		w.slice()
		s.sliced = g.clock.now()
		w.end()
		s.flush()
		return true
	})
	s.score.finish(p, g, g.clock.now())
	return s.score
}

// A stage is a play under way.
type stage struct {
	play
	g     *ledger
	w     way
	items supply
	d     display // nil if nothing paces the host
	score score

	started          bool // the load has begun
	m                moment
	last             time.Duration // when the frame before was shown, or this one began if there is no display
	own, tail, extra time.Duration // of this frame; extra is what the load leaves to the host
	from, sliced     time.Duration // the slice
}

// start begins a frame, and returns false after the last one.
func (s *stage) start() bool {
	now := s.g.clock.now()
	s.print(now)
	if s.d == nil {
		s.shown(now)
	}
	if s.started && now >= s.g.from+window && (s.g.finished() || now >= s.g.from+patience) {
		return false
	}
	s.m.n, s.m.t, s.m.last = s.m.n+1, now, s.m.t
	if !s.started && now >= settling {
		s.started = true
		s.g.from, s.g.until = now, now+window
		s.items.next, s.items.urgent, s.items.every = now, now, s.every()
	}
	return true
}

// work is the game's own, after which the load is offered.
func (s *stage) work() {
	h := s.host
	s.own, s.tail, s.extra = h.own(s.m), h.tail(s.m), 0
	if h.runs {
		s.extra = s.g.leaves()
	}
	s.g.clock.compute(s.own + s.extra)
	if s.started {
		s.w.offer(s.items.come(s.g.clock.now()))
		s.score.busy = append(s.score.busy, s.own+s.tail)
	}
	s.from = s.g.clock.now()
}

// flush is the host's part after End.
func (s *stage) flush() {
	if !s.host.runs {
		s.extra = s.g.leaves()
	}
	if s.d == nil {
		s.g.clock.wait(s.tail + s.extra)
		return
	}
	shown, returns := s.d.swap(s.m, s.g.clock.now(), s.tail+s.extra)
	s.g.clock.wait(returns - s.g.clock.now())
	s.shown(shown)
}

// shown ends a frame.
func (s *stage) shown(at time.Duration) {
	if s.started && s.last >= 0 {
		// The frame in which the load begins counts from there, wherever its display showed the frame before.
		s.score.judge(s.play, s.g, max(s.last-s.g.from, 0), at-s.last)
	}
	s.last = at
}

// print writes what the frame before did.
func (s *stage) print(now time.Duration) {
	if s.log == nil || s.m.n < 0 {
		return
	}
	s.g.mu.Lock()
	done, spent := s.g.done, s.g.spent
	s.g.mu.Unlock()
	at := s.m.t - s.g.from
	if !s.started {
		at = s.m.t - settling
	}
	f := words.Millis
	sliced := s.sliced - s.from
	if s.host.runs {
		sliced = 0 // Run's
	}
	fmt.Fprintf(s.log, "%5d at %9.2f took %7.2f: own %6.2f slice %6.2f tail %6.2f left by tasks %6.2f; "+
		"done %5d, work %8.2f\n",
		s.m.n, f(at), f(now-s.m.t), f(s.own), f(sliced), f(s.tail), f(s.extra), done, f(spent))
}

// every returns the time from item to item.
func (p play) every() time.Duration {
	if p.load.every == nil {
		return 0
	}
	return p.load.every(p.room, p.host.interval)
}

// judge counts a frame that began so long after the load did. It may have begun before, and ended after that: in a
// browser a frame begins some time after the refresh at which the one before was shown.
func (s *score) judge(p play, g *ledger, begun, d time.Duration) {
	missed := int(refresh.Missed(d, p.host.interval))
	if begun+d <= 0 {
		return
	}
	if begun < window {
		s.missed += missed
		s.longest = max(s.longest, d)
		s.frames++
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if p.load.n > 0 && (g.ended == 0 || begun < g.ended-g.from) {
		s.until += missed
	}
}

// finish computes what the ledger knows.
func (s *score) finish(p play, g *ledger, now time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	s.starts = slices.Clone(g.starts)
	slices.Sort(s.starts)
	switch {
	case p.load.n == 0:
		s.until, s.took = s.missed, window
		s.share = float64(g.inWindow) / float64(window)
		return
	case g.ended > 0:
		s.took = g.ended - g.from
	default: // it would have taken so long
		k := float64(p.load.n) / float64(max(g.done, 1))
		s.took = times(now-g.from, k)
		s.until = int(float64(s.until) * k)
		s.share = float64(g.spent) / float64(now-g.from)
		return
	}
	s.share = min(1, float64(g.spent)/float64(max(s.took, 1)))
}
