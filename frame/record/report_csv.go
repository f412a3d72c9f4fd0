package record

import (
	"bufio"
	"encoding/csv"
	"io"
	"reflect"
	"slices"
	"strconv"
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// csvColumns begin the header of a CSV. The first eight have PresentMon's names for the nearest figure, so its readers
// find them. A present is taken to be the start of a frame, as the display's own time is unknown. The counters of
// Counts follow, then csvMore.
var csvColumns = []string{
	"Frame", "TimeInSeconds", "MsBetweenPresents", "FrameTime", "CPUStartTime",
	"CPUBusy", "CPUWait", "AnimationError",
	"Update", "SliceBudget", "SliceUsed", "SliceOverrun", "Draw", "Updates", "Ready", "Delayed", "Queued",
}

var csvMore = []string{"WorstCost", "WorstLabel", "Flags", "WokeLate", "Waited"}

// writeCSV writes one line per record. TimeInSeconds is in seconds from the first record; all other times are in
// milliseconds. FrameTime is from this start to the next one, MsBetweenPresents from the start before to this one. An
// unknown figure is "NA".
func (s *Snapshot) writeCSV(w io.Writer) error {
	buf := bufio.NewWriter(w)
	c := csv.NewWriter(buf)
	line := slices.Clone(csvColumns)
	new(Counts).each(func(field reflect.StructField, _ uint64, _ time.Duration) { line = append(line, field.Name) })
	if err := c.Write(append(line, csvMore...)); err != nil {
		return err
	}
	for i := range s.Records {
		r := &s.Records[i]
		var next *Record
		if i+1 < len(s.Records) {
			next = &s.Records[i+1]
		}
		if err := c.Write(r.csv(line[:0], s.Records[0].Start, next)); err != nil {
			return err
		}
	}
	c.Flush()
	if err := c.Error(); err != nil {
		return err
	}
	return buf.Flush()
}

const csvUnknown = "NA"

func (r *Record) csv(line []string, origin deadline.Instant, next *Record) []string {
	at := r.Start.Sub(origin)
	frameTime, wait, anim, draw, interval := csvUnknown, csvUnknown, csvUnknown, csvUnknown, csvUnknown
	if r.Interval > 0 {
		interval = csvMS(r.Interval)
	}
	if next != nil && next.Interval > 0 {
		frameTime = csvMS(next.Interval)
		wait = csvMS(max(0, next.Interval-r.Busy()))
	}
	if e, ok := r.animationError(); ok {
		anim = csvMS(e)
	}
	if r.DrawEnd != 0 {
		draw = csvMS(r.DrawEnd.Sub(r.Start))
	}
	line = append(line, strconv.FormatUint(r.Number, 10), strconv.FormatFloat(at.Seconds(), 'f', 6, 64),
		interval, frameTime, csvMS(at), csvMS(r.Busy()), wait, anim,
		csvMS(r.update()), csvMS(r.Budget()), csvMS(r.Used()), csvMS(r.Overrun()), draw)
	for _, n := range [...]int64{int64(r.Updates), int64(r.Ready), int64(r.Delayed), int64(r.Queued)} {
		line = append(line, strconv.FormatInt(n, 10))
	}
	r.Counts.each(func(field reflect.StructField, n uint64, d time.Duration) {
		if field.Type.Kind() == reflect.Uint64 {
			line = append(line, strconv.FormatUint(n, 10))
		} else {
			line = append(line, csvMS(d))
		}
	})
	return append(line, csvMS(r.WorstCost), r.WorstLabel, r.Flags.names(), csvMS(r.Woke), csvMS(r.Waited))
}

func csvMS(d time.Duration) string { return strconv.FormatFloat(float64(d)/1e6, 'f', 4, 64) }
