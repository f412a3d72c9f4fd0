package sim

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"runtime"
	"strings"

	"github.com/hajimehoshi/ebiten/v2/examples/resources/images"
	"github.com/hajimehoshi/ebiten/v2/examples/resources/images/audio"
	"github.com/hajimehoshi/ebiten/v2/examples/resources/images/blend"
	"github.com/hajimehoshi/ebiten/v2/examples/resources/images/flappy"
	"github.com/hajimehoshi/ebiten/v2/examples/resources/images/keyboard"
	"github.com/hajimehoshi/ebiten/v2/examples/resources/images/mascot"
	"github.com/hajimehoshi/ebiten/v2/examples/resources/images/platformer"
	"github.com/hajimehoshi/ebiten/v2/examples/resources/images/shader"

	"github.com/frameslice/frameslice/deadline"
)

// Where the pictures come from: packages that hold nothing but bytes. Importing them links no part of the
// engine, which a test checks, because the engine needs a display to start.

// source is one asset that can be loaded, again and again.
type source struct {
	name string
	data []byte                 // an embedded file,
	read func() ([]byte, error) // or how to read one,
	text label                  // or a line of text
	fit  int                    // largest side in the atlas, in pixels
	busy bool                   // a job is under way; frame goroutine only
}

// img is a picture of the given bytes.
func img(name string, data []byte, fit int) source { return source{name: name, data: data, fit: fit} }

// shown lists the pictures that the game shows: on walkers first, then on posters.
func shown() []source {
	return []source{
		img("gopher-front", platformer.MainChar_png, 128),
		img("gopher-left", platformer.Left_png, 128),
		img("gopher-right", platformer.Right_png, 128),
		img("mascot-1", mascot.Out01_png, 96),
		img("mascot-3", mascot.Out03_png, 96),
		img("gopher-flappy", flappy.Gopher_png, 75),
		img("ebiten", images.Ebiten_png, 57),
		img("photo-gophers", images.Gophers_jpg, 192),
		img("photo-birthday", images.FiveYears_jpg, 256),
		img("shader-gopher", shader.Gopher_png, 256),
		img("backdrop", platformer.Background_png, 480),
	}
}

// builtin lists the pictures that ship with the demo. A browser must load the program, so it has only those that the
// game shows: the linker leaves out the bytes of the others.
func builtin() []source {
	if runtime.GOOS == "js" {
		return shown()
	}
	return append(shown(),
		img("mascot-2", mascot.Out02_png, 96),
		img("smoke", images.Smoke_png, 128),
		img("runner", images.Runner_png, 256),
		img("play", audio.Play_png, 48),
		img("pause", audio.Pause_png, 48),
		img("alert", audio.Alert_png, 48),
		img("ui", images.UI_png, 128),
		img("keyboard", keyboard.Keyboard_png, 256),
		img("tile", images.Tile_png, 192),
		img("tiles", images.Tiles_png, 320),
		img("blend-source", blend.Source_png, 128),
		img("blend-dest", blend.Dest_png, 128),
		img("shader-wall", shader.GopherBg_png, 320),
		img("shader-normal", shader.Normal_png, 256),
		img("shader-noise", shader.Noise_png, 256),
		img("spritesheet", images.Spritesheet_png, 400),
	)
}

// chronicle lists lines of text that the demo shows.
func chronicle() []label {
	return []label{
		{"The falcon never catches anyone.", 20, false},
		{"Sheep graze by turns; the wolf is only curious.", 20, false},
		{"Every path you see was searched while you looked.", 20, false},
		{"谷の上を、鳥の群れが川に沿って渡ってゆく。", 20, false},
		{"FRAME", 16, true}, {"SLICE", 16, true}, {"VALLEY", 16, true}, {"HITCH!", 16, true},
	}
}

// Assets says how the loading goes.
type Assets struct {
	Known    int    // assets that exist
	InFlight int    // jobs submitted and not committed
	Loaded   uint64 // jobs committed, placeholders included

	w       *World
	sources []*source
	faces   *typefaces
}

func newAssets(w *World) Assets {
	a := Assets{w: w, faces: newTypefaces()}
	if w.opts.NoAssets {
		return a
	}
	for _, s := range builtin() {
		a.add(s)
	}
	for _, l := range chronicle() {
		a.add(source{name: "text:" + l.text, text: l})
	}
	for _, s := range w.Map.Sites {
		a.add(source{name: "site:" + s.Name, text: label{text: s.Name, size: 15}})
	}
	return a
}

func (a *Assets) add(s source) {
	for _, known := range a.sources {
		if known.name == s.name {
			return // two villages of one name share their label
		}
	}
	a.sources = append(a.sources, &s)
	a.Known++
}

// Reload asks for every asset again, a burst of decode jobs, except for those that are being loaded.
func (w *World) Reload(r Runner) {
	for _, s := range w.Assets.sources {
		w.Assets.ask(s, r)
	}
}

func (a *Assets) ask(s *source, r Runner) {
	if s.busy {
		return
	}
	s.busy = true
	a.InFlight++
	kind, prio := KindDecode, deadline.Normal
	if s.text.text != "" {
		kind, prio = KindText, deadline.Low
	}
	r.Submit(kind, prio, &assetJob{w: a.w, s: s})
}

// FromFolder begins the name of every asset that LoadDir has added.
const FromFolder = "dir/"

// LoadDir adds every file of the folder fsys that ends in .png, .jpg or .jpeg, in any case, to the assets,
// under the name FromFolder + FILE, and asks for them. Subfolders are left out. An unreadable folder, or one without
// an image, is an error; an unreadable or corrupt image is not: it becomes a placeholder, and Problems names
// it. Frame goroutine only.
func (w *World) LoadDir(fsys fs.FS, r Runner) error {
	entries, err := fs.ReadDir(fsys, ".")
	if err != nil {
		return fmt.Errorf("sim: assets: %w", err)
	}
	found := 0
	for _, e := range entries {
		name := e.Name()
		if e.IsDir() || !IsImage(name) {
			continue
		}
		found++
		read := func() ([]byte, error) { return readFile(fsys, name) }
		w.Assets.add(source{name: FromFolder + name, fit: 256, read: read})
	}
	if found == 0 {
		return fmt.Errorf("sim: assets: %w", errNoImages)
	}
	for _, s := range w.Assets.sources {
		if strings.HasPrefix(s.name, FromFolder) {
			w.Assets.ask(s, r)
		}
	}
	return nil
}

// IsImage reports whether LoadDir takes a file of that name for an image.
func IsImage(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".png", ".jpg", ".jpeg":
		return true
	}
	return false
}

var (
	errNoImages  = errors.New("no .png, .jpg or .jpeg file in the folder")
	errLongAsset = errors.New("sim: file is longer than 64 MiB")
	errNoFile    = errors.New("sim: not a regular file")
)

const maxAssetBytes = 64 << 20

func readFile(fsys fs.FS, name string) ([]byte, error) {
	if info, err := fs.Stat(fsys, name); err == nil && !info.Mode().IsRegular() {
		return nil, errNoFile // a pipe would be waited for, for ever
	}
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxAssetBytes+1))
	if err == nil && len(data) > maxAssetBytes {
		err = errLongAsset
	}
	return data, err
}

// assetJob loads one asset.
type assetJob struct {
	w   *World
	s   *source
	pic *picture
	err error
}

func (j *assetJob) Run() { j.RunPatiently(nil) }

// RunPatiently is Run that calls pause whenever the decoder wants more of the file. The scaling is in one piece.
func (j *assetJob) RunPatiently(pause func()) {
	s := j.s
	switch {
	case s.text.text != "":
		j.pic, j.err = j.w.Assets.faces.draw(s.text)
	case s.read != nil:
		var data []byte
		if data, j.err = s.read(); j.err == nil {
			j.pic, j.err = decode(data, s.fit, pause)
		}
	default:
		j.pic, j.err = decode(s.data, s.fit, pause)
	}
	if j.err != nil {
		j.pic = placeholder()
	}
}

// Commit finds a place in the atlas and queues the pixels: some microseconds.
func (j *assetJob) Commit() {
	a := &j.w.Assets
	a.InFlight--
	a.Loaded++
	j.s.busy = false
	if j.err != nil {
		j.w.Problems.add(j.s.name, j.err)
	}
	if err := j.w.Atlas.put(j.s.name, j.pic, j.err != nil); err != nil {
		j.w.Problems.add(j.s.name, err)
	}
}
