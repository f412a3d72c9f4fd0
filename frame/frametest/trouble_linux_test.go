package frametest

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"
)

// trouble is what goes on beside the game: other programs, a quota, stops.
type trouble struct {
	mu    sync.Mutex
	game  *os.Process // of the turn in progress
	group string      // the control group for the game; "" without a quota
	stop  chan struct{}
	wait  sync.WaitGroup
}

func begin(t *testing.T, kind string) *trouble {
	b := &trouble{stop: make(chan struct{})}
	if kind == "hogs" || kind == "all three" {
		b.wait.Go(func() { b.hogs(t) })
	}
	if kind == "stops" || kind == "all three" {
		const ms = time.Millisecond
		b.wait.Go(func() { b.stops(50*ms, 500*ms, 5*ms, 40*ms) })
	}
	if kind == "a CPU quota" || kind == "all three" {
		b.quota(50)
	}
	return b
}

func (b *trouble) end() {
	close(b.stop)
	b.wait.Wait()
	if b.group != "" {
		for range 100 {
			if os.Remove(b.group) == nil {
				return
			}
			time.Sleep(10 * time.Millisecond) // the last process is leaving
		}
	}
}

// took is told of the game's process.
func (b *trouble) took(p *os.Process) {
	b.mu.Lock()
	b.game = p
	b.mu.Unlock()
	if b.group != "" {
		_ = os.WriteFile(filepath.Join(b.group, "cgroup.procs"), []byte(strconv.Itoa(p.Pid)), 0)
	}
}

// over waits, and reports whether the trouble is to end.
func (b *trouble) over(least, most time.Duration) bool {
	select {
	case <-b.stop:
		return true
	case <-time.After(least + rand.N(most-least)):
		return false
	}
}

// hogs come and go: none to three at a time.
func (b *trouble) hogs(t *testing.T) {
	for {
		var running []*exec.Cmd
		for range rand.IntN(4) {
			cmd := exec.Command("sh", "-c", "while :; do :; done")
			if err := cmd.Start(); err != nil {
				t.Error(err)
				return
			}
			running = append(running, cmd)
		}
		over := b.over(200*time.Millisecond, 3*time.Second)
		for _, cmd := range running {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
		if over {
			return
		}
	}
}

// stops stop the game now and then.
func (b *trouble) stops(least, most, short, long time.Duration) {
	for !b.over(least, most) {
		b.mu.Lock()
		p := b.game
		b.mu.Unlock()
		if p == nil || p.Signal(syscall.SIGSTOP) != nil {
			continue
		}
		time.Sleep(short + rand.N(long-short))
		_ = p.Signal(syscall.SIGCONT)
	}
}

// quota lets the game use so many percent of a processor. Where that needs privileges, stops of 40 ms in 100 do it.
func (b *trouble) quota(percent int) {
	const period = 100_000
	for _, c := range []struct{ root, file, text string }{
		{"/sys/fs/cgroup/cpu", "cpu.cfs_quota_us", strconv.Itoa(percent * period / 100)},
		{"/sys/fs/cgroup", "cpu.max", fmt.Sprintf("%d %d", percent*period/100, period)},
	} {
		group := filepath.Join(c.root, fmt.Sprintf("frametest-%d", os.Getpid()))
		if os.Mkdir(group, 0o755) != nil {
			continue
		}
		if os.WriteFile(filepath.Join(group, c.file), []byte(c.text), 0) == nil {
			b.group = group
			return
		}
		_ = os.Remove(group)
	}
	fmt.Println("no control group can be made: stops take the place of the quota")
	off := time.Duration(100-percent) * time.Millisecond
	b.wait.Go(func() { b.stops(100*time.Millisecond-off, 101*time.Millisecond-off, off, off+1) })
}
