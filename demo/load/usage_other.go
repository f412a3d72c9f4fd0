//go:build !unix

package load

import "time"

// cpuTime is not known here; the report leaves the column empty.
func cpuTime() time.Duration { return 0 }
