//go:build !headless && !js

package main

import (
	"io"
	"os"
	"path/filepath"

	"github.com/frameslice/frameslice/demo/sim"
	"github.com/frameslice/frameslice/frame/record"
)

// saves is where the autosave goes: a folder that lasts as long as the game.
type saves struct{ dir string }

func newSaves() (*saves, error) {
	dir, err := os.MkdirTemp("", "frameslice-*")
	return &saves{dir}, err
}

func (s *saves) into(o *sim.Options) { o.SaveTo = sim.ToFile(filepath.Join(s.dir, "world.save")) }

// reloads says whether the pictures are loaded again and again.
const reloads = true

// publish is for a browser's page: see files_js.go.
func (*game) publish() {}

// remove deletes the folder. No save may be under way.
func (s *saves) remove() error { return os.RemoveAll(s.dir) }

// keepFile leaves a file of that name with what write writes.
func keepFile(name string, write func(io.Writer) error) error { return record.WriteFile(name, write) }
