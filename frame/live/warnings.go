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
	long     = 5 * time.Second // a wait of a coroutine that is reported
	recently = time.Minute     // for which warnings about frames stay
	maxWaits = 5               // kinds of coroutines that are named
)

// warnings returns what is wrong, in words.
func (h *handler) warnings(s *state, a *answer, now deadline.Instant) []string {
	says := []string{}
	if s.Stuck != "" {
		says = append(says, "A frame does not end: see below what it hangs in.")
	}
	says = append(says, culprits(s.Late, now)...)
	if len(s.cheaper) > 0 && s.cheaper[0].Fifth.Low >= 1 {
		says = append(says, fmt.Sprintf("Of the %d missed refreshes these would have been spared: %s.",
			s.Missed, &s.cheaper[0]))
	}
	if a != nil {
		says = append(says, stalled(a.coroutines, a.alive)...)
	}
	for _, note := range h.pool.Notes {
		says = append(says, "The pool says: "+note)
	}
	return says
}

// culprits says what took most of each of the latest late frames, of a minute at most. The host and waits are left out,
// for which a game can do little.
func culprits(lates []lateState, now deadline.Instant) (says []string) {
	type culprit struct{ kind, name string }
	times, most := map[culprit]int{}, map[culprit]record.FramePart{}
	var all []culprit
	for i := range lates {
		p := lates[i].most
		if now.Sub(lates[i].at) > recently || !slices.Contains(told, p.Kind) {
			continue
		}
		c := culprit{p.Kind, p.Name}
		if times[c]++; times[c] == 1 {
			all = append(all, c)
		}
		if p.Time > most[c].Time {
			most[c] = p
		}
	}
	for _, c := range all {
		who, either := "The "+c.kind+" "+words.Short(c.name), ""
		switch c.kind {
		case "own work":
			who = "The game's own work"
		case "slice":
			who = "The tasks of a slice together"
		case "system":
			who = "The system"
		}
		if most[c].OrSystem {
			either = ", or the system,"
		}
		says = append(says, fmt.Sprintf("%s%s took %v of a late frame, %s.", who, either,
			most[c].Time.Round(time.Millisecond/100), often(times[c], "lately")))
	}
	return says
}

// told are the kinds of parts that a warning names.
var told = []string{"task", "job", "callback", "section", "own work", "slice", "system"}

func often(times int, when string) string {
	if times == 1 {
		return "once " + when
	}
	return fmt.Sprintf("%d times %s", times, when)
}

// stalled reports coroutines that wait for long, the longest first. Those of one name that wait for the same share a
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
