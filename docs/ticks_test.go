package docs_test

import (
	"fmt"

	"github.com/frameslice/frameslice"
	"github.com/frameslice/frameslice/frame/ticks"
)

// A battle has units on a line, which walk where they are told.
type battle struct {
	clock    *ticks.Clock
	paths    *ticks.Kind[request, path]
	position []int
}

type path []int

type request struct{ unit, from, to int }

func newBattle(loop *frameslice.Loop) *battle {
	b := &battle{position: make([]int, 8)}
	b.clock = ticks.New(loop.Pool(), 0)
	b.paths = ticks.NewKind(b.clock, "path", 4, searchPath, b.setPath)
	return b
}

// tick simulates one tick, on the frame goroutine.
func (b *battle) tick(orders []request) {
	b.clock.Begin() // calls setPath for what was submitted four ticks ago
	for _, order := range orders {
		b.paths.Submit(order)
	}
	for unit := range b.position {
		b.clock.Mix(uint64(b.position[unit])) // the checksum that the players compare
	}
}

// correct simulates again from the tick after the given one, of which saved is the state.
func (b *battle) correct(after int64, saved []int, orders [][]request) {
	b.clock.Rewind(after)
	copy(b.position, saved)
	for _, list := range orders {
		b.tick(list)
	}
}

func searchPath(r request) (p path) {
	for at := r.from; at < r.to; at++ {
		p = append(p, at+1)
	}
	return p
}

func (b *battle) setPath(r request, p path) { b.position[r.unit] = p[len(p)-1] }

func Example_ticks() {
	loop := frameslice.New(frameslice.Balanced)
	defer loop.Close()

	b := newBattle(loop)
	b.tick([]request{{unit: 0, from: 0, to: 3}, {unit: 1, from: 0, to: 4}})
	saved := append([]int(nil), b.position...)
	for range 4 {
		b.tick(nil)
	}
	fmt.Println("tick", b.clock.Tick(), b.position[:2])

	// The other player had given an order in the second tick.
	b.correct(1, saved, [][]request{{{unit: 1, from: 4, to: 6}}, nil, nil, nil, nil})
	fmt.Println("tick", b.clock.Tick(), b.position[:2])
	// Output:
	// tick 5 [3 4]
	// tick 6 [3 6]
}
