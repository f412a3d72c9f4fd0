package record

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/timeline"
	"github.com/frameslice/frameslice/workers"
)

// A checkedEvent is what the checker reads of an event. An unknown field is a fault.
type checkedEvent struct {
	Name string          `json:"name"`
	Cat  string          `json:"cat"`
	Ph   string          `json:"ph"`
	TS   float64         `json:"ts"`
	Dur  *float64        `json:"dur"`
	PID  int             `json:"pid"`
	TID  int             `json:"tid"`
	ID   uint64          `json:"id"`
	BP   string          `json:"bp"`
	S    string          `json:"s"`
	Args json.RawMessage `json:"args"`
}

// checkTrace reads a trace by the rules of the Trace Event Format, strictly, and returns its events. Spans of a row
// must lie within one another or apart. An arrow must begin, continue and end within a span of its row, in this order.
// No time lies before that of the event before, names aside. Each row with spans must have one name.
func checkTrace(text []byte) (events []checkedEvent, err error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	for { // to the list of events, as a stream
		token, err := dec.Token()
		if err != nil {
			return nil, err
		}
		if token == "traceEvents" {
			break
		}
	}
	if token, err := dec.Token(); err != nil || token != json.Delim('[') {
		return nil, fmt.Errorf("traceEvents is no list: %v, %w", token, err)
	}
	for dec.More() {
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return nil, err
		}
		strict := json.NewDecoder(bytes.NewReader(raw))
		strict.DisallowUnknownFields()
		var e checkedEvent
		if err := strict.Decode(&e); err != nil {
			return nil, fmt.Errorf("%s: %w", raw, err)
		}
		events = append(events, e)
	}
	if _, err := dec.Token(); err != nil { // ]
		return nil, err
	}
	if _, err := dec.Token(); err != nil { // }
		return nil, err
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, fmt.Errorf("more after the end: %v", err)
	}
	return events, checkEvents(events)
}

func checkEvents(events []checkedEvent) error {
	named, async, last := map[int]int{}, map[string]float64{}, 0.0
	flows := map[uint64]checkedEvent{}
	spans := map[int][]checkedEvent{}
	for _, e := range events {
		if e.Ph == "X" {
			spans[e.TID] = append(spans[e.TID], e)
		}
	}
	within := func(e checkedEvent) bool {
		return slices.ContainsFunc(spans[e.TID], func(s checkedEvent) bool {
			return s.TS <= e.TS+1e-3 && e.TS <= s.TS+*s.Dur+1e-3
		})
	}
	for _, e := range events {
		key := fmt.Sprint(e.Cat, e.Name, e.ID)
		if e.TS < last {
			return fmt.Errorf("%+v goes back from %v", e, last)
		}
		last = e.TS
		switch {
		case e.PID != 1 || e.Name == "" || e.TS < 0 || (e.Dur != nil) != (e.Ph == "X"):
			return fmt.Errorf("bad event %+v", e)
		case e.Ph == "M" && e.Name == "thread_name":
			named[e.TID]++
		case e.Ph == "M", e.Ph == "i" && strings.Contains("tpg", e.S) && e.S != "":
		case e.Ph == "X" && *e.Dur >= 0:
		case e.Ph == "C":
			var values map[string]float64
			if err := json.Unmarshal(e.Args, &values); err != nil || len(values) == 0 {
				return fmt.Errorf("counter %+v, %w", e, err)
			}
		case e.Ph == "b":
			async[key] = e.TS
		case e.Ph == "e":
			if begin, ok := async[key]; !ok || begin > e.TS {
				return fmt.Errorf("an end without a begin: %+v", e)
			}
			delete(async, key)
		case e.Ph == "s" || e.Ph == "t" || e.Ph == "f":
			before, ok := flows[e.ID]
			if ok == (e.Ph == "s") || before.Ph == "f" || before.TS > e.TS ||
				ok && before.Cat+before.Name != e.Cat+e.Name {
				return fmt.Errorf("arrow %+v after %+v", e, before)
			}
			if !within(e) {
				return fmt.Errorf("arrow %+v touches no span", e)
			}
			flows[e.ID] = e
		default:
			return fmt.Errorf("bad event %+v", e)
		}
	}
	for id, e := range flows {
		if e.Ph != "f" {
			return fmt.Errorf("arrow %d does not end", id)
		}
	}
	if len(async) > 0 {
		return fmt.Errorf("begins without an end: %v", async)
	}
	for row, all := range spans {
		if named[row] != 1 {
			return fmt.Errorf("row %d has %d names", row, named[row])
		}
		var open []float64 // in the order of the file, a span follows the one around it
		last := 0.0
		for _, e := range all {
			end := e.TS + *e.Dur
			for len(open) > 0 && open[len(open)-1] <= e.TS {
				open = open[:len(open)-1]
			}
			if e.TS < last || len(open) > 0 && end > open[len(open)-1] {
				return fmt.Errorf("row %d: span %+v overlaps another", row, e)
			}
			open, last = append(open, end), e.TS
		}
	}
	return nil
}

// tracedReport has two frames of 10 ms from 100 ms on. A coroutine submits a job at 103 ms and awaits it. A worker runs
// it from 104 to 108 ms. The coroutine continues at 113 ms. Other runs overlap what is around them.
func tracedReport() *Report {
	at := func(us int) deadline.Instant { return deadline.Instant(100*ms + time.Duration(us)*time.Microsecond) }
	rec := quiet(Options{Target: 10 * ms, WarmUp: -1})
	for i := range 3 {
		f := i * 10_000
		rec.Add(Record{
			Number: uint64(i + 1), Start: at(f), Interval: 10 * ms,
			UpdateBegin: at(f), UpdateEnd: at(f + 2000), Updates: 1,
			SliceBegin: at(f + 2500), SliceDeadline: at(f + 7000), SliceEnd: at(f + 6000), Flags: Sliced,
			Counts: Counts{GCCycles: uint64(i % 2)}, Input: at(f), HandedOver: at(f + 6500),
		})
	}
	rep := NewReport("traced", rec.Snapshot(), Environment{})
	rep.Runs, rep.RunsDropped = []workers.Run{
		{ID: 7, Label: "co", Ready: at(2000), Begin: at(2600), End: at(3500), Awaits: 99},
		{ID: 7, Label: "co", Ready: at(8000), Begin: at(13_000), End: at(13_500)},
		{ID: 8, Label: "too long", Begin: at(14_000), End: at(17_000), Priority: deadline.Idle},
		{ID: 99, Label: "old", Ready: at(100), Begin: at(200), End: at(300), Where: timeline.Worker},
		{ID: 99, Label: "decode", Ready: at(3000), Begin: at(4000), End: at(8000), Where: timeline.Worker, Worker: 1},
		{ID: 99, Label: "new", Ready: at(14_000), Begin: at(15_000), End: at(16_000), Where: timeline.Background},
		{ID: 11, Label: "waits", Begin: at(13_500), End: at(13_600), Awaits: 98},
		{ID: 98, Label: "another's", Begin: at(13_650), End: at(13_900), Where: timeline.Runner},
		{ID: 11, Label: "waits", Begin: at(13_950), End: at(13_999)},
		{ID: 97, Label: "beside", Begin: at(7000), End: at(7500), Where: timeline.Runner},
		{ID: 5, Begin: at(5000), End: at(9000), Where: timeline.Caller},
		{ID: 6, Begin: at(6000), End: at(11_000), Where: timeline.Caller},
	}, 3
	return rep
}

func TestTraceHasTasksAndJobs(t *testing.T) {
	var buf bytes.Buffer
	if err := tracedReport().writeTrace(&buf); err != nil {
		t.Fatal(err)
	}
	events, err := checkTrace(buf.Bytes())
	if err != nil {
		t.Fatalf("%v in\n%s", err, &buf)
	}
	find := func(ph, name string, tid int) (all []checkedEvent) {
		for _, e := range events {
			if e.Ph == ph && e.Name == name && (e.TID == tid || tid < 0) {
				all = append(all, e)
			}
		}
		return all
	}
	for _, c := range []struct {
		ph, name string
		tid      int
		ts, dur  float64
	}{
		{"X", "frame", traceFrames, 0, 10_000}, {"X", "update", traceGoroutine, 0, 2000},
		{"X", "slice", traceGoroutine, 2500, 3500}, {"X", "co", traceGoroutine, 2600, 900},
		{"X", "too long", traceGoroutine, 14_000, 2000}, // cut off at the end of the slice
		{"X", "decode", traceWorkers + 1, 4000, 4000}, {"X", "new", traceBackground, 15_000, 1000},
		{"s", "job", traceGoroutine, 3000, 0}, {"t", "job", traceWorkers + 1, 4000, 0},
		{"f", "job", traceGoroutine, 13_000, 0}, {"i", "garbage collection", traceFrames, 10_000, 0},
		{"b", "-", 0, 5000, 0}, {"e", "-", 0, 9000, 0}, {"b", "beside", 0, 7000, 0},
		{"X", "another's", traceGoroutine, 13_650, 250},
	} {
		all := find(c.ph, c.name, c.tid)
		if len(all) == 0 || all[0].TS != c.ts || c.dur > 0 && *all[0].Dur != c.dur {
			t.Errorf("got %+v, want %+v", all, c)
		}
	}
	if s := find("s", "job", -1); len(s) != 2 || s[1].TS != 13_900 || len(find("f", "job", -1)) != 2 {
		t.Errorf("arrows begin %+v", s)
	}
	waiting := find("C", "waiting jobs", -1)
	if len(waiting) != 6 || !strings.Contains(string(waiting[2].Args), `"normal":1`) ||
		!strings.Contains(string(waiting[5].Args), `"normal":0`) {
		t.Errorf("waiting jobs: %+v", waiting)
	}
	if !strings.Contains(buf.String(), `"runs_not_kept":3`) || !strings.Contains(buf.String(), `"name":"worker 1"`) {
		t.Errorf("no count of the runs that are not kept, or no name in\n%s", &buf)
	}
}

// The checker is worth something only if it finds faults.
func TestTheCheckOfTracesCanFail(t *testing.T) {
	var buf bytes.Buffer
	if err := tracedReport().writeTrace(&buf); err != nil {
		t.Fatal(err)
	}
	for _, c := range [][2]string{
		{`"ph":"t"`, `"ph":"s"`}, {`"ph":"f"`, `"ph":"t"`}, {`"ph":"e"`, `"ph":"b"`}, {`"ph":"i"`, `"ph":"I"`},
		{`"name":"thread_name"`, `"name":"thread"`}, {`"dur":900,`, `"dur":90000,`}, {`"pid":1`, `"pid":2`},
		{`"dur":900,`, ``}, {`"dur":900`, `"duration":900`},
		{`"ts":13000,"pid":1,"tid":2,"id"`, `"ts":17000,"pid":1,"tid":2,"id"`},
		{"\n]}", "\n]"}, {"\n]}", "\n]}]"}, {`"ph":"C"`, `"ph":"C","args":{}`},
	} {
		text := strings.Replace(buf.String(), c[0], c[1], 1)
		if c[0] == `"ph":"C"` {
			text = strings.Replace(buf.String(), `"ts":10000,"pid":1,"tid":0,"args":{"us":10000}`,
				`"ts":20001,"pid":1,"tid":0,"args":{"us":10000}`, 1)
		}
		if _, err := checkTrace([]byte(text)); text == buf.String() || err == nil {
			t.Errorf("%s for %s was not found out, or is not there", c[1], c[0])
		}
	}
}

// oddTimes has 1,000 frames that touch each other, at times of whole nanoseconds. The sum of such a time and a length,
// both in microseconds, is seldom the exact time of the next frame.
func oddTimes() *Snapshot {
	rec := New(Options{WarmUp: -1})
	at := deadline.Instant(1)
	for i := range 1000 {
		gap := time.Duration(16_666_667 + i*i%977)
		rec.Add(Record{Number: uint64(i + 1), Start: at, Interval: gap, DrawEnd: at.Add(gap / 2)})
		at = at.Add(gap)
	}
	return rec.Snapshot()
}

var traces = flag.String("traces", "", "leave the traces of TestTracesKeepTheFormat in this folder, for other readers")

// Traces keep the format and have each frame: those of the other tests, of a run of 1,000 frames, and of none. The flag
// -traces leaves them in a folder.
func TestTracesKeepTheFormat(t *testing.T) {
	reports := map[string]*Report{"work": tracedReport()}
	for name, s := range map[string]*Snapshot{
		"golden": recorded(golden2(), 4096), "ten": tenFrames(), "empty": New(Options{}).Snapshot(),
		"jumps": csvRun(60).Snapshot, "odd-times": oddTimes(),
	} {
		reports[name] = NewReport(name, s, Environment{})
	}
	for name, r := range reports {
		var buf bytes.Buffer
		if err := r.writeTrace(&buf); err != nil {
			t.Fatal(err)
		}
		events, err := checkTrace(buf.Bytes())
		frames := 0
		for _, e := range events {
			if e.Ph == "X" && e.Name == "frame" {
				frames++
			}
		}
		if err != nil || frames != len(r.Snapshot.Records) {
			t.Errorf("%s: %v, %d frames of %d", name, err, frames, len(r.Snapshot.Records))
		}
		if *traces == "" {
			continue
		}
		if err := os.WriteFile(filepath.Join(*traces, name+".trace.json"), buf.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// Each argument of each event has the figure by which it is named, of a record no two figures of which are the same.
func TestEveryArgumentOfTheTrace(t *testing.T) {
	micros := func(d time.Duration) float64 { return float64(d) / 1e3 }
	b := distinctRecord()
	b.Sections[1].Calls = 2 // not one span
	next := Record{Number: b.Number + 1, Interval: b.SliceEnd.Sub(b.Start) + 50*ms}
	next.Start = b.Start.Add(next.Interval)
	b.Shown = next.Start.Add(ms)
	unused := b
	unused.Number, unused.Start = next.Number+1, next.Start.Add(time.Hour)
	unused.SliceBegin, unused.SliceEnd = unused.Start, unused.Start.Add(3*ms)
	unused.SliceDeadline = unused.Start.Add(7 * ms)
	rep := &Report{Name: "mine", Snapshot: &Snapshot{Records: []Record{b, next, unused}, Target: r}, RunsDropped: 5}
	rep.Snapshot.Totals.Frames = 12
	var text bytes.Buffer
	if err := rep.writeTrace(&text); err != nil {
		t.Fatal(err)
	}
	events, err := checkTrace(text.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	budget := b.SliceDeadline.Sub(b.SliceBegin)
	want := map[string]map[string]any{
		"frame": {
			"number": float64(b.Number), "flags": "sliced|stepped", "late_us": micros(next.Interval - r),
			"ran": float64(b.Ran), "expired": float64(b.Expired),
			"deferred": float64(b.Deferred), "canceled": float64(b.Canceled), "jobs_in_slice": float64(b.JobsInSlice),
			"handed_back": float64(b.HandedBack), "gc_cycles": float64(b.GCCycles), "gc_pause_ns": float64(b.GCPause),
			"system_ns": float64(b.Counts.System), "system_at_most_ns": float64(b.Counts.SystemAtMost),
			"system_before_ns":        float64(b.Counts.SystemBefore),
			"input_to_handed_over_us": micros(b.HandedOver.Sub(b.Input)),
			"start_to_shown_us":       micros(b.Shown.Sub(b.Start)),
			"section Draw": map[string]any{
				"calls": 2.0, "time_us": micros(b.Sections[1].Time), "own_us": micros(b.Sections[1].Own),
			},
		},
		"update":  {"updates": float64(b.Updates)},
		"physics": {"own_us": micros(b.Sections[0].Own)},
		"slice": {
			"budget_us": micros(budget), "overrun_us": micros(b.SliceEnd.Sub(b.SliceDeadline)), "unused_us": 0.0,
			"worst": b.WorstLabel, "worst_us": micros(b.WorstCost),
			"worst_job": b.WorstJob, "worst_job_us": micros(b.WorstJobCost),
		},
		"garbage collection": {"ended_since_the_frame_before": float64(b.GCCycles), "stopped_us": micros(b.GCPause)},
		"interval":           {"us": micros(b.Interval)},
		"budget left":        {"us": 0.0},
		"queues":             {"ready": float64(b.Ready), "delayed": float64(b.Delayed), "queued": float64(b.Queued)},
		"gc":                 {"cycles": float64(b.GCCycles)},
	}
	for _, e := range events {
		if e.Ph == "M" || want[e.Name] == nil {
			continue
		}
		var args map[string]any
		err := json.Unmarshal(e.Args, &args)
		if cause, ok := args["cause"].(string); ok {
			ran, _ := args["parts"].(string)
			if !strings.HasPrefix(ran, "host 50.0, ") || !strings.Contains(ran, ", task "+b.WorstLabel+" ") ||
				cause != fmt.Sprintf("a garbage collection stopped the program for %d ms", b.GCPause.Milliseconds()) {
				t.Errorf("%s; the cause is %s", ran, cause)
			}
			delete(args, "cause")
			delete(args, "parts")
		} else if e.Name == "frame" {
			t.Error("a late frame has no cause")
		}
		if err != nil || !reflect.DeepEqual(args, want[e.Name]) {
			t.Errorf("%s has\n%v, want\n%v", e.Name, args, want[e.Name])
		}
		delete(want, e.Name)
	}
	if len(want) > 0 {
		t.Errorf("there is no %v", want)
	}
	for _, part := range []string{`"unused_us":4000`, `"budget left","ph":"C","ts":3600`, `{"us":4000}`,
		`"otherData":{"frames":3,"frames_not_kept":9,"runs":0,"runs_not_kept":5}`} {
		if !strings.Contains(text.String(), part) {
			t.Errorf("there is no %s in\n%s", part, &text)
		}
	}
}
