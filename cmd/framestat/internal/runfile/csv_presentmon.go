package runfile

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/frameslice/frameslice/frame/record"
)

// A chain is the rows of one swap chain: a capture may have several programs, and a program several windows.
type chain struct {
	name  string
	d     []frameParts
	shown record.Intervals
	// dropped were never shown, and generated are not of the program, but of the driver.
	dropped, generated int
}

// frameParts is a frame: its interval by calls to present, and from the program's start to the next, if there is one.
type frameParts struct {
	presents, starts time.Duration
	parts            [len(presentParts)]time.Duration
}

// presentParts are columns that tell where a frame's time went. PresentMon has renamed some of them.
var presentParts = [...]struct {
	says    string
	columns []string
}{
	{"CPU busy", []string{"MsCPUBusy", "CPUBusy"}},
	{"CPU waited", []string{"MsCPUWait", "CPUWait"}},
	{"GPU busy", []string{"MsGPUBusy", "GPUBusy", "MsGPUActive"}},
	{"in Present", []string{"MsInPresentAPI"}},
}

// machine are OCAT's columns about the machine, which only the first row has.
var machine = []string{
	"OS", "Processor", "CPU", "System RAM", "Motherboard", "GPU", "GPU #", "GPU Core Clock (MHz)",
	"GPU Memory Clock (MHz)", "GPU Memory (MB)", "Base Driver Version", "Driver Package", "Resolution", "Comment",
}

const maxChains = 1000

// presentMon reads the rows of PresentMon, CapFrameX or OCAT, and takes the swap chain that has most of them. only is
// the programs that may be taken, if it is not empty.
func (t *table) presentMon(only []string) ([]*Run, error) {
	run := t.run
	run.Format = "CSV of PresentMon 1"
	switch {
	case len(run.Facts) > 0:
		run.Format = "CSV of CapFrameX"
	case t.has("CPUBusy"), t.has("MsCPUBusy"), t.has("FrameTime"), t.has("MsBetweenAppStart"):
		run.Format = "CSV of PresentMon 2"
	case t.has("WasBatched"):
		run.Format = "CSV of OCAT"
	}
	starts := "MsBetweenAppStart"
	if !t.has(starts) {
		starts = "FrameTime"
	}
	presents := "MsBetweenPresents"
	if !t.has(presents) {
		presents = starts
	}
	t.reads("Application", "ProcessID", "SwapChainAddress", presents, starts, "Dropped", "FrameType",
		"MsBetweenDisplayChange", "DisplayedTime")
	chains := map[[3]string]*chain{}
	var order []*chain
	for rows := 0; t.next(); rows++ {
		if rows == 0 {
			for _, name := range machine {
				run.fact(name, t.text(name))
			}
		}
		if rows >= maxFrames {
			return nil, errFrames
		}
		key := [3]string{t.text("Application"), t.text("ProcessID"), t.text("SwapChainAddress")}
		c := chains[key]
		if c == nil {
			if len(chains) == maxChains {
				return nil, errors.New("too many programs and swap chains")
			}
			c = &chain{name: Clean(strings.Clone(key[0]))}
			chains[[3]string{strings.Clone(key[0]), strings.Clone(key[1]), strings.Clone(key[2])}] = c
			order = append(order, c)
		}
		t.add(c, presents, starts)
	}
	if t.err != nil || len(order) == 0 {
		return []*Run{run}, t.err
	}
	if t.odd > 0 {
		run.note("%d cells are no times, and do not count", t.odd)
	}
	err := run.take(order, only)
	if err != nil {
		t.n = 0 // it is of no line
	}
	return []*Run{run}, err
}

// add adds the present row.
func (t *table) add(c *chain, presents, starts string) {
	var f frameParts
	var ok bool
	if f.presents, ok = t.ms(presents); !ok {
		return
	}
	if f.starts = f.presents; t.has(starts) {
		f.starts, _ = t.ms(starts)
	}
	t.displayed(&c.shown)
	switch kind := t.text("FrameType"); kind {
	case "", "NA", "Application", "NotSet", "Repeated":
	default:
		c.generated++
		return
	}
	if f == (frameParts{}) {
		return // the first frame
	}
	if t.count("Dropped") > 0 {
		c.dropped++
	}
	for i, p := range presentParts {
		for _, name := range p.columns {
			if t.has(name) {
				f.parts[i] = max(f.parts[i], t.part(name))
			}
		}
	}
	c.d = append(c.d, f)
}

// take takes the swap chain that has most frames, the first of them.
func (run *Run) take(order []*chain, only []string) error {
	slices.SortStableFunc(order, func(a, b *chain) int { return cmp.Compare(len(b.d), len(a.d)) })
	var names []string
	frames := 0
	for _, c := range order {
		frames += len(c.d)
		if !slices.Contains(names, c.name) {
			names = append(names, c.name)
		}
	}
	says := strings.Join(names[:min(len(names), maxNames)], ", ")
	if len(names) > maxNames {
		says += ", ..."
	}
	i := slices.IndexFunc(order, func(c *chain) bool { return wanted(c.name, only) })
	switch {
	case i < 0 && says == "":
		return errors.New("the file names no program: leave out -only")
	case i < 0:
		return fmt.Errorf("none of %s: the file has %s", strings.Join(only, ", "), says)
	}
	c := order[i]
	run.Name, run.Displayed = c.name, c.shown
	var parts [][len(presentParts)]time.Duration
	for _, f := range c.d {
		d := f.presents
		if c.generated > 0 {
			d = f.starts // there are presents of generated frames in between
		}
		if d == 0 {
			continue
		}
		run.Intervals, parts = append(run.Intervals, d), append(parts, f.parts)
	}
	if len(order) > 1 {
		run.note("%d programs or swap chains: only %s, with %d of %d frames, counts; -only NAME takes another: %s",
			len(order), c.name, len(run.Intervals), frames, says)
	}
	if c.dropped > 0 {
		run.note("%d frames were never shown (Dropped), and count as frames", c.dropped)
	}
	if c.generated > 0 {
		run.note("%d frames were generated (FrameType): they count for the display only", c.generated)
	}
	run.explainBy(parts)
	return nil
}

// explainBy sets Why by the parts of each interval.
func (run *Run) explainBy(parts [][len(presentParts)]time.Duration) {
	run.Why = func(i int, target time.Duration) string {
		var says []part
		for k, p := range presentParts {
			says = append(says, part{parts[i][k], p.says + " " + inMS(parts[i][k])})
		}
		return longestFirst(run.Intervals[i], target, says)
	}
}
