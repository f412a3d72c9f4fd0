package park_test

import (
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

func TestProtocol(t *testing.T) {
	const file = "descriptor.go"
	explore.Programs(t, nil,
		explore.Patch{Name: "a post does not count itself", File: file,
			Old: "d.users.CompareAndSwap(n, n+1)", New: "n > 0"},
		explore.Patch{Name: "a post counts itself, whatever the count is", File: file,
			Old: "if n == 0 {", New: "if n < 0 {"},
		explore.Patch{Name: "a post looks at the count, and then adds, in two steps", File: file,
			Old: "d.users.CompareAndSwap(n, n+1)", New: "d.users.Add(1) > 0"},
		explore.Patch{Name: "close closes, whoever is counted", File: file,
			Old: "d.users.Add(-1) == 0", New: "d.users.Add(-1) <= 1"},
	)
}
