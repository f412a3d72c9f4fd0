package refresh

import (
	"cmp"
	"slices"
	"time"
)

// unpaced tells a host that nothing paces from a fast display, where intervals are shorter than the period of 240 Hz.
// Both may be equally regular. But the intervals of an unpaced host grow with the work in its frames. The intervals of
// a display stay as they are as long as the work fits. So frames with more work are compared with frames with less.
// Where the game's own work is always the same, only slices make a difference. Then two lengths of slices alternate
// until the question is settled, for 48 frames at most.
//
// That matters: a host that is taken for an unpaced one gets the target's slices. With a backlog these are 12 ms each,
// and a display of 360 Hz then shows 60.
type unpaced struct {
	held  bool // it is a display
	told  bool // frames with more work and less have decided held
	asked bool // doubt has been set
	doubt int  // frames with a slice to go, in which the slices alternate
	known int  // doubt at the last judgement
	rest  int  // medians until the next judgement, if no slice has alternated
}

// sliceCap returns what the slice may use while there is a doubt.
func (f *unpaced) sliceCap(median time.Duration) time.Duration {
	return smallest + time.Duration(f.doubt&1)*median/8
}

// pass counts a frame whose slice has been used.
func (f *unpaced) pass(slice time.Duration) {
	if f.doubt > 0 && slice > smallest/4 {
		f.doubt--
	}
}

// judge reports whether a display paces the samples. If clean is true, only clean samples count. Where the work in them
// was always the same, the fit decides: whether the frames lie on a grid.
func (f *unpaced) judge(samples []sample, clean bool, of *fit, about time.Duration) (paced bool) {
	if f.rest > 0 && f.doubt == f.known {
		f.rest--
		return f.held
	}
	f.rest = seldom
	defer func() { f.known = f.doubt }()
	var into [window]sample
	s := into[:0]
	for i := range samples {
		if samples[i].clean || !clean {
			s = append(s, samples[i])
		}
	}
	byInterval := func(a, b sample) int { return cmp.Compare(a.interval, b.interval) }
	slices.SortFunc(s, byInterval) // so that the order of equal work does not matter
	slices.SortStableFunc(s, func(a, b sample) int { return cmp.Compare(a.busy, b.busy) })
	less, more := s[:len(s)/2], s[len(s)/2:]
	work := more[len(more)/2].busy - less[len(less)/2].busy
	slices.SortFunc(less, byInterval)
	slices.SortFunc(more, byInterval)
	longer := more[len(more)/2].interval - less[len(less)/2].interval
	scatter := less[len(less)*3/4].interval - less[len(less)/4].interval
	switch {
	case len(s) < 2*enough || work < max(2*scatter, 50*time.Microsecond):
		if !f.asked {
			f.asked, f.doubt = true, doubtful
		}
		if of.n == fitMost && !f.told {
			f.held = of.grid(about)
		}
	case longer < work/4:
		f.held, f.doubt, f.told = true, 0, true
	case longer > work/2:
		f.held, f.doubt, f.told = false, 0, true
	}
	return f.held
}
