// Package blocking has waits of each kind, and things that look like waits.
package blocking

import (
	"context"
	"os"
	"sync"
	"time"

	"github.com/hajimehoshi/ebiten/v2"

	"github.com/frameslice/frameslice"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"

	"planted/fresh/assets"
	"planted/ideas/called"
)

// Game is no ebiten.Game by itself: it gets a method by embedding.
type Game struct {
	base
	loop  *frameslice.Loop
	lines chan string
	room  chan int
	mu    sync.Mutex
	calm  sync.Mutex
	task  *scheduler.Task
	any   interface{ Work() }
}

type base struct{ once sync.Once }

func (b *base) Layout(w, h int) (int, int) {
	b.once.Do(func() {
		time.Sleep(time.Second) // want "base|Layout"
	})
	return w, h
}

// New makes channels with and without room.
func New(loop *frameslice.Loop) *Game {
	g := &Game{loop: loop, lines: make(chan string), room: make(chan int, 4)}
	go g.read()
	return g
}

func (g *Game) read() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.slow()
	g.calm.Lock()
	g.calm.Unlock()
	time.Sleep(time.Second)
}

func (g *Game) slow() { <-g.lines }

func (g *Game) Update() error {
	for line := range g.lines { // want "a range over a channel"
		_ = line
	}
	g.room <- 1
	put(g.room, 1)
	put(make(chan int, 1), 3)
	hand(g.lines)
	called.Send(g.room)
	called.Log() // want "called.Log, which leads to a send to a channel"
	if g.any == nil {
		called.Fatal()
		fail()
	}
	called.Hint(g.any == nil) // want "called.Hint, which leads to Cmd.Run"
	if len(g.lines) > 0 {
		<-g.lines
	}
	select {
	case <-g.lines:
	default:
	}
	g.any.Work()
	go func() { <-g.lines }()
	defer g.wait()
	do := func() { <-g.task.Done() } // want "a receive from a channel"
	do()
	g.mu.Lock() // want "holds over"
	g.mu.Unlock()
	g.calm.Lock()
	g.calm.Unlock()
	return nil
}

// put is only given channels with room.
func put(to chan int, n int) {
	if n > 0 {
		put(to, n-1)
	}
	to <- n
}

func hand(to chan string) { to <- "" } // want "a send to a channel on the frame goroutine .Update . hand."

func fail() {
	time.Sleep(time.Second)
	func() { called.Fatal() }()
	panic("the program has ended")
}

func (g *Game) wait() {
	select {} // want "a select without default"
}

func (g *Game) Draw(screen *ebiten.Image) {
	g.later(func() {
		os.ReadFile("later") // want "os.ReadFile on the frame goroutine .this task."
	})
	g.now(func() {
		os.ReadFile("now") // want "os.ReadFile on the frame goroutine"
	})
	g.aside(func() { os.ReadFile("aside") })
	time.Sleep(0) //framevet:ok the test of a reason
	//framevet:ok the line above
	time.Sleep(0)
	time.Sleep(0) //framevet:ok // want "has no reason" "time.Sleep"
}

func (g *Game) later(f func()) { g.loop.Post(frameslice.Low, f) }
func (g *Game) now(f func())   { f() }
func (g *Game) aside(f func()) { go f() }

// Tasks has the verbs beside a game.
func Tasks(loop *frameslice.Loop, job *workers.Job) {
	s := loop.Scheduler()
	s.Microtask(func() { job.Wait(context.Background()) }) // want "Job.Wait"
	t := &scheduler.Task{Label: "t"}
	t.Func = func() { loop.Pool().Close(context.Background()) } // want "Pool.Close"
	s.Submit(t)
	loop.NewGroup("level").Each(frameslice.BeforeDraw, tick)
	loop.Go(frameslice.Low, func(co *frameslice.Co) {
		co.Wait(t)
		frameslice.IO(co, loop, func(context.Context) ([]byte, error) { return os.ReadFile("file") })
		frameslice.Background(co, loop, func(context.Context) (int, error) { return len(assets.Read("name")), nil })
		loop.ParallelFor(8, 1, func(lo, hi int) {})
	})
	time.Sleep(time.Second) // nobody says that this runs in a frame
}

func tick() { assets.Read("every frame") } // want "assets.Read, which leads to os.ReadFile"
