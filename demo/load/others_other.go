//go:build !linux

package load

import "time"

// MachineTime is not known here.
func MachineTime() time.Duration { return 0 }
