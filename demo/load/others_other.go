//go:build !linux

package load

// ReadMachine does not know it here.
func ReadMachine() MachineTime { return MachineTime{} }
