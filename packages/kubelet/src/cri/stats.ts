/** What containers and sandboxes use. Runtimes leave out what they do not count, and fail for what has just ended. */
import type { Clock } from "@coxswain/machinery";
import { RuntimeError } from "../runtime/runtime-error.ts";
import type { ContainerStats, RuntimeStats, SandboxStats } from "../runtime/runtime-status.ts";
import type { CriConnection } from "./cri-connection.ts";
import { milliseconds } from "./from-cri.ts";
import type { ContainerStatsMessage, PodSandboxStatsMessage } from "./messages/received.ts";
import type { SandboxTurns } from "./sandbox-turns.ts";

export function statsReader(connection: CriConnection, turns: SandboxTurns, clock: Clock): (signal: AbortSignal) => Promise<RuntimeStats> {
  /** While sandboxes come and go, they have the figures that they had. */
  let known: readonly SandboxStats[] = [];
  return async (signal) => {
    const [containers, sandboxes] = await Promise.all([
      connection.call("ListContainerStats", {}, { signal }),
      turns.read(() => sandboxStats(connection, signal)),
    ]);
    known = sandboxes?.flatMap((stats) => toSandboxStats(stats, clock)) ?? known;
    return { containers: containers.stats.flatMap(toContainerStats), sandboxes: known };
  };
}

/** containerd 1.6 refuses the whole list when one sandbox has no figures: then each that runs is asked. */
async function sandboxStats(connection: CriConnection, signal: AbortSignal): Promise<readonly PodSandboxStatsMessage[]> {
  try {
    return (await connection.call("ListPodSandboxStats", {}, { signal })).stats;
  } catch (error) {
    if (!(error instanceof RuntimeError)) throw error;
    if (error.kind === "unimplemented") return [];
    if (error.kind !== "unknown" && error.kind !== "notFound") throw error;
  }
  const { items } = await connection.call("ListPodSandbox", {}, { signal });
  const ready = items.filter(({ state }) => state === "SANDBOX_READY");
  const answers = await Promise.allSettled(ready.map(({ id }) => connection.call("PodSandboxStats", { podSandboxId: id }, { signal })));
  signal.throwIfAborted();
  return answers.flatMap((answer) => (answer.status === "fulfilled" && answer.value.stats !== null ? [answer.value.stats] : []));
}

function toContainerStats({ attributes, cpu, memory, writableLayer }: ContainerStatsMessage): ContainerStats[] {
  if (attributes === null || cpu === null || memory === null) return [];
  return [
    {
      id: attributes.id,
      at: milliseconds(cpu.timestamp),
      cpuNanoseconds: cpu.usageCoreNanoSeconds?.value ?? 0,
      memoryWorkingSetBytes: memory.workingSetBytes?.value ?? 0,
      memoryUsageBytes: memory.usageBytes?.value ?? memory.workingSetBytes?.value ?? 0,
      writableLayerBytes: writableLayer?.usedBytes?.value ?? 0,
    },
  ];
}

function toSandboxStats({ attributes, linux }: PodSandboxStatsMessage, clock: Clock): SandboxStats[] {
  const network = linux?.network ?? undefined;
  if (attributes === null || network?.defaultInterface == null) return [];
  const { rxBytes, txBytes } = network.defaultInterface;
  return [
    {
      id: attributes.id,
      // containerd 1.6 says no time.
      at: network.timestamp === 0 ? clock.now() : milliseconds(network.timestamp),
      networkReceivedBytes: rxBytes?.value ?? 0,
      networkSentBytes: txBytes?.value ?? 0,
    },
  ];
}
