package frametest_test

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice"
	"github.com/frameslice/frameslice/frame"
)

// faults are small games with one fault of order each. Undisturbed, each of them ends well.
var faults = []struct {
	name string
	game func(*frame.Loop) func() error
}{
	{"all posts run in one frame", wholeWave},
	{"the player moves before the camera", cameraLags},
	{"a list changes across a Yield", staleList},
	{"a debounce loses the last event", lostSave},
	{"undo overtakes the edit", earlyUndo},
	{"two pauses and one Resume", sharedPause},
	{"the last producer closes for all", earlyClose},
	{"sparks are given back twice", doubleSparks},
	{"a shot after the enemy's death", deadShooter},
	{"the level before", levelBefore},
	{"two futures end in order", futuresInOrder},
	{"Background ends before After", titleTooShort},
	{"a load is counted twice", countedTwice},
	{"a job outlives its scene", lateWriter},
	{"a reward is paid twice", paidTwice},
	{"a retry is ignored", ignoredRetry},
	{"a shared download is canceled", sharedCancel},
	{"mana is checked before Await", overcast},
	{"save while loading", mixedSave},
	{"progress goes backwards", backwardProgress},
	{"an older price comes last", oldPrice},
	{"buffers swap under the writer", earlySwap},
	{"a commit after the level", lateCommit},
	{"two commits change one picture", doubleFlip},
	{"a tile is taken for loaded", holeInMap},
}

// sound are small games that do such things right. They end well under every order that the documents allow.
var sound = []struct {
	name string
	game func(*frame.Loop) func() error
}{
	{"the camera moves before each drawing", cameraFollows},
	{"a list is copied before a Yield", copiedList},
	{"a level ends with its group", levelInGroup},
	{"the older request is canceled", oneAtATime},
	{"a reward is paid once", paidOnce},
	{"each spark has one owner", ownedSparks},
	{"saving waits for loading", lockedSave},
	{"a retry is remembered", rememberedRetry},
	{"buffers swap after the writer", joinedSwap},
	{"the camera waits for its tiles", waitsForTiles},
}

const ms = time.Millisecond

// A play tells how a small game goes: its first fault, and whether the game is over.
type play struct {
	n    int // the number of the frame, from 1
	err  error
	over bool
}

// check notes a fault unless ok.
func (p *play) check(ok bool, format string, args ...any) {
	if !ok && p.err == nil {
		p.err = fmt.Errorf(format, args...)
	}
}

func (p *play) end() { p.over = true }

// frames returns the function of a frame, which calls update with the number of the frame.
func (p *play) frames(update func(n int)) func() error {
	return func() error {
		p.n++
		update(p.n)
		switch {
		case p.err != nil:
			return p.err
		case p.over:
			return frame.ErrStop
		}
		return nil
	}
}

// animate gives the slice of each frame something else to do.
func animate(loop *frame.Loop) {
	loop.Go(frameslice.Normal, func(co *frameslice.Co) {
		for {
			co.NextFrame()
		}
	})
}

func TestSmallGamesEndWellUndisturbed(t *testing.T) {
	for _, c := range append(faults[:len(faults):len(faults)], sound...) {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				loop := frame.New(frameslice.Testing.Options())
				next, frames := c.game(loop), 0
				var end error
				err := loop.Run(t.Context(), func() error {
					if frames++; frames > 300 {
						return errors.New("the game does not end")
					}
					end = next()
					return end
				})
				if err != nil || end != frame.ErrStop {
					t.Errorf("ended in frame %d by %v", frames, end)
				}
				if err := loop.Close(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}
