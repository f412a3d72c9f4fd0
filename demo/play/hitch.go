package play

import (
	"strconv"
	"strings"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame/record"
)

// Hitch is the last frame that was shown late, and what is known about why.
type Hitch struct {
	At    deadline.Instant
	Late  time.Duration // the interval
	Cause []byte        // reused
}

// Blame fills in h for a frame whose interval was late. cause is the record of the frame before, in which
// the work was done, and work what the probe saw of it. It names the largest part that can be measured;
// what is left when none is large was spent waiting: for a CPU, or for the engine.
func (h *Hitch) Blame(late, cause *record.Record, work FrameWork, procs int) {
	h.At, h.Late = late.Start, late.Interval
	over := late.Interval / 3
	b := h.Cause[:0]
	switch {
	case cause.GCPause > over:
		b = append(b, "the collector stopped the world for "...)
		b = AppendMillis(b, cause.GCPause)
	case work.Sum > over:
		b = strconv.AppendInt(b, int64(work.Jobs), 10)
		b = append(b, " jobs in the frame, worst: "...)
		b = append(b, Kinds()[work.Kind]...)
		b = append(b, ' ')
		b = AppendMillis(b, work.Worst)
	case cause.Overrun() > time.Millisecond && cause.WorstCost > 0:
		b = append(b, "slice overrun by "...)
		b = append(b, label(cause.WorstLabel)...)
		b = append(b, ' ')
		b = AppendMillis(b, cause.WorstCost)
	case work.Running+1 >= procs && work.Running+work.Waiting >= procs: // the frame itself takes a CPU
		b = append(b, "waited for a CPU beside "...)
		b = strconv.AppendInt(b, int64(work.Running+work.Waiting), 10)
		b = append(b, " jobs"...)
	case GamePart(cause)-work.Sum > over:
		b = append(b, "the game's own frame took "...)
		b = AppendMillis(b, GamePart(cause))
	case cause.GCCycles > 0:
		b = append(b, "a garbage collection ended in it"...)
	default:
		b = append(b, "engine or system: busy only "...)
		b = AppendMillis(b, cause.Busy())
	}
	h.Cause = b
}

// label leaves out of a function's name what a line has no room for: the path of its package.
func label(s string) string {
	if s == "" {
		return "a task"
	}
	return s[strings.LastIndexByte(s, '/')+1:]
}
