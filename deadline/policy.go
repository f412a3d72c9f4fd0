package deadline

import "strconv"

// Policy is the order in which a Queue hands out ready work.
type Policy uint8

const (
	// ByExpiration hands out the earliest expiration first, equal ones in the order of submission: React's
	// order. Old work of a low priority overtakes fresh work of a high one, so nothing that expires can
	// starve. What never expires comes last, in the order of its starts. A continuation keeps its place.
	ByExpiration Policy = iota

	// ByPriority hands out the highest priority first, whatever has expired. Within a priority continuations
	// come first, in the order in which they yielded, then the rest in the order of submission: the order of
	// the web's Prioritized Task Scheduling API. The submission of delayed work counts as its due time: work
	// that was posted before that instant runs before it.
	ByPriority
)

// String returns the constant's name.
func (p Policy) String() string {
	switch p {
	case ByExpiration:
		return "ByExpiration"
	case ByPriority:
		return "ByPriority"
	}
	return "Policy(" + strconv.Itoa(int(p)) + ")"
}
