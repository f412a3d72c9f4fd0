//go:build !race

// Package race says whether the race detector looks on.
package race

// Enabled is true in a build with -race. It is for tests that the race detector can only slow down, as
// those of one goroutine, and for counts of allocations.
const Enabled = false
