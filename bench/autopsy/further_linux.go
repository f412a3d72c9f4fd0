package main

import (
	"context"
	"net"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"sync"
	"sync/atomic"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame/autopsy"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
	"golang.org/x/sys/unix"
)

// further are causes beside the ten.
var further = []cause{
	{name: "channel send", within: send, right: is("blocked", "section channel send", "a channel of job save")},
	{name: "select", within: selects, right: is("blocked", "section select", "a channel of job save")},
	{
		name: "wait group", within: waitGroup,
		right: is("blocked", "section wait group", "a wait group of job save"),
	},
	{name: "condition", within: condition, right: is("blocked", "section condition", "a condition of job save")},
	{name: "readers", within: readers, right: is("blocked", "section readers", "a lock held by job save")},
	{
		name: "lock over a read", within: lockOverRead,
		right: is("blocked", "section lock over a read", "a lock held by job save"),
	},
	{name: "network", within: network, right: is("blocked", "section network", "the network")},
	{name: "full pipe", within: fullPipe, right: is("blocked", "section full pipe", "a file")},
	{name: "fsync", within: fsync, right: is("syscall", "section fsync", "main.fsync")},
	{name: "sleep", within: func(*game) { time.Sleep(long) }, right: is("blocked", "section sleep", "a sleep")},
	{name: "timer", within: func(*game) { <-time.After(long) }, right: is("blocked", "section timer", "a timer")},
	{name: "long section", within: func(*game) { spin(long) }, right: is("work", "section long section", "")},
	{name: "zeroed memory", within: zeroed, right: is("", "section zeroed memory", "")},
	{name: "map growth", within: mapGrowth, right: is("work", "section map growth", "")},
	{
		name: "runtime.GC", prepare: heap2, within: func(*game) { runtime.GC() },
		right: is("blocked", "section runtime.GC", "asked for"),
	},
	{name: "GOMAXPROCS", prepare: pages, before: func(*game) {
		go copies()
		time.AfterFunc(time.Millisecond, func() { runtime.GOMAXPROCS(1); runtime.GOMAXPROCS(2) })
	}, within: heavy, right: is("stopped", "", "GOMAXPROCS")},
	{
		name: "FreeOSMemory", prepare: heap2, opened: garbage, within: func(*game) { debug.FreeOSMemory() },
		right: is("", "section FreeOSMemory", ""),
	},
	{name: "goroutine profile", prepare: parked, before: func(*game) {
		go func() { _ = pprof.Lookup("goroutine").WriteTo(discard{}, 2) }()
	}, within: heavy, right: is("stopped", "", "all goroutines")},
	{name: "timers", before: timers, within: heavy, right: is("runnable", "", "timers")},
	{name: "go storm", within: goStorm, right: is("", "section go storm", "")},
	{
		name: "go storm of others", before: func(g *game) { go goStorm(g); go goStorm(g) }, within: heavy,
		right: is("runnable", "", ""),
	},
	{name: "mapped file", prepare: bigFile, within: mappedFile, right: is("faults", "", "")},
	{
		name: "busy core", prepare: startSpinners, before: busyCore, within: heavy,
		right: is("system", "", "ran other"),
	},
	{name: "panic of a job", within: jobPanic, right: ofJob("section panic of a job")},
	{name: "posted function", before: posted, right: is("work", "task main.posted", "")},
	{name: "phase", before: func(g *game) { callback(g, long) }, right: is("work", "phase before draw", "")},
	{name: "huge pages", within: hugePages, right: is("faults", "", "")},
	{name: "heap pages", within: heapPages, right: is("faults", "", "")},
	{name: "sleep for a swap", before: func(g *game) { g.sleepFor = long }, right: is("blocked", "", "")},
	{name: "coroutine", before: coroutine, right: is("work", "task main.coroutine", "")},
	{name: "future", within: future, right: ofJob("section future")},
	{name: "wait for a job", within: jobWait, right: ofJob("section wait for a job")},
}

func (g *game) job(f func()) {
	g.loop.Pool().Submit(&workers.Job{Label: "save", Priority: deadline.Immediate, Func: func(*workers.Worker) { f() }})
}

// ofJob finds a wait for a job in a section, or the job itself, where the frame's goroutine helps.
func ofJob(section string) func(autopsy.Part) bool {
	return func(p autopsy.Part) bool {
		return p.Kind == "work" && (p.In == "job save" || p.In == "job main.future") || p.Kind == "blocked" && p.In == section
	}
}

func send(g *game) {
	c := make(chan int)
	g.job(func() { spin(long); <-c })
	c <- 1
}

func selects(g *game) {
	c, d := make(chan int), make(chan int)
	g.job(func() { spin(long); c <- 1 })
	select {
	case <-c:
	case <-d:
	}
}

func waitGroup(g *game) {
	var wg sync.WaitGroup
	wg.Add(2)
	for range 2 {
		g.job(func() { spin(long); wg.Done() })
	}
	wg.Wait()
}

func condition(g *game) {
	var mu sync.Mutex
	c, done := sync.NewCond(&mu), false
	g.job(func() { spin(long); mu.Lock(); done = true; mu.Unlock(); c.Signal() })
	mu.Lock()
	for !done {
		c.Wait()
	}
	mu.Unlock()
}

func readers(g *game) {
	var mu sync.RWMutex
	holds := make(chan struct{})
	g.job(func() { mu.RLock(); close(holds); spin(long); mu.RUnlock() })
	<-holds
	mu.Lock()
	mu.Unlock()
}

func lockOverRead(g *game) {
	var mu sync.Mutex
	holds := make(chan struct{})
	g.job(func() { mu.Lock(); close(holds); readFor(long); mu.Unlock() })
	<-holds
	mu.Lock()
	mu.Unlock()
}

func network(g *game) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fail(err)
	}
	defer l.Close()
	go func() {
		c, err := l.Accept()
		if err == nil {
			time.Sleep(long)
			_, _ = c.Write([]byte{1})
			c.Close()
		}
	}()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		fail(err)
	}
	_, _ = c.Read(make([]byte, 1))
	c.Close()
}

func fullPipe(*game) {
	r, w, err := os.Pipe()
	if err != nil {
		fail(err)
	}
	time.AfterFunc(long, func() { _, _ = r.Read(make([]byte, 1<<17)); _, _ = r.Read(make([]byte, 1<<17)) })
	_, _ = w.Write(make([]byte, 80<<10))
	r.Close()
	w.Close()
}

func fsync(g *game) {
	f, err := os.CreateTemp(g.dir, "x")
	if err != nil {
		fail(err)
	}
	defer os.Remove(f.Name())
	begin := time.Now()
	for time.Since(begin) < long {
		_, _ = f.Write(make([]byte, 1<<20))
		_ = f.Sync()
	}
	f.Close()
}

func zeroed(g *game) {
	begin := time.Now()
	for time.Since(begin) < long {
		g.kept = make([]byte, 64<<20)
	}
}

func mapGrowth(*game) {
	m := map[int]int{}
	for i := range 600_000 {
		m[i] = i
	}
}

func heap2(g *game) { g.tree = grow(22); runtime.GC() }

func garbage(g *game) {
	g.kept = make([]byte, 400<<20)
	for i := 0; i < len(g.kept); i += 4096 {
		g.kept[i] = 1
	}
	g.kept = nil
}

type discard struct{}

func (discard) Write(b []byte) (int, error) { return len(b), nil }

func parked(*game) {
	for range 20_000 {
		go func() { select {} }()
	}
}

func timers(*game) {
	for range 200_000 {
		time.AfterFunc(3*time.Millisecond, func() { sinkTimer.Add(1) })
	}
}

var sinkTimer atomic.Int64

func goStorm(*game) {
	var wg sync.WaitGroup
	for range 200_000 {
		wg.Add(1)
		go func() { wg.Done() }()
	}
	wg.Wait()
}

var bigName string

func bigFile(g *game) {
	f, err := os.CreateTemp("", "big")
	if err != nil {
		fail(err)
	}
	bigName = f.Name()
	for range 64 {
		_, _ = f.Write(make([]byte, 1<<20))
	}
	_ = f.Sync()
	f.Close()
	atExit(func() { os.Remove(bigName) })
}

func mappedFile(*game) {
	f, _ := os.Open(bigName)
	_ = unix.Fadvise(int(f.Fd()), 0, 64<<20, unix.FADV_DONTNEED)
	b, err := unix.Mmap(int(f.Fd()), 0, 64<<20, unix.PROT_READ, unix.MAP_PRIVATE)
	if err != nil {
		fail(err)
	}
	begin, x := time.Now(), byte(0)
	for i := 0; i < len(b) && time.Since(begin) < 2*long; i += 4096 {
		x += b[(i*7919)%len(b)]
	}
	sinkTimer.Add(int64(x))
	_ = unix.Munmap(b)
	f.Close()
}

// busyCore moves the frame's thread to a processor on which others compute.
func busyCore(g *game) {
	var old, one unix.CPUSet
	_ = unix.SchedGetaffinity(0, &old)
	for i := range 1024 {
		if old.IsSet(i) {
			one.Set(i)
			break
		}
	}
	for _, c := range spinners {
		_ = unix.SchedSetaffinity(c.Process.Pid, &one)
		_ = c.Process.Signal(unix.SIGCONT)
	}
	_ = unix.SchedSetaffinity(0, &one)
	g.undo = func() {
		_ = unix.SchedSetaffinity(0, &old)
		for _, c := range spinners {
			_ = c.Process.Signal(unix.SIGSTOP)
		}
	}
}

func jobPanic(g *game) {
	j := &workers.Job{Label: "save", Priority: deadline.Immediate, Func: func(*workers.Worker) {
		spin(long)
		panic("oh")
	}}
	g.loop.Pool().Submit(j)
	_ = j.Wait(context.Background())
}

func hugePages(*game) {
	const size = 256 << 20
	b, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		fail(err)
	}
	_ = unix.Madvise(b, unix.MADV_HUGEPAGE)
	begin := time.Now()
	for i := 0; i < size && time.Since(begin) < 2*long; i += 4096 {
		b[i] = 1
	}
	go func() { _ = unix.Munmap(b) }()
}

func heapPages(g *game) {
	g.kept = nil
	debug.FreeOSMemory()
	g.kept = make([]byte, 128<<20)
	begin := time.Now()
	for i := 0; i < len(g.kept) && time.Since(begin) < 2*long; i += 4096 {
		g.kept[i] = 1
	}
}

func posted(g *game) { g.loop.Post(deadline.Immediate, func() { spin(long) }) }

func coroutine(g *game) {
	g.loop.Go(deadline.Immediate, func(co *scheduler.Co) {
		spin(long)
		co.Yield()
	})
}

func future(g *game) {
	f := workers.Submit(g.loop.Pool(), deadline.Immediate, func(context.Context) (int, error) {
		spin(long)
		return 0, nil
	})
	_, _ = f.Wait(context.Background())
}

func jobWait(g *game) {
	j := &workers.Job{Label: "save", Priority: deadline.Immediate, Func: func(*workers.Worker) { spin(long) }}
	g.loop.Pool().Submit(j)
	_ = j.Wait(context.Background())
}
