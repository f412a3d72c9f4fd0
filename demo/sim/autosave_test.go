package sim

import (
	"bytes"
	"errors"
	"math"
	"os"
	"path/filepath"
	"testing"
)

func TestASaveComesBackAsTheSameWorld(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "valley.save")
	o := Options{Seed: 3, Boids: 700, Agents: 25, NoAssets: true, Detail: 1, SavePath: file, SaveTicks: 50}
	w := world(o)
	for range 150 {
		w.Step(tick, Inline{})
	}
	if w.Saves.Done != 3 || w.Saves.Failed != 0 || w.Saves.Bytes == 0 {
		t.Fatalf("%+v, problems %v", w.Saves, w.Problems.List())
	}
	got, err := Load(file, Options{NoAssets: true, Detail: 1, SaveTicks: -1})
	if err != nil {
		t.Fatal(err)
	}
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
	w := world(Options{Seed: 3, Boids: 300, Agents: 9, NoAssets: true, Detail: 1, SavePath: file, SaveTicks: -1})
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
	got, err := Load(file, Options{NoAssets: true})
	if err != nil {
		t.Fatal(err)
	}
	if got.Tick != saved || got.Crowd.X[17] != want {
		t.Errorf("tick %d, x %v, want tick %d, x %v", got.Tick, got.Crowd.X[17], saved, want)
	}
}

func TestAFailedSaveIsAProblemAndLeavesTheOldFile(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "no", "such", "folder", "valley.save")
	w := world(Options{Seed: 3, Boids: 60, NoAssets: true, Detail: 1, SavePath: missing, SaveTicks: -1})
	w.Save(Inline{})
	if list := w.Problems.List(); w.Saves.Failed != 1 || len(list) != 1 || list[0].Name != missing ||
		!errors.Is(list[0], os.ErrNotExist) {
		t.Errorf("%+v, problems %v", w.Saves, list)
	}
	none := world(Options{Seed: 3, Boids: 60, NoAssets: true, Detail: 1})
	none.Save(Inline{})
	if none.Saves.Started != 0 {
		t.Error("saved without a path")
	}
	dir := t.TempDir()
	blocked := filepath.Join(dir, "folder")
	if err := os.MkdirAll(filepath.Join(blocked, "full"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := replaceFile(blocked, []byte("x")); err == nil {
		t.Error("a folder was replaced by a file")
	}
	if list, _ := os.ReadDir(dir); len(list) != 1 {
		t.Errorf("a temporary file was left behind: %v", list)
	}
}

// saved returns a save as bytes, after a change to the snapshot.
func saved(t testing.TB, change func(s *Snapshot)) []byte {
	t.Helper()
	var s Snapshot
	world(Options{Seed: 3, Boids: 50, Agents: 5, NoAssets: true}).snapshot(&s)
	if change != nil {
		change(&s)
	}
	var b bytes.Buffer
	if err := encodeSnapshot(&b, &s); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestReadSnapshotRefusesWhatItCannotTrust(t *testing.T) {
	good := saved(t, nil)
	if s, err := ReadSnapshot(bytes.NewReader(good)); err != nil || len(s.X) != 50 || len(s.Agents) != 5 {
		t.Fatalf("a good save: %v", err)
	}
	bad := map[string][]byte{
		"empty":     nil,
		"text":      []byte("not a save"),
		"truncated": good[:len(good)-9],
		"version":   saved(t, func(s *Snapshot) { s.Version = 99 }),
		"lengths":   saved(t, func(s *Snapshot) { s.Y = s.Y[1:] }),
		"NaN":       saved(t, func(s *Snapshot) { s.X[3] = float32(math.NaN()) }),
		"outside":   saved(t, func(s *Snapshot) { s.Y[3] = WorldSize }),
		"speed":     saved(t, func(s *Snapshot) { s.VX[3] = float32(math.Inf(1)) }),
		"kind":      saved(t, func(s *Snapshot) { s.Kind[3] = 9 }),
		"predator":  saved(t, func(s *Snapshot) { s.Predators[0].Prey = 200 }),
		"predators": saved(t, func(s *Snapshot) { s.Predators = make([]SavedPredator, 40) }),
		"agent":     saved(t, func(s *Snapshot) { s.Agents[0].X = -1 }),
		"path":      saved(t, func(s *Snapshot) { s.Agents[1].Ahead = []int32{-4} }),
	}
	for i := range 8 {
		flipped := bytes.Clone(good)
		flipped[(i*2+3)*len(good)/20] ^= 0x10
		bad["flipped "+itoa(i)] = flipped
	}
	for name, data := range bad {
		if _, err := ReadSnapshot(bytes.NewReader(data)); !errors.Is(err, ErrSave) {
			t.Errorf("%s: error %v, want ErrSave", name, err)
		}
	}
	if _, err := Load(filepath.Join(t.TempDir(), "none"), Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
}

func FuzzReadSnapshot(f *testing.F) {
	f.Add(saved(f, nil))
	f.Add([]byte("\x1f\x8b"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := ReadSnapshot(bytes.NewReader(data))
		if err == nil && s.check() != nil {
			t.Error("accepted what it cannot use")
		}
	})
}

func TestAutosaveToAFunction(t *testing.T) {
	var data []byte
	w := world(Options{
		Seed: 3, Boids: 60, NoAssets: true, Detail: 1, SaveTicks: -1,
		SaveTo: func(d []byte) error { data = bytes.Clone(d); return nil },
	})
	w.Save(Inline{})
	s, err := ReadSnapshot(bytes.NewReader(data))
	if err != nil || len(s.X) != 60 || w.Saves.Done != 1 {
		t.Errorf("%v; %d saves", err, w.Saves.Done)
	}
}
