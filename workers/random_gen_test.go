package workers_test

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/park"
	"github.com/frameslice/frameslice/workers"
)

// A verb is what an act of a random program does.
type verb int

const (
	vJob verb = iota
	vGo
	vFuture
	vThen
	vAgain
	vCancel
	vFork
	vLoop
	vGroup
	vBlocking
	vGoroutine
	vYield
	vSleep
	vClose
	vStats
	vProcs    // changes GOMAXPROCS
	vShrink   // changes the number of workers
	vShared   // does something with a job of somebody else
	vOther    // a future of another pool
	vCloseJob // Close within a job
	vIO       // a future of SubmitIO
	numVerbs
)

var verbNames = [...]string{"job", "go", "future", "then", "again", "cancel", "fork", "loop",
	"group", "blocking", "goroutine", "yield", "sleep", "close", "stats", "procs", "shrink",
	"shared", "other", "closejob", "io"}

// The ways to wait for something.
const (
	waits      = iota // with a context that cannot be done
	waitsOpen         // with one that could be
	waitsTimed        // with one that is done soon
	waitsDone         // with one that is done already
	waitsNot
	numWaits
)

// An act is a node of a random program: what to do, and what the function that does it does itself.
type act struct {
	verb verb
	prio deadline.Priority
	fate fate
	wait int
	n, k int
	kids []*act
	id   int
}

func (a *act) String() string { return fmt.Sprintf("%s %d", verbNames[a.verb], a.id) }

// hasError reports whether the error of a's function is one that somebody gets.
func (a *act) hasError() bool {
	switch a.verb {
	case vFuture, vThen, vOther, vIO, vGroup:
		return true
	}
	return false
}

func (a *act) dump(indent string) string {
	s := fmt.Sprintf("%s%v prio %v fate %d wait %d n %d k %d\n", indent, a, a.prio, a.fate, a.wait, a.n, a.k)
	for _, kid := range a.kids {
		s += kid.dump(indent + "  ")
	}
	return s
}

func pause(n int) time.Duration { return time.Duration(n%50) * 10 * time.Microsecond }

// A maker makes random programs, the same from the same numbers.
type maker struct {
	*rand.Rand
	ids, budget int    // the acts made, and how many may follow
	only        []verb // most acts are of these, if there are any
	own         int    // within how many goroutines of a job's own
}

// acts makes a few acts.
func (m *maker) acts(depth int) (all []*act) {
	for range m.IntN(4) {
		if m.budget > 0 {
			all = append(all, m.act(depth))
		}
	}
	return all
}

// may reports whether v can be done here without a deadlock that is documented.
func (m *maker) may(v verb) bool {
	return v != vThen || m.own == 0
}

// rare reports whether v would end or slow most programs if it were in all of them.
func (v verb) rare() bool { return v == vClose || v == vCloseJob || v == vProcs }

func (m *maker) act(depth int) *act {
	m.ids++
	m.budget--
	a := &act{id: m.ids, prio: deadline.Priorities()[m.IntN(deadline.NumPriorities)], n: m.IntN(1000), k: m.IntN(1000)}
	for {
		a.verb = verb(m.IntN(int(numVerbs)))
		if len(m.only) > 0 && m.IntN(8) > 0 {
			a.verb = m.only[m.IntN(len(m.only))]
		}
		if m.may(a.verb) && (!a.verb.rare() || m.IntN(8) == 0) {
			break
		}
	}
	switch m.IntN(12) {
	case 0:
		a.fate = errs
	case 1:
		a.fate = panics
	case 2:
		a.fate = exits
	}
	if a.wait = m.IntN(numWaits); m.IntN(2) == 0 {
		a.wait = waits
	}
	if a.wait == waitsOpen && m.own > 0 { // documented: nobody else may be there to begin it
		a.wait = waits
	}
	if a.verb == vGoroutine {
		m.own++
		defer func() { m.own-- }()
	}
	if depth > 0 {
		a.kids = m.acts(depth - 1)
		if a.verb == vFork || a.verb == vGroup {
			a.kids = append(a.kids, m.acts(depth-1)...)
		}
	}
	return a
}

func (m *maker) options() workers.Options {
	o := workers.Options{Workers: []int{-1, 0, 1, 1, 2, 2, 3, 8}[m.IntN(8)]}
	if m.IntN(3) == 0 {
		o.Background = 1 + m.IntN(2)
		o.RaiseProcs = m.IntN(2) == 0
	}
	if m.IntN(4) == 0 {
		o.Pin = workers.Pin(m.IntN(3))
	}
	if m.IntN(2) == 0 {
		o = o.Parking(park.Kind(m.IntN(4)))
	}
	if m.IntN(4) == 0 {
		us := time.Microsecond
		o = o.Aging(deadline.Timeouts{UserBlocking: us, Normal: us, Low: us})
	}
	if m.IntN(2) == 0 {
		o = o.Standing([]int{-1, 1}[m.IntN(2)])
	}
	o.Profile = -min(1, m.IntN(3))
	return o
}
