package load

import (
	"context"
	"io"

	"github.com/frameslice/frameslice/workers"
)

// Pieces returns a reader of bytes for a decode function, with the function's context. Where slices decode, as in a
// browser, the decode gives the frame back between two reads when the slice is over, and continues in a later slice. So
// a decode that is longer than a frame makes no late frame. Meanwhile other decodes may begin, so hold no lock.
//
// Everywhere a read fails when the context has ended, and a decode that nobody wants any more ends early. Each read
// returns at most 4 KB. Only the goroutine of the decode may read.
func Pieces(ctx context.Context, bytes []byte) io.Reader {
	w, _ := ctx.Value(turn{}).(*workers.Worker)
	return &pieces{ctx: ctx, w: w, rest: bytes}
}

// piece is the most that one read returns. Of a PNG in a browser it takes half a millisecond to decode.
const piece = 4 << 10

// turn is the key of the Worker in the context of a decode that may yield.
type turn struct{}

type pieces struct {
	ctx  context.Context
	w    *workers.Worker // nil unless a slice decodes
	rest []byte
}

func (p *pieces) Read(to []byte) (int, error) {
	if p.w != nil && p.w.ShouldYield() {
		p.w.Yield()
	}
	if p.ctx.Err() != nil {
		return 0, context.Cause(p.ctx)
	}
	n := copy(to[:min(len(to), piece)], p.rest)
	if p.rest = p.rest[n:]; n == 0 && len(to) > 0 {
		return 0, io.EOF
	}
	return n, nil
}
