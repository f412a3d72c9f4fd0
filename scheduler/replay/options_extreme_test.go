package replay_test

import (
	"errors"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/extreme"
	"github.com/frameslice/frameslice/scheduler/replay"
)

// Every number of every option is taken, bounded, or refused by its name.
func TestNumbersOfOptions(t *testing.T) {
	extreme.Try(t, func(o replay.Options) error {
		n := 0
		replay.Play(1, o, func(w *replay.World) {
			w.Go("producer", func(p *replay.Producer) {
				p.Sleep(time.Microsecond)
				w.Scheduler().Post(deadline.Normal, func() { n++ })
			})
			for i := 0; i < 5000 && n == 0; i++ {
				w.Frame(nil)
			}
		})
		if n != 1 && o.Jitter < time.Hour { // the producer sleeps for that long
			return errors.New("nothing ran")
		}
		return nil
	}, "Scheduler")
}
