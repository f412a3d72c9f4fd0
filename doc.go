// Package frameslice keeps a game's picture smooth while its work gets done. It is the front door: what most programs
// need, with one import. All of it comes from the packages below, and mixes freely with them.
//
// A game written with Ebitengine (package frame/ebitenhost):
//
//	loop := frameslice.New(frameslice.LeaveOne)
//	pictures := frameslice.NewLoader(loop, frameslice.LoadOptions{}, decode) // on the workers, beside the frames
//	for _, name := range names {
//		pictures.Load(ctx, name, func(img image.Image, err error) { // in the time that a frame has left
//			game.add(name, img, err)
//		})
//	}
//	err := ebitenhost.Run(game, loop, ebitenhost.Options{})
//
// A program with a loop of its own, such as one with raylib or SDL, in which something else waits for the display (for
// Gio and Fyne see docs/hosts.md):
//
//	for !done {
//		loop.Begin()
//		update()
//		draw()
//		loop.Slice() // tasks, in the time that is left
//		loop.End()
//		window.SwapBuffers()
//	}
//
// Without a display, 60 times a second:
//
//	err := loop.Run(ctx, func() error { return world.Step() })
//
// # Where work goes
//
// The host calls Begin, Slice and End on the frame goroutine. A task is work that must run on this goroutine. Tasks run
// in the slice, most urgent first:
//
//	loop.Post(frameslice.Normal, f)                       // once
//	loop.After(frameslice.Low, time.Second, f)            // once, later
//	loop.Every(frameslice.Low, time.Second, f)            // again and again
//	loop.Each(frameslice.BeforeDraw, f)                   // in each frame
//	loop.Go(frameslice.Normal, func(co *frameslice.Co) {  // straight-line code over many frames
//		for _, room := range rooms {
//			build(room)
//			co.Yield() // lets more urgent work run, and the frame if its time is over
//		}
//		co.Sleep(time.Second)
//	})
//
// A job is work that can leave the frame goroutine. Jobs run on the workers of the pool:
//
//	path := frameslice.Submit(loop, frameslice.Normal, func() (Path, error) { return find(from, to) })
//	loop.Go(frameslice.Normal, func(co *frameslice.Co) {
//		p, err := frameslice.Await(co, path) // frames go on meanwhile
//	})
//	loop.ParallelFor(len(boids), 0, func(lo, hi int) { move(boids[lo:hi]) }) // the frame's own work, shared
//
// The tasks of a scene belong to a Group, which cancels them together:
//
//	level := loop.NewGroup("level 1")
//	level.Go(frameslice.Normal, enemies)
//	level.Cancel()
//
// # Presets
//
// A preset is chosen by one word. LeaveOne is for most games. FillAll is for games with more work than fits beside the
// frame. Testing is for tests in virtual time. For one more setting:
//
//	o := frameslice.FillAll.Options()
//	o.Interval = time.Second / 120
//	loop := frameslice.NewWith(o)
//
// # How the frames did
//
//	fmt.Print(loop.Report("mine"))                // frame times, missed frames, and where the time went
//	err := loop.Report("mine").Save("out", "mine") // text, JSON and pictures
//
// # The packages
//
//   - frame: the loop. Package frame/ebitenhost runs Ebitengine games, frame/load loads by key, frame/record measures
//     frames (also without a loop of ours), frame/plot draws them, and frame/autopsy says why one was late.
//     Package frame/frametest fails a test if frames became worse.
//   - scheduler: what runs on the frame goroutine. Package scheduler/flow limits what gets into its queue, and
//     scheduler/replay plays loads of tasks in virtual time.
//   - workers: the pool, with futures, scopes, graphs, streams, fork-join and parallel loops.
//   - deadline: priorities and their timeouts, instants, deadlines, budgets and estimates of cost.
//
// Imports point one way: deadline <- scheduler <- frame <- frameslice, and deadline <- workers <- frame.
//
// # Words
//
// A frame is one refresh of the display, and a tick one fixed-step update. The slice is the part of a frame that tasks
// get. The budget is the time granted, and the deadline the instant at which it ends. A task is a cooperative unit on
// the frame goroutine, a job a unit on the pool. A lane is the queue of one priority. To yield is to let more
// urgent work run, and the frame if its time is over. An overrun is work past the deadline. Expired work has waited
// past its expiration. A hitch is a frame shown late.
package frameslice
