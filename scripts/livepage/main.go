// Command livepage is the program of scripts/live-test.mjs: a made-up game that package live shows. It has coroutines
// that wait, busy workers, and a late frame now and then. /alone/ is the page of a recorder without a loop. The program
// reads orders, one a line: hang, go or close.
package main

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/frameslice/frameslice"
	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/live"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

func main() {
	o := frameslice.Balanced.Options()
	o.OnStuck = func(string) {}
	o.Workers.Workers = 3
	loop := frameslice.NewWith(o)
	server, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, "livepage:", err)
		os.Exit(1)
	}
	recorder := record.New(record.Options{})
	mux := http.NewServeMux()
	mux.Handle("/", live.Handler(loop))
	mux.Handle("/alone/", live.HandlerOf(recorder))
	go func() { _ = (&http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}).Serve(server) }()
	fmt.Printf("at http://%s/\n", server.Addr())
	ctx, cancel := context.WithCancel(context.Background())
	free := make(chan struct{})
	go orders(loop, cancel, free)
	populate(loop)
	n, last := 0, deadline.Now()
	err = loop.Run(ctx, func() error { // the game's own work
		now := deadline.Now()
		recorder.Add(record.Record{Number: uint64(n + 1), Start: now, Interval: now.Sub(last)})
		last = now
		if n++; n%90 == 0 {
			loop.Post(frameslice.Immediate, spawnWave)
		}
		draw := loop.Section("draw the sky")
		//framevet:ok stands for work
		time.Sleep(time.Duration(2000+rand.IntN(2000)) * time.Microsecond)
		draw.End()
		return nil
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, "livepage:", err)
	}
	_ = loop.Close()
	select {} // the page tells that the loop is closed
}

// orders obeys the orders on the standard input.
func orders(loop *frame.Loop, end func(), free chan struct{}) {
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		switch in.Text() {
		case "hang":
			loop.Go(frameslice.Immediate, func(*frameslice.Co) { waitForALock(free) })
		case "go":
			free <- struct{}{}
		case "close":
			end()
		}
	}
	os.Exit(0)
}

//framevet:ok the page shall warn of it
func waitForALock(free chan struct{}) { <-free }

//framevet:ok the page shall show it
func spawnWave() { time.Sleep(40 * time.Millisecond) }

type never struct{}

func (never) Notify(func())        {}
func (never) Result() (int, error) { return 0, nil }

// populate gives the loop something to do.
func populate(loop *frame.Loop) {
	level := loop.NewGroup("level 1")
	type body = func(co *frameslice.Co)
	coroutine := func(label string, p frameslice.Priority, g *frameslice.Group, f body) *frameslice.Task {
		t := &scheduler.Task{Label: label, Priority: p, Group: g, Co: f}
		loop.Scheduler().Submit(t)
		return t
	}
	boss := coroutine("boss <b>script</b>", frameslice.Normal, level, func(co *frameslice.Co) { co.Sleep(time.Hour) })
	coroutine("door opens after the boss", frameslice.Normal, level, func(co *frameslice.Co) { _ = co.Wait(boss) })
	coroutine("download", frameslice.Low, nil, func(co *frameslice.Co) { _, _ = frameslice.Await(co, never{}) })
	loop.Go(frameslice.Normal, func(co *frameslice.Co) {
		for {
			co.NextFrame()
		}
	})
	for i := range 3 {
		coroutine(fmt.Sprint("patrol ", i+1), frameslice.Normal, level, func(co *frameslice.Co) {
			for {
				co.Sleep(time.Second / 3)
			}
		})
	}
	for i, label := range []string{"decode.png", "pathfind", "terrain"} {
		var submit func()
		submit = func() {
			loop.Pool().Submit(&workers.Job{Label: label, Priority: frameslice.Low, Func: func(*workers.Worker) {
				time.Sleep(time.Duration(20+30*i) * time.Millisecond)
				loop.After(frameslice.Low, time.Duration(5+20*i)*time.Millisecond, submit)
			}})
		}
		submit()
	}
}
