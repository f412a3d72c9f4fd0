//go:build !race

package testkit

// UnderRace reports whether the race detector looks on.
const UnderRace = false
