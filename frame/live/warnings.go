package live

import (
	"fmt"
	"slices"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/internal/words"
	"github.com/frameslice/frameslice/scheduler"
)

const (
	long     = 5 * time.Second // a wait of a coroutine that is told of
	recently = time.Minute     // for which warnings about frames stay
	maxKinds = 64              // of tasks that were too long
	maxWaits = 5               // kinds of coroutines that are named
)

// longest counts, by kind of task, runs that were too long. The kind "" is the game's own work.
type longest struct {
	kinds []tooLong
}

type tooLong struct {
	label  string
	whole  int // runs of more than a whole frame
	over   int // runs of more than the slice's budget, with which the slice ended late
	worst  time.Duration
	budget time.Duration // of that slice; of the system: of so much
	either bool          // or the system took it
	at     deadline.Instant
}

func (l *longest) forget() { l.kinds = l.kinds[:0] }

// add takes in a frame. Time that the system took for sure does not count, as it is nobody's fault.
func (l *longest) add(r *record.Record, target time.Duration) {
	own := r.Own()
	if work, system, either := r.System.Own.Split(own); own > target && own-system <= target {
		l.kind(ofSystem).system(system, own, r.Start)
	} else if own > target {
		k := l.kind("")
		k.whole++
		k.took(own-system, 0, r.Start, work <= either)
	}
	work, system, either := r.OfWorst().Split(r.WorstCost)
	cost := r.WorstCost - system
	late := r.Overrun() > max(target/16, r.Budget()/4) && cost > r.Budget()
	if cost <= target && !late {
		if r.WorstCost > target {
			l.kind(ofSystem).system(system, r.WorstCost, r.Start)
		}
		return
	}
	k := l.kind(words.Short(r.WorstLabel))
	if cost > target {
		k.whole++
	} else {
		k.over++
	}
	k.took(cost, r.Budget(), r.Start, work <= either)
}

// ofSystem is the kind of what the system took. No label has a character of control.
const ofSystem = "\x00"

func (k *tooLong) system(took, of time.Duration, at deadline.Instant) {
	k.whole++
	k.took(took, of, at, false)
}

func (k *tooLong) took(d, budget time.Duration, at deadline.Instant, either bool) {
	k.at = at
	if d > k.worst {
		k.worst, k.budget, k.either = d, budget, either
	}
}

// kind returns the entry of a kind. A new kind takes the place of the one that was long ago if there are too many.
func (l *longest) kind(label string) *tooLong {
	i := slices.IndexFunc(l.kinds, func(k tooLong) bool { return k.label == label })
	switch {
	case i >= 0:
	case len(l.kinds) < maxKinds:
		i = len(l.kinds)
		l.kinds = append(l.kinds, tooLong{label: label})
	default:
		i = 0
		for j := range l.kinds {
			if l.kinds[j].at < l.kinds[i].at {
				i = j
			}
		}
		l.kinds[i] = tooLong{label: label}
	}
	return &l.kinds[i]
}

// warnings returns what is wrong, in words.
func (h *handler) warnings(s *state, a *answer, now deadline.Instant) []string {
	says := []string{}
	if s.Stuck != "" {
		says = append(says, "A frame does not end: see below what it hangs in.")
	}
	h.long.kinds = slices.DeleteFunc(h.long.kinds, func(k tooLong) bool { return now.Sub(k.at) > recently })
	for i := range h.long.kinds {
		says = append(says, h.long.kinds[i].String())
	}
	if a != nil {
		says = append(says, stalled(a.coroutines, a.alive)...)
	}
	for _, note := range h.pool.Notes {
		says = append(says, "The pool says: "+note)
	}
	return says
}

func (k *tooLong) String() string {
	of := k.worst.Round(time.Millisecond / 100)
	budget := k.budget.Round(time.Millisecond / 100)
	either := ""
	if k.either {
		either = ", or the system in it,"
	}
	switch {
	case k.label == ofSystem:
		return fmt.Sprintf("The system kept the frame off its processor: %v of %v, %s.", of, budget,
			often(k.whole, "lately"))
	case k.label == "":
		if k.either {
			either = ", or the system,"
		}
		return fmt.Sprintf("The game's own work%s took longer than a whole frame: %v, %s.", either, of,
			often(k.whole, "lately"))
	case k.whole > 0 && k.over > 0:
		return fmt.Sprintf("The task %s%s never yielded for longer than a whole frame: %v, %s. Over the budget: %s.",
			k.label, either, of, often(k.whole, "lately"), often(k.over, "more"))
	case k.whole > 0:
		return fmt.Sprintf("The task %s%s never yielded for longer than a whole frame: %v, %s.",
			k.label, either, of, often(k.whole, "lately"))
	}
	return fmt.Sprintf("The task %s%s was over the budget: %v in a slice of %v, %s.",
		k.label, either, of, budget, often(k.over, "lately"))
}

func often(times int, when string) string {
	if times == 1 {
		return "once " + when
	}
	return fmt.Sprintf("%d times %s", times, when)
}

// stalled tells of coroutines that wait for long, the longest first. Those of one name that wait for the same share a
// line. Of many coroutines all has only some. Then the counts may be too low, and say "at least".
func stalled(all []scheduler.Coroutine, alive int) (says []string) {
	least := ""
	if alive > len(all) {
		least = "at least "
	}
	type wait struct{ name, why string }
	alike := map[wait]int{}
	var waits []wait
	var longest []time.Duration
	for i := range all {
		c := &all[i]
		if c.Asleep || c.Waited < long || c.Priority == deadline.Idle {
			continue
		}
		w := wait{words.Short(c.Label), shortWords(c.Why)}
		if alike[w]++; alike[w] == 1 {
			waits, longest = append(waits, w), append(longest, c.Waited.Round(time.Second/10))
		}
	}
	for i, w := range waits[:min(len(waits), maxWaits)] {
		if n := alike[w]; n == 1 {
			says = append(says, fmt.Sprintf("The coroutine %s has not gone on for %v: %s.", w.name, longest[i], w.why))
		} else {
			says = append(says, fmt.Sprintf("%s%d coroutines %s have not gone on, one for %v: %s.",
				least, n, w.name, longest[i], w.why))
		}
	}
	if n := len(waits) - maxWaits; n > 0 {
		says = append(says,
			fmt.Sprintf("Coroutines of other kinds have not gone on for %v: %s%d kinds.", long, least, n))
	}
	return says
}
