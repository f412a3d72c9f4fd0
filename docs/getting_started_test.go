package docs_test

import (
	"context"
	"fmt"
	"time"

	"github.com/frameslice/frameslice"
)

// window stands for a window library, such as raylib or SDL.
type window struct{ frames int }

func (w *window) ShouldClose() bool { return w.frames == 3 }
func (w *window) SwapBuffers()      { w.frames++; time.Sleep(time.Millisecond) }

func update() {}
func draw()   {}

func Example_ownLoop() {
	window := &window{}
	loop := frameslice.New(frameslice.Balanced)
	defer loop.Close()
	loop.Post(frameslice.Normal, func() { fmt.Println("on the frame goroutine") })
	for !window.ShouldClose() {
		loop.Begin()
		update()
		draw()
		loop.Slice() // tasks, in the time that is left
		loop.End()
		window.SwapBuffers() // waits for the display
	}
	// Output: on the frame goroutine
}

func Example_withoutADisplay() {
	loop := frameslice.New(frameslice.Balanced)
	defer loop.Close()
	square := func(context.Context) (int, error) { return 12 * 12, nil } // long work of your own
	loop.Go(frameslice.Normal, func(co *frameslice.Co) {
		n, err := frameslice.Background(co, loop, square) // frames continue meanwhile
		fmt.Println(n, err)
		loop.Stop()
	})
	err := loop.Run(context.Background(), func() error { // 60 times a second
		update()
		return nil
	})
	fmt.Println("the end:", err)
	// Output:
	// 144 <nil>
	// the end: <nil>
}
