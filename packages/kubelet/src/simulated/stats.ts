/** What simulated containers use, as if evenly. */
import type { RuntimeStats } from "../runtime/runtime-status.ts";
import type { Container } from "./container.ts";

export function statsOf(containers: readonly Container[], sandboxIds: readonly string[], at: number): RuntimeStats {
  const running = containers.filter(({ isRunning }) => isRunning);
  return {
    containers: running.map(({ id, ranMs, script: { cpuMillicores = 1, memoryBytes = 8 * 1024 * 1024 } }) => ({
      id,
      at,
      cpuNanoseconds: Math.round(ranMs * cpuMillicores * 1000),
      memoryWorkingSetBytes: memoryBytes,
      memoryUsageBytes: memoryBytes,
      writableLayerBytes: 0,
    })),
    sandboxes: sandboxIds.map((id) => ({ id, at, networkReceivedBytes: 0, networkSentBytes: 0 })),
  };
}
