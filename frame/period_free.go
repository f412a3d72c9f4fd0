package frame

import (
	"cmp"
	"slices"
	"time"
)

// freedom tells a free host from a fast display, where intervals are shorter than 240 Hz's period. Both may be as
// regular as the other. But the intervals of a free host are as much longer as the work in them is, and those that a
// display paces are as long as they are, whatever the work is, as long as it fits. So frames with more work are
// compared with frames with less. Where the game's own work is always the same, only slices can make the
// difference: when there are some, two lengths of them alternate until the question is settled, for 48 frames at most.
//
// That matters. A host taken for free gets the target's slices, with a backlog 12 ms each, and a display of 360 Hz
// then shows 60.
type freedom struct {
	held  bool // it is a display
	told  bool // by frames with more work and less
	asked bool // doubt has been counted
	doubt int  // frames with a slice to go, in which the slices alternate
	known int  // doubt, at the last judgement
	rest  int  // medians until the next one, if no slice has alternated
}

const (
	freeDoubt = 48
	freeRest  = 7 // a judgement sorts the samples four times: 10 µs, which frames of a microsecond feel
)

// sliceCap returns what the slice may use while there is a doubt.
func (f *freedom) sliceCap(raw time.Duration) time.Duration {
	return periodSmall + time.Duration(f.doubt&1)*raw/8
}

// pass counts a frame whose slice has been used.
func (f *freedom) pass(slice time.Duration) {
	if f.doubt > 0 && slice > periodSmall/4 {
		f.doubt--
	}
}

// judge reports whether a display paces the samples, of which the sure ones count, or all. Where the work in them was
// always the same, the fit decides: whether the frames lie on a grid.
func (f *freedom) judge(samples []natural, sure bool, of *fit, about time.Duration) bool {
	if f.rest > 0 && f.doubt == f.known {
		f.rest--
		return f.held
	}
	f.rest = freeRest
	defer func() { f.known = f.doubt }()
	var into [periodWindow]natural
	s := into[:0]
	for i := range samples {
		if samples[i].sure || !sure {
			s = append(s, samples[i])
		}
	}
	byInterval := func(a, b natural) int { return cmp.Compare(a.interval, b.interval) }
	slices.SortFunc(s, byInterval) // so that it does not matter when equal work was done
	slices.SortStableFunc(s, func(a, b natural) int { return cmp.Compare(a.busy, b.busy) })
	less, more := s[:len(s)/2], s[len(s)/2:]
	work := more[len(more)/2].busy - less[len(less)/2].busy
	slices.SortFunc(less, byInterval)
	slices.SortFunc(more, byInterval)
	longer := more[len(more)/2].interval - less[len(less)/2].interval
	scatter := less[len(less)*3/4].interval - less[len(less)/4].interval
	switch {
	case len(s) < 2*periodEnough || work < max(2*scatter, 50*time.Microsecond):
		if !f.asked {
			f.asked, f.doubt = true, freeDoubt
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
