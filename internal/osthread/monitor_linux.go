package osthread

import (
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// RationMonitor allows the thread of the Go runtime's monitor (sysmon) half a percent of a processor, where it takes 4
// beside a frame that waits in a system call, and returns what takes that back. It wants CAP_SYS_NICE. Any goroutine
// may call it, and the function, once. It takes some 3 ms, mostly asleep, and up to 0.3 s when the monitor is not
// found.
//
// The policy is SCHED_DEADLINE: a thread that has used up what there is in a period sleeps until it has been paid back,
// some milliseconds here. (Rejected: a timer slack, which has the same effect, but the monitor starts threads now and
// then, and they inherit it; of this policy the system relieves them.) The price: where a tick finds it with nothing
// left it is taken off its processor there and then, and a lock of the runtime's that it holds stays locked until it
// goes on. It holds one for a microsecond, some sixty times a second. And what it overdraws it has to pay back:
// starting a thread takes it 50 µs, so it then sleeps for 10 ms, and a thread that the hypervisor stopped meanwhile for
// longer.
func RationMonitor() (undo func(), err error) {
	tid, err := monitor()
	if err != nil {
		return nil, err
	}
	old, err := ordinary(tid)
	if err != nil {
		return nil, err
	}
	if old.Nice != 0 {
		return nil, ErrUnsupported // of which the system would relieve its threads, too
	}
	ration := unix.SchedAttr{
		Size: unix.SizeofSchedAttr, Policy: unix.SCHED_DEADLINE, Flags: unix.SCHED_FLAG_RESET_ON_FORK,
		Runtime: uint64(5 * time.Microsecond), Deadline: uint64(time.Millisecond), Period: uint64(time.Millisecond),
	}
	if err := unix.SchedSetAttr(tid, &ration, 0); err != nil {
		return nil, err
	}
	return func() { putBack(tid, old) }, nil
}

// monitor returns the thread of the runtime's monitor: the one that is in runtime.usleep at half of some looks, and
// runs at the others. All others sleep there for 10 µs at most, and seldom.
func monitor() (int, error) {
	if self, err := os.Readlink("/proc/self"); err != nil || self != strconv.Itoa(os.Getpid()) {
		return 0, ErrUnsupported // its numbers are not those that system calls take
	}
	const looks = 8
	for try := range 100 {
		// It sleeps elsewhere while nothing runs, which a nap on the only P may have it do, and takes some time to
		// come back. So now and then there is no nap.
		pause := nap
		if try%10 == 9 {
			pause = stay
		}
		tids, err := threads()
		if err != nil {
			return 0, err
		}
		asleep := make([]int, len(tids)) // at so many looks, or -1: it is another
		for range looks {
			pause(300 * time.Microsecond)
			for i, tid := range tids {
				switch where(tid) {
				case "runtime.usleep":
					if asleep[i] >= 0 {
						asleep[i]++
					}
				case "":
				default:
					asleep[i] = -1
				}
			}
		}
		found := -1
		for i, n := range asleep {
			if n >= looks/2 {
				if found >= 0 {
					found = -1
					break
				}
				found = i
			}
		}
		if found >= 0 {
			return tids[found], nil
		}
		nap(time.Millisecond)
	}
	return 0, ErrUnsupported
}

// stay lets d pass on its processor.
func stay(d time.Duration) {
	for begun := time.Now(); time.Since(begun) < d; {
	}
}

// threads returns the ids of the process's threads.
func threads() ([]int, error) {
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return nil, err
	}
	tids := make([]int, len(tasks))
	for i, t := range tasks {
		if tids[i], err = strconv.Atoi(t.Name()); err != nil {
			return nil, err
		}
	}
	return tids, nil
}

// where returns the function of the runtime that has made the system call in which a thread is, or nothing if it runs.
// The file ends with the program counter.
func where(tid int) string {
	text, err := os.ReadFile("/proc/self/task/" + strconv.Itoa(tid) + "/syscall")
	if err != nil {
		return "gone"
	}
	fields := strings.Fields(string(text))
	if len(fields) < 2 {
		return ""
	}
	pc, err := strconv.ParseUint(fields[len(fields)-1], 0, 64)
	if err != nil {
		return "elsewhere"
	}
	if f := runtime.FuncForPC(uintptr(pc)); f != nil {
		name, _, _ := strings.Cut(f.Name(), ".abi")
		return name
	}
	return "elsewhere"
}
