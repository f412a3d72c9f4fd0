//go:build !js

package frame

// page is a browser's: see page_js.go.
type page struct{}

func (*page) watch()       {}
func (*page) leave()       {}
func (l *Loop) wasHidden() {}

// inBrowser reports whether a page's thread runs the frames, and another process draws them.
func inBrowser() bool { return false }
