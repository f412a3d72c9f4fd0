// What the C++ programs share: the protocol of package child, the clock, and the workloads' definitions, which
// are those of bench/pools in Go, line by line.
#pragma once

#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <iostream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using numbers = std::vector<long>;
using workloads = std::map<std::string, std::function<std::string(const numbers&)>>;

inline int64_t now() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::steady_clock::now().time_since_epoch()).count();
}

inline void sleep_ms(long ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }

inline std::string value(const std::string& metric, double v, const std::string& unit) {
    std::ostringstream s;
    s.precision(12);
    s << metric << " " << v << " " << unit << "\n";
    return s.str();
}

inline std::string ns(const std::string& metric, int64_t took, int64_t items) {
    return value(metric, double(took) / double(items), "ns");
}

inline double quantile(std::vector<double>& v, double q) {
    std::sort(v.begin(), v.end());
    double at = q * double(v.size() - 1);
    size_t i = size_t(at);
    return i + 1 == v.size() ? v[i] : v[i] + (at - double(i)) * (v[i + 1] - v[i]);
}

// quantiles takes ns and returns rows in µs.
inline std::string quantiles(const std::string& name, std::vector<double> v, double high, const std::string& high_name) {
    return value(name + "p50", quantile(v, 0.5) / 1e3, "µs") + value(name + high_name, quantile(v, high) / 1e3, "µs");
}

inline void check(int64_t got, int64_t want) {
    if (got != want) throw std::runtime_error("result " + std::to_string(got) + ", not " + std::to_string(want));
}

inline int64_t burn(int64_t lo, int64_t hi, int64_t steps) {
    int64_t sum = 0;
    for (int64_t i = lo; i < hi; i++) {
        uint64_t x = uint64_t(i) + 1;
        for (int64_t k = 0; k < steps; k++) x = (x ^ x >> 29) * 6364136223846793005u;
        sum += int64_t(x >> 63);
    }
    return sum;
}

// steps_for returns how many steps of burn take the time.
inline int64_t steps_for(int64_t time) {
    const int64_t steps = 100000;
    int64_t least = INT64_MAX;
    static std::atomic<int64_t> sink;
    for (int i = 0; i < 20; i++) {
        int64_t t0 = now();
        sink += burn(0, 1, steps + (sink & 1));
        least = std::min(least, now() - t0);
    }
    return std::max<int64_t>(1, time * steps / least);
}

struct node { uint32_t kind, a, b, c; };
constexpr int most = 16;
enum : uint32_t { queens, branch };

inline node queens_root(long n) { return {queens | uint32_t(n) << 8, 0, 0, 0}; }
inline node branch_root(long nodes) { return {branch, uint32_t(nodes), 1, 0}; }

inline int place(node x, node* kids) {
    uint32_t all = (uint32_t(1) << (x.kind >> 8)) - 1;
    int n = 0;
    for (uint32_t open = all & ~(x.a | x.b | x.c); open != 0; open &= open - 1) {
        uint32_t bit = open & -open;
        kids[n++] = {x.kind, x.a | bit, (x.b | bit) << 1, (x.c | bit) >> 1};
    }
    return n;
}

inline int grow(node x, node* kids) {
    uint32_t left = x.a - 1, seed = x.b;
    int n = 0;
    while (left > 0) {
        seed = seed * 1664525 + 1013904223;
        uint32_t size = left;
        if (n < 3) size = std::min(left, 1 + uint32_t(uint64_t(left) * uint64_t(seed >> 24) * 7 >> 11));
        kids[n++] = {branch, size, seed ^ seed >> 15, 0};
        left -= size;
    }
    return n;
}

// expand fills in the children of x, returns their number and sets what x itself adds.
inline int expand(node x, node* kids, int64_t& own) {
    if ((x.kind & 255) == queens) {
        own = x.a == (uint32_t(1) << (x.kind >> 8)) - 1;
        return own ? 0 : place(x, kids);
    }
    own = 1 + (x.b & 1);
    return grow(x, kids);
}

// serial_walk returns the sum, and counts the nodes.
inline int64_t serial_walk(node x, int64_t& nodes) {
    node kids[most];
    int64_t sum;
    int n = expand(x, kids, sum);
    nodes++;
    for (int i = 0; i < n; i++) sum += serial_walk(kids[i], nodes);
    return sum;
}

inline int64_t serial_fib(int64_t n) {
    int64_t a = 0, b = 1;
    while (n-- > 0) { int64_t c = a + b; a = b; b = c; }
    return a;
}

// fib_rows and walk_rows measure a function at the size a[0], after a run at a[1].
template <class F> std::string fib_rows(const numbers& a, F fib) {
    fib(int(a[1]));
    int64_t t0 = now(), got = fib(int(a[0])), took = now() - t0;
    check(got, serial_fib(a[0]));
    return ns("ns/fork", took, serial_fib(a[0] + 1) - 1);
}

template <class F> std::string walk_rows(const numbers& a, const std::string& metric, node (*root)(long), F walk) {
    int64_t nodes = 0, want = serial_walk(root(a[0]), nodes);
    walk(root(a[1]));
    int64_t t0 = now(), got = walk(root(a[0])), took = now() - t0;
    check(got, want);
    return ns(metric, took, nodes);
}

// loop_rows takes a function that does burn for [0, n) in parallel; numbers are items, steps, times, and how
// often in a row.
template <class F> std::string loop_rows(const numbers& a, int workers, F parallel) {
    std::vector<double> one, many;
    for (long i = 0; i < a[2]; i++) {
        int64_t t0 = now(), want = burn(0, a[0], a[1]);
        one.push_back(double(now() - t0));
        for (long k = 0; k < a[3]; k++) {
            t0 = now();
            int64_t got = parallel(a[0], a[1]);
            many.push_back(double(now() - t0));
            check(got, want);
        }
    }
    double serial = quantile(one, 0.5), took = quantile(many, 0.5);
    return value("time", took / 1e3, "µs") + value("overhead", (took * workers / serial - 1) * 100, "%");
}

// pair_rows takes a function that runs its argument twice at once.
template <class F> std::string pair_rows(const numbers& a, F pair) {
    int64_t steps = steps_for(20000);
    // What burn returns must be used, and each must differ, or the compiler would not do it each time.
    std::atomic<int64_t> done{0}, odd{0};
    auto half = [&] { int64_t i = done++; odd += burn(i, i + 1, steps); };
    std::vector<double> took;
    for (long i = 0; i < a[0]; i++) {
        odd += burn(i, i + 1, steps * 5 / 2);
        int64_t t0 = now();
        pair(half);
        took.push_back(double(now() - t0));
    }
    check(done, 2 * a[0]);
    return quantiles("", took, 0.99, "p99");
}

inline int64_t cpu_ns() {
    rusage u;
    getrusage(RUSAGE_SELF, &u);
    auto t = [](timeval v) { return int64_t(v.tv_sec) * 1000000000 + int64_t(v.tv_usec) * 1000; };
    return t(u.ru_utime) + t(u.ru_stime);
}

inline std::string idle_rows(const numbers& a) {
    sleep_ms(100);
    int64_t before = cpu_ns();
    sleep_ms(a[0]);
    return value("cpu", double(cpu_ns() - before) / double(a[0]), "µs/s");
}

// serve speaks the protocol.
inline int serve(const workloads& all) {
    for (auto& w : all) std::cout << w.first << " ";
    std::cout << std::endl;
    for (std::string line; std::getline(std::cin, line);) {
        std::istringstream in(line);
        std::string name;
        numbers args;
        in >> name;
        for (long x; in >> x;) args.push_back(x);
        try {
            std::cout << all.at(name)(args) << std::endl;
        } catch (const std::exception& e) {
            std::cout << "error " << e.what() << std::endl;
        }
    }
    return 0;
}
