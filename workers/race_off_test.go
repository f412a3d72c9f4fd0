//go:build !race

package workers

const underRace = false
