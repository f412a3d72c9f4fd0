package sim

import "image"

// Camera looks at the world.
type Camera struct {
	X, Y float32     // world units: the centre of the picture
	Zoom float32     // pixels per world unit: Options.MinZoom to 8
	View image.Point // size of the picture in pixels
	Free bool        // false: Step makes it glide after the first flock of birds; true: the caller moves it
}

// Bounds returns the part of the world that the camera sees, in world units.
func (c *Camera) Bounds() (x0, y0, x1, y1 float32) {
	hw, hh := float32(c.View.X)/(2*c.Zoom), float32(c.View.Y)/(2*c.Zoom)
	return c.X - hw, c.Y - hh, c.X + hw, c.Y + hh
}

// Screen returns the pixel at which the camera shows a point of the world.
func (c *Camera) Screen(x, y float32) (px, py float32) {
	return (x-c.X)*c.Zoom + float32(c.View.X)/2, (y-c.Y)*c.Zoom + float32(c.View.Y)/2
}

// World returns the point of the world that the camera shows at a pixel.
func (c *Camera) World(px, py float32) (x, y float32) {
	return (px-float32(c.View.X)/2)/c.Zoom + c.X, (py-float32(c.View.Y)/2)/c.Zoom + c.Y
}

// glide follows a point the way a spring does, with half a second of lag.
func (c *Camera) glide(x, y, dt float32) {
	k := min(dt*2, 1)
	c.X += (x - c.X) * k
	c.Y += (y - c.Y) * k
}

// clamp keeps the picture inside the valley, and the fields sane whatever the caller wrote.
func (c *Camera) clamp(minZoom float32) {
	if !(c.Zoom >= minZoom) { // also NaN
		c.Zoom = minZoom
	}
	c.Zoom = min(c.Zoom, 8)
	c.View.X, c.View.Y = min(max(c.View.X, 1), 1<<14), min(max(c.View.Y, 1), 1<<14)
	c.X = clampMiddle(c.X, float32(c.View.X)/(2*c.Zoom))
	c.Y = clampMiddle(c.Y, float32(c.View.Y)/(2*c.Zoom))
}

func clampMiddle(v, half float32) float32 {
	if 2*half >= WorldSize || v != v {
		return WorldSize / 2
	}
	return min(max(v, half), WorldSize-half)
}
