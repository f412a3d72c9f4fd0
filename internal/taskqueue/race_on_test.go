//go:build race

package taskqueue_test

// raceEnabled makes tests of a single goroutine shorter: the race detector can only slow them down.
const raceEnabled = true
