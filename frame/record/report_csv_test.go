package record

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/framecsv"
)

// csvRun is a run of n frames, 10 ms apart, in which all that may upset a reader happens: the first frame has none
// before it, one is a jump of the clock, one took no time, and a label has commas, quotes and line breaks.
func csvRun(n int) *Report {
	rec := quiet(Options{Target: r, Records: max(n, 1)})
	start := deadline.Instant(5_000_000)
	for i := range n {
		f := Record{Number: uint64(i + 1), Interval: 10 * ms, WorstLabel: "a, \"b\"\r\nc\n,d", WorstCost: ms}
		switch i {
		case 0:
			f.Interval = 0
		case 5:
			f.Interval, f.Flags = time.Hour, Jump
		case 6:
			f.Interval = 1
		}
		start = start.Add(f.Interval)
		f.Start, f.DrawEnd = start, start.Add(3*ms)
		rec.Add(f)
	}
	return NewReport(" my \"game\",\n// of 1 ", rec.Snapshot(), Environment{})
}

// savedCSV is the text of the file that Save writes.
func savedCSV(t *testing.T, rep *Report) string {
	t.Helper()
	dir := t.TempDir()
	if err := rep.Save(dir, "mine"); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "mine.csv"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A capFrame is a frame as CapFrameX keeps it.
type capFrame struct {
	seconds, betweenPresents, betweenDisplayChange float64
	dropped                                        bool
}

// capFrameX reads a CSV by the rules of CapFrameX's FileRecordInfo and RecordManager. ok is false if it refuses the
// file. It knows no quotes but in the first line of data, and a cell that is no number becomes 0, or a dropped frame.
func capFrameX(text string) (game, comment string, frames []capFrame, ok bool) {
	lines := strings.FieldsFunc(text, func(c rune) bool { return c == '\r' || c == '\n' })
	header := lines[0]
	ok = len(lines) > 20 && strings.HasPrefix(header, "Application") && !strings.Contains(header, "//")
	for _, name := range []string{"Dropped", "TimeInSeconds", "MsBetweenPresents", "MsBetweenDisplayChange"} {
		ok = ok && strings.Contains(header, name)
	}
	if !ok {
		return "", "", nil, false
	}
	names := strings.Split(header, ",")
	column := func(aliases ...string) int { // the last one counts
		for i, name := range slices.Backward(names) {
			if slices.ContainsFunc(aliases, func(a string) bool { return strings.EqualFold(a, name) }) {
				return i
			}
		}
		return -1
	}
	seconds, dropped := column("TimeInSeconds", "TimeInMs", "AppRenderStart"), column("Dropped", "AppMissed")
	presents := column("MsBetweenPresents", "MsBetweenAppPresents", "FrameTime")
	display := column("MsBetweenDisplayChange", "DisplayedTime")

	inner := false
	first := strings.Split(strings.Map(func(c rune) rune {
		if c == '"' {
			inner = !inner
		}
		if c == ',' && inner {
			return -1
		}
		return c
	}, lines[1]), ",")
	game, comment = first[0], strings.ReplaceAll(first[slices.Index(names, "Comment")], `"`, "")

	for _, line := range lines[1:] {
		cells := strings.Split(line, ",")
		number := func(i int) float64 {
			f, _ := strconv.ParseFloat(cells[i], 64)
			return f
		}
		missed, err := strconv.Atoi(cells[dropped])
		frames = append(frames, capFrame{number(seconds), number(presents), number(display), err != nil || missed != 0})
		if cells[0] != game || cells[2] != first[2] { // another program or window: left out
			return "", "", nil, false
		}
	}
	return game, comment, frames, true
}

func TestCapFrameXOpensTheCSV(t *testing.T) {
	const n = 200
	rep := csvRun(n)
	game, comment, frames, ok := capFrameX(savedCSV(t, rep))
	if !ok || len(frames) != n || game != "my -game---// of 1" || comment != csvComment {
		t.Fatalf("got %d frames of %q with the comment %q, %v; want %d", len(frames), game, comment, ok, n)
	}
	origin := rep.Snapshot.Records[0].Start
	for i, f := range frames {
		rec := rep.Snapshot.Records[i]
		want := rec.Interval.Seconds() * 1000
		switch i {
		case 0:
			want = r.Seconds() * 1000 // no frame before: the target
		case 6:
			want = 0.0001 // the least that is not 0
		}
		near(t, "MsBetweenPresents", f.betweenPresents, want, 1e-4/2)
		near(t, "TimeInSeconds", f.seconds, rec.Start.Sub(origin).Seconds(), 1e-6)
		if f.betweenPresents <= 0 || f.betweenDisplayChange != 0 || f.dropped {
			t.Fatalf("frame %d: got %+v, want a time, no time of the display and no dropped frame", i, f)
		}
	}
}

// No name of a section makes the header another one.
func TestCapFrameXOpensTheCSVWithSections(t *testing.T) {
	rec := quiet(Options{Target: r, Records: 30})
	for i := range 30 {
		at := deadline.Instant(5_000_000).Add(time.Duration(i) * 10 * ms)
		rec.Add(Record{Number: uint64(i + 1), Start: at, Interval: 10 * ms, Sections: []Section{
			{Name: "http://a,b\nMsBetweenPresents", Calls: 1, Time: ms}, {Name: "OS", Calls: 1, Time: ms},
		}})
	}
	text := savedCSV(t, NewReport("game", rec.Snapshot(), Environment{}))
	if _, _, frames, ok := capFrameX(text); !ok || len(frames) != 30 || frames[7].betweenPresents != 10 {
		t.Errorf("%v, %d frames, header %s", ok, len(frames), strings.SplitN(text, "\n", 2)[0])
	}
}

// CapFrameX takes files of more than 20 lines, as docs/measuring.md says.
func TestCapFrameXWantsTwentyFrames(t *testing.T) {
	for _, n := range []int{0, 1, 19, 20, 21} {
		if _, _, frames, ok := capFrameX(savedCSV(t, csvRun(n))); ok != (n >= 20) || ok && len(frames) != n {
			t.Errorf("%d frames: read %d, %v", n, len(frames), ok)
		}
	}
}

// The columns that PresentMon 2 writes for each program, those of version 1 that a loop has, and how PresentMon writes
// the cells. It may write NA for a time of the display. Readers find columns by name, also by the case of its letters.
func TestCSVHasPresentMonsColumns(t *testing.T) {
	const number, numberOrNA = `^-?\d+\.\d{4,}$`, `^(NA|-?\d+\.\d{4,})$`
	rows, err := csv.NewReader(strings.NewReader(savedCSV(t, csvRun(60)))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	header, rows := rows[0], rows[1:]
	for _, column := range []struct{ name, cell string }{
		{"Application", `^[^",]+$`}, {"ProcessID", `^\d+$`}, {"SwapChainAddress", `^0x[0-9A-F]+$`},
		{"PresentRuntime", `^(DXGI|D3D9|Other)$`}, {"SyncInterval", `^(-1|[0-4])$`}, {"PresentFlags", `^\d+$`},
		{"Dropped", `^[01]$`}, {"TimeInSeconds", number}, {"MsBetweenPresents", number},
		{"MsBetweenDisplayChange", numberOrNA}, {"AnimationError", numberOrNA},
		{"CPUStartTime", number}, {"CPUBusy", number},
	} {
		i, cell := slices.Index(header, column.name), regexp.MustCompile(column.cell)
		if i < 0 {
			t.Errorf("no column %s", column.name)
			continue
		}
		for _, row := range rows {
			if !cell.MatchString(row[i]) {
				t.Errorf("%s: got %q, want %s", column.name, row[i], cell)
			}
		}
	}
	// These are of the frame up to the next one.
	for _, name := range []string{"FrameTime", "CPUWait"} {
		for i, row := range rows {
			got := row[slices.Index(header, name)]
			want := regexp.MustCompile(number)
			if i == len(rows)-1 {
				want = regexp.MustCompile("^NA$")
			}
			if !want.MatchString(got) {
				t.Errorf("%s of frame %d: got %q", name, i, got)
			}
		}
	}
	for i, row := range rows {
		if got := row[slices.Index(header, "Comment")]; (got != "") != (i == 0) {
			t.Errorf("comment of frame %d: got %q", i, got)
		}
	}
	if got, want := rows[0][1], strconv.Itoa(max(0, os.Getpid())); got != want {
		t.Errorf("ProcessID: got %s, want %s", got, want)
	}
}

// mangoplot looks for a line with a cell fps, refuses equal names, and draws the cells of fps.
func TestMangoHudsMangoplotOpensTheCSV(t *testing.T) {
	rows, err := csv.NewReader(strings.NewReader(savedCSV(t, csvRun(60)))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	fps, presents := slices.Index(rows[0], "fps"), slices.Index(rows[0], "MsBetweenPresents")
	if sorted := slices.Sorted(slices.Values(rows[0])); fps < 0 || len(slices.Compact(sorted)) != len(rows[0]) {
		t.Fatalf("got the columns %v, want fps among these, and no name twice", rows[0])
	}
	for _, row := range rows[1:] {
		got, err := strconv.ParseFloat(row[fps], 64)
		d, err2 := strconv.ParseFloat(row[presents], 64)
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		near(t, "fps", got, 1000/d, 1e-3*1000/d+0.01)
	}
}

// A report without a name, or made by hand, is read, too.
func TestCSVOfANamelessReport(t *testing.T) {
	rep := &Report{Snapshot: csvRun(30).Snapshot}
	rep.Snapshot.Records[0].Target = 0
	game, _, frames, ok := capFrameX(savedCSV(t, rep))
	if !ok || game != framecsv.Unknown || frames[0].betweenPresents <= 0 {
		t.Errorf("got the game %q, %+v, %v", game, frames, ok)
	}
}

// Each column of each line has the figure by which it is named, of a record no two figures of which are the same.
func TestEveryCellOfTheCSV(t *testing.T) {
	cellMS := func(d time.Duration) string { return fmt.Sprintf("%.4f", d.Seconds()*1000) }
	b := distinctRecord()
	b.Target, b.WorstLabel = b.Interval/2, `path "finding", <far>`
	a, c := b, b
	a.Number, a.Start, a.Interval, a.Shown = b.Number-1, b.Start.Add(-b.Interval), 0, b.Shown.Add(-23*ms)
	z := a
	z.Number, z.Start, z.Shown = a.Number-1, a.Start.Add(-5*ms), 0
	busy := b.SliceEnd.Sub(b.Start)
	c.Number, c.Interval = b.Number+1, busy+41*ms
	c.Start, c.Shown = b.Start.Add(c.Interval), 0
	for _, displayed := range []bool{true, false} {
		records := []Record{z, a, b, c}
		change, latency, anim := cellMS(23*ms), cellMS(b.Shown.Sub(b.Start)), cellMS(b.Step-23*ms)
		if !displayed {
			for i := range records {
				records[i].Shown = 0
			}
			change, latency, anim = "NA", "NA", cellMS(b.Step-b.Interval)
		}
		rep := &Report{Name: "mine", Snapshot: &Snapshot{Records: records, Target: r}}
		want := map[string]string{
			"Application": "mine", "ProcessID": strconv.Itoa(max(0, os.Getpid())), "SwapChainAddress": "0x0",
			"PresentRuntime": "Other", "SyncInterval": "-1", "PresentFlags": "0", "Dropped": "0",
			"TimeInSeconds": fmt.Sprintf("%.6f", (b.Interval + 5*ms).Seconds()),
			"CPUStartTime":  cellMS(b.Interval + 5*ms),
			"FrameTime":     cellMS(c.Interval), "CPUBusy": cellMS(busy), "CPUWait": cellMS(41 * ms),
			"MsBetweenPresents": cellMS(b.Interval), "MsBetweenDisplayChange": change, "DisplayLatency": latency,
			"AnimationError": anim, "fps": fmt.Sprintf("%.2f", 1/b.Interval.Seconds()), "Frame": fmt.Sprint(b.Number),
			"Update": cellMS(b.UpdateEnd.Sub(b.UpdateBegin)), "SliceBudget": cellMS(b.SliceDeadline.Sub(b.SliceBegin)),
			"SliceUsed":    cellMS(b.SliceEnd.Sub(b.SliceBegin)),
			"SliceOverrun": cellMS(b.SliceEnd.Sub(b.SliceDeadline)), "Draw": cellMS(b.DrawEnd.Sub(b.Start)),
			"InputLatency": cellMS(b.HandedOver.Sub(b.Input)), "Updates": fmt.Sprint(b.Updates),
			"Ready": fmt.Sprint(b.Ready), "Delayed": fmt.Sprint(b.Delayed), "Queued": fmt.Sprint(b.Queued),
			"Ran": fmt.Sprint(b.Ran), "Expired": fmt.Sprint(b.Expired), "Deferred": fmt.Sprint(b.Deferred),
			"Canceled": fmt.Sprint(b.Canceled), "JobsInSlice": fmt.Sprint(b.JobsInSlice),
			"HandedBack": fmt.Sprint(b.HandedBack), "GCCycles": fmt.Sprint(b.GCCycles), "GCPause": cellMS(b.GCPause),
			"System": cellMS(b.Counts.System), "SystemAtMost": cellMS(b.Counts.SystemAtMost),
			"SystemBefore": cellMS(b.Counts.SystemBefore),
			"WorstCost":    cellMS(b.WorstCost), "WorstLabel": b.WorstLabel, "Flags": "sliced|stepped",
			"WorstJobCost": cellMS(b.WorstJobCost), "WorstJob": b.WorstJob,
			"WokeLate": cellMS(b.Woke), "Waited": cellMS(b.Waited), "Comment": "", "Why": rep.Snapshot.why(2),
			"Section physics": cellMS(17 * ms / 3), "Section Draw": cellMS(18 * ms / 3),
		}
		var text bytes.Buffer
		if err := rep.writeCSV(&text); err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(&text).ReadAll()
		if err != nil || len(rows) != 5 || len(rows[0]) != len(want) {
			t.Fatalf("%v; %d lines of %d columns, want 5 of %d", err, len(rows), len(rows[0]), len(want))
		}
		for i, name := range rows[0] {
			if cell, ok := want[name]; !ok || rows[3][i] != cell {
				t.Errorf("%s is %q, want %q (%v)", name, rows[3][i], cell, ok)
			}
		}
		// Columns that have the same cell could be swapped without notice.
		same := map[string][]string{}
		for name, cell := range want {
			same[cell] = append(same[cell], name)
		}
		for cell, names := range same {
			slices.Sort(names) // TestCellsOfTheUnknown tells Dropped from PresentFlags
			if all := strings.Join(names, " "); len(names) > 1 && cell != "NA" && all != "Dropped PresentFlags" {
				t.Errorf("%s all have %q", all, cell)
			}
		}
	}
}

// What nobody knows is NA, and a frame that the display left out is told.
func TestCellsOfTheUnknown(t *testing.T) {
	rec := quiet(Options{Target: r})
	start := deadline.Instant(5_000_000)
	for i := range 3 {
		at := start.Add(time.Duration(i) * 20 * ms)
		f := Record{Number: uint64(i + 1), Start: at, Interval: 20 * ms, Updates: 1, UpdateBegin: at, UpdateEnd: at + 1}
		if i == 1 {
			f.DrawEnd = at.Add(3 * ms)
		}
		if i != 1 {
			f.Shown = at.Add(9 * ms)
		}
		if i == 0 {
			f.Interval = 0
		}
		rec.Add(f)
	}
	s := rec.Snapshot()
	s.Records[0].Shown, s.Records[2].Shown = start.Add(9*ms), start.Add(49*ms)
	var text bytes.Buffer
	if err := (&Report{Snapshot: s}).writeCSV(&text); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&text).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][3]string{
		"CPUBusy": {"NA", "3.0000", "NA"}, "CPUWait": {"NA", "17.0000", "NA"}, "Draw": {"NA", "3.0000", "NA"},
		"FrameTime": {"20.0000", "20.0000", "NA"}, "Dropped": {"0", "1", "0"},
		"DisplayLatency":         {"9.0000", "NA", "9.0000"},
		"MsBetweenDisplayChange": {"NA", "NA", "40.0000"}, "InputLatency": {"NA", "NA", "NA"},
		"PresentFlags": {"0", "0", "0"}, "Comment": {csvShown, "", ""},
		"Flags": {"warm-up|no interval", "warm-up", "warm-up"},
	} {
		i := slices.Index(rows[0], name)
		for k := range want {
			if got := rows[k+1][i]; got != want[k] {
				t.Errorf("%s of frame %d: %q, want %q", name, k+1, got, want[k])
			}
		}
	}
}
