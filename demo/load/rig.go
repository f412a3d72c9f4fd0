package load

import (
	"image"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/demo/sim"
)

// rig is the work, the same in every mode: the frame's own (a step of the crowd and a filler up to
// Own) and the jobs, offered by an open schedule. All of it is fixed in iterations, measured once at
// the start: a frame or a job on a core that is slowed down takes longer, and shows.
type rig struct {
	cfg    Config
	rate   float64 // jobs per second
	limit  int     // jobs accepted and not finished
	detail int     // of a job of Config.Job
	boids  int
	fill   int // filler iterations per frame

	ownMS, stepMS, jobMS float64 // as calibrated: serial, undisturbed

	step func(x Executor) // the frame's own work
	work func(j *synthJob)

	world  *sim.World
	quiet  bool // no jobs in this mode
	t0     deadline.Instant
	all    []*synthJob // as many as may wait
	free   []*synthJob // those of them that are not submitted
	chunks sim.ChunkPool
	heap   int
	keep   struct { // so many bytes
		linked *scrap
		plain  []byte
	}
	sum  Counts
	sink uint64
}

// newRig makes a rig without work in it.
func newRig(c Config) *rig {
	r := &rig{cfg: c, rate: c.rate(cpus()), limit: c.maxPending()}
	r.step, r.work = func(Executor) {}, func(*synthJob) {}
	if c.Alloc {
		r.heap = liveHeap
	}
	r.keep.linked = litter(r.heap / 4)
	r.keep.plain = make([]byte, r.heap-r.heap/4)
	r.all = make([]*synthJob, r.limit)
	for i := range r.all {
		r.all[i] = &synthJob{rig: r}
	}
	return r
}

// calibrate gives the rig the demo's work. It takes about a second.
func (r *rig) calibrate() {
	if r.rate > 0 {
		r.work = r.synth
		r.calibrateJob()
	}
	r.calibrateOwn()
	r.step = func(x Executor) {
		r.world.Step(r.cfg.Interval, x)
		r.sink += filler(r.fill)
	}
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

// calibrateJob finds the detail that makes a job as long as asked. A first guess that was disturbed is
// corrected by what the very jobs take.
func (r *rig) calibrateJob() {
	r.detail = sim.Calibrate(r.cfg.Job)
	r.jobMS = ms(correct(3, r.cfg.Job, 0.03, r.timeJob, func(got time.Duration) {
		r.detail = max(1, int(float64(r.detail)*float64(r.cfg.Job)/float64(got)))
	}))
}

// correct measures, and has what it measures corrected as long as that is off by more than a part of want, so many
// times at most. It returns what was measured last, after which nothing has been changed.
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

// timeJob is the mean cost of different jobs (a forest costs more than the sea), each at its best of a few
// runs: 0.4 s, or two jobs if that is more.
func (r *rig) timeJob() time.Duration {
	const long = 400 * time.Millisecond
	kinds := min(max(int(long/8/r.cfg.Job), 2), 16)
	runs := min(max(int(long/r.cfg.Job)/kinds, 1), 8)
	var sum time.Duration
	j := &synthJob{rig: r}
	for n := range kinds {
		j.n = uint64(n)
		sum += best(runs, func() {
			j.Run()
			if !r.cfg.Alloc {
				r.chunks.Put(j.out)
			}
		})
	}
	return sum / time.Duration(kinds)
}

// calibrateOwn sizes the crowd and the filler so that both together take Own on one undisturbed core. The
// crowd gets at most three quarters, so that the total can be met exactly.
func (r *rig) calibrateOwn() {
	const mostBoids = 6000 // as many as the demo shows
	r.boids = mostBoids
	const share = Own * 3 / 4
	var step time.Duration
	for range 6 {
		r.newWorld()
		step = best(40, func() { r.world.Step(r.cfg.Interval, sim.Inline{}) })
		if step <= share {
			break
		}
		r.boids = max(int(float64(r.boids)*float64(share)/float64(step)*0.9), 1)
	}
	const probe = 1 << 18
	unit := best(20, func() { r.sink += filler(probe) })
	r.fill = int(float64(Own-step) / float64(unit) * probe)
	frame := func() {
		r.world.Step(r.cfg.Interval, sim.Inline{})
		r.sink += filler(r.fill)
	}
	// What disturbed the first readings is corrected by the sum.
	got := correct(4, Own, 0.01, func() time.Duration { return best(20, frame) }, func(got time.Duration) {
		r.fill = max(0, r.fill+int(float64(Own-got)/float64(unit)*probe))
	})
	r.stepMS, r.ownMS = ms(step), ms(got)
}

func (r *rig) newWorld() {
	r.world = sim.New(sim.Options{
		Seed: r.cfg.Seed, Boids: r.boids, Agents: -1, NoAssets: true,
		View: image.Pt(1, 1), // and a camera that stands still: the world itself soon asks for no more jobs
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

// Reset prepares a slice of mode m: every slice starts from the same world and the same job.
func (r *rig) Reset(m Mode) {
	if r.boids > 0 {
		r.newWorld()
	}
	r.quiet = m.Quiet() || r.rate == 0
	r.sum = Counts{}
	r.free = append(r.free[:0], r.all...) // the last executor has dropped those that it did not finish
}

// Start is when the schedule of the jobs begins.
func (r *rig) Start(_ Executor, now deadline.Instant) { r.t0 = now }

// Leave has nothing to give back.
func (r *rig) Leave() {}

// Counts returns what has become of the jobs.
func (r *rig) Counts() Counts { return r.sum }

// Step does the frame's own work.
func (r *rig) Step(x Executor) { r.step(x) }

// Describe tells what was calibrated.
func (r *rig) Describe(s *Settings) {
	s.Offered, s.MaxPending, s.Boids = r.rate, r.limit, r.boids
	s.HeapMiB = float64(r.heap) / (1 << 20)
	s.JobRealMS, s.OwnRealMS, s.StepMS = r.jobMS, r.ownMS, r.stepMS
}

// Offer submits the jobs that have come due since the last frame. The schedule does not wait for anyone: job
// k is due k/rate seconds after the start. What finds a full backlog is dropped, in every mode alike,
// and counted.
func (r *rig) Offer(x Executor, now deadline.Instant) {
	if r.quiet {
		return
	}
	due := int64(now.Sub(r.t0).Seconds() * r.rate)
	for ; r.sum.Due < due; r.sum.Due++ {
		if len(r.free) == 0 {
			r.sum.Dropped++
			continue
		}
		j := r.free[len(r.free)-1]
		r.free = r.free[:len(r.free)-1]
		j.n = uint64(r.sum.Due)
		x.Submit(sim.KindTerrain, deadline.Normal, j)
	}
}

// synthJob paints one terrain chunk.
type synthJob struct {
	rig *rig
	n   uint64 // number in the schedule
	out *sim.Chunk
}

// Run may be called on any goroutine.
func (j *synthJob) Run() { j.rig.work(j) }

func (r *rig) synth(j *synthJob) {
	h := (j.n+1)*0x9e3779b97f4a7c15 ^ r.cfg.Seed
	h = (h ^ h>>29) * 0xd6e8feb86659fd93
	cx, cy := int(h>>40%sim.WorldChunks), int(h>>20%sim.WorldChunks)
	if r.cfg.Alloc {
		j.out = sim.SynthAlloc(r.cfg.Seed, cx, cy, r.detail)
	} else {
		j.out = r.chunks.Take()
		sim.SynthInto(j.out, r.cfg.Seed, cx, cy, r.detail)
	}
}

// litter allocates n bytes in linked pieces, as decoders and parsers do: the collector has to follow
// pointers.
func litter(n int) *scrap {
	var head *scrap
	for ; n > 0; n -= scrapSize {
		head = &scrap{next: head}
	}
	return head
}

const scrapSize = 512

type scrap struct {
	next *scrap
	_    [scrapSize - 8]byte
}

// Commit uses the result, as a game would that hands it to the graphics card.
func (j *synthJob) Commit() {
	r := j.rig
	if j.out != nil {
		r.sink += uint64(j.out.Image.Pix[len(j.out.Image.Pix)/2])
		if !r.cfg.Alloc {
			r.chunks.Put(j.out)
		}
	}
	j.out = nil
	r.sum.Finished++
	r.free = append(r.free, j)
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
