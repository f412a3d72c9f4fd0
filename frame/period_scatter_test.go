package frame

import (
	"testing"
	"time"
)

// Where a game is busy for about half of the time or more, and frames come late and the next ones early, as in a
// browser that draws with the processor, neither the longer intervals are a display's nor the shorter ones. How near
// the period comes depends on the scatter, and so on the seed. Of a hundred the period in force was 4.2 % off (that is
// from 72 to 75 Hz) or less at 20 % of scatter and 7.8 % at 40; what is shown, which such a game can no longer correct,
// 10.6 and 23.3 %.
func TestPeriodOfABusyGameWhoseFramesScatter(t *testing.T) {
	for _, hz := range []time.Duration{60, 75, 144} {
		for _, busy := range []time.Duration{30, 45, 50, 55, 60, 75} { // hundredths of the period
			for _, scatter := range []time.Duration{5, 20, 40} {
				p, rng, refresh := newPeriod(DefaultInterval), seeded(), time.Second/hz
				within, shown := max(refresh/20, refresh*scatter/400), max(refresh/20, refresh*scatter*2/300)
				late := time.Duration(0)
				for range 600 {
					before := late
					late = time.Duration(rng.Float64() * float64(refresh*scatter/100))
					p.observe(refresh+late-before, refresh*busy/100, 0)
				}
				if (p.value-refresh).Abs() > within || (p.shown-refresh).Abs() > shown {
					t.Errorf("%d Hz, %d %% busy, scatter %d %%: %v, shown as %v, want %v",
						hz, busy, scatter, p.value, p.shown, refresh)
				}
			}
		}
	}
}
