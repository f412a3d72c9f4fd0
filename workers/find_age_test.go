package workers_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/workers"
)

// A lane that waits for longer than its timeout goes first, once.
func TestOverdueLaneGoesFirst(t *testing.T) {
	needsWorkers(t)
	o := workers.Options{Workers: 1}.Aging(deadline.Timeouts{Normal: 20 * ms})
	bubble(t, o, func(t *testing.T, p *workers.Pool) {
		var log []string
		for i := range 12 {
			p.Go(deadline.Immediate, func() { time.Sleep(5 * ms); log = append(log, fmt.Sprint(i)) })
		}
		p.Go(deadline.Normal, func() { log = append(log, "normal") })
		p.Go(deadline.Low, func() { log = append(log, "low") })
		time.Sleep(time.Second)
		synctest.Wait()
		// Seen waiting after the first job, at 5 ms; overdue after 25.
		if got, want := strings.Join(log, " "), "0 1 2 3 4 5 normal 6 7 8 9 10 11 low"; got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	})
}
