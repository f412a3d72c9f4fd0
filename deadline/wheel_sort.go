package deadline

// sortSlot sorts rest, by insertion in portions of eight, which are then merged.
func (q *Queue[T]) sortSlot(s *slot[T]) {
	s.giving = true
	if s.ordered {
		return
	}
	s.ordered = true
	const portion = 8
	p := s.rest
	for i := range p {
		x, j := p[i], i
		for ; j&^(portion-1) != j && x.key < p[j-1].key; j-- {
			p[j] = p[j-1]
		}
		p[j] = x
	}
	if len(p) > portion {
		if q.scratch == nil {
			q.scratch = make([]pending[T], slotLimit)
		}
		from, to := p, q.scratch[:len(p)]
		for width := portion; width < len(p); width *= 2 {
			for i := 0; i < len(p); i += 2 * width {
				merge2(to[i:], from[i:min(i+width, len(p))], from[min(i+width, len(p)):min(i+2*width, len(p))])
			}
			from, to = to, from
		}
		if &from[0] != &p[0] {
			copy(p, from)
		}
		clear(q.scratch[:len(p)])
	}
	for i := range p {
		p[i].n.index = int32(i)
	}
}

// merge2 merges a and b, both sorted, into to.
func merge2[T any](to, a, b []pending[T]) {
	for i := range to[:len(a)+len(b)] {
		if len(b) == 0 || len(a) > 0 && a[0].key < b[0].key {
			to[i], a = a[0], a[1:]
		} else {
			to[i], b = b[0], b[1:]
		}
	}
}
