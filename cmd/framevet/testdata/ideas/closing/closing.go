// Package main has loops that nobody closes.
package main

import (
	"context"

	"github.com/frameslice/frameslice"
	"github.com/frameslice/frameslice/frame"
)

type app struct{ loop *frame.Loop }

func main() {
	a := app{frameslice.New(frameslice.Balanced)} // want "nobody closes this loop"
	a.loop.Post(frameslice.Low, func() {})
	loop := frame.New(frame.Options{}) // want "nobody closes this loop"
	loop.Run(context.Background(), func() error { return frameslice.ErrStop })
}
