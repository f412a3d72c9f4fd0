package workers

import (
	"fmt"
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

// The look of M4: a worker that has claimed, and a closer that sweeps.
type batchEnd struct {
	hidden, visible, swept int8
	gone                   bool
	worker, closer         int8
}

func batchEndModel(looks bool) explore.Model[batchEnd] {
	return explore.Model[batchEnd]{
		Init: batchEnd{visible: 1},
		Threads: []explore.Thread[batchEnd]{
			{Name: "worker", Step: func(s *batchEnd) bool {
				switch s.worker {
				case 0: // claim
					s.hidden, s.visible = s.visible, 0
				case 1: // publish
					s.visible, s.hidden = s.visible+s.hidden, 0
				case 2: // look
					if s.gone && looks {
						s.swept, s.visible = s.swept+s.visible, 0
					}
				default:
					return false
				}
				s.worker++
				return true
			}},
			{Name: "closer", Step: func(s *batchEnd) bool {
				switch s.closer {
				case 0:
					s.gone = true
				case 1:
					s.swept, s.visible = s.swept+s.visible, 0
				default:
					return false
				}
				s.closer++
				return true
			}},
		},
		Final: func(s batchEnd) error {
			if s.swept != 1 {
				return fmt.Errorf("swept %d times", s.swept)
			}
			return nil
		},
	}
}

func TestModelABatchIsSweptOnce(t *testing.T) {
	if _, err := explore.Run(batchEndModel(true)); err != nil {
		t.Fatal(err)
	}
	if _, err := explore.Run(batchEndModel(false)); err == nil {
		t.Error("the explorer did not catch: no look for the end")
	}
}
