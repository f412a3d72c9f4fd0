package live_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame/live"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/internal/testkit"
)

// A Recorder without a loop has a page, figures and metrics. What it does not know is not told.
func TestARecorderAlone(t *testing.T) {
	const ms = time.Millisecond
	rec := record.New(record.Options{Target: 10 * ms, WarmUp: -1})
	h := live.HandlerOf(rec)
	if s := look(t, h); !s.Alone || s.Answered || s.Note != "a recorder without a loop" || s.Target != 10 ||
		s.Counted != 0 || len(s.Queues)+len(s.Workers)+len(s.Warnings) != 0 {
		t.Errorf("before the first frame: %+v", s)
	}
	at := deadline.Instant(time.Second)
	for i := range 100 {
		d := 10 * ms
		if i == 60 || i == 80 {
			d = 50 * ms
		}
		at = at.Add(d)
		one := record.Record{Number: uint64(i + 1), Start: at, Interval: d}
		if i == 79 {
			one.Sections = []record.Section{{Name: "physics", Calls: 1, Time: 30 * ms, Own: 30 * ms}}
		}
		rec.Add(one)
	}
	s := look(t, h)
	if !s.Alone || s.Frame != 100 || s.Counted != 100 || s.Missed != 8 || s.Max != 50 || len(s.Frames) != 100 ||
		s.Slice != nil || s.Coroutines != nil || s.Stuck != "" || len(s.Costs) != 1 || len(s.Warnings) != 1 {
		t.Errorf("%+v", s)
	}
	if s.Hitch == nil || s.Hitch.Cause != "the section physics, or the system, took 30.0 ms" || len(s.Late) != 2 ||
		s.Late[0].Cause != "not recorded: 50.0 ms" || s.Late[0].Parts[0].Kind != "not recorded" {
		t.Errorf("late: %+v, hitch %+v", s.Late, s.Hitch)
	}
	got, err := parse(request(h, "/metrics", home, localhost).Body.String())
	if err != nil || got["frameslice_frames_total"] != 100 || got["frameslice_missed_refreshes_total"] != 8 ||
		got[`frameslice_frame_seconds_bucket{le="0.01"}`] != 98 {
		t.Errorf("%v: %v", got, err)
	}
	if w := request(h, "/", home, localhost); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "<h1>") {
		t.Errorf("the page: %d", w.Code)
	}
	if w := request(h, "/json", "192.168.0.9:1", localhost); w.Code != http.StatusForbidden {
		t.Errorf("another machine: %d", w.Code)
	}
	testkit.Panics(t, "live: HandlerOf with a nil Recorder", func() { live.HandlerOf(nil) })
}
