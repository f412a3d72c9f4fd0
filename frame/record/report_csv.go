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
	"github.com/frameslice/frameslice/internal/framecsv"
	"github.com/frameslice/frameslice/internal/words"
)

// A csvRow is what the cells of a line are made of.
type csvRow struct {
	*Record
	name, comment string
	origin        deadline.Instant
	interval      time.Duration // never 0
	following     time.Duration // the Interval of the next record, or 0 if unknown
	displayed     bool          // the run has display times
	change        change        // of the display; zero in a run without display times
	why           string        // the frame came late, or ""
}

// A csvColumn is a column: its name, and its cell in a line.
type csvColumn struct {
	name string
	cell func(*csvRow) string
}

const (
	csvComment = "Frame starts of the loop and no display times: MsBetweenDisplayChange is NA and Dropped is always 0"
	csvShown   = "Presents are frame starts of the loop; display times are from the host"
)

// csvColumns are the columns before the counters of Counts. Those up to fps have the names of other tools for the
// nearest figure. So CapFrameX, readers of PresentMon's files, and MangoHud's mangoplot (fps) open the file as it is. A
// present is taken to be the start of a frame. PresentMon, too, writes the cells from SwapChainAddress to PresentFlags
// for a program whose calls to present it cannot see into.
//
// CapFrameX splits a line at each comma, so text that may hold a comma comes after the columns that CapFrameX reads. It
// takes the frame time from FrameTime or from MsBetweenPresents, whichever column comes later, and it reads an NA as a
// frame of 0 ms. So the later one of the two must have a number in each row.
var csvColumns = []csvColumn{
	{framecsv.Application, func(r *csvRow) string { return r.name }},
	{"ProcessID", func(*csvRow) string { return strconv.Itoa(max(0, os.Getpid())) }},
	{"SwapChainAddress", func(*csvRow) string { return "0x0" }},
	{"PresentRuntime", func(*csvRow) string { return "Other" }},
	{"SyncInterval", func(*csvRow) string { return "-1" }},
	{"PresentFlags", func(*csvRow) string { return "0" }},
	{"Dropped", func(r *csvRow) string {
		if r.change.dropped {
			return "1"
		}
		return "0"
	}},
	{framecsv.Time, func(r *csvRow) string {
		return strconv.FormatFloat(r.Start.Sub(r.origin).Seconds(), 'f', 6, 64)
	}},
	{"CPUStartTime", func(r *csvRow) string { return csvMS(r.Start.Sub(r.origin)) }},
	{"FrameTime", func(r *csvRow) string { return csvKnown(r.following, r.following > 0) }},
	{"CPUBusy", func(r *csvRow) string { return csvKnown(r.Busy(), r.Timed()) }},
	{"CPUWait", func(r *csvRow) string { return csvKnown(max(0, r.following-r.Busy()), r.following > 0 && r.Timed()) }},
	{framecsv.Interval, func(r *csvRow) string { return csvMS(r.interval) }},
	{framecsv.DisplayChange, func(r *csvRow) string { return csvKnown(r.change.interval, r.change.interval > 0) }},
	{"DisplayLatency", func(r *csvRow) string { return csvKnown(r.Shown.Sub(r.Start), r.Shown != 0) }},
	{"AnimationError", func(r *csvRow) string {
		if r.displayed {
			return csvKnown(r.change.step-r.change.interval, r.change.interval > 0 && r.change.stepped)
		}
		return csvKnown(r.animationError())
	}},
	{"fps", func(r *csvRow) string { return strconv.FormatFloat(1/r.interval.Seconds(), 'f', 2, 64) }},
	{framecsv.Frame, func(r *csvRow) string { return strconv.FormatUint(r.Number, 10) }},
	{"Update", func(r *csvRow) string { return csvMS(r.update()) }},
	{"SliceBudget", func(r *csvRow) string { return csvMS(r.Budget()) }},
	{"SliceUsed", func(r *csvRow) string { return csvMS(r.Used()) }},
	{"SliceOverrun", func(r *csvRow) string { return csvMS(r.Overrun()) }},
	{"Draw", func(r *csvRow) string { return csvKnown(r.DrawEnd.Sub(r.Start), r.DrawEnd != 0) }},
	{"InputLatency", func(r *csvRow) string { return csvKnown(r.Latency(r.HandedOver)) }},
	{"Updates", func(r *csvRow) string { return strconv.FormatUint(uint64(r.Updates), 10) }},
	{"Ready", func(r *csvRow) string { return strconv.Itoa(int(r.Ready)) }},
	{"Delayed", func(r *csvRow) string { return strconv.Itoa(int(r.Delayed)) }},
	{"Queued", func(r *csvRow) string { return strconv.Itoa(int(r.Queued)) }},
}

// csvMore are the columns between the counters and the sections. CapFrameX shows the Comment of the first line.
var csvMore = []csvColumn{
	{"WorstCost", func(r *csvRow) string { return csvMS(r.WorstCost) }},
	{"WorstLabel", func(r *csvRow) string { return csvText(r.WorstLabel, "") }},
	{"WorstJobCost", func(r *csvRow) string { return csvMS(r.WorstJobCost) }},
	{"WorstJob", func(r *csvRow) string { return csvText(r.WorstJob, "") }},
	{framecsv.Flags, func(r *csvRow) string {
		if r.Interval > 0 {
			return r.Flags.names()
		}
		return strings.Trim(r.Flags.names()+"|"+framecsv.NoInterval, "|")
	}},
	{"WokeLate", func(r *csvRow) string { return csvMS(r.Woke) }},
	{"Waited", func(r *csvRow) string { return csvMS(r.Waited) }},
	{framecsv.Why, func(r *csvRow) string { return csvText(r.why, "") }},
	{"Comment", func(r *csvRow) string { return r.comment }},
}

// csvTable returns all columns of a CSV: csvColumns, a column for each counter of Counts, csvMore, and a column for
// each section.
func csvTable(sections []string) []csvColumn {
	table := slices.Clone(csvColumns)
	for i, field := range reflect.VisibleFields(reflect.TypeFor[Counts]()) {
		table = append(table, csvColumn{field.Name, func(r *csvRow) string {
			v := reflect.ValueOf(&r.Counts).Elem().Field(i)
			if v.Kind() == reflect.Uint64 {
				return strconv.FormatUint(v.Uint(), 10)
			}
			return csvMS(time.Duration(v.Int()))
		}})
	}
	table = append(table, csvMore...)
	for _, name := range sections {
		title := strings.ReplaceAll(name, "//", "--") // to CapFrameX the header were a comment
		table = append(table, csvColumn{"Section " + csvText(title, `,"`), func(r *csvRow) string {
			if s := r.section(name); s != nil {
				return csvMS(s.Time)
			}
			return csvMS(0)
		}})
	}
	return table
}

// writeCSV writes one line per record. TimeInSeconds is in seconds from the first record; all other times are in
// milliseconds. FrameTime is from this start to the next one, MsBetweenPresents from the start before to this one.
// InputLatency is from Record.Input to HandedOver, DisplayLatency from Start to Shown. An unknown figure is "NA". Only
// MsBetweenPresents is always a number: without a frame before, it is the target. If the host tells display times,
// AnimationError goes by these, and Dropped is 1 for a frame that was not shown although a later frame was.
func (r *Report) writeCSV(w io.Writer) error {
	buf := bufio.NewWriter(w)
	c := csv.NewWriter(buf)
	table := csvTable(r.Snapshot.sectionNames())
	line := make([]string, 0, len(table))
	for i := range table {
		line = append(line, table[i].name)
	}
	if err := c.Write(line); err != nil {
		return err
	}
	name := cmp.Or(strings.TrimSpace(csvText(r.Name, `,"`)), framecsv.Unknown)
	comment, records := csvComment, r.Snapshot.Records
	var changes []change
	if slices.ContainsFunc(records, func(r Record) bool { return r.Shown != 0 }) {
		comment, changes = csvShown, r.Snapshot.changes()
	}
	for i := range records {
		rec := &records[i]
		row := csvRow{Record: rec, name: name, comment: comment, origin: records[0].Start, interval: rec.Interval}
		if rec.Interval <= 0 {
			row.interval = cmp.Or(rec.Target, r.Snapshot.Target)
		}
		row.interval = max(row.interval, 100*time.Nanosecond) // four digits: less were a frame of 0 ms
		if i+1 < len(records) {
			row.following = max(0, records[i+1].Interval)
		}
		if r.Snapshot.cameLate(rec) {
			row.why = r.Snapshot.why(i)
		}
		if changes != nil {
			row.displayed, row.change = true, changes[i]
		}
		line = line[:0]
		for k := range table {
			line = append(line, table[k].cell(&row))
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

// csvKnown returns the cell of a time that is known or not.
func csvKnown(d time.Duration, known bool) string {
	if !known {
		return framecsv.Unknown
	}
	return csvMS(d)
}

func csvMS(d time.Duration) string { return words.MS(d, 4) }

// csvText returns s with a dash for each character of control and of bad, so that each record is one line.
func csvText(s, bad string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsControl(c) || strings.ContainsRune(bad, c) {
			return '-'
		}
		return c
	}, s)
}
