package sim

import (
	"errors"
	"io/fs"
	"testing"
	"testing/fstest"
)

// Opening a pipe that nobody writes to does not return.
type noOpen struct{ fstest.MapFS }

func (f noOpen) Open(name string) (fs.File, error) {
	if name == "pipe.png" {
		panic("a pipe was opened")
	}
	return f.MapFS.Open(name)
}

func TestAPipeIsAPlaceholderAndIsNotOpened(t *testing.T) {
	w := sprites(Options{NoAssets: true})
	folder := noOpen{fstest.MapFS{"pipe.png": {Mode: fs.ModeNamedPipe}, "good.png": {Data: pngOf(t, 4, 4)}}}
	if err := w.LoadDir(folder, Inline{}); err != nil {
		t.Fatal(err)
	}
	s, _ := w.Atlas.Sprite("dir/pipe.png")
	if list := w.Problems.List(); !s.Placeholder || len(list) != 1 || !errors.Is(list[0], errNoFile) {
		t.Errorf("%+v, problems %v", s, list)
	}
}
