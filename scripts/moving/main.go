// Moving draws README's moving picture: a disc for each recorded run that crosses the picture once in two seconds, and
// that is seen where the newest frame of the run has drawn it. So late frames show as a person would see them.
//
//	go run ./demo -compare -headless -modes goroutines,errgroup,balanced,frameslice -duration 88s -out DIR
//	go run ./scripts/moving -o docs/moving.gif "go per job=DIR/goroutines.csv" "Balanced=DIR/balanced.csv"
package main

import (
	"encoding/csv"
	"errors"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/internal/canvas"
	"github.com/frameslice/frameslice/internal/framecsv"
	"github.com/frameslice/frameslice/internal/refresh"
)

const (
	width, lane = 640, 44 // in pixels
	text        = 210     // of the width
	crossing    = 2 * time.Second
	length      = 2 * crossing // of the picture
	tick        = 4            // hundredths of a second: what browsers keep
)

func main() {
	out := flag.String("o", "docs/moving.gif", "the picture")
	flag.Parse()
	if err := run(*out, flag.Args()); err != nil {
		fmt.Fprintf(os.Stderr, "moving: %v\n", err)
		os.Exit(1)
	}
}

func run(out string, args []string) error {
	if len(args) == 0 {
		return errors.New("name the runs, each as NAME=FILE.csv")
	}
	var runs []lap
	for _, a := range args {
		name, file, ok := strings.Cut(a, "=")
		if !ok {
			return fmt.Errorf("%q is not NAME=FILE.csv", a)
		}
		l, err := read(file)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		l.name = name
		runs = append(runs, l)
	}
	atlas, err := canvas.Bake(1.25, canvas.Small, canvas.Strong)
	if err != nil {
		return err
	}
	g, err := film(runs, atlas)
	if err != nil {
		return err
	}
	return record.WriteFile(out, func(w io.Writer) error { return gif.EncodeAll(w, g) })
}

// A lap is what a run shows: the times of its frames from some moment on.
type lap struct {
	name   string
	missed float64 // the share of the refreshes of the whole run, in percent
	starts []time.Duration
}

// read takes the frames from a third of the run on.
func read(file string) (l lap, err error) {
	f, err := os.Open(file)
	if err != nil {
		return l, err
	}
	defer f.Close()
	in := csv.NewReader(f)
	in.FieldsPerRecord = -1
	rows, err := in.ReadAll()
	if err != nil {
		return l, err
	}
	at, flags := slices.Index(rows[0], framecsv.Interval), slices.Index(rows[0], framecsv.Flags)
	if at < 0 || flags < 0 {
		return l, fmt.Errorf("it has no columns %s and %s", framecsv.Interval, framecsv.Flags)
	}
	var intervals record.Intervals
	for _, row := range rows[1:] {
		ms, err := strconv.ParseFloat(row[at], 64)
		leftOut := func(flag string) bool { return slices.Contains(framecsv.LeftOut[:], flag) }
		if err != nil || slices.ContainsFunc(strings.Split(row[flags], "|"), leftOut) {
			continue
		}
		intervals = append(intervals, time.Duration(ms*float64(time.Millisecond)))
	}
	l.missed = intervals.Figures(refresh.Default).MissedPercent
	t := time.Duration(0)
	for _, d := range intervals[len(intervals)/3:] {
		l.starts = append(l.starts, t)
		if t += d; t > length {
			return l, nil
		}
	}
	return l, fmt.Errorf("from a third of the run on there are only %v", t.Round(time.Millisecond))
}

// seen returns the start of the frame that is seen at t.
func (l *lap) seen(t time.Duration) time.Duration {
	i, ok := slices.BinarySearch(l.starts, t)
	if !ok {
		i--
	}
	return l.starts[i]
}

// film draws the pictures. Each but the first has only the pixels that have changed.
func film(runs []lap, atlas *canvas.Atlas) (*gif.GIF, error) {
	bounds := image.Rect(0, 0, width, lane*len(runs))
	g := &gif.GIF{Config: image.Config{Width: width, Height: bounds.Dy()}}
	palette := color.Palette{color.Transparent}
	before := image.NewPaletted(bounds, nil)
	for t := time.Duration(0); t < length; t += tick * 10 * time.Millisecond {
		img := image.NewRGBA(bounds)
		c := new(canvas.Canvas)
		c.Begin(atlas, width, bounds.Dy())
		for i := range runs {
			draw(c, &runs[i], i, t)
		}
		c.Paint(img)
		now := image.NewPaletted(bounds, nil)
		for i := range now.Pix {
			p := color.RGBA{img.Pix[4*i] &^ 7, img.Pix[4*i+1] &^ 7, img.Pix[4*i+2] &^ 7, 255}
			k := slices.Index(palette, color.Color(p))
			if k < 0 {
				k = len(palette)
				palette = append(palette, p)
			}
			if k > 255 {
				return nil, errors.New("more than 256 colours")
			}
			now.Pix[i] = uint8(k)
		}
		g.Image = append(g.Image, difference(before, now))
		g.Delay, before = append(g.Delay, tick), now
	}
	for _, img := range g.Image {
		img.Palette = palette
	}
	return g, nil
}

// difference returns the pixels of b that differ from a, in the smallest rectangle. The others are transparent.
func difference(a, b *image.Paletted) *image.Paletted {
	d := image.NewPaletted(b.Rect, nil)
	r := image.Rect(0, 0, 1, 1)
	for i := range a.Pix {
		if a.Pix[i] != b.Pix[i] {
			d.Pix[i] = b.Pix[i]
			x, y := i%b.Stride, i/b.Stride
			r = r.Union(image.Rect(x, y, x+1, y+1))
		}
	}
	return d.SubImage(r).(*image.Paletted)
}

// draw draws the lane of a run at t.
func draw(c *canvas.Canvas, l *lap, i int, t time.Duration) {
	const k = 1 / 1.25 // units for a pixel
	y := float32(i*lane) * k
	c.Fill(canvas.Rect{Y: y, W: c.W, H: lane * k}, canvas.Hex(0x0B1018))
	colour := canvas.Good
	if l.missed >= 1 {
		colour = canvas.Bad
	}
	c.Text(canvas.Strong, 10, y+15, canvas.White, l.name)
	c.Text(canvas.Small, 10, y+28, colour, fmt.Sprintf("%.3g %% of the refreshes missed", l.missed))
	from, room := float32(text)*k, c.W-float32(text)*k-30
	c.Fill(canvas.Rect{X: from, Y: y + lane*k/2, W: room + 22, H: 1}, canvas.Hex(0x2A3038))
	at := float32(l.seen(t)%crossing) / float32(crossing)
	c.Round(canvas.Rect{X: from + at*room, Y: y + lane*k/2 - 10, W: 21, H: 21}, 2, colour)
}
