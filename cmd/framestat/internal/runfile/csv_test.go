package runfile

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
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

// rowsOf makes the rows of a PresentMon 1 capture: n frames of ms, from the second at on.
func rowsOf(program, process, chain string, n int, at, ms float64) (rows []string) {
	for i := range n {
		rows = append(rows, fmt.Sprintf("%s,%s,%s,0,%.4f,%.4f", program, process, chain, at+float64(i)*ms/1000, ms))
	}
	return rows
}

// merged makes a capture of the rows of several programs, in the order of time.
func merged(all ...[]string) string {
	rows := slices.Concat(all...)
	at := func(row string) float64 {
		f, _ := strconv.ParseFloat(strings.Split(row, ",")[4], 64)
		return f
	}
	slices.SortStableFunc(rows, func(a, b string) int { return cmp.Compare(at(a), at(b)) })
	const head = "Application,ProcessID,SwapChainAddress,Dropped,TimeInSeconds,MsBetweenPresents\n"
	return head + strings.Join(rows, "\n") + "\n"
}

// The swap chains of one process that follow one another are one run, and others are runs of their own. Each can be
// asked for.
func TestTakesProcessesAndSwapChains(t *testing.T) {
	next := merged(rowsOf("game.exe", "12", "0xAAA", 52, 0, 10), rowsOf("game.exe", "12", "0xBBB", 48, 0.52, 20))
	two := merged(rowsOf("game.exe", "12", "0xAAA", 60, 0, 10), rowsOf("game.exe", "12", "0xBBB", 30, 0, 20),
		rowsOf("game.exe", "13", "0xAAA", 45, 0, 13), rowsOf("chat.exe", "14", "0xC", 6, 0, 100))
	desktop := merged(rowsOf("DWM.exe", "1", "0x1", 60, 0, 10), rowsOf("game.exe", "12", "0xAAA", 30, 0, 20))
	alone := merged(rowsOf("dwm.exe", "1", "0x1", 60, 0, 10))
	for name, c := range map[string]struct {
		text, only string
		frames     []int
		names      string
	}{
		"one after the other":        {next, "", []int{100}, "game.exe"},
		"the first of them":          {next, "0xaaa", []int{52}, "game.exe"},
		"the second of them":         {next, "0xBBB", []int{48}, "game.exe"},
		"an address with zeros":      {next, "0x00000BBB", []int{48}, "game.exe"},
		"by process":                 {next, "12", []int{100}, "game.exe"},
		"side by side":               {two, "", []int{60}, "game.exe:12:0xAAA"},
		"a process":                  {two, "13", []int{45}, "game.exe:13"},
		"a program and process":      {two, "GAME.exe:13", []int{45}, "game.exe:13"},
		"a swap chain":               {two, "0xBBB", []int{30}, "game.exe:12:0xBBB"},
		"a chain of a process":       {two, "13:0xAAA", []int{45}, "game.exe:13"},
		"all three":                  {two, "game.exe:12:0xbbb", []int{30}, "game.exe:12:0xBBB"},
		"two names":                  {two, "0xBBB,chat.exe", []int{30, 6}, "game.exe:12:0xBBB chat.exe"},
		"one twice":                  {two, "13,game.exe:13", []int{45}, "game.exe:13"},
		"nothing beside the desktop": {alone + "game.exe,2,0x2,0,9,NA\n", "", []int{60}, "dwm.exe"},
		"the desktop":                {desktop, "", []int{30}, "game.exe"},
		"the desktop by name":        {desktop, "dwm.exe", []int{60}, "DWM.exe"},
		"the desktop alone":          {alone, "", []int{60}, "dwm.exe"},
	} {
		var only []string
		if c.only != "" {
			only = strings.Split(c.only, ",")
		}
		runs, err := Read(strings.NewReader(c.text), "a", only...)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var got []int
		var names []string
		for _, r := range runs {
			got, names = append(got, len(r.Intervals)), append(names, r.Name)
			for _, note := range r.Notes {
				if strings.Contains(note, "the times in the rows") {
					t.Errorf("%s: %s", name, note)
				}
			}
		}
		if !slices.Equal(got, c.frames) || strings.Join(names, " ") != c.names {
			t.Errorf("%s: %v frames of %s, want %v of %s", name, got, names, c.frames, c.names)
		}
	}
	run, err := read(strings.NewReader(two), "a")
	want := "-only NAME takes another: game.exe:12:0xAAA, game.exe:13, game.exe:12:0xBBB, chat.exe"
	if err != nil || !strings.HasSuffix(run.Notes[0], want) {
		t.Errorf("%q, want %q, %v", run.Notes, want, err)
	}
}

// PresentMon 2 has no column Dropped: a frame that was never shown has no time of display.
func TestTellsFramesThatWereNeverShown(t *testing.T) {
	for head, cells := range map[string][2]string{
		"DisplayLatency,DisplayedTime": {"20,16.667", "NA,NA"}, "MsUntilDisplayed,DisplayLatency": {"20,30", "NA,NA"},
		"MsUntilDisplayed,x": {"20,0", "0.0000,0"}, "DisplayedTime,x": {"16.667,0", ",0"},
		"MsBetweenDisplayChange,x": {"16.667,0", "NA,0"},
	} {
		for _, lost := range []int{0, 1, 40, 100} {
			text := "Application,FrameTime,CPUBusy," + head + "\n"
			for i := range 100 {
				text += "a,16.667,5," + cells[(i+1)*lost/100-i*lost/100] + "\n"
			}
			run, err := read(strings.NewReader(text), "a")
			if err != nil || len(run.Intervals) != 100 {
				t.Fatalf("%s: %+v, %v", head, run, err)
			}
			said := strings.Contains(strings.Join(run.Notes, "\n"), fmt.Sprintf("%d frames were never shown", lost))
			if want := lost > 0 && lost < 100; said != want { // a capture without display times knows nothing
				t.Errorf("%s: %d of 100: %q", head, lost, run.Notes)
			}
		}
	}
}

// Where the times of the rows and the intervals contradict each other, a note says so.
func TestNotesTimesThatContradict(t *testing.T) {
	text := func(column string, unit, ms float64, at int, wrong float64) string {
		s := "Application,MsBetweenPresents," + column + "\n"
		for i := range 1000 {
			d := ms
			if i == at {
				d = wrong
			}
			s += fmt.Sprintf("a,%.4f,%.5f\n", d, 5+float64(i)*0.016667*unit)
		}
		return s
	}
	for name, c := range map[string]struct{ text, note string }{
		"seconds":            {text("TimeInSeconds", 1, 16.667, -1, 0), ""},
		"milliseconds":       {text("TimeInMs", 1000, 16.667, -1, 0), ""},
		"a start":            {text("CPUStartTime", 1000, 16.667, -1, 0), ""},
		"a start in seconds": {text("CPUStartTime", 1, 16.667, -1, 0), ""},
		"a stale one": {text("TimeInSeconds", 1, 16.667, 359, 50_000),
			"contradict 1 of the intervals, by up to 49.983 s"},
		"a smaller one": {text("CPUStartTime", 1000, 16.667, 359, 200),
			"contradict 1 of the intervals, by up to 0.183 s"},
		"all":      {text("TimeInSeconds", 1, 33.333, -1, 0), "33.3 s of frames in 16.7 s"},
		"a third":  {text("TimeInSeconds", 1, 11.111, -1, 0), "11.1 s of frames in 16.7 s"},
		"no times": {text("TimeInSeconds", 0, 16.667, -1, 0), ""},
		"dates": {strings.ReplaceAll(text("TimeInSeconds", 0, 16.667, -1, 0), ",5.0", ",2026-01-01T5.0"),
			""},
	} {
		run, err := read(strings.NewReader(c.text), "a")
		if notes := strings.Join(runNotes(run), "\n"); err != nil || !strings.Contains(notes, c.note) || c.note == "" &&
			notes != "" {
			t.Errorf("%s: %q, want %q, %v", name, notes, c.note, err)
		}
	}
	ours := string(saved(t)[".csv"])
	if run, err := read(strings.NewReader(ours), "a"); err != nil || len(run.Notes) != 1 {
		t.Errorf("ours: %+v, %v", run, err)
	}
	wrong := strings.Replace(ours, ",40.0000,NA,", ",4000.0000,NA,", 1)
	if run, err := read(strings.NewReader(wrong), "a"); err != nil || len(run.Notes) != 2 ||
		!strings.HasPrefix(run.Notes[0], "the times in the rows contradict 1 of") {
		t.Errorf("ours, and wrong: %v, %v", runNotes(run), err)
	}
	mango := "fps,frametime,elapsed\n60,16.667,100000000\n60,900,116000000\n60,16.667,133000000\n"
	if run, err := read(strings.NewReader(mango), "a"); err != nil || len(run.Notes) != 1 ||
		!strings.HasPrefix(run.Notes[0], "0.9 s of frames in 0.0 s") {
		t.Errorf("MangoHud: %+v, %v", run, err)
	}
}

func runNotes(r *Run) []string {
	if r == nil {
		return nil
	}
	return r.Notes
}

func TestReadsNumbers(t *testing.T) {
	for text, want := range map[string]float64{"1234.5": 1234.5, "-12,5": -12.5, "1e3": 1000, "0,0166": 0.0166} {
		l := newLines(strings.NewReader(""))
		l.comma = ";"
		if got, err := l.number(text); err != nil || got != want {
			t.Errorf("%q: %v, %v, want %v", text, got, err, want)
		}
	}
	for _, bad := range []string{"1,234.5", "1 2", "16,5", "", ",", "NaN", "0x"} {
		if got, err := newLines(strings.NewReader("")).number(bad); err == nil {
			t.Errorf("%q: %v", bad, got)
		}
	}
}
