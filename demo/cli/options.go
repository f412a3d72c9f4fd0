package cli

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"runtime"
	"time"

	"github.com/frameslice/frameslice/demo/load"
)

// Options is a parsed command line. The help says what each flag does.
type Options struct {
	Modes         []load.Mode // at least one; without Compare the first is what runs
	Compare       bool
	Headless      bool
	Duration      time.Duration
	Load          float64
	Job           time.Duration
	Hz            int
	Width, Height int // 0 = as the display likes it
	Out           string
}

// MaxLoad is the greatest -load, and the right end of the slider.
const MaxLoad = 4.0

// flags returns the flags of the demo, whose values go to o. The raw modes and size are for check.
func flags(o *Options) (fs *flag.FlagSet, modes, size *string) {
	fs = flag.NewFlagSet("demo", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	modes = fs.String("modes", "", `the `+"`MODE`"+` that runs, or with -compare the modes, separated by commas: inline,
goroutines, workers, errgroup, frameslice, idle for no work, inline-budget, balanced
(default frameslice; with -compare the first six)`)
	fs.BoolVar(&o.Compare, "compare", false, "run the modes in turns, and print a table of their frame times")
	fs.BoolVar(&o.Headless, "headless", false, "no window: a paced loop whose frames have 4 ms of work of their own")
	fs.DurationVar(&o.Duration, "duration", 0, "end after this `time`"+`, such as 20s, which all modes of -compare share
(default: when the window is closed; 20s without one, and for each mode of -compare)`)
	fs.Float64Var(&o.Load, "load", load.DefaultLoad, "offered `work`, 0 to 4; 1 = all that fits beside the game")
	fs.DurationVar(&o.Job, "job", load.DefaultJob, "what one offered job costs, 300us to 1s of `time`")
	fs.IntVar(&o.Hz, "hz", 0, "the refresh `rate`"+` that frames are held against, 24 to 249
(default: the display's where the swap waits for one of 60 or more, else 60)`)
	size = fs.String("size", "", "`WxH`"+` of the window in device-independent pixels; below 180 high without panels
(default 1280x720; 640x360 where there is no display)`)
	fs.StringVar(&o.Out, "out", "", "leave in this `folder`"+` report.json, histogram.png, a screenshot, and
the frames of each mode in all formats that record.Report.Save has`)
	return fs, modes, size
}

// Parse reads a command line without the program's name. Its error is one line, or flag.ErrHelp.
func Parse(args []string) (Options, error) {
	var o Options
	fs, modes, size := flags(&o)
	if err := fs.Parse(args); err != nil {
		return o, err
	}
	if fs.NArg() > 0 {
		return o, fmt.Errorf("unexpected argument %q: options are flags", fs.Arg(0))
	}
	return o, o.check(*modes, *size)
}

// check refuses what the types allow and the program does not.
func (o *Options) check(modes, size string) (err error) {
	switch {
	case modes != "":
		if o.Modes, err = load.ParseModes(modes); err != nil {
			return fmt.Errorf("-modes: %w", err)
		}
	case o.Compare:
		o.Modes = load.Modes()
	default:
		o.Modes = []load.Mode{load.Frameslice}
	}
	if size != "" {
		n, err := fmt.Sscanf(size+" ", "%dx%d ", &o.Width, &o.Height)
		if n < 2 || err != nil || o.Width < 160 || o.Height < 90 || o.Width > 7680 || o.Height > 4320 {
			return fmt.Errorf("-size %s: want 160x90 to 7680x4320", size)
		}
	}
	switch {
	case len(o.Modes) > 1 && !o.Compare:
		return errors.New("-modes: several modes want -compare")
	case !(o.Load >= 0 && o.Load <= MaxLoad): // also refuses NaN
		return fmt.Errorf("-load %v: want 0 to %v", o.Load, MaxLoad)
	case o.Job < 300*time.Microsecond || o.Job > time.Second:
		return fmt.Errorf("-job %v: want 300us to 1s", o.Job)
	case o.Hz != 0 && (o.Hz < 24 || o.Hz > 249):
		return fmt.Errorf("-hz %d: want 24 to 249", o.Hz)
	case o.Duration < 0 || o.Duration > 0 && o.Duration < 100*time.Millisecond:
		return fmt.Errorf("-duration %v: want 0 (no limit) or at least 100ms", o.Duration)
	case runtime.GOOS == "js" && (o.Headless || o.Out != ""):
		return errors.New("-headless and -out are not for a browser: its page is the window, and it has no files")
	}
	return nil
}

// Interval returns the time from one refresh to the next; of 60 Hz where Hz is 0.
func (o *Options) Interval() time.Duration {
	if o.Hz == 0 {
		return load.DefaultInterval
	}
	return time.Second / time.Duration(o.Hz)
}

// Config returns what package load is to run for these options.
func (o *Options) Config() load.Config {
	c := load.Config{
		Modes: o.Modes, Duration: o.Duration, Load: o.Load, Job: o.Job, Interval: o.Interval(), Out: o.Out,
	}
	if o.Compare && o.Duration > 0 {
		c.Duration = share(o.Duration, len(c.Modes))
	}
	if o.Load == 0 {
		c.Load = -1 // there, 0 is the default and less is none
	}
	return c
}

// share returns for how long each of n modes is measured when the comparison takes the time whole: its part, less the
// warm-up at the start of each of its turns.
func share(whole time.Duration, n int) time.Duration {
	each := whole / time.Duration(n)
	turns := max(1, (each+load.DefaultSlice/2)/(load.DefaultSlice+load.DefaultWarmup))
	return max(each-turns*load.DefaultWarmup, 200*time.Millisecond)
}

// help writes the flags and the keys of the window.
func help(w io.Writer) {
	fmt.Fprintln(w, "demo: a small world with real work, to watch frames stay smooth, or not. Its flags:")
	fs, _, _ := flags(new(Options))
	fs.SetOutput(w)
	fs.PrintDefaults()
	io.WriteString(w, `
Keys in the window
  M, Shift-M         next, previous mode          1 to 5             that mode
  + and -, slider    load                         Space              pause
  arrows, drag       move the camera              C                  let it glide again
  H                  hide or show the overlay     S or F12           screenshot into the folder you are in
  R                  start the figures anew       Q or Esc           end
During -compare the keys that would change what is measured do nothing: M, 1 to 5, Space, R, the load.

Exit code: 0 as asked, also by Ctrl-C; 1 the run failed; 2 the command line cannot be followed.
`)
}
