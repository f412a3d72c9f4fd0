package frame

import (
	"math"
	"runtime/debug"
)

// gcSettings are the collector's settings that the loop has changed, to be taken back at Close.
//
// They belong to the process, not to the loop: two loops that both set them must close in the reverse
// order. What someone else has set meanwhile is left as it is: the loop takes back its own value only.
type gcSettings struct {
	percent, percentBefore int
	limit, limitBefore     int64
}

// apply sets what is not zero.
func (g *gcSettings) apply(percent int, limit int64) {
	if percent != 0 {
		g.percent = max(percent, -1)
		g.percentBefore = debug.SetGCPercent(g.percent)
	}
	if limit > 0 {
		g.limit = limit
		g.limitBefore = debug.SetMemoryLimit(limit)
	}
}

// move changes the GOGC that apply has set, and reports whether it was still there: else somebody else has set it, and
// it stays. There is no way to do both at once, so what somebody sets between the two is lost. A µs.
func (g *gcSettings) move(percent int) bool {
	if found, _ := collectorSettings(); found != g.percent {
		return false
	}
	debug.SetGCPercent(percent)
	g.percent = percent
	return true
}

// wantedGOGC returns the GOGC that IdleGC is to keep to: percent, or what is set now where that is zero; and zero where
// that is off, or too much for apart.
func wantedGOGC(percent int) uint64 {
	if percent == 0 {
		percent, _ = collectorSettings()
	}
	if percent <= 0 || percent > math.MaxInt32/(1+mostApart) {
		return 0
	}
	return uint64(percent)
}

// apart returns the GOGC to set where so much is alive and IdleGC begins the collections that a GOGC of wanted stands
// for: the runtime's mark is twice as far, and headroom further as long as that is at most mostApart times as far.
func apart(wanted, live uint64) int {
	return int(wanted + min(max(wanted, headroom*100/max(live, 1)), mostApart*wanted))
}

const (
	// headroom is what the program may allocate between the loop's mark and the runtime's, roughly: the demo allocates
	// some 20 MB in a frame while it loads, and has little alive yet.
	headroom = 64 << 20

	// mostApart bounds by how much the heap may grow where nobody looks at it while the runtime collects: in a frame
	// that loads a level, or when somebody else has saved the GOGC that he found, and sets it again after Close. (A
	// ballast of as much as headroom, which nobody writes to, would need no bound, but counts as the program's memory
	// in every tool, and in GOMEMLIMIT.)
	mostApart = 4
)

// restore takes back what apply did. Idempotent.
func (g *gcSettings) restore() {
	if g.percent != 0 {
		if found := debug.SetGCPercent(g.percentBefore); found != g.percent {
			debug.SetGCPercent(found)
		}
		g.percent = 0
	}
	if g.limit != 0 {
		// A negative limit only reads.
		if debug.SetMemoryLimit(math.MinInt64) == g.limit {
			debug.SetMemoryLimit(g.limitBefore)
		}
		g.limit = 0
	}
}
