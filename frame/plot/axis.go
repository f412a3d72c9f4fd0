package plot

import (
	"math"
	"strconv"
)

// axis maps values to places: lo at p0, hi at p1. An axis from 0 is linear, any other one logarithmic. Values out of
// range are at its ends.
type axis struct {
	lo, hi float64
	p0, p1 float32
}

// at returns the place of v.
func (a axis) at(v float64) float32 {
	f := v / a.hi
	if a.lo > 0 {
		f = math.Log(max(v, 1e-9)/a.lo) / math.Log(a.hi/a.lo)
	}
	return a.p0 + float32(min(max(f, 0), 1))*(a.p1-a.p0)
}

// on returns the axis with the same values at other places.
func (a axis) on(p0, p1 float32) axis { return axis{a.lo, a.hi, p0, p1} }

// ticks returns round values within the axis which are at least gap apart: the densest grid that
// fits. On a linear axis, and over a narrow range, these are multiples of a step, over a wide one 1, 2, 5 and
// their like of every power of ten.
func (a axis) ticks(gap float32) []float64 {
	if a.hi < 6*a.lo || a.lo == 0 {
		for power := math.Floor(math.Log10(a.hi - a.lo)); ; power++ {
			for _, k := range []int{-1, 0} {
				for _, m := range []float64{1, 2, 2.5, 5} {
					if t := a.multiples(m * math.Pow(10, power+float64(k))); a.apart(t, gap) {
						return t
					}
				}
			}
		}
	}
	for _, digits := range [][]float64{{1, 1.5, 2, 3, 4, 5, 6, 8}, {1, 2, 3, 5, 7}, {1, 2, 5}, {1, 3}, {1}} {
		if t := a.digits(digits); a.apart(t, gap) {
			return t
		}
	}
	return a.digits([]float64{1})
}

func (a axis) multiples(step float64) []float64 {
	first := math.Ceil(a.lo/step - 1e-9)
	if (a.hi-a.lo)/step > 500 {
		return nil
	}
	var t []float64
	for i := 0.0; (first+i)*step <= a.hi*(1+1e-12); i++ {
		t = append(t, (first+i)*step)
	}
	return t
}

func (a axis) digits(digits []float64) []float64 {
	var t []float64
	for e := math.Floor(math.Log10(a.lo)); math.Pow(10, e) <= a.hi; e++ {
		for _, d := range digits {
			if v := d * math.Pow(10, e); v >= a.lo*(1-1e-9) && v <= a.hi*(1+1e-9) {
				t = append(t, v)
			}
		}
	}
	return t
}

// apart tells whether there are ticks, and none is nearer to its neighbour than gap.
func (a axis) apart(t []float64, gap float32) bool {
	for i := 1; i < len(t); i++ {
		if max(a.at(t[i])-a.at(t[i-1]), a.at(t[i-1])-a.at(t[i])) < gap {
			return false
		}
	}
	return len(t) > 0
}

// number writes a tick's value, without the noise of binary fractions.
func number(v float64) string {
	return strconv.FormatFloat(math.Round(v*1e6)/1e6, 'f', -1, 64)
}

// duration writes a tick of milliseconds: bare, or in seconds from one second on.
func duration(v float64) string {
	if v >= 1000 {
		return number(v/1000) + " s"
	}
	return number(v)
}

// short writes a count with k and M.
func short(n float64) string {
	switch {
	case n >= 1e6:
		return number(n/1e6) + "M"
	case n >= 1e3:
		return number(n/1e3) + "k"
	}
	return number(n)
}
