package docs_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io/fs"
	"os"
	"testing/fstest"

	"github.com/frameslice/frameslice"
	"github.com/frameslice/frameslice/frame/load"
	"github.com/frameslice/frameslice/frame/load/fetch"
)

// decodePicture makes a picture of bytes. It runs on a worker.
func decodePicture(ctx context.Context, name string, data []byte) (image.Image, error) {
	img, _, err := image.Decode(frameslice.Pieces(ctx, data))
	return img, err
}

// pictureFiles returns the names of two pictures, and of one that does not exist.
func pictureFiles() (names []string, folder fs.FS) {
	files := fstest.MapFS{}
	for _, name := range []string{"hero.png", "tree.png"} {
		var b bytes.Buffer
		_ = png.Encode(&b, image.NewGray(image.Rect(0, 0, 8, 8)))
		files[name] = &fstest.MapFile{Data: b.Bytes()}
	}
	return []string{"hero.png", "tree.png", "missing.png"}, files
}

func Example_scene() {
	names, folder := pictureFiles()
	loop := frameslice.New(frameslice.Balanced)
	defer loop.Close()
	sprites := map[string]image.Image{}
	ctx := context.Background()

	pictures := frameslice.NewLoaderFrom(loop, frameslice.LoadOptions{}, fetch.Files(folder), decodePicture)
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

type point struct{ x, y int }

// around returns the points at most n away, the nearest first.
func around(at point, n int) (all []point) {
	for r := range n + 1 {
		for y := -r; y <= r; y++ {
			for x := -r; x <= r; x++ {
				if max(x, -x, y, -y) == r {
					all = append(all, point{at.x + x, at.y + y})
				}
			}
		}
	}
	return all
}

func Example_stream() {
	loop := frameslice.New(frameslice.Balanced)
	defer loop.Close()
	loader := frameslice.NewLoader(loop, frameslice.LoadOptions{},
		func(context.Context, point, *frameslice.Meter) (image.Image, error) {
			return image.NewRGBA(image.Rect(0, 0, 256, 256)), nil
		})
	ctx, shown := context.Background(), map[point]bool{}
	show := func(p point, _ image.Image) { shown[p] = true }

	tiles := frameslice.NewCache(loader, frameslice.CacheOptions[point, image.Image]{
		Budget: 64 << 20, // bytes
		Size:   func(_ point, img image.Image) int64 { return int64(4 * img.Bounds().Dx() * img.Bounds().Dy()) },
		Commit: func(_ point, img image.Image) image.Image { return img }, // make the texture here
		Evict:  func(_ point, img image.Image) {},                         // free it here
	})
	camera := tiles.View(ctx)
	draw := func(at point) {
		camera.Show(around(at, 1), around(at, 2)) // loads what is missing, and ends what nobody wants
		for _, p := range around(at, 1) {
			if img, ok := tiles.Get(p); ok {
				show(p, img)
			}
		}
	}

	_ = loop.Run(ctx, func() error {
		if draw(point{5, 5}); len(shown) == 9 && tiles.Stats().Values == 25 {
			return frameslice.ErrStop
		}
		return nil
	})
	fmt.Println(len(shown), "tiles in sight,", tiles.Stats().Size>>10, "KiB kept")
	// Output: 9 tiles in sight, 6400 KiB kept
}

func Example_leaveTheScene() {
	loop := frameslice.New(frameslice.Balanced)
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
