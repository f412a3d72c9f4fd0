// Package bubble tells whether a goroutine is in a bubble of testing/synctest.
package bubble

import "time"

// Here reports whether the calling goroutine is in a bubble, where the time is not the machine's. The runtime gives
// readings there no monotonic part, which it otherwise does until the year 2157. About 50 ns.
func Here() bool {
	t := time.Now()
	return t == t.Round(0) // Round leaves out the monotonic part
}
