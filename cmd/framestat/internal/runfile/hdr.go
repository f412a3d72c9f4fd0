package runfile

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Bytes of the histograms of a log, together and each. A line of 100 bytes can ask for 50 MB.
const (
	maxDecoded   = 2 << 30
	maxHistogram = 32 << 20
)

// hlog reads an HdrHistogram log: a histogram a line, of which those with one tag are a run. Its values are
// nanoseconds, as readers of such logs assume.
func (l *lines) hlog(only []string) ([]*Run, error) {
	var runs []*Run
	var names []string
	decoded, frames := int64(0), int64(0)
	for {
		line, err := l.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' || line[0] == '"' {
			continue // a comment, or the legend
		}
		cut := func() bool { // a program that was killed does not end its last line
			if l.cut && len(runs) > 0 {
				runs[0].note("the last line is cut off, and does not count")
			}
			return l.cut && len(runs) > 0
		}
		tag := ""
		if rest, ok := strings.CutPrefix(line, "Tag="); ok {
			tag, line, _ = strings.Cut(rest, ",")
		}
		cells := strings.Split(line, ",")
		if len(cells) != 4 && cut() {
			break
		}
		if len(cells) != 4 {
			return nil, errors.New("want a start, a length, a maximum and a histogram, with commas between")
		}
		h, err := hdrhistogram.Decode([]byte(cells[3]))
		if err != nil && cut() {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("histogram: %w", err)
		}
		tag = Clean(tag)
		k := slices.Index(names, tag)
		if k < 0 {
			if k = len(runs); k == maxHead {
				return nil, errors.New("too many tags")
			}
			names = append(names, strings.Clone(tag))
			runs = append(runs, &Run{Name: names[k], Format: "HdrHistogram log", Sorted: true})
		}
		if decoded += int64(h.ByteSize()); decoded > maxDecoded || h.ByteSize() > maxHistogram {
			return nil, errors.New("too many or too large histograms")
		}
		if frames += h.TotalCount(); h.TotalCount() > maxFrames || frames > maxFrames {
			return nil, errFrames
		}
		for _, b := range h.Distribution() {
			middle := b.From + (b.To-b.From)/2
			if b.Count > 0 && (middle < 0 || time.Duration(middle) > longest) {
				return nil, fmt.Errorf("%d ns is no frame time", middle)
			}
			if err := runs[k].addMany(time.Duration(middle), b.Count); err != nil {
				return nil, err
			}
		}
	}
	if len(runs) == 0 {
		return nil, errors.New("no histogram in this log")
	}
	for i, run := range runs {
		slices.Sort(run.Intervals)
		run.note("a histogram: values as nanoseconds, without the order of the frames")
		if len(run.Intervals) == 0 || !wanted(names[i], only) {
			runs[i] = nil
		}
	}
	runs = slices.DeleteFunc(runs, func(r *Run) bool { return r == nil })
	switch {
	case len(runs) == 0 && len(only) == 0:
		return nil, errors.New("no frames")
	case len(runs) == 0:
		return nil, fmt.Errorf("no frames with a tag that is wanted, among %s",
			strings.Join(names[:min(len(names), maxNames)], ", "))
	}
	return runs, nil
}

// isLog reports whether a line can only be of an HdrHistogram log: its head, or a histogram with or without a tag.
func isLog(line string) bool {
	for _, head := range []string{"#[Histogram log", "#[StartTime", "#[BaseTime", `"StartTimestamp"`, "Tag="} {
		if strings.HasPrefix(line, head) {
			return true
		}
	}
	cells := strings.Split(line, ",")
	return len(cells) == 4 && strings.HasPrefix(cells[3], "HIST")
}

// isPercentiles reports whether a line is the header of HdrHistogram's table of percentiles, as text or as CSV.
func isPercentiles(line string) bool {
	line = strings.TrimPrefix(line, `"`)
	return strings.HasPrefix(line, "Value") && strings.Contains(line, "Percentile")
}

// hgrm reads HdrHistogram's table of percentiles, which begins with the next line and ends with all of the values. Its
// values are milliseconds, as we and most programs write them.
func (l *lines) hgrm() ([]*Run, error) {
	run := &Run{Format: "HdrHistogram percentiles", Sorted: true}
	head, err := l.next()
	if err != nil {
		return nil, err
	}
	comma := ""
	if i := strings.IndexAny(head, ",;"); i >= 0 {
		comma = head[i : i+1]
	}
	var seen int64
	var last time.Duration
	for {
		line, err := l.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		cells := strings.Fields(line)
		if comma != "" {
			cells, _ = split(line, comma)
		}
		if len(cells) == 0 || strings.TrimSpace(line) == "" || strings.HasPrefix(cells[0], "#") {
			continue
		}
		d, count, all, err := percentile(cells)
		if err == nil && (d < last || count < seen) {
			err = errors.New("values and counts must ascend")
		}
		if err != nil && l.cut && seen > 0 {
			run.note("the last line is cut off, and does not count")
			break
		}
		if err != nil {
			return nil, err
		}
		if err := run.addMany(d, count-seen); err != nil {
			return nil, err
		}
		if seen, last = count, d; all {
			break // what follows is of the program that has printed the table
		}
	}
	if seen > 0 {
		run.note("a histogram: values as milliseconds, without the order of the frames; " +
			"sums are a little high, as only the upper ends of its steps are known")
	}
	return []*Run{run}, nil
}

// percentile reads a row of the table. all is true for the last one.
func percentile(cells []string) (d time.Duration, count int64, all bool, err error) {
	if len(cells) < 3 {
		return 0, 0, false, errors.New("want a value, a percentile and a count")
	}
	for i := range cells {
		cells[i] = strings.TrimSpace(cells[i])
	}
	ms, err := strconv.ParseFloat(cells[0], 64)
	if err != nil {
		return 0, 0, false, fmt.Errorf("%.40q is no number", cells[0])
	}
	if d, err = milliseconds(ms); err != nil {
		return 0, 0, false, err
	}
	if count, err = strconv.ParseInt(cells[2], 10, 64); err != nil {
		return 0, 0, false, fmt.Errorf("%.40q is no count", cells[2])
	}
	p, err := strconv.ParseFloat(cells[1], 64)
	return d, count, err == nil && p >= 1 && len(cells) > 3 && strings.HasPrefix(strings.ToLower(cells[3]), "inf"), nil
}
