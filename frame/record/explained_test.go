package record

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// The sentence about a late frame stands in the report, in text and JSON. The latest frames keep theirs.
func TestExplain(t *testing.T) {
	rec := quiet(Options{Target: 10 * ms, WarmUp: -1})
	at := deadline.Instant(time.Second)
	for i := range uint64(40) {
		rec.Add(Record{
			Number: i + 1, Start: at, Interval: 30 * ms, UpdateBegin: at, UpdateEnd: at, DrawEnd: at.Add(ms),
		})
		at = at.Add(30 * ms)
	}
	var both sync.WaitGroup
	for from := range uint64(2) {
		both.Go(func() {
			for n := 3 + from; n <= 20; n += 2 {
				rec.Explain(n, "an earlier sentence")
				rec.Explain(n, fmt.Sprintf("%d: 27.9 waiting for a processor", n))
			}
		})
	}
	both.Wait()
	told := 0
	for n := range uint64(41) {
		if why := rec.Explained(n); why != "" {
			if told++; why != fmt.Sprintf("%d: 27.9 waiting for a processor", n) {
				t.Errorf("of frame %d: %q", n, why)
			}
		}
	}
	if told != mostSentences {
		t.Errorf("%d sentences are kept", told)
	}
	rec.Explain(4, "why frame 4 was late")
	r := NewReport("", rec.Snapshot(), Environment{})
	var text, data strings.Builder
	_, _ = r.writeText(&text), r.writeJSON(&data)
	if !strings.Contains(text.String(), "  frame 3, 30.0 ms: host 29.0\n    why frame 4 was late\n") ||
		!strings.Contains(data.String(), `"why": "why frame 4 was late"`) {
		t.Errorf("%s%s", &text, &data)
	}
	if rec.Reset(); rec.Explained(4) != "" {
		t.Error("Reset forgets no sentence")
	}
}
