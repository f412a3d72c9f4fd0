package load

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// The writer is due every 10 ms, 30 ms before all has been played.
func TestSoundHasAGapWhenAllIsPlayed(t *testing.T) {
	const start = deadline.Instant(time.Hour)
	late := func(d ...time.Duration) Sound {
		p := playback{end: start.Add(soundAhead)}
		for _, d := range d {
			now := p.due().Add(d)
			for p.woke(now); p.due() <= now; {
				p.wrote(now)
			}
			if left := p.end.Sub(now); left <= soundAhead-soundPiece || left > soundAhead {
				t.Errorf("%v are left to play", left)
			}
		}
		return p.Sound
	}
	for _, c := range []struct {
		got, want Sound
	}{
		{late(0, 0, 0), Sound{}},
		{late(0, 29*time.Millisecond, 30*time.Millisecond, 0), Sound{Wait: 30 * time.Millisecond}},
		{late(0, 31*time.Millisecond, 0, 200*time.Millisecond, 0), Sound{2, 200 * time.Millisecond}},
	} {
		if c.got != c.want {
			t.Errorf("%+v, want %+v", c.got, c.want)
		}
	}
}

func TestAWaitThatLastsIsCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := play()
		time.Sleep(time.Second)
		synctest.Wait()
		now := deadline.Now()
		if got := p.read(now); got != (Sound{}) {
			t.Errorf("%+v although the player was never late", got)
		}
		due := p.due()
		for d, want := range map[time.Duration]Sound{
			25 * time.Millisecond: {0, 25 * time.Millisecond}, 31 * time.Millisecond: {1, 31 * time.Millisecond},
		} {
			if got := p.read(due.Add(d)); got != want {
				t.Errorf("%v late: %+v", d, got)
			}
		}
		p.reset(due.Add(20 * time.Millisecond))
		if got := p.read(due.Add(25 * time.Millisecond)); got.Wait != 5*time.Millisecond {
			t.Errorf("%+v, want the wait since reset", got)
		}
		p.close()
	})
}
