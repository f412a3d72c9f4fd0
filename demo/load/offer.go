package load

import (
	"math"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/demo/sim"
)

// Counts are what has become of the offered jobs.
type Counts struct {
	Due      int64 // came due by the schedule
	Dropped  int64 // of those, refused because too many were waiting
	Finished int64 // committed

	Held   time.Duration // how long jobs were offered
	Loaded time.Duration // the same, times the load of each moment
}

// Load returns the load that the jobs were offered at, in the mean if it was changed.
func (c Counts) Load() float64 {
	return math.Round(1e4*float64(c.Loaded)/float64(max(c.Held, 1))) / 1e4
}

// Plus returns both together.
func (c Counts) Plus(d Counts) Counts {
	return Counts{c.Due + d.Due, c.Dropped + d.Dropped, c.Finished + d.Finished, c.Held + d.Held, c.Loaded + d.Loaded}
}

// Minus returns what has come since d.
func (c Counts) Minus(d Counts) Counts {
	return Counts{c.Due - d.Due, c.Dropped - d.Dropped, c.Finished - d.Finished, c.Held - d.Held, c.Loaded - d.Loaded}
}

// An Offer is the steady stream of background jobs. Its schedule waits for nobody: jobs come due at the rate of the
// load whatever has become of the earlier jobs, as packets and players do. A load of 1 is all that the machine has
// left beside the game. Jobs are terrain chunks that nobody sees, of a fixed amount of work each.
type Offer struct {
	Counts
	CPUs int // how many jobs can run at once

	c       Config
	kind    string
	detail  int // of a chunk that costs Config.Job
	work    func(j *job, pause func())
	due     float64
	pending int
	all     []*job
	free    []*job // those of them that are not submitted
	chunks  sim.ChunkPool
}

// KindOffered is the kind of the offered jobs in the game.
const KindOffered = "chunk"

const (
	// backlog bounds the jobs that are accepted and not finished, as a time of offered load.
	backlog = 200 * time.Millisecond
	// mostWaiting bounds the jobs that may wait, far beyond any useful setting.
	mostWaiting = 1 << 18
	// longestGap is the longest time between two frames whose jobs are made up for. No frame is to blame for a longer
	// one, as of a suspended machine.
	longestGap = LongestFrame
)

// NewOffer returns a stream of jobs as c describes them. It measures what they cost, which takes about 40 ms and ten
// jobs, outside the frames.
func NewOffer(c Config) *Offer {
	o := newOffer(c)
	o.detail = sim.Calibrate(o.c.Job)
	return o
}

// newOffer returns a stream whose jobs have no detail yet.
func newOffer(c Config) *Offer {
	o := &Offer{c: c.WithDefaults(), CPUs: cpus(), kind: KindOffered}
	o.work = o.paint
	return o
}

// Rate returns the jobs a second that a load means.
func (o *Offer) Rate(load float64) float64 {
	c := o.c
	c.Load = load
	return c.rate(o.CPUs)
}

// Limit returns how many jobs may wait at a load. One frame's arrivals always fit.
func (o *Offer) Limit(load float64) int {
	return int(min(math.Ceil(o.Rate(load)*max(backlog, o.c.Interval).Seconds()), mostWaiting))
}

// Reset begins anew, with room for the jobs that may wait at a load. The executor of before has dropped the jobs that
// it did not finish.
func (o *Offer) Reset(load float64) {
	for len(o.all) < o.Limit(load) {
		o.all = append(o.all, &job{offer: o})
	}
	o.free = append(o.free[:0], o.all...)
	o.Counts, o.due, o.pending = Counts{}, 0, 0
}

// Frame submits what has come due in the time since the last frame. Jobs that find a full backlog are dropped, in
// every mode alike, and counted.
func (o *Offer) Frame(since time.Duration, load float64, r sim.Runner) {
	limit := o.Limit(load)
	since = min(since, longestGap)
	o.Held += since
	o.Loaded += time.Duration(load * float64(since))
	o.due += since.Seconds() * o.Rate(load)
	for ; o.due >= 1; o.due-- {
		n := o.Due
		o.Due++
		if o.pending >= limit {
			o.Dropped++
			continue
		}
		if len(o.free) == 0 {
			o.all = append(o.all, &job{offer: o})
			o.free = append(o.free, o.all[len(o.all)-1])
		}
		j := o.free[len(o.free)-1]
		o.free = o.free[:len(o.free)-1]
		j.n = uint64(n)
		o.pending++
		r.Submit(o.kind, deadline.Normal, j)
	}
}

// job paints one chunk into memory that it is lent.
type job struct {
	offer *Offer
	n     uint64 // number in the schedule
	out   *sim.Chunk
}

func (j *job) Run() { j.offer.work(j, nil) }

// RunPatiently is Run that calls pause after some rows of samples.
func (j *job) RunPatiently(pause func()) { j.offer.work(j, pause) }

func (o *Offer) paint(j *job, pause func()) {
	h := (j.n+1)*0x9e3779b97f4a7c15 ^ Seed
	h = (h ^ h>>29) * 0xd6e8feb86659fd93
	cx, cy := int(h>>40%sim.WorldChunks), int(h>>20%sim.WorldChunks)
	j.out = o.chunks.Take()
	sim.SynthPatiently(j.out, Seed, cx, cy, o.detail, pause)
}

// Commit takes the result. A game would hand it to the graphics card.
func (j *job) Commit() {
	o := j.offer
	o.reuse(j)
	o.pending--
	o.Finished++
	o.free = append(o.free, j)
}

func (o *Offer) reuse(j *job) {
	if j.out != nil {
		o.chunks.Put(j.out)
	}
	j.out = nil
}
