// Package frametest is a gate for frames in a Go test. It plays a game's loop in real time and says PASS, FAIL or CAN'T
// TELL.
package frametest
