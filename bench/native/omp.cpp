// OpenMP, as the compiler has it. The thread that creates tasks is one of the team, and runs tasks where it
// waits. Trees are counted per thread, without a wait at each node: the fewest constructs that do the work.
// Loops are scheduled statically, which is best for equal items. There is no submission from four threads
// outside of a team, no job without a wait, and no queue for a backlog (libgomp runs tasks at once when some
// wait), so producers, wake and urgent are missing.
#include <omp.h>

#include "common.hpp"

static int workers;

static std::string submit(const numbers& a) {
    std::atomic<int64_t> ran{0};
    auto run = [&](long n) {
#pragma omp parallel num_threads(workers)
#pragma omp single
        for (long i = 0; i < n; i++) {
#pragma omp task
            ran.fetch_add(1, std::memory_order_relaxed);
        }
    };
    run(a[0] / 10);
    ran = 0;
    int64_t t0 = now();
    run(a[0]);
    int64_t took = now() - t0;
    check(ran, a[0]);
    return ns("ns/task", took, a[0]);
}

static int64_t fib(int n) {
    if (n < 2) return n;
    int64_t x, y;
#pragma omp task shared(x)
    x = fib(n - 1);
    y = fib(n - 2);
#pragma omp taskwait
    return x + y;
}

static int64_t fib_root(int n) {
    int64_t r = 0;
#pragma omp parallel num_threads(workers)
#pragma omp single
    r = fib(n);
    return r;
}

struct alignas(128) counter { int64_t sum; };
static counter counters[64];

static void walk(node x) {
    node kids[most];
    int64_t sum = 0, own;
    for (;;) {
        int n = expand(x, kids, own);
        sum += own;
        if (n == 0) break;
        for (int i = 1; i < n; i++) {
            node kid = kids[i];
#pragma omp task firstprivate(kid)
            walk(kid);
        }
        x = kids[0];
    }
    counters[omp_get_thread_num()].sum += sum;
}

static int64_t walk_root(node x) {
    for (auto& c : counters) c.sum = 0;
#pragma omp parallel num_threads(workers)
#pragma omp single
    walk(x);
    int64_t sum = 0;
    for (auto& c : counters) sum += c.sum;
    return sum;
}

static std::string loop(const numbers& a) {
    return loop_rows(a, workers, [](int64_t n, int64_t steps) {
        int64_t sum = 0;
#pragma omp parallel for schedule(static) num_threads(workers) reduction(+ : sum)
        for (int64_t i = 0; i < n; i++) sum += burn(i, i + 1, steps);
        return sum;
    });
}

static std::string hot_pair(const numbers& a) {
    return pair_rows(a, [](auto& half) {
#pragma omp parallel for schedule(static, 1) num_threads(2)
        for (int i = 0; i < 2; i++) half();
    });
}

int main(int, char** argv) {
    workers = std::min(64, std::stoi(argv[1]));
    return serve({
        {"submit", submit},
        {"fib", [](const numbers& a) { return fib_rows(a, fib_root); }},
        {"nqueens", [](const numbers& a) { return walk_rows(a, "ns/task", queens_root, walk_root); }},
        {"tree", [](const numbers& a) { return walk_rows(a, "ns/node", branch_root, walk_root); }},
        {"for", loop},
        {"hot-pair", hot_pair},
        {"idle", [](const numbers& a) { submit({1000}); return idle_rows(a); }},
    });
}
