package record

import (
	"math/bits"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/atomic"
)

// Presented says when the display showed the frame with this Number, on the clock of deadline.Now. It is for a host
// that learns such times, as from Vulkan or Wayland. Any goroutine, in any order, up to Options.Records frames late; it
// never blocks. A frame that was never shown gets no call. Of two calls for one frame the later counts.
//
// A time that cannot be changes nothing and is counted: Totals.ShownWrongly.
func (r *Recorder) Presented(frame uint64, at deadline.Instant) {
	d := r.shown.Load()
	if d == nil {
		r.shown.CompareAndSwap(nil, newDisplays(r.records))
		d = r.shown.Load()
	}
	// The record of a frame may come after its display, but the next frame begins after the record.
	latest := r.latest.Load()
	if frame == 0 || frame > latest+1 || frame+d.kept() <= latest || at == 0 || at > deadline.Now().Add(soon) {
		r.wrong.Add(1)
		return
	}
	d.at(frame).Store(int64(at))
}

// soon is how far a time may lie in the future: a host may know when the display will change.
const soon = time.Second

// displays are the times of the latest frames, in words that any goroutine reads and writes. There are four times as
// many words as frames that are kept, a power of two. shown_explore_test.go runs the protocol.
//
//   - RC7. The word of frame n is word n modulo their number. Presented writes the word after it has loaded latest,
//     with latest-kept < n <= latest+1.
//   - RC8. Add of frame n clears the word of frame n+2 kept, and stores n to latest.
//   - RC9. A reader copies the record of frame n, then loads the word, then loads latest. It takes the word if latest
//     is before n+2 kept and the time is not before the frame.
//
// Claim: the reader takes no other frame's time. A frame that shares the word is at least 4 kept away. The word of a
// later frame is written after latest has come to n+4 kept-1, by RC7, and the reader sees that. The word of an earlier
// frame was cleared by Add of n-2 kept, and its writer saw a latest below n-3 kept. So only a Presented that sleeps
// between its two steps for kept frames writes later. Its time is before the frame n, and counts as wrong.
type displays []atomic.Int64

func newDisplays(records int) *displays {
	d := make(displays, 4<<bits.Len(uint(records-1)))
	return &d
}

func (d *displays) kept() uint64 { return uint64(len(*d) / 4) }

func (d *displays) at(frame uint64) *atomic.Int64 { return &(*d)[frame&uint64(len(*d)-1)] }

// begin makes room for a frame to come (RC8).
func (d *displays) begin(frame uint64) {
	if d != nil {
		d.at(frame + 2*d.kept()).Store(0)
	}
}

// fillShown sets Shown of copied records (RC9). It counts the times that lie before their frame, and takes them out, so
// that each counts once, also when the frame is not kept any more.
func (r *Recorder) fillShown(records []Record) {
	d := r.shown.Load()
	if d == nil {
		return
	}
	for i := range records {
		rec := &records[i]
		word := d.at(rec.Number)
		at := deadline.Instant(word.Load())
		if at == 0 || rec.Number == 0 || r.latest.Load() >= rec.Number+2*d.kept() {
			continue
		}
		if at < rec.Start {
			if word.CompareAndSwap(int64(at), 0) {
				r.wrong.Add(1)
			}
			continue
		}
		rec.Shown = at
	}
}
