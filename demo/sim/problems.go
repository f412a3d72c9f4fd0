package sim

import "fmt"

// Problem is something that went wrong and was got over: a corrupt image, a save that failed.
type Problem struct {
	Name string // of the asset or file
	Err  error
}

func (p Problem) Error() string { return fmt.Sprintf("sim: %s: %v", p.Name, p.Err) }

// Unwrap returns Err.
func (p Problem) Unwrap() error { return p.Err }

// Problems lists what went wrong. The zero value is empty. Frame goroutine only.
type Problems struct {
	list  []Problem
	total int
}

const keepProblems = 64

// List returns the problems, oldest first: the newest of each name, and at most 64 names. The caller must not
// write to it.
func (p *Problems) List() []Problem { return p.list }

// Total counts every problem, also repeated and dropped ones.
func (p *Problems) Total() int { return p.total }

func (p *Problems) add(name string, err error) {
	p.total++
	for i := range p.list {
		if p.list[i].Name == name {
			p.list[i].Err = err
			return
		}
	}
	if len(p.list) == keepProblems {
		copy(p.list, p.list[1:])
		p.list = p.list[:keepProblems-1]
	}
	p.list = append(p.list, Problem{name, err})
}
