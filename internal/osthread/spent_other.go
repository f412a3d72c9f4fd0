//go:build !linux

package osthread

import "time"

// Read is not supported here.
func (m *Meter) Read() (Spent, error) { return Spent{}, ErrUnsupported }

// CPU is not supported here.
func (m *Meter) CPU() (int, time.Duration, error) { return 0, 0, ErrUnsupported }

// ProcessCPU is not supported here.
func ProcessCPU() (time.Duration, error) { return 0, ErrUnsupported }

// Delay is not known here.
func (m *Meter) Delay(int) (time.Duration, bool) { return 0, false }

// Open has nothing to open here.
func (m *Meter) Open() {}

// FaultCost is not known here: it returns 0.
func FaultCost() time.Duration { return 0 }
