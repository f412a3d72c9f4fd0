package runfile

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame/record"
)

// Programs of Windows save a semicolon between cells and a comma in numbers where the country does.
func TestReadsSemicolonsAndDecimalCommas(t *testing.T) {
	comma := strings.NewReplacer(",", ";", "16.667", "16,667", "41.5", "41,5")
	for name, text := range map[string]string{
		"PresentMon": presentMon1, "CapFrameX": capFrameX, "MangoHud": mangoHud,
	} {
		for kind, changed := range map[string]string{
			"semicolons": comma.Replace(text), "tabs": strings.ReplaceAll(comma.Replace(text), ";", "\t"),
			"mark and line ends": "\ufeff" + strings.ReplaceAll(strings.ReplaceAll(text, "\r", ""), "\n", "\r\n"),
		} {
			run, err := read(strings.NewReader(changed), "a")
			if err != nil || !slices.Equal(run.Intervals, frames) {
				t.Errorf("%s with %s: %v, %v", name, kind, run, err)
			}
		}
	}
}

// OCAT tells the machine in the first row. The later rows are shorter.
const ocat = "Application,ProcessID,WasBatched,Dropped,MsBetweenPresents,MsUntilDisplayed," +
	"Motherboard,Processor,Comment\n" +
	"game.exe,1,0,0,16.667,1,\"A, Ltd.\",Some CPU\n" + "game.exe,1,0,1,16.667,1\n" + "game.exe,1,0,0,41.5,1"

func TestReadsShorterRows(t *testing.T) {
	run, err := read(strings.NewReader(ocat), "a")
	want := []Fact{{"Processor", "Some CPU"}, {"Motherboard", "A, Ltd."}}
	if err != nil || !slices.Equal(run.Intervals, frames) || !slices.Equal(run.Facts, want) ||
		run.Format != "CSV of OCAT" {
		t.Errorf("%+v, %v", run, err)
	}
	if run, err := read(strings.NewReader(ocat+"\ngame.exe,1,0,0\ngame.exe,1,0,0,1,1\n"), "a"); err == nil ||
		err.Error() != "a:5: 4 cells, but the header has 9" {
		t.Errorf("a row without its time: %+v, %v", run, err)
	}
}

// A capture has all programs of the machine: the busiest one counts, or the one that is asked for.
func TestTakesAProgram(t *testing.T) {
	for only, want := range map[string]int{"": 3, "chat.exe": 1, "GAME.EXE": 3} {
		var names []string
		if only != "" {
			names = []string{only}
		}
		run, err := read(strings.NewReader(presentMon1), "a", names...)
		if err != nil || len(run.Intervals) != want ||
			!strings.HasSuffix(run.Notes[0], "-only NAME takes another: game.exe, chat.exe") {
			t.Errorf("%q: %+v, %v", only, run, err)
		}
	}
	_, err := read(strings.NewReader(presentMon1), "a", "none.exe")
	if err == nil || err.Error() != "a: none of none.exe: the file has game.exe, chat.exe" {
		t.Error(err)
	}
}

// A driver may show frames of its own between two of the program. They are the display's, and not the program's.
func TestGeneratedFramesAreTheDisplays(t *testing.T) {
	text := "Application,FrameType,MsBetweenPresents,MsBetweenDisplayChange,MsBetweenAppStart\n" +
		"a,Application,8.3,8.3,16.667\na,Intel XeSS-FG,8.3,8.4,0.0\n" +
		"a,Application,8.3,NA,16.667\na,Intel XeSS-FG,8.3,8.3,0.0\na,Application,8.3,-8.3,41.5\n"
	run, err := read(strings.NewReader(text), "a")
	if err != nil || !slices.Equal(run.Intervals, frames) || len(run.Displayed) != 3 || len(run.Notes) != 2 {
		t.Errorf("%+v, %v", run, err)
	}
}

// The sections of a frame's own work tell what made a later frame late.
func TestTellsSections(t *testing.T) {
	text := "Application,MsBetweenPresents,CPUBusy,SliceBudget,SliceUsed,Frame,Section physics,Section Draw," +
		"Section ui\n" +
		"a,16,34,9,1,1,30,0.1,9\na,40,5,9,1,2,1,1,1\n"
	run, err := read(strings.NewReader(text), "a")
	if err != nil || len(run.Intervals) != 1 {
		t.Fatalf("%+v, %v", run, err)
	}
	want := "the game's own work 33.0 ms, in the section physics 30.0 ms, in ui 9.0 ms; host, display or system 6.0 ms"
	if got := run.Why(0, 16*time.Millisecond); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// Each figure of a frame that Save writes is read as what it is.
func TestReadsEachCellThatSaveWrites(t *testing.T) {
	const ms = time.Millisecond
	rec := record.New(record.Options{Target: 16 * ms, WarmUp: -1})
	at := deadline.Instant(time.Second)
	for i := range 3 {
		rec.Add(record.Record{
			Number: uint64(i + 1), Start: at, Interval: 90 * ms, Woke: 17 * ms, Waited: 23 * ms, Flags: record.Sliced,
			SliceBegin: at.Add(19 * ms), SliceDeadline: at.Add(22 * ms), SliceEnd: at.Add(40 * ms),
			WorstCost: 11 * ms, WorstLabel: "path/to/game.spawn",
			Sections: []record.Section{
				{Name: "physics", Calls: 1, Time: 13 * ms}, {Name: "ui", Calls: 2, Time: 5 * ms},
			},
		})
		at = at.Add(90 * ms)
	}
	s := rec.Snapshot()
	for i := range s.Records {
		s.Records[i].GCCycles, s.Records[i].GCPause = 3, 7*ms
	}
	dir := t.TempDir()
	if err := record.NewReport("mine", s, record.Environment{}).Save(dir, "mine"); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "mine.csv"))
	if err != nil {
		t.Fatal(err)
	}
	run, err := read(bytes.NewReader(text), "mine.csv")
	if err != nil || run.Format != OurCSV || run.Name != "mine" ||
		!slices.Equal(run.Intervals, record.Intervals{90 * ms, 90 * ms}) {
		t.Fatalf("%+v, %v", run, err)
	}
	const want = "host, display or system 27.0 ms beside a garbage collection; " +
		"slice 21.0 ms, of that 11.0 ms by the task game.spawn; " +
		"the game's own work 19.0 ms, in the section physics 13.0 ms, in ui 5.0 ms; " +
		"the system woke the loop late by 17.0 ms; a garbage collection stopped the program for 7.0 ms"
	if got := run.Why(1, 90*ms-1); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// A recorder without a loop knows no parts of a frame, and sections only if it is told.
func TestTellsWhatIsNotRecorded(t *testing.T) {
	const ms = time.Millisecond
	for want, sections := range map[string][]record.Section{
		"not recorded 50.0 ms": nil,
		"not recorded 50.0 ms, in the section physics 30.0 ms": {
			{Name: "physics", Calls: 1, Time: 30 * ms}, {Name: "ui", Calls: 1, Time: 5 * ms},
		},
	} {
		rec := record.New(record.Options{Target: 16 * ms, WarmUp: -1})
		for i := range 3 {
			at := deadline.Instant(time.Second).Add(time.Duration(i) * 50 * ms)
			rec.Add(record.Record{Number: uint64(i + 1), Start: at, Interval: 50 * ms, Sections: sections})
		}
		s := rec.Snapshot()
		for i := range s.Records {
			s.Records[i].GCCycles = 0 // what the machine did meanwhile
		}
		dir := t.TempDir()
		if err := record.NewReport("mine", s, record.Environment{}).Save(dir, "mine"); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(dir, "mine.csv"))
		if err != nil {
			t.Fatal(err)
		}
		run, err := read(bytes.NewReader(text), "mine.csv")
		if err != nil || run.Why(1, 16*ms) != want {
			t.Errorf("%v, got %q, want %q", err, run.Why(1, 16*ms), want)
		}
	}
}
