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
		tag := ""
		if rest, ok := strings.CutPrefix(line, "Tag="); ok {
			tag, line, _ = strings.Cut(rest, ",")
		}
		cells := strings.Split(line, ",")
		if len(cells) != 4 {
			return nil, errors.New("want a start, a length, a maximum and a histogram, with commas between")
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
		h, err := hdrhistogram.Decode([]byte(cells[3]))
		if err != nil {
			return nil, fmt.Errorf("histogram: %w", err)
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

// hgrm reads HdrHistogram's table of percentiles. Its values are milliseconds, as we and most programs write them.
func (l *lines) hgrm() ([]*Run, error) {
	run := &Run{Format: "HdrHistogram percentiles", Sorted: true}
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
		if len(cells) == 0 || cells[0] == "Value" || strings.HasPrefix(cells[0], "#") {
			continue
		}
		if len(cells) < 3 {
			return nil, errors.New("want a value, a percentile and a count")
		}
		ms, err := strconv.ParseFloat(cells[0], 64)
		if err != nil {
			return nil, fmt.Errorf("%.40q is no number", cells[0])
		}
		d, err := milliseconds(ms)
		if err != nil {
			return nil, err
		}
		count, err := strconv.ParseInt(cells[2], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%.40q is no count", cells[2])
		}
		if d < last || count < seen {
			return nil, errors.New("values and counts must ascend")
		}
		if err := run.addMany(d, count-seen); err != nil {
			return nil, err
		}
		seen, last = count, d
	}
	if seen > 0 {
		run.note("a histogram: values as milliseconds, without the order of the frames; " +
			"sums are a little high, as only the upper ends of its steps are known")
	}
	return []*Run{run}, nil
}
