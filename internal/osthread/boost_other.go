//go:build !linux

package osthread

import "time"

// RealTimePriority is not known here.
func RealTimePriority() int { return 0 }

// Boost is not supported here.
func Boost(id, prio int) error { return ErrUnsupported }

// Unboost is not supported here.
func Unboost(id int) error { return ErrUnsupported }

// Oversee is not supported here.
func Oversee(prio int) error { return ErrUnsupported }

// CPUTime is not supported here.
func CPUTime(id int) (time.Duration, error) { return 0, ErrUnsupported }
