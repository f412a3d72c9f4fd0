package frame

import (
	"time"

	"github.com/frameslice/frameslice/frame/record"
)

// ContendsWith returns after which of the frames the slice leaves all jobs to the workers.
func ContendsWith(frames []record.Record) (on []bool) {
	var c contention
	for i := range frames {
		c.observe(&frames[i])
		on = append(on, c.on)
	}
	return on
}

// WatchFor has the watchdog report frames that take d, before the first one.
func (l *Loop) WatchFor(d time.Duration) { l.watch.limit = d }

// LoseTrack has the system not report what the frame's thread did until now.
func (l *Loop) LoseTrack() { l.system.at = 0 }
