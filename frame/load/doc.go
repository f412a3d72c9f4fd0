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
// AllOf joins requests, for a coroutine that waits for a scene. Where one thing is shown at a time, Request.Cancel ends
// the older request.
//
// # Decodes
//
// A decode begins in the next slice after Load, the most urgent first. Requests for one key share a decode until its
// first commit begins. Only Options.Ahead decodes run ahead of their commits. So a decode must not wait for the commit
// of another request of its Loader.
//
// A Loader of NewFrom has a source before the decode. The source gets the bytes, on a goroutine of its own, and may
// wait for a server or a disk: package fetch has sources for both. At most Options.Fetches sources run, beside the
// decodes. So neither stage keeps the other one back. Only the source is asked again after an error.
//
// A decode of New may wait as well, for a file, a network or a lock. About 10 ms later another worker takes its place,
// and leaves when the decode computes again or ends. At most eight workers are replaced at once, with those within
// Worker.Blocking. The pool learns of a wait from the number of goroutines that run. So while other goroutines of the
// program compute without a pause, decodes that wait may keep their workers. A system call and a C function count as
// waits.
//
// # Commits
//
// The host uploads the picture of a commit after End. The loop learns from late frames how long that takes for each
// Label, and begins with one commit in a frame. In Ebitengine use
// NewImageFromImageOptions.Unmanaged from 256x256 on, because an atlas takes several frames to grow.
//
// Do not call Scheduler.RequestDraw in a commit, as it ends the slice: see ExampleLoop_Rest of package frame.
//
// # Keeping values
//
// A Loader keeps nothing. A Cache keeps its values up to a budget, loads what its Views show, the most important first,
// and ends loads that nobody wants any more.
//
// # Limits
//
// Beside workers no slice runs a decode. Without workers (in a browser, or on one processor) the slice decodes. There
// only a decode that reads by Pieces is cut where the slice ends, and any other should be short.
package load

// The state of a Loader belongs to tasks, which run one at a time: a request, a cancellation, another priority and the
// end of a decode are tasks. One compare-and-swap of a request's state decides between commit and cancellation. Locks
// are in a request's end, at the sources that are ready or run, and in a Cache.
//
//	decode.go  L1-L4  what is loaded             decode_, wait_explore_test.go, loader_model_test.go
//	wait.go    L5     functions that wait        wait_explore_test.go
//	source.go  LF1-LF4  the stage before the decode   source_test.go, loader_model_test.go
//	cache.go   LC1-LC5  what is kept                  cache_test.go
