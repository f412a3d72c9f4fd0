//go:build !linux

package osthread

// ShortSlice is not supported here.
func ShortSlice() error { return ErrUnsupported }
