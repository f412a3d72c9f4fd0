// Package work is what the programs of all hosts do: a list of pictures loads, a progress bar shows how much is there,
// and a heavy job draws a fractal. The hosts draw what a Work holds.
package work

import (
	"context"
	"fmt"
	"image"
	"time"

	"github.com/frameslice/frameslice"
)

// A Work is the state of the program. Its fields and methods belong to the frame goroutine.
type Work struct {
	Items   []Item      // what is there, in the order of arrival
	Total   int         // how many items a load has
	Fractal *image.RGBA // the result of the last heavy job, or nil
	Frame   int         // counts the frames: what moves goes by it

	// Commit, if it is set, is called for each item as the item comes. Here a host makes its texture.
	Commit func(Item)

	flags    Flags
	loop     *frameslice.Loop
	pictures *frameslice.Loader[int, Item]
	cancel   context.CancelFunc
	loading  bool // a load was begun
	failed   int  // items of the load that did not come
	heavy    bool // under way
	reported bool // all that was begun has ended, and the report tells
	changed  int  // counts the changes of what is drawn
	drawn    int  // the changes that the present frame draws
	naive    naive
	times    times
}

// New returns a Work that runs on the loop. In the first frame begins what the flags name.
func New(loop *frameslice.Loop, flags Flags) *Work {
	files()
	w := &Work{Total: flags.Items, flags: flags, loop: loop, reported: true, cancel: func() {}}
	w.pictures = frameslice.NewLoader(loop, frameslice.LoadOptions{Priority: frameslice.UserBlocking}, decode)
	loop.Each(frameslice.BeforeUpdate, w.begin)
	if flags.Alone > 0 {
		w.make()
	}
	return w
}

// make makes at once what the work would have made by and by.
func (w *Work) make() {
	w.flags.Load, w.flags.Heavy, w.reported = false, false, false
	for number := range w.Total {
		item, err := decode(context.Background(), number, nil)
		if err != nil {
			panic(err) // the pictures are the program's own
		}
		w.Items = append(w.Items, item)
	}
	w.Fractal = image.NewRGBA(image.Rect(0, 0, FractalSide, FractalSide))
	fractal(w.Fractal, 0, FractalSide)
}

// begin is called at the beginning of each frame.
func (w *Work) begin() {
	w.Frame++
	if w.Frame == 1 && w.Commit != nil {
		for _, item := range w.Items {
			w.Commit(item)
		}
	}
	if w.Frame == 1 && w.flags.Load {
		w.Load()
	}
	if w.Frame == 1 && w.flags.Heavy {
		w.Heavy()
	}
	w.receive()
	w.times.begin(w.Busy())
	w.drawn = w.changed
	if !w.reported && !w.Busy() {
		w.reported = true
		w.WriteReport()
		w.later()
	}
}

// later starts the heavy job if a flag says so: another goroutine wakes the host, and then a timer does.
func (w *Work) later() {
	half := w.flags.Later / 2
	w.flags.Later = 0
	if half > 0 {
		time.AfterFunc(half, func() {
			w.loop.Post(frameslice.Normal, func() { w.loop.After(frameslice.Normal, half, w.Heavy) })
		})
	}
}

// Load loads all items again, from the first one.
func (w *Work) Load() {
	w.cancel()
	var ctx context.Context
	ctx, w.cancel = context.WithCancel(context.Background())
	w.Items, w.failed, w.loading, w.reported = nil, 0, true, false
	w.changed++
	for number := range w.Total {
		if w.flags.Naive {
			w.loadNaive(ctx, number)
			continue
		}
		w.pictures.Load(ctx, number, func(item Item, err error) {
			w.add(ctx, item, err)
		})
	}
}

// add takes an item of a load, or the error. Load has ended an earlier load's ctx.
func (w *Work) add(ctx context.Context, item Item, err error) {
	switch {
	case ctx.Err() != nil:
		return
	case err != nil:
		w.failed++
		return
	case w.Commit != nil:
		w.Commit(item)
	}
	w.Items = append(w.Items, item)
	w.changed++
}

// Heavy starts the heavy job, if it is not under way.
func (w *Work) Heavy() {
	if w.heavy {
		return
	}
	w.heavy, w.reported = true, false
	w.changed++
	if w.flags.Naive {
		w.heavyNaive()
		return
	}
	w.loop.Go(frameslice.Normal, func(co *frameslice.Co) {
		img, err := frameslice.Background(co, w.loop, func(context.Context) (*image.RGBA, error) {
			img := image.NewRGBA(image.Rect(0, 0, FractalSide, FractalSide))
			w.loop.ParallelFor(FractalSide, 4, func(lo, hi int) { fractal(img, lo, hi) })
			return img, nil
		})
		w.finish(img, err)
	})
}

func (w *Work) finish(img *image.RGBA, err error) {
	w.heavy = false
	w.changed++
	if err == nil {
		w.Fractal = img
	}
}

// Busy reports whether something moves: a load or the heavy job is under way, or frames without work must be drawn.
func (w *Work) Busy() bool {
	return w.heavy || w.loading && len(w.Items)+w.failed < w.Total || w.Frame <= w.flags.Alone
}

// Progress returns how much of the list is there, from 0 to 1.
func (w *Work) Progress() float64 { return float64(len(w.Items)) / float64(max(w.Total, 1)) }

// Status describes the state in a line of text.
func (w *Work) Status() string {
	s := fmt.Sprintf("%d of %d", len(w.Items), w.Total)
	switch {
	case w.heavy:
		s += ", drawing"
	case w.Fractal != nil:
		s += ", drawn"
	}
	return s
}

// Sleep returns how long the host may sleep: not at all, until a task is due, or until the loop wakes it.
func (w *Work) Sleep() time.Duration {
	tasks := w.loop.Scheduler()
	if w.Busy() || w.drawn != w.changed { // the picture is old
		return 0
	}
	if at, ok := tasks.Next(); ok {
		return max(at.Sub(tasks.Now()), 0)
	}
	return time.Hour
}
