package main

// A node is a call of a recursive workload, small enough to be passed by value.
type node struct{ kind, a, b, c uint32 }

// The kinds of nodes. queens is one placement of nqueens, by the columns and diagonals taken. branch is a subtree of
// the unbalanced tree, with node.a nodes, grown from the seed node.b.
const (
	queens = iota
	branch
)

// most is the greatest number of children.
const most = 16

func queensRoot(n int) node { return node{kind: queens | uint32(n)<<8} }

func branchRoot(nodes int) node { return node{kind: branch, a: uint32(nodes), b: 1} }

// expand fills in the children of x and returns their number, and what x itself adds to the sum.
func expand(x node, kids *[most]node) (n int, own int64) {
	if x.kind&255 == queens {
		return place(x, kids)
	}
	return grow(x, kids)
}

// place lists the free places of the next row. A full board counts one.
func place(x node, kids *[most]node) (n int, own int64) {
	all := uint32(1)<<(x.kind>>8) - 1
	if x.a == all {
		return 0, 1
	}
	for free := all &^ (x.a | x.b | x.c); free != 0; free &= free - 1 {
		bit := free & -free
		kids[n] = node{x.kind, x.a | bit, (x.b | bit) << 1, (x.c | bit) >> 1}
		n++
	}
	return n, 0
}

// grow deals the nodes below x to up to four children. Each gets up to seven eighths of what the children before it
// have left. A node counts one more than the low bit of its seed, so that a sum is hard to get right by chance.
func grow(x node, kids *[most]node) (n int, own int64) {
	left, seed := x.a-1, x.b
	own = 1 + int64(seed&1)
	for left > 0 {
		seed = seed*1664525 + 1013904223
		size := left
		if n < 3 {
			size = 1 + uint32(uint64(left)*uint64(seed>>24)*7>>11)
			size = min(size, left)
		}
		kids[n] = node{branch, size, seed ^ seed>>15, 0}
		n++
		left -= size
	}
	return n, own
}

// serialWalk is what every system's walk must return.
func serialWalk(x node) int64 {
	var kids [most]node
	n, sum := expand(x, &kids)
	for i := range n {
		sum += serialWalk(kids[i])
	}
	return sum
}

// serialNodes counts the nodes.
func serialNodes(x node) int {
	var kids [most]node
	n, _ := expand(x, &kids)
	count := 1
	for i := range n {
		count += serialNodes(kids[i])
	}
	return count
}

func serialFib(n int) int {
	a, b := 0, 1
	for range n {
		a, b = b, a+b
	}
	return a
}

// forksOf is the number of forks of fib(n): one for each call with n > 1.
func forksOf(n int) int { return serialFib(n+1) - 1 }
