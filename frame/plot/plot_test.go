package plot_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/frameslice/frameslice/frame/plot"
)

func series(name string, seed uint64, n int) plot.Series {
	rng := rand.New(rand.NewPCG(seed, 1))
	d := make([]time.Duration, n)
	for i := range d {
		d[i] = time.Second/60 + time.Duration(rng.ExpFloat64()*float64(time.Millisecond))
	}
	return plot.Series{Name: name, Intervals: d}
}

func render(t *testing.T, o plot.Options, s ...plot.Series) image.Image {
	t.Helper()
	var buf bytes.Buffer
	if err := plot.Render(&buf, o, s...); err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(&buf)
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// pixels counts the pixels of exactly the colour c. Render's pictures are opaque, and decoded as RGBA.
func pixels(img image.Image, c color.NRGBA) int {
	pix, n := img.(*image.RGBA).Pix, 0
	for i := 0; i < len(pix); i += 4 {
		if pix[i] == c.R && pix[i+1] == c.G && pix[i+2] == c.B {
			n++
		}
	}
	return n
}

const maxSeries = 8

func TestRenderShowsEverySeries(t *testing.T) {
	var s []plot.Series
	var colors []color.NRGBA
	for i := range maxSeries {
		one := series("name", uint64(i), 500)
		c := color.NRGBA{uint8(40 * i), 255, uint8(255 - 30*i), 255}
		one.Color = c
		s, colors = append(s, one), append(colors, c)
	}
	img := render(t, plot.Options{}, s...)
	for i, c := range colors {
		// Table swatch, percentile line, bars and course: the full colour must be there many times.
		if n := pixels(img, c); n < 500 {
			t.Errorf("series %d of %d has %d pixels, want at least 500", i, len(s), n)
		}
	}
}

// TestRenderShowsASingleSpike: a frame among twenty thousand must not be lost to the picture's width.
func TestRenderShowsASingleSpike(t *testing.T) {
	red := color.NRGBA{255, 0, 0, 255}
	even := plot.Series{Name: "x", Color: red}
	even.Intervals = slices.Repeat([]time.Duration{time.Second / 60}, 20_000)
	other := series("other", 1, 1000) // holds the scale in both pictures
	other.Intervals[0] = time.Second
	other.Color = color.White
	o := plot.Options{}
	before := pixels(render(t, o, even, other), red)
	even.Intervals[10_000] = 700 * time.Millisecond
	after := pixels(render(t, o, even, other), red)
	if after < before+30 {
		t.Errorf("got %d pixels with the spike, %d without: it is not to be seen", after, before)
	}
}

// The drawing is XML, foreign text in it is text, its numbers are finite, and it has what the picture has.
func TestRenderSVG(t *testing.T) {
	one := series("a & <b>\x00", 1, 500)
	one.Color = color.NRGBA{255, 0, 0, 255}
	one.Intervals[250] = time.Second
	var buf bytes.Buffer
	if err := plot.RenderSVG(&buf, plot.Options{Title: `"1" < 2`}, one, plot.Series{Name: "none"}); err != nil {
		t.Fatal(err)
	}
	var drawing struct {
		Texts []string `xml:"text"`
		Paths []struct {
			D      string `xml:"d,attr"`
			Fill   string `xml:"fill,attr"`
			Stroke string `xml:"stroke,attr"`
		} `xml:"path"`
	}
	if err := xml.Unmarshal(buf.Bytes(), &drawing); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"1" < 2`, "a & <b>\uFFFD", "500", "1000", "no frames", "99 %"} {
		if !slices.Contains(drawing.Texts, want) {
			t.Errorf("no %q in %q", want, drawing.Texts)
		}
	}
	fills, strokes := 0, 0
	for _, p := range drawing.Paths {
		if strings.ContainsAny(p.D, "NI-") { // NaN, Inf, out of the picture
			t.Errorf("a path %.80q", p.D)
		}
		if p.Fill == "#ff0000" {
			fills++
		}
		if p.Stroke == "#ff0000" {
			strokes++
		}
	}
	if fills != 2 || strokes != 3 {
		t.Errorf("%d areas, want the swatch and the distribution; %d lines, want percentiles, their dot, the course",
			fills, strokes)
	}
	if err := plot.RenderSVG(broken{}, plot.Options{}, one); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("got %v, want the writer's error", err)
	}
}

func TestRenderIsRepeatable(t *testing.T) {
	var a, b bytes.Buffer
	o := plot.Options{Title: "same"}
	for _, w := range []io.Writer{&a, &b} {
		err := plot.Render(w, o, series("a", 1, 2000), series("b", 2, 1000))
		if err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Error("two pictures of the same series differ")
	}
}

func TestRenderLeavesItsInputAlone(t *testing.T) {
	s := series("a", 1, 1000)
	want := slices.Clone(s.Intervals)
	render(t, plot.Options{}, s)
	if !slices.Equal(s.Intervals, want) {
		t.Error("Render changed the intervals")
	}
}

func TestRenderTakesWhatAClockMayGive(t *testing.T) {
	blank := pixels(render(t, plot.Options{}), color.NRGBA{255, 0, 255, 255})
	for name, d := range map[string][]time.Duration{
		"none": nil, "one": {time.Second / 60}, "zero": {0, 0, 0}, "negative": {-5, time.Second},
		"tiny": {1, 2, 3}, "huge": {time.Second / 60, math.MaxInt64}, "three": {1e7, 2e7, 3e7},
		"only huge": {math.MaxInt64, math.MaxInt64}, "minutes": {time.Minute, 2 * time.Minute},
	} {
		for _, target := range []time.Duration{1, time.Hour} {
			img := render(t, plot.Options{Target: target},
				plot.Series{Name: name, Intervals: d, Color: color.NRGBA{255, 0, 255, 255}})
			if n := pixels(img, color.NRGBA{255, 0, 255, 255}); n <= blank {
				t.Errorf("%s at %v: got %d pixels of the series, want at least its swatch", name, target, n)
			}
		}
	}
}

func TestRenderFitsAnyText(t *testing.T) {
	long := string(bytes.Repeat([]byte("a very long name without an end "), 50))
	s := series(long, 1, 100)
	render(t, plot.Options{Title: long, Subtitle: long}, s)
	s.Name = "\n\t\x00\xff 名前 ✓"
	word := string(bytes.Repeat([]byte("w"), 5000))
	render(t, plot.Options{Title: "\xff", Subtitle: word}, s)
}

func TestRenderRefuses(t *testing.T) {
	s := series("a", 1, 10)
	var buf bytes.Buffer
	err := plot.Render(&buf, plot.Options{}, slices.Repeat([]plot.Series{s}, maxSeries+1)...)
	if err == nil || buf.Len() > 0 {
		t.Errorf("too many series: got %v and %d bytes, want an error and none", err, buf.Len())
	}
	if err := plot.Render(broken{}, plot.Options{}, s); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("got %v, want the writer's error", err)
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func BenchmarkRender(b *testing.B) {
	x, y := series("a", 1, 3600), series("b", 2, 3600)
	for b.Loop() {
		if err := plot.Render(io.Discard, plot.Options{}, x, y); err != nil {
			b.Fatal(err)
		}
	}
}
