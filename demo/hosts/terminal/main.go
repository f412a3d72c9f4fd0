// Terminal is a terminal program that draws on demand: 60 times a second as long as something moves, and else not at
// all. Keys: l loads the list, h starts the heavy job, q ends the program, in the middle of a load, too.
package main

import (
	"context"
	"errors"
	"log"
	"os"
	"time"

	"golang.org/x/term"

	"github.com/frameslice/frameslice"
	"github.com/frameslice/frameslice/demo/hosts/work"
)

func main() {
	if err := run(work.ParseFlags()); err != nil {
		log.Fatal(err)
	}
}

func run(flags work.Flags) error {
	stdin := int(os.Stdin.Fd())
	if !term.IsTerminal(stdin) {
		return errors.New("run me in a terminal")
	}
	before, err := term.MakeRaw(stdin)
	if err != nil {
		return err
	}
	defer term.Restore(stdin, before)
	os.Stdout.WriteString(enter)
	defer os.Stdout.WriteString(leave)

	ctx, quit := context.WithCancel(context.Background())
	defer quit()
	woken := make(chan struct{}, 1)
	o := frameslice.Balanced.Options()
	o.Scheduler.Wake = func() { // any goroutine calls it
		select {
		case woken <- struct{}{}:
		default:
		}
	}
	loop := frameslice.NewWith(o)
	w := work.New(loop, flags)
	defer w.WriteReport()
	defer loop.Close()

	go readKeys(func(key byte) {
		loop.Post(frameslice.UserBlocking, func() { press(w, key, quit) })
	})
	for ctx.Err() == nil {
		err := loop.Run(ctx, func() error { // 60 times a second
			if err := draw(w); err != nil {
				return err
			}
			if w.Sleep() > 0 {
				return frameslice.ErrStop // nothing moves any more
			}
			return nil
		})
		if err != nil {
			return err
		}
		loop.Rest() // the sleep is no late frame
		select {
		case <-woken:
		case <-time.After(w.Sleep()):
		case <-ctx.Done():
		}
	}
	return nil
}

// readKeys calls f for each byte of the standard input. It ends with the program.
func readKeys(f func(byte)) {
	for key := make([]byte, 1); ; {
		if _, err := os.Stdin.Read(key); err != nil {
			return
		}
		f(key[0])
	}
}

func press(w *work.Work, key byte, quit func()) {
	switch key {
	case 'l':
		w.Load()
	case 'h':
		w.Heavy()
	case 'q', 3: // 3 is Ctrl-C
		quit()
	}
}
