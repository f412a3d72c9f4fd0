//go:build race

package workers

// underRace is for models: they have one goroutine, and the race detector makes them ten times slower.
const underRace = true
