/**
 * Loaded into the server under test by `--import`: how much its main thread did without a break, at most, and how much the
 * process did in all. In CPU time, so that it does not matter what else the machine does, and beside the CPU time of a known
 * piece of work on the same thread, so that it does not matter how fast the machine is. Each SIGUSR2 prints the figures and
 * restarts.
 */
import { isMainThread } from "node:worker_threads";

const text = JSON.stringify(Object.fromEntries(Array.from({ length: 4_000 }, (_, i) => [`key-${i}`, `value ${i}`])));

/** Microseconds. */
const enough = 25_000;

if (isMainThread) {
  let before = onThisThread();
  let longest = 0;
  let begin = inAll();
  let reports = 0;
  let unit = 1;
  // The timer is due in every round of the event loop, so no more than one round lies between two calls.
  setInterval(() => {
    const now = onThisThread();
    longest = Math.max(longest, now - before);
    before = now;
  }, 1).unref();
  process.on("SIGUSR2", () => {
    const total = inAll() - begin;
    // Not each time: it takes longer than most of what is measured.
    if (reports++ % 10 === 0) unit = calibrate();
    process.stderr.write(`work ${JSON.stringify({ observedTurn: longest / unit, total: total / unit })}\n`);
    longest = 0;
    before = onThisThread();
    begin = inAll();
  });
}

/** Reading and printing 100 kB of JSON, so often that it takes several of the ticks that systems count CPU time in. */
function calibrate(): number {
  const start = onThisThread();
  let times = 0;
  let spent = 0;
  for (; spent < enough; times++) {
    JSON.stringify(JSON.parse(text));
    spent = onThisThread() - start;
  }
  return spent / times;
}

/** Microseconds. */
function onThisThread(): number {
  const { user, system } = process.threadCpuUsage();
  return user + system;
}

/** Microseconds, of all threads. */
function inAll(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}
