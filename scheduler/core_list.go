package scheduler

// list is a doubly linked list of items, threaded through back and fore. Frame goroutine.
type list struct {
	head, tail *item
}

func (l *list) push(it *item) {
	it.back, it.fore = l.tail, nil
	if l.tail != nil {
		l.tail.fore = it
	} else {
		l.head = it
	}
	l.tail = it
}

// insert puts it before at, or at the end if at is nil.
func (l *list) insert(it, at *item) {
	if at == nil {
		l.push(it)
		return
	}
	it.back, it.fore = at.back, at
	if at.back != nil {
		at.back.fore = it
	} else {
		l.head = it
	}
	at.back = it
}

func (l *list) remove(it *item) {
	if it.back != nil {
		it.back.fore = it.fore
	} else {
		l.head = it.fore
	}
	if it.fore != nil {
		it.fore.back = it.back
	} else {
		l.tail = it.back
	}
	it.back, it.fore = nil, nil
}

// round is a list of which a pass takes those that were there when the pass began.
//
// S13. A pass takes, in the order of the list, each item once that was there when the pass began. An item that is added
// meanwhile waits for the next pass, and an item that leaves the list is not taken. r.next points at the item that the
// pass takes next, and r.limit at the first one that was added since the pass began:
//
//	head   taken   taken   r.next   ...   ...   r.limit   added   added   tail
//
// The pass ends where the two meet. If one of them points at an item that leaves the list, the pointer moves on to the
// item behind. So an item is between r.next and r.limit if and only if it was there in the beginning, has not been
// taken, has not left, and has not been skipped.
type round struct {
	list
	n           int  // items
	open        bool // a pass is under way
	next, limit *item
}

// beginPass begins a pass.
func (r *round) beginPass() { r.open, r.next, r.limit = true, r.head, nil }

// endPass ends the pass.
func (r *round) endPass() { r.open, r.next, r.limit = false, nil, nil }

// push adds an item at the end.
func (r *round) push(it *item) {
	r.n++
	r.list.push(it)
	if r.open && r.limit == nil {
		r.limit = it
		if r.next == nil {
			r.next = it
		}
	}
}

// putBack puts an item back that the pass has taken last: at its old place.
func (r *round) putBack(it *item) {
	r.n++
	r.insert(it, r.next)
}

// remove takes an item out.
func (r *round) remove(it *item) {
	if it == r.limit {
		r.limit = it.fore
	}
	if it == r.next {
		r.next = it.fore
	}
	r.n--
	r.list.remove(it)
}
