package play

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/demo/load"
	"github.com/frameslice/frameslice/demo/sim"
)

// Valley is the whole game without a window, as a load.Scene: the world that the window shows, and the offered jobs
// beside it. Pixels are moved piece by piece as in the window, into memory in place of a texture.
//
// In a comparison the rig of package load runs instead, because there every mode is to get the same work to the
// iteration.
type Valley struct {
	c        load.Config
	complain io.Writer // a line for each problem that was got over
	mode     load.Mode
	load     float64
	dir      string // of the autosave
	world    *sim.World
	probe    Probe
	offer    *load.Offer
	errands  *Errands
	told     int // problems
	last     deadline.Instant
	dt       time.Duration // of the frame
	own      time.Duration // sum of Steps
	steps    int
	texture  []byte
}

var _ load.Scene = (*Valley)(nil)

// NewValley measures the jobs and makes a folder for the autosave, which Close removes.
func NewValley(c load.Config, complain io.Writer) (*Valley, error) {
	dir, err := os.MkdirTemp("", "frameslice-*")
	if err != nil {
		return nil, fmt.Errorf("no folder for the autosave: %w", err)
	}
	return &Valley{c: c.WithDefaults(), complain: complain, dir: dir, offer: load.NewOffer(c)}, nil
}

// Reset makes the world.
func (v *Valley) Reset(m load.Mode) {
	v.mode = m
	v.world = sim.New(sim.Options{Seed: v.c.Seed, SaveTo: sim.ToFile(filepath.Join(v.dir, "world.save"))})
	v.errands = NewErrands(v.upload, 0)
}

// upload moves the next piece of pixels, as it would to a graphics card.
func (v *Valley) upload(maxBytes int) int {
	u, ok := v.world.Uploads.Next(maxBytes)
	if !ok {
		return 0
	}
	v.texture = append(v.texture[:0], u.Pix...)
	return len(u.Pix)
}

// Start gives the world its executor. A mode without jobs holds the world's back, as it does in the window.
func (v *Valley) Start(x load.Executor, now deadline.Instant) {
	v.load = v.c.Load
	if v.mode.Quiet() {
		x, v.load = &Hold{}, 0
	}
	if x, ok := x.(load.Looped); ok {
		v.errands.Direct(x.Loop().Scheduler())
	}
	v.probe.Adopt(x)
	v.last = now
}

// Offer submits the jobs that have come due.
func (v *Valley) Offer(_ load.Executor, now deadline.Instant) {
	v.dt = max(now.Sub(v.last), 0)
	v.last = now
	v.offer.Frame(v.dt, v.load, &v.probe)
}

// Step advances the world and moves pixels.
func (v *Valley) Step(load.Executor) {
	begin := deadline.Now()
	v.world.Step(v.dt, &v.probe)
	switch tick := v.world.Tick; { // 60 a second
	case tick%900 == 0:
		v.world.Reload(&v.probe)
	case tick%300 == 0:
		v.world.Save(&v.probe)
	}
	v.errands.Frame(v.dt.Seconds(), v.world.Uploads.Len())
	v.own, v.steps = v.own+deadline.Now().Sub(begin), v.steps+1
	for _, p := range v.world.Problems[v.told:] {
		fmt.Fprintf(v.complain, "demo: %s: %v\n", p.Name, p.Err)
	}
	v.told = len(v.world.Problems)
}

// Counts returns what has become of the offered jobs.
func (v *Valley) Counts() load.Counts { return v.offer.Counts }

// Leave takes the executor away before it is closed.
func (v *Valley) Leave() {
	v.probe.Suspend()
	v.errands.Direct(nil)
}

// Describe tells what is known of the work without calibrating it: own work as it was in the mean.
func (v *Valley) Describe(s *load.Settings) {
	own := Millis64(v.own / time.Duration(max(v.steps, 1)))
	s.Offered, s.MaxPending = v.offer.Rate(v.load), v.offer.Limit(v.load)
	s.JobRealMS, s.OwnMS, s.OwnRealMS = Millis64(v.c.Job), own, own
	s.StepMS = Millis64(v.probe.Fork())
	if v.world != nil {
		s.Boids = len(v.world.Crowd.X)
	}
}

// Millis64 is d in milliseconds.
func Millis64(d time.Duration) float64 { return float64(d) / 1e6 }

// Close removes the autosave. The executor has been closed.
func (v *Valley) Close() error { return os.RemoveAll(v.dir) }

// Run is load.Main of the whole game.
func Run(ctx context.Context, c load.Config, stdout, stderr io.Writer) error {
	v, err := NewValley(c, stderr)
	if err != nil {
		return err
	}
	c.Scene = v
	return errors.Join(load.Main(ctx, c, stdout, stderr), v.Close())
}
