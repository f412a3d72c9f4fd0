package runfile

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// A table is a CSV below its header.
type table struct {
	*lines
	run     *Run
	columns map[string]int // by name in lower case
	width   int
	cells   []string // of the present row
	err     error    // the first bad cell
}

// csv looks for a header that has a column of frame times.
func (l *lines) csv() (*Run, error) {
	run := new(Run)
	for l.n < maxHead {
		cells, err := l.record()
		switch {
		case errors.Is(err, io.EOF):
			return nil, errHeader
		case err != nil:
			return nil, err
		}
		if comment, ok := strings.CutPrefix(cells[0], "//"); ok {
			comment = strings.Join(append([]string{comment}, cells[1:]...), ",")
			if key, value, ok := strings.Cut(comment, "="); ok {
				run.fact(key, value)
			}
			continue
		}
		t := &table{lines: l, run: run, columns: make(map[string]int), width: len(cells)}
		for i, name := range cells {
			name = strings.ToLower(strings.TrimSpace(name))
			if _, twice := t.columns[name]; !twice {
				t.columns[name] = i
			}
		}
		switch {
		case t.has("SliceBudget", "MsBetweenPresents"):
			return run, t.ours()
		case t.has("fps", "frametime"):
			return run, t.mangoHud()
		case t.has("MsBetweenPresents"), t.has("FrameTime"), t.has("MsBetweenAppStart"):
			return run, t.presentMon()
		case t.has("os", "cpu", "gpu"):
			if err := l.mangoSystem(run, cells); err != nil {
				return nil, err
			}
		case len(cells) > 1:
			return nil, errHeader
		}
	}
	return nil, errHeader
}

var errHeader = errors.New(
	"no column of frame times: a CSV needs MsBetweenPresents, FrameTime or frametime in its header")

func (t *table) has(names ...string) bool {
	for _, name := range names {
		if _, ok := t.columns[strings.ToLower(name)]; !ok {
			return false
		}
	}
	return true
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
		case len(cells) == t.width:
			t.cells = cells
			return true
		case len(cells) == 1 && (strings.TrimSpace(cells[0]) == "" || strings.HasPrefix(cells[0], "//")):
		case t.cut && len(cells) < t.width:
			t.run.note("the last line is cut off, and does not count")
			return false
		default:
			t.err = fmt.Errorf("%d cells, but the header has %d", len(cells), t.width)
		}
	}
	return false
}

// text returns the cell of a column, or "".
func (t *table) text(name string) string {
	if i, ok := t.columns[strings.ToLower(name)]; ok {
		return strings.TrimSpace(t.cells[i])
	}
	return ""
}

// number returns the cell of a column, or false if it is empty or NA.
func (t *table) number(name string) (float64, bool) {
	s := t.text(name)
	if s == "" || strings.EqualFold(s, "NA") {
		return 0, false
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || f != f {
		t.fail(name, fmt.Errorf("%.40q is no number", s))
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

// part returns a cell in milliseconds, or 0 if it is unknown.
func (t *table) part(name string) time.Duration {
	d, _ := t.ms(name)
	return d
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
