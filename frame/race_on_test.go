//go:build race

package frame_test

const raceEnabled = true
