// Package display makes sure, before Ebitengine starts, that there is a display for it to start on.
//
// # The problem
//
// Importing Ebitengine on Linux is enough to open a connection to an X server: its package ui does so in
// init, and panics when DISPLAY is not set. Nothing that main does comes early enough: not -help, not a run
// without a window.
//
// # The way out
//
// Imported by the program, this package does its work in its own init, which runs before that of
// Ebitengine's ui. On Linux it
//
//  1. parses the command line, and if that needs no window (-headless, -help, a mistake) runs it right
//     there, and exits;
//  2. otherwise, when DISPLAY is unset, starts an X server without a screen (Xvfb), which ends with this
//     process, and sets DISPLAY;
//  3. or, where there is no such server, or none answers at DISPLAY, says in one line what to do, and exits
//     with code 2.
//
// Everywhere else it does nothing: the program's main does the same, in its own time.
//
// # Why it runs first
//
// The language initializes packages in this order: of all packages whose imports are initialized, the one
// whose import path sorts first. "github.com/frameslice/..." sorts before "github.com/hajimehoshi/...", so
// this package comes first if it does not have to wait for an import any longer than ui has. It has not: ui
// needs package testing (by way of its X protocol package), so every package that sorts before "testing",
// and needs nothing beyond, has been initialized by then; that covers all that this package imports,
// directly and indirectly. A test (order_test.go) works through the rule for the packages as they are and
// fails when that ceases to be so, for example because something imports net/http.
//
// If it were to fail unnoticed, the outcome would be Ebitengine's panic about DISPLAY, as without this
// package. In no case does init run code whose own packages are not initialized: they are its imports, and
// the language orders those.
//
// # Why run a whole program inside init
//
// Because by the time main runs it is too late, and the alternatives are worse: a second binary, or
// replacing this process by one that pretends to have a display. Inside init everything works that works in
// main (goroutines, signals, os.Exit); only the main goroutine is locked to its thread, as Ebitengine would
// lock it anyway.
//
// The X server is told to die with this process by the kernel (PDEATHSIG). That watches the thread which
// has started it: init runs on the main thread, which lives as long as the process.
//
// # Why the software renderer has no threads
//
// Beside Xvfb the picture is drawn by Mesa's llvmpipe, on threads of its own, and those can crash the
// program: who draws learns that a picture is done by reading a counter (lp_fence_signalled), and frees the
// counter together with its mutex, which the thread that counted has yet to unlock. Held up in between, it
// writes into memory that belongs to somebody else by then (Mesa 22.3; the code of later versions reads
// alike). Seen twice, once in some hundreds of runs, as a segmentation fault in malloc or DrawElements;
// with a delay of 3 ms put between counting and unlocking, it is seen in every run, with any mode of the
// demo. LP_NUM_THREADS=0 lets the thread that draws do it all, and was no slower: eight windows of 15 s in
// turns missed 5 frames with one thread, 4 without, at 300 to 691 jobs a second and at 500 to 678. So
// where this package starts the server it sets that, unless it is set already.
package display
