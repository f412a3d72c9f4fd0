package main

import (
	"runtime"
	"sync/atomic"
)

// The channel pool's forks: if the channel is full, the caller runs the fork, and who waits for one runs others
// meanwhile. That is as far as a pool without queues of its workers' own can go.

func (p *channelPool) accepts() acceptance { return refuses }

func (p *channelPool) offer(f func()) bool {
	select {
	case p.c <- f:
		return true
	default:
		return false
	}
}

func (p *channelPool) help(done *atomic.Bool) {
	for !done.Load() {
		select {
		case f := <-p.c:
			f()
		default:
			runtime.Gosched()
		}
	}
}
