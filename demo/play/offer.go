package play

import (
	"math/bits"
	"runtime"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/demo/load"
	"github.com/frameslice/frameslice/demo/sim"
)

// Offer is the steady stream of background jobs that the slider sets. Its schedule waits for no one: jobs
// come due at the rate of the load whatever has become of the earlier ones, as packets and players do. A
// load of 1 is all that the machine has left beside the game. Jobs are terrain chunks that nobody sees, of
// a fixed amount of work each.
type Offer struct {
	seed   uint64
	job    time.Duration // cost of one job, alone on the machine
	detail int           // that costs so much
	alloc  bool
	CPUs   int

	due     float64
	n       uint64
	free    []*chunkJob
	chunks  sim.ChunkPool
	pending int
	load.Counts
}

const (
	gameShare  = 0.24                   // of one CPU that a frame's own work takes: 4 of 16.7 ms
	longestGap = 10.0                   // seconds
	backlog    = 200 * time.Millisecond // of offered work that may wait; the rest is dropped and counted

	mostWaiting = 1 << 18 // jobs, whatever the backlog says
)

// NewOffer returns a stream of jobs that cost job each, alone on the machine, which it measures: some 40 ms
// and ten jobs, outside the frames.
func NewOffer(seed uint64, job time.Duration, alloc bool) *Offer {
	return &Offer{
		seed: seed, job: job, alloc: alloc, detail: sim.Calibrate(job),
		CPUs: min(runtime.NumCPU(), runtime.GOMAXPROCS(0)),
	}
}

// Rate returns the jobs a second that a load means.
func (o *Offer) Rate(load float64) float64 {
	return load * (float64(o.CPUs) - gameShare) / o.job.Seconds()
}

// Limit returns how many jobs may wait at a load.
func (o *Offer) Limit(load float64) int {
	return int(min(o.Rate(load)*backlog.Seconds(), mostWaiting)) + 1
}

// Frame submits what has come due in dt seconds, however long the frame was: the schedule waits for nobody.
// Only a gap that no frame is to blame for, of a suspended machine, is cut short.
func (o *Offer) Frame(dt, load float64, r sim.Runner) {
	rate := o.Rate(load)
	limit := o.Limit(load)
	o.due += min(dt, longestGap) * rate
	for ; o.due >= 1; o.due-- {
		o.Due++
		if o.pending >= limit {
			o.Dropped++
			continue
		}
		var j *chunkJob
		if n := len(o.free); n > 0 {
			j, o.free = o.free[n-1], o.free[:n-1]
		} else {
			j = &chunkJob{offer: o}
		}
		j.n = o.n
		o.n++
		o.pending++
		r.Submit(KindOffered, deadline.Normal, j)
	}
}

// chunkJob paints one chunk into memory that it is lent, or into new memory with -alloc.
type chunkJob struct {
	offer *Offer
	n     uint64
	out   *sim.Chunk
}

func (j *chunkJob) Run() { j.RunPatiently(nil) }

// RunPatiently is Run that calls pause after each row of samples, but not with -alloc.
func (j *chunkJob) RunPatiently(pause func()) {
	o := j.offer
	h, _ := bits.Mul64(j.n*0x9E3779B97F4A7C15+o.seed, 0xD6E8FEB86659FD93)
	cx, cy := int(h%sim.WorldChunks), int(h>>32%sim.WorldChunks)
	if o.alloc {
		j.out = sim.SynthAlloc(o.seed, cx, cy, o.detail)
		return
	}
	j.out = o.chunks.Take()
	sim.SynthPatiently(j.out, o.seed, cx, cy, o.detail, pause)
}

func (j *chunkJob) Commit() {
	o := j.offer
	if !o.alloc {
		o.chunks.Put(j.out)
	}
	j.out = nil
	o.pending--
	o.Finished++
	o.free = append(o.free, j)
}
