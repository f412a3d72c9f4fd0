package workers

import (
	"fmt"
	"strings"
)

// What a Graph looks like: its circles, and its picture.

// check returns an ErrCycle that names the path, if there is one.
func (g *Graph) check() error {
	state := make(map[*Node]int, len(g.nodes)) // 1 on the path, 2 done
	var path []*Node
	var visit func(n *Node) error
	visit = func(n *Node) error {
		path = append(path, n)
		state[n] = 1
		for _, s := range n.next {
			switch state[s] {
			case 0:
				if err := visit(s); err != nil {
					return err
				}
			case 1:
				return cycle(append(path, s))
			}
		}
		state[n] = 2
		path = path[:len(path)-1]
		return nil
	}
	for _, n := range g.nodes {
		if state[n] == 0 {
			if err := visit(n); err != nil {
				return err
			}
		}
	}
	return nil
}

// cycle describes a path whose last node is on it already.
func cycle(path []*Node) error {
	last := path[len(path)-1]
	for path[0] != last {
		path = path[1:]
	}
	names := make([]string, len(path))
	for i, n := range path {
		names[i] = n.name
	}
	return fmt.Errorf("%w: %s", ErrCycle, strings.Join(names, " -> "))
}

// String returns the graph in the language DOT, pinned nodes as boxes.
func (g *Graph) String() string {
	var b strings.Builder
	b.WriteString("digraph {\n")
	number := make(map[*Node]int, len(g.nodes))
	for i, n := range g.nodes {
		number[n] = i
		shape := "ellipse"
		if n.pinned {
			shape = "box"
		}
		fmt.Fprintf(&b, "\tn%d [label=%q shape=%s]\n", i, n.name, shape)
	}
	for i, n := range g.nodes {
		for _, s := range n.next {
			fmt.Fprintf(&b, "\tn%d -> n%d\n", i, number[s])
		}
	}
	b.WriteString("}\n")
	return b.String()
}
