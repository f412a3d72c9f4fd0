package sim

import (
	"bytes"
	"compress/gzip"
	"encoding/gob"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// load makes the World of a save file. Of o, the seed and the numbers of boids and agents come from the file.
func load(t *testing.T, file string, o Options) *World {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return restore(t, data, o)
}

func restore(t *testing.T, data []byte, o Options) *World {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	var s snapshot
	if err := gob.NewDecoder(z).Decode(&s); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, z); err != nil { // to the end, where the checksum is
		t.Fatal(err)
	}
	count := func(n int) int {
		if n == 0 {
			return -1 // in Options, zero means the default
		}
		return n
	}
	o.Seed, o.Boids, o.Agents = s.Seed, count(len(s.X)), count(len(s.Agents))
	w := world(o)
	w.Tick, w.Camera.X, w.Camera.Y = s.Tick, s.CameraX, s.CameraY
	w.Camera.clamp(w.opts.MinZoom)
	c := w.Crowd
	copy(c.X, s.X)
	copy(c.Y, s.Y)
	copy(c.VX, s.VX)
	copy(c.VY, s.VY)
	for i, k := range s.Kind {
		c.Kind[i] = Species(k)
	}
	w.Predators = w.Predators[:0]
	for _, p := range s.Predators {
		w.Predators = append(w.Predators, Predator{p.X, p.Y, p.VX, p.VY, Species(p.Prey), p.Rest})
	}
	for i := range w.Agents {
		a, b := &w.Agents[i], s.Agents[i]
		a.X, a.Y, a.VX, a.VY, a.Goal = b.X, b.Y, b.VX, b.VY, b.Goal
		a.Path, a.Next = append([]int32(nil), b.Ahead...), 0
	}
	return w
}

func TestASaveComesBackAsTheSameWorld(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "valley.save")
	o := Options{Seed: 3, Boids: 700, Agents: 25, NoAssets: true, Detail: 1, SaveTo: ToFile(file)}
	w := world(o)
	for range 150 {
		w.Step(tick, Inline{})
		if w.Tick%50 == 0 {
			w.Save(Inline{})
		}
	}
	if w.Saves.Done != 3 || w.Saves.Failed != 0 || w.Saves.Bytes == 0 {
		t.Fatalf("%+v, problems %v", w.Saves, w.Problems)
	}
	got := load(t, file, Options{NoAssets: true, Detail: 1})
	// Generations count requests of one run, and are not saved.
	for i := range got.Agents {
		got.Paths.gen[i].Store(w.Paths.gen[i].Load())
	}
	for range 120 {
		if a, b := w.HashAll(), got.HashAll(); a != b {
			t.Fatalf("tick %d: hash %x, after loading %x", w.Tick, a, b)
		}
		w.Step(tick, Inline{})
		got.Step(tick, Inline{})
	}
	list, err := os.ReadDir(dir)
	if err != nil || len(list) != 1 {
		t.Errorf("the folder holds %v, want one file; %v", list, err)
	}
}

func TestASaveIsOfTheTickThatAskedForIt(t *testing.T) {
	file := filepath.Join(t.TempDir(), "valley.save")
	w := world(Options{Seed: 3, Boids: 300, Agents: 9, NoAssets: true, Detail: 1, SaveTo: ToFile(file)})
	r := &later{}
	w.Step(tick, r)
	r.settle()
	w.Save(r)
	want := w.Crowd.X[17]
	saved := w.Tick
	for range 30 {
		w.Step(tick, &later{})
		w.Save(r)
	}
	if w.Saves.Started != 1 || w.Saves.Skipped != 30 {
		t.Errorf("%+v, want 1 started and 30 skipped", w.Saves)
	}
	r.settle()
	got := load(t, file, Options{NoAssets: true})
	if got.Tick != saved || got.Crowd.X[17] != want {
		t.Errorf("tick %d, x %v, want tick %d, x %v", got.Tick, got.Crowd.X[17], saved, want)
	}
}

func TestAFailedSaveIsAProblemAndLeavesTheOldFile(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "no", "such", "folder", "valley.save")
	w := world(Options{Seed: 3, Boids: 60, NoAssets: true, Detail: 1, SaveTo: ToFile(missing)})
	w.Save(Inline{})
	w.Save(Inline{})
	if list := w.Problems; w.Saves.Failed != 2 || len(list) != 1 || list[0].Name != "autosave" ||
		!errors.Is(list[0].Err, os.ErrNotExist) {
		t.Errorf("%+v, problems %v", w.Saves, list)
	}
	none := world(Options{Seed: 3, Boids: 60, NoAssets: true, Detail: 1})
	none.Save(Inline{})
	if none.Saves.Started != 0 {
		t.Error("saved to nowhere")
	}
	dir := t.TempDir()
	blocked := filepath.Join(dir, "folder")
	if err := os.MkdirAll(filepath.Join(blocked, "full"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := ToFile(blocked)([]byte("x")); err == nil {
		t.Error("a folder was replaced by a file")
	}
	if list, _ := os.ReadDir(dir); len(list) != 1 {
		t.Errorf("a temporary file was left behind: %v", list)
	}
}
