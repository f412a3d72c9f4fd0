package load

import (
	"container/list"
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/workers"
)

// A Source gets the bytes of a key from where they are: a server, a disk, an archive. It runs on a goroutine of its
// own, and may wait. It may report the bytes to the Meter. Its context ends when nobody wants the value, or when the
// loop closes. Package fetch has sources for HTTP and for files.
type Source[K comparable] func(ctx context.Context, key K, m *Meter) ([]byte, error)

// A Retry is an error of a Source that knows whether another attempt makes sense, and how long to wait at least: for
// example what a server says in Retry-After. A pause of more than a minute makes the attempt the last one.
type Retry interface {
	error
	RetryAfter() (pause time.Duration, again bool)
}

const (
	defaultFetches = 6           // as browsers allow for a host
	longestPause   = time.Minute // that a server may ask for
)

// sources is the first stage of a Loader with a Source. It belongs to the tasks.
//
//   - LF1. At most Options.Fetches sources run. A source counts from its submission until its function has ended, also
//     if nobody wants its value any more.
//   - LF2. Sources that run and values that wait for their decode count together for Options.Ahead, as decodes do
//     (heldDecodes). So the memory has a bound though decodes are slower than fetches.
//   - LF3. Each task that makes room for a source, or that puts a decoding in line, calls startHeld, which calls more.
//     Room comes with the end of a source (fetched), with the start of a decode (submit), with a decoding that has
//     left (leave), and with a commit (run).
type sources[K comparable, T any] struct {
	get     Source[K] // nil: the Loader has one stage
	most    int       // LF1; negative: no limit
	line    heldDecodes
	runs    [deadline.NumPriorities]int // sources that run, by the lane of their start
	running int                         // the sum of runs
}

func (s *sources[K, T]) init(source Source[K], fetches int) {
	s.get, s.most = source, fetches
	if fetches == 0 {
		s.most = defaultFetches
	}
}

// A fetching is a decoding's part in the first stage: in line, or running.
type fetching struct {
	place *list.Element           // in sources.line, or nil
	bytes *workers.Future[[]byte] // or nil
	lane  int                     // for which it counts while it runs
	meter *Meter                  // of the attempt
}

// fetch puts the decoding in line.
func (d *decoding[K, T]) fetch() {
	d.fetching = &fetching{meter: d.meter}
	d.line()
}

func (d *decoding[K, T]) line() {
	d.fetching.place = d.ld.sources.line[d.priority.Lane()].PushBack(d)
}

// leaveLine takes the decoding from the line, and reports whether it was there.
func (d *decoding[K, T]) leaveLine() bool {
	f := d.fetching
	if f == nil || f.place == nil {
		return false
	}
	d.ld.sources.line[d.priority.Lane()].Remove(f.place)
	f.place = nil
	return true
}

// more starts sources as far as there is room.
func (s *sources[K, T]) more(ld *Loader[K, T]) {
	for e := s.line.next(); e != nil; e = s.line.next() {
		d := e.Value.(*decoding[K, T])
		if !s.hasRoom(ld, d.priority) {
			return
		}
		d.leaveLine()
		d.begin()
	}
}

// hasRoom is LF1 and LF2.
func (s *sources[K, T]) hasRoom(ld *Loader[K, T], p deadline.Priority) bool {
	if s.most >= 0 && s.running >= s.most {
		return false
	}
	ahead := s.runs
	for lane := range ahead {
		ahead[lane] += ld.held[lane].Len()
	}
	return ld.limit.allows(ahead, p)
}

// begin runs the source.
func (d *decoding[K, T]) begin() {
	f, ld := d.fetching, d.ld
	f.lane = d.priority.Lane()
	ld.sources.runs[f.lane]++
	ld.sources.running++
	life := ld.s.Context()
	f.bytes = workers.SubmitIO(ld.l.Pool(), func(ctx context.Context) ([]byte, error) {
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		defer context.AfterFunc(life, func() { cancel(context.Cause(life)) })()
		return ld.sources.get(ctx, d.key, f.meter)
	})
	f.bytes.Notify(func() { ld.post(func() { d.fetched(f) }) })
}

// fetched is the end of a source.
func (d *decoding[K, T]) fetched(f *fetching) {
	ld := d.ld
	ld.sources.runs[f.lane]--
	ld.sources.running--
	if d.unwanted.Load() {
		f.meter.forget()
		ld.startHeld()
		return
	}
	d.fetching = nil
	bytes, err := f.bytes.Result()
	if err != nil {
		f.meter.forget()
		ld.startHeld()
		d.failed(err)
		return
	}
	d.bytes = bytes
	d.hold()
	ld.startHeld()
}

// stopFetching ends the first stage of a decoding that nobody wants, and reports whether the decoding was there.
func (d *decoding[K, T]) stopFetching() bool {
	if d.leaveLine() {
		return true
	}
	if d.fetching == nil {
		return false
	}
	d.fetching.bytes.Cancel()
	return true
}

// pause returns how long to wait before the next attempt, and false if there is to be none.
func (d *decoding[K, T]) pause(err error) (pause time.Duration, again bool) {
	pause = min(firstPause<<min(d.attempts-1, 10), mostPause)
	if d.ld.sources.get == nil {
		return pause, true
	}
	pause -= rand.N(pause / 2) // so that not all clients of a server come back at once
	if r := (Retry)(nil); errors.As(err, &r) {
		least, again := r.RetryAfter()
		return max(pause, least), again && least <= longestPause
	}
	return pause, true
}
