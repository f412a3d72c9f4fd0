// Package sleep decides which workers sleep and which are woken, so that no work is left lying and no wake-up is
// wasted.
//
// A Set is the workers of one class. A goroutine that makes work visible calls Set.Notify, which costs two loads if
// nobody needs to be woken. A worker that finds no work calls Sleeper.Sleep, which looks for a while, sleeps, and
// returns with work. The package knows nothing of queues: a worker searches them through the interface Worker.
package sleep

// How it works.
//
// A Set has a word idle, with a bit for each sleeper, and a count searching of the workers that are awake without work.
// A Sleeper has an epoch, which counts its sleeps, a mark posted, and a parker with a token. Wait takes the token or
// waits for one. Post leaves a token, unless there is one.
//
//	W1  A goroutine that makes work visible then calls Notify. If idle is not empty and searching is zero, Notify
//	    takes the first sleeper in idle. Unless posted equals the epoch, it posts and sets posted to the epoch that
//	    it read.
//	W2  A worker without work (1) leaves the searchers, (2) begins an epoch and enters idle, (3) looks into every
//	    queue once more, (4) waits. If (3) finds something, or when (4) returns, it becomes a searcher and then
//	    leaves idle, in this order, and looks for work.
//	W3  A searcher that finds work leaves the searchers. If it was the last and sees more work, it posts to up to two
//	    others. So one wake-up grows into as many as there is work for, like a tree.
//	W4  A token outlives the moment: a post to a worker that is not yet, or no longer, waiting makes its next wait
//	    return. So a wait may return for no reason. The worker then looks for work and sleeps again.
//	W5  Only a worker itself changes its bit, its epoch and the count for itself. The mark comes after the post. So a
//	    poster that is descheduled in the middle has promised nothing that others rely on.
//	W6  A worker that enters idle has nothing private: it has run or published all that only it can see.
//	M1  A worker that takes several items at once publishes all but the first, and calls Notify, before it runs the
//	    first.
//
// Claim: if work is visible for good, some worker of the Set is awake. Atomic operations behave as if in one order,
// so "before" is well defined. Suppose that all workers sleep: each has passed its last (3) without seeing the work,
// and no token is there. Let A be the moment at which the work became visible, and B the Notify that followed. Each
// last (3) came before A, so each last (2) came before B, and B found idle not empty. There are two cases.
//
//   - B found searching not zero. Take the searcher that was the last to leave after B. If it left by (1), its (3)
//     came after B, so after A, and saw the work: a contradiction. If it left by W3, it saw the work and posted to a
//     worker in idle, or found a mark: the next case.
//   - B posted to the first worker in idle, or found its mark for the epoch that B read. That worker was in idle
//     after A. If this was its last epoch, the token is there or has ended the epoch: a contradiction. Otherwise the
//     worker slept again later, and between the two sleeps it searched. Then it took the work, or it stopped searching
//     by (1), after A, which is the first case. Each application of the first case uses a later such stop, and there
//     are finitely many. ∎
//
// By M1, items that one worker has claimed and not yet published count as work that has not been there before.
//
// The explorer runs two workers and one or two publishers, with and without batches, and finds 13 mutants
// (protocol_test.go).
//
// A submission from a frame makes a system call only if it finds a sleeper and nobody searching: one for each burst of
// submissions.
//
// Why a worker looks for a while before it sleeps, and for how long, is at the type Spin.
