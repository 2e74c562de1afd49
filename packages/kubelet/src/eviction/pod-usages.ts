/** What the Pods of a node use of it, for who decides which of them has to go. */
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { LocalPod, LocalPods } from "../pod/local-pods.ts";
import type { Pod } from "../pod/pod.ts";
import { podDirectories } from "../pod/pod-directories.ts";
import type { PodRuntime } from "../runtime/pod-runtime.ts";
import type { ContainerStats } from "../runtime/runtime-status.ts";
import type { PodUsage } from "./victims.ts";

export interface UsageSources {
  readonly runtime: Pick<PodRuntime, "stats">;
  readonly pods: Pick<LocalPods, "list">;
  readonly rootDir: string;
}

/** Of Pods that have containers running. */
export async function podUsages({ runtime, pods, rootDir }: UsageSources, signal: AbortSignal): Promise<PodUsage[]> {
  const stats = new Map((await runtime.stats(signal)).containers.map((one) => [one.id, one]));
  const running = pods.list().filter(({ containers }) => containers.some(({ state }) => state === "running"));
  return await Promise.all(running.map((local) => usageOf(local, stats, rootDir)));
}

async function usageOf({ pod, containers }: LocalPod, stats: ReadonlyMap<string, ContainerStats>, rootDir: string): Promise<PodUsage> {
  return {
    pod,
    containers: containers.flatMap(({ id, name, state }) => {
      const one = stats.get(id);
      if (state !== "running" || one === undefined) return [];
      return [{ name, memory: one.memoryWorkingSetBytes, storage: one.writableLayerBytes }];
    }),
    volumes: await volumeSizes(pod, rootDir),
  };
}

/** Only where there is a limit: counting a large tree each ten seconds costs more than it is worth. */
async function volumeSizes(pod: Pod, rootDir: string): Promise<ReadonlyMap<string, number>> {
  const isLimited = pod.spec?.containers.some(({ resources }) => resources?.limits?.["ephemeral-storage"] !== undefined) === true;
  const counted = (pod.spec?.volumes ?? []).filter(
    ({ emptyDir }) => emptyDir !== undefined && (isLimited || emptyDir.sizeLimit !== undefined),
  );
  if (counted.length === 0) return new Map();
  const { volumes } = podDirectories(rootDir, pod.metadata?.uid ?? "");
  return new Map(
    await Promise.all(counted.map(async ({ name }) => [name, await sizeOf(join(volumes, "kubernetes.io~empty-dir", name))] as const)),
  );
}

/** Bytes on the disk. What vanishes while it is looked at counts nothing. */
async function sizeOf(path: string): Promise<number> {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
  let sum = 0;
  for (const entry of entries) {
    const inside = join(path, entry.name);
    if (entry.isDirectory()) sum += await sizeOf(inside);
    else if (entry.isFile()) sum += 512 * ((await stat(inside).catch(() => undefined))?.blocks ?? 0);
  }
  return sum;
}
