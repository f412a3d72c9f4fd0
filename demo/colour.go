//go:build !headless

package main

import "github.com/frameslice/frameslice/internal/canvas"

// colour is a premultiplied colour, 0 to 1, as the vertices of a batch want it.
type colour struct{ r, g, b, a float32 }

// hex returns an opaque colour from 0xRRGGBB.
func hex(v uint32) colour {
	return colour{float32(v>>16&255) / 255, float32(v>>8&255) / 255, float32(v&255) / 255, 1}
}

// fade returns c at k times its opacity.
func (c colour) fade(k float32) colour { return colour{c.r * k, c.g * k, c.b * k, c.a * k} }

// accent returns the colour of a mode.
func accent(mode string) canvas.Colour {
	switch mode {
	case "inline", "inline-budget":
		return canvas.Hex(0xFF7A66)
	case "goroutines":
		return canvas.Hex(0xFFB84D)
	case "workers":
		return canvas.Hex(0xB79CFF)
	case "errgroup":
		return canvas.Hex(0xFF8CC6)
	case "idle":
		return canvas.Hex(0xA9B4C2)
	}
	return canvas.Hex(0x4FE0B5) // frameslice
}
