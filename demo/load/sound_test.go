package load

import (
	"encoding/csv"
	"strings"
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

// The cells of a line are the figures of the JSON form.
func TestCSVHasALineForEachRow(t *testing.T) {
	r := &Report{Modes: []Result{
		{Mode: Idle, Frames: 9, SoundWait: 1.5}, {Mode: Frameslice, Jobs: 800, SoundGaps: 0.25, P99CI: CI{1, 2}},
	}}
	var b strings.Builder
	if err := r.WriteCSV(&b); err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(strings.NewReader(b.String())).ReadAll()
	if err != nil || len(lines) != 3 {
		t.Fatalf("%v\n%s", err, &b)
	}
	for name, want := range map[string][2]string{
		"mode": {"idle", "frameslice"}, "frames": {"9", "0"}, "jobs_per_s": {"0", "800"},
		"sound_gaps_per_min": {"0", "0.25"}, "sound_wait_max_ms": {"1.5", "0"}, "late_p99_ci95_ms_hi": {"0", "2"},
	} {
		for i, head := range lines[0] {
			if head == name && lines[1][i] == want[0] && lines[2][i] == want[1] {
				want = [2]string{}
			}
		}
		if want != [2]string{} {
			t.Errorf("no column %s of %v in\n%s", name, want, &b)
		}
	}
}
