package canvas

import (
	"fmt"
	"image/color"
)

// A Colour is premultiplied by its opacity, 0 to 1, as the vertices of a graphics library want it.
type Colour struct{ R, G, B, A float32 }

// Hex returns an opaque colour from 0xRRGGBB.
func Hex(v uint32) Colour {
	return Colour{float32(v>>16&255) / 255, float32(v>>8&255) / 255, float32(v&255) / 255, 1}
}

// Of returns a colour of package image/color.
func Of(c color.Color) Colour {
	r, g, b, a := c.RGBA()
	return Colour{float32(r) / 0xffff, float32(g) / 0xffff, float32(b) / 0xffff, float32(a) / 0xffff}
}

// Hex returns the colour without its opacity, as "#rrggbb".
func (c Colour) Hex() string {
	part := func(v float32) int { return int(255*v/max(c.A, 1e-6) + 0.5) }
	return fmt.Sprintf("#%02x%02x%02x", part(c.R), part(c.G), part(c.B))
}

// Fade returns c at k times its opacity.
func (c Colour) Fade(k float32) Colour { return Colour{c.R * k, c.G * k, c.B * k, c.A * k} }

// Mix returns the colour a share t of the way from c to d.
func (c Colour) Mix(d Colour, t float32) Colour {
	return Colour{c.R + (d.R-c.R)*t, c.G + (d.G-c.G)*t, c.B + (d.B-c.B)*t, c.A + (d.A-c.A)*t}
}

// The colours of panels: dark glass over a bright world, the ground of a picture of its own, and warm white text in
// three strengths.
var (
	Ground = Hex(0x10141A)
	Glass  = Hex(0x0B1018).Fade(0.82)
	Edge   = Hex(0xFFFFFF).Fade(0.10)
	Track  = Hex(0xFFFFFF).Fade(0.085)
	White  = Hex(0xF3F1EA)
	Dim    = White.Fade(0.64)
	Faint  = White.Fade(0.36)
	Good   = Hex(0x5FE3B0)
	Warn   = Hex(0xFFC266)
	Bad    = Hex(0xFF6B6B)
)

// Palette returns one of the colours by which kinds are told apart. They are those of Okabe and Ito, lightened for a
// dark ground: people with any of the usual colour blindnesses tell them apart. The order keeps neighbours apart.
func Palette(i int) Colour {
	colours := [...]uint32{
		0xE69F00, // orange
		0x56B4E9, // sky blue
		0x1FC396, // bluish green
		0xE08ABB, // reddish purple
		0xF0E442, // yellow
		0xF06A2A, // vermilion
		0x5D8FF5, // blue
		0xC8CED6, // grey, for black
	}
	return Hex(colours[i%len(colours)])
}
