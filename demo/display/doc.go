// Package display makes sure that there is a display before Ebitengine starts.
//
// # The problem
//
// Importing Ebitengine on Linux is enough to connect to an X server. Its package ui does so in its init, and panics
// when DISPLAY is not set. So main comes too late, even for -help and for a run without a window.
//
// # The way out
//
// This package works in its own init, which runs before the init of Ebitengine's ui. On Linux it
//
//  1. parses the command line. If that needs no window (-headless, -help, a mistake), it runs it at once, and exits;
//  2. otherwise, when DISPLAY is unset, starts an X server without a screen (Xvfb), which ends with this process, and
//     sets DISPLAY;
//  3. where there is no such server, or none answers at DISPLAY, says in one line what to do, and exits with code 2.
//
// Everywhere else it does nothing, and main does the same in its own time.
//
// # Why it runs first
//
// Go initializes packages in this order: of all packages whose imports are initialized, the next one is the one whose
// import path sorts first. Our path sorts before Ebitengine's. So this package comes first if it waits for no import
// longer than ui does. Package ui needs package testing (by way of its X protocol package). Packages that sort before
// "testing" and need nothing beyond are initialized by then, and this package imports nothing else. A test
// (order_test.go) works through the rule. It fails when something imports net/http, for example.
//
// If the order ever failed, the outcome would be Ebitengine's panic about DISPLAY, as without this package.
//
// # Why a whole program runs inside init
//
// The alternatives are worse: a second binary, or replacing this process by one that pretends to have a display.
// Inside init everything works that works in main: goroutines, signals, os.Exit. Only the main goroutine is locked to
// its thread, as Ebitengine would lock it anyway.
//
// The kernel ends the X server with the thread that has started it (PDEATHSIG). Init runs on the main thread, which
// lives as long as the process.
//
// # Why the software renderer has no threads
//
// Beside Xvfb, Mesa's llvmpipe draws the picture, on threads of its own. They can crash the program (Mesa 22.3; the
// code of later versions reads alike). The goroutine that draws waits for a counter (lp_fence_signalled), and then
// frees the counter with its mutex. But the thread that counted has yet to unlock the mutex, and so writes into
// memory of somebody else. This happens once in some hundreds of runs, and in every run with a delay of 3 ms between
// counting and unlocking.
//
// With LP_NUM_THREADS=0 the thread that draws does all the work, which was no slower in eight windows of 15 s. So where
// this package starts the server it sets LP_NUM_THREADS, unless it is set already.
package display
