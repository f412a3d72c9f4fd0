package frame

import (
	"fmt"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/internal/regions"
)

// A Section is a part of a frame's own work that has begun: see Loop.Section. The zero Section is none.
type Section struct {
	l      *Loop
	name   string
	serial uint64
}

// Section begins a part of the frame's own work with a name. Its times go into the frame's Record, with those of other
// sections of this name in the frame.
//
//	s := loop.Section("physics")
//	world.Step()
//	s.End()
//
// Sections nest: one that began later ends first. A section that is still open ends with the section around it, and at
// the latest when Slice or End begins. A frame has 16 names; a section of a further name counts in the section around
// it. A section takes two looks at the clock and about 6 ns, and nothing allocates.
//
// Frame goroutine, between Begin and Slice, and in callbacks of the phases. Section panics elsewhere, and if 32
// sections are open. Tasks have a Label instead.
func (l *Loop) Section(name string) Section {
	if state := l.gate.state(); state != gateOpen {
		if !l.gate.isClosing() {
			panic("frame: Section" + misuse("Section", state))
		}
		return Section{}
	}
	s := &l.sections
	if s.depth == len(s.open) {
		panic(fmt.Sprintf("frame: Section %q within %d others: an End is missing", name, s.depth))
	}
	o := &s.open[s.depth]
	s.depth++
	s.serial++
	o.name, o.serial, o.inner = name, s.serial, 0
	if regions.On() {
		o.region = l.meter.Begin(regions.Section, name)
	}
	s.enlist(o)
	o.begin = deadline.Now() // last, so that the section does not count the above
	if o.first {
		s.all[o.at].Begin = o.begin
	}
	return Section{l, name, s.serial}
}

// End ends the section, and those that began in it. It panics if the section has ended, unless the loop is closed.
func (s Section) End() {
	if s.l == nil {
		return
	}
	now := deadline.Now()
	all := &s.l.sections
	for d := all.depth - 1; d >= 0 && all.open[d].serial >= s.serial; d-- {
		if all.open[d].serial == s.serial {
			all.endDownTo(d, now)
			return
		}
	}
	if !s.l.gate.isClosing() {
		panic(fmt.Sprintf("frame: Section.End of %q, which has ended: by an End before, with the section around it, "+
			"or with the frame's own work", s.name))
	}
}

// endOwn ends a part of the frame's own work: the last one, or what comes before a slice of PlaceFirst. The
// system's share is known if that of each part is: see startFrame.
func (l *Loop) endOwn(now deadline.Instant) {
	t, own := l.system.part(now, false), &l.now.System.Own
	own.Time, own.AtMost, own.Known = own.Time+t.Time, own.AtMost+t.AtMost, own.Known && t.Known
	l.now.Sections = l.sections.end(now)
}

// maxSections is how many names a frame has. A Record keeps as many.
const maxSections = 16

// sections are those of the frame in progress. The frame goroutine's.
type sections struct {
	all    [maxSections]record.Section // by name, in the order in which they began
	within [maxSections]int32          // how many of the name are open
	n      int                         // names

	open   [32]openSection
	depth  int
	serial uint64 // of the section that began last
}

// openSection is a section that has begun and not ended.
type openSection struct {
	name   string
	serial uint64
	begin  deadline.Instant
	inner  time.Duration  // spent in sections within
	at     int            // in all; -1 if there are too many names
	first  bool           // of its name
	region regions.Region // none in those that are not open
}

// enlist finds the section's place in all, and counts it.
func (s *sections) enlist(o *openSection) {
	o.first = false
	for i := range s.all[:s.n] {
		if s.all[i].Name == o.name {
			o.at = i
			s.all[i].Calls++
			s.within[i]++
			return
		}
	}
	if o.at = -1; s.n < len(s.all) {
		o.at, o.first = s.n, true
		s.all[s.n], s.within[s.n] = record.Section{Name: o.name, Calls: 1}, 1
		s.n++
	}
}

// endDownTo ends all sections from depth d on.
func (s *sections) endDownTo(d int, now deadline.Instant) {
	for s.depth > d {
		s.depth--
		o := &s.open[s.depth]
		inner := o.inner // what the section around o has to leave out
		if o.at >= 0 {
			took, all := time.Duration(now-o.begin), &s.all[o.at]
			all.Own += took - o.inner
			if s.within[o.at]--; s.within[o.at] == 0 { // the outermost of its name
				all.Time += took
			}
			inner = took
		}
		if s.depth > 0 {
			s.open[s.depth-1].inner += inner
		}
		o.region.End()
	}
}

// end ends what is open, for the frame's record.
func (s *sections) end(now deadline.Instant) []record.Section {
	s.endDownTo(0, now)
	return s.all[:s.n:s.n]
}

// begin begins a frame. Sections of a frame of Run that panicked are forgotten here, with their regions.
func (s *sections) begin() {
	clear(s.open[:s.depth])
	s.n, s.depth = 0, 0
}
