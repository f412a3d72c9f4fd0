package overlay

import (
	"encoding/json"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/live"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/internal/words"
)

// One late frame of each kind: the overlay, the live page and its warning, the text report, and framestat on the JSON
// and on the CSV name the same culprit in the same words.
func TestOneCauseInFiveViews(t *testing.T) {
	const ms, target = time.Millisecond, 10 * time.Millisecond
	stat := filepath.Join(t.TempDir(), "framestat")
	build := exec.Command("go", "build", "-o", stat, "github.com/frameslice/frameslice/cmd/framestat")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	known := record.Taken{Known: true}
	took := func(d time.Duration) record.Taken { return record.Taken{Time: d, AtMost: d, Known: true} }
	// sliced makes a frame with own work up to begin, and a slice of 5 ms that takes used.
	sliced := func(r *record.Record, begin, used time.Duration) {
		r.Flags, r.SliceBegin, r.SliceDeadline = record.Sliced, r.Start.Add(begin), r.Start.Add(begin+5*ms)
		r.SliceEnd, r.System = r.Start.Add(begin+used), record.System{Own: known, Slice: known, Before: known}
	}
	for _, c := range []struct {
		want string
		with func(before, late *record.Record)
	}{
		{"Update of the game took 41.0 ms", func(r, _ *record.Record) {
			sliced(r, 42*ms, ms)
			r.Updates, r.UpdateBegin, r.UpdateEnd = 1, r.Start, r.Start.Add(41*ms)
		}},
		{"3 updates of the game took 30.0 ms", func(r, _ *record.Record) {
			sliced(r, 42*ms, ms)
			r.Updates, r.UpdateBegin, r.UpdateEnd = 3, r.Start, r.Start.Add(30*ms)
		}},
		{"Draw of the game took 40.0 ms", func(r, _ *record.Record) {
			sliced(r, 42*ms, ms)
			r.Updates, r.UpdateBegin, r.UpdateEnd, r.DrawEnd = 1, r.Start, r.Start.Add(2*ms), r.Start.Add(42*ms)
		}},
		{"the section physics took 30.0 ms", func(r, _ *record.Record) {
			sliced(r, 42*ms, ms)
			r.Sections = []record.Section{{Name: "physics", Calls: 1, Time: 30 * ms, Own: 30 * ms}}
		}},
		{"the game's own work, or the system, took 42.0 ms", func(r, _ *record.Record) {
			sliced(r, 42*ms, ms)
			r.System.Own = record.Taken{}
		}},
		{"the system took 41.0 ms of the 42.0 ms of the game's own work", func(r, _ *record.Record) {
			sliced(r, 42*ms, ms)
			r.System.Own = took(41 * ms)
		}},
		{"the task game.spawn took 39.0 ms of a slice of 5.00 ms", func(r, _ *record.Record) {
			sliced(r, 2*ms, 40*ms)
			r.Ran, r.WorstLabel, r.WorstCost = 1, "example.com/game.spawn", 39*ms
		}},
		{"the system took 38.0 ms of the 39.0 ms of the task game.spawn", func(r, _ *record.Record) {
			sliced(r, 2*ms, 40*ms)
			r.Ran, r.WorstLabel, r.WorstCost, r.System.Slice = 1, "example.com/game.spawn", 39*ms, took(39*ms)
		}},
		{"the job game.load took 36.0 ms of a slice of 5.00 ms", func(r, _ *record.Record) {
			sliced(r, 2*ms, 40*ms)
			r.JobsInSlice, r.WorstJob, r.WorstJobCost = 1, "example.com/game.load", 36*ms
		}},
		{"the task game.spawn took 8.00 ms of a slice of 5.00 ms", func(r, late *record.Record) {
			sliced(r, 9500*time.Microsecond, 9*ms) // the own work took longer, and less than the target
			r.Ran, r.WorstLabel, r.WorstCost, late.Interval = 1, "example.com/game.spawn", 8*ms, 17*ms
		}},
		{"the slice ended late by 35.0 ms", func(r, _ *record.Record) {
			sliced(r, 2*ms, 40*ms)
			r.Ran = 9
		}},
		{"between the frames the system took 40.0 ms", func(r, late *record.Record) {
			sliced(r, 2*ms, 3*ms)
			late.System.Before = took(40 * ms)
		}},
		{"the system woke the loop late by 40.0 ms", func(r, late *record.Record) {
			sliced(r, 2*ms, 3*ms)
			late.Woke = 40 * ms
		}},
		{"Update of the game took 8.00 ms after a slice of 4.00 ms", func(r, late *record.Record) { // frame.PlaceFirst
			sliced(r, 0, 4*ms)
			r.Updates, r.UpdateBegin, r.UpdateEnd, r.DrawEnd = 1, r.SliceEnd, r.Start.Add(12*ms), r.Start.Add(12*ms)
			late.Waited = 30 * ms
		}},
		{"host, display or system: 45.0 ms after the task game.upload", func(r, late *record.Record) {
			sliced(r, 2*ms, 3*ms)
			late.HostTask = "example.com/game.upload"
		}},
		{"host, display or system: 45.0 ms", func(r, _ *record.Record) { sliced(r, 2*ms, 3*ms) }},
		{"not recorded: 50.0 ms", func(_, _ *record.Record) {}},
	} {
		l := frame.New(frame.Options{Recorder: record.Options{WarmUp: -1, Target: target}})
		var records [100]record.Record
		at := deadline.Instant(time.Hour)
		for i := range records {
			records[i] = record.Record{Number: uint64(i + 1), Start: at, Interval: target, Target: target}
			if at = at.Add(target); i == 60 {
				at = at.Add(40 * ms)
			}
		}
		records[61].Interval = 50 * ms
		c.with(&records[60], &records[61])
		for i, r := range records {
			if i > 60 {
				r.Start = r.Start.Add(records[61].Interval - 50*ms)
			}
			l.Recorder().Add(r)
		}
		told := map[string]string{}
		var v View
		v.Read(l)
		told["overlay"] = string(v.hitch.cause)

		w, r := httptest.NewRecorder(), httptest.NewRequest("GET", "/json", nil)
		r.RemoteAddr, r.Host = "127.0.0.1:9", "localhost"
		live.HandlerOf(l.Recorder()).ServeHTTP(w, r)
		var state struct {
			Hitch    struct{ Cause string }
			Warnings []string
		}
		if err := json.Unmarshal(w.Body.Bytes(), &state); err != nil {
			t.Fatal(err, w.Body)
		}
		told["live page"] = state.Hitch.Cause
		nobody := func(begins string) bool { return strings.HasPrefix(c.want, begins) }
		if warning := strings.Join(state.Warnings, "\n"); warning != "" ||
			!slices.ContainsFunc(words.Blameless[:], nobody) {
			told["warning"] = strings.TrimSuffix(lineOf(warning, "A late frame of the last minute: "), ".")
		}

		report := record.NewReport("mine", l.Recorder().Snapshot(), record.Environment{})
		told["text"] = lineOf(report.String(), "frame 61: ")
		dir := t.TempDir()
		if err := report.Save(dir, "mine"); err != nil {
			t.Fatal(err)
		}
		for _, file := range []string{"mine.json", "mine.csv"} {
			out, err := exec.Command(stat, filepath.Join(dir, file)).CombinedOutput()
			if err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			// What ran in the frame stands behind the cause.
			told["framestat "+file], _, _ = strings.Cut(lineOf(lineOf(string(out), "s  frame "), "ms  "), "; ")
		}
		for view, says := range told {
			if says != told["text"] || !strings.HasPrefix(says, c.want) {
				t.Errorf("the %s says %q, want %q", view, says, c.want)
			}
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// lineOf returns what stands in a text from mark to the end of the line, or "".
func lineOf(text, mark string) string {
	_, rest, _ := strings.Cut(text, mark)
	line, _, _ := strings.Cut(rest, "\n")
	return line
}
