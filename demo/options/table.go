package options

import (
	"flag"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/frameslice/frameslice/demo/load"
)

// one is a flag: its place in Options, its description, and its group in the help.
type one struct {
	group string // title; "" continues the group of the flag before
	name  string
	arg   string // what stands for the value in the help, with its unit; "" for a switch
	text  string // what it does; {} becomes the default
	def   any    // default value, of the type that target points to
	to    func(*Options) any
}

// table is every flag, in the order of the help. It is never written to.
var table = []one{
	{"What runs", "mode", "MODE",
		"where the work goes: inline, goroutines, workers, errgroup, frameslice; idle for none ({})",
		"frameslice", func(o *Options) any { return &o.Mode }},
	{"", "load", "X", "offered work, 1 = all that fits beside the game; 0 to 4 ({})",
		load.DefaultLoad, func(o *Options) any { return &o.Load }},
	{"", "seed", "N", "seed of the world and of the work; same seed, same work ({})",
		uint64(1), func(o *Options) any { return &o.Seed }},
	{"", "job", "DUR", "cost of one offered job on an undisturbed core, 300us to 1s ({})",
		load.DefaultJob, func(o *Options) any { return &o.Job }},
	{"", "alloc", "", "offered jobs allocate what they compute in, so that the collector runs",
		false, func(o *Options) any { return &o.Alloc }},
	{"", "tasks", "N", "further tasks of 0.5 ms for the frame goroutine, N a second ({})",
		0, func(o *Options) any { return &o.Tasks }},
	{"How it runs", "headless", "",
		"no window: the same simulation and work on a paced loop; with -compare the work is a " +
			"part of it, fixed in iterations, the same for every mode",
		false, func(o *Options) any { return &o.Headless }},
	{"", "compare", "", "run all modes in turns, interleaved, and print the table of frame times",
		false, func(o *Options) any { return &o.Compare }},
	{"", "modes", "A,B,C",
		"which modes -compare runs (idle and all five); there are also inline-budget and leave-one",
		"", func(o *Options) any { return &o.Modes }},
	{"", "beside", "A,B,C",
		"other programs that -compare -headless runs beside the modes, one after the other: none, one or two that " +
			"spin, bursts (spins for 0.2 s of 0.5 s), builds (go build -a std); every mode has rows beside each",
		"", func(o *Options) any { return &o.Beside }},
	{"", "duration", "DUR",
		"end after this time, such as 20s; all modes of -compare share it; 0 = when the window " +
			"is closed, 20s without one, 20s for each mode of -compare ({})",
		time.Duration(0), func(o *Options) any { return &o.Duration }},
	{"", "wait", "KIND", "how a headless frame waits for the next: syscall, as a swap does, or timer ({})",
		"syscall", func(o *Options) any { return &o.Wait }},
	{"", "placement", "KIND",
		"where the window's slice is: draw (after Draw), shadow (during the swap) or auto, which is " +
			"shadow where a P is to spare ({})",
		"auto", func(o *Options) any { return &o.Placement }},
	{"", "hz", "N", "refresh rate that frames are held against, 24 to 480; 0 = the display's where the swap " +
		"waits for one of 60 or more, else 60; up to 249 with -compare -headless ({})",
		0, func(o *Options) any { return &o.Hz }},
	{"", "v", "", "print everything that is known: more tables, confidence, the machine, the verdict",
		false, func(o *Options) any { return &o.Verbose }},
	{"The window", "size", "WxH",
		"in device-independent pixels (1280x720; 640x360 on a display of the demo's own)",
		nil, func(o *Options) any { return size{o} }},
	{"", "bare", "", "start without the overlay (key H brings it)",
		false, func(o *Options) any { return &o.Bare }},
	{"What it leaves (each is written whole or not at all, all but -flight at the end)", "json", "FILE", "the report",
		"", func(o *Options) any { return &o.JSON }},
	{"", "csv", "FILE", "the report's figures, a line for each mode",
		"", func(o *Options) any { return &o.CSV }},
	{"", "png", "FILE", "the histogram of frame times, a picture",
		"", func(o *Options) any { return &o.PNG }},
	{"", "hgrm", "FILE",
		"the percentile distribution of frame times, HdrHistogram's text format, ms; of several modes, " +
			"one file each with the mode before the ending",
		"", func(o *Options) any { return &o.Hgrm }},
	{"", "shot", "FILE", "a screenshot of the window's last second, PNG",
		"", func(o *Options) any { return &o.Shot }},
	{"", "record", "DIR",
		"the frames of each mode, with the tasks and jobs in them in our modes, as files in this folder: text, " +
			"JSON, CSV, .hgrm, .hlog, and a trace for ui.perfetto.dev; for cmd/framestat and other tools",
		"", func(o *Options) any { return &o.Record }},
	{"", "flight", "DIR",
		"keep the last seconds of Go's execution trace, and write them into this folder when a frame misses a " +
			"refresh, for go tool trace, and say what made it late: 4 files at most, 10 s apart at " +
			"least; with -compare of frameslice's frames only; costs a percent or two",
		"", func(o *Options) any { return &o.Flight }},
}

func (f one) register(fs *flag.FlagSet, o *Options) {
	switch p := f.to(o).(type) {
	case *string:
		fs.StringVar(p, f.name, f.def.(string), f.text)
	case *bool:
		fs.BoolVar(p, f.name, f.def.(bool), f.text)
	case *int:
		fs.IntVar(p, f.name, f.def.(int), f.text)
	case *uint64:
		fs.Uint64Var(p, f.name, f.def.(uint64), f.text)
	case *float64:
		fs.Float64Var(p, f.name, f.def.(float64), f.text)
	case *time.Duration:
		fs.DurationVar(p, f.name, f.def.(time.Duration), f.text)
	case flag.Value:
		fs.Var(p, f.name, f.text)
	}
}

// Help writes the whole help: every flag with its unit and its default, the keys of the window, and examples.
func Help(w io.Writer) {
	var b strings.Builder
	b.WriteString("demo: a small world with real work, to watch frames stay smooth, or not.\n\n" +
		"Usage: demo [flags]\n")
	for _, f := range table {
		if f.group != "" {
			fmt.Fprintf(&b, "\n%s\n", f.group)
		}
		text := strings.ReplaceAll(f.text, "({})", fmt.Sprintf("(default %v)", f.def))
		lines := wrap(text, 78)
		fmt.Fprintf(&b, "  %-18s %s\n", strings.TrimSpace("-"+f.name+" "+f.arg), lines[0])
		for _, l := range lines[1:] {
			fmt.Fprintf(&b, "  %-18s %s\n", "", l)
		}
	}
	b.WriteString(tail)
	io.WriteString(w, b.String())
}

const tail = `
Keys in the window
  M, Shift-M         next, previous mode          1 to 5             that mode
  + and -, slider    load                         Space              pause
  arrows, drag       move the camera              C                  let it glide again
  the mode's panel   next mode
  T                  what runs on what            S or F12           screenshot into the folder you are in
  H                  hide or show the overlay     R                  start the figures anew
  Q or Esc           end                          a tap on a key in the lowest line does what the key does

During -compare the keys that would change what is measured do nothing: M, 1 to 5, Space, R, the load.

Examples
  demo                                        the window, with frameslice
  demo -mode goroutines -load 2               the same work, one goroutine per job
  demo -headless -duration 20s -json r.json   no window, 20 s, a report
  demo -compare -headless                     all modes, interleaved, and the table
  demo -duration 1m -shot s.png -png h.png    a picture of the game, and one of the frame times

Exit code: 0 as asked, 1 the run failed, 2 the command line cannot be followed.
`

// wrap breaks text into lines of at most n bytes at its spaces.
func wrap(text string, n int) []string {
	var lines []string
	line := ""
	for _, w := range strings.Fields(text) {
		if line != "" && len(line)+1+len(w) > n {
			lines, line = append(lines, line), ""
		}
		if line != "" {
			line += " "
		}
		line += w
	}
	return append(lines, line)
}
