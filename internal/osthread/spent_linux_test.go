package osthread

import (
	"runtime"
	"testing"
	"time"

	"github.com/frameslice/frameslice/internal/testkit"
)

// What a thread has spent grows by the time that it works, and a busy thread waits for nothing else.
func TestMeterReadsThisThread(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var m Meter
	begin := time.Now()
	a, err := m.Read()
	if err != nil {
		t.Skip(err)
	}
	if a.Delay >= 0 {
		t.Errorf("a delay of %v before Open", a.Delay)
	}
	m.Open()
	if a, err = m.Read(); err != nil || a.Delay < 0 {
		t.Skip("the kernel keeps no delays: ", err)
	}
	for time.Since(begin) < 20*time.Millisecond {
	}
	b, err := m.Read()
	d := time.Since(begin)
	if err != nil || b.CPU <= a.CPU || b.CPU-a.CPU > d || b.Delay < a.Delay || b.Minor < a.Minor {
		t.Errorf("within %v of %+v: %+v, error %v", d, a, b, err)
	}
	testkit.NoAllocs(t, func() { _, _ = m.Read() })
	done := make(chan bool)
	go func() { // on another thread, as this one is locked
		defer close(done)
		if c, err := m.Read(); err != nil || c.CPU >= b.CPU+time.Minute {
			t.Errorf("%+v, error %v", c, err)
		}
	}()
	<-done
}

// A Meter knows the delays of the threads on which its goroutine was lately, and opens a file only in Open.
func TestMeterKnowsSeveralThreads(t *testing.T) {
	var m Meter
	on := func(f func(thread int)) {
		done := make(chan struct{})
		go func() {
			defer close(done)
			runtime.LockOSThread() // and the thread ends with the goroutine
			id, _, err := m.CPU()
			if err == nil {
				f(id)
			}
		}()
		<-done
	}
	for range 2 * len(m.files) { // each on a thread of its own; a number may be used again
		on(func(thread int) {
			if _, ok := m.Delay(thread); ok {
				t.Error("the delay of a new thread was known before Open")
			}
			m.Open()
			d, ok := m.Delay(thread)
			if !ok {
				t.Log("the kernel keeps no delays")
				return
			}
			if e, ok := m.Delay(thread); !ok || e < d {
				t.Errorf("a delay of %v, then %v, %v", d, e, ok)
			}
		})
	}
	testkit.NoAllocs(t, m.Open)
}

func TestFaultCost(t *testing.T) {
	if d := FaultCost(); d <= 0 || d > time.Second {
		t.Error(d)
	}
}

func BenchmarkMeter(b *testing.B) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var m Meter
	_, _ = m.Read()
	m.Open()
	for b.Loop() {
		_, _ = m.Read()
	}
}
