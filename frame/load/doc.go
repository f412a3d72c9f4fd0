// Package load loads what a game needs without a late frame. It decodes on the pool, and commits in the slices of a
// frame.Loop, where a texture may be made.
//
//	decode := func(ctx context.Context, name string, m *load.Meter) (*image.RGBA, error) {
//		return decodePNG(name) // on the pool
//	}
//	textures := load.New(loop, load.Options{}, decode)
//	textures.Load(ctx, "hero.png", func(img *image.RGBA, err error) {
//		hero = upload(img) // in a slice
//	})
//
// One does so for a single thing. AllOf makes several requests one scheduler.Awaitable, for a coroutine that waits
// for a scene. A Slot shows one thing at a time: its newest request replaces the older ones.
//
// # What is decoded when
//
// Requests for one key that is under way share one decode. A Loader keeps no values: a key that is asked for after its
// first commit has begun is decoded again. Decoding begins in the next slice after Load.
//
// Decodes run ahead of the commits, as many as Options.Ahead says. The rest is held back, in order, and takes no
// place in the pool. So a decode must not wait for the commit of another request of its Loader.
//
// If the pool is bounded (workers.Options.MaxWaiting), a decode that finds it full is held back too. The loader tries
// again when a slice finds room. So no request fails for want of room, and no frame waits. Each vain look counts in the
// pool's Stats.Refused. With workers.OverflowRun the slice decodes at once what finds the pool full.
//
// # Pictures
//
// A commit that makes a picture has the host upload the picture after End. The loop learns from late frames how long
// that takes for each Label, and begins with one commit in a frame. In Ebitengine make a picture of 256x256 or more
// with NewImageFromImageOptions.Unmanaged. Any other picture goes into an atlas, and the atlas may grow, which takes
// several frames.
//
// # Programs that draw on demand
//
// A commit that calls Scheduler.RequestDraw ends the slice, so one thing is committed in a frame. Let commits set a
// flag instead, and call RequestDraw after the Slice, as ExampleLoop_Rest of package frame does. Scheduler.Once with
// scheduler.BeforeDraw asks for a drawing too, and lets the slice go on.
//
// # Limits
//
// If the pool has no workers (in a browser, on one processor), the slice decodes. Nothing interrupts a decode there:
// a decode that is longer than a slice makes its frame late. So load many small things in a browser, not a few large
// ones.
package load

// What follows is for those who change the package.
//
// Everything but the decode function runs in tasks, one at a time. So there is no protocol but that of Submit, and no
// lock but in a request's end. A request, a cancellation, another priority and the end of a decode are tasks. One
// compare-and-swap of a request's state decides between commit and cancellation.
//
//	flight.go  L1-L4  what is loaded          flight_model_test.go
//	wait.go    L5     who waits for its end   wait_model_test.go
