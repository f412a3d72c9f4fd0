package live_test

import (
	"fmt"
	"maps"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/live"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

// gauges are the fields that may go back although they have the type of a counter.
var gauges = []string{"Interval", "Reserve", "Debt", "HostLate", "Expected"}

// counters adds to all what v, a struct of figures, counts: its numbers of type uint64 and time.Duration, and the
// counts of histograms. A figure of type int is a gauge.
func counters(all map[string]float64, name string, v reflect.Value) {
	if v.CanAddr() {
		if h, ok := v.Addr().Interface().(interface{ Count() uint64 }); ok {
			all[name] = float64(h.Count())
			return
		}
	}
	switch v.Kind() {
	case reflect.Uint64:
		all[name] = float64(v.Uint())
	case reflect.Int64:
		if v.Type() == reflect.TypeFor[time.Duration]() {
			all[name] = float64(v.Int())
		}
	case reflect.Array:
		for i := range v.Len() {
			counters(all, fmt.Sprintf("%s[%d]", name, i), v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && !slices.Contains(gauges, f.Name) {
				counters(all, name+"."+f.Name, v.Field(i))
			}
		}
	}
}

// told has the greatest value of each counter that anybody has been told.
type told struct {
	sync.Mutex
	most map[string]float64
}

// look calls read, and reports each counter that is less than what somebody had been told before the call.
func (m *told) look(t *testing.T, read func(all map[string]float64)) {
	m.Lock()
	before := maps.Clone(m.most)
	m.Unlock()
	now := map[string]float64{}
	read(now)
	m.Lock()
	defer m.Unlock()
	for name, n := range now {
		if n < before[name] {
			t.Errorf("%s went back from %v to %v", name, before[name], n)
		}
		m.most[name] = max(m.most[name], n)
	}
}

// No counter that the library tells goes back, however many read: of the pool, its workers and its Profile, of the
// scheduler, the loop and the recorder, and of the page for Prometheus.
func TestNoCounterGoesBack(t *testing.T) {
	l := frame.New(frame.Options{
		Interval:  2 * time.Millisecond,
		Scheduler: scheduler.Options{OnPanic: func(*scheduler.PanicError) {}},
		Workers: workers.Options{
			Workers: 2, Background: 1, Profile: -1, OnPanic: func(*workers.PanicError) {},
		},
		Profile:      64,
		CloseTimeout: time.Minute, // a worker of low priority may wait long for a processor
	})
	l.Recorder().Watch(l.Pool())
	h := live.Handler(l)
	long := 2 * time.Second
	if testing.Short() {
		long = 400 * time.Millisecond
	}
	m := told{most: map[string]float64{}}
	var stop atomic.Bool
	var readers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			var s workers.Stats
			var in workers.Profile
			for !stop.Load() && !t.Failed() {
				m.look(t, func(all map[string]float64) {
					l.Pool().Stats(&s)
					counters(all, "pool", reflect.ValueOf(&s).Elem())
					for i, one := range s.PerWorker {
						name := fmt.Sprintf("worker %d %v", one.Index, one.Low)
						counters(all, name, reflect.ValueOf(&s.PerWorker[i]).Elem())
					}
				})
				m.look(t, func(all map[string]float64) {
					l.Pool().Profile(&in)
					counters(all, "insight", reflect.ValueOf(&in).Elem())
					for i, one := range in.Kinds {
						counters(all, "kind "+one.Kind, reflect.ValueOf(&in.Kinds[i]).Elem())
					}
				})
				time.Sleep(100 * time.Microsecond)
			}
		})
		readers.Go(func() {
			for !stop.Load() && !t.Failed() {
				m.look(t, func(all map[string]float64) {
					s := l.Recorder().Snapshot()
					counters(all, "recorder", reflect.ValueOf(&s.Totals).Elem())
				})
				m.look(t, func(all map[string]float64) {
					page, err := parse(request(h, "/metrics", home, localhost).Body.String())
					if err != nil {
						t.Error(err)
					}
					for name, n := range page {
						family, _, _ := strings.Cut(name, "{")
						for _, end := range []string{"_total", "_bucket", "_sum", "_count"} {
							if strings.HasSuffix(family, end) {
								all["page "+name] = n
							}
						}
					}
				})
				time.Sleep(time.Millisecond)
			}
		})
	}
	// The frame goroutine.
	end := time.Now().Add(long)
	for i := 0; time.Now().Before(end) && !t.Failed(); i++ {
		l.Begin()
		work(l, i)
		l.Slice()
		l.End()
		m.look(t, func(all map[string]float64) {
			s, f, times := l.Host().Stats(), l.Stats(), scheduler.Times{}
			counters(all, "scheduler", reflect.ValueOf(&s).Elem())
			counters(all, "loop", reflect.ValueOf(&f).Elem())
			l.Host().ReadTimes(&times)
			counters(all, "times", reflect.ValueOf(&times).Elem())
		})
		l.Recorder().Presented(l.Frame(), deadline.Now().Add(time.Duration(i%3-1)*time.Hour/2)) // most are refused
		time.Sleep(time.Duration(i%4) * time.Millisecond)
	}
	stop.Store(true)
	done := make(chan struct{})
	go func() { readers.Wait(); close(done) }()
	for waits := true; waits; {
		select {
		case <-done:
			waits = false
		case <-time.After(time.Millisecond):
			frameOf(l) // a reader may wait for the frame goroutine
		}
	}
	if n := len(m.most); n < 100 {
		t.Errorf("%d counters were read", n)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}

// work gives the loop tasks and jobs of all ends.
func work(l *frame.Loop, i int) {
	spin := func(d time.Duration) {
		for begun := time.Now(); time.Since(begun) < d; {
		}
	}
	l.Post(deadline.Normal, func() { spin(50 * time.Microsecond) })
	l.Post(deadline.Low, func() { panic("a task's") })
	l.Post(deadline.Idle, runtime.Goexit)
	l.Go(deadline.Normal, func(co *scheduler.Co) { co.NextFrame() })
	l.After(deadline.Normal, time.Hour, func() {}).Cancel()
	p := l.Pool()
	p.Go(deadline.Normal, func() {})
	p.Go(deadline.Immediate, func() { spin(time.Duration(i%5) * 300 * time.Microsecond) })
	p.Go(deadline.Low, func() { spin(time.Millisecond); panic("a job's") })
	p.Go(deadline.UserBlocking, runtime.Goexit)
	p.Submit(&workers.Job{Func: func(w *workers.Worker) {
		w.Blocking(func() { time.Sleep(time.Millisecond) })
		w.ParallelFor(4, 1, func(int, int) { spin(50 * time.Microsecond) })
		w.Yield()
	}})
	p.ParallelFor(4, 1, func(int, int) { spin(20 * time.Microsecond) })
	p.Submit(&workers.Job{Func: func(*workers.Worker) {}})
}
