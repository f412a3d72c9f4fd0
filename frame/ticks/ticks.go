package ticks

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/workers"
)

// maxDelay is the longest delay of a Kind, in ticks: four seconds of a simulation of 60 ticks a second.
const maxDelay = 240

// A Clock counts the ticks of a simulation, and calls the functions that take the results which are due in a tick. All
// its methods, and those of its kinds, are for one goroutine: that of the simulation.
type Clock struct {
	pool       *workers.Pool
	tick       int64  // the tick that began last
	newest     int64  // the greatest tick so far
	keep       int64  // how many ticks Rewind can go back
	ring       []slot // of the ticks from newest-keep to newest+maxDelay, by the tick modulo its length
	kinds      uint64
	leaving    []result // left out by a Rewind, while their jobs may run
	delivering bool
	stats      Stats
}

// A slot is what a Clock knows of one tick.
type slot struct {
	due    []result // arrive in the tick, in the order of their Submits
	sent   []result // were submitted in the tick
	undone []result // were submitted in the tick before a Rewind, and may be used again; nil where that has happened
	sum    uint64   // the checksum
}

// A result is a run of any Kind.
type result interface {
	common() *errand
	compute() // calls the function of the kind
	deliver()
	forget() // gives the run back to its kind
}

// Stats are the counters of a Clock.
type Stats struct {
	Results uint64        // results that arrived, again after a Rewind
	Reused  uint64        // Submits of repeated ticks that took what was computed before
	Late    uint64        // ticks, the first time that they began, which waited for a result
	Waited  time.Duration // how long these waited in all
	Rewinds uint64
}

// New returns a Clock at tick 0, whose kinds run on p. Work may be submitted before the first Begin. Rewind can go back
// by so many ticks as keep, 0 being 16. A game that never rewinds may pass 1, because results stay in memory for so
// many ticks. New panics if p is nil or keep is negative.
func New(p *workers.Pool, keep int) *Clock {
	if p == nil {
		panic("ticks: New without a Pool")
	}
	if keep < 0 {
		panic(fmt.Sprintf("ticks: New with %d ticks to keep", keep))
	}
	if keep == 0 {
		keep = 16
	}
	return &Clock{pool: p, keep: int64(keep), ring: make([]slot, keep+1+maxDelay)}
}

func (c *Clock) at(tick int64) *slot { return &c.ring[tick%int64(len(c.ring))] }

// oldest is the earliest tick to which Rewind can go.
func (c *Clock) oldest() int64 { return max(0, c.newest-c.keep) }

// Tick returns the number of the tick that began last.
func (c *Clock) Tick() int64 { return c.tick }

// Stats returns the counters.
func (c *Clock) Stats() Stats { return c.stats }

// Begin begins the next tick, and calls the deliver functions of the results that are due in it, in the order of their
// Submits. Begin waits for those that are not ready, or computes them. If the function of one has panicked, Begin
// raises a *workers.PanicError, so that the fault appears in the same tick everywhere.
func (c *Clock) Begin() {
	c.mustRest("Begin")
	before := c.at(c.tick)
	c.leave(&before.undone)
	c.tick++
	now := c.at(c.tick)
	again := c.tick <= c.newest
	if !again {
		c.newest = c.tick
		c.forget()
	}
	now.sum = mix(before.sum, uint64(c.tick))
	c.await(now.due, again)
	c.delivering = true
	defer func() { c.delivering = false }()
	for _, r := range now.due {
		e := r.common()
		if err := e.job.Err(); err != nil && !e.inline {
			panic(err)
		}
		now.sum = mix(now.sum, e.number<<32^uint64(e.sent))
		c.stats.Results++
		r.deliver()
	}
}

// mustRest panics if a deliver function has called the method.
func (c *Clock) mustRest(method string) {
	if c.delivering {
		panic("ticks: " + method + " in the deliver function of a Kind")
	}
}

// await returns when all results are ready.
func (c *Clock) await(due []result, again bool) {
	var since deadline.Instant
	late := false
	for _, r := range due {
		e := r.common()
		if !e.job.Finished() {
			if !late {
				late, since = true, deadline.Now()
			}
			_ = e.job.Wait(context.Background()) // Begin looks at the error, in the order of the Submits
		}
		if errors.Is(e.job.Err(), workers.ErrClosed) {
			r.compute()
			e.inline = true
		}
	}
	if late && !again {
		c.stats.Late++
		c.stats.Waited += deadline.Now().Sub(since)
	}
}

// forget gives back what no Rewind can reach any more, and runs that were left out and have ended.
func (c *Clock) forget() {
	if gone := c.newest - c.keep; gone >= 0 {
		s := c.at(gone)
		for _, r := range s.due {
			r.forget()
		}
		clear(s.due)
		clear(s.sent)
		s.due, s.sent = s.due[:0], s.sent[:0]
	}
	still := c.leaving[:0]
	for _, r := range c.leaving {
		if r.common().job.Finished() {
			r.forget()
		} else {
			still = append(still, r)
		}
	}
	clear(c.leaving[len(still):])
	c.leaving = still
}

// leave drops the runs of a list that no repeated tick has used.
func (c *Clock) leave(undone *[]result) {
	for _, r := range *undone {
		if r != nil {
			r.common().job.Cancel()
			c.leaving = append(c.leaving, r)
		}
	}
	clear(*undone)
	*undone = (*undone)[:0]
}

// Rewind goes back to the end of an earlier tick, so that the next Begin begins the tick after it. The program restores
// its own state. Rewind panics if the tick is more ticks than New was given before the latest, or was not simulated.
func (c *Clock) Rewind(tick int64) {
	c.mustRest("Rewind")
	if tick < c.oldest() || tick > c.tick {
		panic(fmt.Sprintf("ticks: Rewind to tick %d, which is not one of %d to %d", tick, c.oldest(), c.tick))
	}
	for t := tick + 1; t <= c.tick; t++ {
		s := c.at(t)
		s.undone = append(s.undone, s.sent...)
		clear(s.sent)
		s.sent = s.sent[:0]
	}
	for t := tick + 1; t <= c.tick+maxDelay; t++ {
		s := c.at(t)
		kept := s.due[:0]
		for _, r := range s.due {
			if r.common().sent <= tick {
				kept = append(kept, r)
			}
		}
		clear(s.due[len(kept):])
		s.due = kept
	}
	c.tick = tick
	c.stats.Rewinds++
}

// Mix adds a word to the checksum of the current tick: a hash of the state, or parts of it.
func (c *Clock) Mix(word uint64) {
	s := c.at(c.tick)
	s.sum = mix(s.sum, word)
}

// Sum returns the checksum of a tick, and false if the tick lies in the future or too far back. It covers all ticks so
// far: which results arrived when, and what Mix has added. The first tick in which two machines differ is where their
// simulations parted.
func (c *Clock) Sum(tick int64) (sum uint64, ok bool) {
	if tick < c.oldest() || tick > c.tick {
		return 0, false
	}
	return c.at(tick).sum, true
}

// mix is the finalizer of SplitMix64 (Steele, Lea and Flood, 2014) over both words.
func mix(sum, word uint64) uint64 {
	z := sum*0x9E3779B97F4A7C15 ^ word
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}
