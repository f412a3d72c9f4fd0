//go:build !linux

package osthread

import "time"

// ProcessTime is not supported here.
func ProcessTime() (time.Duration, error) { return 0, ErrUnsupported }

func nap(d time.Duration) { time.Sleep(d) }
