//go:build !linux

package osthread

// ShortSlice is not supported here.
func ShortSlice() (undo func(), err error) { return nil, ErrUnsupported }
