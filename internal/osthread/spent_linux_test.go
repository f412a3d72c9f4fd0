package osthread

import (
	"runtime"
	"testing"
	"time"
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
	for time.Since(begin) < 20*time.Millisecond {
	}
	b, err := m.Read()
	d := time.Since(begin)
	if err != nil || b.CPU <= a.CPU || b.CPU-a.CPU > d || b.Delay < a.Delay || b.Minor < a.Minor {
		t.Errorf("within %v of %+v: %+v, error %v", d, a, b, err)
	}
	if n := testing.AllocsPerRun(100, func() { _, _ = m.Read() }); n > 0 {
		t.Errorf("%v allocations", n)
	}
	done := make(chan bool)
	go func() { // on another thread, as this one is locked
		defer close(done)
		if c, err := m.Read(); err != nil || c.CPU >= b.CPU+time.Minute {
			t.Errorf("%+v, error %v", c, err)
		}
	}()
	<-done
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
	for b.Loop() {
		_, _ = m.Read()
	}
}
