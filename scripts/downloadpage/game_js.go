package main

import (
	"bytes"
	"context"
	"fmt"
	"image/png"
	"io"
	"slices"
	"syscall/js"
	"time"

	"github.com/frameslice/frameslice"
	"github.com/frameslice/frameslice/frame/load/fetch"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/internal/hist"
	"github.com/frameslice/frameslice/internal/refresh"
	"github.com/frameslice/frameslice/internal/words"
	"github.com/frameslice/frameslice/workers"
)

const files = 20 // of a download

// main draws a frame whenever the browser calls for one: a square that moves, as long as the page is not frozen.
func main() {
	loop := frameslice.New(frameslice.Balanced)
	loop.Go(frameslice.UserBlocking, func(co *frameslice.Co) { play(co, loop) })
	page := js.Global()
	canvas := page.Get("document").Call("querySelector", "canvas").Call("getContext", "2d")
	frames := make(chan struct{}, 1)
	var call js.Func
	call = js.FuncOf(func(js.Value, []js.Value) any {
		page.Call("requestAnimationFrame", call)
		select {
		case frames <- struct{}{}:
		default:
		}
		return nil
	})
	page.Call("requestAnimationFrame", call)
	for range frames {
		loop.Begin()
		canvas.Call("clearRect", 0, 0, 320, 20)
		canvas.Call("fillRect", loop.Frame()%300, 0, 20, 20)
		loop.Slice()
		loop.End()
	}
}

// play goes through the phases, and leaves the figures of all on the page.
func play(co *frameslice.Co, loop *frameslice.Loop) {
	wait(co, 120) // the browser compiles, and the loop learns the display's period
	var all []any
	phase := func(name string, do func() map[string]any) {
		from, begun := loop.Frame(), time.Now()
		figures := do()
		took := time.Since(begun)
		wait(co, 3) // for what the last frame has left
		describe(figures, loop.Recorder(), from)
		figures["name"], figures["took"] = name, words.Millis(took)
		all = append(all, figures)
		wait(co, 30)
	}
	control := func() map[string]any {
		compute(loop, loop.Frame()+90)
		wait(co, 90)
		return map[string]any{}
	}
	phase("quiet", func() map[string]any {
		wait(co, 90)
		return map[string]any{}
	})
	phase("control", control)
	phase("small", func() map[string]any {
		return download(co, loop, "small", func(context.Context, []byte) error { return nil })
	})
	phase("control", control)
	phase("pieces", func() map[string]any {
		return download(co, loop, "png", func(ctx context.Context, data []byte) error {
			return decode(frameslice.Pieces(ctx, data))
		})
	})
	phase("whole", func() map[string]any {
		return download(co, loop, "png", func(_ context.Context, data []byte) error {
			return decode(bytes.NewReader(data))
		})
	})
	js.Global().Set("figures", all)
}

func wait(co *frameslice.Co, frames int) {
	for range frames {
		co.NextFrame()
	}
}

// compute fills the slices up to a frame with work that yields every half millisecond, as decodes in pieces do.
func compute(loop *frameslice.Loop, until uint64) {
	loop.Pool().Submit(&workers.Job{Label: "compute", Func: func(w *workers.Worker) {
		for loop.Frame() < until {
			for begun := time.Now(); time.Since(begun) < time.Millisecond/2; {
			}
			if w.ShouldYield() {
				w.Yield()
			}
		}
	}})
}

func decode(from io.Reader) error {
	_, err := png.Decode(from)
	return err
}

// download loads the files of one kind. It returns how many have come, and how long the decodes were from begin to end.
func download(
	co *frameslice.Co, loop *frameslice.Loop, kind string, decode func(ctx context.Context, data []byte) error,
) map[string]any {
	var decodes []time.Duration
	loader := frameslice.NewLoaderFrom(loop, frameslice.LoadOptions{Label: kind}, fetch.HTTP(nil),
		func(ctx context.Context, _ string, data []byte) (int, error) {
			begun := time.Now()
			defer func() { decodes = append(decodes, time.Since(begun)) }()
			return len(data), decode(ctx, data)
		})
	loaded := 0
	var all []*frameslice.Request
	for i := range files {
		url := fmt.Sprint(js.Global().Get("location").Get("origin"), "/slow/", i, "/", kind)
		all = append(all, loader.Load(context.Background(), url, func(size int, err error) {
			if size > 0 && err == nil {
				loaded++
			}
		}))
	}
	_, _ = frameslice.Await(co, frameslice.AllOf(all...))
	return map[string]any{
		"loaded": loaded, "least": words.Millis(slices.Min(decodes)), "median": words.Millis(hist.Median(decodes)),
	}
}

// describe adds the figures of the frames after the given one.
func describe(figures map[string]any, recorder *record.Recorder, after uint64) {
	var intervals record.Intervals
	var slice []time.Duration
	var interval time.Duration
	missed := int64(0)
	for _, r := range recorder.Recent(make([]record.Record, 4096)) {
		if r.Number > after {
			missed += refresh.Missed(r.Interval, r.Target)
			intervals, interval = append(intervals, r.Interval), r.Target
			slice = append(slice, r.Budget())
		}
	}
	m := intervals.Figures(interval)
	figures["slice"] = words.Millis(hist.Median(slice))
	figures["interval"], figures["frames"] = words.Millis(interval), m.N
	figures["missed"], figures["refreshes"] = missed, missed+int64(m.N)
	figures["longest"], figures["p99"] = words.Millis(m.ByFrame.Max), words.Millis(m.ByFrame.P99)
}
