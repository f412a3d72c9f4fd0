package load

import "sync/atomic"

// counters are a Loader's Progress.
type counters struct{ total, loaded, failed, canceled, bytes, totalBytes atomic.Int64 }

// Progress counts the requests of a Loader by State, from New on, or the keys of a View. Give each scene a Loader or a
// View of its own.
type Progress struct {
	Total    int
	Loaded   int
	Failed   int
	Canceled int // but not by the loop's Close

	// The sums of all Meters, without failed attempts.
	Bytes, TotalBytes int64
}

// Progress returns how far the loader is.
func (ld *Loader[K, T]) Progress() Progress {
	c := &ld.count
	return Progress{
		Loaded: int(c.loaded.Load()), Failed: int(c.failed.Load()), Canceled: int(c.canceled.Load()),
		Bytes: c.bytes.Load(), TotalBytes: c.totalBytes.Load(),
		Total: int(c.total.Load()), // last, so that it is not less than the sum of the others
	}
}

// Fraction returns the share of requests that have ended, and 1 without requests.
func (p Progress) Fraction() float64 {
	if p.Total <= 0 {
		return 1
	}
	return float64(p.Loaded+p.Failed+p.Canceled) / float64(p.Total)
}

// Meter reports how far a source is, or a decode of a Loader without one. Any goroutine may call its methods until the
// function returns.
type Meter struct {
	count       *counters
	done, total atomic.Int64
}

// SetTotal sets how many bytes there are.
func (m *Meter) SetTotal(n int64) { m.count.totalBytes.Add(n - m.total.Swap(n)) }

// Add adds to the bytes that are done.
func (m *Meter) Add(n int64) {
	m.done.Add(n)
	m.count.bytes.Add(n)
}

// forget takes back what an attempt has reported.
func (m *Meter) forget() {
	m.count.bytes.Add(-m.done.Swap(0))
	m.count.totalBytes.Add(-m.total.Swap(0))
}
