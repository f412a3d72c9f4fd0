//go:build explore

package record

import (
	"fmt"
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/explore"
)

// begins returns when a frame begins, and shows when the display shows it.
func begins(frame uint64) deadline.Instant { return deadline.Instant(10 * frame) }
func shows(frame uint64) deadline.Instant  { return begins(frame) + 1 }

// A small is a Recorder that keeps one frame, and so has four words for times.
type small struct {
	*Recorder
	p *explore.Program
}

func (s small) adds(first, last uint64) {
	for n := first; n <= last; n++ {
		s.Add(Record{Number: n, Start: begins(n)})
	}
}

func (s small) tells(frames ...uint64) {
	for _, n := range frames {
		s.Presented(n, shows(n))
	}
}

func (s small) reads() (last Record) {
	for _, last = range s.Recent(make([]Record, 1)) {
		if last.Shown != 0 && last.Shown != shows(last.Number) {
			s.p.Fail("frame %d, of %d, was shown at %d", last.Number, begins(last.Number), last.Shown)
		}
	}
	return last
}

// What the loop, hosts that tell, and readers do.
func TestExploreAFrameHasItsOwnDisplayTime(t *testing.T) {
	var sums Snapshot // histograms are of frames with an interval
	type run = func(s small)
	for name, c := range map[string]struct {
		before, loop, host, other run
		wrong                     uint64 // in the end
		shown                     bool   // the last frame is
	}{
		// A reader sleeps for so long that a later frame has the word of the frame that it has copied. Times of a frame
		// that has not begun, and of one that is not kept, are refused.
		"a reader sleeps": {
			before: func(s small) { s.adds(1, 1); s.tells(1) },
			loop: func(s small) {
				s.adds(2, 2)
				s.tells(5)
				s.adds(3, 4)
				s.tells(5)
				s.adds(5, 5)
				s.tells(1)
			},
			host:  func(s small) { s.reads() },
			wrong: 2, shown: true,
		},
		// A host sleeps between its look and its store. Its time is no other frame's.
		"a host sleeps": {
			before: func(s small) { s.adds(1, 1) },
			loop:   func(s small) { s.adds(2, 5) },
			host:   func(s small) { s.tells(1, 5) },
			other:  func(s small) { s.reads() },
			wrong:  anyNumber,
		},
		// A frame of which nobody tells has the word of one that was shown.
		"nobody tells": {
			before: func(s small) { s.adds(1, 1); s.tells(1) },
			loop:   func(s small) { s.adds(2, 5) },
			host:   func(s small) { s.reads() },
		},
		// A time before its frame counts once, though two read it.
		"a time is wrong": {
			before: func(s small) { s.adds(1, 1); s.Presented(1, begins(1)-1) },
			host:   func(s small) { s.reads() },
			other:  func(s small) { s.reads() },
			wrong:  1,
		},
		// A better time takes the place of a wrong one, and stays.
		"a better time": {
			before: func(s small) { s.adds(1, 1); s.Presented(1, begins(1)-1) },
			host:   func(s small) { s.tells(1) },
			other:  func(s small) { s.reads() },
			wrong:  anyNumber, shown: true,
		},
		// Two hosts are the first to tell.
		"two hosts": {
			before: func(s small) { s.adds(1, 1) },
			loop:   func(s small) { s.reads() },
			host:   func(s small) { s.tells(1) },
			other:  func(s small) { s.tells(2) },
			shown:  true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			explore.Explore(t, 3, func(p *explore.Program) {
				s := small{&Recorder{records: 1, ring: newRing(1)}, p}
				s.active.Store(&sums)
				c.before(s)
				for i, run := range []run{c.loop, c.host, c.other} {
					if run != nil {
						p.Go([]string{"loop", "host", "other"}[i], func() { run(s) })
					}
				}
				p.End(func() error {
					last := s.reads()
					if c.shown && last.Shown == 0 {
						return fmt.Errorf("the time of frame %d is lost", last.Number)
					}
					if n := s.wrong.Load(); c.wrong != anyNumber && n != c.wrong {
						return fmt.Errorf("%d times are wrong, want %d", n, c.wrong)
					}
					return nil
				})
			})
		})
	}
}

const anyNumber = 1 << 32
