//go:build !linux

package osthread

import "time"

// RealTimePriority is not known here.
func RealTimePriority() int { return 0 }

// Boost is not supported here.
func Boost(id, prio int) (undo func(), err error) { return nil, ErrUnsupported }

// CPUTime is not supported here.
func CPUTime(id int) (time.Duration, error) { return 0, ErrUnsupported }
