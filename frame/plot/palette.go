package plot

import "image/color"

// The dark ground and what stands on it.
var (
	ground  = color.NRGBA{0x10, 0x14, 0x1a, 0xff}
	panel   = color.NRGBA{0x17, 0x1c, 0x24, 0xff}
	grid    = color.NRGBA{0x2a, 0x32, 0x3d, 0xff}
	gridDim = color.NRGBA{0x20, 0x26, 0x30, 0xff}
	muted   = color.NRGBA{0x93, 0x9f, 0xae, 0xff}
	text    = color.NRGBA{0xe8, 0xed, 0xf3, 0xff}
	goal    = color.NRGBA{0xff, 0xff, 0xff, 0xb8}
)

// palette is Okabe and Ito's, in an order that keeps neighbours apart, the dark ones lightened for the dark
// ground.
var palette = [maxSeries]color.NRGBA{
	{0xe6, 0x9f, 0x00, 0xff}, // orange
	{0x56, 0xb4, 0xe9, 0xff}, // sky blue
	{0x1f, 0xc3, 0x96, 0xff}, // bluish green
	{0xe0, 0x8a, 0xbb, 0xff}, // reddish purple
	{0xf0, 0xe4, 0x42, 0xff}, // yellow
	{0xf0, 0x6a, 0x2a, 0xff}, // vermilion
	{0x5d, 0x8f, 0xf5, 0xff}, // blue
	{0xc8, 0xce, 0xd6, 0xff}, // grey, for black
}

// colorOf returns the colour of the i-th series.
func colorOf(s Series, i int) color.NRGBA {
	if s.Color != nil {
		return color.NRGBAModel.Convert(s.Color).(color.NRGBA)
	}
	return palette[i]
}

// faint returns c with its opacity scaled.
func faint(c color.NRGBA, opacity float64) color.NRGBA {
	c.A = uint8(float64(c.A)*opacity + 0.5)
	return c
}
