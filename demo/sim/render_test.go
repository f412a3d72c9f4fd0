package sim

import (
	"bytes"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"testing"
)

func TestRenderIsOpaqueAndDeterministicAtEveryZoom(t *testing.T) {
	w := world(Options{Seed: 3, Boids: 1200, Agents: 40, View: image.Pt(320, 200), Detail: 8, AssetTicks: -1})
	blank := image.NewRGBA(image.Rectangle{Max: w.Camera.View})
	Render(blank, w) // before the first Step: only the overview is there
	if !blank.Opaque() {
		t.Error("holes where no chunk is resident")
	}
	for range 30 {
		w.Step(tick, Inline{})
	}
	for _, zoom := range []float32{0.75, 1, 1.37, 3, 8} {
		w.Camera.Zoom = zoom
		w.Camera.clamp(w.opts.MinZoom)
		a, b := image.NewRGBA(blank.Rect), image.NewRGBA(blank.Rect)
		Render(a, w)
		Render(b, w)
		if !a.Opaque() || !bytes.Equal(a.Pix, b.Pix) {
			t.Errorf("zoom %v: opaque %t, equal %t", zoom, a.Opaque(), bytes.Equal(a.Pix, b.Pix))
		}
		colours := map[[3]byte]bool{}
		for i := 0; i < len(a.Pix); i += 4 {
			colours[[3]byte(a.Pix[i:i+3])] = true
		}
		if want := int(1000 / (zoom * zoom * zoom)); len(colours) < want {
			t.Errorf("zoom %v: only %d colours, want %d", zoom, len(colours), want)
		}
	}
}

// With go test -artifacts -run Picture this leaves valley.png in the folder that it logs, to be looked at.
func TestRenderMakesAPictureToLookAt(t *testing.T) {
	if raceEnabled {
		t.Skip("one goroutine, and five times slower")
	}
	ticks := 400
	if testing.Short() {
		ticks = 20
	}
	w := New(Options{Seed: 1})
	for range ticks {
		w.Step(tick, Inline{})
		drain(w)
	}
	img := image.NewRGBA(image.Rectangle{Max: w.Camera.View})
	Render(img, w)
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	if b.Len() < 300<<10 {
		t.Errorf("the picture is %d bytes long: rather plain", b.Len())
	}
	file := filepath.Join(t.ArtifactDir(), "valley.png")
	if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Log(file)
}

func TestRenderShowsEachInhabitant(t *testing.T) {
	w := world(Options{Seed: 3, Boids: -1, Agents: -1, View: image.Pt(120, 120), NoAssets: true, Detail: 1})
	w.Predators = nil
	empty := image.NewRGBA(image.Rectangle{Max: w.Camera.View})
	Render(empty, w)
	differs := func(name string, put, remove func()) {
		put()
		got := image.NewRGBA(empty.Rect)
		Render(got, w)
		if bytes.Equal(got.Pix, empty.Pix) {
			t.Errorf("%s is not in the picture", name)
		}
		remove()
	}
	x, y := w.Camera.X, w.Camera.Y
	for _, kind := range []Species{Bird, Sheep, Fish} {
		differs(kind.String(), func() {
			w.Crowd.resize(1)
			w.Crowd.X[0], w.Crowd.Y[0], w.Crowd.Kind[0] = x, y, kind
		}, func() { w.Crowd.resize(0) })
		differs("hunter of "+kind.String(), func() {
			w.Predators = []Predator{{X: x, Y: y, VX: 3, Prey: kind}}
		}, func() { w.Predators = nil })
	}
	differs("walker", func() { w.Agents = []Agent{{X: x, Y: y}} }, func() { w.Agents = nil })
	differs("path", func() {
		tile := w.Map.Tile(x, y)
		w.Agents = []Agent{{X: 1, Y: 1, Path: []int32{tile - 1, tile, tile + 1}}}
	}, func() { w.Agents = nil })
}

func TestCloudsStayInTheirRange(t *testing.T) {
	lo, hi := float32(2), float32(0)
	for i := range 4000 {
		k := Cloud(float32(i%64)*64, float32(i/64)*64, uint64(i)*997)
		lo, hi = min(lo, k), max(hi, k)
	}
	if lo < 0.77 || lo > 0.9 || hi != 1 {
		t.Errorf("light from %v to %v, want 0.78 to 1", lo, hi)
	}
}
