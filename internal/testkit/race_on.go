//go:build race

package testkit

// UnderRace is for tests that the race detector can only slow down, as those of one goroutine, and for counts of
// allocations.
const UnderRace = true
