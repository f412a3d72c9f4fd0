package load

import "time"

// MachineTime is processor time of the whole machine since it was started, as far as it is known. Its grain is 10 ms.
type MachineTime struct {
	Used   time.Duration // by everyone, ourselves included, with what was stolen
	Stolen time.Duration // by a hypervisor, which let something else run while a processor had something to do
}

// Plus returns both together.
func (t MachineTime) Plus(u MachineTime) MachineTime {
	return MachineTime{t.Used + u.Used, t.Stolen + u.Stolen}
}

// Minus returns what has come since u.
func (t MachineTime) Minus(u MachineTime) MachineTime {
	return MachineTime{t.Used - u.Used, t.Stolen - u.Stolen}
}
