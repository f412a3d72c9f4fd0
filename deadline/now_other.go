//go:build !windows

package deadline

import "time"

func now() Instant { return Instant(time.Since(base)) }
