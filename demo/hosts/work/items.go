package work

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"sync"

	"github.com/frameslice/frameslice"
)

// An Item is a line of the list: a picture with a name.
type Item struct {
	Number int
	Name   string
	Thumb  *image.RGBA // of Side pixels
	Colour color.RGBA  // the mean of the picture
}

// Side is the width and the height of a thumbnail.
const Side = 32

const (
	kinds    = 8   // of pictures
	fullSide = 512 // of a picture before it is scaled down
)

// files are the pictures as a disk would have them.
var files = sync.OnceValue(func() (all [kinds][]byte) {
	var wait sync.WaitGroup
	for kind := range all {
		wait.Go(func() { all[kind] = encode(kind) })
	}
	wait.Wait()
	return all
})

func encode(kind int) []byte {
	img := image.NewRGBA(image.Rect(0, 0, fullSide, fullSide))
	for y := range fullSide {
		for x := range fullSide {
			wave := math.Sin(float64(x*(kind+1))/90) + math.Cos(float64(y)/(20+10*float64(kind)))
			v := uint8(128 + 50*wave + float64((x*31^y*17)%16))
			img.SetRGBA(x, y, color.RGBA{v, uint8(32 * kind), 255 - v, 255})
		}
	}
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&b, img); err != nil {
		panic(err) // a buffer takes all
	}
	return b.Bytes()
}

// decode makes an item from its file. It takes some ten milliseconds, on a worker.
func decode(_ context.Context, number int, _ *frameslice.Meter) (Item, error) {
	full, err := png.Decode(bytes.NewReader(files()[number%kinds]))
	if err != nil {
		return Item{}, err
	}
	item := Item{Number: number, Name: fmt.Sprintf("picture %03d", number)}
	item.Thumb, item.Colour = shrink(full)
	return item, nil
}

// shrink scales a picture down, and returns its mean colour, too.
func shrink(full image.Image) (*image.RGBA, color.RGBA) {
	thumb := image.NewRGBA(image.Rect(0, 0, Side, Side))
	step := full.Bounds().Dx() / Side
	var sum [3]int
	for y := range Side {
		for x := range Side {
			c := color.RGBAModel.Convert(full.At(x*step, y*step)).(color.RGBA)
			thumb.SetRGBA(x, y, c)
			sum[0], sum[1], sum[2] = sum[0]+int(c.R), sum[1]+int(c.G), sum[2]+int(c.B)
		}
	}
	const n = Side * Side
	return thumb, color.RGBA{uint8(sum[0] / n), uint8(sum[1] / n), uint8(sum[2] / n), 255}
}

// FractalSide is the width and the height of the heavy job's picture.
const FractalSide = 240

const iterations = 3000

// fractal draws the rows from lo to hi: points that stay, and how soon the others leave.
func fractal(img *image.RGBA, lo, hi int) {
	for y := lo; y < hi; y++ {
		for x := range FractalSide {
			c := complex(float64(x)/FractalSide*3-2.2, float64(y)/FractalSide*3-1.5)
			z, n := c, 0
			for n < iterations && real(z)*real(z)+imag(z)*imag(z) < 4 {
				z = z*z + c
				n++
			}
			v := color.RGBA{A: 255}
			if n < iterations {
				v.R, v.G, v.B = uint8(40+8*n), uint8(20+5*n), uint8(90+3*n)
			}
			img.SetRGBA(x, y, v)
		}
	}
}
