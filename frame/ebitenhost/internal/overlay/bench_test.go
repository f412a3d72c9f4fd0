package overlay

import (
	"strconv"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/internal/canvas"
	"github.com/frameslice/frameslice/workers"
)

// busyLoop returns a loop with workers, and some frames in its recorder.
func busyLoop() *frame.Loop {
	l := frame.New(frame.Options{Interval: 50 * time.Microsecond, Workers: workers.Options{Workers: 8},
		Recorder: record.Options{WarmUp: -1}, JumpAfter: -1})
	for range 1000 {
		oneFrame(l, func() { l.Post(deadline.Normal, func() {}) })
	}
	return l
}

func oneFrame(l *frame.Loop, f func()) {
	l.Begin()
	f()
	l.Slice()
	l.End()
}

// BenchmarkFrame is what the overlay costs in a frame while it is shown, without the host's drawing.
func BenchmarkFrame(b *testing.B) {
	for _, s := range sizes {
		b.Run(strconv.Itoa(s.w)+"x"+strconv.Itoa(s.h), func(b *testing.B) {
			a, err := canvas.Bake(Scale(s.w, s.h, s.pixels), canvas.Small)
			if err != nil {
				b.Fatal(err)
			}
			l := busyLoop()
			defer l.Close()
			var v View
			var c canvas.Canvas
			l.Begin()
			defer l.End()
			v.Read(l)
			b.ReportAllocs()
			for b.Loop() {
				v.Read(l)
				c.Begin(a, s.w, s.h)
				v.Draw(&c)
			}
			b.ReportMetric(float64(len(c.Quads)), "quads")
		})
	}
}

// BenchmarkBake is what the letters cost at a scale, on a goroutine of their own.
func BenchmarkBake(b *testing.B) {
	for b.Loop() {
		if _, err := canvas.Bake(1, canvas.Small); err != nil {
			b.Fatal(err)
		}
	}
}
