package overlay

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/live"
	"github.com/frameslice/frameslice/frame/record"
)

// The overlay, which reads each frame as it comes, and the live page, which reads all at once, show the same figures:
// of few frames, and of more than either remembers, with frames that do not count and jumps of the clock.
func TestSameFiguresInTwoViews(t *testing.T) {
	const target = 10 * time.Millisecond
	rng := rand.New(rand.NewPCG(1, 2))
	l := frame.New(frame.Options{Recorder: record.Options{WarmUp: 20, Target: target}})
	defer l.Close()
	page := live.HandlerOf(l.Recorder())
	var v View
	at := deadline.Instant(time.Hour)
	for n := 1; n <= 9000; n++ {
		r := record.Record{Number: uint64(n), Target: target, Interval: time.Duration(9e6 + rng.IntN(2e6))}
		if rng.IntN(50) == 0 {
			r.Interval = time.Duration(rng.IntN(60e6))
		}
		if rng.IntN(200) == 0 {
			r.Flags = record.Jump
		}
		at = at.Add(r.Interval)
		r.Start = at
		l.Recorder().Add(r)
		v.Read(l)
		if n%1000 != 30 && n < 8997 {
			continue
		}
		v.take()
		w, q := httptest.NewRecorder(), httptest.NewRequest("GET", "/json", nil)
		q.RemoteAddr, q.Host = "127.0.0.1:9", "localhost"
		page.ServeHTTP(w, q)
		var s struct {
			FPS     float64 `json:"fps"`
			P50     float64 `json:"p50_ms"`
			P99     float64 `json:"p99_ms"`
			Max     float64 `json:"max_ms"`
			Share   float64 `json:"missed_percent"`
			Missed  int     `json:"missed"`
			Counted int     `json:"counted"`
		}
		if err := json.Unmarshal(w.Body.Bytes(), &s); err != nil {
			t.Fatal(err, w.Body)
		}
		d := &v.shown
		if s.Counted != d.counted || s.Missed != d.missed || s.Counted == 0 {
			t.Errorf("frame %d: the page counts %d and %d missed, the overlay %d and %d", n, s.Counted, s.Missed,
				d.counted, d.missed)
		}
		for name, of := range map[string][2]float64{
			"fps": {s.FPS, d.fps}, "p50": {s.P50, d.p50}, "p99": {s.P99, d.p99}, "max": {s.Max, d.worst},
			"share": {s.Share, d.share},
		} {
			if math.Abs(of[0]-of[1]) > 0.00051 { // the JSON has three decimals
				t.Errorf("frame %d: %s is %v on the page, and %v in the overlay", n, name, of[0], of[1])
			}
		}
	}
}
