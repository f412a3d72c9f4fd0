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

// doubled returns the GOGC to set where IdleGC is to begin the collections that a GOGC of percent stands for, and that;
// where percent is zero it is what is set now. Where that is off, or too much to double, it stays, and wanted is zero.
func doubled(percent int) (set int, wanted uint64) {
	if percent == 0 {
		percent, _ = collectorSettings()
	}
	if percent <= 0 || percent > math.MaxInt32/2 {
		return percent, 0
	}
	return 2 * percent, uint64(percent)
}

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
