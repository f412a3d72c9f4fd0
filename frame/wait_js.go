//go:build js

package frame

import "github.com/frameslice/frameslice/deadline"

// sysWait does not exist on js: there is one thread, and to spin on it is to stop the page.
type sysWait struct{}

// until returns false: it could not sleep.
func (*sysWait) until(now, at deadline.Instant) bool { return false }

// sleeps says that sysWait can sleep.
const sleeps = false

// shadowPossible is false: whatever runs beside the frame runs instead of the browser.
const shadowPossible = false
