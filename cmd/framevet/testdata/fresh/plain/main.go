// Plain is a game of plain Ebitengine, without the library. Its faults were written before the analyzers.
package main

import (
	"encoding/json"
	"log"
	"net/http"
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/hajimehoshi/ebiten/v2"

	"planted/fresh/assets"
)

type score struct {
	Name   string
	Points int
}

type game struct {
	scores  []score
	results chan []score
	clicks  chan int
	wg      sync.WaitGroup
	mu      sync.Mutex
	cond    *sync.Cond
	ready   bool
	sprites map[string]*ebiten.Image
	loads   int
}

func main() {
	g := &game{results: make(chan []score), clicks: make(chan int), sprites: map[string]*ebiten.Image{}}
	g.cond = sync.NewCond(&g.mu)
	go g.refresh()
	if err := ebiten.RunGame(g); err != nil {
		log.Fatal(err)
	}
}

func (g *game) Layout(w, h int) (int, int) { return w, h }

func (g *game) Update() error {
	if ebiten.IsKeyPressed(ebiten.KeySpace) {
		time.Sleep(50 * time.Millisecond) // want "."
	}
	if ebiten.IsKeyPressed(ebiten.KeyS) {
		g.save()
	}
	if ebiten.IsKeyPressed(ebiten.KeyO) {
		exec.Command("xdg-open", "https://example.org").Run() // want "."
	}
	if g.loads > 0 {
		g.scores = <-g.results // want "."
		g.loads--
	}
	if ebiten.IsMouseButtonPressed(ebiten.MouseButtonLeft) {
		g.clicks <- 1 // want "."
	}
	if ebiten.IsKeyPressed(ebiten.KeyR) {
		g.reload()
	}
	return nil
}

// save writes the table, and waits until the server has it.
func (g *game) save() {
	bytes, err := json.Marshal(g.scores)
	if err != nil {
		return
	}
	if err := os.WriteFile("scores.json", bytes, 0o644); err != nil { // want "."
		log.Print(err)
	}
	resp, err := http.Get("https://example.org/scores?v=1") // want "."
	if err == nil {
		resp.Body.Close()
	}
}

// reload loads three maps at once and waits for them.
func (g *game) reload() {
	for _, name := range []string{"a", "b", "c"} {
		g.wg.Go(func() { log.Print(len(assets.Read(name))) })
	}
	g.wg.Wait() // want "."
}

func (g *game) Draw(screen *ebiten.Image) {
	g.mu.Lock() // want "."
	n := len(g.scores)
	g.mu.Unlock()
	if n == 0 {
		g.waitForScores()
	}
	if g.sprites["hero"] == nil {
		data := assets.Read("hero.png") // want "."
		g.sprites["hero"] = assets.Picture(data)
	}
	screen.DrawImage(g.sprites["hero"], nil)
}

func (g *game) waitForScores() {
	g.mu.Lock() // want "."
	defer g.mu.Unlock()
	for !g.ready {
		g.cond.Wait() // want "."
	}
}

// refresh holds the lock while the server answers.
func (g *game) refresh() {
	for {
		g.mu.Lock()
		resp, err := http.Get("https://example.org/scores")
		if err == nil {
			json.NewDecoder(resp.Body).Decode(&g.scores)
			resp.Body.Close()
		}
		g.ready = true
		g.mu.Unlock()
		g.cond.Broadcast()
		time.Sleep(time.Minute)
	}
}
