//go:build windows || explore

package park

import "github.com/frameslice/frameslice/internal/atomic"

// addressParker sleeps on its token's address, in a system call that blocks the thread. The system has lent nothing, so
// there is nothing to give back. A post after the worker has gone only changes the parker's own word.
//
//	P1  A post stores the token, and then wakes, even if there was a token before. The goroutine that left that token
//	    may have been descheduled before it woke anybody, and others do not wait for it.
//	P2  A wait takes the token by a swap. It sleeps only if there is no token at the moment at which the system
//	    enqueues it: the system compares, and enqueues, in one step.
//
// So nobody sleeps beside a token that a post has left. If the sleeper was enqueued before the token came, the wake-up
// that follows finds the sleeper. Otherwise the comparison has found the token. ∎ A sleeper that is woken too late, or
// for no reason, finds no token, and sleeps again. address_explore_test.go runs both, with a system of its own.
type addressParker struct {
	token  atomic.Uint32 // 0 or 1
	none   atomic.Uint32 // always 0: what token is compared with
	system sleepers
}

// sleepers are the goroutines that the system lets sleep on addresses.
type sleepers interface {
	sleep(word, none *atomic.Uint32) // until somebody wakes the caller; not at all if the two words differ
	wake(word *atomic.Uint32)        // wakes one that sleeps on the word
}

func (p *addressParker) Wait() {
	for p.token.Swap(0) == 0 {
		p.system.sleep(&p.token, &p.none)
	}
}

func (p *addressParker) Post() {
	p.token.Store(1)
	p.system.wake(&p.token)
}

func (p *addressParker) Close() {}
