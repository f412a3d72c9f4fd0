package load_test

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/iotest"
	"time"

	"github.com/frameslice/frameslice/frame/load"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/scheduler"
)

// slowly is a decode that takes a millisecond for each read of Pieces, and returns how many bytes there were.
func slowly(ctx context.Context, _ string, bytes []byte) (n int, err error) {
	buffer := make([]byte, 1<<20)
	for r := load.Pieces(ctx, bytes); ; time.Sleep(ms) {
		some, err := r.Read(buffer)
		if n += some; err != nil {
			if err == io.EOF {
				err = nil
			}
			return n, err
		}
	}
}

// many is a source of so many pieces, but for one byte.
func many(pieces int) load.Source[string] {
	return func(context.Context, string, *load.Meter) ([]byte, error) { return make([]byte, pieces*4096-1), nil }
}

// Decodes of 40 ms end in slices that are none of them longer than granted.
func TestPiecesGiveTheFrameBack(t *testing.T) {
	inWorlds(t, func(w *world, n int) {
		loaded := 0
		ld := load.NewFrom(w.l, load.Options{}, many(40), slowly)
		for _, key := range []string{"a", "b", "c"} {
			ld.Load(bg, key, func(n int, err error) {
				if n == 40*4096-1 && err == nil {
					loaded++
				}
			})
		}
		w.frames(100)
		if loaded != 3 {
			t.Errorf("%d workers: %d loaded, want 3", n, loaded)
		}
		for _, r := range w.l.Recorder().Recent(make([]record.Record, 100)) {
			if r.Used() > r.Budget()+2*ms { // a read, and rounding
				t.Errorf("%d workers: a slice of %v was granted %v", n, r.Used(), r.Budget())
			}
		}
		clean(t.Errorf, ld)
	})
}

// A decode that nobody wants any more ends with its next read, also between two slices.
func TestPiecesEndWithTheRequest(t *testing.T) {
	inWorlds(t, func(w *world, n int) {
		ended := error(nil)
		decode := func(ctx context.Context, key string, bytes []byte) (n int, err error) {
			n, err = slowly(ctx, key, bytes)
			ended = err
			return n, err
		}
		ld := load.NewFrom(w.l, load.Options{}, many(1000), decode)
		r := ld.Load(bg, "a", func(int, error) { t.Errorf("%d workers: committed", n) })
		w.frames(10)
		r.Cancel()
		w.frames(10)
		if !errors.Is(ended, scheduler.ErrCanceled) {
			t.Errorf("%d workers: the decode ended with %v", n, ended)
		}
		clean(t.Errorf, ld)
	})
}

// The reader is one by the rules, also outside of a decode.
func TestPiecesRead(t *testing.T) {
	bytes := make([]byte, 10_000)
	for i := range bytes {
		bytes[i] = byte(i)
	}
	if err := iotest.TestReader(load.Pieces(bg, bytes), bytes); err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(bg)
	cancel()
	if n, err := load.Pieces(ctx, bytes).Read(bytes); n != 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of the context: %d, %v", n, err)
	}
}
