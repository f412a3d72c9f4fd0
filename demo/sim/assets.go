package sim

import (
	"github.com/hajimehoshi/ebiten/v2/examples/resources/images"
	"github.com/hajimehoshi/ebiten/v2/examples/resources/images/flappy"
	"github.com/hajimehoshi/ebiten/v2/examples/resources/images/mascot"
	"github.com/hajimehoshi/ebiten/v2/examples/resources/images/platformer"
	"github.com/hajimehoshi/ebiten/v2/examples/resources/images/shader"

	"github.com/frameslice/frameslice/deadline"
)

// asset is a picture or a line of text. It can be loaded again and again.
type asset struct {
	name string
	data []byte // of a picture: the PNG or JPEG file
	fit  int    // of a picture: the largest side in the atlas, in pixels
	text string // of a line of text
	busy bool   // a job is under way; frame goroutine only
}

// pictures lists the pictures of the game: those of the walkers, then those of the posters. The imported packages hold
// nothing but bytes. A test checks that no part of the engine is linked, because the engine needs a display.
func pictures() []asset {
	return []asset{
		{name: "gopher-front", data: platformer.MainChar_png, fit: 128},
		{name: "gopher-left", data: platformer.Left_png, fit: 128},
		{name: "gopher-right", data: platformer.Right_png, fit: 128},
		{name: "mascot-1", data: mascot.Out01_png, fit: 96},
		{name: "mascot-3", data: mascot.Out03_png, fit: 96},
		{name: "gopher-flappy", data: flappy.Gopher_png, fit: 75},
		{name: "ebiten", data: images.Ebiten_png, fit: 57},
		{name: "photo-gophers", data: images.Gophers_jpg, fit: 192},
		{name: "photo-birthday", data: images.FiveYears_jpg, fit: 256},
		{name: "shader-gopher", data: shader.Gopher_png, fit: 256},
		{name: "backdrop", data: platformer.Background_png, fit: 480},
	}
}

// Assets says how the loading goes.
type Assets struct {
	Known    int    // assets that exist
	InFlight int    // jobs submitted and not committed
	Loaded   uint64 // jobs committed

	w    *World
	all  []*asset
	face *typeface
}

func newAssets(w *World) Assets {
	a := Assets{w: w, face: newTypeface()}
	if w.opts.NoAssets {
		return a
	}
	for _, s := range pictures() {
		a.add(s)
	}
	for _, s := range w.Map.Sites {
		a.add(asset{name: "site:" + s.Name, text: s.Name})
	}
	return a
}

func (a *Assets) add(s asset) {
	for _, known := range a.all {
		if known.name == s.name {
			return // two villages of one name share their label
		}
	}
	a.all = append(a.all, &s)
	a.Known++
}

// Reload asks for every asset again: a burst of jobs. It leaves out the assets that are being loaded.
func (w *World) Reload(r Runner) {
	for _, s := range w.Assets.all {
		if s.busy {
			continue
		}
		s.busy = true
		w.Assets.InFlight++
		kind, prio := KindDecode, deadline.Normal
		if s.text != "" {
			kind, prio = KindText, deadline.Low
		}
		r.Submit(kind, prio, &assetJob{w: w, asset: s})
	}
}

// assetJob loads one asset.
type assetJob struct {
	w     *World
	asset *asset
	pic   *picture
	err   error
}

func (j *assetJob) Run() { j.RunPatiently(nil) }

// RunPatiently is Run that calls pause whenever the decoder wants more of the file. The scaling is in one piece.
func (j *assetJob) RunPatiently(pause func()) {
	if s := j.asset; s.text != "" {
		j.pic, j.err = j.w.Assets.face.draw(s.text)
	} else {
		j.pic, j.err = decode(s.data, s.fit, pause)
	}
}

// Commit finds a place in the atlas and queues the pixels: some microseconds.
func (j *assetJob) Commit() {
	a := &j.w.Assets
	a.InFlight--
	a.Loaded++
	j.asset.busy = false
	if j.err == nil {
		j.err = j.w.Atlas.put(j.asset.name, j.pic)
	}
	if j.err != nil {
		j.w.problem(j.asset.name, j.err)
	}
}
