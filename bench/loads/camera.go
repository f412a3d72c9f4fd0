package main

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"time"

	"github.com/frameslice/frameslice"
	"github.com/frameslice/frameslice/bench/report"
	"github.com/frameslice/frameslice/frame/record"
)

// The world has so many tiles, and the camera sees so many.
const (
	worldWide, worldHigh = 50, 40
	sightWide, sightHigh = 12, 8
	tileBytes            = 256 << 10
	budget               = 64 << 20
)

// tiles is a store of tiles under test. show and get are called on the frame goroutine, once a frame and for each tile
// in sight.
type tiles interface {
	show(near, soon []int)
	get(tile int) bool
	stop()
}

// A yard makes tiles, and counts those that are made twice at once.
type yard struct {
	twice  atomic.Int64
	making sync.Map
}

func (y *yard) make(tile int) []byte {
	if _, was := y.making.LoadOrStore(tile, true); was {
		y.twice.Add(1)
	}
	defer y.making.Delete(tile)
	bytes := make([]byte, tileBytes)
	x := uint32(tile) | 1
	for i := range bytes { // about 0.5 ms
		x ^= x << 13
		x ^= x >> 17
		x ^= x << 5
		bytes[i] = byte(x)
	}
	return bytes
}

// live returns how many bytes the latest garbage collection has found to be in use.
func live() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

type ourTiles struct {
	cache *frameslice.Cache[int, []byte]
	view  *frameslice.View[int, []byte]
}

func newOurTiles(l *frameslice.Loop, y *yard) tiles {
	ld := frameslice.NewLoader(l, frameslice.LoadOptions{},
		func(_ context.Context, tile int, _ *frameslice.Meter) ([]byte, error) { return y.make(tile), nil })
	c := frameslice.NewCache(ld, frameslice.CacheOptions[int, []byte]{
		Budget: budget,
		Size:   func(int, []byte) int64 { return tileBytes },
	})
	return &ourTiles{c, c.View(context.Background())}
}

func (o *ourTiles) show(near, soon []int) { o.view.Show(near, soon) }

func (o *ourTiles) get(tile int) bool {
	_, ok := o.cache.Get(tile)
	return ok
}

func (o *ourTiles) stop() { o.cache.Close() }

// mapTiles is what one writes by hand: a map under a mutex, a goroutine for each missing tile, at most one for each
// processor, and a search for the oldest tile when there are too many.
type mapTiles struct {
	y      *yard
	places chan struct{}
	mu     sync.Mutex
	kept   map[int]*kept
	frame  int
	all    sync.WaitGroup
}

type kept struct {
	bytes []byte // nil: under way
	used  int    // frame
}

func newMapTiles(_ *frameslice.Loop, y *yard) tiles {
	return &mapTiles{y: y, places: make(chan struct{}, runtime.GOMAXPROCS(0)), kept: map[int]*kept{}}
}

func (m *mapTiles) show(near, soon []int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.frame++
	for _, list := range [][]int{near, soon} {
		for _, tile := range list {
			if k := m.kept[tile]; k != nil {
				k.used = m.frame
				continue
			}
			k := &kept{used: m.frame}
			m.kept[tile] = k
			m.all.Go(func() {
				m.places <- struct{}{}
				bytes := m.y.make(tile)
				<-m.places
				m.mu.Lock()
				k.bytes = bytes
				m.mu.Unlock()
			})
		}
	}
	for len(m.kept) > budget/tileBytes {
		oldest, at := 0, math.MaxInt
		for tile, k := range m.kept {
			if k.bytes != nil && k.used < at {
				oldest, at = tile, k.used
			}
		}
		if at == m.frame || at == math.MaxInt {
			return
		}
		delete(m.kept, oldest)
	}
}

func (m *mapTiles) get(tile int) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.kept[tile] != nil && m.kept[tile].bytes != nil
}

func (m *mapTiles) stop() { m.all.Wait() }

// camera flies over the world, and looks at what is there of what is in sight.
func camera(play time.Duration, of func(*frameslice.Loop, *yard) tiles) ([]report.Value, error) {
	o := frameslice.Balanced.Options()
	o.Recorder = record.Options{WarmUp: 30}
	l := frameslice.NewWith(o)
	defer l.Close()
	y := &yard{}
	store := of(l, y)
	ctx, end := context.WithTimeout(context.Background(), play)
	defer end()
	runtime.GC()
	begin, gaps, looks, before, most := time.Now(), 0, 0, live(), uint64(0)
	err := l.Run(ctx, func() error {
		t := time.Since(begin).Seconds()
		left := int((worldWide - sightWide) * (1 + math.Sin(t*0.9)) / 2)
		top := int((worldHigh - sightHigh) * (1 + math.Sin(t*0.7)) / 2)
		near := sight(left, top, 0)
		store.show(near, sight(left, top, 2))
		for _, tile := range near {
			if looks++; !store.get(tile) {
				gaps++
			}
		}
		most = max(most, live())
		busy(2 * time.Millisecond)
		return nil
	})
	if err != nil {
		return nil, err
	}
	r := l.Report("camera")
	if store.stop(); most <= before || gaps == looks {
		return nil, fmt.Errorf("%d bytes in use, %d before; %d of %d looks in vain", most, before, gaps, looks)
	}
	return []report.Value{
		{Metric: "peak", V: float64(most-before) / (1 << 20), Unit: "MiB"},
		{Metric: "made twice", V: float64(y.twice.Load()), Unit: "tiles"},
		{Metric: "not there", V: 100 * float64(gaps) / float64(looks), Unit: "%"},
		{Metric: "missed", V: r.Run.MissedPercent, Unit: "%"},
		milliseconds("longest frame", r.Run.Interval.Max),
	}, nil
}

// sight returns the tiles from a corner on, with a margin around, the middle ones first.
func sight(x, y, margin int) (all []int) {
	for ring := 0; ring <= max(sightWide, sightHigh)/2+margin; ring++ {
		for ty := y - margin; ty < y+sightHigh+margin; ty++ {
			for tx := x - margin; tx < x+sightWide+margin; tx++ {
				away := max(abs(2*(tx-x)+1-sightWide), abs(2*(ty-y)+1-sightHigh)) / 2
				if away == ring && tx >= 0 && ty >= 0 && tx < worldWide && ty < worldHigh {
					all = append(all, ty*worldWide+tx)
				}
			}
		}
	}
	return all
}

func abs(n int) int { return max(n, -n) }

// busy computes, as a game's own work does.
func busy(d time.Duration) {
	for end := time.Now().Add(d); time.Now().Before(end); {
	}
}
