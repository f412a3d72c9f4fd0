package record

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"io"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/frameslice/frameslice/deadline"
)

// csvColumns begin the header of a CSV. The first sixteen have the names of other tools for the nearest figure. So
// CapFrameX, readers of PresentMon's files, and MangoHud's mangoplot (fps) open the file as it is. A present is taken
// to be the start of a frame, as the display's own time is unknown. The counters of Counts follow, then csvMore.
//
// CapFrameX splits a line at each comma, so text that may hold a comma comes after its columns. Of FrameTime and
// MsBetweenPresents it reads the later column, and an NA there would be a frame of 0 ms.
var csvColumns = []string{
	"Application", "ProcessID", "SwapChainAddress", "PresentRuntime", "SyncInterval", "PresentFlags", "Dropped",
	"TimeInSeconds", "CPUStartTime", "FrameTime", "CPUBusy", "CPUWait", "MsBetweenPresents", "MsBetweenDisplayChange",
	"AnimationError", "fps", "Frame",
	"Update", "SliceBudget", "SliceUsed", "SliceOverrun", "Draw", "Updates", "Ready", "Delayed", "Queued",
}

// CapFrameX shows the Comment of the first line.
var csvMore = []string{"WorstCost", "WorstLabel", "Flags", "WokeLate", "Waited", "Comment"}

const (
	csvUnknown = "NA"
	csvComment = "Frame starts of the loop and no display times: MsBetweenDisplayChange is NA and Dropped is always 0"
)

// writeCSV writes one line per record. TimeInSeconds is in seconds from the first record; all other times are in
// milliseconds. FrameTime is from this start to the next one, MsBetweenPresents from the start before to this one. An
// unknown figure is "NA". Only MsBetweenPresents is always a number: without a frame before, it is the target.
func (r *Report) writeCSV(w io.Writer) error {
	buf := bufio.NewWriter(w)
	c := csv.NewWriter(buf)
	line := slices.Clone(csvColumns)
	new(Counts).each(func(field reflect.StructField, _ uint64, _ time.Duration) { line = append(line, field.Name) })
	if err := c.Write(append(line, csvMore...)); err != nil {
		return err
	}
	name := cmp.Or(strings.TrimSpace(csvText(r.Name, `,"`)), csvUnknown)
	// PresentMon writes these, too, for a program whose calls to present it cannot see into.
	same := []string{name, strconv.Itoa(max(0, os.Getpid())), "0x0", "Other", "-1", "0", "0"}
	comment, records := csvComment, r.Snapshot.Records
	for i := range records {
		rec := &records[i]
		var next *Record
		if i+1 < len(records) {
			next = &records[i+1]
		}
		line = rec.csv(append(line[:0], same...), records[0].Start, cmp.Or(rec.Target, r.Snapshot.Target), next)
		if err := c.Write(append(line, comment)); err != nil {
			return err
		}
		comment = ""
	}
	c.Flush()
	if err := c.Error(); err != nil {
		return err
	}
	return buf.Flush()
}

// csv appends all cells from TimeInSeconds to Waited.
func (r *Record) csv(line []string, origin deadline.Instant, target time.Duration, next *Record) []string {
	at, interval := r.Start.Sub(origin), r.Interval
	frameTime, wait, anim, draw := csvUnknown, csvUnknown, csvUnknown, csvUnknown
	if interval <= 0 {
		interval = target
	}
	interval = max(interval, 100*time.Nanosecond) // four digits: less were a frame of 0 ms
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
	line = append(line, strconv.FormatFloat(at.Seconds(), 'f', 6, 64), csvMS(at), frameTime, csvMS(r.Busy()), wait,
		csvMS(interval), csvUnknown, anim, strconv.FormatFloat(1/interval.Seconds(), 'f', 2, 64),
		strconv.FormatUint(r.Number, 10),
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
	return append(line, csvMS(r.WorstCost), csvText(r.WorstLabel, ""), r.Flags.names(), csvMS(r.Woke), csvMS(r.Waited))
}

func csvMS(d time.Duration) string { return strconv.FormatFloat(float64(d)/1e6, 'f', 4, 64) }

// csvText returns s with a dash for each character of control and of bad, so that each record is one line.
func csvText(s, bad string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsControl(c) || strings.ContainsRune(bad, c) {
			return '-'
		}
		return c
	}, s)
}
