//go:build !linux

package osthread

import "time"

// Read is not supported here.
func (m *Meter) Read() (Spent, error) { return Spent{}, ErrUnsupported }

// FaultCost is not known here: it returns 0.
func FaultCost() time.Duration { return 0 }
