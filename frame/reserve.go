package frame

import "time"

// control is the tuning of a reserve.
type control struct {
	start, floor time.Duration // first value, least value
	up           time.Duration // added at a miss, beside half of the value
	down         time.Duration // taken off after enough clean frames
	most         time.Duration // greatest value whatever the interval is; 0: none
}

const micro = time.Microsecond

const (
	cleanFrames    = 60   // full and clean frames that prove a value, and pay for one step down
	cautiousFrames = 1800 // the same where the step leads back to a value that has missed
	suspectFrames  = 8    // full frames within which a second miss confirms the first
	overrunFrames  = 16   // clean frames whose slices continued into the reserve that prove that less will do
	strayCost      = 30   // clean frames that an unconfirmed miss takes back
)

// The four tunings. Hosted: after the slice come flush, GPU and swap, some milliseconds. Shadow: the slice runs beside
// them, and only the return of the baton follows. Own: the loop's own wait follows, so the reserve pays only for the
// last task's overrun.
//
// Page: in a browser another process draws and waits for the display, and the page's thread only has to send the frame
// in time. So most misses there are of the other process, and no reserve helps. With the hosted tuning they raised the
// reserve to half of the frame, and jobs got a quarter of the thread.
var (
	hostedControl = control{start: 4000 * micro, floor: 1000 * micro, up: 500 * micro, down: 250 * micro}
	shadowControl = control{start: 1000 * micro, floor: 300 * micro, up: 250 * micro, down: 50 * micro}
	ownControl    = control{start: 300 * micro, floor: 100 * micro, up: 100 * micro, down: 20 * micro}
	pageControl   = control{
		start: 500 * micro, floor: 300 * micro, up: 250 * micro, down: 250 * micro, most: 3000 * micro,
	}
)

// hostControl is the tuning for a slice on the host's own goroutine.
func hostControl() control {
	if inBrowser() {
		return pageControl
	}
	return hostedControl
}

// reserve is the time that the slice leaves free at the end of a frame. It is controlled and not measured. The idle
// time before a refresh lies inside the same blocking call as the flush and the GPU's work. So the cost of both cannot
// be told apart from waiting. A fixed reserve has a cliff: on one machine 3, 5 and 7 ms missed 50, 11 and 2.4 % of the
// refreshes.
//
// A miss raises the reserve by half and a step. 60 clean frames that used their whole budget lower it by a small step,
// as a network sender does with its window. Only frames whose slice worked right up to the reserve say anything. If a
// slice ended earlier, or the game left no budget at all, the reserve neither caused nor prevented the miss.
//
// Frames are also late for reasons that no reserve can help, such as a collection or another process. And where the
// cost is constant, the reserve should not probe, and miss, every few seconds. So there are three more rules:
//
//   - A miss is a stray unless a second one follows within 8 such frames: a reserve that is too small misses nearly
//     every frame. Without this rule, one unrelated miss in a hundred frames holds the reserve at its bound.
//   - good is the least value that 60 full and clean frames have proven. A confirmed miss below good ends the probe:
//     the reserve goes back to good, and not up by half.
//   - failed is the last value that missed. Going there again takes 1800 clean frames, half a minute.
//
// The misses of tasks that fit into no slice, and run all the same, do not count (see informs). Otherwise the reserve
// grows with them, and still less fits. A simulated host had no workers, 2 ms of flush, and a job of 8 ms now
// and then. Its reserve rose to 7.8 ms, and 72 of 190 jobs a second ran. With this rule it is 2.5 ms, and all jobs run.
type reserve struct {
	control
	value    time.Duration
	failed   time.Duration // 0: none
	good     time.Duration // 0: none
	clean    int           // full and clean frames at this value
	suspect  int           // frames left in which a second miss confirms
	overruns int           // clean frames in a row whose slices continued into the reserve
	over     time.Duration // the least time by which those did
	cool     int           // frames that were under way when the value was raised
}

func newReserve(c control) reserve { return reserve{control: c, value: c.start} }

// observe takes one frame: whether its slice ended at the reserve's edge or later, by how much later, and whether the
// next frame came late. The value is at most most.
func (r *reserve) observe(bound, missed bool, over, most time.Duration) {
	if r.most > 0 {
		most = min(most, r.most)
	}
	r.value = min(r.value, most) // the interval may have become shorter
	if !bound {
		return
	}
	switch {
	case r.cool > 0:
		r.cool--
	case missed:
		r.overruns = 0
		r.miss()
	case r.overrun(over):
	default:
		r.suspect = max(r.suspect-1, 0)
		r.clean++
		r.lower()
	}
	r.value = max(min(r.value, most), r.floor)
}

// overrun takes a clean frame whose slice continued into the reserve, because a task or a job took longer than expected
// or did not fit. Several of these in a row prove that the host needs less than the reserve. It reports whether the
// reserve has been lowered. Without this rule a reserve that no task fits beside would stay for good: slices that end
// early prove nothing.
func (r *reserve) overrun(over time.Duration) bool {
	if over < r.down {
		return false
	}
	if r.overruns == 0 || over < r.over {
		r.over = over
	}
	if r.overruns++; r.overruns < overrunFrames || r.value-r.over < r.failed+r.down {
		return false
	}
	r.overruns, r.clean = 0, 0
	r.value -= r.over
	return true
}

// miss answers a miss.
func (r *reserve) miss() {
	if r.suspect == 0 {
		r.suspect = suspectFrames
		r.clean = max(r.clean-strayCost, 0)
		return
	}
	r.failed, r.clean, r.suspect, r.cool = r.value, 0, 0, 1
	if r.value < r.good {
		r.value = r.good
		return
	}
	r.good = 0
	r.value = r.value*3/2 + r.up
}

// lower notes that the value is proven, and goes down if there were enough frames: by one step, or by four while far
// above the proven value.
func (r *reserve) lower() {
	if r.clean < cleanFrames {
		return
	}
	if r.good == 0 || r.value < r.good {
		r.good = r.value
	}
	step := r.down
	if r.value > r.good+4*r.down {
		step = 4 * r.down
	}
	if r.failed > 0 && r.value-step < r.failed+r.down && r.clean < cautiousFrames {
		return
	}
	r.clean = 0
	r.value -= step
	if r.value <= r.failed {
		r.failed = 0 // give it a chance: the cost may have fallen
	}
}
