package counter

import "time"

// Virtual reports whether the time of the calling goroutine is not the machine's: that of a bubble of
// testing/synctest. What tells is that the runtime gives readings there no monotonic part, which it otherwise does
// until the year 2157. Some 50 ns.
func Virtual() bool {
	t := time.Now()
	return t == t.Round(0) // Round leaves out the monotonic part
}
