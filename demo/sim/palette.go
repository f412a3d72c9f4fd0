package sim

import "image/color"

// Palette is the colours of the demo: those that chunks are painted in, and those that the front draws in.
type Palette struct {
	Deep, Shallow, Foam                              color.RGBA // water
	Sand, Lush, Dry, Forest, Moss, Rock, Cliff, Snow color.RGBA // ground
	Leaf, Leaf2, Pine, Autumn                        color.RGBA // trees
	Roof, Roof2                                      color.RGBA // huts
	Bird, Sheep, Fish                                color.RGBA // crowd
	Falcon, Wolf, Pike                               color.RGBA // predators
	Agent                                            [6]color.RGBA
	Text, TextShadow                                 color.RGBA // premultiplied
}

// Colours returns the palette.
func Colours() Palette {
	rgb := func(v uint32) color.RGBA { return color.RGBA{uint8(v >> 16), uint8(v >> 8), uint8(v), 255} }
	return Palette{
		Deep: rgb(0x1F5F8B), Shallow: rgb(0x5DB7BE), Foam: rgb(0xE3F4EE),
		Sand: rgb(0xE2CF9A), Lush: rgb(0x86B24E), Dry: rgb(0xB9BC66), Forest: rgb(0x5B8747), Moss: rgb(0x7C8B58),
		Rock: rgb(0x9A8F82), Cliff: rgb(0x6F665F), Snow: rgb(0xF4F6F8),
		Leaf: rgb(0x5E9A3E), Leaf2: rgb(0x7FB04A), Pine: rgb(0x2F6B4C), Autumn: rgb(0xD8973C),
		Roof: rgb(0xC2563F), Roof2: rgb(0xD98E4A),
		Bird: rgb(0xFDFBF5), Sheep: rgb(0xF7F0E1), Fish: rgb(0xF59A6B),
		Falcon: rgb(0x7A3B22), Wolf: rgb(0x4A4E57), Pike: rgb(0x2B4A3A),
		Agent: [6]color.RGBA{
			rgb(0x6AD7E5), rgb(0xF7B64B), rgb(0xE8697D), rgb(0xA98BE0), rgb(0x8FD06B), rgb(0xF2F0E6),
		},
		Text: rgb(0xFFF8E7), TextShadow: color.RGBA{16, 20, 26, 170},
	}
}

// rgbf is a colour while it is computed: 0 to 255, may leave the range in between.
type rgbf struct{ r, g, b float32 }

func toF(c color.RGBA) rgbf { return rgbf{float32(c.R), float32(c.G), float32(c.B)} }

func (a rgbf) mix(b rgbf, t float32) rgbf {
	return rgbf{a.r + (b.r-a.r)*t, a.g + (b.g-a.g)*t, a.b + (b.b-a.b)*t}
}

func (a rgbf) scale(k float32) rgbf { return rgbf{a.r * k, a.g * k, a.b * k} }

func clamp8(v float32) uint8 {
	if v <= 0 {
		return 0
	}
	if v >= 255 {
		return 255
	}
	return uint8(v + 0.5)
}
