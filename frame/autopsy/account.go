package autopsy

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/frameslice/frameslice/internal/hist"
	"golang.org/x/exp/trace"
)

const compared = 60 // so many frames before the late one say what is usual

func (r *recording) report() (Report, error) {
	l, ok := r.late()
	if !ok {
		return Report{}, fmt.Errorf("autopsy: the trace has no frame")
	}
	frames := r.intervals(l)
	var all []*tally
	for _, f := range frames {
		all = append(all, f...)
	}
	if r.paces(l, frames) {
		for _, f := range frames {
			for _, t := range f {
				t.due = f[0].from + l.target
			}
		}
	}
	newReplay(r, l.g).play(all)
	for _, t := range all {
		r.system(t, l.fault)
	}
	if n := len(frames); n > 1 {
		r.postponed(l, frames[n-2], frames[n-1])
	}
	out := Report{Frame: l.number, Interval: time.Duration(l.interval), Target: time.Duration(l.target)}
	before := make([][]Part, len(frames)-1)
	for i, f := range frames {
		if parts := r.parts(together(f)); i < len(before) {
			before[i] = parts
		} else {
			out.Parts = parts
		}
	}
	out.compare(before)
	r.tell(out.Parts, together(frames[len(before)]))
	return out, nil
}

// intervals returns the empty tallies of some frames before and, last, of the late one.
func (r *recording) intervals(l later) (all [][]*tally) {
	from, to := l.at-l.since-l.interval, l.at-l.since
	end := instant{at: to, g: l.g, sample: -1}
	begin := instant{at: from, g: l.g, sample: -1}
	for i, f := range r.frames {
		if f.g != l.g || f.number != l.number {
			continue
		}
		if f.sample >= 0 && r.samples[f.sample].at < to { // the frame was kept off while it told of itself
			to = r.samples[f.sample].at
			from = to - l.interval
		}
		end = f
		if begin.sample = -1; i > 0 && r.frames[i-1].g == l.g {
			begin.sample = r.frames[i-1].sample
		}
	}
	begin.at, end.at = from, to
	for i := 1; i < len(r.frames); i++ {
		if a, b := r.frames[i-1], r.frames[i]; a.g == l.g && b.g == l.g && b.at <= from+int64(time.Millisecond) {
			b.at = min(b.at, from)
			all = append(all, r.windows(a, b))
		}
	}
	late := r.windows(begin, end)
	stopped := r.stop(from, to)
	for _, t := range late {
		t.stoppedAt = stopped
	}
	return append(all[max(0, len(all)-compared):], late)
}

// paces reports whether a sleep or a timer's channel outside of the frames paces them. It is there in most of the
// frames before the late one, and so it is the program's own wait for the time of the next frame. A frame that is late
// itself needs none, and does not count.
func (r *recording) paces(l later, frames [][]*tally) bool {
	if l.target <= 0 {
		return false
	}
	before := frames[:len(frames)-1]
	slept, open, next := make([]bool, len(before)), 0, 0
	for i, turn := 0, (turns{}); i < r.events.n && next < len(before); i++ {
		turn.yield()
		e := r.events.nth(int32(i))
		if e.g != l.g {
			continue
		}
		switch e.kind {
		case regionBegin, regionEnd:
			if strings.HasPrefix(r.texts.all[e.what], ours) {
				if open++; e.kind == regionEnd {
					open = max(open-2, 0)
				}
			}
		case toState:
			if e.to != trace.GoWaiting || e.by >= 0 || open > 0 || !byTimer(r.texts.all[e.what]) {
				continue
			}
			for next < len(before) && before[next][len(before[next])-1].to <= e.at {
				next++
			}
			if next < len(before) && before[next][0].from <= e.at {
				slept[next] = true
				next++
			}
		}
	}
	with, without := 0, 0
	for i, f := range before {
		if slept[i] {
			with++
		} else if f[len(f)-1].to-f[0].from <= l.target {
			without++
		}
	}
	return with > 2 && with > without
}

// windows cuts the interval between two frames where samples tell what the thread had used up.
func (r *recording) windows(a, b instant) (all []*tally) {
	planned := [2]int64{b.at, b.at}
	overdue := false
	if b.woke > 0 || b.waited > 0 {
		planned = [2]int64{max(a.at, b.at-b.waited), b.at - b.woke}
		planned[0] = min(planned[0], planned[1])
		overdue = true
	}
	from := a.at
	add := func(until int64, first, last *sample) {
		t := newTally(from, until)
		t.first, t.last, t.planned, t.overdue = first, last, planned, overdue
		all, from = append(all, t), until
	}
	var first *sample
	if a.sample >= 0 && b.sample >= 0 {
		first = &r.samples[a.sample]
		for i := a.sample + 1; i < b.sample; i++ {
			if s := &r.samples[i]; s.g == a.g && s.at > from && s.at < b.at {
				add(s.at, first, s)
				first = s
			}
		}
		add(b.at, first, &r.samples[b.sample])
		return all
	}
	add(b.at, nil, nil)
	return all
}

// together adds the windows of a frame up.
func together(windows []*tally) *tally {
	all := newTally(windows[0].from, windows[len(windows)-1].to)
	for _, w := range windows {
		for k, d := range w.parts {
			all.parts[k] += d
		}
		for k, d := range w.further {
			all.further[k] += d
		}
		for k, n := range w.looks {
			all.looks[k] += n
		}
		all.procs = max(all.procs, w.procs)
		for g, d := range w.holders {
			all.holders[g] += d
		}
		for g, d := range w.stoppers {
			all.stoppers[g] += d
		}
		all.either += w.either
	}
	return all
}

func newTally(from, to int64) *tally {
	return &tally{
		from: from, to: to, m: -1,
		parts: map[key]int64{}, further: map[wait]int64{}, looks: map[look]int64{}, holders: map[int32]int64{},
		stoppers: map[int32]int64{}, threads: map[int32]int64{},
	}
}

// parts returns the account: one part for each kind and place.
func (r *recording) parts(t *tally) []Part {
	type spot struct {
		kind string
		in   int32
	}
	times, causes := map[spot]int64{}, map[spot]map[string]int64{}
	left := t.to - t.from
	for k, d := range t.parts {
		s := spot{k.kind, k.in}
		switch k.kind {
		case kindRunnable, kindStopped, kindSystem, kindSuspended, kindWait:
			s.in = -1
		}
		if causes[s] == nil {
			causes[s] = map[string]int64{}
		}
		times[s] += d
		if left -= d; k.by >= 0 {
			causes[s][r.texts.all[k.by]] += d
		}
	}
	first := r.end
	if r.events.n > 0 {
		first = r.events.nth(0).at
	}
	var all []Part
	if before := min(max(0, first-t.from), left); before > 0 {
		all = append(all, Part{Kind: kindUnknown, By: "before the trace began", Time: time.Duration(before)})
		left -= before
	}
	times[spot{kindUnknown, -1}] += left
	for s, d := range times {
		p := Part{Kind: s.kind}
		if s.in >= 0 {
			p.In = shown(r.texts.all[s.in])
		}
		several := 0
		p.By, several = joined(causes[s])
		if several > 1 && s.in >= 0 && (s.kind == kindBlocked || s.kind == kindSyscall) {
			for by, n := range causes[s] { // a fifth of the time is a part of its own
				if n >= times[s]/5 && n < d {
					p.By, p.Time = by, time.Duration(n)
					all = append(all, p)
					d -= n
					delete(causes[s], by)
				}
			}
			p.By, _ = joined(causes[s])
		}
		if d == 0 {
			continue
		}
		p.Time = time.Duration(d)
		switch s.kind {
		case kindRunnable:
			p.By = r.held(t)
		case kindStopped:
			if who, n := joined(r.named(t.stoppers)); n > 0 {
				p.By += ", which waited for " + who
			}
		}
		all = append(all, p)
	}
	slices.SortFunc(all, order(0))
	either := time.Duration(t.either)
	for i := range all {
		if p := &all[i]; p.Kind == kindWork && either > p.Time/2 {
			p.OrSystem = true
			either -= min(either, p.Time)
		}
	}
	return all
}

func (r *recording) named(weights map[int32]int64) map[string]int64 {
	all := map[string]int64{}
	for n, w := range weights {
		all[shown(r.texts.all[n])] += w
	}
	return all
}

// held says who had the processors.
func (r *recording) held(t *tally) string {
	return having(r.named(t.holders), cmp.Or(t.procs, len(r.ps)))
}

// order sorts parts: what is most above its usual time comes first, and what is unknown last but the wait.
func order(refresh time.Duration) func(a, b Part) int {
	return func(a, b Part) int {
		return cmp.Or(
			cmp.Compare(rank(a), rank(b)), cmp.Compare(b.more(refresh), a.more(refresh)), cmp.Compare(b.Time, a.Time),
			cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.In, b.In), cmp.Compare(a.By, b.By))
	}
}

func rank(p Part) int {
	switch p.Kind {
	case kindUnknown:
		return 1
	case kindWait:
		return 2
	}
	return 0
}

// compare sets what is usual, by the medians of the frames before, and the order.
func (r *Report) compare(before [][]Part) {
	times := make([]time.Duration, 0, len(before))
	for i := range r.Parts {
		p := &r.Parts[i]
		several := false
		for j, q := range r.Parts {
			several = several || j != i && q.Kind == p.Kind && q.In == p.In
		}
		times = times[:0]
		for _, parts := range before {
			d := time.Duration(0)
			for _, q := range parts {
				if q.Kind == p.Kind && q.In == p.In && (q.By == p.By || !several) {
					d += q.Time
				}
			}
			times = append(times, d)
		}
		if p.Kind != kindUnknown {
			p.Usual = min(hist.Median(times), p.Time)
		}
	}
	slices.SortFunc(r.Parts, order(r.Target))
}
