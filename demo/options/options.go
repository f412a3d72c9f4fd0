package options

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/frameslice/frameslice/demo/load"
)

// Options is a parsed command line. Defaults are in the table of flags.
type Options struct {
	Mode      string        // a load.Mode
	Modes     string        // of -compare: load.Modes separated by commas, "" = those of load.Modes()
	Beside    string        // of -compare: load.Beside names separated by commas, "" = none
	Load      float64       // offered work, 1 = as much as the machine can do beside the game; 0 to MaxLoad
	Seed      uint64        // of the world and of the work
	Tasks     int           // extra main-thread tasks of 0.5 ms a second, 0 = none
	Job       time.Duration // cost of one background job
	Alloc     bool          // jobs allocate
	Wait      string        // a load.Wait: how a run without a window waits for the next frame
	Placement string        // auto, draw or shadow: where the slice is
	Hz        int           // refresh rate that frames are held against; 0 = the display's, or 60
	Headless  bool          // no window
	Compare   bool          // all modes in turns, then a table
	Duration  time.Duration // 0 = until the window is closed; with Compare of all modes together
	Width     int           // of the window, device-independent pixels; 0 = 1280x720, or 640x360 unseen
	Height    int
	Bare      bool   // start without the overlay
	Verbose   bool   // print everything
	JSON      string // paths of the outputs, "" = none
	CSV       string
	PNG       string
	Hgrm      string
	Shot      string
	Record    string // folders: of each mode's frames, and of execution traces of late ones, "" = none
	Flight    string
}

// MaxLoad is the greatest -load, and the right end of the slider.
const MaxLoad = 4.0

// Modes returns the modes that the key M walks through, in its order.
func Modes() []load.Mode {
	return []load.Mode{load.Inline, load.Goroutines, load.Workers, load.Errgroup, load.Frameslice}
}

// ErrHelp is what Parse returns for -help.
var ErrHelp = flag.ErrHelp

// Parse reads a command line without the program's name. Its error is one line that names the flag, the value and
// what would be right. For -help the error is ErrHelp.
func Parse(args []string) (Options, error) {
	var o Options
	fs := flag.NewFlagSet("demo", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	for _, f := range table {
		f.register(fs, &o)
	}
	if err := fs.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return o, ErrHelp
		}
		return o, fmt.Errorf("%s (demo -help lists the flags)", plain(err, fs))
	}
	if fs.NArg() > 0 {
		return o, fmt.Errorf("unexpected argument %q: options are flags (demo -help lists them)", fs.Arg(0))
	}
	given := map[string]bool{}
	fs.Visit(func(f *flag.Flag) { given[f.Name] = true })
	if runtime.GOOS == "js" {
		if err := inBrowser(given); err != nil {
			return o, err
		}
	}
	return o, o.check(given)
}

// inBrowser refuses the flags that a browser has nothing for.
func inBrowser(given map[string]bool) error {
	for _, name := range []string{"headless", "wait"} {
		if given[name] {
			return fmt.Errorf("-%s is not for a browser: its page is the window", name)
		}
	}
	for _, name := range []string{"json", "csv", "png", "hgrm", "record", "flight"} {
		if given[name] {
			return fmt.Errorf("-%s is not for a browser, which has no files: the page shows the table at the end", name)
		}
	}
	return nil
}

// plain rewords the flag package's parse errors, which quote Go's own conversions, into the sentence that a user needs.
func plain(err error, fs *flag.FlagSet) string {
	s := err.Error()
	s = strings.Replace(s, "flag provided but not defined: ", "unknown flag ", 1)
	s = strings.Replace(s, "for flag -", "for -", 1)
	for _, why := range []string{": parse error", ": value out of range"} {
		if i := strings.Index(s, why); i >= 0 {
			s = s[:i] + ": want " + kind(fs.Lookup(s[strings.LastIndex(s[:i], "-")+1:i]))
		}
	}
	return s
}

// kind says what a flag takes.
func kind(f *flag.Flag) string {
	if f != nil {
		if g, ok := f.Value.(flag.Getter); ok {
			switch g.Get().(type) {
			case time.Duration:
				return "a time with its unit, such as 20s or 2ms"
			case uint64:
				return "a whole number from 0"
			case int:
				return "a whole number"
			case bool:
				return "nothing, true or false"
			}
		}
	}
	return "a number"
}

// check refuses what the types allow and the program does not.
func (o *Options) check(given map[string]bool) error {
	if _, err := load.ParseMode(o.Mode); err != nil {
		return fmt.Errorf("-mode %s: %w", o.Mode, err)
	}
	if o.Modes != "" {
		if _, err := load.ParseModes(o.Modes); err != nil {
			return fmt.Errorf("-modes %s: %w", o.Modes, err)
		}
	}
	if o.Beside != "" {
		if _, err := load.ParseBeside(o.Beside); err != nil {
			return fmt.Errorf("-beside %s: %w", o.Beside, err)
		}
	}
	if _, err := load.ParseWait(o.Wait); err != nil {
		return fmt.Errorf("-wait %s: %w", o.Wait, err)
	}
	switch {
	case !(o.Load >= 0 && o.Load <= MaxLoad): // also refuses NaN
		return fmt.Errorf("-load %v: want 0 to %v", o.Load, MaxLoad)
	case o.Tasks < 0 || o.Tasks > 100_000:
		return fmt.Errorf("-tasks %d: want 0 to 100000 a second", o.Tasks)
	case o.Job < 300*time.Microsecond || o.Job > time.Second:
		return fmt.Errorf("-job %v: want 300us to 1s", o.Job)
	case !slices.Contains([]string{"auto", "draw", "shadow"}, o.Placement):
		return fmt.Errorf("-placement %s: want auto, draw or shadow", o.Placement)
	case o.Hz != 0 && (o.Hz < 24 || o.Hz > 480):
		return fmt.Errorf("-hz %d: want 24 to 480, or 0 for the display's", o.Hz)
	case o.Headless && o.Compare && o.Interval() <= load.Own:
		return fmt.Errorf("-hz %d: with -compare -headless each frame has %v of work of its own: want at most %d",
			o.Hz, load.Own, int((time.Second-1)/load.Own))
	case o.Duration < 0 || o.Duration > 0 && o.Duration < 100*time.Millisecond:
		return fmt.Errorf("-duration %v: want 0 (no limit) or at least 100ms", o.Duration)
	case given["mode"] && o.Compare:
		return errors.New("-mode and -compare each say what runs: to choose what is compared give -modes")
	case o.Modes != "" && !o.Compare:
		return errors.New("-modes is for -compare; to run one mode give -mode")
	case o.Beside != "" && !(o.Compare && o.Headless):
		return errors.New("-beside is for -compare -headless")
	}
	if given["wait"] && !o.Headless {
		return errors.New("-wait is for -headless: a window waits in its swap")
	}
	for _, name := range []string{"shot", "tasks", "placement", "size", "bare"} {
		if given[name] && o.Headless {
			return fmt.Errorf("-%s needs the window: leave out -headless", name)
		}
	}
	return o.checkPaths()
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
		Compare: o.Compare, Mode: load.Mode(o.Mode), Duration: o.Duration,
		Load: o.Load, Job: o.Job, Alloc: o.Alloc,
		Seed: o.Seed, Interval: o.Interval(), Wait: load.Wait(o.Wait), JSON: o.JSON, CSV: o.CSV, PNG: o.PNG,
		HGRM: o.Hgrm, Record: o.Record, Flight: o.Flight, Verbose: o.Verbose,
	}
	if o.Modes != "" {
		c.Modes, _ = load.ParseModes(o.Modes) // checked by Parse
	}
	if o.Beside != "" {
		c.Beside, _ = load.ParseBeside(o.Beside) // checked by Parse
	}
	if o.Compare && o.Duration > 0 {
		c.Duration = share(o.Duration, len(c.WithDefaults().Modes)*max(1, len(c.Beside)))
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

// size is the flag.Value of -size: WxH.
type size struct{ o *Options }

func (s size) String() string {
	if s.o == nil || s.o.Width == 0 {
		return ""
	}
	return fmt.Sprintf("%dx%d", s.o.Width, s.o.Height)
}

func (s size) Set(v string) error {
	a, b, ok := strings.Cut(v, "x")
	w, err1 := strconv.Atoi(a)
	h, err2 := strconv.Atoi(b)
	if !ok || err1 != nil || err2 != nil {
		return errors.New("want WIDTHxHEIGHT, such as 1280x720")
	}
	if w < 160 || h < 90 || w > 7680 || h > 4320 {
		return errors.New("want 160x90 to 7680x4320")
	}
	s.o.Width, s.o.Height = w, h
	return nil
}
