// Package load loads assets without a late frame. A Loader decodes on the pool of a frame.Loop, and commits in the
// loop's slices, where a texture may be made.
//
//	decode := func(ctx context.Context, name string, m *load.Meter) (*image.RGBA, error) {
//		return decodePNG(name) // on the pool
//	}
//	textures := load.New(loop, load.Options{}, decode)
//	textures.Load(ctx, "hero.png", func(img *image.RGBA, err error) {
//		hero = upload(img) // in a slice
//	})
//
// One loads a single thing. AllOf joins several requests for a coroutine that waits for a scene. A Slot shows one thing
// at a time: its newest request replaces the older ones.
//
// # The order of decodes
//
// A decode begins in the next slice after Load. Requests for one key share a decode until its first commit begins.
// Later requests decode the key again.
//
// Decodes run ahead of their commits, as many as Options.Ahead says. The loader holds back the rest, the most urgent
// first. So a decode must not wait for the commit of another request of its Loader.
//
// If the pool is bounded (workers.Options.MaxWaiting) and full, the loader holds back decodes too. No request fails for
// that, and no frame waits. With workers.OverflowRun the slice decodes instead.
//
// # Commits
//
// The host uploads the picture of a commit after End. The loop learns from late frames how long that takes for each
// Label, and begins with one commit in a frame. In Ebitengine make a picture of 256x256 or more with
// NewImageFromImageOptions.Unmanaged: the growth of an atlas takes several frames.
//
// A commit that calls Scheduler.RequestDraw ends the slice. In a program that draws on demand let commits set a flag,
// and call RequestDraw after the Slice, as ExampleLoop_Rest of package frame does.
//
// # Limits
//
// A pool without workers (in a browser, or on one processor) decodes in the slice. There nothing interrupts a decode:
// if it is longer than a slice, its frame is late. In a browser load many small things, not a few large ones.
package load

// Everything but the decode function runs in tasks, one at a time. So the only protocol is that of Submit, and the only
// lock is in a request's end. A request, a cancellation, another priority and the end of a decode are tasks. One
// compare-and-swap of a request's state decides between commit and cancellation.
//
//	decode.go  L1-L4  what is loaded             decode_model_test.go
//	wait.go    L5     functions that wait        wait_model_test.go
