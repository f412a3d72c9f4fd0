package play

import (
	"strings"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame/record"
)

func TestBlameNamesTheLargestPart(t *testing.T) {
	const ms = time.Millisecond
	at := func(d time.Duration) deadline.Instant { return deadline.Instant(1e9).Add(d) }
	late := &record.Record{Start: at(60 * ms), Interval: 60 * ms}
	slice := func(begin, due, end time.Duration) record.Record {
		return record.Record{
			Start: at(0), Flags: record.Sliced,
			SliceBegin: at(begin), SliceDeadline: at(due), SliceEnd: at(end),
		}
	}
	over := slice(4*ms, 12*ms, 50*ms)
	over.WorstLabel, over.WorstCost = "autosave", 46*ms
	gc := slice(4*ms, 12*ms, 12*ms)
	gc.GCPause, gc.GCCycles = 30*ms, 1
	near := slice(4*ms, 12*ms, 12*ms)
	near.GCCycles = 1
	for _, c := range []struct {
		name  string
		cause record.Record
		work  FrameWork
		want  string
	}{
		{"collector", gc, FrameWork{}, "the collector stopped the world for 30.0 ms"},
		{"inline", slice(50*ms, 51*ms, 51*ms), FrameWork{Jobs: 20, Sum: 46 * ms, Worst: 31 * ms, Kind: 2},
			"20 jobs in the frame, worst: decode 31.0 ms"},
		{"overrun", over, FrameWork{}, "slice overrun by autosave 46.0 ms"},
		{"update", slice(40*ms, 41*ms, 41*ms), FrameWork{}, "the game's own frame took 40.0 ms"},
		{"starved", slice(4*ms, 12*ms, 12*ms), FrameWork{Running: 43}, "waited for a CPU beside 43 jobs"},
		{"starved while drawing", slice(40*ms, 41*ms, 41*ms), FrameWork{Running: 1, Waiting: 8},
			"waited for a CPU beside 9 jobs"},
		{"one job beside it", slice(40*ms, 41*ms, 41*ms), FrameWork{Running: 1},
			"the game's own frame took 40.0 ms"},
		{"near a collection", near, FrameWork{}, "a garbage collection ended in it"},
		{"else", slice(4*ms, 12*ms, 12*ms), FrameWork{}, "engine or system: busy only 12.0 ms"},
	} {
		var h Hitch
		h.Blame(late, &c.cause, c.work, 2)
		if string(h.Cause) != c.want {
			t.Errorf("%s: got %q, want %q", c.name, h.Cause, c.want)
		}
		if h.Late != 60*ms || h.At != late.Start {
			t.Errorf("%s: got %v at %v", c.name, h.Late, h.At)
		}
		if got := testing.AllocsPerRun(50, func() { h.Blame(late, &c.cause, c.work, 2) }); got != 0 {
			t.Errorf("%s: %v allocations", c.name, got)
		}
	}
}

func TestFormats(t *testing.T) {
	var b strings.Builder
	for _, ms := range []float64{0, 0.004, 9.99, 9.999, 10, 99.94, 99.96, 1234.5} {
		b.Write(append(AppendMS(nil, ms), ' '))
	}
	for _, n := range []int{0, 87, 9999, 10000, 123456} {
		b.Write(append(AppendCount(nil, n), ' '))
	}
	const want = "0.00 0.00 9.99 10.0 10.0 99.9 100 1234 0 87 9999 10.0k 123.5k "
	if got := b.String(); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
