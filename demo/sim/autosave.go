package sim

import (
	"bytes"
	"compress/gzip"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// Saves says how the autosave goes. Off unless Options.SavePath is set, or Options.SaveTo.
type Saves struct {
	Started, Done, Failed uint64
	Skipped               uint64        // the one before was still being written
	Bytes                 int           // size of the last save
	Cost                  time.Duration // of the last one, on the goroutine that encoded and wrote it

	job *saveJob
}

// Snapshot is the state of a World as a file holds it: gob, compressed with gzip, whose checksum guards it.
// What can be had from the seed again is left out.
type Snapshot struct {
	Version      int
	Seed, Tick   uint64
	CameraX      float32
	CameraY      float32
	X, Y, VX, VY []float32
	Kind         []uint8
	Predators    []SavedPredator
	Agents       []SavedAgent
}

// SavedPredator is a Predator in a Snapshot.
type SavedPredator struct {
	X, Y, VX, VY, Rest float32
	Prey               uint8
}

// SavedAgent is an Agent in a Snapshot.
type SavedAgent struct {
	X, Y, VX, VY float32
	Goal         int32
	Ahead        []int32 // the tiles still to be walked
}

const snapshotVersion = 1

// ErrSave is wrapped by every error about the contents of a save file.
var ErrSave = errors.New("sim: not a usable save")

// snapshot copies the world into s, reusing its memory: about 30 µs. This is all that the frame pays for a
// save.
func (w *World) snapshot(s *Snapshot) {
	c := w.Crowd
	s.Version, s.Seed, s.Tick = snapshotVersion, w.opts.Seed, w.Tick
	s.CameraX, s.CameraY = w.Camera.X, w.Camera.Y
	s.X, s.Y = append(s.X[:0], c.X...), append(s.Y[:0], c.Y...)
	s.VX, s.VY = append(s.VX[:0], c.VX...), append(s.VY[:0], c.VY...)
	s.Kind = s.Kind[:0]
	for _, k := range c.Kind {
		s.Kind = append(s.Kind, uint8(k))
	}
	s.Predators = s.Predators[:0]
	for _, p := range w.Predators {
		s.Predators = append(s.Predators, SavedPredator{p.X, p.Y, p.VX, p.VY, p.rest, uint8(p.Prey)})
	}
	if len(s.Agents) != len(w.Agents) {
		s.Agents = make([]SavedAgent, len(w.Agents))
	}
	for i := range w.Agents {
		a, b := &w.Agents[i], &s.Agents[i]
		b.X, b.Y, b.VX, b.VY, b.Goal = a.X, a.Y, a.VX, a.VY, a.Goal
		b.Ahead = append(b.Ahead[:0], a.Path[a.Next:]...)
	}
}

// Save submits a save to Options.SavePath or SaveTo now, unless one is under way. Without either it does nothing.
func (w *World) Save(r Runner) {
	if w.opts.SavePath == "" && w.opts.SaveTo == nil {
		return
	}
	v := &w.Saves
	if v.job == nil {
		v.job = &saveJob{w: w, path: w.opts.SavePath, to: w.opts.SaveTo}
		if v.job.to == nil {
			v.job.to = func(data []byte) error { return replaceFile(v.job.path, data) }
		}
	}
	if v.job.busy {
		v.Skipped++
		return
	}
	v.job.busy = true
	v.Started++
	w.snapshot(&v.job.snap)
	r.Submit(KindSave, deadline.Low, v.job)
}

type saveJob struct {
	w    *World
	path string
	to   func(data []byte) error
	snap Snapshot
	buf  bytes.Buffer
	busy bool
	cost time.Duration
	err  error
}

func (j *saveJob) Run() {
	begin := time.Now()
	j.buf.Reset()
	if j.err = encodeSnapshot(&j.buf, &j.snap); j.err == nil {
		j.err = j.to(j.buf.Bytes())
	}
	j.cost = time.Since(begin)
}

func (j *saveJob) Commit() {
	v := &j.w.Saves
	j.busy = false
	v.Cost = j.cost
	if j.err != nil {
		v.Failed++
		j.w.Problems.add(j.path, j.err)
		return
	}
	v.Done++
	v.Bytes = j.buf.Len()
}

func encodeSnapshot(to io.Writer, s *Snapshot) error {
	z := gzip.NewWriter(to)
	if err := gob.NewEncoder(z).Encode(s); err != nil {
		return fmt.Errorf("sim: save: %w", err)
	}
	return z.Close()
}

// replaceFile writes data beside path and renames it over path, so that a reader, or a crash, finds the old
// file or the new one, never half of it.
func replaceFile(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.tmp")
	if err != nil {
		return fmt.Errorf("sim: save: %w", err)
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
		return fmt.Errorf("sim: save: %w", err)
	}
	return nil
}

const maxSaveBytes = 256 << 20 // uncompressed: a small file that unpacks to more is an attack, not a save

// ReadSnapshot reads a save and checks it: the checksum, the version, and that everything is inside the
// valley.
func ReadSnapshot(from io.Reader) (*Snapshot, error) {
	z, err := gzip.NewReader(from)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSave, err)
	}
	limited := io.LimitReader(z, maxSaveBytes)
	s := &Snapshot{}
	if err := gob.NewDecoder(limited).Decode(s); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSave, err)
	}
	if _, err := io.Copy(io.Discard, limited); err != nil { // to the end, where the checksum is
		return nil, fmt.Errorf("%w: %w", ErrSave, err)
	}
	if err := s.check(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSave, err)
	}
	return s, nil
}

func (s *Snapshot) check() error {
	n := len(s.X)
	if s.Version != snapshotVersion {
		return fmt.Errorf("version %d, want %d", s.Version, snapshotVersion)
	}
	if len(s.Y) != n || len(s.VX) != n || len(s.VY) != n || len(s.Kind) != n {
		return errors.New("the crowd's lists differ in length")
	}
	if len(s.Predators) > maxThreats-1 {
		return errors.New("too many predators")
	}
	inside := func(x, y, vx, vy float32) bool {
		const top = 1e4
		return x >= 0 && y >= 0 && x < WorldSize && y < WorldSize && abs32(vx) < top && abs32(vy) < top
	}
	for i := range n {
		if !inside(s.X[i], s.Y[i], s.VX[i], s.VY[i]) || s.Kind[i] > uint8(Fish) {
			return fmt.Errorf("animal %d is out of its mind", i)
		}
	}
	for i, p := range s.Predators {
		if !inside(p.X, p.Y, p.VX, p.VY) || p.Prey > uint8(Fish) {
			return fmt.Errorf("predator %d is out of its mind", i)
		}
	}
	const tiles = MapTiles * MapTiles
	for i, a := range s.Agents {
		ok := inside(a.X, a.Y, a.VX, a.VY) && a.Goal >= 0 && a.Goal < tiles
		for _, t := range a.Ahead {
			ok = ok && t >= 0 && t < tiles
		}
		if !ok {
			return fmt.Errorf("agent %d is out of its mind", i)
		}
	}
	return nil
}

// Load makes the World of a save file. Of o, the seed and the numbers of boids and agents come from the file.
func Load(path string, o Options) (*World, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("sim: load: %w", err)
	}
	defer f.Close()
	s, err := ReadSnapshot(f)
	if err != nil {
		return nil, fmt.Errorf("sim: load %s: %w", path, err)
	}
	return Restore(s, o), nil
}

// Restore makes the World of a Snapshot that ReadSnapshot has checked.
func Restore(s *Snapshot, o Options) *World {
	count := func(n int) int {
		if n == 0 {
			return -1 // in Options, zero means the default
		}
		return n
	}
	o.Seed, o.Boids, o.Agents = s.Seed, count(len(s.X)), count(len(s.Agents))
	w := New(o)
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
