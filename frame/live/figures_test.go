package live

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/internal/hdr"
	"github.com/frameslice/frameslice/workers"
)

// Each sample of the metrics has the figure by which it is named, of totals no two figures of which are the same.
func TestEverySampleOfTheMetrics(t *testing.T) {
	const ms = time.Millisecond
	all := &totals{intervals: hdr.New(), latency: hdr.New()}
	for i, v := range reflect.ValueOf(all).Elem().Fields() {
		n := 1000 + 7*i.Index[0]*i.Index[0]
		switch {
		case !i.IsExported():
		case v.CanUint():
			v.SetUint(uint64(n))
		case v.CanInt():
			v.SetInt(int64(n))
		default:
			v.SetFloat(float64(n))
		}
	}
	a := &answer{alive: 77}
	for i := range all.pool.Queued {
		all.pool.Queued[i], a.tasks[i], a.delayed[i] = 100+i, 200+i, 300+i
	}
	all.pool.PerWorker = []workers.WorkerStats{{Busy: 3 * time.Second}, {Index: 1, Busy: 5 * time.Second}}
	for range 3 {
		all.intervals.Record(16 * ms)
	}
	all.intervals.Record(40 * ms)
	for range 5 {
		all.latency.Record(4 * ms)
	}
	want := map[string]float64{
		"answered": 1, "frames_total": float64(all.Frames), "frame_seconds_sum": float64(all.Time) / 1e3,
		"frame_seconds_count": 4, "frame_seconds_max": float64(all.Max) / 1e3, "input_latency_seconds_sum": 0.02,
		"input_latency_seconds_count": 5, "target_seconds": float64(all.Target) / 1e3,
		"missed_refreshes_total": float64(all.Missed), "hitch_seconds_total": float64(all.Hitch) / 1e3,
		"slices_total": float64(all.Slices), "slices_late_total": float64(all.SlicesLate),
		"pressure": float64(all.Pressure), "jobs_run_total": float64(all.JobsRun),
		"jobs_panicked_total": float64(all.JobsPanic), "workers": float64(all.Workers),
		"io_running": float64(all.IO), "io_waiting": float64(all.IOWaiting), "io_ended_total": float64(all.IOEnded),
		"workers_busy": float64(all.WorkersBusy), `worker_busy_seconds_total{worker="0"}`: 3,
		`worker_busy_seconds_total{worker="1"}`: 5, "coroutines": 77,
		`frame_seconds_bucket{le="+Inf"}`: 4, `input_latency_seconds_bucket{le="+Inf"}`: 5,
	}
	for i, p := range deadline.Priorities() {
		for name, first := range map[string]int{"jobs_waiting": 100, "tasks_waiting": 200, "tasks_delayed": 300} {
			want[fmt.Sprintf("%s{priority=%q}", name, p)] = float64(first + i)
		}
	}
	for _, bound := range bounds { // a bound counts what is equal to it
		frames, latencies := 0.0, 0.0
		if bound >= 16*ms {
			frames = 3
		}
		if bound >= 40*ms {
			frames = 4
		}
		if bound >= 4*ms {
			latencies = 5
		}
		le := fmt.Sprintf("{le=\"%g\"}", bound.Seconds())
		want["frame_seconds_bucket"+le], want["input_latency_seconds_bucket"+le] = frames, latencies
	}
	for line := range strings.Lines(string(prometheus(all, true, a))) {
		name, value, _ := strings.Cut(strings.TrimPrefix(line, "frameslice_"), " ")
		if strings.HasPrefix(line, "#") {
			continue
		}
		if v, ok := want[name]; !ok || strings.TrimSpace(value) != fmt.Sprint(v) && value != fmt.Sprintf("%g\n", v) {
			t.Errorf("%s is %s, want %v (%v)", name, value, v, ok)
		}
		delete(want, name)
	}
	if len(want) > 0 {
		t.Errorf("there is no %v", want)
	}
	for _, kind := range []string{"jobs", "workers", "answered", "pressure"} {
		if text := string(prometheus(all, false, nil)); strings.Contains(text, "frameslice_"+kind) {
			t.Errorf("a recorder alone has %s in\n%s", kind, text)
		}
	}
}

// The totals are those of the recorder and of the pool, each under its name.
func TestTotalsKeepTheNames(t *testing.T) {
	const ms = time.Millisecond
	rec := record.New(record.Options{Target: 10 * ms, WarmUp: -1})
	at := deadline.Instant(time.Second)
	for i := range 1000 {
		d := time.Duration(i+1) * ms
		one := record.Record{Number: uint64(i + 1), Start: at, Interval: d}
		if i%3 == 0 {
			one.Flags, one.SliceBegin, one.SliceDeadline, one.SliceEnd = record.Sliced, at, at.Add(5*ms), at.Add(ms)
			if i%2 == 0 {
				one.SliceEnd = at.Add(6 * ms)
			}
		}
		if i == 999 {
			one.Flags |= record.Jump
		}
		rec.Add(one)
		at = at.Add(d)
	}
	pool := &workers.Stats{Run: 11, RanByCaller: 100, Panicked: 5, IO: 6, IOWaiting: 7, IOEnded: 8,
		PerWorker: make([]workers.WorkerStats, 3)}
	pool.Queued[1], pool.Queued[4], pool.PerWorker[2].Running = 40, 1, true
	got := totalsOf(rec.Snapshot())
	got.pool = *pool
	got.addPool()
	missed := 0
	for i := range 999 {
		missed += max(0, int(float64(i+1)/10+0.5)-1)
	}
	want := totals{
		Frames: 1000, Counted: 999, Target: 10, Missed: uint64(missed), Time: 499_500, Slices: 333, SlicesLate: 167,
		Hitch: 999*1000/2 - 55 - 989*10, Max: 999, JobsRun: 111, JobsPanic: 5, JobsQueued: 41,
		IO: 6, IOWaiting: 7, IOEnded: 8, Workers: 3, WorkersBusy: 1,
	}
	for _, p := range []struct{ got, want millis }{
		{got.P50, 500}, {got.P90, 900}, {got.P99, 990}, {got.P999, 999},
	} {
		if d := p.got/p.want - 1; d > 0.001 || d < -0.001 {
			t.Errorf("a percentile is %v, want %v", p.got, p.want)
		}
	}
	got.P50, got.P90, got.P99, got.P999 = 0, 0, 0, 0
	a, _ := json.Marshal(got)
	b, _ := json.Marshal(&want)
	if string(a) != string(b) {
		t.Errorf("got  %s\nwant %s", a, b)
	}
}

// A worker is told under the names of its figures. An idle one has no job.
func TestWorkersKeepTheNames(t *testing.T) {
	w := workers.WorkerStats{Busy: 7 * time.Millisecond, Run: 9, Running: true, Label: "a/b.c", Low: true}
	if got := workerOf(&w); got != (workerState{Busy: 7, Run: 9, Running: true, Label: "b.c", Low: true}) {
		t.Errorf("%+v", got)
	}
	w.Running, w.Low = false, false
	if got := workerOf(&w); got != (workerState{Busy: 7, Run: 9}) {
		t.Errorf("%+v", got)
	}
}
