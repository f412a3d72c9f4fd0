package live

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame/internal/latest"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/internal/hist"
	"github.com/frameslice/frameslice/internal/words"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

// millis are milliseconds, or a percentage: JSON has three decimals of it.
type millis float64

func (m millis) MarshalJSON() ([]byte, error) {
	return strconv.AppendFloat(nil, float64(m), 'f', 3, 64), nil
}

func ms(d time.Duration) millis { return millis(words.Millis(d)) }

// A state is what the page shows. Fields of the frame goroutine are null if it has not answered.
type state struct {
	At       millis `json:"at_ms"` // when it was read; only differences mean something
	Alone    bool   `json:"alone"` // a Recorder without a loop: there is nobody to answer
	Answered bool   `json:"answered"`
	Note     string `json:"note"`  // why there is no answer
	Stuck    string `json:"stuck"` // what a frame that does not end hangs in

	Frame  uint64 `json:"frame"` // number of the newest one
	Target millis `json:"target_ms"`
	FPS    millis `json:"fps"`
	P50    millis `json:"p50_ms"`
	P99    millis `json:"p99_ms"`
	Max    millis `json:"max_ms"`
	Missed int    `json:"missed"`
	Share  millis `json:"missed_percent"`
	Counts int    `json:"counted"` // frames in these figures

	// Frames are the latest ones, the oldest first: interval, own work, slice, budget (ms), refreshes missed, 1 for a
	// garbage collection plus 2 for a frame that does not count, and the frame's number. Distribution has intervals
	// from, to (ms), and how many.
	Frames       [][7]millis `json:"frames"`
	Distribution [][3]millis `json:"distribution"`
	Late         []lateState `json:"late"` // the latest frames that missed a refresh, the oldest first

	Hitch      *hitchState      `json:"hitch"` // null: there was none
	Slice      *sliceState      `json:"slice"`
	HandedOver *latencyState    `json:"input_to_handed_over"` // of the latest 512 frames; null: unknown
	Displayed  *latencyState    `json:"input_to_display"`     // the same; null without Loop.Presented
	Costs      []costState      `json:"costs"`                // the same, the costliest first
	Queues     []queueState     `json:"queues"`               // the most urgent first
	IO         int              `json:"io"`                   // functions of frameslice.IO, those that wait too
	Workers    []workerState    `json:"workers"`
	Coroutines *coroutinesState `json:"coroutines"`
	Warnings   []string         `json:"warnings"`

	cheaper []record.Saving // what would save most missed refreshes
}

type hitchState struct {
	Late  millis `json:"late_ms"` // the interval
	Ago   millis `json:"ago_ms"`
	Cause string `json:"cause"`
}

// A lateState is a late frame, up to the start of the next one.
type lateState struct {
	Number   uint64      `json:"number"`
	Interval millis      `json:"interval_ms"`
	Late     millis      `json:"late_ms"` // by how much Interval was too long
	Ago      millis      `json:"ago_ms"`
	Cause    string      `json:"cause"`
	Parts    []partState `json:"parts"` // those of record.Record.Parts

	at deadline.Instant
}

type partState struct {
	Kind   string `json:"kind"`
	Name   string `json:"name"`
	Time   millis `json:"ms"`
	Beside bool   `json:"beside"` // beside the frame goroutine
}

type sliceState struct {
	Own    millis `json:"own_ms"`
	Used   millis `json:"used_ms"`
	Budget millis `json:"budget_ms"`
	Short  string `json:"short"`  // why it was short
	Shadow bool   `json:"shadow"` // beside the host's swap
}

type queueState struct {
	Priority string `json:"priority"`
	Tasks    *int   `json:"tasks"`
	Delayed  *int   `json:"delayed"`
	Jobs     int    `json:"jobs"`
}

type workerState struct {
	Busy    millis `json:"busy_ms"` // since the start
	Run     uint64 `json:"run"`
	Running bool   `json:"running"`
	Label   string `json:"label"`
	Low     bool   `json:"low"`
}

type coroutinesState struct {
	Alive int              `json:"alive"`
	List  []coroutineState `json:"list"` // some of them, the longest wait first
}

type coroutineState struct {
	Label    string `json:"label"`
	Place    string `json:"place"`
	Priority string `json:"priority"`
	Why      string `json:"why"`
	Waited   millis `json:"waited_ms"`
	Asleep   bool   `json:"asleep"`
}

const (
	readAtOnce   = 4096 // records: a minute at 60 Hz
	shownFrames  = 480
	latestFrames = 512
	keptLate     = 64
)

// json returns the state as JSON. Requests that the frame goroutine has answered together get the same text.
func (h *handler) json(ctx context.Context) ([]byte, error) {
	q, why := h.ask(ctx)
	if q == nil {
		return json.Marshal(h.read(nil, why))
	}
	q.state.Do(func() { q.state.text, q.state.err = json.Marshal(h.read(&q.answer, "")) })
	return q.state.text, q.state.err
}

// read reads the state. Without an answer a is nil, and why says the reason.
func (h *handler) read(a *answer, why string) *state {
	s := &state{Answered: a != nil, Note: why, Alone: h.loop == nil}
	s.Frames, s.Distribution, s.Workers = [][7]millis{}, [][3]millis{}, []workerState{} // not null
	s.Queues, s.Late, s.Costs = []queueState{}, []lateState{}, []costState{}
	if a == nil && h.loop != nil {
		s.Stuck = h.loop.Stuck(patience)
	}
	h.reading.Lock()
	defer h.reading.Unlock()
	now := deadline.Now()
	s.At = ms(now.Sub(0))
	h.readFrames(s, a, now)
	if h.loop != nil {
		h.loop.Pool().Stats(&h.pool)
		s.IO = h.pool.IO + h.pool.IOWaiting
	}
	for i := range h.pool.PerWorker {
		s.Workers = append(s.Workers, workerOf(&h.pool.PerWorker[i]))
	}
	for i, p := range deadline.Priorities() {
		if h.loop == nil {
			break
		}
		q := queueState{Priority: p.String(), Jobs: h.pool.Queued[i]}
		if a != nil {
			q.Tasks, q.Delayed = &a.tasks[i], &a.delayed[i]
		}
		s.Queues = append(s.Queues, q)
	}
	if a != nil {
		s.Coroutines = list(a)
	}
	s.Warnings = h.warnings(s, a, now)
	return s
}

func workerOf(w *workers.WorkerStats) workerState {
	s := workerState{Busy: ms(w.Busy), Run: w.Run, Running: w.Running, Low: w.Low}
	if w.Running {
		s.Label = words.Short(w.Label)
	}
	return s
}

// A lateAt is a late frame among the records.
type lateAt struct {
	r, prev *record.Record
	target  time.Duration
}

// readFrames reads the latest records, and takes everything from them.
func (h *handler) readFrames(s *state, a *answer, now deadline.Instant) {
	if h.records == nil {
		h.records, h.frames = make([]record.Record, readAtOnce), new(latest.Frames)
	}
	records, target := h.rec.Recent(h.records), h.rec.Target()
	if a != nil {
		target = a.stats.Interval
	}
	f := h.frames
	*f = latest.Frames{}
	f.Target = target
	var late [keptLate]lateAt
	lates := 0
	f.Take(records, func(r, prev *record.Record, one *latest.Frame) {
		if one.Counts && one.Missed > 0 {
			late[lates%keptLate] = lateAt{r, prev, f.Target}
			lates++
		}
	})
	for n := max(0, lates-keptLate); n < lates; n++ {
		at := &late[n%keptLate]
		s.Late = append(s.Late, h.late(at.r, at.prev, at.target, now))
	}
	for i := min(f.Held, shownFrames) - 1; i >= 0; i-- {
		s.Frames = append(s.Frames, bars(f.At(i)))
	}
	s.Frame, s.Target, s.FPS, s.Counts = f.Last, ms(f.Target), millis(f.FPS()), f.N
	s.Missed, s.Share = f.Missed, millis(f.MissedPercent())
	s.P50, s.P99, s.Max = millis(f.Percentile(50)), millis(f.Percentile(99)), millis(f.Worst)
	for i := range hist.Bars {
		if n := f.Bar(i); n > 0 {
			from, to := hist.BarFrom(i), hist.BarFrom(i+1)
			s.Distribution = append(s.Distribution, [3]millis{millis(from), millis(to), millis(n)})
		}
	}
	if n := len(s.Late); n > 0 {
		hitch := &s.Late[n-1]
		s.Hitch = &hitchState{Late: hitch.Interval, Ago: hitch.Ago, Cause: hitch.Cause}
	}
	if len(records) == 0 {
		return
	}
	if r := &records[len(records)-1]; r.Timed() {
		s.Slice = &sliceState{Own: ms(r.Own()), Used: ms(r.Used()), Budget: ms(r.Budget())}
		if a != nil {
			s.Slice.Short, s.Slice.Shadow = a.stats.Short, a.shadow
		}
	}
	lately := records[max(0, len(records)-latestFrames):]
	snapshot := record.Snapshot{Target: f.Target, Exclude: record.WarmUp | record.Jump, Records: records}
	s.cheaper = snapshot.Cheaper()
	s.HandedOver, s.Displayed, s.Costs = latency(lately, false), latency(lately, true), costs(lately)
}

// late describes a late frame: prev, after which r came too late.
func (h *handler) late(r, prev *record.Record, target time.Duration, now deadline.Instant) lateState {
	late := lateState{
		Number: r.Number - 1, Interval: ms(r.Interval), Late: ms(r.Interval - target), Ago: ms(now.Sub(r.Start)),
		Cause: h.rec.Explained(r.Number), Parts: []partState{}, at: r.Start,
	}
	if late.Cause == "" {
		late.Cause = string(prev.AppendCause(nil, r, target))
	}
	if prev.Number == late.Number {
		for _, p := range prev.Parts(r) {
			one := partState{Kind: p.Kind, Time: ms(p.Time), Beside: p.Beside}
			if p.Name != "" {
				one.Name = words.Short(p.Name)
			}
			late.Parts = append(late.Parts, one)
		}
	}
	return late
}

// bars returns what the graph shows of a frame.
func bars(f *latest.Frame) [7]millis {
	special := millis(0)
	if f.GC {
		special++
	}
	if !f.Counts {
		special += 2
	}
	return [...]millis{
		millis(f.Interval), millis(f.Own), millis(f.Slice), millis(f.Budget), millis(f.Missed), special,
		millis(f.Number - 1),
	}
}

// list describes the coroutines.
func list(a *answer) *coroutinesState {
	all := slices.Clone(a.coroutines) // others read the answer, too
	slices.SortStableFunc(all, func(x, y scheduler.Coroutine) int {
		if x.Asleep != y.Asleep {
			return cmp.Compare(rank(x), rank(y))
		}
		return cmp.Compare(y.Waited, x.Waited)
	})
	c := &coroutinesState{Alive: a.alive, List: []coroutineState{}}
	for _, one := range all {
		c.List = append(c.List, coroutineState{
			Label: words.Short(one.Label), Place: one.Place, Priority: one.Priority.String(),
			Why: shortWords(one.Why), Waited: ms(one.Waited), Asleep: one.Asleep,
		})
	}
	return c
}

// shortWords leaves the paths of packages out of a text.
func shortWords(text string) string {
	all := strings.Fields(text)
	for i, word := range all {
		all[i] = words.Short(word)
	}
	return strings.Join(all, " ")
}

// rank puts those that sleep behind the others.
func rank(c scheduler.Coroutine) int {
	if c.Asleep {
		return 1
	}
	return 0
}
