package sim

// Ground is what a tile is made of.
type Ground uint8

// The grounds, from the water up.
const (
	DeepWater Ground = iota
	Shallow
	Sand
	Meadow
	Forest
	Rock
	Snow
)

// The limits between the grounds, in heights (see field) and in slopes (height per world unit).
const (
	deepBelow  = -0.03
	sandBelow  = 0.018
	treeLine   = 0.50
	rockSlope  = 0.0052
	rockAbove  = 0.56
	snowAbove  = 0.74
	woodsAbove = 0.07 // moisture
)

func classify(h, slope, moist float32) Ground {
	switch {
	case h < deepBelow:
		return DeepWater
	case h < 0:
		return Shallow
	case h < sandBelow:
		return Sand
	case h > snowAbove+slope*9:
		return Snow
	case slope > rockSlope || h > rockAbove:
		return Rock
	case moist > woodsAbove && h < treeLine:
		return Forest
	}
	return Meadow
}

// paint holds the palette in the form that the terrain needs, and is made once per chunk.
type paint struct {
	deep, shallow, foam, sand, lush, dry, forest, moss, rock, cliff, snow rgbf
}

func newPaint() paint {
	p := Colours()
	return paint{
		toF(p.Deep), toF(p.Shallow), toF(p.Foam), toF(p.Sand), toF(p.Lush), toF(p.Dry), toF(p.Forest), toF(p.Moss),
		toF(p.Rock), toF(p.Cliff), toF(p.Snow),
	}
}

// The sun stands in the north-west, rather low. sunX, sunY, sunZ is the unit vector towards it.
const (
	sunX, sunY, sunZ = -0.56, -0.56, 0.61
	relief           = 115 // world units per unit of height, for the shading only
)

// colour returns the ground's colour at a point. h is the height, (gx, gy) its gradient per world unit, bend its mean
// curvature (positive in hollows), and moist the moisture.
func (p *paint) colour(f *field, x, y, h, gx, gy, bend, moist float32) rgbf {
	grain := noise2(f.seed+5, x*(1.0/7), y*(1.0/7))
	patch := noise2(f.seed+6, x*(1.0/47), y*(1.0/47))
	nx, ny := -gx*relief, -gy*relief
	inv := 1 / sqrt32(1+nx*nx+ny*ny)
	light := (nx*sunX + ny*sunY + sunZ) * inv
	if h < 0 {
		return p.water(h, light, grain, patch)
	}
	slope := sqrt32(gx*gx + gy*gy)
	c := p.lush.mix(p.dry, smooth(0.5-moist*1.4+patch*0.5+(h-0.15)*1.6))
	c = c.mix(p.moss, smooth((h-0.34)/0.22)*0.85)
	if h < treeLine+0.1 {
		c = c.mix(p.forest, smooth((moist-woodsAbove+0.07)/0.16)*smooth((treeLine+0.06-h)/0.1)*0.85)
	}
	k := hash2(f.seed+8, floor32(x*0.45), floor32(y*0.45))
	if patch > 0.10 && k&31 == 0 && moist < woodsAbove-0.04 {
		flower := smooth((patch-0.10)/0.2) * smooth((treeLine-h)/0.1)
		kinds := [4]rgbf{{250, 246, 236}, {246, 214, 88}, {226, 120, 150}, {176, 130, 214}}
		c = c.mix(kinds[(k>>8+uint32(moist*18+18))&3], 0.8*flower)
	}
	stone := max(smooth((slope-rockSlope*0.62)/(rockSlope*0.7)), smooth((h-rockAbove+0.09+patch*0.05)/0.12))
	if stone > 0 {
		strata := noise2(f.seed+7, h*46, (x+y)*(1.0/190))
		r := p.rock.mix(p.cliff, smooth(0.25+strata*0.6+slope*60-0.2))
		c = c.mix(r, stone)
	}
	if h > snowAbove-0.12 {
		c = c.mix(p.snow, smooth((h-snowAbove+0.05-slope*9+patch*0.06)/0.09))
	}
	if h < sandBelow*2.2 {
		wet := smooth(h / (sandBelow * 1.1))
		beach := p.sand.scale(0.80 + 0.20*wet)
		c = beach.mix(c, smooth((h-sandBelow*0.8+grain*0.006)/(sandBelow*1.2)))
	}
	// Light is warm, shade is cool, and hollows are darker than crests.
	lit := 0.50 + 0.82*max(light, 0) + grain*0.055 + patch*0.03 - bend*0.9
	lit = min(max(lit, 0.36), 1.32)
	warm := (lit - 1) * 0.10
	return rgbf{c.r * (lit + warm), c.g * lit, c.b * (lit - warm*1.3 + 0.02)}
}

func (p *paint) water(h, light, grain, patch float32) rgbf {
	depth := -h
	c := p.sand.mix(p.shallow, 0.55+0.45*smooth(depth/0.012))
	c = c.mix(p.deep, smooth((depth-0.006)/0.075))
	if depth < 0.007 {
		c = c.mix(p.foam, 0.55*(1-depth/0.007)*smooth(0.55+grain*1.1))
	}
	k := 0.90 + 0.14*light + grain*0.035 + patch*0.04
	return c.scale(k)
}
