//go:build !linux

package frametest

import (
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// A witness knows nothing here: no frame is void.
type witness struct{}

func (*witness) open()                                           {}
func (*witness) close()                                          {}
func (*witness) read() reading                                   { return reading{at: deadline.Now(), process: -1} }
func (*witness) delay() time.Duration                            { return 0 }
func (*witness) judge([]sample, deadline.Instant, time.Duration) {}
func processCPU() time.Duration                                  { return -1 }
