package canvas

import "image"

// Paint draws the quads as a graphics library would: nearest pixels of the atlas, over what is there. It is slow, and
// for pictures in tests and reports.
func (c *Canvas) Paint(img *image.RGBA) {
	for i := range c.Quads {
		q := &c.Quads[i]
		r := image.Rect(int(q.X0), int(q.Y0), int(q.X1), int(q.Y1)).Intersect(img.Rect)
		for y := r.Min.Y; y < r.Max.Y; y++ {
			for x := r.Min.X; x < r.Max.X; x++ {
				k := float32(1)
				if q.Region != c.atlas.white {
					u := q.U0 + (q.U1-q.U0)*(float32(x)+0.5-q.X0)/(q.X1-q.X0)
					v := q.V0 + (q.V1-q.V0)*(float32(y)+0.5-q.Y0)/(q.Y1-q.Y0)
					k = float32(c.atlas.Picture.RGBAAt(int(u), int(v)).A) / 255
				}
				p := img.Pix[img.PixOffset(x, y):]
				for channel, part := range [...]float32{q.R, q.G, q.B, q.A} {
					p[channel] = uint8(min(part*k*255+float32(p[channel])*(1-q.A*k)+0.5, 255))
				}
			}
		}
	}
}
