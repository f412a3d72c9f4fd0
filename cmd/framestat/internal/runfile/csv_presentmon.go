package runfile

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/internal/framecsv"
	"github.com/frameslice/frameslice/internal/refresh"
	"github.com/frameslice/frameslice/internal/words"
)

// A chain is the rows of one swap chain: a capture may have several programs, and a program several processes and
// windows. A program that goes full screen makes a new swap chain: those of one process that follow one another are
// joined.
type chain struct {
	program, process, address string
	first, last               int // the rows among those of the process
	joined                    int // how many chains have been joined to this one
	d                         []frameParts
	shown                     record.Intervals
	// dropped were never shown, and generated are not of the program, but of the driver.
	dropped, generated int
}

// frameParts is a frame: its interval by calls to present, and from the program's start to the next, if there is one.
type frameParts struct {
	presents, starts time.Duration
	at               float64 // by the file's clock, NaN if it has none
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

// desktop are programs that show frames on every machine, so that nobody records a run for them: compositors and
// shells. They count if they are asked for, or alone.
var desktop = []string{
	"dwm.exe", "explorer.exe", "ApplicationFrameHost.exe", "SearchHost.exe", "ShellExperienceHost.exe",
	"StartMenuExperienceHost.exe", "TextInputHost.exe", "LogonUI.exe", "steamwebhelper.exe", "gamescope",
	"gamescope-wl",
	"kwin_wayland", "kwin_x11", "gnome-shell", "Xwayland", "Xorg",
}

// presentMon reads the rows of PresentMon, CapFrameX or OCAT. It takes what only names, a run for each name, or else
// the program that has most of the rows.
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
	clock := t.first(framecsv.Time, "TimeInMs", "CPUStartTime")
	hidden := "" // the column that is unknown for a frame that was never shown
	if !t.has("Dropped") {
		hidden = t.first("MsUntilDisplayed", "DisplayLatency", "DisplayedTime", "MsBetweenDisplayChange")
	}
	t.reads(framecsv.Application, "ProcessID", "SwapChainAddress", presents, starts, "Dropped", "FrameType",
		"MsBetweenDisplayChange", "DisplayedTime", clock, hidden)
	chains := map[[3]string]*chain{}
	inProcess := map[[2]string]int{} // rows
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
		key := [3]string{t.text(framecsv.Application), t.text("ProcessID"), t.text("SwapChainAddress")}
		c := chains[key]
		if c == nil {
			if len(chains) == maxChains {
				return nil, errors.New("too many programs and swap chains")
			}
			for i := range key {
				key[i] = strings.Clone(key[i])
			}
			c = &chain{program: Clean(key[0]), process: Clean(key[1]), address: Clean(key[2])}
			c.first = inProcess[[2]string(key[:2])]
			chains[key] = c
			order = append(order, c)
		}
		c.last = inProcess[[2]string(key[:2])]
		inProcess[[2]string(key[:2])]++
		t.add(c, presents, starts, clock, hidden)
	}
	if t.err != nil || len(order) == 0 {
		return []*Run{run}, t.err
	}
	if t.odd > 0 {
		run.note("%d cells are no times, and do not count", t.odd)
	}
	runs, err := run.take(order, only, clock)
	if err != nil {
		t.n = 0 // it is of no line
	}
	return runs, err
}

// first returns the first of the columns that there is, or "".
func (t *table) first(names ...string) string {
	i := slices.IndexFunc(names, func(name string) bool { return t.has(name) })
	if i < 0 {
		return ""
	}
	return names[i]
}

// add adds the present row.
func (t *table) add(c *chain, presents, starts, clock, hidden string) {
	var f frameParts
	f.presents, _ = t.ms(presents) // without a time the row still has what the display showed
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
	if t.count("Dropped") > 0 || hidden != "" && t.unknown(hidden) {
		c.dropped++
	}
	f.at = t.clock(clock)
	for i, p := range presentParts {
		for _, name := range p.columns {
			if t.has(name) {
				f.parts[i] = max(f.parts[i], t.part(name))
			}
		}
	}
	c.d = append(c.d, f)
}

// is reports whether a name of -only means the chain: its program, process or swap chain, or several with colons
// between, as game.exe:1234 or 1234:0x1F.
func (c *chain) is(name string) bool {
	own := []string{c.program, c.process, c.address}
	bare := func(s string) string { // some versions of PresentMon write zeros before an address
		if digits, ok := strings.CutPrefix(strings.ToLower(s), "0x"); ok {
			return "0x" + strings.TrimLeft(digits, "0")
		}
		return s
	}
	same := func(name string) bool {
		return name != "" && slices.ContainsFunc(own, func(o string) bool {
			return strings.EqualFold(bare(o),
				bare(name))
		})
	}
	return same(name) || !slices.ContainsFunc(strings.Split(name, ":"), func(part string) bool { return !same(part) })
}

// overlap is how many rows of an old swap chain may come after the first of a new one.
const overlap = 10

// join joins the swap chains of each process that follow one another, and returns the results, most frames first. The
// desktop's own programs come last, but for those without frames. order is by the first row.
func join(order []*chain) (all []*chain) {
	for _, c := range order {
		var to *chain
		for _, o := range all {
			if o.program == c.program && o.process == c.process && o.last < c.first+overlap &&
				(to == nil || len(o.d) > len(to.d)) {
				to = o
			}
		}
		if to == nil {
			own := *c
			own.d, own.shown = slices.Clip(c.d), slices.Clip(c.shown)
			all = append(all, &own)
			continue
		}
		to.last, to.joined = max(to.last, c.last), to.joined+1
		from := len(to.d)
		to.d, to.shown = append(to.d, c.d...), append(to.shown, c.shown...)
		if from < len(to.d) {
			to.d[from].at = math.NaN() // the first interval of a chain is no time since the one before
		}
		to.dropped, to.generated = to.dropped+c.dropped, to.generated+c.generated
	}
	last := func(c *chain) int {
		if len(c.d) == 0 {
			return 2
		}
		if slices.ContainsFunc(desktop, func(name string) bool { return strings.EqualFold(name, c.program) }) {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(all, func(a, b *chain) int {
		return cmp.Or(cmp.Compare(last(a), last(b)), cmp.Compare(len(b.d), len(a.d)))
	})
	return all
}

// names tells the chains apart: by the program, and where that is not enough by the process, and by the swap chain.
func names(all []*chain) map[*chain]string {
	says := map[*chain]string{}
	for _, c := range all {
		says[c] = c.program
		for _, o := range all {
			switch {
			case o == c || o.program != c.program:
			case o.process == c.process:
				says[c] = c.program + ":" + c.process + ":" + c.address
			case says[c] == c.program:
				says[c] += ":" + c.process
			}
		}
	}
	return says
}

// take makes a run of the chain that has most frames, or of the one for each name in only. All of them begin as run.
func (run *Run) take(order []*chain, only []string, clock string) (runs []*Run, err error) {
	all := join(order)
	called := names(all)
	frames := 0
	var list []string
	for _, c := range all {
		frames += len(c.d)
		list = append(list, called[c])
	}
	says := strings.Join(list[:min(len(list), maxNames)], ", ")
	if len(list) > maxNames {
		says += ", ..."
	}
	var taken []*chain
	if len(only) == 0 {
		taken = all[:1]
	}
	for _, name := range only {
		i := slices.IndexFunc(all, func(c *chain) bool { return c.is(name) })
		if i < 0 || all[i].joined > 0 { // the name may be that of a swap chain which was joined
			if own := slices.DeleteFunc(slices.Clone(order), func(c *chain) bool { return !c.is(name) }); len(own) > 0 {
				taken = append(taken, join(own)[0])
			}
		} else if !slices.Contains(taken, all[i]) {
			taken = append(taken, all[i])
		}
	}
	if len(taken) == 0 {
		if strings.Trim(says, ":, ") == "" {
			return nil, errors.New("the file names no program: leave out -only")
		}
		return nil, fmt.Errorf("none of %s: the file has %s", strings.Join(only, ", "), says)
	}
	for _, c := range taken {
		own := *run
		own.Facts, own.Notes = slices.Clone(run.Facts), slices.Clone(run.Notes)
		own.Name = cmp.Or(called[c], c.program)
		if len(all) > 1 {
			own.note("%d programs or swap chains: only %s, with %d of %d frames, counts; -only NAME takes another: %s",
				len(all), own.Name, len(c.d), frames, says)
		}
		own.of(c, clock)
		runs = append(runs, &own)
	}
	return runs, nil
}

// of takes the frames of a chain.
func (run *Run) of(c *chain, clock string) {
	run.Displayed = c.shown
	var parts [][len(presentParts)]time.Duration
	var times []float64
	for _, f := range c.d {
		d := f.presents
		if c.generated > 0 {
			d = f.starts // there are presents of generated frames in between
		}
		if d == 0 {
			continue
		}
		run.Intervals, parts, times = append(run.Intervals, d), append(parts, f.parts), append(times, f.at)
	}
	if c.joined > 0 {
		run.note("%d swap chains of the process, one after the other, count together; -only takes one, as -only %s",
			c.joined+1, c.address)
	}
	if c.dropped > 0 && c.dropped < len(c.d) { // else the capture has no display times
		run.note("%d frames were never shown (Dropped, or without a time of display), and count as frames", c.dropped)
	}
	if c.generated > 0 {
		run.note("%d frames were generated (FrameType): they count for the display only", c.generated)
	}
	run.compareTimes(times, clock)
	run.explainBy(parts)
}

// explainBy sets Why to the parts of each interval that explain its delay, the longest first. They are not the parts of
// record.Record.AppendCause, because the columns know neither slices nor own work, and overlap: the GPU is busy beside
// the CPU. So an interval may have several causes, and only the threshold is that of a record.
func (run *Run) explainBy(parts [][len(presentParts)]time.Duration) {
	run.Why = func(i int, target time.Duration) string {
		var long []int // in presentParts
		for k, d := range parts[i] {
			if d > max(0, refresh.Much(run.Intervals[i], target)) {
				long = append(long, k)
			}
		}
		slices.SortStableFunc(long, func(a, b int) int { return cmp.Compare(parts[i][b], parts[i][a]) })
		var says []string
		for _, k := range long {
			says = append(says, presentParts[k].says+" "+words.MS(parts[i][k], 1)+" ms")
		}
		return strings.Join(says, "; ")
	}
}
