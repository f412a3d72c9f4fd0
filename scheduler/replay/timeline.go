package replay

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// Timeline draws the run, a character for each step. One row has a ^ where a frame begins. The others are tasks by
// name: # for a run, ! for an overdue run (except Immediate ones), . for a wait. It panics if step is not positive.
func (r *Run) Timeline(step time.Duration) string {
	if step <= 0 {
		panic("replay: Timeline with a step that is not positive: " + step.String())
	}
	t := &timeline{step: step}
	for _, at := range r.begins {
		t.mark("frame", at, at, '^')
	}
	var run scheduler.Event // the one in progress
	for _, e := range r.Events {
		switch {
		case e.State == scheduler.Running:
			run = e
			t.mark(e.Label, e.At.Sub(r.begin)-e.Waited, e.At.Sub(r.begin), '.')
		case e.ID == run.ID:
			c := byte('#')
			if run.Late > 0 && run.Priority != deadline.Immediate {
				c = '!'
			}
			t.mark(e.Label, run.At.Sub(r.begin), e.At.Sub(r.begin), c)
			run = scheduler.Event{}
		}
	}
	return t.String()
}

// timeline is rows of characters.
type timeline struct {
	step  time.Duration
	names []string
	rows  [][]byte
}

// mark draws c from one time to another over dots and spaces, at least once unless c is a dot.
func (t *timeline) mark(name string, from, to time.Duration, c byte) {
	i := slices.Index(t.names, name)
	if i < 0 {
		i = len(t.names)
		t.names, t.rows = append(t.names, name), append(t.rows, nil)
	}
	first, end := int(from/t.step), int((to+t.step-1)/t.step)
	if c != '.' {
		end = max(end, first+1)
	}
	for len(t.rows[i]) < end {
		t.rows[i] = append(t.rows[i], ' ')
	}
	for x := first; x < end; x++ {
		if old := t.rows[i][x]; old == ' ' || old == '.' {
			t.rows[i][x] = c
		}
	}
}

// String returns the rows, a line each.
func (t *timeline) String() string {
	width := 0
	for _, n := range t.names {
		width = max(width, len(n))
	}
	var b strings.Builder
	for i, row := range t.rows {
		fmt.Fprintf(&b, "%-*s |%s\n", width, t.names[i], strings.TrimRight(string(row), " "))
	}
	return b.String()
}
