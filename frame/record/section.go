package record

import (
	"cmp"
	"slices"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/words"
)

// A Section is a named part of a frame's own work, or several with one name: see frame.Loop.Section.
type Section struct {
	Name  string
	Begin deadline.Instant // of the first one
	Time  time.Duration    // in sum
	Own   time.Duration    // without the sections within
	Calls uint32           // how many there were
}

// maxSections is how many sections a Record keeps.
const maxSections = 16

// SectionReport is of the sections with one name, in the latest records that have some. Time and Own are by frame.
type SectionReport struct {
	Name  string       `json:"name"`
	Calls uint64       `json:"calls"`
	Time  Distribution `json:"time"`
	Own   Distribution `json:"own"`
}

// sectionNames returns the names of the sections in Records, those with the most time of their own first.
func (s *Snapshot) sectionNames() (names []string) {
	own := map[string]time.Duration{}
	for i := range s.Records {
		for _, one := range s.Records[i].Sections {
			if _, ok := own[one.Name]; !ok {
				names = append(names, one.Name)
			}
			own[one.Name] += one.Own
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(own[b], own[a]) })
	return names
}

// sections returns the report of each name.
func (s *Snapshot) sections() (all []SectionReport) {
	for _, name := range s.sectionNames() {
		var spent, own Intervals
		one := SectionReport{Name: name}
		for i := range s.Records {
			if r := &s.Records[i]; r.Flags&s.Exclude == 0 {
				if x := r.section(name); x != nil {
					one.Calls += uint64(x.Calls)
					spent, own = append(spent, x.Time), append(own, x.Own)
				}
			}
		}
		one.Time, one.Own = distributionOf(spent.ascending()), distributionOf(own.ascending())
		if one.Calls > 0 {
			all = append(all, one)
		}
	}
	return all
}

// section returns the section with that name, or nil.
func (r *Record) section(name string) *Section {
	for i := range r.Sections {
		if r.Sections[i].Name == name {
			return &r.Sections[i]
		}
	}
	return nil
}

// sections writes a table of the sections, if there are any.
func (t *textTable) sections(r *Report) {
	var rows []named
	for _, s := range r.Sections[:min(len(r.Sections), costRows)] {
		rows = append(rows, named{words.Tail(s.Name, 34), s.Time})
		if s.Own != s.Time {
			rows = append(rows, named{"  without sections within", s.Own})
		}
	}
	t.distributions("sections by frame, ms"+r.star(), rows)
}
