package record

import (
	"bufio"
	"encoding/csv"
	"io"
	"strconv"
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// csvColumns is the header of WriteCSV. The first eight carry the names which PresentMon gives to what
// comes nearest, so that its readers find them; a present is taken to be the start of a frame, as the
// display's own time is unknown.
var csvColumns = []string{
	"Frame", "TimeInSeconds", "MsBetweenPresents", "FrameTime", "CPUStartTime",
	"CPUBusy", "CPUWait", "AnimationError",
	"Update", "SliceBudget", "SliceUsed", "SliceOverrun", "Draw", "Updates",
	"Ran", "Expired", "Deferred", "Canceled", "Jobs", "Ready", "Delayed", "Queued", "HandedBack",
	"GCCycles", "GCPause", "WorstCost", "WorstLabel", "Flags", "WokeLate", "Waited",
}

// WriteCSV writes one line per record. TimeInSeconds is in seconds from the first record; all other times
// are in milliseconds. FrameTime is from this start to the next one, MsBetweenPresents from the one before
// to this. What is not known is "NA".
func (s *Snapshot) WriteCSV(w io.Writer) error {
	buf := bufio.NewWriter(w)
	c := csv.NewWriter(buf)
	if err := c.Write(csvColumns); err != nil {
		return err
	}
	line := make([]string, 0, len(csvColumns))
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
	for _, n := range [...]int64{
		int64(r.Updates), int64(r.Ran), int64(r.Expired), int64(r.Deferred), int64(r.Canceled), int64(r.Jobs),
		int64(r.Ready), int64(r.Delayed), int64(r.Queued), int64(r.HandedBack), int64(r.GCCycles),
	} {
		line = append(line, strconv.FormatInt(n, 10))
	}
	return append(line, csvMS(r.GCPause), csvMS(r.WorstCost), r.WorstLabel, r.Flags.String(), csvMS(r.Woke),
		csvMS(r.Waited))
}

func csvMS(d time.Duration) string { return strconv.FormatFloat(float64(d)/1e6, 'f', 4, 64) }
