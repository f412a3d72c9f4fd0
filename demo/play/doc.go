// Package play is what the demo's window program knows and does that needs no window: the stream of offered
// jobs, the watch over the jobs in any mode, and the frameslice mode for a wrapped game. It links no
// Ebitengine, so its tests run everywhere.
//
// # The watch
//
// The world hands its jobs to a Probe, the Probe to the mode's executor. What the window shows of a mode's jobs
// is therefore counted outside of it, in the same way for all, and nothing that is shown has to be asked of
// a channel or an errgroup, which could not tell.
//
// # Exchanging a mode
//
// DP1. A job given to a Probe is committed exactly once, whatever happens to executors in between. Suspend
// takes the executor away, its Close ends what runs and drops what waits, Adopt commits what was run and
// hands on what was not.
//
// DP2. Between Suspend and Adopt no executor is called, so that Close may run on another goroutine.
package play
