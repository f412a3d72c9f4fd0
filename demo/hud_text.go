//go:build !headless

package main

import "unicode/utf8"

// fit shortens s to a width in units.
func (u *hud) fit(f *face, s string, w float32) string {
	room := w * u.scale
	if width(f, s) <= room {
		return s
	}
	return cut(f, s, room-width(f, "…")) + "…"
}

// line writes text in one line of the small face, as far as there is room.
func (u *hud) line(x, y, w float32, s []byte) {
	f, room := &u.atlas.small, w*u.scale
	if width(f, s) <= room {
		write(&u.batch, f, x*u.scale, y*u.scale, u.theme.dim, s)
		return
	}
	end := write(&u.batch, f, x*u.scale, y*u.scale, u.theme.dim, cut(f, s, room-width(f, "…")))
	write(&u.batch, f, end, y*u.scale, u.theme.dim, "…")
}

// cut returns what of s is at most so many device pixels wide, in whole letters.
func cut[T ~string | ~[]byte](f *face, s T, room float32) T {
	for len(s) > 0 && width(f, s) > room {
		n := len(s) - 1
		for n > 0 && !utf8.RuneStart(s[n]) {
			n--
		}
		s = s[:n]
	}
	return s
}

// label writes text on a pane that keeps it readable over bars and lines.
func (u *hud) label(f *face, x, y float32, c colour, b []byte) {
	u.round9(rect{x - 3, y - 10, width(f, b)/u.scale + 6, 13}, 0.5, u.theme.glass)
	u.bytes(f, x, y, c, b)
}

// toastLine writes the passing message: at the top, or, if it is too long to stand between the columns there, lower.
func (u *hud) toastLine(p *layout, d *readout) {
	if d.toast == "" || d.toastK <= 0 {
		return
	}
	text := u.fit(&u.atlas.body, d.toast, u.w-48)
	w := width(&u.atlas.body, text)/u.scale + 28
	r := rect{(u.w - w) / 2, 12, w, 26}
	if r.x < p.left+p.side+gap {
		r.y = p.low - r.h
	}
	u.round9(r, 1.8, u.theme.glass.fade(d.toastK))
	c := u.theme.text
	if d.bad {
		c = u.theme.warn
	}
	u.text(&u.atlas.body, r.x+14, r.y+17, c.fade(d.toastK), text)
}
