package workers

import (
	"sync"
	"syscall"
	"testing"
)

// fakeKernel is as much of a kernel as kqueueParker sees: numbers of files, the lowest free one for the next, and
// behind some of them a queue with a user's event. What marks do is what filt_user of FreeBSD's kern_event.c does, and
// with macOS set that of XNU: they differ in what EV_CLEAR means in a change. What should not happen is counted.
type fakeKernel struct {
	macOS bool

	mu    sync.Mutex
	came  sync.Cond
	files []*fakeQueue // by number
	wrong int          // calls with a number that is not a queue's, or of an event that is not there

	// What goes wrong: signals interrupt the next so many changes, and waits; there is no file, no event; no mark is
	// set; none is taken.
	interruptChange, interruptTake   int
	noFile, noEvent, noMark, noClear bool
}

type fakeQueue struct {
	added bool
	clear bool // EV_CLEAR, when it was added
	mark  bool
	other bool // not a queue, but a file that has got the number after it
}

func newFakeKernel(macOS bool) *fakeKernel {
	k := &fakeKernel{macOS: macOS}
	k.came.L = &k.mu
	return k
}

func (k *fakeKernel) calls() kqueueCalls {
	return kqueueCalls{open: k.open, change: k.change, take: k.take, close: k.close}
}

func (k *fakeKernel) file(q *fakeQueue) (int, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.noFile {
		return -1, syscall.EMFILE
	}
	for n, f := range k.files {
		if f == nil {
			k.files[n] = q
			return n, nil
		}
	}
	k.files = append(k.files, q)
	return len(k.files) - 1, nil
}

func (k *fakeKernel) open() (int, error) { return k.file(new(fakeQueue)) }

// queue is for callers who hold the lock. It returns nil if the number is not a queue's.
func (k *fakeKernel) queue(kq int) *fakeQueue {
	if kq < 0 || kq >= len(k.files) || k.files[kq] == nil || k.files[kq].other {
		k.wrong++
		return nil
	}
	return k.files[kq]
}

func (k *fakeKernel) change(kq int, flags uint16, notes uint32) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	q := k.queue(kq)
	switch {
	case q == nil:
		return syscall.EBADF
	case k.interruptChange > 0: // the worse of two cases: nothing has been done
		k.interruptChange--
		return syscall.EINTR
	case k.noEvent:
		return syscall.EINVAL
	case !q.added && flags&evAdd == 0:
		k.wrong++
		return syscall.ENOENT
	case !q.added: // attach
		*q = fakeQueue{added: true, clear: flags&evClear != 0, mark: notes&noteTrigger != 0}
	default: // touch
		if notes&noteTrigger != 0 {
			q.mark = !k.noMark
		}
		if flags&evClear != 0 && !k.macOS {
			q.mark = false
		}
	}
	if q.mark {
		k.came.Broadcast()
	}
	return nil
}

func (k *fakeKernel) take(kq int, sleep bool) (int, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	q := k.queue(kq)
	if q == nil {
		return -1, syscall.EBADF
	}
	for !q.mark {
		if !sleep {
			return 0, nil
		}
		if k.interruptTake > 0 {
			k.interruptTake--
			k.came.Broadcast()
			return -1, syscall.EINTR
		}
		k.came.Wait()
	}
	q.mark = !q.clear || k.noClear
	return 1, nil
}

func (k *fakeKernel) close(kq int) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.queue(kq) == nil {
		return syscall.EBADF
	}
	k.files[kq] = nil
	return nil
}

// onKqueues runs f on both kinds of kernel, and wants nothing to be wrong in the end.
func onKqueues(t *testing.T, f func(t *testing.T, k *fakeKernel)) {
	for name, macOS := range map[string]bool{"kqueue": false, "kqueue-macOS": true} {
		t.Run(name, func(t *testing.T) {
			k := newFakeKernel(macOS)
			f(t, k)
			if k.wrong != 0 {
				t.Errorf("%d calls that the kernel refuses", k.wrong)
			}
		})
	}
}

// P4, P5: a post that a signal interrupts is made nevertheless, and a wait that one interrupts goes on.
func TestSignalsTakeNoTokenFromAKqueue(t *testing.T) {
	onKqueues(t, func(t *testing.T, k *fakeKernel) {
		p := newKqueueParker(k.calls())
		defer p.close()
		k.interruptChange = 3
		p.post()
		if n, err := k.take(p.fd, false); n != 1 || err != nil {
			t.Fatalf("after an interrupted post: %d events, %v", n, err)
		}
		k.interruptTake = 1
		woken := make(chan struct{})
		go func() {
			defer close(woken)
			p.wait()
		}()
		k.mu.Lock()
		for k.interruptTake > 0 {
			k.came.Wait()
		}
		k.mu.Unlock()
		p.post()
		<-woken
		if n, err := k.take(p.fd, false); n != 0 || err != nil {
			t.Errorf("after an interrupted wait: %d events, %v", n, err)
		}
	})
}

// Where there is no file, no such event, or none that works, there is no parker, and nothing is left open.
func TestWithoutAKqueueThereIsNoParker(t *testing.T) {
	for name, spoil := range map[string]func(k *fakeKernel){
		"no file": func(k *fakeKernel) { k.noFile = true }, "no event": func(k *fakeKernel) { k.noEvent = true },
		"no mark": func(k *fakeKernel) { k.noMark = true }, "no clearing": func(k *fakeKernel) { k.noClear = true },
	} {
		t.Run(name, func(t *testing.T) {
			onKqueues(t, func(t *testing.T, k *fakeKernel) {
				spoil(k)
				if newKqueueParker(k.calls()) != nil {
					t.Error("there is a parker")
				}
				for n, f := range k.files {
					if f != nil {
						t.Errorf("file %d is still open", n)
					}
				}
			})
		})
	}
}

// P3: the parker is closed while a post is on its way to the kernel, and the number is another file's afterwards.
func TestALatePostReachesNoOtherFile(t *testing.T) {
	onKqueues(t, func(t *testing.T, k *fakeKernel) {
		p := newKqueueParker(k.calls())
		p.sys.change = func(kq int, flags uint16, notes uint32) error {
			p.close()
			return k.change(kq, flags, notes)
		}
		p.post()
		n, err := k.file(&fakeQueue{other: true})
		if n != p.fd || err != nil {
			t.Fatalf("the next file has number %d, %v, not that of the queue, which was to be closed", n, err)
		}
		p.post()
	})
}
