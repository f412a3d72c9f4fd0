package live

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/internal/hdr"
	"github.com/frameslice/frameslice/workers"
)

// totals are the figures of all frames since the start, or since the recorder's Reset.
type totals struct {
	Frames      uint64 `json:"frames"`
	Counted     uint64 `json:"counted"`
	Target      millis `json:"target_ms"`
	P50         millis `json:"p50_ms"`
	P90         millis `json:"p90_ms"`
	P99         millis `json:"p99_ms"`
	P999        millis `json:"p999_ms"`
	Max         millis `json:"max_ms"`
	Missed      uint64 `json:"missed"`
	Time        millis `json:"time_ms"`  // the sum of the intervals
	Hitch       millis `json:"hitch_ms"` // the sum of their delays
	Slices      uint64 `json:"slices"`
	SlicesLate  uint64 `json:"slices_late"`
	Pressure    int    `json:"pressure"`
	JobsRun     uint64 `json:"jobs_run"`
	JobsPanic   uint64 `json:"jobs_panicked"`
	JobsQueued  int    `json:"jobs_queued"`
	IO          int    `json:"io"`         // functions that wait on goroutines of their own: see frameslice.IO
	IOWaiting   int    `json:"io_waiting"` // functions that wait for such a goroutine
	IOEnded     uint64 `json:"io_ended"`
	Workers     int    `json:"workers"`
	WorkersBusy int    `json:"workers_busy"`

	pool               workers.Stats
	intervals, latency *hdr.Histogram
}

// readTotals reads the recorder, and the pool if there is a loop.
func readTotals(rec *record.Recorder, l *frame.Loop) *totals {
	t := totalsOf(rec.Snapshot())
	if l != nil {
		t.Pressure = l.Pressure()
		l.Pool().Stats(&t.pool)
		t.addPool()
	}
	return t
}

// totalsOf returns the figures of the recorder.
func totalsOf(s *record.Snapshot) *totals {
	return &totals{
		Frames: s.Totals.Frames, Counted: s.Totals.N, Target: ms(s.Target), Missed: s.Totals.Missed,
		P50: ms(s.Interval.Percentile(50)), P90: ms(s.Interval.Percentile(90)), P99: ms(s.Interval.Percentile(99)),
		P999: ms(s.Interval.Percentile(99.9)), Max: ms(s.Interval.Max()),
		Time: ms(s.Totals.Time), Hitch: ms(s.Totals.Hitch), Slices: s.Totals.Sliced, SlicesLate: s.Totals.Overran,
		intervals: s.Interval, latency: s.Latency,
	}
}

// addPool adds the figures of the pool.
func (t *totals) addPool() {
	t.JobsRun, t.JobsPanic = t.pool.Run+t.pool.RanByCaller, t.pool.Panicked
	for _, n := range t.pool.Queued {
		t.JobsQueued += n
	}
	t.IO, t.IOWaiting, t.IOEnded = t.pool.IO, t.pool.IOWaiting, t.pool.IOEnded
	t.Workers = len(t.pool.PerWorker)
	for i := range t.pool.PerWorker {
		if t.pool.PerWorker[i].Running {
			t.WorkersBusy++
		}
	}
}

// metrics returns the figures as Prometheus reads them. Requests that the frame goroutine has answered together get the
// same text.
func (h *handler) metrics(ctx context.Context) []byte {
	q, _ := h.ask(ctx)
	if q == nil {
		return prometheus(readTotals(h.rec, h.loop), h.loop != nil, nil)
	}
	q.metrics.Do(func() { q.metrics.text = prometheus(readTotals(h.rec, h.loop), true, &q.answer) })
	return q.metrics.text
}

// prometheus returns the text of t, of the pool if there is a loop, and of a unless that is nil.
func prometheus(t *totals, loop bool, a *answer) []byte {
	var m metrics
	if loop {
		up := 0.0
		if a != nil {
			up = 1
		}
		m.one("gauge", "answered", "1 if the frame goroutine answered within a second.", up)
	}
	m.one("counter", "frames_total", "Frames, with those that do not count.", float64(t.Frames))
	m.histogram("frame_seconds", "Intervals between the starts of frames that count.", t.intervals, t.Time)
	m.one("gauge", "frame_seconds_max", "The longest of these intervals.", float64(t.Max)/1e3)
	if t.latency.Count() > 0 {
		m.histogram("input_latency_seconds", "From input seen to frame handed over.", t.latency,
			ms(t.latency.Sum()))
	}
	m.one("gauge", "target_seconds", "What an interval should be.", float64(t.Target)/1e3)
	m.one("counter", "missed_refreshes_total", "Refreshes of the display without a new frame.", float64(t.Missed))
	m.one("counter", "hitch_seconds_total", "By how much intervals were too long, in sum.", float64(t.Hitch)/1e3)
	m.one("counter", "slices_total", "Slices of frames that count.", float64(t.Slices))
	m.one("counter", "slices_late_total", "Slices that ended after their deadline.", float64(t.SlicesLate))
	if loop {
		m.ofLoop(t)
	}
	if a != nil {
		m.answered(a)
	}
	return m
}

// ofLoop writes what a loop and its pool know, on any goroutine.
func (m *metrics) ofLoop(t *totals) {
	m.one("gauge", "pressure", "The level of Loop.Pressure: 0 is calm, 4 the highest.", float64(t.Pressure))
	m.one("counter", "jobs_run_total", "Jobs that ran, on workers and within calls such as the slice and Wait.",
		float64(t.JobsRun))
	m.one("counter", "jobs_panicked_total", "Jobs that panicked.", float64(t.JobsPanic))
	m.begin("gauge", "jobs_waiting", "Jobs in the pool's queues, by priority.")
	for i, p := range deadline.Priorities() {
		m.line("jobs_waiting", "priority", p.String(), float64(t.pool.Queued[i]))
	}
	m.one("gauge", "io_running", "Functions of IO and SubmitIO that run.", float64(t.IO))
	m.one("gauge", "io_waiting", "Functions of IO and SubmitIO that wait for a place.", float64(t.IOWaiting))
	m.one("counter", "io_ended_total", "Functions of IO and SubmitIO that have ended.", float64(t.IOEnded))
	m.one("gauge", "workers", "Workers of the pool.", float64(t.Workers))
	m.one("gauge", "workers_busy", "Workers within a job.", float64(t.WorkersBusy))
	m.begin("counter", "worker_busy_seconds_total", "Time within jobs, by worker.")
	for i := range t.pool.PerWorker {
		w := &t.pool.PerWorker[i]
		name := strconv.Itoa(w.Index) // not i: workers come and go
		if w.Low {
			name = "background " + name
		}
		m.line("worker_busy_seconds_total", "worker", name, w.Busy.Seconds())
	}
}

// answered writes what the frame goroutine knows.
func (m *metrics) answered(a *answer) {
	m.begin("gauge", "tasks_waiting", "Tasks that may run, by priority.")
	for i, p := range deadline.Priorities() {
		m.line("tasks_waiting", "priority", p.String(), float64(a.tasks[i]))
	}
	m.begin("gauge", "tasks_delayed", "Tasks that wait for their start, by priority.")
	for i, p := range deadline.Priorities() {
		m.line("tasks_delayed", "priority", p.String(), float64(a.delayed[i]))
	}
	m.one("gauge", "coroutines", "Coroutines that have begun and not ended.", float64(a.alive))
}

// metrics is text in the format of Prometheus.
type metrics []byte

func (m *metrics) one(kind, name, help string, value float64) {
	m.begin(kind, name, help)
	m.line(name, "", "", value)
}

// bounds are the upper ends of the buckets. Each common refresh period lies between two of them.
var bounds = func() (all []time.Duration) {
	for _, ms := range [...]int{
		1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 17, 18, 20, 25, 30, 34, 40, 50, 70, 100, 150, 250, 500, 1000,
	} {
		all = append(all, time.Duration(ms)*time.Millisecond)
	}
	return all
}()

// histogram writes a family whose buckets contain the ones before. The sum is in milliseconds.
func (m *metrics) histogram(name, help string, h *hdr.Histogram, sum millis) {
	m.begin("histogram", name, help)
	for i, n := range h.CountsTo(bounds...) {
		m.line(name+"_bucket", "le", strconv.FormatFloat(bounds[i].Seconds(), 'g', -1, 64), float64(n))
	}
	m.line(name+"_bucket", "le", "+Inf", float64(h.Count()))
	m.line(name+"_sum", "", "", float64(sum)/1e3)
	m.line(name+"_count", "", "", float64(h.Count()))
}

func (m *metrics) begin(kind, name, help string) {
	*m = fmt.Appendf(*m, "# HELP frameslice_%s %s\n# TYPE frameslice_%s %s\n", name, help, name, kind)
}

// line writes a sample. No value of a label needs to be escaped.
func (m *metrics) line(name, label, of string, value float64) {
	*m = append(append(*m, "frameslice_"...), name...)
	if label != "" {
		*m = fmt.Appendf(*m, "{%s=%q}", label, of)
	}
	*m = append(strconv.AppendFloat(append(*m, ' '), value, 'g', -1, 64), '\n')
}
