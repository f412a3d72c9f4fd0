package load

import "sync/atomic"

// counters are a Loader's Progress.
type counters struct{ total, loaded, failed, canceled, bytes, totalBytes atomic.Int64 }

// Progress says how far a Loader is, for the bar of a loading screen. It counts from New on: give each scene a Loader
// of its own.
type Progress struct {
	Total    int // requests made
	Loaded   int // committed with a value
	Failed   int // committed with an error, or the commit panicked or called Goexit
	Canceled int // canceled, but not by the loop's Close

	// Bytes and TotalBytes are the sums of what decode functions told their Meters. A failed attempt does not count.
	Bytes, TotalBytes int64
}

// Progress returns how far the loader is at this moment. Any goroutine.
func (ld *Loader[K, T]) Progress() Progress {
	c := &ld.count
	return Progress{
		Loaded: int(c.loaded.Load()), Failed: int(c.failed.Load()), Canceled: int(c.canceled.Load()),
		Bytes: c.bytes.Load(), TotalBytes: c.totalBytes.Load(),
		Total: int(c.total.Load()), // last, so that it is not less than the sum of the others
	}
}

// Fraction returns which part of the requests has ended, from 0 to 1. Without requests the result is 1.
func (p Progress) Fraction() float64 {
	if p.Total <= 0 {
		return 1
	}
	return float64(p.Loaded+p.Failed+p.Canceled) / float64(p.Total)
}

// Meter reports how far a decode is. Any goroutine may call its methods until decode returns.
type Meter struct {
	count       *counters
	done, total atomic.Int64
}

// SetTotal sets how many bytes there are to decode.
func (m *Meter) SetTotal(n int64) { m.count.totalBytes.Add(n - m.total.Swap(n)) }

// Add says that n more bytes are decoded.
func (m *Meter) Add(n int64) {
	m.done.Add(n)
	m.count.bytes.Add(n)
}

// forget takes back what an attempt has reported.
func (m *Meter) forget() {
	m.count.bytes.Add(-m.done.Swap(0))
	m.count.totalBytes.Add(-m.total.Swap(0))
}
