//go:build !unix

package load

import "time"

// cpuTime is not known here; the report has a dash in its column.
func cpuTime() time.Duration { return 0 }
