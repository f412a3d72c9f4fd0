//go:build !linux

package display

// Virtual reports whether Ebitengine runs on a display that this package has started: never, on this system.
func Virtual() bool { return false }
