// Package ebitenhost runs an Ebitengine game in which every frame has a slice for tasks.
//
//	loop := frameslice.New(frameslice.Balanced)
//	err := ebitenhost.Run(game, loop, ebitenhost.Options{Overlay: ebiten.KeyF3})
//
// The key F3 then shows the frame times, and why a frame was late.
//
// A program in which an engine calls ebiten.RunGame passes Wrap(game, loop) to the engine. If the engine owns the game
// value, too, call Loop.Begin, Loop.Slice and Loop.End in its hooks, once a frame: see package frame. Such a game draws
// an Overlay of its own.
//
// Importing this package needs a display, as Ebitengine does. With the build tag headless the package is empty.
package ebitenhost
