package main

import (
	"sync"
	"syscall"
	"time"

	"github.com/frameslice/frameslice/frame/autopsy"
	"github.com/frameslice/frameslice/scheduler"
)

// A want is a part that a mixture must have among the first.
type want struct {
	is   func(autopsy.Part) bool
	took time.Duration // zero: nobody knows
}

// mixed are two causes in one frame, of known sizes.
var mixed = []cause{
	{name: "lock 24, work 16", before: func(g *game) {
		g.section("save", func() { lockFor(g, 18*time.Millisecond) })
		g.section("ai", func() { spin(16 * time.Millisecond) })
	}, wants: []want{
		{is("blocked", "section save", "a lock held by job save"), 24 * time.Millisecond},
		{is("work", "section ai", ""), 16 * time.Millisecond},
	}},
	{name: "read 20, callback 20", before: func(g *game) {
		g.section("load", func() { readFor(20 * time.Millisecond) })
		callback(g, 20*time.Millisecond)
	}, wants: []want{
		{is("syscall", "section load", "main.readFor"), 20 * time.Millisecond},
		{is("work", "phase before draw", ""), 20 * time.Millisecond},
	}},
	{name: "sleep after the frame 24, work 16", before: func(g *game) {
		g.sleepFor = 24 * time.Millisecond
		g.section("ai", func() { spin(16 * time.Millisecond) })
	}, wants: []want{
		{is("blocked", "", "a sleep"), 24 * time.Millisecond},
		{is("work", "section ai", ""), 16 * time.Millisecond},
	}},
	{name: "channel 16, sleep 24", before: func(g *game) {
		g.section("load", func() {
			c := make(chan int)
			g.job(func() { spin(16 * time.Millisecond); c <- 1 })
			<-c
		})
		g.section("ai", func() { time.Sleep(24 * time.Millisecond) })
	}, wants: []want{
		{is("blocked", "section load", "a channel of job save"), 16 * time.Millisecond},
		{is("blocked", "section ai", "a sleep"), 24 * time.Millisecond},
	}},
	{name: "work 20, faults", before: func(g *game) {
		g.section("ai", func() { spin(20 * time.Millisecond) })
		g.section("load", func() { touchPages(10_000) })
	}, wants: []want{
		{is("work", "section ai", ""), 20 * time.Millisecond},
		{is("faults", "section load", "page faults"), 0},
	}},
	{name: "stop, work 25", prepare: pages, before: func(g *game) {
		stopLong(g)
		g.section("ai", func() { spin(25 * time.Millisecond) })
	}, wants: []want{
		{is("stopped", "", "main.copies"), 0},
		{is("work", "section ai", ""), 25 * time.Millisecond},
	}},
	{name: "SIGSTOP 30, work 20", prepare: startStopper, before: func(g *game) {
		stopProcess(g)
		g.section("ai", func() { spin(20 * time.Millisecond) })
	}, wants: []want{
		{is("suspended", "", ""), 0},
		{is("work", "section ai", ""), 20 * time.Millisecond},
	}},
	{name: "hogs, lock 20", before: func(g *game) {
		hogs(g)
		g.section("save", func() { lockFor(g, 20*time.Millisecond) })
	}, wants: []want{
		{is("runnable", "", "main.hog"), 0},
		{is("blocked", "section save", "job save"), 0},
	}},
	{name: "spinners, work 25", prepare: startSpinners, before: func(g *game) {
		foreign(g)
		g.section("ai", func() { spin(25 * time.Millisecond) })
	}, wants: []want{
		{is("system", "", "ran other"), 0},
		{is("work", "section ai", ""), 25 * time.Millisecond},
	}},
	{name: "callback 24, read 16", before: func(g *game) {
		callback(g, 24*time.Millisecond)
		g.section("load", func() { readFor(16 * time.Millisecond) })
	}, wants: []want{
		{is("work", "phase before draw", ""), 24 * time.Millisecond},
		{is("syscall", "section load", "main.readFor"), 16 * time.Millisecond},
	}},
}

// holds reports whether the wanted parts are among the first, of the right sizes.
func holds(wants []want, parts []autopsy.Part) bool {
	for _, w := range wants {
		found := false
		for _, p := range parts[:min(len(parts), len(wants))] {
			off := (p.Time - p.Usual - w.took).Abs()
			found = found || w.is(p) && (w.took == 0 || off <= w.took/10+2*time.Millisecond)
		}
		if !found {
			return false
		}
	}
	return true
}

func lockFor(g *game, d time.Duration) {
	var mu sync.Mutex
	holds := make(chan struct{})
	g.job(func() {
		mu.Lock()
		close(holds)
		spin(d)
		mu.Unlock()
	})
	<-holds
	mu.Lock()
	defer mu.Unlock()
}

func readFor(d time.Duration) {
	var p [2]int
	if err := syscall.Pipe(p[:]); err != nil {
		fail(err)
	}
	time.AfterFunc(d, func() { _, _ = syscall.Write(p[1], []byte{1}) })
	var b [1]byte
	_, _ = syscall.Read(p[0], b[:])
	_, _ = syscall.Close(p[0]), syscall.Close(p[1])
}

func callback(g *game, d time.Duration) {
	g.loop.Host().Once(scheduler.BeforeDraw, func() { spin(d) })
}
