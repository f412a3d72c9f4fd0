package frame_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/internal/race"
	"github.com/frameslice/frameslice/internal/regions/tracetest"
	"github.com/frameslice/frameslice/internal/testkit"
	"github.com/frameslice/frameslice/scheduler"
)

// spent describes the sections of a record: name, calls, time, own time, in milliseconds.
func spent(r *record.Record) string {
	var all []string
	for _, s := range r.Sections {
		all = append(all, fmt.Sprintf("%s %d %d %d", s.Name, s.Calls, s.Time/ms, s.Own/ms))
	}
	return strings.Join(all, ", ")
}

// Times of sections, nested, repeated, within themselves, and open at the end of the own work.
func TestSections(t *testing.T) {
	for _, c := range []struct {
		name string
		own  func(l *frame.Loop)
		want string
	}{
		{"none", func(*frame.Loop) {}, ""},
		{"nested", func(l *frame.Loop) {
			a := l.Section("a")
			time.Sleep(ms)
			b := l.Section("b")
			time.Sleep(2 * ms)
			b.End()
			time.Sleep(4 * ms)
			a.End()
		}, "a 1 7 5, b 1 2 2"},
		{"repeated", func(l *frame.Loop) {
			for range 3 {
				a := l.Section("a")
				time.Sleep(ms)
				a.End()
			}
		}, "a 3 3 3"},
		{"within itself", func(l *frame.Loop) {
			a := l.Section("a")
			time.Sleep(ms)
			b := l.Section("b")
			time.Sleep(ms)
			c := l.Section("a")
			time.Sleep(ms)
			c.End()
			b.End()
			a.End()
		}, "a 2 3 2, b 1 2 1"},
		{"left open within another", func(l *frame.Loop) {
			a := l.Section("a")
			l.Section("b")
			time.Sleep(ms)
			a.End()
			time.Sleep(ms)
		}, "a 1 1 0, b 1 1 1"},
		{"left open", func(l *frame.Loop) {
			l.Section("a")
			time.Sleep(ms)
			l.Section("b")
			time.Sleep(ms)
		}, "a 1 2 1, b 1 1 1"},
		{"of 17 names", func(l *frame.Loop) {
			for i := range 15 {
				l.Section(fmt.Sprint(i)).End()
			}
			a := l.Section("a")
			b := l.Section("too many")
			time.Sleep(ms)
			c := l.Section("0")
			time.Sleep(ms)
			c.End()
			b.End()
			a.End()
		}, "a 1 2 1"},
	} {
		everywhere(t, frame.Options{Interval: 20 * ms}, func(t *testing.T, l *frame.Loop) {
			for range 2 { // nothing is left of a frame in the next one
				l.Begin()
				c.own(l)
				l.Slice()
				time.Sleep(ms) // no section is open
				l.End()
			}
			l.Begin()
			l.End()
			all := l.Recorder().Recent(make([]record.Record, 16))
			last := all[len(all)-2]
			if got := spent(&last); got != c.want && !strings.HasSuffix(got, "14 1 0 0, "+c.want) {
				t.Errorf("%s: %s, want %s", c.name, got, c.want)
			}
		})
	}
}

// A section where there can be none, and an End too many, panic and say so.
func TestSectionsInTheWrongPlace(t *testing.T) {
	const ended = ", which has ended: by an End before, with the section around it, or with the frame's own work"
	for _, c := range []struct {
		act  func(l *frame.Loop)
		want string
	}{
		{func(l *frame.Loop) { l.Section("a") }, "frame: Section without Begin"},
		{func(l *frame.Loop) { l.Begin(); l.Slice(); l.Section("a") }, "frame: Section after Slice"},
		{func(l *frame.Loop) { l.Begin(); s := l.Section("a"); s.End(); s.End() },
			`frame: Section.End of "a"` + ended},
		{func(l *frame.Loop) {
			l.Begin()
			a, b := l.Section("a"), l.Section("b")
			a.End()
			b.End()
		}, `frame: Section.End of "b"` + ended},
		{func(l *frame.Loop) {
			l.Begin()
			s := l.Section("a")
			l.End()
			l.Begin()
			l.Section("b")
			s.End()
		}, `frame: Section.End of "a"` + ended},
		{func(l *frame.Loop) {
			l.Begin()
			for range 33 {
				l.Section("a")
			}
		}, `frame: Section "a" within 32 others: an End is missing`},
	} {
		bubble(t, frame.Options{}, func(t *testing.T, l *frame.Loop) {
			testkit.Panics(t, c.want, func() { c.act(l) })
		})
	}
	new(frame.Section).End()
	l := frame.New(frame.Options{})
	l.Begin()
	s := l.Section("a")
	l.Close()
	s.End()
	s.End()
	l.Section("b").End()
	l.End()
}

// Sections are regions of Go's execution trace, also in a callback that forgets the End.
func TestSectionsAreRegionsOfATrace(t *testing.T) {
	all := tracetest.Run(t, "frameslice.section ", func() {
		bubble(t, frame.Options{}, func(_ *testing.T, l *frame.Loop) {
			l.Each(scheduler.BeforeUpdate, func() { l.Section("forgotten") })
			for range 2 {
				l.Begin()
				a := l.Section("a")
				l.Section("b")
				a.End()
				l.Section("c")
				l.Slice()
				l.End()
			}
		})
	})
	var got []string
	for _, s := range tracetest.Types(all) {
		got = append(got, strings.ReplaceAll(s, "frameslice.", ""))
	}
	one := []string{"frame > section a", "frame > section a > section b", "frame > section c"}
	own := func(s string) bool { return strings.Contains(s, "forgotten") }
	if n := len(got); n != 8 || !slices.Equal(slices.DeleteFunc(got, own), slices.Concat(one, one)) {
		t.Errorf("%d regions: %q", n, got)
	}
}

func TestSectionsAllocateNothing(t *testing.T) {
	l := frame.New(frame.Options{Recorder: record.Options{Records: 64}})
	defer l.Close()
	dst := make([]record.Record, 8)
	f := func() {
		l.Begin()
		a := l.Section("a")
		l.Section("b").End()
		a.End()
		l.End()
		dst = l.Recorder().Recent(dst)
	}
	for range 200 {
		f()
	}
	if !race.Enabled {
		testkit.NoAllocs(t, f)
	}
}

// Least time of many short rows, which other programs do not disturb: of a section, and of a look at the clock.
func BenchmarkSection(b *testing.B) {
	l := frame.New(frame.Options{})
	defer l.Close()
	l.Begin()
	outer := l.Section("frame")
	const row = 200
	section, clock := time.Hour, time.Hour
	for b.Loop() {
		t := time.Now()
		for range row {
			l.Section("physics").End()
		}
		section = min(section, time.Since(t))
		t = time.Now()
		for range row {
			benchNow = deadline.Now()
		}
		clock = min(clock, time.Since(t))
	}
	outer.End()
	l.End()
	b.ReportMetric(float64(section)/row, "least-ns/section")
	b.ReportMetric(float64(clock)/row, "least-ns/clock")
}

var benchNow deadline.Instant
