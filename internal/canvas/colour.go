package canvas

// A Colour is premultiplied by its opacity, 0 to 1, as the vertices of a graphics library want it.
type Colour struct{ R, G, B, A float32 }

// Hex returns an opaque colour from 0xRRGGBB.
func Hex(v uint32) Colour {
	return Colour{float32(v>>16&255) / 255, float32(v>>8&255) / 255, float32(v&255) / 255, 1}
}

// Fade returns c at k times its opacity.
func (c Colour) Fade(k float32) Colour { return Colour{c.R * k, c.G * k, c.B * k, c.A * k} }

// Mix returns the colour a share t of the way from c to d.
func (c Colour) Mix(d Colour, t float32) Colour {
	return Colour{c.R + (d.R-c.R)*t, c.G + (d.G-c.G)*t, c.B + (d.B-c.B)*t, c.A + (d.A-c.A)*t}
}

// The colours of panels: dark glass over a bright world, and warm white text in three strengths.
var (
	Glass = Hex(0x0B1018).Fade(0.82)
	Edge  = Hex(0xFFFFFF).Fade(0.10)
	Track = Hex(0xFFFFFF).Fade(0.085)
	White = Hex(0xF3F1EA)
	Dim   = White.Fade(0.64)
	Faint = White.Fade(0.36)
	Good  = Hex(0x5FE3B0)
	Warn  = Hex(0xFFC266)
	Bad   = Hex(0xFF6B6B)
)

// Palette returns one of the colours by which kinds are told apart.
func Palette(i int) Colour {
	colours := [...]uint32{0x63C7D6, 0x9BD06A, 0xF2C14E, 0xE989B5, 0x8FA8F0, 0xC79BEA, 0xF08A5D, 0x7FD8BE}
	return Hex(colours[i%len(colours)])
}
