package frame_test

import (
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

func TestProtocol(t *testing.T) {
	const watchdog = "watchdog.go"
	explore.Programs(t, nil,
		explore.Patch{Name: "F52: the timer rests without a look at what has begun meanwhile", File: watchdog,
			Old: "is != 0 && is != at && w", New: "is != 0 && is != at && false && w"},
		explore.Patch{Name: "F52: a timer that rests does not ask the next frame to set it", File: watchdog,
			Old: "	w.armed.Store(false)\n	w.calls.Store(true)\n", New: "	w.armed.Store(false)\n"},
		explore.Patch{Name: "F52: a timer that rests asks the next frame before it counts as not set", File: watchdog,
			Old: "	w.armed.Store(false)\n	w.calls.Store(true)\n	if is := w.since.Load(); is",
			New: "	w.calls.Store(true)\n	is := w.since.Load()\n	w.armed.Store(false)\n	if is"},
		explore.Patch{Name: "F52: a frame looks whether it is to set the timer before it says that it has begun",
			File: watchdog,
			Old:  "	w.since.Store(int64(now) | 1) // never 0\n	if w.calls.Load() {\n",
			New: "	calls := w.calls.Load()\n	w.since.Store(int64(now) | 1) // never 0\n" +
				"	if calls {\n"},
		explore.Patch{Name: "F52: a timer that rests counts as set", File: watchdog,
			Old: "	w.armed.Store(false)\n", New: ""},
		explore.Patch{Name: "F53: what has been told of is looked at again when the timer is to rest", File: watchdog,
			Old: "is != 0 && is != at", New: "is != 0"},
		explore.Patch{Name: "F53: a look that tells sets the timer", File: watchdog,
			Old: "			w.tell(s)\n		}\n		w.rest(at)\n",
			New: "			w.tell(s)\n		}\n		w.set(now, half)\n"},
		explore.Patch{Name: "F51: a look tells of a frame that has ended while it read the stacks", File: watchdog,
			Old: "if w.since.Load() == at { //", New: "if true { //"},
		explore.Patch{Name: "F51: a look tells of what it sees for the first time", File: watchdog,
			Old: "case at != w.suspect || !onTime:", New: "case !onTime:"},
		explore.Patch{Name: "F54: who sets the timer does not ask whether the loop has closed", File: watchdog,
			Old: "	if w.closed.Load() {\n		return\n	}\n	w.due", New: "	w.due"},
		explore.Patch{Name: "F54: close does not say that the loop has closed", File: watchdog,
			Old: "	w.closed.Store(true)\n", New: ""},
		explore.Patch{Name: "F54: close stops the timer, and then says so", File: watchdog,
			Old: "	w.closed.Store(true)\n	w.since.Store(0)\n	if w.timer != nil {\n" +
				"		w.timer.Stop()\n	}\n",
			New: "	w.since.Store(0)\n	if w.timer != nil {\n		w.timer.Stop()\n	}\n" +
				"	w.closed.Store(true)\n"},
		explore.Patch{Name: "F54: close leaves the frame that was under way", File: watchdog,
			Old: "	w.since.Store(0)\n	if w.timer != nil {", New: "	if w.timer != nil {"},
	)
}
