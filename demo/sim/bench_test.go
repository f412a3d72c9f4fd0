package sim

import (
	"io"
	"testing"

	"github.com/hajimehoshi/ebiten/v2/examples/resources/images"
	"github.com/hajimehoshi/ebiten/v2/examples/resources/images/platformer"
)

func BenchmarkCrowdStep(b *testing.B) {
	for _, n := range []int{1000, 5000, 20000} {
		b.Run("boids="+itoa(n), func(b *testing.B) {
			w := New(Options{Seed: 1, Boids: n, Agents: -1, NoAssets: true})
			for i := range 600 { // until the flocks have formed
				w.Crowd.step(1.0/60, uint64(i), w.fears(), Inline{})
			}
			b.ReportAllocs()
			for i := uint64(600); b.Loop(); i++ {
				w.Crowd.step(1.0/60, i, w.fears(), Inline{})
			}
		})
	}
}

func itoa(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return itoa(n/10) + string(rune('0'+n%10))
}

// BenchmarkWorldStep is a whole Step without the jobs.
func BenchmarkWorldStep(b *testing.B) {
	w := New(Options{Seed: 1, NoAssets: true})
	r := &later{}
	b.ReportAllocs()
	for b.Loop() {
		w.Step(tick, r)
		b.StopTimer()
		for len(r.jobs) > 0 {
			r.jobs = r.jobs[:0] // dropped: an in-flight limit then stops the terrain
		}
		b.StartTimer()
	}
}

func BenchmarkFindPath(b *testing.B) {
	w := New(Options{Seed: 1, Boids: -1, NoAssets: true})
	m := w.Map
	pairs := map[string][2]int32{
		"next-village": {m.Sites[0].Tile, m.Sites[1].Tile},
		"six-on":       {m.Sites[20].Tile, m.Sites[26].Tile},
		"across":       {m.Sites[0].Tile, m.Sites[len(m.Sites)-1].Tile},
	}
	path := make([]int32, 0, 4096)
	for name, p := range pairs {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				path, _ = m.FindPath(path[:0], p[0], p[1])
			}
			b.ReportMetric(float64(len(path)), "tiles")
		})
	}
}

func BenchmarkSynth(b *testing.B) {
	for _, detail := range []int{1, CoarseDetail, 128, DefaultDetail, 2048} {
		b.Run("detail="+itoa(detail), func(b *testing.B) {
			c := NewChunk()
			b.ReportAllocs()
			for b.Loop() {
				SynthInto(c, 1, WorldChunks/2, WorldChunks/2, detail)
			}
		})
	}
	b.Run("alloc/detail="+itoa(DefaultDetail), func(b *testing.B) {
		c := NewChunk()
		b.ReportAllocs()
		for b.Loop() {
			synthAllocInto(c, 1, WorldChunks/2, WorldChunks/2, DefaultDetail)
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	for name, f := range map[string]struct {
		data []byte
		fit  int
	}{
		"png-165x205":   {platformer.MainChar_png, 128},
		"jpg-413x240":   {images.FiveYears_jpg, 256},
		"png-1024x768":  {images.Spritesheet_png, 400},
		"png-1920x1080": {platformer.Background_png, 480},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := decode(f.data, f.fit, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkText(b *testing.B) {
	f := newTypefaces()
	for b.Loop() {
		if _, err := f.draw(label{"Every path you see was searched", 20, false}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSave(b *testing.B) {
	w := New(Options{Seed: 1, NoAssets: true})
	var s snapshot
	b.Run("copy", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			s.take(w)
		}
	})
	b.Run("encode", func(b *testing.B) {
		for b.Loop() {
			if err := s.encode(io.Discard, nil); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		New(Options{Seed: 1, NoAssets: true})
	}
}
