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

// maxDecoded limits the memory of all histograms of a log together, in bytes. A line of 100 bytes can ask for 50 MB.
const maxDecoded = 2 << 30

// hlog reads an HdrHistogram log: a histogram a line. Its values are nanoseconds, as readers of such logs assume.
func (l *lines) hlog() (*Run, error) {
	run := &Run{Format: "HdrHistogram log", Sorted: true}
	tags := map[string]bool{}
	decoded := int64(0)
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
		h, err := hdrhistogram.Decode([]byte(cells[3]))
		if err != nil {
			return nil, fmt.Errorf("histogram: %w", err)
		}
		if decoded += int64(h.ByteSize()); decoded > maxDecoded {
			return nil, errors.New("too many or too large histograms")
		}
		for _, b := range h.Distribution() {
			middle := b.From + (b.To-b.From)/2
			if b.Count > 0 && (middle < 0 || time.Duration(middle) > longest) {
				return nil, fmt.Errorf("%d ns is no frame time", middle)
			}
			if err := run.addMany(time.Duration(middle), b.Count); err != nil {
				return nil, err
			}
		}
		if len(tags) < maxHead {
			tags[Clean(tag)] = true
		}
		run.Name = Clean(tag)
	}
	if len(tags) > 1 {
		run.Name = ""
		run.note("%d tags: all histograms together count", len(tags))
	}
	slices.Sort(run.Intervals)
	run.note("a histogram: values as nanoseconds, without the order of the frames")
	return run, nil
}

// hgrm reads HdrHistogram's table of percentiles. Its values are milliseconds, as we and most programs write them.
func (l *lines) hgrm() (*Run, error) {
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
	run.note("a histogram: values as milliseconds, without the order of the frames; " +
		"sums are a little high, as only the upper ends of its steps are known")
	return run, nil
}
