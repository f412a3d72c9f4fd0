//go:build !linux && !js

package frame

import (
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/costs"
)

// sysWait sleeps until shortly before the instant and spins the rest. How shortly follows from how late
// earlier sleeps were: twice the running mean, at most maxSpin.
type sysWait struct{ oversleep costs.Estimate }

const (
	maxSpin = time.Millisecond
	// spins bounds the spin by count too: about 2 ms of clock reads, and an end where the clock does not move.
	spins = 1 << 16
)

// until returns false if it could not sleep.
func (w *sysWait) until(now, at deadline.Instant) bool {
	early := min(w.oversleep.Mean()*2, maxSpin)
	if left := at.Sub(now) - early; left > 0 {
		time.Sleep(left)
		w.oversleep.Observe(max(deadline.Now().Sub(now)-left, 0))
	}
	for i := 0; i < spins && deadline.Now() < at; i++ {
	}
	return true
}

// sleeps says that sysWait can sleep.
const sleeps = true

// shadowPossible says that a second goroutine can run while the host waits.
const shadowPossible = true
