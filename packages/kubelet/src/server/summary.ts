/** `/stats/summary`: what a node and its Pods use. @see k8s.io/kubelet/pkg/apis/stats/v1alpha1 */
import { millisOf, wireTime } from "@coxswain/machinery";
import type { LocalPod } from "../pod/local-pods.ts";
import type { ContainerStats, ContainerStatus, RuntimeStats, SandboxStats } from "../runtime/runtime-status.ts";
import type { FileSystemUsage, NodeUsage } from "../stats/node-usage.ts";
import type { ServedNode } from "./served-node.ts";

/** Times are milliseconds since the epoch. */
interface Cpu {
  readonly time: number;
  readonly usageNanoCores?: number;
  readonly usageCoreNanoSeconds: number;
}

interface Memory {
  readonly time: number;
  readonly availableBytes?: number;
  readonly usageBytes: number;
  readonly workingSetBytes: number;
}

interface FileSystem {
  readonly time: number;
  readonly availableBytes?: number;
  readonly capacityBytes?: number;
  readonly usedBytes: number;
  readonly inodesFree?: number;
  readonly inodes?: number;
}

export interface ContainerSummary {
  readonly name: string;
  readonly startTime: number;
  readonly cpu: Cpu;
  readonly memory: Memory;
  readonly rootfs?: FileSystem;
}

export interface PodSummary {
  readonly podRef: { readonly name: string; readonly namespace: string; readonly uid: string };
  readonly startTime: number;
  readonly containers: readonly ContainerSummary[];
  readonly cpu: Cpu;
  readonly memory: Memory;
  readonly network?: { readonly time: number; readonly name: string; readonly rxBytes: number; readonly txBytes: number };
  readonly "ephemeral-storage"?: FileSystem;
}

export interface Summary {
  readonly node: {
    readonly nodeName: string;
    readonly startTime: number;
    readonly cpu: Cpu;
    readonly memory: Memory;
    readonly fs?: FileSystem;
    readonly runtime?: { readonly imageFs: FileSystem; readonly containerFs: FileSystem };
    readonly rlimit?: { readonly time: number; readonly maxpid: number; readonly curproc: number };
  };
  readonly pods: readonly PodSummary[];
}

/** As it is sent: with times as objects contain them. */
export const summaryText = (summary: Summary): string =>
  JSON.stringify(summary, (name, value) =>
    typeof value === "number" && (name === "time" || name === "startTime") ? wireTime(value) : value,
  );

export interface SummaryOptions {
  readonly signal: AbortSignal;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Only processor and memory. */
  readonly brief: boolean;
  /** Nanoseconds of a processor in each second, of a container or, without an id, of the node. */
  readonly rateOf: (id: string | undefined, cpuNanoseconds: number, at: number) => number | undefined;
}

export async function summaryOf(node: ServedNode, options: SummaryOptions): Promise<Summary> {
  const { signal, brief } = options;
  const [stats, usage, images] = await Promise.all([
    node.runtime.stats(signal),
    node.usage?.(),
    brief ? undefined : node.runtime.imageFileSystem(signal).catch(() => undefined),
  ]);
  const byContainer = new Map(stats.containers.map((one) => [one.id, one]));
  const bySandbox = new Map(stats.sandboxes.map((one) => [one.id, one]));
  const pods = node.pods.list().flatMap((local) => podSummary(local, byContainer, bySandbox, options));
  const time = options.now;
  const imageFs = images === undefined ? undefined : { time, capacityBytes: images.capacityBytes, usedBytes: images.usedBytes };
  return {
    node: {
      nodeName: node.name,
      ...nodeFigures(usage ?? sumOf(stats), options),
      ...(imageFs === undefined ? {} : { runtime: { imageFs, containerFs: imageFs } }),
    },
    pods,
  };
}

function nodeFigures(usage: NodeUsage, { now, brief, rateOf }: SummaryOptions): Omit<Summary["node"], "nodeName" | "runtime"> {
  const time = now;
  const { fs, processes } = usage;
  return {
    startTime: usage.startedAt,
    cpu: cpu(usage.cpuNanoseconds, time, rateOf(undefined, usage.cpuNanoseconds, now)),
    memory: {
      time,
      ...(usage.memoryAvailableBytes === 0 ? {} : { availableBytes: usage.memoryAvailableBytes }),
      usageBytes: usage.memoryUsageBytes,
      workingSetBytes: usage.memoryWorkingSetBytes,
    },
    ...(brief || fs === undefined ? {} : { fs: fileSystem(fs, time) }),
    ...(brief || processes === undefined ? {} : { rlimit: { time, maxpid: processes.most, curproc: processes.running } }),
  };
}

/** For nodes that are no machines: what runs on them is all. */
function sumOf({ containers }: RuntimeStats): NodeUsage {
  const sum = (of: (stats: ContainerStats) => number): number => containers.reduce((total, one) => total + of(one), 0);
  return {
    cpuNanoseconds: sum((one) => one.cpuNanoseconds),
    memoryWorkingSetBytes: sum((one) => one.memoryWorkingSetBytes),
    memoryUsageBytes: sum((one) => one.memoryUsageBytes),
    memoryAvailableBytes: 0,
    startedAt: 0,
    fs: undefined,
    processes: undefined,
  };
}

const cpu = (usageCoreNanoSeconds: number, time: number, usageNanoCores: number | undefined): Cpu => ({
  time,
  ...(usageNanoCores === undefined ? {} : { usageNanoCores }),
  usageCoreNanoSeconds,
});

const fileSystem = ({ availableBytes, capacityBytes, inodesFree, inodes }: FileSystemUsage, time: number): FileSystem => ({
  time,
  availableBytes,
  capacityBytes,
  usedBytes: capacityBytes - availableBytes,
  inodesFree,
  inodes,
});

/** Nothing for a Pod of which nothing runs. */
function podSummary(
  { pod, sandbox, containers }: LocalPod,
  byContainer: ReadonlyMap<string, ContainerStats>,
  bySandbox: ReadonlyMap<string, SandboxStats>,
  options: SummaryOptions,
): PodSummary[] {
  const { name = "", namespace = "", uid = "" } = pod.metadata ?? {};
  const running = containers.flatMap((container) => {
    const stats = byContainer.get(container.id);
    return stats === undefined || container.state !== "running" ? [] : [{ container, stats }];
  });
  if (running.length === 0) return [];
  const time = Math.max(...running.map(({ stats }) => stats.at));
  const all = running.map(({ container, stats }) => containerSummary(container, stats, options));
  const sum = (of: (one: ContainerSummary) => number): number => all.reduce((total, one) => total + of(one), 0);
  const rates = all.map((one) => one.cpu.usageNanoCores);
  const rate = rates.every((one) => one !== undefined) ? rates.reduce((total, one) => total + one, 0) : undefined;
  const network = bySandbox.get(sandbox?.id ?? "");
  return [
    {
      podRef: { name, namespace, uid },
      startTime: millisOf(pod.status?.startTime) ?? sandbox?.createdAt ?? 0,
      containers: all,
      cpu: cpu(
        sum((one) => one.cpu.usageCoreNanoSeconds),
        time,
        rate,
      ),
      memory: { time, usageBytes: sum((one) => one.memory.usageBytes), workingSetBytes: sum((one) => one.memory.workingSetBytes) },
      ...(options.brief || network === undefined
        ? {}
        : { network: { time, name: "eth0", rxBytes: network.networkReceivedBytes, txBytes: network.networkSentBytes } }),
      ...(options.brief ? {} : { "ephemeral-storage": { time, usedBytes: sum((one) => one.rootfs?.usedBytes ?? 0) } }),
    },
  ];
}

function containerSummary({ id, name, startedAt }: ContainerStatus, stats: ContainerStats, options: SummaryOptions): ContainerSummary {
  const time = stats.at;
  return {
    name,
    startTime: startedAt,
    cpu: cpu(stats.cpuNanoseconds, time, options.rateOf(id, stats.cpuNanoseconds, stats.at)),
    memory: { time, usageBytes: stats.memoryUsageBytes, workingSetBytes: stats.memoryWorkingSetBytes },
    ...(options.brief ? {} : { rootfs: { time, usedBytes: stats.writableLayerBytes } }),
  };
}
