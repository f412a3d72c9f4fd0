package load_test

import (
	"context"
	"fmt"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/load"
	"github.com/frameslice/frameslice/scheduler"
)

func ExampleLoader() {
	loop := frame.New(frame.Options{})
	defer loop.Close()
	scene, leave := context.WithCancel(context.Background())
	defer leave() // cancels what is still on its way
	textures := load.New(loop, load.Options{Attempts: 3},
		func(ctx context.Context, name string, m *load.Meter) (string, error) {
			return "pixels of " + name, nil // on the pool
		})
	textures.Load(scene, "hero.png", func(pixels string, err error) {
		fmt.Println(pixels, err) // in the slice, where textures are made
	})
	_ = loop.Run(context.Background(), func() error {
		if textures.Progress().Fraction() == 1 {
			return frame.ErrStop
		}
		return nil
	})
	// Output: pixels of hero.png <nil>
}

// A scene begins when all of it is there, or says what is missing.
func ExampleAllOf() {
	loop := frame.New(frame.Options{})
	defer loop.Close()
	textures := load.New(loop, load.Options{},
		func(_ context.Context, name string, _ *load.Meter) (string, error) { return "pixels of " + name, nil })
	loop.Go(deadline.Normal, func(co *scheduler.Co) {
		var scene []*load.Request
		for _, name := range []string{"hero.png", "tree.png", "door.png"} {
			scene = append(scene, textures.Load(context.Background(), name, func(string, error) {}))
		}
		p, err := scheduler.Await(co, load.AllOf(scene...))
		fmt.Println(p.Loaded, "loaded, error:", err)
		loop.Stop()
	})
	_ = loop.Run(context.Background(), func() error { return nil })
	// Output: 3 loaded, error: <nil>
}

// A portrait shows the face that was asked for last, however long the earlier ones take.
func ExampleRequest_Cancel() {
	loop := frame.New(frame.Options{})
	defer loop.Close()
	faces := load.New(loop, load.Options{},
		func(_ context.Context, name string, _ *load.Meter) (string, error) { return name, nil })
	var portrait *load.Request
	shown := ""
	for _, name := range []string{"knight", "bishop", "queen"} {
		if portrait != nil {
			portrait.Cancel() // only the newest is of interest
		}
		portrait = faces.Load(context.Background(), name, func(face string, _ error) {
			shown = face
			fmt.Println("show", face)
		})
	}
	_ = loop.Run(context.Background(), func() error {
		if shown != "" {
			return frame.ErrStop
		}
		return nil
	})
	// Output: show queen
}
