// Own is a program with a loop that is no engine's, and tells at its end how its frames did.
package main

import (
	"context"
	"fmt"
	"math/big"
	"time"

	"github.com/frameslice/frameslice"
)

func factorial(context.Context) (*big.Int, error) { return new(big.Int).MulRange(1, 200_000), nil }

func main() {
	loop := frameslice.New(frameslice.Balanced)
	defer loop.Close()
	loop.Go(frameslice.Normal, func(co *frameslice.Co) { // in what the frames have left
		n, err := frameslice.Background(co, loop, factorial) // beside them
		fmt.Println("200,000! has", n.BitLen(), "bits, error:", err)
	})
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if err := loop.Run(ctx, func() error { return nil }); err != nil { // 60 times a second: input, update, draw
		fmt.Println(err)
	}
	fmt.Print(loop.Report("own"))
}
