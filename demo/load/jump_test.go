package load

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/frameslice/frameslice/frame/record"
)

// A process that was stopped for a minute in the middle of a mode has not missed 3,600 frames.
func TestJumpOfTheClockIsCountedAndLeftOut(t *testing.T) {
	const r = time.Second / 60
	f := NewFigures(Idle, ownWork)
	f.Add(Stretch{Frames: snapshot([]time.Duration{0, r, r, time.Minute, 3 * r, r},
		[]time.Duration{r, r, time.Minute, 3 * r, r, 0}), Span: 6 * r}, r)
	x := f.result(r)
	if x.Frames != 4 || x.Missed != 2 || x.RanLong != 1 ||
		x.Jumps != 1 || x.JumpS != 60 || x.Seconds > 0.2 {
		t.Errorf("%+v", x)
	}
	ours := x
	ours.Mode, ours.Jumps, ours.JumpS = Frameslice, 2, 90
	rep := &Report{Modes: []Result{x, ours}, Env: record.Environment{}, Settings: Settings{IntervalMS: ms(r)}}
	rep.Judge()
	var text, file strings.Builder
	const said, written = "jumps of the clock left out: 3 (150 s)", `"jumps":1,"jump_s":60`
	if err := rep.WriteText(&text, true); err != nil || !strings.Contains(text.String(), said) {
		t.Errorf("%v %s", err, &text)
	}
	if err := json.NewEncoder(&file).Encode(rep); err != nil || !strings.Contains(file.String(), written) {
		t.Errorf("%v %s", err, &file)
	}
	// Nobody is told of missed frames alone.
	const one, two = "a jump of the clock of 60 s, left out", "2 jumps of the clock of 90 s together, left out"
	for _, line := range []string{rep.Plain, rep.Verdict[0].Says} {
		if !strings.Contains(line, one) || !strings.Contains(line, two) {
			t.Errorf("%q does not say what is left out", line)
		}
	}
}
