//go:build !linux

package osthread

// ShortSlice is not supported here.
func ShortSlice() (undo func(), err error) { return nil, ErrUnsupported }

// RealTime is not supported here.
func RealTime() (undo func(), err error) { return nil, ErrUnsupported }

// IsRealTime is not known here.
func IsRealTime() bool { return false }
