// The protocol of package child, and the workloads' definitions: those of bench/pools in Go, line by line.

use std::io::{BufRead, Write};
use std::time::Instant;

pub type Rows = Result<String, String>;

pub fn serve(names: &str, run: impl Fn(&str, &[i64]) -> Rows) {
    let mut out = std::io::stdout();
    writeln!(out, "{names}").unwrap();
    out.flush().unwrap();
    for line in std::io::stdin().lock().lines() {
        let line = line.unwrap();
        let mut fields = line.split_whitespace();
        let name = fields.next().unwrap_or("");
        let numbers: Vec<i64> = fields.map(|f| f.parse().unwrap()).collect();
        match run(name, &numbers) {
            Ok(rows) => writeln!(out, "{rows}").unwrap(),
            Err(e) => writeln!(out, "error {e}").unwrap(),
        }
        out.flush().unwrap();
    }
}

pub fn row(metric: &str, v: f64, unit: &str) -> String {
    format!("{metric} {v} {unit}\n")
}

pub fn nanos(since: Instant) -> f64 {
    since.elapsed().as_nanos() as f64
}

pub fn quantile(v: &mut [f64], q: f64) -> f64 {
    v.sort_by(|a, b| a.total_cmp(b));
    let at = q * (v.len() - 1) as f64;
    let i = at as usize;
    if i + 1 == v.len() {
        return v[i];
    }
    v[i] + (at - i as f64) * (v[i + 1] - v[i])
}

// quantiles takes ns and returns rows in µs.
pub fn quantiles(name: &str, mut v: Vec<f64>, high: f64, high_name: &str) -> String {
    let (mid, high) = (quantile(&mut v, 0.5), quantile(&mut v, high));
    row(&format!("{name}p50"), mid / 1e3, "µs") + &row(&format!("{name}{high_name}"), high / 1e3, "µs")
}

pub fn check(got: i64, want: i64) -> Result<(), String> {
    if got == want {
        return Ok(());
    }
    Err(format!("result {got}, not {want}"))
}

pub fn burn(lo: i64, hi: i64, steps: i64) -> i64 {
    let mut sum = 0;
    for i in lo..hi {
        let mut x = i as u64 + 1;
        for _ in 0..steps {
            x = (x ^ x >> 29).wrapping_mul(6364136223846793005);
        }
        sum += (x >> 63) as i64;
    }
    sum
}

// steps_for returns how many steps of burn take the time in ns.
pub fn steps_for(time: f64) -> i64 {
    const STEPS: i64 = 100_000;
    let (mut least, mut i) = (f64::MAX, 0);
    for _ in 0..20 {
        let t0 = Instant::now();
        i += burn(i, i + 1, STEPS);
        least = least.min(nanos(t0) + (i & 1) as f64 * 1e-9);
    }
    (time * STEPS as f64 / least) as i64
}

// cpu_ns returns the processor time of the process's threads, without a crate for getrusage.
pub fn cpu_ns() -> i64 {
    let mut sum = 0;
    for task in std::fs::read_dir("/proc/self/task").unwrap() {
        let text = std::fs::read_to_string(task.unwrap().path().join("schedstat")).unwrap_or_default();
        sum += text.split(' ').next().and_then(|t| t.parse::<i64>().ok()).unwrap_or(0);
    }
    sum
}

#[derive(Clone, Copy, Default)]
pub struct Node {
    kind: u32,
    a: u32,
    b: u32,
    c: u32,
}

pub const MOST: usize = 16;
const QUEENS: u32 = 0;
const BRANCH: u32 = 1;

pub fn queens_root(n: i64) -> Node {
    Node { kind: QUEENS | (n as u32) << 8, a: 0, b: 0, c: 0 }
}

pub fn branch_root(nodes: i64) -> Node {
    Node { kind: BRANCH, a: nodes as u32, b: 1, c: 0 }
}

// expand fills in the children of x, and returns their number and what x itself adds.
pub fn expand(x: Node, kids: &mut [Node; MOST]) -> (usize, i64) {
    if x.kind & 255 == QUEENS {
        return place(x, kids);
    }
    grow(x, kids)
}

fn place(x: Node, kids: &mut [Node; MOST]) -> (usize, i64) {
    let all = (1u32 << (x.kind >> 8)) - 1;
    if x.a == all {
        return (0, 1);
    }
    let (mut n, mut free) = (0, all & !(x.a | x.b | x.c));
    while free != 0 {
        let bit = free & free.wrapping_neg();
        kids[n] = Node { kind: x.kind, a: x.a | bit, b: (x.b | bit) << 1, c: (x.c | bit) >> 1 };
        n += 1;
        free &= free - 1;
    }
    (n, 0)
}

fn grow(x: Node, kids: &mut [Node; MOST]) -> (usize, i64) {
    let (mut left, mut seed, mut n) = (x.a - 1, x.b, 0);
    while left > 0 {
        seed = seed.wrapping_mul(1664525).wrapping_add(1013904223);
        let mut size = left;
        if n < 3 {
            size = left.min(1 + (left as u64 * (seed >> 24) as u64 * 7 >> 11) as u32);
        }
        kids[n] = Node { kind: BRANCH, a: size, b: seed ^ seed >> 15, c: 0 };
        n += 1;
        left -= size;
    }
    (n, 1 + (x.b & 1) as i64)
}

// serial_walk returns the sum and the number of nodes.
pub fn serial_walk(x: Node) -> (i64, i64) {
    let mut kids = [Node::default(); MOST];
    let (n, mut sum) = expand(x, &mut kids);
    let mut nodes = 1;
    for &kid in &kids[..n] {
        let (s, k) = serial_walk(kid);
        sum += s;
        nodes += k;
    }
    (sum, nodes)
}

pub fn serial_fib(n: i64) -> i64 {
    let (mut a, mut b) = (0, 1);
    for _ in 0..n {
        (a, b) = (b, a + b);
    }
    a
}
