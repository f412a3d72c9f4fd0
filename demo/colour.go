//go:build !headless

package main

// colour is a premultiplied colour, 0 to 1, as the vertices of a batch want it.
type colour struct{ r, g, b, a float32 }

// hex returns an opaque colour from 0xRRGGBB.
func hex(v uint32) colour {
	return colour{float32(v>>16&255) / 255, float32(v>>8&255) / 255, float32(v&255) / 255, 1}
}

// fade returns c at k times its opacity.
func (c colour) fade(k float32) colour { return colour{c.r * k, c.g * k, c.b * k, c.a * k} }

// mix returns the colour a share t of the way from c to d.
func (c colour) mix(d colour, t float32) colour {
	return colour{c.r + (d.r-c.r)*t, c.g + (d.g-c.g)*t, c.b + (d.b-c.b)*t, c.a + (d.a-c.a)*t}
}

// theme is the overlay's colours. Panels are dark glass over a bright world, text is warm white in three
// strengths, and one accent per mode says at a glance, and in any screenshot, what ran.
type theme struct {
	glass, edge, track colour
	text, dim, faint   colour
	good, warn, bad    colour
}

func newTheme() theme {
	return theme{
		glass: hex(0x0B1018).fade(0.80), edge: hex(0xFFFFFF).fade(0.10), track: hex(0xFFFFFF).fade(0.085),
		text: hex(0xF3F1EA), dim: hex(0xF3F1EA).fade(0.62), faint: hex(0xF3F1EA).fade(0.34),
		good: hex(0x5FE3B0), warn: hex(0xFFC266), bad: hex(0xFF6B6B),
	}
}

// accent returns the colour of a mode.
func accent(mode string) colour {
	switch mode {
	case "inline", "inline-budget":
		return hex(0xFF7A66)
	case "goroutines":
		return hex(0xFFB84D)
	case "workers":
		return hex(0xB79CFF)
	case "errgroup":
		return hex(0xFF8CC6)
	case "idle":
		return hex(0xA9B4C2)
	}
	return hex(0x4FE0B5) // frameslice
}

// kindColour returns the colour of a kind of job in the lanes of the workers.
func kindColour(kind int) colour {
	kinds := [...]uint32{0x63C7D6, 0x9BD06A, 0xF2C14E, 0xE989B5, 0x8FA8F0, 0xC79BEA}
	return hex(kinds[kind%len(kinds)])
}
