// Package deadline says when: priorities and their timeouts, deadlines, budgets, cost estimates, and a queue that
// orders work by them.
package deadline
