package frame

import "time"

// WatchFor has the watchdog tell of frames that take d, before the first one.
func (l *Loop) WatchFor(d time.Duration) { l.watch.limit = d }
