package sim

import (
	"bytes"
	"slices"
	"testing"

	"github.com/frameslice/frameslice/internal/testkit"
)

func TestAPathIsSearchedWithPauses(t *testing.T) {
	w := world(Options{Seed: 3, Boids: -1, NoAssets: true, Detail: 1})
	sites := w.Map.Sites
	start, goal := sites[0].Tile, sites[len(sites)-1].Tile
	want, result := w.Map.FindPath(nil, start, goal)
	pauses := 0
	got, paused := w.Map.findPath(nil, start, goal, nil, 0, func() { pauses++ })
	if !slices.Equal(got, want) || paused != result {
		t.Errorf("%d tiles (%v) with pauses, %d (%v) without", len(got), paused, len(want), result)
	}
	if pauses == 0 {
		t.Errorf("no pause on %d tiles", len(got))
	}
}

func TestAPictureIsDecodedWithPauses(t *testing.T) {
	data := pngOf(t, 512, 512)
	pauses := 0
	p, err := decode(data, 64, func() { pauses++ })
	if err != nil || p == nil {
		t.Fatal(err)
	}
	if min := len(data) / 8192; pauses <= min {
		t.Errorf("%d pauses in %d bytes", pauses, len(data))
	}
}

// A job that is dropped in its middle is unwound by a panic of pause, which is no fault of the picture.
func TestAPictureThatIsDroppedIsNoBrokenOne(t *testing.T) {
	testkit.Panics(t, "dropped", func() {
		_, err := decode(pngOf(t, 512, 512), 64, func() { panic("dropped") })
		t.Errorf("decode returned %v", err)
	})
}

func TestAChunkIsPaintedWithPauses(t *testing.T) {
	const detail = 256
	want, got, pauses := NewChunk(), NewChunk(), 0
	SynthInto(want, 7, 3, 5, detail)
	SynthPatiently(got, 7, 3, 5, detail, func() { pauses++ })
	if !bytes.Equal(got.Image.Pix, want.Image.Pix) {
		t.Error("another picture with pauses")
	}
	if pauses < 16 { // of 4 ms, so that none is longer than a quarter
		t.Errorf("%d pauses", pauses)
	}
}
