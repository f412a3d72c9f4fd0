//go:build !js

package frame

import "github.com/frameslice/frameslice/deadline"

// page is a browser's: see page_js.go.
type page struct{}

func (*page) watch()                              {}
func (*page) unlisten()                           {}
func (*page) wasHidden() (since deadline.Instant) { return 0 }

// refresh returns the time of the frame's refresh: unknown here, so it is now.
func (*page) refresh(now deadline.Instant) deadline.Instant { return now }

// inBrowser reports whether a page's thread runs the frames, and another process draws them.
func inBrowser() bool { return false }
