package load

import (
	"runtime/metrics"
	"time"
)

// Usage is what the process has used so far, or within some time.
type Usage struct {
	CPU                time.Duration
	Machine            MachineTime // of the whole machine
	Allocs, Bytes, GCs uint64
}

// MachineTime is processor time of the whole machine since it was started, as far as it is known. Its grain is 10 ms.
type MachineTime struct {
	Used   time.Duration // by everyone, ourselves included, with what was stolen
	Stolen time.Duration // by a hypervisor, which let something else run while a processor had something to do
}

// Plus returns both together.
func (u Usage) Plus(v Usage) Usage {
	return Usage{
		u.CPU + v.CPU, MachineTime{u.Machine.Used + v.Machine.Used, u.Machine.Stolen + v.Machine.Stolen},
		u.Allocs + v.Allocs, u.Bytes + v.Bytes, u.GCs + v.GCs,
	}
}

// Minus returns what has come since v.
func (u Usage) Minus(v Usage) Usage {
	return Usage{
		u.CPU - v.CPU, MachineTime{u.Machine.Used - v.Machine.Used, u.Machine.Stolen - v.Machine.Stolen},
		u.Allocs - v.Allocs, u.Bytes - v.Bytes, u.GCs - v.GCs,
	}
}

// ReadUsage takes some ten microseconds, and allocates. It is called at the ends of a stretch only.
func ReadUsage() Usage {
	s := [...]metrics.Sample{
		{Name: "/gc/heap/allocs:objects"},
		{Name: "/gc/heap/tiny/allocs:objects"},
		{Name: "/gc/heap/allocs:bytes"},
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
	return Usage{CPU: cpu, Machine: all, Allocs: at(0) + at(1), Bytes: at(2), GCs: at(3)}
}
