//go:build explore

package frame

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/atomic"
	"github.com/frameslice/frameslice/internal/carrier"
	"github.com/frameslice/frameslice/internal/explore"
)

// An hourglass is a timer that runs out whenever it is set.
type hourglass struct{ runs atomic.Bool }

func (h *hourglass) Reset(time.Duration) bool { return h.runs.Swap(true) }
func (h *hourglass) Stop() bool               { return h.runs.Swap(false) }

// Frame n began more than n hours ago, by a clock that stands still. So a look finds each frame old enough. The last of
// the frames hangs, and is reported once (F52, F53). In the other case a goroutine closes the watchdog at any moment,
// and frames continue (F54).
func TestExploreTheWatchdogTellsOfEachHangOnce(t *testing.T) {
	for _, c := range []struct {
		last, preemptions int32
		closes            bool
	}{{2, 5, false}, {3, 4, false}, {3, 3, true}} {
		t.Run(fmt.Sprint(c.last, " frames, closes ", c.closes), func(t *testing.T) {
			explore.Explore(t, int(c.preemptions), func(p *explore.Program) {
				var glass hourglass
				var beginning, ended atomic.Int32 // frames
				var over, closed atomic.Bool
				told := make([]int, c.last+1)
				after := 0 // looks that have begun after close
				stuck := func(age time.Duration, _ carrier.Place) string {
					n := int32(age / time.Hour)
					if ended.Load() >= n {
						n = 0
					}
					return strconv.Itoa(int(n))
				}
				tell := func(report string) {
					n, _ := strconv.Atoi(report)
					switch told[n]++; {
					case n == 0:
						p.Fail("a frame is reported that had ended when the stacks were read")
					case told[n] > 1:
						p.Fail("frame %d is reported twice", n)
					case after > 0:
						p.Fail("frame %d is reported after close", n)
					}
				}
				w := newWatchdog(tell, stuck)
				w.newTimer = func(func()) timer { return &glass }
				w.clock = func() deadline.Instant { return deadline.Instant(time.Minute) }
				begin := func(n int32) {
					beginning.Store(n)
					w.begin(deadline.Instant(-n) * deadline.Instant(time.Hour))
					beginning.Store(0)
				}
				begin(1)
				w.end()
				p.Go("frames", func() {
					for n := int32(2); n < c.last; n++ {
						begin(n)
						w.end()
						ended.Store(n)
					}
					begin(c.last)
					over.Store(true)
				})
				p.Go("timer", func() {
					for {
						last := over.Load()
						if !glass.runs.CompareAndSwap(true, false) {
							if last {
								return
							}
							explore.Yield()
							continue
						}
						if closed.Load() {
							if after++; after > 1 {
								p.Fail("a second look begins after close")
							}
						}
						// begin takes microseconds, and not half of the limit.
						for n := int32((1 - w.suspect) / int64(time.Hour)); n > 0 && beginning.Load() == n; {
							beginning.Await()
						}
						w.look()
					}
				})
				if c.closes {
					p.Go("close", func() {
						w.close()
						closed.Store(true)
					})
				}
				p.End(func() error {
					if !c.closes && told[c.last] != 1 {
						return fmt.Errorf("the frame that hangs is reported %d times", told[c.last])
					}
					return nil
				})
			})
		})
	}
}
