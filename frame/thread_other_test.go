//go:build !linux

package frame_test

import (
	"testing"

	"github.com/frameslice/frameslice/frame"
)

// A policy is how the system schedules a thread, of which nothing is known here.
type policy struct{}

func thread(*testing.T) policy { return policy{} }

func policyOf(before policy, _ frame.Thread) policy { return before }
