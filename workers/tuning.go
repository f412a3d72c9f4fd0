package workers

import (
	"time"

	"github.com/frameslice/frameslice/internal/sleep"
)

// spinning is for how long an ordinary worker without work looks for more before it sleeps. 20 looks are about 2 µs,
// half of what a wake-up costs the goroutine that wakes.
var spinning = sleep.Spin{
	Looks: 20,
	Most:  200 * time.Microsecond,
	First: 50 * time.Microsecond,
	Torn:  100 * time.Microsecond,
	Pause: 64 * time.Millisecond,
	Hot:   5000,
}
