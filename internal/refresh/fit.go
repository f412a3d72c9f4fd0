package refresh

import (
	"math"
	"time"
)

// A fit is the display's period, taken from the starts of the newest frames. The fit draws a straight line through the
// starts by least squares. The other axis is the number of the refresh. The period is the slope of the line. A refresh
// without a frame counts.
//
// The median of the intervals says to which refresh each frame belongs. The slope is much more exact than the median.
// With a jitter of s, the median of n intervals is off by s/sqrt(n), and the slope by 3.5 s/sqrt(n^3). For a jitter of
// 0.5 ms and two seconds at 60 Hz this is 0.008 %.
//
// The fit uses as few frames as make this error small enough, and at most fitMost. So the fit follows a display whose
// rate drifts. A frame far off the line was held up, so the line is drawn again without such frames. If the slope may
// be off by more than fitWorst, there is no fit.
//
// Source: the variance of the slope of a regression on equal steps is 12 s^2 / (n^3 - n), as any textbook has it.
type fit struct {
	ring  [fitMost]time.Duration // intervals, each to the one before
	n, at int
	fresh int // intervals since the last look
}

// add takes an interval, and reports whether it is time to look.
func (f *fit) add(interval time.Duration) bool {
	f.ring[f.at] = interval
	f.at = (f.at + 1) % fitMost
	f.n = min(f.n+1, fitMost)
	f.fresh++
	if f.fresh < fitEvery || f.n < fitLeast {
		return false
	}
	f.fresh = 0
	return true
}

func (f *fit) clear() { f.n, f.at, f.fresh = 0, 0, 0 }

// period returns the period that the frames lie on, given about how long it is; false if they lie on none.
func (f *fit) period(about time.Duration) (time.Duration, bool) {
	if f.n < fitLeast || about <= 0 {
		return 0, false
	}
	var p points
	p.add(0, 0)
	best, least := 0.0, math.Inf(1)
	for n := max(fitLeast, int(fitSpan/about)); ; n *= 2 {
		f.fill(&p, min(n, f.n), about)
		slope, scatter, used := p.robust()
		scatter = max(scatter, float64(f.resolution())/math.Sqrt(12))
		if off := scatter * math.Sqrt(12/(used*used*used)); off < least {
			best, least = slope, off
		}
		if least <= fitError*best || n >= f.n {
			return time.Duration(math.Round(best)), least < fitWorst*best
		}
	}
}

// fill adds to the points, which are backwards from the newest start, until they are those of n intervals. A frame that
// is late by half a period makes one interval longer and one shorter. So the next interval is counted together with the
// part by which the start was off its refresh: three quarters of that part, since the period is known only about.
func (f *fit) fill(p *points, n int, about time.Duration) {
	for p.n <= n {
		d := float64(f.ring[(f.at-p.n+fitMost)%fitMost])
		refreshes := math.Round((d + p.off) / float64(about))
		p.off = (d + p.off - refreshes*float64(about)) * 3 / 4
		p.add(p.x[p.n-1]+refreshes, p.y[p.n-1]+d)
	}
}

// resolution returns the clock's resolution, as far as the newest intervals show it. A browser's may be a millisecond.
func (f *fit) resolution() time.Duration {
	for _, r := range [...]time.Duration{time.Millisecond, 100 * time.Microsecond} {
		coarse := true
		for i := range min(f.n, fitLeast) {
			coarse = coarse && f.ring[(f.at-1-i+fitMost)%fitMost]%r == 0
		}
		if coarse {
			return r
		}
	}
	return 0
}

// grid reports whether a clock lets the frames go, and not the end of the work in them. The starts of such frames
// scatter about a line less than the sums of two intervals do. Without a clock each interval begins where the one
// before has ended, and the starts walk away from any line. (Sums of two, as the work of a frame and the next may
// alternate.)
func (f *fit) grid(about time.Duration) bool {
	if f.n < fitMost {
		return false
	}
	var p points
	p.add(0, 0)
	f.fill(&p, f.n, about)
	if p.x[f.n] > 1.1*float64(f.n) {
		return false // frames that miss refreshes, or those of another display
	}
	slope, _, scatter := p.line()
	sum, mean := 0.0, 2*p.y[f.n]/float64(f.n)
	for i := range f.n - 1 {
		r := p.y[i+2] - p.y[i] - mean
		sum += r * r
	}
	return scatter <= max(math.Sqrt(sum/float64(f.n-1)), slope*fitClock)
}

// points are numbers of refreshes and times.
type points struct {
	x, y [fitMost + 1]float64
	n    int
	off  float64 // by which the last point is off its refresh
}

func (p *points) add(x, y float64) {
	p.x[p.n], p.y[p.n] = x, y
	p.n++
}

// robust fits the line without the points that are more than three times as far off the line as the others. If they are
// more than a quarter, they stay: the frames are like that.
func (p *points) robust() (slope, scatter, used float64) {
	slope, offset, scatter := p.line()
	all := float64(p.n)
	used = all
	for range 2 {
		var near points
		for i := range p.n {
			if math.Abs(p.y[i]-slope*p.x[i]-offset) <= 3*scatter {
				near.add(p.x[i], p.y[i])
			}
		}
		if n := float64(near.n); n == used || n < all*3/4 {
			break
		}
		slope, offset, scatter = near.line()
		used = float64(near.n)
	}
	return slope, scatter, used
}

// line returns the straight line through the points by least squares, and the root of the mean square by which they are
// off it.
func (p *points) line() (slope, offset, scatter float64) {
	var n, sx, sy, sxx, sxy float64
	for i := range p.n {
		x, y := p.x[i], p.y[i]
		n, sx, sy, sxx, sxy = n+1, sx+x, sy+y, sxx+x*x, sxy+x*y
	}
	if spread := n*sxx - sx*sx; spread > 0 {
		slope = (n*sxy - sx*sy) / spread
	}
	offset = (sy - slope*sx) / n
	for i := range p.n {
		r := p.y[i] - slope*p.x[i] - offset
		scatter += r * r
	}
	return slope, offset, math.Sqrt(scatter / n)
}
