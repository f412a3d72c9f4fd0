package taskqueue_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/race"
	"github.com/frameslice/frameslice/internal/taskqueue"
)

// Random scripts, played on the queue and on the naive one of model_ref_test.go.

// An op is a step of a script.
type op struct {
	kind       uint8
	node       uint8
	prio       uint8
	delay, own uint8 // indices into durations
}

var durations = []time.Duration{
	0, 0, 0, 0, 1, 2, 3, 250 * ms, 5 * time.Second, time.Second, ms,
	10*time.Second + 1,
	-1, -time.Second, math.MaxInt64, math.MinInt64, forever - 1, forever, 1 << 62, 7, 8, 9,
}

// bubble is where the clock of a testing/synctest bubble stands, by an Instant: some decades before 0.
const bubble = -8e17

// play runs a script on the queue and on the reference from an instant on, and compares every answer.
func play(t failer, byPriority bool, now int64, script []op) {
	const nodes = 24
	q := taskqueue.Queue[int]{ByPriority: byPriority}
	if len(script)%4 == 1 {
		q.Timeouts = deadline.Timeouts{UserBlocking: time.Second, Low: 1, Idle: 20 * time.Second}
	}
	r := ref{byPriority: byPriority, timeouts: q.Timeouts}
	qn := make([]taskqueue.Node[int], nodes)
	for i := range nodes {
		qn[i].Value = i
		r.nodes = append(r.nodes, &refNode{id: i})
	}
	for step, o := range script {
		i := int(o.node) % nodes
		n, m := &qn[i], r.nodes[i]
		p := deadline.Priorities()[o.prio%deadline.NumPriorities]
		delay, own := durations[int(o.delay)%len(durations)], durations[int(o.own)%len(durations)]
		at := deadline.Instant(now)
		switch kind := o.kind % 16; kind {
		case 0, 1, 2, 3, 4: // plain, delayed, with a timeout of its own, and stamped in the past
			stamp := now
			switch kind {
			case 0, 1:
				delay, own = 0, 0
			case 2:
				own = 0
			case 4:
				stamp -= int64(o.prio) / 8
			}
			if !m.queued {
				q.Push(n, p, deadline.Instant(stamp), delay, own)
				r.push(m, p, stamp, delay, own)
			}
		case 5, 6, 7:
			got, want := q.Pop(at), r.peek(now)
			if id(got) != refID(want) {
				t.Fatalf("step %d: Pop(%d) = %d, want %d", step, now, id(got), refID(want))
			}
			if want != nil {
				want.queued = false
			}
		case 8:
			if got := q.Remove(n); got != m.queued {
				t.Fatalf("step %d: Remove(%d) = %v, want %v", step, i, got, m.queued)
			}
			m.queued, m.aside = false, false
		case 9:
			keep := m.own && o.own%2 == 0
			if keep {
				q.SetUrgency(n, p, at)
			} else {
				q.SetPriority(n, p, at)
			}
			if m.old && m.prio != p {
				r.clock = max(r.clock, now)
				if m.prio = p; !keep {
					m.own, m.exp = false, m.start+r.timeout(p)
				}
			}
		case 10, 11:
			if m.old && !m.queued {
				q.Continue(n)
				m.queued = true
				if byPriority {
					r.seq++
					m.seq, m.cont = r.seq, true
				}
			}
		case 12:
			if m.queued {
				q.Defer(n)
				m.aside = true
			}
		case 13:
			q.Recall()
			for _, m := range r.nodes {
				m.aside = false
			}
		case 14: // forward, and sometimes a little backward
			now += int64(delay) % 1e10
			if o.prio%4 == 3 {
				now -= int64(own) % 1e10
				q.Rewind(deadline.Instant(now))
				r.clock = min(r.clock, now)
			}
		case 15:
			d := int64(delay) % 1e10
			q.Shift(time.Duration(d))
			r.clock += min(d, 0)
			for _, m := range r.nodes {
				m.start += d
				m.exp += d
			}
			if o.prio%2 == 0 {
				now += d // the usual reason for a shift
			}
		}
		compare(t, step, &q, &r, qn, now)
	}
}

var policies = []bool{false, true}

// TestQueueMatchesSortedSlice plays many short random scripts, seeded so that a failure names its seed.
func TestQueueMatchesSortedSlice(t *testing.T) {
	scripts := uint64(20_000)
	if testing.Short() || race.Enabled {
		scripts = 1000
	}
	for _, byPriority := range policies {
		t.Run(fmt.Sprint("by priority ", byPriority), func(t *testing.T) {
			t.Parallel()
			for seed := range scripts {
				rng := rand.New(rand.NewPCG(seed, 0))
				script := make([]op, 1+rng.IntN(60))
				few := rng.IntN(3) == 0 // few instants, so that many stamps are equal
				for i := range script {
					r := rng.Uint64()
					script[i] = op{uint8(r), uint8(r >> 8), uint8(r >> 16), uint8(r >> 24), uint8(r >> 32)}
					if few {
						script[i].delay %= 7
					}
				}
				play(seeded{t, seed}, byPriority, int64(seed%2)*bubble, script)
			}
		})
	}
}

type seeded struct {
	t    *testing.T
	seed uint64
}

func (s seeded) Fatalf(format string, args ...any) {
	s.t.Helper()
	s.t.Fatalf("seed %d: %s", s.seed, fmt.Sprintf(format, args...))
}

// opSize is how many bytes of a fuzz input are one op.
const opSize = 5

func scriptOf(data []byte) []op {
	var script []op
	for ; len(data) >= opSize; data = data[opSize:] {
		script = append(script, op{data[0], data[1], data[2], data[3], data[4]})
	}
	return script
}

func FuzzQueue(f *testing.F) {
	for seed := range uint64(8) {
		rng := rand.New(rand.NewPCG(seed, 0))
		data := make([]byte, opSize*30)
		for i := range data {
			data[i] = byte(rng.Uint32())
		}
		f.Add(seed%2 == 0, data)
	}
	f.Fuzz(func(t *testing.T, byPriority bool, data []byte) {
		play(t, byPriority, int64(len(data)%2)*bubble, scriptOf(data))
	})
}
