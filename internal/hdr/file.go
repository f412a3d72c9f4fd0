package hdr

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/frameslice/frameslice/internal/hist"
)

// WriteHGRM writes the percentiles in milliseconds, for HdrHistogram's plotters: five rows for each half of what is
// left to 100 %.
func (h *Histogram) WriteHGRM(to io.Writer) error {
	w := bufio.NewWriter(to)
	row := func(us uint64, percent float64, count uint64) {
		rest := "inf"
		if percent < 100 {
			rest = fmt.Sprintf("%.2f", 1/(1-percent/100))
		}
		fmt.Fprintf(w, "%12.3f %12f %12d %12s\n", inMillis(us), percent/100, count, rest)
	}
	fmt.Fprint(w, " Value\tPercentile\tTotalCount\t1/(1-Percentile)\n\n")
	seen, last, mean, next := uint64(0), uint64(0), 0.0, 0.0
	for i, n := range h.counts {
		if n == 0 {
			continue
		}
		seen, last = seen+n, hist.End(i, histogramWidth)
		mean += float64(n) * middleOf(i) / float64(h.n)
		for next <= 100*float64(seen)/float64(h.n) {
			row(last, next, seen)
			next += 100 / (5 * math.Exp2(math.Trunc(math.Log2(100/(100-next)))+1))
			if seen == h.n {
				break
			}
		}
	}
	row(last, 100, seen)
	squares := 0.0
	for i, n := range h.counts {
		off := middleOf(i) - mean
		squares += off * off * float64(n) / float64(max(h.n, 1))
	}
	fmt.Fprintf(w, "#[Mean    = %12.3f, StdDeviation   = %12.3f]\n#[Max     = %12.3f, Total count    = %12d]\n"+
		"#[Buckets = %12d, SubBuckets     = %12d]\n", mean/1000, math.Sqrt(squares)/1000, inMillis(last), h.n,
		histogramBuckets>>histogramWidth-1, 2<<histogramWidth)
	return w.Flush()
}

func inMillis(us uint64) float64 { return float64(us) / 1000 }

// startOf returns the least value in a bucket, in microseconds.
func startOf(bucket int) uint64 {
	if bucket == 0 {
		return 0
	}
	return hist.End(bucket-1, histogramWidth) + 1
}

// middleOf returns the value in the middle of a bucket, as HdrHistogram has it.
func middleOf(bucket int) float64 {
	from := startOf(bucket)
	return float64(from + (hist.End(bucket, histogramWidth)-from+1)/2)
}

// The histogram in a log has one digit more, so that its error stays that of h. Its unit is 512 ns, the power of two
// below a microsecond.
const (
	logDigits = 4
	logWidth  = 14
	logShift  = 9
)

// WriteHLog writes the histogram as an HdrHistogram log of one interval, tagged. Its values are in nanoseconds, as the
// readers of such logs assume. The interval is as long as all durations together, and ends at EndAt.
func (h *Histogram) WriteHLog(w io.Writer, tag string) error {
	counts := make([]uint64, hist.Bucket(uint64(histogramMax)>>logShift, logWidth)+1)
	last := 0
	for i, n := range h.counts {
		if n > 0 {
			middle := (startOf(i) + hist.End(i, histogramWidth)) * uint64(histogramUnit) / 2
			last = hist.Bucket(min(middle, uint64(histogramMax))>>logShift, logWidth)
			counts[last] += n
		}
	}
	payload := payloadOf(counts[:last+1])
	var packed bytes.Buffer
	z, err := zlib.NewWriterLevel(&packed, zlib.BestCompression)
	if err != nil {
		return err
	}
	for _, field := range []any{
		uint32(0x1c849313), uint32(len(payload)), uint32(0), uint32(logDigits), uint64(histogramUnit),
		uint64(histogramMax), 1.0, payload,
	} {
		if err := binary.Write(z, binary.BigEndian, field); err != nil {
			return err
		}
	}
	if err := z.Close(); err != nil {
		return err
	}
	head := binary.BigEndian.AppendUint32(nil, 0x1c849314)
	head = binary.BigEndian.AppendUint32(head, uint32(packed.Len()))

	end := h.end
	if end.IsZero() {
		end = time.Now()
	}
	start := end.Add(-h.sum)
	seconds := func(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }
	tag = strings.Map(func(r rune) rune {
		if r <= ' ' || r == ',' { // the log's own separators
			return '-'
		}
		return r
	}, tag)
	if tag != "" {
		tag = "Tag=" + tag + ","
	}
	_, err = fmt.Fprintf(w, "#[Histogram log format version 1.3]\n#[StartTime: %d (seconds since epoch), %s]\n"+
		"\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n%s%f,%f,%f,%s\n",
		start.UnixMilli()/1000, start.UTC().Truncate(time.Millisecond).Format(time.RFC3339), tag, seconds(start),
		seconds(end)-seconds(start), float64((hist.End(last, logWidth)+1)<<logShift-1)/1e6,
		base64.StdEncoding.EncodeToString(append(head, packed.Bytes()...)))
	return err
}

// payloadOf returns counts as numbers of LEB128 in zigzag: each count, or minus how many in a row are 0.
func payloadOf(counts []uint64) (b []byte) {
	for i := 0; i < len(counts); {
		zeros := 0
		for i+zeros < len(counts) && counts[i+zeros] == 0 {
			zeros++
		}
		if zeros > 1 {
			b = binary.AppendVarint(b, -int64(zeros))
			i += zeros
			continue
		}
		b = binary.AppendVarint(b, int64(counts[i]))
		i++
	}
	return b
}
