// Package histograms holds the files that a report has for HdrHistogram's tools to what the library HdrHistogram writes.
package histograms

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/frameslice/frameslice/internal/hdr"
)

// Each histogram has the percentiles of the library's, to the last digit, and both files have its bytes.
func TestFilesAreThoseOfHdrHistogram(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 1))
		ours, theirs := hdr.New(), hdrhistogram.New(1, 60_000_000, 3)
		sum, most := time.Duration(0), time.Duration(0)
		for range rng.IntN(2000) * int(min(seed, 1)) {
			d := time.Duration(math.Exp(rng.Float64() * math.Log(float64(70*time.Second))))
			if seed%3 == 0 {
				d = time.Duration(16e6 + 3e5*rng.NormFloat64())
			}
			ours.Record(d)
			sum, most = sum+d, max(most, d)
			if err := theirs.RecordValue((min(d, time.Minute) + 500).Microseconds()); err != nil {
				t.Fatal(err)
			}
		}
		n := float64(theirs.TotalCount())
		for _, p := range []float64{0, 1, 33.3, 50, 90, 99, 99.9} {
			rank := max(math.Ceil(n*p/100*(1-1e-12)), 1)
			want := min(most, time.Duration(theirs.ValueAtPercentile(100*rank/n))*time.Microsecond)
			if got := ours.Percentile(p); n > 0 && got != want {
				t.Fatalf("seed %d: p%v is %v, want %v", seed, p, got, want)
			}
		}
		var hgrm, hlog, wantHGRM, wantHLog bytes.Buffer
		_, err := theirs.PercentilesPrint(&wantHGRM, 5, 1000)
		for _, e := range []error{err, ours.WriteHGRM(&hgrm), ours.WriteHLog(&hlog, "run"),
			writeLog(&wantHLog, theirs, sum, hlog.Bytes())} {
			if e != nil {
				t.Fatal(e)
			}
		}
		if !bytes.Equal(hgrm.Bytes(), wantHGRM.Bytes()) {
			t.Fatalf("seed %d: the table is\n%s\nwant\n%s", seed, &hgrm, &wantHGRM)
		}
		if !bytes.Equal(hlog.Bytes(), wantHLog.Bytes()) {
			t.Fatalf("seed %d: the log is\n%s\nwant\n%s", seed, &hlog, &wantHLog)
		}
	}
}

// writeLog writes the library's log of h, in nanoseconds, for the time that the log like has.
func writeLog(w *bytes.Buffer, h *hdrhistogram.Histogram, sum time.Duration, like []byte) error {
	c := hdrhistogram.New(1000, int64(time.Minute), 4)
	for _, b := range h.Distribution() {
		if err := c.RecordValues(min((b.From+b.To)*1000/2, int64(time.Minute)), b.Count); err != nil {
			return err
		}
	}
	read, err := hdrhistogram.NewHistogramLogReader(bytes.NewReader(like)).NextIntervalHistogram()
	if err != nil {
		return err
	}
	seconds, err := strconv.ParseFloat(strings.Split(string(like[bytes.Index(like, []byte("\nTag=")):]), ",")[2], 64)
	length := int64(math.Round(seconds * 1000))
	if err != nil || length < sum.Milliseconds() || length > sum.Milliseconds()+1 {
		return fmt.Errorf("the log is of %d ms, want %v: %w", length, sum, err)
	}
	c.SetTag(read.Tag())
	c.SetStartTimeMs(read.StartTimeMs())
	c.SetEndTimeMs(read.StartTimeMs() + length)
	log := hdrhistogram.NewHistogramLogWriter(w)
	for _, err := range []error{
		log.OutputLogFormatVersion(), log.OutputStartTime(read.StartTimeMs()), log.OutputLegend(),
		log.OutputIntervalHistogram(c),
	} {
		if err != nil {
			return err
		}
	}
	return nil
}
