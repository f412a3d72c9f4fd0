// Package play is what the demo's window knows and does without a window: the watch over the jobs in any mode, and the
// tasks of the frame goroutine. It links no Ebitengine, so its tests run everywhere.
//
// # The watch
//
// The world hands its jobs to a Probe, and the Probe hands them to the mode's executor. So the Probe counts a mode's
// jobs in the same way for all modes. A channel or an errgroup could not tell how many of them wait.
//
// # Exchanging a mode
//
// DP1. A job given to a Probe is committed exactly once, whatever happens to executors in between. Suspend takes the
// executor away, and its Close ends what runs and drops what waits. Adopt commits what was run, and hands on what was
// not.
//
// DP2. Between Suspend and Adopt no executor is called, so that Close may run on another goroutine.
package play
