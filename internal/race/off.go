//go:build !race

// Package race says whether the race detector looks on.
package race

// Enabled is true in a build with -race.
const Enabled = false
