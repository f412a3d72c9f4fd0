package check

import "cmp"

// summaries finds out what the functions of a package do, with all that they call, and tells other packages.
func (p *program) summaries() {
	for _, f := range p.fns {
		for _, w := range p.waits(f) {
			if w.kind != given && !p.silenced(w.pos) && !f.about.Ends && f.about.Blocks == "" {
				f.about.Blocks = cmp.Or(w.root, w.what)
			}
		}
		for _, o := range p.hostOnly(f) {
			if !p.silenced(o.pos) && f.about.Image == "" {
				f.about.Image = cmp.Or(o.root, o.what)
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for _, f := range p.fns {
			old := f.about.Depth
			if !p.hasCo(f) && !p.yields(f.body) {
				f.about.Depth = p.depth(f, f.body)
			}
			changed = changed || f.about.Depth != old
			for _, c := range f.calls {
				for _, t := range p.runs(c) {
					if f.about.Blocks == "" && t.about.Blocks != "" && !f.about.Ends {
						f.about.Blocks, changed = t.about.Blocks, true
					}
					if f.about.Image == "" && t.about.Image != "" {
						f.about.Image, changed = t.about.Image, true
					}
				}
			}
		}
	}
	for _, f := range p.fns {
		if f.obj != nil && f.about.says() {
			p.pass.ExportObjectFact(f.obj, &f.about)
		}
	}
}

// says reports whether there is anything to tell.
func (a *about) says() bool {
	for _, where := range a.Params {
		if where != 0 {
			return true
		}
	}
	return a.Blocks != "" || a.Image != "" || a.Depth > 0 || a.Marked || a.Ends
}

// runs returns the functions of this package that a call runs before it returns.
func (p *program) runs(c call) []*fn {
	if c.spawn {
		return nil
	}
	in, _ := p.targets(c.Fun)
	for i, a := range c.Args {
		if p.givenTo(c, i)&same != 0 {
			more, _ := p.targets(a)
			in = append(in, more...)
		}
	}
	return in
}
