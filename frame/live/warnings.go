package live

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/frameslice/frameslice/deadline"
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
	says = append(says, lateCauses(s.Late, now)...)
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

// lateCauses says why frames came late within the last minute, as the page says it of each. Frames with one culprit
// share a line, which has the cause of the longest. Causes that name the host alone, or say that nothing is known
// (words.Blameless), are left out, because a game can do little about them.
func lateCauses(lates []lateState, now deadline.Instant) (says []string) {
	times, longest := map[string]int{}, map[string]*lateState{}
	var all []string
	for i := range lates {
		late := &lates[i]
		who := blamed(late.Cause)
		if now.Sub(late.at) > recently || who == "" {
			continue
		}
		if times[who]++; times[who] == 1 {
			all = append(all, who)
		}
		if most := longest[who]; most == nil || late.Late > most.Late {
			longest[who] = late
		}
	}
	for _, who := range all {
		frames := "A late frame of the last minute"
		if n := times[who]; n > 1 {
			frames = fmt.Sprintf("%d late frames of the last minute, the longest", n)
		}
		says = append(says, fmt.Sprintf("%s: %s.", frames, longest[who].Cause))
	}
	return says
}

// blamed returns the culprit of a cause: the words before "took", without figures. So causes that differ in their times
// only have the same culprit. It is "" for a cause of words.Blameless.
func blamed(cause string) string {
	for _, nobody := range words.Blameless {
		if strings.HasPrefix(cause, nobody) {
			return ""
		}
	}
	cause, _, _ = strings.Cut(cause, " took ")
	all := strings.Fields(strings.TrimSuffix(cause, ", or the system,"))
	who := all[:0]
	for i, word := range all { // a figure comes first, as in "2 updates", or before its unit; others belong to a name
		if _, err := strconv.ParseFloat(word, 64); err != nil || i > 0 && (i+1 == len(all) || all[i+1] != "ms") {
			who = append(who, word)
		}
	}
	return strings.Join(who, " ")
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
			says = append(says,
				fmt.Sprintf("The coroutine %s has not continued for %v: %s.", w.name, longest[i], w.why))
		} else {
			says = append(says, fmt.Sprintf("%s%d coroutines %s have not continued, one for %v: %s.",
				least, n, w.name, longest[i], w.why))
		}
	}
	if n := len(waits) - maxWaits; n > 0 {
		says = append(says,
			fmt.Sprintf("Coroutines of other kinds have not continued for %v: %s%d kinds.", long, least, n))
	}
	return says
}
