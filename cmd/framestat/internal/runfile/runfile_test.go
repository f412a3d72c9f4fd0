package runfile

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame/record"
)

// Files that tools write, made up here. The frames are 16.667, 16.667 and 41.5 ms.
const (
	presentMon1 = "Application,ProcessID,SwapChainAddress,Runtime,SyncInterval,PresentFlags,Dropped,TimeInSeconds," +
		"msInPresentAPI,msBetweenPresents,AllowsTearing,PresentMode,msUntilRenderComplete\r\n" +
		"game.exe,12,0x1,DXGI,1,0,0,0.1,0.2,0,0,Composed: Flip,3\r\n" +
		"game.exe,12,0x1,DXGI,1,0,0,0.1,0.2,16.667,0,Composed: Flip,3\r\n" +
		"chat.exe,13,0x9,DXGI,1,0,0,0.1,0.2,333,0,Composed: Flip,3\r\n" +
		"game.exe,12,0x1,DXGI,1,0,0,0.1,0.2,16.667,0,Composed: Flip,3\r\n" +
		"game.exe,12,0x1,DXGI,1,0,1,0.1,20.2,41.5,0,Composed: Flip,3\r\n"
	presentMon2 = "\ufeffApplication,ProcessID,CPUStartTime,FrameTime,CPUBusy,CPUWait,GPUBusy,DisplayLatency\n" +
		"game.exe,12,0,16.667,5,11.667,4,NA\ngame.exe,12,16.667,16.667,5,11.667,4,NA\n" +
		"game.exe,12,33.3,41.5,40,1.5,4,30\ngame.exe,12,74.8,NA,40,NA,4,30\n"
	capFrameX = "//GameName=Game\n//Processor=Some CPU, 8 cores\n//Comment=\n" +
		"Application,ProcessID,Dropped,TimeInSeconds,MsBetweenPresents,MsBetweenDisplayChange\n" +
		"game.exe,1,0,1,16.667,0\ngame.exe,1,0,1.017,16.667,0\ngame.exe,1,0,1.058,41.5,0\n"
	mangoHud = "v1\nv0.8.1\n---SYSTEM INFO---\nos,cpu,gpu,ram,kernel,driver,cpuscheduler\n" +
		"Some Linux,Some CPU,Some GPU,16000,6.1,Mesa,powersave\n---FRAME METRICS---\n" +
		"fps,frametime,cpu_load,gpu_load,elapsed\n" +
		"59.999,16.667,10,20,16667000\n59.999,16.667,10,20,33334000\n24.096,41.5,10,20,74834000\n"
	mangoHudOld = "os,cpu,gpu,ram,kernel,driver\nSome Linux,Some CPU,Some GPU,16,6,Mesa\n" +
		"fps,frametime,cpu_load,elapsed\n" +
		"59.999,16667,10,16667000\n59.999,16667,10,33334000\n24.096,41500,10,74834000\n"
)

var frames = record.Intervals{16667 * time.Microsecond, 16667 * time.Microsecond, 41500 * time.Microsecond}

// read returns the one run of a file.
func read(r io.Reader, name string, only ...string) (*Run, error) {
	runs, err := Read(r, name, only...)
	if err == nil && len(runs) != 1 {
		err = fmt.Errorf("%d runs", len(runs))
	}
	if err != nil {
		return nil, err
	}
	return runs[0], nil
}

func TestReadsForeignFiles(t *testing.T) {
	for _, c := range []struct {
		text, format, name, why, note string
		facts                         int
	}{
		{presentMon1, "CSV of PresentMon 1", "game.exe", "in Present 20.2 ms", "2 programs or swap chains", 0},
		{presentMon2, "CSV of PresentMon 2", "game.exe", "CPU busy 40.0 ms", "2 frames were never shown", 0},
		{capFrameX, "CSV of CapFrameX", "game.exe", "", "", 2},
		{mangoHud, "CSV of MangoHud", "", "", "", 7},
		{mangoHudOld, "CSV of MangoHud", "", "", "", 6},
	} {
		run, err := read(strings.NewReader(c.text), "a")
		if err != nil {
			t.Errorf("%s: %v", c.format, err)
			continue
		}
		if run.Format != c.format || run.Name != c.name || !slices.Equal(run.Intervals, frames) ||
			len(run.Facts) != c.facts {
			t.Errorf("%s: got %+v", c.format, run)
		}
		if run.Why != nil && run.Why(2, frames[0]) != c.why {
			t.Errorf("%s: the last frame: %q, want %q", c.format, run.Why(2, frames[0]), c.why)
		}
		if notes := strings.Join(run.Notes, "\n"); !strings.Contains(notes, c.note) || c.note == "" && notes != "" {
			t.Errorf("%s: notes %q, want %q", c.format, notes, c.note)
		}
	}
}

// saved returns the files of a report of ours, by extension.
func saved(t testing.TB) map[string][]byte {
	rec := record.New(record.Options{WarmUp: 2})
	start := deadline.Instant(time.Second)
	for i, ms := range []int{0, 16, 17, 16, 40, 17} {
		d := time.Duration(ms) * time.Millisecond
		start = start.Add(d)
		r := record.Record{
			Number: uint64(i + 1), Start: start, Interval: d, Target: time.Second / 60, Updates: 1,
			UpdateBegin: start, UpdateEnd: start.Add(4 * time.Millisecond), Flags: record.Sliced,
			SliceBegin: start.Add(4 * time.Millisecond), SliceDeadline: start.Add(10 * time.Millisecond),
			SliceEnd:   start.Add(5 * time.Millisecond),
			WorstLabel: "path/to/game.load, \"all\"", WorstCost: time.Millisecond / 2,
		}
		if i == 3 {
			r.SliceEnd, r.WorstCost = start.Add(39*time.Millisecond), 30*time.Millisecond
		}
		rec.Add(r)
	}
	dir := t.TempDir()
	if err := record.NewReport("mine", rec.Snapshot(), record.ReadEnvironment("vsync")).Save(dir, "mine"); err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, ext := range []string{".json", ".csv", ".hlog", ".hgrm", ".trace.json"} {
		b, err := os.ReadFile(filepath.Join(dir, "mine"+ext))
		if err != nil {
			t.Fatal(err)
		}
		files[ext] = b
	}
	return files
}

func TestReadsOurFiles(t *testing.T) {
	const unit = time.Millisecond
	want := record.Intervals{17 * unit, 16 * unit, 40 * unit, 17 * unit}
	files := saved(t)
	run, err := read(bytes.NewReader(files[".csv"]), "mine.csv")
	if err != nil {
		t.Fatal(err)
	}
	notes := strings.Join(run.Notes, "\n")
	if !slices.Equal(run.Intervals, want) || !strings.Contains(notes, "of warm-up do not count") {
		t.Errorf("CSV: %v, notes %q", run.Intervals, notes)
	}
	why := `the task path/to/game.load, "all", or the system, took 30.0 ms of a slice of 6.00 ms`
	if got := run.Why(2, time.Second/60); got != why {
		t.Errorf("the long frame: %q, want %q", got, why)
	}

	run, err = read(bytes.NewReader(files[".json"]), "mine.json")
	if err != nil {
		t.Fatal(err)
	}
	m := want.Measure(time.Second / 60)
	if r := run.Report; run.Name != "mine" || run.Target != time.Second/60 || r == nil || r.N != m.N ||
		r.Missed != m.Missed || r.HitchRatio != m.HitchRatio || r.ByFrame.Max != m.ByFrame.Max ||
		r.LowIntegral != m.LowIntegral || len(run.Facts) != 3 || run.Facts[1].Key != "settings" {
		t.Errorf("JSON: %+v, report %+v, want %+v", run, run.Report, m)
	}

	for _, ext := range []string{".hlog", ".hgrm", ".trace.json"} {
		if _, err := read(bytes.NewReader(files[ext]), "a"); !NoRun(err) {
			t.Errorf("%s is a run, and no file beside one: %v", ext, err)
		}
	}
}

func TestSaysWhatIsWrong(t *testing.T) {
	header := "MsBetweenPresents,Application\n"
	for name, c := range map[string]struct{ text, want string }{
		"empty":  {"", "a: the file is empty"},
		"binary": {"\x89PNG\r\n\x1a\n\x00\x00", "a: no text"},
		"trace":  {`{"traceEvents": []}`, "a: a trace, for ui.perfetto.dev"},
		"gzip":   {"\x1f\x8b\x08\x00", "a: the file is compressed"},
		"UTF-16": {"\xff\xfeA\x00,\x00b\x00", "a: text in UTF-16"},
		"UTF-32": {"\x00\x00\xfe\xffA\x00\x00\x00", "a: no text"},
		"zstd":   {"\x28\xb5\x2f\xfd0", "a: the file is compressed"},
		"XML":    {"<?xml version=\"1.0\"?>\n", "a: XML or HTML"},
		"our text": {
			"mine: 7 frames in 0.1 s, wanted each 16.7 ms (60 Hz)\n  missed       0 refreshes (0 %)\n",
			"a: the text of a report of frameslice",
		},
		"our text of no frame": {
			"mine: no frame counts: 7 in all\n  to count all frames: record.Options.WarmUp = -1 (warm-up)\n",
			"a: the text of a report of frameslice",
		},
		"our earlier text": {"mine\n====\n  left out of 7 frames\n", "a: the text of a report of frameslice"},
		"other CSV": {"Frame, Time (ms)\n1,2\n",
			"a:1: no column of frame times: a CSV needs MsBetweenPresents, FrameTime or " +
				"frametime in its header; this line has \"Frame\", \"Time (ms)\""},
		"comma": {header + "\"1,234\",a\n", `a:2: column MsBetweenPresents: "1,234" may have a decimal comma`},
		"thousands": {"MsBetweenPresents;Application\n1.234,5;a\n",
			`a:2: column MsBetweenPresents: "1.234,5" is no number`},
		"no column": {"time,value\n1,2\n", "a:1: no column of frame times"},
		"prose":     {"hello\nworld\n", "a:2: no column of frame times"},
		"word":      {header + "16,a\nx\x1b[2J,a\n", `a:3: column MsBetweenPresents: "x\x1b[2J" is no number`},
		"negative":  {header + "-16,a\n", "a:2: column MsBetweenPresents: -16 ms is no frame time"},
		"NaN":       {header + "NaN,a\n", `a:2: column MsBetweenPresents: "NaN" is no number`},
		"infinite":  {header + "Inf,a\n", "a:2: column MsBetweenPresents: +Inf ms is no frame time"},
		"cells":     {header + "16,a,b\n16,a\n", "a:2: 3 cells, but the header has 2"},
		"quote":     {header + "16,\"a\n16,a\n", "a:2: a quote has no end"},
		"long line": {header + strings.Repeat("1", maxLine+1), "a:2: a line of more than 1024 KiB"},
		"no frames": {header + "NA,a\n", "a:2: no frames"},
		"warm-up": {
			"MsBetweenPresents,Flags,Why\n16,warm-up|sliced,\n",
			"a:2: no frames; 1 frames of warm-up do not count",
		},
		"no rows":     {header, "a:1: no frames"},
		"JSON list":   {"[1]", "a: a JSON list"},
		"other JSON":  {`{"modes":[]}`, "a: JSON, but no run"},
		"broken JSON": {"{\n\n\"run\": {]}", "a:3: invalid character"},
		"wrong JSON":  {"{\n\"run\": {\"n\": \"x\"}}", "a:2: JSON of another kind: n has type string"},
		"objects":     {`{"modes":[` + strings.Repeat("{},", maxObjects) + "{}]}", "a: JSON of more than 262144"},
		"no counts":   {`{"version":1,"target_ns":1,"run":{"n":0}}`, "a: no frame counts"},
		"later JSON":  {`{"version":2,"target_ns":1,"run":{"n":9}}`, "a: a report of a later frameslice, version 2"},
		"mango":       {"fps,frametime\n60,-16\n", "a:2: frame 1: -16 ms"},
	} {
		run, err := read(strings.NewReader(c.text), "a")
		if err == nil || !strings.HasPrefix(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %+v, %v, want %s", name, run, err, c.want)
		}
	}
}

// A file that was cut off in the middle of its last line gives the frames before.
func TestReadsAFileThatWasCutOff(t *testing.T) {
	text := strings.TrimSuffix(presentMon2, ",30\ngame.exe,12,74.8,NA,40,NA,4,30\n")
	run, err := read(strings.NewReader(text), "a")
	if err != nil || len(run.Intervals) != 2 || len(run.Notes) != 1 {
		t.Errorf("%+v, %v", run, err)
	}
}

// MangoHud can log samples instead of all frames. The run says so.
func TestTellsSamplesFromFrames(t *testing.T) {
	text := "fps,frametime,elapsed\n60,16.667,100000000\n60,16.667,200000000\n60,16.667,300000000\n"
	run, err := read(strings.NewReader(text), "a")
	if err != nil || len(run.Notes) != 1 || !strings.Contains(run.Notes[0], "log_interval=0") {
		t.Errorf("%+v, %v", run, err)
	}
}

// Foreign text cannot command a terminal.
func TestCleansText(t *testing.T) {
	text := "//GameName=\x1b[31mred\u202e\r\nMsBetweenPresents,Application\n16,\x07\x1b]0;x" +
		strings.Repeat("a", 500) + "\n"
	run, err := read(strings.NewReader(text), "a")
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(run.Name, run.Facts); strings.ContainsAny(got, "\x1b\x07\u202e") || len(run.Name) > maxText {
		t.Errorf("%q", got)
	}
	if _, err := read(strings.NewReader(""), "a\x1b[2J\n"); err == nil || err.Error() != "a[2J: the file is empty" {
		t.Errorf("%q", err)
	}
}

func TestSplitsCells(t *testing.T) {
	for line, want := range map[string][]string{
		`a,b,`: {"a", "b", ""}, `"a,b",c`: {"a,b", "c"}, `"a ""b""",c`: {`a "b"`, "c"}, `5" disk,c`: {`5" disk`, "c"},
		`"a"b,c`: {"ab", "c"}, `"",""`: {"", ""}, `c,"a`: nil, `"`: nil,
	} {
		if got, open := split(line, ","); !slices.Equal(got, want) || open != (want == nil) {
			t.Errorf("%s: %q, open %v", line, got, open)
		}
	}
}
