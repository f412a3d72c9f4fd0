package workers

import "time"

// Tally is tally for tests.
type Tally struct{ t tally }

func (t *Tally) Record(d time.Duration) { t.t.record(d) }

func (t *Tally) Histogram() (h Histogram) {
	t.t.addTo(&h)
	return h
}
