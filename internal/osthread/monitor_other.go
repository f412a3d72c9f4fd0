//go:build !linux

package osthread

// RationMonitor is not supported here.
func RationMonitor() (undo func(), err error) { return nil, ErrUnsupported }
