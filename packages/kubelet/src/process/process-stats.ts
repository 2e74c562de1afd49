/** What the processes of containers use, each container's group taken together. */
import type { RuntimeStats, SandboxStatus } from "../runtime/runtime-status.ts";
import type { ProcessContainer } from "./process-container.ts";
import { allProcesses } from "./process-identity.ts";

export async function processStats(
  containers: readonly ProcessContainer[],
  sandboxes: readonly SandboxStatus[],
  at: number,
): Promise<RuntimeStats> {
  const groups = Map.groupBy(await allProcesses(), ({ group }) => group);
  return {
    containers: containers
      .filter(({ isRunning }) => isRunning)
      .map(({ record: { status, started } }) => {
        const members = groups.get(started?.group ?? 0) ?? [];
        const memory = members.reduce((sum, { residentBytes }) => sum + residentBytes, 0);
        const cpuNanoseconds = members.reduce((sum, one) => sum + one.cpuNanoseconds, 0);
        return { id: status.id, at, cpuNanoseconds, memoryWorkingSetBytes: memory, memoryUsageBytes: memory, writableLayerBytes: 0 };
      }),
    sandboxes: sandboxes.filter(({ ready }) => ready).map(({ id }) => ({ id, at, networkReceivedBytes: 0, networkSentBytes: 0 })),
  };
}
