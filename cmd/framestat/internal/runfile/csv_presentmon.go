package runfile

import (
	"errors"
	"time"

	"github.com/frameslice/frameslice/frame/record"
)

// A chain is the rows of one swap chain: a capture may have several programs, and a program several windows.
type chain struct {
	name    string
	d       []time.Duration
	shown   record.Intervals
	parts   [][len(presentParts)]time.Duration
	dropped int
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

const maxChains = 1000

// presentMon reads the rows of PresentMon, CapFrameX or OCAT, and keeps the swap chain that has most of them.
func (t *table) presentMon() error {
	t.run.Format = "CSV of PresentMon 1"
	if t.has("CPUBusy") || t.has("MsCPUBusy") || t.has("FrameTime") {
		t.run.Format = "CSV of PresentMon 2"
	}
	if len(t.run.Facts) > 0 {
		t.run.Format = "CSV of CapFrameX"
	}
	interval := "MsBetweenPresents"
	for _, other := range []string{"FrameTime", "MsBetweenAppStart"} {
		if !t.has(interval) {
			interval = other
		}
	}
	chains := map[[3]string]*chain{}
	var order []*chain
	for rows := 0; t.next(); rows++ {
		key := [3]string{t.text("Application"), t.text("ProcessID"), t.text("SwapChainAddress")}
		c := chains[key]
		if c == nil {
			if len(chains) == maxChains {
				return errors.New("too many programs and swap chains")
			}
			c = &chain{name: Clean(key[0])}
			chains[key] = c
			order = append(order, c)
		}
		d, ok := t.ms(interval)
		if !ok || d == 0 {
			continue // the first frame, or one that was not shown
		}
		if rows >= maxFrames {
			return errFrames
		}
		c.d = append(c.d, d)
		t.displayed(&c.shown)
		if t.count("Dropped") > 0 {
			c.dropped++
		}
		var parts [len(presentParts)]time.Duration
		for i, p := range presentParts {
			for _, name := range p.columns {
				parts[i] = max(parts[i], t.part(name))
			}
		}
		c.parts = append(c.parts, parts)
	}
	if t.err == nil && len(order) > 0 {
		t.keep(order)
	}
	return t.err
}

// keep takes the swap chain that has most frames, the first of them.
func (t *table) keep(order []*chain) {
	run, c, frames := t.run, order[0], 0
	for _, other := range order {
		frames += len(other.d)
		if len(other.d) > len(c.d) {
			c = other
		}
	}
	run.Name, run.Intervals, run.Displayed = c.name, c.d, c.shown
	if len(order) > 1 {
		run.note("%d programs or swap chains: only %s, with %d of %d frames, counts",
			len(order), c.name, len(c.d), frames)
	}
	if c.dropped > 0 {
		run.note("%d frames were never shown (Dropped), and count as frames", c.dropped)
	}
	run.Why = func(i int, target time.Duration) string {
		var parts []part
		for k, p := range presentParts {
			parts = append(parts, part{c.parts[i][k], p.says + " " + inMS(c.parts[i][k])})
		}
		return longestFirst(c.d[i], target, parts)
	}
}
