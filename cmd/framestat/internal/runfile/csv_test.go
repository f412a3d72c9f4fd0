package runfile

import (
	"slices"
	"strings"
	"testing"
	"time"
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
	if err != nil || !slices.Equal(run.Intervals, frames) || len(run.Displayed) != 3 || len(run.Notes) != 3 {
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
