package testkit

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/frameslice/frameslice/internal/race"
)

// Random programs are goroutines, and the functions that they hand over, which do at random what the documentation
// allows. Each package has acts of its own. This file has what all programs share: seeds, faults, and the deeds, which
// are functions that somebody has handed over and that run at most once.

var (
	randomSeed = flag.Uint64("random.seed", 0, "run only the random program of this seed, and show it; 0 means many")
	randomFor  = flag.Duration("random.for", 0, "run random programs for so long, of seeds that were never run")
)

// Seeds are the seeds of random programs.
type Seeds int

const (
	Numbered Seeds = iota // 0, 1, 2 and so on
	Fresh                 // others in each run
)

// A RandomProgram is what a seed makes.
type RandomProgram interface {
	// Run runs the program, and returns what was wrong.
	Run(t *testing.T) (faults []string)
	// String is the program in words.
	String() string
}

// longestProgram is how long a random program may take before it counts as one that hangs.
const longestProgram = 2 * time.Minute

// RandomPrograms runs n random programs, or a quarter of them where each takes long: with -short and under the race
// detector. The first one that fails is shown, and comes again with -random.seed, as far as the system lets it.
func RandomPrograms(t *testing.T, n int, seeds Seeds, of func(seed uint64) RandomProgram) {
	t.Helper()
	if race.Enabled || testing.Short() {
		n = (n + 3) / 4
	}
	end := time.Now().Add(*randomFor)
	ran := 0
	for ; (ran < n || time.Now().Before(end)) && !t.Failed(); ran++ {
		seed := uint64(ran)
		switch {
		case *randomSeed != 0:
			seed = *randomSeed
		case *randomFor > 0 || seeds == Fresh:
			seed = rand.Uint64()
		}
		p := of(seed)
		if ran == 0 && *randomSeed != 0 {
			t.Log(p)
		}
		if faults := runWatched(t, seed, p); len(faults) > 0 {
			first := faults[:min(len(faults), 5)]
			t.Errorf("-random.seed %d, %d faults: %s\n%v", seed, len(faults), strings.Join(first, "\n"), p)
		}
	}
	t.Logf("%d random programs", ran)
}

// runWatched runs p, and ends the process with all that is known if p hangs or panics.
func runWatched(t *testing.T, seed uint64, p RandomProgram) []string {
	over := make(chan struct{})
	defer close(over)
	go func() {
		select {
		case <-over:
		case <-time.After(longestProgram):
			buf := make([]byte, 1<<20)
			panic(fmt.Sprintf("-random.seed %d hangs: %v\n%s", seed, p, buf[:runtime.Stack(buf, true)]))
		}
	}()
	defer func() {
		if v := recover(); v != nil {
			fmt.Printf("-random.seed %d: %v\n", seed, p)
			panic(v)
		}
	}()
	return p.Run(t)
}

// A Cast is what the goroutines of a random program share. Any goroutine may call its methods.
type Cast struct {
	Seed uint64
	Left atomic.Int64 // how many acts are still to come

	serial atomic.Uint64
	busy   atomic.Bool              // a function of Alone runs
	known  [32]atomic.Pointer[Deed] // deeds of which others know

	mu     sync.Mutex
	faults []string
	deeds  []*Deed
}

// Rand returns random numbers for one goroutine.
func (c *Cast) Rand() *rand.Rand { return rand.New(rand.NewPCG(c.Seed, c.serial.Add(1))) }

// Fail notes a fault.
func (c *Cast) Fail(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.faults = append(c.faults, fmt.Sprintf(format, args...))
}

// Faults returns what was noted.
func (c *Cast) Faults() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.faults
}

// Alone runs f, beside which no other function of Alone may run.
func (c *Cast) Alone(what any, f func()) {
	if !c.busy.CompareAndSwap(false, true) {
		c.Fail("%v runs beside something else", what)
		return
	}
	defer c.busy.Store(false)
	f()
}

// A Deed is a function that a random program hands over to what it tests.
type Deed struct {
	ID uint64
	Of any // the program's own

	// Cancel prevents the run, and reports whether it did. It is set before the deed becomes known.
	Cancel func() bool
	// Mild deeds may be canceled when they have begun, as coroutines may.
	Mild bool

	begun, ended, canceled atomic.Int32
}

// Deed notes a function that is going to be handed over.
func (c *Cast) Deed(of any) *Deed {
	d := &Deed{ID: c.serial.Add(1), Of: of}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.deeds = append(c.deeds, d)
	return d
}

// Deeds returns all deeds.
func (c *Cast) Deeds() []*Deed {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.deeds
}

// Share lets others know of d, which has been handed over.
func (c *Cast) Share(r *rand.Rand, d *Deed) { c.known[r.IntN(len(c.known))].Store(d) }

// Known returns a deed of which others know, or nil.
func (c *Cast) Known(r *rand.Rand) *Deed { return c.known[r.IntN(len(c.known))].Load() }

// CancelKnown cancels a deed of which others know.
func (c *Cast) CancelKnown(r *rand.Rand) {
	d := c.Known(r)
	if d == nil || !d.Cancel() {
		return
	}
	if n := d.canceled.Add(1); !d.Mild && (n > 1 || d.begun.Load() > 0) {
		c.Fail("Cancel of %v returns true, which was canceled %d times and has run %d times", d, n, d.begun.Load())
	}
}

// Run is the run of d, in which f runs.
func (d *Deed) Run(c *Cast, f func()) {
	if d.canceled.Load() > 0 && !d.Mild {
		c.Fail("%v runs after Cancel has returned true", d)
	}
	if n := d.begun.Add(1); n > 1 {
		c.Fail("%v runs %d times", d, n)
	}
	defer d.ended.Add(1)
	f()
}

func (d *Deed) String() string { return fmt.Sprintf("%v %d", d.Of, d.ID) }

// Begun returns how often the run of d has begun.
func (d *Deed) Begun() int { return int(d.begun.Load()) }

// Ended returns how often the run of d has ended.
func (d *Deed) Ended() int { return int(d.ended.Load()) }

// Canceled reports whether CancelKnown has canceled d.
func (d *Deed) Canceled() bool { return d.canceled.Load() > 0 }

// Open returns the deeds that were neither run nor canceled, and those that still run.
func (c *Cast) Open() (open []*Deed) {
	for _, d := range c.Deeds() {
		if b := d.Begun(); b == 0 && !d.Canceled() || b != d.Ended() {
			open = append(open, d)
		}
	}
	return open
}
