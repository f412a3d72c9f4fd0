// oneTBB. A thread that waits for a group runs its tasks meanwhile, so where the submitter waits, it is one of
// the workers; where it has other things to do (wake, urgent) there is one more thread. Groups live on the
// stack of the call that waits for them, as the documentation advises; auto_partitioner, the default, is made
// for loops whose grain is unknown.
#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_reduce.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include "common.hpp"

static int workers;

struct threads : tbb::global_control {
    explicit threads(int n) : tbb::global_control(tbb::global_control::max_allowed_parallelism, size_t(n)) {}
};

static void submit(long n, std::atomic<int64_t>& ran) {
    tbb::task_group g;
    for (long i = 0; i < n; i++) g.run([&] { ran.fetch_add(1, std::memory_order_relaxed); });
    g.wait();
}

static std::string producers(const numbers& a, int count) {
    threads limit(workers);
    std::atomic<int64_t> ran{0};
    submit(a[0] / 10, ran);
    ran = 0;
    int64_t t0 = now();
    std::vector<std::thread> others;
    for (int i = 1; i < count; i++) others.emplace_back([&] { submit(a[0] / count, ran); });
    submit(a[0] - a[0] / count * (count - 1), ran);
    for (auto& t : others) t.join();
    int64_t took = now() - t0;
    check(ran, a[0]);
    return ns("ns/task", took, a[0]);
}

static int64_t fib(int n) {
    if (n < 2) return n;
    int64_t x;
    tbb::task_group g;
    g.run([&x, n] { x = fib(n - 1); });
    int64_t y = fib(n - 2);
    g.wait();
    return x + y;
}

static int64_t walk(node x) {
    node kids[most];
    int64_t sum, sums[most];
    int n = expand(x, kids, sum);
    if (n == 0) return sum;
    if (n == 1) return sum + walk(kids[0]);
    tbb::task_group g;
    for (int i = 1; i < n; i++) g.run([&s = sums[i], kid = kids[i]] { s = walk(kid); });
    sum += walk(kids[0]);
    g.wait();
    for (int i = 1; i < n; i++) sum += sums[i];
    return sum;
}

static std::string loop(const numbers& a) {
    threads limit(workers);
    return loop_rows(a, workers, [](int64_t n, int64_t steps) {
        return tbb::parallel_reduce(tbb::blocked_range<int64_t>(0, n), int64_t(0),
            [steps](const tbb::blocked_range<int64_t>& r, int64_t sum) { return sum + burn(r.begin(), r.end(), steps); },
            std::plus<int64_t>());
    });
}

// wake enqueues, because only that promises that a worker comes while the submitter goes on.
static std::string wake(const numbers& a) {
    threads limit(workers + 1);
    tbb::task_arena arena(workers + 1);
    arena.initialize();
    std::vector<double> starts, trips;
    for (long i = 0; i < a[0]; i++) {
        std::atomic<int64_t> began{0};
        sleep_ms(5);
        int64_t t0 = now();
        arena.enqueue([&] { began = now(); });
        while (began == 0) {}
        starts.push_back(double(began - t0));
        sleep_ms(5);
        t0 = now();
        tbb::task_group g;
        g.run([] {});
        g.wait();
        trips.push_back(double(now() - t0));
    }
    return quantiles("start-", starts, 0.99, "p99") + quantiles("trip-", trips, 0.99, "p99");
}

static std::string hot_pair(const numbers& a) {
    threads limit(workers);
    return pair_rows(a, [](auto& half) {
        tbb::task_group g;
        g.run([&] { half(); });
        half();
        g.wait();
    });
}

// urgent uses two arenas of different priority, which is how oneTBB has priorities.
static std::string urgent(const numbers& a) {
    threads limit(workers + 1);
    tbb::task_arena slow(workers, 0, tbb::task_arena::priority::low);
    tbb::task_arena fast(1, 0, tbb::task_arena::priority::high);
    int64_t steps = steps_for(100000);
    std::atomic<int64_t> left{a[0]}, waiting{0}, drained{0}, odd{0};
    int64_t t0 = now();
    std::thread feeder([&] {
        for (long i = 0; i < a[0]; i++) slow.enqueue([&] {
            odd += burn(odd, odd + 1, steps);
            if (--left == 0) drained = now() - t0;
        });
    });
    std::vector<double*> waits;
    for (int64_t due = t0 + 10000000; drained == 0; due += 10000000) {
        std::this_thread::sleep_for(std::chrono::nanoseconds(due - now()));
        double* wait = new double;
        waits.push_back(wait);
        waiting++;
        fast.enqueue([&waiting, wait, due] { *wait = double(now() - due); waiting--; });
    }
    feeder.join();
    while (waiting > 0) sleep_ms(1);
    std::vector<double> all;
    for (double* w : waits) { all.push_back(*w); delete w; }
    return quantiles("start-", all, 1, "max") + value("drain", double(drained) / 1e6, "ms");
}

int main(int, char** argv) {
    workers = std::stoi(argv[1]);
    auto root = [](auto f) { return [f](const numbers& a) { threads limit(workers); return f(a); }; };
    return serve({
        {"submit", [](const numbers& a) { return producers(a, 1); }},
        {"producers", [](const numbers& a) { return producers(a, 4); }},
        {"fib", root([](const numbers& a) { return fib_rows(a, fib); })},
        {"nqueens", root([](const numbers& a) { return walk_rows(a, "ns/task", queens_root, walk); })},
        {"tree", root([](const numbers& a) { return walk_rows(a, "ns/node", branch_root, walk); })},
        {"for", loop},
        {"wake", wake},
        {"hot-pair", hot_pair},
        {"idle", [](const numbers& a) { producers({1000}, 1); return idle_rows(a); }},
        {"urgent", urgent},
        {"urgent-swap", urgent},  // its sleep is one in the system anyway
    });
}
