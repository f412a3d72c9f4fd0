package load

import (
	"runtime/metrics"
	"time"
)

// Usage is what the process has used so far, or within some time.
type Usage struct {
	CPU time.Duration
	// Machine is the processor time of everyone, ourselves and the hypervisor included; 0 = not known. Its grain is
	// 10 ms.
	Machine     time.Duration
	Allocs, GCs uint64
}

// Plus returns both together.
func (u Usage) Plus(v Usage) Usage {
	return Usage{u.CPU + v.CPU, u.Machine + v.Machine, u.Allocs + v.Allocs, u.GCs + v.GCs}
}

// Minus returns what has come since v.
func (u Usage) Minus(v Usage) Usage {
	return Usage{u.CPU - v.CPU, u.Machine - v.Machine, u.Allocs - v.Allocs, u.GCs - v.GCs}
}

// ReadUsage takes some ten microseconds, and allocates. It is called at the ends of a stretch only.
func ReadUsage() Usage {
	s := [...]metrics.Sample{
		{Name: "/gc/heap/allocs:objects"},
		{Name: "/gc/heap/tiny/allocs:objects"},
		{Name: "/gc/cycles/total:gc-cycles"},
	}
	cpu, all := cpuTime(), readMachine() // first: reading them allocates
	metrics.Read(s[:])
	at := func(i int) uint64 {
		if s[i].Value.Kind() != metrics.KindUint64 {
			return 0
		}
		return s[i].Value.Uint64()
	}
	return Usage{CPU: cpu, Machine: all, Allocs: at(0) + at(1), GCs: at(2)}
}
