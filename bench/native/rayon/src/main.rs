// rayon. What comes from outside goes in through a scope or spawn of the pool; what is recursive, and loops, run
// within the pool (install), as in a program whose main work is there. join and parallel iterators are what
// its documentation advises over scopes and spawns wherever they can express the work.

mod work;

use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::atomic::{AtomicI64, Ordering::*};
use std::sync::Arc;
use std::time::{Duration, Instant};
use work::*;

fn pool(threads: usize) -> ThreadPool {
    ThreadPoolBuilder::new().num_threads(threads).build().unwrap()
}

fn submit(p: &ThreadPool, n: i64, ran: &AtomicI64) {
    p.in_place_scope(|s| {
        for _ in 0..n {
            s.spawn(|_| {
                ran.fetch_add(1, Relaxed);
            });
        }
    });
}

fn producers(p: &ThreadPool, n: i64, count: i64) -> Rows {
    let ran = AtomicI64::new(0);
    submit(p, n / 10, &ran);
    ran.store(0, SeqCst);
    let t0 = Instant::now();
    std::thread::scope(|s| {
        for _ in 1..count {
            s.spawn(|| submit(p, n / count, &ran));
        }
        submit(p, n - n / count * (count - 1), &ran);
    });
    let took = nanos(t0);
    check(ran.load(SeqCst), n)?;
    Ok(row("ns/task", took / n as f64, "ns"))
}

fn fib(n: i64) -> i64 {
    if n < 2 {
        return n;
    }
    let (x, y) = rayon::join(|| fib(n - 1), || fib(n - 2));
    x + y
}

fn walk(x: Node) -> i64 {
    let mut kids = [Node::default(); MOST];
    let (n, own) = expand(x, &mut kids);
    own + walk_all(&kids[..n])
}

fn walk_all(kids: &[Node]) -> i64 {
    match kids {
        [] => 0,
        [one] => walk(*one),
        [first, rest @ ..] => {
            let (a, b) = rayon::join(|| walk(*first), || walk_all(rest));
            a + b
        }
    }
}

fn recursion(p: &ThreadPool, a: &[i64], metric: &str, items: i64, want: i64, f: fn(i64) -> i64) -> Rows {
    p.install(|| f(a[1]));
    let t0 = Instant::now();
    let got = p.install(|| f(a[0]));
    let took = nanos(t0);
    check(got, want)?;
    Ok(row(metric, took / items as f64, "ns"))
}

fn walking(p: &ThreadPool, a: &[i64], metric: &str, root: fn(i64) -> Node, f: fn(i64) -> i64) -> Rows {
    let (want, items) = serial_walk(root(a[0]));
    recursion(p, a, metric, items, want, f)
}

fn for_loop(p: &ThreadPool, threads: usize, a: &[i64]) -> Rows {
    let (n, steps) = (a[0], a[1]);
    let (mut one, mut many) = (vec![], vec![]);
    p.install(|| {
        for _ in 0..a[2] {
            let t0 = Instant::now();
            let want = burn(0, n, steps);
            one.push(nanos(t0));
            for _ in 0..a[3] {
                let t1 = Instant::now();
                let got: i64 = (0..n).into_par_iter().map(|i| burn(i, i + 1, steps)).sum();
                many.push(nanos(t1));
                check(got, want)?;
            }
        }
        Ok::<(), String>(())
    })?;
    let (serial, took) = (quantile(&mut one, 0.5), quantile(&mut many, 0.5));
    let overhead = (took * threads as f64 / serial - 1.0) * 100.0;
    Ok(row("time", took / 1e3, "µs") + &row("overhead", overhead, "%"))
}

fn wake(p: &ThreadPool, times: i64) -> Rows {
    let (mut starts, mut trips) = (vec![], vec![]);
    let began = Arc::new(AtomicI64::new(0));
    let epoch = Instant::now();
    for _ in 0..times {
        began.store(0, SeqCst);
        std::thread::sleep(Duration::from_millis(5));
        let t0 = nanos(epoch);
        let b = began.clone();
        p.spawn(move || b.store(nanos(epoch) as i64, SeqCst));
        while began.load(SeqCst) == 0 {}
        starts.push(began.load(SeqCst) as f64 - t0);
        std::thread::sleep(Duration::from_millis(5));
        let t0 = Instant::now();
        p.install(|| ());
        trips.push(nanos(t0));
    }
    Ok(quantiles("start-", starts, 0.99, "p99") + &quantiles("trip-", trips, 0.99, "p99"))
}

fn hot_pair(p: &ThreadPool, times: i64) -> Rows {
    let steps = steps_for(20_000.0);
    // What burn returns must be used, and each must differ, or the compiler would not do it each time.
    let (done, odd) = (AtomicI64::new(0), AtomicI64::new(0));
    let half = || {
        let i = done.fetch_add(1, SeqCst);
        odd.fetch_add(burn(i, i + 1, steps), SeqCst);
    };
    let mut took = vec![];
    p.install(|| {
        for i in 0..times {
            odd.fetch_add(burn(i, i + 1, steps * 5 / 2), SeqCst);
            let t0 = Instant::now();
            rayon::join(half, half);
            took.push(nanos(t0));
        }
    });
    check(done.load(SeqCst), 2 * times)?;
    Ok(quantiles("", took, 0.99, "p99"))
}

// urgent uses two pools, because rayon has no priorities.
fn urgent(threads: usize, backlog: i64) -> Rows {
    let (slow, fast) = (pool(threads), pool(1));
    let steps = steps_for(100_000.0);
    let (left, drained, odd) = (AtomicI64::new(backlog), AtomicI64::new(0), AtomicI64::new(0));
    let waits = std::sync::Mutex::new(vec![]);
    let t0 = Instant::now();
    slow.in_place_scope(|s| {
        fast.in_place_scope(|f| {
            for _ in 0..backlog {
                let (left, drained, odd) = (&left, &drained, &odd);
                s.spawn(move |_| {
                    let i = odd.load(SeqCst);
                    odd.fetch_add(burn(i, i + 1, steps), SeqCst);
                    if left.fetch_sub(1, SeqCst) == 1 {
                        drained.store(nanos(t0) as i64, SeqCst);
                    }
                });
            }
            let mut due = t0;
            while drained.load(SeqCst) == 0 {
                due += Duration::from_millis(10);
                std::thread::sleep(due.saturating_duration_since(Instant::now()));
                let waits = &waits;
                f.spawn(move |_| waits.lock().unwrap().push(nanos(due)));
            }
        })
    });
    let waits = waits.into_inner().unwrap();
    let drain = drained.load(SeqCst) as f64 / 1e6;
    Ok(quantiles("start-", waits, 1.0, "max") + &row("drain", drain, "ms"))
}

fn idle(p: &ThreadPool, ms: i64) -> Rows {
    producers(p, 1000, 1)?;
    std::thread::sleep(Duration::from_millis(100));
    let before = cpu_ns();
    std::thread::sleep(Duration::from_millis(ms as u64));
    Ok(row("cpu", (cpu_ns() - before) as f64 / ms as f64, "µs/s"))
}

fn main() {
    let threads: usize = std::env::args().nth(1).unwrap().parse().unwrap();
    let names = "submit producers fib nqueens tree for wake hot-pair idle urgent urgent-swap";
    serve(names, |name, a| {
        let p = pool(threads);
        match name {
            "submit" => producers(&p, a[0], 1),
            "producers" => producers(&p, a[0], 4),
            "fib" => recursion(&p, a, "ns/fork", serial_fib(a[0] + 1) - 1, serial_fib(a[0]), fib),
            "nqueens" => walking(&p, a, "ns/task", queens_root, |n| walk(queens_root(n))),
            "tree" => walking(&p, a, "ns/node", branch_root, |n| walk(branch_root(n))),
            "wake" => wake(&p, a[0]),
            "hot-pair" => hot_pair(&p, a[0]),
            "idle" => idle(&p, a[0]),
            "urgent" | "urgent-swap" => urgent(threads, a[0]),
            _ => for_loop(&p, threads, a),
        }
    });
}
