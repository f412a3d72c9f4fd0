package docs_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"os"
	"path/filepath"

	"github.com/frameslice/frameslice"
	"github.com/frameslice/frameslice/frame/load"
)

// decodePicture reads and decodes one file. It runs on a worker.
func decodePicture(ctx context.Context, name string, m *frameslice.Meter) (image.Image, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	m.SetTotal(int64(len(data)))
	img, _, err := image.Decode(io.TeeReader(bytes.NewReader(data), meter{m}))
	return img, err
}

// meter counts the bytes that pass.
type meter struct{ m *frameslice.Meter }

func (w meter) Write(p []byte) (int, error) {
	w.m.Add(int64(len(p)))
	return len(p), nil
}

// pictureFiles returns the names of two pictures, and of one that does not exist.
func pictureFiles() (names []string, remove func()) {
	dir, err := os.MkdirTemp("", "pictures")
	if err != nil {
		panic(err)
	}
	for _, name := range []string{"hero.png", "tree.png"} {
		var b bytes.Buffer
		_ = png.Encode(&b, image.NewGray(image.Rect(0, 0, 8, 8)))
		_ = os.WriteFile(filepath.Join(dir, name), b.Bytes(), 0o600)
		names = append(names, filepath.Join(dir, name))
	}
	return append(names, filepath.Join(dir, "missing.png")), func() { os.RemoveAll(dir) }
}

func Example_scene() {
	names, remove := pictureFiles()
	defer remove()
	loop := frameslice.New(frameslice.LeaveOne)
	defer loop.Close()
	sprites := map[string]image.Image{}
	ctx := context.Background()

	pictures := frameslice.NewLoader(loop, frameslice.LoadOptions{}, decodePicture)
	level := loop.Go(frameslice.Normal, func(co *frameslice.Co) {
		var scene []*frameslice.Request
		for _, name := range names {
			scene = append(scene, pictures.Load(ctx, name, func(img image.Image, err error) {
				if err == nil {
					sprites[name] = img // make the texture here
				}
			}))
		}
		progress, err := frameslice.Await(co, frameslice.AllOf(scene...)) // until all have ended
		fmt.Println(progress.Loaded, "loaded,", progress.Failed, "failed:", errors.Is(err, os.ErrNotExist))
		for range sprites {
			// build a part of the level
			co.Yield() // lets more urgent work run, and the frame if its time is over
		}
	})
	_ = loop.Run(ctx, func() error {
		// draw a bar of pictures.Progress().Fraction()
		if level.State() == done {
			return frameslice.ErrStop
		}
		return nil
	})
	fmt.Println(len(sprites), "sprites")
	// Output:
	// 2 loaded, 1 failed: true
	// 2 sprites
}

func Example_leaveTheScene() {
	loop := frameslice.New(frameslice.LeaveOne)
	defer loop.Close()
	wait := func(ctx context.Context, name string, m *frameslice.Meter) (string, error) {
		<-ctx.Done() // a slow server
		return "", context.Cause(ctx)
	}
	faces := frameslice.NewLoader(loop, frameslice.LoadOptions{Attempts: 3}, wait)

	ctx, leave := context.WithCancel(context.Background())
	face := faces.Load(ctx, "queen", func(string, error) { fmt.Println("never called") })
	leave() // the player has closed the window
	_ = loop.Run(context.Background(), func() error {
		if face.State() != load.Pending {
			return frameslice.ErrStop
		}
		return nil
	})
	fmt.Println(face.State())
	// Output: canceled
}

func Example_portrait() {
	loop := frameslice.New(frameslice.LeaveOne)
	defer loop.Close()
	decode := func(_ context.Context, name string, _ *frameslice.Meter) (string, error) { return name, nil }
	faces := frameslice.NewLoader(loop, frameslice.LoadOptions{}, decode)
	ctx, shown := context.Background(), ""

	var portrait *frameslice.Request // for the face that was asked for last
	for _, name := range []string{"knight", "bishop", "queen"} {
		if portrait != nil {
			portrait.Cancel()
		}
		portrait = faces.Load(ctx, name, func(face string, err error) { shown = face })
	}
	_ = loop.Run(ctx, func() error {
		if shown != "" {
			return frameslice.ErrStop
		}
		return nil
	})
	fmt.Println(shown)
	// Output: queen
}
