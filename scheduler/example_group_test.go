package scheduler_test

import (
	"fmt"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// A menu opens over a level: the level's timers and coroutines stand still, and the menu's continue.
func ExampleGroup_Pause() {
	var now deadline.Instant
	s := scheduler.New(scheduler.Options{Clock: func() deadline.Instant { return now }}) // for the example's sake
	defer s.Close()
	second := func(n int) {
		for range n {
			now = now.Add(time.Second)
			s.BeginFrame(now)
			s.RunUntil(deadline.Deadline{})
		}
	}
	level, menu := s.NewGroup("level"), s.NewGroup("menu")
	level.Go(deadline.Normal, func(co *scheduler.Co) {
		for wave := 1; ; wave++ {
			co.Sleep(2 * time.Second)
			fmt.Println("wave", wave)
		}
	})
	spell := level.After(deadline.Normal, 5*time.Second, func() { fmt.Println("the spell ends") })
	s.RunUntil(deadline.Deadline{})
	second(3)

	level.Pause()
	menu.Go(deadline.Normal, func(co *scheduler.Co) {
		co.Sleep(time.Second)
		fmt.Println("the menu has faded in")
	})
	second(60)
	fmt.Println("why does the spell last?", spell.Why())
	menu.Cancel()
	level.Resume()
	second(2)
	// Output:
	// wave 1
	// the menu has faded in
	// why does the spell last? the group level is paused
	// wave 2
	// the spell ends
}

// Slow motion in a world, and a clock of the world that draws its animations.
func ExampleGroup_SetSpeed() {
	var now deadline.Instant
	s := scheduler.New(scheduler.Options{Clock: func() deadline.Instant { return now }}) // for the example's sake
	defer s.Close()
	world := s.NewGroup("world")
	enemies := world.NewGroup("enemies")
	enemies.SetSpeed(0.5) // they are under a spell
	for name, g := range map[string]*scheduler.Group{"the sun moves": world, "an enemy walks": enemies} {
		g.Every(deadline.Normal, 4*time.Second, func() {
			fmt.Printf("%v: %s, at %v of its time\n", time.Duration(now), name, time.Duration(g.Now()))
		})
	}
	s.RunUntil(deadline.Deadline{})
	for range 16 {
		if now == deadline.Instant(8*time.Second) {
			world.SetSpeed(2) // and the enemies at 2 * 0.5
		}
		now = now.Add(time.Second)
		s.RunUntil(deadline.Deadline{})
	}
	// Unordered output:
	// 4s: the sun moves, at 4s of its time
	// 8s: the sun moves, at 8s of its time
	// 8s: an enemy walks, at 4s of its time
	// 10s: the sun moves, at 12s of its time
	// 12s: the sun moves, at 16s of its time
	// 12s: an enemy walks, at 8s of its time
	// 14s: the sun moves, at 20s of its time
	// 16s: the sun moves, at 24s of its time
	// 16s: an enemy walks, at 12s of its time
}
