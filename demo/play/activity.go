package play

import (
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// Activity is the history of the lanes: how busy each was in each of the last frames, and with what.
type Activity struct {
	Share [ShownLanes][ActivityFrames]float32
	Kind  [ShownLanes][ActivityFrames]uint8
	Head  int
	seen  [ShownLanes]int64 // busy ns, as of the last look
	at    deadline.Instant
}

// What an Activity remembers.
const (
	ShownLanes     = 8
	ActivityFrames = 120
)

// Look adds a column for the time since the last look.
func (a *Activity) Look(p *Probe, now deadline.Instant) {
	span := now.Sub(a.at)
	a.at = now
	if span <= 0 || span > time.Second {
		return
	}
	a.Head = (a.Head + 1) % ActivityFrames
	for i := range a.Share {
		l := &p.lanes[i]
		busy := l.busy.Load()
		if since := l.since.Load(); since != 0 {
			busy += int64(now) - since
		}
		// A job that ends between the two loads is counted twice for a moment and never again: clamped.
		a.Share[i][a.Head] = min(max(float32(busy-a.seen[i])/float32(span), 0), 1)
		a.seen[i] = max(busy, a.seen[i])
		a.Kind[i][a.Head] = uint8(l.kind.Load())
	}
}
