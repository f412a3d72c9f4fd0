package load

import (
	"math"
	"sync"
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// Sound is what became of the sound that plays beside the frames.
type Sound struct {
	Gaps int           // how often nothing was left to play
	Wait time.Duration // the longest of the goroutine that writes, from when it was due to when it ran; 0 = not known
}

// Plus returns both together.
func (s Sound) Plus(t Sound) Sound { return Sound{s.Gaps + t.Gaps, max(s.Wait, t.Wait)} }

const (
	soundPiece = 10 * time.Millisecond // is written at once, when there is room
	soundAhead = 40 * time.Millisecond // is written before it is played, at most
	soundRate  = 48000                 // samples a second, of each of two channels
	pieceSize  = 2 * soundRate / int(time.Second/soundPiece)
)

// A playback is sound that a simulated device plays by the clock. After a gap it continues with the next piece.
type playback struct {
	Sound
	since deadline.Instant // waits before are not counted
	end   deadline.Instant // of what is written
}

// due returns when there is room for a piece.
func (p *playback) due() deadline.Instant { return p.end.Add(soundPiece - soundAhead) }

// woke notes when the writer runs that was due.
func (p *playback) woke(now deadline.Instant) { p.Wait = max(p.Wait, now.Sub(max(p.due(), p.since))) }

// wrote notes that a piece has been written.
func (p *playback) wrote(now deadline.Instant) {
	if now > p.end {
		p.Gaps++
		p.end = now
	}
	p.end = p.end.Add(soundPiece)
}

// A player writes sound on an ordinary goroutine that waits in a Go timer, as the audio of an engine does.
type player struct {
	stop, stopped chan struct{}

	mu sync.Mutex // guards the playback
	playback

	ring  [soundAhead / soundPiece][pieceSize]float32
	piece int // written latest
	angle [3]float64
}

// play starts a player.
func play() *player {
	p := &player{stop: make(chan struct{}), stopped: make(chan struct{})}
	p.since = deadline.Now()
	p.end = p.since.Add(soundAhead)
	go p.run()
	return p
}

func (p *player) run() {
	defer close(p.stopped)
	t := time.NewTimer(soundPiece)
	defer t.Stop()
	for {
		select {
		case <-p.stop:
			return
		case <-t.C:
		}
		t.Reset(p.fill())
	}
}

// fill writes as many pieces as there is room for, and returns when the next one is due.
func (p *player) fill() time.Duration {
	now := deadline.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.woke(now); p.due() <= now; p.wrote(now) {
		p.mu.Unlock()
		p.synthesize()
		now = deadline.Now()
		p.mu.Lock()
	}
	return p.due().Sub(now)
}

// synthesize computes a piece: a chord, with a little more on the left.
func (p *player) synthesize() {
	p.piece = (p.piece + 1) % len(p.ring)
	out := p.ring[p.piece][:]
	for i := 0; i < len(out); i += 2 {
		sum := 0.0
		for k := range p.angle {
			p.angle[k] = math.Mod(p.angle[k]+2*math.Pi*220*(1+float64(k)/4)/soundRate, 2*math.Pi)
			sum += math.Sin(p.angle[k])
		}
		out[i], out[i+1] = float32(sum/3), float32(sum/4)
	}
}

// reset counts anew.
func (p *player) reset(now deadline.Instant) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.Sound, p.since = Sound{}, now
}

// read returns what became of the sound since reset. A writer that is late just now counts.
func (p *player) read(now deadline.Instant) Sound {
	p.mu.Lock()
	q := p.playback
	p.mu.Unlock()
	q.woke(now)
	if now > q.end {
		q.Gaps++
	}
	return q.Sound
}

// close ends the player's goroutine.
func (p *player) close() {
	close(p.stop)
	<-p.stopped
}
