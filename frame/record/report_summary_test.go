package record

import (
	"strings"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// String has eight lines, and its last but one says what to do about what took most of the late frames.
func TestTheReportInEightLines(t *testing.T) {
	type parts struct{ own, section, task, slice, host, system, jump time.Duration }
	play := func(p parts) *Report {
		rec := quiet(Options{Target: 10 * ms, WarmUp: -1})
		at, interval := deadline.Instant(time.Second), time.Duration(0)
		for i := range 20 {
			late := i%5 == 0
			one := Record{
				Number: uint64(i + 1), Start: at, Interval: interval, Flags: Sliced, System: known,
				SliceBegin: at.Add(ms), SliceEnd: at.Add(2 * ms), SliceDeadline: at.Add(3 * ms), WorstLabel: "bake",
			}
			if interval = 10 * ms; late {
				own := ms + p.own + p.section
				one.SliceBegin = at.Add(own)
				one.SliceEnd = one.SliceBegin.Add(ms + p.task + p.slice)
				one.SliceDeadline, one.WorstCost = one.SliceEnd, p.task
				one.System.Own = Taken{Time: p.system, AtMost: p.system, Known: true}
				if p.section > 0 {
					one.Sections = []Section{{Name: "ai", Begin: at, Time: p.section, Own: p.section, Calls: 1}}
				}
				interval = own + ms + p.task + p.slice + p.host
			}
			if i == 12 && p.jump > 0 {
				one.Flags |= Jump
				one.Interval = p.jump
			}
			rec.Add(one)
			at = at.Add(interval)
		}
		return NewReport("game", rec.Snapshot(), Environment{})
	}
	for want, p := range map[string]parts{
		"make the section ai shorter":    {section: 40 * ms},
		"make the game's own work short": {own: 40 * ms},
		"cut the task bake: Co.Yield":    {task: 40 * ms},
		"cut the tasks: Co.Yield":        {slice: 40 * ms},
		"draw less, or upload less":      {host: 40 * ms},
		"nothing in the program":         {own: 40 * ms, system: 35 * ms},
		"nothing: every refresh":         {host: 8 * ms},
		"nothing, unless a jump was":     {host: 8 * ms, jump: 6500 * ms},
	} {
		text := play(p).String()
		lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		if len(lines) != 8 || !strings.HasPrefix(lines[6], "  what to do   "+want) {
			t.Errorf("%+v: want %q in\n%s", p, want, text)
		}
	}
	if text := play(parts{jump: 6500 * ms}).String(); !strings.Contains(text, "ms; left out: a jump of 6.5 s\n") {
		t.Errorf("%s", text)
	}
	r := play(parts{host: 40 * ms})
	r.HostLate, r.HostCause = 3, "upload"
	if text := r.String(); !strings.Contains(text, "most late frames came after the task upload") {
		t.Errorf("%s", text)
	}
	r.LateFrames[0].Why = "27.9 waiting for a processor"
	if text := r.String(); !strings.Contains(text, ": 27.9 waiting for a processor\n") ||
		!strings.HasPrefix(r.Text(), strings.Join(strings.Split(text, "\n")[:7], "\n")+"\n\n") {
		t.Errorf("%s%s", text, r.Text())
	}
}
