package runfile

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/frameslice/frameslice/internal/framecsv"
)

// A table is a CSV below its header.
type table struct {
	*lines
	run     *Run
	head    []string
	columns map[string]int // by name in lower case
	asked   map[string]int // by name as the code has it: -1 is no column
	width   int
	least   int      // cells that a row must have: the later columns are not read
	row     []string // the present one
	odd     int      // cells that are no times, and do not matter
	err     error    // the first bad cell
}

// csv looks for a header that has a column of frame times.
func (l *lines) csv(only []string) ([]*Run, error) {
	run := new(Run)
	var first []string // of the first line with several cells, which is the line at
	at := 0
	for l.n < maxHead {
		line, err := l.next()
		switch {
		case errors.Is(err, io.EOF):
			return nil, l.noHeader(first, at)
		case err != nil:
			return nil, err
		}
		switch text := strings.TrimSpace(line); {
		case text == "", text[0] == '#':
			continue
		}
		l.comma = ","
		if comment, ok := strings.CutPrefix(strings.TrimPrefix(line, `"`), "//"); ok {
			if key, value, ok := strings.Cut(comment, "="); ok {
				run.fact(key, strings.TrimRight(value, `;,"`))
			}
			continue
		}
		for _, comma := range []string{";", "\t"} { // as spreadsheets save where 1,5 is a number
			if strings.Count(line, comma) > strings.Count(line, ",") {
				l.comma = comma
			}
		}
		cells, open := split(line, l.comma)
		if open {
			continue // no header, but other text
		}
		t := &table{lines: l, run: run, head: cells, columns: make(map[string]int), asked: make(map[string]int),
			width: len(cells)}
		for i, name := range cells {
			name = strings.ToLower(strings.TrimSpace(name))
			if _, twice := t.columns[name]; !twice {
				t.columns[name] = i
			}
		}
		switch {
		case t.has(framecsv.Interval, framecsv.Flags, framecsv.Why):
			return t.ours(only)
		case t.has("fps", "frametime"):
			return []*Run{run}, t.mangoHud()
		case t.has("MsBetweenPresents"), t.has("FrameTime"), t.has("MsBetweenAppStart"):
			return t.presentMon(only)
		case t.has("os", "cpu", "gpu"):
			if err := l.mangoSystem(run, cells); err != nil {
				return nil, err
			}
			l.comma = ","
		case len(cells) > 1 && at == 0:
			first, at = cells, l.n
		}
	}
	return nil, l.noHeader(first, at)
}

// noHeader says what the file seems to be.
func (l *lines) noHeader(first []string, at int) error {
	const needs = "no column of frame times: a CSV needs MsBetweenPresents, FrameTime or frametime in its header"
	if at == 0 {
		return errors.New(needs)
	}
	l.n = at
	var seen []string
	for _, cell := range first[:min(len(first), maxNames)] {
		seen = append(seen, fmt.Sprintf("%.24q", Clean(cell)))
	}
	return fmt.Errorf("%s; this line has %s", needs, strings.Join(seen, ", "))
}

func (t *table) has(names ...string) bool {
	for _, name := range names {
		if t.column(name) < 0 {
			return false
		}
	}
	return true
}

// column returns where a column is, or -1.
func (t *table) column(name string) int {
	i, ok := t.asked[name]
	if !ok {
		if i, ok = t.columns[strings.ToLower(name)]; !ok {
			i = -1
		}
		t.asked[name] = i
	}
	return i
}

// next reads the next row, and returns false at the end, or after an error.
func (t *table) next() bool {
	for t.err == nil {
		cells, err := t.record()
		switch {
		case errors.Is(err, io.EOF):
			return false
		case err != nil:
			t.err = err
		case t.cut && len(cells) < max(t.least, len(t.row)):
			t.run.note("the last line is cut off, and does not count")
			return false
		case len(cells) == 1 && (strings.TrimSpace(cells[0]) == "" || strings.HasPrefix(cells[0], "//")):
		case len(cells) >= t.least && strings.Join(cells[min(len(cells), t.width):], "") == "":
			t.row = cells
			return true
		default:
			t.err = fmt.Errorf("%d cells, but the header has %d", len(cells), t.width)
		}
	}
	return false
}

// reads tells which columns are read, of those that there are. OCAT's later rows lack the cells about the machine.
func (t *table) reads(names ...string) {
	for _, name := range names {
		t.least = max(t.least, t.column(name)+1)
	}
}

// text returns the cell of a column, or "".
func (t *table) text(name string) string {
	if i := t.column(name); i >= 0 && i < len(t.row) {
		return strings.TrimSpace(t.row[i])
	}
	return ""
}

// number returns the cell of a column, or false if it is empty or NA.
func (t *table) number(name string) (float64, bool) {
	s := t.text(name)
	if s == "" || strings.EqualFold(s, "NA") {
		return 0, false
	}
	f, err := t.lines.number(s)
	if err != nil {
		t.fail(name, err)
		return 0, false
	}
	return f, true
}

func (t *table) fail(name string, err error) {
	if t.err == nil {
		t.err = fmt.Errorf("column %s: %w", name, err)
	}
}

// ms returns a cell in milliseconds.
func (t *table) ms(name string) (time.Duration, bool) {
	f, ok := t.number(name)
	if !ok {
		return 0, false
	}
	d, err := milliseconds(f)
	if err != nil {
		t.fail(name, err)
	}
	return d, err == nil
}

// part returns a cell in milliseconds that a reading does not depend on, or 0 if it is unknown or no time.
func (t *table) part(name string) time.Duration {
	before := t.err
	d, _ := t.ms(name)
	if t.err != before {
		t.err = before
		t.odd++
	}
	return d
}

// unknown reports whether a cell has no time: it is empty, NA, no number or 0.
func (t *table) unknown(name string) bool {
	f, err := t.lines.number(t.text(name))
	return err != nil || f == 0
}

// clock returns the time of a row, or NaN if there is none, or another than a number, as a date.
func (t *table) clock(name string) float64 {
	f, err := t.lines.number(t.text(name))
	if err != nil {
		return math.NaN()
	}
	return f
}

// count returns a cell that has a whole number, or 0 if it is unknown.
func (t *table) count(name string) uint64 {
	f, ok := t.number(name)
	if !ok {
		return 0
	}
	if !(f >= 0 && f < 1<<63) {
		t.fail(name, fmt.Errorf("%v is no count", f))
		return 0
	}
	return uint64(f)
}
