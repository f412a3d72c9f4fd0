//go:build !linux

package load

import "time"

// machineTime is not known here.
func machineTime() time.Duration { return 0 }
