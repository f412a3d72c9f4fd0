package sim

import (
	"bytes"
	"image"
	"sync"
	"testing"
	"time"
)

func TestSynthIsAPureFunction(t *testing.T) {
	want := Synth(9, 14, 15, 40)
	dirty := Synth(1, 3, 3, 300)
	SynthInto(dirty, 9, 14, 15, 40)
	if !bytes.Equal(dirty.Image.Pix, want.Image.Pix) {
		t.Error("the picture depends on what the chunk was used for before")
	}
	if other := Synth(10, 14, 15, 40); bytes.Equal(other.Image.Pix, want.Image.Pix) {
		t.Error("two seeds make the same picture")
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if got := Synth(9, 14, 15, 40); !bytes.Equal(got.Image.Pix, want.Image.Pix) {
				t.Error("goroutines disturb each other")
			}
		})
	}
	wg.Wait()
}

func TestSynthTakesSamplesInProportionToDetail(t *testing.T) {
	c := NewChunk()
	for _, detail := range []int{1, 7, 16, 100, 255, 256, 257, 300, 511, 512, 1000} {
		samples := 0
		synth(c, 1, 16, 16, detail, func(n int) { samples += n })
		want := detail * samplesPerDetail
		// The lattice is a whole number of rows: one row may be missing on either side.
		if slack := want/8 + ChunkSize; samples < want-slack || samples > want {
			t.Errorf("detail %d: %d samples, want about %d", detail, samples, want)
		}
	}
}

func TestSynthClampsDetail(t *testing.T) {
	if got := Synth(1, 16, 16, -5).Detail; got != 1 {
		t.Errorf("detail -5 became %d, want 1", got)
	}
	if got := Synth(1, 16, 16, 0).Image.Opaque(); !got {
		t.Error("the coarsest picture has holes")
	}
}

// meanDifference returns the mean difference of the colours of two rectangles of equal size.
func meanDifference(a *image.RGBA, ra image.Rectangle, b *image.RGBA, rb image.Rectangle) float64 {
	sum := 0
	for y := range ra.Dy() {
		for x := range ra.Dx() {
			i, j := a.PixOffset(ra.Min.X+x, ra.Min.Y+y), b.PixOffset(rb.Min.X+x, rb.Min.Y+y)
			for k := range 3 {
				d := int(a.Pix[i+k]) - int(b.Pix[j+k])
				sum += max(d, -d)
			}
		}
	}
	return float64(sum) / float64(3*ra.Dx()*ra.Dy())
}

func TestChunksMeetWithoutASeam(t *testing.T) {
	for cx := 10; cx < 20; cx++ {
		a, b := Synth(4, cx, 16, DefaultDetail), Synth(4, cx+1, 16, DefaultDetail)
		column := func(x int) image.Rectangle { return image.Rect(x, 0, x+1, ChunkSize) }
		inside := meanDifference(a.Image, column(ChunkSize-2), a.Image, column(ChunkSize-1))
		across := meanDifference(a.Image, column(ChunkSize-1), b.Image, column(0))
		if across > 2*inside+3 {
			t.Errorf("chunk %d: neighbours differ by %.1f across the edge, by %.1f beside it", cx, across, inside)
		}
	}
}

func TestEachDetailShowsTheSameLand(t *testing.T) {
	want := Synth(4, 15, 15, DefaultDetail)
	last := 255.0
	for _, detail := range []int{2, CoarseDetail, 100} {
		got := meanDifference(Synth(4, 15, 15, detail).Image, want.Image.Rect, want.Image, want.Image.Rect)
		if got > 14 || got > last+0.5 {
			t.Errorf("detail %d differs by %.1f from the fine picture, after %.1f", detail, got, last)
		}
		last = got
	}
	super := Synth(4, 15, 15, 700).Image
	if got := meanDifference(super, super.Rect, want.Image, want.Image.Rect); got > 3 {
		t.Errorf("supersampled, the picture differs by %.1f", got)
	}
}

func TestFitDetailFindsTheCost(t *testing.T) {
	const fixed, per = 180 * time.Microsecond, 9 * time.Microsecond
	straight := func(d int) time.Duration { return fixed + time.Duration(d)*per }
	curved := func(d int) time.Duration { return straight(d) + time.Duration(d*d/400)*per }
	for _, target := range []time.Duration{500 * time.Microsecond, 2 * time.Millisecond, 20 * time.Millisecond} {
		for name, cost := range map[string]func(int) time.Duration{"straight": straight, "curved": curved} {
			d := fitDetail(target, cost)
			if got := cost(d); name == "straight" && (got < target-per || got > target+per) ||
				got < target/2 || got > target*2 {
				t.Errorf("%s, %v: detail %d costs %v", name, target, d, got)
			}
		}
	}
	if got := fitDetail(time.Microsecond, straight); got != 1 {
		t.Errorf("a target below the fixed cost gave %d, want 1", got)
	}
	backwards := func(d int) time.Duration { return time.Duration(-d) }
	if got := fitDetail(time.Millisecond, backwards); got != DefaultDetail {
		t.Errorf("a clock that ran backwards gave %d, want the default", got)
	}
	if got := fitDetail(time.Hour, straight); got != MaxDetail {
		t.Errorf("an hour gave %d, want the maximum", got)
	}
}

func TestCalibrateGivesAUsableDetail(t *testing.T) {
	if d := Calibrate(time.Millisecond); d < 1 || d > 4096 {
		t.Errorf("1 ms is detail %d", d)
	}
}
