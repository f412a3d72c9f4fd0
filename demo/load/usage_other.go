//go:build !unix

package load

import "time"

// CPUTime is not known here; the report has a dash in its column.
func CPUTime() time.Duration { return 0 }
