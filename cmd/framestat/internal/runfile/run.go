// Package runfile reads recorded runs: the frame times, and what else the file knows of the run.
//
// Read finds out the format by the content:
//
//   - JSON and CSV of record.Report.Save
//   - frames.csv of frametest, which has a run for base and one for head
//   - CSV of PresentMon 1 and 2, of CapFrameX and of OCAT, which have PresentMon's columns
//   - CSV of MangoHud
//
// Columns are found by name, never by position. A CSV may have semicolons or tabs between its cells, and then 1,5 for
// 1.5, as spreadsheets save it. A file may be hostile. Each file either gives a run or one line that says what is wrong
// and where. Limits keep a small file from taking much memory.
package runfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/internal/framecsv"
	"github.com/frameslice/frameslice/internal/words"
)

// A Run is the content of one file.
type Run struct {
	// Name is what the file says, or "".
	Name   string
	Format string
	// Intervals are those that count, in order.
	Intervals record.Intervals
	// Displayed are the intervals between two changes of the display, of the frames that count. Most files have none.
	Displayed record.Intervals
	// Target is the interval that a frame should have, or 0 if the file does not say.
	Target time.Duration
	// Report has the figures of a file that has no frames, or is nil.
	Report *record.Metrics
	// Display has those of the display, or is nil.
	Display *record.Metrics
	Facts   []Fact
	// Notes say what a reader of the figures must know.
	Notes []string
	// Why says what is known about the interval i, which should have been target. Nil if the file has nothing.
	Why func(i int, target time.Duration) string
	// Cheaper says in words what would help most. Only our report has it.
	Cheaper []string

	ran map[time.Duration]string // by interval: see Join
}

// A Fact is a line about the machine or the settings.
type Fact struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// OurCSV is the Format of our CSV, which has no target and no environment.
const OurCSV = "CSV of frameslice"

const (
	maxFile    = 256 << 20 // bytes
	maxJSON    = 64 << 20  // bytes
	maxObjects = 1 << 18   // of a JSON: empty ones take a hundred times their text
	maxLine    = 1 << 20   // bytes
	maxFrames  = 1 << 21   // 9 hours at 60 Hz
	maxHead    = 100       // lines before the header of a CSV
	maxFacts   = 60
	maxNames   = 12  // of programs or builds in a message
	maxText    = 200 // runes of a name or a fact
	longest    = 24 * time.Hour
)

var errFrames = fmt.Errorf("more than %d frames: cut the file up", maxFrames)

// Read reads the runs of a file, which most often has one. Where a file has several programs or builds, only names
// those that may be taken; without names all may. Errors begin with the name, and have the number of the line if there
// is one.
func Read(r io.Reader, name string, only ...string) ([]*Run, error) {
	l := newLines(r)
	runs, err := l.runs(only)
	if err == nil {
		for _, run := range runs {
			if len(run.Intervals) == 0 && run.Report == nil {
				err = errors.New(strings.Join(append([]string{"no frames"}, run.Notes...), "; "))
			}
		}
	}
	switch {
	case err == nil:
		return runs, nil
	case errors.Is(err, io.EOF):
		err = errors.New("the file ends too early")
	}
	if l.n > 0 {
		return nil, fmt.Errorf("%s:%d: %w", Clean(name), l.n, err)
	}
	return nil, fmt.Errorf("%s: %w", Clean(name), err)
}

// wanted reports whether only has a name, or nothing.
func wanted(name string, only []string) bool {
	return len(only) == 0 || slices.ContainsFunc(only, func(o string) bool { return strings.EqualFold(o, name) })
}

// runs finds out the format.
func (l *lines) runs(only []string) ([]*Run, error) {
	head, err := l.in.Peek(4096)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if bytes.HasPrefix(head, []byte("\ufeff")) {
		_, _ = l.in.Discard(len("\ufeff")) // just peeked
		head = head[len("\ufeff"):]
	}
	text := bytes.TrimSpace(head)
	first, _, _ := strings.Cut(string(text), "\n")
	switch {
	case slices.ContainsFunc(packed, func(magic string) bool { return bytes.HasPrefix(head, []byte(magic)) }):
		return nil, errors.New("the file is compressed: unpack it first")
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("\xfe\xff")):
		return nil, errors.New("text in UTF-16: save it as UTF-8")
	case bytes.IndexByte(head, 0) >= 0:
		return nil, errors.New("no text: frame times come as JSON or CSV")
	case len(text) == 0:
		return nil, errors.New("the file is empty")
	case text[0] == '{':
		return l.json()
	case text[0] == '[':
		return nil, errors.New("a JSON list: no report of frameslice")
	case text[0] == '<':
		return nil, errors.New("XML or HTML: frame times come as JSON or CSV")
	case ourText(text):
		return nil, errOurText
	case strings.HasPrefix(first, "#["), strings.HasPrefix(first, "Value") && strings.Contains(first, "Percentile"):
		return nil, errHistogram // a log or a table of HdrHistogram
	}
	return l.csv(only)
}

// packed are the first bytes of compressed files: gzip, zip, zstd, xz, bzip2, 7z.
var packed = []string{"\x1f\x8b", "PK\x03\x04", "\x28\xb5\x2f\xfd", "\xfd7zXZ", "BZh", "7z\xbc\xaf"}

// Files of record.Report.Save that have no frames.
var (
	errTrace   = errors.New("a trace, for ui.perfetto.dev: give the .csv or .json of the run")
	errOurText = errors.New("the text of a report of frameslice: give the .csv or .json of the run")

	errHistogram = errors.New("a histogram, which has no frames: give the .csv or .json of the run")
)

// NoRun reports whether Read's error means a file of record.Report.Save that has no frames, beside others that have.
func NoRun(err error) bool {
	return errors.Is(err, errTrace) || errors.Is(err, errOurText) || errors.Is(err, errHistogram)
}

// ourText reports whether a text begins as record.Report.Text does: a line with the frames, and the missed ones or how
// to count them. Earlier reports have a name, a line below it, and the frames.
func ourText(head []byte) bool {
	first, rest, _ := bytes.Cut(head, []byte("\n"))
	line, rest, _ := bytes.Cut(rest, []byte("\n"))
	for _, begin := range []string{"  missed ", "  to count all frames: "} {
		if bytes.Contains(first, []byte(": ")) && bytes.HasPrefix(line, []byte(begin)) {
			return true
		}
	}
	return len(line) >= 3 && len(bytes.Trim(line, "=")) == 0 && bytes.HasPrefix(rest, []byte("  "))
}

// add appends an interval, which counts.
func (run *Run) add(d time.Duration) error {
	if len(run.Intervals) >= maxFrames {
		return errFrames
	}
	run.Intervals = append(run.Intervals, d)
	return nil
}

// displayed appends the display's interval of a frame that counts, if the row has it.
func (t *table) displayed(to *record.Intervals) {
	name := framecsv.DisplayChange
	if !t.has(name) {
		name = "DisplayedTime" // PresentMon 2: from here to the next change
	}
	if d := t.part(name); d > 0 {
		*to = append(*to, d)
	}
}

// fact adds a line about the machine, unless it is empty.
func (run *Run) fact(key, value string) {
	key, value = Clean(key), Clean(value)
	if value != "" && len(run.Facts) < maxFacts {
		run.Facts = append(run.Facts, Fact{key, value})
	}
}

func (run *Run) note(format string, a ...any) {
	run.Notes = append(run.Notes, fmt.Sprintf(format, a...))
}

// Clean makes foreign text fit for a line of a terminal: no control characters, nothing that turns the direction of
// writing, and not too long.
func Clean(s string) string {
	runes := 0
	s = strings.Map(func(r rune) rune {
		odd := unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == unicode.ReplacementChar
		if runes++; odd || runes > maxText {
			return -1
		}
		return r
	}, s)
	return strings.TrimSpace(s)
}

// milliseconds converts a figure in ms.
func milliseconds(ms float64) (time.Duration, error) {
	if !(ms >= 0 && ms <= words.Millis(longest)) {
		return 0, fmt.Errorf("%v ms is no frame time", ms)
	}
	return time.Duration(ms*1e6 + 0.5), nil
}
