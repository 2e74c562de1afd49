/**
 * Loaded into the server under test by `--import`: for how long its main thread was kept busy without a break, at most. In
 * CPU time, so that it does not matter what else the machine does. Each SIGUSR2 prints the figure and begins anew.
 */
import { isMainThread } from "node:worker_threads";

if (isMainThread) {
  const spent = (): number => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  };
  let before = spent();
  let longest = 0;
  // The timer is due in every round of the event loop, so no more than one round lies between two calls.
  setInterval(() => {
    const now = spent();
    longest = Math.max(longest, now - before);
    before = now;
  }, 1).unref();
  process.on("SIGUSR2", () => {
    process.stderr.write(`busy ${longest.toFixed(1)}\n`);
    longest = 0;
  });
}
