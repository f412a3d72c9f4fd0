//go:build !linux

package osthread

import "time"

func nap(d time.Duration) { time.Sleep(d) }
