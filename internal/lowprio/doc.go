// Package lowprio says when workers on threads of the lowest OS priority hold back, and when they need a thread of
// ordinary priority. Hold is for frames that are late, and Crowd for other programs that keep the processors busy.
package lowprio
