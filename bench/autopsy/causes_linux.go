package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/frameslice/frameslice/frame/autopsy"
	"golang.org/x/sys/unix"
)

const long = 30 * time.Millisecond // how late a frame is made, about

// A cause makes a frame late, in one of the places where it can.
type cause struct {
	name    string
	right   func(autopsy.Part) bool
	prepare func(*game) // once
	opened  func(*game) // before the frames that say what is usual
	before  func(*game) // before the frame's own work
	within  func(*game) // in a section of its name
	task    func(*game) // in a task of the slice
	wants   []want      // of a mixture, in place of right
}

var causes = []cause{
	{name: "hogs", before: hogs, right: is("runnable", "", "main.hog")},
	{name: "endless task", task: func(*game) { spin(long + refresh) }, right: is("work", "task endless", "")},
	{
		name: "assist storm", prepare: heap, opened: warm, within: allocate,
		right: is("assist", "section assist storm", ""),
	},
	{name: "long stop", prepare: pages, before: stopLong, right: is("stopped", "", "main.copies")},
	{name: "page faults", within: touch, right: is("faults", "section page faults", "page faults")},
	{
		name: "mutex of a job", within: func(g *game) { lockFor(g, long+refresh/2) },
		right: is("blocked", "section mutex of a job", "a lock held by job save"),
	},
	{name: "blocking read", within: func(*game) { readFor(long + refresh/2) },
		right: is("syscall", "section blocking read", "main.readFor"),
	},
	{
		name: "foreign spinners", prepare: startSpinners, before: foreign, within: heavy,
		right: is("system", "", "ran other"),
	},
	{name: "SIGSTOP", prepare: startStopper, before: stopProcess, right: is("suspended", "", "")},
	{name: "long swap", before: func(g *game) { g.swapFor = long }, right: is("syscall", "", "main.swapBuffers")},
}

func names() (all []string) {
	for _, c := range slices.Concat(causes, further, mixed) {
		all = append(all, c.name)
	}
	return all
}

func find(name string) *cause {
	for _, c := range slices.Concat(causes, further, mixed) {
		if c.name == name {
			return &c
		}
	}
	fail(fmt.Errorf("no cause %q", name))
	return nil
}

// is returns what finds a part of a kind, in a place, by a cause; empty is any.
func is(kind string, in, by string) func(autopsy.Part) bool {
	return func(p autopsy.Part) bool {
		return (kind == "" || p.Kind == kind) && (in == "" || p.In == in) && strings.Contains(p.By, by)
	}
}

// hogs are goroutines that compute: each has a P for 10 ms until the next one has it.
func hogs(g *game) {
	var stop atomic.Bool
	for range 12 {
		go hog(&stop)
	}
	g.undo = func() { stop.Store(true) }
}

func hog(stop *atomic.Bool) {
	for begin := time.Now(); !stop.Load() && time.Since(begin) < 2*time.Second; {
		spin(100 * time.Microsecond)
	}
}

type node struct{ left, right *node }

func grow(depth int) *node {
	if depth == 0 {
		return &node{}
	}
	return &node{grow(depth - 1), grow(depth - 1)}
}

// heap has many pointers and little room to grow, so a goroutine that allocates during a collection has to help.
func heap(g *game) {
	g.tree = grow(22)
	runtime.GC()
	debug.SetGCPercent(5)
}

// warm has the system bring the pages in that allocate will use: page faults are another cause.
func warm(g *game) {
	for range 2000 {
		g.kept = make([]byte, 32<<10)
	}
}

func allocate(g *game) {
	begin := time.Now()
	for i := 0; i < 1000 && time.Since(begin) < 2*long; i++ {
		g.kept = make([]byte, 32<<10) // few instructions, and much to help for
	}
}

// pages are what copies copies: the runtime cannot stop a copy before its end.
func pages(*game) {
	for i := range memory {
		memory[i] = make([]byte, 512<<20)
		for j := 0; j < len(memory[i]); j += 4096 {
			memory[i][j] = 1
		}
	}
}

var memory [2][]byte

func stopLong(g *game) {
	go copies()
	time.AfterFunc(time.Millisecond, func() { runtime.ReadMemStats(new(runtime.MemStats)) })
}

func copies() { copy(memory[0], memory[1]) }

// touch has the system bring new pages in.
func touch(*game) { touchPages(40_000) }

// touchPages touches new pages, for a while at most.
func touchPages(n int) {
	b, err := unix.Mmap(-1, 0, n*4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		fail(err)
	}
	_ = unix.Madvise(b, unix.MADV_NOHUGEPAGE)
	begin := time.Now()
	for i := 0; i < len(b) && time.Since(begin) < 2*long; i += 4096 {
		b[i] = 1
	}
	go func() { _ = unix.Munmap(b) }()
}

// spinners are other processes that compute, once they are let.
var spinners []*exec.Cmd

func startSpinners(*game) {
	for range 2 * runtime.NumCPU() {
		c := exec.Command("sh", "-c", "while :; do :; done")
		if err := c.Start(); err != nil {
			fail(err)
		}
		_ = c.Process.Signal(syscall.SIGSTOP)
		spinners = append(spinners, c)
	}
	atExit(func() {
		for _, c := range spinners {
			_ = c.Process.Kill()
			_ = c.Wait()
		}
	})
}

func foreign(g *game) {
	for _, c := range spinners {
		_ = c.Process.Signal(syscall.SIGCONT)
	}
	g.undo = func() {
		for _, c := range spinners {
			_ = c.Process.Signal(syscall.SIGSTOP)
		}
	}
}

func heavy(*game) { spin(15 * time.Millisecond) }

// stopper is another process that stops this one for 30 ms for each line that it reads.
var stopper io.WriteCloser

func startStopper(*game) {
	c := exec.Command("sh", "-c", "while read pid; do kill -STOP $pid; sleep 0.03; kill -CONT $pid; done")
	in, err := c.StdinPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		fail(err)
	}
	stopper = in
	atExit(func() {
		in.Close()
		_ = c.Wait()
	})
}

func stopProcess(*game) { fmt.Fprintln(stopper, os.Getpid()) }
