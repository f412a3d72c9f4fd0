//go:build !linux

package osthread

// Read is not supported here.
func (m *Meter) Read() (Spent, error) { return Spent{}, ErrUnsupported }
