package park_test

import (
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

func TestProtocol(t *testing.T) {
	const file, address = "descriptor.go", "address.go"
	explore.Programs(t, nil,
		explore.Patch{Name: "a post does not count itself", File: file,
			Old: "d.users.CompareAndSwap(n, n+1)", New: "n > 0"},
		explore.Patch{Name: "a post counts itself, whatever the count is", File: file,
			Old: "if n == 0 {", New: "if n < 0 {"},
		explore.Patch{Name: "a post looks at the count, and then adds, in two steps", File: file,
			Old: "d.users.CompareAndSwap(n, n+1)", New: "d.users.Add(1) > 0"},
		explore.Patch{Name: "close closes, whoever is counted", File: file,
			Old: "d.users.Add(-1) == 0", New: "d.users.Add(-1) <= 1"},
		explore.Patch{Name: "P1: a post wakes, and then stores the token", File: address,
			Old: "	p.token.Store(1)\n	p.system.wake(&p.token)\n",
			New: "	p.system.wake(&p.token)\n	p.token.Store(1)\n"},
		explore.Patch{Name: "P1: a post only wakes if there was no token", File: address,
			Old: "	p.token.Store(1)\n	p.system.wake(&p.token)\n",
			New: "	if p.token.Swap(1) == 0 {\n		p.system.wake(&p.token)\n	}\n"},
		explore.Patch{Name: "P2: a wait clears the token before it sleeps, whatever it was", File: address,
			Old: "	for p.token.Swap(0) == 0 {\n		p.system.sleep(&p.token, &p.none)\n	}\n",
			New: "	p.token.Store(0)\n	p.system.sleep(&p.token, &p.none)\n"},
		explore.Patch{Name: "P2: a wait does not take the token", File: address,
			Old: "p.token.Swap(0) == 0", New: "p.token.Load() == 0"},
		explore.Patch{Name: "P2: the system does not compare when it enqueues", File: address,
			Old: "p.system.sleep(&p.token, &p.none)", New: "p.system.sleep(&p.token, &p.token)"},
	)
}
