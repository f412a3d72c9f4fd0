// React's scheduler under the workloads of bench/tasks: see package child for the protocol.
//
// The production build, as an application has it. The host loop is pumped here rather than by Node: what
// setImmediate and setTimeout are given is kept, and called when React has returned, so that no figure has
// the wait for Node's event loop in it. That is the best case for React. The clock is Node's own, but for the
// workloads in which time must pass: there it has an offset.
"use strict";

const fs = require("node:fs");
const readline = require("node:readline");

// load returns React's scheduler with a host of its own.
function load(jumps) {
  const host = { soon: null, later: null, offset: 0 };
  const real = { performance, setImmediate, setTimeout, clearTimeout };
  const set = (name, value) =>
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  set("setImmediate", (f) => { host.soon = f; });
  set("setTimeout", (f) => { host.later = f; return 1; });
  set("clearTimeout", () => { host.later = null; });
  if (jumps) set("performance", { now: () => real.performance.now() + host.offset });
  const path = require.resolve("scheduler/cjs/scheduler.production.js");
  delete require.cache[path];
  host.react = require(path);
  for (const name in real) set(name, real[name]);
  return host;
}

// pump runs slices until React asks for no more, and returns the longest in ms.
function pump(host) {
  let longest = 0;
  while (host.soon) {
    const f = host.soon;
    host.soon = null;
    const t0 = performance.now();
    f();
    longest = Math.max(longest, performance.now() - t0);
  }
  return longest;
}

// jump lets time pass, and fires the timer.
function jump(host, ms) {
  host.offset += ms;
  const f = host.later;
  host.later = null;
  if (f) f();
}

let ran = 0;
const count = () => { ran++; };
const immediatePriority = 1, userBlockingPriority = 2, normalPriority = 3, priorities = 5;

const host = load(false), jumping = load(true);
const schedule = host.react.unstable_scheduleCallback;
const cancel = host.react.unstable_cancelCallback;
const scheduleJumping = jumping.react.unstable_scheduleCallback;

// delayed schedules n tasks that are delayed by up to 2 s.
function delayed(n) {
  for (let i = 0; i < n; i++) {
    scheduleJumping(normalPriority, count, { delay: 1000 + Math.floor(Math.random() * 1000) });
  }
}

// Each workload does itself once and returns [time in ms, runs expected].
const workloads = {
  "schedule-run"(n) {
    const t0 = performance.now();
    for (let i = 0; i < n; i++) schedule(normalPriority, count);
    pump(host);
    return [performance.now() - t0, n];
  },
  "five-priorities"(n) {
    const mixed = new Uint8Array(n);
    for (let i = 0; i < n; i++) mixed[i] = 1 + Math.floor(Math.random() * priorities);
    const t0 = performance.now();
    for (let i = 0; i < n; i++) schedule(mixed[i], count);
    pump(host);
    return [performance.now() - t0, n];
  },
  "schedule-cancel"(n) {
    const tasks = new Array(n);
    const t0 = performance.now();
    for (let i = 0; i < n; i++) tasks[i] = schedule(normalPriority, count);
    for (let i = 0; i < n; i++) cancel(tasks[i]);
    pump(host);
    return [performance.now() - t0, 0];
  },
  "delayed-due"(n) {
    const t0 = performance.now();
    delayed(n);
    jump(jumping, 2000);
    pump(jumping);
    return [performance.now() - t0, n];
  },
  "step"(n) {
    const again = () => { if (++ran < n) return again; };
    const t0 = performance.now();
    schedule(normalPriority, again);
    pump(host);
    return [performance.now() - t0, n];
  },
  "late-tasks"() {
    const tasks = 200;
    const busy = () => { ran++; for (const t0 = performance.now(); performance.now() - t0 < 1;); };
    for (let i = 0; i < tasks; i++) scheduleJumping(userBlockingPriority, busy);
    jump(jumping, 550);
    return [pump(jumping), tasks];
  },
  "immediate"(n) {
    delayed(n);
    // The timer is not fired: that work is the same whether it is in the timer or before the task.
    jumping.offset += 2000;
    let began = 0;
    const t0 = performance.now();
    scheduleJumping(immediatePriority, () => { ran++; began = performance.now(); });
    pump(jumping);
    return [began - t0, n + 1];
  },
};

const warm = new Set(); // workloads that V8 has compiled

function answer(line) {
  const [name, number] = line.split(" ");
  const n = Number(number);
  for (let i = warm.has(name) ? 1 : 5; i > 0; i--) workloads[name](n);
  warm.add(name);
  global.gc();
  ran = 0;
  const [ms, want] = workloads[name](n);
  if (ran !== want) return `error ${ran} tasks ran, not ${want}\n`;
  if (name === "late-tasks" || name === "immediate") return `µs ${ms * 1e3} µs\n\n`;
  return `ns/task ${(ms * 1e6) / n} ns\n\n`;
}

const say = (text) => fs.writeSync(1, text);
say(Object.keys(workloads).join(" ") + "\n");
readline.createInterface({ input: process.stdin }).on("line", (line) => say(answer(line)));
