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

// csvColumns begin the header of a CSV. The first seventeen have the names of other tools for the nearest figure. So
// CapFrameX, readers of PresentMon's files, and MangoHud's mangoplot (fps) open the file as it is. A present is taken
// to be the start of a frame. The counters of Counts follow, then csvMore, then the time of each section.
//
// CapFrameX splits a line at each comma, so text that may hold a comma comes after its columns. Of FrameTime and
// MsBetweenPresents it reads the later column, and an NA there would be a frame of 0 ms.
var csvColumns = []string{
	"Application", "ProcessID", "SwapChainAddress", "PresentRuntime", "SyncInterval", "PresentFlags", "Dropped",
	"TimeInSeconds", "CPUStartTime", "FrameTime", "CPUBusy", "CPUWait", "MsBetweenPresents", "MsBetweenDisplayChange",
	"DisplayLatency", "AnimationError", "fps", "Frame",
	"Update", "SliceBudget", "SliceUsed", "SliceOverrun", "Draw", "InputLatency", "Updates",
	"Ready", "Delayed", "Queued",
}

// CapFrameX shows the Comment of the first line.
var csvMore = []string{"WorstCost", "WorstLabel", "Flags", "WokeLate", "Waited", "Comment"}

const (
	csvSection = "Section "
	csvUnknown = "NA"
	csvComment = "Frame starts of the loop and no display times: MsBetweenDisplayChange is NA and Dropped is always 0"
	csvShown   = "Presents are frame starts of the loop; display times are from the host"
)

// writeCSV writes one line per record. TimeInSeconds is in seconds from the first record; all other times are in
// milliseconds. FrameTime is from this start to the next one, MsBetweenPresents from the start before to this one.
// InputLatency is from Record.Input to HandedOver, DisplayLatency from Start to Shown. An unknown figure is "NA". Only
// MsBetweenPresents is always a number: without a frame before, it is the target. If the host tells display times,
// AnimationError goes by these, and Dropped is 1 for a frame that was not shown although a later frame was.
func (r *Report) writeCSV(w io.Writer) error {
	buf := bufio.NewWriter(w)
	c := csv.NewWriter(buf)
	line := slices.Clone(csvColumns)
	new(Counts).each(func(field reflect.StructField, _ uint64, _ time.Duration) { line = append(line, field.Name) })
	line = append(line, csvMore...)
	sections := r.Snapshot.sectionNames()
	for _, name := range sections {
		name = strings.ReplaceAll(name, "//", "--") // to CapFrameX the header were a comment
		line = append(line, csvSection+csvText(name, `,"`))
	}
	if err := c.Write(line); err != nil {
		return err
	}
	name := cmp.Or(strings.TrimSpace(csvText(r.Name, `,"`)), csvUnknown)
	// PresentMon writes these, too, for a program whose calls to present it cannot see into.
	same := []string{name, strconv.Itoa(max(0, os.Getpid())), "0x0", "Other", "-1", "0"}
	comment, records := csvComment, r.Snapshot.Records
	var changes []change
	if slices.ContainsFunc(records, func(r Record) bool { return r.Shown != 0 }) {
		comment, changes = csvShown, r.Snapshot.changes()
	}
	for i := range records {
		rec := &records[i]
		var next *Record
		var shown *change
		if changes != nil {
			shown = &changes[i]
		}
		if i+1 < len(records) {
			next = &records[i+1]
		}
		line = rec.csv(append(line[:0], same...), records[0].Start, cmp.Or(rec.Target, r.Snapshot.Target), next,
			shown)
		line = append(line, comment)
		for _, name := range sections {
			spent := time.Duration(0)
			if s := rec.section(name); s != nil {
				spent = s.Time
			}
			line = append(line, csvMS(spent))
		}
		if err := c.Write(line); err != nil {
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

// csv appends all cells from Dropped to Waited. shown is nil in a run without display times.
func (r *Record) csv(
	line []string, origin deadline.Instant, target time.Duration, next *Record, shown *change,
) []string {
	at, interval := r.Start.Sub(origin), r.Interval
	frameTime, wait, draw, latency := csvUnknown, csvUnknown, csvUnknown, csvUnknown
	if interval <= 0 {
		interval = target
	}
	interval = max(interval, 100*time.Nanosecond) // four digits: less were a frame of 0 ms
	if next != nil && next.Interval > 0 {
		frameTime = csvMS(next.Interval)
		wait = csvMS(max(0, next.Interval-r.Busy()))
	}
	dropped, display, displayLatency, anim := r.csvDisplay(shown)
	if r.DrawEnd != 0 {
		draw = csvMS(r.DrawEnd.Sub(r.Start))
	}
	if d, ok := r.latency(r.HandedOver); ok {
		latency = csvMS(d)
	}
	line = append(line, dropped, strconv.FormatFloat(at.Seconds(), 'f', 6, 64), csvMS(at), frameTime, csvMS(r.Busy()),
		wait, csvMS(interval), display, displayLatency, anim, strconv.FormatFloat(1/interval.Seconds(), 'f', 2, 64),
		strconv.FormatUint(r.Number, 10),
		csvMS(r.update()), csvMS(r.Budget()), csvMS(r.Used()), csvMS(r.Overrun()), draw, latency)
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

// csvDisplay returns the cells about the display.
func (r *Record) csvDisplay(c *change) (dropped, interval, latency, anim string) {
	dropped, interval, latency, anim = "0", csvUnknown, csvUnknown, csvUnknown
	if c == nil {
		if e, ok := r.animationError(); ok {
			anim = csvMS(e)
		}
		return dropped, interval, latency, anim
	}
	if c.dropped {
		dropped = "1"
	}
	if c.interval > 0 {
		interval = csvMS(c.interval)
		if c.stepped {
			anim = csvMS(c.step - c.interval)
		}
	}
	if r.Shown != 0 {
		latency = csvMS(r.Shown.Sub(r.Start))
	}
	return dropped, interval, latency, anim
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
