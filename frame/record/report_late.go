package record

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/frameslice/frameslice/internal/refresh"
	"github.com/frameslice/frameslice/internal/timeline"
	"github.com/frameslice/frameslice/internal/words"
	"github.com/frameslice/frameslice/workers"
)

// A LateFrame tells what ran in one of the longest frames. Interval is up to the start of the next frame, which was
// late. Parts on the frame goroutine add up to Interval. They come first, those that took longest before the others.
type LateFrame struct {
	Number   uint64        `json:"number"`
	Start    time.Duration `json:"start_ns"` // since the first record
	Interval time.Duration `json:"interval_ns"`
	Parts    []FramePart   `json:"parts"`
	Why      string        `json:"why,omitempty"` // that of Recorder.Explain, or else of Record.AppendCause
}

// A FramePart is a part of a frame. Kind is "section" (without the sections within), "task", "callback" of a phase, or
// "job", all with a Name. The rest is "own work", "slice", "host" and "wait", and "not recorded" instead of "host" if
// nobody has recorded where own work ended and the host began (Record.Timed). Beside says that the part ran beside the
// frame goroutine. A job counts as beside, too, if a goroutine of the program ran the job in Wait or RunUntil.
//
// "system" is what the operating system took for sure of the parts on the frame goroutine, which are without that time.
// OrSystem says that it may have taken most of the part, too: see Taken.
//
// "collection" reports garbage collections and their pauses. They ended between the end of the frame before and the
// end of this one. frame.Options.Profile brings all tasks, callbacks and jobs. Without it there is only the longest
// task.
type FramePart struct {
	Kind   string        `json:"kind"`
	Name   string        `json:"name,omitempty"`
	Runs   uint64        `json:"runs,omitempty"`
	Time   time.Duration `json:"time_ns"`
	Beside bool          `json:"beside,omitempty"`

	OrSystem bool `json:"or_system,omitempty"`
}

// lateFrames is how many LateFrames a report has.
const lateFrames = 8

// lateFrames returns the longest frames that missed a refresh, the longest first.
func (r *Report) lateFrames() (all []LateFrame) {
	s := r.Snapshot
	var late []int // in Records: the frames after which a refresh was missed
	for i := range s.Records[:max(len(s.Records), 1)-1] {
		next := &s.Records[i+1]
		if s.cameLate(next) && next.follows(&s.Records[i]) {
			late = append(late, i)
		}
	}
	slices.SortStableFunc(late, func(a, b int) int {
		return cmp.Compare(s.Records[b+1].Interval, s.Records[a+1].Interval)
	})
	for _, i := range late[:min(len(late), lateFrames)] {
		rec, next := &s.Records[i], &s.Records[i+1]
		all = append(all, LateFrame{
			Number: rec.Number, Start: rec.Start.Sub(s.Records[0].Start), Interval: next.Interval,
			Parts: rec.parts(next, r.Runs), Why: s.why(i + 1),
		})
	}
	return all
}

// cameLate reports whether a refresh was missed before the record, which counts.
func (s *Snapshot) cameLate(r *Record) bool {
	return r.Flags&s.Exclude == 0 && refresh.Missed(r.Interval, cmp.Or(r.Target, s.Target)) > 0
}

// why says why record i came late.
func (s *Snapshot) why(i int) string {
	late, before := &s.Records[i], new(Record)
	if why := s.sentences.about(late.Number); why != "" {
		return why
	}
	if i > 0 {
		before = &s.Records[i-1]
	}
	return string(before.AppendCause(nil, late, cmp.Or(late.Target, s.Target)))
}

// Parts returns what the frame r consisted of, up to the start of next, the record after r. Of tasks and of jobs in the
// slice it has only the most expensive ones, as in a LateFrame without a timeline.
func (r *Record) Parts(next *Record) []FramePart { return r.parts(next, nil) }

// parts returns what the frame consists of.
func (r *Record) parts(next *Record, runs []workers.Run) []FramePart {
	var p frameParts
	shadowed := r.Flags&Shadowed != 0
	own, used := r.Own(), r.Used()
	p.add("wait", "", 0, next.Waited, false)
	if p.add("slice", "", 0, used, shadowed); shadowed {
		used = 0
	}
	rest := "host"
	if !r.Timed() {
		rest = "not recorded"
	}
	p.add(rest, "", 0, next.Interval-own-used-next.Waited, false)
	p.add("own work", "", 0, own, false)
	if r.GCCycles > 0 {
		p.add("collection", "", r.GCCycles, r.GCPause, true)
	}
	for i := range r.Sections {
		one := &r.Sections[i]
		p.within(p.ownPart(rest, one.Own), "section", one.Name, uint64(one.Calls), one.Own)
	}
	tasks, jobs := false, false
	for i := range runs {
		run := &runs[i]
		took := min(run.End, next.Start).Sub(max(run.Begin, r.Start))
		switch {
		case took <= 0:
		case run.Where == timeline.Runner && r.sliced(run):
			p.within("slice", "job", run.Label, 1, took)
			jobs = true
		case run.Where >= timeline.Worker:
			p.add("job", run.Label, 1, took, true)
		case r.Flags&Sliced != 0 && run.Begin >= r.SliceBegin && run.Begin < r.SliceEnd:
			p.within("slice", "task", run.Label, 1, took)
			tasks = true
		default:
			p.within(p.ownPart(rest, took), "callback", run.Label, 1, took)
		}
	}
	if !tasks && r.WorstCost > 0 {
		p.within("slice", "task", r.WorstLabel, 1, r.WorstCost)
	}
	if !jobs && r.WorstJobCost > 0 {
		p.within("slice", "job", r.WorstJob, 1, r.WorstJobCost)
	}
	p.system(r.System.Own, own, "own work", "section", "callback")
	if !shadowed {
		p.system(r.System.Slice, used, "slice", "task", "job")
	}
	p.system(Taken{next.System.Before.Time, next.System.Before.Time, true}, next.Interval, "host")
	slices.SortStableFunc(p, func(a, b FramePart) int {
		if a.Beside != b.Beside {
			if a.Beside {
				return 1
			}
			return -1
		}
		return cmp.Compare(b.Time, a.Time)
	})
	return slices.DeleteFunc(p, func(one FramePart) bool { return one.Time <= 0 && one.Kind != "collection" })
}

// sliced reports whether a run lies in the slice.
func (r *Record) sliced(run *workers.Run) bool {
	return r.Flags&Sliced != 0 && r.SliceBegin <= run.Begin && run.End <= r.SliceEnd
}

type frameParts []FramePart

// find returns the part with that kind and name, a new one if there is none.
func (p *frameParts) find(kind, name string) *FramePart {
	i := slices.IndexFunc(*p, func(o FramePart) bool { return o.Kind == kind && o.Name == name })
	if i < 0 {
		i = len(*p)
		*p = append(*p, FramePart{Kind: kind, Name: name})
	}
	return &(*p)[i]
}

func (p *frameParts) add(kind, name string, runs uint64, d time.Duration, beside bool) {
	to := p.find(kind, name)
	to.Runs += runs
	to.Time += max(d, 0)
	to.Beside = beside
}

// ownPart returns which part a section or a callback of d lies in: own work, or what is not recorded of it.
func (p *frameParts) ownPart(rest string, d time.Duration) string {
	if rest == "not recorded" && p.find("own work", "").Time < d {
		return rest
	}
	return "own work"
}

// within takes a part of d out of another one. Two clocks may disagree by a little: no more than there is goes out.
func (p *frameParts) within(whole, kind, name string, runs uint64, d time.Duration) {
	from := p.find(whole, "")
	d, beside := min(max(d, 0), from.Time), from.Beside
	from.Time -= d
	p.add(kind, name, runs, d, beside)
}

// system takes the system's share of a time of d out of the parts of that time, from the longest first. It marks the
// part of which the system may have taken most, too.
func (p *frameParts) system(t Taken, d time.Duration, kinds ...string) {
	_, took, either := t.Split(d)
	p.find("system", "") // before there are pointers into p
	for range *p {
		var most *FramePart
		for i := range *p {
			one := &(*p)[i]
			if !one.Beside && slices.Contains(kinds, one.Kind) && (most == nil || one.Time > most.Time) {
				most = one
			}
		}
		if most == nil || most.Time == 0 {
			return
		}
		if took == 0 {
			most.OrSystem = either > most.Time/2
			return
		}
		n := min(took, most.Time)
		most.Time -= n
		took -= n
		p.find("system", "").Time += n
	}
}

// String returns one line in milliseconds, with the parts of at least a twentieth of the frame.
func (f LateFrame) String() string {
	return strings.TrimSuffix(fmt.Sprintf("frame %d, %s ms: %s", f.Number, tenths(f.Interval), f.Ran()), ": ")
}

// Ran returns the parts of at least a twentieth of the frame, in milliseconds.
func (f *LateFrame) Ran() string {
	var on, beside []string
	for i := range f.Parts {
		p := f.Parts[i]
		p.OrSystem = p.OrSystem && p.Time >= f.Interval/4 // it matters
		switch {
		case p.Time < f.Interval/20 && p.Kind != "collection":
		case p.Beside:
			beside = append(beside, p.text())
		default:
			on = append(on, p.text())
		}
	}
	cause := strings.Join(on, ", ")
	if len(beside) > 0 {
		cause += "; beside it " + strings.Join(beside, ", ")
	}
	return strings.TrimPrefix(cause, "; ")
}

// text returns the part and its milliseconds.
func (p *FramePart) text() string {
	if p.Kind == "collection" {
		return fmt.Sprintf("%d collection%s", p.Runs, "s"[:min(p.Runs-1, 1)])
	}
	text := strings.TrimSpace(p.Kind + " " + words.Tail(p.Name, 34))
	switch {
	case p.Kind == "system":
		text = "the system"
	case p.OrSystem:
		text += " or the system"
	}
	return text + " " + tenths(p.Time)
}

func tenths(d time.Duration) string { return words.MS(d, 1) }

// lateFrames writes a line for each of the longest late frames.
func (t *textTable) lateFrames(r *Report) {
	if len(r.LateFrames) > 0 {
		t.Line("")
		t.Line("  the longest late frames, ms%s", r.star())
	}
	for i := range r.LateFrames {
		t.Line("  %s", r.LateFrames[i])
		t.Line("    %s", r.LateFrames[i].Why)
	}
}
