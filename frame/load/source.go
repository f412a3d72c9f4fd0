package load

import (
	"container/list"
	"context"
	"errors"
	"sync"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/workers"
)

// A Source gets the bytes of a key from where they are: a server, a disk, an archive. It runs on a goroutine of its
// own, and may wait. It may report the bytes to the Meter. Its context ends when nobody wants the value, or when the
// loop closes. Package fetch has sources for HTTP and for files.
//
// If the error of a Source has a method RetryAfter() (pause time.Duration, again bool), the method says whether another
// attempt makes sense, and how long to wait at least: for example what a server says. A pause of more than a minute
// makes the attempt the last one.
type Source[K comparable] func(ctx context.Context, key K, m *Meter) ([]byte, error)

// A retry is an error of a Source that knows whether another attempt makes sense, and how long to wait at least.
type retry interface {
	error
	RetryAfter() (pause time.Duration, again bool)
}

const (
	defaultFetches = 6           // as browsers allow for a host
	longestPause   = time.Minute // that a server may ask for
)

// sources is the first stage of a Loader with a Source. A decoding waits in line until LF2 lets it in, is then ready,
// runs, and has ended when the task fetched has run.
//
//   - LF1. At most Options.Fetches sources run. A source counts from its submission until its function has ended, also
//     if nobody wants its value any more.
//   - LF2. Decodings that are ready or run, and those that are held with their bytes, count together for Options.Ahead,
//     as decodes do (heldDecodes). So the memory has a bound though decodes are slower than sources.
//   - LF3. Each task that makes room in LF2, or that puts a decoding in line, calls startHeld, which calls admit. Room
//     comes with fetched, with the start of a decode (submit), with a decoding that has left (leaveDecode), and with a
//     commit (run).
//   - LF4. Who makes a decoding ready, and who ends a source, then looks for a source to start. So no decoding stays
//     ready while fewer than Options.Fetches sources run, and no source waits for the next frame.
type sources[K comparable, T any] struct {
	get  Source[K] // nil: the Loader has one stage
	most int       // LF1; negative: no limit

	// Of the tasks.
	line heldDecodes
	in   [deadline.NumPriorities]int // decodings that are ready or run, by lane

	mu      sync.Mutex
	ready   heldDecodes
	running int
}

func (s *sources[K, T]) init(source Source[K], fetches int) {
	s.get, s.most = source, fetches
	if fetches == 0 {
		s.most = defaultFetches
	}
}

// A fetching is a decoding's part in the first stage.
type fetching struct {
	lane  int                     // in line, or as it was made ready
	place *list.Element           // in sources.line or, under the lock, in sources.ready; or nil
	bytes *workers.Future[[]byte] // of the source that has been started, under the lock
	meter *Meter                  // of the attempt
	again bool                    // the source's error is worth another attempt
	least time.Duration           // the pause before it, at least

	admitted bool // it is or was ready: LF2
}

// fetch puts the decoding in line.
func (d *decoding[K, T]) fetch() {
	f := &fetching{lane: d.priority.Lane(), meter: d.meter}
	f.place = d.ld.sources.line[f.lane].PushBack(d)
	d.fetching = f
}

// admit makes decodings ready as far as there is room: LF2.
func (s *sources[K, T]) admit(ld *Loader[K, T]) {
	for e := s.line.next(); e != nil; e = s.line.next() {
		d := e.Value.(*decoding[K, T])
		ahead := s.in
		for lane := range ahead {
			ahead[lane] += ld.held[lane].Len()
		}
		if !ld.limit.allows(ahead, d.priority) {
			return
		}
		f := d.fetching
		s.line[f.lane].Remove(e)
		s.in[f.lane]++
		f.admitted = true
		s.mu.Lock()
		f.place = s.ready[f.lane].PushBack(d)
		s.mu.Unlock()
		s.startReady(ld)
	}
}

// startReady starts the sources of decodings that are ready: LF1 and LF4. Any goroutine.
func (s *sources[K, T]) startReady(ld *Loader[K, T]) {
	for {
		s.mu.Lock()
		e := s.ready.next()
		if e == nil || s.most >= 0 && s.running >= s.most || ld.s.Context().Err() != nil {
			s.mu.Unlock()
			return
		}
		s.running++
		d := e.Value.(*decoding[K, T])
		f := d.fetching
		s.ready[f.lane].Remove(e)
		f.place = nil
		f.bytes = workers.SubmitIO(ld.l.Pool(), func(ctx context.Context) ([]byte, error) {
			return d.ask(ctx, f)
		})
		s.mu.Unlock()
		f.bytes.Notify(func() {
			s.mu.Lock()
			s.running--
			s.mu.Unlock()
			ld.post(func() { d.fetched(f) })
			s.startReady(ld)
		})
	}
}

// ask calls the source. Its context also ends with the loop, whose pool may live on.
// It asks the error about another attempt, so that a panic of the error's methods ends this attempt alone.
func (d *decoding[K, T]) ask(ctx context.Context, f *fetching) ([]byte, error) {
	life := d.ld.s.Context()
	if life.Err() != nil {
		return nil, context.Cause(life)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(life, func() { cancel(context.Cause(life)) })()
	bytes, err := d.ld.sources.get(ctx, d.key, f.meter)
	if err != nil {
		again := worthRetrying(err)
		if r := (retry)(nil); errors.As(err, &r) {
			least, worth := r.RetryAfter()
			f.least, again = least, again && worth && least <= longestPause
		}
		f.again = again
	}
	return bytes, err
}

// fetched is the end of a source.
func (d *decoding[K, T]) fetched(f *fetching) {
	ld := d.ld
	ld.sources.in[f.lane]--
	data, err := f.bytes.Result()
	if unwanted := d.unwanted.Load(); unwanted || err != nil {
		f.meter.forget()
		if ld.startHeld(); !unwanted {
			d.fetching = nil
			d.failed(err, f.again, f.least)
		}
		return
	}
	d.fetching, d.data = nil, data
	d.hold()
	ld.startHeld()
}

// leaveSources takes the decoding out of the line, or from the ready ones. It returns false if the decoding was in
// neither.
func (d *decoding[K, T]) leaveSources() bool {
	f, s := d.fetching, &d.ld.sources
	if f == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if f.place == nil {
		return false
	}
	if f.admitted {
		s.ready[f.lane].Remove(f.place)
		s.in[f.lane]--
	} else {
		s.line[f.lane].Remove(f.place)
	}
	f.place = nil
	return true
}

// stopFetching ends the first stage of a decoding that nobody wants. It returns false if the decoding was not there.
func (d *decoding[K, T]) stopFetching() bool {
	if d.leaveSources() {
		return true
	}
	if d.fetching == nil {
		return false
	}
	d.fetching.bytes.Cancel()
	return true
}
