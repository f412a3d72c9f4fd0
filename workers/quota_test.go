package workers

import (
	"context"
	"slices"
	"testing"
	"testing/fstest"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/osthread"
)

// usual is the kernel's period if nobody has set another one.
const usual = 100 * time.Millisecond

// quotaFiles are what the system reports of a quota.
func quotaFiles(limit string) fstest.MapFS {
	return fstest.MapFS{
		"proc/self/cgroup":        {Data: []byte("0::/x\n")},
		"proc/self/mountinfo":     {Data: []byte("30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n")},
		"sys/fs/cgroup/x/cpu.max": {Data: []byte(limit)},
	}
}

// saved gives a pool a quota of half a processor, of which it has saved up so much.
func saved(t *testing.T, p *Pool, left time.Duration) {
	t.Helper()
	if _, err := osthread.ProcessTime(); err != nil {
		t.Skip("no processor time here")
	}
	p.machine.restrict(0.5, usual)
	p.machine.quota.Bucket.Save(left)
}

// poor makes a pool one whose quota is used up, so that a job has to wait for 0.1 s at least.
func poor(t *testing.T, p *Pool) {
	t.Helper()
	saved(t, p, -usual/2)
}

// RunUntil asks whether the quota allows a job before RunUntil has the job. A job that does not begin is not charged. A
// job that yields at once is not charged the rest of the slice.
func TestRunUntilChargesWhatItBegins(t *testing.T) {
	const slice, jobs = 50 * time.Millisecond, 3
	for _, yields := range []bool{false, true} {
		least := time.Hour // of some tries: other programs make most of them long
		for range 50 {
			p := New(Options{Workers: -1})
			ran := 0
			var set [jobs]Job
			for i := range set {
				set[i] = Job{Cost: 100 * time.Microsecond, Func: func(w *Worker) {
					if yields {
						w.Yield()
					}
					ran++
				}}
				p.Submit(&set[i])
			}
			if yields {
				p.RunUntil(deadline.In(slice)) // up to their Yield
			} else {
				p.pump.passed.Store(int64(deadline.Now())) // as if something did not fit
			}
			p.BeginFrame()
			saved(t, p, usual/20)
			p.BeginFrame()
			from := deadline.Now()
			for ran < jobs {
				p.RunUntil(deadline.In(slice))
				time.Sleep(time.Millisecond) // saves up
			}
			least = min(least, deadline.Now().Sub(from))
			p.machine.restrict(0, 0)
			_ = p.Close(context.Background())
			if least < slice/2 {
				break
			}
		}
		if least >= slice/2 {
			t.Errorf("yields %v: %d jobs took %v", yields, jobs, least)
		}
	}
}

// On workers of both classes a job waits for the quota while there are frames.
func TestWorkersSaveForTheFrame(t *testing.T) {
	NeedsWorkers(t)
	for _, prio := range []deadline.Priority{deadline.UserBlocking, deadline.Normal} {
		for frames, tries := range map[bool]int{true: 5, false: 50} {
			least := time.Hour // of some tries: other programs make most of them long
			for range tries {
				p := New(Options{Workers: 1, Background: 1})
				from := deadline.Now() // the quota refills from here on
				if frames {
					poor(t, p)
					p.BeginFrame()
					p.EndFrame()
				} else {
					poor(t, p)
				}
				began := make(chan deadline.Instant, 1)
				p.Go(prio, func() { began <- deadline.Now() })
				least = min(least, (<-began).Sub(from))
				_ = p.Close(context.Background())
				if least < 100*time.Millisecond {
					break
				}
			}
			if waited := least >= 100*time.Millisecond; waited != frames {
				t.Errorf("%v, frames %v: the job began after %v", prio, frames, least)
			}
		}
	}
}

// RunUntil with a deadline begins no job that the quota does not allow, and takes up none that has yielded. Without a
// deadline it runs all.
func TestRunUntilSavesForTheFrame(t *testing.T) {
	for range 50 {
		if savesForTheFrame(t) {
			return
		}
	}
	t.Error("the quota was never used up for long enough")
}

// savesForTheFrame reports whether the quota was used up in each of the calls: this goroutine may get no processor for
// so long that the quota allows the job.
func savesForTheFrame(t *testing.T) bool {
	p := New(Options{Workers: -1})
	defer p.Close(context.Background())
	ran := 0
	j := Job{Cost: time.Microsecond, Func: func(w *Worker) {
		ran++
		w.Yield()
		ran++
	}}
	slice := func() { p.RunUntil(deadline.In(5 * time.Millisecond)) }
	p.BeginFrame()
	from := deadline.Now()
	poor(t, p)
	p.BeginFrame()
	p.Submit(&j)
	slice()
	if deadline.Now().Sub(from) > usual {
		return false
	}
	if ran != 0 {
		t.Fatal("the job began")
	}
	p.machine.restrict(0, 0)
	for ran == 0 {
		slice()
	}
	if ran == 1 {
		p.BeginFrame()
		from = deadline.Now()
		poor(t, p)
		slice()
		if deadline.Now().Sub(from) > usual {
			return false
		}
		if ran != 1 {
			t.Error("the job continued")
		}
	}
	if p.RunUntil(deadline.Deadline{}); ran != 2 {
		t.Errorf("%d parts ran", ran)
	}
	return true
}

// Only a quota below one processor counts, for as long as there is one, and the notes name the quota.
func TestOnlyAQuotaBelowOneProcessorPacesJobs(t *testing.T) {
	if _, err := osthread.ProcessTime(); err != nil || !threads {
		t.Skip("no processor time here")
	}
	var p Pool
	for _, c := range []struct {
		limit string
		paces bool
	}{
		{"100000 100000\n", false}, {"50000 100000\n", true}, {"150000 100000\n", false},
		{"4000 20000\n", true}, {"max 100000\n", false},
	} {
		p.machine.quota.Files = quotaFiles(c.limit)
		if p.machine.readQuota(); p.machine.quota.Bucket.On() != c.paces {
			t.Errorf("%q: paces jobs: %v", c.limit, !c.paces)
		}
	}
	want := []string{
		"quota: 0.50 processors: jobs leave the frames their share",
		"quota: 0.20 processors: jobs leave the frames their share",
	}
	if !slices.Equal(p.machine.notes.text, want) {
		t.Errorf("got the notes %q", p.machine.notes.text)
	}
}
