//go:build !unix

package load

import "time"

// CPUTime is not known here; the report leaves the column empty.
func CPUTime() time.Duration { return 0 }
