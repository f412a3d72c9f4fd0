// Package scheduler runs tasks on the frame goroutine.
package scheduler
