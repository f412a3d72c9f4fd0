package load

import (
	"image"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/demo/sim"
	"github.com/frameslice/frameslice/internal/words"
)

// Own is the frame's own work in a comparison without a window, serial and fixed in iterations.
const Own = 4 * time.Millisecond

// rig is the work of a comparison without a window, the same in every mode. The frame's own work is a step of the
// crowd and a filler, Own together. All work is fixed in iterations, measured once at the start. So a frame or a job
// on a core that is slowed down takes longer, and shows.
type rig struct {
	c     Config
	offer *Offer
	world *sim.World
	boids int
	fill  int // filler iterations per frame

	ownMS, stepMS, jobMS float64 // as calibrated: serial, undisturbed

	step func(x Executor) // the frame's own work
	load float64          // of the mode in progress
	last deadline.Instant

	sink uint64
}

// newRig makes a rig whose frames and jobs do nothing.
func newRig(c Config) *rig {
	r := &rig{c: c, offer: newOffer(c), step: func(Executor) {}}
	r.offer.kind, r.offer.work = sim.KindTerrain, func(*job, func()) {}
	return r
}

// calibrate gives the rig its work. It takes about a second.
func (r *rig) calibrate() {
	if r.c.Load > 0 {
		r.offer.work = r.offer.paint
		r.calibrateJob()
	}
	r.calibrateOwn()
	r.step = r.frame
}

// frame is the frame's own work.
func (r *rig) frame(x Executor) {
	r.world.Step(r.c.Interval, x)
	r.sink += filler(r.fill)
}

// best returns the shortest of n runs of f: what f costs when nobody interferes.
func best(n int, f func()) time.Duration {
	var d time.Duration = 1 << 62
	for range n {
		begin := deadline.Now()
		f()
		d = min(d, deadline.Now().Sub(begin))
	}
	return d
}

// correct calls mend as long as what it measures is off by more than a part of want, and so many times at most. It
// returns what it measured last, after which nothing has changed.
func correct(
	most int, want time.Duration, part float64, measure func() time.Duration, mend func(got time.Duration),
) (got time.Duration) {
	for {
		got = measure()
		if off := float64(got)/float64(want) - 1; off > -part && off < part || most == 0 {
			return got
		}
		most--
		mend(got)
	}
}

// calibrateJob finds the detail that makes a job as long as asked. The jobs themselves correct a first guess that was
// disturbed.
func (r *rig) calibrateJob() {
	o, want := r.offer, r.c.Job
	o.detail = sim.Calibrate(want)
	r.jobMS = words.Millis(correct(3, want, 0.03, r.timeJob, func(got time.Duration) {
		o.detail = max(1, int(float64(o.detail)*float64(want)/float64(got)))
	}))
}

// timeJob is the mean cost of different jobs, each at its best of a few runs, because a forest costs more than the sea.
// It takes 0.4 s, or two jobs if they take longer.
func (r *rig) timeJob() time.Duration {
	const long = 400 * time.Millisecond
	kinds := min(max(int(long/8/r.c.Job), 2), 16)
	runs := min(max(int(long/r.c.Job)/kinds, 1), 8)
	var sum time.Duration
	j := &job{offer: r.offer}
	for n := range kinds {
		j.n = uint64(n)
		sum += best(runs, func() { j.Run(); r.offer.reuse(j) })
	}
	return sum / time.Duration(kinds)
}

// calibrateOwn sizes the crowd and the filler so that both together take Own on one undisturbed core. The crowd gets at
// most three quarters, so that the total can be met exactly.
func (r *rig) calibrateOwn() {
	r.boids = 6000 // as many as the demo shows
	const share = Own * 3 / 4
	var step time.Duration
	for range 6 {
		r.newWorld()
		step = best(40, func() { r.world.Step(r.c.Interval, sim.Inline{}) })
		if step <= share {
			break
		}
		r.boids = max(int(float64(r.boids)*float64(share)/float64(step)*0.9), 1)
	}
	const probe = 1 << 18
	unit := best(20, func() { r.sink += filler(probe) })
	r.fill = int(float64(Own-step) / float64(unit) * probe)
	// The sum corrects first readings that were disturbed.
	got := correct(4, Own, 0.01, func() time.Duration { return best(20, func() { r.frame(idle{}) }) },
		func(got time.Duration) {
			r.fill = max(0, r.fill+int(float64(Own-got)/float64(unit)*probe))
		})
	r.stepMS, r.ownMS = words.Millis(step), words.Millis(got)
}

// newWorld makes a world with a small picture and a camera that stands still, so that it soon asks for no more jobs.
func (r *rig) newWorld() {
	r.world = sim.New(sim.Options{
		Seed: Seed, Boids: r.boids, Agents: -1, NoAssets: true, View: image.Pt(1, 1),
	})
	r.world.Camera.Free = true
}

// filler is arithmetic in registers: its time depends on the core alone.
func filler(n int) uint64 {
	x := uint64(0x9e3779b97f4a7c15)
	for range n {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	return x
}

// reset prepares a slice of mode m: every slice starts from the same world and the same job.
func (r *rig) reset(m Mode) {
	if r.boids > 0 {
		r.newWorld()
	}
	r.load = r.c.Load
	if m == Idle {
		r.load = 0
	}
	r.offer.Reset(r.load)
}

// submit submits the jobs that have come due since the last frame.
func (r *rig) submit(x Executor, now deadline.Instant) {
	r.offer.Frame(now.Sub(r.last), r.load, x)
	r.last = now
}
