package frametest

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/frameslice/frameslice/frame"
)

// Options configure Run. The zero value is ready.
type Options struct {
	// Loop has the settings of the game's loop. The default is the zero frame.Options: 60 Hz. Run sets JumpAfter and
	// Scheduler.Rethrow, so that freezes and panics count. Recorder.WarmUp is how many frames at the start of a turn do
	// not count: 10 by default, and none if it is negative.
	Loop frame.Options

	// Limits are what the frames must keep, with and without a base. By default there are none with a base, and without
	// one Missed is 1 and HitchRatio is 5.
	Limits Limits

	// Tolerance is the difference from the base that is allowed for own work, its parts, CPU time and allocations: 0.03
	// by default, which is 3 %. Raise it to pass sooner on a noisy machine.
	Tolerance float64

	// Time is how long the gate may take, about: 1 minute by default. Raise it if the gate often can't tell. It ends
	// before the deadline of go test -timeout in any case.
	Time time.Duration

	// Turn is how long one process measures: 1 s by default. Raise it if the game takes long to start.
	Turn time.Duration

	// Strict makes CAN'T TELL fail the test. By default it skips the rest of the test, which is green. Set it where
	// somebody looks after a machine that is quiet enough, so that a gate which can never tell is noticed.
	Strict bool

	base string // the test binary of the other build
	cut  bool   // Time is what go test -timeout leaves
}

// Limits are what the frames of a game must keep. A zero field is no limit.
type Limits struct {
	P99        time.Duration // of the time from one frame to the next: at most 1 % of the frames are longer
	Missed     float64       // refreshes without a new frame, in percent
	HitchRatio float64       // ms of lateness in a second: below 5 is good
	Own        time.Duration // the game's own work in a frame, without the slowest tenth
	CPU        time.Duration // processor time of the process, per frame
	Allocs     float64       // allocated objects, per frame
}

// withDefaults returns the options in force, and panics if one is out of range.
func (o Options) withDefaults() Options {
	l := o.Limits
	for name, bad := range map[string]bool{
		"Tolerance": !(o.Tolerance >= 0), "Time": o.Time < 0, "Turn": o.Turn < 0,
		"Limits": l.P99 < 0 || !(l.Missed >= 0) || !(l.HitchRatio >= 0) || l.Own < 0 || l.CPU < 0 || !(l.Allocs >= 0),
	} {
		if bad {
			panic(fmt.Sprintf("frametest: Run: Options.%s is negative", name))
		}
	}
	if o.base == "" && l == (Limits{}) {
		o.Limits = Limits{Missed: 1, HitchRatio: 5}
	}
	if o.Loop.Interval == 0 {
		o.Loop.Interval = time.Second / 60
	}
	if o.Tolerance == 0 {
		o.Tolerance = 0.03
	}
	if o.Time == 0 {
		o.Time = time.Minute
	}
	if o.Turn == 0 {
		o.Turn = time.Second
	}
	if o.Loop.Recorder.WarmUp == 0 {
		o.Loop.Recorder.WarmUp = 10
	}
	return o
}

// variable is the variable of the environment that makes Run measure.
const variable = "FRAMETEST"

// oneGate lets gates of parallel tests take turns: they would disturb each other.
var oneGate sync.Mutex

// forReport is how long before the test's deadline a gate ends.
const forReport = 5 * time.Second

// timeLeft is how long a gate may take.
func timeLeft(t *testing.T) time.Duration {
	if end, ok := t.Deadline(); ok {
		return time.Until(end) - forReport
	}
	return math.MaxInt64
}

// checkBase looks for the other build.
func (o Options) checkBase() error {
	if o.base == "" {
		return nil
	}
	file, err := filepath.Abs(o.base)
	if err == nil {
		var st os.FileInfo
		if st, err = os.Stat(file); err == nil && st.IsDir() {
			err = fmt.Errorf("%s is a folder", file)
		}
	}
	if err != nil {
		return fmt.Errorf("%s=%s: want 1, or the test binary of another build: %w", variable, o.base, err)
	}
	return nil
}

// Run plays the game's frames in real time and judges them: PASS, FAIL, or CAN'T TELL, which skips the rest of the test
// unless Options.Strict is set. start builds the game on its loop and returns the function of a frame, for
// frame.Loop.Run.
//
// Run measures only if FRAMETEST is set in the environment. "1" judges by Options.Limits. Any other value is the test
// binary of another build, made by go test -c, to compare with. A relative path begins in the folder of the package.
// Without FRAMETEST, in a browser and in a bubble of testing/synctest Run skips the test.
//
// Run starts the test binary again for each turn, with the same test alone and without flags. So the test runs up to
// here in many processes, and must not depend on what other tests have done. If the other build does not have the test
// yet, Run skips the rest. If it crashes, measures nothing, or has other build settings, such as -race or tags, the end
// is CAN'T TELL with its output: this build may be the repair. A crash of this build fails. Gates of parallel tests
// wait for each other.
//
// In GitHub Actions and Azure Pipelines a line on the standard output makes CAN'T TELL a warning of the build: use -v.
//
// The folder t.ArtifactDir gets report.txt, and frames.csv with each frame of each turn.
func Run(t *testing.T, o Options, start func(*frame.Loop) func() error) {
	t.Helper()
	if start == nil {
		panic("frametest: Run with a nil function")
	}
	asked := os.Getenv(variable)
	if asked != "1" {
		o.base = asked
	}
	o = o.withDefaults()
	if p, ok := planned(t.Name()); ok {
		playTurn(t, o, p, start)
		t.SkipNow() // the rest of the test is for the process that judges
	}
	if why := unable(asked); why != "" {
		t.Skip("frametest: " + why)
	}
	if err := o.checkBase(); err != nil {
		t.Fatalf("frametest: %v", err)
	}
	oneGate.Lock()
	defer oneGate.Unlock()
	if left := timeLeft(t); left < o.Time {
		if o.Time, o.cut = left, true; left < 2*o.Turn {
			cannotTell(t, o, "frametest: CAN'T TELL: no time is left for a turn: raise go test -timeout")
		}
	}
	t.Logf("frametest: plays for up to %v", o.Time.Round(time.Second))
	g := &gate{o: o, play: func(build string) (*turn, error) { return child(t, o, build, nil) }}
	g.unlike = unlike(o.base)
	v, err := g.run()
	switch {
	case errors.Is(err, errNoTest):
		t.Skipf("frametest: %v", err)
	case err != nil:
		t.Fatalf("frametest: %v", err)
	}
	tell(t, v)
}
