//go:build freebsd && (amd64 || arm64 || riscv64)

package osthread

import (
	"reflect"
	"runtime"

	"golang.org/x/sys/unix"
)

// Levels and kinds of cpuset_setaffinity(2), from sys/cpuset.h, and the id of the calling thread.
const (
	cpuLevelWhich = 3
	cpuWhichTid   = 1
	thisThread    = ^uintptr(0)
)

// A cpuSet is as long as the longest of any kernel: 1024 bits since FreeBSD 14, 256 before.
type cpuSet [1024 / 64]uint64

// affinity calls cpuset_getaffinity or cpuset_setaffinity for the calling thread.
func affinity(call uintptr, set *cpuSet) error {
	// The address without package unsafe, which nothing here uses: what a reflect.Value was made of is on the
	// heap, where the garbage collector does not move it, and KeepAlive keeps it there.
	at := reflect.ValueOf(set).Pointer()
	errno := unix.ERANGE // which is what a kernel says whose sets are shorter, or longer
	for size := uintptr(len(set) * 8); errno == unix.ERANGE && size >= 8; size /= 2 {
		_, _, errno = unix.Syscall6(call, cpuLevelWhich, cpuWhichTid, thisThread, size, at, 0)
	}
	runtime.KeepAlive(set)
	if errno != 0 {
		return errno
	}
	return nil
}

// CPUs returns the numbers of the processors that the calling thread may use, in ascending order.
func CPUs() ([]int, error) {
	set := new(cpuSet)
	if err := affinity(unix.SYS_CPUSET_GETAFFINITY, set); err != nil {
		return nil, err
	}
	var cpus []int
	for i := range len(set) * 64 {
		if set[i/64]>>(i%64)&1 != 0 {
			cpus = append(cpus, i)
		}
	}
	return cpus, nil
}

// Pin restricts the calling thread to the processors, which must be some.
func Pin(cpus ...int) error {
	set := new(cpuSet)
	for _, cpu := range cpus {
		if cpu < 0 || cpu >= len(set)*64 {
			return ErrUnsupported
		}
		set[cpu/64] |= 1 << (cpu % 64)
	}
	return affinity(unix.SYS_CPUSET_SETAFFINITY, set)
}

// Lower is not supported here.
func Lower() (Class, error) { return Ordinary, ErrUnsupported }

// Lowered is not supported here.
func Lowered() (Class, error) { return Ordinary, ErrUnsupported }

// Name is not supported here.
func Name(string) error { return ErrUnsupported }

// ID is not supported here: it returns 0.
func ID() int { return 0 }

// ReadUsage is not supported here.
func ReadUsage() (Usage, error) { return Usage{}, ErrUnsupported }

// first reports whether the calling thread may be the process's first. There is no cheap way to ask, so Go always
// takes another one.
func first() bool { return true }
