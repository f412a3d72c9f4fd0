//go:build !linux

package frame_test

import "testing"

// A policy is how the system schedules a thread, of which nothing is known here.
type policy struct{}

func thread(*testing.T) policy { return policy{} }
