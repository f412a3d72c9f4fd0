// Tick is a server without a display: 60 ticks a second, and commands on its standard input. A command is a task, so
// it runs between two ticks and needs no lock.
//
//	load   loads the list       heavy  starts the heavy job
//	state  prints the state     quit   ends the program, in the middle of a load, too
package main

import (
	"bufio"
	"context"
	"fmt"
	"log"
	"os"
	"os/signal"
	"time"

	"github.com/frameslice/frameslice"
	"github.com/frameslice/frameslice/demo/hosts/work"
)

func main() {
	if err := run(work.ParseFlags()); err != nil {
		log.Fatal(err)
	}
}

func run(flags work.Flags) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	loop := frameslice.New(frameslice.Balanced)
	w := work.New(loop, flags)
	defer w.WriteReport()
	defer loop.Close()

	world := 0
	go readCommands(func(command string) {
		loop.Post(frameslice.UserBlocking, func() { obey(w, command, stop) }) // between two ticks
	})
	loop.Every(frameslice.Low, time.Second, func() { report(w) })
	err := loop.Run(ctx, func() error { // 60 times a second, until the context ends
		world++ // the step of a real server
		return nil
	})
	fmt.Println(world, "ticks")
	return err
}

func readCommands(f func(string)) {
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		f(lines.Text())
	}
}

func obey(w *work.Work, command string, stop func()) {
	switch command {
	case "load":
		w.Load()
	case "heavy":
		w.Heavy()
	case "state":
		fmt.Println(w.Status())
	case "quit":
		stop()
	default:
		fmt.Printf("no command %q\n", command)
	}
}

// report prints the progress of what is under way.
func report(w *work.Work) {
	if w.Busy() {
		fmt.Println(w.Status())
	}
}
