package record

import "sync/atomic"

// sentences are the latest that Explain was given, the oldest first. Nobody writes to them once others know them.
type sentences []sentence

type sentence struct {
	frame uint64
	text  string
}

// mostSentences is how many sentences are kept: more than an autopsy has files, and than a report has late frames.
const mostSentences = 16

// explained keeps the sentences of a Recorder.
type explained struct{ latest atomic.Pointer[sentences] }

// Explain keeps a sentence that says why the frame with that Record.Number came late, such as package autopsy's.
// Reports, the overlay and the live page show it. The latest 16 frames keep theirs, and a frame has the last that it
// was given. Any goroutine.
func (e *explained) Explain(frame uint64, why string) {
	for {
		old := e.latest.Load()
		all := make(sentences, 0, mostSentences+1)
		if old != nil {
			for _, one := range *old {
				if one.frame != frame {
					all = append(all, one)
				}
			}
		}
		all = append(all, sentence{frame, why})
		if len(all) > mostSentences {
			all = all[1:]
		}
		if e.latest.CompareAndSwap(old, &all) {
			return
		}
	}
}

// Explained returns the sentence that Explain was given about a frame, or "". Any goroutine; some ns.
func (e *explained) Explained(frame uint64) string { return e.all().about(frame) }

func (e *explained) all() sentences {
	if all := e.latest.Load(); all != nil {
		return *all
	}
	return nil
}

func (all sentences) about(frame uint64) string {
	for _, one := range all {
		if one.frame == frame {
			return one.text
		}
	}
	return ""
}
