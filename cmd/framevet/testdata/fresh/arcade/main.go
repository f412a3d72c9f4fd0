// Arcade is a game with the library in Ebitengine. Its faults were written before the analyzers.
package main

import (
	"context"
	"log"
	"time"

	"github.com/hajimehoshi/ebiten/v2"

	"github.com/frameslice/frameslice"
	"github.com/frameslice/frameslice/frame/ebitenhost"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"

	"planted/fresh/assets"
)

type enemy struct {
	at, to int
	path   []int
}

type game struct {
	loop     *frameslice.Loop
	cells    []int
	enemies  []enemy
	danger   []float64
	hero     *ebiten.Image
	co       *frameslice.Co
	loader   *frameslice.Loader[string, *ebiten.Image]
	think    workers.Job
	music    *frameslice.Future[[]byte]
	autosave scheduler.Task
}

func main() {
	g := &game{loop: frameslice.New(frameslice.Balanced)}
	g.loader = frameslice.NewLoader(g.loop, frameslice.LoadOptions{}, g.decode)
	g.start()
	if err := ebitenhost.Run(g, g.loop, ebitenhost.Options{}); err != nil {
		log.Fatal(err)
	}
}

func (g *game) decode(ctx context.Context, name string, m *frameslice.Meter) (*ebiten.Image, error) {
	return assets.Picture(assets.Read(name)), nil // want "."
}

func (g *game) start() {
	g.loop.Post(frameslice.Normal, func() {
		time.Sleep(time.Second) // want "."
		log.Print("ready")
	})
	g.loop.Go(frameslice.Normal, g.story)
	g.loop.Go(frameslice.Low, func(co *frameslice.Co) {
		for { // want "."
			g.spawn()
		}
	})
	g.loop.Go(frameslice.Low, func(co *frameslice.Co) {
		for i := range g.enemies { // want "."
			e := &g.enemies[i]
			e.path = assets.Path(g.cells, e.at, e.to)
		}
	})
	g.loop.Every(frameslice.Low, time.Minute, func() {
		autosave := g.autosave // want "."
		autosave.Func = func() { log.Print("saved") }
		g.loop.Scheduler().Submit(&autosave)
	})
	g.music = frameslice.Submit(g.loop, frameslice.Normal, func(ctx context.Context) ([]byte, error) {
		return assets.Read("music.ogg"), nil
	})
}

func (g *game) spawn() { g.enemies = append(g.enemies, enemy{}) }

// story waits for the player, and for the world.
func (g *game) story(co *frameslice.Co) {
	g.co = co // want "."
	done := make(chan bool)
	go func() {
		co.Sleep(time.Second) // want "."
		close(done)
	}()
	<-done                                                        // want "."
	if _, err := g.music.Wait(context.Background()); err != nil { // want "."
		log.Print(err)
	}
	if hero, err := frameslice.IO(co, g.loop, func(context.Context) (*ebiten.Image, error) {
		return ebiten.NewImage(8, 8), nil // want "."
	}); err == nil {
		g.hero = hero
	}
	g.loop.Close() // want "."
}

func (g *game) Update() error {
	g.think.Func = func(w *workers.Worker) {
		danger := make([]float64, len(g.cells))
		for i := range danger {
			danger[i] = float64(i)
		}
		g.danger = danger // want "."
	}
	g.loop.Pool().Submit(&g.think) // want "."
	return nil
}

func (g *game) Draw(screen *ebiten.Image) {
	for i, d := range g.danger {
		if d > 0.5 {
			screen.Set(i, 0, nil)
		}
	}
	frameslice.Submit(g.loop, frameslice.Low, func(ctx context.Context) (bool, error) {
		screen.DrawImage(g.hero, nil) // want "."
		return true, nil
	})
}

func (g *game) Layout(w, h int) (int, int) { return w, h }
