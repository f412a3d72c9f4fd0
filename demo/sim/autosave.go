package sim

import (
	"bytes"
	"compress/gzip"
	"encoding/gob"
	"fmt"
	"io"
	"slices"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame/record"
)

// Saves says how the autosave goes.
type Saves struct {
	Started, Done, Failed uint64
	Skipped               uint64 // the one before was still being written
	Bytes                 int    // size of the last save

	job *saveJob
}

// snapshot is the state of a World as a file holds it: gob, compressed with gzip, whose checksum guards it. It leaves
// out what the seed can make again.
type snapshot struct {
	Seed, Tick   uint64
	CameraX      float32
	CameraY      float32
	X, Y, VX, VY []float32
	Kind         []uint8
	Predators    []savedPredator
	Agents       []savedAgent
}

type savedPredator struct {
	X, Y, VX, VY, Rest float32
	Prey               uint8
}

type savedAgent struct {
	X, Y, VX, VY float32
	Goal         int32
	Ahead        []int32 // the tiles still to be walked
}

// take copies the world into s, reusing its memory: about 30 µs. This is all that the frame pays for a save.
func (s *snapshot) take(w *World) {
	c := w.Crowd
	s.Seed, s.Tick = w.opts.Seed, w.Tick
	s.CameraX, s.CameraY = w.Camera.X, w.Camera.Y
	s.X, s.Y = append(s.X[:0], c.X...), append(s.Y[:0], c.Y...)
	s.VX, s.VY = append(s.VX[:0], c.VX...), append(s.VY[:0], c.VY...)
	s.Kind = s.Kind[:0]
	for _, k := range c.Kind {
		s.Kind = append(s.Kind, uint8(k))
	}
	s.Predators = s.Predators[:0]
	for _, p := range w.Predators {
		s.Predators = append(s.Predators, savedPredator{p.X, p.Y, p.VX, p.VY, p.rest, uint8(p.Prey)})
	}
	if len(s.Agents) != len(w.Agents) {
		s.Agents = make([]savedAgent, len(w.Agents))
	}
	for i := range w.Agents {
		a, b := &w.Agents[i], &s.Agents[i]
		b.X, b.Y, b.VX, b.VY, b.Goal = a.X, a.Y, a.VX, a.VY, a.Goal
		b.Ahead = append(b.Ahead[:0], a.Path[a.Next:]...)
	}
}

// Save submits a save to Options.SaveTo, unless one is under way. Without SaveTo it does nothing.
func (w *World) Save(r Runner) {
	if w.opts.SaveTo == nil {
		return
	}
	v := &w.Saves
	if v.job == nil {
		v.job = &saveJob{w: w}
	}
	if v.job.busy {
		v.Skipped++
		return
	}
	v.job.busy = true
	v.Started++
	v.job.snap.take(w)
	r.Submit(KindSave, deadline.Low, v.job)
}

type saveJob struct {
	w    *World
	snap snapshot
	buf  bytes.Buffer
	busy bool
	err  error
}

func (j *saveJob) Run() { j.RunPatiently(nil) }

// RunPatiently is Run that calls pause after each 4 KB that are compressed.
func (j *saveJob) RunPatiently(pause func()) {
	j.buf.Reset()
	if j.err = j.snap.encode(&j.buf, pause); j.err == nil {
		j.err = j.w.opts.SaveTo(j.buf.Bytes())
	}
}

func (j *saveJob) Commit() {
	v := &j.w.Saves
	j.busy = false
	if j.err != nil {
		v.Failed++
		j.w.problem("autosave", j.err)
		return
	}
	v.Done++
	v.Bytes = j.buf.Len()
}

// A pausingWriter writes 4 KB at a time, and calls pause, if it is not nil, after each.
type pausingWriter struct {
	to    io.Writer
	pause func()
}

func (p pausingWriter) Write(data []byte) (n int, err error) {
	if p.pause == nil {
		return p.to.Write(data)
	}
	for part := range slices.Chunk(data, 4096) {
		k, err := p.to.Write(part)
		if n += k; err != nil {
			return n, err
		}
		p.pause()
	}
	return n, nil
}

func (s *snapshot) encode(to io.Writer, pause func()) error {
	z := gzip.NewWriter(to)
	if err := gob.NewEncoder(pausingWriter{z, pause}).Encode(s); err != nil {
		return fmt.Errorf("sim: save: %w", err)
	}
	return z.Close()
}

// ToFile returns an Options.SaveTo that puts each save in the place of the file, whole or not at all.
func ToFile(path string) func(data []byte) error {
	return func(data []byte) error {
		return record.WriteFile(path, func(to io.Writer) error {
			_, err := to.Write(data)
			return err
		})
	}
}
