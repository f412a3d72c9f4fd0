package play

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/frameslice/frameslice/demo/load"
	"github.com/frameslice/frameslice/demo/sim"
)

// frames runs a valley in a mode for at most so many frames of a clock that the test sets, until it has been saved.
// A machine that is busy with other things needs many.
func frames(t *testing.T, m load.Mode, c load.Config, n int, look func(*Valley)) {
	t.Helper()
	v, err := NewValley(c, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	v.Reset(m)
	x := load.Open(m, load.Config{Load: -1})
	now := v.last
	v.Start(x, now)
	for i := 0; i < n && v.world.Saves.Done == 0; i++ {
		now = now.Add(time.Second / 60)
		x.Begin()
		v.Offer(x, now)
		v.Step(x)
		x.End()
		time.Sleep(time.Millisecond)
	}
	look(v)
	v.Leave()
	x.Close()
	if err := v.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(v.dir); !os.IsNotExist(err) {
		t.Errorf("the folder of the autosave is left: %v", err)
	}
}

func TestValleyDoesTheWholeWork(t *testing.T) {
	if testing.Short() {
		t.Skip("hundreds of frames of the whole world, and all of its images, in each of three modes")
	}
	c := load.Config{Seed: 3, Load: 0.1, Job: time.Millisecond}
	for _, m := range []load.Mode{load.Frameslice, load.InlineBudget, load.Workers} {
		frames(t, m, c, 100_000, func(v *Valley) {
			w, c := v.world, v.Counts()
			found := v.probe.started.Load()
			if w.Saves.Done == 0 || w.Assets.Loaded == 0 || c.Finished == 0 || found == 0 {
				t.Errorf("%s: saves %+v, %d assets loaded, jobs %+v, %d begun", m, w.Saves.Done,
					w.Assets.Loaded, c, found)
			}
			if saved, err := os.Stat(filepath.Join(v.dir, "world.save")); err != nil || saved.Size() == 0 {
				t.Errorf("%s: no save, or an empty one: %v", m, err)
			}
			if v.Describe(&load.Settings{}); len(v.texture) == 0 {
				t.Errorf("%s: no pixels were moved", m)
			}
		})
	}
}

// A save that fails is told once, however often it fails.
func TestValleyTellsEachProblemOnce(t *testing.T) {
	var said strings.Builder
	v, err := NewValley(load.Config{Load: -1, Job: time.Millisecond}, &said)
	if err != nil {
		t.Fatal(err)
	}
	v.Reset(load.Inline)
	if err := v.Close(); err != nil { // so there is no folder to save to
		t.Fatal(err)
	}
	v.probe.Adopt(load.Open(load.Idle, load.Config{}))
	for range 3 {
		v.world.Save(&v.probe)
		v.Step(nil)
	}
	if got := said.String(); strings.Count(got, "\n") != 1 || !strings.HasPrefix(got, "demo: autosave: ") {
		t.Errorf("got %q", got)
	}
}

func TestSceneRunsInTheHarness(t *testing.T) {
	v, err := NewValley(load.Config{Load: 0.2, Job: time.Millisecond}, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	r, err := load.Run(context.Background(), load.Config{Duration: 500 * time.Millisecond, Scene: v})
	if err != nil || len(r.Modes) != 1 || r.Modes[0].Frames == 0 || r.Settings.Boids != 6000 ||
		r.Modes[0].Offered == 0 {
		t.Errorf("%v, %+v", err, r)
	}
	if err := v.Close(); err != nil {
		t.Error(err)
	}
}

func TestErrandsWithoutASliceKeepToTheirBytes(t *testing.T) {
	for _, piece := range []int{1 << 10, 16 << 10, 1 << 20} {
		moved := 0
		e := NewErrands(func(most int) int { moved += min(piece, most); return min(piece, most) }, 0)
		e.Frame(0.016, 1)
		if moved != frameBytes {
			t.Errorf("pieces of %d: %d bytes in a frame, want %d", piece, moved, frameBytes)
		}
	}
}

func TestBacklogIsRunBetweenTwoModes(t *testing.T) {
	var p Probe
	first, second := &held{}, &held{}
	p.Adopt(first)
	var jobs [4]counted
	for i := range 3 {
		p.Submit(sim.KindPath, 0, &jobs[i])
	}
	p.Suspend()
	run := p.Backlog()
	p.Submit(sim.KindPath, 0, &jobs[3])
	run()
	p.Adopt(second)
	for i := range 3 {
		if jobs[i].runs.Load() != 1 || jobs[i].commits.Load() != 1 {
			t.Errorf("job %d is not done", i)
		}
	}
	if len(second.jobs) != 1 || p.Inherited() != 1 {
		t.Fatalf("%d jobs handed on, %d inherited, want the one of the meantime",
			len(second.jobs), p.Inherited())
	}
	second.jobs[0].Run()
	second.jobs[0].Commit()
	if p.Inherited() != 0 || len(p.kept) != 0 {
		t.Errorf("%d inherited, %d kept", p.Inherited(), len(p.kept))
	}
}
