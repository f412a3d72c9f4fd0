package play

import (
	"bytes"
	"context"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/frameslice/frameslice/demo/load"
	"github.com/frameslice/frameslice/demo/sim"
)

// frames runs a valley in a mode for at most so many frames of a clock that the test sets, until it has been saved.
// A machine that is busy with other things needs many.
func frames(t *testing.T, m load.Mode, o ValleyOptions, n int, look func(*Valley)) {
	t.Helper()
	v, err := NewValley(o)
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
	o := ValleyOptions{Seed: 3, Load: 0.1, Job: time.Millisecond}
	for _, m := range []load.Mode{load.Frameslice, load.InlineBudget, load.Workers} {
		o.Complain = t.Output()
		frames(t, m, o, 100_000, func(v *Valley) {
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

// However short the run, and in the idle mode, which decodes nothing.
func TestValleyNamesEachCorruptImageOnce(t *testing.T) {
	var good, said bytes.Buffer
	if err := png.Encode(&good, image.NewGray(image.Rect(0, 0, 8, 8))); err != nil {
		t.Fatal(err)
	}
	o := ValleyOptions{Job: time.Millisecond, Complain: &said}
	o.Folder = "./my pictures"
	o.Assets = fstest.MapFS{
		"good.png": {Data: good.Bytes()}, "bad.png": {Data: good.Bytes()[:30]}, "worse.jpg": {},
	}
	frames(t, load.Idle, o, 3, func(v *Valley) {
		if v.world.Assets.Loaded != 0 || said.Len() > 0 {
			t.Errorf("the idle mode has loaded %d images", v.world.Assets.Loaded)
		}
	})
	got := said.String()
	folder := "demo: " + o.Folder + string(filepath.Separator)
	for name, want := range map[string]int{
		folder + "bad.png: ": 1, folder + "worse.jpg: ": 1, "good.png": 0, "placeholder": 2,
	} {
		if n := strings.Count(got, name); n != want {
			t.Errorf("%s stands there %d times, want %d:\n%s", name, n, want, got)
		}
	}
}

func TestHeraldTellsEachNameOnceAndCallsNothingElseAPlaceholder(t *testing.T) {
	var h Herald
	w := sim.New(sim.Options{
		Boids: -1, Agents: -1, NoAssets: true, SavePath: filepath.Join(t.TempDir(), "no", "folder"),
		Assets: fstest.MapFS{"bad.png": {}},
	})
	for range 2 {
		w.Step(time.Millisecond, sim.Inline{}) // asks for the folder in its first tick
		w.Save(sim.Inline{})
	}
	news := h.News(w)
	if len(news) != 2 || h.News(w) != nil {
		t.Fatalf("%+v", news)
	}
	for _, n := range news {
		is := strings.Contains(n.Line, "bad.png")
		if strings.Contains(n.Line, "placeholder") != is || strings.Contains(n.Short, "placeholder") != is {
			t.Errorf("%+v", n)
		}
	}
	w.Save(sim.Inline{})
	if again := h.News(w); len(again) != 0 {
		t.Errorf("told again: %+v", again)
	}
}

func TestSceneRunsInTheHarness(t *testing.T) {
	v, err := NewValley(ValleyOptions{Load: 0.2, Job: time.Millisecond,
		Complain: t.Output()})
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

func TestOfferCountsWhatALongFrameOwes(t *testing.T) {
	o := &Offer{job: 10 * time.Millisecond, CPUs: 2}
	var p Probe // keeps all
	o.Frame(2, 1, &p)
	if want := int64(2 * o.Rate(1)); o.Due != want || o.Due != o.Dropped+int64(len(p.kept)) {
		t.Errorf("%d offered after a frame of 2 s, want %d; %d dropped, %d kept",
			o.Due, want, o.Dropped, len(p.kept))
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
