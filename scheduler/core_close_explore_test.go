//go:build explore

package scheduler

import (
	"errors"
	"fmt"
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/explore"
)

// The scheduler is closed while a function is posted, and another one is canceled and gets another priority (S8, S39).
// The end of each is counted, and then nothing holds it any more.
func TestExploreCloseEndsWhatIsPosted(t *testing.T) {
	explore.Explore(t, 2, func(p *explore.Program) {
		s := still(p, nil)
		s.watch = &watch{order: &s.order, closed: &s.closed, onEvent: func(Event) {}}
		ran := 0
		post := func() Handle { return s.Post(deadline.Normal, func() { ran++ }) }
		h := post()
		s.drain(s.now)
		p.Go("poster", func() { post() })
		p.Go("canceler", func() { h.Cancel() })
		p.Go("changer", func() { h.SetPriority(deadline.Low) })
		p.Go("host", s.Close)
		p.End(func() error {
			if st := s.Stats(); ran != 0 || st.Canceled != 2 {
				return fmt.Errorf("%d of 2 have run, and %d were canceled", ran, st.Canceled)
			}
			if !s.inbox.isEmpty() {
				return errors.New("a submission is in the inbox for ever")
			}
			for i := range s.arena.at(0).items {
				if s.arena.at(0).items[i].fn != nil {
					return errors.New("a function is held for ever")
				}
			}
			return nil
		})
	})
}

// Goroutines ask for a drawing of a closed scheduler, with one item (S1, S8). Each pushes it unless it is in the inbox,
// and sweeps what it takes out of the inbox.
func TestExploreWhatIsSweptIsLetGoOfFirst(t *testing.T) {
	explore.Explore(t, 3, func(p *explore.Program) {
		s := still(p, nil)
		s.Close()
		for i := range 2 {
			p.Go(fmt.Sprint("requester", i), func() {
				s.RequestDraw()
				s.RequestDraw()
			})
		}
		p.End(func() error {
			if w := s.draw.word.Load(); w&flagInbox != 0 || !s.inbox.isEmpty() {
				return fmt.Errorf("a request is in the inbox for ever: %b", w)
			}
			return nil
		})
	})
}
