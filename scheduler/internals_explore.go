//go:build explore

package scheduler

// Discard ends the coroutines of a scheduler that nobody uses any more. A schedule of internal/explore that was cut
// short leaves the scheduler in the middle of something, where it cannot be closed. A task that is stopped there may
// panic, which does not matter.
func (i *internals) Discard() {
	for _, c := range append(append(i.idle, i.live...), i.carrier) {
		if c != nil && c.Alive() {
			func() {
				defer func() { _ = recover() }()
				c.Stop()
			}()
		}
	}
}
