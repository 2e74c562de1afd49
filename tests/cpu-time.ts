/** CPU time of a piece of work: what else the machine does, and how long it makes us wait, does not count. */

/** Systems count CPU time in ticks of some milliseconds; this is many of them. Microseconds. */
const enough = 40_000;

/** Microseconds for each call, on this thread. */
export function cpuTimeOf(work: () => unknown): number {
  let calls = 0;
  let spent = 0;
  for (const start = onThisThread(); spent < enough; spent = onThisThread() - start) {
    work();
    calls++;
  }
  return spent / calls;
}

function onThisThread(): number {
  const { user, system } = process.threadCpuUsage();
  return user + system;
}
