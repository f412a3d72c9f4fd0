package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/frameslice/frameslice/demo/hosts/work"
)

// What a terminal understands: another page without a cursor, and the way back.
const (
	enter    = "\x1b[?1049h\x1b[?25l\x1b[2J"
	leave    = "\x1b[0m\x1b[?25h\x1b[?1049l"
	home     = "\x1b[H"
	plain    = "\x1b[0m"
	nextLine = "\x1b[K\r\n" // the rest of the line
)

const (
	barWidth  = 40
	listLines = 12
	cells     = 24 // of the fractal's width; a cell shows two pixels, one above the other
)

// draw writes the whole page at once.
func draw(w *work.Work) error {
	var b strings.Builder
	b.WriteString(home)
	done := int(w.Progress() * barWidth)
	spinner := " "
	if w.Busy() {
		spinner = string(`|/-\`[w.Frame/6%4])
	}
	fmt.Fprintf(&b, "[%s%s] %s %s%s", strings.Repeat("#", done), strings.Repeat(".", barWidth-done), spinner,
		w.Status(), nextLine)
	fmt.Fprintf(&b, "l load   h heavy job   q quit%s%s", nextLine, nextLine)
	last := w.Items[max(len(w.Items)-listLines, 0):]
	for line := range listLines {
		name, block := "", "  "
		if line < len(last) {
			c := last[line].Colour
			name, block = last[line].Name, fmt.Sprintf("\x1b[48;2;%d;%d;%dm  %s", c.R, c.G, c.B, plain)
		}
		fmt.Fprintf(&b, "%s %-14s  ", block, name)
		fractalLine(&b, w, line)
		b.WriteString(nextLine)
	}
	_, err := os.Stdout.WriteString(b.String())
	return err
}

// fractalLine writes two rows of the fractal as one line of cells.
func fractalLine(b *strings.Builder, w *work.Work, line int) {
	if w.Fractal == nil {
		return
	}
	const step = work.FractalSide / cells
	for x := range cells {
		above := w.Fractal.RGBAAt(x*step, 2*line*step)
		below := w.Fractal.RGBAAt(x*step, (2*line+1)*step)
		fmt.Fprintf(b, "\x1b[38;2;%d;%d;%d;48;2;%d;%d;%dm▀", above.R, above.G, above.B, below.R, below.G, below.B)
	}
	b.WriteString(plain)
}
